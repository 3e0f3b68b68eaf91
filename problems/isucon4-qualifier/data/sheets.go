package data

import (
	"embed"
	"fmt"
	"iter"
	"regexp"
	"strings"
)

// sources holds the hand-written part of each style sheet.
//
//go:embed css/*.css
var sources embed.FS

// baseSheet lays pages out and styles their elements; its room is filled with a
// grid and utility classes.
func baseSheet(size int) ([]byte, error) { return sheet("base.css", size, utilities) }

// themeSheet gives them the bank's colours; its room is filled with the same
// components in every hue of a palette.
func themeSheet(size int) ([]byte, error) { return sheet("theme.css", size, palette) }

// bankSheet is the little that only this site's pages need.
func bankSheet(size int) ([]byte, error) { return sheet("bank.css", size, nothing) }

func nothing(func(string) bool) {}

// sheet returns the minified source, followed by as many of the generated rules
// as fit, up to exactly size bytes.
func sheet(source string, size int, generated iter.Seq[string]) ([]byte, error) {
	text, err := sources.ReadFile("css/" + source)
	if err != nil {
		return nil, err
	}
	out := []byte(minify(string(text)))
	if len(out) > size {
		return nil, fmt.Errorf("%s has %d bytes minified, %d fit", source, len(out), size)
	}
	for rule := range generated {
		if len(out)+len(rule) > size {
			break
		}
		out = append(out, rule...)
	}
	return append(out, filler(size-len(out))...), nil
}

// filler returns room bytes that mean nothing in a sheet.
func filler(room int) string {
	const open, shut = "/*", "*/"
	if room < len(open)+len(shut) {
		return strings.Repeat("\n", room)
	}
	return open + strings.Repeat(" ", room-len(open)-len(shut)) + shut
}

// minify drops comments, but for those that begin with an exclamation mark, and
// white space that means nothing. It is made for the sheets here, which keep
// to one form: a colon is followed by a space in a declaration and never in a
// selector, and no string holds two spaces or any of the marks below.
func minify(sheet string) string {
	sheet = regexp.MustCompile(`(?s)/\*(\*/|[^!].*?\*/)`).ReplaceAllString(sheet, "")
	sheet = regexp.MustCompile(`\s+`).ReplaceAllString(sheet, " ")
	sheet = regexp.MustCompile(` ?([{};,>]) ?`).ReplaceAllString(sheet, "$1")
	return strings.NewReplacer(": ", ":", ";}", "}", "*/ ", "*/").Replace(strings.TrimSpace(sheet))
}
