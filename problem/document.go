package problem

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"hotseat"
)

// document is a TOML text with its file name, for errors that say where.
type document struct {
	file string
	text []byte
}

// decode reads text into v. Unknown keys and wrong types are errors that name
// file and line.
func decode(file string, text []byte, v any) (*document, error) {
	d := &document{file, text}
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(v)
	var strict *toml.StrictMissingError
	var bad *toml.DecodeError
	switch {
	case err == nil:
		return d, nil
	case errors.As(err, &strict):
		bad = &strict.Errors[0]
		row, _ := bad.Position()
		return nil, hotseat.Invalid("remove it, or correct its spelling; docs/writing-a-problem.md lists the keys",
			"%s:%d: unknown key %s", file, row, strings.Join(bad.Key(), "."))
	case errors.As(err, &bad):
		row, _ := bad.Position()
		return nil, hotseat.Invalid(strings.TrimSpace(d.line(row)), "%s:%d: %s", file, row, strings.TrimPrefix(bad.Error(), "toml: "))
	default:
		return nil, hotseat.Invalid("", "%s: %w", file, err)
	}
}

// expect makes an error about the value at the dotted key: file, line and what
// was expected there. Where the key is absent the line is that of its table.
func (d *document) expect(key, want string) error {
	row, found := d.find(key)
	if !found {
		return hotseat.Invalid("expected "+want, "%s:%d: %s is missing or wrong", d.file, row, key)
	}
	return hotseat.Invalid("expected "+want, "%s:%d: %s is wrong: %s", d.file, row, key, strings.TrimSpace(d.line(row)))
}

// find returns the line of a dotted key, or of the innermost of its tables that
// the text has, or 1.
func (d *document) find(key string) (row int, found bool) {
	parts := strings.Split(key, ".")
	name, table := parts[len(parts)-1], strings.Join(parts[:len(parts)-1], ".")
	row, current := 1, ""
	for i, line := range strings.Split(string(d.text), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			current = strings.Trim(strings.SplitN(line, "#", 2)[0], "[] \t")
			if current == key {
				return i + 1, true
			}
			if table != "" && (current == table || strings.HasPrefix(table, current+".")) {
				row = i + 1
			}
			continue
		}
		k, _, ok := strings.Cut(line, "=")
		if ok && current == table && strings.Trim(strings.TrimSpace(k), `"'`) == name {
			return i + 1, true
		}
	}
	return row, false
}

// line returns the row-th line, from 1.
func (d *document) line(row int) string {
	lines := strings.Split(string(d.text), "\n")
	if row < 1 || row > len(lines) {
		return ""
	}
	return lines[row-1]
}

// quoteList writes strings as a TOML array on one line.
func quoteList(items []string) string {
	quoted := make([]string, len(items))
	for i, s := range items {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
