package report

import (
	"maps"
	"slices"
)

// maxPoints is how many points of time a chart and its table show at most:
// more than a screen can tell apart only makes the file heavy.
const maxPoints = 120

// scoreSeries is the benchmark's progress, ready to draw: score as a sum,
// requests and errors per second and the largest lag since the point before.
type scoreSeries struct {
	T, Score, Rate, ErrorRate []float64
	Lag                       []float64 // of the benchmark itself, in milliseconds
}

func newScoreSeries(run *Run) scoreSeries {
	var s scoreSeries
	before := ProgressPoint{}
	for _, span := range run.Spans {
		if span.Name == "load" {
			before.AtS = span.From
		}
	}
	points := thin(run.Progress)
	if len(points) > 0 && points[0].AtS <= before.AtS {
		before.AtS = 0
	}
	for _, p := range points {
		took := p.AtS - before.AtS
		if took <= 0 { // two events at once, or a clock that went back
			continue
		}
		s.T = append(s.T, p.AtS)
		s.Score = append(s.Score, float64(p.Score))
		s.Rate = append(s.Rate, max(0, float64(p.Requests-before.Requests)/took))
		s.ErrorRate = append(s.ErrorRate, max(0, float64(p.Errors-before.Errors)/took))
		before = p
	}
	s.Lag = make([]float64, len(s.T))
	for _, p := range run.Progress {
		// No sum, so what thin left out would be lost.
		if i, _ := slices.BinarySearch(s.T, p.AtS); i < len(s.T) {
			s.Lag[i] = max(s.Lag[i], p.LagMS)
		}
	}
	return s
}

// thin keeps every n-th of many, and the last. Since the values are sums,
// nothing is lost but detail.
func thin[E any](all []E) []E {
	if len(all) <= maxPoints {
		return all
	}
	step := (len(all) + maxPoints - 1) / maxPoints
	var kept []E
	for i := len(all) - 1; i >= 0; i -= step {
		kept = append(kept, all[i])
	}
	slices.Reverse(kept)
	return kept
}

// cpuSeries is the use of the processors over time, in cores.
type cpuSeries struct {
	T     []float64
	Names []string // of the processes, in the order of their classes
	Cores map[string][]float64
	Busy  []float64 // of the whole machine; nil if unknown
	Steal []float64 // percent
}

// newCPUSeries takes the samples' file or, where that is gone, the timeline
// that result.json keeps.
func newCPUSeries(run *Run) cpuSeries {
	s := cpuSeries{Cores: map[string][]float64{}}
	if len(run.Samples) > 1 {
		s.fromSamples(run.Samples, float64(run.Result.Host.CPUs))
	} else {
		s.fromTimeline(&run.Measure.Timeline, float64(run.Result.Host.CPUs))
	}
	s.Names = processOrder(slices.Collect(maps.Keys(s.Cores)))
	return s
}

func (s *cpuSeries) fromSamples(samples []Sample, cpus float64) {
	for _, sample := range samples {
		for name := range sample.Processes {
			s.Cores[name] = nil
		}
	}
	step := (len(samples)-1)/maxPoints + 1
	for i := step; i < len(samples)+step-1; i += step {
		last := min(i, len(samples)-1)
		before, now := samples[i-step], samples[last]
		took := now.T - before.T
		if took <= 0 {
			continue
		}
		s.T = append(s.T, now.T)
		for name := range s.Cores {
			// A process that is not there any more keeps its sum in none of the samples.
			used := max(0, now.Processes[name].CPUS-before.Processes[name].CPUS)
			s.Cores[name] = append(s.Cores[name], used/took)
		}
		var busy, steal float64
		for j := i - step + 1; j <= last; j++ {
			share := (samples[j].T - samples[j-1].T) / took
			busy += samples[j].Host.BusyPct * share
			steal += samples[j].Host.StealPct * share
		}
		s.Busy = append(s.Busy, busy/100*cpus)
		s.Steal = append(s.Steal, steal)
	}
}

func (s *cpuSeries) fromTimeline(t *Timeline, cpus float64) {
	n := len(t.T)
	if len(t.BusyPct) != n || len(t.StealPct) != n {
		return
	}
	for name, line := range t.Processes {
		if len(line.Cores) == n && n > 0 {
			s.Cores[name] = line.Cores
		}
	}
	s.T, s.Steal = t.T, t.StealPct
	for _, pct := range t.BusyPct {
		s.Busy = append(s.Busy, pct/100*cpus)
	}
}

// otherCores is what processes that are no part of the run used.
func (s *cpuSeries) otherCores() []float64 {
	rest := make([]float64, len(s.T))
	for i, busy := range s.Busy {
		rest[i] = busy
		for _, cores := range s.Cores {
			rest[i] -= cores[i]
		}
		rest[i] = max(0, rest[i])
	}
	return rest
}

// processOrder sorts names so that a part of the stack has the same colour in
// every report of a workspace: by name, our own processes last.
func processOrder(names []string) []string {
	own := func(name string) int {
		if name == "benchmark" || name == "hotseat" {
			return 1
		}
		return 0
	}
	slices.SortFunc(names, func(a, b string) int {
		if own(a) != own(b) {
			return own(a) - own(b)
		}
		if a < b {
			return -1
		}
		return 1
	})
	return names
}

// processClasses gives each name its colour and texture.
func processClasses(run *Run, s *cpuSeries) map[string]int {
	names := map[string]bool{}
	for _, name := range s.Names {
		names[name] = true
	}
	for _, p := range run.Result.Processes {
		names[p.Name] = true
	}
	classes := map[string]int{}
	for i, name := range processOrder(slices.Collect(maps.Keys(names))) {
		classes[name] = min(i, other)
	}
	return classes
}
