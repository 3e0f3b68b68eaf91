package measure

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"sort"
	"syscall"
	"time"

	"hotseat"
)

// Options says what a [Sampler] watches.
type Options struct {
	// Path is the file that samples are appended to, one JSON object per
	// line; usually samples.jsonl in the run's folder. Empty: no file.
	Path string

	// Groups names the roots of the process trees to watch. It is asked at
	// every sample, so that what starts later is seen. A tree ends where
	// another named root begins: the benchmark is not also counted as the
	// process that started it. It is called from the sampler's goroutine.
	Groups func() map[string][]int

	// Details has the sampler watch sockets, threads and descriptors too, for
	// a [Picture].
	Details bool

	// Database reads the database's status counters; nil if there is none.
	// It is called once at the start and once at the end.
	Database CounterFunc

	Interval time.Duration // a second if 0
}

// Sampler watches process trees and the host. Its zero time is that of [Start]:
// start it right before the benchmark and both have the same clock.
type Sampler struct {
	options Options
	began   time.Time
	stopped time.Time
	stop    context.CancelFunc
	done    chan struct{}

	proc     *procfs
	ledger   *ledger
	switches *switchCounter
	details  *details // nil unless asked for
	cpu      cpuTimes

	file     *os.File
	out      *bufio.Writer
	samples  []Sample
	cpuSpent time.Duration
	err      error // the first that befell sampling or writing

	countersBefore Counters
	countersErr    error
}

// Start takes the first sample, which sets the zero of all counts, and goes on
// until Stop is called or ctx ends. Stop must be called in any case.
func Start(ctx context.Context, o Options) (*Sampler, error) {
	if o.Interval <= 0 {
		o.Interval = time.Second
	}
	s := &Sampler{
		options:  o,
		done:     make(chan struct{}),
		proc:     newProcfs("/proc"),
		ledger:   newLedger(),
		switches: newSwitchCounter(),
		out:      bufio.NewWriter(io.Discard),
	}
	if o.Path != "" {
		file, err := os.OpenFile(o.Path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
		if err != nil {
			return nil, fmt.Errorf("open the file for samples: %w", err)
		}
		s.file, s.out = file, bufio.NewWriter(file)
	}
	if o.Database != nil {
		s.countersBefore, s.countersErr = o.Database(ctx)
	}
	if o.Details {
		s.details = newDetails(s.proc)
	}
	s.began = time.Now()
	sampling, stop := context.WithCancel(ctx)
	s.stop = stop
	first := make(chan struct{})
	go s.run(sampling, first)
	<-first
	return s, nil
}

// run owns the sampler until it closes done. It keeps to one thread so that
// the thread's CPU time is the cost of sampling.
func (s *Sampler) run(ctx context.Context, first chan<- struct{}) {
	defer close(s.done)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ticker := time.NewTicker(s.options.Interval)
	defer ticker.Stop()

	before := threadCPU()
	s.take()
	close(first)
	for {
		select {
		case <-ticker.C:
			s.take()
		case <-ctx.Done():
			s.take()
			s.cpuSpent = threadCPU() - before
			return
		}
	}
}

// threadCPU returns what the calling thread used so far.
func threadCPU() time.Duration {
	const rusageThread = 1 // RUSAGE_THREAD, getrusage(2)
	var use syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// take takes one sample and writes it.
func (s *Sampler) take() {
	sample, err := s.sample()
	if err != nil {
		s.fail(err)
		return
	}
	s.samples = append(s.samples, sample)
	line, err := json.Marshal(sample)
	if err != nil {
		s.fail(err)
		return
	}
	// Flushed at once: what was measured must outlive a kill of this process.
	_, err = s.out.Write(append(line, '\n'))
	if err = errors.Join(err, s.out.Flush()); err != nil {
		s.fail(fmt.Errorf("write samples: %w", err))
	}
}

func (s *Sampler) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *Sampler) sample() (Sample, error) {
	roots := map[int]string{}
	uses := map[string]Use{}
	if s.options.Groups != nil {
		for name, pids := range s.options.Groups() {
			uses[name] = Use{}
			for _, pid := range pids {
				roots[pid] = name
			}
		}
	}
	all, err := s.proc.processes()
	if err != nil {
		return Sample{}, fmt.Errorf("read /proc: %w", err)
	}
	// The time of a sample is that of its readings, not of the tick.
	at := time.Since(s.began)
	names := s.ledger.members(all, roots)
	totals := s.ledger.update(all, names)

	for pid, name := range names {
		proc := all[pid]
		use := uses[name]
		use.RSSBytes += proc.rss
		use.Threads += proc.threads
		use.FDs += s.proc.descriptors(pid)
		use.PIDs++
		uses[name] = use
		_, older := s.ledger.zero[proc.id()]
		s.switches.add(name, proc.id(), older, s.proc.switches(pid))
	}
	s.switches.next()
	if s.details != nil {
		took := 0.0
		if n := len(s.samples); n > 0 {
			took = at.Seconds() - s.samples[n-1].T
		}
		s.details.processesOf(all, names, took)
		s.details.socketsOf(names)
	}

	for name, ticks := range totals {
		use := uses[name]
		use.CPUS = float64(ticks) / userHZ
		use.CtxSwitches = s.switches.totals[name]
		uses[name] = use
	}
	host, err := s.host()
	return Sample{T: round(at.Seconds(), 3), Processes: uses, Host: host}, err
}

// host reads the machine's use since the last call.
func (s *Sampler) host() (HostUse, error) {
	now, err := s.proc.cpu()
	if err != nil {
		return HostUse{}, fmt.Errorf("read /proc/stat: %w", err)
	}
	var use HostUse
	if len(s.samples) > 0 {
		use = now.since(s.cpu)
	}
	s.cpu = now
	use.BusyPct, use.StealPct, use.IOWaitPct = round(use.BusyPct, 1), round(use.StealPct, 1), round(use.IOWaitPct, 1)

	if text, err := s.proc.read("meminfo"); err == nil {
		use.MemAvailableBytes = labelled(text, "MemAvailable:") << 10
	}
	if text, err := s.proc.read("loadavg"); err == nil {
		// The first word; 0 where a container hides it.
		_, _ = fmt.Sscan(string(text), &use.Load1)
	}
	return use, nil
}

// Stop takes a last sample and returns what was seen. The summary is as
// complete as could be even when the error, the first one met while sampling,
// writing or reading the database, is not nil. It must be called exactly once;
// ctx bounds the reading of the database's counters.
func (s *Sampler) Stop(ctx context.Context) (*Summary, error) {
	s.stop()
	<-s.done
	s.stopped = time.Now()
	if s.file != nil {
		if err := s.file.Close(); err != nil {
			s.fail(fmt.Errorf("close the file for samples: %w", err))
		}
	}
	sum := Summarize(s.samples, s.options.Interval)
	elapsed := time.Since(s.began).Seconds()
	sum.Collector = Collector{
		CPUS:    round(s.cpuSpent.Seconds(), 4),
		CorePct: round(100*s.cpuSpent.Seconds()/elapsed, 2),
	}
	if s.options.Database != nil {
		after, err := s.options.Database(ctx)
		sum.Database = newDatabase(s.countersBefore, s.countersErr, after, err)
	}
	return sum, s.err
}

// Picture fills in what the details say. It may be called once Stop has returned.
func (s *Sampler) Picture(p *Picture) error {
	if s.details == nil {
		return nil
	}
	var err error
	p.Processes, p.Network, p.Peaks, err = s.details.finish()
	p.WindowS = round(s.stopped.Sub(s.began).Seconds(), 3)
	return err
}

// Summarize digests samples in the order in which they were taken. It works as
// well on those of a run that was killed.
func Summarize(samples []Sample, interval time.Duration) *Summary {
	sum := &Summary{
		IntervalS: interval.Seconds(),
		Samples:   len(samples),
		Timeline:  Timeline{Processes: map[string]ProcessTimeline{}},
	}
	peak := map[string]int64{}
	last := map[string]Use{}
	var busy, steal, wait, seconds float64
	for i, sample := range samples {
		if i == 0 {
			sum.Host.MemAvailableMinBytes = sample.Host.MemAvailableBytes
		}
		sum.Host.MemAvailableMinBytes = min(sum.Host.MemAvailableMinBytes, sample.Host.MemAvailableBytes)
		for name, use := range sample.Processes {
			peak[name] = max(peak[name], use.RSSBytes)
		}
		if i > 0 {
			before := samples[i-1]
			if took := sample.T - before.T; took > 0 {
				sum.Timeline.add(sample, before, took)
				busy += sample.Host.BusyPct * took
				steal += sample.Host.StealPct * took
				wait += sample.Host.IOWaitPct * took
				seconds += took
				sum.Host.StealMaxPct = max(sum.Host.StealMaxPct, sample.Host.StealPct)
			}
		}
		for name, use := range sample.Processes {
			last[name] = use
		}
	}
	if seconds > 0 {
		sum.Host.BusyPct = round(busy/seconds, 1)
		sum.Host.StealPct = round(steal/seconds, 1)
		sum.Host.IOWaitPct = round(wait/seconds, 1)
	}
	for name, use := range last {
		sum.Processes = append(sum.Processes, hotseat.ProcessUse{
			Name: name, CPUS: use.CPUS, RSSMaxBytes: peak[name], CtxSwitches: use.CtxSwitches,
		})
	}
	sort.Slice(sum.Processes, func(i, j int) bool {
		a, b := sum.Processes[i], sum.Processes[j]
		if a.CPUS != b.CPUS {
			return a.CPUS > b.CPUS
		}
		return a.Name < b.Name
	})
	return sum
}

// add appends the interval between two samples; a name that is new gets zeros
// for the time before it, one that is gone for the time after.
func (t *Timeline) add(now, before Sample, took float64) {
	length := len(t.T)
	t.T = append(t.T, now.T)
	t.BusyPct = append(t.BusyPct, now.Host.BusyPct)
	t.StealPct = append(t.StealPct, now.Host.StealPct)
	t.IOWaitPct = append(t.IOWaitPct, now.Host.IOWaitPct)
	for name := range now.Processes {
		if _, ok := t.Processes[name]; !ok {
			t.Processes[name] = ProcessTimeline{Cores: make([]float64, length), RSSBytes: make([]int64, length)}
		}
	}
	for name, line := range t.Processes {
		use := now.Processes[name]
		cores := max(0, use.CPUS-before.Processes[name].CPUS) / took
		line.Cores = append(line.Cores, round(cores, 3))
		line.RSSBytes = append(line.RSSBytes, use.RSSBytes)
		t.Processes[name] = line
	}
}

func round(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}
