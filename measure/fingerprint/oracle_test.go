package fingerprint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// corpus is testdata/statements.txt: a statement on each line, "␤" for a line end.
func corpus(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/statements.txt")
	if err != nil {
		t.Fatal(err)
	}
	var statements []string
	for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		statements = append(statements, strings.ReplaceAll(line, "␤", "\n"))
	}
	return statements
}

// TestFingerprintsAreThoseOfPtQueryDigest asks the original for its classes of a slow log
// with all statements of the corpus: each must have the class, and the id, that
// we give it. There are no exceptions.
func TestFingerprintsAreThoseOfPtQueryDigest(t *testing.T) {
	pt, err := exec.LookPath("pt-query-digest")
	if err != nil {
		t.Fatalf("%v; hotseat doctor --install --all installs percona-toolkit", err)
	}
	statements := corpus(t)
	if len(statements) < 200 {
		t.Fatalf("only %d statements", len(statements))
	}
	var f Fingerprinter
	var log bytes.Buffer
	ours := map[string]int{}
	from := map[string]string{}
	for _, s := range statements {
		// The log's own final semicolon is no part of a statement: one of the statement's would
		// end it, here as there.
		s = strings.TrimSuffix(s, ";")
		header := "# User@Host: app[app] @ localhost []\n# Query_time: 0.001000  Lock_time: 0.000100 Rows_sent: 1  Rows_examined: 1\nSET timestamp=1795302300;\n"
		switch {
		case strings.HasPrefix(s, "administrator command"):
			fmt.Fprintf(&log, "%s# %s;\n", header, s)
		case strings.HasPrefix(strings.ToLower(s), "use "):
			continue // the log's own prelude looks like that: see TestUse
		default:
			fmt.Fprintf(&log, "%s%s;\n", header, s)
		}
		print := string(f.Of([]byte(s)))
		ours[print]++
		from[print] = s
	}
	file := filepath.Join(t.TempDir(), "slow.log")
	if err := os.WriteFile(file, log.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), pt, "--no-version-check", "--output", "json", "--limit", "100%", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Classes []struct {
			Checksum    string `json:"checksum"`
			Fingerprint string `json:"fingerprint"`
			Count       int    `json:"query_count"`
		} `json:"classes"`
	}
	if err := json.Unmarshal(out[bytes.IndexByte(out, '{'):], &report); err != nil {
		t.Fatal(err)
	}
	theirs := map[string]bool{}
	for _, c := range report.Classes {
		theirs[c.Checksum] = true
		found := false
		for print, n := range ours {
			if ID([]byte(print)) == c.Checksum {
				found = n == c.Count
			}
		}
		if !found {
			t.Errorf("pt-query-digest has %d × %q (%s), we do not", c.Count, c.Fingerprint, c.Checksum)
		}
	}
	for print, n := range ours {
		if !theirs[ID([]byte(print))] {
			t.Errorf("%d × %q, of %q, is no class of pt-query-digest's", n, print, from[print])
		}
	}
	if len(report.Classes) < 100 {
		t.Errorf("the oracle told of %d classes only", len(report.Classes))
	}
}

// FuzzOf asks of any statement: no panic, never longer than what can be, the same
// again, and no digit left outside of what is not a fingerprint of ours.
func FuzzOf(f *testing.F) {
	for _, s := range corpus(f) {
		f.Add([]byte(s))
	}
	var p, q Fingerprinter
	f.Fuzz(func(t *testing.T, s []byte) {
		before := bytes.Clone(s)
		first := bytes.Clone(p.Of(s))
		if !bytes.Equal(s, before) {
			t.Errorf("%q was changed to %q", before, s)
		}
		if again := q.Of(s); !bytes.Equal(first, again) {
			t.Errorf("%q gave %q, then %q", s, first, again)
		}
		if len(first) > 2*len(s)+20 {
			t.Errorf("%q became %q", s, first)
		}
		if bytes.ContainsAny(first, "0123456789") && !bytes.HasPrefix(s, []byte("administrator command: ")) && calledProcedure(s) == nil && afterNothing(s) {
			t.Errorf("%q has numbers in %q", s, first)
		}
	})
}

// afterNothing tells that no special rule returns before numbers are taken away.
func afterNothing(s []byte) bool { return special(s) == "" }

func BenchmarkOf(b *testing.B) {
	statements := corpus(b)
	size := 0
	texts := make([][]byte, len(statements))
	for i, s := range statements {
		texts[i] = []byte(s)
		size += len(s)
	}
	var f Fingerprinter
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, t := range texts {
			f.Of(t)
		}
	}
}
