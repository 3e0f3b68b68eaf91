package measure

import (
	"bytes"
	"strconv"
	"syscall"
)

// userHZ is the unit of CPU times in /proc: 100 ticks a second on every
// architecture Go runs on (proc(5), sysconf(_SC_CLK_TCK)).
const userHZ = 100

// procfs reads /proc through one buffer and plain system calls: package os
// would register every file with the poller, which costs more than the read.
// It is not safe for concurrent use.
type procfs struct {
	root string // "/proc" but in tests
	page int64  // bytes per page
	buf  []byte
}

func newProcfs(root string) *procfs {
	return &procfs{root: root, page: int64(syscall.Getpagesize()), buf: make([]byte, 16<<10)}
}

// read returns the content of a file under /proc, valid until the next call.
func (p *procfs) read(name string) ([]byte, error) {
	fd, err := open(p.root+"/"+name, syscall.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = syscall.Close(fd) }() // opened for reading: nothing to lose
	n := 0
	for {
		if n == len(p.buf) {
			p.buf = append(p.buf, make([]byte, len(p.buf))...)
		}
		got, err := syscall.Read(fd, p.buf[n:])
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		if got <= 0 {
			return p.buf[:n], nil
		}
		n += got
	}
}

// numbers calls visit with each entry of a folder that is a number.
func (p *procfs) numbers(name string, visit func(int)) error {
	fd, err := open(p.root+"/"+name, syscall.O_RDONLY|syscall.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Close(fd) }()
	var names []string
	for {
		n, err := syscall.ReadDirent(fd, p.buf)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		if n <= 0 {
			break
		}
		_, _, names = syscall.ParseDirent(p.buf[:n], -1, names)
	}
	for _, name := range names {
		if number, err := strconv.Atoi(name); err == nil {
			visit(number)
		}
	}
	return nil
}

func open(path string, flags int) (int, error) {
	for {
		fd, err := syscall.Open(path, flags|syscall.O_CLOEXEC, 0)
		if err != syscall.EINTR {
			return fd, err
		}
	}
}

// process is what /proc/PID/stat says, times in ticks.
type process struct {
	pid, parent int
	start       uint64 // ticks since boot: tells a process from an earlier one with its number
	own         int64  // user and system time of all its threads, ended ones too
	waited      int64  // the same of the children it has waited for, and of theirs
	threads     int
	rss         int64 // bytes
}

// parseStat reads a line of /proc/PID/stat. The command, second, is in
// parentheses and may itself hold any of " ()\n", so that fields count from the
// last closing one (proc_pid_stat(5)).
func parseStat(line []byte, page int64) (process, bool) {
	end := bytes.LastIndexByte(line, ')')
	begin := bytes.IndexByte(line, '(')
	if end < 0 || begin < 1 {
		return process{}, false
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(line[:begin])))
	if err != nil {
		return process{}, false
	}
	const first, last = 3, 24 // fields in the manual's numbering
	var field [last + 1]int64
	rest := line[end+1:]
	for i := first; i <= last; i++ {
		rest = bytes.TrimLeft(rest, " ")
		word := rest
		if cut := bytes.IndexAny(rest, " \n"); cut >= 0 {
			word = rest[:cut]
		}
		if len(word) == 0 {
			return process{}, false
		}
		rest = rest[len(word):]
		if i == first { // state, a letter
			continue
		}
		// Field 8 and some others may be negative, addresses may not fit:
		// those we use always parse.
		field[i], _ = strconv.ParseInt(string(word), 10, 64)
	}
	return process{
		pid:     pid,
		parent:  int(field[4]),
		own:     field[14] + field[15],
		waited:  field[16] + field[17],
		threads: int(field[20]),
		start:   uint64(field[22]),
		rss:     field[24] * page,
	}, true
}

// processes returns every process there is now, by number.
func (p *procfs) processes() (map[int]process, error) {
	all := make(map[int]process, 256)
	var pids []int
	if err := p.numbers("", func(pid int) { pids = append(pids, pid) }); err != nil {
		return nil, err
	}
	for _, pid := range pids {
		line, err := p.read(strconv.Itoa(pid) + "/stat")
		if err != nil { // it has ended since the folder was read
			continue
		}
		if proc, ok := parseStat(line, p.page); ok {
			all[pid] = proc
		}
	}
	return all, nil
}

// switches returns the context switches of each thread of a process so far,
// voluntary and not. The process's own status counts its first thread only.
func (p *procfs) switches(pid int) map[int]int64 {
	folder := strconv.Itoa(pid) + "/task"
	var threads []int
	if err := p.numbers(folder, func(tid int) { threads = append(threads, tid) }); err != nil {
		return nil
	}
	counts := make(map[int]int64, len(threads))
	for _, tid := range threads {
		status, err := p.read(folder + "/" + strconv.Itoa(tid) + "/status")
		if err != nil {
			continue
		}
		counts[tid] = labelled(status, "voluntary_ctxt_switches:") + labelled(status, "nonvoluntary_ctxt_switches:")
	}
	return counts
}

// labelled returns the number after a label at the beginning of a line, 0 if there is none.
func labelled(text []byte, label string) int64 {
	for len(text) > 0 {
		line := text
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			line, text = text[:end], text[end+1:]
		} else {
			text = nil
		}
		if !bytes.HasPrefix(line, []byte(label)) {
			continue
		}
		if words := bytes.Fields(line[len(label):]); len(words) > 0 {
			n, _ := strconv.ParseInt(string(words[0]), 10, 64) // 0 like a missing line
			return n
		}
	}
	return 0
}

// descriptors returns how many files a process has open, 0 where we may not look.
func (p *procfs) descriptors(pid int) int {
	folder := strconv.Itoa(pid) + "/fd"
	var info syscall.Stat_t
	if err := syscall.Stat(p.root+"/"+folder, &info); err == nil && info.Size > 0 {
		return int(info.Size) // Linux 6.2 and later tell the number here
	}
	n := 0
	if err := p.numbers(folder, func(int) { n++ }); err != nil {
		return 0
	}
	return n
}

// cpuTimes is the first line of /proc/stat: ticks of all cores together since boot.
type cpuTimes struct {
	busy, idle, iowait, steal int64
}

func (t cpuTimes) total() int64 { return t.busy + t.idle + t.iowait + t.steal }

func (p *procfs) cpu() (cpuTimes, error) {
	text, err := p.read("stat")
	if err != nil {
		return cpuTimes{}, err
	}
	return parseCPU(text), nil
}

// parseCPU reads the line "cpu". Guest time is part of user time already (proc_stat(5)).
func parseCPU(text []byte) cpuTimes {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	words := bytes.Fields(line)
	at := func(i int) int64 {
		if i >= len(words) {
			return 0
		}
		n, _ := strconv.ParseInt(string(words[i]), 10, 64) // kernels add columns, never words
		return n
	}
	const user, nice, system, idle, iowait, irq, softirq, steal = 1, 2, 3, 4, 5, 6, 7, 8
	return cpuTimes{
		busy:   at(user) + at(nice) + at(system) + at(irq) + at(softirq),
		idle:   at(idle),
		iowait: at(iowait),
		steal:  at(steal),
	}
}

// since returns the machine's use between two readings. iowait may go backwards
// (proc_stat(5) says so), which counts as none.
func (t cpuTimes) since(before cpuTimes) HostUse {
	total := t.total() - before.total()
	if total <= 0 {
		return HostUse{}
	}
	share := func(ticks int64) float64 { return max(0, 100*float64(ticks)/float64(total)) }
	return HostUse{
		BusyPct:   share(t.busy - before.busy),
		StealPct:  share(t.steal - before.steal),
		IOWaitPct: share(t.iowait - before.iowait),
	}
}
