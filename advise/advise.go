package advise

import (
	"cmp"
	"slices"
	"strings"

	"hotseat"
	"hotseat/measure"
)

// Input is everything that detectors look at.
type Input struct {
	Result  *hotseat.Result
	Picture *measure.Picture // never nil in a detector
	Summary *measure.Summary // CPU over time; never nil in a detector

	// Before and BeforeResult are of the run before, nil if there is none.
	Before       *measure.Picture
	BeforeResult *hotseat.Result
}

// detector looks for one kind of trouble.
type detector struct {
	id    string
	about string // what it looks at, for the list of what is fine
	look  func(*view) []hotseat.Finding
	// needs tells whether what it looks at was measured at all.
	needs func(*view) bool
	// explains are ids of detectors whose findings are effects of this one's,
	// as far as they are about the same subject.
	explains []string
}

// Advice is what the detectors say together.
type Advice struct {
	Findings []hotseat.Finding `json:"findings"`
	Fine     []string          `json:"fine"`      // what was looked at and is as it should be
	NotSeen  []string          `json:"not_seen"`  // what was not measured
	Limit    string            `json:"limit"`     // the resource that limits this run, in words
	LimitPct float64           `json:"limit_pct"` // its part of what there is
}

// Advise runs all detectors. Parts that were not measured are left out and said so.
func Advise(in Input) *Advice {
	v := newView(in)
	a := &Advice{Findings: []hotseat.Finding{}, Fine: []string{}, NotSeen: []string{}}
	a.Limit, a.LimitPct = v.limit.text, v.limit.pct
	var found []hotseat.Finding
	by := map[string]*detector{}
	for i := range detectors {
		d := &detectors[i]
		by[d.id] = d
		if d.needs != nil && !d.needs(v) {
			a.NotSeen = append(a.NotSeen, d.about)
			continue
		}
		list := d.look(v)
		if len(list) == 0 {
			a.Fine = append(a.Fine, d.about)
		}
		for _, f := range list {
			if f.ID == "" {
				f.ID = d.id
			} else {
				f.ID = d.id + "/" + f.ID
			}
			f.Gain = min(max(f.Gain, 0), 1)
			if f.Evidence == nil {
				f.Evidence = []string{}
			}
			if f.Remedy == nil {
				f.Remedy = []string{}
			}
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, worse)
	a.Findings = append(a.Findings, fold(found, by)...)
	return a
}

// Detectors lists the ids of all detectors and what each looks at.
func Detectors() map[string]string {
	all := map[string]string{}
	for _, d := range detectors {
		all[d.id] = d.about
	}
	return all
}

// worse orders findings: what fails requests first, then by the gain that is sure.
func worse(a, b hotseat.Finding) int {
	rank := func(f hotseat.Finding) int {
		switch f.Severity {
		case hotseat.Critical:
			return 0
		case hotseat.Warning:
			return 1
		}
		return 2
	}
	return cmp.Or(
		cmp.Compare(rank(a), rank(b)),
		cmp.Compare(b.Gain*b.Confidence, a.Gain*a.Confidence),
		cmp.Compare(a.ID, b.ID),
	)
}

// fold puts findings that another one explains under it.
func fold(found []hotseat.Finding, by map[string]*detector) []hotseat.Finding {
	kind := func(f hotseat.Finding) string {
		id, _, _ := strings.Cut(f.ID, "/")
		return id
	}
	under := make([]int, len(found))
	for i := range under {
		under[i] = -1
	}
	for effect := range found {
		for cause := range found {
			if cause == effect || under[cause] >= 0 || under[effect] >= 0 {
				continue
			}
			if slices.Contains(by[kind(found[cause])].explains, kind(found[effect])) && related(found[cause], found[effect]) {
				under[effect] = cause
			}
		}
	}
	var out []hotseat.Finding
	for i := range found {
		if under[i] >= 0 {
			continue
		}
		f := found[i]
		for j := range found {
			if under[j] == i {
				f.Folded = append(f.Folded, found[j])
			}
		}
		out = append(out, f)
	}
	return out
}

// related tells whether an effect can be this cause's: they are about the same
// part, or the effect is about the machine as a whole.
func related(cause, effect hotseat.Finding) bool {
	return cause.Subject == effect.Subject || effect.Subject == subjectHost || cause.Subject == subjectHost || effect.Subject == subjectHTTP
}

// What findings are about.
const (
	subjectDB    = "mariadb"
	subjectNginx = "nginx"
	subjectApp   = "app"
	subjectHost  = "host"
	subjectHTTP  = "http"
	subjectRedis = "redis"
	subjectRun   = "run"
)
