package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hotseat"
	"hotseat/report"
	"hotseat/runner"
)

// webhookVariable holds a webhook's URL, which is a secret and better not typed.
const webhookVariable = "HOTSEAT_WEBHOOK"

// longestPause bounds how long we wait when the chat asks us to come back later.
const longestPause = 30 * time.Second

func (m *Main) notifyCommand() *cobra.Command {
	var webhook, chat string
	cmd := &cobra.Command{
		Use:   "notify [RUN]",
		Short: "Post a run to a Slack or Discord webhook",
		Long: `Post the latest run, or the one that is named, to the incoming webhook of a Slack
or Discord channel. The webhook's URL is a secret: put it into the environment as
` + webhookVariable + ` and it appears in no history of your shell.

Exit status: 0 posted, 2 wrong usage, or the chat did not take it.`,
		Example: "  export " + webhookVariable + "=https://hooks.slack.com/services/…\n  hotseat bench; hotseat notify\n  hotseat notify 3fa9c1 --webhook http://127.0.0.1:8065/hooks/x --as slack",
		Args:    args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if webhook == "" {
				webhook = os.Getenv(webhookVariable)
			}
			to, kind, err := webhookOf(webhook, chat)
			if err != nil {
				return err
			}
			runs := "runs"
			if w, err := m.workspace(); err == nil {
				runs = w.RunsDir()
			}
			if err := runner.CompleteKilled(runs); err != nil {
				return err
			}
			dir, err := runner.FindRun(runs, append(args, "")[0])
			if err != nil {
				return err
			}
			result, err := runner.ReadResult(dir)
			if err != nil {
				return err
			}
			body, err := report.Message(kind, result)
			if err != nil {
				return err
			}
			if err := post(cmd.Context(), to, body); err != nil {
				return err
			}
			m.say("Posted run %s to %s.", result.Run, to.Host)
			return nil
		},
	}
	cmd.Flags().StringVar(&webhook, "webhook", "", "the webhook's `URL` (default: "+webhookVariable+")")
	cmd.Flags().StringVar(&chat, "as", "", "write as for `slack` or discord (default: told by the URL)")
	return cmd
}

// webhookOf checks where a message goes and tells what chat that is.
func webhookOf(text, chat string) (*url.URL, report.Chat, error) {
	if text == "" {
		return nil, "", hotseat.Invalid("give --webhook, or set "+webhookVariable, "there is no webhook to post to")
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, "", hotseat.Invalid("for instance https://hooks.slack.com/services/…", "the webhook is no http or https URL")
	}
	host := u.Hostname()
	switch {
	case chat == string(report.Slack) || chat == string(report.Discord):
		return u, report.Chat(chat), nil
	case chat != "":
		return nil, "", hotseat.Invalid("--as slack or --as discord", "unknown chat %q", chat)
	case host == "hooks.slack.com" || host == "hooks.slack-gov.com":
		return u, report.Slack, nil
	case host == "discord.com" || host == "discordapp.com" || strings.HasSuffix(host, ".discord.com"):
		return u, report.Discord, nil
	}
	return nil, "", hotseat.Invalid("say --as slack or --as discord; Mattermost and Rocket.Chat take slack", "%s does not tell what chat it is", host)
}

// post sends a message, once more if the chat asks for that. Errors name the
// host and never the URL, which is a secret.
func post(ctx context.Context, to *url.URL, body []byte) error {
	for try := 1; ; try++ {
		pause, err := postOnce(ctx, to, body)
		if err == nil || pause == 0 || try == 3 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// postOnce returns how long to wait before another try; 0 means that none helps.
func postOnce(ctx context.Context, to *url.URL, body []byte) (pause time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return 0, hotseat.Invalid("", "the webhook is no URL that can be posted to")
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "hotseat/"+hotseat.Version)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		var outer *url.Error
		if errors.As(err, &outer) {
			err = outer.Err // the outer one quotes the URL
		}
		return 0, hotseat.Unavailable("is the network up, and the webhook's host right?", "post to %s: %w", to.Host, err)
	}
	defer func() { _ = resp.Body.Close() }()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 300)) // only for the message
	switch {
	case resp.StatusCode < 300:
		return 0, nil
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500:
		pause = time.Second
		if s, convErr := strconv.ParseFloat(resp.Header.Get("Retry-After"), 64); convErr == nil && s > 0 {
			pause = min(time.Duration(s*float64(time.Second)), longestPause)
		}
	}
	return pause, hotseat.Unavailable("make a new webhook if this one was revoked", "%s did not take the message: %s: %s", to.Host, resp.Status,
		strings.TrimSpace(fmt.Sprintf("%.200q", said)))
}
