package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hotseat/bench"
)

const (
	reportPath    = "/report"
	reportTimeout = 60 * time.Second

	bannedList = "banned_ips"
	lockedList = "locked_users"
)

// checkReport fetches the report and compares it with the counters, as the
// original did to end its run (§15.9).
func (w *world) checkReport(u *bench.User) error {
	u.SetHeader("User-Agent", userAgent)
	if list := w.lists.next(); list != nil {
		u.SetHeader("X-Forwarded-For", list[0].ip)
	}
	var report map[string][]string
	p := u.Get(reportPath).Follow().Within(reportTimeout).Expect(
		bench.Status(ruleReportStatus, 200),
		bench.That(ruleReportShape, func(p *bench.Page) *bench.Mismatch { return checkShape(p.Body()) }),
	)
	if err := p.Err(); err != nil {
		return err // any failure after the load fails the run
	}
	if err := json.Unmarshal(p.Body(), &report); err != nil {
		return nil // only where the rule about the shape is switched off
	}
	c := comparison{user: u, page: p, world: w}
	compare := c.strict
	if !w.strict {
		compare = c.original
	}
	compare(bannedList, report, w.addressEntries(), ruleReportBanned, ruleReportNotBanned)
	compare(lockedList, report, w.accountEntries(), ruleReportLocked, ruleReportNotLocked)
	return c.err
}

// checkShape wants what the original's decoder accepted: an object of lists
// of strings, where null stands for an empty list.
func checkShape(body []byte) *bench.Mismatch {
	var report map[string][]string
	err := json.Unmarshal(body, &report)
	if err == nil && report != nil {
		return nil
	}
	m := &bench.Mismatch{
		Code:     "report-shape",
		Expected: `{"banned_ips": ["127.1.0.1", …], "locked_users": ["name", …]}`,
		Actual:   string(body[:min(len(body), 300)]),
		Message:  "the report is not a JSON object of lists of strings",
		Hint:     "members of other names are allowed, but they must be lists of strings too",
	}
	if err != nil {
		m.Message += ": " + err.Error()
	}
	return m
}

// comparison compares a report with what the world believes.
type comparison struct {
	user  *bench.User
	page  *bench.Page
	world *world
	err   error // of all failures
}

// entry is what may stand in a list.
type entry struct {
	name string
	*failures
	missing string // the rule that wants it there, where it must be
	rule    string // the rule that says when it must
}

func (w *world) addressEntries() []entry {
	var list []entry
	add := func(a *address) {
		missing := ruleReportBanned
		if a.succeeded {
			missing = ruleReportRebanned
		}
		list = append(list, entry{a.ip, &a.failures, missing, ruleBanThreshold})
	}
	w.lists.each(add)
	for _, a := range w.rehearsed {
		add(a)
	}
	return list
}

func (w *world) accountEntries() []entry {
	list := make([]entry, len(w.accounts))
	for i, a := range w.accounts {
		missing := ruleReportLocked
		if a.initial {
			missing = ruleReportInitial
		}
		list[i] = entry{a.login, &a.failures, missing, ruleLockThreshold}
	}
	return list
}

// strict wants a list to hold what certainly belongs there, nothing that
// certainly does not, and nothing twice. What was lost on the way belongs
// there or not, also in number.
func (c *comparison) strict(member string, report map[string][]string, due []entry, _, extraRule string) {
	known := make(map[string]entry, len(due))
	for _, e := range due {
		known[e.name] = e
	}

	given, present := report[member]
	listed := make(map[string]bool, len(given))
	var twice, extra []string
	for _, name := range given {
		switch e, exists := known[name]; {
		case listed[name]:
			twice = append(twice, name)
		case !exists:
			extra = append(extra, name+" (unknown)")
		case e.mayHaveReached():
		case e.onlyWithoutReset() && !c.on(ruleSuccessResets):
		case e.high == e.threshold-1 && !c.on(e.rule):
		default:
			extra = append(extra, name+" ("+e.history()+")")
		}
		listed[name] = true
	}

	required := 0
	missing := map[string][]string{} // by rule
	for _, e := range due {
		if !e.reached() {
			continue
		}
		required++
		c.user.Exercised(e.missing)
		switch {
		case listed[e.name]:
		case e.onlyByRefusals() && !c.on(ruleRefusalsCount):
		case e.low == e.threshold && !c.on(e.rule):
		default:
			missing[e.missing] = append(missing[e.missing], e.name+" ("+e.history()+")")
		}
	}

	if !present && required > 0 {
		c.fail(ruleReportShape, "member-missing", member, "no such member", "the report has no "+member, "")
		return
	}
	for _, rule := range slices.Sorted(maps.Keys(missing)) {
		c.fail(rule, "missing", some(missing[rule]), "not in "+member,
			count(len(missing[rule]), "entry is", "entries are")+" missing in "+member, missingHint(rule))
	}
	c.user.Exercised(extraRule)
	if len(extra) > 0 {
		c.fail(extraRule, "extra", "not in "+member, some(extra),
			count(len(extra), "entry does", "entries do")+" not belong in "+member,
			"did a counter survive the initialisation, or a success not set it back?")
	}
	c.user.Exercised(ruleReportDuplicate)
	if len(twice) > 0 {
		c.fail(ruleReportDuplicate, "duplicate", "each entry once", some(twice),
			count(len(twice), "entry is", "entries are")+" twice in "+member,
			"something that succeeded once must not come out of both halves of the query")
	}
}

// original wants the number of entries to be exactly right, also where it is
// a matter of luck (§15.9), and each of them to be there that no attempt was
// cut off at.
func (c *comparison) original(member string, report map[string][]string, due []entry, missingRule, extraRule string) {
	listed := make(map[string]bool, len(report[member]))
	for _, name := range report[member] {
		listed[name] = true
	}
	required := 0
	var missing []entry
	for _, e := range due {
		if !e.reached() {
			continue
		}
		required++
		if !listed[e.name] && !e.incomplete {
			missing = append(missing, e)
		}
	}
	if got := len(report[member]); got != required {
		rule := extraRule
		if got < required {
			rule = missingRule
		}
		c.fail(rule, "count-mismatch", fmt.Sprintf("%d entries in %s", required, member), fmt.Sprintf("%d entries", got),
			"the report has another number of entries than were banned or locked", "")
	} else if len(missing) > 0 {
		c.fail(missing[0].missing, "missing", missing[0].name, "not in "+member,
			count(len(missing), "entry is", "entries are")+" missing in "+member, missingHint(missing[0].missing))
	}
}

func (c *comparison) fail(rule, code, expected, actual, message, hint string) {
	c.err = errors.Join(c.err, c.user.Fail(bench.Problem{
		Rule: rule, Code: code, Page: c.page,
		Expected: expected, Actual: actual, Message: message, Hint: hint,
	}))
}

func (c *comparison) on(rule string) bool { return c.user.Run.RuleOn(rule) }

func missingHint(rule string) string {
	switch rule {
	case ruleReportRebanned:
		return "it had a success before its last 10 failures; the Go app of the contest lost such addresses by scanning a result set that was read to its end"
	case ruleReportInitial:
		return "it was locked before the run: see the third column of " + usedFile
	default:
		return "every refusal counts, also one for a ban or a lock"
	}
}

// some names the first few of a list, in order, and their number.
func some(names []string) string {
	const few = 5
	slices.Sort(names)
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s … (%d in all)", strings.Join(names[:few], ", "), len(names))
}
