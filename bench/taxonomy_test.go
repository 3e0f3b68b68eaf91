package bench

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every code that the engine's parts give must be in the table of docs/protocol.md.
func TestCodesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## Classes and codes")
	table, _, _ = strings.Cut(table, "\n## ")
	constant := regexp.MustCompile(`(?m)^\s*(?:[cC]ode\w+|SelectorMissing|ValueMismatch|JSONSchema|ContentTypeWrong|\w+Digest|Unexpected\w+)\s*=\s*"([a-z0-9-]+)"`)
	codes := map[string]bool{}
	err = filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range constant.FindAllSubmatch(text, -1) {
			codes[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(codes) < 50 {
		t.Fatalf("only %d codes found: do they look different now?", len(codes))
	}
	for code := range codes {
		if !strings.Contains(table, "`"+code+"`") {
			t.Errorf("%s is not in the table of docs/protocol.md", code)
		}
	}
}
