package check

// A Query takes values out of a page when no validator is at hand to capture them. Make it once: it compiles its
// selector, and is safe for concurrent use.
type Query struct{ v *HTMLValidator }

// SelectAttr asks for an attribute of every element that matches and has it.
func SelectAttr(selector, attr string) *Query {
	return &Query{HTML("query").CaptureAttr("", selector, attr)}
}

// SelectText asks for the text of every element that matches.
func SelectText(selector string) *Query {
	return &Query{HTML("query").CaptureText("", selector)}
}

// All returns the values in document order.
func (q *Query) All(body []byte) []string {
	in := Input{Body: body}
	_ = q.v.Check(&in) // there are no checks to fail
	return in.Found.All("")
}

// First returns the first value; ok says whether there is one.
func (q *Query) First(body []byte) (value string, ok bool) {
	all := q.All(body)
	if len(all) == 0 {
		return "", false
	}
	return all[0], true
}
