package report

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// policy forbids scripts in our pages; the checker is one.
var policy = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)

// faults has Chromium look at a page with the eyes of testdata/accessibility.js.
func faults(t *testing.T, page string, width int, dark bool) []string {
	t.Helper()
	script, err := os.ReadFile("testdata/accessibility.js")
	if err != nil {
		t.Fatal(err)
	}
	page = policy.ReplaceAllString(page, "")
	scheme := map[bool]string{true: "all", false: "not all"}[dark]
	page = strings.ReplaceAll(page, "@media (prefers-color-scheme: dark)", "@media "+scheme)
	page = strings.Replace(page, "</body>", "<script>"+string(script)+"</script></body>", 1)
	// Not t.TempDir: Chromium's last children may still write when it is removed.
	dir, err := os.MkdirTemp("", "hotseat-page")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	chromium := exec.CommandContext(t.Context(), "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir="+filepath.Join(dir, "profile"), fmt.Sprintf("--window-size=%d,900", width), "--dump-dom", "file://"+file)
	var stderr bytes.Buffer
	chromium.Stderr = &stderr
	out, err := chromium.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	_, report, ok := strings.Cut(string(out), "</script><pre id=\"accessibility-report\">")
	if !ok {
		t.Fatalf("the checker did not end:\n%s", &stderr)
	}
	report, _, _ = strings.Cut(report, "</pre>")
	count, list, _ := strings.Cut(strings.TrimSpace(report), "\n")
	if strings.HasPrefix(count, "0 ") {
		t.Error("the checker has seen no text")
	}
	if list == "" {
		return nil
	}
	return strings.Split(list, "\n")
}

// Pages are for everybody: names, order, tables, scrolling and contrast, in both
// colour schemes and on a telephone.
func TestAccessibility(t *testing.T) {
	failed, err := Load(sampleRun(t, true))
	if err != nil {
		t.Fatal(err)
	}
	var history strings.Builder
	if err := sampleHistory().HTML(&history); err != nil {
		t.Fatal(err)
	}
	measured := render(t, measuredRun(t))
	for _, c := range []struct {
		name, page string
		width      int
		dark       bool
	}{
		{"failed run", render(t, failed), 1280, false}, {"failed run, dark", render(t, failed), 390, true},
		{"measured run", measured, 1280, false}, {"measured run, dark", measured, 1280, true}, {"history", history.String(), 390, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, f := range faults(t, c.page, c.width, c.dark) {
				t.Error(f)
			}
		})
	}
}

// The checker sees what is wrong with a bad page.
func TestAccessibilityChecker(t *testing.T) {
	const page = `<!doctype html><html><head><title></title></head><body><h2 id="a">No first heading</h2><p id="a" style="color:#999;background:#fff">pale</p>
		<a href="#gone"></a><table><tr><td>no head</td></tr></table><svg><text>nameless</text></svg><div style="width:50px;overflow-x:auto"><div style="width:500px">wide</div></div>
		<svg role="img" aria-label="drawing"><rect width="200" height="50" fill="#777"></rect><text x="5" y="25" fill="#888">on grey</text></svg></body></html>`
	text := strings.Join(faults(t, page, 1280, false), "\n")
	for _, rule := range []string{"html-has-lang", "document-title", "meta-viewport", "duplicate-id", "skip-link", "page-has-heading-one", "landmark-one-main", "region", "name: &lt;a", "svg-img-alt",
		"table-header", "scrollable-region-focusable", `color-contrast: &lt;p#a`, `color-contrast: &lt;text`} {
		if !strings.Contains(text, rule) {
			t.Errorf("no %s in\n%s", rule, text)
		}
	}
}
