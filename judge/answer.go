package judge

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// answer is what the stack said, or what the client is to believe.
type answer struct {
	status int
	head   http.Header
	body   []byte
	at     time.Time // when the stack had answered
}

func (a *answer) clone() *answer {
	return &answer{a.status, a.head.Clone(), slices.Clone(a.body), a.at}
}

// alter changes what stands in the answer, for the client that asked r.
func (a *answer) alter(t *tamper, r *http.Request) {
	if t.AsStatus != 0 {
		a.status = t.AsStatus
	}
	a.body = substitute(a.body, t.replace, r.Host)
	changeFields(a.head, t.head, r.Host)
	if t.Reverse {
		a.body = reverseLists(a.body)
	}
	if t.Gzip && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") && len(a.body) > 0 {
		a.head.Set("Content-Encoding", "gzip")
		a.body = compressed(a.body)
	}
}

func compressed(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body) // a buffer takes everything
	_ = z.Close()
	return b.Bytes()
}

// reverseLists turns every list in a JSON text round; what is no JSON stays as it is.
func reverseLists(body []byte) []byte {
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return body
	}
	reverse(v)
	out, err := json.Marshal(v)
	if err != nil {
		return body
	}
	return out
}

func reverse(v any) {
	switch v := v.(type) {
	case []any:
		slices.Reverse(v)
		for _, e := range v {
			reverse(e)
		}
	case map[string]any:
		for _, e := range v {
			reverse(e)
		}
	}
}
