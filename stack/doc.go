// Package stack runs the processes of one workspace: it starts them in order,
// proves that they are ready, keeps their output, tells of their deaths and
// takes all of them away again, whatever happens to the command that started
// them. It knows nothing of contests and nothing of any particular server; the
// service package says what nginx or MariaDB need.
//
// # Who is whose parent
//
//	hotseat up            returns as soon as everything is ready
//	└ hotseat _watch      sub-reaper; does nothing but wait for the guardian
//	  └ hotseat _guardian sub-reaper; owns the processes, answers the control socket
//	    ├ mariadbd        each process leads a process group of its own
//	    ├ nginx ─ workers
//	    └ app
//
// If the guardian is killed, what it owned falls to the watcher, which kills
// every descendant it has until none is left. If the watcher is killed, the
// guardian sees its pipe close and stops everything. Parent-death signals are
// set as well, but are not enough: a change of credentials clears them and
// nginx's workers outlive a killed master.
//
// # Words
//
// A [Plan] is what should run, as data. [Launch] makes it run in the background
// and returns a [Client]; [Connect] finds it again. [Start] runs a plan inside
// the calling process, for something short such as building a database.
package stack
