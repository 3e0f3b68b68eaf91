package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hotseat"
)

// receiver is a chat that keeps what it gets, and refuses the first few.
type receiver struct {
	refuse []int
	got    []map[string]any
	tries  int
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.tries++
	if len(r.refuse) > 0 {
		status := r.refuse[0]
		r.refuse = r.refuse[1:]
		w.Header().Set("Retry-After", "0.01")
		http.Error(w, "no_service", status)
		return
	}
	var m map[string]any
	body, err := io.ReadAll(req.Body)
	if err != nil || json.Unmarshal(body, &m) != nil || req.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		http.Error(w, "invalid_payload", http.StatusBadRequest)
		return
	}
	r.got = append(r.got, m)
	w.WriteHeader(http.StatusNoContent)
}

func TestNotify(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	run := filepath.Join("runs", "20261121-204512-3fa9c1")
	score := int64(4200)
	text, err := json.Marshal(hotseat.Result{Schema: hotseat.ResultSchema, Run: filepath.Base(run), Problem: "p", Verdict: hotseat.Pass, Score: &score})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(run, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(run, "result.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		refuse []int
		args   []string // after the webhook
		exit   int
		tries  int
		says   string
	}{
		{"slack", nil, []string{"--as", "slack"}, 0, 1, "Posted run 20261121-204512-3fa9c1 to "},
		{"discord, by the run's name", nil, []string{"--as", "discord", "3fa9c1"}, 0, 1, "Posted"},
		{"busy at first", []int{429, 503}, []string{"--as", "slack"}, 0, 3, "Posted"},
		{"down for good", []int{503, 503, 503}, []string{"--as", "slack"}, 2, 3, "did not take the message: 503"},
		{"revoked", []int{404}, []string{"--as", "slack"}, 2, 1, "hint: make a new webhook"},
		{"no such chat", nil, []string{"--as", "irc"}, 2, 0, `unknown chat "irc"`},
		{"whose URL says nothing", nil, nil, 2, 0, "hint: say --as slack"},
		{"no such run", nil, []string{"--as", "slack", "nope"}, 2, 0, `no run is called "nope"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			chat := &receiver{refuse: c.refuse}
			server := httptest.NewServer(chat)
			defer server.Close()
			var errs bytes.Buffer
			m := &Main{Stdin: os.Stdin, Stdout: io.Discard, Stderr: &errs}
			exit := m.Run(t.Context(), append([]string{"notify", "--webhook", server.URL + "/secret"}, c.args...))
			if (exit != 0) != (c.exit != 0) || chat.tries != c.tries || !strings.Contains(errs.String(), c.says) {
				t.Errorf("exit %d after %d tries: %s", exit, chat.tries, errs.String())
			}
			if strings.Contains(errs.String(), "secret") {
				t.Errorf("the webhook's secret was told: %s", errs.String())
			}
			if c.exit == 0 && (len(chat.got) != 1 || !strings.Contains(stringOf(chat.got[0]), "4,200 points")) {
				t.Errorf("the chat got %v", chat.got)
			}
		})
	}

	t.Run("nobody there", func(t *testing.T) {
		server := httptest.NewServer(nil)
		server.Close()
		var errs bytes.Buffer
		m := &Main{Stdin: os.Stdin, Stdout: io.Discard, Stderr: &errs}
		if exit := m.Run(t.Context(), []string{"notify", "--as", "slack", "--webhook", server.URL + "/secret"}); exit == 0 || strings.Contains(errs.String(), "secret") ||
			!strings.Contains(errs.String(), "connection refused") {
			t.Errorf("exit %d: %s", exit, errs.String())
		}
	})
	t.Run("no webhook", func(t *testing.T) {
		t.Setenv(webhookVariable, "")
		var errs bytes.Buffer
		m := &Main{Stdin: os.Stdin, Stdout: io.Discard, Stderr: &errs}
		if exit := m.Run(t.Context(), []string{"notify"}); exit != hotseat.ExitUsage || !strings.Contains(errs.String(), webhookVariable) {
			t.Errorf("exit %d: %s", exit, errs.String())
		}
	})
}

func TestWebhookOf(t *testing.T) {
	for text, want := range map[string]string{
		"https://hooks.slack.com/services/T/B/x": "slack", "https://discord.com/api/webhooks/1/x": "discord", "https://discordapp.com/api/webhooks/1/x": "discord",
		"https://example.com/slack": "", "hooks.slack.com/x": "", "ftp://discord.com/x": "", "https://evil-discord.com/x": "",
	} {
		if _, chat, err := webhookOf(text, ""); string(chat) != want || (err == nil) != (want != "") {
			t.Errorf("%s is %q, %v; want %q", text, chat, err, want)
		}
	}
}

func stringOf(m map[string]any) string {
	for _, key := range []string{"text", "content"} {
		if s, ok := m[key].(string); ok {
			return s
		}
	}
	return ""
}
