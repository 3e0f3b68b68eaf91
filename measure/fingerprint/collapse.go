package fingerprint

import (
	"bytes"
	"slices"
)

// collapseLists makes IN (…) and VALUES (…), (…) one class whatever their length.
func (f *Fingerprinter) collapseLists() {
	if len(f.lists) == 0 {
		return
	}
	out, read := f.first[:0], 0
	for _, at := range f.lists {
		end := at + wordLength(f.second[at:])
		lists := endOfLists(f.second, end)
		if lists == end {
			continue
		}
		out = append(append(out, f.second[read:end]...), "(?+)"...)
		read = lists
	}
	out = append(out, f.second[read:]...)
	f.first, f.second = f.second, out
}

// endOfLists is behind all lists of "?" that follow at; at itself if there is none.
func endOfLists(text []byte, at int) int {
	end := at
	for i := at; ; {
		for i < len(text) && (isSpace(text[i]) || text[i] == ',') {
			i++
		}
		if i == len(text) || text[i] != '(' {
			return end
		}
		for i++; i < len(text) && (isSpace(text[i]) || text[i] == ',' || text[i] == '?'); {
			i++
		}
		if i == len(text) || text[i] != ')' {
			return end
		}
		i++
		end = i
	}
}

// collapseUnions makes one of selects that are alike: "select … /*repeat union*/".
func collapseUnions(text []byte) []byte {
	var out []byte
	for i := 0; i < len(text); {
		arm, end, kind := repeatedArm(text, i)
		if arm == nil {
			out = append(out, text[i])
			i++
			continue
		}
		out = append(append(append(append(out, arm...), " /*repeat"...), kind...), "*/"...)
		i = end
	}
	return out
}

// repeatedArm is the shortest select at i that is followed by unions with the
// same text again, where they end, and the last of the words between.
func repeatedArm(text []byte, i int) (arm []byte, end int, kind []byte) {
	const sel = "select"
	rest := text[i:]
	if len(rest) < len(sel)+1 || string(rest[:len(sel)]) != sel || !isSpace(rest[len(sel)]) || i > 0 && kinds[text[i-1]]&word != 0 {
		return nil, 0, nil
	}
	for from := len(sel) + 1; ; {
		u := bytes.Index(rest[from:], []byte("union"))
		if u < 0 {
			return nil, 0, nil
		}
		u += from
		from = u + 1
		if u < len(sel)+2 || !isSpace(rest[u-1]) {
			continue
		}
		arm = rest[:u-1]
		end = u - 1
		for {
			next, words := anotherArm(rest, end, arm)
			if next < 0 {
				break
			}
			end, kind = next, words
		}
		if kind != nil {
			return arm, i + end, kind
		}
	}
}

// anotherArm is the end of " union [all] " and the same arm at a place, -1 if
// that is not what stands there.
func anotherArm(text []byte, at int, arm []byte) (end int, kind []byte) {
	const union = " union"
	if at+len(union) > len(text) || !isSpace(text[at]) || string(text[at+1:at+len(union)]) != union[1:] {
		return -1, nil
	}
	for _, more := range []string{" all", ""} {
		end = at + len(union)
		if more != "" {
			if end+len(more) > len(text) || !isSpace(text[end]) || string(text[end+1:end+len(more)]) != more[1:] {
				continue
			}
			end += len(more)
		}
		if end < len(text) && isSpace(text[end]) && bytes.HasPrefix(text[end+1:], arm) {
			return end + 1 + len(arm), text[at:end]
		}
	}
	return -1, nil
}

// limit makes one of "limit ?, ?" and "limit ? offset ?"; the first only, as the
// original does.
func (f *Fingerprinter) limit() {
	if !f.limited {
		return
	}
	text := f.second
	const wanted = "limit ?"
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(wanted))
		if i < 0 {
			return
		}
		i += from
		from = i + 1
		if i > 0 && kinds[text[i-1]]&word != 0 {
			continue
		}
		end := i + len(wanted)
		for _, more := range []string{", ?", ",?", " offset ?"} {
			if bytes.HasPrefix(text[end:], []byte(more)) {
				f.second = slices.Delete(text, end, end+len(more))
				break
			}
		}
		return
	}
}

// withoutAscending drops ASC behind the first ORDER BY, since it is what is
// meant without.
func withoutAscending(text []byte) []byte {
	const by, asc = "order by ", " asc"
	at := -1
	for from := 0; at < 0; {
		i := bytes.Index(text[from:], []byte(by))
		if i < 0 {
			return text
		}
		i += from
		from = i + 1
		if i == 0 || kinds[text[i-1]]&word == 0 {
			at = i + len(by)
		}
	}
	for at+1 < len(text) {
		i := bytes.Index(text[at+1:], []byte(asc))
		if i < 0 {
			break
		}
		at += 1 + i
		text = slices.Delete(text, at, at+len(asc))
	}
	return text
}
