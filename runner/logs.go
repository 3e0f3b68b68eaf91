package runner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hotseat"
	"hotseat/problem"
)

// maxLogKept bounds how much of each server's log a run keeps: its end.
const maxLogKept = 4 << 20

// followEvery is how often followed logs are looked at.
const followEvery = 200 * time.Millisecond

// LogOptions are the choices of [Runner.Logs].
type LogOptions struct {
	Names  []string // of logs, without .log; empty: all
	Lines  int      // how many last lines of each
	Follow bool     // go on until ctx ends
}

// logFiles are the logs of a workspace's stack.
func logFiles(w *problem.Workspace) []string {
	files, _ := filepath.Glob(filepath.Join(w.RunDir(), "logs", "*.log")) // the pattern is well-formed
	slices.Sort(files)
	return files
}

// Logs writes the last lines of the servers' logs to out. They outlive the stack.
func (r *Runner) Logs(ctx context.Context, w *problem.Workspace, out io.Writer, o LogOptions) error {
	all := logFiles(w)
	files := all
	if len(o.Names) > 0 {
		files = nil
	}
	for _, name := range o.Names {
		i := slices.IndexFunc(all, func(f string) bool { return filepath.Base(f) == name+".log" })
		if i < 0 {
			return hotseat.NotFound("there are: "+strings.Join(logNames(all), ", "), "there is no log of %q", name)
		}
		files = append(files, all[i])
	}
	if len(files) == 0 {
		return hotseat.NotFound("hotseat up starts the stack", "the stack has written no logs yet")
	}
	offsets := map[string]int64{}
	for _, file := range files {
		lines, end, err := lastLines(file, o.Lines)
		if err != nil {
			return err
		}
		offsets[file] = end
		if err := writeLines(out, prefixOf(file, files), lines); err != nil {
			return err
		}
	}
	for o.Follow {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(followEvery):
		}
		for _, file := range files {
			lines, end, err := linesFrom(file, offsets[file])
			if err != nil {
				return err
			}
			offsets[file] = end
			if err := writeLines(out, prefixOf(file, files), lines); err != nil {
				return err
			}
		}
	}
	return nil
}

func logNames(files []string) []string {
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".log"))
	}
	return names
}

// prefixOf tells the logs apart where there are several.
func prefixOf(file string, files []string) string {
	if len(files) == 1 {
		return ""
	}
	return fmt.Sprintf("%-9s | ", strings.TrimSuffix(filepath.Base(file), ".log"))
}

func writeLines(out io.Writer, prefix string, lines []string) error {
	for _, line := range lines {
		if _, err := fmt.Fprintf(out, "%s%s\n", prefix, line); err != nil {
			return err
		}
	}
	return nil
}

// lastLines returns the last n lines of a file and where it ends.
func lastLines(file string, n int) (lines []string, end int64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	const perLine = 4 << 10 // more than a line of a log usually has
	if from := info.Size() - int64(n+1)*perLine; from > 0 {
		if _, err := f.Seek(from, io.SeekStart); err != nil {
			return nil, 0, err
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, int64(n+1)*perLine))
	if err != nil {
		return nil, 0, err
	}
	lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(text) == 0 {
		lines = nil
	}
	return lines[max(0, len(lines)-n):], info.Size(), nil
}

// linesFrom returns the whole lines after offset and where the last of them
// ends. A file that became shorter was begun anew.
func linesFrom(file string, offset int64) (lines []string, end int64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, offset, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.Size() < offset {
		offset = 0
	}
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, offset, err
	}
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadString('\n')
		if err != nil { // a line still being written waits for its end
			return lines, offset, nil
		}
		offset += int64(len(line))
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
}

// keepLogs copies what the servers wrote since the run began, and the
// configuration they ran with, into the run's folder. What cannot be copied is
// no reason to lose the run.
func (s *Stack) keepLogs(dir string) {
	if s == nil {
		return
	}
	to := filepath.Join(dir, "stack")
	if err := os.MkdirAll(to, 0o755); err != nil {
		return
	}
	for _, file := range logFiles(s.workspace) {
		_ = copyFrom(file, filepath.Join(to, filepath.Base(file)), s.logSizes[file], maxLogKept)
	}
	from := filepath.Join(s.workspace.RunDir(), "effective")
	_ = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		out := filepath.Join(dir, "effective", rel)
		if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
			return err
		}
		return copyFrom(path, out, 0, maxLogKept)
	})
}

// copyFrom copies a file from offset on; of more than most bytes the last ones.
func copyFrom(from, to string, offset, most int64) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if info.Size() < offset {
		offset = 0
	}
	if _, err := in.Seek(max(offset, info.Size()-most), io.SeekStart); err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}
