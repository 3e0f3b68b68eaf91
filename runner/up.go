package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"hotseat"
	"hotseat/measure"
	"hotseat/problem"
	"hotseat/service"
	"hotseat/service/nginx"
	"hotseat/stack"
)

// Stack is the running stack of a workspace.
type Stack struct {
	URL string            // where the benchmark goes
	Env []string          // of the init script
	Ran map[string]string // by process: what it runs with, as a hash

	site      *site
	workspace *problem.Workspace
	client    *stack.Client
	database  *database
	upAt      time.Time
	logSizes  map[string]int64 // at upAt: a run's own lines come after

	mu       sync.Mutex
	lastPIDs map[string][]int // what was known when the guardian last answered
}

// Up brings the stack of a workspace up to date: it builds the app, renders the
// configuration, makes the data if there are none, and starts or restarts what
// differs from what runs.
func (r *Runner) Up(ctx context.Context, w *problem.Workspace) (*Stack, error) {
	return r.up(ctx, w, false)
}

// up is Up with the log lines of ours, or without.
func (r *Runner) up(ctx context.Context, w *problem.Workspace, measured bool) (*Stack, error) {
	s, err := siteOf(w)
	if err != nil {
		return nil, err
	}
	s.measured = measured
	plan, db, err := r.plan(ctx, s)
	if err != nil {
		return nil, err
	}
	client, err := r.apply(ctx, plan)
	if err != nil {
		return nil, err
	}
	up := &Stack{
		URL: s.url(), Env: slices.Concat(os.Environ(), s.env()), Ran: map[string]string{},
		site: s, workspace: w, client: client, database: db, upAt: time.Now(), logSizes: map[string]int64{},
	}
	for _, p := range plan.Processes {
		up.Ran[p.Name] = p.Revision
	}
	for _, file := range logFiles(w) {
		if info, err := os.Stat(file); err == nil {
			up.logSizes[file] = info.Size()
		}
	}
	return up, nil
}

// plan says what should run.
func (r *Runner) plan(ctx context.Context, s *site) (stack.Plan, *database, error) {
	w := s.workspace
	plan := stack.Plan{ID: w.Dir, Dir: w.RunDir()}
	for _, dir := range []string{w.RunDir(), w.DataDir()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return plan, nil, hotseat.Unavailable("", "make the stack's folders: %w", noSpaceHint(err))
		}
	}
	rev, err := r.build(ctx, s, s.appBuild())
	if err != nil {
		return plan, nil, err
	}
	own, err := r.ownProcesses(ctx, s)
	if err != nil {
		return plan, nil, err
	}
	var before []string // what the app needs
	var db *database
	if w.Problem.Services["mariadb"] != nil {
		if db, err = r.database(ctx, s); err != nil {
			return plan, nil, err
		}
		p, err := db.process(ctx)
		if err != nil {
			return plan, nil, err
		}
		plan.Processes = append(plan.Processes, p)
		before = append(before, p.Name)
	}
	extra, err := s.extraProcesses(ctx)
	if err != nil {
		return plan, nil, err
	}
	for _, p := range extra {
		plan.Processes = append(plan.Processes, p)
		before = append(before, p.Name)
	}
	plan.Processes = append(plan.Processes, s.appProcesses(rev, before)...)
	plan.Processes = append(plan.Processes, own...)
	if n := w.Problem.Services["nginx"]; n != nil {
		p, err := s.nginx(ctx, n)
		if err != nil {
			return plan, nil, err
		}
		plan.Processes = append(plan.Processes, p)
	}
	return plan, db, nil
}

// nginx renders and checks the workspace's nginx configuration.
func (s *site) nginx(ctx context.Context, n *problem.Service) (stack.Process, error) {
	tool, err := service.Find(ctx, "nginx")
	if err != nil {
		return stack.Process{}, err
	}
	dir := path.Dir(n.Config)
	after := s.withAppNames(n.After)
	c := nginx.Config{
		Tool:   tool,
		Source: filepath.Join(s.workspace.Dir, filepath.FromSlash(dir)), Main: path.Base(n.Config),
		OutDir: s.effective(dir), RunDir: s.workspace.RunDir(),
		Substitution: s.subst, Address: s.address(n.Port), After: after,
	}
	if s.measured {
		if err := s.measureNginx(&c); err != nil {
			return stack.Process{}, err
		}
	}
	return c.Prepare(ctx)
}

// extraProcesses are the servers that the contestant added in hotseat.toml.
func (s *site) extraProcesses(ctx context.Context) ([]stack.Process, error) {
	var out []stack.Process
	c := s.workspace.Config
	if c.Redis != nil {
		tool, err := service.Find(ctx, "redis-server")
		if err != nil {
			return nil, err
		}
		redis := service.Redis{Name: "redis", Tool: tool, Address: s.address("redis"), Dir: filepath.Join(s.workspace.DataDir(), "redis"), Args: c.Redis.Args}
		if err := os.MkdirAll(redis.Dir, 0o755); err != nil {
			return nil, noSpaceHint(err)
		}
		if c.Redis.Config != "" {
			text, err := s.readConfig(c.Redis.Config)
			if err != nil {
				return nil, err
			}
			text = s.subst.Text(text)
			if redis.Config, err = s.writeEffective(c.Redis.Config, text); err != nil {
				return nil, err
			}
			redis.Revision = revision(text)
		}
		out = append(out, redis.Process())
	}
	if c.Memcached != nil {
		tool, err := service.Find(ctx, "memcached")
		if err != nil {
			return nil, err
		}
		out = append(out, service.Memcached{Name: "memcached", Tool: tool, Address: s.address("memcached"), Args: c.Memcached.Args}.Process())
	}
	return out, nil
}

// apply starts the stack, or makes the one that runs run this plan.
func (r *Runner) apply(ctx context.Context, plan stack.Plan) (*stack.Client, error) {
	client, err := stack.Connect(ctx, plan.Dir)
	if errors.Is(err, stack.ErrNotRunning) {
		done := r.Observer.step("Starting the stack")
		client, err = stack.Launch(ctx, r.Exe, plan)
		done(err)
		return client, err
	}
	if err != nil {
		return nil, err
	}
	done := r.Observer.step("Restarting what changed")
	_, err = client.Apply(ctx, plan)
	done(err)
	return client, err
}

// IsUp tells whether a workspace's stack runs.
func (r *Runner) IsUp(ctx context.Context, w *problem.Workspace) bool {
	_, err := stack.Connect(ctx, w.RunDir())
	return err == nil
}

// Down stops the stack of a workspace; one that is not up is no error.
func (r *Runner) Down(ctx context.Context, w *problem.Workspace) error {
	client, err := stack.Connect(ctx, w.RunDir())
	if errors.Is(err, stack.ErrNotRunning) {
		return nil
	}
	if err != nil {
		return err
	}
	done := r.Observer.step("Stopping the stack")
	err = client.Stop(ctx)
	done(err)
	return err
}

// Restart brings the stack up to date and restarts the named processes, or all;
// "app" means all of the app's processes.
func (r *Runner) Restart(ctx context.Context, w *problem.Workspace, names ...string) error {
	up, err := r.Up(ctx, w)
	if err != nil {
		return err
	}
	s, err := siteOf(w)
	if err != nil {
		return err
	}
	names = s.withAppNames(names)
	done := r.Observer.step("Restarting")
	err = up.client.Restart(ctx, names...)
	done(err)
	return err
}

// Status describes the stack of a workspace.
type Status struct {
	Workspace string                `json:"workspace"`
	Problem   string                `json:"problem"`
	Up        bool                  `json:"up"`
	URL       string                `json:"url"`
	Ports     map[string]int        `json:"ports"`     // by the name of the address
	Canonical map[string]int        `json:"canonical"` // what configuration files say instead
	Guardian  int                   `json:"guardian,omitempty"`
	Processes []stack.ProcessStatus `json:"processes"`
}

// Status tells what runs, and on which ports.
func (r *Runner) Status(ctx context.Context, w *problem.Workspace) (*Status, error) {
	s, err := siteOf(w)
	if err != nil {
		return nil, err
	}
	st := &Status{Workspace: w.Dir, Problem: w.Problem.ID, URL: s.url(), Ports: s.ports, Canonical: s.canonical, Processes: []stack.ProcessStatus{}}
	client, err := stack.Connect(ctx, w.RunDir())
	if errors.Is(err, stack.ErrNotRunning) {
		return st, nil
	}
	if err != nil {
		return nil, err
	}
	picture, err := client.Status(ctx)
	if err != nil {
		return nil, err
	}
	st.Up, st.Guardian, st.Processes = true, picture.Guardian, picture.Processes
	return st, nil
}

// Env is the environment of the workspace's app and init script.
func (r *Runner) Env(w *problem.Workspace) ([]string, error) {
	s, err := siteOf(w)
	if err != nil {
		return nil, err
	}
	return s.env(), nil
}

// pids tells which processes belong to which part of the stack.
func (s *Stack) pids() map[string][]int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	pids, err := s.client.PIDs(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.lastPIDs = pids
	}
	return maps.Clone(s.lastPIDs)
}

// limits tells which limits the stack's parts ran under. The processes of the
// app share theirs.
func (s *Stack) limits(ctx context.Context) []hotseat.MemoryLimit {
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	picture, err := s.client.Status(ctx)
	if err != nil {
		return nil // the guardian is gone, and what it knew
	}
	var out []hotseat.MemoryLimit
	for _, p := range picture.Processes {
		told := p.Name != appName(1) && slices.Contains(s.site.appNames(), p.Name)
		if m := p.Memory; m != nil && !told {
			out = append(out, hotseat.MemoryLimit{Process: p.Name, MemoryBytes: m.LimitBytes, By: m.By, Why: m.Why, PeakBytes: m.PeakBytes})
		}
	}
	return out
}

// counters reads the database's status counters, if there is a database.
func (s *Stack) counters(ctx context.Context) (measure.Counters, error) {
	if s.database == nil {
		return nil, fmt.Errorf("the stack has no database")
	}
	return s.database.counters(ctx)
}
