package compare

import (
	"errors"
	"math"
)

// Confidence is the probability with which an interval holds the true ratio.
const Confidence = 0.95

// Ratio is what pairs of measurements say about B/A.
type Ratio struct {
	Ratio float64 `json:"ratio"` // geometric mean of B/A
	Low   float64 `json:"low"`   // the interval's ends; 0 and +Inf are never among them
	High  float64 `json:"high"`
	Pairs int     `json:"pairs"`
}

// Differs tells whether the interval leaves no room for "the same".
func (r Ratio) Differs() bool { return r.Low > 1 || r.High < 1 }

// Smallest is the smallest change, as a factor above 1, that this many pairs
// with this much noise could have told from none.
func (r Ratio) Smallest() float64 { return math.Sqrt(r.High / r.Low) }

// Errors of [Paired].
var (
	ErrTooFew   = errors.New("an interval needs at least two pairs")
	ErrUnpaired = errors.New("both sides need the same number of measurements")
	ErrNoRatio  = errors.New("a measurement is zero or negative, which has no ratio")
)

// Paired compares a[i] with b[i]. Only the ratios within pairs count, so what
// both sides of a pair share, such as a slow minute of the machine, cancels.
func Paired(a, b []float64) (Ratio, error) { return paired(a, b, Confidence) }

func paired(a, b []float64, confidence float64) (Ratio, error) {
	switch {
	case len(a) != len(b):
		return Ratio{}, ErrUnpaired
	case len(a) < 2:
		return Ratio{}, ErrTooFew
	}
	logs := make([]float64, len(a))
	mean := 0.0
	for i := range a {
		if !(a[i] > 0) || !(b[i] > 0) || math.IsInf(a[i], 0) || math.IsInf(b[i], 0) {
			return Ratio{}, ErrNoRatio
		}
		logs[i] = math.Log(b[i] / a[i])
		mean += logs[i]
	}
	n := float64(len(logs))
	mean /= n
	square := 0.0
	for _, l := range logs {
		square += (l - mean) * (l - mean)
	}
	half := studentQuantile(len(logs)-1, confidence) * math.Sqrt(square/(n-1)/n)
	return Ratio{Ratio: math.Exp(mean), Low: math.Exp(mean - half), High: math.Exp(mean + half), Pairs: len(logs)}, nil
}

// family compares many measures at once. The more one looks at, the likelier
// is a difference by chance alone: each interval is widened (Bonferroni) so
// that all of them together hold with the confidence of one.
func family(confidence float64, members int) float64 {
	return 1 - (1-confidence)/float64(max(members, 1))
}

// Noise is the spread of repeated runs of the same thing.
type Noise struct {
	CV   float64 `json:"cv"`   // coefficient of variation, pooled over groups
	Runs int     `json:"runs"` // that it rests on
}

// PooledNoise pools the variation within groups of scores; the runs of a group
// are repetitions of the same thing. Groups of fewer than two, and scores that
// are not positive, say nothing. ok is false where nothing was repeated.
func PooledNoise(groups [][]float64) (n Noise, ok bool) {
	square, df := 0.0, 0
	for _, g := range groups {
		var logs []float64
		mean := 0.0
		for _, score := range g {
			if score > 0 {
				logs = append(logs, math.Log(score))
				mean += math.Log(score)
			}
		}
		if len(logs) < 2 {
			continue
		}
		mean /= float64(len(logs))
		for _, l := range logs {
			square += (l - mean) * (l - mean)
		}
		df += len(logs) - 1
		n.Runs += len(logs)
	}
	if df == 0 {
		return Noise{}, false
	}
	n.CV = math.Sqrt(square / float64(df))
	return n, true
}

// Threshold is the relative change between two single runs beyond which noise
// alone is an unlikely (5 %) explanation: 1.96·√2·CV.
func (n Noise) Threshold() float64 { return 1.96 * math.Sqrt2 * n.CV }
