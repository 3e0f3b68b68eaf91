package nttscenario

import (
	"testing"

	"hotseat"
)

// The right service passes.
func TestRightServicePasses(t *testing.T) {
	t.Parallel()
	r := execute(t.Context(), t, newService(testSeed(t)))
	if r.Verdict.Verdict != hotseat.Pass || len(r.Failures) > 0 {
		t.Errorf("accused: %v", r)
	}
	if len(r.Requests) > 1 {
		t.Errorf("it asked the parent for %v", r.Requests)
	}
}
