// Package runner does one run from end to end: it brings the stack of a
// workspace up to date, opens the collectors, runs the benchmark as a child
// process and reads its events, closes the collectors, and writes what came of
// it into the run's folder.
//
// run.go reads as a page of prose; everything else here is a step of it.
package runner
