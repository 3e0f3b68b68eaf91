package join

import (
	"fmt"
	"math"

	"hotseat"
	"hotseat/measure/accesslog"
	"hotseat/measure/series"
	"hotseat/measure/slowlog"
)

// The limits of an estimate.
const (
	maxRoutes  = 100
	minWindows = 20 // fewer tell nothing
	minRate    = 0.05
	minShare   = 0.03 // of a class, for an edge to be more than chance
)

// estimate finds for each class the numbers per request, none negative, that
// explain best how many statements of it there were in each window, given the
// requests in that window. Routes that never came without each other
// cannot be told apart by it.
func estimate(access *accesslog.Log, slow *slowlog.Log) *hotseat.JoinDigest {
	d := &hotseat.JoinDigest{Schema: hotseat.JoinDigestSchema, Method: hotseat.JoinEstimated, WindowS: access.WindowS,
		Notes: []string{}, Edges: []hotseat.JoinEdge{}}
	routes := candidates(access)
	first, windows := common(access, slow, routes)
	d.Windows = windows
	if windows < minWindows {
		d.Notes = append(d.Notes, fmt.Sprintf("the two logs have %d s in common, too little for an estimate", windows*int(access.WindowS)))
		d.Missed = slow.Entries
		return d
	}
	columns := make([][]float64, len(routes))
	for i, r := range routes {
		columns[i] = dense(access.Series[r], first, windows)
	}
	gram := make([][]float64, len(routes))
	for i := range gram {
		gram[i] = make([]float64, len(routes))
		for j := range gram[i] {
			gram[i][j] = dot(columns[i], columns[j])
		}
	}
	for c := range slow.Classes {
		q := &slow.Classes[c]
		if q.Verb == "ADMIN" {
			continue
		}
		counts := dense(slow.Series[c], first, windows)
		target := make([]float64, len(routes))
		for i := range routes {
			target[i] = dot(columns[i], counts)
		}
		rates := nonNegative(gram, target)
		explained := 0.0
		for i, r := range routes {
			route := &access.Routes[r]
			statements := rates[i] * float64(route.Count)
			if rates[i] < minRate && statements < minShare*float64(q.Count)*3 || statements < minShare*float64(q.Count) {
				continue
			}
			explained += statements
			d.Edges = append(d.Edges, newEdge(route, q, statements, statements*q.QueryTime.Mean))
		}
		d.Matched += int64(math.Min(explained, float64(q.Count)))
	}
	d.Missed = max(slow.Entries-d.Matched, 0)
	d.Notes = append(d.Notes, "estimated from what rose and fell together; for exact numbers, let the app repeat the request's id in a comment of its statements")
	sortEdges(d.Edges)
	return d
}

// candidates are the routes that can have sent queries: those that an app
// answered, as far as the log tells.
func candidates(access *accesslog.Log) []int {
	var routes []int
	for i := range access.Routes {
		r := &access.Routes[i]
		if access.Total.UpstreamTime.Count > 0 && r.UpstreamTime.Count*100 < r.Count {
			continue
		}
		if routes = append(routes, i); len(routes) == maxRoutes {
			break
		}
	}
	return routes
}

// common is the span of windows that both logs cover.
func common(access *accesslog.Log, slow *slowlog.Log, routes []int) (first int64, windows int) {
	span := func(all []*series.Series) (from, to int64) {
		from, to = math.MaxInt64, math.MinInt64
		for _, s := range all {
			if len(s.Counts) > 0 {
				from, to = min(from, s.First), max(to, s.First+int64(len(s.Counts)))
			}
		}
		return from, to
	}
	chosen := make([]*series.Series, len(routes))
	for i, r := range routes {
		chosen[i] = access.Series[r]
	}
	a, b := span(chosen)
	c, e := span(slow.Series)
	first = max(a, c)
	return first, int(max(min(b, e)-first, 0))
}

// dense is a series over some windows, as numbers.
func dense(s *series.Series, first int64, windows int) []float64 {
	out := make([]float64, windows)
	for i, x := range s.Counts {
		if at := s.First + int64(i) - first; at >= 0 && at < int64(windows) {
			out[at] = float64(x)
		}
	}
	return out
}

func dot(a, b []float64) float64 {
	var sum float64
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// nonNegative solves the normal equations under x ≥ 0 by cyclic coordinate
// descent, which converges for every positive semidefinite matrix.
func nonNegative(gram [][]float64, target []float64) []float64 {
	x := make([]float64, len(target))
	for range 2000 {
		moved := 0.0
		for i := range x {
			if gram[i][i] <= 0 {
				continue
			}
			next := max(x[i]+(target[i]-dot(gram[i], x))/gram[i][i], 0)
			moved = max(moved, math.Abs(next-x[i]))
			x[i] = next
		}
		if moved < 1e-6 {
			break
		}
	}
	return x
}
