package main

import (
	"slices"
	"testing"
)

// make test asks for all tools, on a bare machine too: what the problems need is among them.
func TestAllToolsIncludeWhatProblemsNeed(t *testing.T) {
	problems, err := builtinProblems()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, tool := range everyTool(problems.List()...) {
		if all[tool.name] {
			t.Errorf("%s is listed twice", tool.name)
		}
		all[tool.name] = true
	}
	for _, p := range problems.List() {
		for _, tool := range toolsFor("", p) {
			if !all[tool.name] {
				t.Errorf("%s needs %s", p.ID, tool.name)
			}
		}
	}
	others := slices.DeleteFunc([]string{"sqlite3", "memcached", "chromium", "pt-query-digest"}, func(name string) bool { return all[name] })
	if len(others) > 0 {
		t.Errorf("%q are missing", others)
	}
}
