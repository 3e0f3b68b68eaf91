package judge

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"hotseat"
)

// Tamper is one way in which the proxy meddles: which exchanges it takes, and
// what it does to them. All conditions that are given must hold.
type Tamper struct {
	// Which exchanges.
	Method   string `toml:"method"`
	Path     string `toml:"path"`     // regular expression, matched against path and query
	Form     string `toml:"form"`     // regular expression, matched against the request's body
	Location string `toml:"location"` // regular expression, matched against the answer's Location
	Body     string `toml:"body"`     // regular expression, matched against the answer's body
	Status   int    `toml:"status"`   // of the answer

	// How many of those that match.
	Skip  int     `toml:"skip"`  // leave the first ones alone
	Limit int     `toml:"limit"` // then take at most so many; 0: no limit
	Share float64 `toml:"share"` // then take each with this probability; 0: all

	// What is done to the request.
	Drop      string    `toml:"drop"`      // "before" the stack sees it or "after": the connection closes without an answer
	Twice     bool      `toml:"twice"`     // the stack gets it twice; the second answer counts
	SendAs    []Replace `toml:"send_as"`   // the request's body is changed
	SendHead  []Header  `toml:"send_head"` // the request's head is changed
	NotSent   bool      `toml:"not_sent"`  // the stack never sees it; the answer is made of the fields below
	DelayMS   int       `toml:"delay_ms"`  // the answer waits
	Stale     string    `toml:"stale"`     // an earlier answer is repeated: "path" the first to that path, "client" the first to that path and X-Forwarded-For
	Stranger  bool      `toml:"stranger"`  // the latest answer that somebody else got to this path
	GiveUp    string    `toml:"give_up"`   // "reset" after the head, "half" of the body and close, "hang" after the head
	Raw       string    `toml:"raw"`       // these very bytes instead of an answer, then close
	AsStatus  int       `toml:"as_status"` // the answer's status
	Replace   []Replace `toml:"replace"`   // the answer's body is changed
	Head      []Header  `toml:"head"`      // the answer's head is changed
	Gzip      bool      `toml:"gzip"`      // the body is compressed if the client takes it
	ShuffleJS bool      `toml:"shuffle"`   // the order of JSON lists is changed
	Rename    []Header  `toml:"rename"`    // cookies get another name on the way out, and back on the way in
	FreezeMS  int       `toml:"freeze_ms"` // with stale: how old an answer may get before it is renewed; 0: never
}

// Replace changes a text.
type Replace struct {
	Match string `toml:"match"` // regular expression
	With  string `toml:"with"`  // $1 stands for the first group
}

// Header sets a header field, removes it where To is empty, or renames.
type Header struct {
	Name string `toml:"name"`
	To   string `toml:"to"`
}

// tamper is a Tamper at work.
type tamper struct {
	Tamper
	path, form, location, body *regexp.Regexp
	replace, sendAs            []substitution

	mu      sync.Mutex
	rand    *rand.Rand
	matched int
	taken   int
}

type substitution struct {
	match *regexp.Regexp
	with  string
}

// compile checks a Tamper and prepares it. The seed makes Share repeatable.
func compile(t Tamper, seed uint64) (*tamper, error) {
	c := &tamper{Tamper: t, rand: rand.New(rand.NewPCG(seed, 0))}
	for _, e := range []struct {
		text string
		to   **regexp.Regexp
	}{{t.Path, &c.path}, {t.Form, &c.form}, {t.Location, &c.location}, {t.Body, &c.body}} {
		if e.text == "" {
			continue
		}
		re, err := regexp.Compile(e.text)
		if err != nil {
			return nil, hotseat.Invalid("it is a Go regular expression", "tamper: %w", err)
		}
		*e.to = re
	}
	var err error
	if c.replace, err = compileAll(t.Replace); err != nil {
		return nil, err
	}
	if c.sendAs, err = compileAll(t.SendAs); err != nil {
		return nil, err
	}
	for _, v := range []struct {
		name, value string
		allowed     []string
	}{
		{"drop", t.Drop, []string{"before", "after"}},
		{"stale", t.Stale, []string{"path", "client"}},
		{"give_up", t.GiveUp, []string{"reset", "half", "hang"}},
	} {
		if v.value != "" && !slices.Contains(v.allowed, v.value) {
			return nil, hotseat.Invalid("one of: "+strings.Join(v.allowed, ", "), "tamper: %s = %q", v.name, v.value)
		}
	}
	return c, nil
}

func compileAll(list []Replace) ([]substitution, error) {
	var out []substitution
	for _, r := range list {
		re, err := regexp.Compile(r.Match)
		if err != nil {
			return nil, hotseat.Invalid("it is a Go regular expression", "tamper: %w", err)
		}
		out = append(out, substitution{re, r.With})
	}
	return out, nil
}

// wantsRequest tells whether the conditions on the request hold.
func (t *tamper) wantsRequest(r *http.Request, form []byte) bool {
	return (t.Method == "" || t.Method == r.Method) &&
		(t.path == nil || t.path.MatchString(r.URL.RequestURI())) &&
		(t.form == nil || t.form.Match(form))
}

// wantsAnswer tells whether the conditions on the answer hold.
func (t *tamper) wantsAnswer(a *answer) bool {
	return (t.Status == 0 || t.Status == a.status) &&
		(t.location == nil || t.location.MatchString(a.head.Get("Location"))) &&
		(t.body == nil || t.body.Match(a.body))
}

// needsAnswer tells whether any condition is on the answer.
func (t *tamper) needsAnswer() bool { return t.Status != 0 || t.location != nil || t.body != nil }

// takes counts an exchange that matched and tells whether this one is taken.
func (t *tamper) takes() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.matched++
	switch {
	case t.matched <= t.Skip, t.Limit > 0 && t.taken >= t.Limit, t.Share > 0 && t.rand.Float64() >= t.Share:
		return false
	}
	t.taken++
	return true
}

// answer is what the stack said, or what the client is to believe.
type answer struct {
	status int
	head   http.Header
	body   []byte
	at     time.Time
}

func (a *answer) clone() *answer {
	return &answer{a.status, a.head.Clone(), slices.Clone(a.body), a.at}
}

// alter applies the changes that need nothing but the answer itself.
func (t *tamper) alter(a *answer) {
	if t.AsStatus != 0 {
		a.status = t.AsStatus
	}
	for _, r := range t.replace {
		a.body = r.match.ReplaceAll(a.body, []byte(r.with))
	}
	for _, h := range t.Head {
		setHeader(a.head, h)
	}
	if t.ShuffleJS {
		a.body = reverseLists(a.body)
	}
}

func setHeader(head http.Header, h Header) {
	if h.To == "" {
		head.Del(h.Name)
		return
	}
	value := h.To
	if old := head.Get(h.Name); strings.Contains(value, "$0") {
		if old == "" {
			return // nothing to wrap
		}
		value = strings.ReplaceAll(value, "$0", old)
	}
	head.Set(h.Name, value)
}

// String names what the tamper does, for logs.
func (t *tamper) String() string { return fmt.Sprintf("%s %s", t.Method, t.Path) }
