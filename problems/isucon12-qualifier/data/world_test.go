package data

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The window of §12, in its own words.
const (
	mayFirst  = 1651363200
	lastOfMay = 1654041599
)

// Every world keeps the rules of §12, whatever the seed and the size.
func TestWorldKeepsTheRules(t *testing.T) {
	worlds := map[string]Options{"small": Small()}
	for seed := range uint64(5) {
		o := tiny()
		o.Seed, o.Tenants = seed, 6
		worlds[fmt.Sprintf("seed %d", seed)] = o
	}
	for name, opts := range worlds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := readWorld(t, opts)
			w.checkIDs(t)
			w.checkNames(t)
			for _, tenant := range w.tenants {
				tenant.checkTenant(t)
				tenant.checkPlayers(t, opts)
				tenant.checkCompetitions(t, opts)
				tenant.checkHistory(t, opts)
			}
			w.checkBills(t)
			w.checkSamples(t)
			if name == "small" {
				w.checkEnough(t)
			}
		})
	}
}

// checkIDs takes ids apart: the second of creation, and a number within it that
// starts below 100 and counts on, over all tenants.
func (w *world) checkIDs(t *testing.T) {
	t.Helper()
	within := map[int64][]int64{} // by second
	take := func(id string, at int64) {
		n, err := strconv.ParseInt(id, 16, 64)
		if err != nil || id != strconv.FormatInt(n, 16) {
			t.Fatalf("id %q is no plain hexadecimal number", id)
		}
		if n/10_000 != at-mayFirst {
			t.Errorf("id %s is of second %d, not %d", id, n/10_000, at-mayFirst)
		}
		if n >= w.nextID {
			t.Errorf("id %s is among those that the app will give out, from %x", id, w.nextID)
		}
		within[n/10_000] = append(within[n/10_000], n%10_000)
	}
	for _, tenant := range w.tenants {
		for _, p := range tenant.players {
			if p.id != "0001" && p.id != "0002" {
				take(p.id, p.createdAt)
			}
		}
		for _, c := range tenant.competitions {
			take(c.id, c.createdAt)
		}
		for _, s := range tenant.scores {
			take(s.id, s.createdAt)
		}
	}
	for second, ks := range within {
		slices.Sort(ks)
		if ks[0] >= 100 || ks[len(ks)-1] != ks[0]+int64(len(ks))-1 {
			t.Errorf("second %d has numbers %v", second, ks)
		}
	}
}

var tenantName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

func (w *world) checkNames(t *testing.T) {
	t.Helper()
	seen := map[string]bool{}
	for i, tenant := range w.tenants {
		if tenant.id != i+1 {
			t.Fatalf("tenant %d is in place %d", tenant.id, i+1)
		}
		if seen[tenant.name] || !tenantName.MatchString(tenant.name) {
			t.Errorf("tenant %d is called %q", tenant.id, tenant.name)
		}
		if seen[tenant.name] = true; tenant.id > 2 && !strings.HasSuffix(tenant.name, "-"+strconv.Itoa(tenant.id)) {
			t.Errorf("tenant %d is called %q, without its id", tenant.id, tenant.name)
		}
		if tenant.display == "" {
			t.Errorf("tenant %d has no name to show", tenant.id)
		}
	}
}

func (r *tenantRows) checkTenant(t *testing.T) {
	t.Helper()
	from, to := int64(mayFirst+3*3600*r.id), int64(mayFirst+3*3600*(r.id+1))
	switch r.id {
	case 1:
		from, to = mayFirst, mayFirst
		if r.name != "isucon" || r.display != "ISUコングロマリット" {
			t.Errorf("tenant 1 is %q, %q", r.name, r.display)
		}
	case 2:
		from, to = mayFirst+300, mayFirst+300
		if r.name != "kayac" || r.display != "KAYAC" {
			t.Errorf("tenant 2 is %q, %q", r.name, r.display)
		}
	}
	if r.createdAt < from || r.createdAt > to {
		t.Errorf("tenant %d was created at %d, want %d to %d", r.id, r.createdAt, from, to)
	}
}

func (r *tenantRows) checkPlayers(t *testing.T, opts Options) {
	t.Helper()
	want := opts.Players
	if r.id == 1 {
		want = Range{opts.HugePlayers, opts.HugePlayers}
	}
	players := slices.Clone(r.players)
	if fixed := map[int]string{1: "0001 ISUコンボイ", 2: "0002 fujiwara組"}[r.id]; fixed != "" {
		i := slices.IndexFunc(players, func(p playerRow) bool {
			return p.id+" "+p.display == fixed && p.createdAt == r.createdAt && !p.disqualified
		})
		if i < 0 {
			t.Fatalf("tenant %d lacks %s", r.id, fixed)
		}
		players = slices.Delete(players, i, i+1)
	}
	if n := int64(len(players)); n < want.Min || n > want.Max {
		t.Errorf("tenant %d has %d players, want %v", r.id, n, want)
	}
	for _, p := range players {
		if p.createdAt < r.createdAt || p.createdAt > lastOfMay || p.updatedAt != p.createdAt || len(strings.Fields(p.display)) != 2 {
			t.Errorf("tenant %d: player %+v", r.id, p)
		}
	}
}

func (r *tenantRows) checkCompetitions(t *testing.T, opts Options) {
	t.Helper()
	want := opts.Competitions
	if r.id == 1 {
		want = Range{opts.HugeCompetitions, opts.HugeCompetitions}
	}
	if n := int64(len(r.competitions)); n < want.Min || n > want.Max {
		t.Errorf("tenant %d has %d competitions, want %v", r.id, n, want)
	}
	for _, c := range r.competitions {
		updated := max(c.createdAt, c.finishedAt)
		if c.createdAt < r.createdAt || c.createdAt > lastOfMay || c.updatedAt != updated || c.title == "" ||
			c.finishedAt != 0 && (c.finishedAt < c.createdAt || c.finishedAt > lastOfMay) {
			t.Errorf("tenant %d: competition %+v", r.id, c)
		}
	}
}

// checkHistory looks at who visited and scored, how often, when and in which
// order.
func (r *tenantRows) checkHistory(t *testing.T, opts Options) {
	t.Helper()
	type pair struct{ competition, player string }
	scores, visits := map[pair]int64{}, map[pair]int64{}
	rowNum, latest, latestVisit := map[string]int64{}, map[string]int64{}, map[string]int64{}
	until := map[string]int64{}
	from := map[string]int64{}
	for _, c := range r.competitions {
		from[c.id], until[c.id] = c.createdAt, lastOfMay
		if c.finishedAt != 0 {
			until[c.id] = c.finishedAt
		}
	}
	for _, s := range r.scores {
		rowNum[s.competition]++
		if s.row != rowNum[s.competition] || s.createdAt < latest[s.competition] || s.updatedAt != s.createdAt {
			t.Fatalf("tenant %d: row %+v comes after row %d of %d", r.id, s, rowNum[s.competition]-1, latest[s.competition])
		}
		latest[s.competition] = s.createdAt
		if s.createdAt < from[s.competition] || s.createdAt > until[s.competition] || s.value < 0 || s.value > 1_000_000 {
			t.Fatalf("tenant %d: row %+v, competition from %d to %d", r.id, s, from[s.competition], until[s.competition])
		}
		scores[pair{s.competition, s.player}]++
	}
	for _, v := range r.visits {
		if v.createdAt < from[v.competition] || v.createdAt > until[v.competition] || v.updatedAt != v.createdAt || v.createdAt < latestVisit[v.competition] {
			t.Fatalf("tenant %d: visit %+v, competition from %d to %d", r.id, v, from[v.competition], until[v.competition])
		}
		latestVisit[v.competition] = v.createdAt
		visits[pair{v.competition, v.player}]++
	}
	within := func(n int64, r Range) bool { return n >= r.Min && n <= r.Max }
	for _, c := range r.competitions {
		for _, p := range r.players {
			at := pair{c.id, p.id}
			v, s := visits[at], scores[at]
			delete(visits, at)
			delete(scores, at)
			if existed := p.createdAt < until[c.id]; !existed && v+s != 0 || existed && !within(v, opts.Visits) || s != 0 && !within(s, opts.Scores) {
				t.Errorf("tenant %d: player %s made %d visits and %d scores in %s", r.id, p.id, v, s, c.id)
			}
		}
	}
	for at := range visits {
		t.Errorf("tenant %d: visits of unknown player or competition: %v", r.id, at)
	}
	for at := range scores {
		t.Errorf("tenant %d: scores of unknown player or competition: %v", r.id, at)
	}
}

// checkBills reckons §7 from the rows alone.
func (w *world) checkBills(t *testing.T) {
	t.Helper()
	var want []bill
	for _, r := range w.tenants {
		b := bill{TenantID: int64(r.id), TenantName: r.name}
		for _, c := range r.competitions {
			b.Competitions = append(b.Competitions, competitionBill{c.id, r.yen(c)})
			b.Billing += r.yen(c)
		}
		want = append(want, b)
	}
	if diff := cmp.Diff(want, w.bills); diff != "" {
		t.Errorf("benchmarker_tenant.json (-rows +file):\n%s", diff)
	}
}

func (r *tenantRows) yen(c competitionRow) int64 {
	if c.finishedAt == 0 {
		return 0
	}
	players, visitors := map[string]bool{}, map[string]bool{}
	for _, s := range r.scores {
		if s.competition == c.id {
			players[s.player] = true
		}
	}
	for _, v := range r.visits {
		if v.competition == c.id && v.createdAt <= c.finishedAt && !players[v.player] {
			visitors[v.player] = true
		}
	}
	return 100*int64(len(players)) + 10*int64(len(visitors))
}

// checkSamples looks for one entry per player, with what is true of it and of
// a competition of its tenant.
func (w *world) checkSamples(t *testing.T) {
	t.Helper()
	left := map[[2]string]playerRow{}
	finished := map[[2]string]bool{}
	for _, r := range w.tenants {
		for _, p := range r.players {
			left[[2]string{r.name, p.id}] = p
		}
		for _, c := range r.competitions {
			finished[[2]string{r.name, c.id}] = c.finishedAt != 0
		}
	}
	for _, s := range w.samples {
		p, once := left[[2]string{s.TenantName, s.PlayerID}]
		ended, known := finished[[2]string{s.TenantName, s.CompetitionID}]
		if !once || !known || s.IsFinished != ended || s.IsDisqualified != p.disqualified {
			t.Errorf("benchmarker.json has %+v", s)
		}
		delete(left, [2]string{s.TenantName, s.PlayerID})
	}
	if len(left) > 0 {
		t.Errorf("benchmarker.json lacks %d players", len(left))
	}
}

// checkEnough looks for what the benchmark needs of the small world: people to
// log in as in every tenant it may draw, rankings of two pages, bills that are
// not all zero.
func (w *world) checkEnough(t *testing.T) {
	t.Helper()
	for _, r := range w.tenants {
		qualified := 0
		for _, p := range r.players {
			if !p.disqualified {
				qualified++
			}
		}
		if qualified < 8 {
			t.Errorf("tenant %d has only %d players who may log in", r.id, qualified)
		}
	}
	scored := map[string]map[string]bool{}
	for _, s := range w.tenants[0].scores {
		if scored[s.competition] == nil {
			scored[s.competition] = map[string]bool{}
		}
		scored[s.competition][s.player] = true
	}
	if !slices.ContainsFunc(w.tenants[0].competitions, func(c competitionRow) bool { return len(scored[c.id]) > 100 }) {
		t.Error("no ranking of tenant 1 has a second page")
	}
	zero := 0
	for _, b := range w.bills {
		if b.Billing == 0 {
			zero++
		}
	}
	if zero > len(w.bills)/4 {
		t.Errorf("%d tenants of %d owe nothing", zero, len(w.bills))
	}
	if w.nextID != 26784000000 {
		t.Errorf("the app's ids begin at %d", w.nextID)
	}
}
