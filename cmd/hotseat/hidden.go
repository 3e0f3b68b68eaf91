package main

import (
	"fmt"
	"os"

	"hotseat"
	"hotseat/bench"
	"hotseat/stack"
)

// hidden runs the commands that hotseat starts as child processes of itself.
// They are no part of the command line that people see, and nothing of it, its
// signal handling for one, may get in their way.
func hidden(args []string) (status int, ok bool) {
	if len(args) == 0 {
		return 0, false
	}
	switch args[0] {
	case "_watch":
		return stack.WatchMain(args[1:]), true
	case "_guardian":
		return stack.GuardianMain(args[1:]), true
	case "_benchmark":
		return benchmarkMain(args[1:]), true
	}
	return 0, false
}

// benchmarkMain runs a built-in benchmark in this process.
func benchmarkMain(args []string) int {
	if len(args) == 0 || benchmarks[args[0]] == nil {
		_, _ = fmt.Fprintln(os.Stderr, "error: _benchmark: no such built-in problem")
		return hotseat.ExitUsage
	}
	return bench.Execute(*benchmarks[args[0]](), args[1:])
}
