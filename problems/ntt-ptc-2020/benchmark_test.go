package nttptc2020_test

import (
	"path/filepath"
	"testing"

	"hotseat"
	"hotseat/problem/problemtest"
	nttptc2020 "hotseat/problems/ntt-ptc-2020"
	"hotseat/problems/ntt-ptc-2020/data"
	nttscenario "hotseat/problems/ntt-ptc-2020/scenario"
)

// TestBenchmarkAcceptsTheApp benchmarks the app as it is given, twice in a row: the
// second run must not mind what the first has left.
func TestBenchmarkAcceptsTheApp(t *testing.T) {
	s := startSite(t, data.Key, func(s *site, t *testing.T) {
		if err := data.Generate(t.Context(), s.root, nttptc2020.Files, data.Small(data.Day(s.now))); err != nil {
			t.Fatal(err)
		}
	})
	for range 2 {
		o := problemtest.Execute(t.Context(), t, nttscenario.Contest(), nil, "--target", s.url, "--data", filepath.Join(s.root, "truth"), "--duration", "3s")
		if o.Verdict.Verdict != hotseat.Pass || len(o.Failures) > 0 {
			t.Errorf("accused: %v", o)
		}
		t.Log(o)
	}
}
