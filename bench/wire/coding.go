package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// codings is a set of content codings.
type codings uint8

const (
	codingGzip codings = 1 << iota
	codingDeflate
	codingBrotli
	codingZstd
	codingIdentity codings = 0
)

// codingOf names the coding of a token; ok is false for one we do not know.
func codingOf[T []byte | string](token T) (coding codings, ok bool) {
	switch {
	case equalFold(token, "gzip"), equalFold(token, "x-gzip"):
		return codingGzip, true
	case equalFold(token, "deflate"):
		return codingDeflate, true
	case equalFold(token, "br"):
		return codingBrotli, true
	case equalFold(token, "zstd"):
		return codingZstd, true
	case equalFold(token, "identity"):
		return codingIdentity, true
	}
	return 0, false
}

// parseAccepted reads an Accept-Encoding value into the set it asks for.
// Weights only matter where they are zero, which means "not this one".
func parseAccepted(value string) codings {
	var set, refused codings
	all := false
	for item := range strings.SplitSeq(value, ",") {
		token, weight, _ := strings.Cut(item, ";")
		token = strings.TrimSpace(token)
		coding, known := codingOf(token)
		if token == "*" {
			coding, known = codingGzip|codingDeflate|codingBrotli|codingZstd, true
			all = true
		}
		if !known {
			continue
		}
		weight = strings.ReplaceAll(strings.TrimSpace(weight), " ", "")
		if q, ok := strings.CutPrefix(weight, "q="); ok && strings.Trim(q, "0.") == "" {
			if token != "*" {
				refused |= coding
			}
			continue
		}
		set |= coding
	}
	if all {
		set &^= refused
	}
	return set
}

// decodeBody undoes the content codings of a complete body, and leaves the
// result in r.Body. An empty body is an empty body whatever its coding says:
// servers label those, and browsers accept them.
func (r *Response) decodeBody(accepted codings, limits *Limits) *Error {
	if r.head.encoding < 0 || len(r.Body) == 0 {
		return nil
	}
	// Codings are listed in the order they were applied, so undo the last first.
	var chain [2]codings
	applied := 0
	for i := r.head.encoding; i < len(r.head.fields); i++ {
		name, value := r.span(i)
		if !equalFold(name, "content-encoding") {
			continue
		}
		for item := range bytes.SplitSeq(value, []byte{','}) {
			item = trimBlank(item)
			coding, known := codingOf(item)
			switch {
			case !known || coding&^accepted != 0:
				return failf(CodeBadEncoding, "decode", "content coding %q was not asked for", clip(item))
			case coding == codingIdentity:
				continue
			case applied == len(chain):
				return failf(CodeBadEncoding, "decode", "more than %d content codings", len(chain))
			}
			chain[applied] = coding
			applied++
		}
	}
	for applied > 0 {
		applied--
		out := getBuffer(max(2*len(r.Body), minBuffer))
		var err error
		out, err = inflate(chain[applied], r.Body, out, limits.MaxDecoded)
		if r.decoded != nil {
			r.decoded.free()
		}
		r.decoded = out
		r.Body = out.b
		switch {
		case errors.Is(err, errTooMuch):
			return failf(CodeBodyTooLarge, "decode", "body decodes to more than %d bytes", limits.MaxDecoded)
		case err != nil:
			return fail(CodeBadEncoding, "decode", err)
		}
	}
	return nil
}

var (
	errTooMuch  = errors.New("too much decoded data")
	errTrailing = errors.New("data behind the end of the compressed stream")
)

// inflate decodes one coding from in to out.b, which it may replace.
func inflate(coding codings, in []byte, out *buffer, limit int) (*buffer, error) {
	d := decoderFor(coding)
	defer d.release()
	if err := d.reset(in); err != nil {
		return out, err
	}
	for {
		if len(out.b) == cap(out.b) {
			out = out.grown(2 * cap(out.b))
		}
		n, err := d.reader.Read(out.b[len(out.b):cap(out.b)])
		out.b = out.b[:len(out.b)+n]
		switch {
		case len(out.b) > limit:
			out.b = out.b[:limit]
			return out, errTooMuch
		case err == io.EOF:
			if d.source.Len() > 0 {
				return out, errTrailing
			}
			return out, nil
		case err != nil:
			return out, err
		}
	}
}

// decoder is a decompressor that is used again: making one costs more than
// decoding a page with it.
type decoder struct {
	pool   *sync.Pool
	source bytes.Reader
	reader io.Reader // nil until the first reset
	reset  func(in []byte) error
}

// decoders keeps idle decompressors, apart by coding; like buffers it is
// shared by all clients because users outnumber the responses in flight.
var decoders struct{ gzip, deflate, brotli, zstd sync.Pool }

func decoderFor(coding codings) *decoder {
	switch coding {
	case codingGzip:
		return fromPool(&decoders.gzip, func(d *decoder) { d.resetGzip() })
	case codingBrotli:
		return fromPool(&decoders.brotli, func(d *decoder) { d.resetBrotli() })
	case codingZstd:
		return fromPool(&decoders.zstd, func(d *decoder) { d.resetZstd() })
	default:
		return fromPool(&decoders.deflate, func(d *decoder) { d.resetDeflate() })
	}
}

func fromPool(pool *sync.Pool, setUp func(*decoder)) *decoder {
	if d, ok := pool.Get().(*decoder); ok {
		return d
	}
	d := &decoder{pool: pool}
	setUp(d)
	return d
}

func (d *decoder) release() {
	d.source.Reset(nil) // do not hold on to the body
	d.pool.Put(d)
}

func (d *decoder) resetGzip() {
	z := new(gzip.Reader)
	d.reader = z
	d.reset = func(in []byte) error {
		d.source.Reset(in)
		return z.Reset(&d.source)
	}
}

func (d *decoder) resetBrotli() {
	z := brotli.NewReader(nil)
	d.reader = z
	d.reset = func(in []byte) error {
		d.source.Reset(in)
		return z.Reset(&d.source)
	}
}

func (d *decoder) resetZstd() {
	// One goroutine per decoder would outlive us; concurrency 1 decodes in
	// the caller. The window limit is RFC 9659's for content codings.
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8<<20))
	d.reader = z
	d.reset = func(in []byte) error {
		if err != nil {
			return fmt.Errorf("zstd decoder: %w", err)
		}
		d.source.Reset(in)
		return z.Reset(&d.source)
	}
}

// resetDeflate takes zlib data, which is what "deflate" means (RFC 9110
// §8.4.1.2), and bare deflate data, which many servers send for it.
func (d *decoder) resetDeflate() {
	var wrapped io.ReadCloser
	bare := flate.NewReader(nil)
	d.reset = func(in []byte) error {
		d.source.Reset(in)
		if len(in) < 2 || in[0]&0x0f != 8 || (int(in[0])<<8|int(in[1]))%31 != 0 {
			d.reader = bare
			return bare.(flate.Resetter).Reset(&d.source, nil)
		}
		if wrapped == nil {
			z, err := zlib.NewReader(&d.source)
			if err != nil {
				return err
			}
			wrapped, d.reader = z, z
			return nil
		}
		d.reader = wrapped
		return wrapped.(zlib.Resetter).Reset(&d.source, nil)
	}
}
