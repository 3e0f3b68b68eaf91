package fingerprint

import (
	"testing"
)

// What the log cannot carry to the oracle, read from its source.
func TestUse(t *testing.T) {
	var f Fingerprinter
	for statement, want := range map[string]string{
		"USE app":               "use ?",
		"use `app_2`":           "use ?",
		"use app\n":             "use ?\n",
		"use app extra":         "use app extra",
		"use":                   "use",
		"SELECT 1; SELECT 2":    "select ?; select ?",
		"":                      "",
		"select 1 from t -- it": "select ? from t ",
	} {
		if got := string(f.Of([]byte(statement))); got != want {
			t.Errorf("%q: %q, want %q", statement, got, want)
		}
	}
}

// The ids of the manual of pt-query-digest and of percona/go-mysql are of these forms.
func TestIDs(t *testing.T) {
	var f Fingerprinter
	id := ID(f.Of([]byte("commit")))
	if id != "FFFCA4D67EA0A788813031B8BBC3B329" {
		t.Errorf("commit has the id %s", id)
	}
	if short := ShortID(id); short != "813031B8BBC3B329" {
		t.Errorf("commit has the short id %s", short)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	var f Fingerprinter
	statements := [][]byte{
		[]byte("SELECT * FROM t WHERE id IN (1,2,3) AND name = 'x' ORDER BY a ASC LIMIT 1, 2"),
		[]byte("INSERT INTO t (a) VALUES (1), (2), (3) -- note"),
		[]byte("/* id */ UPDATE t SET a = \"x\" WHERE b = NULL"),
	}
	run := func() {
		for _, s := range statements {
			f.Of(s)
		}
	}
	run()
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
