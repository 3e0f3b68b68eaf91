package isucon12qscenario

import "hotseat"

// prefix begins the id of every rule of this problem.
const prefix = "isucon12q"

// The rules by the names that checks use. Section numbers are those of the
// specification.
const (
	ruleTokenInvalid   = prefix + ".token-invalid"
	ruleTokenAlgorithm = prefix + ".token-algorithm"
	ruleTokenAudience  = prefix + ".token-audience"
	ruleTokenTenant    = prefix + ".token-tenant"
	ruleTokenPlayer    = prefix + ".token-player"
	ruleTokenRole      = prefix + ".token-role"

	ruleOKStatus     = prefix + ".ok-status"
	ruleJSONType     = prefix + ".json-type"
	ruleCachePrivate = prefix + ".cache-private"
	ruleShape        = prefix + ".shape"

	ruleUnknownID      = prefix + ".unknown-id"
	ruleTenantName     = prefix + ".tenant-name"
	ruleUploadHeader   = prefix + ".upload-header"
	ruleUploadPlayer   = prefix + ".upload-unknown-player"
	ruleUploadFinished = prefix + ".upload-finished"
	ruleUploadAtomic   = prefix + ".upload-refused-changes-nothing"

	ruleEcho       = prefix + ".echo"
	ruleUploadRows = prefix + ".upload-rows"
	ruleUniqueIDs  = prefix + ".unique-ids"

	rulePlayersList      = prefix + ".players-list"
	ruleCompetitionsList = prefix + ".competitions-list"
	ruleFinishShown      = prefix + ".finish-shown"
	ruleInitialLists     = prefix + ".initial-lists"

	ruleRankingWhole        = prefix + ".ranking-whole"
	ruleRankingFresh        = prefix + ".ranking-fresh"
	ruleRankingSheet        = prefix + ".ranking-sheet"
	ruleRankingLastRow      = prefix + ".ranking-last-row"
	ruleRankingOrder        = prefix + ".ranking-order"
	ruleRankingTies         = prefix + ".ranking-ties"
	ruleRankingRank         = prefix + ".ranking-rank"
	ruleRankingPage         = prefix + ".ranking-page"
	ruleRankingDetails      = prefix + ".ranking-details"
	ruleRankingDisqualified = prefix + ".ranking-disqualified"
	ruleUploadEmpty         = prefix + ".upload-empty"

	rulePlayerDetail = prefix + ".player-detail"
	rulePlayerScores = prefix + ".player-scores"

	ruleDisqualifiedShown   = prefix + ".disqualified-shown"
	ruleDisqualifiedRefused = prefix + ".disqualified-refused"

	ruleBillingPlayers      = prefix + ".billing-players"
	ruleBillingVisitors     = prefix + ".billing-visitors"
	ruleBillingSameSecond   = prefix + ".billing-same-second"
	ruleBillingLateVisit    = prefix + ".billing-late-visit"
	ruleBillingOnce         = prefix + ".billing-once"
	ruleBillingRepeat       = prefix + ".billing-repeat"
	ruleBillingRankAfter    = prefix + ".billing-rank-after"
	ruleBillingDisqualified = prefix + ".billing-disqualified"
	ruleBillingUnfinished   = prefix + ".billing-unfinished"
	ruleBillingReports      = prefix + ".billing-reports"
	ruleBillingYen          = prefix + ".billing-yen"
	ruleBillingFresh        = prefix + ".billing-fresh"
	ruleBillingInitial      = prefix + ".billing-initial"

	ruleAdminBillingPage    = prefix + ".admin-billing-page"
	ruleAdminBillingInitial = prefix + ".admin-billing-initial"
	ruleAdminBillingGrowth  = prefix + ".admin-billing-growth"

	ruleStaticFile      = prefix + ".static-file"
	ruleInitializeReset = prefix + ".initialize-reset"
)

// rules are the promises to the contestant, beyond the engine's own.
func rules() []hotseat.Rule {
	const (
		status      = hotseat.ClassStatus
		content     = hotseat.ClassContent
		cache       = hotseat.ClassCache
		session     = hotseat.ClassSession
		consistency = hotseat.ClassConsistency
	)
	list := []hotseat.Rule{
		// Who may ask (§3).
		{ID: ruleTokenInvalid, Class: session, Text: "A request without a token, with an expired one or with one that another key signed is refused with 401."},
		{ID: ruleTokenAlgorithm, Class: session, Text: "A token signed by another algorithm than RS256 is refused with 401, even if the key is right."},
		{ID: ruleTokenAudience, Class: session, Text: "A token made out for one tenant is refused with 401 by every other."},
		{ID: ruleTokenTenant, Class: session, Text: "A tenant that does not exist refuses every token with 401."},
		{ID: ruleTokenPlayer, Class: session, Text: "A player token of a player whom the tenant does not have is refused with 401."},
		{ID: ruleTokenRole, Class: session, Text: "A token of another role than the endpoint's is refused with 403."},

		// What every answer keeps to (§5).
		{ID: ruleOKStatus, Class: status, Text: "A request that is in order is answered with 200."},
		{ID: ruleJSONType, Class: content, Text: "Answers of the API have a Content-Type that contains application/json."},
		{ID: ruleCachePrivate, Class: cache, Text: "Answers of the API have the header Cache-Control: private."},
		{ID: ruleShape, Class: content, Text: `An answer is a JSON object with "status": true and data in the documented shape; ids are strings and numbers are integers.`},

		// What is refused (§6).
		{ID: ruleUnknownID, Class: status, Text: "A player or competition that the tenant does not have is answered with 404."},
		{ID: ruleTenantName, Class: status, Text: "A tenant name that is taken or against the rule for names is refused with 400."},
		{ID: ruleUploadHeader, Class: status, Text: "A score sheet whose first row is not exactly player_id,score is refused with 400."},
		{ID: ruleUploadPlayer, Class: status, Text: "A score sheet with a player whom the tenant does not have is refused with 400."},
		{ID: ruleUploadFinished, Class: status, Text: "A score sheet for a finished competition is refused with 400."},
		{ID: ruleUploadAtomic, Class: consistency, Text: "A refused score sheet changes nothing: the ranking stays that of the last accepted one."},

		// What a write answers (§6).
		{ID: ruleEcho, Class: content, Text: "What was just created or changed is in the answer as asked for: names, titles and flags, nothing more and nothing less."},
		{ID: ruleUploadRows, Class: content, Text: "An upload's answer counts the data rows of the sheet, repeated players included."},
		{ID: ruleUniqueIDs, Class: consistency, Text: "No two players and no two competitions of a tenant have the same id."},

		// What lists show (§6, §7).
		{ID: rulePlayersList, Class: consistency, Text: "The list of players holds exactly the tenant's players, new ones at once."},
		{ID: ruleCompetitionsList, Class: consistency, Text: "Both lists of competitions hold exactly the tenant's competitions, new ones at once."},
		{ID: ruleFinishShown, Class: consistency, Text: "A finished competition is shown as finished at once, and no other one is."},
		{ID: ruleInitialLists, Class: consistency, Text: "Initial tenants have the players and competitions of the initial data, in the same state."},

		// What rankings show (§8).
		{ID: ruleRankingWhole, Class: consistency, Text: "A ranking that is read during an upload shows the old sheet or the new one, never a mixture."},
		{ID: ruleRankingFresh, Class: consistency, Text: "Once an upload is answered every ranking shows the new sheet."},
		{ID: ruleRankingSheet, Class: consistency, Text: "A ranking shows every player of the current sheet with the score from it, and nobody else."},
		{ID: ruleRankingLastRow, Class: consistency, Text: "If a player has several rows in a sheet the last one counts."},
		{ID: ruleRankingOrder, Class: consistency, Text: "A ranking is in descending order of scores."},
		{ID: ruleRankingTies, Class: consistency, Text: "Equal scores are ranked in the order of their rows in the sheet."},
		{ID: ruleRankingRank, Class: consistency, Text: "Ranks are 1, 2, 3 … without gaps or repetition."},
		{ID: ruleRankingPage, Class: content, Text: "A ranking has at most 100 entries, beginning with the one after rank_after, and all there are up to that."},
		{ID: ruleRankingDetails, Class: content, Text: "A ranking names its competition and its players rightly."},
		{ID: ruleRankingDisqualified, Class: consistency, Text: "Disqualified players stay in the ranking."},
		{ID: ruleUploadEmpty, Class: consistency, Text: "A score sheet with nothing but its header is accepted, has 0 rows, and clears the ranking."},

		// What player pages show (§6).
		{ID: rulePlayerDetail, Class: content, Text: "A player's page names the player who was asked for."},
		{ID: rulePlayerScores, Class: consistency, Text: "A player's page shows the score of the player's last row in the current sheet of each competition, and nothing else."},

		// Disqualification (§6, §7).
		{ID: ruleDisqualifiedShown, Class: consistency, Text: "From 3 s after a disqualification the player is shown as disqualified; others are not."},
		{ID: ruleDisqualifiedRefused, Class: session, Text: "A disqualified player is refused with 403: by a ranking asked for right after the call when nothing else goes on, everywhere from 3 s after it."},

		// Billing (§7).
		{ID: ruleBillingPlayers, Class: consistency, Text: "A finished competition is billed 100 yen for each player in its current sheet, once."},
		{ID: ruleBillingVisitors, Class: consistency, Text: "A finished competition is billed 10 yen for each player without a score who opened its ranking before the finish, and for nobody else."},
		{ID: ruleBillingSameSecond, Class: consistency, Text: "A visit before the finish counts although it is in the same second."},
		{ID: ruleBillingLateVisit, Class: consistency, Text: "A visit in a later second than the finish does not count."},
		{ID: ruleBillingOnce, Class: consistency, Text: "Who has a score and also opened the ranking is billed once, as a player."},
		{ID: ruleBillingRepeat, Class: consistency, Text: "Who opened the ranking several times is billed once; the first visit decides."},
		{ID: ruleBillingRankAfter, Class: consistency, Text: "A visit with rank_after counts like any other."},
		{ID: ruleBillingDisqualified, Class: consistency, Text: "Visits and scores of players who are disqualified later are billed."},
		{ID: ruleBillingUnfinished, Class: consistency, Text: "A competition that is not finished is in the billing with nothing but zeros."},
		{ID: ruleBillingReports, Class: consistency, Text: "The billing has exactly one report for each competition of the tenant, with its id and title."},
		{ID: ruleBillingYen, Class: content, Text: "In every report the amounts follow from the counts: 100 yen and 10 yen each, and their sum."},
		{ID: ruleBillingFresh, Class: consistency, Text: "From 3 s after a finish the billing shows it."},
		{ID: ruleBillingInitial, Class: consistency, Text: "Initial tenants are billed for their initial competitions to the yen."},

		// Billing of all tenants (§6, §7).
		{ID: ruleAdminBillingPage, Class: consistency, Text: "A page of the billing of all tenants holds the 10 newest tenants before the one asked for, newest first, as many as there are; none after the last."},
		{ID: ruleAdminBillingInitial, Class: consistency, Text: "In the billing of all tenants the initial ones have the amounts of the initial data, to the yen."},
		{ID: ruleAdminBillingGrowth, Class: consistency, Text: "3 s after a finish the billing of all tenants has grown by exactly what the competition costs."},

		{ID: ruleStaticFile, Class: content, Text: "The given static files are served byte for byte."},
		{ID: ruleInitializeReset, Class: consistency, Text: "Initializing removes what earlier runs have left behind, such as their tenants."},
	}
	for i := range list {
		list[i].Semantic = true
	}
	return list
}
