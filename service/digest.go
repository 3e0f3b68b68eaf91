package service

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Digest stands for the contents of files and folders: names, modes and bytes.
// It serves as a process's Revision. What is not there counts as such.
func Digest(paths ...string) (string, error) {
	h := sha256.New()
	for _, path := range paths {
		err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintf(h, "%q absent\n", name)
				return nil
			}
			if err != nil {
				return err
			}
			fi, err := d.Info()
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "%q %s\n", name, fi.Mode())
			if !fi.Mode().IsRegular() {
				return nil
			}
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			n, err := io.Copy(h, f)
			fmt.Fprintf(h, "\n%d\n", n)
			return err
		})
		if err != nil {
			return "", fmt.Errorf("read %s: %w", path, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}
