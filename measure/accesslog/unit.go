package accesslog

import (
	"fmt"

	"hotseat"
)

// unitsOf tells for each duration what the log's unit is in seconds, and says in the digest how that is known.
//
// nginx, H2O and Rack write seconds with a fraction; Apache's %D, Varnish and
// Envoy whole micro- or milliseconds. Nobody's requests take 50 seconds in the
// median, so whole numbers of that size are no seconds.
func (w *worker) unitsOf(total *route, o *Options, d *hotseat.AccessDigest) (found [timeCount]float64) {
	for i := range found {
		unit, basis := "s", ""
		if e := &w.units[i]; o.TimeUnit != "" {
			unit, basis = o.TimeUnit, "as asked for"
			if e.told > 0 {
				unit, basis = "s", "the log says so" // what is told was made seconds already
			}
		} else if total.times[i].histogram.Count() > 0 {
			unit, basis = e.infer(&total.times[i])
		}
		found[i] = timeUnits[unit]
		if basis != "" && d.TimeUnit == "" {
			d.TimeUnit, d.UnitBasis = unit, basis
		}
	}
	return found
}

// infer tells the unit from the numbers.
func (u *unitEvidence) infer(s *spread) (unit, basis string) {
	const (
		implausible = 50 // seconds, for a median
		zeroish     = 20 // milliseconds that the fastest of many requests stays below, as a file does
		many        = 50
	)
	median := float64(s.histogram.Quantiles(0.5)[0]) / 1e6
	switch {
	case u.told > 0:
		return "s", "the log says so"
	case u.fractions > 0 && median > implausible:
		return "ms", fmt.Sprintf("numbers with fractions and a median of %.4g: seconds would be too long", median)
	case u.fractions > 0:
		return "s", "numbers with fractions"
	case median <= implausible:
		return "s", fmt.Sprintf("whole numbers with a median of %.4g: small enough for seconds", median)
	case median >= 1e8:
		return "ns", fmt.Sprintf("whole numbers with a median of %.4g", median)
	case median >= 20_000 || u.smallest/1e6 >= zeroish && u.wholes >= many:
		return "us", fmt.Sprintf("whole numbers from %d with a median of %.4g", u.smallest/1e6, median)
	default:
		return "ms", fmt.Sprintf("whole numbers from %d with a median of %.4g", u.smallest/1e6, median)
	}
}
