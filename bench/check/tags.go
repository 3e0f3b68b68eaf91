package check

// What the scanner must know about elements to nest them as an HTML5 parser does (WHATWG HTML §13.2.6).

type tagFlags uint32

const (
	tagVoid       tagFlags = 1 << iota // never has content
	tagRaw                             // content is text up to its own end tag
	tagDecoded                         // a raw one in which character references count (title, textarea)
	tagFormatting                      // reopened by the parser when closed by others; see scanner.unsure
	tagSpecial                         // the standard's list; stops the search for a matching end tag
	tagClosesP                         // its start ends an open paragraph
	tagBlock                           // its end tag ends what is open inside it
	tagImplied                         // ended by its container's end
	tagScope                           // bounds the search for an open element ("default scope")
	tagHeading                         // h1 to h6
	tagTabular                         // table, its sections and rows: only certain children
	tagHeadOnly                        // belongs into the head even when it comes before <body>
	tagSVG                             // may occur in SVG without any special rule
	tagHard                            // whatever it means is left to the reference parser
	tagEasy                            // opens and closes without any rule, but for tagVoid, tagClosesP, tagAlone and tagTabular
	tagAlone                           // must not be open already
	tagTexted                          // text that begins it loses a line break
)

type tagID uint8

// Elements with rules of their own.
const (
	otherTag tagID = iota
	htmlTag
	headTag
	bodyTag
	pTag
	liTag
	ddTag
	dtTag
	aTag
	nobrTag
	tableTag
	theadTag
	tbodyTag
	tfootTag
	trTag
	tdTag
	thTag
	captionTag
	colgroupTag
	colTag
	formTag
	buttonTag
	selectTag
	optionTag
	optgroupTag
	preTag
	listingTag
	textareaTag
	scriptTag
	svgTag
	brTag
	hrTag
	inputTag
	ulTag
	olTag
	rubyTag
	rtcTag
	rbTag
	rtTag
	noscriptTag
	styleTag
	ownTags // the number of the above; known elements without rules get the numbers from here
)

// tagInfo is one element the scanner knows.
type tagInfo struct {
	key   uint64
	flags tagFlags
	id    tagID
}

// tagKey names an element or attribute: up to eight letters as they are, the first one lowest (scanner.tagName
// relies on that), longer names as a hash.
func tagKey(name []byte) uint64 {
	var key uint64
	if len(name) <= 8 {
		for i, c := range name {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			key |= uint64(c) << (8 * i)
		}
		return key
	}
	key = 14695981039346656037 // FNV-1a
	for _, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		key = (key ^ uint64(c)) * 1099511628211
	}
	return key
}

const tagSlots = 512

func tagSlot(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> (64 - 9) }

// tagTable finds elements by key; open addressing, a third full.
type tagTable [tagSlots]tagInfo

var knownTags = newTagTable()

func (t *tagTable) find(key uint64) tagInfo {
	for i := tagSlot(key); ; i = (i + 1) % tagSlots {
		if t[i].key == key {
			return t[i]
		}
		if t[i].key == 0 {
			return tagInfo{key: key, flags: tagEasy}
		}
	}
}

func newTagTable() *tagTable {
	var infos []tagInfo
	put := func(flags tagFlags, id tagID, names ...string) {
		for _, name := range names {
			key := tagKey([]byte(name))
			found := false
			for i := range infos {
				if infos[i].key == key {
					infos[i].flags |= flags
					if id != otherTag {
						infos[i].id = id
					}
					found = true
				}
			}
			if !found {
				infos = append(infos, tagInfo{key, flags, id})
			}
		}
	}
	for id, name := range map[tagID]string{
		htmlTag: "html", headTag: "head", bodyTag: "body", pTag: "p", liTag: "li", ddTag: "dd", dtTag: "dt", aTag: "a", nobrTag: "nobr",
		tableTag: "table", theadTag: "thead", tbodyTag: "tbody", tfootTag: "tfoot", trTag: "tr", tdTag: "td", thTag: "th",
		captionTag: "caption", colgroupTag: "colgroup", colTag: "col", formTag: "form", buttonTag: "button", selectTag: "select",
		optionTag: "option", optgroupTag: "optgroup", preTag: "pre", listingTag: "listing", textareaTag: "textarea", scriptTag: "script",
		svgTag: "svg", brTag: "br", hrTag: "hr", inputTag: "input", ulTag: "ul", olTag: "ol", rubyTag: "ruby", rtcTag: "rtc",
		noscriptTag: "noscript", styleTag: "style",
	} {
		put(0, id, name)
	}
	put(0, rbTag, "rb")
	put(0, rtTag, "rt", "rp")
	put(tagVoid, 0, "area", "base", "basefont", "bgsound", "br", "col", "embed", "hr", "img", "input", "keygen", "link", "meta",
		"param", "source", "track", "wbr")
	put(tagRaw, 0, "script", "style", "iframe", "noembed", "noframes", "noscript", "xmp")
	put(tagRaw|tagDecoded, 0, "title", "textarea")
	put(tagFormatting, 0, "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
	put(tagSpecial, 0, "address", "applet", "area", "article", "aside", "base", "basefont", "bgsound", "blockquote", "body", "br",
		"button", "caption", "center", "col", "colgroup", "dd", "details", "dir", "div", "dl", "dt", "embed", "fieldset",
		"figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header",
		"hgroup", "hr", "html", "iframe", "img", "input", "keygen", "li", "link", "listing", "main", "marquee", "menu", "meta",
		"nav", "noembed", "noframes", "noscript", "object", "ol", "p", "param", "plaintext", "pre", "script", "section", "select",
		"source", "style", "summary", "table", "tbody", "td", "template", "textarea", "tfoot", "th", "thead", "title", "tr", "track",
		"ul", "wbr", "xmp")
	put(tagClosesP|tagBlock, 0, "address", "article", "aside", "blockquote", "center", "details", "dialog", "dir", "div", "dl",
		"fieldset", "figcaption", "figure", "footer", "header", "hgroup", "main", "menu", "nav", "ol", "search", "section",
		"summary", "ul", "pre", "listing")
	put(tagClosesP, 0, "p", "xmp", "h1", "h2", "h3", "h4", "h5", "h6")
	put(tagHeading, 0, "h1", "h2", "h3", "h4", "h5", "h6")
	put(tagBlock, 0, "button", "select")
	put(tagImplied, 0, "dd", "dt", "li", "optgroup", "option", "p", "rb", "rp", "rt", "rtc")
	put(tagScope, 0, "applet", "caption", "html", "table", "td", "th", "marquee", "object", "template", "select")
	put(tagTabular, 0, "table", "thead", "tbody", "tfoot", "tr", "colgroup")
	put(tagHeadOnly, 0, "base", "basefont", "bgsound", "link", "meta", "title", "noframes", "script", "style")
	put(tagSVG, 0, "svg", "g", "path", "circle", "rect", "line", "polyline", "polygon", "ellipse", "use", "defs", "symbol", "text",
		"tspan", "stop", "mask", "pattern", "marker", "filter", "view")
	put(tagEasy, 0, "p")
	put(tagEasy|tagAlone, 0, "a", "nobr", "button")
	put(tagTexted, 0, "pre", "listing")
	put(tagHard, 0, "math", "template", "plaintext", "frameset", "frame", "image", "applet", "marquee", "object")

	table := new(tagTable)
	next := ownTags
	for _, info := range infos {
		if info.id == otherTag {
			info.id = next
			next++
			if info.flags&(tagRaw|tagHeading|tagTabular|tagScope|tagHard) == 0 {
				info.flags |= tagEasy
			}
		}
		i := tagSlot(info.key)
		for table[i].key != 0 {
			i = (i + 1) % tagSlots
		}
		table[i] = info
	}
	return table
}
