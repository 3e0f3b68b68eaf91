package isucon1scenario

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hotseat"
)

// The files of --data.
const (
	initialFile = "initial.json" // some of the articles that are there from the start
	staticFile  = "static.tsv"   // path, bytes, MD5; tab-separated, no header
)

const dataHint = "--data names the folder that holds initial.json (a list of {id, data: {title, body, comments: [{name, body}]}}, " +
	"which may be empty) and static.tsv (path, bytes, md5)"

// officialStatics are the six static files that the original loaded and
// checked (§4); the others of a manifest were neither.
var officialStatics = []string{
	"/css/jquery-ui-1.8.14.custom.css",
	"/css/isucon.css",
	"/js/jquery-1.6.2.min.js",
	"/js/jquery-ui-1.8.14.custom.min.js",
	"/js/isucon.js",
	"/images/isucon_title.jpg",
}

// truth is what is known about the blog before the run.
type truth struct {
	initial []*article // in the order of initial.json
	statics []static   // those that are loaded and checked
}

type static struct {
	path string
	md5  string // lower-case hexadecimal
}

// article is an article whose contents are known.
type article struct {
	id          int
	title, body string
	comments    []*comment // from before the run; nothing is known of others
}

// loadTruth reads the files. Whatever is wrong with them is an error that names
// file and line: a benchmark that believes something else than the database
// holds would accuse a right app.
func loadTruth(dir string) (*truth, error) {
	if dir == "" {
		return nil, hotseat.Invalid(dataHint, "no data folder given")
	}
	t := &truth{}
	if err := t.readInitial(filepath.Join(dir, initialFile)); err != nil {
		return nil, err
	}
	if err := t.readStatics(filepath.Join(dir, staticFile)); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *truth) readInitial(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return truthError(path, err)
	}
	var list []struct {
		ID   int `json:"id"`
		Data *struct {
			Title    string `json:"title"`
			Body     string `json:"body"`
			Comments []struct {
				Name string `json:"name"` // null is as good as empty
				Body string `json:"body"`
			} `json:"comments"`
		} `json:"data"`
	}
	if err := json.Unmarshal(content, &list); err != nil {
		return truthError(place(path, content, err), err)
	}
	known := map[int]bool{}
	for i, entry := range list {
		switch {
		case entry.ID < 1:
			return truthError(path, fmt.Errorf("entry %d: id %d: want a number, 1 or more", i+1, entry.ID))
		case entry.Data == nil:
			return truthError(path, fmt.Errorf("entry %d (id %d) has no data", i+1, entry.ID))
		case known[entry.ID]:
			return truthError(path, fmt.Errorf("id %d appears twice", entry.ID))
		}
		known[entry.ID] = true
		a := &article{id: entry.ID, title: entry.Data.Title, body: entry.Data.Body}
		for _, c := range entry.Data.Comments {
			a.comments = append(a.comments, newComment(a.id, c.Name, c.Body))
		}
		t.initial = append(t.initial, a)
	}
	return nil
}

// place adds the line to the path where a JSON error knows it.
func place(path string, content []byte, err error) string {
	offset := int64(-1)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = syntax.Offset
	} else if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = kind.Offset
	}
	if offset < 0 || offset > int64(len(content)) {
		return path
	}
	return fmt.Sprintf("%s:%d", path, 1+bytes.Count(content[:offset], []byte("\n")))
}

func (t *truth) readStatics(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return truthError(path, err)
	}
	var all []static
	line := 0
	for text := range strings.Lines(string(content)) {
		line++
		s, err := parseStatic(strings.TrimRight(text, "\r\n"))
		if err == nil && slices.ContainsFunc(all, func(other static) bool { return other.path == s.path }) {
			err = fmt.Errorf("path %q appears twice", s.path)
		}
		if err != nil {
			return truthError(fmt.Sprintf("%s:%d", path, line), err)
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return truthError(path, errors.New("no files: want at least one row"))
	}
	for _, s := range all {
		if slices.Contains(officialStatics, s.path) {
			t.statics = append(t.statics, s)
		}
	}
	if len(t.statics) == 0 { // another blog, with statics of its own
		t.statics = all
	}
	return nil
}

func parseStatic(row string) (static, error) {
	columns := strings.Split(row, "\t")
	if len(columns) != 3 {
		return static{}, fmt.Errorf("want 3 columns separated by tabs, got %d", len(columns))
	}
	s := static{path: columns[0], md5: strings.ToLower(columns[2])}
	if !strings.HasPrefix(s.path, "/") || strings.ContainsFunc(s.path, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return s, fmt.Errorf("path %q: want one that begins with / and can be sent", s.path)
	}
	if size, err := strconv.ParseInt(columns[1], 10, 64); err != nil || size < 0 {
		return s, fmt.Errorf("bytes %q: want a number, 0 or more", columns[1])
	}
	if sum, err := hex.DecodeString(s.md5); err != nil || len(sum) != 16 {
		return s, fmt.Errorf("md5 %q: want 32 hexadecimal digits", columns[2])
	}
	return s, nil
}

// truthError puts the place before the error. What os says names the path already.
func truthError(place string, err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return hotseat.Invalid(dataHint, "%w", err)
	}
	return hotseat.Invalid(dataHint, "%s: %w", place, err)
}
