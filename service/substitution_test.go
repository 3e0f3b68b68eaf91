package service

import (
	"strings"
	"testing"
)

var contest = Substitution{
	Addresses: []Address{{Name: "app", CanonicalPort: 8080, Port: 20001}, {Name: "web", CanonicalPort: 80, Port: 20002}, {Name: "chain", CanonicalPort: 20001, Port: 3}},
	Paths: []PathMap{
		{From: "/home/isucon", To: "/w"}, {From: "/home/isucon/webapp", To: "/w/app"}, {From: "/tmp/app.sock", To: "/r/app.sock"},
		{From: "/w", To: "/never"},
	},
}

func TestSubstitution(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"127.0.0.1:8080", "127.0.0.1:20001"},
		{"localhost:8080", "localhost:20001"},
		{"0.0.0.0:8080", "0.0.0.0:20001"},
		{"*:8080", "*:20001"},
		{"[::1]:8080", "[::1]:20001"},
		{"[::]:8080", "[::]:20001"},
		{":8080", ":20001"},
		{"-addr :8080 -x", "-addr :20001 -x"},
		{"ADDR=:8080", "ADDR=:20001"},
		{`"localhost:8080"`, `"localhost:20001"`},
		{"http://127.0.0.1:8080/a?b=localhost:80,localhost:8080", "http://127.0.0.1:20001/a?b=localhost:20002,localhost:20001"},
		{"tcp(127.0.0.1:8080)/db", "tcp(127.0.0.1:20001)/db"},
		{"See localhost:8080.", "See localhost:20001."},
		// not what it looks like
		{"127.0.0.1:18080", "127.0.0.1:18080"},
		{"127.0.0.1:80801", "127.0.0.1:80801"},
		{"127.0.0.1:8080a", "127.0.0.1:8080a"},
		{"10.127.0.0.1:8080", "10.127.0.0.1:8080"},
		{"1127.0.0.1:8080", "1127.0.0.1:8080"},
		{"mylocalhost:8080", "mylocalhost:8080"},
		{"app.example:8080", "app.example:8080"},
		{"12:8080", "12:8080"},
		{"a:8080:b", "a:8080:b"},
		{"8080", "8080"},
		{"127.0.0.1:9090", "127.0.0.1:9090"},
		{"127.0.0.1:", "127.0.0.1:"},
		{"127.0.0.1:99999999999999999999", "127.0.0.1:99999999999999999999"},
		// paths
		{"/home/isucon", "/w"},
		{"/home/isucon/", "/w/"},
		{"/home/isucon/webapp/public", "/w/app/public"},
		{"/home/isucon/webapp2", "/w/webapp2"},
		{"/home/isucon2", "/home/isucon2"},
		{"/home/isucon-old", "/home/isucon-old"},
		{"/srv/home/isucon", "/srv/home/isucon"},
		{"//home/isucon", "//home/isucon"},
		{"unix:/tmp/app.sock", "unix:/r/app.sock"},
		{"/tmp/app.sock.lock", "/tmp/app.sock.lock"},
		{"a=/home/isucon:/home/isucon/webapp", "a=/w:/w/app"},
		{"", ""},
	} {
		if got := contest.Text(c.in); got != c.want {
			t.Errorf("%q became %q, want %q", c.in, got, c.want)
		}
	}
}

func TestWithKeepsWhatWasDeclared(t *testing.T) {
	s := contest.With(PathMap{"/home/isucon", "/other"}, PathMap{"/var/log", "/logs"})
	if got := s.Text("/home/isucon /var/log"); got != "/w /logs" {
		t.Errorf("%q", got)
	}
	if got := contest.Text("/var/log"); got != "/var/log" {
		t.Errorf("the original changed: %q", got)
	}
}

// FuzzSubstitution: text without a canonical port or path never changes, and
// the empty substitution changes nothing at all.
func FuzzSubstitution(f *testing.F) {
	f.Add("server 127.0.0.1:8080; root /home/isucon/webapp;")
	f.Add("[::1]:80:80 /tmp/app.sock")
	f.Fuzz(func(t *testing.T, text string) {
		if got := (Substitution{}).Text(text); got != text {
			t.Errorf("nothing to replace, but %q became %q", text, got)
		}
		got := contest.Text(text)
		if got == text {
			return
		}
		for _, canonical := range []string{":8080", ":80", ":20001", "/home/isucon", "/tmp/app.sock", "/w"} {
			if strings.Contains(text, canonical) {
				return
			}
		}
		t.Errorf("%q became %q", text, got)
	})
}
