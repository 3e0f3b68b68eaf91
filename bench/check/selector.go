package check

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/andybalholm/cascadia"
)

// Selectors are the part of CSS that can be decided when an element opens: tag, *, #id, .class, [attr] with
// =, ~=, |=, ^=, $= and *=, joined by descendant (space) and child (>) and listed with commas.
type selector struct {
	source string
	chains [][]compound
	tree   cascadia.Selector // the same for the reference parser
}

// compound is what must hold of one element: "div.post[id]".
type compound struct {
	tag   string // "" for any
	conds []condition
	child bool // directly inside the element of the compound before, not just somewhere in it
}

type condition struct {
	attr  string
	key   uint64 // of attr: see tagKey
	op    byte   // 0: present; '=' equal; '~' word; '|' dash; '^' prefix; '$' suffix; '*' substring
	value string
}

func parseSelector(source string) (*selector, error) {
	p := selectorParser{rest: strings.Trim(source, whitespace)} // not TrimSpace: a no-break space is part of a name
	s := &selector{source: source}
	for {
		chain, err := p.chain()
		if err != nil {
			return nil, fmt.Errorf("selector %q: %w", source, err)
		}
		s.chains = append(s.chains, chain)
		if p.rest == "" {
			break
		}
		p.rest = strings.TrimLeft(p.rest[1:], whitespace) // the comma
	}
	var err error
	if s.tree, err = cascadia.Compile(source); err != nil {
		return nil, fmt.Errorf("selector %q: %w", source, err)
	}
	return s, nil
}

type selectorParser struct{ rest string }

func (p *selectorParser) chain() ([]compound, error) {
	var chain []compound
	child := false
	for {
		c, err := p.compound()
		if err != nil {
			return nil, err
		}
		c.child = child
		chain = append(chain, c)
		rest := strings.TrimLeft(p.rest, whitespace)
		switch {
		case rest == "" || rest[0] == ',':
			p.rest = rest
			return chain, nil
		case rest[0] == '>':
			child = true
			p.rest = strings.TrimLeft(rest[1:], whitespace)
		case len(rest) < len(p.rest):
			child = false
			p.rest = rest
		default:
			return nil, fmt.Errorf("unsupported at %q", rest)
		}
	}
}

func (p *selectorParser) compound() (compound, error) {
	var c compound
	if strings.HasPrefix(p.rest, "*") {
		p.rest = p.rest[1:]
	} else if c.tag = strings.ToLower(p.name()); c.tag == "" && !strings.HasPrefix(p.rest, "#") &&
		!strings.HasPrefix(p.rest, ".") && !strings.HasPrefix(p.rest, "[") {
		return c, fmt.Errorf("an element expected at %q", p.rest)
	}
	for p.rest != "" {
		switch p.rest[0] {
		case '#', '.':
			cond := condition{attr: "id", op: '='}
			if p.rest[0] == '.' {
				cond = condition{attr: "class", op: '~'}
			}
			cond.key = tagKey([]byte(cond.attr))
			p.rest = p.rest[1:]
			if cond.value = p.name(); cond.value == "" {
				return c, fmt.Errorf("a name expected at %q", p.rest)
			}
			c.conds = append(c.conds, cond)
		case '[':
			cond, err := p.attribute()
			if err != nil {
				return c, err
			}
			c.conds = append(c.conds, cond)
		default:
			return c, nil
		}
	}
	return c, nil
}

func (p *selectorParser) attribute() (condition, error) {
	at := p.rest
	p.rest = strings.TrimLeft(p.rest[1:], whitespace)
	cond := condition{attr: strings.ToLower(p.name())}
	cond.key = tagKey([]byte(cond.attr))
	p.rest = strings.TrimLeft(p.rest, whitespace)
	if cond.attr == "" || p.rest == "" {
		return cond, fmt.Errorf("bad attribute at %q", at)
	}
	if p.rest[0] == ']' {
		p.rest = p.rest[1:]
		return cond, nil
	}
	cond.op = p.rest[0]
	if cond.op != '=' {
		if !strings.ContainsRune("~|^$*", rune(cond.op)) {
			return cond, fmt.Errorf("bad attribute at %q", at)
		}
		p.rest = p.rest[1:]
	}
	if !strings.HasPrefix(p.rest, "=") {
		return cond, fmt.Errorf("bad attribute at %q", at)
	}
	p.rest = strings.TrimLeft(p.rest[1:], whitespace)
	if p.rest != "" && (p.rest[0] == '"' || p.rest[0] == '\'') {
		var ok bool
		if cond.value, p.rest, ok = strings.Cut(p.rest[1:], p.rest[:1]); !ok || strings.Contains(cond.value, `\`) {
			return cond, fmt.Errorf("bad string at %q", at)
		}
	} else if cond.value = p.name(); cond.value == "" {
		return cond, fmt.Errorf("a value expected at %q", at)
	}
	p.rest = strings.TrimLeft(p.rest, whitespace)
	if !strings.HasPrefix(p.rest, "]") {
		return cond, fmt.Errorf("unclosed attribute at %q", at)
	}
	p.rest = p.rest[1:]
	return cond, nil
}

// name reads an identifier; escapes are left to authors who need them, that is, to nobody so far.
func (p *selectorParser) name() string {
	i := 0
	for i < len(p.rest) {
		c := p.rest[i]
		if c == '-' || c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			i++
			continue
		}
		break
	}
	name := p.rest[:i]
	p.rest = p.rest[i:]
	return name
}

// hasWord says whether a list of words has this one. It looks at first letters first, because most
// elements are not the one that is looked for.
func hasWord(list []byte, word string) bool {
	if word == "" {
		return emptyWord(list)
	}
	if len(list) == len(word) {
		return string(list) == word
	}
	for from := 0; len(list)-from >= len(word); {
		i := bytes.IndexByte(list[from:], word[0])
		if i < 0 {
			return false
		}
		from += i
		end := from + len(word)
		if end > len(list) {
			return false
		}
		if string(list[from:end]) == word && (from == 0 || isSpace(list[from-1])) && (end == len(list) || isSpace(list[end])) {
			return true
		}
		from++
	}
	return false
}

// emptyWord is what cascadia makes of [class~=""]: an empty word stands before each space that follows another, or
// begins the list.
func emptyWord(list []byte) bool {
	for i, c := range list {
		if isSpace(c) && (i == 0 || isSpace(list[i-1])) {
			return true
		}
	}
	return false
}

// holds says whether an attribute's decoded value fulfils the condition. The corner cases (an empty
// wanted prefix, values of white space only) are cascadia's.
func (c *condition) holds(value []byte) bool {
	switch c.op {
	case 0:
		return true
	case '=':
		return string(value) == c.value
	case '~':
		return hasWord(value, c.value)
	case '|':
		n := len(c.value)
		return string(value) == c.value || len(value) > n && string(value[:n]) == c.value && value[n] == '-'
	}
	if len(bytes.TrimSpace(value)) == 0 {
		return false
	}
	switch c.op {
	case '^':
		return len(value) >= len(c.value) && string(value[:len(c.value)]) == c.value
	case '$':
		return len(value) >= len(c.value) && string(value[len(value)-len(c.value):]) == c.value
	default:
		return bytes.Contains(value, []byte(c.value))
	}
}
