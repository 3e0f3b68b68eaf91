package problem

import (
	"os"
	"strings"
	"testing"

	"hotseat"
)

// small is a manifest with everything that must be there.
const small = `id = "tiny"
title = "Tiny"
version = "1"
languages = ["go"]

[app.go]
command = ["./webapp"]

[[address]]
name = "web"
port = 80

[[address]]
name = "app"
port = 8080

[service.nginx]
config = "etc/nginx.conf"
port = "web"
after = ["app"]

[init]
command = ["./init.sh"]
timeout_s = 60

[benchmark]
load_s = 60
`

func TestParseManifest(t *testing.T) {
	m, err := ParseManifest("problem.toml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if m.ID != "tiny" || m.Port("web") != 80 || m.Port("nowhere") != 0 || m.Entry() != "web" || m.Benchmark.Limit() != DefaultLimit {
		t.Errorf("read %+v", m)
	}
}

// A contest without initialisation says how its data come into the database;
// where both are given, what initialises may rely on data that are there.
func TestLoadingIsInitialisingUnlessSaidOtherwise(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"by init": {"", "./init.sh"},
		"by load": {"\n[data]\nload = [\"./load.sh\", \"all\"]\n", "./load.sh all"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := ParseManifest("problem.toml", []byte(small+c.data))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(m.Loading(), " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestManifestOfEveryBuiltinIsValid(t *testing.T) {
	text, err := os.ReadFile("../problems/isucon4-qualifier/problem.toml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ParseManifest("problem.toml", text); err != nil {
		t.Error(err)
	}
}

func TestBrokenManifestNamesFileLineAndWhatWasExpected(t *testing.T) {
	for _, c := range []struct{ name, old, new, want, hint string }{
		{"no equals sign", `title = "Tiny"`, `title "Tiny"`, "problem.toml:2:", "title"},
		{"unknown key", `version = "1"`, `version = "1"` + "\ncolour = 3", "problem.toml:4: unknown key colour", "spelling"},
		{"wrong type", `load_s = 60`, `load_s = "long"`, "problem.toml:27:", "load_s"},
		{"bad id", `"tiny"`, `"Tiny Problem"`, "problem.toml:1: id is wrong", "lower-case"},
		{"no title", "title = \"Tiny\"\n", "", "problem.toml:1: title is missing", "one line"},
		{"no app for a language", `["go"]`, `["go", "ruby"]`, "problem.toml:4: languages", "[app.ruby]"},
		{"no command", `command = ["./webapp"]`, ``, "problem.toml:6: app.go.command is missing", "./webapp"},
		{"negative memory", `command = ["./webapp"]`, "command = [\"./webapp\"]\nmemory_mb = -1", "problem.toml:8: app.go.memory_mb is wrong", "megabytes"},
		{"port out of range", `port = 8080`, `port = 80800`, "problem.toml:", "65535"},
		{"port twice", `port = 8080`, `port = 80`, "problem.toml:", "twice"},
		{"no app", `name = "app"`, `name = "back"`, "problem.toml:", `"app"`},
		{"unknown service", `[service.nginx]`, `[service.apache]`, "problem.toml:17: service.apache", "nginx"},
		{"service on an unknown address", `port = "web"`, `port = "wbe"`, "problem.toml:19: service.nginx.port", "[[address]]"},
		{"service after nothing", `after = ["app"]`, `after = ["db"]`, "problem.toml:20:", "another service"},
		{"init without limit", `timeout_s = 60`, ``, "problem.toml:22: init.timeout_s is missing", "seconds"},
		{"negative load", `load_s = 60`, `load_s = -1`, "problem.toml:27: benchmark.load_s is wrong", "more than 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(small, c.old, c.new, 1)
			if text == small {
				t.Fatal("the case changes nothing")
			}
			_, err := ParseManifest("problem.toml", []byte(text))
			if hotseat.CodeOf(err) != hotseat.CodeInvalid || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q in it", err, c.want)
			}
			if hint := hotseat.HintOf(err); !strings.Contains(hint, c.hint) {
				t.Errorf("hint %q, want %q in it", hint, c.hint)
			}
		})
	}
}

func TestPortsOfAppProcessesLeaveOthersAlone(t *testing.T) {
	m, err := ParseManifest("problem.toml", []byte(small+`
[[address]]
name = "login"
port = 8081
`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{8080, 8082, 8083} {
		if got := m.AppPort(i + 1); got != want {
			t.Errorf("process %d: port %d, want %d", i+1, got, want)
		}
	}
}

func TestProblemsBringProcessesAndFiles(t *testing.T) {
	const right = `
[[address]]
name = "login"
port = 3001
scheme = "https"

[process.login]
dir = "login"
command = ["./login"]
port = "login"
after = ["nginx"]

[data]
workspace = ["golden", "keys"]
reset = ["golden"]

[data.copies]
live = "golden"
`
	m, err := ParseManifest("problem.toml", []byte(small+right))
	if err != nil {
		t.Fatal(err)
	}
	if m.Scheme("login") != "https" || m.Scheme("web") != "http" || m.Processes["login"].Dir != "login" || m.Data.Copies["live"] != "golden" {
		t.Errorf("read %+v", m)
	}
	for wrong, want := range map[string]string{
		`dir = "../elsewhere"`: "a folder of the workspace",
		`port = "nowhere"`:     "the name of an [[address]]",
		`after = ["nobody"]`:   "the name of a service or another process",
		`command = []`:         "the command that starts it",
		`reset = ["other"]`:    "names that data.workspace lists",
		`live = "keys"`:        "a folder that data.reset lists",
		`scheme = "gopher"`:    `"http" or "https"`,
		`[process.nginx]`:      "that no service has",
	} {
		key, _, _ := strings.Cut(wrong, " = ")
		text := right
		for line := range strings.Lines(right) {
			if strings.HasPrefix(line, key+" = ") && strings.Contains(wrong, " = ") && (key != "port" || !strings.Contains(line, "3001")) {
				text = strings.Replace(right, strings.TrimSpace(line), wrong, 1)
			}
		}
		if !strings.Contains(wrong, " = ") {
			text = strings.Replace(right, "[process.login]", wrong, 1)
		}
		_, err := ParseManifest("problem.toml", []byte(small+text))
		if err == nil || !strings.Contains(hotseat.HintOf(err), want) {
			t.Errorf("%s: %v, hint %q", wrong, err, hotseat.HintOf(err))
		}
	}
}
