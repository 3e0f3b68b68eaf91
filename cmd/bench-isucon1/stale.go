package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"hotseat"
	isucon1 "hotseat/problems/isucon1"
)

// stalePages makes the tuned app keep its article pages for too long.
//
//go:embed stale.patch
var stalePages []byte

// tunedPatch is the tuned app, a correct variant of the judge's.
const tunedPatch = "faults/sidebar-column.patch"

// caughtBy is the rule that should catch it.
const caughtBy = "isucon1.sidebar-fresh"

// missesAllowed is how many of 20 runs may let the app pass.
const missesAllowed = 1

// catches is what stale measures.
type catches struct {
	Schema  string   `json:"schema"`
	Seconds float64  `json:"seconds"` // of a run's load
	Control string   `json:"control"` // the verdict on the app that is only tuned
	Runs    []caught `json:"runs"`
	Caught  int      `json:"caught"`
}

// caught is one run against the app with stale pages.
type caught struct {
	Seed     int             `json:"seed"`
	Verdict  hotseat.Verdict `json:"verdict"`
	Times    int64           `json:"times"` // failures of the rule
	RawScore int64           `json:"raw_score"`
	Reason   string          `json:"reason"`
}

// stale plays the tuned app once as it is, which must pass, and then again and
// again with pages that are up to ten seconds old.
func stale(ctx context.Context, args []string, w io.Writer) error {
	fs := flag.NewFlagSet("stale", flag.ContinueOnError)
	runs := fs.Int("runs", 20, "how many")
	first := fs.Int("seed", 1, "of the first run; the others count up")
	control := fs.Bool("control", true, "play the app without stale pages, too")
	duration := fs.Duration("duration", time.Minute, "of each run's load")
	binary := fs.String("hotseat", "bin/hotseat", "the `program` that plays")
	out := fs.String("out", "out/bench-isucon1-stale.json", "the `file` for the results")
	if err := fs.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-isucon1-stale-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // ours alone; what is left is no harm
	p, err := newPlayer(*binary, dir, *duration)
	if err != nil {
		return err
	}
	defer p.hotseat(context.WithoutCancel(ctx), "down") //nolint:errcheck // it may be down

	tuned, err := isucon1.Files.ReadFile(tunedPatch)
	if err != nil {
		return err
	}
	if err := p.prepare(ctx, tuned); err != nil {
		return err
	}
	c := catches{Schema: "hotseat.bench-isucon1-stale/1", Seconds: duration.Seconds()}
	if *control {
		r, err := p.play(ctx, 0)
		if err != nil {
			return err
		}
		c.Control = string(r.Verdict)
		fmt.Fprintf(w, "tuned      %s, %d GETs: %s\n", r.Verdict, r.RawScore, r.Reason)
		if r.Verdict != hotseat.Pass {
			return fmt.Errorf("the tuned app, without stale pages, should pass")
		}
	}
	if err := p.patch(ctx, stalePages); err != nil {
		return err
	}
	for seed := *first; seed < *first+*runs; seed++ {
		r, err := p.play(ctx, seed)
		if err != nil {
			return err
		}
		c.Runs = append(c.Runs, r)
		if r.Verdict == hotseat.Fail && r.Times > 0 {
			c.Caught++
		}
		fmt.Fprintf(w, "seed %-4d  %s, %d GETs, caught %d times\n", r.Seed, r.Verdict, r.RawScore, r.Times)
	}
	fmt.Fprintf(w, "caught     %d of %d\n", c.Caught, *runs)
	if err := save(*out, c); err != nil {
		return err
	}
	if misses := *runs - c.Caught; misses*20 > missesAllowed**runs {
		return fmt.Errorf("%d of %d runs let stale pages pass", misses, *runs)
	}
	return nil
}

// player is a workspace of its own, and the binary that plays in it.
type player struct {
	binary, root, workspace string
	duration                time.Duration
}

func newPlayer(binary, dir string, d time.Duration) (*player, error) {
	absolute, err := filepath.Abs(binary)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(absolute); err != nil {
		return nil, fmt.Errorf("%w (make build)", err)
	}
	return &player{binary: absolute, root: dir, workspace: filepath.Join(dir, "blog"), duration: d}, nil
}

// hotseat runs the binary in the workspace, or beside it as long as there is none.
func (p *player) hotseat(ctx context.Context, args ...string) ([]byte, error) {
	cmd := child(ctx, p.binary, args...)
	cmd.Dir = p.root
	if _, err := os.Stat(p.workspace); err == nil {
		cmd.Dir = p.workspace
	}
	return output(cmd)
}

// prepare makes the workspace with the tuned app, and its data.
func (p *player) prepare(ctx context.Context, patch []byte) error {
	if _, err := p.hotseat(ctx, "init", "isucon1", p.workspace); err != nil {
		return err
	}
	if err := p.patch(ctx, patch); err != nil {
		return err
	}
	// The hook that comes with the patch runs after a reset.
	for _, command := range []string{"up", "reset"} {
		if _, err := p.hotseat(ctx, command); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) patch(ctx context.Context, patch []byte) error {
	file := filepath.Join(p.root, "change.patch")
	if err := os.WriteFile(file, patch, 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "git", "apply", file)
	cmd.Dir = p.workspace
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git apply: %w\n%s", err, text)
	}
	return nil
}

// play runs the benchmark once. What is restarted afterwards is of no interest here.
func (p *player) play(ctx context.Context, seed int) (caught, error) {
	text, err := p.hotseat(ctx, "bench", "--json", "--measure", "off", "--duration", p.duration.String(),
		"--seed", fmt.Sprint(seed), "--param", "restart=0")
	if err != nil {
		return caught{}, err
	}
	var result hotseat.Result
	if err := json.Unmarshal(text, &result); err != nil {
		return caught{}, fmt.Errorf("%w: %s", err, text)
	}
	r := caught{Seed: seed, Verdict: result.Verdict, Reason: result.Reason}
	r.RawScore = result.RawScore
	for _, f := range result.Failures {
		if f.Rule == caughtBy {
			r.Times += f.Count
		}
	}
	if r.Verdict == hotseat.Infra {
		return r, fmt.Errorf("seed %d: %s", seed, r.Reason)
	}
	return r, nil
}
