package bench_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"hotseat"
	"hotseat/bench"
	"hotseat/bench/check"
)

// A benchmark of a guest book: its front page shows the number of entries, and
// an entry once sent must be there at the end.
func guestbook() bench.Contest {
	const (
		page  = "guestbook.page"
		count = "guestbook.count"
	)
	front := check.HTML("front page").
		Rule(count).Exists("#count").
		CaptureText("entries", "#count")
	return bench.Contest{
		Name: "guestbook",
		Rules: []hotseat.Rule{
			{ID: page, Class: hotseat.ClassStatus, Text: "The front page and the form answer."},
			{ID: count, Class: hotseat.ClassContent, Text: "The front page shows how many entries there are."},
		},
		Tags:  []string{"view", "entry"},
		Drain: time.Second,
		Populations: func(*bench.Run) []bench.Population {
			return []bench.Population{bench.Closed("visitor", func(u *bench.User) bench.Iteration {
				u.SetHeader("User-Agent", "guestbook-benchmark")
				return func() error {
					p := u.Get("/").Point("view").Expect(bench.Status(page, 200), bench.Body(count, front))
					if !p.OK() {
						return p.Err()
					}
					p = u.PostForm("/entries", "name", fmt.Sprint("visitor ", u.ID)).Point("entry").
						Expect(bench.Status(page, 302, 303), bench.Header(page, "Location", "/"))
					return p.Err()
				}
			}).Start(2)}
		},
		Score: func(_ *bench.Run, t *bench.Tally) bench.Score {
			return bench.Score{Raw: t.Points("view") + 5*t.Points("entry")}
		},
	}
}

func Example() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!DOCTYPE html><title>Guests</title><p id="count">7</p>`)
	})
	mux.HandleFunc("POST /entries", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/", http.StatusSeeOther)
	})
	server := httptest.NewServer(mux)
	defer server.Close()

	// A program would just call bench.Main(guestbook()).
	contest := guestbook()
	var events bytes.Buffer
	status := contest.Run(context.Background(), []string{"--target", server.URL, "--duration", "300ms"}, nil, &events, os.Stderr)

	lines := bytes.Split(bytes.TrimSpace(events.Bytes()), []byte("\n"))
	var last hotseat.Event
	if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(status, last.Verdict, *last.VerdictEvent.Score > 0)
	// Output: 0 pass true
}
