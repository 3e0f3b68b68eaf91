package problemtest

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Browser is a headless Chromium with one page. It is driven by the DevTools protocol over a pair of pipes: a JSON
// message each, ended by a zero byte.
//
// Selectors are those of CSS. Whatever has to be there is waited for; whatever the
// page throws fails the test.
type Browser struct {
	commands io.Writer
	replies  chan reply
	session  string // of the one page there is
	lastID   int
}

// reply is what Chromium says: the answer to a command if there is an id, else an event.
type reply struct {
	ID     int
	Result json.RawMessage
	Error  *struct{ Message string }
	Method string
	Params json.RawMessage
}

// patience is how long anything in the browser may take; the app is slow.
const patience = 20 * time.Second

// StartBrowser runs a browser until the test ends. It finds this machine only.
func StartBrowser(t testing.TB) *Browser {
	t.Helper()
	in, commands := pipe(t)
	answers, out := pipe(t)
	// Not t.TempDir: Chromium's last children may still write when it is removed.
	profile, err := os.MkdirTemp("", "hs-chromium")
	if err != nil {
		t.Fatal(err)
	}
	chromium := exec.CommandContext(context.WithoutCancel(t.Context()), "chromium",
		"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--remote-debugging-pipe", "--user-data-dir="+profile, "--lang=en-US", "--no-first-run",
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE *.localhost, EXCLUDE 127.0.0.1",
		"about:blank")
	chromium.Env = append(os.Environ(), "TMPDIR="+profile) // killed, it leaves what it has there
	chromium.ExtraFiles = []*os.File{in, out}              // descriptors 3 and 4
	chromium.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := chromium.Start(); err != nil {
		t.Fatal(err)
	}
	for _, theirs := range []*os.File{in, out} {
		if err := theirs.Close(); err != nil {
			t.Fatal(err)
		}
	}

	b := &Browser{commands: commands, replies: make(chan reply, 100)}
	var reader sync.WaitGroup
	reader.Go(func() { b.read(answers) })
	t.Cleanup(func() {
		_ = syscall.Kill(-chromium.Process.Pid, syscall.SIGKILL)
		_ = chromium.Wait() // it was killed
		go func() {
			for range b.replies { // nobody else reads them any more
			}
		}()
		reader.Wait()
		_ = os.RemoveAll(profile)
	})

	var target struct{ TargetID string }
	b.do(t, "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.do(t, "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	b.do(t, "Page.enable", nil, nil)
	b.do(t, "Runtime.enable", nil, nil)
	return b
}

func pipe(t testing.TB) (from, to *os.File) {
	t.Helper()
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = from.Close(), to.Close() }) // one end of each is closed already
	return from, to
}

func (b *Browser) read(from io.Reader) {
	defer close(b.replies)
	for in := bufio.NewReader(from); ; {
		text, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var r reply
		if err := json.Unmarshal(text[:len(text)-1], &r); err != nil {
			r.Error = &struct{ Message string }{err.Error()}
		}
		b.replies <- r
	}
}

// do runs a command and waits for its result. What the page throws meanwhile is
// an error of the test.
func (b *Browser) do(t testing.TB, method string, params, result any) {
	t.Helper()
	b.lastID++
	text, err := json.Marshal(map[string]any{"id": b.lastID, "method": method, "params": params, "sessionId": b.session})
	if err != nil {
		t.Fatal(err)
	}
	if b.session == "" {
		text, _ = json.Marshal(map[string]any{"id": b.lastID, "method": method, "params": params})
	}
	if _, err := b.commands.Write(append(text, 0)); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	timeout := time.After(patience)
	for {
		select {
		case r, ok := <-b.replies:
			switch {
			case !ok:
				t.Fatalf("%s: Chromium has ended", method)
			case r.Method == "Runtime.exceptionThrown":
				t.Errorf("the page threw %s", r.Params)
			case r.ID != b.lastID:
			case r.Error != nil:
				t.Fatalf("%s: %s", method, r.Error.Message)
			case result != nil:
				if err := json.Unmarshal(r.Result, result); err != nil {
					t.Fatalf("%s: %v", method, err)
				}
				return
			default:
				return
			}
		case <-timeout:
			t.Fatalf("%s: no answer", method)
		}
	}
}

// Open goes to a page.
func (b *Browser) Open(t testing.TB, url string) {
	t.Helper()
	b.do(t, "Page.navigate", map[string]any{"url": url}, nil)
}

// eval evaluates JavaScript in the page; a promise is waited for.
func (b *Browser) eval(t testing.TB, script string) (string, error) {
	t.Helper()
	var got struct {
		Result           struct{ Value any }
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	b.do(t, "Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true}, &got)
	if got.ExceptionDetails != nil {
		return "", errors.New(got.ExceptionDetails.Exception.Description)
	}
	return fmt.Sprint(got.Result.Value), nil
}

// Must evaluates JavaScript and returns its value as text. It is tried again until
// it does not throw: the element may not be there yet.
func (b *Browser) Must(t testing.TB, script string) string {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(30 * time.Millisecond) {
		got, err := b.eval(t, script)
		if err == nil {
			return got
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %v", script, err)
		}
	}
}

// Click presses what a selector finds.
func (b *Browser) Click(t testing.TB, selector string) {
	t.Helper()
	b.Must(t, fmt.Sprintf(`(() => { const e = document.querySelector(%q); if (e.disabled) throw new Error("disabled"); e.click() })()`, selector))
}

// Fill writes into a field.
func (b *Browser) Fill(t testing.TB, selector, text string) {
	t.Helper()
	b.Must(t, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.value = %q; e.dispatchEvent(new Event("input", {bubbles: true})) })()`, selector, text))
}

// Choose puts a file into a file field.
func (b *Browser) Choose(t testing.TB, selector, file string) {
	t.Helper()
	b.Must(t, fmt.Sprintf(`document.querySelector(%q).id`, selector)) // until it is there
	var document struct{ Root struct{ NodeID int } }
	b.do(t, "DOM.getDocument", nil, &document)
	var field struct{ NodeID int }
	b.do(t, "DOM.querySelector", map[string]any{"nodeId": document.Root.NodeID, "selector": selector}, &field)
	b.do(t, "DOM.setFileInputFiles", map[string]any{"nodeId": field.NodeID, "files": []string{file}}, nil)
}

// Wait waits until an expression is true.
func (b *Browser) Wait(t testing.TB, condition string) {
	t.Helper()
	got := ""
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(30 * time.Millisecond) {
		var err error
		if got, err = b.eval(t, condition); err == nil && got == "true" {
			return
		}
	}
	page, _ := b.eval(t, "location.href + '\\n' + document.body.innerText")
	t.Fatalf("%s is %s. The page:\n%s", condition, got, page)
}

// Shows waits until an element's text has some words in it.
func (b *Browser) Shows(t testing.TB, selector string, words ...string) {
	t.Helper()
	for _, word := range words {
		b.Wait(t, fmt.Sprintf(`document.querySelector(%q).innerText.includes(%q)`, selector, word))
	}
}

// Picture looks at the page as it is on a wide screen and on a phone: nothing may
// stick out to the side or be squeezed into a column of letters. With
// HOTSEAT_PICTURES=DIR the pictures are kept.
func (b *Browser) Picture(t testing.TB, name string) {
	t.Helper()
	for _, width := range []int{390, 1280} {
		b.do(t, "Emulation.setDeviceMetricsOverride", map[string]any{
			"width": width, "height": 860, "deviceScaleFactor": 1, "mobile": false,
		}, nil)
		b.Wait(t, "innerWidth === "+strconv.Itoa(width))
		if got := b.Must(t, "document.documentElement.scrollWidth"); got != strconv.Itoa(width) {
			t.Errorf("%s is %s pixels wide on a screen of %d", name, got, width)
		}
		if got := b.Must(t, `[...document.querySelectorAll("tr")].find((row) => row.offsetHeight > 150)?.innerText ?? ""`); got != "" {
			t.Errorf("%s has a row that is too high on a screen of %d: %q", name, width, got)
		}
		dir := os.Getenv("HOTSEAT_PICTURES")
		if dir == "" {
			continue
		}
		var shot struct{ Data string }
		b.do(t, "Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
		png, err := base64.StdEncoding.DecodeString(shot.Data)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d.png", name, width)), png, 0o644)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
