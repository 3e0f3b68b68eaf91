package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func (m *Main) problemsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "problems",
		Short:   "What there is to practise on",
		Example: "  hotseat problems",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return m.problemsJSON()
			}
			w := tabwriter.NewWriter(m.Stdout, 0, 0, 2, ' ', 0)
			for _, p := range m.registry.List() {
				_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", p.ID, p.Title, strings.Join(p.Languages, ", "))
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (m *Main) problemsJSON() error {
	type row struct {
		ID        string   `json:"id"`
		Title     string   `json:"title"`
		Summary   string   `json:"summary"`
		Version   string   `json:"version"`
		Languages []string `json:"languages"`
	}
	rows := []row{}
	for _, p := range m.registry.List() {
		rows = append(rows, row{p.ID, p.Title, p.Summary, p.Version, p.Languages})
	}
	return m.printJSON(rows)
}

// printJSON writes v for a script.
func (m *Main) printJSON(v any) error {
	e := json.NewEncoder(m.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
