package stack

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// procStat is the part of /proc/PID/stat that tells how processes belong
// together; proc_pid_stat(5) numbers the fields.
type procStat struct {
	pid, ppid, pgid, sid int
	state                byte
	exiting              bool   // has lost its memory and its environment with it, or is about to; its files may still be open
	start                uint64 // clock ticks after boot: tells a process from a later one of the same pid
}

func readStat(pid int) (procStat, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return procStat{}, err
	}
	// The command's name is in brackets and may itself hold brackets and spaces.
	end := bytes.LastIndexByte(b, ')')
	if end < 0 {
		return procStat{}, fmt.Errorf("/proc/%d/stat: no command", pid)
	}
	f := strings.Fields(string(b[end+1:]))
	if len(f) < 20 {
		return procStat{}, fmt.Errorf("/proc/%d/stat: %d fields after the command", pid, len(f))
	}
	st := procStat{pid: pid, state: f[0][0]}
	for i, p := range []*int{&st.ppid, &st.pgid, &st.sid} {
		if *p, err = strconv.Atoi(f[1+i]); err != nil {
			return procStat{}, fmt.Errorf("/proc/%d/stat: %w", pid, err)
		}
	}
	flags, err := strconv.ParseUint(f[6], 10, 64)
	if err != nil {
		return procStat{}, fmt.Errorf("/proc/%d/stat: %w", pid, err)
	}
	st.exiting = flags&exitingFlag != 0
	st.start, err = strconv.ParseUint(f[19], 10, 64)
	return st, err
}

// exitingFlag is PF_EXITING of Linux's sched.h, among the flags of /proc/PID/stat.
const exitingFlag = 0x4

// gone tells whether the process is dead, though perhaps not waited for yet.
func (st procStat) gone() bool { return st.state == 'Z' || st.state == 'X' }

// processes lists everything in /proc, by pid. Processes that end meanwhile are
// left out.
func processes() ([]procStat, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var all []procStat
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if st, err := readStat(pid); err == nil {
			all = append(all, st)
		}
	}
	slices.SortFunc(all, func(a, b procStat) int { return cmp.Compare(a.pid, b.pid) })
	return all, nil
}

// Descendants returns the pids of all living descendants of pid, itself not
// included, parents before children.
func Descendants(pid int) ([]int, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	var out []int
	for _, st := range descendants(all, pid) {
		if !st.gone() {
			out = append(out, st.pid)
		}
	}
	return out, nil
}

// descendants picks what descends from pid, the dead not waited for included.
func descendants(all []procStat, pid int) []procStat {
	children := map[int][]procStat{}
	for _, st := range all {
		children[st.ppid] = append(children[st.ppid], st)
	}
	var out []procStat
	queue := []int{pid}
	for len(queue) > 0 {
		next := children[queue[0]]
		queue = queue[1:]
		for _, st := range next {
			out = append(out, st)
			queue = append(queue, st.pid)
		}
	}
	return out
}

// markVariable is set in every process's environment and inherited by whatever
// it starts, so that a daemon which left its group and lost its parent is still
// known as the process's.
const markVariable = "HOTSEAT_PROCESS"

// hasMark tells whether the process was started with that environment entry.
// Servers that overwrite their environment (nginx titles its processes there)
// do not show it; they stay in their group.
func hasMark(pid int, mark string) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	return slices.ContainsFunc(bytes.Split(b, []byte{0}), func(kv []byte) bool { return string(kv) == mark })
}

// family returns the living processes that belong to the child leader: its
// descendants, the members of its group and, among the orphans that fell to
// this process as a sub-reaper, those that carry the child's mark.
func family(leader int, mark string) ([]int, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	return familyAmong(all, leader, mark), nil
}

// familyAmong is family in a list of all processes, by pid.
func familyAmong(all []procStat, leader int, mark string) []int {
	member := map[int]bool{}
	add := func(root procStat) {
		if root.gone() {
			return
		}
		member[root.pid] = true
		for _, st := range descendants(all, root.pid) {
			if !st.gone() {
				member[st.pid] = true
			}
		}
	}
	self := os.Getpid()
	for _, st := range all {
		switch {
		case st.pid == leader, st.pgid == leader:
			add(st)
		case st.ppid == self && !member[st.pid] && hasMark(st.pid, mark):
			add(st)
		}
	}
	return slices.Sorted(maps.Keys(member))
}

// orphansExit tells whether any orphan of this process is about to be dead. Nobody can
// tell any more whose it is: its mark went with its memory. Asked after [family], it finds
// those that lost theirs just then.
func orphansExit() bool {
	self := os.Getpid()
	all, _ := processes() // without /proc nothing can be told, nor waited for
	return slices.ContainsFunc(all, func(st procStat) bool { return st.ppid == self && st.exiting && !st.gone() })
}

// killDescendants sends SIGKILL to everything below pid until nothing is left
// or the time is up. What is killed above falls to the nearest sub-reaper, so
// that processes which fork while they are being killed are found in the next
// round.
func killDescendants(pid int, within time.Duration) error {
	deadline := time.Now().Add(within)
	for wait := time.Millisecond; ; wait = min(2*wait, 20*time.Millisecond) {
		below, err := Descendants(pid)
		if err != nil || len(below) == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes %v do not die", below)
		}
		for _, child := range below {
			_ = syscall.Kill(child, syscall.SIGKILL) // gone already, or another user's: the next round sees which
		}
		time.Sleep(wait)
	}
}

// command returns the command line of a process for people, cut to 120 bytes.
func command(pid int) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil || len(b) == 0 {
		b, _ = os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm") // nothing better to show if this is gone too
	}
	s := strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, string(b)))
	if len(s) > 120 {
		s = s[:120] + "…"
	}
	return s
}

func itoa(n int) string { return strconv.Itoa(n) }
