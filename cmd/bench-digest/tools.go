package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// The version of alp that we are held against.
const (
	alpModule  = "github.com/tkuchiki/alp"
	alpVersion = "v1.0.21"
)

// measured is what one run of a tool took.
type measured struct {
	user, wall time.Duration
	rss        int64 // bytes, at most
	output     []byte
}

// measure runs a program to its end.
func measure(ctx context.Context, name string, args ...string) (measured, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	start := time.Now()
	err := cmd.Run()
	m := measured{wall: time.Since(start), output: out.Bytes()}
	if err != nil {
		return m, fmt.Errorf("run %s: %w: %s", filepath.Base(name), err, bytes.TrimSpace(complaints.Bytes()))
	}
	m.user = cmd.ProcessState.UserTime()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.rss = usage.Maxrss << 10
	}
	return m, nil
}

// buildAlp builds alp from its module, once. It is built as a dependency of an
// empty module, which asks the proxy for nothing but the versions that it needs.
func buildAlp(ctx context.Context, tools string) (string, error) {
	dir, err := filepath.Abs(filepath.Join(tools, "alp-"+alpVersion))
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "alp")
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	text := fmt.Sprintf("module alp-build\n\ngo 1.21\n\nrequire %s %s\n", alpModule, alpVersion)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=mod", "-o", binary, alpModule+"/cmd/alp")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build alp: %w: %s", err, bytes.TrimSpace(out))
	}
	return binary, nil
}

// alpRow is a route as alp saw it.
type alpRow struct {
	count     int64
	sum       float64
	p90, p99  float64
	from500s  int64
	from400s  int64
	bodyBytes float64
}

// runAlp digests by alp, which is told the templates.
func runAlp(ctx context.Context, alp, format, file string) (measured, map[string]alpRow, error) {
	m, err := measure(ctx, alp, format, "--file", file, "-m", strings.Join(match, ","), "--percentiles", "90,99",
		"--format", "tsv", "--noheaders", "--output", "method,uri,count,sum,p90,p99,4xx,5xx,sum_body")
	if err != nil {
		return m, nil, err
	}
	rows := map[string]alpRow{}
	for line := range strings.SplitSeq(strings.TrimSpace(string(m.output)), "\n") {
		var r alpRow
		f := strings.Split(line, "\t")
		if len(f) != 9 {
			return m, nil, fmt.Errorf("alp printed %q", line)
		}
		for i, to := range []any{&r.count, &r.sum, &r.p90, &r.p99, &r.from400s, &r.from500s, &r.bodyBytes} {
			if _, err := fmt.Sscan(f[i+2], to); err != nil {
				return m, nil, fmt.Errorf("alp printed %q: %w", line, err)
			}
		}
		rows[f[0]+" "+f[1]] = r
	}
	return m, rows, nil
}

// ptClass is a query class as pt-query-digest saw it.
type ptClass struct {
	Checksum    string `json:"checksum"`
	Fingerprint string `json:"fingerprint"`
	Count       int64  `json:"query_count"`
	Metrics     struct {
		QueryTime struct {
			Sum string `json:"sum"`
			Max string `json:"max"`
		} `json:"Query_time"`
	} `json:"metrics"`
}

// ptClasses lets pt-query-digest print all its classes.
func ptClasses(ctx context.Context, pt, file string) ([]ptClass, error) {
	m, err := measure(ctx, pt, "--no-version-check", "--output", "json", "--limit", "100%", file)
	if err != nil {
		return nil, err
	}
	var report struct {
		Classes []ptClass `json:"classes"`
	}
	start := bytes.IndexByte(m.output, '{')
	if start < 0 {
		return nil, errors.New("pt-query-digest printed no JSON")
	}
	if err := json.NewDecoder(bytes.NewReader(m.output[start:])).Decode(&report); err != nil {
		return nil, fmt.Errorf("read what pt-query-digest printed: %w", err)
	}
	return report.Classes, nil
}
