package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// Classes of failure, the first column of the taxonomy.
const (
	ClassConnect   = "connect"
	ClassTransport = "transport"
	ClassTimeout   = "timeout"
	ClassProtocol  = "protocol"
	ClassLifecycle = "lifecycle"
	ClassGenerator = "generator"
	ClassAuthor    = "author"
)

// Codes of failure. Each belongs to exactly one class, see [ClassOf].
const (
	// Connect: no connection could be made. The request was not sent.
	CodeDNS            = "dns"
	CodeRefused        = "refused" // also a unix socket that does not exist
	CodeConnectTimeout = "connect-timeout"
	CodeNoRoute        = "no-route"
	CodeTLSHandshake   = "tls-handshake"
	CodeTLSCert        = "tls-cert"

	// Transport: the connection broke.
	CodeReset    = "reset"
	CodeEarlyEOF = "early-eof" // closed before the response was complete
	// CodeStaleKeepAlive: a kept-alive connection turned out closed before any
	// byte of the response, and the request could not be sent again (it was
	// not idempotent, or forbade it).
	CodeStaleKeepAlive = "stale-keepalive"

	// Timeout: the server was too slow.
	CodeTimeout     = "timeout"      // Limits.Head or Limits.Total
	CodeStalledBody = "stalled-body" // Limits.Body: silence in the middle of a body

	// Protocol: the server answered, but not in HTTP.
	CodeBadStatusLine      = "bad-status-line"
	CodeBadHeader          = "bad-header"
	CodeHeaderTooLarge     = "header-too-large"
	CodeLengthMismatch     = "length-mismatch" // contradicting framing, or more bytes than declared
	CodeBadChunk           = "bad-chunk"
	CodeBadEncoding        = "bad-encoding"    // content or transfer coding unknown, not asked for, or broken
	CodeBodyTooLarge       = "body-too-large"  // Limits.MaxBody or Limits.MaxDecoded
	CodeUnexpectedBody     = "unexpected-body" // a body where HTTP has none: HEAD, 204, 304
	CodeTooManyInterim     = "too-many-interim"
	CodeRedirectLoop       = "redirect-loop" // more than Limits.MaxRedirects
	CodeUnexpectedRedirect = "unexpected-redirect"

	// Lifecycle: we stopped it ourselves (context ended, or client closed).
	// The engine reports it as deadline-cut: neither scored nor blamed.
	CodeCanceled = "canceled"

	// Generator: this machine ran out of something.
	CodeFDExhausted   = "fd-exhausted"
	CodePortExhausted = "port-exhausted"

	// Author: the scenario asked for something that is not HTTP.
	CodeScenarioBug = "scenario-bug"
)

// Sides a failure can be blamed on.
const (
	SideTarget = "target"
	SideBench  = "bench"
	SideNone   = "none"
)

// ClassOf gives the class that a code belongs to, or "" for an unknown code.
func ClassOf(code string) string {
	switch code {
	case CodeDNS, CodeRefused, CodeConnectTimeout, CodeNoRoute, CodeTLSHandshake, CodeTLSCert:
		return ClassConnect
	case CodeReset, CodeEarlyEOF, CodeStaleKeepAlive:
		return ClassTransport
	case CodeTimeout, CodeStalledBody:
		return ClassTimeout
	case CodeBadStatusLine, CodeBadHeader, CodeHeaderTooLarge, CodeLengthMismatch, CodeBadChunk, CodeBadEncoding,
		CodeBodyTooLarge, CodeUnexpectedBody, CodeTooManyInterim, CodeRedirectLoop, CodeUnexpectedRedirect:
		return ClassProtocol
	case CodeCanceled:
		return ClassLifecycle
	case CodeFDExhausted, CodePortExhausted:
		return ClassGenerator
	case CodeScenarioBug:
		return ClassAuthor
	}
	return ""
}

// SideOf gives the side that a class of failure is blamed on.
func SideOf(class string) string {
	switch class {
	case ClassGenerator, ClassAuthor:
		return SideBench
	case ClassLifecycle:
		return SideNone
	}
	return SideTarget
}

// Error is the one type of error that Do and Follow return.
type Error struct {
	Class string // see the Class constants
	Code  string // see the Code constants
	Side  string // see the Side constants
	Op    string // what was being done: request, wait, connect, handshake, write, head, body, decode, redirect
	// Addr is the address of the connection, "" before one was chosen.
	Addr string
	// Sent tells whether any byte of the request was handed to the kernel,
	// on this connection or on a stale one before it. When it is false the
	// server certainly has not seen the request; when it is true it may have,
	// in whole or in part, and may have acted on it.
	Sent bool
	Err  error // the cause, never nil
}

func (e *Error) Error() string {
	if e.Addr == "" {
		return fmt.Sprintf("%s: %s: %v", e.Op, e.Code, e.Err)
	}
	return fmt.Sprintf("%s %s: %s: %v", e.Op, e.Addr, e.Code, e.Err)
}

// Unwrap gives the cause, for errors.Is(err, context.Canceled) and the like.
func (e *Error) Unwrap() error { return e.Err }

// Timeout tells whether time ran out, as net.Error does.
func (e *Error) Timeout() bool { return e.Class == ClassTimeout || e.Code == CodeConnectTimeout }

// fail makes an error of one code.
func fail(code, op string, err error) *Error {
	class := ClassOf(code)
	return &Error{Class: class, Code: code, Side: SideOf(class), Op: op, Err: err}
}

func failf(code, op, format string, args ...any) *Error {
	return fail(code, op, fmt.Errorf(format, args...))
}

// ended tells whether ctx is over. Dialing hands the context's deadline to the
// poller, whose timer may go off before the context's own.
func ended(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || (ok && !time.Now().Before(deadline))
}

// canceled is the failure of an exchange whose context has ended.
func canceled(ctx context.Context, op string) *Error {
	err := ctx.Err()
	if err == nil {
		return fail(CodeCanceled, op, context.DeadlineExceeded)
	}
	if cause := context.Cause(ctx); !errors.Is(cause, err) {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	return fail(CodeCanceled, op, err)
}

// Causes that have no error of their own elsewhere.
var (
	errTimedOut     = errors.New("time limit passed")
	errClientClosed = errors.New("client closed")
	errInterrupted  = errors.New("interrupted") // replaced by the context's reason
)

// dialFailure says what an error of connecting means.
func dialFailure(ctx context.Context, err error) *Error {
	if ended(ctx) {
		return canceled(ctx, "connect")
	}
	var dns *net.DNSError
	var timeout interface{ Timeout() bool }
	code := CodeRefused
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.ENOBUFS):
		code = CodeFDExhausted
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.EADDRINUSE):
		code = CodePortExhausted
	case errors.As(err, &dns):
		code = CodeDNS
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		code = CodeNoRoute
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.EACCES):
		code = CodeRefused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.ECONNABORTED):
		code = CodeReset
	case errors.As(err, &timeout) && timeout.Timeout():
		code = CodeConnectTimeout
	}
	return fail(code, "connect", err)
}

// handshakeFailure says what an error of the TLS handshake means.
func handshakeFailure(ctx context.Context, err error) *Error {
	if ended(ctx) {
		return canceled(ctx, "handshake")
	}
	var (
		cert      *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &cert), errors.As(err, &authority), errors.As(err, &name), errors.As(err, &invalid):
		return fail(CodeTLSCert, "handshake", err)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return fail(CodeConnectTimeout, "handshake", err)
	}
	return fail(CodeTLSHandshake, "handshake", err)
}

// ioFailure says what an error of reading or writing means, other than our own
// time limits and interruptions.
func ioFailure(op string, err error) *Error {
	switch {
	case errors.Is(err, net.ErrClosed):
		return fail(CodeCanceled, op, errClientClosed)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fail(CodeEarlyEOF, op, fmt.Errorf("connection closed before the response was complete: %w", io.ErrUnexpectedEOF))
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNABORTED):
		return fail(CodeReset, op, err)
	case errors.Is(err, syscall.ETIMEDOUT): // the kernel gave up retransmitting
		return fail(CodeTimeout, op, err)
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return fail(CodeNoRoute, op, err)
	case strings.Contains(err.Error(), "tls: "): // crypto/tls has no type for these
		return fail(CodeTLSHandshake, op, err)
	}
	return fail(CodeReset, op, err)
}
