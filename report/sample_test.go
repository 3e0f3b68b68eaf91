package report

import (
	"bufio"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hotseat"
	"hotseat/measure"
)

// sampleRun writes the folder of a plausible run of 60 s: a slow login page
// whose database scans its log, one broken promise if failing. Its samples and
// summary are written with package measure's own types, so that the two cannot
// drift apart unnoticed.
func sampleRun(t *testing.T, failing bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "20261121-204257-k3x9")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(7, 7))
	result := sampleResult(failing)

	var events []any
	event := func(e hotseat.Event) { events = append(events, e) }
	phase := func(name string, from, to float64, ok bool) {
		event(hotseat.Event{Type: hotseat.EventPhase, AtS: from, PhaseEvent: &hotseat.PhaseEvent{Phase: name, State: hotseat.PhaseBegin, ExpectedS: to - from}})
	}
	end := func(name string, from, to float64, ok bool) {
		event(hotseat.Event{Type: hotseat.EventPhase, AtS: to, PhaseEvent: &hotseat.PhaseEvent{Phase: name, State: hotseat.PhaseEnd, OK: ok, ElapsedS: to - from}})
	}
	phase("initialize", 0, 4.2, true)
	end("initialize", 0, 4.2, true)
	phase("verify", 4.2, 6, true)
	end("verify", 4.2, 6, true)
	phase("load", 6, 66, true)
	var score, requests, errors float64
	for s := 1; s <= 60; s++ {
		rate := 190 + 25*math.Sin(float64(s)/7) - 0.9*float64(s) + 14*random.NormFloat64()
		score += rate * 0.27
		requests += rate
		if failing && s > 40 && s%4 == 0 {
			errors += 1 + float64(s%3)
		}
		event(hotseat.Event{Type: hotseat.EventProgress, AtS: 6 + float64(s), ProgressEvent: &hotseat.ProgressEvent{
			Score: int64(score), Requests: int64(requests), Errors: int64(errors), Users: 8,
			LagMS: 1 + random.Float64(), CPU: 0.11 * float64(s), LeftS: float64(60 - s),
		}})
	}
	end("load", 6, 66, true)
	phase("report", 66, 71.5, !failing)
	end("report", 66, 71.5, !failing)
	event(hotseat.Event{Type: hotseat.EventLog, AtS: 71.5, LogEvent: &hotseat.LogEvent{Audience: hotseat.AudienceTeam, Message: "workload 1: 8 users, レポート OK"}})
	writeLines(t, filepath.Join(dir, "events.jsonl"), events)

	var samples []measure.Sample
	use := map[string]measure.Use{"mariadb": {}, "app": {}, "nginx": {}, "benchmark": {}, "hotseat": {}}
	for s := range 73 {
		load := 0.0
		if s > 6 && s <= 66 {
			load = 1
		}
		step := map[string]float64{
			"mariadb": 0.02 + 1.38*load + 0.06*random.NormFloat64()*load, "app": 0.01 + 0.24*load + 0.03*random.Float64()*load,
			"nginx": 0.035 * load, "benchmark": 0.05 + 0.11*load, "hotseat": 0.004,
		}
		if s > 0 && s <= 5 {
			step["mariadb"] = 0.75
		}
		if s > 66 {
			step["mariadb"], step["app"] = 0.9, 0.3
		}
		total := 0.0
		next := map[string]measure.Use{}
		for name, u := range use {
			cpu := max(0, step[name])
			if s > 0 {
				u.CPUS += cpu
			}
			u.RSSBytes = map[string]int64{"mariadb": 410e6, "app": 38e6, "nginx": 9e6, "benchmark": 55e6, "hotseat": 24e6}[name] + int64(s)*200e3
			u.CtxSwitches += int64(900 * cpu)
			u.Threads, u.PIDs, u.FDs = 12, 1, 40
			next[name] = u
			total += cpu
		}
		use = next
		samples = append(samples, measure.Sample{T: float64(s), Processes: use, Host: measure.HostUse{
			BusyPct: min(100, 100*(total+0.05+0.03*random.Float64())/2), StealPct: 0.3, MemAvailableBytes: 5e9, Load1: 2.1,
		}})
	}
	sum := measure.Summarize(samples, time.Second)
	sum.Collector = measure.Collector{CPUS: 0.19, CorePct: 0.26}
	sum.Database = &measure.Database{
		Counters: map[string]measure.CounterDelta{
			"Com_select":            {Before: 100, After: 41_300, Delta: 41_200},
			"Com_insert":            {Before: 0, After: 5_150, Delta: 5_150},
			"Handler_read_rnd_next": {Before: 0, After: 1_530_000_000, Delta: 1_530_000_000},
			"Innodb_os_log_fsyncs":  {Before: 10, After: 5_170, Delta: 5_160},
			"Slow_queries":          {Before: 0, After: 0, Delta: 0},
		},
		Queries: 46_350, RowsRead: 1_530_200_000, RowsPerQuery: 33014.02, ScanShare: 0.9998,
	}
	sum.Database.PerEndpoint(result.Endpoints)
	var err error
	if result.Measure, err = json.Marshal(sum); err != nil {
		t.Fatal(err)
	}
	result.Processes = sum.Processes
	lines := make([]any, len(samples))
	for i, s := range samples {
		lines[i] = s
	}
	writeLines(t, filepath.Join(dir, "samples.jsonl"), lines)

	text, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "result.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func writeLines(t *testing.T, path string, lines []any) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(file)
	encoder := json.NewEncoder(out)
	for _, line := range lines {
		if err := encoder.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// sampleResult is the result that goes with sampleRun.
func sampleResult(failing bool) *hotseat.Result {
	score := int64(2841)
	r := &hotseat.Result{
		Schema: hotseat.ResultSchema, Run: "20261121-204257-k3x9",
		Problem: "isucon4-qualifier", ProblemVersion: "1",
		StartedAt: time.Date(2026, 11, 21, 20, 42, 57, 0, time.UTC), ElapsedS: 72.4,
		Verdict: hotseat.Pass, Reason: "every promise was kept", Score: &score, RawScore: score,
		Points: map[string]int64{"success": 2790, "static": 5100},
		Phases: []hotseat.Phase{
			{Name: "initialize", ElapsedS: 4.2, OK: true}, {Name: "verify", ElapsedS: 1.8, OK: true},
			{Name: "load", ElapsedS: 60, OK: true}, {Name: "report", ElapsedS: 5.5, OK: true},
		},
		Endpoints: []hotseat.Endpoint{
			{Method: "GET", Template: "/", Count: 2800, P50MS: 3.1, P90MS: 8.9, P99MS: 31, MaxMS: 88, Bytes: 5_900_000},
			{Method: "POST", Template: "/login", Count: 2795, P50MS: 131, P90MS: 260, P99MS: 611, MaxMS: 1240, Bytes: 320_000},
			{Method: "GET", Template: "/mypage", Count: 1680, P50MS: 12.4, P90MS: 40, P99MS: 120, MaxMS: 301, Bytes: 4_200_000},
			{Method: "GET", Template: "/stylesheets/bootstrap.min.css", Count: 2800, P50MS: 1.4, P90MS: 4.4, P99MS: 17, MaxMS: 40, Bytes: 273_000_000},
			{Method: "GET", Template: "/images/isucon-bank.png", Count: 2800, P50MS: 0.9, P90MS: 3.1, P99MS: 12, MaxMS: 33, Bytes: 21_000_000},
			{Method: "GET", Template: "/report", Count: 1, P50MS: 5210, P90MS: 5210, P99MS: 5210, MaxMS: 5210, Bytes: 81_000},
		},
		Rules: map[string]int64{
			"isucon4q.login-redirect": 2795, "isucon4q.notice-exact": 1115, "isucon4q.last-login": 1680,
			"isucon4q.static-bytes": 11200, "isucon4q.report-complete": 1, "isucon4q.lock-first": 0, "isucon4q.not-modified": 0,
		},
		RuleInfo: []hotseat.Rule{
			{ID: "isucon4q.login-redirect", Text: "A login answers with a redirect: to /mypage on success, to / otherwise.", Class: hotseat.ClassContent, Semantic: true},
			{ID: "isucon4q.notice-exact", Text: "After a refused login the page shows the one notice that is due.", Class: hotseat.ClassContent, Semantic: true},
			{ID: "isucon4q.last-login", Text: "My page shows the time and address of the login before this one.", Class: hotseat.ClassConsistency, Semantic: true},
			{ID: "isucon4q.static-bytes", Text: "Static files come byte for byte as given.", Class: hotseat.ClassContent},
			{ID: "isucon4q.report-complete", Text: "The report names every locked user and every banned address.", Class: hotseat.ClassConsistency, Semantic: true},
			{ID: "isucon4q.lock-first", Text: "A locked user from a banned address is told of the ban.", Class: hotseat.ClassContent, Semantic: true},
			{ID: "isucon4q.not-modified", Text: "A 304 is only given for what the client has.", Class: hotseat.ClassCache, Conditional: true},
		},
		Generator: hotseat.Generator{CPUS: 7.1, Requests: 12876, RequestsPerCPUS: 1813, MaxLagMS: 2.1, RunQueueS: 0.8, Connections: 41, MaxFileDesc: 60},
		Host:      hotseat.Host{CPUs: 2, CPUModel: "Example CPU @ 2.90GHz", Kernel: "6.1.0-30-amd64", MemoryBytes: 8_200_000_000, Tier: "local"},
		Params:    map[string]string{"workload": "1", "rules": "strict"},
		Seed:      4242, Commit: "1f3c9ab27d5e4c0f8a11", Dirty: true, Note: "before any index", Target: "http://127.0.0.1:20080",
	}
	if !failing {
		return r
	}
	zero := int64(0)
	r.Verdict, r.Score = hotseat.Fail, &zero
	r.Reason = "a refused login showed the wrong notice: isucon4q.notice-exact was broken 17 times"
	r.Hint = "compare the order of the checks in the app with the manual: a locked account is told before a wrong password"
	r.Failures = []hotseat.FailureGroup{
		{Class: hotseat.ClassTimeout, Code: "no-answer", Side: hotseat.SideTarget, Count: 3, Message: "no answer within 10 s", Samples: []hotseat.Failure{
			{Class: hotseat.ClassTimeout, Code: "no-answer", Phase: "load", Scenario: "bank", Step: "POST /login", User: 3, AtS: 51.2, Message: "no answer within 10 s",
				Request: "POST /login HTTP/1.1\r\nHost: 127.0.0.1:20080\r\n", Curl: "curl -si http://127.0.0.1:20080/login -d login=isucon9"},
		}},
		{Class: hotseat.ClassContent, Code: "value-mismatch", Rule: "isucon4q.notice-exact", Side: hotseat.SideTarget, Count: 17,
			Message: "the notice after a refused login is another than the one due", Hint: "the lock is checked before the password",
			Samples: []hotseat.Failure{
				{Class: hotseat.ClassContent, Code: "value-mismatch", Rule: "isucon4q.notice-exact", Phase: "load", Scenario: "bank", Step: "POST /login", User: 5, StepNumber: 17, AtS: 47.313,
					Message: "the notice after a refused login is another than the one due", Expected: "This account is locked.", Actual: "Wrong username or password",
					Request: "POST /login HTTP/1.1\nHost: 127.0.0.1:20080\nX-Forwarded-For: 10.1.2.3\nContent-Type: application/x-www-form-urlencoded\n",
					Curl:    "curl -si -H 'X-Forwarded-For: 10.1.2.3' --data 'login=isucon17&password=isuconpass17' 'http://127.0.0.1:20080/login'"},
				{Class: hotseat.ClassContent, Code: "value-mismatch", Rule: "isucon4q.notice-exact", Phase: "load", Scenario: "bank", Step: "POST /login", User: 2, AtS: 52.9,
					Message: "the notice after a refused login is another than the one due", Expected: "アカウントはロックされています。", Actual: "アカウントは使えません。",
					Request: "POST /login HTTP/1.1\nHost: 127.0.0.1:20080\n", Curl: "curl -si --data 'login=isucon21&password=x' 'http://127.0.0.1:20080/login'"},
			}},
		{Class: hotseat.ClassGenerator, Code: "late-start", Side: hotseat.SideBench, Count: 1, Message: "a user started 12 ms late"},
	}
	return r
}
