package check_test

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"hotseat/bench/check"
)

// onlyReference stands for a scanner that is wrong: it accepts a value from the reference parser and from nobody
// else.
var onlyReference = check.Func("what the reference sees", func(string) bool {
	stack := make([]byte, 4096)
	return strings.Contains(string(stack[:runtime.Stack(stack, false)]), "checkTree")
})

// Where scanner and reference differ, the reference decides, it is said once, and the scanner is not used again.
func TestReferenceDecides(t *testing.T) {
	html := check.HTML("page").TextMatch("p", onlyReference)
	json := check.JSON("doc").String("a", onlyReference)
	for _, c := range []struct {
		name string
		v    interface {
			check.Checker
			TreeOnly() bool
		}
		body string
	}{
		{"html", html, "<p>x"},
		{"json", json, `{"a": "1"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told atomic.Int32
			in := func() *check.Input {
				return &check.Input{Body: []byte(c.body), OnDisagree: func(d check.Disagreement) {
					told.Add(1)
					if d.Check != c.v.Name() || d.Reference != nil || d.Scanner == nil || string(d.Body) != c.body {
						t.Errorf("%+v", d)
					}
				}}
			}
			if m := c.v.Check(in()); m == nil {
				t.Fatal("the scanner is not broken")
			}
			var busy sync.WaitGroup
			for range 8 {
				busy.Go(func() {
					if m := c.v.Verify(in()); m != nil {
						t.Error("verify:", m)
					}
				})
			}
			busy.Wait()
			if told.Load() != 1 {
				t.Errorf("told %d times", told.Load())
			}
			if m := c.v.Check(in()); m != nil || !c.v.TreeOnly() {
				t.Error("the scanner is still used:", m)
			}
		})
	}
}

func TestDocumentTooDeepForAnyone(t *testing.T) {
	body := make([]byte, 0, 5*600)
	for range 600 {
		body = append(body, "<div>"...)
	}
	m := check.HTML("p").Exists("div").Check(&check.Input{Body: body})
	if m == nil || m.Hint == "" {
		t.Errorf("mismatch %+v", m)
	}
}
