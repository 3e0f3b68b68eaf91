package stack

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"hotseat"
)

// ProbeKind is a way of asking a process whether it is ready.
type ProbeKind string

// The kinds of probe. All those with an address demand, beside an answer, that
// the listening socket belongs to the process's own family: an answer alone may
// be somebody else's.
const (
	ProbeConnect ProbeKind = "connect" // the address accepts connections
	ProbeHTTP    ProbeKind = "http"    // GET Path is answered, with any status
	ProbeMariaDB ProbeKind = "mariadb" // the server greets with its handshake
	ProbeTalk    ProbeKind = "talk"    // Send is answered by a line that begins with one of Expect
	ProbeExec    ProbeKind = "exec"    // Argv ends with status 0
	ProbeLog     ProbeKind = "log"     // the log, since this start, holds Text
)

// Probe is one condition of being ready.
type Probe struct {
	Kind ProbeKind `json:"kind"`
	// Address is host:port, or unix:/path (or just /path).
	Address string   `json:"address,omitempty"`
	Path    string   `json:"path,omitempty"`   // http; empty means /
	Send    string   `json:"send,omitempty"`   // talk
	Expect  []string `json:"expect,omitempty"` // talk
	Argv    []string `json:"argv,omitempty"`   // exec; runs with the process's environment and folder
	Text    string   `json:"text,omitempty"`   // log
}

func (p Probe) validate() error {
	bad := func(what string) error { return hotseat.Invalid("", "a probe of kind %q needs %s", p.Kind, what) }
	switch p.Kind {
	case ProbeConnect, ProbeHTTP, ProbeMariaDB, ProbeTalk:
		if p.Address == "" {
			return bad("an address")
		}
		if network, addr := address(p.Address); network == "tcp" {
			if _, err := resolve(addr); err != nil {
				return hotseat.Invalid("write 127.0.0.1:PORT or unix:/path", "probe address %q: %w", p.Address, err)
			}
		}
		if p.Kind == ProbeTalk && (p.Send == "" || len(p.Expect) == 0) {
			return bad("something to send and to expect")
		}
	case ProbeExec:
		if len(p.Argv) == 0 {
			return bad("a command")
		}
	case ProbeLog:
		if p.Text == "" {
			return bad("a text")
		}
	default:
		return hotseat.Invalid("", "there is no probe of kind %q", p.Kind)
	}
	return nil
}

// String says what is waited for, in words for an error message.
func (p Probe) String() string {
	switch p.Kind {
	case ProbeExec:
		return "`" + strings.Join(p.Argv, " ") + "` to succeed"
	case ProbeLog:
		return fmt.Sprintf("%q in its log", p.Text)
	case ProbeHTTP:
		return "an HTTP answer at " + p.Address
	case ProbeMariaDB:
		return "MariaDB's greeting at " + p.Address
	default:
		return "an answer at " + p.Address
	}
}

// answerTime bounds one try. A server that accepts may take its time to answer:
// the first page of a slow app is slow.
const answerTime = 10 * time.Second

// try asks once. An error means not yet.
func (p Probe) try(ctx context.Context, in probed) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	switch p.Kind {
	case ProbeExec:
		return in.exec(ctx, p.Argv)
	case ProbeLog:
		return tryLog(in.log, in.logFrom, p.Text)
	}
	network, addr := address(p.Address)
	if network == "tcp" {
		want, err := resolve(addr)
		if err != nil {
			return err
		}
		if want.Addr().IsUnspecified() {
			addr = net.JoinHostPort("127.0.0.1", itoa(int(want.Port())))
		}
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, addr)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // wakes the reads below
	defer stop()
	switch p.Kind {
	case ProbeHTTP:
		return tryHTTP(conn, p.Path)
	case ProbeMariaDB:
		return tryMariaDB(conn)
	case ProbeTalk:
		return tryTalk(conn, p.Send, p.Expect)
	default:
		return nil
	}
}

// probed is what a probe may look at besides its own address.
type probed struct {
	exec    func(ctx context.Context, argv []string) error // in the process's environment
	log     string
	logFrom int64 // where this start's output begins
}

func tryHTTP(conn net.Conn, path string) error {
	if path == "" {
		path = "/"
	}
	_, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nUser-Agent: hotseat-ready\r\nConnection: close\r\n\r\n", path)
	if err != nil {
		return err
	}
	line, err := bufio.NewReader(io.LimitReader(conn, 4096)).ReadString('\n')
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	if !strings.HasPrefix(line, "HTTP/1.") {
		return fmt.Errorf("answered %q, which is not HTTP", strings.TrimSpace(line))
	}
	// Reading on until the server closes keeps it from logging a broken pipe.
	_, _ = io.Copy(io.Discard, io.LimitReader(conn, 1<<20))
	return nil
}

// tryMariaDB reads the initial handshake: a 3-byte length, a sequence number,
// then the protocol version 10, or 255 for an error such as "too many
// connections" (mariadb.com/kb, "Connection": Initial Handshake Packet).
func tryMariaDB(conn net.Conn) error {
	var head [5]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return fmt.Errorf("no greeting: %w", err)
	}
	if head[4] != 10 {
		return fmt.Errorf("greeted with protocol version %d instead of 10", head[4])
	}
	return nil
}

func tryTalk(conn net.Conn, send string, expect []string) error {
	if _, err := io.WriteString(conn, send); err != nil {
		return err
	}
	line, err := bufio.NewReader(io.LimitReader(conn, 4096)).ReadString('\n')
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	for _, e := range expect {
		if strings.HasPrefix(line, e) {
			return nil
		}
	}
	return fmt.Errorf("answered %q", strings.TrimSpace(line))
}
