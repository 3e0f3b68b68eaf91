package bench

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"hotseat"
	"hotseat/bench/wire"
)

// record counts a failure that a user met, emits it as a sample if it is one
// of the first of its kind, and returns it as an error. The step may be nil;
// place overrides its name. After the cut nothing is recorded.
func (u *User) record(class hotseat.Class, r *rule, m *Mismatch, s *Step, place string) error {
	run := u.Run
	if u.Cut() && class.Side() == hotseat.SideTarget && (s == nil || s.page.doneAt.IsZero()) {
		return ErrCut
	}
	u.failed = true
	f := hotseat.Failure{Class: class, Code: m.Code, Side: class.Side(), Phase: run.phaseName(), Scenario: u.Population,
		Step: place, User: u.ID, AtS: run.Elapsed().Seconds(), Message: m.Message, Hint: m.Hint}
	if r != nil {
		f.Rule = r.ID
	}
	if f.Code == "" {
		f.Code = CodeValueMismatch
	}
	f.StepNumber = u.begun
	if s != nil {
		f.StepNumber = s.number
		if f.Step == "" {
			f.Step = s.place()
		}
	}
	if f.Message == "" {
		f.Message = fmt.Sprintf("want %s, got %s", m.Expected, m.Actual)
	}
	f.Message = line(f.Message, 300)
	failed := &Failed{Class: class, Code: f.Code, Rule: f.Rule, Message: f.Message, Step: f.Step, Hint: f.Hint}
	if u.first == nil {
		u.first = failed
	}
	run.opts.replay.note(u, m)
	run.fail(&f, func() {
		f.Expected = safe(m.Expected, maxExcerpt)
		f.Actual = difference(m.Expected, m.Actual)
		if s != nil {
			f.Request, f.Curl = s.sample()
		}
	})
	return failed
}

// fail counts a failure; complete adds what only a sample needs.
func (r *Run) fail(f *hotseat.Failure, complete func()) {
	kind := failureKind{class: f.Class, code: f.Code, rule: f.Rule, phase: f.Phase, scenario: f.Scenario, step: f.Step}
	text := func() (string, string) { return f.Message, line(f.Hint, 500) }
	if !r.failures.add(kind, f.AtS, text) {
		return
	}
	if complete != nil {
		complete()
	}
	f.Hint = line(f.Hint, 500)
	f.Step, f.Scenario = safe(f.Step, 200), safe(f.Scenario, 200)
	r.events.emit(hotseat.Event{Type: hotseat.EventFailure, AtS: f.AtS,
		FailureEvent: &hotseat.FailureEvent{Failure: *f, Sampled: true, Count: 1}})
}

// asSent is the first request with the cookies that it carried; the jar may
// hold others by now.
func (s *Step) asSent() *wire.Request {
	req := wire.Request{Method: s.req.Method, Path: s.req.Path, Host: s.req.Host, Body: s.req.Body, Coding: s.req.Coding}
	req.Header = append(req.Header, s.req.Header...)
	if len(s.cookies) > 0 {
		req.Header = setField(req.Header, "Cookie", string(s.cookies))
	}
	return &req
}

// sample renders the request and a command line that repeats it.
func (s *Step) sample() (request, curl string) {
	req := s.asSent()
	head, err := s.user.client.AppendHead(nil, req)
	if err != nil {
		head = []byte(req.Method + " " + req.Path)
	}
	request = strings.TrimSpace(strings.ReplaceAll(string(head), "\r\n", "\n"))
	if len(req.Body) > 0 {
		request += "\n\n" + string(req.Body[:min(len(req.Body), maxExcerpt)])
	}
	return safe(request, 2*maxExcerpt), curlLine(s.user, req, s.follow)
}

const formType = "application/x-www-form-urlencoded"

// maxCurlBody is the largest body that a curl line carries.
const maxCurlBody = 8 << 10

// curlLine is a shell command that sends the same request.
func curlLine(u *User, req *wire.Request, follow bool) string {
	r := u.Run
	t := r.opts.target
	args := []string{"curl", "-sS", "-i"}
	flag := func(name, value string) { args = append(args, name, shellQuote(value)) }
	base := r.opts.rawTarget
	if u.source.IsValid() {
		flag("--interface", u.source.String())
	}
	if t.Network == "unix" {
		flag("--unix-socket", t.Address)
		base = "http://localhost"
	}
	if strings.ContainsAny(req.Path, "[]{}") {
		args = append(args, "-g")
	}
	if u, err := url.Parse(base + req.Path); err != nil || u.Path != u.JoinPath().Path {
		args = append(args, "--path-as-is")
	}
	if follow { // the engine keeps cookies that a redirect sets; -c makes curl do so
		args = append(args, "-L", "-c", "/dev/null")
	}
	switch {
	case req.Method == "HEAD":
		args = append(args, "-I")
	case req.Method == "GET" && len(req.Body) == 0, req.Method == "POST" && len(req.Body) > 0:
	default:
		flag("-X", req.Method)
	}
	if req.Host != "" {
		flag("-H", "Host: "+req.Host)
	}
	hasType, coding := false, ""
	if req.Coding == wire.CodingUndone {
		coding = acceptEncoding
	}
	for _, f := range req.Header {
		switch strings.ToLower(f.Name) {
		case "cookie":
			flag("-b", f.Value)
			continue
		case "accept-encoding":
			coding = f.Value
			continue
		case "content-type":
			hasType = true
			if len(req.Body) > 0 && f.Value == formType {
				continue // curl says so by itself, and not again after a redirect
			}
		}
		flag("-H", f.Name+": "+f.Value)
	}
	if coding != "" {
		flag("-H", "Accept-Encoding: "+coding)
		args = append(args, "--compressed") // decode the answer
	}
	prefix, suffix := "", ""
	if body := string(req.Body); body != "" {
		if !hasType {
			flag("-H", "Content-Type:") // or curl would claim that it is a form
		}
		switch {
		case len(body) > maxCurlBody:
			args = append(args, "--data-binary", "@body")
			suffix = fmt.Sprintf(" # the body of %d bytes is not shown", len(body))
		case strings.Contains(body, "\x00"): // no argument can hold it
			prefix = "printf " + printfQuote(body) + " | "
			args = append(args, "--data-binary", "@-")
		default:
			flag("--data-raw", body)
		}
	}
	args = append(args, shellQuote(base+req.Path))
	return prefix + strings.Join(args, " ") + suffix
}

// shellQuote makes one word for a POSIX shell; words with control or invalid
// bytes become $'…', which bash, zsh, ksh and POSIX 2024 know.
func shellQuote(s string) string {
	if harmless(s) && !strings.ContainsAny(s, "\n\t") {
		if s != "" && strings.IndexFunc(s, notPlain) < 0 {
			return s
		}
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return "$'" + escapeBytes(s, func(c byte) string { return fmt.Sprintf(`\x%02x`, c) }) + "'"
}

func notPlain(r rune) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@,+"
	return !strings.ContainsRune(plain, r)
}

// printfQuote makes an argument of printf(1) that stands for any bytes.
func printfQuote(s string) string {
	escaped := escapeBytes(s, func(c byte) string { return fmt.Sprintf(`\%03o`, c) })
	return "'" + strings.ReplaceAll(strings.ReplaceAll(escaped, "%", "%%"), `\'`, `\047`) + "'"
}

// escapeBytes escapes everything but plain ASCII. A hexadecimal escape is
// followed by a plain byte only if that cannot be read as part of it.
func escapeBytes(s string, escape func(c byte) string) string {
	var b strings.Builder
	escaped := false
	for i := range len(s) {
		c := s[i]
		hexDigit := c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
		switch {
		case c == '\\' || c == '\'':
			b.WriteByte('\\')
			b.WriteByte(c)
			escaped = false
		case c < ' ' || c >= 0x7f || (escaped && hexDigit):
			b.WriteString(escape(c))
			escaped = true
		default:
			b.WriteByte(c)
			escaped = false
		}
	}
	return b.String()
}

// explain says in plain words what went wrong on the wire.
func explain(w *wire.Error) string {
	var words string
	switch w.Code {
	case wire.CodeRefused:
		words = "the connection was refused"
	case wire.CodeConnectTimeout:
		words = "no connection came about in time"
	case wire.CodeDNS:
		words = "the host name has no address"
	case wire.CodeReset:
		words = "the connection was reset"
	case wire.CodeEarlyEOF:
		words = "the connection was closed before the answer was complete"
	case wire.CodeStaleKeepAlive:
		words = "a kept-alive connection was closed just as the request was sent"
	case wire.CodeTimeout:
		words = "no complete answer came in time"
	case wire.CodeStalledBody:
		words = "the body stopped in the middle"
	default:
		words = "the exchange failed: " + w.Code
	}
	cause := w.Err
	for { // the innermost cause is the one people recognise
		inner := errors.Unwrap(cause)
		if inner == nil {
			break
		}
		cause = inner
	}
	if cause == nil {
		return words
	}
	return fmt.Sprintf("%s (%s: %v)", words, w.Op, cause)
}

// hintFor says what to look at.
func hintFor(code string) string {
	switch code {
	case wire.CodeRefused:
		return "is the server running, and does it listen on this port? Look at its log"
	case wire.CodeStaleKeepAlive:
		return "whatever listens there closes idle connections sooner than people come back: raise its keep-alive timeout (nginx: keepalive_timeout, Apache: KeepAliveTimeout)"
	case wire.CodeReset, wire.CodeEarlyEOF:
		return "a worker that crashes or is restarted does this, and so does a full listen backlog"
	case wire.CodeTimeout, wire.CodeStalledBody, wire.CodeConnectTimeout:
		return "look for what was busy or locked at this time: slow queries, a pool that is too small"
	case wire.CodeFDExhausted:
		return "raise the limit of open files (ulimit -n) for the benchmark"
	case wire.CodePortExhausted:
		return "the benchmark has used up its local ports: keep connections alive, or widen net.ipv4.ip_local_port_range"
	default:
		return ""
	}
}
