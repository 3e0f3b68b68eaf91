package measure

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ownersEvery is how often the descriptors of all processes are read to learn
// whose socket is whose: a system call for each, so not every second.
const ownersEvery = 5 * time.Second

// waitingRate is how many sockets in TIME_WAIT are listed in a second, on
// average: some half of a percent of a core. They stay for a minute, so that
// tens of thousands of them need not be listed each second.
const waitingRate = 5000

// details collects what the advisor wants to know beyond CPU and memory. It
// belongs to the sampler's goroutine.
type details struct {
	proc    *procfs
	diag    *diag // nil where the kernel does not have it
	began   time.Time
	before  Counters // of the network
	parts   map[string]*partDetail
	threads map[threadKey]schedule
	io      map[processID]ioCounts
	owners  map[uint64]string // part by inode of a socket
	owned   time.Time         // when owners was read last
	waiting time.Time         // when sockets in TIME_WAIT are to be listed again
	network Network
	seen    map[connectionKind]*connectionCount
	err     error
}

// partDetail is one named part of the stack so far.
type partDetail struct {
	Process
	known map[processID]bool
}

type threadKey struct {
	id  processID
	tid int
}

// schedule is /proc/PID/task/TID/schedstat: nanoseconds on a CPU, and waiting for one.
type schedule struct{ ran, waited int64 }

// ioCounts is /proc/PID/io and the major faults.
type ioCounts struct{ read, calls, wrote, faults int64 }

// connectionKind is who connects to whom.
type connectionKind struct {
	to   string
	port uint16
}

type connectionCount struct {
	from     map[string]int
	at       []int // connections at each sample
	highest  int
	atHigh   int
	nonEmpty int
}

func newDetails(proc *procfs) *details {
	d := &details{
		proc: proc, began: time.Now(), parts: map[string]*partDetail{}, threads: map[threadKey]schedule{},
		io: map[processID]ioCounts{}, owners: map[uint64]string{}, seen: map[connectionKind]*connectionCount{},
	}
	d.before, d.err = networkCounters()
	if diag, err := newDiag(); err == nil {
		d.diag = diag
	}
	return d
}

// processesOf takes in the processes of one sample, took seconds after the last.
func (d *details) processesOf(all map[int]process, names map[int]string, took float64) {
	counts := map[string][2]int{}
	threads := make(map[threadKey]schedule, len(d.threads))
	for pid, name := range names {
		proc := all[pid]
		part := d.parts[name]
		if part == nil {
			part = &partDetail{known: map[processID]bool{}}
			d.parts[name] = part
		}
		id := proc.id()
		if !part.known[id] {
			if took > 0 { // it came during the run
				part.Forks++
			}
			part.known[id] = true
		}
		c := counts[name]
		counts[name] = [2]int{c[0] + 1, c[1] + proc.threads}
		d.scheduleOf(pid, id, part, took, threads)
		d.inputOf(pid, id, part)
		if fds := d.proc.descriptors(pid); fds > part.FDsMax {
			part.FDsMax, part.FDsLimit = fds, d.proc.fileLimit(pid)
		}
	}
	d.threads = threads
	for name, c := range counts {
		part := d.parts[name]
		part.PIDs, part.Threads = max(part.PIDs, c[0]), max(part.Threads, c[1])
	}
}

func (d *details) scheduleOf(pid int, id processID, part *partDetail, took float64, into map[threadKey]schedule) {
	folder := strconv.Itoa(pid) + "/task"
	var tids []int
	if d.proc.numbers(folder, func(tid int) { tids = append(tids, tid) }) != nil {
		return // it ended meanwhile
	}
	for _, tid := range tids {
		text, err := d.proc.read(folder + "/" + strconv.Itoa(tid) + "/schedstat")
		if err != nil {
			continue
		}
		f := bytes.Fields(text)
		if len(f) < 2 {
			continue
		}
		ran, err1 := strconv.ParseInt(string(f[0]), 10, 64)
		waited, err2 := strconv.ParseInt(string(f[1]), 10, 64)
		if err1 != nil || err2 != nil {
			continue
		}
		key := threadKey{id, tid}
		into[key] = schedule{ran, waited}
		if last, ok := d.threads[key]; ok && took > 0 {
			part.HotThread = max(part.HotThread, round(float64(ran-last.ran)/1e9/took, 3))
			part.RunDelayS += float64(waited-last.waited) / 1e9
		}
	}
}

func (d *details) inputOf(pid int, id processID, part *partDetail) {
	now := ioCounts{}
	if text, err := d.proc.read(strconv.Itoa(pid) + "/io"); err == nil { // other users' are not ours to read
		now.read, now.calls, now.wrote = labelled(text, "rchar:"), labelled(text, "syscr:"), labelled(text, "wchar:")
	}
	if text, err := d.proc.read(strconv.Itoa(pid) + "/stat"); err == nil {
		now.faults = majorFaults(text)
	}
	if last, ok := d.io[id]; ok {
		part.ReadBytes += now.read - last.read
		part.ReadCalls += now.calls - last.calls
		part.WriteBytes += now.wrote - last.wrote
		part.MajorFaults += now.faults - last.faults
	}
	d.io[id] = now
}

// majorFaults is field 12 of /proc/PID/stat.
func majorFaults(line []byte) int64 {
	end := bytes.LastIndexByte(line, ')')
	if end < 0 {
		return 0
	}
	f := bytes.Fields(line[end+1:])
	if len(f) < 10 {
		return 0
	}
	n, _ := strconv.ParseInt(string(f[9]), 10, 64) // 0 like a kernel that does not count
	return n
}

// fileLimit is the soft limit of open files of a process; 0 where we may not look.
func (p *procfs) fileLimit(pid int) int64 {
	text, err := p.read(strconv.Itoa(pid) + "/limits")
	if err != nil {
		return 0
	}
	return labelled(text, "Max open files")
}

// socketsOf takes in the TCP sockets of one sample. names are the parts by process.
func (d *details) socketsOf(names map[int]string) {
	now := time.Now()
	listWaiting := !now.Before(d.waiting)
	all, err := d.sockets(listWaiting)
	if err != nil {
		if d.err == nil {
			d.err = err
		}
		return
	}
	if now.Sub(d.owned) >= ownersEvery {
		d.owned = now
		clear(d.owners)
		for pid, name := range names {
			d.proc.socketInodes(pid, func(inode uint64) { d.owners[inode] = name })
		}
	}
	waiting := 0
	listener := map[uint16]string{}
	for _, s := range all {
		switch s.state {
		case tcpTimeWait:
			waiting++
		case tcpListen:
			if name, ours := d.owners[s.inode]; ours {
				listener[s.local.Port()] = name
			}
		}
	}
	if listWaiting {
		d.waiting = now.Add(time.Duration(waiting) * time.Second / waitingRate)
		d.network.TimeWaitMax = max(d.network.TimeWaitMax, waiting)
		if t, n := busiestTuple(all); n > d.network.TupleMax {
			d.network.TupleMax, d.network.TuplePort = n, int(t.to.Port())
			d.network.Tuple = t.from.String() + " → " + t.to.String()
		}
	}
	connected := map[connectionKind]int{}
	for _, s := range all {
		// Each connection has two ends here: the one that connected counts.
		to, ours := listener[s.remote.Port()]
		if s.state != tcpEstablished || !ours {
			continue
		}
		kind := connectionKind{to, s.remote.Port()}
		connected[kind]++
		if d.seen[kind] == nil {
			d.seen[kind] = &connectionCount{from: map[string]int{}}
		}
		if from, known := d.owners[s.inode]; known {
			d.seen[kind].from[from]++
		}
	}
	for kind, c := range d.seen {
		c.add(connected[kind])
	}
}

// sockets asks the kernel, in words where it does not answer otherwise.
func (d *details) sockets(waiting bool) ([]socket, error) {
	if d.diag != nil {
		if all, err := d.diag.sockets(waiting); err == nil {
			return all, nil
		}
		d.diag.close()
		d.diag = nil
	}
	return d.proc.sockets()
}

func (c *connectionCount) add(n int) {
	c.at = append(c.at, n)
	if n > 0 {
		c.nonEmpty++
	}
	switch {
	case n > c.highest:
		c.highest, c.atHigh = n, 1
	case n == c.highest:
		c.atHigh++
	}
}

// socketInodes calls f with the inode of each socket that a process has open.
func (p *procfs) socketInodes(pid int, f func(uint64)) {
	folder := strconv.Itoa(pid) + "/fd"
	var fds []int
	if p.numbers(folder, func(fd int) { fds = append(fds, fd) }) != nil {
		return // ended, or not ours to see
	}
	var to [64]byte
	for _, fd := range fds {
		n, err := syscall.Readlink(p.root+"/"+folder+"/"+strconv.Itoa(fd), to[:])
		if err != nil || n <= 0 || n >= len(to) {
			continue
		}
		number, ok := strings.CutPrefix(string(to[:n]), "socket:[")
		if !ok {
			continue
		}
		if inode, err := strconv.ParseUint(strings.TrimSuffix(number, "]"), 10, 64); err == nil {
			f(inode)
		}
	}
}

// finish tells what was seen.
func (d *details) finish() (map[string]*Process, *Network, []Connections, error) {
	if d.diag != nil {
		d.diag.close()
	}
	processes := map[string]*Process{}
	for name, part := range d.parts {
		p := part.Process
		p.RunDelayS = round(p.RunDelayS, 3)
		processes[name] = &p
	}
	after, err := networkCounters()
	if err == nil {
		delta := func(name string) int64 { return after[name] - d.before[name] }
		n := &d.network
		n.ActiveOpens, n.PassiveOpens = delta("Tcp.ActiveOpens"), delta("Tcp.PassiveOpens")
		n.ListenOverflows, n.ListenDrops = delta("TcpExt.ListenOverflows"), delta("TcpExt.ListenDrops")
		n.SYNDrops, n.TimeWaitRefused = delta("TcpExt.TCPReqQFullDrop"), delta("TcpExt.TCPTimeWaitOverflow")
		n.Retransmits = delta("Tcp.RetransSegs")
		n.PortRange = portRange()
	} else if d.err == nil {
		d.err = err
	}
	peaks := []Connections{}
	for kind, c := range d.seen {
		from, most := "outside", 0
		for name, n := range c.from {
			if n > most || n == most && name < from {
				from, most = name, n
			}
		}
		plateau := 0.0
		if c.nonEmpty > 0 {
			plateau = float64(c.atHigh) / float64(c.nonEmpty)
		}
		peaks = append(peaks, Connections{From: from, To: kind.to, Port: int(kind.port), Max: c.highest, Plateau: math.Round(plateau*100) / 100})
	}
	slices.SortFunc(peaks, func(a, b Connections) int { return cmp.Or(cmp.Compare(b.Max, a.Max), cmp.Compare(a.Port, b.Port)) })
	return processes, &d.network, peaks, d.err
}

// ListeningPorts are the TCP ports that processes listen on.
func ListeningPorts(pids []int) []int {
	proc := newProcfs("/proc")
	mine := map[uint64]bool{}
	for _, pid := range pids {
		proc.socketInodes(pid, func(inode uint64) { mine[inode] = true })
	}
	all, err := proc.sockets()
	if err != nil {
		return nil
	}
	var ports []int
	for _, s := range all {
		if s.state == tcpListen && mine[s.inode] {
			ports = append(ports, int(s.local.Port()))
		}
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}
