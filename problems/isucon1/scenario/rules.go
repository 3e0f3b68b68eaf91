package isucon1scenario

import "hotseat"

// prefix begins the id of every rule of this problem.
const prefix = "isucon1"

// The rules by the names that checks use. faults/NOTES.md tells for each one
// the fault that only it catches.
const (
	rulePageStatus  = prefix + ".page-status"
	rulePostStatus  = prefix + ".post-status"
	ruleAssetStatus = prefix + ".asset-status"
	ruleAssetDigest = prefix + ".asset-digest"

	ruleFrame          = prefix + ".frame"
	rulePostLink       = prefix + ".post-link"
	ruleSidebarHeading = prefix + ".sidebar-heading"
	ruleSidebarTen     = prefix + ".sidebar-ten"
	ruleSidebarTitle   = prefix + ".sidebar-title"
	ruleSidebarFresh   = prefix + ".sidebar-fresh"

	ruleIndexNewest = prefix + ".index-newest"
	ruleIndexTen    = prefix + ".index-ten"
	ruleNextID      = prefix + ".next-id"

	ruleArticleTitle   = prefix + ".article-title"
	ruleArticleCreated = prefix + ".article-created"
	ruleArticleBody    = prefix + ".article-body"

	ruleCommentShown     = prefix + ".comment-shown"
	ruleCommentName      = prefix + ".comment-name"
	ruleCommentBody      = prefix + ".comment-body"
	ruleCommentOnce      = prefix + ".comment-once"
	ruleCommentOrder     = prefix + ".comment-order"
	ruleCommentElsewhere = prefix + ".comment-elsewhere"
	ruleInitialComments  = prefix + ".initial-comments"

	ruleGzip        = prefix + ".gzip"
	ruleNotModified = prefix + ".not-modified"
	ruleDurable     = prefix + ".durable"
)

// rules are the promises to the contestant, beyond the engine's own.
func rules() []hotseat.Rule {
	const (
		status      = hotseat.ClassStatus
		content     = hotseat.ClassContent
		cache       = hotseat.ClassCache
		consistency = hotseat.ClassConsistency
	)
	list := []hotseat.Rule{
		{ID: rulePageStatus, Class: status, Text: "GET / and GET /article/ID, for every ID from 1 to the newest article's, answer 200."},
		{ID: rulePostStatus, Class: status, Text: "A POST of an article or a comment answers 200 or a redirect."},
		{ID: ruleAssetStatus, Class: status, Text: "The static files answer 200."},
		{ID: ruleAssetDigest, Class: content, Text: "The static files are served byte for byte, with gzip only where it was asked for."},

		{ID: ruleFrame, Class: content, Text: "Every page has the literal texts <html> and </html>."},
		{ID: rulePostLink, Class: content, Text: "The first link in #titleimage leads to /post."},
		{ID: ruleSidebarHeading, Class: content, Text: "The first cell of the sidebar's table says exactly " + sidebarHeading + "."},
		{ID: ruleSidebarTen, Class: content, Text: "The sidebar links to ten articles at most, each one once."},
		{ID: ruleSidebarTitle, Class: content, Text: "A link in the sidebar says the article's title."},
		{ID: ruleSidebarFresh, Class: consistency, Text: "From one second after a comment was accepted, the sidebar of every page links to its article."},

		{ID: ruleIndexNewest, Class: content, Text: "The first article on / is the newest, with a link to /article/ID in .articlelink."},
		{ID: ruleIndexTen, Class: consistency, Text: "/ shows the ten newest articles, the newest first."},
		{ID: ruleNextID, Class: consistency, Text: "A new article is stored and gets the largest id so far + 1."},

		{ID: ruleArticleTitle, Class: content, Text: "An article's page has its title, exactly, in the .title of its only .article."},
		{ID: ruleArticleCreated, Class: content, Text: "An article's .created is YYYY-MM-DD HH:MM:SS, perhaps with +0900."},
		{ID: ruleArticleBody, Class: content, Text: "An article's .body has its lines, in order, with <br> between them."},

		{ID: ruleCommentShown, Class: consistency, Text: "From one second after it was accepted, a comment is on its article's page."},
		{ID: ruleCommentName, Class: content, Text: "A comment's .name is the name exactly as posted, or " + anonymous + " where it was empty."},
		{ID: ruleCommentBody, Class: content, Text: "A comment's .body has its lines, in order, with <br> between them."},
		{ID: ruleCommentOnce, Class: consistency, Text: "A comment is on its article's page once."},
		{ID: ruleCommentOrder, Class: consistency, Text: "The comments of an article are in the order in which they were posted."},
		{ID: ruleCommentElsewhere, Class: consistency, Text: "A comment is on no other article's page."},
		{ID: ruleInitialComments, Class: consistency, Text: "The comments that an article had before the run are all on its page."},

		{ID: ruleGzip, Class: content, Text: "A page in gzip is the same page as without."},
		{ID: ruleNotModified, Class: cache, Conditional: true, Text: "304 is answered only for what has not changed, and a strong ETag stands for one body."},
		{ID: ruleDurable, Class: consistency, Conditional: true, Text: "What was accepted is still there after the servers were restarted."},
	}
	for i := range list {
		list[i].Semantic = true
	}
	return list
}
