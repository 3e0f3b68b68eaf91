package runner

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"hotseat"
)

// A disk that fills up under a run gives one clear error, and ends the benchmark.
func TestDiskFullUnderARun(t *testing.T) {
	f, err := newFolder(t.TempDir(), time.Now(), &hotseat.Result{})
	if err != nil {
		t.Fatal(err)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.events.Close()
	f.events = full
	s := newSession(&Runner{}, Options{}, nil, f)
	s.log = full
	line := []byte(`{"event":"log","at_s":1,"audience":"team","message":"hello"}`)
	if err := s.line(line); err == nil {
		t.Fatal("an event was lost in silence")
	}
	err = s.conclude(s.ended(), &hotseat.Result{})
	if hotseat.CodeOf(err) != hotseat.CodeUnavailable || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("got %v", err)
	}
}

func TestReadLines(t *testing.T) {
	long := strings.Repeat("x", maxLine+2)
	var got []string
	err := readLines(strings.NewReader("one\n"+long+"\ntwo\r\nlast without end"), func(line []byte) error {
		got = append(got, string(line))
		return nil
	})
	if err != nil || strings.Join(got, "|") != "one|two|last without end" {
		t.Errorf("got %q, %v", got, err)
	}
	stop := errors.New("stop")
	if err := readLines(strings.NewReader("a\nb\n"), func([]byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

func TestShellJoin(t *testing.T) {
	if got := shellJoin([]string{"./init.sh", "it's", "", "a b", "$HOME"}); got != `./init.sh 'it'\''s' '' 'a b' '$HOME'` {
		t.Errorf("got %s", got)
	}
}

func TestLastLines(t *testing.T) {
	file := t.TempDir() + "/x.log"
	if err := os.WriteFile(file, bytes.Repeat([]byte("line\n"), 5000), 0o644); err != nil {
		t.Fatal(err)
	}
	if lines, end, err := lastLines(file, 3); err != nil || len(lines) != 3 || end != 25000 {
		t.Errorf("got %q, %d, %v", lines, end, err)
	}
	if lines, _, err := linesFrom(file, 24995); err != nil || len(lines) != 1 {
		t.Errorf("got %q, %v", lines, err)
	}
}
