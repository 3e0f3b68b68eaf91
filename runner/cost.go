package runner

import (
	"encoding/json"
	"os"
	"path/filepath"

	"hotseat/problem"
)

// Cost is what measuring does to the score, by an A/B of runs with and without:
// the ratio of measured scores to unmeasured ones, with a 95 % interval.
type Cost struct {
	Ratio float64 `json:"ratio"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Pairs int     `json:"pairs"`
}

func costFile(w *problem.Workspace) string { return filepath.Join(w.StateDir(), "measure-cost.json") }

// RememberCost keeps the answer with the workspace: its later results carry it.
func RememberCost(w *problem.Workspace, c Cost) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := os.WriteFile(costFile(w), text, 0o644); err != nil {
		return noSpaceHint(err)
	}
	return nil
}

// rememberedCost is nil where it was never measured.
func rememberedCost(w *problem.Workspace) *Cost {
	var c Cost
	text, err := os.ReadFile(costFile(w))
	if err != nil || json.Unmarshal(text, &c) != nil {
		return nil
	}
	return &c
}
