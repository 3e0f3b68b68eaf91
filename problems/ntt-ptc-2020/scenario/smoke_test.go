package nttscenario

import (
	"testing"

	"hotseat"
)

// The right service passes.
func TestRightServicePasses(t *testing.T) {
	t.Parallel()
	r := execute(t.Context(), t, newService(testSeed(t)))
	if r.verdict.Verdict != hotseat.Pass || len(r.failures) > 0 {
		t.Errorf("accused: %v", r)
	}
	if len(r.requests) > 1 {
		t.Errorf("it asked the parent for %v", r.requests)
	}
}
