package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	fastjson "github.com/goccy/go-json"
)

// The reference for JSON is the standard library's decoder, as clients written in Go have it.

// jsonTree is a decoded value, members in document order.
type jsonTree struct {
	kind    Kind
	text    []byte // of scalars
	members []jsonMember
	items   []jsonTree
}

type jsonMember struct {
	name  string
	value jsonTree
}

func (v *JSONValidator) checkTree(in *Input, vars []Value) (m *Mismatch, clean bool) {
	root, err := v.decodeTree(in.Body)
	if err != nil {
		return v.judge(in, vars, err, nil)
	}
	j := jsonJudge{JSONValidator: v, vars: vars}
	j.walk(v.root, root)
	j.report(in)
	return v.judge(in, vars, nil, j.failures)
}

func (v *JSONValidator) decodeTree(body []byte) (*jsonTree, *syntaxError) {
	if v.strict && !utf8.Valid(body) {
		return nil, &syntaxError{0, "invalid UTF-8"}
	}
	d := json.NewDecoder(bytes.NewReader(body))
	var text json.RawMessage
	if err := d.Decode(&text); err != nil {
		return nil, &syntaxError{int(d.InputOffset()), err.Error()}
	}
	if rest := body[d.InputOffset():]; v.strict && len(bytes.Trim(rest, " \t\r\n")) > 0 {
		return nil, &syntaxError{int(d.InputOffset()), "text after the document"}
	}
	d = json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	root, err := readTree(d, v.strict)
	if err != nil {
		return nil, &syntaxError{int(d.InputOffset()), err.Error()}
	}
	return root, nil
}

func readTree(d *json.Decoder, strict bool) (*jsonTree, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case nil:
		return &jsonTree{kind: Null, text: []byte("null")}, nil
	case bool:
		return &jsonTree{kind: Bool, text: fmt.Append(nil, t)}, nil
	case json.Number:
		return &jsonTree{kind: numberKind([]byte(t)), text: []byte(t)}, nil
	case string:
		return &jsonTree{kind: String, text: []byte(t)}, nil
	case json.Delim:
		if t == '[' {
			return readArray(d, strict)
		}
		return readObject(d, strict)
	}
	return nil, fmt.Errorf("unexpected token %v", token)
}

func readArray(d *json.Decoder, strict bool) (*jsonTree, error) {
	tree := &jsonTree{kind: Array}
	for d.More() {
		item, err := readTree(d, strict)
		if err != nil {
			return nil, err
		}
		tree.items = append(tree.items, *item)
	}
	_, err := d.Token()
	return tree, err
}

func readObject(d *json.Decoder, strict bool) (*jsonTree, error) {
	tree := &jsonTree{kind: Object}
	at := map[string]int{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string) // names of members are strings, or Token had failed
		value, err := readTree(d, strict)
		if err != nil {
			return nil, err
		}
		if i, twice := at[name]; twice {
			if strict {
				return nil, fmt.Errorf("a member given twice: %q", name)
			}
			tree.members[i].value = *value // the last one counts
			continue
		}
		at[name] = len(tree.members)
		tree.members = append(tree.members, jsonMember{name, *value})
	}
	_, err := d.Token()
	return tree, err
}

func (j *jsonJudge) walk(n *jsonNode, t *jsonTree) {
	if !j.value(n, t.kind, t.text, -1) {
		return
	}
	switch t.kind {
	case Array:
		for i := range t.items {
			if node := n.itemNode(i); node != nil {
				j.trail = append(j.trail, trailStep{index: i})
				j.walk(node, &t.items[i])
				j.trail = j.trail[:len(j.trail)-1]
			}
		}
		j.arrayEnd(n, len(t.items), -1)
	case Object:
		var seen uint64
		for i := range t.members {
			m := &t.members[i]
			j.trail = append(j.trail, trailStep{name: []byte(m.name)})
			node, which := j.member(n, []byte(m.name), -1)
			if which >= 0 {
				seen |= 1 << which
			}
			if node != nil {
				j.walk(node, &m.value)
			}
			j.trail = j.trail[:len(j.trail)-1]
		}
		j.objectEnd(n, seen, -1)
	}
}

// Decode decodes a document for the scenario's own use, fast and lenient; validate it first. v is a pointer as
// for encoding/json, whose struct tags it knows.
func Decode(body []byte, v any) error {
	if err := fastjson.Unmarshal(body, v); err != nil {
		return fmt.Errorf("decode JSON: %w", err)
	}
	return nil
}

// DecodeStrict is Decode for the verify phase: it also refuses members that v does not have or that come twice, text
// after the document, and invalid UTF-8.
func DecodeStrict(body []byte, v any) error {
	if _, err := (&JSONValidator{strict: true}).decodeTree(body); err != nil {
		return fmt.Errorf("decode JSON: %s at byte %d", err.reason, err.offset)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("decode JSON: %w", err)
	}
	return nil
}
