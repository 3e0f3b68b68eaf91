package judge

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"hotseat"
)

// Kind says what a case is there for.
type Kind string

// The kinds of cases.
const (
	Fault   Kind = "fault"   // a way of being wrong: must be caught
	Variant Kind = "variant" // a correct but unusual implementation: must pass
)

// Case is one [[case]] of faults.toml.
type Case struct {
	Name string `toml:"name"`
	Kind Kind   `toml:"kind"`
	Why  string `toml:"why"` // one line for people: what is wrong, or unusual, and who would do that

	// Faults only: the failure by which it is caught, and the other rules that
	// may be named besides, because the fault breaks them as well.
	Code string   `toml:"code"`
	Rule string   `toml:"rule"`
	Also []string `toml:"also"`

	Patch   string   `toml:"patch"` // of the workspace, a file beside faults.toml
	Tampers []Tamper `toml:"tamper"`

	Params map[string]string `toml:"params"` // of the benchmark, over those of problem.toml's [judge]
	Runs   int               `toml:"runs"`   // in a row, the last of which is judged; for what only a second run can show
}

// book is the whole of a faults.toml.
type book struct {
	cases []*Case
	doc   document
}

// The places of a problem's cases.
const (
	faultsDir = "faults"
	casesFile = "faults.toml"
)

// caseName is what names of cases look like: they are typed on command lines.
var caseName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// loadCases reads the cases of a problem. Errors name the file, the line and
// what was expected there. Whether the rules exist is known only once the
// benchmark has run; see [book.checkRules].
func loadCases(problem string, files fs.FS) (*book, error) {
	name := path.Join(faultsDir, casesFile)
	text, err := fs.ReadFile(files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hotseat.NotFound("docs/writing-a-problem.md tells how to write one", "%s has no %s: there is nothing to judge by", problem, name)
	}
	if err != nil {
		return nil, err
	}
	b := &book{doc: document{path.Join(problem, name), text}}
	var content struct {
		Case []*Case `toml:"case"`
	}
	if err := b.doc.decode(&content); err != nil {
		return nil, err
	}
	b.cases = content.Case
	if len(b.cases) == 0 {
		return nil, b.doc.expect(1, "", "at least one [[case]]")
	}
	for i, c := range b.cases {
		if err := b.check(i, c, files); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// check refuses a case that makes no sense, whatever the rules are.
func (b *book) check(i int, c *Case, files fs.FS) error {
	wrong := func(key, want string) error { return b.doc.expect(i+1, key, want) }
	switch {
	case !caseName.MatchString(c.Name):
		return wrong("name", "a name of lower-case letters, digits and hyphens")
	case c.Name == untouched:
		return wrong("name", `another name: "`+untouched+`" is the app without any patch`)
	case slices.ContainsFunc(b.cases[:i], func(other *Case) bool { return other.Name == c.Name }):
		return wrong("name", "a name of its own: another case is called "+c.Name)
	case c.Kind != Fault && c.Kind != Variant:
		return wrong("kind", `"fault" or "variant"`)
	case c.Why == "" || strings.Contains(c.Why, "\n"):
		return wrong("why", "one line that says what is wrong, or unusual")
	case c.Kind == Fault && c.Rule == "":
		return wrong("rule", "the id of the rule that must catch the fault")
	case c.Kind == Fault && c.Code == "":
		return wrong("code", "the failure code by which the fault must be caught")
	case c.Kind == Variant && c.Rule+c.Code != "":
		return wrong("rule", "neither rule nor code: a variant has no failure")
	case c.Kind == Variant && len(c.Also) > 0:
		return wrong("also", "nothing: a variant has no failure")
	case c.Patch == "" && len(c.Tampers) == 0:
		return wrong("patch", "a patch, or a [[case.tamper]]: otherwise nothing is wrong, or unusual")
	case c.Runs < 0:
		return wrong("runs", "a number of runs, 1 or more")
	}
	if c.Patch != "" {
		if _, err := fs.Stat(files, path.Join(faultsDir, c.Patch)); err != nil {
			return wrong("patch", "a file in "+faultsDir+"/")
		}
	}
	for n, t := range c.Tampers {
		if _, err := compile(t, 0); err != nil {
			return hotseat.Invalid("see the tampering's other keys in judge/tamper.go",
				"%s:%d: tamper %d of %s: %w", b.doc.name, b.doc.lineOf(i+1, ""), n+1, c.Name, err)
		}
	}
	return nil
}

// checkRules refuses cases that name rules which the benchmark does not have.
func (b *book) checkRules(rules []hotseat.Rule) error {
	known := map[string]bool{}
	for _, r := range rules {
		known[r.ID] = true
	}
	for i, c := range b.cases {
		if c.Kind == Fault && !known[c.Rule] {
			return b.doc.expect(i+1, "rule", "a rule of the benchmark")
		}
		for _, id := range c.Also {
			if !known[id] {
				return b.doc.expect(i+1, "also", "rules of the benchmark; there is no "+id)
			}
		}
	}
	return nil
}

// selected returns the cases to run: all, or the one of that name.
func (b *book) selected(name string) ([]*Case, error) {
	if name == "" {
		return b.cases, nil
	}
	for _, c := range b.cases {
		if c.Name == name {
			return []*Case{c}, nil
		}
	}
	return nil, hotseat.NotFound("they stand in "+b.doc.name+", as "+b.cases[0].Name+" does", "no case is called %q", name)
}

// document is a TOML text with its name, for errors that say where.
type document struct {
	name string
	text []byte
}

// decode reads the text into v; unknown keys are errors.
func (d document) decode(v any) error {
	err := toml.NewDecoder(bytes.NewReader(d.text)).DisallowUnknownFields().Decode(v)
	var strict *toml.StrictMissingError
	var bad *toml.DecodeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &strict):
		row, _ := strict.Errors[0].Position()
		return hotseat.Invalid("remove it, or correct its spelling", "%s:%d: unknown key %s", d.name, row, strings.Join(strict.Errors[0].Key(), "."))
	case errors.As(err, &bad):
		row, _ := bad.Position()
		return hotseat.Invalid("", "%s:%d: %s", d.name, row, strings.TrimPrefix(bad.Error(), "toml: "))
	default:
		return fmt.Errorf("%s: %w", d.name, err)
	}
}

// expect makes an error about a key of the n-th case, from 1.
func (d document) expect(n int, key, want string) error {
	what := key
	if what == "" {
		what = "case"
	}
	return hotseat.Invalid("expected "+want, "%s:%d: %s is missing or wrong", d.name, d.lineOf(n, key), what)
}

// lineOf returns the line of a key of the n-th case; that of the case where the
// key is absent.
func (d document) lineOf(n int, key string) int {
	at, row := 0, 1
	own := false // before the first table of the n-th case
	for i, line := range strings.Split(string(d.text), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[[case]]") {
			at++
			if own = at == n; own {
				row = i + 1
			}
			continue
		}
		if strings.HasPrefix(line, "[") {
			own = false
		}
		if k, _, ok := strings.Cut(line, "="); ok && own && strings.TrimSpace(k) == key {
			return i + 1
		}
	}
	return row
}
