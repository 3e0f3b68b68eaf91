package hotseat_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed says which rooms a room may import, besides the root and itself. A
// trailing slash means the rooms below. docs/architecture.md tells why.
var allowed = map[string][]string{
	"hotseat":             {},
	"hotseat/cache":       {},
	"hotseat/stack":       {},
	stackTest:             {"hotseat/stack"},
	"hotseat/measure":     {},
	"hotseat/report":      {},
	"hotseat/bench":       {"hotseat/bench/"},
	"hotseat/bench/wire":  {},
	"hotseat/bench/check": {},
	"hotseat/bench/tally": {},
	"hotseat/bench/model": {},
	"hotseat/problem":     {"hotseat/cache"},
	"hotseat/service":     {"hotseat/stack", "hotseat/cache", "hotseat/service/"},
	"hotseat/runner":      {"hotseat/problem", "hotseat/service", "hotseat/service/", "hotseat/stack", "hotseat/bench", "hotseat/measure", "hotseat/measure/", "hotseat/advise", "hotseat/report", "hotseat/cache"},
	"hotseat/advise":      {"hotseat/measure"},
	"hotseat/judge":       {"hotseat/runner", "hotseat/problem"},
	"hotseat/compare":     {"hotseat/runner", "hotseat/problem", "hotseat/report"},

	forTests: {"hotseat/bench", stackTest},
}

// stackTest is the room that only tests may import, and what is for tests.
const stackTest = "hotseat/stack/stacktest"

// forTests is the room that only the tests of problems may import.
const forTests = "hotseat/problem/problemtest"

// room is where a package belongs: its own path, or the first part of it where
// rooms have rooms of their own below.
func room(pkg string) string {
	for _, r := range []string{"hotseat/service", "hotseat/measure"} {
		if strings.HasPrefix(pkg, r+"/") {
			return r
		}
	}
	return pkg
}

// may tells whether a package may import another.
func may(from, to string) bool {
	switch {
	case to == forTests, to == stackTest && from != forTests:
		return false
	case to == "hotseat", room(from) == room(to), strings.HasPrefix(from, "hotseat/cmd/"):
		return true
	case strings.HasPrefix(to, "hotseat/cmd/"):
		return false
	case strings.HasPrefix(from, "hotseat/problems/") && strings.HasSuffix(from, "/scenario"):
		return to == "hotseat/bench" || strings.HasPrefix(to, "hotseat/bench/")
	case strings.HasPrefix(from, "hotseat/problems/"):
		return false
	}
	return slices.ContainsFunc(allowed[room(from)], func(a string) bool {
		return a == to || strings.HasSuffix(a, "/") && strings.HasPrefix(to, a)
	})
}

func TestRoomsLeanOnlyOnWhatTheyMay(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := 0
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var pkg struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		if err := d.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		seen++
		if _, known := allowed[room(pkg.ImportPath)]; !known && !strings.HasPrefix(pkg.ImportPath, "hotseat/problems/") &&
			!strings.HasPrefix(pkg.ImportPath, "hotseat/cmd/") {
			t.Errorf("%s is a room that docs/architecture.md does not know", pkg.ImportPath)
		}
		for _, to := range pkg.Imports {
			ours := to == "hotseat" || strings.HasPrefix(to, "hotseat/")
			switch {
			case ours && !may(pkg.ImportPath, to):
				t.Errorf("%s must not import %s", pkg.ImportPath, to)
			case pkg.ImportPath == "hotseat" && strings.Contains(strings.SplitN(to, "/", 2)[0], "."):
				t.Errorf("the root imports %s: standard library only", to)
			}
		}
		for _, to := range slices.Concat(pkg.TestImports, pkg.XTestImports) {
			if to == forTests && room(pkg.ImportPath) != forTests && !strings.HasPrefix(pkg.ImportPath, "hotseat/problems/") {
				t.Errorf("the tests of %s must not import %s", pkg.ImportPath, to)
			}
		}
	}
	if seen < len(allowed) {
		t.Errorf("go list told of %d packages only", seen)
	}
}

// The direct imports of every package being right makes the whole tree right:
// this pins the claim on the cases that matter most.
func TestTheRuleRefuses(t *testing.T) {
	for _, c := range []struct{ from, to string }{
		{"hotseat/bench", "hotseat/runner"},
		{"hotseat/stack", "hotseat/service"},
		{"hotseat/problem", "hotseat/service"},
		{"hotseat/problems/x/scenario", "hotseat/problem"},
		{"hotseat/problems/x/data", "hotseat/bench"},
		{"hotseat/runner", "hotseat/cmd/hotseat"},
		{"hotseat/report", "hotseat/measure"},
		{"hotseat/measure/slowlog", "hotseat/report"},
		{"hotseat/problems/x", forTests},
		{"hotseat/cmd/hotseat", forTests},
		{"hotseat/service/nginx", stackTest},
	} {
		if may(c.from, c.to) {
			t.Errorf("%s may import %s", c.from, c.to)
		}
	}
}
