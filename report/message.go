package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"hotseat"
)

// Chat is a service that takes messages through an incoming webhook.
type Chat string

// The chats we can write for.
const (
	Slack   Chat = "slack"   // https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
	Discord Chat = "discord" // https://discord.com/developers/docs/resources/webhook#execute-webhook
)

// discordLimit is how many characters Discord takes.
const discordLimit = 2000

// Message is the body of the request that posts a run to a chat: JSON.
func Message(chat Chat, r *hotseat.Result) ([]byte, error) {
	bold, escape := "*", strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
	if chat == Discord {
		bold, escape = "**", escapeMarkdown
	}
	sign, word := verdictWord(r.Verdict)
	lines := []string{fmt.Sprintf("%s%s %s %s points%s · %s", bold, sign, word, scoreText(r), bold, escape(line(r.Problem)))}
	if r.Verdict != hotseat.Pass && r.Reason != "" {
		lines = append(lines, escape(line(r.Reason)))
	}
	about := []string{}
	if r.Note != "" {
		about = append(about, "“"+escape(line(r.Note))+"”")
	}
	if r.Commit != "" {
		commit := "commit " + r.Commit[:min(7, len(r.Commit))]
		if r.Dirty {
			commit += " with uncommitted changes"
		}
		about = append(about, commit)
	}
	if requests, _ := requestCount(r); requests > 0 {
		about = append(about, plural(requests, "request", "requests"))
	}
	if n := failureCount(r.Failures); n > 0 {
		about = append(about, plural(n, "failure", "failures"))
	}
	if len(about) > 0 {
		lines = append(lines, strings.Join(about, " · "))
	}
	if slowest := busiest(r.Endpoints); slowest != nil {
		lines = append(lines, fmt.Sprintf("busiest: %s %s, %s times, p50 %s, p99 %s", escape(line(slowest.Method)), escape(line(slowest.Template)),
			count(slowest.Count), milliseconds(slowest.P50MS), milliseconds(slowest.P99MS)))
	}
	lines = append(lines, "run "+escape(line(r.Run)))
	text := strings.Join(lines, "\n")
	if chat == Discord {
		return json.Marshal(map[string]any{"content": fit(text, discordLimit), "allowed_mentions": map[string]any{"parse": []string{}}})
	}
	return json.Marshal(map[string]any{"text": text})
}

// escapeMarkdown keeps text from becoming formatting.
func escapeMarkdown(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\*_~`|>#[]()", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// busiest is the endpoint that users waited for most, by its median.
func busiest(endpoints []hotseat.Endpoint) *hotseat.Endpoint {
	var most *hotseat.Endpoint
	for i := range endpoints {
		if e := &endpoints[i]; most == nil || float64(e.Count)*e.P50MS > float64(most.Count)*most.P50MS {
			most = e
		}
	}
	return most
}
