package check

import (
	"fmt"
	"strconv"
	"strings"
)

// pathStep is one step of a JSON path.
type pathStep struct {
	kind  stepKind
	name  string
	index int
}

type stepKind uint8

const (
	stepKey   stepKind = iota // .name or ["name"]
	stepAny                   // .*
	stepIndex                 // [3]
	stepEach                  // []
)

// parsePath reads paths like `items[].id`, `[0]["odd.key"]`, `*[]`; "" is the whole document.
func parsePath(path string) ([]pathStep, error) {
	var steps []pathStep
	for rest := path; rest != ""; {
		if rest[0] == '[' {
			inside, after, ok := cutBracket(rest)
			if !ok {
				return nil, fmt.Errorf("path %q: unclosed bracket", path)
			}
			rest = after
			switch {
			case inside == "":
				steps = append(steps, pathStep{kind: stepEach})
			case inside[0] == '"':
				name, err := strconv.Unquote(inside)
				if err != nil {
					return nil, fmt.Errorf("path %q: bad string %s", path, inside)
				}
				steps = append(steps, pathStep{kind: stepKey, name: name})
			default:
				n, err := strconv.Atoi(inside)
				if err != nil || n < 0 {
					return nil, fmt.Errorf("path %q: bad index %q", path, inside)
				}
				steps = append(steps, pathStep{kind: stepIndex, index: n})
			}
			continue
		}
		if len(steps) > 0 {
			if rest[0] != '.' {
				return nil, fmt.Errorf("path %q: a dot expected at %q", path, rest)
			}
			rest = rest[1:]
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		name := rest[:end]
		rest = rest[end:]
		switch name {
		case "":
			return nil, fmt.Errorf("path %q: a name is missing", path)
		case "*":
			steps = append(steps, pathStep{kind: stepAny})
		default:
			steps = append(steps, pathStep{kind: stepKey, name: name})
		}
	}
	return steps, nil
}

// cutBracket splits `["a]b"].c` behind its bracket.
func cutBracket(s string) (inside, after string, ok bool) {
	if strings.HasPrefix(s, `["`) {
		quoted, err := strconv.QuotedPrefix(s[1:])
		if err != nil || !strings.HasPrefix(s[1+len(quoted):], "]") {
			return "", "", false
		}
		return quoted, s[len(quoted)+2:], true
	}
	return strings.Cut(s[1:], "]")
}

// jsonNode is what the rules say about the values at one path; nodes form a tree like the documents.
type jsonNode struct {
	keys  []jsonChild
	any   *jsonNode // members not in keys
	items []jsonChild
	each  *jsonNode // items not in items

	object, array int   // the first rule that needs one here, -1 if none does
	only          int   // the rule that forbids members not in keys, -1 if none does
	rules         []int // on the value itself
	captures      []int
	nullable      bool
}

type jsonChild struct {
	name      string
	index     int
	node      *jsonNode
	required  int // the first rule that needs it, -1 if none does
	forbidden int
	optional  bool
	allowed   bool // listed by OnlyKeys
}

func newNode() *jsonNode { return &jsonNode{object: -1, array: -1, only: -1} }

func earlier(a, b int) int {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

func (n *jsonNode) key(name string) *jsonChild {
	for i := range n.keys {
		if n.keys[i].name == name {
			return &n.keys[i]
		}
	}
	n.keys = append(n.keys, jsonChild{name: name, node: newNode(), required: -1, forbidden: -1})
	return &n.keys[len(n.keys)-1]
}

func (n *jsonNode) item(index int) *jsonChild {
	for i := range n.items {
		if n.items[i].index == index {
			return &n.items[i]
		}
	}
	n.items = append(n.items, jsonChild{index: index, node: newNode(), required: -1, forbidden: -1})
	return &n.items[len(n.items)-1]
}

// walk returns the node at the end of a path and, if the last step names a member or item, that. With a rule
// number all values on the way must be there; -1 asks for nothing.
func (n *jsonNode) walk(steps []pathStep, rule int) (*jsonNode, *jsonChild) {
	var last *jsonChild
	for _, step := range steps {
		last = nil
		switch step.kind {
		case stepKey:
			n.object = earlier(n.object, rule)
			last = n.key(step.name)
			last.required = earlier(last.required, rule)
		case stepIndex:
			n.array = earlier(n.array, rule)
			last = n.item(step.index)
			last.required = earlier(last.required, rule)
		case stepAny:
			n.object = earlier(n.object, rule)
			if n.any == nil {
				n.any = newNode()
			}
			n = n.any
			continue
		case stepEach:
			n.array = earlier(n.array, rule)
			if n.each == nil {
				n.each = newNode()
			}
			n = n.each
			continue
		}
		n = last.node
	}
	return n, last
}

// settle makes each value's node the only one to look at: what holds for all members also holds for the
// named ones.
func (n *jsonNode) settle() {
	if len(n.keys) > 64 {
		panic("check: more than 64 members of one JSON object are named") // the scanner keeps a bit for each
	}
	for i := range n.keys {
		c := &n.keys[i]
		if c.optional {
			c.required = -1
		}
		if n.any != nil {
			c.node.merge(n.any)
		}
		c.node.settle()
	}
	for i := range n.items {
		c := &n.items[i]
		if c.optional {
			c.required = -1
		}
		if n.each != nil {
			c.node.merge(n.each)
		}
		c.node.settle()
	}
	if n.any != nil {
		n.any.settle()
	}
	if n.each != nil {
		n.each.settle()
	}
}

func (n *jsonNode) merge(o *jsonNode) {
	n.object, n.array, n.only = earlier(n.object, o.object), earlier(n.array, o.array), earlier(n.only, o.only)
	n.rules = append(n.rules, o.rules...)
	n.captures = append(n.captures, o.captures...)
	n.nullable = n.nullable || o.nullable
	for i := range o.keys {
		n.key(o.keys[i].name).mergeChild(&o.keys[i])
	}
	for i := range o.items {
		n.item(o.items[i].index).mergeChild(&o.items[i])
	}
	if o.any != nil {
		if n.any == nil {
			n.any = newNode()
		}
		n.any.merge(o.any)
	}
	if o.each != nil {
		if n.each == nil {
			n.each = newNode()
		}
		n.each.merge(o.each)
	}
}

func (c *jsonChild) mergeChild(o *jsonChild) {
	c.required, c.forbidden = earlier(c.required, o.required), earlier(c.forbidden, o.forbidden)
	c.optional, c.allowed = c.optional || o.optional, c.allowed || o.allowed
	c.node.merge(o.node)
}
