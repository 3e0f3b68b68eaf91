package data

import (
	"crypto/md5"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The hand-written part of each style sheet and script, and the pictures as
// they are served.
var (
	//go:embed css/*.css js/*.js
	sources embed.FS
	//go:embed pictures
	pictures embed.FS
)

// staticFile is one of the six files that pages load and the checker compares:
// its path as pages name it, its size in bytes, and how to make it. Paths and
// sizes are the contest's (§4), so that a page view weighs the same; the contents
// are ours.
type staticFile struct {
	path string
	size int
	make func(size int) ([]byte, error)
}

func staticFiles() []staticFile {
	return []staticFile{
		{"/css/jquery-ui-1.8.14.custom.css", 25_419, widgetSheet},
		{"/css/isucon.css", 1_082, pageSheet},
		{"/js/jquery-1.6.2.min.js", 91_556, library},
		{"/js/jquery-ui-1.8.14.custom.min.js", 109_113, widgets},
		{"/js/isucon.js", 0, func(int) ([]byte, error) { return nil, nil }},
		{"/images/isucon_title.jpg", 31_930, func(int) ([]byte, error) { return pictures.ReadFile("pictures/images/isucon_title.jpg") }},
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

// Static writes the static files below dir, the root that the app serves them
// from: the six of every page, and pictures that no page of the contest loads.
// They are the same for all Options.
func Static(dir string) error {
	served, err := fs.Sub(pictures, "pictures")
	if err != nil {
		return err
	}
	err = fs.WalkDir(served, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(served, name)
		if err != nil {
			return err
		}
		return writeStatic(dir, name, content)
	})
	if err != nil {
		return err
	}
	for _, file := range staticFiles() {
		content, err := file.content()
		if err != nil {
			return err
		}
		if err := writeStatic(dir, file.path, content); err != nil {
			return err
		}
	}
	return nil
}

func writeStatic(dir, name string, content []byte) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write static files: %w", err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return fmt.Errorf("write static files: %w", err)
	}
	return nil
}

// writeStaticTruth writes path, bytes and MD5 of every file that pages load. The
// hash is the one the contest compares answers by, not a matter of security.
func writeStaticTruth(path string) error {
	var rows []byte
	for _, file := range staticFiles() {
		content, err := file.content()
		if err != nil {
			return err
		}
		rows = fmt.Appendf(rows, "%s\t%d\t%x\n", file.path, len(content), md5.Sum(content))
	}
	return os.WriteFile(path, rows, 0o644)
}
