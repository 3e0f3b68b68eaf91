// Package isucon12qscenario is the benchmark of the ISUCON12 qualifier: tenants
// with players and competitions, organizers who upload score sheets, players who
// look at rankings, an operator who bills them all, and at every moment the
// knowledge of what each of them must be shown.
//
// It follows the contest's own benchmarker (§16 of the specification) in checks,
// load, growth and score. Under rules=strict it also holds the service to what
// the original let pass or looked at only before the load: every ranking, page,
// list and bill of the load is compared with the sheets, visits and finishes of
// the run. What was not observed is held against nobody: a write whose answer
// was lost may have happened, and reads that overlap a write may show either side.
//
// # Where it differs from the original
//
//   - The original ignored timeouts under newer Go versions; here they are errors,
//     as in the contest.
//   - It compared ranking lengths in group A only past 100 entries, where there
//     are none; here every ranking is compared entry by entry.
//   - Its re-upload in group A was the same sheet again, so that a mixture of old
//     and new could not be seen; group B here uploads different ones while readers look.
//   - It ended with a panic when a ranking held a player it did not know; here that is
//     a failure of isucon12q.ranking-sheet.
//   - Its billing checks had every visit right before the finish. Here visits in the second of
//     the finish, in a later one, with rank_after, repeated, of players with a score
//     and of players who are disqualified later have a competition each, and the waits between
//     them cross the second.
//   - It believed in a fresh state after /initialize as far as it happened to look; here
//     leftovers of an earlier run are made before the initialisation.
//   - It asked for three static files; here all are compared.
//   - Empty names and repeated ids were accepted by luck of decoding; here an answer
//     must have every documented member, and ids are compared with all that were given before.
//   - A run that another rule already fails still needs no 100 errors: under
//     rules=strict one wrong answer fails it, and the 1 %, the 10 % and the stop at 100 are
//     for connections, timeouts, 429 and 5xx.
//
// Read contest.go for the parameters; prepare.go, rankings.go, refusals.go, initial.go and
// billing_rules.go for the checks before the load; load.go, players.go and load_checks.go for
// the load; playing.go for what rankings and pages must show, and billing.go for what is billed.
package isucon12qscenario
