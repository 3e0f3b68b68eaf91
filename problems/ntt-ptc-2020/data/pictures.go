package data

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
)

// poster draws an event's poster: a sunrise in two colours, grainy as if printed
// cheaply, so that nothing can compress it. The file has exactly size bytes.
func poster(c chance, size int) []byte {
	const depth = 3
	width := 8
	for (width+8)*(width+8)*depth <= size-800 {
		width += 8
	}
	line := 1 + width*depth
	// Blocks of store, the text chunk, and a little to spare.
	height := (size - fixedBytes - chunkFrame - 64 - 5*(size/maxStored+1)) / line

	sky, sun := c.source.Uint64(), c.source.Uint64()
	lines := make([]byte, height*line)
	var grain [8]byte
	for y := range height {
		row := lines[y*line+1 : (y+1)*line] // filter 0: as it is
		for i := range row {
			if i%8 == 0 {
				binary.LittleEndian.PutUint64(grain[:], c.source.Uint64())
			}
			x, channel := i/depth, i%depth
			colour := sky
			if dx, dy := x-width/2, y-height; dx*dx+dy*dy < width*width/6 {
				colour = sun
			}
			shade := int(byte(colour>>(8*channel))) * (height + y) / (2 * height)
			row[i] = byte(shade) ^ grain[i%8]&0x3f
		}
	}
	return packPNG(store(lines), width, height, depth, size)
}

// Every twentieth picture that is uploaded is a large one.
var largeUpload = Range{2_000_000, 2_900_000}

// writeUploads writes the pictures that the benchmark uploads.
func writeUploads(ctx context.Context, dir string, opts Options) error {
	for i := range opts.Uploads {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := newChance(opts.Seed, uploadStream+uint64(i))
		size := c.in(opts.PictureBytes)
		if i%20 == 19 {
			size = c.in(largeUpload)
		}
		path := filepath.Join(dir, "truth", "images", fmt.Sprintf("%d.png", i))
		err := writeFile(path, func(out *bufio.Writer) error {
			_, err := out.Write(poster(c, size))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
