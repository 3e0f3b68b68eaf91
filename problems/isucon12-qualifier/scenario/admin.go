package isucon12qscenario

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"hotseat/bench"
)

// Paths of the operator.
const (
	pathTenantsAdd   = "/api/admin/tenants/add"
	pathAdminBilling = "/api/admin/tenants/billing"
)

// tenantsPerPage is the size of a page of the billing of all tenants.
const tenantsPerPage = 10

// addTenant adds a tenant.
func (b *browser) addTenant(name, display string) (*tenant, error) {
	w := b.world
	w.mu.Lock()
	w.doubt++
	w.mu.Unlock()
	p, err := b.doBusy(func() *bench.Step {
		return b.user.PostForm(pathTenantsAdd, "name", name, "display_name", display)
	})
	if err != nil {
		if !p.Sent() || refusedOutright(p) {
			w.mu.Lock()
			w.doubt--
			w.mu.Unlock()
		}
		return nil, err
	}
	data, err := read[tenantData](b, p)
	if err != nil {
		return nil, err
	}
	b.exercised(ruleEcho)
	d := &data.Tenant
	if d.Name != name || d.DisplayName != display || *d.Billing != 0 {
		err := b.blame(p, &finding{Problem: bench.Problem{Rule: ruleEcho, Code: "value-mismatch",
			Expected: fmt.Sprintf("%s, %q, billing 0", name, display), Actual: fmt.Sprintf("%s, %q, billing %d", d.Name, d.DisplayName, *d.Billing),
			Message: "the new tenant is not the one that was asked for"}})
		if err != nil {
			return nil, err
		}
	}
	t := newTenant(w, name)
	t.display, t.complete, t.addedAt = display, true, p.DoneAt()
	t.id, _ = strconv.ParseInt(d.ID, 10, 64) // 0 if it is no number, which the shape of ids allows
	w.mu.Lock()
	w.doubt--
	w.added = append(w.added, t)
	w.mu.Unlock()
	b.point(pointAddTenant)
	return t, nil
}

// newest asks for the newest tenants.
const newest = 0

// tenantsPage asks for the page of the billing of all tenants before an id.
func (b *browser) tenantsPage(before int64) ([]tenantDetail, *bench.Page, error) {
	path := pathAdminBilling
	if before != newest {
		path += "?before=" + strconv.FormatInt(before, 10)
	}
	s := b.user.Get(path).Route(pathAdminBilling)
	if !b.original() { // which gave it no longer than other requests outside the load
		s.Within(adminPatience)
	}
	p := b.do(s, statusOK)
	if !p.OK() {
		return nil, p, p.Err()
	}
	data, err := read[tenantsData](b, p)
	if err != nil {
		return nil, p, err
	}
	if err := b.blame(p, b.checkTenants(p, before, data.Tenants)...); err != nil {
		return nil, p, err
	}
	b.point(pointAdminBilling)
	return data.Tenants, p, nil
}

// checkTenants compares a page with the tenants that are known.
func (b *browser) checkTenants(p *bench.Page, before int64, page []tenantDetail) (findings []*finding) {
	b.exercised(ruleAdminBillingPage)
	w := b.world
	wrong := func(code, expected, actual, message string) {
		findings = append(findings, &finding{Problem: bench.Problem{Rule: ruleAdminBillingPage, Code: code, Expected: expected, Actual: actual, Message: message}})
	}
	if len(page) > tenantsPerPage {
		wrong("value-mismatch", fmt.Sprintf("at most %d tenants", tenantsPerPage), fmt.Sprint(len(page)), "the page is too long")
	}
	ids := make([]int64, len(page))
	for i := range page {
		var err error
		if ids[i], err = strconv.ParseInt(page[i].ID, 10, 64); err != nil {
			wrong("value-mismatch", "a decimal id", page[i].ID, "the id of a tenant is not a number")
			return findings
		}
		if i > 0 && ids[i] >= ids[i-1] {
			wrong("wrong-order", fmt.Sprintf("an id below %d", ids[i-1]), page[i].ID, "the tenants are not in descending order of ids")
			return findings
		}
		if before != newest && ids[i] >= before {
			wrong("value-mismatch", fmt.Sprintf("ids below %d", before), page[i].ID, "a tenant is on the page that is not before the one asked for")
			return findings
		}
	}
	// Initial tenants have all numbers from 1; how the later ones are numbered is nobody's business.
	have := int64(len(w.initial))
	full := before == newest || before > have+1
	least := tenantsPerPage
	if !full {
		least = min(tenantsPerPage, max(int(before)-1, 0))
	}
	if len(page) < least {
		wrong("lost-write", fmt.Sprintf("%d tenants", least), fmt.Sprint(len(page)), "there are more tenants than the page shows")
		return findings
	}
	next := before - 1
	if full {
		next = have
	}
	for _, id := range ids {
		if id <= have {
			if id != next {
				wrong("lost-write", fmt.Sprintf("tenant %d", next), fmt.Sprintf("tenant %d", id), "an initial tenant is missing on the page")
				return findings
			}
			next--
		}
	}
	w.mu.Lock()
	added := slices.Clone(w.added)
	w.mu.Unlock()
	for _, t := range added {
		t.mu.Lock()
		id := t.id
		t.mu.Unlock()
		if id == 0 || before != newest && id >= before || !t.addedAt.Before(p.SentAt()) {
			continue
		}
		i := slices.Index(ids, id)
		if i < 0 && (len(ids) < tenantsPerPage || id > ids[len(ids)-1]) {
			wrong("lost-write", fmt.Sprintf("tenant %d, %s", id, t.name), fmt.Sprint(ids), "a new tenant is missing on the page")
			return findings
		}
		if i >= 0 && (page[i].Name != t.name || page[i].DisplayName != t.display) {
			wrong("value-mismatch", fmt.Sprintf("%s, %q", t.name, t.display), fmt.Sprintf("%s, %q", page[i].Name, page[i].DisplayName), "a tenant has other names")
		}
	}
	for i, id := range ids {
		if id > have {
			continue
		}
		t := w.tenantOf(int(id))
		if page[i].Name != t.name {
			wrong("value-mismatch", t.name, page[i].Name, "an initial tenant has another name")
		}
		if *page[i].Billing < t.initial.yen {
			b.exercised(ruleAdminBillingInitial)
			findings = append(findings, wrongYen(t, *page[i].Billing, "at least"))
		}
	}
	return findings
}

// wrongYen tells of an initial tenant that is not billed as the truth says.
func wrongYen(t *tenant, got int64, words string) *finding {
	return &finding{Problem: bench.Problem{Rule: ruleAdminBillingInitial, Code: "sum-mismatch",
		Expected: fmt.Sprintf("%s %s %d yen", t.name, words, t.initial.yen), Actual: fmt.Sprintf("%d yen", got),
		Message: "an initial tenant is not billed as it was", Hint: "only visits not later than the finish count, and scored players are no visitors"}}
}

// The seed is what an earlier run might have left behind: what the run does
// before it initialises, so that an initialisation that keeps it is found on a
// fresh machine as well.
type seed struct {
	competition *competition // an unfinished initial one that gets finished
	named       bool         // the tenant of bad requests was added, or refused, for certain
}

// badTenant is the tenant of the requests that are refused. Every run adds it,
// so that it fails after one that was not cleared away (§11).
const badTenant = "badrequest-tenantid"

// seedTenants are those that the seed is chosen from: no other check knows their bill exactly.
const (
	seedFirst = 71
	seedLast  = 100
)

func (s *seed) choose(w *world) {
	dice := w.run.Rand("seed")
	var all []*competition
	for _, t := range w.initial[seedFirst-1 : seedLast] {
		for _, i := range t.initial.competitions {
			if i.finished == isNot {
				all = append(all, t.byID[i.id])
			}
		}
	}
	if len(all) == 0 || !w.strict {
		return
	}
	s.competition = all[dice.IntN(len(all))]
	s.competition.initial.seeded = true
}

// sow does what an earlier run might have done. Whatever is answered is right.
func (w *world) sow(u *bench.User) error {
	b := newBrowser(u, w).asAdmin()
	const enough = 5 * time.Second
	p := b.user.PostForm(pathTenantsAdd, "name", badTenant, "display_name", badTenant).Within(enough).Do()
	w.seed.named = p.Status() != 0 || !p.Sent()
	if c := w.seed.competition; c != nil && w.seed.named {
		b.asOrganizer(c.tenant)
		p := b.user.Request("POST", pathFinish(c.id)).Route(routeFinish).Within(enough).Do()
		if p.Status() == 0 && p.Sent() {
			c.initial.finished = notTold // it may be done later
		}
	}
	return nil
}
