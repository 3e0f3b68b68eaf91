package report

import (
	"bytes"
	"strings"
	"testing"

	"hotseat"
)

func TestMissedStartsAndRemarksAreTold(t *testing.T) {
	r := sampleResult(false)
	r.Arrivals = []hotseat.Arrivals{
		{Population: "audiences", Users: 12, Due: 30, Ended: 17, Missed: 8},
		{Population: "owners", Users: 1, Due: 5, Ended: 5},
	}
	r.Remarks = []string{"the app <b>asked</b> for campaign 7"}
	var screen, page bytes.Buffer
	if err := Terminal(&screen, r, TerminalOptions{Width: 200}); err != nil {
		t.Fatal(err)
	}
	if err := HTML(&page, &Run{Result: *r}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"8 of 30 audiences: all users were waiting for answers", r.Remarks[0]} {
		if !strings.Contains(screen.String(), want) {
			t.Errorf("the terminal lacks %q:\n%s", want, screen.String())
		}
		if want = strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(want); !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if !strings.Contains(page.String(), `<th scope="row">owners</th><td class="n">1</td><td class="n">5</td>`) {
		t.Error("the page lacks the owners' arrivals")
	}
}
