package problem

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hotseat"
)

// Finding is one thing that [Check] looked at.
type Finding struct {
	Name  string `json:"name"`
	OK    bool   `json:"ok"`
	Found string `json:"found"`
	Hint  string `json:"hint,omitempty"` // what to do if it is wrong
}

// Stage is where [Check] tries a problem out: a workspace of it and its stack.
type Stage interface {
	// Up builds the app and starts the stack. built tells whether at least the
	// building went well.
	Up(ctx context.Context) (built bool, err error)
	// Play runs the benchmark. An error means that there was no run.
	Play(ctx context.Context, a Attempt) (Performance, error)
}

// Attempt is one run of the benchmark.
type Attempt struct {
	Target   string // URL; empty: the stack of the stage
	Duration time.Duration
	Line     func(line []byte) // is given each line that it prints
}

// Performance is what came of an [Attempt].
type Performance struct {
	Verdict hotseat.Verdict
	Reason  string
	Hint    string
	Exit    int // status of the benchmark, -1 if a signal ended it
}

// CheckOptions are the choices of [Check].
type CheckOptions struct {
	Duration time.Duration          // of the load of each run
	Open     func(p *Problem) Stage // called once, when the folder itself is right
	Tell     func(f Finding)        // is given each finding as it comes
}

// Check verifies the problem in a folder: that it is complete, that its app
// builds and runs, and that its benchmark speaks the protocol and judges as it
// must. It stops where going on makes no sense. A finding that is not right is
// no error; an error means that nothing can be said, for instance because there is
// no problem in that folder or ctx is done.
func Check(ctx context.Context, dir string, o CheckOptions) ([]Finding, error) {
	proto, err := newProtocol()
	if err != nil {
		return nil, err
	}
	c := &checker{CheckOptions: o, protocol: proto}
	if err := c.run(ctx, dir); err != nil {
		return c.findings, err
	}
	return c.findings, ctx.Err()
}

// checker is one execution of Check.
type checker struct {
	CheckOptions
	protocol *protocol
	findings []Finding
}

func (c *checker) right(name, format string, args ...any) {
	c.tell(Finding{Name: name, OK: true, Found: fmt.Sprintf(format, args...)})
}

func (c *checker) wrong(name, hint, format string, args ...any) {
	c.tell(Finding{Name: name, Found: fmt.Sprintf(format, args...), Hint: hint})
}

// wrongError makes a finding of an error.
func (c *checker) wrongError(name string, err error) {
	text := err.Error()
	var known *hotseat.Error
	if errors.As(err, &known) && known.Detail != "" {
		text += "\n" + known.Detail
	}
	c.wrong(name, hotseat.HintOf(err), "%s", text)
}

func (c *checker) tell(f Finding) {
	c.findings = append(c.findings, f)
	if c.Tell != nil {
		c.Tell(f)
	}
}

func (c *checker) run(ctx context.Context, dir string) error {
	p, err := Open(dir)
	if hotseat.CodeOf(err) == hotseat.CodeNotFound || err != nil && hotseat.CodeOf(err) != hotseat.CodeInvalid {
		return err
	}
	if err != nil {
		c.wrongError("manifest", err)
		return nil
	}
	c.right("manifest", "%s: %s, version %s", p.ID, p.Title, p.Version)
	if !c.files(p) {
		return nil
	}
	stage := c.Open(p)
	built, err := stage.Up(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !built:
		c.wrongError("app", err)
		return nil
	case err != nil:
		c.right("app", "builds")
		c.wrongError("stack", err)
		return nil
	}
	c.right("app", "builds")
	c.right("stack", "comes up")
	return c.benchmark(ctx, stage)
}

// files looks for what the manifest names.
func (c *checker) files(p *Problem) bool {
	ok := true
	miss := func(hint, format string, args ...any) {
		ok = false
		c.wrong("files", hint, format, args...)
	}
	there := func(name string) bool {
		_, err := fs.Stat(p.Files, path.Clean(name))
		return err == nil
	}
	if !there("README.md") {
		miss("it is what a contestant reads: the story, what must hold, the score", "README.md is missing")
	}
	for _, lang := range p.Languages {
		if entries, err := fs.ReadDir(p.Files, "app/"+lang); err != nil || len(entries) == 0 {
			miss("languages in problem.toml lists it", "app/%s, the app, is missing", lang)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Services)) {
		s := p.Services[name]
		if s.Config != "" && !there(s.Config) {
			miss("service."+name+".config in problem.toml names it", "%s is missing", s.Config)
		}
	}
	for _, script := range []struct {
		key  string
		argv []string
	}{{"init.command", p.Init.Command}, {"data.load", p.Data.Load}} {
		if argv := script.argv; len(argv) > 0 && strings.Contains(argv[0], "/") && !path.IsAbs(argv[0]) && len(p.Data.Workspace) == 0 && !there(argv[0]) {
			miss(script.key+" in problem.toml names it", "%s is missing", argv[0])
		}
	}
	if name := p.Judge.Patch; name != "" && !there(name) {
		miss("judge.patch in problem.toml names it", "%s is missing", name)
	}
	if len(p.Benchmark.Command) == 0 {
		miss(`[benchmark] command = ["./benchmark"]: any executable that speaks docs/protocol.md`, "there is no benchmark")
	}
	for _, program := range []struct {
		key  string
		argv []string
	}{{"benchmark.command", p.Benchmark.Command}, {"data.generator", p.Data.Generator}} {
		if len(program.argv) == 0 {
			continue
		}
		if err := executable(p.Dir, program.argv[0]); err != nil {
			miss(program.key+" in problem.toml names it; chmod +x makes it executable", "%s cannot be run: %v", program.argv[0], err)
		}
	}
	if ok {
		c.right("files", "all that problem.toml names is there")
	}
	return ok
}

// executable tells whether a program can be run: a path from the problem's
// folder, or a name to be found on PATH.
func executable(dir, name string) error {
	if !strings.ContainsRune(name, filepath.Separator) {
		_, err := exec.LookPath(name)
		return err
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("it is missing")
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
		return errors.New("it is not executable")
	}
	return nil
}

// benchmark plays the benchmark against the app as given, against targets that
// are none, and ends it early.
func (c *checker) benchmark(ctx context.Context, stage Stage) error {
	t := &transcript{protocol: c.protocol}
	p, err := stage.Play(ctx, Attempt{Duration: c.Duration, Line: t.add})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && t.lines == 0 {
		c.wrongError("benchmark", err)
		return nil
	}
	for _, what := range t.wrong {
		c.wrong("protocol", "docs/protocol.md describes each line, docs/protocol.schema.json exactly", "%s", what)
	}
	if t.wrong == nil && t.verdict != nil {
		c.right("protocol", "each of %d lines is as it should be, the last one a verdict", t.lines)
	}
	if err != nil {
		c.wrongError("given app", err)
		return nil
	}
	if what := t.status(p.Exit); what != "" {
		c.wrong("exit status", "0 pass, 1 fail, 2 it could not start, 3 infra, 130 interrupted", "%s", what)
	} else {
		c.right("exit status", "%d after verdict %s", p.Exit, t.verdict.Verdict)
	}
	if p.Verdict != hotseat.Pass {
		hint := p.Hint
		if hint == "" {
			hint = "the app as given keeps every promise, or nobody can tell what is wanted"
		}
		c.wrong("given app", hint, "%s: %s", p.Verdict, p.Reason)
		return nil
	}
	c.right("given app", "passes: %s", p.Reason)
	for _, trial := range []func(context.Context, Stage) error{c.interruption, c.emptyTarget, c.deadTarget} {
		if err := trial(ctx, stage); err != nil {
			return err
		}
	}
	return nil
}

// Times of the early end.
const (
	beforeInterrupt = 300 * time.Millisecond // into the load
	longLoad        = time.Minute            // that is cut short
)

// interruption ends the benchmark in the middle of its load.
func (c *checker) interruption(ctx context.Context, stage Stage) error {
	const name = "interruption"
	running, interrupt := context.WithCancel(ctx)
	defer interrupt()
	t := &transcript{protocol: c.protocol}
	var timer *time.Timer
	p, err := stage.Play(running, Attempt{Duration: longLoad, Line: func(line []byte) {
		t.add(line)
		if t.loading && timer == nil {
			timer = time.AfterFunc(beforeInterrupt, interrupt)
		}
	}})
	if timer != nil {
		timer.Stop()
	}
	const hint = "on SIGTERM, SIGINT and the end of standard input: verdict infra, reason interrupted, status 130"
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		c.wrongError(name, err)
	case timer == nil:
		c.wrong(name, `tell of the load: {"event":"phase","at_s":0.5,"phase":"load","state":"begin","ok":true}`, "there is no phase called load to interrupt")
	case p.Exit < 0 || t.verdict == nil:
		c.wrong(name, hint, "it did not end by itself within 3 s of SIGTERM")
	case t.verdict.Verdict != hotseat.Infra || t.verdict.Reason != hotseat.ReasonInterrupted:
		c.wrong(name, hint, "verdict %s: %s", t.verdict.Verdict, t.verdict.Reason)
	case t.status(p.Exit) != "":
		c.wrong(name, hint, "%s", t.status(p.Exit))
	default:
		c.right(name, "ends when it is told to, with status %d", p.Exit)
	}
	return nil
}

// emptyTarget has the benchmark load a server that answers everything with
// status 200 and nothing else.
func (c *checker) emptyTarget(ctx context.Context, stage Stage) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return hotseat.Unavailable("", "serve an empty target: %w", err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), ReadHeaderTimeout: time.Minute}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // until Close
	}()
	defer func() {
		_ = server.Close()
		<-done
	}()
	return c.mustFail(ctx, stage, "empty target", "http://"+l.Addr().String(), "a server that answers everything with an empty page")
}

// deadTarget has it load a port where nobody listens.
func (c *checker) deadTarget(ctx context.Context, stage Stage) error {
	address, release, err := deadPort()
	if err != nil {
		return hotseat.Unavailable("", "find a free port: %w", err)
	}
	defer release()
	return c.mustFail(ctx, stage, "dead target", "http://"+address, "a port where nobody listens")
}

// deadPort holds a port where nobody listens, and nobody else can until it is released: one
// that is merely free may be given to any server that starts meanwhile.
func deadPort() (address string, release func(), err error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", nil, err
	}
	release = func() { _ = unix.Close(fd) }
	err = unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	if err == nil {
		var at unix.Sockaddr
		if at, err = unix.Getsockname(fd); err == nil {
			return fmt.Sprintf("127.0.0.1:%d", at.(*unix.SockaddrInet4).Port), release, nil
		}
	}
	release()
	return "", nil, err
}

func (c *checker) mustFail(ctx context.Context, stage Stage, name, target, what string) error {
	t := &transcript{protocol: c.protocol}
	p, err := stage.Play(ctx, Attempt{Target: target, Duration: c.Duration, Line: t.add})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		c.wrongError(name, err)
	case p.Verdict == hotseat.Pass:
		c.wrong(name, "check what answers say, not only that they come", "%s passes: %s", what, p.Reason)
	case p.Verdict == hotseat.Infra:
		c.wrong(name, "infra is for trouble of the benchmark's own; whatever a target does or leaves undone is a fail", "%s is infra: %s", what, p.Reason)
	case len(t.wrong) > 0:
		c.wrong(name, "docs/protocol.md describes each line", "%s", t.wrong[0])
	case t.status(p.Exit) != "":
		c.wrong(name, "0 pass, 1 fail, 2 it could not start, 3 infra, 130 interrupted", "%s", t.status(p.Exit))
	default:
		c.right(name, "fails: %s", p.Reason)
	}
	return nil
}

// AllRight tells whether nothing was found wrong.
func AllRight(findings []Finding) bool {
	return !slices.ContainsFunc(findings, func(f Finding) bool { return !f.OK })
}
