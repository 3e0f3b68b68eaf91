// Package bench is the load engine: what the author of a problem writes a
// benchmark in. A benchmark is a program of its own that loads a target, checks
// every answer, keeps the score, and tells how it goes as one JSON object per
// line (docs/protocol.md). This package is everything around the scenarios.
//
// # A benchmark in one page
//
// A [Contest] says what there is to do; [Main] does it:
//
//	func main() {
//		bench.Main(bench.Contest{
//			Name:  "photo",
//			Rules: []hotseat.Rule{{ID: "photo.feed", Class: hotseat.ClassContent, Text: "The feed shows the newest posts."}},
//			Tags:  []string{"view"},
//			Load:  60 * time.Second,
//			Populations: func(*bench.Run) []bench.Population {
//				return []bench.Population{bench.Closed("viewer", newViewer).Start(10)}
//			},
//		})
//	}
//
//	func newViewer(u *bench.User) bench.Iteration {
//		return func() error {
//			return u.Get("/").Point("view").Expect(bench.Status("photo.feed", 200), bench.Body("photo.feed", feed)).Err()
//		}
//	}
//
// The example of this package is a complete one that runs.
//
// # Phases
//
// A run goes through these phases, and leaves out those for which there is
// nothing to do:
//
//   - prepare: [Contest].Prepare reads the truth and builds the expected world.
//   - initialize: the target is brought back to its initial state.
//   - preflight: a connection is tried, or [Contest].Ready asked, for at most
//     three seconds. A dead target is told at once and not after the load.
//   - verify: scenarios one after the other, or beside each other where they
//     say so, strictly; the first failure ends the run.
//   - load: the populations at work.
//   - drain: users end the iteration they are in. After [Contest].Drain
//     everything in flight is cut.
//   - pause, finish: sums and reports, when all is quiet.
//
// Points count from the beginning to the end of the drain, exactly once each.
//
// # Users, steps, pages
//
// A [User] is a browser with connections, cookies and dice of its own, on a
// goroutine of its own; code may block as it likes. A request is described as a
// [Step], with its checks and the points that it earns if all of them hold, and
// done with Expect, or several at once with [User.All]. What comes of it is a
// [Page]. The usual pattern is to give up an iteration when a page is not OK:
//
//	p := u.PostForm("/login", "name", name, "password", password).Follow().Expect(…)
//	if !p.OK() {
//		return p.Err()
//	}
//
// There is nothing to count, classify or log: the failure is recorded with its
// rule, what was expected, what came instead, and a curl line. Steps and pages
// are used again; neither may be kept longer than the iteration.
//
// # Addresses
//
// [Contest].Sources gives every user an address of its own in 127.0.0.0/8,
// which Linux needs no set-up for, so that an application can tell visitors
// apart, or lock them out, by where they come from. Behind a reverse proxy it
// sees them as far as the proxy tells.
//
// # Sites
//
// Where several sites live at the target's address, [User.SetHost] and
// [Step.Host] say which one is asked.
//
// # Growth
//
// A closed population grows by the clock with Grow, or by what has been
// achieved: [ClosedPopulation.Join] lets a further user in, [User.Leave] sends
// one home. A replay is of one user alone, so nobody joins there.
//
// # Caches
//
// [Step.Cached] makes a step one of a browser with a cache: it asks with the
// validators that this user was given, shows what the user has when a 304
// confirms it, and holds every 304 and ETag against what all users have seen:
// see [Cache]. A 304 that passes for no better reason than that nobody looked is
// the commonest way to win a contest by mistake.
//
// # What is known after a failure
//
// A model of the world may only assume what was observed. [Page.Sent] false
// means that the target certainly has not seen the request: nothing changed.
// [Page.Answered] true means that it certainly has processed it. Anything in
// between may or may not have happened, and later checks have to accept both;
// [Page.Cut] is the commonest case, at the end of every load.
//
// # Rules, failures, verdict
//
// Every check belongs to a rule, a promise to the contestant. Its class decides
// what breaking it means: under rules=strict one wrong answer (protocol,
// content, cache, session, consistency, lifecycle, and any wrong status but 5xx
// and 429) fails the run; slow and refused requests (connect, transport,
// timeout, 5xx, 429) do so past [Contest].MaxErrorShare. Under rules=original
// [Contest].Judge decides. Mistakes of the benchmark itself, such as a panic in
// a scenario, an unknown rule, an error that comes from no failure, or a user
// who never comes back, make the verdict infra, with the user's number, the
// seed and the stack. So does a machine so busy that the benchmark could not
// check what it should, or not keep the timetable of an [OpenPopulation].
//
// The engine samples the first five failures of each kind and place and counts
// the others, so that memory and output stay small however badly it goes. A
// failing user waits a little before the next iteration, up to 200 ms.
//
// # Cost
//
// The benchmark usually shares the machine with what it measures. A checked
// request costs little beside its system calls as long as the author follows
// three habits: make validators and constant checks once, outside the
// iteration; give paths with ids in them a [Step.Route]; and take what is needed
// from a page by a validator's captures ([Page.Found]).
//
// # Determinism
//
// With the same seed every user throws the same dice, and the starts of an open
// population are the same. The interleaving of users is not, so users who
// share state (the next free address, say) may still meet differently.
//
// That is what --replay leans on: it does everything up to the load, then lets
// one user alone repeat its steps up to one of them, and tells of each. Keep to
// [User].Rand and [Run.Rand] for every choice, and a failure comes back as often
// as it is asked for, unless it took what other users did.
package bench
