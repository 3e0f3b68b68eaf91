package data

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hotseat/problem/problemtest"
)

func TestStaticFilesAreTheTruth(t *testing.T) {
	public := t.TempDir()
	if err := Static(public); err != nil {
		t.Fatal(err)
	}
	written := problemtest.Files(t, public)
	var got [][]string
	for _, row := range table(t, generate(t, Small()), "truth/static.tsv", 3) {
		content, found := written[strings.TrimPrefix(row[0], "/")]
		if !found {
			t.Errorf("%s is not written", row[0])
		}
		if want := fmt.Sprintf("%x", md5.Sum([]byte(content))); row[2] != want {
			t.Errorf("%s has MD5 %s, the truth says %s", row[0], want, row[2])
		}
		if row[1] != fmt.Sprint(len(content)) {
			t.Errorf("%s has %d bytes, the truth says %s", row[0], len(content), row[1])
		}
		got = append(got, row[:2])
	}
	want := [][]string{ // §7
		{"/stylesheets/bootstrap.min.css", "109518"},
		{"/stylesheets/bootflat.min.css", "53197"},
		{"/stylesheets/isucon-bank.css", "660"},
		{"/images/isucon-bank.png", "16456"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("static.tsv (-want +got):\n%s", diff)
	}
	if len(written) != len(want) {
		t.Errorf("%d files written, want %d", len(written), len(want))
	}
}

func TestLogoIsAPicture(t *testing.T) {
	content, err := logo(16_456)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	rgba, ok := picture.(*image.NRGBA)
	if !ok || rgba.Rect != image.Rect(0, 0, 200, 55) {
		t.Fatalf("a %T of %v", picture, picture.Bounds())
	}
	for name, at := range map[string]struct {
		x, y int
		want string
	}{
		"corner":        {0, 0, "00000000"},
		"coin":          {27, 48, "14284bff"},
		"gable":         {27, 15, "ffffffff"},
		"above a gable": {16, 13, "14284bff"},
		"letter I":      {63, 18, "14284bff"},
		"left rule":     {70, 42, "c9922eff"},
		"far top right": {199, 0, "00000000"},
	} {
		c := rgba.NRGBAAt(at.x, at.y)
		if got := fmt.Sprintf("%02x%02x%02x%02x", c.R, c.G, c.B, c.A); got != at.want {
			t.Errorf("%s is %s, want %s", name, got, at.want)
		}
	}
	if _, err := logo(5_000); err == nil {
		t.Error("the logo fits into 5,000 bytes?")
	}
}

func TestSheetsAreFilledWithRules(t *testing.T) {
	for name, build := range map[string]func() ([]byte, error){
		"base":  func() ([]byte, error) { return baseSheet(109_518) },
		"theme": func() ([]byte, error) { return themeSheet(53_197) },
		"bank":  func() ([]byte, error) { return bankSheet(660) },
	} {
		t.Run(name, func(t *testing.T) {
			content, err := build()
			if err != nil {
				t.Fatal(err)
			}
			sheet := string(content)
			if opened, shut := strings.Count(sheet, "{"), strings.Count(sheet, "}"); opened == 0 || opened != shut {
				t.Errorf("%d braces open and %d shut", opened, shut)
			}
			if twice := regexp.MustCompile(`}[^{}]*{}|;;|{;`).FindString(sheet); twice != "" {
				t.Errorf("an empty rule: %q", twice)
			}
			padding := len(sheet) - len(strings.TrimRight(strings.TrimSuffix(sheet, "*/"), " \n"))
			if limit := 200; padding > limit {
				t.Errorf("%d bytes of padding: the rules ran out", padding)
			}
		})
	}
	if _, err := baseSheet(1_000); err == nil {
		t.Error("the base sheet fits into 1,000 bytes?")
	}
}

// Every class that the given app's pages use means something.
func TestPagesAreStyled(t *testing.T) {
	pages, err := filepath.Glob("../app/go/templates/*.html")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages of the app: %v", err)
	}
	var sheets string
	for _, file := range staticFiles()[:3] {
		content, err := file.content()
		if err != nil {
			t.Fatal(err)
		}
		sheets += string(content)
	}
	for _, page := range pages {
		html, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, attribute := range regexp.MustCompile(`class="([^"]*)"`).FindAllSubmatch(html, -1) {
			for _, class := range strings.Fields(string(attribute[1])) {
				if !regexp.MustCompile(`\.` + regexp.QuoteMeta(class) + `[^\w-]`).MatchString(sheets) {
					t.Errorf("%s: no rule for class %s", filepath.Base(page), class)
				}
			}
		}
	}
}

func TestMinify(t *testing.T) {
	for source, want := range map[string]string{
		"a { b: c; d: e; }\n":                         "a{b:c;d:e}",
		"/* gone */\na,\nb > c { d: e; }":             "a,b>c{d:e}",
		"/*! kept: a */\n/* x */ a { }":               "/*! kept:a */a{}",
		"a b:hover { c: d e, f; }":                    "a b:hover{c:d e,f}",
		"@media (min-width: 1px) {\n  a { b: c; }\n}": "@media (min-width:1px){a{b:c}}",
	} {
		if got := minify(source); got != want {
			t.Errorf("%q becomes %q, want %q", source, got, want)
		}
	}
}

func TestFillerIsExact(t *testing.T) {
	for room := range 20 {
		filler := filler(room)
		if len(filler) != room {
			t.Errorf("%d bytes for %d", len(filler), room)
		}
		if rest := minify("a{}" + filler); rest != "a{}" {
			t.Errorf("filler of %d bytes means %q", room, rest)
		}
	}
}
