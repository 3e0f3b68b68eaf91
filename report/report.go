// Package report tells a run's story: live on a terminal while it goes on
// ([Progress]), in 25 lines when it is over ([Terminal]) and as one HTML file to
// keep open while tuning ([HTML]).
//
// It reads a run's folder ([Load]) and nothing else: no server, no network, no
// clock. Whatever an app under test answered ends up here as text (expected,
// actual, request lines), so everything passes [Visible] and then the escaping
// of its medium; the HTML file holds no script, loads nothing and forbids both
// by a Content-Security-Policy of its own.
package report

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// FileName is the report's name in a run's folder.
const FileName = "report.html"

// Save reads the run in folder dir and writes its report there, whole or not at
// all. It returns the report's path.
func Save(dir string) (string, error) {
	run, err := Load(dir)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, FileName)
	file, err := os.CreateTemp(dir, FileName+".*")
	if err != nil {
		return "", fmt.Errorf("write the report: %w", err)
	}
	buffered := bufio.NewWriter(file)
	err = HTML(buffered, run)
	err = errors.Join(err, buffered.Flush(), file.Chmod(0o644), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return "", fmt.Errorf("write the report: %w", errors.Join(err, os.Remove(file.Name())))
	}
	return path, nil
}
