package report

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// effectiveFolder holds the configuration that a run's servers really ran with.
const effectiveFolder = "effective"

// maxConfigBytes is how much of one configuration file is compared and shown.
const maxConfigBytes = 64 << 10

// configFile is one file that a server ran with, and how it differs from the
// run before.
type configFile struct {
	Name    string
	Text    string
	Changed []diffLine // nil: it is as it was, or there was no run before
	New     bool
}

// Configuration is what the servers ran with.
type Configuration struct {
	Files    []configFile
	Settings []settingChange // MariaDB's variables and the kernel's that changed
	Before   string          // the run compared with; empty if there is none
}

type settingChange struct{ Name, Before, Now string }

// readConfiguration reads the run's effective files, and those of the measured
// run before it.
func (run *Run) readConfiguration(dir string) {
	now := readConfigFiles(filepath.Join(dir, effectiveFolder))
	before := map[string]string{}
	c := &run.Configuration
	if earlier := RunBefore(dir, effectiveFolder); earlier != "" {
		c.Before = filepath.Base(earlier)
		before = readConfigFiles(filepath.Join(earlier, effectiveFolder))
		c.Settings = settingChanges(readSettings(earlier), readSettings(dir))
	}
	names := make([]string, 0, len(now))
	for name := range now {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f := configFile{Name: name, Text: now[name]}
		if c.Before != "" {
			old, there := before[name]
			f.New = !there
			if there && old != f.Text {
				f.Changed = diff(strings.Split(strings.TrimRight(old, "\n"), "\n"), strings.Split(strings.TrimRight(f.Text, "\n"), "\n"))
			}
		}
		c.Files = append(c.Files, f)
	}
}

// RunBefore is the folder of the latest run before the one in dir, of those that
// hold a file or folder called part; empty if there is none.
func RunBefore(dir, part string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		return ""
	}
	found := ""
	for _, e := range entries { // sorted by name, which begins with the time
		if e.Name() >= filepath.Base(dir) {
			break
		}
		path := filepath.Join(filepath.Dir(dir), e.Name())
		if _, err := os.Stat(filepath.Join(path, part)); err == nil {
			found = path
		}
	}
	return found
}

func readConfigFiles(dir string) map[string]string {
	files := map[string]string{}
	// What cannot be read is not shown: configuration is no part that a report
	// must have.
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || len(text) > maxConfigBytes {
			return nil
		}
		if rel, err := filepath.Rel(dir, path); err == nil {
			files[rel] = string(text)
		}
		return nil
	})
	return files
}

// readSettings are MariaDB's variables and the kernel's settings in a picture.
func readSettings(dir string) map[string]string {
	text, err := os.ReadFile(filepath.Join(dir, "picture.json"))
	if err != nil {
		return nil
	}
	var p struct {
		MariaDB *struct {
			Variables map[string]string `json:"variables"`
		} `json:"mariadb"`
		Kernel map[string]string `json:"kernel"`
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return nil
	}
	all := map[string]string{}
	if p.MariaDB != nil {
		for name, value := range p.MariaDB.Variables {
			all["MariaDB "+name] = value
		}
	}
	for name, value := range p.Kernel {
		if !strings.HasSuffix(name, "_count") && name != "fs.file-nr" {
			all[name] = value
		}
	}
	return all
}

// restlessSettings differ from run to run by themselves.
var restlessSettings = []string{"MariaDB timestamp", "MariaDB gtid_binlog_pos", "MariaDB gtid_binlog_state", "MariaDB gtid_current_pos", "MariaDB slow_query_log_file",
	"MariaDB log_output", "MariaDB slow_query_log", "MariaDB long_query_time"}

func settingChanges(before, now map[string]string) []settingChange {
	var all []settingChange
	if before == nil || now == nil {
		return nil
	}
	for name, value := range now {
		if was, there := before[name]; there && was != value && !slices.Contains(restlessSettings, name) {
			all = append(all, settingChange{name, was, value})
		}
	}
	slices.SortFunc(all, func(a, b settingChange) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// diffLine is a line of a difference: "+", "-" or " " and the text.
type diffLine struct{ Sign, Text string }

// diffContext is how many unchanged lines surround a change.
const diffContext = 2

// maxDiff bounds the lines compared: the table takes their product.
const maxDiff = 2000

// diff tells two texts apart line by line, by their longest common subsequence.
func diff(a, b []string) []diffLine {
	if len(a) > maxDiff || len(b) > maxDiff {
		return []diffLine{{" ", "too long to be compared line by line"}}
	}
	common := make([][]uint16, len(a)+1) // of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]uint16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var all []diffLine
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			all = append(all, diffLine{" ", a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			all = append(all, diffLine{"-", a[i]})
			i++
		default:
			all = append(all, diffLine{"+", b[j]})
			j++
		}
	}
	return aroundChanges(all)
}

// aroundChanges leaves out what is far from any change.
func aroundChanges(all []diffLine) []diffLine {
	keep := make([]bool, len(all))
	for i, l := range all {
		if l.Sign == " " {
			continue
		}
		for k := max(i-diffContext, 0); k <= min(i+diffContext, len(all)-1); k++ {
			keep[k] = true
		}
	}
	var out []diffLine
	for i, l := range all {
		if keep[i] {
			out = append(out, l)
		} else if i > 0 && keep[i-1] {
			out = append(out, diffLine{" ", "…"})
		}
	}
	return out
}
