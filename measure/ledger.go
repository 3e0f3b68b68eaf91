package measure

import "sort"

// ledger keeps account of the CPU time of named process trees although
// processes come and go between two samples.
//
// A process that ends leaves its time in one of two places: with its parent, as
// "time of children waited for", or nowhere, when its parent ignores children,
// ended before it or is not ours. The ledger therefore keeps the last reading
// of every ended process and sets it off against what its parent's account of
// children has grown by, so that time is neither lost nor counted twice, and
// short-lived children that no sample ever saw are still paid for through their
// parent.
type ledger struct {
	entries map[processID]*entry
	retired map[string]int64 // ticks of ended processes that no parent of the same name accounts for
	highest map[string]int64 // the totals told last: they must not fall

	// Every process there was when sampling began, ours or not: what it had
	// used by then is not part of the run, whenever it becomes a member.
	// Anything else has started since and counts from its start.
	zero map[processID]process
}

// processID tells a process from a later one with the same number.
type processID struct {
	pid   int
	start uint64
}

func (p process) id() processID { return processID{p.pid, p.start} }

// entry is one process; times are ticks.
type entry struct {
	name   string
	parent processID // zero if its parent belongs to no tree of ours

	own, ownBase       int64
	waited, waitedBase int64

	// Its ended children: all the time they ever used, and the part of it
	// that was used since sampling began and belongs to this entry's name.
	endedRaw, endedValue int64
}

func newLedger() *ledger {
	return &ledger{
		entries: map[processID]*entry{},
		retired: map[string]int64{},
		highest: map[string]int64{},
	}
}

// value is the time used since sampling began by the process and by its ended children.
func (e *entry) value() int64 {
	unseen := e.waited - e.waitedBase - e.endedRaw
	return e.own - e.ownBase + e.endedValue + max(0, unseen)
}

// raw is what a parent's account grows by when it waits for the process. The
// last reading of e.waited may be older than the end of the children it holds.
func (e *entry) raw() int64 { return e.own + max(e.waited, e.waitedBase+e.endedRaw) }

// members finds the processes of each tree: those below a root, up to where
// another root's tree begins, and those that were a member before and have been
// orphaned since (a daemon that detached, workers whose master was killed).
func (l *ledger) members(all map[int]process, roots map[int]string) map[int]string {
	names := make(map[int]string, len(l.entries))
	for pid, proc := range all {
		at := proc
		// A chain of parents is never longer than there are processes; a
		// snapshot taken while numbers are reused might hold a loop.
		for range all {
			if name, ok := roots[at.pid]; ok {
				names[pid] = name
				break
			}
			parent, ok := all[at.parent]
			if !ok || parent.pid == at.pid {
				break
			}
			at = parent
		}
		if _, ok := names[pid]; ok {
			continue
		}
		if e, ok := l.entries[proc.id()]; ok {
			names[pid] = e.name
		}
	}
	return names
}

// update takes in one snapshot and returns the ticks of each name since
// sampling began, which is when the first snapshot was taken.
func (l *ledger) update(all map[int]process, names map[int]string) map[string]int64 {
	if l.zero == nil {
		l.zero = make(map[processID]process, len(all))
		for _, proc := range all {
			l.zero[proc.id()] = proc
		}
	}
	alive := make(map[processID]bool, len(names))
	for pid, name := range names {
		proc := all[pid]
		id := proc.id()
		alive[id] = true
		e := l.entries[id]
		if e == nil {
			zero := l.zero[id]
			e = &entry{name: name, ownBase: zero.own, waitedBase: zero.waited}
			l.entries[id] = e
		}
		e.own, e.waited = proc.own, proc.waited
		e.parent = processID{}
		if _, ok := names[proc.parent]; ok {
			e.parent = all[proc.parent].id()
		}
	}
	l.retire(alive)

	totals := make(map[string]int64, len(l.highest))
	for name, ticks := range l.retired {
		totals[name] += ticks
	}
	for _, e := range l.entries {
		totals[e.name] += e.value()
	}
	// A child read before its parent waited for it shows in both for this
	// one sample.
	for name, ticks := range totals {
		totals[name] = max(ticks, l.highest[name])
		l.highest[name] = totals[name]
	}
	return totals
}

// retire closes the accounts of processes that have ended, children before
// their parents so that each passes on what it holds.
func (l *ledger) retire(alive map[processID]bool) {
	var ended []processID
	for id := range l.entries {
		if !alive[id] {
			ended = append(ended, id)
		}
	}
	sort.Slice(ended, func(i, j int) bool {
		if ended[i].start != ended[j].start {
			return ended[i].start > ended[j].start
		}
		return ended[i].pid > ended[j].pid
	})
	for _, id := range ended {
		e := l.entries[id]
		delete(l.entries, id)
		parent := l.entries[e.parent]
		if parent != nil {
			parent.endedRaw += e.raw()
		}
		if parent != nil && parent.name == e.name {
			parent.endedValue += e.value()
		} else {
			l.retired[e.name] += e.value()
		}
	}
}
