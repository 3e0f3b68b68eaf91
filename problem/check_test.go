package problem

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hotseat"
)

func TestProtocolComplaints(t *testing.T) {
	p, err := newProtocol()
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		`{"event":"log","at_s":1,"audience":"team","message":"x"}`:            "",
		`{"event":"log","at_s":1,"audience":"team","message":"x","more":[1]}`: "",
		`hello`:                             "is not JSON",
		``:                                  "is not JSON",
		`[1]`:                               "is no JSON object",
		`{"at_s":1}`:                        `has no member "event"`,
		`{"event":"colour","at_s":1}`:       `is of the unknown event "colour"`,
		`{"event":"log","audience":"team"}`: `(log) missing property 'message'`,
		`{"event":"log","audience":"team","message":"x"}`:           `(log) has no number "at_s"`,
		`{"event":"log","at_s":1,"audience":"press","message":"x"}`: `(log) audience: value must be one of 'team', 'admin'`,
		`{"event":"phase","at_s":1,"phase":"load","state":"begin"}`: `(phase) missing property 'ok'`,
		`{"event":"point","at_s":1,"tag":"x","count":0}`:            `(point) count: minimum: got 0, want 1`,
		`{"id":1,"ok":true}`: `has no member "event"`,
		`{"event":"verdict","at_s":1,"verdict":"pass","reason":"r"}`:         `(verdict) missing properties 'score', 'raw_score', 'deduction'`,
		`{"event":"log","at_s":-1,"audience":"team","message":"x"}`:          `(log) at_s: minimum: got -1, want 0`,
		`{"event":"log","at_s":1,"audience":"team","message":"x"} and so on`: "is not JSON",
	} {
		if got := p.check([]byte(line)); got != want {
			t.Errorf("%s\ngot  %q\nwant %q", line, got, want)
		}
	}
}

// fakeStage plays what a test says.
type fakeStage struct {
	built bool
	up    error
	play  func(ctx context.Context, a Attempt) (Performance, error)
}

func (s *fakeStage) Up(context.Context) (bool, error) { return s.built, s.up }
func (s *fakeStage) Play(ctx context.Context, a Attempt) (Performance, error) {
	return s.play(ctx, a)
}

// Lines of a benchmark.
const (
	begin       = `{"event":"phase","at_s":0,"phase":"load","state":"begin","ok":true}`
	pass        = `{"event":"verdict","at_s":1,"verdict":"pass","reason":"all well","score":3,"raw_score":3,"deduction":0}`
	fails       = `{"event":"verdict","at_s":1,"verdict":"fail","reason":"nothing there","score":0,"raw_score":0,"deduction":0}`
	infra       = `{"event":"verdict","at_s":1,"verdict":"infra","reason":"I do not know","score":null,"raw_score":0,"deduction":0}`
	interrupted = `{"event":"verdict","at_s":1,"verdict":"infra","reason":"interrupted","score":null,"raw_score":0,"deduction":0}`
)

// script is what a benchmark does: in the run against the given app, when
// interrupted, and against targets that are none. A script that has no lines is that
// of a good benchmark.
type script struct {
	given, cut, bad             []string
	givenExit, cutExit, badExit int
}

func (s script) play(ctx context.Context, a Attempt) (Performance, error) {
	lines, exit, verdict := s.given, s.givenExit, hotseat.Pass
	switch {
	case a.Target != "":
		lines, exit, verdict = s.bad, s.badExit, hotseat.Fail
		if lines == nil {
			lines, exit = []string{fails}, 1
		}
	case a.Duration == longLoad:
		verdict = hotseat.Infra
		if lines, exit = s.cut, s.cutExit; lines == nil {
			lines, exit = []string{begin, "…", interrupted}, 130
		}
	case lines == nil:
		lines = []string{begin, pass}
	}
	for _, l := range lines {
		if l == "…" { // until told to end
			<-ctx.Done()
			continue
		}
		for _, v := range []hotseat.Verdict{hotseat.Pass, hotseat.Fail, hotseat.Infra} {
			if strings.Contains(l, `"verdict":"`+string(v)+`"`) {
				verdict = v
			}
		}
		a.Line([]byte(l))
	}
	if exit == 99 {
		return Performance{}, hotseat.Invalid("try another", "no such mood")
	}
	return Performance{Verdict: verdict, Reason: "because", Exit: exit}, nil
}

// summary is what was found wrong, and by what names all was found.
func summary(findings []Finding) (names, wrong string) {
	var all, bad []string
	for _, f := range findings {
		all = append(all, f.Name)
		if !f.OK {
			bad = append(bad, f.Name+": "+f.Found)
		}
	}
	return strings.Join(slices.Compact(all), ", "), strings.Join(bad, "\n")
}

func newPython(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mine")
	if _, err := New(dir, NewOptions{Language: "python"}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCheckOfTheBenchmark(t *testing.T) {
	const all = "manifest, files, app, stack, protocol, exit status, given app, interruption, empty target, dead target"
	dir := newPython(t)
	for name, c := range map[string]struct {
		script
		names string // "": all
		wrong []string
	}{
		"a good one": {},
		"garbage": {script: script{given: []string{"hello", begin, `{"event":"point","at_s":1,"tag":"x","count":-3}`, pass}},
			wrong: []string{"protocol: line 1 is not JSON: hello", "protocol: line 3 (point) count: minimum: got -3, want 1"}},
		"phases that overlap": {script: script{given: []string{begin, begin, pass}}, wrong: []string{"protocol: line 2 begins a phase while load goes on"}},
		"an end of nothing": {script: script{given: []string{strings.Replace(begin, "begin", "end", 1), pass}},
			wrong: []string{"protocol: line 1 ends a phase that is not going on"}},
		"words after the verdict": {script: script{given: []string{begin, pass, begin}}, wrong: []string{"protocol: line 3 comes after the verdict"}},
		"another status":          {script: script{givenExit: 1}, wrong: []string{"exit status: status 1 after verdict pass, which wants 0"}},
		"killed":                  {script: script{givenExit: -1}, wrong: []string{"exit status: it was killed after its verdict pass"}},
		"no verdict": {script: script{given: []string{begin}, givenExit: 139}, names: "manifest, files, app, stack, exit status, given app, interruption, empty target, dead target",
			wrong: []string{"exit status: it ended with status 139 and printed no verdict"}},
		"refuses the given app": {script: script{given: []string{begin, fails}, givenExit: 1}, names: "manifest, files, app, stack, protocol, exit status, given app",
			wrong: []string{"given app: fail: because"}},
		"refuses its input": {script: script{given: []string{}, givenExit: 99}, names: "manifest, files, app, stack, benchmark",
			wrong: []string{"benchmark: no such mood"}},
		"deaf":                 {script: script{cut: []string{begin, "…"}, cutExit: -1}, wrong: []string{"interruption: it did not end by itself"}},
		"passes when cut":      {script: script{cut: []string{begin, "…", pass}}, wrong: []string{"interruption: verdict pass: all well"}},
		"wrong status at cut":  {script: script{cut: []string{begin, "…", interrupted}, cutExit: 1}, wrong: []string{"interruption: status 1 after verdict infra, which wants 130"}},
		"no load":              {script: script{cut: []string{pass}}, wrong: []string{"interruption: there is no phase called load"}},
		"passes nothing":       {script: script{bad: []string{pass}}, wrong: []string{"empty target: a server that answers everything with an empty page passes", "dead target: a port where nobody listens passes"}},
		"infra about nothing":  {script: script{bad: []string{infra}, badExit: 3}, wrong: []string{"empty target: a server that answers everything with an empty page is infra", "dead target: a port"}},
		"garbage about others": {script: script{bad: []string{"oops", fails}, badExit: 1}, wrong: []string{"empty target: line 1 is not JSON: oops", "dead target: line 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := 0
			findings, err := Check(t.Context(), dir, CheckOptions{Duration: time.Second, Tell: func(Finding) { told++ },
				Open: func(*Problem) Stage { return &fakeStage{built: true, play: c.play} }})
			if err != nil {
				t.Fatal(err)
			}
			names, wrong := summary(findings)
			want := c.names
			if want == "" {
				want = all
			}
			if diff := cmp.Diff(want, names); diff != "" {
				t.Errorf("looked at (-want +got):\n%s", diff)
			}
			lines := strings.Split(wrong, "\n")
			if wrong == "" {
				lines = nil
			}
			if len(lines) != len(c.wrong) {
				t.Fatalf("found wrong:\n%s", wrong)
			}
			for i, w := range c.wrong {
				if !strings.HasPrefix(lines[i], w) {
					t.Errorf("want %q, got %q", w, lines[i])
				}
			}
			if told != len(findings) || AllRight(findings) != (len(c.wrong) == 0) {
				t.Errorf("told %d of %d findings; all right: %v", told, len(findings), AllRight(findings))
			}
			for _, f := range findings {
				if !f.OK && f.Hint == "" {
					t.Errorf("no hint: %+v", f)
				}
			}
		})
	}
}

func TestCheckOfTheFolder(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		wrong []string
	}{
		"no rules":      {remove("README.md"), []string{"files: README.md is missing"}},
		"no app":        {remove("app"), []string{"files: app/go, the app, is missing"}},
		"no benchmark":  {remove("scenario/benchmark.py"), []string{"files: ./scenario/benchmark.py cannot be run: it is missing"}},
		"not the right": {chmod("scenario/benchmark.py"), []string{"files: ./scenario/benchmark.py cannot be run: it is not executable"}},
		"two mistakes": {func(t *testing.T, dir string) {
			remove("README.md")(t, dir)
			remove("app")(t, dir)
		}, []string{"files: README.md", "files: app/go"}},
		"a broken manifest": {edit("version =", "edition ="), []string{"manifest: "}},
		"a program that is not there": {edit(`"./scenario/benchmark.py"`, `"no-such-interpreter", "x.py"`),
			[]string{`files: no-such-interpreter cannot be run: exec: "no-such-interpreter"`}},
		"a server without configuration": {edit("[benchmark]", "[service.nginx]\nconfig = \"etc/nginx.conf\"\nport = \"app\"\n\n[benchmark]"),
			[]string{"files: etc/nginx.conf is missing"}},
		"an init script that is missing": {edit("[benchmark]", "[init]\ncommand = [\"./init.sh\"]\ntimeout_s = 5\n\n[benchmark]"),
			[]string{"files: ./init.sh is missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newPython(t)
			c.spoil(t, dir)
			findings, err := Check(t.Context(), dir, CheckOptions{Duration: time.Second, Open: func(*Problem) Stage {
				t.Error("went on to the stack")
				return &fakeStage{}
			}})
			if err != nil && len(findings) == 0 {
				t.Fatal(err)
			}
			_, wrong := summary(findings)
			lines := strings.Split(wrong, "\n")
			if len(lines) != len(c.wrong) {
				t.Fatalf("found wrong:\n%s", wrong)
			}
			for i, w := range c.wrong {
				if !strings.HasPrefix(lines[i], w) {
					t.Errorf("want %q, got %q", w, lines[i])
				}
			}
		})
	}
}

func remove(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func chmod(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.Chmod(filepath.Join(dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// edit replaces the first occurrence in problem.toml.
func edit(from, to string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		file := filepath.Join(dir, "problem.toml")
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), from) {
			t.Fatal(err, string(text))
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), from, to, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCheckOfTheStack(t *testing.T) {
	dir := newPython(t)
	for name, c := range map[string]struct {
		stage fakeStage
		names string
		wrong string
	}{
		"does not build":   {fakeStage{up: hotseat.Invalid("mend it", "the app does not build").WithDetail("main.go:3: oops")}, "manifest, files, app", "app: the app does not build\nmain.go:3: oops"},
		"does not come up": {fakeStage{built: true, up: errors.New("app died")}, "manifest, files, app, stack", "stack: app died"},
	} {
		t.Run(name, func(t *testing.T) {
			findings, err := Check(t.Context(), dir, CheckOptions{Duration: time.Second, Open: func(*Problem) Stage { return &c.stage }})
			if err != nil {
				t.Fatal(err)
			}
			if names, wrong := summary(findings); names != c.names || wrong != c.wrong {
				t.Errorf("got %s; %s", names, wrong)
			}
		})
	}
}

func TestCheckOfNothing(t *testing.T) {
	_, err := Check(t.Context(), t.TempDir(), CheckOptions{})
	if hotseat.CodeOf(err) != hotseat.CodeNotFound {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Check(ctx, newPython(t), CheckOptions{Duration: time.Second, Open: func(*Problem) Stage {
		return &fakeStage{built: true, play: func(ctx context.Context, a Attempt) (Performance, error) {
			cancel() // by the user
			return Performance{Verdict: hotseat.Infra}, nil
		}}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestDeadPort(t *testing.T) {
	address, release, err := deadPort()
	if err != nil {
		t.Fatal(err)
	}
	if l, err := net.Listen("tcp", address); err == nil {
		_ = l.Close()
		t.Error("somebody may listen there")
	}
	if conn, err := net.Dial("tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("connected: %v, %v", conn, err)
	}
	release()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("after the release: %v", err)
	}
	_ = l.Close()
}
