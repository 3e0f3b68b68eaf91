package data

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"hotseat/problem/problemtest"
)

var update = flag.Bool("update", false, "record the digests of a new Version in testdata")

func generate(t *testing.T, opts Options) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := Generate(t.Context(), dir, opts); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Caches of generated data are keyed by Version.
func TestVersionNamesTheOutput(t *testing.T) {
	static := t.TempDir()
	if err := Static(static); err != nil {
		t.Fatal(err)
	}
	other := Small()
	other.Seed = 1 << 63
	got := fmt.Sprintf("full\t%s\nsmall\t%s\nother seed\t%s\nstatic\t%s\n", problemtest.Digest(t, generate(t, Full())),
		problemtest.Digest(t, generate(t, Small())), problemtest.Digest(t, generate(t, other)), problemtest.Digest(t, static))
	problemtest.Recorded(t, Version, got, *update)
}

// row is one parenthesis of an INSERT, its texts with their newlines.
type row []string

// rows reads a file of INSERTs back.
func rows(t *testing.T, path string, columns int) (all []row) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for statement := range strings.SplitSeq(strings.TrimSuffix(string(text), ";\n"), ";\n") {
		if len(statement) > 1<<20-1<<10 {
			t.Fatalf("a statement of %d bytes, the server takes 1 MB", len(statement))
		}
		lines := strings.Split(statement, "\n")
		if !strings.HasPrefix(lines[0], "INSERT INTO ") {
			t.Fatalf("statement %q", lines[0])
		}
		for _, line := range lines[1:] {
			fields := strings.Split(strings.TrimSuffix(strings.TrimSuffix(line, ","), ")")[1:], ",")
			if len(fields) != columns {
				t.Fatalf("%d columns in %s", len(fields), line)
			}
			for i, f := range fields {
				fields[i] = strings.ReplaceAll(strings.Trim(f, "'"), `\n`, "\n")
			}
			all = append(all, fields)
		}
	}
	return all
}

func TestAlphabet(t *testing.T) {
	count := map[rune]int{}
	for _, s := range symbols {
		count[s]++
	}
	if len(symbols) != 211 || count[newline] != 5 || len(count) != 207 {
		t.Errorf("%d symbols, %d different, %d newlines; want 211, 207, 5", len(symbols), len(count), count[newline])
	}
	for s := range count {
		if strings.ContainsRune(`&<>'"\`, s) || utf8.RuneLen(s) > 3 {
			t.Errorf("symbol %q", s)
		}
	}
}

// The rules of the specification's §6, on the world of the contest.
func TestWorldOfTheContest(t *testing.T) {
	opts := Full()
	dir := generate(t, opts)
	articles := rows(t, filepath.Join(dir, "sql/initial_articles.sql"), 4)
	comments := rows(t, filepath.Join(dir, "sql/initial_comments.sql"), 5)
	if examined := 2*len(articles) + len(comments) + 10; len(articles) != 5_000 || examined != 172_853 {
		t.Errorf("%d articles, and %d rows to examine for the sidebar", len(articles), examined)
	}

	var bytes, symbols int
	for i, a := range articles {
		checkID(t, i, a[0])
		checkBody(t, a[2], 500, 1_500)
		if n := utf8.RuneCountInString(a[1]); n < 10 || n > 20 || strings.Contains(a[1], "\n") {
			t.Errorf("title %q", a[1])
		}
		if i > 0 && articles[i-1][3] > a[3] {
			t.Errorf("article %s is older than the one before", a[0])
		}
		bytes, symbols = bytes+len(a[2]), symbols+utf8.RuneCountInString(a[2])
	}
	between(t, "bytes of an article", bytes/len(articles), 2_330, 2_420)
	between(t, "symbols of an article", symbols/len(articles), 990, 1_010)

	bytes = 0
	anonymous, most := 0, 0
	perArticle := map[string]int{}
	for i, c := range comments {
		checkID(t, i, c[0])
		checkBody(t, c[3], 100, 300)
		if c[2] == "" {
			anonymous++
		} else if utf8.RuneCountInString(c[2]) != 5 {
			t.Errorf("name %q", c[2])
		}
		if c[4] < articles[len(articles)-1][3] || i > 0 && comments[i-1][4] > c[4] {
			t.Errorf("comment %s of %s is too old", c[0], c[4])
		}
		bytes += len(c[3])
		perArticle[c[1]]++
		most = max(most, perArticle[c[1]])
	}
	if len(perArticle) != len(articles) {
		t.Errorf("%d articles have comments", len(perArticle))
	}
	between(t, "bytes of a comment", bytes/len(comments), 465, 480)
	between(t, "comments without a name, in percent", 100*anonymous/len(comments), 49, 51)
	between(t, "most comments on an article", most, 48, 62)
}

func checkID(t *testing.T, i int, id string) {
	t.Helper()
	if id != strconv.Itoa(i+1) {
		t.Fatalf("row %d has id %s: ids must be dense", i+1, id)
	}
}

func checkBody(t *testing.T, body string, least, most int) {
	t.Helper()
	n := utf8.RuneCountInString(body)
	if n < least || n > most || strings.HasSuffix(body, "\n") || strings.ContainsAny(body, "&<>") {
		t.Fatalf("a body of %d symbols: %q", n, body)
	}
}

func between(t *testing.T, what string, got, least, most int) {
	t.Helper()
	if got < least || got > most {
		t.Errorf("%s: %d, want %d to %d", what, got, least, most)
	}
}

// What the truth tells of an article is what the database gets.
func TestTruth(t *testing.T) {
	opts := Small()
	dir := generate(t, opts)
	want := make([]knownArticle, opts.Articles)
	for i, a := range rows(t, filepath.Join(dir, "sql/initial_articles.sql"), 4) {
		want[i].ID, want[i].Data.Title, want[i].Data.Body = i+1, a[1], a[2]
	}
	for _, c := range rows(t, filepath.Join(dir, "sql/initial_comments.sql"), 5) {
		article, err := strconv.Atoi(c[1])
		if err != nil {
			t.Fatal(err)
		}
		data := &want[article-1].Data
		data.Comments = append(data.Comments, knownComment{Name: c[2], Body: c[3]})
	}
	var told []knownArticle
	text, err := os.ReadFile(filepath.Join(dir, "truth/initial.json"))
	if err == nil {
		err = json.Unmarshal(text, &told)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(told) != opts.Initial {
		t.Errorf("%d articles told, want %d", len(told), opts.Initial)
	}
	last := 0
	for _, got := range told {
		if got.ID <= last {
			t.Errorf("article %d after %d", got.ID, last)
		}
		last = got.ID
		if diff := cmp.Diff(want[got.ID-1], got); diff != "" {
			t.Errorf("article %d (-database +truth):\n%s", got.ID, diff)
		}
	}
}

func TestNoTruthIsAnEmptyList(t *testing.T) {
	opts := Small()
	opts.Initial = 0
	if got := problemtest.Files(t, generate(t, opts))["truth/initial.json"]; got != "[]\n" {
		t.Errorf("initial.json is %q", got)
	}
}

func TestWorldsDifferBySeed(t *testing.T) {
	a, b := Small(), Small()
	b.Seed++
	first, second := problemtest.Files(t, generate(t, a)), problemtest.Files(t, generate(t, b))
	if len(first) != 4 {
		t.Errorf("%d files, want 4", len(first))
	}
	for path := range first {
		same, wantSame := first[path] == second[path], path == "truth/static.tsv"
		if same != wantSame {
			t.Errorf("%s is the same for both seeds: %t, want %t", path, same, wantSame)
		}
	}
}

func TestGenerateRefuses(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"articles: want at least 1":              func(o *Options) { o.Articles = 0 },
		"at least one to each of 200 articles":   func(o *Options) { o.Comments = 199 },
		"initial articles: want 0 to 200, got 2": func(o *Options) { o.Initial = 201 },
		"initial articles: want 0 to 200, got -": func(o *Options) { o.Initial = -1 },
	} {
		opts := Small()
		change(&opts)
		if err := Generate(t.Context(), t.TempDir(), opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

func TestGenerateEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Generate(ctx, t.TempDir(), Full()); !errors.Is(err, context.Canceled) {
		t.Errorf("want context.Canceled, got %v", err)
	}
}

func TestErrorsOfTheDisk(t *testing.T) {
	err := writeInserts("/dev/full", "t (a)", func(in *inserts) error { return in.row("1") })
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("full: want no space left on device, got %v", err)
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Generate(t.Context(), path, Small()); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("Generate: want not a directory, got %v", err)
	}
	if err := Static(path); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("Static: want not a directory, got %v", err)
	}
}

func TestStaticFilesAreTheTruth(t *testing.T) {
	public := t.TempDir()
	if err := Static(public); err != nil {
		t.Fatal(err)
	}
	written := problemtest.Files(t, public)
	var got []string
	for line := range strings.Lines(problemtest.Files(t, generate(t, Small()))["truth/static.tsv"]) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		content, found := written[strings.TrimPrefix(fields[0], "/")]
		if want := fmt.Sprintf("%x", md5.Sum([]byte(content))); !found || fields[2] != want {
			t.Errorf("%s: written %t, MD5 %s, the truth says %s", fields[0], found, want, fields[2])
		}
		got = append(got, fields[0]+" "+strconv.Itoa(len(content)))
	}
	want := []string{ // §4
		"/css/jquery-ui-1.8.14.custom.css 25419",
		"/css/isucon.css 1082",
		"/js/jquery-1.6.2.min.js 91556",
		"/js/jquery-ui-1.8.14.custom.min.js 109113",
		"/js/isucon.js 0",
		"/images/isucon_title.jpg 31930",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("static.tsv (-want +got):\n%s", diff)
	}
	if n := len(written["favicon.ico"]); n != 3_390 || len(written) != 6+1+15 {
		t.Errorf("a favicon of %d bytes, %d files in all; want 3390 and 22", n, len(written))
	}
}

func TestPicturesAreSuch(t *testing.T) {
	title, err := pictures.ReadFile("pictures/images/isucon_title.jpg")
	if err != nil {
		t.Fatal(err)
	}
	size, err := jpeg.DecodeConfig(bytes.NewReader(title))
	if err != nil || size.Width != 500 || size.Height != 130 {
		t.Errorf("the title is %d by %d, %v", size.Width, size.Height, err)
	}
	if _, err := jpeg.Decode(bytes.NewReader(title)); err != nil {
		t.Error(err)
	}
	names, err := fs.Glob(pictures, "pictures/css/images/ui-*.png")
	if err != nil || len(names) != 15 {
		t.Fatalf("%d pictures of widgets, %v", len(names), err)
	}
	var least, most int
	for i, name := range names {
		content, err := pictures.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			least = len(content)
		}
		least, most = min(least, len(content)), max(most, len(content))
		picture, err := png.Decode(bytes.NewReader(content))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if want := sizeOf(t, name); picture.Bounds().Size() != want {
			t.Errorf("%s is %v", name, picture.Bounds().Size())
		}
	}
	if least != 86 || most != 5_355 {
		t.Errorf("pictures of %d to %d bytes, want 86 to 5355", least, most)
	}
}

// sizeOf reads the size at the end of a picture's name.
func sizeOf(t *testing.T, name string) (size image.Point) {
	t.Helper()
	at := regexp.MustCompile(`_(\d+)x(\d+)\.png$`).FindStringSubmatch(name)
	if at == nil {
		t.Fatalf("%s has no size in its name", name)
	}
	_, _ = fmt.Sscan(at[1]+" "+at[2], &size.X, &size.Y) // digits only
	return size
}

// The generated part must reach up to the size, and sheets name only pictures
// that are there.
func TestSheetsAndScriptsAreFilled(t *testing.T) {
	for _, file := range staticFiles() {
		content, err := file.content()
		if err != nil {
			t.Fatal(err)
		}
		text := string(content)
		if filepath.Ext(file.path) != ".css" && filepath.Ext(file.path) != ".js" {
			continue
		}
		for _, pair := range []string{"{}", "()", "[]"} {
			if opened, shut := strings.Count(text, pair[:1]), strings.Count(text, pair[1:]); opened != shut {
				t.Errorf("%s: %d %s and %d %s", file.path, opened, pair[:1], shut, pair[1:])
			}
		}
		padding := len(text) - len(strings.TrimRight(strings.TrimSuffix(text, "*/"), " \n"))
		if padding > 500 {
			t.Errorf("%s: %d bytes of padding: what fills it ran out", file.path, padding)
		}
		for _, url := range regexp.MustCompile(`url\(([^)]*)\)`).FindAllStringSubmatch(text, -1) {
			if _, err := pictures.Open("pictures/css/" + url[1]); err != nil {
				t.Errorf("%s: %v", file.path, err)
			}
		}
	}
	if _, err := library(1_000); err == nil {
		t.Error("the library fits into 1,000 bytes?")
	}
}

func TestFillerIsExact(t *testing.T) {
	for room := range 20 {
		if filler := filler(room); len(filler) != room {
			t.Errorf("%d bytes for %d", len(filler), room)
		}
	}
}
