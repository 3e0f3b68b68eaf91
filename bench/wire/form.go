package wire

import (
	"bytes"
	"strconv"
	"strings"
)

// Content types of the bodies that this file builds.
const (
	FormType = "application/x-www-form-urlencoded"
	JSONType = "application/json"
)

// Form is an application/x-www-form-urlencoded body in the making. The zero
// value is an empty form; fields keep the order they are added in, as in a
// browser.
type Form struct{ b []byte }

// Add appends one field.
func (f *Form) Add(name, value string) *Form {
	if len(f.b) > 0 {
		f.b = append(f.b, '&')
	}
	f.b = AppendFormEscaped(f.b, name)
	f.b = append(f.b, '=')
	f.b = AppendFormEscaped(f.b, value)
	return f
}

// Reset empties the form and keeps its memory. Requests that still use its
// Body must be over.
func (f *Form) Reset() *Form {
	f.b = f.b[:0]
	return f
}

// Body gives the encoded form, valid until the next Add or Reset.
func (f *Form) Body() []byte { return f.b }

// ContentType gives the Content-Type field that goes with Body.
func (f *Form) ContentType() Field { return Field{"Content-Type", FormType} }

// AppendFormEscaped appends s as browsers encode it in forms and queries
// (URL Standard §5.2): a blank becomes "+", and all but letters, digits and
// "*-._" is percent-encoded.
func AppendFormEscaped(dst []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for i := range len(s) {
		c := s[i]
		switch {
		case isDigit(c), 'a' <= lower(c) && lower(c) <= 'z', c == '*', c == '-', c == '.', c == '_':
			dst = append(dst, c)
		case c == ' ':
			dst = append(dst, '+')
		default:
			dst = append(dst, '%', hex[c>>4], hex[c&15])
		}
	}
	return dst
}

// Multipart is a multipart/form-data body in the making (RFC 7578). The zero
// value is empty. The boundary is a function of the contents, so the same form
// is always the same bytes.
type Multipart struct {
	parts []part
}

type part struct {
	name, filename, contentType string
	content                     []byte
	file                        bool
}

// Add appends one field.
func (m *Multipart) Add(name, value string) *Multipart {
	m.parts = append(m.parts, part{name: name, content: []byte(value)})
	return m
}

// AddFile appends one file. An empty contentType means
// application/octet-stream. The content is not copied until Encode.
func (m *Multipart) AddFile(name, filename, contentType string, content []byte) *Multipart {
	if contentType == "" {
		contentType = "application/octet-stream"
	}
	m.parts = append(m.parts, part{name, filename, contentType, content, true})
	return m
}

// Encode gives the body and the Content-Type field that goes with it.
func (m *Multipart) Encode() (body []byte, contentType Field) {
	boundary := m.boundary()
	size := 0
	for i := range m.parts {
		size += len(m.parts[i].content) + 256
	}
	b := make([]byte, 0, size)
	for i := range m.parts {
		p := &m.parts[i]
		b = append(b, "--"...)
		b = append(b, boundary...)
		b = append(b, "\r\nContent-Disposition: form-data; name=\""...)
		b = append(b, quoteParameter.Replace(p.name)...)
		b = append(b, '"')
		if p.file {
			b = append(b, "; filename=\""...)
			b = append(b, quoteParameter.Replace(p.filename)...)
			b = append(b, "\"\r\nContent-Type: "...)
			b = append(b, stripBreaks.Replace(p.contentType)...)
		}
		b = append(b, "\r\n\r\n"...)
		b = append(b, p.content...)
		b = append(b, "\r\n"...)
	}
	b = append(b, "--"...)
	b = append(b, boundary...)
	b = append(b, "--\r\n"...)
	return b, Field{"Content-Type", "multipart/form-data; boundary=" + boundary}
}

// quoteParameter escapes names as browsers do (HTML Standard, multipart/form-data).
var (
	quoteParameter = strings.NewReplacer("\r", "%0D", "\n", "%0A", `"`, "%22")
	stripBreaks    = strings.NewReplacer("\r", "", "\n", "")
)

// boundary gives the first of a fixed sequence that no part contains.
func (m *Multipart) boundary() string {
	for n := 0; ; n++ {
		boundary := "----hotseat-boundary-" + strconv.Itoa(n)
		taken := false
		for i := range m.parts {
			taken = taken || bytes.Contains(m.parts[i].content, []byte(boundary))
		}
		if !taken {
			return boundary
		}
	}
}
