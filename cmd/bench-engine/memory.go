package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"hotseat/bench/tally"
)

// watchMemory follows a process until the function that it returns is called,
// which gives the most memory it ever had resident. (getrusage will not do:
// what it says of a child includes what the parent had when it forked.)
func watchMemory(pid int) (peak func() int64) {
	stop := make(chan struct{})
	var most int64
	var watcher sync.WaitGroup
	watcher.Go(func() {
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			if n, err := procStatus(pid, "VmHWM"); err == nil {
				most = max(most, n)
			}
			select {
			case <-stop:
				return
			case <-ticker.C:
			}
		}
	})
	return func() int64 {
		close(stop)
		watcher.Wait()
		return most
	}
}

// procStatus reads one of the sizes in /proc/PID/status, in bytes.
func procStatus(pid int, key string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, ok := bytes.Cut(text, []byte(key+":"))
	if !ok {
		return 0, fmt.Errorf("process %d tells no %s", pid, key)
	}
	value, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
	kb, err := strconv.ParseInt(string(value), 10, 64)
	return kb << 10, err
}

// measurePoints returns what counting one point costs, in ns.
func measurePoints() float64 {
	counter := tally.New(tally.Config{Tags: []string{"view"}})
	tag, user := counter.Tag("view"), counter.User()
	result := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			user.Point(tag, time.Second)
		}
	})
	return float64(result.T.Nanoseconds()) / float64(result.N)
}

// soakEngine runs the engine alone at full speed and prints its memory as it goes.
func (l *lab) soakEngine(ctx context.Context, d time.Duration) error {
	clients, _, err := allClients(l.site.dir)
	if err != nil {
		return err
	}
	program, args, _ := clients[0].command(&workload{name: caseScanned, target: l.site.url, duration: d, users: concurrency})
	cmd := pinned(ctx, l.cores.client, program, args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	if _, err := cmd.StdinPipe(); err != nil { // the engine ends when its standard input does
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	fmt.Fprintf(l.log, "the engine alone, case %s, %d users, for %s\n\n  seconds  resident MB\n", caseScanned, concurrency, d)
	every := min(max(d/60, time.Second), 10*time.Second)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	began := time.Now()
	var sizes []int64
	for waiting := true; waiting; {
		select {
		case <-ticker.C:
			if n, err := procStatus(cmd.Process.Pid, "VmRSS"); err == nil {
				sizes = append(sizes, n)
				fmt.Fprintf(l.log, "  %7.0f  %11.1f\n", time.Since(began).Seconds(), megabytes(n))
			}
		case err = <-done:
			waiting = false
		}
	}
	c, failed := parseEvents(out.Bytes())
	if failed != nil {
		return fmt.Errorf("soak: %w (%w)", failed, err)
	}
	served, err := l.site.spoiledServed()
	if err != nil {
		return err
	}
	fmt.Fprintf(l.log, "\n%d requests; %d of %d spoiled pages reported; %d errors\n", c.Requests, c.Wrong, served, c.Errors)
	if c.Wrong != served || c.Errors > 0 {
		return fmt.Errorf("soak: %d spoiled pages were served and %d reported, with %d errors", served, c.Wrong, c.Errors)
	}
	return l.judgeGrowth(sizes)
}

// judgeGrowth compares the last third of a soak with the middle one; the first
// is for growing up.
func (l *lab) judgeGrowth(sizes []int64) error {
	third := len(sizes) / 3
	if third == 0 {
		return nil
	}
	middle, last := mean(sizes[third:2*third]), mean(sizes[2*third:])
	growth := 100 * (last - middle) / middle
	fmt.Fprintf(l.log, "memory in the last third of the time compared with the second: %+.1f %%\n", growth)
	// What a small process takes by and by is no growth.
	const flat, slack = 5, 4 << 20 // percent; bytes
	if growth > flat && last-middle > slack {
		return fmt.Errorf("soak: memory grew by %.1f %%", growth)
	}
	return nil
}

func mean(sizes []int64) float64 {
	var sum int64
	for _, n := range sizes {
		sum += n
	}
	return float64(sum) / float64(len(sizes))
}

func megabytes(n int64) float64 { return float64(n) / (1 << 20) }
