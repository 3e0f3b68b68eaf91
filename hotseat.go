// Package hotseat holds the nouns that every room shares: verdicts, failures,
// the events a benchmark prints, the result of a run, and errors that carry a
// hint. It imports the standard library only, and nothing of its own.
//
// Words, as used everywhere in this module:
//
//   - A problem is one contest exercise: a deliberately slow web application on
//     real servers, its data, its benchmark and its rules.
//   - A workspace is a contestant's own copy of a problem's app and server
//     configuration: a git repository they edit.
//   - A stack is the real processes that serve a workspace.
//   - A benchmark is a program that loads a stack, checks every answer and keeps
//     the score. It runs as a child process and speaks the protocol of [Event].
//   - A run is one execution of a benchmark with everything measured around it,
//     kept in a folder and summed up in a [Result].
//
// Read on in runner/run.go, where one run is told from end to end, and in
// docs/architecture.md for the house as a whole.
package hotseat

// Version is the version of hotseat itself; a release build sets it with -ldflags -X.
var Version = "0.1.0-dev"
