package stack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Processes write straight into their log files: no copy through the guardian
// takes CPU from what is being measured, and nothing is lost when the guardian
// dies. The file's end serves as the buffer of latest lines.

const (
	// maxLog is where a log is cut. An app that logs each request at full load
	// writes a megabyte per second.
	maxLog = 256 << 20
	// keptLog is how much of a cut log is kept, as NAME.1.
	keptLog = 16 << 20
	// logCheckEvery is how often sizes are looked at.
	logCheckEvery = 5 * time.Second
	// lastWordLines is how much of a log goes into an error message.
	lastWordLines = 20
)

// openLog opens a log to append to and tells its present size. Appending
// matters: every writer then follows when the file is cut.
func openLog(path string) (*os.File, int64, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, 0, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, 0, err
	}
	fi, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, fi.Size(), nil
}

// tail returns the last complete and incomplete lines of a file, at most n and
// none that begins before the byte from. A missing file has no lines.
func tail(path string, from int64, n int) ([]string, error) {
	const longest = 1 << 20 // read at most this much of the end
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if fi.Size() < from {
		from = 0 // it was cut since
	}
	start := max(from, fi.Size()-longest)
	b, err := io.ReadAll(io.NewSectionReader(f, start, fi.Size()-start))
	if err != nil {
		return nil, err
	}
	if start > from {
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			b = b[i+1:]
		}
	}
	text := strings.TrimRight(string(b), "\n")
	if text == "" {
		return nil, nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-n):], nil
}

// tryLog looks for text in what the log got since the byte from.
func tryLog(path string, from int64, text string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return err
	}
	b, err := io.ReadAll(io.LimitReader(f, 4<<20))
	if err != nil {
		return err
	}
	if !bytes.Contains(b, []byte(text)) {
		return fmt.Errorf("%q is not in the log", text)
	}
	return nil
}

// cutLogs keeps the named files from filling the disk, until ctx ends.
func cutLogs(ctx context.Context, paths func() []string) {
	tick := time.NewTicker(logCheckEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, path := range paths() {
			// A log that cannot be cut is no reason to stop a stack; it is tried again.
			_ = cutLog(path, maxLog, keptLog)
		}
	}
}

// cutLog empties a file larger than limit bytes after saving its last keep
// bytes beside it. Lines written in between are lost.
func cutLog(path string, limit, keep int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	fi, err := f.Stat()
	if err != nil || fi.Size() <= limit {
		return err
	}
	old, err := os.OpenFile(path+".1", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(old, io.NewSectionReader(f, fi.Size()-keep, keep))
	if err = errors.Join(err, old.Close()); err != nil {
		return err
	}
	return f.Truncate(0)
}
