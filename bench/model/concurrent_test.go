package model_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hotseat/bench/model"
)

// TestConcurrentUse has many goroutines share registers, a set, a sum and sessions on a
// correct server. Run with -race it also looks for races.
func TestConcurrentUse(t *testing.T) {
	const users, rounds, registers = 16, 200, 4
	p := model.Promise{Lag: time.Millisecond, Monotonic: true, OwnWrites: true}
	prices := model.NewFamily(func(int) *model.Register[int64] { return model.NewRegister[int64](p).Initially(0) })
	comments := model.NewSet[int64](p)
	sold := model.NewSum(p, 0)

	var server struct {
		sync.Mutex
		prices [registers]int64
		list   []int64
		sold   int64
	}
	var unique atomic.Int64
	var wg sync.WaitGroup
	for user := range users {
		wg.Go(func() {
			session := model.NewSession()
			report := func(v *model.Violation) {
				if v != nil {
					t.Error(v)
				}
			}
			for round := range rounds {
				n, k := unique.Add(1), (user+round)%registers
				sent := time.Now()
				switch round % 5 {
				case 0:
					w := prices.Of(k).Write(session, time.Now(), n)
					server.Lock()
					server.prices[k] = n
					server.Unlock()
					report(w.Commit(time.Now()))
				case 1:
					server.Lock()
					shown := server.prices[k]
					server.Unlock()
					report(prices.Of(k).Read(session, model.Span{Sent: sent, Done: time.Now()}, shown))
				case 2:
					c, term := comments.Add(session, time.Now(), n), sold.Add(time.Now(), n)
					server.Lock()
					server.list = append(server.list, n)
					server.sold += n
					server.Unlock()
					term.Commit(time.Now())
					report(c.Commit(time.Now()))
				case 3:
					server.Lock()
					shown := append([]int64(nil), server.list...)
					server.Unlock()
					report(comments.Read(session, model.Span{Sent: sent, Done: time.Now()}, shown))
				default:
					server.Lock()
					shown := server.sold
					server.Unlock()
					// Hundreds of overlapping amounts are only checked for their range.
					report(sold.Read(model.Span{Sent: sent, Done: time.Now()}, shown))
				}
			}
		})
	}
	wg.Wait()
	if v := sold.Check(server.sold); v != nil {
		t.Error(v)
	}
	if v := sold.Check(server.sold + 1); v == nil {
		t.Error("a wrong total passes")
	}
	seen := 0
	for range prices.All() {
		seen++
	}
	if seen != registers {
		t.Errorf("%d registers, want %d", seen, registers)
	}
}

// TestRegisterMemoryIsBounded writes and reads for long: what is over is forgotten.
func TestRegisterMemoryIsBounded(t *testing.T) {
	p := model.Promise{Lag: time.Second, Patience: 10 * time.Second, Monotonic: true, OwnWrites: true}
	register := model.NewRegister[string](p).Initially("")
	session := model.NewSession()
	sum := model.NewSum(p, 0)
	var after [2]uint64
	for half := range after {
		for i := range 10_000 {
			now := start.Add(time.Duration(half*10_000+i) * 100 * time.Millisecond)
			value := fmt.Sprintf("%1000d", i)
			w := register.Write(session, now, value)
			term := sum.Add(now, 1)
			if i%10 == 0 {
				term.Maybe(now)
			} else {
				term.Commit(now)
			}
			if v := w.Commit(now.Add(time.Millisecond)); v != nil {
				t.Fatal(v)
			}
			at := model.Span{Sent: now.Add(2 * time.Millisecond), Done: now.Add(3 * time.Millisecond)}
			if v := register.Read(session, at, value); v != nil {
				t.Fatal(v)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		after[half] = m.HeapAlloc
	}
	if after[1] > after[0]+1<<20 {
		t.Errorf("heap of %d KB after half of the writes, %d KB after all", after[0]>>10, after[1]>>10)
	}
	runtime.KeepAlive(register)
	runtime.KeepAlive(session)
	runtime.KeepAlive(sum)
}

// BenchmarkRegister is one write with its commit and four reads, by a session with a lag.
func BenchmarkRegister(b *testing.B) {
	for _, c := range []struct {
		name string
		lag  time.Duration
	}{{"no lag", 0}, {"lag", time.Second}} {
		b.Run(c.name, func(b *testing.B) {
			p := model.Promise{Lag: c.lag, Monotonic: true, OwnWrites: true}
			register := model.NewRegister[int](p).Initially(0)
			session := model.NewSession()
			now := start
			b.ReportAllocs()
			for i := 1; b.Loop(); i++ {
				now = now.Add(10 * time.Second)
				_ = register.Write(session, now, i).Commit(now.Add(time.Millisecond))
				for j := range 4 {
					at := model.Span{Sent: now.Add(time.Duration(2+2*j) * time.Millisecond), Done: now.Add(time.Duration(3+2*j) * time.Millisecond)}
					if v := register.Read(session, at, i); v != nil {
						b.Fatal(v)
					}
				}
			}
		})
	}
}

// BenchmarkBusyRegister is a write and a read of a register that is written every 10 ms, with the default patience.
func BenchmarkBusyRegister(b *testing.B) {
	register := model.NewRegister[int](model.Promise{}).Initially(0)
	now := start
	for i := 1; b.Loop(); i++ {
		now = now.Add(10 * time.Millisecond)
		_ = register.Write(nil, now, i).Commit(now.Add(time.Millisecond))
		if v := register.Read(nil, model.Span{Sent: now.Add(2 * time.Millisecond), Done: now.Add(3 * time.Millisecond)}, i); v != nil {
			b.Fatal(v)
		}
	}
}

// BenchmarkSet is one read of a listing of 50, complete.
func BenchmarkSet(b *testing.B) {
	shown := make([]int, 50)
	for i := range shown {
		shown[i] = i
	}
	set := model.NewSet[int](model.Promise{Lag: time.Second}).Initially(shown...).Sorted(model.OldestFirst, 0)
	session := model.NewSession()
	at := span(1, 2)
	b.ReportAllocs()
	for b.Loop() {
		if v := set.Read(session, at, shown); v != nil {
			b.Fatal(v)
		}
	}
}

// BenchmarkFamily looks registers of 100,000 up from all processors.
func BenchmarkFamily(b *testing.B) {
	family := model.NewFamily(func(int) *model.Register[int] { return model.NewRegister[int](model.Promise{}).Initially(0) })
	at := span(1, 2)
	var user atomic.Int64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := int(user.Add(1)) * 7919; pb.Next(); i++ {
			if v := family.Of(i%100_000).Read(nil, at, 0); v != nil {
				b.Error(v)
			}
		}
	})
}
