package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"time"

	"hotseat"
)

// The cases.
const (
	case200B     = "200B"          // 200 bytes from memory, read
	case10KB     = "10KB"          // a static page, read
	caseScanned  = "10KB-scanned"  // pages that all differ, each one checked, one in 1,000 spoiled
	caseMemoised = "10KB-memoised" // one page, checked, with cookies
)

var allCases = []string{case200B, case10KB, caseScanned, caseMemoised}

func isCase(name string) bool { return slices.Contains(allCases, name) }

// The clients.
const (
	clientHotseat = "hotseat"
	clientWrk     = "wrk"
	clientNetHTTP = "nethttp"
	clientGoquery = "nethttp-goquery"
	clientK6      = "k6"
)

// client is a load generator.
type client struct {
	name  string
	cases []string // that it takes part in
	// program and arguments for a workload, and what is added to its environment
	command func(w *workload) (program string, args, env []string)
	// parse understands what it printed.
	parse func(out []byte) (counts, error)
}

// asClient is the first argument of our own processes that are clients.
const asClient = "client"

//go:embed k6.js
var k6Script string

// allClients returns the clients that are installed, and says what is not.
func allClients(dir string) (clients []client, missing []string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	own := func(name string) func(w *workload) (string, []string, []string) {
		return func(w *workload) (string, []string, []string) {
			return self, []string{asClient, "-case", w.name, "-target", w.target, "-duration", w.duration.String(),
				"-users", strconv.Itoa(w.users), "-profile", w.profile, name}, nil
		}
	}
	clients = []client{
		{name: clientHotseat, cases: allCases, command: own(clientHotseat), parse: parseEvents},
		{name: clientWrk, cases: []string{case200B, case10KB, caseMemoised}, command: wrkCommand, parse: parseWrk},
		{name: clientNetHTTP, cases: []string{case200B, case10KB}, command: own(clientNetHTTP), parse: parseCounts},
		{name: clientGoquery, cases: []string{caseScanned, caseMemoised}, command: own(clientGoquery), parse: parseCounts},
		{name: clientK6, cases: allCases, command: k6Command(dir + "/k6.js"), parse: parseCounts},
	}
	if err := os.WriteFile(dir+"/k6.js", []byte(k6Script), 0o644); err != nil {
		return nil, nil, err
	}
	clients = slices.DeleteFunc(clients, func(c client) bool {
		if c.name != clientWrk && c.name != clientK6 {
			return false
		}
		_, err := exec.LookPath(c.name)
		if err != nil {
			missing = append(missing, c.name)
		}
		return err != nil
	})
	return clients, missing, nil
}

// beClient makes this process one of our own clients and returns its exit status.
func beClient(args []string) int {
	w := new(workload)
	fs := flag.NewFlagSet(asClient, flag.ContinueOnError)
	fs.StringVar(&w.name, "case", case200B, "")
	fs.StringVar(&w.target, "target", "", "")
	fs.StringVar(&w.profile, "profile", "", "")
	fs.DurationVar(&w.duration, "duration", time.Second, "")
	fs.IntVar(&w.users, "users", 1, "")
	if fs.Parse(args) != nil || fs.NArg() != 1 {
		return hotseat.ExitUsage
	}
	if fs.Arg(0) == clientHotseat {
		return beEngine(w)
	}
	return beNetHTTP(w)
}

func wrkCommand(w *workload) (program string, args, env []string) {
	return "wrk", []string{"-t1", "-c" + strconv.Itoa(w.users), "-d" + seconds(w.duration), "--timeout", "30s", w.target + "/" + w.name}, nil
}

// seconds is a duration as wrk takes it: whole seconds, at least one.
func seconds(d time.Duration) string {
	return strconv.Itoa(int(max(d, time.Second).Round(time.Second)/time.Second)) + "s"
}

func k6Command(script string) func(w *workload) (string, []string, []string) {
	return func(w *workload) (program string, args, env []string) {
		expected, _ := json.Marshal(map[string]any{"pages": pageCount, "posts": posts, "images": images, "assets": assets,
			"post": postSelector, "image": imageSelector, "asset": assetSelector}) // cannot fail with these types
		return "k6", []string{"run", "--quiet", "--no-usage-report", script}, []string{"TARGET=" + w.target, "CASE=" + w.name,
			"USERS=" + strconv.Itoa(w.users), "DURATION=" + w.duration.String(), "EXPECTED=" + string(expected)}
	}
}

// parseEvents adds up the protocol of the engine.
func parseEvents(out []byte) (c counts, err error) {
	decided := false
	for line := range bytes.Lines(out) {
		var e hotseat.Event
		if err := json.Unmarshal(line, &e); err != nil {
			return c, fmt.Errorf("the engine printed %q: %w", line, err)
		}
		switch {
		case e.FailureEvent != nil && e.Class == hotseat.ClassContent:
			c.Wrong += e.FailureEvent.Count
		case e.FailureEvent != nil:
			c.Errors += e.FailureEvent.Count
		case e.VerdictEvent != nil:
			decided = true
			if e.Verdict == hotseat.Infra {
				return c, fmt.Errorf("the engine's verdict is infra: %s", e.Reason)
			}
			for _, endpoint := range e.Endpoints {
				c.Requests += endpoint.Count
			}
		}
	}
	if !decided {
		return c, errors.New("the engine gave no verdict")
	}
	return c, nil
}

func parseCounts(out []byte) (c counts, err error) {
	// k6 may say something before its summary.
	if i := bytes.LastIndexByte(bytes.TrimSpace(out), '\n'); i >= 0 {
		out = out[i+1:]
	}
	if err := json.Unmarshal(out, &c); err != nil {
		return c, fmt.Errorf("the client printed %q: %w", out, err)
	}
	return c, nil
}

var (
	wrkRequests = regexp.MustCompile(`(\d+) requests in`)
	wrkErrors   = regexp.MustCompile(`Non-2xx or 3xx responses: (\d+)`)
	wrkSockets  = regexp.MustCompile(`Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)`)
)

func parseWrk(out []byte) (c counts, err error) {
	found := wrkRequests.FindSubmatch(out)
	if found == nil {
		return c, fmt.Errorf("wrk printed %q", out)
	}
	number := func(digits []byte) int64 {
		n, _ := strconv.ParseInt(string(digits), 10, 64) // digits only
		return n
	}
	c.Requests = number(found[1])
	for _, expr := range []*regexp.Regexp{wrkErrors, wrkSockets} {
		if found := expr.FindSubmatch(out); found != nil {
			for _, digits := range found[1:] {
				c.Errors += number(digits)
			}
		}
	}
	return c, nil
}

// run lets a client work and measures it from outside.
func (c *client) run(ctx context.Context, core int, w *workload) (*turn, error) {
	program, args, env := c.command(w)
	cmd := pinned(ctx, core, program, args...)
	cmd.Env = append(cmd.Env, env...)
	var out bytes.Buffer
	cmd.Stdout = &out
	// The engine ends when its standard input does.
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	memory := watchMemory(cmd.Process.Pid)
	err = cmd.Wait()
	_ = in.Close() // Wait has closed it
	t := &turn{peak: memory()}
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != hotseat.ExitFail || c.name != clientHotseat) {
		return nil, fmt.Errorf("%s: %w\n%s", c.name, err, out.Bytes())
	}
	t.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	t.counts, err = c.parse(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	if t.Requests == 0 {
		return nil, fmt.Errorf("%s made no request\n%s", c.name, out.Bytes())
	}
	return t, nil
}
