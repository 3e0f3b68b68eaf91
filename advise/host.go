package advise

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hotseat"
)

// saturated is detector 10: what limits the run, said in so many words.
func saturated(v *view) []hotseat.Finding {
	if v.limit.part == "" {
		return nil
	}
	f := hotseat.Finding{ID: v.limit.part, Subject: v.limit.part, Severity: hotseat.Note, Confidence: 0.9, Gain: v.share(v.limit.part),
		Title:    fmt.Sprintf("The CPU is the limit, and most of it goes to %s", v.limit.part),
		Evidence: []string{fmt.Sprintf("the machine was %.0f %% busy", v.Summary.Host.BusyPct)},
	}
	for _, p := range v.Result.Processes[:min(4, len(v.Result.Processes))] {
		f.Evidence = append(f.Evidence, fmt.Sprintf("%s %.1f s (%s)", p.Name, p.CPUS, percent(v.share(p.Name))))
	}
	switch {
	case v.limit.part == "benchmark":
		f.Remedy = []string{"you are faster than the benchmark on this machine: what frees CPU from your servers goes to it"}
	case isApp(v.limit.part):
		f.Remedy = []string{"profile the app: serve net/http/pprof and the next report has a flame graph"}
	}
	if v.BeforeResult != nil {
		before := newView(Input{Result: v.BeforeResult, Summary: nil}).topPart()
		if before != "" && before != v.limit.part {
			f.Evidence = append(f.Evidence, fmt.Sprintf("in the run before it was %s: the bottleneck has moved", before))
		}
	}
	return []hotseat.Finding{f}
}

// topPart is the part that used most CPU.
func (v *view) topPart() string {
	top, most := "", 0.0
	for name, s := range v.cpu {
		if name != "hotseat" && s > most {
			top, most = name, s
		}
	}
	return top
}

// hotThread is detector 11.
func hotThread(v *view) []hotseat.Finding {
	var out []hotseat.Finding
	for _, name := range slices.Sorted(maps.Keys(v.p.Processes)) {
		p := v.p.Processes[name]
		mean := 0.0
		if v.loadS > 0 {
			mean = v.cpu[name] / v.loadS
		}
		// One thread that had a whole core at its worst second, in a part that
		// never used much more than one, on a machine with room.
		if name == "benchmark" || name == "hotseat" || v.cores < 2 || p.HotThread < 0.95 || mean < 0.7 || mean > 1.15 || v.Summary.Host.BusyPct > 70 {
			continue
		}
		f := hotseat.Finding{ID: name, Subject: name, Severity: hotseat.Warning, Confidence: 0.7, Gain: 0.4,
			Title:    fmt.Sprintf("One thread of %s does all the work while a core is idle", name),
			Evidence: []string{fmt.Sprintf("a thread used %.2f cores; all of %s used %.2f on average; the machine was %.0f %% busy", p.HotThread, name, mean, v.Summary.Host.BusyPct)},
			Remedy:   []string{"more processes: app.processes in hotseat.toml, and an upstream with all of them"},
		}
		if name == subjectNginx {
			f.Remedy = []string{"worker_processes auto;"}
		}
		out = append(out, f)
	}
	return out
}

// nginxWorkers is detector 12.
func nginxWorkers(v *view) []hotseat.Finding {
	p, n := v.p.Processes[subjectNginx], v.p.Nginx
	if p == nil || n == nil || v.loadS <= 0 {
		return nil
	}
	switches := 0.0
	for _, use := range v.Result.Processes {
		if use.Name == subjectNginx {
			switches = v.perSecond(float64(use.CtxSwitches))
		}
	}
	if float64(n.Workers) <= v.cores || switches < 5000 || v.cpu[subjectNginx] > 0.6*v.loadS*min(float64(n.Workers), v.cores) {
		return nil
	}
	return []hotseat.Finding{{Subject: subjectNginx, Severity: hotseat.Note, Confidence: 0.6, Gain: 0.03,
		Title:    "nginx has more workers than it has cores",
		Evidence: []string{fmt.Sprintf("%d workers on %.0f cores, %s context switches a second", n.Workers, v.cores, count(switches))},
		Remedy:   []string{"worker_processes auto;"},
	}}
}

// appWorkers is detector 13.
func appWorkers(v *view) []hotseat.Finding {
	var out []hotseat.Finding
	for _, name := range slices.Sorted(maps.Keys(v.p.Processes)) {
		p := v.p.Processes[name]
		cpu := v.cpu[name]
		if !isApp(name) || cpu < 0.2*v.loadS {
			continue
		}
		if ratio := p.RunDelayS / cpu; ratio > 2 && p.PIDs > 3*int(v.cores) {
			out = append(out, hotseat.Finding{ID: name, Subject: subjectApp, Severity: hotseat.Warning, Confidence: 0.5, Gain: 0.05,
				Title:    fmt.Sprintf("%s has more workers than the machine can run", name),
				Evidence: []string{fmt.Sprintf("%d processes; ready to run but waiting %.1f s for %.1f s of work", p.PIDs, p.RunDelayS, cpu)},
				Remedy:   []string{"fewer workers: about two for each core if they compute, more only if they mostly wait"},
			})
		}
	}
	return out
}

// logWriters is detector 14.
func logWriters(v *view) []hotseat.Finding {
	var out []hotseat.Finding
	for _, name := range slices.Sorted(maps.Keys(v.p.Processes)) {
		p := v.p.Processes[name]
		if !isApp(name) || v.requests() < 100 {
			continue
		}
		if size, ok := v.p.LogBytes[name]; ok && float64(size)/v.requests() > 150 {
			out = append(out, hotseat.Finding{ID: name, Subject: subjectApp, Severity: hotseat.Note, Confidence: 0.7, Gain: 0.04,
				Title:    "The app writes a log line for each request",
				Evidence: []string{fmt.Sprintf("%s of log, %.0f bytes for each request; %s written in all", megabytes(float64(size)), float64(size)/v.requests(), megabytes(float64(p.WriteBytes)))},
				Remedy:   []string{"switch the framework's request log off for the final runs: nginx's access log knows the same"},
			})
		}
	}
	return out
}

// noisy is detector 16.
func noisy(v *view) []hotseat.Finding {
	h := v.Summary.Host
	var out []hotseat.Finding
	if h.StealPct > 5 || h.StealMaxPct > 30 {
		out = append(out, hotseat.Finding{ID: "steal", Subject: subjectRun, Severity: hotseat.Note, Confidence: 0.9,
			Title:    "The hypervisor took CPU away: do not trust this score",
			Evidence: []string{fmt.Sprintf("steal %.1f %% on average, %.0f %% at worst", h.StealPct, h.StealMaxPct)},
			Remedy:   []string{"run it again; compare with hotseat compare"},
		})
	}
	if h.IOWaitPct > 20 {
		out = append(out, hotseat.Finding{ID: "iowait", Subject: subjectHost, Severity: hotseat.Warning, Confidence: 0.6, Gain: h.IOWaitPct / 100,
			Title:    "The machine waits for its disk",
			Evidence: []string{fmt.Sprintf("iowait %.0f %%; Innodb_data_fsyncs +%s, Innodb_buffer_pool_reads +%s", h.IOWaitPct, count(v.status("Innodb_data_fsyncs")), count(v.status("Innodb_buffer_pool_reads")))},
			Remedy:   []string{"fewer flushes (innodb_flush_log_at_trx_commit), a larger buffer pool, fewer and smaller writes"},
		})
	}
	return out
}

// foreign is detector 15's cousin: something that is no part of the run took
// the machine.
func foreign(v *view) []hotseat.Finding {
	busy := v.Summary.Host.BusyPct / 100 * v.cores * v.loadS
	ours := v.total + v.cpu["hotseat"]
	if v.loadS < 2 || busy <= 0 || busy-ours < 0.15*v.cores*v.loadS {
		return nil
	}
	return []hotseat.Finding{{Subject: subjectRun, Severity: hotseat.Note, Confidence: 0.9,
		Title:    "Processes that are no part of the run used the machine: do not compare this score",
		Evidence: []string{fmt.Sprintf("the machine was busy for %.1f CPU seconds, of which the run's own parts explain %.1f", busy, ours)},
		Remedy:   []string{"stop what else runs here, and run again"},
	}}
}

// memory is detector 17.
func memory(v *view) []hotseat.Finding {
	var out []hotseat.Finding
	if free := float64(v.Summary.Host.MemAvailableMinBytes); free > 0 && v.Result.Host.MemoryBytes > 0 && free < 0.05*float64(v.Result.Host.MemoryBytes) {
		out = append(out, hotseat.Finding{ID: "host", Subject: subjectHost, Severity: hotseat.Warning, Confidence: 0.8, Gain: 0.1,
			Title:    "The machine is nearly out of memory",
			Evidence: []string{fmt.Sprintf("%s of %s were available at the worst moment", megabytes(free), megabytes(float64(v.Result.Host.MemoryBytes)))},
			Remedy:   []string{"smaller pools and caches, fewer workers"},
			Risk:     "what the kernel kills is the largest process, often the database",
		})
	}
	for _, name := range slices.Sorted(maps.Keys(v.p.Processes)) {
		if p := v.p.Processes[name]; v.loadS > 0 && float64(p.MajorFaults)/v.loadS > 100 {
			out = append(out, hotseat.Finding{ID: name, Subject: name, Severity: hotseat.Warning, Confidence: 0.7, Gain: 0.2,
				Title:    name + " waits for its own memory to come back from the disk",
				Evidence: []string{fmt.Sprintf("%s major page faults a second", count(v.perSecond(float64(p.MajorFaults))))},
				Remedy:   []string{"it needs less memory, or a higher limit: look for a cap in its start script or unit (MemoryMax)"},
			})
		}
	}
	for _, f := range v.Result.Failures {
		if f.Code == "server-died" && strings.Contains(f.Message, "memory") {
			out = append(out, hotseat.Finding{ID: "killed", Subject: subjectApp, Severity: hotseat.Critical, Confidence: 0.9, Gain: 1,
				Title: "A server was killed for using too much memory", Evidence: []string{f.Message},
				Remedy: []string{"find what grows (a cache without a bound, whole files in memory), or raise the cap where the rules allow"},
			})
		}
	}
	return out
}

// fileReads is detector 37.
func fileReads(v *view) []hotseat.Finding {
	var out []hotseat.Finding
	if v.requests() < 100 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(v.p.Processes)) {
		p := v.p.Processes[name]
		if !isApp(name) {
			continue
		}
		sent := 0.0
		if v.p.Access != nil {
			sent = float64(v.p.Access.Total.Bytes.Sum)
		}
		// What comes from clients and the database is read too: only far more
		// than that is files.
		database := 0.0
		if v.p.Slow != nil {
			database = float64(v.p.Slow.Total.BytesSent.Sum) * v.scale()
		}
		if each := (float64(p.ReadBytes) - sent - database) / v.requests(); each > 100<<10 {
			out = append(out, hotseat.Finding{ID: name, Subject: subjectApp, Severity: hotseat.Warning, Confidence: 0.7, Gain: 0.3 * v.appShare(),
				Title:    "The app reads files again for each request",
				Evidence: []string{fmt.Sprintf("%s read for each request in %.0f calls, beyond what came from clients and the database", megabytes(each), float64(p.ReadCalls)/v.requests())},
				Remedy:   []string{"read templates, keys, lists and pictures once at the start and keep them", "let nginx serve files"},
				Risk:     "what is kept must be read again when it changes",
			})
		}
		if forks := float64(p.Forks) / v.requests(); forks > 0.05 {
			out = append(out, hotseat.Finding{ID: name + "-forks", Subject: subjectApp, Severity: hotseat.Warning, Confidence: 0.8, Gain: 0.5 * v.appShare(),
				Title:    "The app starts programs to answer requests",
				Evidence: []string{fmt.Sprintf("at least %.2f processes for each request", forks)},
				Remedy:   []string{"do in the app what the program does (hashes, pictures)"},
			})
		}
	}
	return out
}
