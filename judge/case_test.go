package judge

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"hotseat"
)

const goodCases = `# two cases
[[case]]
name = "late"
kind = "fault"
rule = "p.threshold"
code = "not-locked"
also = ["p.report"]
why = "counts wrongly"
patch = "late.patch"
runs = 2

[[case]]
name = "gzip"
kind = "variant"
why = "is compressed"
[[case.tamper]]
path = "^/"
gzip = true
[[case.tamper]]
head = [{ name = "X", to = "y" }]
`

func load(text string) (*book, error) {
	return loadCases("prob", fstest.MapFS{
		"faults/faults.toml": &fstest.MapFile{Data: []byte(text)},
		"faults/late.patch":  &fstest.MapFile{Data: []byte("--- a\n")},
	})
}

func TestLoadCases(t *testing.T) {
	b, err := load(goodCases)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.cases) != 2 || b.cases[0].Runs != 2 || len(b.cases[1].Tampers) != 2 || !b.cases[1].Tampers[0].Gzip {
		t.Errorf("loaded %+v", b.cases)
	}
	rules := []hotseat.Rule{{ID: "p.threshold"}, {ID: "p.report"}}
	if err := b.checkRules(rules); err != nil {
		t.Error(err)
	}
	for want, known := range map[string][]hotseat.Rule{
		"prob/faults/faults.toml:5: rule is missing or wrong": rules[1:],
		"prob/faults/faults.toml:7: also is missing or wrong": rules[:1],
	} {
		if err := b.checkRules(known); hotseat.CodeOf(err) != hotseat.CodeInvalid || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	one, err := b.selected("gzip")
	if err != nil || len(one) != 1 || one[0].Name != "gzip" {
		t.Errorf("selected %v, %v", one, err)
	}
	if all, err := b.selected(""); err != nil || len(all) != 2 {
		t.Errorf("selected %v, %v", all, err)
	}
	_, err = b.selected("zip")
	var known *hotseat.Error
	if !errors.As(err, &known) || known.Code != hotseat.CodeNotFound || known.Hint != "they stand in prob/faults/faults.toml, as late does" {
		t.Errorf("an unknown case: %v", err)
	}
}

func TestBrokenCasesNameFileAndLine(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"syntax", `"late"`, `"late`, ":3:"},
		{"unknown key", `runs = 2`, `repeat = 2`, ":10: unknown key case.repeat"},
		{"unknown key of a tamper", `gzip = true`, `zip = true`, ":18: unknown key case.tamper.zip"},
		{"wrong type", `runs = 2`, `runs = "2"`, ":10:"},
		{"no case", goodCases, ``, ":1: case is missing"},
		{"no name", `name = "late"`, ``, ":2: name is missing"},
		{"bad name", `"late"`, `"Too Late"`, ":3: name is missing or wrong"},
		{"reserved name", `"late"`, `"untouched"`, ":3: name is missing or wrong"},
		{"name twice", `"gzip"`, `"late"`, ":13: name is missing or wrong"},
		{"kind", `"variant"`, `"variety"`, ":14: kind is missing or wrong"},
		{"no why", `why = "is compressed"`, ``, ":12: why is missing"},
		{"no rule", `rule = "p.threshold"`, ``, ":2: rule is missing"},
		{"no code", `code = "not-locked"`, ``, ":2: code is missing"},
		{"variant with a rule", `why = "is compressed"`, "why = \"x\"\nrule = \"p.report\"", ":16: rule is missing or wrong"},
		{"variant with other rules", `why = "is compressed"`, "why = \"x\"\nalso = [\"p.report\"]", ":16: also is missing or wrong"},
		{"nothing to play", `patch = "late.patch"`, ``, ":2: patch is missing"},
		{"no such patch", `"late.patch"`, `"early.patch"`, ":9: patch is missing"},
		{"negative runs", `runs = 2`, `runs = -1`, ":10: runs is missing or wrong"},
		{"tamper", `gzip = true`, `deliver = "pigeon"`, `:12: tamper 1 of gzip: deliver = "pigeon"`},
		{"second tamper", `to = "y" }`, `to = "y", match = "(" }`, `:12: tamper 2 of gzip: head: `},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(goodCases, c.old, c.new, 1)
			if text == goodCases {
				t.Fatal("the case changes nothing")
			}
			_, err := load(text)
			if hotseat.CodeOf(err) != hotseat.CodeInvalid || !strings.Contains(err.Error(), "prob/faults/faults.toml"+c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
	if _, err := loadCases("prob", fstest.MapFS{}); hotseat.CodeOf(err) != hotseat.CodeNotFound {
		t.Errorf("without a faults.toml: %v", err)
	}
}
