package advise

import (
	"slices"
	"strings"

	"hotseat/measure"
)

// statement is what index advice needs to know of one SQL statement. It comes
// from words, not from a grammar: what is not understood is left out, and with
// it the advice.
type statement struct {
	verb   string
	levels []level // one for each SELECT, UPDATE or DELETE, subqueries too
}

// level is one query level and its tables.
type level struct {
	tables  map[string]string // by alias, in lower case: the table
	order   []string          // aliases in order
	equal   []columnRef       // to a value
	joined  []columnRef       // to a column of another table
	ranges  []columnRef
	group   []columnRef
	sort    []columnRef
	maximum columnRef // ORDER BY MAX(x), or MIN
	limited bool
}

type columnRef struct{ alias, column string }

// reader walks over the words of a statement.
type reader struct {
	words []string
	at    int
}

// lex cuts SQL into words: names (without quotes), literals as "?", and single
// characters. Comments are left out.
func lex(sql string) []string {
	var words []string
	for i := 0; i < len(sql); {
		c := sql[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case strings.HasPrefix(sql[i:], "/*"):
			end := strings.Index(sql[i+2:], "*/")
			if end < 0 {
				return words
			}
			i += end + 4
		case c == '\'' || c == '"':
			i = skipString(sql, i)
			words = append(words, "?")
		case c == '`':
			end := strings.IndexByte(sql[i+1:], '`')
			if end < 0 {
				return words
			}
			words = append(words, sql[i+1:i+1+end])
			i += end + 2
		case isWordByte(c):
			start := i
			for i < len(sql) && isWordByte(sql[i]) {
				i++
			}
			word := sql[start:i]
			if word[0] >= '0' && word[0] <= '9' {
				word = "?"
			}
			words = append(words, word)
		default:
			words = append(words, string(c))
			i++
		}
	}
	return words
}

func skipString(sql string, i int) int {
	quote := sql[i]
	for i++; i < len(sql); i++ {
		switch sql[i] {
		case '\\':
			i++
		case quote:
			if i+1 < len(sql) && sql[i+1] == quote {
				i++
				continue
			}
			return i + 1
		}
	}
	return len(sql)
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// parseSQL reads a statement.
func parseSQL(sql string) statement {
	r := &reader{words: lex(sql)}
	s := statement{verb: strings.ToUpper(r.peek(0))}
	r.level(&s, 0)
	return s
}

func (r *reader) peek(ahead int) string {
	if r.at+ahead < len(r.words) {
		return r.words[r.at+ahead]
	}
	return ""
}

func (r *reader) is(word string) bool { return strings.EqualFold(r.peek(0), word) }

// Clauses of a level.
const (
	inNone = iota
	inFrom
	inWhere
	inGroup
	inOrder
)

// deepestSQL bounds subqueries in subqueries.
const deepestSQL = 16

// level reads up to the parenthesis that closes it, or to the end.
func (r *reader) level(s *statement, depth int) {
	l := level{tables: map[string]string{}}
	clause := inNone
	if r.is("update") {
		clause = inFrom
		r.at++
	}
	for open := 0; r.at < len(r.words); {
		word := r.peek(0)
		switch upper := strings.ToUpper(word); {
		case word == "(":
			r.at++
			if r.is("select") && depth < deepestSQL {
				r.level(s, depth+1) // takes its closing parenthesis
				continue
			}
			open++
			continue
		case word == ")":
			r.at++
			if open == 0 {
				s.add(l)
				return
			}
			open--
			continue
		case upper == "FROM" || upper == "JOIN":
			clause = inFrom
		case upper == "WHERE" || upper == "ON" || upper == "HAVING":
			clause = inWhere
		case upper == "SET":
			clause = inNone
		case upper == "GROUP" && strings.EqualFold(r.peek(1), "BY"):
			clause = inGroup
			r.at++
		case upper == "ORDER" && strings.EqualFold(r.peek(1), "BY"):
			clause = inOrder
			r.at++
		case upper == "LIMIT":
			l.limited = true
			clause = inNone
		case upper == "UNION":
			s.add(l)
			l = level{tables: map[string]string{}}
			clause = inNone
		case clause == inFrom:
			if r.table(&l) {
				continue
			}
		case clause == inWhere && isName(word):
			if r.condition(&l) {
				continue
			}
		case clause == inGroup && isName(word):
			ref := r.column()
			l.group = append(l.group, ref)
			continue
		case clause == inOrder && isName(word):
			if (upper == "MAX" || upper == "MIN") && r.peek(1) == "(" {
				r.at += 2
				l.maximum = r.column()
				open++
				continue
			}
			if upper != "ASC" && upper != "DESC" {
				l.sort = append(l.sort, r.column())
				continue
			}
		}
		r.at++
	}
	s.add(l)
}

func (s *statement) add(l level) {
	if len(l.tables) > 0 {
		s.levels = append(s.levels, l)
	}
}

// keywords are words that are no names where a table or column may stand.
var keywords = []string{"SELECT", "FROM", "WHERE", "JOIN", "INNER", "LEFT", "RIGHT", "OUTER", "CROSS", "STRAIGHT_JOIN", "ON", "USING", "AND", "OR", "NOT", "IN", "IS",
	"NULL", "BETWEEN", "LIKE", "GROUP", "ORDER", "BY", "LIMIT", "OFFSET", "FOR", "SET", "AS", "HAVING", "UNION", "EXISTS", "FORCE", "USE", "IGNORE", "INDEX", "LOCK",
	"CASE", "WHEN", "THEN", "ELSE", "END", "DESC", "ASC", "ALL", "DISTINCT", "TRUE", "FALSE", "INTERVAL", "BINARY", "VALUES", "INTO", "DUPLICATE", "KEY", "UPDATE"}

func isName(word string) bool {
	return word != "" && word != "?" && isWordByte(word[0]) && !slices.Contains(keywords, strings.ToUpper(word))
}

// table reads "schema.table [AS] alias"; false if there is none here.
func (r *reader) table(l *level) bool {
	if !isName(r.peek(0)) {
		return false
	}
	name := r.peek(0)
	r.at++
	if r.peek(0) == "." {
		name = r.peek(1)
		r.at += 2
	}
	alias := name
	if r.is("as") {
		r.at++
	}
	if isName(r.peek(0)) {
		alias = r.peek(0)
		r.at++
	}
	alias = strings.ToLower(alias)
	l.tables[alias] = name
	l.order = append(l.order, alias)
	return true
}

// column reads "alias.column" or "column".
func (r *reader) column() columnRef {
	ref := columnRef{column: r.peek(0)}
	r.at++
	if r.peek(0) == "." {
		ref.alias, ref.column = strings.ToLower(ref.column), r.peek(1)
		r.at += 2
	}
	return ref
}

// condition reads "column operator …"; false if this is no column that is
// compared.
func (r *reader) condition(l *level) bool {
	ref := r.column()
	switch op := strings.ToUpper(r.peek(0)); {
	case op == "(": // a function's name: an index is no help to what is inside
		return true
	case op == "=":
		r.at++
		if isName(r.peek(0)) && r.peek(1) != "(" {
			l.joined = append(l.joined, ref, r.column())
			return true
		}
		l.equal = append(l.equal, ref)
	case op == "IN":
		r.at++
		l.equal = append(l.equal, ref)
	case op == ">" || op == "<" || op == "BETWEEN":
		r.at++
		if r.peek(0) == "=" {
			r.at++
		}
		l.ranges = append(l.ranges, ref)
	case op == "IS" && strings.EqualFold(r.peek(1), "NULL"):
		r.at += 2
		l.equal = append(l.equal, ref)
	case op == "LIKE":
		r.at++
		l.ranges = append(l.ranges, ref)
	}
	return true
}

// catalog is what is known of the database's tables.
type catalog struct {
	tables  map[string]*measure.Table // by lower-case name
	indexes map[string][]measure.Index
}

func newCatalog(m *measure.MariaDB) *catalog {
	c := &catalog{tables: map[string]*measure.Table{}, indexes: map[string][]measure.Index{}}
	if m == nil {
		return c
	}
	for i := range m.Tables {
		c.tables[strings.ToLower(m.Tables[i].Name)] = &m.Tables[i]
	}
	for _, x := range m.Indexes {
		key := strings.ToLower(x.Table)
		c.indexes[key] = append(c.indexes[key], x)
	}
	return c
}

// has tells whether a table has a column, or is not known.
func (c *catalog) has(table, column string) bool {
	t := c.tables[strings.ToLower(table)]
	if t == nil {
		return true
	}
	return slices.ContainsFunc(t.Columns, func(x measure.Column) bool { return strings.EqualFold(x.Name, column) })
}

// primary are the columns of a table's primary key: InnoDB has them at the end
// of each other index.
func (c *catalog) primary(table string) []string {
	for _, x := range c.indexes[strings.ToLower(table)] {
		if x.Name == "PRIMARY" {
			return x.Columns
		}
	}
	return nil
}

// covered tells whether an index begins with these columns.
func (c *catalog) covered(table string, columns []string) bool {
	return slices.ContainsFunc(c.indexes[strings.ToLower(table)], func(x measure.Index) bool {
		if len(x.Columns) < len(columns) {
			return false
		}
		for i := range columns {
			if !strings.EqualFold(x.Columns[i], columns[i]) {
				return false
			}
		}
		return true
	})
}

// indexFor proposes the columns of an index of table that serves all levels of
// the statement that read it: those compared with values first, the ones that
// most levels share before the others, then one range or the order. What is
// compared with another table's column counts where nothing else does: a table
// that is read first has no other table's values yet. Nil means that no index
// helps, or that there is one already.
func (c *catalog) indexFor(s statement, table string) []string {
	used := map[string]int{} // levels in which a column is compared for equality
	var equal []string
	var tail []string
	for _, l := range s.levels {
		mine := func(ref columnRef) bool {
			if ref.alias != "" {
				return strings.EqualFold(l.tables[ref.alias], table)
			}
			if len(l.tables) == 1 {
				return strings.EqualFold(l.tables[l.order[0]], table)
			}
			return c.tables[strings.ToLower(table)] != nil && c.has(table, ref.column) && c.onlyIn(l, table, ref.column)
		}
		seen := map[string]bool{}
		by := l.equal
		if !slices.ContainsFunc(slices.Concat(l.equal, l.ranges), mine) {
			by = l.joined
		}
		for _, ref := range by {
			name := strings.ToLower(ref.column)
			if !mine(ref) || !c.has(table, ref.column) || seen[name] {
				continue
			}
			seen[name] = true
			if used[name]++; used[name] == 1 {
				equal = append(equal, ref.column)
			}
		}
		after := append(slices.Clone(l.sort), l.ranges...)
		if len(l.ranges) > 0 { // rows within a range are not in the order of another column
			after = l.ranges
		}
		if len(after) == 0 {
			after = l.group
		}
		if len(tail) == 0 && len(after) > 0 && mine(after[0]) && c.has(table, after[0].column) {
			for _, ref := range after[:1] {
				tail = append(tail, ref.column)
			}
		}
	}
	slices.SortStableFunc(equal, func(a, b string) int { return used[strings.ToLower(b)] - used[strings.ToLower(a)] })
	columns := equal
	for _, name := range tail {
		if !containsFold(columns, name) && !containsFold(c.primary(table), name) {
			columns = append(columns, name)
		}
	}
	if len(columns) == 0 || len(columns) > 4 || c.covered(table, columns) {
		return nil
	}
	if p := c.primary(table); len(p) > 0 && len(columns) >= len(p) && equalFold(columns[:len(p)], p) {
		return nil // the primary key finds it already
	}
	return columns
}

// onlyIn tells whether no other table of the level has a column of that name.
func (c *catalog) onlyIn(l level, table, column string) bool {
	for _, other := range l.tables {
		if !strings.EqualFold(other, table) && c.has(other, column) {
			return false
		}
	}
	return true
}

func containsFold(list []string, s string) bool {
	return slices.ContainsFunc(list, func(x string) bool { return strings.EqualFold(x, s) })
}

func equalFold(a, b []string) bool {
	return slices.EqualFunc(a, b, strings.EqualFold)
}
