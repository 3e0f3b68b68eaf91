package report

import (
	"encoding/json"
	"strings"
	"testing"

	"hotseat"
)

func TestMessage(t *testing.T) {
	score := int64(18538)
	r := &hotseat.Result{
		Run: "20261121-204512-3fa9c1", Problem: "isucon4-qualifier", Verdict: hotseat.Fail, Score: &score, Reason: "<notice> & *more*", Note: "@everyone look_here",
		Commit: "abcdef1234", Dirty: true,
		Endpoints: []hotseat.Endpoint{{Method: "GET", Template: "/", Count: 10, P50MS: 1}, {Method: "POST", Template: "/login", Count: 9, P50MS: 30, P99MS: 120}},
		Generator: hotseat.Generator{Requests: 19},
	}
	for _, c := range []struct {
		chat Chat
		key  string
		want []string
	}{
		{Slack, "text", []string{"&lt;notice&gt; &amp; *more*", "*✗ FAIL", "commit abcdef1 with uncommitted changes", "busiest: POST /login, 9 times, p50 30.0 ms"}},
		{Discord, "content", []string{`<notice\>`, `\*more\*`, `look\_here`, "**✗ FAIL"}},
	} {
		body, err := Message(c.chat, r)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		text, _ := got[c.key].(string)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in %q", c.chat, want, text)
			}
		}
		if c.chat == Discord {
			if mentions, ok := got["allowed_mentions"].(map[string]any); !ok || len(mentions["parse"].([]any)) != 0 {
				t.Errorf("a note could ring everybody: %v", got["allowed_mentions"])
			}
		}
	}
	r.Reason = strings.Repeat("x", 5000)
	body, err := Message(Discord, r)
	var got struct{ Content string }
	if err != nil || json.Unmarshal(body, &got) != nil || columns(got.Content) > discordLimit {
		t.Errorf("%d characters, Discord takes %d (%v)", columns(got.Content), discordLimit, err)
	}
}
