package scenario

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hotseat"
)

// Whatever is wrong with the data folder is told with file and line, and the
// run does not start.
func TestBadTruth(t *testing.T) {
	const hash = "1f25d6d4ac3ab2e1b1bd5a0b14dbb4ce9a2fa9d5d6c4a2c6d9be0a6b7a7e1b2f"
	tests := []struct {
		name, file string
		change     func(content string) string // nil removes the file
		want       string
	}{
		{"no users", usersFile, nil, "users.tsv: no such file"},
		{"no history", usedFile, nil, "users_used.tsv: no such file"},
		{"no static files", staticFile, nil, "static.tsv: no such file"},
		{"empty users", usersFile, func(string) string { return "" }, "users.tsv: no users"},
		{"columns", usersFile, replace("salt\t", ""), "users.tsv:1: want 5 columns separated by tabs, got 4"},
		{"id", usersFile, replace("2\t", "two\t"), `users.tsv:2: id "two"`},
		{"id twice", usersFile, replace("\n2\t", "\n1\t"), "users.tsv:2: id 1 appears twice"},
		{"login twice", usersFile, replace("user.0001", "user.0000"), `users.tsv:2: login "user.0000" appears twice`},
		{"no login", usersFile, replace("user.0002", ""), "users.tsv:3: login is empty"},
		{"another password", usersFile, replace("Secret&0002", "Secret&0003"), "users.tsv:3: hash"},
		{"short hash", usersFile, func(c string) string {
			line, rest, _ := strings.Cut(c, "\n")
			return line[:len(line)-1] + "\n" + rest
		}, "users.tsv:1: hash"},
		{"line in between", usersFile, replace("\n3\t", "\n\n3\t"), "users.tsv:3: want 5 columns"},
		{"unknown user", usedFile, replace("40\t", "41\t"), "users_used.tsv:4: id 41 is not in users.tsv"},
		{"renamed user", usedFile, replace("user.0037", "user.0000"), `users_used.tsv:2: user 38 is called "user.0000" here and "user.0037"`},
		{"failures", usedFile, replace("\t3", "\t-3"), "users_used.tsv:2: failures"},
		{"path", staticFile, replace("/", ""), "want one that begins with /"},
		{"digest", staticFile, func(string) string { return "/a.css\t3\t" + hash + "\n" }, "static.tsv:1: md5"},
		{"bytes", staticFile, func(string) string { return "/a.css\tmany\td41d8cd98f00b204e9800998ecf8427e\n" }, "static.tsv:1: bytes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newTestWorld(t, 40)
			path := filepath.Join(w.dir, test.file)
			if test.change == nil {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			} else {
				content, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(test.change(string(content))), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := loadTruth(w.dir)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want something with %q", err, test.want)
			}
			if hotseat.ExitStatus(err) != hotseat.ExitUsage {
				t.Errorf("exit status %d", hotseat.ExitStatus(err))
			}
			if got := Contest().Run(t.Context(), []string{"--target", "http://127.0.0.1:1", "--data", w.dir}, nil, io.Discard, io.Discard); got != hotseat.ExitUsage {
				t.Errorf("a run ends with status %d", got)
			}
		})
	}
}

func TestNoDataFolder(t *testing.T) {
	if _, err := loadTruth(""); hotseat.ExitStatus(err) != hotseat.ExitUsage || !strings.Contains(err.Error(), "no data folder") {
		t.Error(err)
	}
}

func replace(old, replacement string) func(string) string {
	return func(content string) string { return strings.Replace(content, old, replacement, 1) }
}

// What editors add is not held against anyone.
func TestTruthWithCarriageReturns(t *testing.T) {
	w := newTestWorld(t, 40)
	for _, file := range []string{usersFile, usedFile, staticFile} {
		path := filepath.Join(w.dir, file)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.TrimSuffix(strings.ReplaceAll(string(content), "\n", "\r\n"), "\r\n")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := loadTruth(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.customers) != 40 || len(got.used) != 4 || len(got.assets) != 3 || got.used[40] != 3 {
		t.Errorf("got %d users, %v used, %v", len(got.customers), got.used, got.assets)
	}
}
