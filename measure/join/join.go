// Package join tells which routes of an access log send which queries of a slow
// log: exactly, where the app repeats the request's id in a comment of each
// statement, and by an estimate from what rose and fell together where it does
// not. The digest always says which.
package join

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hotseat"
	"hotseat/measure/accesslog"
	"hotseat/measure/logfile"
	"hotseat/measure/slowlog"
)

// WindowS is the width of the windows of an estimate: slow logs of MariaDB tell
// whole seconds only.
const WindowS = 1

// Result is both digests and what joins them.
type Result struct {
	Access *hotseat.AccessDigest `json:"access"`
	Slow   *hotseat.SlowDigest   `json:"slow"`
	Join   *hotseat.JoinDigest   `json:"join"`
}

// Digest reads both logs, the access log first.
func Digest(ctx context.Context, access []logfile.Input, a accesslog.Options, slow []logfile.Input, s slowlog.Options) (*Result, error) {
	a.WindowS, a.RequestIDs = WindowS, true
	requests, err := accesslog.Read(ctx, access, a)
	if err != nil {
		return nil, err
	}
	s.WindowS = WindowS
	if requests.HasIDs {
		s.Route = requests.RouteOf
	}
	statements, err := slowlog.Read(ctx, slow, s)
	if err != nil {
		return nil, err
	}
	return &Result{Access: &requests.AccessDigest, Slow: &statements.SlowDigest, Join: Of(requests, statements)}, nil
}

// enough is the share of statements that must be known by their request's id
// for the join to be called exact; below it, an estimate says more.
const enough = 0.2

// Of joins two logs that were read with windows of the same width, the slow log
// with the routes of the access log if that has ids.
func Of(access *accesslog.Log, slow *slowlog.Log) *hotseat.JoinDigest {
	var matched, unmatched int64
	for i := range slow.Classes {
		unmatched += slow.Unmatched[i]
		for _, u := range slow.Uses[i] {
			matched += u.Count
		}
	}
	all := matched + unmatched + slow.Untagged
	if matched > 0 && float64(matched) >= enough*float64(all) {
		return exact(access, slow, matched, all)
	}
	d := estimate(access, slow)
	if matched > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("only %d of %d statements hold the id of a request", matched, all))
	}
	return d
}

// exact adds up what the ids say.
func exact(access *accesslog.Log, slow *slowlog.Log, matched, all int64) *hotseat.JoinDigest {
	d := &hotseat.JoinDigest{Schema: hotseat.JoinDigestSchema, Method: hotseat.JoinExact, Notes: []string{}, Edges: []hotseat.JoinEdge{},
		Matched: matched * int64(access.Sampled), Missed: all - matched}
	for i := range slow.Classes {
		for route, use := range slow.Uses[i] {
			r := &access.Routes[route]
			statements := use.Count * int64(access.Sampled)
			edge := newEdge(r, &slow.Classes[i], float64(statements), use.TimeS*float64(access.Sampled))
			d.Edges = append(d.Edges, edge)
		}
	}
	if access.Sampled > 1 {
		d.Notes = append(d.Notes, fmt.Sprintf("there were too many requests to remember all their ids: counts are from one in %d, times that", access.Sampled))
		d.Missed = 0
	}
	if d.Missed > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d statements hold no id of a request in the access log", d.Missed))
	}
	sortEdges(d.Edges)
	return d
}

func newEdge(r *hotseat.AccessRoute, q *hotseat.QueryClass, statements, timeS float64) hotseat.JoinEdge {
	edge := hotseat.JoinEdge{HTTPMethod: r.Method, Template: r.Template, QueryID: q.ID, Fingerprint: q.Fingerprint,
		Statements: int64(statements + 0.5), TimeS: timeS}
	if r.Count > 0 {
		edge.PerRequest = statements / float64(r.Count)
	}
	if t := r.Time().Sum; t > 0 {
		edge.ShareOfTime = timeS / t
	}
	return edge
}

// sortEdges puts what takes most time first.
func sortEdges(edges []hotseat.JoinEdge) {
	slices.SortFunc(edges, func(a, b hotseat.JoinEdge) int {
		switch {
		case a.TimeS != b.TimeS:
			return map[bool]int{true: -1, false: 1}[a.TimeS > b.TimeS]
		case a.Template != b.Template:
			return strings.Compare(a.Template, b.Template)
		case a.HTTPMethod != b.HTTPMethod:
			return strings.Compare(a.HTTPMethod, b.HTTPMethod)
		default:
			return strings.Compare(a.QueryID, b.QueryID)
		}
	})
}
