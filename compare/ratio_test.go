package compare

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// The values are those of any table of Student's t.
func TestStudentQuantile(t *testing.T) {
	for _, c := range []struct {
		df         int
		confidence float64
		want       float64
	}{
		{1, 0.95, 12.7062}, {2, 0.95, 4.3027}, {3, 0.95, 3.1824}, {4, 0.95, 2.7764}, {9, 0.95, 2.2622},
		{29, 0.95, 2.0452}, {1000, 0.95, 1.9623}, {4, 0.99, 4.6041}, {9, 0.999, 4.7809}, {1, 0.5, 1}, {5, 0.9, 2.0150},
	} {
		if got := studentQuantile(c.df, c.confidence); math.Abs(got-c.want) > 6e-5 {
			t.Errorf("studentQuantile(%d, %v) = %.5f, want %.4f", c.df, c.confidence, got, c.want)
		}
	}
}

func TestPairedIsExactWherePairsAgree(t *testing.T) {
	r, err := Paired([]float64{100, 200, 50}, []float64{110, 220, 55})
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]float64{"ratio": r.Ratio, "low": r.Low, "high": r.High} {
		if math.Abs(got-1.1) > 1e-9 {
			t.Errorf("%s = %v, want 1.1: the noise that both sides of a pair share must cancel", name, got)
		}
	}
	if !r.Differs() || r.Pairs != 3 {
		t.Errorf("got %+v, want a difference over 3 pairs", r)
	}
}

func TestPairedRefuses(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want error
	}{
		{[]float64{1}, []float64{2}, ErrTooFew},
		{[]float64{1, 2}, []float64{2}, ErrUnpaired},
		{[]float64{1, 0}, []float64{2, 3}, ErrNoRatio},
		{[]float64{1, 2}, []float64{2, -3}, ErrNoRatio},
		{[]float64{1, 2}, []float64{2, math.NaN()}, ErrNoRatio},
		{[]float64{1, 2}, []float64{2, math.Inf(1)}, ErrNoRatio},
	} {
		if _, err := Paired(c.a, c.b); !errors.Is(err, c.want) {
			t.Errorf("Paired(%v, %v): %v, want %v", c.a, c.b, err, c.want)
		}
	}
}

// The interval holds the truth in 95 % of experiments, with and without a true
// change, however much the minute's noise, which both sides share, moves.
func TestTheIntervalCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for _, truth := range []float64{1, 1.07} {
		covered, experiments := 0, 4000
		for range experiments {
			var a, b []float64
			for range 5 {
				minute := math.Exp(0.3 * random.NormFloat64())
				a = append(a, 1000*minute*math.Exp(0.05*random.NormFloat64()))
				b = append(b, 1000*truth*minute*math.Exp(0.05*random.NormFloat64()))
			}
			r, err := Paired(a, b)
			if err != nil {
				t.Fatal(err)
			}
			if r.Low <= truth && truth <= r.High {
				covered++
			}
		}
		// Five standard errors of a proportion of 0.95 over 4,000 experiments.
		if got := float64(covered) / float64(experiments); math.Abs(got-Confidence) > 0.018 {
			t.Errorf("true ratio %v: covered in %.3f of the experiments, want 0.95", truth, got)
		}
	}
}

func TestManyMeasuresTogetherRaiseNoFalseAlarm(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	const measures, experiments = 20, 500
	alarms, naive := 0, 0
	for range experiments {
		alarm, careless := false, false
		for range measures {
			var a, b []float64
			for range 5 {
				a = append(a, math.Exp(0.05*random.NormFloat64()))
				b = append(b, math.Exp(0.05*random.NormFloat64()))
			}
			widened, _ := paired(a, b, family(Confidence, measures))
			plain, _ := Paired(a, b)
			alarm = alarm || widened.Differs()
			careless = careless || plain.Differs()
		}
		if alarm {
			alarms++
		}
		if careless {
			naive++
		}
	}
	if share := float64(alarms) / experiments; share > 0.09 {
		t.Errorf("%.2f of the experiments without any change raised an alarm, want about 0.05", share)
	}
	if share := float64(naive) / experiments; share < 0.4 {
		t.Errorf("without widening only %.2f raised one: this test has lost its teeth", share)
	}
}

func TestPooledNoise(t *testing.T) {
	if _, ok := PooledNoise([][]float64{{100}, {200}, {0, 5}, nil}); ok {
		t.Error("noise was found though nothing was repeated")
	}
	// Two runs 10 % apart: the logarithms' standard deviation is ln(1.1)/√2.
	n, ok := PooledNoise([][]float64{{100, 110}, {1000, 1100}, {42}})
	if want := math.Log(1.1) / math.Sqrt2; !ok || math.Abs(n.CV-want) > 1e-12 || n.Runs != 4 {
		t.Errorf("PooledNoise = %+v, %v; want a CV of %v over 4 runs", n, ok, want)
	}
	if got := (Noise{CV: 0.05}).Threshold(); math.Abs(got-0.1386) > 1e-4 {
		t.Errorf("the threshold at CV 5 %% is %v, want 13.9 %%", got)
	}
}
