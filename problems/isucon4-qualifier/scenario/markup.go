package scenario

import (
	"slices"

	"hotseat/bench/check"
)

// The elements whose inside is compared (specification §6).
const (
	noticeID      = "notice-message"
	lastAddressID = "last-logined-ip"
	lastTimeID    = "last-logined-at"
)

// reader reads pages. Its validators are made once for a run.
type reader struct {
	page  *check.HTMLValidator
	inner map[string]*check.HTMLValidator // by id: see element
}

func newReader() *reader {
	r := &reader{inner: map[string]*check.HTMLValidator{}}
	r.page = check.HTML("page").
		CaptureAttr("base", "base", "href").
		CaptureAttr("links", "link", "href").
		CaptureAttr("scripts", "script", "src").
		CaptureAttr("images", "img", "src").
		CaptureAttr("fields", "input", "name").
		CaptureAttr("types", "[type]", "type")
	for _, id := range []string{noticeID, lastAddressID, lastTimeID} {
		r.page.CaptureFirstText(id, "#"+id)
		r.inner[id] = check.HTML(id).InnerMatch("#"+id, check.Matcher{})
	}
	return r
}

// document is what the benchmark looks at in a page.
type document struct {
	reader *reader
	input  check.Input
}

// read reads a page's HTML. Outside the load a thorough parser has a look
// too, and is asked from then on should the fast one see something else.
func (r *reader) read(body []byte, thoroughly bool) *document {
	d := &document{reader: r, input: check.Input{Body: body}}
	if !thoroughly {
		_ = r.page.Check(&d.input) // it has no checks, only captures
		return d
	}
	_ = r.page.Verify(&d.input)
	for _, v := range r.inner { // what they find is looked at by element
		_ = v.Verify(&check.Input{Body: body})
	}
	return d
}

// element is the inside of the first element with an id.
type element struct {
	found bool
	text  string // character references decoded, with the text of elements inside
	other string // as written, if there are elements or comments in it
}

func (d *document) element(id string) element {
	text := d.input.Found.All(id)
	if len(text) == 0 {
		return element{}
	}
	e := element{found: true, text: text[0]}
	if m := d.reader.inner[id].Check(&check.Input{Body: d.input.Body}); m != nil {
		e.other = m.Actual
	}
	return e
}

// is reports whether the element contains exactly this text.
func (e element) is(text string) bool { return e.found && e.other == "" && e.text == text }

// shown is the element as a contestant should see it.
func (e element) shown() string {
	if e.other != "" {
		return e.other
	}
	return e.text
}

// references returns what the page wants a browser to fetch, as written.
func (d *document) references() []string {
	found := &d.input.Found
	return slices.Concat(found.All("links"), found.All("scripts"), found.All("images"))
}

// base returns what relative references are relative to, "" if the page does not say.
func (d *document) base() string { return d.input.Found.First("base") }

// hasField reports whether there is an input of that name: //input[@name='…'].
func (d *document) hasField(name string) bool {
	return slices.Contains(d.input.Found.All("fields"), name)
}

// hasSubmit reports whether there is anything of type submit: //*[@type='submit'].
func (d *document) hasSubmit() bool { return slices.Contains(d.input.Found.All("types"), "submit") }
