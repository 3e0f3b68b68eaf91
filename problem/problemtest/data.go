package problemtest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Files reads a folder into a map from relative path to content.
func Files(t testing.TB, dir string) map[string]string {
	t.Helper()
	contents := make(map[string]string)
	each(t, dir, func(path string, content []byte) { contents[path] = string(content) })
	return contents
}

// Digest hashes the names and contents of a folder's files, in order of name.
func Digest(t testing.TB, dir string) string {
	t.Helper()
	sum := sha256.New()
	each(t, dir, func(path string, content []byte) {
		_, _ = fmt.Fprintf(sum, "%s\x00%d\x00%s", path, len(content), content) // a hash takes everything
	})
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// each reads the files below a folder one by one, in order of name.
func each(t testing.TB, dir string, file func(path string, content []byte)) {
	t.Helper()
	folder := os.DirFS(dir)
	err := fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(folder, path)
		if err == nil {
			file(path, content)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// digestsFile is where the tests of a generator record what it wrote.
const digestsFile = "testdata/digests.tsv"

// Recorded compares digests of what a generator wrote with those that are recorded
// in testdata. Caches of generated data are keyed by the generator's version, on every
// machine: where this fails, either output changed by accident, or the version has to
// be raised and the new digests recorded, which the test does if update is true.
// Digests of one version are never recorded over.
func Recorded(t testing.TB, version, digests string, update bool) {
	t.Helper()
	head := "version\t" + version + "\n"
	got := head + digests
	recorded, err := os.ReadFile(digestsFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	switch {
	case got == string(recorded):
	case strings.HasPrefix(string(recorded), head):
		t.Errorf("the output changed under the same version (-recorded +got):\n%s", cmp.Diff(string(recorded), got))
	case update:
		if err := os.WriteFile(digestsFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("version %s is not recorded yet: run this test with -update", version)
	}
}
