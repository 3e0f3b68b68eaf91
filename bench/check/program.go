package check

import (
	"encoding/binary"
	"fmt"
	"slices"

	"golang.org/x/net/html"
)

type htmlKind uint8

const (
	ruleCount htmlKind = iota // lo ≤ number of matches ≤ hi
	ruleText
	ruleNormalized
	ruleInner
	ruleAttr
)

// htmlRule is one declared check of an HTML validator.
type htmlRule struct {
	kind   htmlKind
	id     string // the rule it belongs to
	sel    int    // in program.selectors
	each   bool   // every match, not just the first
	lo, hi int    // ruleCount; hi < 0: no limit
	attr   string
	key    uint64 // of attr: see tagKey
	want   Matcher
}

// htmlCapture is one declared capture; attr "" captures text.
type htmlCapture struct {
	name  string
	sel   int
	attr  string
	key   uint64
	isTxt bool
	first bool
}

// maxCompounds is how many parts all selectors of one validator may have together: the scanner keeps
// one bit for each.
const maxCompounds = 64

// program is a compiled HTML validator. All selectors are matched at once: bit i of an element's
// state says that the element matches compounds[i] and that what came before it in its chain holds too.
type program struct {
	name      string
	selectors []*selector
	rules     []htmlRule
	captures  []htmlCapture
	names     []string // of captures
	memo      *memo
	masks     []mask

	compounds []compound
	final     [maxCompounds]int8 // the selector that a bit completes, or -1
	first     uint64             // bits that begin a chain
	child     uint64             // bits joined to the one before by ">"
	anyTag    uint64             // bits that any element may match
	byID      [256]uint64        // bits by known element
	byKey     []keyBits          // bits by other element
	cond      uint64             // bits that look at attributes
	tests     []condTest         // what they want to see
	testOf    [maxCompounds]uint8
	complete  uint64 // bits that complete a selector
	attrBits  uint64 // bits that depend on attributes, or have them looked at once they are complete

	attrRules [][]int // by selector: rules and captures on attributes
	textRules [][]int
	attrCaps  [][]int
	textCaps  [][]int
	eachText  []bool // by selector: whether matches after the first have their text looked at
	eachOne   []bool // by selector: whether anything about matches after the first is looked at

	attrs   []string // attributes that anything looks at, for masks
	hardSVG bool     // an attribute is named that SVG spells otherwise
	keyed   []string // variables whose values are part of the memo's key
	masked  []string // variables checked by their masks instead
}

// condTest is conditions that some compounds have in common: "div.a > b" and "div.a > i" look at the same
// class.
type condTest struct {
	conds []condition
	bits  uint64
	word  uint64 // of the only condition, if that is on one word of up to eight bytes; else 0
}

type keyBits struct{ key, bits uint64 }

// selector returns the number of a selector, compiling it when it is new.
func (p *program) selector(source string) int {
	for i, s := range p.selectors {
		if s.source == source {
			return i
		}
	}
	s, err := parseSelector(source)
	if err != nil {
		panic(fmt.Sprintf("check: %s: %v", p.name, err))
	}
	n := len(p.selectors)
	p.selectors = append(p.selectors, s)
	p.attrRules = append(p.attrRules, nil)
	p.textRules = append(p.textRules, nil)
	p.attrCaps = append(p.attrCaps, nil)
	p.textCaps = append(p.textCaps, nil)
	p.eachText = append(p.eachText, false)
	p.eachOne = append(p.eachOne, false)
	for _, chain := range s.chains {
		for i, c := range chain {
			bit := len(p.compounds)
			if bit == maxCompounds {
				panic(fmt.Sprintf("check: %s: too many selectors in one validator (their parts exceed %d); use two", p.name, maxCompounds))
			}
			p.compounds = append(p.compounds, c)
			p.final[bit] = -1
			mask := uint64(1) << bit
			if i == 0 {
				p.first |= mask
			}
			if c.child {
				p.child |= mask
			}
			if i == len(chain)-1 {
				p.final[bit] = int8(n)
				p.complete |= mask
			}
			if len(c.conds) > 0 {
				p.cond |= mask
				p.attrBits |= mask
				p.addTest(bit, c.conds)
			}
			for _, cond := range c.conds {
				p.looksAt(cond.attr)
			}
			p.addTag(c.tag, mask)
		}
	}
	return n
}

func (p *program) addTest(bit int, conds []condition) {
	i := slices.IndexFunc(p.tests, func(t condTest) bool { return slices.Equal(t.conds, conds) })
	if i < 0 {
		i = len(p.tests)
		t := condTest{conds: conds}
		if c := conds[0]; len(conds) == 1 && c.op == '~' && 0 < len(c.value) && len(c.value) <= 8 && len(c.attr) <= 8 {
			t.word = wordKey(c.value)
		}
		p.tests = append(p.tests, t)
	}
	p.tests[i].bits |= 1 << bit
	p.testOf[bit] = uint8(i)
}

// wordKey is a word of up to eight bytes, the first one lowest.
func wordKey(word string) uint64 {
	var b [8]byte
	copy(b[:], word)
	return binary.LittleEndian.Uint64(b[:])
}

func (p *program) addTag(tag string, mask uint64) {
	if tag == "" {
		p.anyTag |= mask
		return
	}
	info := knownTags.find(tagKey([]byte(tag)))
	if info.id != otherTag {
		p.byID[info.id] |= mask
		return
	}
	for i := range p.byKey {
		if p.byKey[i].key == info.key {
			p.byKey[i].bits |= mask
			return
		}
	}
	p.byKey = append(p.byKey, keyBits{info.key, mask})
}

// looksAt notes that an attribute matters. SVG has attributes with capital letters ("viewBox"); asking the parser
// whether this is one of them saves a copy of its list.
func (p *program) looksAt(attr string) {
	if contains(p.attrs, attr) {
		return
	}
	p.attrs = append(p.attrs, attr)
	if !svgKeeps(attr) {
		p.hardSVG = true
	}
}

func svgKeeps(attr string) bool {
	z, err := html.Parse(newReader([]byte("<svg " + attr + "=x>")))
	if err != nil {
		return false
	}
	for n := range z.Descendants() {
		if n.Data == "svg" {
			return len(n.Attr) == 1 && n.Attr[0].Key == attr && n.Attr[0].Namespace == ""
		}
	}
	return false
}

func (p *program) candidates(tag tagInfo) uint64 {
	bits := p.anyTag
	if tag.id != otherTag {
		return bits | p.byID[tag.id]
	}
	for i := range p.byKey {
		if p.byKey[i].key == tag.key {
			return bits | p.byKey[i].bits
		}
	}
	return bits
}

// readsAttrs notes that attributes of what a selector matches are looked at.
func (p *program) readsAttrs(sel int) {
	for bit, final := range p.final[:len(p.compounds)] {
		if int(final) == sel {
			p.attrBits |= 1 << bit
		}
	}
}

func (p *program) addRule(r htmlRule) {
	n := len(p.rules)
	r.key = tagKey([]byte(r.attr))
	p.rules = append(p.rules, r)
	switch r.kind {
	case ruleAttr:
		p.attrRules[r.sel] = append(p.attrRules[r.sel], n)
		p.readsAttrs(r.sel)
		p.looksAt(r.attr)
	case ruleText, ruleNormalized, ruleInner:
		p.textRules[r.sel] = append(p.textRules[r.sel], n)
		p.eachText[r.sel] = p.eachText[r.sel] || r.each
	}
	p.eachOne[r.sel] = p.eachOne[r.sel] || r.each
	if r.want.kind == matchVar && !contains(p.keyed, r.want.text) {
		p.keyed = append(p.keyed, r.want.text)
	}
}

func (p *program) addCapture(c htmlCapture) {
	for _, other := range p.captures {
		if other.name == c.name {
			panic(fmt.Sprintf("check: %s: two captures are called %q", p.name, c.name))
		}
	}
	n := len(p.captures)
	p.eachOne[c.sel] = p.eachOne[c.sel] || !c.first
	c.key = tagKey([]byte(c.attr))
	p.captures = append(p.captures, c)
	p.names = append(p.names, c.name)
	if c.isTxt {
		p.textCaps[c.sel] = append(p.textCaps[c.sel], n)
		p.eachText[c.sel] = p.eachText[c.sel] || !c.first
	} else {
		p.attrCaps[c.sel] = append(p.attrCaps[c.sel], n)
		p.readsAttrs(c.sel)
		p.looksAt(c.attr)
	}
}
