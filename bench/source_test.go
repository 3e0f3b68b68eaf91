package bench

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What other authors are given must build: no file of the engine may be left out, in whatever language it is.
func TestSourceIsComplete(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case d.IsDir(), strings.HasSuffix(path, "_test.go"):
			return nil
		}
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if got, err := fs.ReadFile(Source(), filepath.ToSlash(path)); err != nil || string(got) != string(want) {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
