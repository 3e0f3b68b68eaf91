package runner

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hotseat"
	"hotseat/report"
)

// Names of the files in a run's folder.
const (
	ResultFile = "result.json"
	EventsFile = "events.jsonl"
	lockFile   = "running" // held by flock while the run goes on, removed at its end
)

// minFree is how much must be free where runs are kept before one starts.
const minFree = 32 << 20

// folder is the folder of a run that is going on.
type folder struct {
	dir    string
	name   string
	lock   *os.File
	events *os.File
}

// newFolder makes runs/<time>-<short id> with a first result.json in it, which
// says what a reader must know if we are killed in the next moment.
func newFolder(runsDir string, now time.Time, first *hotseat.Result) (*folder, error) {
	if err := os.MkdirAll(runsDir, 0o755); err != nil {
		return nil, hotseat.Unavailable("choose a folder that can be written", "make the run's folder: %w", err)
	}
	if err := mustHaveSpace(runsDir); err != nil {
		return nil, err
	}
	var id [3]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	f := &folder{name: now.Format("20060102-150405") + "-" + hex.EncodeToString(id[:])}
	f.dir = filepath.Join(runsDir, f.name)
	if err := os.Mkdir(f.dir, 0o755); err != nil {
		return nil, hotseat.Unavailable("", "make the run's folder: %w", err)
	}
	err := f.open(first)
	if err != nil {
		f.discard()
		return nil, err
	}
	return f, nil
}

func (f *folder) open(first *hotseat.Result) (err error) {
	f.lock, err = os.Create(filepath.Join(f.dir, lockFile))
	if err != nil {
		return noSpaceHint(err)
	}
	if err := unix.Flock(int(f.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fmt.Errorf("lock the run's folder: %w", err)
	}
	f.events, err = os.Create(filepath.Join(f.dir, EventsFile))
	if err != nil {
		return noSpaceHint(err)
	}
	first.Run = f.name
	return writeResult(f.dir, first)
}

// event keeps one line of the benchmark.
func (f *folder) event(line []byte) error {
	if _, err := f.events.Write(append(line[:len(line):len(line)], '\n')); err != nil {
		return noSpaceHint(err)
	}
	return nil
}

// finish writes the result for good.
func (f *folder) finish(r *hotseat.Result) error {
	err := errors.Join(f.events.Close(), writeResult(f.dir, r))
	if err != nil {
		return noSpaceHint(err)
	}
	_ = os.Remove(f.lock.Name()) // whether it is there decides nothing once the lock is given back
	return f.lock.Close()
}

// discard removes the folder of a run that never began.
func (f *folder) discard() {
	for _, file := range []*os.File{f.events, f.lock} {
		if file != nil {
			_ = file.Close()
		}
	}
	_ = os.RemoveAll(f.dir)
}

// writeResult replaces result.json in one step, so that a reader finds the old
// one or the new one.
func writeResult(dir string, r *hotseat.Result) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	part := filepath.Join(dir, "."+ResultFile+".part")
	if err := os.WriteFile(part, append(text, '\n'), 0o644); err != nil {
		_ = os.Remove(part)
		return noSpaceHint(err)
	}
	return os.Rename(part, filepath.Join(dir, ResultFile))
}

// ReadResult reads a run's result.json.
func ReadResult(dir string) (*hotseat.Result, error) {
	text, err := os.ReadFile(filepath.Join(dir, ResultFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hotseat.NotFound("a run's folder holds a "+ResultFile, "%s is not a run", dir)
	}
	if err != nil {
		return nil, err
	}
	var r hotseat.Result
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, hotseat.Invalid("", "%s: %w", filepath.Join(dir, ResultFile), err)
	}
	return &r, nil
}

// Runs lists the names of the runs in runsDir, oldest first.
func Runs(runsDir string) ([]string, error) {
	entries, err := os.ReadDir(runsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names) // a name begins with the time
	return names, nil
}

// FindRun resolves what a person typed: nothing for the latest run, a name, the
// beginning or the end of one, or a path.
func FindRun(runsDir, name string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		if _, err := ReadResult(name); err != nil {
			return "", err
		}
		return name, nil
	}
	names, err := Runs(runsDir)
	if err != nil {
		return "", err
	}
	var found []string
	for _, n := range names {
		if strings.HasPrefix(n, name) || strings.HasSuffix(n, name) {
			found = append(found, n)
		}
	}
	switch {
	case len(names) == 0:
		return "", hotseat.NotFound("make one: hotseat bench", "there are no runs yet in %s", runsDir)
	case len(found) == 0:
		return "", hotseat.NotFound("the latest is "+names[len(names)-1], "no run is called %q", name)
	case name != "" && len(found) > 1:
		return "", hotseat.Invalid("for instance "+found[len(found)-1], "%q fits %d runs", name, len(found))
	}
	return filepath.Join(runsDir, found[len(found)-1]), nil
}

// CompleteKilled finishes the runs in runsDir whose runner was killed: their
// result is rebuilt from the events that reached the disk, with the verdict
// infra and the reason "interrupted".
func CompleteKilled(runsDir string) error {
	names, err := Runs(runsDir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := completeKilled(filepath.Join(runsDir, name)); err != nil {
			return fmt.Errorf("complete run %s: %w", name, err)
		}
	}
	return nil
}

func completeKilled(dir string) error {
	lock, err := os.Open(filepath.Join(dir, lockFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return nil // still going on
	}
	r, err := ReadResult(dir)
	if err != nil {
		return err
	}
	c := newCollector()
	if err := readEvents(filepath.Join(dir, EventsFile), c.add); err != nil {
		return err
	}
	c.verdict = nil // whatever the benchmark said, its run was not seen through
	c.fill(r)
	r.ElapsedS = c.lastAtS
	r.Verdict, r.Reason = hotseat.Infra, hotseat.ReasonInterrupted
	settle(r)
	if err := writeResult(dir, r); err != nil {
		return err
	}
	return os.Remove(lock.Name())
}

// readEvents reads events.jsonl; a last line cut short by a kill is skipped.
func readEvents(file string, add func(hotseat.Event)) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		var e hotseat.Event
		if json.Unmarshal([]byte(line), &e) == nil {
			add(e)
		}
	}
	return nil
}

// DrawMissingReport draws the report of a run that has none yet.
func DrawMissingReport(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, report.FileName)); err == nil {
		return nil
	}
	_, err := report.Save(dir)
	return err
}

func mustHaveSpace(dir string) error {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return fmt.Errorf("look for free space: %w", err)
	}
	if free := int64(s.Bavail) * s.Bsize; free < minFree {
		return hotseat.Unavailable("free some space, or choose another folder", "disk full: %d MB left in %s, a run needs %d MB",
			free>>20, dir, minFree>>20)
	}
	return nil
}

// noSpaceHint turns the kernel's "no space left" into an error that says what to do.
func noSpaceHint(err error) error {
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return hotseat.Unavailable("free some space; the run so far is kept", "disk full: %w", err)
	}
	return err
}
