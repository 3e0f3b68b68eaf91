//go:build race

package bench

// raceEnabled: the race detector knows no more than 8,128 goroutines, and
// needs memory of its own for each.
const raceEnabled = true
