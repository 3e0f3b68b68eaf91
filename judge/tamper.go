package judge

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Tamper is one way in which the proxy meddles: which exchanges it takes, and
// what it does to them.
type Tamper struct {
	// Which exchanges: all conditions that are given must hold. The texts are
	// regular expressions.
	Method   string `toml:"method"`   // exactly
	Path     string `toml:"path"`     // matched against path and query
	Client   string `toml:"client"`   // matched against X-Forwarded-For
	Form     string `toml:"form"`     // matched against the request's body
	Status   int    `toml:"status"`   // of the answer
	Location string `toml:"location"` // matched against the answer's Location
	Body     string `toml:"body"`     // matched against the answer's body

	// How many of those that match.
	Skip  int     `toml:"skip"`  // leave the first ones alone
	Limit int     `toml:"limit"` // then take at most so many; 0: no limit
	Share float64 `toml:"share"` // then take each with this probability; 0: all

	// What is done to the request. Of these none goes with conditions on the
	// answer.
	Refuse   bool      `toml:"refuse"`    // nobody listens any more from now on
	Drop     string    `toml:"drop"`      // the connection closes without an answer: "before" the stack sees the request, or "after"
	Twice    bool      `toml:"twice"`     // the stack gets it twice; the second answer counts
	Cache    string    `toml:"cache"`     // the first answer is repeated, the stack is not asked again: per "path", per "client" and path, per client, path and "form"
	CacheMS  int       `toml:"cache_ms"`  // for so long; 0: for ever
	SendPath []Replace `toml:"send_path"` // path and query are changed
	SendForm []Replace `toml:"send_form"` // the body is changed
	SendHead []Header  `toml:"send_head"` // the head is changed

	// What is done to the answer.
	DelayMS  int       `toml:"delay_ms"`  // it waits
	Stranger bool      `toml:"stranger"`  // it becomes the latest answer that another client got to this path
	AsStatus int       `toml:"as_status"` // its status
	Replace  []Replace `toml:"replace"`   // its body is changed
	Head     []Header  `toml:"head"`      // its head is changed
	Reverse  bool      `toml:"reverse"`   // lists in its JSON are turned round
	Gzip     bool      `toml:"gzip"`      // its body is compressed if the client takes that
	Deliver  string    `toml:"deliver"`   // how it goes over the wire; see deliveries
	Raw      string    `toml:"raw"`       // these very bytes instead of it, then close
}

// Replace changes a text wherever the expression matches. {host} stands for the
// host and port that the client asked.
type Replace struct {
	Match string `toml:"match"`
	With  string `toml:"with"` // $1 stands for the first group
}

// Header changes a field of a head: its value where the expression matches or,
// without an expression, all of it; an empty value then removes the field.
type Header struct {
	Name  string `toml:"name"`
	Match string `toml:"match"`
	To    string `toml:"to"` // as Replace.With
}

// tamper is a Tamper at work.
type tamper struct {
	Tamper
	path, client, form, location, body *regexp.Regexp
	replace, sendPath, sendForm        []substitution
	head, sendHead                     []fieldChange

	mu      sync.Mutex // guards what takes counts
	dice    *rand.Rand
	matched int
	taken   int
}

type substitution struct {
	match *regexp.Regexp
	with  string
}

type fieldChange struct {
	name  string
	match *regexp.Regexp // nil: the whole field
	to    string
}

// compile checks a Tamper and prepares it. The seed makes Share repeatable.
func compile(t Tamper, seed uint64) (*tamper, error) {
	c := &tamper{Tamper: t, dice: rand.New(rand.NewPCG(seed, 0))}
	var err error
	expression := func(key, text string) *regexp.Regexp {
		if text == "" {
			return nil
		}
		re, bad := regexp.Compile(text)
		if bad != nil && err == nil {
			err = fmt.Errorf("%s: %w", key, bad)
		}
		return re
	}
	texts := func(key string, list []Replace) (out []substitution) {
		for _, r := range list {
			if r.Match == "" && err == nil {
				err = fmt.Errorf("%s: a replacement that says not of what", key)
			}
			out = append(out, substitution{expression(key, r.Match), r.With})
		}
		return out
	}
	fields := func(key string, list []Header) (out []fieldChange) {
		for _, h := range list {
			if h.Name == "" && err == nil {
				err = fmt.Errorf("%s: a field without a name", key)
			}
			out = append(out, fieldChange{http.CanonicalHeaderKey(h.Name), expression(key, h.Match), h.To})
		}
		return out
	}
	c.path, c.client, c.form = expression("path", t.Path), expression("client", t.Client), expression("form", t.Form)
	c.location, c.body = expression("location", t.Location), expression("body", t.Body)
	c.replace, c.sendPath, c.sendForm = texts("replace", t.Replace), texts("send_path", t.SendPath), texts("send_form", t.SendForm)
	c.head, c.sendHead = fields("head", t.Head), fields("send_head", t.SendHead)
	if err != nil {
		return nil, err
	}
	for _, v := range []struct {
		key, value string
		allowed    []string
	}{
		{"drop", t.Drop, []string{"before", "after"}},
		{"cache", t.Cache, []string{"path", "client", "form"}},
		{"deliver", t.Deliver, deliveries},
	} {
		if v.value != "" && !slices.Contains(v.allowed, v.value) {
			return nil, fmt.Errorf("%s = %q: expected one of %s", v.key, v.value, strings.Join(v.allowed, ", "))
		}
	}
	switch {
	case t.Skip < 0 || t.Limit < 0 || t.DelayMS < 0 || t.CacheMS < 0:
		return nil, fmt.Errorf("a number is negative")
	case t.Share < 0 || t.Share > 1:
		return nil, fmt.Errorf("share = %v: expected 0 to 1", t.Share)
	case t.AsStatus != 0 && (t.AsStatus < 200 || t.AsStatus > 599):
		return nil, fmt.Errorf("as_status = %d: expected 200 to 599", t.AsStatus)
	case c.waitsForAnswer() && c.touchesRequest():
		return nil, fmt.Errorf("what is done to the request cannot depend on status, location or body of the answer")
	case !c.touchesRequest() && !c.touchesAnswer():
		return nil, fmt.Errorf("it does nothing")
	}
	return c, nil
}

// touchesRequest tells whether anything happens before there is an answer.
func (t *tamper) touchesRequest() bool {
	return t.Refuse || t.Drop != "" || t.Twice || t.Cache != "" ||
		len(t.SendPath)+len(t.SendForm)+len(t.SendHead) > 0
}

func (t *tamper) touchesAnswer() bool {
	return t.DelayMS > 0 || t.Stranger || t.AsStatus != 0 || len(t.Replace)+len(t.Head) > 0 ||
		t.Reverse || t.Gzip || t.Deliver != "" || t.Raw != ""
}

// waitsForAnswer tells whether any condition is on the answer.
func (t *tamper) waitsForAnswer() bool { return t.Status != 0 || t.location != nil || t.body != nil }

// wantsRequest tells whether the conditions on the request hold.
func (t *tamper) wantsRequest(r *http.Request, form []byte) bool {
	return (t.Method == "" || t.Method == r.Method) &&
		(t.path == nil || t.path.MatchString(r.URL.RequestURI())) &&
		(t.client == nil || t.client.MatchString(r.Header.Get("X-Forwarded-For"))) &&
		(t.form == nil || t.form.Match(form))
}

// wantsAnswer tells whether the conditions on the answer hold.
func (t *tamper) wantsAnswer(a *answer) bool {
	return (t.Status == 0 || t.Status == a.status) &&
		(t.location == nil || t.location.MatchString(a.head.Get("Location"))) &&
		(t.body == nil || t.body.Match(a.body))
}

// takes counts an exchange that matched and tells whether this one is taken.
func (t *tamper) takes() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.matched++
	switch {
	case t.matched <= t.Skip, t.Limit > 0 && t.taken >= t.Limit, t.Share > 0 && t.dice.Float64() >= t.Share:
		return false
	}
	t.taken++
	return true
}

// substitute changes a text. host takes the place of {host}.
func substitute(text []byte, changes []substitution, host string) []byte {
	for _, s := range changes {
		text = s.match.ReplaceAll(text, []byte(placed(s.with, host)))
	}
	return text
}

// changeFields changes fields of a head.
func changeFields(head http.Header, changes []fieldChange, host string) {
	for _, c := range changes {
		to := placed(c.to, host)
		switch {
		case c.match != nil:
			values := slices.Clone(head[c.name])
			for i, v := range values {
				values[i] = c.match.ReplaceAllString(v, to)
			}
			head[c.name] = values
		case to == "":
			delete(head, c.name)
		default:
			head[c.name] = []string{to}
		}
	}
}

func placed(text, host string) string { return strings.ReplaceAll(text, "{host}", host) }
