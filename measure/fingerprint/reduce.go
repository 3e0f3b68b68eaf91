package fingerprint

import "bytes"

// reducer is the state of reduce: what was read, and what came of it. Nothing
// grows on the way, so out is as long as the query at most.
type reducer struct {
	f     *Fingerprinter
	query []byte
	out   []byte
	o     int // how much of out is written
	start int // where the word that is being written began; -1 between words
}

// reduce does in one loop what makes most of a fingerprint: truth values,
// numbers and NULL become "?", blanks become one, letters small. It notes where
// the later steps have something to do.
func (f *Fingerprinter) reduce(query []byte) {
	query = bytes.TrimSuffix(trimLeft(query), []byte{'\n'})
	if cap(f.second) < len(query)+1 {
		f.second = make([]byte, 2*len(query)+64)
	}
	f.lists, f.union, f.order, f.limited = f.lists[:0], false, false, false
	r := reducer{f: f, query: query, out: f.second[:cap(f.second)], start: -1}
	for i := 0; i < len(query); {
		c := query[i]
		kind := kinds[c]
		switch {
		case kind&letter != 0:
			if n := r.truth(i); n > 0 {
				r.mark(i)
				i += n
				continue
			}
			if r.start < 0 {
				r.start = r.o
			}
			for i < len(query) && kinds[query[i]]&letter != 0 {
				r.out[r.o] = lower[query[i]]
				r.o++
				i++
			}
		case kind&begins != 0:
			r.mark(i)
			i = r.endOfNumber(i)
		case kind&blank != 0:
			r.endWord()
			if r.o > 0 && r.out[r.o-1] != ' ' {
				r.put(' ')
			}
			i++
		case c == '?':
			r.mark(i)
			i++
		default:
			r.endWord()
			r.put(c)
			i++
		}
	}
	r.endWord()
	f.second = r.out[:r.o]
}

func (r *reducer) put(c byte) {
	r.out[r.o] = c
	r.o++
}

// mark writes the "?" for what begins at i. It swallows one x, b or dot before
// it: that is how x'ff' and t.1 become "?" and "t?".
func (r *reducer) mark(i int) {
	if i > 0 && r.o > 0 {
		if c := r.query[i-1]; (c == 'x' || c == 'b' || c == '.') && r.out[r.o-1] == c {
			r.o--
		}
	}
	r.endWord()
	r.put('?')
}

// truth is the length of TRUE or FALSE if one stands at i as a word.
func (r *reducer) truth(i int) int {
	text := "true"
	switch lower[r.query[i]] {
	case 't':
	case 'f':
		text = "false"
	default:
		return 0
	}
	if i > 0 && kinds[r.query[i-1]]&word != 0 {
		return 0
	}
	rest, ok := cutFold(r.query[i:], text)
	if !ok || len(rest) > 0 && kinds[rest[0]]&word != 0 {
		return 0
	}
	return len(text)
}

// endOfNumber is behind the number that begins at i. A FALSE within it was
// gone before numbers were looked for.
func (r *reducer) endOfNumber(i int) int {
	for i++; i < len(r.query) && kinds[r.query[i]]&goesOn != 0; i++ {
		if r.query[i] == 'f' && r.truth(i) > 0 {
			break
		}
	}
	return i
}

// endWord looks at the word that was just written.
func (r *reducer) endWord() {
	if r.start < 0 {
		return
	}
	f, start := r.f, r.start
	r.start = -1
	switch written := r.out[start:r.o]; len(written) {
	case 2:
		if string(written) == "in" {
			f.lists = append(f.lists, start)
		}
	case 4:
		if string(written) == "null" {
			r.o = start
			r.put('?')
		}
	case 5:
		switch string(written) {
		case "value":
			f.lists = append(f.lists, start)
		case "limit":
			f.limited = true
		case "union":
			f.union = true
		case "order":
			f.order = true
		}
	case 6:
		if string(written) == "values" {
			f.lists = append(f.lists, start)
		}
	}
}
