package data

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
)

// outputBuffer is large enough that a system call costs nothing next to the
// rows it writes.
const outputBuffer = 256 << 10

// writeFile creates the file at path and has fill write it. The error is the
// first of creating, filling, flushing and closing.
func writeFile(path string, fill func(*bufio.Writer) error) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out := bufio.NewWriterSize(file, outputBuffer)
	if err := fill(out); err != nil {
		return err
	}
	return out.Flush()
}

// insert writes the rows of one table as INSERT statements of several rows
// each. Its errors come with the writer's Flush.
type insert struct {
	out   *bufio.Writer
	table string
	size  int // rows in a statement
	rows  int // so far
}

// row writes one row of values that are SQL already: numbers and what quote
// and text return.
func (i *insert) row(values ...value) {
	b := i.out.AvailableBuffer()
	switch {
	case i.rows%i.size != 0:
		b = append(b, ",\n("...)
	case i.rows > 0:
		b = append(b, ";\n"...)
		fallthrough
	default:
		b = append(b, "INSERT INTO "...)
		b = append(b, i.table...)
		b = append(b, " VALUES\n("...)
	}
	i.rows++
	for n, v := range values {
		if n > 0 {
			b = append(b, ',')
		}
		b = v.append(b)
	}
	_, _ = i.out.Write(append(b, ')')) // a bufio.Writer keeps its first error for Flush
}

func (i *insert) end() {
	if i.rows > 0 {
		_, _ = io.WriteString(i.out, ";\n")
	}
}

// value is a value in SQL: a text, or a number if it has none.
type value struct {
	text   string
	number int64
	isText bool
}

// null is SQL's NULL, written as it is.
var null = value{text: "NULL"}

func number[N int | int64](n N) value { return value{number: int64(n)} }
func text(s string) value             { return value{text: s, isText: true} }

// append writes v in a form that MariaDB and SQLite read alike. That leaves
// out texts with a backslash; none of ours has one.
func (v value) append(b []byte) []byte {
	switch {
	case v.isText:
		b = append(b, '\'')
		b = append(b, strings.ReplaceAll(v.text, "'", "''")...)
		return append(b, '\'')
	case v.text != "":
		return append(b, v.text...)
	default:
		return strconv.AppendInt(b, v.number, 10)
	}
}
