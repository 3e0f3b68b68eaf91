package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// memoryPoll is rare enough that looking costs the looked at nothing: on a busy
// machine one look through /proc takes milliseconds.
const memoryPoll = 250 * time.Millisecond

// watchMemory returns the most that a process and its descendants held at a
// time, until ended. Pages that they share count more than once.
func watchMemory(pid int, ended <-chan struct{}) (peak int64) {
	tick := time.NewTicker(memoryPoll)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return peak
		case <-tick.C:
			peak = max(peak, treeMemory(pid))
		}
	}
}

// treeMemory is the resident memory, in bytes, of a process and its descendants.
func treeMemory(root int) (sum int64) {
	type process struct{ parent, pages int64 }
	all := map[int64]process{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is right
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it is gone
		}
		// The name, in parentheses, may hold anything: begin behind it (proc(5)).
		at := bytes.LastIndexByte(text, ')')
		f := bytes.Fields(text[at+1:])
		if len(f) < 22 {
			continue
		}
		pid, _ := strconv.ParseInt(filepath.Base(filepath.Dir(file)), 10, 64)
		parent, _ := strconv.ParseInt(string(f[1]), 10, 64)
		pages, _ := strconv.ParseInt(string(f[21]), 10, 64)
		all[pid] = process{parent, pages}
	}
	for pid, p := range all {
		at := pid
		for at != int64(root) && at != 0 {
			at = all[at].parent
		}
		if at == int64(root) {
			sum += p.pages
		}
	}
	return sum * int64(os.Getpagesize())
}
