package stack

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	long := strings.Repeat(strings.Repeat("x", 99)+"\n", 20000) // 2 MB
	for name, c := range map[string]struct {
		text string
		from int64
		n    int
		want []string
	}{
		"empty":       {"", 0, 5, nil},
		"short":       {"a\nb\n", 0, 5, []string{"a", "b"}},
		"last":        {"a\nb\nc\n", 0, 2, []string{"b", "c"}},
		"incomplete":  {"a\nb", 0, 1, []string{"b"}},
		"this start":  {"old\nnew\n", 4, 5, []string{"new"}},
		"nothing new": {"old\n", 4, 5, nil},
		"cut since":   {"new\n", 100, 5, []string{"new"}},
		"long":        {long + "end\n", 0, 2, []string{strings.Repeat("x", 99), "end"}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if got, err := tail(path, c.from, c.n); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	if got, err := tail(path+"none", 0, 5); err != nil || got != nil {
		t.Errorf("no file: %q, %v", got, err)
	}
}

func TestCutLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	w, _, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	write := func(text string) {
		t.Helper()
		if _, err := w.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	write(strings.Repeat("old\n", 10))
	if err := cutLog(path, 100, 8); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || len(b) != 40 {
		t.Errorf("a small log was cut to %d bytes, %v", len(b), err)
	}
	if err := cutLog(path, 20, 8); err != nil {
		t.Fatal(err)
	}
	write("new\n")
	for name, want := range map[string]string{path: "new\n", path + ".1": "old\nold\n"} {
		if b, err := os.ReadFile(name); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}

func TestEventLog(t *testing.T) {
	l := newEventLog()
	for range keptEvents + 10 {
		l.add(Event{})
	}
	events, _, _ := l.after(0)
	if len(events) != keptEvents || events[0].Seq != 11 {
		t.Errorf("%d events from %d", len(events), events[0].Seq)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var got []uint64
	go func() {
		l.add(Event{Message: "live"})
		l.close()
	}()
	err := l.follow(ctx, keptEvents+9, func(e Event) error {
		got = append(got, e.Seq)
		return nil
	})
	if err != nil || !slices.Equal(got, []uint64{keptEvents + 10, keptEvents + 11}) {
		t.Errorf("followed %v, %v", got, err)
	}
	boom := errors.New("boom")
	if err := l.follow(ctx, 0, func(Event) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("error %v", err)
	}
}
