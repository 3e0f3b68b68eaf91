package nttscenario

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hotseat"
)

// limited is a service behind a proxy that lets only small bodies pass.
type limited struct {
	*service
	most int64
}

func (l *limited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength > l.most {
		http.Error(w, "<html>Request Entity Too Large</html>", http.StatusRequestEntityTooLarge)
		_, _ = io.Copy(io.Discard, r.Body) // as nginx does, so that the client sees the answer
		return
	}
	l.service.ServeHTTP(w, r)
}

// A proxy's limit on bodies, the trap of who leaves nginx as it is installed, is
// named in the first line.
func TestBodyLimitIsNamed(t *testing.T) {
	t.Parallel()
	o := execute(t.Context(), t, &limited{newService(testSeed(t)), 1 << 20}, "--duration", verifyOnly)
	if o.Verdict.Verdict != hotseat.Fail || !strings.Contains(o.Verdict.Reason, "refused with 413") {
		t.Errorf("%v", o)
	}
	if len(o.Failures) == 0 || !strings.Contains(o.Failures[0].Hint, "client_max_body_size") {
		t.Errorf("no hint: %v", o)
	}
}

// hasty is a service behind a proxy. It refuses without having read the body and closes the
// connection, so that the proxy, which was still sending, shows an error of its own.
type hasty struct{ *service }

func (h *hasty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const sentAtOnce = 1 << 10 // with the head; the pictures of the small data are small, too
	answer := httptest.NewRecorder()
	h.service.ServeHTTP(answer, r)
	if answer.Code >= http.StatusBadRequest && r.ContentLength > sentAtOnce {
		http.Error(w, "<html>Bad Gateway</html>", http.StatusBadGateway)
		return
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = answer.Body.WriteTo(w)
}

// An app that refuses before it has read all is not to blame.
func TestRefusedBodiesAreSmall(t *testing.T) {
	t.Parallel()
	o := execute(t.Context(), t, &hasty{newService(testSeed(t))}, "--duration", verifyOnly)
	if o.Verdict.Verdict != hotseat.Pass || len(o.Failures) > 0 {
		t.Errorf("%v", o)
	}
}

// Under rules=original nothing is verified: whatever would have been found passes.
func TestOriginalSkipsVerification(t *testing.T) {
	t.Parallel()
	o := execute(t.Context(), t, newService(testSeed(t), "POST /api/events slot-taken 400"), "--duration", verifyOnly, "--param", "rules=original")
	if o.Verdict.Verdict != hotseat.Pass || len(o.Failures) > 0 {
		t.Errorf("%v", o)
	}
}

func TestDifference(t *testing.T) {
	for name, c := range map[string]struct {
		want, got     any
		wanted, shown string
	}{
		"the same":            {userData{1, "a", "b"}, userData{1, "a", "b"}, "", ""},
		"one member":          {userData{1, "a", "b"}, userData{1, "a", "c"}, `{"role":"b"}`, `{"role":"c"}`},
		"numbers":             {1, 2, "1", "2"},
		"nothing and nothing": {[]int64{}, []int64(nil), "", ""},
		"one less":            {[]int64{1, 2}, []int64{1}, "2 items", "1 item"},
		"another item":        {[]int64{1, 2}, []int64{1, 3}, "2 items, number 2 with 2", "2 items, number 2 with 3"},
		"a member of an item": {[]userData{{1, "a", "b"}}, []userData{{2, "a", "b"}}, `1 item, number 1 with {"user_id":1}`, `1 item, number 1 with {"user_id":2}`},
		"large numbers":       {int64(1) << 60, int64(1)<<60 + 1, "1152921504606846976", "1152921504606846977"},
		"a list and null":     {[]int64{1}, []int64(nil), "[1]", "null"},
	} {
		t.Run(name, func(t *testing.T) {
			wanted, shown := difference(plainly(c.want), plainly(c.got))
			if diff := cmp.Diff([]string{c.wanted, c.shown}, []string{wanted, shown}); diff != "" {
				t.Error(diff)
			}
		})
	}
}
