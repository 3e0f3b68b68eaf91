package data

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"

	"github.com/klauspost/compress/zlib"
)

const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	chunkFrame   = 12 // length, type and checksum (PNG §5.3)
	maxStored    = 65535
	fixedBytes   = len(pngSignature) + chunkFrame + 13 + chunkFrame + chunkFrame // signature, IHDR, frames of IDAT and IEND

	// smallestPicture still has a few rows.
	smallestPicture = 1000
)

// Colour types of PNG §11.2.2, by bytes of a pixel at 8 bits.
var colourTypes = map[int]byte{3: 2, 4: 6}

// packPNG makes a PNG file of exactly size bytes; a text chunk takes up what the
// picture leaves. pixels is a zlib stream of scanlines, each of which begins with
// its filter.
func packPNG(pixels []byte, width, height, depth, size int) []byte {
	header := binary.BigEndian.AppendUint32(nil, uint32(width))
	header = binary.BigEndian.AppendUint32(header, uint32(height))
	header = append(header, 8, colourTypes[depth], 0, 0, 0)

	file := make([]byte, 0, size)
	file = append(file, pngSignature...)
	file = appendChunk(file, "IHDR", header)
	file = appendChunk(file, "IDAT", pixels)
	comment := []byte("Comment\x00")
	room := size - len(file) - 2*chunkFrame - len(comment)
	file = appendChunk(file, "tEXt", append(comment, bytes.Repeat([]byte(" "), room)...))
	return appendChunk(file, "IEND", nil)
}

// store wraps data as zlib (RFC 1950) in stored blocks (RFC 1951 §3.2.4): noise
// cannot be compressed, and there is a gigabyte of it.
func store(data []byte) []byte {
	out := []byte{0x78, 0x01}
	for rest := data; ; {
		n := min(len(rest), maxStored)
		last := byte(0)
		if n == len(rest) {
			last = 1
		}
		out = append(out, last)
		out = binary.LittleEndian.AppendUint16(out, uint16(n))
		out = binary.LittleEndian.AppendUint16(out, ^uint16(n))
		out = append(out, rest[:n]...)
		if rest = rest[n:]; last == 1 {
			return binary.BigEndian.AppendUint32(out, adler32.Checksum(data))
		}
	}
}

// deflate compresses data. The standard library's compressor would do, but changes
// with Go; this one's version is written down in go.mod.
func deflate(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := zlib.NewWriterLevel(&out, zlib.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func appendChunk(file []byte, kind string, content []byte) []byte {
	file = binary.BigEndian.AppendUint32(file, uint32(len(content)))
	start := len(file)
	file = append(file, kind...)
	file = append(file, content...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(file[start:]))
}
