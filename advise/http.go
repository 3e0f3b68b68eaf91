package advise

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"hotseat"
)

// hotRoutes is detector 32: where requests' time goes, and what at most could be
// gained there.
func hotRoutes(v *view) []hotseat.Finding {
	var out []hotseat.Finding
	for i := range v.p.Access.Routes {
		r := &v.p.Access.Routes[i]
		if r.Share < 0.2 || len(out) == 3 {
			continue
		}
		t := r.Time()
		f := hotseat.Finding{ID: strings.TrimSpace(r.Method + " " + r.Template), Subject: subjectHTTP, Severity: hotseat.Note, Confidence: 0.6, Gain: r.Share * 0.5,
			Title: fmt.Sprintf("%s %s takes %s of the time of all requests", r.Method, r.Template, percent(r.Share)),
			Evidence: []string{fmt.Sprintf("%s requests, mean %.1f ms, p99 %.1f ms (access log)", count(float64(r.Count)), 1000*t.Mean, 1000*t.P99),
				fmt.Sprintf("without it the rest would go %.1f times as fast, at most (Amdahl)", 1/max(1-r.Share, 0.01))},
			Remedy: []string{},
		}
		if edges := v.queriesOfRoute(r); edges != "" {
			f.Evidence = append(f.Evidence, edges)
		}
		if r.UpstreamTime.Count > 0 && r.RequestTime.Sum > 0 {
			f.Evidence = append(f.Evidence, fmt.Sprintf("%s of that behind nginx", percent(min(r.UpstreamTime.Sum/r.RequestTime.Sum, 1))))
		}
		out = append(out, f)
	}
	return out
}

// queriesOfRoute says what a route asks of the database.
func (v *view) queriesOfRoute(r *hotseat.AccessRoute) string {
	if v.p.Join == nil {
		return ""
	}
	n, time := 0.0, 0.0
	for _, e := range v.p.Join.Edges {
		if e.HTTPMethod == r.Method && e.Template == r.Template {
			n += e.PerRequest
			time += e.ShareOfTime
		}
	}
	if n < 0.5 {
		return ""
	}
	return fmt.Sprintf("%.1f statements for each, %s of its time in the database (%s)", n, percent(min(time, 1)), v.p.Join.Method)
}

// assets are the endings of files that no app has to answer for.
var assets = []string{".css", ".js", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".webp", ".woff", ".woff2", ".ttf", ".map", ".txt"}

// staticViaApp is detector 33.
func staticViaApp(v *view) []hotseat.Finding {
	type part struct{ requests, upstream, bytes, time float64 }
	var files part
	var worst string
	most := 0.0
	for i := range v.p.Access.Routes {
		r := &v.p.Access.Routes[i]
		if !slices.Contains(assets, strings.ToLower(path.Ext(strings.TrimRight(r.Template, "*")))) && !slices.Contains(assets, strings.ToLower(path.Ext(exampleOf(r)))) {
			continue
		}
		if r.UpstreamTime.Count == 0 {
			continue
		}
		files.requests += float64(r.Count)
		files.upstream += float64(r.UpstreamTime.Count)
		files.bytes += float64(r.Bytes.Sum)
		files.time += r.Time().Sum
		if n := float64(r.UpstreamTime.Count); n > most {
			worst, most = r.Template, n
		}
	}
	total := v.p.Access.Total
	if files.upstream < 20 || files.time < 0.01*total.Time().Sum && files.bytes < 0.1*float64(total.Bytes.Sum) {
		return nil
	}
	share := files.upstream / float64(max(total.UpstreamTime.Count, 1))
	return []hotseat.Finding{{Subject: subjectHTTP, Severity: hotseat.Warning, Confidence: 0.9, Gain: 0.6 * share * v.appShare(),
		Title: "The app serves files that nginx could",
		Evidence: []string{fmt.Sprintf("%s requests for files went upstream, %s of all that did; most of them %s", count(files.upstream), percent(share), worst),
			fmt.Sprintf("%s of them, %s of all requests' time", megabytes(files.bytes), percent(files.time/max(total.Time().Sum, 1e-9)))},
		Remedy: []string{"location ~ \\.(css|js|png|jpg|ico)$ { root /path/to/public; expires 1d; }", "and open_file_cache max=1000;"},
		Risk:   "bytes must be the same, and so must the answers to conditional requests",
	}}
}

func exampleOf(r *hotseat.AccessRoute) string {
	if r.Slowest == nil {
		return ""
	}
	uri, _, _ := strings.Cut(r.Slowest.URI, "?")
	return uri
}

// serverErrors is detector 34.
func serverErrors(v *view) []hotseat.Finding {
	s := v.p.Access.Total.Status
	s.GaveUp = min(s.GaveUp, v.timeouts())
	if s.Server == 0 && float64(s.GaveUp) < 0.005*float64(v.p.Access.Requests) {
		return nil
	}
	f := hotseat.Finding{Subject: subjectHTTP, Severity: hotseat.Critical, Confidence: 0.9, Gain: min(float64(s.Server+s.GaveUp)/float64(v.p.Access.Requests), 1),
		Title:    fmt.Sprintf("%s requests failed: %s answers of 5xx, %s clients that gave up (499)", count(float64(s.Server+s.GaveUp)), count(float64(s.Server)), count(float64(s.GaveUp))),
		Evidence: []string{fmt.Sprintf("of %s in the access log", count(float64(v.p.Access.Requests)))},
		Remedy:   []string{"hotseat logs app nginx: errors cost score first, before anything that is slow"},
	}
	if s.Server == 0 {
		f.Severity = hotseat.Warning
	}
	for i := range v.p.Access.Routes {
		r := &v.p.Access.Routes[i]
		if (r.Status.Server > 0 || r.Status.GaveUp > 0 && s.GaveUp > 0) && len(f.Evidence) < 4 {
			var codes []string
			for _, code := range slices.Sorted(maps.Keys(r.Codes)) {
				if code >= "499" && len(code) == 3 && (code != "499" || s.GaveUp > 0) {
					codes = append(codes, fmt.Sprintf("%s × %s", count(float64(r.Codes[code])), code))
				}
			}
			f.Evidence = append(f.Evidence, fmt.Sprintf("%s %s: %s", r.Method, r.Template, strings.Join(codes, ", ")))
		}
	}
	if v.p.Nginx != nil {
		for _, k := range v.p.Nginx.Errors {
			if !strings.Contains(k.Text, bufferedToFile) { // a warning, which fails nothing
				f.Evidence = append(f.Evidence, fmt.Sprintf("nginx's error log, %s ×: %s", count(float64(k.Count)), clip(k.Text, 140)))
				break
			}
		}
	}
	return []hotseat.Finding{f}
}

// timeouts counts the requests that the benchmark gave up. Those that it cut at the
// end of the load are 499 in nginx's log as well, and failed nobody.
func (v *view) timeouts() (n int64) {
	for i := range v.Result.Failures {
		if f := &v.Result.Failures[i]; f.Class == hotseat.ClassTimeout {
			n += f.Count
		}
	}
	return n
}

// bufferedToFile is what nginx's error log says of bodies that its buffers did
// not hold.
const bufferedToFile = "buffered to a temporary file"

// proxyOverhead is detector 35.
func proxyOverhead(v *view) []hotseat.Finding {
	spilled, _ := v.errorLines(bufferedToFile)
	t := v.p.Access.Total
	if spilled == 0 {
		return nil
	}
	return []hotseat.Finding{{Subject: subjectNginx, Severity: hotseat.Warning, Confidence: 0.9, Gain: 0.05,
		Title:    "nginx writes bodies to temporary files",
		Evidence: []string{fmt.Sprintf("%s × \"buffered to a temporary file\"; largest answer %s, largest request %s", count(float64(spilled)), megabytes(float64(t.Bytes.Max)), megabytes(float64(t.RequestBytes.Max)))},
		Remedy:   []string{"proxy_buffers 8 64k; proxy_buffer_size 64k; client_body_buffer_size 1m;", "or serve what is large from disk in the first place"},
	}}
}

// retriesUpstream tells of requests that nginx sent more than once.
func retriesUpstream(v *view) []hotseat.Finding {
	t := v.p.Access.Total
	if t.Retries == 0 || float64(t.Retries) < 0.001*float64(t.Count) {
		return nil
	}
	return []hotseat.Finding{{Subject: subjectNginx, Severity: hotseat.Warning, Confidence: 0.8, Gain: min(float64(t.Retries)/float64(t.Count), 0.5),
		Title:    "nginx sent requests again because an upstream failed",
		Evidence: []string{fmt.Sprintf("%s retries among %s requests ($upstream_response_time has several times)", count(float64(t.Retries)), count(float64(t.Count)))},
		Remedy:   []string{"the app closes kept connections before nginx does, or refuses them: raise its keep-alive time above keepalive_timeout", "hotseat logs nginx app"},
	}}
}

// bigAnswers tells of answers that a network would feel; this machine.s loopback
// does not.
func bigAnswers(v *view) []hotseat.Finding {
	t := v.p.Access.Total
	rate := v.perSecond(float64(t.Bytes.Sum))
	if rate < 80<<20 {
		return nil
	}
	return []hotseat.Finding{{Subject: subjectHTTP, Severity: hotseat.Note, Confidence: 0.5, Gain: 0.1,
		Title:    "The answers are as many bytes as a gigabit network carries",
		Evidence: []string{fmt.Sprintf("%s a second; encodings %s", megabytes(rate), encodings(t.Encodings))},
		Remedy:   []string{"gzip_static on; or gzip at level 1 for text", "304 answers for what clients have: etag and expires"},
		Risk:     "compression costs CPU: measure it",
	}}
}

func encodings(m map[string]int64) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %s", name, count(float64(m[name]))))
	}
	return strings.Join(parts, ", ")
}

// redisTalk is detector 38.
func redisTalk(v *view) []hotseat.Finding {
	r := v.p.Redis
	var out []hotseat.Finding
	each := float64(r.Counters["total_commands_processed"]) / max(v.requests(), 1)
	if each > 5 {
		out = append(out, hotseat.Finding{ID: "round-trips", Subject: subjectRedis, Severity: hotseat.Warning, Confidence: 0.6, Gain: 0.1,
			Title:    "Many round trips to Redis for each request",
			Evidence: []string{fmt.Sprintf("%.1f commands for each request", each)},
			Remedy:   []string{"pipelines, MGET, or a Lua script; keep what rarely changes in the app"},
		})
	}
	if n := r.Counters["evicted_keys"]; n > 0 {
		out = append(out, hotseat.Finding{ID: "evicted", Subject: subjectRedis, Severity: hotseat.Warning, Confidence: 0.9, Gain: 0.1,
			Title:    "Redis threw keys away for want of memory",
			Evidence: []string{fmt.Sprintf("evicted_keys +%s, maxmemory %s", count(float64(n)), megabytes(float64(r.Gauges["maxmemory"])))},
			Remedy:   []string{"raise maxmemory, or store less"},
			Risk:     "if it holds what is stored nowhere else, data are being lost",
		})
	}
	if v.Before != nil && v.Before.Redis != nil {
		for _, name := range []string{"appendonly", "save"} {
			if was, is := v.Before.Redis.Settings[name], r.Settings[name]; was != is {
				out = append(out, hotseat.Finding{ID: "persistence", Subject: subjectRedis, Severity: hotseat.Warning, Confidence: 0.9,
					Title:    "Redis's persistence is not what it was in the run before",
					Evidence: []string{fmt.Sprintf("%s was %q, is %q", name, was, is)},
					Remedy:   []string{"set it in the configuration file; a score without persistence may not count"},
				})
			}
		}
	}
	return out
}

// cacheMisses tells of a memcached that hardly ever knows.
func cacheMisses(v *view) []hotseat.Finding {
	m := v.p.Memcached
	hits, misses := float64(m.Counters["get_hits"]), float64(m.Counters["get_misses"])
	if hits+misses < 500 || hits > misses {
		return nil
	}
	return []hotseat.Finding{{Subject: "memcached", Severity: hotseat.Note, Confidence: 0.7, Gain: 0.05,
		Title:    "memcached is asked for what it does not have",
		Evidence: []string{fmt.Sprintf("get_hits +%s, get_misses +%s, evictions +%s", count(hits), count(misses), count(float64(m.Counters["evictions"])))},
		Remedy:   []string{"do the keys that are set and those that are asked for agree? do entries expire before they are used?"},
	}}
}

// everNew are variables of MariaDB that are different without anyone's doing.
var everNew = []string{"timestamp", "slow_query_log_file", "server_uid", "rand_seed1", "rand_seed2", "pseudo_thread_id"}

// listed is a directive as often as it is there.
func listed(values []string) string {
	if len(values) == 0 {
		return "not set"
	}
	return clip(strings.Join(values, " | "), 40)
}

// drift is detector 39: what is different from the run before.
func drift(v *view) []hotseat.Finding {
	if v.Before == nil || v.BeforeResult == nil {
		return nil
	}
	var changed []string
	if b, p := v.Before.MariaDB, v.p.MariaDB; b != nil && p != nil {
		for _, name := range slices.Sorted(maps.Keys(p.Variables)) {
			if b.Variables[name] != p.Variables[name] && !strings.HasPrefix(name, "gtid_") && !slices.Contains(everNew, name) {
				changed = append(changed, fmt.Sprintf("MariaDB %s: %s → %s", name, b.Variables[name], p.Variables[name]))
			}
		}
		changed = append(changed, indexChanges(newCatalog(b), newCatalog(p))...)
	}
	if b, p := v.Before.Nginx, v.p.Nginx; b != nil && p != nil {
		names := maps.Clone(p.Config)
		maps.Copy(names, b.Config)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if !slices.Equal(b.Config[name], p.Config[name]) && name != "access_log" && name != "log_format" && name != "location" {
				changed = append(changed, fmt.Sprintf("nginx %s: %s → %s", name, listed(b.Config[name]), listed(p.Config[name])))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.p.Kernel)) {
		if b := v.Before.Kernel[name]; b != "" && b != v.p.Kernel[name] && !strings.HasSuffix(name, "_count") && name != "fs.file-nr" {
			changed = append(changed, fmt.Sprintf("%s: %s → %s", name, b, v.p.Kernel[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.p.Effective)) {
		if isApp(name) && v.Before.Effective[name] != v.p.Effective[name] {
			changed = append(changed, name+" was built anew")
		}
	}
	if len(changed) == 0 {
		return nil
	}
	const most = 8
	f := hotseat.Finding{Subject: subjectRun, Severity: hotseat.Note, Confidence: 1,
		Title: fmt.Sprintf("%d things are different from the run before", len(changed)), Evidence: changed}
	if len(changed) == 1 {
		f.Title = "One thing is different from the run before"
	}
	if len(changed) > most {
		f.Evidence = slices.Concat(changed[:most], []string{fmt.Sprintf("and %d more", len(changed)-most)})
	}
	return []hotseat.Finding{f}
}

func indexChanges(before, now *catalog) []string {
	flat := func(c *catalog) map[string]string {
		all := map[string]string{}
		for _, list := range c.indexes {
			for _, x := range list {
				all[x.Table+"."+x.Name] = strings.Join(x.Columns, ", ")
			}
		}
		return all
	}
	a, b := flat(before), flat(now)
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if a[name] != b[name] {
			changed = append(changed, fmt.Sprintf("index %s (%s)", name, b[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if _, there := b[name]; !there {
			changed = append(changed, fmt.Sprintf("index %s is gone", name))
		}
	}
	return changed
}

// trust is detector 40: how far the score can be believed.
func trust(v *view) []hotseat.Finding {
	var out []hotseat.Finding
	if rates := v.rates(); len(rates) >= 20 {
		quarter := len(rates) / 4
		first, last := mean(rates[:quarter]), mean(rates[len(rates)-quarter:])
		if first > 0 && last/first > 1.15 {
			out = append(out, hotseat.Finding{ID: "warm-up", Subject: subjectRun, Severity: hotseat.Note, Confidence: 0.6,
				Title:    "The stack was still getting faster at the end of the run",
				Evidence: []string{fmt.Sprintf("CPU of the stack in the last quarter %.2f × that in the first", last/first)},
				Remedy:   []string{"caches and pools fill during the run: warm them when the app starts or initialises"},
			})
		}
	}
	if v.p.SlowShare > 0 && v.p.SlowShare < 0.95 {
		out = append(out, hotseat.Finding{ID: "sampled", Subject: subjectRun, Severity: hotseat.Note, Confidence: 1,
			Title:    "The slow log was on in turns only, to stay cheap",
			Evidence: []string{fmt.Sprintf("%s of the load; counts of statements are scaled from that", percent(v.p.SlowShare))},
		})
	}
	return out
}

// rates is the app's CPU each second under load: a closed load does as much work
// as the stack allows.
func (v *view) rates() []float64 {
	var sum []float64
	for name, line := range v.Summary.Timeline.Processes {
		if !isApp(name) {
			continue
		}
		for i, c := range line.Cores {
			if i >= len(sum) {
				sum = append(sum, 0)
			}
			sum[i] += c
		}
	}
	return sum
}

func mean(x []float64) float64 {
	s := 0.0
	for _, f := range x {
		s += f
	}
	return s / float64(max(len(x), 1))
}
