package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"hotseat"
	"hotseat/runner"
)

// The contest of n+ told its teams "failed" and nothing else, and cost its
// winners hours. Whatever happened to them is drilled here: the first line of the
// verdict has to name what somebody can act on.

// benched runs a workspace's benchmark for a few seconds.
func (b *bank) benched(args ...string) (int, *hotseat.Result) {
	b.t.Helper()
	cmd := b.command(b.dir, append([]string{"bench", "--json", "--duration", "4s", "--param", "campaign=2"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, _ := cmd.Output() // the status tells
	var result hotseat.Result
	if err := json.Unmarshal(out, &result); err != nil {
		b.t.Fatalf("no result: %v\n%s%s", err, out, stderr.Bytes())
	}
	return cmd.ProcessState.ExitCode(), &result
}

// firstLine is what a contestant reads first of a failed run.
func wantFirstLine(t *testing.T, exit int, r *hotseat.Result, hint string, words ...string) {
	t.Helper()
	wantVerdict(t, exit, r, 1, hotseat.Fail, words...)
	if first := strings.Fields(words[0])[0]; !strings.HasPrefix(r.Reason, first) {
		t.Errorf("the reason does not begin with the cause: %s", r.Reason)
	}
	if !strings.Contains(r.Hint, hint) {
		t.Errorf("hint %q does not say %q", r.Hint, hint)
	}
}

func TestDrillTicketsPortClosed(t *testing.T) {
	t.Parallel()
	b := newProblem(t, "ntt-ptc-2020")
	exit, r := b.benched("--target", nobodyListens)
	wantVerdict(t, exit, r, 1, hotseat.Fail, "initialize-failed: the connection was refused")
	if !strings.Contains(r.Hint, "listen on this port") {
		t.Errorf("hint: %s", r.Hint)
	}
}

func TestDrillTicketsOutOfMemory(t *testing.T) {
	t.Parallel()
	b := newProblem(t, "ntt-ptc-2020")
	b.replaceIn("hotseat.toml", "memory_mb = 700", "memory_mb = 150")
	// A cache of pictures without a bound, and with more in it than is needed.
	b.replaceIn("app/image.go", "// getImage is", "var kept [][]byte\n\n// getImage is")
	b.replaceIn("app/image.go", "	var image sql.NullString\n", "	room := make([]byte, 4<<20)\n	for i := range room {\n		room[i] = 1\n	}\n	kept = append(kept, room)\n	var image sql.NullString\n")
	exit, r := b.benched("--duration", "20s")
	wantFirstLine(t, exit, r, "memory_mb", "app was killed at its memory limit of 150 MB", "it held")
	if f := r.Failures[0]; f.Class != hotseat.ClassLifecycle || f.Code != "server-died" {
		t.Errorf("the first failure is %s/%s", f.Class, f.Code)
	}
	if len(r.Limits) != 1 || r.Limits[0].MemoryBytes != 150<<20 || r.Limits[0].By == "" || !strings.Contains(r.Reason, r.Limits[0].By) {
		t.Errorf("limits: %+v", r.Limits)
	}
}

func TestDrillTicketsTooManyConnections(t *testing.T) {
	t.Parallel()
	b := newProblem(t, "ntt-ptc-2020")
	b.replaceIn("etc/my.cnf", "max_connections=151", "max_connections=10") // fewer it does not take
	// However slow the machine is: most of them are not given back.
	b.replaceIn("app/main.go", "import (", "import (\n\t\"context\"")
	b.replaceIn("app/main.go", `	return sqlx.Open("mysql", config.FormatDSN())`, `	db, err := sqlx.Open("mysql", config.FormatDSN())
	for range 8 {
		if err == nil {
			_, err = db.Conn(context.Background())
		}
	}
	return db, err`)
	for _, measure := range []runner.Measure{runner.MeasureFull, runner.MeasureOff} {
		exit, r := b.benched("--measure", string(measure))
		wantFirstLine(t, exit, r, "SetMaxOpenConns", "the database refused", "max_connections is 10 in etc/my.cnf")
	}
}

func TestDrillTicketsUploadsTooLarge(t *testing.T) {
	t.Parallel()
	b := newProblem(t, "ntt-ptc-2020")
	b.replaceIn("etc/nginx/nginx.conf", "client_max_body_size 0", "client_max_body_size 1k") // small pictures, small limit
	exit, r := b.benched()
	wantVerdict(t, exit, r, 1, hotseat.Fail, "verify: ", "refused with 413", "too large for a server on the way")
	if !strings.Contains(r.Hint, "client_max_body_size") {
		t.Errorf("hint: %s", r.Hint)
	}
}

// An app that does not come back leaves nothing to be looked at after the restart: that is
// its failure, not a reason to look away. One that ends then is not said to have died under
// the load.
func TestDrillTicketsNotBackFromRestart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ does, reason string }{
		"hangs": {"time.Sleep(time.Hour)", "after a restart, app was not ready"},
		"ends":  {"os.Exit(3)", "after a restart, app exited with status 3 before it was ready"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newProblem(t, "ntt-ptc-2020")
			b.replaceIn("app/main.go", "func main() {\n", `func main() {
	if _, err := os.Stat("started"); err == nil {
		fmt.Fprintln(os.Stderr, "waiting for a lock")
		`+c.does+`
	}
	_ = os.WriteFile("started", nil, 0o600)
`)
			exit, r := b.benched()
			wantFirstLine(t, exit, r, "hotseat logs app", c.reason)
			if f := r.Failures[0]; f.Rule != "ntt.server-died" || !strings.Contains(f.Samples[0].Actual, "waiting for a lock") {
				t.Errorf("the first failure is %+v", f)
			}
			if r.RawScore == 0 {
				t.Error("nothing was loaded before")
			}
		})
	}
}

// hasty stands before a server and serves each connection once: it closes what is used again
// just as the next request comes, as a proxy does whose idle timeout is up at that moment.
func hasty(t *testing.T, server string) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	serve := func(conn net.Conn) {
		defer func() { _ = conn.Close() }()
		in := bufio.NewReader(conn)
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		req.URL.Scheme, req.URL.Host = "http", server
		answer, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			return
		}
		defer func() { _ = answer.Body.Close() }()
		if answer.Write(conn) == nil {
			_, _ = in.Peek(1) // until somebody comes back, or goes
		}
	}
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[conn] = true
			mu.Unlock()
			serving.Go(func() { serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for conn := range open {
			_ = conn.Close()
		}
		mu.Unlock()
		serving.Wait()
	})
	return "http://" + l.Addr().String()
}

func TestDrillTicketsIdleConnectionsClosed(t *testing.T) {
	t.Parallel()
	b := newProblem(t, "ntt-ptc-2020")
	b.must(b.dir, "up")
	exit, r := b.benched("--target", hasty(t, "127.0.0.1:"+strconv.Itoa(b.status().Ports["web"])))
	wantVerdict(t, exit, r, 1, hotseat.Fail, "a kept-alive connection was closed just as the request was sent")
	if !strings.Contains(r.Hint, "keepalive_timeout") {
		t.Errorf("hint: %s", r.Hint)
	}

	// Connections that were closed while nobody used them are no trouble at all.
	b.replaceIn("etc/nginx/nginx.conf", "keepalive_timeout 5s", "keepalive_timeout 50ms")
	if exit, r = b.benched(); exit != 0 || r.Verdict != hotseat.Pass {
		t.Errorf("exit %d, %s: %s", exit, r.Verdict, r.Reason)
	}
}

// TestDrillAdviceOnTickets: the untuned site reads all reservations for the tickets of
// one event and, with the indexes that the advisor wrote, waits for the lock on all of them.
func TestDrillAdviceOnTickets(t *testing.T) {
	t.Parallel()
	b := newProblem(t, "ntt-ptc-2020")
	b.must(b.dir, "up")
	a := b.advised("--param", "campaign=2")
	// The small world has about as many timeslots as reservations, so either may come first.
	first := func() bool {
		return len(a.Findings) > 0 && has(a.Findings[:1], "missing-index") && has(all(a.Findings), "missing-index/reservations")
	}
	if !first() { // a busy machine leaves a few seconds' run little to judge by
		a = b.advised("--param", "campaign=2", "--duration", "20s")
	}
	if !first() {
		t.Fatalf("the first finding is not the missing index:\n%s", summary(a))
	}
	made := indexes(t, a)
	b.must(b.dir, "sql", "--", "-e", strings.Join(made, " "))
	a = b.advised("--param", "campaign=2")
	if !has(all(a.Findings), "lock-wait") { // a busy machine lets few meet at the lock in a few seconds
		a = b.advised("--param", "campaign=2", "--duration", "20s")
	}
	if !has(all(a.Findings), "lock-wait") || asksAgain(t, a, made) {
		t.Errorf("the advisor has not moved on to the lock of the table:\n%s", summary(a))
	}
}
