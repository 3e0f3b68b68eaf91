package logfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"hotseat"
)

// read collects what Blocks hands out, and checks that it is in order.
func read(t *testing.T, r io.Reader) (text string, lines int64) {
	t.Helper()
	var b strings.Builder
	free := NewFree(2)
	err := Blocks(t.Context(), "x", r, free, func(block *Block) error {
		if block.Offset != int64(b.Len()) || block.Line != lines+1 {
			t.Errorf("block at line %d, byte %d; want %d, %d", block.Line, block.Offset, lines+1, b.Len())
		}
		b.Write(block.Data)
		lines += block.Lines
		free.Give(block)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), lines
}

func TestBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var long strings.Builder
	for range 20_000 {
		long.WriteString(strings.Repeat("x", r.IntN(120)) + "\n")
	}
	for name, c := range map[string]struct {
		text  string
		lines int64
	}{
		"nothing":           {"", 0},
		"one line":          {"a\n", 1},
		"no end":            {"a\nb", 2},
		"many":              {long.String(), 20_000},
		"a very long line":  {"a\n" + strings.Repeat("y", 900_000) + "\nb\n", 3},
		"many without ends": {long.String() + "end", 20_001},
	} {
		t.Run(name, func(t *testing.T) {
			for which, reader := range map[string]io.Reader{"whole": strings.NewReader(c.text), "in halves": iotest.HalfReader(strings.NewReader(c.text)), "with its end": iotest.DataErrReader(strings.NewReader(c.text))} {
				if got, lines := read(t, reader); got != c.text || lines != c.lines {
					t.Errorf("%s: %d bytes in %d lines, want %d in %d", which, len(got), lines, len(c.text), c.lines)
				}
			}
		})
	}
	// What is longer than a line may be comes in pieces, in bounded memory.
	huge := strings.Repeat("z", 5*MaxLine) + "\nend\n"
	var got int
	free := NewFree(1)
	err := Blocks(t.Context(), "x", strings.NewReader(huge), free, func(b *Block) error {
		if len(b.Data) > 2*MaxLine {
			t.Errorf("a piece of %d bytes", len(b.Data))
		}
		got += len(b.Data)
		free.Give(b)
		return nil
	})
	if got != len(huge) || err != nil {
		t.Errorf("%d bytes of %d, %v", got, len(huge), err)
	}
}

func TestErrorsComeThrough(t *testing.T) {
	broken := errors.New("broken disk")
	err := Blocks(t.Context(), "x", iotest.ErrReader(broken), NewFree(1), func(*Block) error { return nil })
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if _, err := Inputs([]string{"/nowhere/at/all"}, nil); hotseat.CodeOf(err) != hotseat.CodeNotFound {
		t.Errorf("error %v", err)
	}
	if _, err := Inputs([]string{t.TempDir()}, nil); hotseat.CodeOf(err) != hotseat.CodeInvalid {
		t.Errorf("error %v", err)
	}
}

func TestCompression(t *testing.T) {
	const text = "a\nb\n"
	var zipped, packed bytes.Buffer
	z := gzip.NewWriter(&zipped)
	p, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{z, p} {
		if _, err := io.WriteString(w, text); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
	}
	twice := append(bytes.Clone(zipped.Bytes()), zipped.Bytes()...) // as cat a.gz b.gz makes it
	for name, c := range map[string]struct{ data, compression, want string }{
		"plain": {text, "", text}, "gzip": {zipped.String(), "gzip", text}, "two of gzip": {string(twice), "gzip", text + text}, "zstd": {packed.String(), "zstd", text}, "nothing": {"", "", ""},
	} {
		log, err := Open(Reader("x", strings.NewReader(c.data)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(log)
		if string(got) != c.want || log.Compression != c.compression || err != nil || log.Close() != nil {
			t.Errorf("%s: %q, %q, %v", name, got, log.Compression, err)
		}
	}
}

func TestLines(t *testing.T) {
	var got []string
	Lines([]byte("a\r\n\nb"), func(n int64, line []byte) { got = append(got, fmt.Sprintf("%d:%s", n, line)) })
	if s := strings.Join(got, " "); s != "0:a 1: 2:b" {
		t.Errorf("lines %s", s)
	}
}
