package slowlog

import "bytes"

// tag counts a statement for the route of the request that sent it, if a comment in
// it holds the request's id. Any word of a comment may be the id: apps write
// "/* 5f0c… */", "/*request_id='5f0c…'*/" or "-- rid=5f0c…".
func (d *digester) tag(c *class, e *entry) {
	if e.admin {
		return
	}
	tagged := false
	done := words(e.sql, func(word []byte) bool {
		route, found, known := d.options.Route(word)
		if found {
			if c.requests == nil {
				c.requests = map[int]*Use{}
			}
			u := c.requests[route]
			if u == nil {
				u = &Use{}
				c.requests[route] = u
			}
			u.Count++
			u.TimeS += float64(e.queryTime) / 1e6
			if c.example != nil && c.example.RequestID == "" && c.example.micros == e.queryTime {
				c.example.RequestID = string(word)
			}
			return true
		}
		tagged = tagged || looksLikeID(word)
		return !known && looksLikeID(word) // only a sample of the ids was kept: nothing can be said
	})
	switch {
	case done:
	case tagged:
		c.unmatched++
	default:
		d.untagged++
	}
}

// shortestID is how long an id is at least, and longestComment how much of a
// comment is looked at.
const (
	shortestID     = 8
	longestComment = 1 << 10
)

// words calls each with every word in a comment that could be an id, until it
// returns true; then words does too.
func words(sql []byte, each func([]byte) bool) bool {
	for {
		open := bytes.Index(sql, []byte("/*"))
		if open < 0 {
			break
		}
		sql = sql[open+2:]
		end := bytes.Index(sql, []byte("*/"))
		if end < 0 {
			return false
		}
		if wordsOf(sql[:min(end, longestComment)], each) {
			return true
		}
		sql = sql[end+2:]
	}
	for _, mark := range []string{"-- ", "# "} {
		if at := bytes.LastIndex(sql, []byte(mark)); at >= 0 && len(sql)-at <= longestComment && bytes.IndexByte(sql[at:], '\n') < 0 {
			return wordsOf(sql[at+len(mark):], each)
		}
	}
	return false
}

func wordsOf(comment []byte, each func([]byte) bool) bool {
	for i := 0; i < len(comment); i++ {
		start := i
		for i < len(comment) && isIDByte(comment[i]) {
			i++
		}
		if i-start >= shortestID && each(comment[start:i]) {
			return true
		}
	}
	return false
}

func isIDByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

// looksLikeID tells a word with digits from words of prose.
func looksLikeID(word []byte) bool {
	digits := 0
	for _, c := range word {
		if c >= '0' && c <= '9' {
			digits++
		}
	}
	return digits >= 2
}
