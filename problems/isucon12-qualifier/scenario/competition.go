package isucon12qscenario

import (
	"sync"
	"time"

	"hotseat/bench/model"
)

// competition is a competition, as far as the run knows it.
type competition struct {
	tenant  *tenant
	id      string
	title   string              // "": not known
	initial *initialCompetition // nil for those that the run has added
	added   time.Time           // acknowledged; zero if initial, or not yet
	// What the rehearsal made it for: the rules that a wrong number in its bill breaks.
	purpose string

	// nil for initial ones, whose sheets nobody has told us.
	sheets   *model.Register[*sheet]
	finished *model.Register[bool]

	mu       sync.Mutex
	uploaded []*sheet
	// Mixtures of sheets that were shown while an upload was under way: held
	// against the service if that succeeds. One that fails costs points, and may
	// leave half a sheet behind, as the contest's own app did.
	suspicions []*finding
	uploading  int
	halved     bool // an upload was not acknowledged: anything may be shown
	ending     ending
	visits     map[*player]*visit
	bill       *bill // settled, see reckon
}

// noSheet is what a new competition's ranking is made of.
var noSheet = newSheet(nil)

func newCompetition(t *tenant, title string) *competition {
	return &competition{
		tenant: t, title: title,
		sheets:   model.NewRegister[*sheet](model.Promise{}).Initially(noSheet),
		finished: model.NewRegister[bool](model.Promise{}).Initially(false),
		visits:   map[*player]*visit{},
	}
}

// ending is the finish of a competition: the first one that was asked for.
type ending struct {
	sent, done time.Time
	doubtful   bool // its answer was lost
}

// visit is what is known of a player's looks at a ranking.
type visit struct {
	asked    time.Time // first request sent
	seen     time.Time // first answer received; zero: none yet
	paged    bool      // all that were answered had a rank_after
	times    int       // requests
	answered int
}

// visiting takes note of a request for the ranking that is about to be sent.
func (c *competition) visiting(p *player, at time.Time) {
	if c.initial != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.visits == nil {
		return // billed to the end; see reckon
	}
	v := c.visits[p]
	if v == nil {
		v = &visit{asked: at, paged: true}
		c.visits[p] = v
	}
	if at.Before(v.asked) {
		v.asked = at
	}
	v.times++
}

// visited takes note of the answer to such a request.
func (c *competition) visited(p *player, done time.Time, paged bool) {
	if c.initial != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.visits[p]
	if v == nil {
		return
	}
	if v.answered == 0 || done.Before(v.seen) {
		v.seen = done
	}
	v.paged = v.paged && paged
	v.answered++
}

// ended takes note of a finish that was asked for.
func (c *competition) ended(e ending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending = e
}

// uploads takes note of an upload that is about to be sent.
func (c *competition) uploads(s *sheet) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uploaded = append(c.uploaded, s)
	c.uploading++
}

// uploadEnded takes note of what became of an upload, and returns what to hold
// against the service.
func (c *competition) uploadEnded(acknowledged, happened bool) []*finding {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uploading--
	c.halved = c.halved || happened && !acknowledged
	due := c.suspicions
	if c.uploading == 0 {
		c.suspicions = nil
	}
	if !acknowledged {
		return nil
	}
	return due
}

// suspect keeps a finding until it is known what became of the upload that is
// under way. Without one it returns the finding, to be held against the service now.
func (c *competition) suspect(f *finding) *finding {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.halved:
		return nil
	case c.uploading > 0 && (f.Rule == ruleRankingWhole || f.Rule == rulePlayerScores):
		c.suspicions = append(c.suspicions, f)
		return nil
	default:
		return f
	}
}

// unknowable reports whether nobody knows what the sheet is.
func (c *competition) unknowable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.halved
}
