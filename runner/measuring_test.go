package runner

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// A long run's log is digested as a whole, and the next run begins with none.
func TestMeasuredLogsAreKeptWhole(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "measured-access"), filepath.Join(t.TempDir(), AccessLogFile)
	text := bytes.Repeat([]byte("time:x\tmethod:GET\turi:/\n"), 3*maxLogKept/20)
	if err := os.WriteFile(from, text, 0o644); err != nil {
		t.Fatal(err)
	}
	m := &measuring{}
	m.keep(from, to)
	kept, err := os.ReadFile(to)
	if err != nil || !bytes.Equal(kept, text) || m.notes != nil {
		t.Errorf("kept %d of %d bytes, %v, notes %q", len(kept), len(text), err, m.notes)
	}
	if left, err := os.ReadFile(from); err != nil || len(left) != 0 {
		t.Errorf("%d bytes left, %v", len(left), err)
	}
	m.keep(from, to) // nothing was written: what is kept stays
	if again, err := os.ReadFile(to); err != nil || !bytes.Equal(again, text) {
		t.Errorf("an empty log replaced what was kept: %d bytes, %v", len(again), err)
	}
}
