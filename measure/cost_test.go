package measure

import (
	"os"
	"testing"
)

// BenchmarkSample is what one sample costs here and now, sockets and threads of
// this machine and its stack included.
func BenchmarkSample(b *testing.B) {
	s := &Sampler{
		options: Options{Groups: func() map[string][]int { return map[string][]int{"app": {os.Getpid()}} }},
		proc:    newProcfs("/proc"), ledger: newLedger(), switches: newSwitchCounter(),
	}
	s.details = newDetails(s.proc)
	for b.Loop() {
		if _, err := s.sample(); err != nil {
			b.Fatal(err)
		}
	}
}
