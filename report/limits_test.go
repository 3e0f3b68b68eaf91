package report

import (
	"bytes"
	"strings"
	"testing"

	"hotseat"
)

func TestMemoryLimitsAreTold(t *testing.T) {
	r := sampleResult(false)
	r.Limits = []hotseat.MemoryLimit{
		{Process: "app", MemoryBytes: 700 << 20, By: "cgroup v1", PeakBytes: 312 << 20},
		{Process: "mailer", MemoryBytes: 64 << 20, By: "watcher", Why: "<no control groups>", PeakBytes: 5 << 20},
	}
	var screen, page bytes.Buffer
	if err := Terminal(&screen, r, TerminalOptions{Width: 200}); err != nil {
		t.Fatal(err)
	}
	if err := HTML(&page, &Run{Result: *r}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"app held up to 312 of 700 MB (limit kept by cgroup v1)",
		"mailer held up to 5 of 64 MB (limit kept by watcher, a few looks a second, because <no control groups>)",
	} {
		if !strings.Contains(screen.String(), want) {
			t.Errorf("the terminal lacks %q:\n%s", want, screen.String())
		}
		if want = strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(want); !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
