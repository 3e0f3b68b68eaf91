package report

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// Flame graphs are drawn from the root downwards, and only what can be seen:
// a frame narrower than half a pixel is left out, and so is what lies deeper
// than a page is high.
const (
	flameRow     = 18.0
	flameDepth   = 48
	flameVisible = 0.5 // pixels
)

// frameNode is one function with what it called.
type frameNode struct {
	name     string
	value    int64 // of it and all below it
	children map[string]*frameNode
}

func (n *frameNode) child(name string) *frameNode {
	if n.children == nil {
		n.children = map[string]*frameNode{}
	}
	c := n.children[name]
	if c == nil {
		c = &frameNode{name: name}
		n.children[name] = c
	}
	return c
}

// Flame is the profile of one part of the stack.
type Flame struct {
	Name    string // of the part
	Seconds float64
	root    *frameNode
}

// readFlames reads the run's profiles. One that cannot be read is a note.
func (run *Run) readFlames(dir string) {
	files, _ := filepath.Glob(filepath.Join(dir, "profile-*.pb.gz")) // the pattern is well-formed
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "profile-"), ".pb.gz")
		f, err := readFlame(file)
		if err != nil {
			run.note("%s cannot be read: %v", filepath.Base(file), err)
			continue
		}
		f.Name = Visible(name)
		run.flames = append(run.flames, f)
	}
}

func readFlame(file string) (*Flame, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // read only
	p, err := profile.Parse(in)
	if err != nil {
		return nil, err
	}
	// The last kind of value is the one that profiles are looked at for: CPU
	// nanoseconds in Go's, whose first counts samples.
	kind := len(p.SampleType) - 1
	if kind < 0 {
		return nil, errors.New("it has no samples")
	}
	root := &frameNode{name: "all"}
	for _, s := range p.Sample {
		value := s.Value[kind]
		if value <= 0 {
			continue
		}
		root.value += value
		at := root
		for i := len(s.Location) - 1; i >= 0; i-- { // the leaf comes first
			lines := s.Location[i].Line
			for j := len(lines) - 1; j >= 0; j-- { // inlined calls: the innermost comes first
				name := "?"
				if lines[j].Function != nil {
					name = lines[j].Function.Name
				}
				at = at.child(Visible(name))
				at.value += value
			}
		}
	}
	if root.value == 0 {
		return nil, errors.New("it has no samples")
	}
	f := &Flame{root: root}
	if p.SampleType[kind].Unit == "nanoseconds" {
		f.Seconds = float64(root.value) / 1e9
	}
	return f, nil
}

// picture draws the graph from the root downwards.
func (f *Flame) picture(id string) picture {
	top := f.top()
	desc := "Most of its own time: " + strings.Join(top, ", ") + ". The table below says the same."
	return draw(id, "Flame graph of "+f.Name, desc, func(d *drawing) {
		deepest := 0
		f.frames(d, f.root, 0, d.width, 0, &deepest)
		d.height = float64(deepest+1) * flameRow
	})
}

func (f *Flame) frames(d *drawing, n *frameNode, x, width float64, depth int, deepest *int) {
	*deepest = max(*deepest, depth)
	y := float64(depth) * flameRow
	share := float64(n.value) / float64(f.root.value)
	tip := fmt.Sprintf("%s: %s", n.name, percent(share))
	if f.Seconds > 0 {
		tip += ", " + seconds(share*f.Seconds)
	}
	d.rect(fmt.Sprintf("flame f%d", flameColour(n.name)), tip, x, y, width, flameRow-1)
	if name := fit(shortFunction(n.name), int((width-8)/6.6)); width > 40 && len(name) > 2 {
		d.text("flame-name", "start", x+4, y+flameRow-5, name)
	}
	if depth == flameDepth {
		return
	}
	children := make([]*frameNode, 0, len(n.children))
	for _, c := range n.children {
		children = append(children, c)
	}
	slices.SortFunc(children, func(a, b *frameNode) int { return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.name, b.name)) })
	for _, c := range children {
		w := width * float64(c.value) / float64(n.value)
		if w < flameVisible {
			break
		}
		f.frames(d, c, x, w, depth+1, deepest)
		x += w
	}
}

// flameColour is 0 for the runtime's own work, 1 for what comes with the
// language and from outside, 2 for the app's own code.
func flameColour(name string) int {
	switch {
	case strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "syscall.") || strings.HasPrefix(name, "internal/runtime"):
		return 0
	case strings.HasPrefix(name, "main."):
		return 2
	}
	return 1
}

// shortFunction leaves out the folders of a package's path.
func shortFunction(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[i+1:]
	}
	return name
}

// flameLine is one function in the table below a flame graph.
type flameLine struct {
	Name       string
	Own, Total float64 // shares
}

// table lists the functions with most time of their own.
func (f *Flame) table() []flameLine {
	own, total := map[string]int64{}, map[string]int64{}
	var walk func(n *frameNode, above map[string]bool)
	walk = func(n *frameNode, above map[string]bool) {
		rest := n.value
		for _, c := range n.children {
			rest -= c.value
		}
		own[n.name] += rest
		if !above[n.name] { // a function that calls itself counts once
			total[n.name] += n.value
			above[n.name] = true
			defer delete(above, n.name)
		}
		for _, c := range n.children {
			walk(c, above)
		}
	}
	for _, c := range f.root.children {
		walk(c, map[string]bool{})
	}
	var lines []flameLine
	for name, value := range own {
		if value > 0 {
			lines = append(lines, flameLine{name, float64(value) / float64(f.root.value), float64(total[name]) / float64(f.root.value)})
		}
	}
	slices.SortFunc(lines, func(a, b flameLine) int { return cmp.Or(cmp.Compare(b.Own, a.Own), cmp.Compare(a.Name, b.Name)) })
	return lines[:min(len(lines), 25)]
}

// top names the first few of the table.
func (f *Flame) top() []string {
	var names []string
	for _, l := range f.table()[:min(3, len(f.table()))] {
		names = append(names, shortFunction(l.Name)+" "+percent(l.Own))
	}
	return names
}
