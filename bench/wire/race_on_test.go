//go:build race

package wire

// raceEnabled: under the race detector sync.Pool drops a part of what it is
// given, so allocations mean nothing.
const raceEnabled = true
