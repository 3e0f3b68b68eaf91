package isucon1scenario

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func dice() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func TestTexts(t *testing.T) {
	d := dice()
	empty, edges, ampersands := 0, 0, 0
	for range 4000 {
		if body := newBody(d, bodySize, true); strings.HasSuffix(body, "\n") || len([]rune(body)) != bodySize {
			t.Fatalf("%d symbols, ending in %q", len([]rune(body)), body[len(body)-1:])
		}
		title := newTitle(d, true)
		if strings.Contains(title, "\n") || len([]rune(title)) != titleSize {
			t.Fatalf("title %q", title)
		}
		ampersands += strings.Count(title, "&か")
		if title = newTitle(d, false); strings.ContainsAny(title, "\n&") || len([]rune(title)) > titleSize {
			t.Fatalf("title %q", title)
		}
		switch name := newName(d, true); {
		case name == "":
			empty++
		case strings.TrimSpace(name) == "", len([]rune(name)) != nameSize:
			if strings.TrimSpace(name) != "" {
				t.Fatalf("name %q", name)
			}
		case strings.TrimSpace(name) != name:
			edges++
		}
	}
	if empty < 1800 || empty > 2200 || edges < 450 || edges > 750 || ampersands != 4000 {
		t.Errorf("of 4000 names %d are empty and %d have a newline at an end; %d titles have their ampersand", empty, edges, ampersands)
	}
}

// The list of §8.3.
func TestList(t *testing.T) {
	w := &world{strict: true, main: &article{id: 5001}, newest: 5000, truth: &truth{}}
	for _, path := range officialStatics {
		w.truth.statics = append(w.truth.statics, static{path: path})
	}
	w.makeList(dice())
	lines := map[string]int{}
	for _, u := range w.urls {
		lines[u.path]++
	}
	if len(w.urls) != 220 || lines["/"] != 20 || lines["/article/5001"] < 30 || lines["/js/isucon.js"] != 20 || lines["/css/isucon.css"] != 20 {
		t.Errorf("%d lines: %v", len(w.urls), lines)
	}
	if n := len(w.loaded); n < 45 || n > 51 || w.loaded[0] != 5001 {
		t.Errorf("%d articles: %v", n, w.loaded)
	}
}

// Articles between the largest id before the run and the main one do not exist.
func TestDrawArticle(t *testing.T) {
	w := &world{main: &article{id: 5}, newest: 2}
	d := dice()
	for range 100 {
		if id := w.drawArticle(d); id != 1 && id != 2 && id != 5 {
			t.Fatal(id)
		}
	}
}

// at makes a comment that was accepted, seconds after a moment.
func at(zero time.Time, article int, second float64) *comment {
	sent := zero.Add(time.Duration(second * float64(time.Second)))
	return &comment{article: article, sent: sent, done: sent.Add(10 * time.Millisecond), settled: true}
}

func TestDue(t *testing.T) {
	zero := time.Now()
	second := func(s float64) time.Time { return zero.Add(time.Duration(s * float64(time.Second))) }
	lost := &comment{article: 3, sent: second(0)}
	crowd := func(n int, s float64) (list []*comment) {
		for i := range n {
			list = append(list, at(zero, 100+i, s))
		}
		return list
	}
	for _, test := range []struct {
		name  string
		posts []*comment
		sent  float64
		want  []int
	}{
		{"a second ago", []*comment{at(zero, 1, 0)}, 1.1, []int{1}},
		{"less than a second ago", []*comment{at(zero, 1, 0)}, 1, nil},
		{"again just now", []*comment{at(zero, 1, 0), at(zero, 1, 1)}, 1.1, []int{1}},
		{"the last first", []*comment{at(zero, 1, 0), at(zero, 2, 2), at(zero, 1, 4)}, 6, []int{1, 2}},
		{"lost", []*comment{lost}, 60, nil},
		{"nine others since", append([]*comment{at(zero, 1, 0)}, crowd(9, 2)...), 2.5, []int{1}},
		{"ten others since", append([]*comment{at(zero, 1, 0)}, crowd(10, 2)...), 2.5, nil},
		{"ten others, one in the same second", append(append([]*comment{at(zero, 1, 1)}, crowd(9, 2.2)...), at(zero, 2, 0.2)), 2.5, nil},
		{"ten others, one long before", append(append([]*comment{at(zero, 1, 2)}, crowd(9, 3)...), at(zero, 2, 0.2)), 3.5, []int{1, 2}[:1]},
		{"ten others, one of which may come whenever it likes", append(append([]*comment{at(zero, 1, 2)}, crowd(9, 3)...), lost), 3.5, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &world{posts: test.posts, within: within}
			var got []int
			for _, c := range w.due(second(test.sent), second(test.sent+0.1)) {
				got = append(got, c.article)
			}
			slices.Sort(got)
			if !slices.Equal(got, test.want) {
				t.Errorf("due: %v, want %v", got, test.want)
			}
		})
	}
}

func TestHostWithoutPort(t *testing.T) {
	for target, want := range map[string]string{
		"http://127.0.0.1:8080": "127.0.0.1", "http://127.0.0.1:8080/": "127.0.0.1", "http://[::1]:80": "[::1]",
		"http://blog.example": "", "unix:/run/blog.sock": "",
	} {
		if got := hostWithoutPort(target); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
}
