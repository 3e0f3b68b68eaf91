package runner

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"hotseat"
)

// A benchmark sees that requests failed. Why they did, a server behind often
// knows better: what it knows is put first, where the contestant reads.

// refusals counts the connections that the database has refused since it was
// started because there were max_connections already, and tells what that is.
func (s *Stack) refusals(ctx context.Context) (refused, allowed int64) {
	if s == nil || s.database == nil {
		return 0, 0
	}
	counters, err := s.counters(ctx)
	if err != nil {
		return 0, 0 // a database that is gone is told of elsewhere
	}
	refused = counters["Connection_errors_max_connections"]
	_ = s.site.query(ctx, "SELECT @@max_connections", func(row []string) (err error) { // the number of them is the news
		allowed, err = strconv.ParseInt(row[0], 10, 64)
		return err
	})
	return refused, allowed
}

// nameCause puts what the stack knows about a run's trouble before what the
// benchmark saw of it: refused is what the database had refused when the run began,
// and allowed the connections that it took, which one without any left does not tell any more.
func (s *session) nameCause(ctx context.Context, refused, allowed int64, r *hotseat.Result) {
	now, _ := s.stack.refusals(ctx)
	if now <= refused {
		return
	}
	limit := "max_connections"
	if allowed > 0 {
		limit += fmt.Sprintf(" is %d", allowed)
	}
	cause := fmt.Sprintf("the database refused %d connections: %s in %s, and the app opens more",
		now-refused, limit, s.stack.workspace.Problem.Services["mariadb"].Config)
	if r.Verdict != hotseat.Fail || slices.ContainsFunc(r.Failures, otherwiseWrong) {
		r.Remarks = append(r.Remarks, cause)
		return
	}
	r.Reason = cause + "; " + r.Reason
	r.Hint = "let the app's pool open fewer (Go: SetMaxOpenConns; processes × pool must stay below max_connections), or raise max_connections"
}

// otherwiseWrong tells whether a failure is none that a lack of connections explains:
// a wrong answer, and no step of the run that could not be done.
func otherwiseWrong(g hotseat.FailureGroup) bool {
	f := hotseat.Failure{Class: g.Class, Code: g.Code}
	return g.Side == hotseat.SideTarget && f.WrongAnswer() && g.Class != hotseat.ClassLifecycle
}
