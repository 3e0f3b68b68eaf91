package isucon12qscenario

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"hotseat"
	"hotseat/problem/problemtest"
)

// fault is one way of being wrong that one rule alone catches.
type fault struct {
	rule, code string
	wrong      string
	load       string   // how long; "": the check comes before the load
	args       []string // further ones
}

func faults() []fault {
	return []fault{
		{rule: ruleTokenInvalid, wrong: "no-token"},
		{rule: ruleTokenInvalid, wrong: "unsigned"},
		{rule: ruleTokenInvalid, wrong: "never-expires"},
		{rule: ruleTokenAlgorithm, wrong: "rs512"},
		{rule: ruleTokenAudience, wrong: "any-audience"},
		{rule: ruleTokenTenant, wrong: "any-tenant"},
		{rule: ruleTokenPlayer, wrong: "any-player-token"},
		{rule: ruleTokenRole, wrong: "any-role"},

		{rule: ruleOKStatus, wrong: "created"},
		{rule: ruleJSONType, wrong: "text-type"},
		{rule: ruleCachePrivate, wrong: "no-private"},
		{rule: ruleShape, wrong: "success-key"},

		{rule: ruleUnknownID, wrong: "unknown-finish"},
		{rule: ruleTenantName, wrong: "any-name"},
		{rule: ruleUploadHeader, wrong: "any-header"},
		{rule: ruleUploadPlayer, wrong: "any-player"},
		{rule: ruleUploadFinished, wrong: "upload-after-finish"},
		{rule: ruleUploadAtomic, wrong: "clears-first"},

		{rule: ruleEcho, wrong: "no-echo"},
		{rule: ruleEcho, wrong: "disqualify-unsaid"},
		{rule: ruleUploadRows, wrong: "distinct-rows"},
		{rule: ruleUniqueIDs, wrong: "same-player-ids", load: "2s"},

		{rule: rulePlayersList, wrong: "players-page"},
		{rule: ruleCompetitionsList, wrong: "competitions-lack-newest"},
		{rule: ruleFinishShown, wrong: "finish-late"},
		{rule: ruleInitialLists, wrong: "other-initial"},

		{rule: ruleRankingWhole, code: "torn-read", wrong: "torn"},
		{rule: ruleRankingFresh, wrong: "stale"},
		{rule: ruleRankingSheet, wrong: "lost-row"},
		{rule: ruleRankingLastRow, wrong: "best"},
		{rule: ruleRankingLastRow, wrong: "first-row"},
		{rule: ruleRankingOrder, wrong: "ascending"},
		{rule: ruleRankingTies, wrong: "ties-by-id"},
		{rule: ruleRankingRank, wrong: "ties-share"},
		{rule: ruleRankingPage, wrong: "page-of-101"},
		{rule: ruleRankingPage, wrong: "after-off"},
		{rule: ruleRankingDetails, wrong: "ranking-names"},
		{rule: ruleRankingDisqualified, wrong: "no-disqualified"},
		{rule: ruleUploadEmpty, wrong: "empty-ignored"},

		{rule: rulePlayerDetail, wrong: "page-name"},
		{rule: rulePlayerScores, wrong: "page-best"},
		{rule: rulePlayerScores, wrong: "page-stale"},

		{rule: ruleDisqualifiedShown, wrong: "never-shown"},
		{rule: ruleDisqualifiedRefused, wrong: "disqualified-late"},
		{rule: ruleDisqualifiedRefused, wrong: "disqualified-pages"},

		{rule: ruleBillingPlayers, wrong: "billed-rows"},
		{rule: ruleBillingVisitors, wrong: "visitors-halved"},
		{rule: ruleBillingSameSecond, wrong: "strictly-before"},
		{rule: ruleBillingLateVisit, wrong: "late-visits"},
		{rule: ruleBillingOnce, wrong: "billed-twice"},
		{rule: ruleBillingRepeat, wrong: "every-visit"},
		{rule: ruleBillingRepeat, wrong: "last-visit"},
		{rule: ruleBillingRankAfter, wrong: "unpaged-visits"},
		{rule: ruleBillingDisqualified, wrong: "no-disqualified-visitors"},
		{rule: ruleBillingDisqualified, wrong: "no-disqualified-players"},
		{rule: ruleBillingUnfinished, wrong: "unfinished-billed"},
		{rule: ruleBillingReports, wrong: "billing-finished-only"},
		{rule: ruleBillingYen, wrong: "yen-off"},
		{rule: ruleBillingFresh, wrong: "billing-cached"},
		{rule: ruleBillingInitial, wrong: "initial-off"},

		{rule: ruleAdminBillingPage, wrong: "admin-ascending"},
		{rule: ruleAdminBillingPage, wrong: "admin-never-ends"},
		{rule: ruleAdminBillingPage, wrong: "before-included"},
		{rule: ruleAdminBillingInitial, wrong: "admin-initial"},
		{rule: ruleAdminBillingGrowth, wrong: "admin-stale", load: "10s"},
		{rule: ruleStaticFile, wrong: "other-image"},
		{rule: ruleInitializeReset, wrong: "keeps-tenants"},
		{rule: ruleInitializeReset, wrong: "keeps-finishes"},
	}
}

// Every fault is caught by its rule, and with the rule switched off by none.
func TestFaults(t *testing.T) {
	t.Parallel()
	w := newTestWorld(t)
	runs := problemtest.NewAtOnce(atOnce)
	for _, f := range faults() {
		runs.AddFault(strings.TrimPrefix(f.rule, prefix+".")+" "+f.wrong, f.rule, f.code, func(args ...string) problemtest.Outcome {
			return execute(t, w, w.service(f.wrong), slices.Concat([]string{"--param", "grace=300"}, args, f.args)...)
		}, cmp.Or(f.load, "1s"), "10s")
	}
	runs.Judge(t)
}

// Every semantic rule has a fault of its own.
func TestEveryRuleHasAFault(t *testing.T) {
	for _, rule := range rules() {
		has := func(f fault) bool { return f.rule == rule.ID }
		if rule.Semantic && !slices.ContainsFunc(faults(), has) {
			t.Errorf("%s has no fault", rule.ID)
		}
	}
}

// What is unusual but right passes, and every rule is exercised.
func TestVariants(t *testing.T) {
	t.Parallel()
	w := newTestWorld(t)
	runs := problemtest.NewAtOnce(atOnce)
	points := map[string]int64{}
	for _, variant := range []string{"", "oldest-first", "reversed", "slow-add", "pretty", "admin-null", "grace-used"} {
		play := func(load ...string) problemtest.Outcome {
			return execute(t, w, w.service(variant), append(load, "--param", "grace=300")...)
		}
		enough := func(r problemtest.Outcome) bool {
			return len(r.Failures) > 0 || !slices.ContainsFunc(rules(), func(rule hotseat.Rule) bool { return r.Verdict.Rules[rule.ID] == 0 })
		}
		runs.Add("variant "+variant, problemtest.Until(enough, play, "8s", "30s"), func(t *testing.T, r problemtest.Outcome) {
			if r.Verdict.Verdict != hotseat.Pass || len(r.Failures) > 0 {
				t.Fatalf("accused: %v", r)
			}
			for _, rule := range rules() {
				if r.Verdict.Rules[rule.ID] == 0 {
					t.Errorf("%s was not exercised", rule.ID)
				}
			}
			for _, tag := range worth {
				points[tag.tag] += r.Points[tag.tag]
			}
		})
	}
	runs.Judge(t)
	for _, tag := range worth {
		if points[tag.tag] == 0 && tag.tag != pointOrganizersList { // which the load never asks for
			t.Errorf("no point for %s", tag.tag)
		}
	}
}

// rules=original passes what is right too, and what only rules=strict looks at.
func TestOriginal(t *testing.T) {
	t.Parallel()
	w := newTestWorld(t)
	runs := problemtest.NewAtOnce(atOnce)
	for name, passes := range map[string]bool{"": true, "any-audience": true, "clears-first": true, "late-visits": true, "rs512": false, "torn": false, "initial-off": false} {
		play := func(load ...string) problemtest.Outcome {
			return execute(t, w, w.service(name), append(load, "--param", "rules=original", "--param", "reproduce=true", "--param", "grace=300")...)
		}
		enough := func(r problemtest.Outcome) bool { return r.Passed() == passes || len(r.Failures) > 0 }
		runs.Add("original "+name, problemtest.Until(enough, play, "1s", "10s"), func(t *testing.T, r problemtest.Outcome) {
			if r.Passed() != passes {
				t.Errorf("%v", r)
			}
		})
	}
	runs.Judge(t)
}
