package isucon12qscenario

import (
	"fmt"
	"net/http"
	"path"

	"hotseat/bench"
	"hotseat/bench/check"
)

// initialBilling is group E: what the truth says that tenants owe.
func (w *world) initialBilling(u *bench.User) error {
	b := newBrowser(u, w).asAdmin()
	page, p, err := b.tenantsPage(int64(oneOf(u.Rand, 12, 29)))
	if err != nil {
		return err
	}
	b.exercised(ruleAdminBillingInitial)
	for i := range page {
		var id int
		if _, err := fmt.Sscan(page[i].ID, &id); err != nil || id < 1 || id > len(w.initial) {
			continue // only where the rule about pages is switched off
		}
		if t := w.tenantOf(id); *page[i].Billing != t.initial.yen {
			if err := b.blame(p, wrongYen(t, *page[i].Billing, "owes")); err != nil {
				return err
			}
		}
	}
	if !w.strict {
		return nil
	}
	// What comes after the last page. The last page itself has the largest
	// tenant, over which the given app broods for half a minute.
	_, _, err = b.tenantsPage(1)
	return err
}

// staticFiles is group F. The original looked at one page, one script and one style sheet.
func (w *world) staticFiles(u *bench.User) error {
	u.SetHost(w.tenantOf(1).host)
	for i, f := range w.truth.static {
		if i == 3 && !w.strict {
			break
		}
		p := u.Get(f.path).Route("/"+path.Base(f.path)).Expect(bench.Status(ruleOKStatus, http.StatusOK),
			bench.That(ruleStaticFile, func(p *bench.Page) *bench.Mismatch {
				if string(p.Body()) == string(f.content) {
					return nil
				}
				return &bench.Mismatch{Code: check.AssetDigest, Expected: fmt.Sprintf("the %d bytes that were given", len(f.content)),
					Actual: fmt.Sprintf("%d other bytes", len(p.Body())), Message: "a static file is not the one that was given"}
			}))
		if !p.OK() {
			return p.Err()
		}
	}
	return nil
}

// initialData looks at some initial tenants: their players and competitions,
// and whether those who are disqualified are refused.
func (w *world) initialData(u *bench.User) error {
	tenants := []*tenant{w.tenantOf(oneOf(u.Rand, 2, 30)), w.tenantOf(oneOf(u.Rand, 31, seedFirst-1))}
	if c := w.seed.competition; c != nil {
		tenants = append(tenants, c.tenant)
	} else {
		tenants = append(tenants, w.tenantOf(oneOf(u.Rand, seedFirst, seedLast)))
	}
	for _, t := range tenants {
		b := newBrowser(u, w).asOrganizer(t)
		b.exercised(ruleInitialLists, ruleInitializeReset)
		if _, err := b.organizersList(); err != nil {
			return err
		}
		if _, err := b.list(); err != nil {
			return err
		}
		for _, want := range []tristate{isNot, is} {
			who := t.anyone(want)
			if who == nil {
				continue
			}
			b.asPlayer(t, who)
			if want == isNot {
				if _, err := b.playersList(); err != nil {
					return err
				}
				continue
			}
			err := b.refused(ruleInitialLists, u.Get(pathPlayersCompetitions), http.StatusForbidden, "competitions for an initially disqualified player")
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// anyone returns a player whose initial standing is this.
func (t *tenant) anyone(want tristate) *player {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.roster {
		if p.initially == want {
			return p
		}
	}
	return nil
}
