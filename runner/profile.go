package runner

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"hotseat/measure"
)

// profileAfter is how far into the load profiling begins, when caches are warm;
// profileFor is how long it goes on, if the load lasts as long.
const (
	profileAfter = 5 * time.Second
	profileFor   = 20 * time.Second
)

// profiler fetches the CPU profile of a Go app that serves net/http/pprof, from
// whatever port it listens on. An app that does not is left alone.
type profiler struct {
	stack *Stack
	dir   string

	once    sync.Once
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
}

func newProfiler(s *Stack, dir string) *profiler {
	p := &profiler{stack: s, dir: dir}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// start is called when the load begins.
func (p *profiler) start() {
	p.once.Do(func() {
		all := p.stack.pids()
		for _, name := range p.stack.site.appNames() {
			pids := all[name]
			for _, port := range measure.ListeningPorts(pids) {
				p.running.Go(func() { p.fetch(name, fmt.Sprintf("http://127.0.0.1:%d/debug/pprof/", port)) })
			}
		}
	})
}

func (p *profiler) fetch(name, base string) {
	if !p.serves(base) {
		return
	}
	select {
	case <-p.ctx.Done():
		return
	case <-time.After(profileAfter):
	}
	ctx, cancel := context.WithTimeout(p.ctx, profileFor+10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%sprofile?seconds=%d", base, int(profileFor.Seconds())), nil)
	if err != nil {
		return
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return // the load ended first, or the app did
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if err != nil || resp.StatusCode != http.StatusOK || len(body) == 0 {
		return
	}
	// Without room for it the run is not worse off.
	_ = os.WriteFile(filepath.Join(p.dir, "profile-"+name+".pb.gz"), body, 0o644)
}

// serves asks for something small that only pprof answers: the command line,
// words separated by NUL.
func (p *profiler) serves(base string) bool {
	ctx, cancel := context.WithTimeout(p.ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"cmdline", nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode == http.StatusOK && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") &&
		resp.Header.Get("X-Content-Type-Options") == "nosniff"
}

// stop ends what still goes on: a load shorter than the profile has none.
func (p *profiler) stop() { p.cancel() }

// wait returns when nothing goes on any more.
func (p *profiler) wait() { p.running.Wait() }
