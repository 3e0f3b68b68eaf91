package data

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"

	"github.com/klauspost/compress/zlib"
)

// packPNG encodes a picture into a PNG file of exactly size bytes; a text chunk
// takes up what the picture leaves. The standard library's encoder would do
// but for its compressor, which is Go's and changes with it: this one's version
// is written down in go.mod, and the file's MD5 in the truth.
func packPNG(picture *image.NRGBA, size int) ([]byte, error) {
	pixels, err := deflate(scanlines(picture))
	if err != nil {
		return nil, err
	}
	var header []byte
	header = binary.BigEndian.AppendUint32(header, uint32(picture.Rect.Dx()))
	header = binary.BigEndian.AppendUint32(header, uint32(picture.Rect.Dy()))
	header = append(header, 8, 6, 0, 0, 0) // 8 bits, RGBA; no interlacing

	file := []byte("\x89PNG\r\n\x1a\n")
	file = appendChunk(file, "IHDR", header)
	file = appendChunk(file, "IDAT", pixels)

	const chunkFrame = 12 // length, type and checksum (PNG §5.3)
	comment := []byte("Comment\x00")
	room := size - len(file) - 2*chunkFrame - len(comment)
	if room < 0 {
		return nil, fmt.Errorf("the picture is %d bytes too large", -room)
	}
	comment = append(comment, bytes.Repeat([]byte(" "), room)...)
	file = appendChunk(file, "tEXt", comment)
	return appendChunk(file, "IEND", nil), nil
}

// scanlines gives the rows of a picture as a PNG holds them: each begins with
// its filter, here 2 (§9.2, Up), and then tells the difference to the row above.
func scanlines(picture *image.NRGBA) []byte {
	width := 4 * picture.Rect.Dx()
	above := make([]byte, width)
	var lines []byte
	for y := range picture.Rect.Dy() {
		row := picture.Pix[y*picture.Stride:][:width]
		lines = append(lines, 2)
		for i, b := range row {
			lines = append(lines, b-above[i])
		}
		above = row
	}
	return lines
}

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
