package isucon1scenario

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hotseat"
)

const goodStatics = "/a.css\t1\t55a54008ad1ba589aa210d2629c1df41\n"

func TestTruth(t *testing.T) {
	for _, test := range []struct {
		name, initial, statics string
		articles, files        int
		wrong                  string // in the error
	}{
		{"empty list, as the original's", "[]", goodStatics, 0, 1, ""},
		{"one", `[{"id":3,"data":{"title":"t","body":"b","comments":[{"name":null,"body":"c"}]}}]`, goodStatics, 1, 1, ""},
		{"without comments", `[{"id":3,"data":{"title":"t","body":"b"}}]`, goodStatics, 1, 1, ""},
		{"no end of line, carriage returns", "[]", strings.TrimSuffix(goodStatics, "\n") + "\r\n/b\t0\tD41D8CD98F00B204E9800998ECF8427E", 0, 2, ""},
		{"official ones among others", "[]", goodStatics + "/js/isucon.js\t0\td41d8cd98f00b204e9800998ecf8427e\n", 0, 1, ""},
		{"no initial.json", "-", goodStatics, 0, 0, "initial.json"},
		{"no static.tsv", "[]", "-", 0, 0, "static.tsv"},
		{"no JSON", "[\n{", goodStatics, 0, 0, "initial.json:2"},
		{"id as text", "[\n{\"id\": \"x\"}]", goodStatics, 0, 0, "initial.json:2"},
		{"no id", `[{"data":{}}]`, goodStatics, 0, 0, "entry 1: id 0"},
		{"no data", `[{"id":1}]`, goodStatics, 0, 0, "has no data"},
		{"twice", `[{"id":1,"data":{}},{"id":1,"data":{}}]`, goodStatics, 0, 0, "id 1 appears twice"},
		{"no statics", "[]", "", 0, 0, "no files"},
		{"two columns", "[]", "/a\t1\n", 0, 0, "static.tsv:1: want 3 columns"},
		{"no path", "[]", goodStatics + "a\t1\t55a54008ad1ba589aa210d2629c1df41", 0, 0, `static.tsv:2: path "a"`},
		{"bad size", "[]", "/a\t-1\t55a54008ad1ba589aa210d2629c1df41", 0, 0, "bytes"},
		{"bad digest", "[]", "/a\t1\t55", 0, 0, "md5"},
		{"path twice", "[]", goodStatics + goodStatics, 0, 0, "appears twice"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{initialFile: test.initial, staticFile: test.statics} {
				if text == "-" {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			truth, err := loadTruth(dir)
			if test.wrong == "" {
				if err != nil || len(truth.initial) != test.articles || len(truth.statics) != test.files {
					t.Fatalf("%+v, %v", truth, err)
				}
				return
			}
			var known *hotseat.Error
			if !errors.As(err, &known) || known.Hint == "" || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("error %v; want one about %q, with a hint", err, test.wrong)
			}
		})
	}
	if _, err := loadTruth(""); err == nil {
		t.Error("no folder is good enough")
	}
}
