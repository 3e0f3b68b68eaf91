package accesslog

import "bytes"

// combined is Apache's and nginx's combined format, the common one before it,
// and what people put behind them: two bare numbers, or rt=0.012 urt="0.010".
//
//	127.0.0.1 - user [time] "GET / HTTP/1.1" 200 12 "referer" "agent" 0.012 0.010
type combined struct{ shape shape }

// Of two bare numbers nobody knows which is which until all are seen: see swapped.
var (
	firstNumber  = label{field: fieldRequestTime, rank: 1}
	secondNumber = label{field: fieldUpstreamTime, rank: 1}
)

func (p *combined) parse(line []byte, r *record) string {
	open := bytes.IndexByte(line, '[')
	if open < 0 {
		return whyNoTime
	}
	length := bytes.IndexByte(line[open:], ']')
	if length < 0 {
		return whyNoTime
	}
	r.set(label{field: fieldTime, rank: 1}, line[open+1:open+length])
	rest := line[open+length+1:]
	if len(rest) < 2 || rest[0] != ' ' || rest[1] != '"' {
		return whyNoRequest
	}
	end := closingQuote(rest, 2)
	if end < 0 {
		return whyNoRequest
	}
	r.set(label{field: fieldRequest, rank: 1}, rest[2:end])
	tokens := tokens{rest: rest[end+1:]}
	status, ok := tokens.next()
	if !ok {
		return whyShortLine
	}
	r.set(label{field: fieldStatus, rank: 1}, status)
	size, ok := tokens.next()
	if !ok {
		return whyShortLine
	}
	r.set(label{field: fieldSize, rank: 1}, size)
	p.extras(&tokens, r)
	r.unescape()
	return ""
}

// extras reads what stands behind the size: quoted referer, agent and the like,
// times by name, times without.
func (p *combined) extras(t *tokens, r *record) {
	numbers, named := 0, 0
	for {
		token, ok := t.next()
		if !ok {
			return
		}
		if equals := bytes.IndexByte(token, '='); equals > 0 && !t.quoted {
			r.set(p.shape.at(named, token[:equals]), bytes.Trim(token[equals+1:], `"`))
			named++
			continue
		}
		if t.quoted && t.count <= 4 {
			continue // referer and agent may be anything, even numbers
		}
		if d := parseDuration(token); !d.ok {
			continue
		}
		switch numbers++; numbers {
		case 1:
			r.set(firstNumber, token)
		case 2:
			r.set(secondNumber, token)
		}
	}
}

// tokens cuts at blanks, but not within quotes nor within lists ("0.1, 0.2 : 0.3").
type tokens struct {
	rest   []byte
	count  int
	quoted bool // the last one was
}

func (t *tokens) next() ([]byte, bool) {
	for len(t.rest) > 0 && t.rest[0] == ' ' {
		t.rest = t.rest[1:]
	}
	if len(t.rest) == 0 {
		return nil, false
	}
	t.count++
	if t.rest[0] == '"' {
		t.quoted = true
		end := closingQuote(t.rest, 1)
		if end < 0 {
			end = len(t.rest)
		}
		token := t.rest[1:end]
		t.rest = t.rest[min(end+1, len(t.rest)):]
		return token, true
	}
	t.quoted = false
	for end := 0; ; {
		n := bytes.IndexByte(t.rest[end:], ' ')
		if n < 0 {
			token := t.rest
			t.rest = nil
			return token, true
		}
		end += n
		inList := t.rest[end-1] == ',' || end >= 2 && t.rest[end-1] == ':' && t.rest[end-2] == ' ' || end+1 < len(t.rest) && t.rest[end+1] == ':'
		if equals := bytes.IndexByte(t.rest[:end], '='); equals >= 0 && bytes.Count(t.rest[equals:end], []byte{'"'}) == 1 {
			inList = true // urt="0.1, 0.2"
		}
		if !inList {
			token := t.rest[:end]
			t.rest = t.rest[end+1:]
			return token, true
		}
		end++
	}
}
