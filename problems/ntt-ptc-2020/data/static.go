package data

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// publicFolder is where the problem's folder and a workspace have the static files.
const publicFolder = "public"

// Sizes that the contest's files had.
const (
	faviconBytes = 124_448
	defaultBytes = 4_779
	defaultSide  = 128 // pixels
)

// writeStatic writes the static files that are too large or too dull to be kept in
// the problem's folder, and the truth about all of them.
func writeStatic(dir string, files fs.FS) error {
	public, err := readPublic(files)
	if err != nil {
		return err
	}
	icon, err := favicon()
	if err != nil {
		return err
	}
	picture, err := emblem(defaultSide, defaultBytes)
	if err != nil {
		return err
	}
	for _, made := range []struct {
		name    string
		content []byte
	}{{"favicon.ico", icon}, {"img/default.png", picture}, {"js/chunk-vendors.js", calendar()}} {
		public[made.name] = made.content
		err := writeFile(filepath.Join(dir, publicFolder, filepath.FromSlash(made.name)), func(out *bufio.Writer) error {
			_, err := out.Write(made.content)
			return err
		})
		if err != nil {
			return err
		}
	}
	var names []string
	for name := range public {
		names = append(names, name)
	}
	slices.Sort(names)
	return writeFile(filepath.Join(dir, "truth", "static.tsv"), func(out *bufio.Writer) error {
		for _, name := range names {
			sum := md5.Sum(public[name])
			_, _ = fmt.Fprintf(out, "/%s\t%d\t%s\n", name, len(public[name]), hex.EncodeToString(sum[:])) // out keeps the error
		}
		return nil
	})
}

// readPublic reads the static files of the problem's folder by their paths.
func readPublic(files fs.FS) (map[string][]byte, error) {
	public := map[string][]byte{}
	err := fs.WalkDir(files, publicFolder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		public[strings.TrimPrefix(name, publicFolder+"/")] = content
		return err
	})
	return public, err
}

// emblem is a plus sign on a disk, in RGBA, of side pixels and exactly size bytes.
func emblem(side, size int) ([]byte, error) {
	const depth = 4
	line := 1 + side*depth
	lines := make([]byte, side*line)
	for y := range side {
		for x := range side {
			dx, dy := 2*x-side+1, 2*y-side+1
			pixel := []byte{0, 0, 0, 0}
			if dx*dx+dy*dy < side*side {
				pixel = []byte{0x14, 0x4f, 0x6b, 0xff}
				if onPlus := min(max(dx, -dx), max(dy, -dy)) < side/6 && max(dx, -dx, dy, -dy) < side*2/3; onPlus {
					pixel = []byte{0xff, 0xc8, 0x3d, 0xff}
				}
			}
			copy(lines[y*line+1+x*depth:], pixel)
		}
	}
	pixels, err := deflate(lines)
	if err != nil {
		return nil, err
	}
	return packPNG(pixels, side, side, depth, size), nil
}

// favicon is an icon file with one picture, a PNG.
func favicon() ([]byte, error) {
	const head, side = 6 + 16, 172
	size := uint32(faviconBytes - head)
	picture, err := emblem(side, int(size))
	if err != nil {
		return nil, err
	}
	var ico bytes.Buffer
	ico.Write([]byte{0, 0, 1, 0, 1, 0, side, side, 0, 0, 1, 0, 32, 0})
	ico.Write(binary.LittleEndian.AppendUint32(nil, size))
	ico.Write(binary.LittleEndian.AppendUint32(nil, head))
	ico.Write(picture)
	return ico.Bytes(), nil
}

// The days whose names the pages know.
var (
	calendarStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	calendarEnd   = time.Date(2101, 1, 1, 0, 0, 0, 0, time.UTC)
)

// calendar is a script that knows the name of every day of a century in two
// languages: as large as the libraries of the contest's pages, and as little used.
func calendar() []byte {
	weekdays := []rune("日月火水木金土")
	var js bytes.Buffer
	js.WriteString("// The names of days, as the pages show them.\nwindow.calendar = {\n")
	for day := calendarStart; day.Before(calendarEnd); day = day.AddDate(0, 0, 1) {
		fmt.Fprintf(&js, "  %q: { en: %q, ja: \"%d年%d月%d日（%c）\" },\n",
			day.Format(time.DateOnly), day.Format("Monday, 2 January 2006"), day.Year(), day.Month(), day.Day(), weekdays[day.Weekday()])
	}
	js.WriteString("};\n")
	return js.Bytes()
}
