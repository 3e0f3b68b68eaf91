package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"time"

	"hotseat"
)

// goal is the share of wrk's rate that the benchmark must reach.
const goal = 0.70

// connections is the number of the load's connections, of both.
const connections = 10

// comparison is what ceiling measures.
type comparison struct {
	Schema      string  `json:"schema"`
	Seconds     float64 `json:"seconds"` // of a turn
	Connections int     `json:"connections"`
	CPUs        int     `json:"cpus"`
	Turns       []turn  `json:"turns"`
	Ratio       float64 `json:"ratio"` // of the medians of GETs per second, benchmark to wrk
	Goal        float64 `json:"goal"`
}

// turn is one client at work.
type turn struct {
	Client    string  `json:"client"`
	PerSecond float64 `json:"gets_per_s"`
	Micros    float64 `json:"cpu_us_per_get"` // of the client's own CPU
	Errors    int64   `json:"errors"`
}

const (
	clientBenchmark = "benchmark"
	clientWrk       = "wrk"
)

// ceiling lets the benchmark and wrk load the same nginx in turn. It has finished
// pages to give away, as a cache in front of a tuned app has.
func ceiling(ctx context.Context, args []string, w io.Writer) error {
	fs := flag.NewFlagSet("ceiling", flag.ContinueOnError)
	rounds := fs.Int("rounds", 6, "how often each client has its turn")
	duration := fs.Duration("duration", 5*time.Second, "how long a turn lasts")
	out := fs.String("out", "out/bench-isucon1-ceiling.json", "the `file` for the results")
	if err := fs.Parse(args); err != nil {
		return err
	}
	b, err := startBlog(ctx)
	if err != nil {
		return err
	}
	defer b.stop()
	c := comparison{Schema: "hotseat.bench-isucon1-ceiling/1", Seconds: duration.Seconds(), Connections: connections, CPUs: cpus(), Goal: goal}
	for round := range *rounds {
		clients := []func(context.Context, *blog, time.Duration) (turn, error){benchmark, wrk}
		if round%2 == 1 {
			slices.Reverse(clients)
		}
		for _, client := range clients {
			t, err := client(ctx, b, *duration)
			if err != nil {
				return err
			}
			c.Turns = append(c.Turns, t)
			fmt.Fprintf(w, "round %d  %-9s  %8.0f GET/s  %6.1f us of its CPU each  %d errors\n", round+1, t.Client, t.PerSecond, t.Micros, t.Errors)
		}
	}
	ours, theirs := c.median(clientBenchmark), c.median(clientWrk)
	c.Ratio = ours / theirs
	fmt.Fprintf(w, "median     benchmark %.0f GET/s, wrk %.0f GET/s: %.0f %%, at least %.0f %% wanted\n", ours, theirs, 100*c.Ratio, 100*goal)
	if err := save(*out, c); err != nil {
		return err
	}
	if c.Ratio < goal {
		return fmt.Errorf("the benchmark reaches %.0f %% of wrk's rate", 100*c.Ratio)
	}
	return nil
}

func (c *comparison) median(client string) float64 {
	var rates []float64
	for _, t := range c.Turns {
		if t.Client == client {
			rates = append(rates, t.PerSecond)
		}
	}
	slices.Sort(rates)
	n := len(rates)
	return (rates[(n-1)/2] + rates[n/2]) / 2
}

// benchmark is a run of the real benchmark. Nobody stores anything here, so that
// it fails; what counts is the GETs that it managed. Only without the rule about
// the article that it posts does it get so far.
func benchmark(ctx context.Context, b *blog, d time.Duration) (turn, error) {
	self, err := os.Executable()
	if err != nil {
		return turn{}, err
	}
	cmd := child(ctx, self, asEngine, "--target", b.url, "--data", b.truth, "--duration", d.String(),
		"--disable-rule", "isucon1.next-id", "--param", "restart=0", "--param", "connections="+strconv.Itoa(connections))
	in, err := cmd.StdinPipe() // it ends when this does
	if err != nil {
		return turn{}, err
	}
	defer in.Close() //nolint:errcheck // only to be closed
	text, err := output(cmd)
	if err != nil {
		return turn{}, err
	}
	t := turn{Client: clientBenchmark}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var e hotseat.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return t, err
		}
		if e.VerdictEvent != nil {
			if e.Verdict == hotseat.Infra {
				return t, fmt.Errorf("benchmark: %s", e.Reason)
			}
			t.count(cmd, e.RawScore, d)
		}
	}
	return t, nil
}

// wrkScript draws from the same list with the same headers. The requests are
// rendered beforehand: wrk is to be as fast as it can.
const wrkScript = `
local requests = {}
function init(args)
  local function add(n, path)
    for _ = 1, n do
      for percent = 0, 99 do
        local h = {["Host"] = "127.0.0.1", ["User-Agent"] = "http_load 12mar2006", ["Connection"] = "close"}
        if percent %% 33 == 0 and percent > 0 then h["Connection"] = "keep-alive" end
        if percent < 69 then h["Accept-Encoding"] = "gzip, deflate" end
        requests[#requests + 1] = wrk.format("GET", path, h)
      end
    end
  end
  add(20, "/")
  for _, path in ipairs({%s}) do add(20, path) end
  add(30, "/article/%d")
  for id = 1, %d do add(1, "/article/" .. id) end
end
function request() return requests[math.random(#requests)] end
`

var (
	wrkRequests = regexp.MustCompile(`(\d+) requests in ([\d.]+)s`)
	wrkErrors   = regexp.MustCompile(`Non-2xx or 3xx responses: (\d+)`)
	wrkSockets  = regexp.MustCompile(`Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)`)
)

func wrk(ctx context.Context, b *blog, d time.Duration) (turn, error) {
	paths := ""
	for _, path := range b.statics {
		paths += strconv.Quote(path) + ","
	}
	script := filepath.Join(b.dir, "wrk.lua")
	if err := os.WriteFile(script, fmt.Appendf(nil, wrkScript, paths, newestArticle+1, otherArticles), 0o600); err != nil {
		return turn{}, err
	}
	cmd := child(ctx, "wrk", "-t", "2", "-c", strconv.Itoa(connections), "-d", strconv.Itoa(int(d.Seconds()+0.5))+"s", "-s", script, b.url)
	text, err := output(cmd)
	if err != nil {
		return turn{}, fmt.Errorf("%w (apt-get install wrk)", err)
	}
	found := wrkRequests.FindSubmatch(text)
	if found == nil {
		return turn{}, fmt.Errorf("wrk printed %q", text)
	}
	gets, _ := strconv.ParseInt(string(found[1]), 10, 64) // digits
	took, err := strconv.ParseFloat(string(found[2]), 64)
	if err != nil {
		return turn{}, err
	}
	t := turn{Client: clientWrk}
	t.count(cmd, gets, time.Duration(took*float64(time.Second)))
	for _, expr := range []*regexp.Regexp{wrkErrors, wrkSockets} {
		if found := expr.FindSubmatch(text); found != nil {
			for _, digits := range found[1:] {
				n, _ := strconv.ParseInt(string(digits), 10, 64) // digits
				t.Errors += n
			}
		}
	}
	return t, nil
}

// count takes in what a client did in that time.
func (t *turn) count(cmd *exec.Cmd, gets int64, d time.Duration) {
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	t.PerSecond = float64(gets) / d.Seconds()
	t.Micros = float64(cpu.Microseconds()) / float64(max(gets, 1))
}

// child is a command that dies with us.
func child(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// output runs a command to its end and returns what it printed. A run that failed is one.
func output(cmd *exec.Cmd) ([]byte, error) {
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == hotseat.ExitFail {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, complaints.Bytes())
	}
	return out.Bytes(), nil
}
