package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// maxFields bounds the header fields of one response; browsers stop far
// earlier by size alone.
const maxFields = 512

// fieldSpan is one header field as offsets into the buffer, which may move
// while the head is still being read.
type fieldSpan struct{ name, colon, value, end uint32 }

// head is a response head being parsed, line by line, in the buffer it is
// read into. It holds offsets only; its fields slice is used again.
type head struct {
	status int
	minor  int // of HTTP/1.x
	reason [2]uint32
	fields []fieldSpan
	start  int // of the status line
	line   int // of the line being parsed
	scan   int // the line's bytes before here hold no line feed

	// What the framing and the jar need to know, gathered on the way.
	length    int64 // Content-Length, -1 without
	lengths   int   // number of Content-Length fields
	transfers int   // number of Transfer-Encoding fields
	chunked   bool
	close     bool
	keepAlive bool
	encoding  int // index of the first Content-Encoding field, -1 without
	encodings int
	cookies   int
	location  int // index of the first Location field, -1 without
}

// begin makes h ready for a head that starts at offset at.
func (h *head) begin(at int) {
	*h = head{fields: h.fields[:0], start: at, line: at, scan: at, length: -1, encoding: -1, location: -1}
}

// advance parses what has become complete in b. It returns the offset just
// behind the head once that is complete, and 0 before.
func (h *head) advance(b []byte) (end int, failure *Error) {
	for {
		i := bytes.IndexByte(b[h.scan:], '\n')
		if i < 0 {
			h.scan = len(b)
			if h.status == 0 {
				return 0, h.plausible(b[h.start:])
			}
			return 0, nil
		}
		lineEnd := h.scan + i
		next := lineEnd + 1
		// RFC 9112 §2.2: a recipient may take a bare LF for the end of a line.
		if lineEnd > h.line && b[lineEnd-1] == '\r' {
			lineEnd--
		}
		start := h.line
		h.line, h.scan = next, next
		switch {
		case h.status == 0:
			failure = h.statusLine(b, start, lineEnd)
		case start == lineEnd:
			return next, h.settle()
		default:
			failure = h.field(b, start, lineEnd)
		}
		if failure != nil {
			return 0, failure
		}
	}
}

// plausible refuses early what will never become a status line, so that a
// server that speaks something else is named as that, not as slow or endless.
func (h *head) plausible(b []byte) *Error {
	const prefix = "HTTP/1."
	n := min(len(b), len(prefix))
	if string(b[:n]) != prefix[:n] {
		return badStatusLine(b)
	}
	return nil
}

func badStatusLine(line []byte) *Error {
	return failf(CodeBadStatusLine, "head", "response begins with %q, which is no HTTP/1 status line", clip(line))
}

func (h *head) statusLine(b []byte, start, end int) *Error {
	line := b[start:end]
	// HTTP/1.x SP 3DIGIT [SP reason], RFC 9112 §4. Many servers leave out the
	// space before an empty reason; nobody minds.
	if len(line) < 12 || string(line[:7]) != "HTTP/1." || !isDigit(line[7]) || line[8] != ' ' ||
		!isDigit(line[9]) || !isDigit(line[10]) || !isDigit(line[11]) || line[9] == '0' ||
		(len(line) > 12 && line[12] != ' ') {
		return badStatusLine(line)
	}
	for _, c := range line[12:] {
		if !valueByte[c] {
			return badStatusLine(line)
		}
	}
	h.minor = int(line[7] - '0')
	h.status = int(line[9]-'0')*100 + int(line[10]-'0')*10 + int(line[11]-'0')
	h.reason = [2]uint32{uint32(min(start+13, end)), uint32(end)}
	return nil
}

func (h *head) field(b []byte, start, end int) *Error {
	span, failure := parseField(b, start, end)
	if failure != nil {
		return failure
	}
	if len(h.fields) == maxFields {
		return failf(CodeHeaderTooLarge, "head", "more than %d header fields", maxFields)
	}
	h.fields = append(h.fields, span)
	name, value := b[span.name:span.colon], b[span.value:span.end]
	switch len(name) {
	case len("location"):
		if h.location < 0 && equalFold(name, "location") {
			h.location = len(h.fields) - 1
		}
	case len("connection"):
		if equalFold(name, "connection") {
			h.close = h.close || hasToken(value, "close")
			h.keepAlive = h.keepAlive || hasToken(value, "keep-alive")
		} else if equalFold(name, "set-cookie") {
			h.cookies++
		}
	case len("content-length"):
		if equalFold(name, "content-length") {
			h.lengths++
			n, ok := parseLength(value)
			switch {
			case bytes.IndexByte(value, ',') >= 0:
				return failf(CodeLengthMismatch, "head", "more than one length in Content-Length: %q", clip(value))
			case !ok:
				return failf(CodeBadHeader, "head", "Content-Length %q is not a length", clip(value))
			}
			h.length = n
		}
	case len("content-encoding"):
		if equalFold(name, "content-encoding") {
			if h.encoding < 0 {
				h.encoding = len(h.fields) - 1
			}
			h.encodings++
		}
	case len("transfer-encoding"):
		if equalFold(name, "transfer-encoding") {
			h.transfers++
			h.chunked = equalFold(value, "chunked")
			if !h.chunked {
				return failf(CodeBadEncoding, "head", "transfer coding %q: only chunked was offered", clip(value))
			}
		}
	}
	return nil
}

// settle judges the complete head: framing that contradicts itself is how
// responses get mixed up, so it is refused instead of resolved (RFC 9112 §6.3
// allows either).
func (h *head) settle() *Error {
	switch {
	case h.lengths > 1:
		return fail(CodeLengthMismatch, "head", errors.New("more than one Content-Length"))
	case h.transfers > 1:
		return fail(CodeBadEncoding, "head", errors.New("more than one Transfer-Encoding"))
	case h.lengths > 0 && h.transfers > 0:
		return fail(CodeLengthMismatch, "head", errors.New("both Content-Length and Transfer-Encoding"))
	case h.transfers > 0 && h.minor == 0:
		return fail(CodeBadEncoding, "head", errors.New("Transfer-Encoding in an HTTP/1.0 response"))
	case h.status == 101:
		return fail(CodeBadStatusLine, "head", errors.New("101 Switching Protocols, which nobody asked for"))
	}
	return nil
}

// persistent tells whether the server will keep the connection open.
func (h *head) persistent() bool {
	if h.minor == 0 {
		return h.keepAlive && !h.close
	}
	return !h.close
}

// parseField takes one field line apart. Nothing is repaired: no white space
// before the colon (RFC 9112 §5.1), no folded line (§5.2), no control
// character but the tab in a value (RFC 9110 §5.5).
func parseField(b []byte, start, end int) (fieldSpan, *Error) {
	line := b[start:end]
	n := 0
	for n < len(line) && tokenByte[line[n]] {
		n++
	}
	if n == 0 || n == len(line) || line[n] != ':' {
		if line[0] == ' ' || line[0] == '\t' {
			return fieldSpan{}, failf(CodeBadHeader, "head", "folded header line %q", clip(line))
		}
		return fieldSpan{}, failf(CodeBadHeader, "head", "header line %q is not name: value", clip(line))
	}
	from, to := n+1, len(line)
	for from < to && isBlank(line[from]) {
		from++
	}
	for to > from && isBlank(line[to-1]) {
		to--
	}
	if i := controlByte(line[from:to]); i >= 0 {
		return fieldSpan{}, failf(CodeBadHeader, "head", "control character %#02x in header %s", line[from+i], line[:n])
	}
	return fieldSpan{
		name: uint32(start), colon: uint32(start + n),
		value: uint32(start + from), end: uint32(start + to),
	}, nil
}

// controlByte gives the index of the first byte that a field value cannot
// have, -1 without one. Eight bytes at a time: of those below 0x20 or equal to
// 0x7f, and of none else, at least one leaves its highest bit set.
func controlByte(value []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(value); i += 8 {
		x := binary.LittleEndian.Uint64(value[i:])
		del := x ^ 0x7f*ones
		if ((x-0x20*ones)&^x|(del-ones)&^del)&highs != 0 {
			break
		}
	}
	for ; i < len(value); i++ {
		if !valueByte[value[i]] {
			return i
		}
	}
	return -1
}

// parseLength reads 1*DIGIT, RFC 9110 §8.6: no sign, no space, no overflow.
func parseLength(b []byte) (int64, bool) {
	var n int64
	for _, c := range b {
		if !isDigit(c) || n > (math.MaxInt64-9)/10 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, len(b) > 0
}

// hasToken tells whether a comma-separated list holds a token, given in lower case.
func hasToken(list []byte, token string) bool {
	for len(list) > 0 {
		var item []byte
		if i := bytes.IndexByte(list, ','); i >= 0 {
			item, list = list[:i], list[i+1:]
		} else {
			item, list = list, nil
		}
		if equalFold(trimBlank(item), token) {
			return true
		}
	}
	return false
}

func trimBlank(b []byte) []byte {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isBlank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// equalFold compares in ASCII without regard to case; unlike bytes.EqualFold
// it does not take the Kelvin sign for a k.
func equalFold[T []byte | string](b T, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i := range len(s) {
		if lower(b[i]) != lower(s[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// clip shortens foreign bytes for a message.
func clip(b []byte) []byte { return b[:min(len(b), 64)] }

// tokenByte marks the bytes of a field name or method (RFC 9110 §5.6.2),
// valueByte those of a field value (§5.5, obs-text included).
var tokenByte, valueByte = func() (token, value [256]bool) {
	for c := range 256 {
		value[c] = c == '\t' || (c >= ' ' && c != 0x7f)
		token[c] = isDigit(byte(c)) || ('a' <= lower(byte(c)) && lower(byte(c)) <= 'z') ||
			bytes.IndexByte([]byte("!#$%&'*+-.^_`|~"), byte(c)) >= 0
	}
	return token, value
}()

// statusText is for messages: the code and the server's own reason.
func (h *head) statusText(b []byte) string {
	return fmt.Sprintf("%d %s", h.status, b[h.reason[0]:h.reason[1]])
}
