package mariadb

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hotseat"
	"hotseat/service"
)

var update = flag.Bool("update", false, "write the golden files anew")

// rendered is the substitution that Prepare makes for a workspace in /w.
func rendered() service.Substitution {
	c := Config{DataDir: "/w/data/mysql", RunDir: "/w/run", Socket: "/w/run/m.sock"}
	return service.Substitution{
		Addresses: []service.Address{{Name: "mysql", CanonicalPort: 3306, Port: 23306}},
		Paths:     []service.PathMap{{From: "/home/isucon", To: "/w"}},
	}.With(c.canonicalPaths()...)
}

func TestRenderGolden(t *testing.T) {
	ins, err := filepath.Glob("testdata/*.in")
	if err != nil || len(ins) == 0 {
		t.Fatal(len(ins), err)
	}
	for _, in := range ins {
		t.Run(strings.TrimSuffix(filepath.Base(in), ".in"), func(t *testing.T) {
			text, err := os.ReadFile(in)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := Render(string(text), service.Substitution{}); got != string(text) {
				t.Errorf("with nothing to replace:\n%s", cmp.Diff(string(text), got))
			}
			got, _ := Render(string(text), rendered())
			golden := strings.TrimSuffix(in, ".in") + ".out"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSettings(t *testing.T) {
	_, got := Render("[client]\nport=1\n[mysqld]\nport = 3306 # here\nSkip_Networking\n[mariadb-10.11]\nloose_Bind_Address='0.0.0.0'\n[mysqld_safe]\nnice=5\n", rendered())
	want := Settings{"port": "23306", "skip-networking": "", "bind-address": "0.0.0.0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for name, has := range map[string]bool{"port": true, "networking": true, "bind-address": true, "nice": false} {
		if got.Has(name) != has {
			t.Errorf("has %s: %v", name, !has)
		}
	}
}

func TestCommandLine(t *testing.T) {
	c := Config{Tool: service.Tool{Path: "/usr/sbin/mariadbd"}, Out: "/w/my.cnf", DataDir: "/w/data", RunDir: "/w/run", Socket: "/w/s"}
	for name, want := range map[string]struct {
		port int
		cnf  Settings
		has  []string
		not  []string
	}{
		"tcp":             {3307, nil, []string{"--port=3307", "--bind-address=127.0.0.1"}, []string{"--skip-networking"}},
		"no tcp":          {0, nil, []string{"--skip-networking"}, []string{"--port"}},
		"their own bound": {3307, Settings{"bind-address": "*"}, nil, []string{"--bind-address"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.Port = want.port
			argv := c.argv(want.cnf)
			if argv[1] != "--defaults-file=/w/my.cnf" {
				t.Errorf("the first option is %s", argv[1])
			}
			line := strings.Join(argv, " ")
			for _, s := range append(want.has, "--datadir=/w/data", "--socket=/w/s") {
				if !strings.Contains(line, s) {
					t.Errorf("%s is missing: %s", s, line)
				}
			}
			for _, s := range want.not {
				if strings.Contains(line, s) {
					t.Errorf("%s is there: %s", s, line)
				}
			}
		})
	}
}

func TestAFullDiskIsToldApart(t *testing.T) {
	dir := t.TempDir()
	if err := roomError(dir, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}); hotseat.CodeOf(err) != hotseat.CodeUnavailable ||
		!strings.HasPrefix(err.Error(), "no space left in "+dir) {
		t.Errorf("error %v", err)
	}
	other := errors.New("other")
	if err := roomError(dir, other); err != other { //nolint:errorlint // the very same
		t.Errorf("error %v", err)
	}
}

// FuzzRender: nothing to replace means nothing changes, and the lines stay.
func FuzzRender(f *testing.F) {
	f.Add("[mysqld]\nport = 3306 # x\n!include /var/lib/mysql/x\nskip-networking")
	f.Fuzz(func(t *testing.T, text string) {
		if got, _ := Render(text, service.Substitution{}); got != text {
			t.Errorf("%q became %q", text, got)
		}
		if got, _ := Render(text, rendered()); strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Errorf("lines of %q: %q", text, got)
		}
	})
}
