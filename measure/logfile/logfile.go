// Package logfile reads logs as blocks of whole lines: plain, gzip or zstd,
// told apart by their first bytes and not by their names, in buffers that are
// used again and again, so that the size of a log does not matter.
package logfile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"hotseat"
)

// Input is one log. Whoever reads it calls Open once, reads to the end, and
// closes what Open returned.
type Input struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// Inputs makes inputs of file names; "-" is standard input. Nothing is opened
// yet, but a name that is no readable file is an error at once.
func Inputs(names []string, stdin io.Reader) ([]Input, error) {
	inputs := make([]Input, 0, len(names))
	for _, name := range names {
		if name == "-" {
			inputs = append(inputs, Reader("standard input", stdin))
			continue
		}
		info, err := os.Stat(name)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil, hotseat.NotFound("name a log file, or - for standard input", "there is no file %s", name)
		case err != nil:
			return nil, hotseat.Invalid("", "look at %s: %w", name, err)
		case info.IsDir():
			return nil, hotseat.Invalid("name the files in it", "%s is a folder", name)
		}
		inputs = append(inputs, Input{Name: name, Open: func() (io.ReadCloser, error) { return os.Open(name) }})
	}
	return inputs, nil
}

// Reader makes an input of something that is open already.
func Reader(name string, r io.Reader) Input {
	return Input{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}
}

// Decompressed is a log's text.
type Decompressed struct {
	io.Reader
	Compression string // "", gzip or zstd
	close       func() error
}

// Close closes the log.
func (d *Decompressed) Close() error { return d.close() }

// The first bytes of gzip (RFC 1952 §2.3.1) and zstd (RFC 8878 §3.1.1).
var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// Open opens an input and looks at how it is compressed.
func Open(in Input) (*Decompressed, error) {
	file, err := in.Open()
	if err != nil {
		return nil, hotseat.Invalid("", "open the log: %w", err)
	}
	buffered := bufio.NewReaderSize(file, 64<<10)
	head, _ := buffered.Peek(4) // a shorter log is not compressed; other errors come again
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, errors.Join(hotseat.Invalid("", "%s is not gzip although it begins so: %w", in.Name, err), file.Close())
		}
		return &Decompressed{Reader: z, Compression: "gzip", close: func() error { return errors.Join(z.Close(), file.Close()) }}, nil
	case bytes.HasPrefix(head, zstdMagic):
		z, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(32<<20))
		if err != nil {
			return nil, errors.Join(hotseat.Invalid("", "%s is not zstd although it begins so: %w", in.Name, err), file.Close())
		}
		return &Decompressed{Reader: z, Compression: "zstd", close: func() error { z.Close(); return file.Close() }}, nil
	default:
		return &Decompressed{Reader: buffered, close: file.Close}, nil
	}
}

// MaxLine is the longest line that is handed out whole; a longer one comes in
// pieces of at least this size.
const MaxLine = 1 << 20

const blockSize = 256 << 10

// Block is a piece of a log: whole lines, the last one perhaps without its end.
type Block struct {
	Data   []byte
	Line   int64 // number of the first line, from 1
	Lines  int64 // how many, the last perhaps without its end
	Offset int64 // of the first byte

	buffer []byte
}

// Blocks reads r to its end and calls each with block after block, in order.
// Each owns the block that it is given, also when it returns an error, and must
// hand it to free once nobody reads it any more.
func Blocks(ctx context.Context, name string, r io.Reader, free *Free, each func(*Block) error) error {
	var rest []byte // the beginning of a line, from the block before
	line, offset := int64(1), int64(0)
	for done := false; !done; {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := free.take()
		b.buffer = append(b.buffer[:0], rest...)
		end := 0
		for end == 0 && !done {
			err := b.fill(r)
			if err != nil && !errors.Is(err, io.EOF) {
				free.Give(b)
				return hotseat.Unavailable("", "read %s after %d bytes: %w", name, offset, err)
			}
			done = err != nil
			if end = bytes.LastIndexByte(b.buffer, '\n') + 1; done || end == 0 && len(b.buffer) >= MaxLine {
				end = len(b.buffer)
			}
		}
		b.Data, b.Line, b.Offset = b.buffer[:end], line, offset
		rest = append(rest[:0], b.buffer[end:]...)
		b.Lines = int64(bytes.Count(b.Data, []byte{'\n'}))
		line += b.Lines
		if end > 0 && b.Data[end-1] != '\n' {
			b.Lines++
		}
		offset += int64(end)
		if end == 0 {
			free.Give(b)
			continue
		}
		if err := each(b); err != nil {
			return err
		}
	}
	return nil
}

// fill reads until the buffer is full, having made room if there was none.
func (b *Block) fill(r io.Reader) error {
	if room := cap(b.buffer) - len(b.buffer); room < blockSize/4 {
		b.buffer = append(make([]byte, 0, len(b.buffer)+blockSize), b.buffer...)
	}
	for len(b.buffer) < cap(b.buffer) {
		n, err := r.Read(b.buffer[len(b.buffer):cap(b.buffer)])
		b.buffer = b.buffer[:len(b.buffer)+n]
		if err != nil {
			return err
		}
	}
	return nil
}

// Free is a fixed number of blocks to be used again and again.
type Free struct{ blocks chan *Block }

// NewFree makes n blocks. A reader waits while all of them are in use.
func NewFree(n int) *Free {
	f := &Free{blocks: make(chan *Block, n)}
	for range n {
		f.blocks <- &Block{buffer: make([]byte, 0, blockSize)}
	}
	return f
}

func (f *Free) take() *Block { return <-f.blocks }

// Give returns a block that nobody reads any more.
func (f *Free) Give(b *Block) { f.blocks <- b }

// Lines calls each with every line of data, without its line end (LF or CRLF),
// and how many lines came before it.
func Lines(data []byte, each func(before int64, line []byte)) {
	for n := int64(0); len(data) > 0; n++ {
		end := bytes.IndexByte(data, '\n')
		line := data
		if end < 0 {
			data = nil
		} else {
			line, data = data[:end], data[end+1:]
		}
		if len(line) > 0 && line[len(line)-1] == '\r' {
			line = line[:len(line)-1]
		}
		each(n, line)
	}
}
