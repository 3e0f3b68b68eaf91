package data

import (
	"crypto/md5"
	"fmt"
	"os"
	"path/filepath"
)

// staticFile is one of the four files of a page: its path as pages name it, its
// size in bytes, and how to make it. Paths and sizes are the contest's (§7), so
// that a page view weighs the same; the contents are ours.
type staticFile struct {
	path string
	size int
	make func(size int) ([]byte, error)
}

func staticFiles() []staticFile {
	return []staticFile{
		{"/stylesheets/bootstrap.min.css", 109_518, baseSheet},
		{"/stylesheets/bootflat.min.css", 53_197, themeSheet},
		{"/stylesheets/isucon-bank.css", 660, bankSheet},
		{"/images/isucon-bank.png", 16_456, logo},
	}
}

// content makes the file, and answers for its size.
func (f staticFile) content() ([]byte, error) {
	content, err := f.make(f.size)
	if err != nil {
		return nil, fmt.Errorf("make %s: %w", f.path, err)
	}
	if len(content) != f.size {
		return nil, fmt.Errorf("make %s: want %d bytes, made %d", f.path, f.size, len(content))
	}
	return content, nil
}

// Static writes the static files of the pages below dir, the root that the app
// serves them from: stylesheets/ and images/. They are the same for all
// Options.
func Static(dir string) error {
	for _, file := range staticFiles() {
		content, err := file.content()
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(file.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("write static files: %w", err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return fmt.Errorf("write static files: %w", err)
		}
	}
	return nil
}

// writeStaticTruth writes path, bytes and MD5 of every static file. The hash is
// the one the contest compares answers by, not a matter of security.
func writeStaticTruth(truth string) error {
	return writeTo(func(out *output) error {
		for _, file := range staticFiles() {
			content, err := file.content()
			if err != nil {
				return err
			}
			err = out.row(func(b []byte) []byte {
				return fmt.Appendf(b, "%s\t%d\t%x\n", file.path, len(content), md5.Sum(content))
			})
			if err != nil {
				return err
			}
		}
		return nil
	}, filepath.Join(truth, "static.tsv"))
}
