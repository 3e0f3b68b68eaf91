package isucon12qscenario

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"hotseat/problem/problemtest"
)

// testWorld is a small initial state with its truth files.
type testWorld struct {
	dir       string
	key       *rsa.PrivateKey
	stranger  *rsa.PrivateKey
	files     map[string][]byte
	bills     []map[string]any
	samples   []sample
	forTenant map[string][]sample
}

var testWorldOnce = sync.OnceValues(makeTestWorld)

// newTestWorld returns the world that all tests share; making its keys takes longest.
func newTestWorld(t *testing.T) *testWorld {
	t.Helper()
	w, err := testWorldOnce()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestMain(m *testing.M) {
	status := m.Run()
	if w, err := testWorldOnce(); err == nil {
		_ = os.RemoveAll(w.dir)
	}
	os.Exit(status)
}

// testKeyBits makes signing a fifth of the work that it is with the contest's keys.
const testKeyBits = 1024

func makeTestWorld() (*testWorld, error) {
	dir, err := os.MkdirTemp("", "isucon12q")
	if err != nil {
		return nil, err
	}
	w := &testWorld{dir: dir, forTenant: map[string][]sample{}, files: map[string][]byte{
		"/index.html": []byte("<!doctype html>"), "/css/app.1.css": []byte("b{}"), "/js/app.1.js": []byte("1"), "/js/chunk.2.js": []byte("2"),
		"/img/a.svg": []byte("<svg/>"),
	}}
	if w.key, err = rsa.GenerateKey(rand.Reader, testKeyBits); err != nil {
		return nil, err
	}
	if w.stranger, err = rsa.GenerateKey(rand.Reader, testKeyBits); err != nil {
		return nil, err
	}
	for id := 1; id <= initialTenants; id++ {
		name := fmt.Sprintf("tenant-%d", id)
		var competitions []map[string]any
		var ids []string
		total := 0
		for c := range 3 {
			yen := 0
			if c == 0 { // finished
				yen = 1000 + 10*id
			}
			total += yen
			ids = append(ids, fmt.Sprintf("c%d-%d", id, c))
			competitions = append(competitions, map[string]any{"id": ids[c], "Billing": yen})
		}
		w.bills = append(w.bills, map[string]any{"tenant_id": id, "tenant_name": name, "billing": total, "competitions": competitions})
		for p := range 12 {
			s := sample{TenantName: name, CompetitionID: ids[p%3], IsFinished: p%3 == 0, PlayerID: fmt.Sprintf("p%d-%d", id, p), IsDisqualified: p == 5}
			w.samples = append(w.samples, s)
			w.forTenant[name] = append(w.forTenant[name], s)
		}
	}
	write := func(name string, content []byte) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if e := os.MkdirAll(filepath.Dir(name), 0o755); e != nil && err == nil {
			err = e
		}
		if e := os.WriteFile(name, content, 0o600); e != nil && err == nil {
			err = e
		}
	}
	encode := func(v any) []byte {
		text, e := json.Marshal(v)
		if e != nil && err == nil {
			err = e
		}
		return text
	}
	write(tenantsFile, encode(w.bills))
	write(samplesFile, encode(w.samples))
	write(keyFile, pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(w.key)}))
	for path, content := range w.files {
		write(publicDir+path, content)
	}
	return w, err
}

// service returns a service that holds the initial state.
func (w *testWorld) service(wrong ...string) *service {
	s := &service{wrong: map[string]bool{}, key: &w.key.PublicKey, files: w.files, number: 1 << 20}
	for _, name := range wrong {
		s.wrong[name] = true
	}
	s.reset = func() *state {
		st := &state{tenants: map[string]*fakeTenant{}, nextID: initialTenants}
		for i, b := range w.bills {
			name := b["tenant_name"].(string)
			t := &fakeTenant{id: int64(i) + 1, name: name, display: "表示 " + name, players: map[string]*fakePlayer{}}
			for _, p := range w.forTenant[name] {
				known := &fakePlayer{id: p.PlayerID, name: "initial " + p.PlayerID, disqualified: p.IsDisqualified}
				t.players[known.id] = known
				t.order = append(t.order, known)
			}
			for k, c := range b["competitions"].([]map[string]any) {
				known := &fakeCompetition{id: c["id"].(string), title: fmt.Sprintf("initial %d", k), initialYen: int64(c["Billing"].(int))}
				if k == 0 {
					known.finished = 1
				}
				for j, p := range t.order {
					known.rows = append(known.rows, fakeRow{p.id, int64(j * 7 % 5)})
				}
				t.competitions = append(t.competitions, known)
			}
			st.tenants[name] = t
			st.byID = append(st.byID, t)
		}
		return st
	}
	s.state = s.reset()
	return s
}

// execute runs the contest against a handler.
func execute(t *testing.T, w *testWorld, h http.Handler, args ...string) problemtest.Outcome {
	t.Helper()
	return executeUntil(context.Background(), t, w, h, args...)
}

func executeUntil(ctx context.Context, t *testing.T, w *testWorld, h http.Handler, args ...string) problemtest.Outcome {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	defer server.CloseClientConnections()
	args = append([]string{"--target", server.URL, "--data", w.dir, "--param", "size=small"}, args...)
	c := contest(func() (*rsa.PrivateKey, error) { return w.stranger, nil })
	return problemtest.Execute(ctx, t, c, nil, args...)
}

// atOnce is how many runs go on at the same time: they mostly wait for seconds to pass.
const atOnce = 40
