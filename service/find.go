package service

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"hotseat"
)

// Tool is a program found on this machine.
type Tool struct {
	Name    string
	Path    string
	Version string // such as "10.11.19", "1.22.1"; empty if it does not tell
}

// sbin folders hold servers and are not in an ordinary user's PATH.
var sbin = []string{"/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/libexec", "/opt/homebrew/sbin"}

// asksVersion is how each tool is asked for its version. The default is
// --version.
var asksVersion = map[string][]string{
	"nginx":     {"-v"},
	"memcached": {"-V"},
	"varnishd":  {"-V"},
	"go":        {"version"},
}

// alsoCalled lists other names of the same thing, in order of preference.
var alsoCalled = map[string][]string{
	"mariadbd":           {"mysqld"},
	"mariadb-install-db": {"mysql_install_db"},
	"mariadb":            {"mysql"},
}

var versionNumber = regexp.MustCompile(`\d+\.\d+(\.\d+)?`)

// Find looks for a program in PATH and where servers usually lie, and asks it
// for its version.
func Find(ctx context.Context, name string) (Tool, error) {
	path, ok := Locate(name)
	if !ok {
		return Tool{}, hotseat.NotFound("`hotseat doctor --install` installs what is missing", "%s is not installed", name)
	}
	args, ok := asksVersion[name]
	if !ok {
		args = []string{"--version"}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, args...).CombinedOutput()
	if ctx.Err() != nil {
		return Tool{}, ctx.Err()
	}
	if err != nil && len(out) == 0 {
		return Tool{}, hotseat.Unavailable("`hotseat doctor` looks at it", "%s does not run: %w", path, err)
	}
	return Tool{Name: name, Path: path, Version: versionNumber.FindString(firstVersionLine(string(out)))}, nil
}

// firstVersionLine skips the name of the program, which may hold numbers, and
// the version that MariaDB's clients have of their own ("Ver 15.1 Distrib
// 10.11.19-MariaDB").
func firstVersionLine(out string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	for _, before := range []string{"Distrib ", "Ver "} {
		if i := strings.Index(line, before); i >= 0 {
			return line[i:]
		}
	}
	return line
}

// Locate looks for a program in PATH and where servers usually lie.
func Locate(name string) (path string, ok bool) {
	for _, n := range slices.Concat([]string{name}, alsoCalled[name]) {
		if path, err := exec.LookPath(n); err == nil {
			if path, err = filepath.Abs(path); err == nil {
				return path, true
			}
		}
		for _, dir := range sbin {
			path := filepath.Join(dir, n)
			if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() && fi.Mode()&0o111 != 0 {
				return path, true
			}
		}
	}
	return "", false
}
