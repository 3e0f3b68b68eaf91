package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"hotseat"
	"hotseat/measure"
	"hotseat/measure/accesslog"
	"hotseat/measure/join"
	"hotseat/measure/logfile"
	"hotseat/measure/slowlog"
	"hotseat/service/nginx"
	"hotseat/stack"
)

// Names of the files in a run's folder that measuring leaves.
const (
	AccessLogFile = "access.log"
	SlowLogFile   = "slow.log"
	PictureFile   = "picture.json"
)

// accessLogFlush is how long nginx may keep lines in its buffer.
const accessLogFlush = time.Second

// measureNginx adds our access log and status to the rendered copy.
func (s *site) measureNginx(c *nginx.Config) error {
	status, err := stack.SocketPath(s.workspace.RunDir(), "nginx-status.sock")
	if err != nil {
		return err
	}
	c.Status = status
	c.Log = &nginx.Log{
		Name: accesslog.NginxLogName, Format: "'" + accesslog.NginxLogVariables + "'", Path: s.accessLog(),
		Options: fmt.Sprintf("buffer=64k flush=%s", accessLogFlush),
	}
	return nil
}

// accessLog is where nginx writes while a run is measured. It has no name ending
// in .log: the stack's logs are the contestant's.
func (s *site) accessLog() string {
	return filepath.Join(s.workspace.RunDir(), "logs", "measured-access")
}

func (s *site) slowLog() string {
	return filepath.Join(s.workspace.RunDir(), "logs", "measured-slow")
}

// measuring is what is switched on around a measured run of a stack of ours.
type measuring struct {
	stack *Stack
	slow  *slowGate // nil without a database
	held  *stack.Held

	before serverCounts
	notes  []string

	stopPolls context.CancelFunc
	polls     sync.WaitGroup
	activeMax int64
	profile   *profiler

	mu       sync.Mutex
	from, to time.Time // of the load
}

// startMeasuring switches the logs on. What cannot be measured is noted, and is
// no reason not to run.
func startMeasuring(ctx context.Context, s *Stack, dir string) *measuring {
	m := &measuring{stack: s}
	if err := os.Truncate(s.site.accessLog(), 0); err != nil && !errors.Is(err, os.ErrNotExist) {
		m.note("access log: %v", err)
	}
	if s.database != nil {
		m.startSlowLog(ctx)
	}
	m.before = s.site.counts(ctx, m.note)
	polling, stop := context.WithCancel(context.WithoutCancel(ctx))
	m.stopPolls = stop
	m.polls.Go(func() { m.pollNginx(polling) })
	m.profile = newProfiler(s, dir)
	return m
}

// abandon switches everything off again, for a run that did not begin.
func (m *measuring) abandon() {
	m.stopPolls()
	m.profile.stop()
	if m.slow != nil {
		m.slow.stop()
		_ = m.held.Release() // the guardian does it without us too
	}
	m.polls.Wait()
	m.profile.wait()
}

func (m *measuring) note(format string, args ...any) {
	m.notes = append(m.notes, fmt.Sprintf(format, args...))
}

// phase is told when phases begin and end: the slow log is on during the load,
// and the load is what is digested.
func (m *measuring) phase(p *hotseat.PhaseEvent) {
	if p.Phase != "load" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if p.State == hotseat.PhaseBegin {
		m.from = time.Now()
		if m.slow != nil {
			m.slow.open()
		}
		m.profile.start()
		return
	}
	m.to = time.Now()
	if m.slow != nil {
		m.slow.shut()
	}
	m.profile.stop()
}

// pollNginx remembers the most client connections at once.
func (m *measuring) pollNginx(ctx context.Context) {
	socket, err := stack.SocketPath(m.stack.workspace.RunDir(), "nginx-status.sock")
	if err != nil {
		return
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			asked, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
			if s, err := nginx.ReadStatus(asked, socket); err == nil {
				m.activeMax = max(m.activeMax, s.Active-1) // less our own
			}
			cancel()
		}
	}
}

// finish switches the logs off and makes the picture of the run. It takes what
// is there; dir is the run's folder.
func (m *measuring) finish(ctx context.Context, sampler *measure.Sampler, result *hotseat.Result, dir string) *measure.Picture {
	m.stopPolls()
	m.profile.stop()
	flushed := time.NewTimer(accessLogFlush + 100*time.Millisecond)
	defer flushed.Stop()
	p := &measure.Picture{Schema: measure.PictureSchema, Processes: map[string]*measure.Process{}, Notes: []string{}}
	if err := sampler.Picture(p); err != nil {
		m.note("sockets and threads: %v", err)
	}
	p.Kernel = measure.Kernel()
	p.Effective = result.Ran
	p.LogBytes = m.stack.logGrowth()
	after := m.stack.site.counts(ctx, m.note)
	m.stack.site.describe(ctx, p, m.before, after, m.note)
	if p.Nginx != nil {
		p.Nginx.ActiveMax = m.activeMax
		p.Nginx.Errors = m.stack.nginxErrors()
	}
	if m.slow != nil {
		p.SlowShare = m.slow.stop()
		if err := m.held.Release(); err != nil {
			m.note("slow log: %v", err)
		}
	}
	m.polls.Wait()
	m.profile.wait()
	<-flushed.C
	m.keep(m.stack.site.accessLog(), filepath.Join(dir, AccessLogFile))
	m.keep(m.stack.site.slowLog(), filepath.Join(dir, SlowLogFile))
	m.digest(ctx, p, dir)
	p.Notes = append(p.Notes, m.notes...)
	return p
}

// keep moves what a log holds into the run's folder, all of it: half a log is
// half a truth.
func (m *measuring) keep(from, to string) {
	info, err := os.Stat(from)
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return
	}
	if err == nil {
		if err = copyFrom(from, to, 0, info.Size()); err == nil {
			err = os.Truncate(from, 0)
		}
	}
	if err != nil {
		m.note("keep %s: %v", filepath.Base(to), err)
	}
}

// digest reads both logs of the load.
func (m *measuring) digest(ctx context.Context, p *measure.Picture, dir string) {
	m.mu.Lock()
	from, to := seconds(m.from), seconds(m.to)
	m.mu.Unlock()
	a := accesslog.Options{From: from, To: to, WindowS: join.WindowS, RequestIDs: true}
	// MariaDB writes whole seconds: a statement of the first one says an
	// earlier time than the load's.
	s := slowlog.Options{From: float64(int64(from)), To: to, WindowS: join.WindowS}
	var access *accesslog.Log
	if in, err := logfile.Inputs([]string{filepath.Join(dir, AccessLogFile)}, nil); err == nil {
		if access, err = accesslog.Read(ctx, in, a); err != nil {
			m.note("digest of the access log: %v", err)
		} else {
			p.Access = &access.AccessDigest
		}
	}
	in, err := logfile.Inputs([]string{filepath.Join(dir, SlowLogFile)}, nil)
	if err != nil {
		return // none was written
	}
	if access != nil && access.HasIDs {
		s.Route = access.RouteOf
	}
	slow, err := slowlog.Read(ctx, in, s)
	if err != nil {
		m.note("digest of the slow log: %v", err)
		return
	}
	p.Slow = &slow.SlowDigest
	if access != nil {
		p.Join = join.Of(access, slow)
	}
}

func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMicro()) / 1e6
}

// queriesOf is the part of a slow digest that a result carries.
func queriesOf(p *measure.Picture) []hotseat.Query {
	if p.Slow == nil {
		return nil
	}
	scale := 1.0
	if p.SlowShare > 0 {
		scale = 1 / p.SlowShare
	}
	var all []hotseat.Query
	for _, c := range p.Slow.Classes[:min(len(p.Slow.Classes), 50)] {
		q := hotseat.Query{
			ID: c.ID, Fingerprint: c.Fingerprint, Calls: int64(float64(c.Count)*scale + 0.5), TotalS: c.QueryTime.Sum * scale,
			P95MS: 1000 * c.QueryTime.P95, LockS: c.LockTime.Sum * scale,
			RowsExamined: int64(float64(c.RowsExamined.Sum)*scale + 0.5), RowsSent: int64(float64(c.RowsSent.Sum)*scale + 0.5),
		}
		if c.Example != nil {
			q.Example = c.Example.SQL
		}
		all = append(all, q)
	}
	return all
}

// writePicture keeps the picture beside the result.
func writePicture(dir string, p *measure.Picture) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, PictureFile), append(text, '\n'), 0o644); err != nil {
		return noSpaceHint(err)
	}
	return nil
}

// ReadPicture reads what was measured around a run; nil if nothing was.
func ReadPicture(dir string) (*measure.Picture, error) {
	text, err := os.ReadFile(filepath.Join(dir, PictureFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var p measure.Picture
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, hotseat.Invalid("", "%s: %w", filepath.Join(dir, PictureFile), err)
	}
	return &p, nil
}
