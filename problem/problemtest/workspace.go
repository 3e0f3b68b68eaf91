package problemtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Copy puts folders and files of the problem into a workspace, as hotseat does:
// each key is where in the workspace the value goes, and the suffix .embed goes away.
func Copy(t testing.TB, root string, parts map[string]string) {
	t.Helper()
	for to, from := range parts {
		to = filepath.Join(root, to)
		info, err := os.Stat(from)
		if err != nil {
			t.Fatal(err)
		}
		if info.IsDir() {
			err = os.CopyFS(to, os.DirFS(from))
		} else {
			err = copyFile(to, from, info.Mode())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if plain, embedded := strings.CutSuffix(path, ".embed"); embedded && err == nil {
			return os.Rename(path, plain)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func copyFile(to, from string, mode fs.FileMode) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, mode)
}

// Write writes a file of a workspace and the folders that it is in.
func Write(t testing.TB, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
