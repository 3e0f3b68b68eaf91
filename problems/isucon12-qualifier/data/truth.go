package data

import (
	"bufio"
	"encoding/json"
	"path/filepath"
)

// sample is an entry of benchmarker.json: a player of a tenant beside one of
// its competitions (§12).
type sample struct {
	TenantName     string `json:"tenant_name"`
	CompetitionID  string `json:"competition_id"`
	IsFinished     bool   `json:"is_finished"`
	PlayerID       string `json:"player_id"`
	IsDisqualified bool   `json:"is_disqualified"`
}

// bill is an entry of benchmarker_tenant.json: what a tenant owes.
type bill struct {
	TenantID     int64             `json:"tenant_id"`
	TenantName   string            `json:"tenant_name"`
	Billing      int64             `json:"billing"`
	Competitions []competitionBill `json:"competitions"`
}

// competitionBill has the contest's own capital B, which came from a struct tag
// that was not one.
type competitionBill struct {
	ID      string `json:"id"`
	Billing int64
}

// samples draws one competition for every player.
func samples(tenants []tenant, seed uint64) []sample {
	chance := newChance(seed, truthStream)
	var all []sample
	for _, t := range tenants {
		for _, p := range t.players {
			c := t.competitions[chance.below(len(t.competitions))]
			all = append(all, sample{t.name, c.id, c.finished(), p.id, p.disqualified})
		}
	}
	return all
}

// bills reckons what every tenant owes at the start; their history must have
// been drawn.
func bills(tenants []tenant) []bill {
	all := make([]bill, 0, len(tenants))
	for _, t := range tenants {
		b := bill{TenantID: int64(t.id), TenantName: t.name, Billing: t.yen()}
		for _, c := range t.competitions {
			b.Competitions = append(b.Competitions, competitionBill{c.id, c.yen()})
		}
		all = append(all, b)
	}
	return all
}

// writeTruth writes what the benchmark checks against.
func writeTruth(dir string, tenants []tenant, seed uint64) error {
	if err := writeJSON(filepath.Join(dir, "truth/benchmarker.json"), samples(tenants, seed)); err != nil {
		return err
	}
	return writeJSON(filepath.Join(dir, "truth/benchmarker_tenant.json"), bills(tenants))
}

func writeJSON(path string, content any) error {
	return writeFile(path, func(out *bufio.Writer) error { return json.NewEncoder(out).Encode(content) })
}
