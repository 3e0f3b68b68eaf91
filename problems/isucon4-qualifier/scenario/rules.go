package scenario

import "hotseat"

// prefix begins the id of every rule of this problem.
const prefix = "isucon4q"

// The rules by the names that checks use. faults/NOTES.md tells for each one
// the fault that only it catches.
const (
	rulePageStatus = prefix + ".page-status"
	ruleLoginForm  = prefix + ".login-form"

	ruleAssetStatus = prefix + ".asset-status"
	ruleAssetDigest = prefix + ".asset-digest"

	ruleRightPassword = prefix + ".right-password"
	ruleWrongPassword = prefix + ".wrong-password"
	ruleLockThreshold = prefix + ".lock-threshold"
	ruleBanThreshold  = prefix + ".ban-threshold"
	ruleBanBeforeLock = prefix + ".ban-before-lock"
	ruleRefusalsCount = prefix + ".refusals-count"
	ruleSuccessResets = prefix + ".success-resets"

	rulePathAccepted = prefix + ".path-accepted"
	rulePathRefused  = prefix + ".path-refused"
	ruleNoticeWrong  = prefix + ".notice-wrong"
	ruleNoticeLocked = prefix + ".notice-locked"
	ruleNoticeBanned = prefix + ".notice-banned"

	ruleLastAddress    = prefix + ".last-login-address"
	ruleLastTimeFormat = prefix + ".last-login-time-format"
	ruleLastTime       = prefix + ".last-login-time"

	ruleMyPagePrivate  = prefix + ".mypage-private"
	ruleMyPageCustomer = prefix + ".mypage-customer"

	ruleReportStatus    = prefix + ".report-status"
	ruleReportShape     = prefix + ".report-shape"
	ruleReportBanned    = prefix + ".report-banned-missing"
	ruleReportRebanned  = prefix + ".report-banned-after-success"
	ruleReportNotBanned = prefix + ".report-banned-extra"
	ruleReportLocked    = prefix + ".report-locked-missing"
	ruleReportInitial   = prefix + ".report-initial-locks"
	ruleReportNotLocked = prefix + ".report-locked-extra"
	ruleReportDuplicate = prefix + ".report-duplicate"
)

// rules are the promises to the contestant, beyond the engine's own.
func rules() []hotseat.Rule {
	const (
		status      = hotseat.ClassStatus
		content     = hotseat.ClassContent
		session     = hotseat.ClassSession
		consistency = hotseat.ClassConsistency
	)
	list := []hotseat.Rule{
		{ID: rulePageStatus, Class: status, Text: "A page answers 200 once its redirects are followed."},
		{ID: ruleLoginForm, Class: content, Text: "GET / has an input called login, an input called password and something of type submit."},

		{ID: ruleAssetStatus, Class: status, Text: "Every style sheet, script and image that a page mentions answers 200."},
		{ID: ruleAssetDigest, Class: content, Text: "The given static files are served byte for byte."},

		{ID: ruleRightPassword, Class: consistency, Text: "The right password is never refused as wrong."},
		{ID: ruleWrongPassword, Class: consistency, Text: "A wrong password is never accepted."},
		{ID: ruleLockThreshold, Class: consistency, Text: "An account is refused as locked from its 3rd failure in a row on, and not before."},
		{ID: ruleBanThreshold, Class: consistency, Text: "An address is refused as banned from its 10th failure in a row on, and not before."},
		{ID: ruleBanBeforeLock, Class: consistency, Text: "A banned address is told of the ban even if the account is locked as well."},
		{ID: ruleRefusalsCount, Class: consistency, Text: "A refusal for a ban or a lock is itself a failure of both the address and the account."},
		{ID: ruleSuccessResets, Class: consistency, Text: "A success sets the failures of the address and of the account back to none."},

		{ID: rulePathAccepted, Class: content, Text: "An accepted login leads to /mypage."},
		{ID: rulePathRefused, Class: content, Text: "A refused login leads to /."},
		{ID: ruleNoticeWrong, Class: content, Text: "A wrong password is answered with exactly the notice: " + noticeWrong},
		{ID: ruleNoticeLocked, Class: content, Text: "A locked account is answered with exactly the notice: " + noticeLocked},
		{ID: ruleNoticeBanned, Class: content, Text: "A banned address is answered with exactly the notice: " + noticeBanned},

		{ID: ruleLastAddress, Class: consistency, Text: "My page shows the address of the customer's login before the current one."},
		{ID: ruleLastTimeFormat, Class: content, Text: "My page shows the time of the last login as YYYY-MM-DD HH:MM:SS."},
		{ID: ruleLastTime, Class: consistency, Text: "My page shows the time of the customer's login before the current one."},

		{ID: ruleMyPagePrivate, Class: session, Text: "My page is shown to nobody who has not logged in."},
		{ID: ruleMyPageCustomer, Class: session, Conditional: true, Text: "If my page names the customer, it names the one who has logged in."},

		{ID: ruleReportStatus, Class: status, Text: "GET /report answers 200."},
		{ID: ruleReportShape, Class: content, Text: "The report is a JSON object whose members, banned_ips and locked_users among them, are lists of strings."},
		{ID: ruleReportBanned, Class: consistency, Text: "The report lists every banned address."},
		{ID: ruleReportRebanned, Class: consistency, Text: "The report lists a banned address even if it had a success before."},
		{ID: ruleReportNotBanned, Class: consistency, Text: "The report lists no address that is not banned."},
		{ID: ruleReportLocked, Class: consistency, Text: "The report lists every account that was locked during the run."},
		{ID: ruleReportInitial, Class: consistency, Text: "The report lists every account that was locked from the start."},
		{ID: ruleReportNotLocked, Class: consistency, Text: "The report lists no account that is not locked."},
		{ID: ruleReportDuplicate, Class: content, Text: "The report lists nothing twice."},
	}
	for i := range list {
		list[i].Semantic = true
	}
	return list
}
