package measure

// switchCounter adds up context switches, which the kernel keeps per thread and
// forgets with it.
type switchCounter struct {
	last   map[processID]map[int]int64 // by thread, at the last sample
	seen   map[processID]map[int]int64 // the same, being filled
	totals map[string]int64
}

func newSwitchCounter() *switchCounter {
	return &switchCounter{totals: map[string]int64{}, seen: map[processID]map[int]int64{}}
}

// add takes in the counts of a process's threads. A process met for the first
// time that is older than the sampling only sets its zero.
func (c *switchCounter) add(name string, id processID, older bool, counts map[int]int64) {
	c.seen[id] = counts
	before, known := c.last[id]
	if !known && older {
		return
	}
	for tid, n := range counts {
		if n >= before[tid] { // 0 for a thread that is new
			c.totals[name] += n - before[tid]
		} else { // the number is a new thread's
			c.totals[name] += n
		}
	}
}

// next ends a sample.
func (c *switchCounter) next() {
	c.last, c.seen = c.seen, make(map[processID]map[int]int64, len(c.seen))
}
