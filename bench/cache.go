package bench

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"hotseat/bench/wire"
)

// Codes of the failures that [Step.Cached] finds.
const (
	// Code304Unsolicited is a 304 to a request without a validator.
	Code304Unsolicited = "304-unsolicited"
	// Code304Stale is a 304 that confirms what is known to be out of date.
	Code304Stale = "304-stale"
	// CodeETagSameBodyChanged is one strong ETag on two bodies of one URL.
	CodeETagSameBodyChanged = "etag-same-body-changed"
	// CodeETagChangedSameBody is one body under two ETags; see [Cache.StableETags].
	CodeETagChangedSameBody = "etag-changed-same-body"
	// CodeWrongVary is an answer whose coding depends on Accept-Encoding and
	// that does not say so.
	CodeWrongVary = "wrong-vary"
)

// Cache says how steps use the cache of the user's browser, and which truths
// about it the target owes. Make it once, outside the iteration, and give it to
// [Step.Cached].
//
// Whatever else it says, the target fails the rule with
//
//   - a 304 to a request that asked for no such thing, or one whose own ETag or
//     Last-Modified contradicts what it confirms (RFC 9110 §13.1, §15.4.5);
//   - a strong ETag that comes with two different bodies of one URL, no matter
//     which users got them (RFC 9110 §8.8.1). Bodies are compared decoded, so
//     that one ETag for several codings is accepted, as common as it is wrong;
//   - an answer without "Vary: Accept-Encoding" (or *) although the same URL was
//     answered in another coding to another Accept-Encoding (RFC 9110 §12.5.5).
//     Only scenarios that send different ones can find that; of nginx's own
//     settings it takes gzip_vary.
//
// What depends on what the answer means has to be asked for: see [Cache.State],
// [Cache.Shared] and [Cache.StableETags]. The engine remembers the validators
// of up to 65,536 different answers.
type Cache struct {
	rule           string
	stableETags    bool
	shared         bool
	reuseFresh     bool
	settled, begun func() uint64
}

// Caching makes a Cache under the rule that its truths belong to. The rule's
// class should be cache, and since no server has to send validators, the rule
// Conditional.
func Caching(rule string) Cache { return Cache{rule: rule} }

// State tells which changes of the expected world answers must show, so that a
// 304 which confirms a body from before is found: 304-stale.
//
// Count the changes that show in this answer and make it one that never was
// before. Settled returns how many are known to be done, and is called before
// the request is sent; begun returns how many may be, and is called when the
// answer has come. A write goes up in begun before it is sent, and in settled
// when its success is known; one whose answer was lost stays in begun alone.
// Both may be called by all users at once.
func (c Cache) State(settled, begun func() uint64) Cache {
	c.settled, c.begun = settled, begun
	return c
}

// AtVersion is [Cache.State] for answers that nobody changes while the user
// asks, such as what is its own: settled and begun are both this number.
func (c Cache) AtVersion(version uint64) Cache {
	same := func() uint64 { return version }
	return c.State(same, same)
}

// Shared says that all users who send the same Accept-Encoding are shown the
// same, and never again what was shown before. Then a 304 for a body is 304-stale
// as soon as anybody was sent another body, by a request that began after the
// last time that anybody was sent this one.
func (c Cache) Shared() Cache {
	c.shared = true
	return c
}

// StableETags makes it a failure, etag-changed-same-body, if the same body
// comes with another ETag later in the run, as from several servers that each
// make ETags of their own. RFC 9110 allows it; it only defeats caches.
func (c Cache) StableETags() Cache {
	c.stableETags = true
	return c
}

// ReuseFresh makes the browser show what it has without asking, for as long as
// Cache-Control: max-age allows (RFC 9111 §4.2). Such a page is checked like any
// other, but nothing was sent: it counts as no request, earns no points, and
// [Page.Sent] is false. Without ReuseFresh every step asks, as a browser does
// when its user reloads a page.
func (c Cache) ReuseFresh() Cache {
	c.reuseFresh = true
	return c
}

// Cached makes the step one of a browser with a cache. If the user was given
// validators for this URL by an earlier Cached step, the request carries them:
// If-None-Match, If-Modified-Since, or both. When a 304 confirms that what the
// user has is still good, and nothing speaks against it, the page shows that:
// status 200, the body, and the header with what the 304 updated, so that all
// checks go on. It is for GET requests without [Step.Follow]. What a
// browser must not keep (no-store, "Vary: *") is not kept, nor more than the last
// 256 URLs.
func (s *Step) Cached(c Cache) *Step {
	s.caching = c
	return s
}

// ResetCache forgets all that the browser has kept, as a new browser.
func (u *User) ResetCache() { u.kept = kept{} }

// NotModified reports whether a 304 confirmed the page that the user had.
func (p *Page) NotModified() bool { return p.shown != nil && p.resp.Status != 0 }

// FromCache reports whether the page was shown without asking; see [Cache.ReuseFresh].
func (p *Page) FromCache() bool { return p.shown != nil && p.resp.Status == 0 }

// consult looks into the browser's cache before the step is sent.
func (s *Step) consult() {
	if s.req.Method != "GET" || s.follow {
		panic(authorError("Cached is for GET without Follow"))
	}
	for _, f := range s.req.Header {
		if lower := strings.ToLower(f.Name); strings.HasPrefix(lower, "if-") || lower == "range" {
			panic(authorError("a step with the header " + f.Name + " cannot be Cached: it sends validators by itself"))
		}
	}
	if s.caching.settled != nil {
		s.settled = s.caching.settled()
	}
	h := s.user.kept.pages[s.req.Path]
	if h == nil || h.selecting != s.selecting(h.vary) {
		return
	}
	s.held = h
	s.fresh = s.caching.reuseFresh && time.Now().Before(h.freshUntil)
	if s.fresh {
		return
	}
	if h.etag == "" && h.modified == "" {
		s.held = nil
	}
	s.req.Header = setField(s.req.Header, "If-None-Match", h.etag)
	s.req.Header = setField(s.req.Header, "If-Modified-Since", h.modified)
}

// compare takes in the answer to a Cached step: it records what is wrong with
// it as far as caches go, and keeps what a browser would keep.
func (s *Step) compare() error {
	u, p := s.user, &s.page
	r := u.Run.rule(s.caching.rule)
	var m *Mismatch
	switch p.resp.Status {
	case 304:
		if m = s.confirmed(); r.off {
			m = nil
		} else {
			u.exercised[r.index]++
		}
		if m == nil && s.held != nil {
			p.shown = s.held
			if freshFor, said := p.freshFor(); said { // otherwise what the 200 said goes on
				s.held.freshFor = freshFor
			}
			s.held.freshUntil = p.sentAt.Add(s.held.freshFor)
		}
	case 200:
		h := s.hold()
		if !r.off {
			m = u.Run.seen.observe(s.sight(h))
			if m != nil || h.etag != "" || h.modified != "" {
				u.exercised[r.index]++
			}
		}
		u.kept.put(s.req.Path, s.keepable(h))
	}
	if m == nil {
		return nil
	}
	return u.record(r.Class, r, m, s, "")
}

// confirmed says what is wrong with a 304.
func (s *Step) confirmed() *Mismatch {
	p, h := &s.page, s.held
	if h == nil {
		return &Mismatch{Code: Code304Unsolicited, Expected: "the whole answer: the request named nothing that the browser has",
			Actual: "status 304", Message: "a 304 that was not asked for: the browser has nothing to show",
			Hint: "answer 304 only to requests with If-None-Match or If-Modified-Since"}
	}
	stale := func(format string, args ...any) *Mismatch {
		return &Mismatch{Code: Code304Stale, Expected: "the new answer in full", Actual: "status 304 for " + h.name(),
			Message: "304 for what is out of date: " + fmt.Sprintf(format, args...),
			Hint:    "look at what ETag and Last-Modified are made of, and at caches that are not told of a change"}
	}
	if etag := p.validator("ETag"); h.etag != "" && etag != "" && opaque(etag) != opaque(h.etag) {
		return stale("it names %s itself", etag)
	}
	if h.etag == "" {
		had, errHad := time.Parse(timeFormat, h.modified)
		now, errNow := time.Parse(timeFormat, p.validator("Last-Modified"))
		if errHad == nil && errNow == nil && now.After(had) {
			return stale("it names %s itself", now.Format(timeFormat))
		}
	}
	shown := h.begun
	if s.caching.shared {
		var newer time.Duration
		if shown, newer = s.user.Run.seen.ask(s.variant(), h, p.sentAt); newer > 0 {
			return stale("another body was sent %s before it was asked for", newer.Round(time.Millisecond))
		}
	}
	if s.caching.settled != nil && shown < s.settled {
		return stale("it shows change %d at most, and change %d was known to be done", shown, s.settled)
	}
	return nil
}

// timeFormat is the one of Last-Modified, RFC 9110 §5.6.7.
const timeFormat = "Mon, 02 Jan 2006 15:04:05 GMT"

// hold makes what there is to know of a 200.
func (s *Step) hold() *held {
	p := &s.page
	h := &held{digest: xxh3.Hash128(p.resp.Body), size: len(p.resp.Body), etag: p.validator("ETag"), modified: p.validator("Last-Modified")}
	h.freshFor, _ = p.freshFor()
	h.freshUntil = p.sentAt.Add(h.freshFor)
	for value := range p.resp.Values("Vary") {
		h.vary = strings.Trim(h.vary+","+strings.ToLower(string(value)), ", ")
	}
	for name := range strings.SplitSeq(h.vary, ",") {
		if strings.TrimSpace(name) == "*" {
			h.vary = "*"
		}
	}
	h.selecting = s.selecting(h.vary)
	if s.caching.begun != nil {
		h.begun = s.caching.begun()
	}
	return h
}

// keepable adds what a browser has to show later, and returns nil for what it
// may not keep or could never use again.
func (s *Step) keepable(h *held) *held {
	p := &s.page
	if _, never := p.cacheControl("no-store"); never || h.vary == "*" || h.etag == "" && h.modified == "" && h.freshFor == 0 {
		return nil
	}
	for name, value := range p.resp.Fields() {
		h.header = append(h.header, wire.Field{Name: string(name), Value: string(value)})
	}
	h.body = s.user.Run.seen.intern(h.digest, p.resp.Body)
	return h
}

// selecting returns what the request says in the fields that Vary names.
func (s *Step) selecting(vary string) string {
	if vary == "" {
		return ""
	}
	var values strings.Builder
	for name := range strings.SplitSeq(vary, ",") {
		values.WriteString(s.asked(strings.TrimSpace(name)))
		values.WriteByte(0)
	}
	return values.String()
}

// asked returns the value of a header of the request.
func (s *Step) asked(name string) string {
	if strings.EqualFold(name, "Cookie") {
		return string(s.cookies)
	}
	for _, f := range s.req.Header {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	if strings.EqualFold(name, "Accept-Encoding") && s.req.Coding == wire.CodingUndone {
		return acceptEncoding
	}
	return ""
}

// validator returns the value of ETag or Last-Modified, "" if it cannot be sent back.
func (p *Page) validator(name string) string {
	const most = 1 << 10
	value, _ := p.resp.Get(name)
	for _, c := range value {
		if c < ' ' || c > '~' {
			return ""
		}
	}
	if len(value) > most {
		return ""
	}
	return string(value)
}

// cacheControl returns the argument of a directive, RFC 9111 §5.2.
func (p *Page) cacheControl(name string) (argument string, ok bool) {
	for value := range p.resp.Values("Cache-Control") {
		for d := range strings.SplitSeq(string(value), ",") {
			n, argument, _ := strings.Cut(d, "=")
			if strings.EqualFold(strings.TrimSpace(n), name) {
				return strings.Trim(argument, "\" \t"), true
			}
		}
	}
	return "", false
}

// freshFor returns how long after its request the answer may be shown without
// asking, and whether Cache-Control says anything at all.
func (p *Page) freshFor() (d time.Duration, said bool) {
	_, said = p.resp.Get("Cache-Control")
	text, ok := p.cacheControl("max-age")
	if _, never := p.cacheControl("no-cache"); never || !ok {
		return 0, said
	}
	seconds, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, said
	}
	age, _ := p.resp.Get("Age")
	old, _ := strconv.ParseUint(string(age), 10, 31) // none, or none that can be read: it is new
	return max(time.Duration(seconds)-time.Duration(old), 0) * time.Second, said
}

// kept is a browser's cache: the last pages with validators, by path.
type kept struct {
	pages map[string]*held
	order []string // of the paths, oldest first
}

// keptPages is how many URLs a browser remembers.
const keptPages = 256

// held is one page that a browser keeps.
type held struct {
	body           *keptBody
	digest         xxh3.Uint128
	header         []wire.Field
	size           int
	etag, modified string
	freshFor       time.Duration
	freshUntil     time.Time
	vary           string // field names, in lower case; "*" is not kept
	selecting      string // what the request said in these
	begun          uint64 // changes that it may show
}

// name says in a failure what was confirmed.
func (h *held) name() string {
	if h.etag != "" {
		return "ETag " + h.etag
	}
	return "Last-Modified: " + h.modified
}

// field returns the first value of a header that was kept.
func (h *held) field(name string) (string, bool) {
	for _, f := range h.header {
		if strings.EqualFold(f.Name, name) {
			return f.Value, true
		}
	}
	return "", false
}

// put keeps a page in place of the last one; nil keeps none.
func (k *kept) put(path string, h *held) {
	if h == nil {
		if k.pages[path] != nil {
			k.pages[path] = &held{} // it keeps its place in the order
		}
		return
	}
	if k.pages == nil {
		k.pages = map[string]*held{}
	}
	if k.pages[path] == nil {
		if len(k.order) >= keptPages {
			delete(k.pages, k.order[0])
			k.order = append(k.order[:0], k.order[1:]...)
		}
		k.order = append(k.order, path)
	}
	k.pages[path] = h
}
