// Package selection sorts, filters and cuts the rows of a digest by what people
// write on a command line: --sort p99 --filter 'count>=10' --limit 20.
package selection

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hotseat"
)

// Column is one property of rows. Exactly one of its functions is set.
type Column[R any] struct {
	Number func(*R) float64
	Text   func(*R) string
}

// Columns are the properties of rows by name.
type Columns[R any] map[string]Column[R]

// Choice says what to show of a digest.
type Choice struct {
	Sort    string   // a column; "" keeps the order
	Reverse bool     // smallest numbers first, last letters first
	Filters []string // all must hold: count>=10, method=POST, template~^/api
	Limit   int      // 0 is all
}

// Apply returns the chosen rows.
func (c Columns[R]) Apply(rows []R, choice Choice) ([]R, error) {
	var conditions []func(*R) bool
	for _, text := range choice.Filters {
		condition, err := c.condition(text)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, condition)
	}
	chosen := make([]R, 0, len(rows))
next:
	for i := range rows {
		for _, holds := range conditions {
			if !holds(&rows[i]) {
				continue next
			}
		}
		chosen = append(chosen, rows[i])
	}
	if choice.Sort != "" {
		column, ok := c[choice.Sort]
		if !ok {
			return nil, c.unknown("sort by", choice.Sort)
		}
		slices.SortStableFunc(chosen, func(a, b R) int {
			if column.Text != nil {
				return strings.Compare(column.Text(&a), column.Text(&b))
			}
			return cmp.Compare(column.Number(&b), column.Number(&a))
		})
	}
	if choice.Reverse {
		slices.Reverse(chosen)
	}
	if choice.Limit > 0 {
		chosen = chosen[:min(len(chosen), choice.Limit)]
	}
	return chosen, nil
}

func (c Columns[R]) unknown(what, name string) error {
	return hotseat.Invalid("the columns are "+strings.Join(slices.Sorted(maps.Keys(c)), ", "), "cannot %s %q", what, name)
}

// operators, the longer ones first.
var operators = []string{"!~", "!=", ">=", "<=", "==", "~", "=", ">", "<"}

// condition reads name, operator and value.
func (c Columns[R]) condition(text string) (func(*R) bool, error) {
	at := strings.IndexAny(text, "!=<>~")
	if at < 0 {
		return nil, hotseat.Invalid("write for example count>=10, method=POST or template~^/api", "%q is no condition", text)
	}
	name, rest := strings.TrimSpace(text[:at]), text[at:]
	operator := ""
	for _, o := range operators {
		if strings.HasPrefix(rest, o) {
			operator = o
			break
		}
	}
	value := strings.TrimSpace(rest[len(operator):])
	column, ok := c[name]
	switch {
	case operator == "":
		return nil, hotseat.Invalid("the operators are = != < <= > >= ~ !~", "%q is no condition", text)
	case !ok:
		return nil, c.unknown("filter by", name)
	case column.Text != nil:
		return textCondition(column.Text, operator, value)
	}
	number, err := strconv.ParseFloat(value, 64)
	if err != nil || strings.Contains(operator, "~") {
		return nil, hotseat.Invalid("times are in seconds, shares of 1", "%s is a number, which %q does not compare with", name, operator+value)
	}
	return func(r *R) bool { return holds(operator, cmp.Compare(column.Number(r), number)) }, nil
}

func textCondition[R any](get func(*R) string, operator, value string) (func(*R) bool, error) {
	if strings.Contains(operator, "~") {
		pattern, err := regexp.Compile(value)
		if err != nil {
			return nil, hotseat.Invalid("", "read the pattern of a filter: %w", err)
		}
		want := operator == "~"
		return func(r *R) bool { return pattern.MatchString(get(r)) == want }, nil
	}
	return func(r *R) bool { return holds(operator, strings.Compare(get(r), value)) }, nil
}

func holds(operator string, order int) bool {
	switch operator {
	case "=", "==":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	default:
		return order >= 0
	}
}
