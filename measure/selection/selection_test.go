package selection

import (
	"strings"
	"testing"

	"hotseat"
)

func routes() []hotseat.AccessRoute {
	make := func(method, template string, count int64, p99 float64, broken int64) hotseat.AccessRoute {
		return hotseat.AccessRoute{Method: method, Template: template, Count: count, RequestTime: hotseat.Spread{Count: count, P99: p99}, Status: hotseat.StatusClasses{Server: broken}}
	}
	return []hotseat.AccessRoute{make("GET", "/", 100, 0.1, 0), make("POST", "/login", 20, 0.5, 2), make("GET", "/items/*", 300, 0.02, 0), make("GET", "/api/x", 20, 0.3, 1)}
}

func TestApply(t *testing.T) {
	for name, c := range map[string]struct {
		choice Choice
		want   string
	}{
		"all":                 {Choice{}, "/ /login /items/* /api/x"},
		"by number":           {Choice{Sort: "p99"}, "/login /api/x / /items/*"},
		"reverse":             {Choice{Sort: "p99", Reverse: true}, "/items/* / /api/x /login"},
		"by name":             {Choice{Sort: "template"}, "/ /api/x /items/* /login"},
		"limit":               {Choice{Sort: "count", Limit: 2}, "/items/* /"},
		"stable":              {Choice{Sort: "count"}, "/items/* / /login /api/x"},
		"number and text":     {Choice{Filters: []string{"count>=20", "method=GET"}}, "/ /items/* /api/x"},
		"pattern":             {Choice{Filters: []string{"template~^/(api|login)"}}, "/login /api/x"},
		"no pattern":          {Choice{Filters: []string{"template!~^/(api|login)"}}, "/ /items/*"},
		"not equal, blanks":   {Choice{Filters: []string{"5xx != 0"}}, "/login /api/x"},
		"below":               {Choice{Filters: []string{"p99<0.1"}}, "/items/*"},
		"at most, nothing":    {Choice{Filters: []string{"count<=1"}}, ""},
		"above, then limited": {Choice{Filters: []string{"count>20"}, Limit: 1}, "/"},
	} {
		t.Run(name, func(t *testing.T) {
			rows, err := Routes().Apply(routes(), c.choice)
			var got []string
			for _, r := range rows {
				got = append(got, r.Template)
			}
			if s := strings.Join(got, " "); s != c.want || err != nil {
				t.Errorf("%q, %v; want %q", s, err, c.want)
			}
		})
	}
	for _, bad := range []Choice{{Sort: "beauty"}, {Filters: []string{"beauty>1"}}, {Filters: []string{"count"}}, {Filters: []string{"count>x"}}, {Filters: []string{"count~1"}}, {Filters: []string{"method~("}}, {Filters: []string{"count!1"}}} {
		if _, err := Routes().Apply(routes(), bad); hotseat.CodeOf(err) != hotseat.CodeInvalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// Every column of every kind of row can be read of an empty row.
func TestColumns(t *testing.T) {
	for name, c := range Routes() {
		use(t, name, c, &hotseat.AccessRoute{})
	}
	for name, c := range Classes() {
		use(t, name, c, &hotseat.QueryClass{})
	}
	for name, c := range Edges() {
		use(t, name, c, &hotseat.JoinEdge{})
	}
}

func use[R any](t *testing.T, name string, c Column[R], row *R) {
	t.Helper()
	if (c.Number == nil) == (c.Text == nil) {
		t.Errorf("%s must be a number or a text", name)
		return
	}
	if c.Number != nil && c.Number(row) != 0 || c.Text != nil && c.Text(row) != "" {
		t.Errorf("%s of nothing is something", name)
	}
}
