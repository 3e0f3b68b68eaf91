package wire

import "errors"

const (
	// maxChunkLine bounds one chunk-size line, extensions included.
	maxChunkLine = 4 << 10
	// maxExtensions bounds the extension bytes of a whole body, which are
	// otherwise a way to send for ever without sending data.
	maxExtensions = 64 << 10
)

type chunkState uint8

const (
	chunkSize      chunkState = iota // before the first digit
	chunkDigits                      // in the size
	chunkBlank                       // behind the size, before a semicolon or the CR
	chunkExtension                   // behind the semicolon, up to the CR
	chunkSizeLF
	chunkData
	chunkDataCR
	chunkDataLF
	chunkTrailer   // at the start of a trailer line
	chunkTrailerIn // in a trailer line
	chunkTrailerLF
	chunkEndLF // behind the CR of the empty line that ends it all
	chunkDone
)

// chunked undoes the chunked transfer coding (RFC 9112 §7.1), in place and in
// pieces of any size: cutting the input elsewhere never changes the outcome.
// The zero value is ready to begin.
type chunked struct {
	state      chunkState
	digits     int
	line       int   // bytes of the size line so far
	extensions int   // bytes of extensions so far
	left       int64 // of the current chunk
	decoded    int64 // so far
	trailers   []byte
}

var (
	errChunkSize      = errors.New("chunk size is not a hexadecimal number")
	errChunkLine      = errors.New("chunk-size line is malformed")
	errChunkLong      = errors.New("chunk-size line or extensions too long")
	errChunkEnd       = errors.New("chunk data is not followed by CRLF")
	errTrailer        = errors.New("trailer section is malformed")
	errTrailerTooLong = errors.New("trailer section exceeds the limit for heads")
)

// decode reads b[r:], writes the data in it to b[w:] (w <= r) and returns the
// new ends of both. It reads everything, unless the body ended before.
func (d *chunked) decode(b []byte, w, r int, limits *Limits) (int, int, *Error) {
	for r < len(b) && d.state != chunkDone {
		c := b[r]
		switch d.state {
		case chunkData:
			n := int(min(d.left, int64(len(b)-r)))
			copy(b[w:], b[r:r+n])
			w, r, d.left = w+n, r+n, d.left-int64(n)
			if d.left == 0 {
				d.state = chunkDataCR
			}
			continue
		case chunkSize, chunkDigits:
			if failure := d.digit(c, limits); failure != nil {
				return w, r, failure
			}
		case chunkBlank, chunkExtension:
			if failure := d.extension(c); failure != nil {
				return w, r, failure
			}
		case chunkSizeLF:
			if c != '\n' {
				return w, r, fail(CodeBadChunk, "body", errChunkLine)
			}
			d.state = chunkData
			if d.left == 0 {
				d.state = chunkTrailer
			}
		case chunkDataCR, chunkDataLF:
			if c != "\r\n"[d.state-chunkDataCR] {
				return w, r, fail(CodeBadChunk, "body", errChunkEnd)
			}
			d.state++
			if d.state > chunkDataLF {
				d.state, d.digits, d.line = chunkSize, 0, 0
			}
		default:
			if failure := d.trailer(c, limits); failure != nil {
				return w, r, failure
			}
		}
		r++
	}
	return w, r, nil
}

func (d *chunked) digit(c byte, limits *Limits) *Error {
	value := unhex(c)
	if value >= 0 {
		if d.digits == 15 { // 60 bits: more than any limit, less than overflow
			return fail(CodeBadChunk, "body", errChunkLong)
		}
		d.state, d.digits, d.line = chunkDigits, d.digits+1, d.line+1
		d.left = d.left<<4 | int64(value)
		return nil
	}
	if d.state == chunkSize {
		return fail(CodeBadChunk, "body", errChunkSize)
	}
	d.decoded += d.left
	if d.decoded > int64(limits.MaxBody) {
		return failf(CodeBodyTooLarge, "body", "chunks announce %d bytes, more than %d", d.decoded, limits.MaxBody)
	}
	switch c {
	case '\r':
		d.state = chunkSizeLF
	case ';':
		d.state = chunkExtension
	case ' ', '\t': // RFC 9112 §7.1.1: bad white space may precede the semicolon
		d.state = chunkBlank
	default:
		return fail(CodeBadChunk, "body", errChunkSize)
	}
	return nil
}

func (d *chunked) extension(c byte) *Error {
	switch {
	case c == '\r':
		d.state = chunkSizeLF
		return nil
	case c == ';':
		d.state = chunkExtension
	case !valueByte[c], d.state == chunkBlank && !isBlank(c):
		return fail(CodeBadChunk, "body", errChunkLine)
	}
	d.line++
	d.extensions++
	if d.line > maxChunkLine || d.extensions > maxExtensions {
		return fail(CodeBadChunk, "body", errChunkLong)
	}
	return nil
}

// trailer gathers the trailer section as raw lines: they are few and late, so
// they are worth no in-place parsing.
func (d *chunked) trailer(c byte, limits *Limits) *Error {
	switch {
	case d.state == chunkEndLF:
		if c != '\n' {
			return fail(CodeBadChunk, "body", errTrailer)
		}
		d.state = chunkDone
		return nil
	case d.state == chunkTrailer && c == '\r':
		d.state = chunkEndLF
		return nil
	case d.state == chunkTrailerLF:
		if c != '\n' {
			return fail(CodeBadChunk, "body", errTrailer)
		}
		d.state = chunkTrailer
	case c == '\r':
		d.state = chunkTrailerLF
	case c == '\n':
		return fail(CodeBadChunk, "body", errTrailer)
	default:
		d.state = chunkTrailerIn
	}
	if len(d.trailers) >= limits.MaxHead {
		return fail(CodeHeaderTooLarge, "body", errTrailerTooLong)
	}
	d.trailers = append(d.trailers, c)
	return nil
}

// unhex gives the value of a hexadecimal digit, -1 for any other byte.
func unhex(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= lower(c) && lower(c) <= 'f':
		return int(lower(c)-'a') + 10
	}
	return -1
}
