// Package nttscenario is the benchmark of the NTT Performance Tuning Challenge
// 2020: audiences who look for events and reserve tickets, artists who announce
// events in free timeslots, owners who look at everything, people with revoked
// tokens, and at every moment the knowledge of what each of them may be shown.
//
// It follows the contest's own benchmark (§10 of the specification) in steps,
// rates, limits on users and score. Where that one looked at statuses and at one
// price, this one compares every answer with the initial data and with what the run
// has written. What was not observed is held against nobody: a write whose
// answer was lost may have happened, and reads that overlap a write may show either side.
//
// # Where it differs from the original
//
//   - The original asked for timeslots without from and to, which ends with the month:
//     on its last days nothing is free. Here both are given.
//   - It drew account and timeslot at random, so that two artists could want the same
//     timeslot, and two people could be one account, whose tokens of the same
//     second are one. Here accounts and timeslots belong to one user at a time, and an account
//     rests for more than a second between two logins. The benchmark never causes
//     a 401 or a 409 that it then complains of.
//   - It threw an exception, and silently ended the iteration, at lists that were null. Here
//     null is as good as [].
//   - A start that finds all users busy was dropped at once. Here it waits for a second at most,
//     and is then counted as missed: no points, no penalty, but the result and the report say so.
//   - Its verification came with an initialization of its own. Here there is one for all.
//   - Contents, races for timeslots and tickets, tokens right after a logout, and what is left after a
//     restart are checks of ours. Under rules=original whatever goes wrong in the load costs
//     what a failed check cost, and never fails the run.
//
// Read contest.go for the parameters, levels.go for the load, audience.go, artist.go, owner.go
// and olduser.go for what people do, races.go for the tests of concurrency, and truth.go and
// world.go for what is known; answers.go and verify.go begin the checks before the load.
package nttscenario
