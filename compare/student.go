package compare

import "math"

// studentQuantile returns t such that a variable of Student's t distribution
// with df degrees of freedom lies within ±t with probability confidence, which
// is between 0 and 1. It is exact to about nine digits, by bisection of the
// regularised incomplete beta function (Abramowitz and Stegun, 26.7.1).
func studentQuantile(df int, confidence float64) float64 {
	low, high := 0.0, 1.0
	for studentWithin(df, high) < confidence {
		high *= 2
	}
	for range 200 {
		mid := (low + high) / 2
		if mid == low || mid == high {
			break
		}
		if studentWithin(df, mid) < confidence {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

// studentWithin is the probability that |T| ≤ t.
func studentWithin(df int, t float64) float64 {
	n := float64(df)
	return 1 - incompleteBeta(n/(n+t*t), n/2, 0.5)
}

// incompleteBeta is the regularised incomplete beta function I_x(a, b), by its
// continued fraction (DLMF 8.17.22) with the method of Lentz.
func incompleteBeta(x, a, b float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2): // where the fraction converges slowly, its mirror does not
		return 1 - incompleteBeta(1-x, b, a)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab-la-lb+a*math.Log(x)+b*math.Log1p(-x)) / a

	const tiny = 1e-300
	f, c, d := 1.0, 1.0, 0.0
	for i := range 400 {
		m := float64(i / 2)
		var numerator float64
		switch {
		case i == 0:
			numerator = 1
		case i%2 == 0:
			numerator = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		default:
			numerator = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		d = 1 + numerator*d
		if math.Abs(d) < tiny {
			d = tiny
		}
		d = 1 / d
		c = 1 + numerator/c
		if math.Abs(c) < tiny {
			c = tiny
		}
		f *= c * d
		if math.Abs(1-c*d) < 1e-13 {
			break
		}
	}
	return front * (f - 1)
}
