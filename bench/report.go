package bench

import (
	"fmt"
	"time"

	"hotseat"
	"hotseat/bench/tally"
)

// report tells once a second how the run goes, until stop is closed.
func (r *Run) report(stop <-chan struct{}) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	total, steal := machineTime()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		r.flush()
		progress := r.progress()
		totalNow, stealNow := machineTime()
		if totalNow > total {
			progress.Steal = 100 * float64(stealNow-steal) / float64(totalNow-total)
		}
		total, steal = totalNow, stealNow
		r.events.emit(hotseat.Event{Type: hotseat.EventProgress, AtS: r.Elapsed().Seconds(), ProgressEvent: progress})
		if n := r.events.tick(); n > 0 {
			r.Log(hotseat.AudienceAdmin, "%d log lines of the last second were dropped", n)
		}
	}
}

// progress sums up the run so far.
func (r *Run) progress() *hotseat.ProgressEvent {
	r.gen.countFDs()
	t := r.newTally()
	lag := r.gen.takeLag()
	p := &hotseat.ProgressEvent{Score: r.score(t).Value(), Requests: t.Requests(), Errors: t.Failures(), Users: r.working.Load(),
		LagMS: float64(lag.Microseconds()) / 1000, CPU: used().cpu.Seconds()}
	if end := time.Duration(r.loadEnd.Load()); end > 0 {
		p.LeftS = max(0, (end - r.Elapsed()).Seconds())
		r.gen.countSecond(lag)
	}
	return p
}

// countSecond notes a second of the load in which the generator was late.
func (g *generator) countSecond(lag time.Duration) {
	if lag < 100*time.Millisecond {
		return
	}
	g.mu.Lock()
	g.laggyTime += time.Second
	g.mu.Unlock()
}

// flush tells of the points and failures that no event has told of yet.
func (r *Run) flush() {
	at := r.Elapsed()
	for _, p := range r.tally.Drain(at) {
		r.events.emit(hotseat.Event{Type: hotseat.EventPoint, AtS: at.Seconds(),
			PointEvent: &hotseat.PointEvent{Tag: p.Tag, Count: int64(p.Count)}})
	}
	for _, e := range r.failures.flush(at.Seconds()) {
		r.events.emit(e)
	}
}

// lastScore asks the author for the final score, but not for ever: a user
// that is stuck may hold what Score waits for.
func (r *Run) lastScore(t *Tally) Score {
	if r.stuck.Load() {
		return Score{}
	}
	var s Score
	if !r.within(r.contest.patience.deadlock, func() { s = r.score(t) }) {
		r.stuck.Store(true)
		r.dumpGoroutines()
		r.deadlocked("Contest.Score")
		return Score{}
	}
	return s
}

// score asks the author what has been earned so far.
func (r *Run) score(t *Tally) (s Score) {
	if r.contest.Score == nil {
		for _, tag := range r.contest.Tags {
			s.Raw += t.Points(tag)
		}
		return s
	}
	_ = r.guard(nil, func() error { // a panic has decided the verdict already
		s = r.contest.Score(r, t)
		return nil
	})
	return s
}

// endpoints returns the statistics of every endpoint.
func (r *Run) endpoints() []hotseat.Endpoint {
	ms := func(us int64) float64 { return float64(us) / 1000 }
	var out []hotseat.Endpoint
	for _, e := range r.tally.Endpoints() {
		out = append(out, endpoint(e, ms))
	}
	return out
}

func endpoint(e tally.EndpointStats, ms func(us int64) float64) hotseat.Endpoint {
	h := e.Latency
	return hotseat.Endpoint{Method: e.Method, Template: safe(e.Template, 200), Count: int64(e.Count), Errors: int64(e.Errors), Bytes: int64(e.Bytes), TotalS: e.Waited.Seconds(),
		P50MS: ms(h.ValueAtQuantile(50)), P90MS: ms(h.ValueAtQuantile(90)), P99MS: ms(h.ValueAtQuantile(99)), MaxMS: ms(h.Max())}
}

// generatorReport is what the benchmark measured about itself.
func (r *Run) generatorReport(requests int64) *hotseat.Generator {
	r.gen.countFDs()
	u := used()
	g := &hotseat.Generator{CPUS: u.cpu.Seconds(), Requests: requests, RunQueueS: u.runQueue.Seconds()}
	if g.CPUS > 0 {
		g.RequestsPerCPUS = float64(requests) / g.CPUS
	}
	for i := range r.stats {
		g.Connections += r.stats[i].Opened.Load()
		g.StaleRetries += r.stats[i].StaleRetries.Load()
	}
	g.SaturatedReason = r.gen.saturated()
	if n := r.failures.most((*failureCount).lost); g.SaturatedReason == "" && n.count > 0 {
		g.SaturatedReason = fmt.Sprintf("it lost requests of its own: %s", n.summary())
	}
	g.Saturated = g.SaturatedReason != ""
	r.gen.mu.Lock()
	g.MaxLagMS, g.MaxFileDesc = float64(r.gen.maxLag.Microseconds())/1000, r.gen.maxFDs
	r.gen.mu.Unlock()
	return g
}
