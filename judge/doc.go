// Package judge judges the judging: it runs a problem's benchmark against every
// known fault, which it must catch with the right code and rule, and against
// correct but unusual implementations, which it must pass.
//
// A case is a patch of the contestant's workspace (a wrong rule in the app), or
// a list of tamperings, done by a proxy between benchmark and stack without
// touching the app: stale, dropped, delayed, altered, truncated answers. The
// cases stand in the problem's faults/faults.toml. All of them share one
// workspace and one stack, in the profile that problem.toml's [judge] gives.
//
// [Run] goes through the cases; [Innocence] runs the correct app again and
// again, which must never be accused of anything.
package judge
