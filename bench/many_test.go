package bench

import (
	"bufio"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hotseat"
)

// Ten thousand users at once, each with a connection of its own: all of them
// get on, none starves, and each costs little.
func TestTenThousandUsers(t *testing.T) {
	users := 10_000
	if raceEnabled {
		users = 2_000
	}
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		t.Fatal(err)
	}
	if files.Cur < uint64(users)+1000 {
		t.Fatalf("only %d open files are allowed: raise ulimit -n", files.Cur)
	}
	target := elsewhere(t)
	c := get()
	c.Sources = "127.0.0.0/8"
	c.Drain = 10 * time.Second
	c.Populations = func(*Run) []Population {
		return []Population{Closed("reader", func(u *User) Iteration {
			return func() error {
				err := u.getOK("/").Err()
				u.Think(500*time.Millisecond, time.Second)
				return err
			}
		}).Start(users)}
	}
	var visits []int64
	c.Score = func(_ *Run, tally *Tally) (s Score) {
		visits = visits[:0]
		tally.EachUser(func(u UserTally) {
			s.Raw += u.Points("page")
			visits = append(visits, u.Points("page"))
		})
		return s
	}
	before := inUse()
	var peak chan uint64
	o := unhurried(t, func(load time.Duration) (*outcomeOf, bool) {
		peak = make(chan uint64, 1)
		go func() {
			time.Sleep(load - 500*time.Millisecond)
			peak <- inUse()
		}()
		o := play(t, c, "--target", target, "--duration", load.String())
		return o, len(visits) == users && slices.Min(visits) > 0
	}, 3*time.Second, 12*time.Second, 40*time.Second)
	wantVerdict(t, o, hotseat.Pass, "")
	slices.Sort(visits)
	if len(visits) != users || visits[0] < 1 {
		t.Fatalf("%d users, the slowest with %d visits", len(visits), visits[0])
	}
	each := (<-peak - before) / uint64(users)
	t.Logf("%d to %d visits per user, %d in all; %d bytes per user", visits[0], visits[users-1], *o.verdict.Score, each)
	const most = 32 << 10 // make bench-engine measures it exactly, on a quiet machine
	if each > most && !raceEnabled {
		t.Errorf("%d bytes per user", each)
	}
}

// elsewhere is a target in a process of its own, which has files of its own.
func elsewhere(t *testing.T) (url string) {
	t.Helper()
	cmd := child(t, "target", "", "")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	url, err = bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(url)
}

// inUse returns the memory that the process has taken for heap and stacks.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
