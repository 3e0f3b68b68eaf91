// Package fingerprint reduces SQL statements to their class: what is left when
// values, comments, letter case and blanks are taken away. The result is byte by
// byte that of pt-query-digest (percona-toolkit 3), so that its identifiers can
// be looked up in tools that people have; a test holds it against the original.
//
// That means following its order of steps, in which comments go before strings
// and strings before numbers, also where a real SQL lexer would differ. Each step
// that finds nothing to do costs a search with the processor's vector unit; the
// one that always works is a single loop over the bytes.
package fingerprint

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"strings"
)

// Fingerprinter makes fingerprints in buffers of its own, without allocation.
// It is not safe for concurrent use.
type Fingerprinter struct {
	first, second []byte
	lists         []int // where the words in, value and values begin in second

	union, order, limited bool // these words occur
}

// Of returns the fingerprint of one statement, which has no final semicolon.
// It is valid until the next call.
func (f *Fingerprinter) Of(query []byte) []byte {
	if fixed := special(query); fixed != "" {
		f.second = append(f.second[:0], fixed...)
		return f.second
	}
	if bytes.HasPrefix(query, []byte("administrator command: ")) {
		return query
	}
	if name := calledProcedure(query); name != nil {
		f.second = appendLower(f.second[:0], name)
		return f.second
	}
	query = firstTuple(query)
	query = f.withoutComments(query)
	if rest, ok := afterUse(query); ok {
		f.second = append(append(f.second[:0], "use ?"...), rest...)
		return f.second
	}
	query = f.withoutStrings(query)
	f.reduce(query)
	f.collapseLists()
	if f.union {
		f.second = collapseUnions(f.second)
	}
	f.limit()
	if f.order {
		f.second = withoutAscending(f.second)
	}
	return f.second
}

// ID is the identifier of a fingerprint as pt-query-digest 3 prints it: its MD5
// in upper-case hexadecimal digits.
func ID(fingerprint []byte) string {
	sum := md5.Sum(fingerprint)
	return strings.ToUpper(hex.EncodeToString(sum[:]))
}

// ShortID is the older and still common form of an [ID]: its last 16 digits.
func ShortID(id string) string { return id[len(id)-16:] }

// special tells statements of tools that are classes of their own.
func special(query []byte) string {
	if bytes.HasPrefix(query, []byte("SELECT /*!40001 SQL_NO_CACHE */ * FROM `")) {
		return "mysqldump"
	}
	for rest := query; ; {
		i := bytes.Index(rest, []byte("/*"))
		if i < 0 {
			return ""
		}
		rest = rest[i+2:]
		if isChunkMark(rest) {
			return "percona-toolkit"
		}
	}
}

// isChunkMark tells the comment of percona's own tools: db.table:1/2*/.
func isChunkMark(b []byte) bool {
	i := wordLength(b)
	if i == 0 || i >= len(b) || b[i] != '.' {
		return false
	}
	b = b[i+1:]
	i = wordLength(b)
	if i == 0 || len(b) < i+6 {
		return false
	}
	b = b[i:]
	return b[0] == ':' && isDigit(b[1]) && b[2] == '/' && isDigit(b[3]) && b[4] == '*' && b[5] == '/'
}

func wordLength(b []byte) int {
	i := 0
	for i < len(b) && kinds[b[i]]&word != 0 {
		i++
	}
	return i
}

// calledProcedure is "call name" of "call name(…)": up to the last parenthesis
// before a blank.
func calledProcedure(query []byte) []byte {
	q := trimLeft(query)
	if len(q) < 7 || !equalFold(q[:4], "call") || !isSpace(q[4]) {
		return nil
	}
	i := 4
	for i < len(q) && isSpace(q[i]) {
		i++
	}
	start := i
	for i < len(q) && !isSpace(q[i]) {
		i++
	}
	if last := bytes.LastIndexByte(q[start:i], '('); last > 0 {
		return q[:start+last]
	}
	return nil
}

// firstTuple cuts an INSERT or REPLACE of many rows behind the first, before
// anything looks at the others.
func firstTuple(query []byte) []byte {
	rest, ok := cutFold(query, "insert")
	if !ok {
		if rest, ok = cutFold(query, "replace"); !ok {
			return query
		}
	}
	if after, ok := cutFold(rest, " ignore"); ok {
		rest = after
	}
	trimmed := trimLeft(rest)
	if len(trimmed) == len(rest) {
		return query
	}
	if rest, ok = cutFold(trimmed, "into"); !ok || len(rest) < 2 {
		return query
	}
	rest = rest[1:] // at least one character stands between
	for {
		i := indexFold(rest, "values")
		if i < 0 {
			return query
		}
		rest = rest[i+6:]
		tuple := trimLeft(rest)
		if len(tuple) == 0 || tuple[0] != '(' {
			continue
		}
		for at := tuple[1:]; ; {
			end := bytes.IndexByte(at, ')')
			if end < 0 {
				return query // a later "values" has no more parentheses than this one
			}
			at = at[end+1:]
			next := trimLeft(at)
			if len(next) > 0 && next[0] == ',' {
				if next = trimLeft(next[1:]); len(next) > 0 && next[0] == '(' {
					return query[:len(query)-len(at)]
				}
			}
		}
	}
}

// withoutComments takes comments away, but not /*!…*/, which the server runs.
func (f *Fingerprinter) withoutComments(query []byte) []byte {
	if bytes.Contains(query, []byte("/*")) {
		out := f.first[:0]
		for {
			i := bytes.Index(query, []byte("/*"))
			if i < 0 {
				break
			}
			// At least one character, no "!", then the end: "/**/" goes on to a later end.
			end := -1
			if i+3 < len(query) && query[i+2] != '!' {
				end = bytes.Index(query[i+3:], []byte("*/"))
			}
			if end < 0 {
				out = append(out, query[:i+1]...)
				query = query[i+1:]
				continue
			}
			out = append(out, query[:i]...)
			query = query[i+3+end+2:]
		}
		out = append(out, query...)
		f.first, query = out, out
	}
	if bytes.IndexByte(query, '#') < 0 && !bytes.Contains(query, []byte("--")) {
		return query
	}
	// In place, if it is ours already: what is written never overtakes what is read.
	out := f.first[:0]
	for i := 0; i < len(query); {
		if c := query[i]; c == '#' || c == '-' && i+1 < len(query) && query[i+1] == '-' {
			end := i + 1
			for end < len(query) && query[end] != '\'' && query[end] != '"' && query[end] != '\r' && query[end] != '\n' {
				end++
			}
			if end == len(query) || query[end] == '\r' || query[end] == '\n' {
				i = end
				continue
			}
		}
		out = append(out, query[i])
		i++
	}
	f.first = out
	return out
}

// afterUse tells "use db" and nothing else, but for a final line end, which it returns.
func afterUse(query []byte) (rest []byte, ok bool) {
	name, ok := cutFold(query, "use ")
	if !ok {
		return nil, false
	}
	name = bytes.TrimSuffix(name, []byte{'\n'})
	for _, c := range name {
		if isSpace(c) {
			return nil, false
		}
	}
	return query[4+len(name):], len(name) > 0
}

// withoutStrings puts "?" in the place of each string: first those in double
// quotes, then those in single ones. A quote behind a backslash is none, and
// both go; a string without an end stays.
func (f *Fingerprinter) withoutStrings(query []byte) []byte {
	if bytes.IndexByte(query, '\\') >= 0 {
		out := f.first[:0]
		for {
			i := bytes.IndexByte(query, '\\')
			if i < 0 {
				break
			}
			if i+1 < len(query) && (query[i+1] == '\'' || query[i+1] == '"') {
				out = append(out, query[:i]...)
				query = query[i+2:]
				continue
			}
			out = append(out, query[:i+1]...)
			query = query[i+1:]
		}
		out = append(out, query...)
		f.first, query = out, out
	}
	for _, quote := range []byte{'"', '\''} {
		if bytes.IndexByte(query, quote) < 0 {
			continue
		}
		out := f.first[:0]
		for {
			i := bytes.IndexByte(query, quote)
			if i < 0 {
				break
			}
			end := bytes.IndexByte(query[i+1:], quote)
			if end < 0 {
				break
			}
			out = append(append(out, query[:i]...), '?')
			query = query[i+1+end+1:]
		}
		out = append(out, query...)
		f.first, query = out, out
	}
	return query
}
