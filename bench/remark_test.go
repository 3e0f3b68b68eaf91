package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hotseat"
)

func TestRemarksStandInTheVerdict(t *testing.T) {
	t.Parallel()
	s := serve(t, ok)
	c := get()
	c.Initialize = func(_ context.Context, r *Run) error {
		r.Remark("the target asked for %s", "level 7\nand more")
		for i := range 2 * maxRemarks {
			r.Remark("%d", i)
		}
		return nil
	}
	c.Score = func(*Run, *Tally) Score { return Score{Raw: 5, Deduction: 12, MayBeNegative: true} }
	o := play(t, c, "--target", s.URL, "--duration", "100ms")
	wantVerdict(t, o, hotseat.Pass, "")
	if got := o.verdict.Remarks; len(got) != maxRemarks || strings.Contains(got[0], "\n") || !strings.HasPrefix(got[0], "the target asked for level 7") {
		t.Errorf("remarks: %q", got)
	}
	if o.verdict.Score == nil || *o.verdict.Score != -7 {
		t.Errorf("score %v, want -7", o.verdict.Score)
	}
}

func TestARunThatIsRefusedIsNobodysFailure(t *testing.T) {
	t.Parallel()
	s := serve(t, ok)
	c := get()
	c.Initialize = func(_ context.Context, r *Run) error {
		r.Refuse(hotseat.Invalid("make new data", "the data are from %d", 2021))
		return errors.New("whatever")
	}
	o := play(t, c, "--target", s.URL, "--duration", "100ms")
	got := fmt.Sprint(o.verdict.ExitUsage, o.verdict.Reason, o.verdict.Hint, o.status)
	if diff := cmp.Diff(fmt.Sprint(true, "the data are from 2021", "make new data", hotseat.ExitUsage), got); diff != "" {
		t.Error(diff)
	}
}
