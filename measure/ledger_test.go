package measure

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// snapshot builds what /proc would show.
func snapshot(procs ...process) map[int]process {
	all := map[int]process{}
	for _, p := range procs {
		all[p.pid] = p
	}
	return all
}

func TestLedger(t *testing.T) {
	app := func(own, waited int64) process {
		return process{pid: 10, parent: 1, start: 5, own: own, waited: waited}
	}
	child := func(own, waited int64) process {
		return process{pid: 11, parent: 10, start: 6, own: own, waited: waited}
	}
	roots := map[int]string{10: "app"}
	for _, c := range []struct {
		name  string
		roots map[int]string
		steps []map[int]process
		want  []map[string]int64
	}{
		{
			name: "what was used before sampling is not counted",
			steps: []map[int]process{
				snapshot(app(700, 50)),
				snapshot(app(710, 50)),
			},
			want: []map[string]int64{{"app": 0}, {"app": 10}},
		},
		{
			name: "a process that starts later counts from its start",
			steps: []map[int]process{
				snapshot(),
				snapshot(app(30, 0)),
			},
			want: []map[string]int64{{}, {"app": 30}},
		},
		{
			name: "a child waited for is counted once",
			steps: []map[int]process{
				snapshot(app(0, 0)),
				snapshot(app(1, 0), child(100, 0)),
				snapshot(app(2, 120)), // it used 20 more before it ended
			},
			want: []map[string]int64{{"app": 0}, {"app": 101}, {"app": 122}},
		},
		{
			name: "a child nobody waits for keeps what was last seen",
			steps: []map[int]process{
				snapshot(app(0, 0)),
				snapshot(app(1, 0), child(100, 0)),
				snapshot(app(2, 0)),
				snapshot(app(3, 0)),
			},
			want: []map[string]int64{{"app": 0}, {"app": 101}, {"app": 102}, {"app": 103}},
		},
		{
			name: "a child no sample saw is paid for through its parent",
			steps: []map[int]process{
				snapshot(app(0, 7)),
				snapshot(app(1, 57)),
			},
			want: []map[string]int64{{"app": 0}, {"app": 51}},
		},
		{
			name: "what a waited child used before sampling stays out",
			steps: []map[int]process{
				snapshot(app(0, 0), child(400, 0)),
				snapshot(app(0, 0), child(410, 0)),
				snapshot(app(0, 410)),
			},
			want: []map[string]int64{{"app": 0}, {"app": 10}, {"app": 10}},
		},
		{
			name: "a child read before and its parent after the waiting do not add up twice for long",
			steps: []map[int]process{
				snapshot(app(0, 0)),
				snapshot(app(0, 0), child(100, 0)),
				snapshot(app(0, 100), child(100, 0)),
				snapshot(app(20, 100)),
				snapshot(app(150, 100)),
			},
			want: []map[string]int64{{"app": 0}, {"app": 100}, {"app": 200}, {"app": 200}, {"app": 250}},
		},
		{
			name: "the whole tree ends at once",
			steps: []map[int]process{
				snapshot(app(0, 0), child(0, 0)),
				snapshot(app(10, 0), child(20, 5)),
				snapshot(),
			},
			want: []map[string]int64{{"app": 0}, {"app": 35}, {"app": 35}},
		},
		{
			name: "child and grandchild end between two samples",
			steps: []map[int]process{
				snapshot(app(0, 0)),
				snapshot(app(1, 0), child(20, 0), process{pid: 12, parent: 11, start: 7, own: 30}),
				snapshot(app(2, 50)),
			},
			want: []map[string]int64{{"app": 0}, {"app": 51}, {"app": 52}},
		},
		{
			name: "a restart with another process number adds up",
			roots: map[int]string{
				10: "app", 20: "app",
			},
			steps: []map[int]process{
				snapshot(app(0, 0)),
				snapshot(app(40, 0)),
				snapshot(process{pid: 20, parent: 1, start: 90, own: 5}),
			},
			want: []map[string]int64{{"app": 0}, {"app": 40}, {"app": 45}},
		},
		{
			name: "a number used again is another process",
			steps: []map[int]process{
				snapshot(app(0, 0)),
				snapshot(app(40, 0)),
				snapshot(process{pid: 10, parent: 1, start: 90, own: 5}),
			},
			want: []map[string]int64{{"app": 0}, {"app": 40}, {"app": 45}},
		},
		{
			name:  "a tree ends where another begins, even for the waiting parent",
			roots: map[int]string{10: "hotseat", 11: "benchmark"},
			steps: []map[int]process{
				snapshot(app(0, 0)),
				snapshot(app(1, 0), child(100, 0)),
				snapshot(app(2, 100)),
			},
			want: []map[string]int64{{"hotseat": 0}, {"hotseat": 1, "benchmark": 100}, {"hotseat": 2, "benchmark": 100}},
		},
		{
			name: "an orphan stays a member",
			steps: []map[int]process{
				snapshot(app(0, 0), child(0, 0)),
				snapshot(process{pid: 11, parent: 1, start: 6, own: 30}),
				snapshot(process{pid: 11, parent: 1, start: 6, own: 60}),
			},
			want: []map[string]int64{{"app": 0}, {"app": 30}, {"app": 60}},
		},
		{
			name: "parents in a circle do not hang",
			steps: []map[int]process{
				snapshot(process{pid: 2, parent: 3}, process{pid: 3, parent: 2}),
			},
			want: []map[string]int64{{}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLedger()
			r := roots
			if c.roots != nil {
				r = c.roots
			}
			for i, all := range c.steps {
				got := l.update(all, l.members(all, r))
				if diff := cmp.Diff(c.want[i], got); diff != "" {
					t.Errorf("sample %d (-want +got):\n%s", i, diff)
				}
			}
		})
	}
}

func TestSwitchCounter(t *testing.T) {
	c := newSwitchCounter()
	old, young := processID{1, 1}, processID{2, 2}
	c.add("db", old, true, map[int]int64{1: 500})
	c.next()
	c.add("db", old, true, map[int]int64{1: 510, 7: 3}) // a new thread
	c.add("app", young, false, map[int]int64{2: 40})
	c.next()
	c.add("db", old, true, map[int]int64{1: 510, 7: 1}) // thread 7 is another one now
	c.next()
	if diff := cmp.Diff(map[string]int64{"db": 14, "app": 40}, c.totals); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
