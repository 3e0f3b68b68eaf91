package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"hotseat"
)

// write makes a file of a run's folder.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// cpuProfile is a profile of an app: main.handle calls json twice as long as
// it works itself; the collector takes as much as itself.
func cpuProfile(t *testing.T, file string) {
	t.Helper()
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}}
	locations := map[string]*profile.Location{}
	at := func(name string) *profile.Location {
		if locations[name] == nil {
			id := uint64(len(locations) + 1)
			f := &profile.Function{ID: id, Name: name}
			l := &profile.Location{ID: id, Line: []profile.Line{{Function: f}}}
			p.Function, p.Location, locations[name] = append(p.Function, f), append(p.Location, l), l
		}
		return locations[name]
	}
	sample := func(s float64, leafFirst ...string) {
		var stack []*profile.Location
		for _, name := range leafFirst {
			stack = append(stack, at(name))
		}
		p.Sample = append(p.Sample, &profile.Sample{Location: stack, Value: []int64{1, int64(s * 1e9)}})
	}
	sample(1, "main.handle", "net/http.serve")
	sample(2, "encoding/json.Marshal", "main.handle", "net/http.serve")
	sample(1, "runtime.gcBgMarkWorker")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(out); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// measuredRun has findings, queries, a changed configuration and a profile.
func measuredRun(t *testing.T) *Run {
	t.Helper()
	runs := t.TempDir()
	before, dir := filepath.Join(runs, "20260101-000000-aaaaaa"), filepath.Join(runs, "20260101-000100-bbbbbb")
	write(t, filepath.Join(before, "effective/etc/my.cnf"), "[mysqld]\nport=1\n")
	write(t, filepath.Join(before, "picture.json"), `{"mariadb":{"variables":{"innodb_buffer_pool_size":"128"}},"kernel":{"net.core.somaxconn":"4096"}}`)
	write(t, filepath.Join(dir, "result.json"), `{"schema":"hotseat.result/1","verdict":"pass","score":5,"findings":[
		{"id":"missing-index/books","severity":"warning","title":"No index on <books>","evidence":["12,345 rows"],"remedy":["CREATE INDEX x;"],"gain":0.4,"confidence":0.9,"folded":[{"id":"y","title":"slow page"}]}]}`)
	write(t, filepath.Join(dir, "effective/etc/my.cnf"), "[mysqld]\nport=1\ninnodb_buffer_pool_size=256\n")
	write(t, filepath.Join(dir, "effective/etc/nginx.conf"), "events {}\n")
	write(t, filepath.Join(dir, "picture.json"), `{"slow_share":0.5,"notes":["Redis's status: refused"],"mariadb":{"variables":{"innodb_buffer_pool_size":"256"}},"kernel":{"net.core.somaxconn":"4096"},
		"slow":{"entries":7,"classes":[{"id":"ABC","fingerprint":"select * from books","count":21,"share":0.75,"longest_run":9,
			"example":{"sql":"SELECT * FROM books","explain_source":"log","explain":[{"table":"books","type":"ALL","rows":"10","r_rows":"9999"}]}}]},
		"join":{"method":"estimated","edges":[{"http_method":"GET","template":"/shelf/*","query_id":"ABC","per_request":3}]}}`)
	cpuProfile(t, filepath.Join(dir, "profile-app.pb.gz"))
	write(t, filepath.Join(dir, "profile-bad.pb.gz"), "no profile")

	run, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestWhatWasMeasuredIsDrawn(t *testing.T) {
	run := measuredRun(t)
	page := render(t, run)
	for what, want := range map[string]string{
		"the finding, escaped": "No index on &lt;books&gt;", "its gain": "up to 40 %", "what it explains": "This explains: slow page",
		"calls, scaled": `<td class="n">42</td>`, "the plan": "9999", "the route": "GET /shelf/*", "that it is an estimate": "Probably sent by", "the sampling": "on for 50 % of the load",
		"a changed file": `<span class="added">&#43; innodb_buffer_pool_size=256`, "a new file": `<code>etc/nginx.conf</code> <span class="tag">new</span>`, "a changed setting": "<td>128</td><td>256</td>",
		"the run before": "20260101-000000-aaaaaa", "the flame graph": "encoding/json.Marshal: 50 %, 2.0 s", "its table": `<th scope="row"><code>encoding/json.Marshal</code></th><td class="n">50 %</td>`,
		"what was not measured": "not measured: Redis&#39;s status: refused", "a bad profile": "profile-bad.pb.gz cannot be read",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s: no %q in the page", what, want)
		}
	}
	if strings.Contains(page, "net.core.somaxconn</code>") {
		t.Error("a setting that is as it was is listed as changed")
	}

	var text strings.Builder
	if err := Terminal(&text, &run.Result, TerminalOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "next      No index on <books> (hotseat advise)") {
		t.Errorf("the terminal does not say what to do next:\n%s", text.String())
	}
}

func TestFlameTable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.pb.gz")
	cpuProfile(t, file)
	f, err := readFlame(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []flameLine{{"encoding/json.Marshal", 0.5, 0.5}, {"main.handle", 0.25, 0.75}, {"runtime.gcBgMarkWorker", 0.25, 0.25}}
	if diff := cmp.Diff(want, f.table()); diff != "" || f.Seconds != 4 {
		t.Errorf("%v s: %s", f.Seconds, diff)
	}
}

func TestDiff(t *testing.T) {
	lines := func(s string) []string { return strings.Split(s, " ") }
	for _, c := range []struct{ a, b, want string }{
		{"a b c", "a b c", ""},
		{"a b c", "a x c", " a|-b|+x| c"},
		{"a b c d e f g", "a b c d e f g h", " f| g|+h"},
		{"1 2 3 4 5 6 7 8 9", "0 1 2 3 4 5 6 7 8", "+0| 1| 2| …| 7| 8|-9"},
		{"a", "", "-a|+"},
	} {
		var got []string
		for _, l := range diff(lines(c.a), lines(c.b)) {
			got = append(got, l.Sign+l.Text)
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%q to %q: %q, want %q", c.a, c.b, s, c.want)
		}
	}
}

func TestFindingsText(t *testing.T) {
	findings := []hotseat.Finding{
		{Title: "No index", Severity: hotseat.Warning, Evidence: []string{strings.Repeat("number ", 30)}, Remedy: []string{"CREATE INDEX a;", "CREATE INDEX b;"}, Risk: "inserts", Folded: []hotseat.Finding{{Title: "slow page"}}},
		{Title: "Second"}, {Title: "Third"},
	}
	var out strings.Builder
	if err := Findings(&out, findings, []string{"the query cache", "memory"}, []string{"Redis"}, 2, TerminalOptions{Width: 60}); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{"1   No index", "    do      CREATE INDEX a;", "            CREATE INDEX b;", "    risk    inserts", "    so also slow page", "2   Second", "… and 1 finding of less weight", "fine      the query cache; memory", "not seen  Redis"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for l := range strings.Lines(text) {
		if columns(strings.TrimRight(l, "\n")) > 60 {
			t.Errorf("too wide: %q", l)
		}
	}
	out.Reset()
	if err := Findings(&out, nil, nil, nil, 0, TerminalOptions{}); err != nil || !strings.Contains(out.String(), "Nothing to say") {
		t.Errorf("%v: %q", err, out.String())
	}
}
