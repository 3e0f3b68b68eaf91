package accesslog

import "bytes"

// jsonLines is one JSON object per line. Members of inner objects count as if
// they stood outside (Caddy writes {"request":{"method":…}}); arrays are skipped.
// It is a scanner and no validator: what nobody reads may be anything.
type jsonLines struct{ shape shape }

func (p *jsonLines) parse(line []byte, r *record) string {
	i := skipBlank(line, 0)
	if i == len(line) || line[i] != '{' {
		return whyNotJSON
	}
	depth, at := 1, 0
	for i++; depth > 0; {
		i = skipBlank(line, i)
		if i >= len(line) {
			return whyNotClosed
		}
		switch line[i] {
		case ',':
			i++
			continue
		case '}':
			depth--
			i++
			continue
		case '"':
		default:
			return whyNotJSON
		}
		end := closingQuote(line, i+1)
		if end < 0 {
			return whyNotClosed
		}
		name := line[i+1 : end]
		i = skipBlank(line, end+1)
		if i >= len(line) || line[i] != ':' {
			return whyNotJSON
		}
		i = skipBlank(line, i+1)
		if i >= len(line) {
			return whyNotClosed
		}
		var value []byte
		switch line[i] {
		case '"':
			end = closingQuote(line, i+1)
			if end < 0 {
				return whyNotClosed
			}
			value = line[i+1 : end]
			i = end + 1
		case '{':
			depth++
			i++
			continue
		case '[':
			if i = skipArray(line, i); i < 0 {
				return whyNotClosed
			}
			continue
		default:
			start := i
			for i < len(line) && line[i] != ',' && line[i] != '}' && line[i] > ' ' {
				i++
			}
			if value = line[start:i]; string(value) == "null" {
				value = nil
			}
		}
		l := p.shape.at(at, name)
		at++
		if l.field == fieldNone || len(value) == 0 {
			continue
		}
		if bytes.IndexByte(value, '\\') >= 0 {
			value = r.unescaped(value)
		}
		r.set(l, value)
	}
	if skipBlank(line, i) != len(line) {
		return whyNotJSON
	}
	return ""
}

func skipBlank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	return i
}

// closingQuote is where the string that began before i ends; -1 if it does not.
func closingQuote(b []byte, i int) int {
	for {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		slashes := 0
		for b[i-1-slashes] == '\\' { // ends at the opening quote at the latest
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
		i++
	}
}

// skipArray is behind the array that begins at i; -1 if it has no end.
func skipArray(b []byte, i int) int {
	for depth := 0; i < len(b); i++ {
		switch b[i] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			if i = closingQuote(b, i+1); i < 0 {
				return -1
			}
		}
	}
	return -1
}
