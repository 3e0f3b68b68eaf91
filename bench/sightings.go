package bench

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"
	"weak"

	"github.com/zeebo/xxh3"
)

// sightings is what all users together have seen of the target's validators:
// the facts that 304s and ETags are held against. The zero value is ready.
type sightings struct {
	mu       sync.Mutex
	variants map[variant]*seenOf
	codings  map[string]map[string]string // by path and Accept-Encoding: Content-Encoding
	facts    int                          // kept in all of these; at most maxFacts
	bodies   map[xxh3.Uint128]weak.Pointer[keptBody]
}

// maxFacts bounds the memory: about 200 bytes each.
const maxFacts = 1 << 16

// variant is a URL as it is answered to one Accept-Encoding.
type variant struct{ path, accept string }

// seenOf is what is known of a variant.
type seenOf struct {
	strong map[string]xxh3.Uint128 // by strong ETag
	bodies map[xxh3.Uint128]*sighting
	newest struct { // by when its request was sent
		digest     xxh3.Uint128
		sent, done time.Time
	}
}

// sighting is what is known of one body of a variant.
type sighting struct {
	etag  string    // the first
	begun uint64    // the largest number of changes that it may show
	done  time.Time // when it had come the last time
}

// sight is a 200.
type sight struct {
	variant
	held       *held
	coding     string
	stable     bool
	sent, done time.Time
}

func (s *Step) variant() variant { return variant{s.req.Path, s.asked("Accept-Encoding")} }

// sight describes the step's answer.
func (s *Step) sight(h *held) sight {
	p := &s.page
	coding, _ := p.resp.Get("Content-Encoding")
	return sight{variant: s.variant(), held: h, coding: strings.ToLower(string(coding)), stable: s.caching.stableETags, sent: p.sentAt, done: p.doneAt}
}

// observe takes in an answer and says what is wrong with it.
func (k *sightings) observe(s sight) *Mismatch {
	k.mu.Lock()
	defer k.mu.Unlock()
	v := k.variants[s.variant]
	if v == nil {
		if !k.room() {
			return nil
		}
		if v = new(seenOf); k.variants == nil {
			k.variants = map[variant]*seenOf{}
		}
		v.strong, v.bodies = map[string]xxh3.Uint128{}, map[xxh3.Uint128]*sighting{}
		k.variants[s.variant] = v
	}
	var changed *Mismatch
	known := v.bodies[s.held.digest]
	switch {
	case known != nil:
		known.begun = max(known.begun, s.held.begun)
		if s.done.After(known.done) {
			known.done = s.done
		}
		if known.etag == "" {
			known.etag = s.held.etag
		}
		changed = known.changed(&s)
	case k.room():
		v.bodies[s.held.digest] = &sighting{etag: s.held.etag, begun: s.held.begun, done: s.done}
	}
	if s.sent.After(v.newest.sent) {
		v.newest.digest, v.newest.sent, v.newest.done = s.held.digest, s.sent, s.done
	}
	if m := k.sameETag(v, &s); m != nil {
		return m
	}
	if m := k.wrongVary(&s); m != nil {
		return m
	}
	return changed
}

// room makes room for one more fact, if there is any.
func (k *sightings) room() bool {
	if k.facts >= maxFacts {
		return false
	}
	k.facts++
	return true
}

// changed says whether the same body had another ETag.
func (g *sighting) changed(s *sight) *Mismatch {
	if !s.stable || s.held.etag == "" || opaque(g.etag) == opaque(s.held.etag) {
		return nil
	}
	return &Mismatch{Code: CodeETagChangedSameBody, Expected: "ETag: " + g.etag, Actual: "ETag: " + s.held.etag,
		Message: "the same body came with another ETag before",
		Hint:    "do several servers make ETags of their own, from inode or time?"}
}

// sameETag says whether the strong ETag was on another body.
func (k *sightings) sameETag(v *seenOf, s *sight) *Mismatch {
	etag := s.held.etag
	if etag == "" || strings.HasPrefix(etag, "W/") {
		return nil
	}
	first, ok := v.strong[etag]
	if !ok {
		if k.room() {
			v.strong[etag] = s.held.digest
		}
		return nil
	}
	if first == s.held.digest {
		return nil
	}
	return &Mismatch{Code: CodeETagSameBodyChanged, Expected: fmt.Sprintf("ETag %s on the body with the digest %x and no other", etag, first.Bytes()),
		Actual:  fmt.Sprintf("the same ETag on a body of %d bytes with the digest %x", s.held.size, s.held.digest.Bytes()),
		Message: "a strong ETag is on two different bodies",
		Hint:    "make the ETag of all that the body is made of, or of the body itself"}
}

// wrongVary says whether the coding depends on Accept-Encoding in silence.
func (k *sightings) wrongVary(s *sight) *Mismatch {
	if k.codings == nil {
		k.codings = map[string]map[string]string{}
	}
	answers := k.codings[s.path]
	if _, ok := answers[s.accept]; !ok && !k.room() {
		return nil
	}
	if answers == nil {
		answers = map[string]string{}
		k.codings[s.path] = answers
	}
	answers[s.accept] = s.coding
	for name := range strings.SplitSeq(s.held.vary, ",") {
		if name = strings.TrimSpace(name); name == "*" || name == "accept-encoding" {
			return nil
		}
	}
	for accept, coding := range answers {
		if coding == s.coding {
			continue
		}
		return &Mismatch{Code: CodeWrongVary, Expected: "Vary: Accept-Encoding",
			Actual:  fmt.Sprintf("Vary: %s; Accept-Encoding %q gets Content-Encoding %q, and %q gets %q", s.held.vary, s.accept, s.coding, accept, coding),
			Message: "the coding depends on Accept-Encoding, and Vary does not say so: a cache would send it to browsers that cannot read it",
			Hint:    "nginx: gzip_vary on"}
	}
	return nil
}

// ask returns the largest number of changes that a body may show, and how long
// before the request was sent another body had been sent since its last time;
// 0 if none was.
func (k *sightings) ask(of variant, h *held, sent time.Time) (begun uint64, newer time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	begun = h.begun
	v := k.variants[of]
	if v == nil || v.bodies[h.digest] == nil {
		return begun, 0
	}
	known := v.bodies[h.digest]
	begun = max(begun, known.begun)
	if n := &v.newest; n.digest != h.digest && n.sent.After(known.done) {
		newer = max(sent.Sub(n.done), 0) // they may overlap
	}
	return begun, newer
}

// keptBody is a body that some browsers keep.
type keptBody struct{ bytes []byte }

// intern returns the body that all browsers share which keep the same one.
// The map does not keep it alive.
func (k *sightings) intern(digest xxh3.Uint128, body []byte) *keptBody {
	k.mu.Lock()
	defer k.mu.Unlock()
	if b := k.bodies[digest].Value(); b != nil {
		return b
	}
	if k.bodies == nil {
		k.bodies = map[xxh3.Uint128]weak.Pointer[keptBody]{}
	}
	b := &keptBody{bytes.Clone(body)}
	k.bodies[digest] = weak.Make(b)
	runtime.AddCleanup(b, k.forget, digest)
	return b
}

// forget is called when nobody keeps the body any more.
func (k *sightings) forget(digest xxh3.Uint128) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.bodies[digest].Value() == nil { // it may have come again
		delete(k.bodies, digest)
	}
}

// opaque is an ETag without the mark of weakness, for the weak comparison that
// If-None-Match is made by (RFC 9110 §8.8.3.2).
func opaque(etag string) string { return strings.TrimPrefix(etag, "W/") }
