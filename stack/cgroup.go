package stack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// memoryGroup is a control group of ours in which the kernel limits memory,
// swap included: cgroups(7), version 2 or 1, whichever has the memory
// controller here.
type memoryGroup struct {
	dir     string
	version int
}

// groupName begins the name of each group that a process of ours makes, with its
// pid and the time of its start: whoever finds one whose maker is gone may remove it.
func groupName(maker procStat) string {
	return fmt.Sprintf("hotseat-%d.%d-", maker.pid, maker.start)
}

// newMemoryGroup makes a control group. The error says why there can be none.
func newMemoryGroup(name string, limit int64) (*memoryGroup, error) {
	parents, version, err := memoryParents()
	if err != nil {
		return nil, err
	}
	self, err := readStat(os.Getpid())
	if err != nil {
		return nil, err
	}
	removeMemoryGroups(0)
	var refused error
	for _, parent := range parents {
		g := &memoryGroup{dir: filepath.Join(parent, groupName(self)+name), version: version}
		if err := os.Mkdir(g.dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			refused = err
			continue
		}
		if err := g.setLimit(limit); err != nil {
			refused = err
			_ = g.remove() // what cannot be removed is empty, and swept by the next
			continue
		}
		return g, nil
	}
	return nil, fmt.Errorf("no control group for memory can be made: %w", refused)
}

// memoryParents lists the folders in which a memory group might be made, best
// first, and the version of their hierarchy.
func memoryParents() (parents []string, version int, err error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, 0, err
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, 0, err
	}
	if dir := cgroupFolder(string(mounts), string(own), 1); dir != "" {
		return []string{dir}, 1, nil
	}
	dir := cgroupFolder(string(mounts), string(own), 2)
	if dir == "" {
		return nil, 0, errors.New("no control groups are mounted here")
	}
	// A group of version 2 that holds processes can have no limited children,
	// the root excepted: ours then stands beside it.
	for _, parent := range []string{dir, filepath.Dir(dir)} {
		on, err := os.ReadFile(filepath.Join(parent, "cgroup.subtree_control"))
		if err == nil && strings.Contains(" "+strings.TrimSpace(string(on))+" ", " memory ") {
			parents = append(parents, parent)
		}
	}
	if len(parents) == 0 {
		return nil, 0, errors.New("the control groups here do not hand on their memory controller")
	}
	return parents, 2, nil
}

// cgroupFolder finds where this process's own group lies in the hierarchy that
// has, for version 1, the memory controller; empty if there is none. The texts
// are those of /proc/self/mountinfo (proc_pid_mountinfo(5)) and /proc/self/cgroup.
func cgroupFolder(mounts, own string, version int) string {
	path := ""
	for line := range strings.Lines(own) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(f) != 3 {
			continue
		}
		controllers := "," + f[1] + ","
		if version == 2 && f[0] == "0" && f[1] == "" || version == 1 && strings.Contains(controllers, ",memory,") {
			path = f[2]
		}
	}
	if path == "" {
		return ""
	}
	for line := range strings.Lines(mounts) {
		left, right, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " - ")
		mount, super := strings.Fields(left), strings.Fields(right)
		if !ok || len(mount) < 5 || len(super) < 3 {
			continue
		}
		root, point := mount[3], mount[4]
		has := super[0] == "cgroup2"
		if version == 1 {
			has = super[0] == "cgroup" && strings.Contains(","+super[2]+",", ",memory,")
		}
		if !has {
			continue
		}
		// In a container the mount may show only the part below its own group.
		if root == "/" {
			return filepath.Join(point, path)
		}
		if rest, ok := strings.CutPrefix(path, root); ok && (rest == "" || rest[0] == '/') {
			return filepath.Join(point, rest)
		}
	}
	return ""
}

func (g *memoryGroup) String() string { return "cgroup v" + strconv.Itoa(g.version) }

func (g *memoryGroup) write(file, text string) error {
	f, err := os.OpenFile(filepath.Join(g.dir, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// setLimit limits memory and swap together.
func (g *memoryGroup) setLimit(bytes int64) error {
	limit := strconv.FormatInt(bytes, 10)
	optional := func(file, text string) error {
		if err := g.write(file, text); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil // a kernel without swap accounting has nothing to limit
	}
	if g.version == 2 {
		return errors.Join(g.write("memory.max", limit), optional("memory.swap.max", "0"), optional("memory.oom.group", "1"))
	}
	const memory, both = "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"
	if err := g.write(memory, limit); err != nil { // above what both may be until now: that has to grow first
		return errors.Join(optional(both, limit), g.write(memory, limit))
	}
	return optional(both, limit)
}

// enter makes the next child that this thread forks begin its life in the group,
// and returns what undoes that. The caller keeps its thread meanwhile.
func (g *memoryGroup) enter(attr *syscall.SysProcAttr) (leave func() error, err error) {
	if g.version == 2 {
		dir, err := os.Open(g.dir)
		if err != nil {
			return nil, err
		}
		attr.UseCgroupFD, attr.CgroupFD = true, int(dir.Fd())
		return dir.Close, nil
	}
	// Version 1 knows threads apart, and a child is born where its thread is.
	tid := strconv.Itoa(unix.Gettid())
	if err := g.write("tasks", tid); err != nil {
		return nil, err
	}
	home := &memoryGroup{dir: filepath.Dir(g.dir), version: 1}
	return func() error { return home.write("tasks", tid) }, nil
}

// use reads what the group's processes hold that the kernel cannot take back,
// which is what counts against the limit in the end: anonymous and shared
// memory, without the page cache.
func (g *memoryGroup) use() int64 {
	if g.version == 2 {
		return g.field("memory.stat", "anon") + g.field("memory.stat", "shmem")
	}
	return g.field("memory.stat", "total_rss") + g.field("memory.stat", "total_shmem")
}

// kills counts the processes that the kernel has killed at the limit.
func (g *memoryGroup) kills() int64 {
	if g.version == 2 {
		return g.field("memory.events", "oom_kill")
	}
	return g.field("memory.oom_control", "oom_kill")
}

// field reads one number of a file of lines "name number", 0 if it is not there.
func (g *memoryGroup) field(file, name string) int64 {
	b, err := os.ReadFile(filepath.Join(g.dir, file))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if text, ok := strings.CutPrefix(line, name+" "); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(text), 10, 64) // the kernel writes numbers
			return n
		}
	}
	return 0
}

// remove removes the group. Its last process may still be on its way out.
func (g *memoryGroup) remove() error {
	for give := time.Now().Add(2 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		err := os.Remove(g.dir)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if !errors.Is(err, unix.EBUSY) || time.Now().After(give) {
			return err
		}
	}
}

// removeMemoryGroups removes the groups that the process maker has made and
// left, or with 0 those of all who are gone. A group that still holds processes
// stays.
func removeMemoryGroups(maker int) {
	parents, version, err := memoryParents()
	if err != nil {
		return
	}
	for _, parent := range parents {
		found, _ := filepath.Glob(filepath.Join(parent, "hotseat-*-*")) // the pattern is right
		for _, dir := range found {
			var its procStat
			if _, err := fmt.Sscanf(filepath.Base(dir), "hotseat-%d.%d-", &its.pid, &its.start); err != nil {
				continue
			}
			now, err := readStat(its.pid)
			switch gone := err != nil || now.gone() || now.start != its.start; {
			case maker == its.pid:
				_ = (&memoryGroup{dir: dir, version: version}).remove() // the next to make one tries again
			case maker == 0 && gone:
				_ = os.Remove(dir) // as above
			}
		}
	}
}
