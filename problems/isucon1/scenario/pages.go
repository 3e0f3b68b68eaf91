package isucon1scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hotseat/bench"
)

// look is one page being looked at: its checks share one reading of it.
type look struct {
	world   *world
	article int // whose page it is; 0 for /
	doc     *document
	found   map[string]*bench.Mismatch // about comments, by rule; see comments.go
	shown   map[*comment]int           // how often each known comment is on the page
}

// lookAt makes a look at an article's page, or at / for 0.
func (w *world) lookAt(article int) *look { return &look{world: w, article: article} }

// path is where the page is.
func (l *look) path() string {
	if l.article == 0 {
		return "/"
	}
	return "/article/" + strconv.Itoa(l.article)
}

// route is the path with a placeholder for the id.
func (l *look) route() string {
	if l.article == 0 {
		return "/"
	}
	return "/article/:id"
}

// read reads the page, once.
func (l *look) read(p *bench.Page) *document {
	if l.doc == nil {
		l.doc = read(p.Body())
	}
	return l.doc
}

// that makes a check of the page. One that has no answer 200 is left to the
// check of the status.
func (l *look) that(rule string, find func(p *bench.Page, d *document) *bench.Mismatch) bench.Check {
	return bench.That(rule, func(p *bench.Page) *bench.Mismatch {
		if p.Status() != 200 {
			return nil
		}
		return find(p, l.read(p))
	})
}

// onAny are the checks of any page: those of every page that the original's
// checker asked for, and under rules=strict all that can be said of one.
func (l *look) onAny() []bench.Check {
	checks := []bench.Check{
		bench.Status(rulePageStatus, 200),
		l.that(ruleFrame, func(_ *bench.Page, d *document) *bench.Mismatch { return checkFrame(d) }),
	}
	if l.world.strict {
		checks = append(checks, l.onEvery()...)
		checks = append(checks,
			l.that(ruleSidebarTen, func(_ *bench.Page, d *document) *bench.Mismatch { return checkTen(d) }),
			l.that(ruleSidebarTitle, func(_ *bench.Page, d *document) *bench.Mismatch { return l.world.checkTitles(d) }),
			l.that(ruleSidebarFresh, func(p *bench.Page, d *document) *bench.Mismatch {
				return l.world.checkFresh(d, p.SentAt(), p.DoneAt())
			}))
	}
	return checks
}

// onEvery are the checks of the frame that all pages share.
func (l *look) onEvery() []bench.Check {
	return []bench.Check{
		l.that(rulePostLink, func(_ *bench.Page, d *document) *bench.Mismatch { return checkPostLink(d) }),
		l.that(ruleSidebarHeading, func(_ *bench.Page, d *document) *bench.Mismatch { return checkHeading(d) }),
	}
}

// onArticle are the checks of the page of an article whose contents are known (§9.1).
func (l *look) onArticle(a *article) []bench.Check {
	return []bench.Check{
		l.that(ruleArticleTitle, func(_ *bench.Page, d *document) *bench.Mismatch { return checkTitle(a, d) }),
		l.that(ruleArticleCreated, func(_ *bench.Page, d *document) *bench.Mismatch { return checkCreated(d) }),
		l.that(ruleArticleBody, func(_ *bench.Page, d *document) *bench.Mismatch { return checkArticleBody(a, d, l.world.strict) }),
	}
}

// strictly are all checks that the page can have under rules=strict.
func (l *look) strictly() []bench.Check {
	checks := l.onAny()
	if l.article == 0 {
		return append(checks,
			l.that(ruleIndexNewest, func(_ *bench.Page, d *document) *bench.Mismatch { return checkNewest(d) }),
			l.that(ruleIndexTen, func(p *bench.Page, d *document) *bench.Mismatch { return l.world.checkListed(d, p.SentAt()) }))
	}
	if a := l.world.known[l.article]; a != nil {
		checks = append(checks, l.onArticle(a)...)
	}
	return append(checks, l.onComments()...)
}

func checkFrame(d *document) *bench.Mismatch {
	if d.framed {
		return nil
	}
	return &bench.Mismatch{Code: "frame-missing", Expected: "the texts <html> and </html>, in small letters and without attributes",
		Actual: "at least one of them is not in the page", Message: "the page lacks <html> or </html>",
		Hint: `<html lang="ja"> is not <html>: the contest compares literally`}
}

var postLinkForm = regexp.MustCompile(`^(http://[A-Za-z0-9.-]+(:\d+)?)?/post$`)

func checkPostLink(d *document) *bench.Mismatch {
	m := &bench.Mismatch{Code: "post-link", Expected: "/post or http://HOST/post as href of the first #view #titleimage a", Actual: "no such link",
		Message: "the logo does not link to /post"}
	if d.postLink != nil {
		if postLinkForm.MatchString(*d.postLink) {
			return nil
		}
		m.Actual = *d.postLink
	}
	return m
}

func checkHeading(d *document) *bench.Mismatch {
	m := &bench.Mismatch{Code: "sidebar-heading", Expected: sidebarHeading, Actual: "no #mainview #sidebar table tr td",
		Message: "the sidebar's first cell says something else", Hint: "no white space around it"}
	if d.heading != nil {
		if *d.heading == sidebarHeading {
			return nil
		}
		m.Actual = *d.heading
	}
	return m
}

func checkTen(d *document) *bench.Mismatch {
	seen := map[string]bool{}
	for _, l := range d.sidebar {
		if seen[l.id] {
			return &bench.Mismatch{Code: "duplicate", Expected: "each article once", Actual: sidebarText(d),
				Message: "the sidebar links to /article/" + l.id + " twice"}
		}
		seen[l.id] = true
	}
	if len(d.sidebar) > sidebarSize {
		return &bench.Mismatch{Code: "too-many", Expected: "10 links at most", Actual: fmt.Sprintf("%d: %s", len(d.sidebar), sidebarText(d)),
			Message: "the sidebar has more than ten articles"}
	}
	return nil
}

func sidebarText(d *document) string {
	ids := make([]string, len(d.sidebar))
	for i, l := range d.sidebar {
		ids[i] = l.id
	}
	if len(ids) == 0 {
		return "a sidebar without links"
	}
	return "a sidebar with links to " + strings.Join(ids, ", ")
}

func (w *world) checkTitles(d *document) *bench.Mismatch {
	for _, l := range d.sidebar {
		id, err := strconv.Atoi(l.id)
		if err != nil {
			continue
		}
		if a := w.known[id]; a != nil && words(l.text) != words(a.title) {
			return &bench.Mismatch{Expected: a.title, Actual: l.text, Message: fmt.Sprintf("the sidebar calls article %d something else", id)}
		}
	}
	return nil
}

// words is a text without what white space does to it.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// checkFresh wants the sidebar to link to every article that is due.
func (w *world) checkFresh(d *document, sent, done time.Time) *bench.Mismatch {
	for _, c := range w.due(sent, done) {
		if !links(d, c.article) {
			return staleSidebar(c, d, sent)
		}
	}
	return nil
}

func links(d *document, article int) bool {
	id := strconv.Itoa(article)
	return slices.ContainsFunc(d.sidebar, func(l link) bool { return l.id == id })
}

func staleSidebar(c *comment, d *document, sent time.Time) *bench.Mismatch {
	return &bench.Mismatch{Code: "stale-sidebar", Expected: fmt.Sprintf("a link to /article/%d", c.article), Actual: sidebarText(d),
		Message: fmt.Sprintf("the sidebar lacks article %d, which got a comment that was accepted %v before this page was asked for", c.article, sent.Sub(c.done).Round(time.Millisecond)),
		Hint:    "one second after a comment every page must show it, wherever it is cached: answer the POST when the caches know"}
}

// newestOn returns the id of the newest article as / shows it, 0 if it shows none at all.
func newestOn(d *document) (id int, m *bench.Mismatch) {
	m = &bench.Mismatch{Code: "newest-missing", Expected: "a link to /article/ID in .articlelink, in the first element of #articleview",
		Message: "the newest article cannot be told from /", Hint: "the first element in #articleview must be the newest article, or contain it first"}
	switch {
	case !d.view:
		m.Actual = "no #articleview"
		return 0, m
	case !d.blocks:
		return 0, nil
	case d.first == nil:
		m.Actual = "no such link there"
		return 0, m
	}
	if id, ok := articleID(*d.first); ok {
		return id, nil
	}
	m.Actual = "a link to " + *d.first
	return 0, m
}

func checkNewest(d *document) *bench.Mismatch {
	_, m := newestOn(d)
	return m
}

// indexSize is how many articles / shows (§2).
const indexSize = 10

// checkListed wants / to show the main article and those that were there before
// it. How soon is nowhere promised: it may be missing until the time at which
// the original looked at it for the first time.
func (w *world) checkListed(d *document, sent time.Time) *bench.Mismatch {
	want := append([]int{w.main.id}, w.before...)
	want = want[:min(len(want), indexSize)]
	got := listedOn(d)
	if slices.Equal(got, want) || slices.Equal(got, w.before) && sent.Before(w.mainAt.Add(w.run.Duration()/3)) {
		return nil
	}
	return &bench.Mismatch{Code: "wrong-articles", Expected: fmt.Sprintf("the articles %v", want), Actual: fmt.Sprintf("the articles %v", got),
		Message: "/ does not show the newest articles, the newest first", Hint: "each with one link to /article/ID in .articlelink"}
}

// listedOn returns the articles that / shows. What else there is to their
// links is none of its business.
func listedOn(d *document) []int {
	var ids []int
	for _, href := range d.listed {
		if m := anyArticlePath.FindStringSubmatch(href); m != nil {
			if id, err := strconv.Atoi(m[1]); err == nil {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func checkTitle(a *article, d *document) *bench.Mismatch {
	m := &bench.Mismatch{Expected: a.title, Actual: "no #articleview .article .title", Message: "the article has another title",
		Hint: "no white space around it, and no second .article or .title on the page, for instance around the comments"}
	if d.title != nil {
		if *d.title == a.title {
			return nil
		}
		m.Actual = *d.title
	}
	return m
}

var createdForm = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d( \+0900)?$`)

func checkCreated(d *document) *bench.Mismatch {
	m := &bench.Mismatch{Code: "time-format", Expected: "YYYY-MM-DD HH:MM:SS, perhaps with +0900 behind a space", Actual: "no #articleview .article .created",
		Message: "the article's time is written differently", Hint: "no white space around it"}
	if d.created != nil {
		if createdForm.MatchString(*d.created) {
			return nil
		}
		m.Actual = *d.created
	}
	return m
}

// checkArticleBody compares line by line. Of empty lines at the end the original
// dropped one on each side (§3.4); bodies of strict runs have none, and those
// of initial.json are compared without them, since the reference apps disagree.
func checkArticleBody(a *article, d *document, strict bool) *bench.Mismatch {
	drop := withoutLast
	if strict {
		drop = withoutTrailing
	}
	want, got := drop(postedLines(a.body)), drop(d.lines)
	if slices.Equal(got, want) {
		return nil
	}
	return linesDiffer(want, got, "the article's body has other lines")
}

func linesDiffer(want, got []string, message string) *bench.Mismatch {
	m := &bench.Mismatch{Expected: strings.Join(want, "\n"), Actual: strings.Join(got, "\n"), Message: message,
		Hint: "each newline of the text is one <br>; other markup, or white space in its place, is not"}
	if len(want) != len(got) {
		m.Message += fmt.Sprintf(": %d in place of %d", len(got), len(want))
	}
	return m
}

// recognises reports whether a page is about an article, be it written wrongly.
func recognises(d *document, a *article) bool {
	if d.title != nil && *d.title == a.title {
		return true
	}
	return contains(d.text, longest(a.body))
}

// longest is the longest line of a text, which is as good as a fingerprint.
func longest(text string) string {
	best := ""
	for _, line := range postedLines(text) {
		if len(line) > len(best) {
			best = line
		}
	}
	return best
}

// contains reports whether a text has this line in it, if the line says anything.
func contains(text, line string) bool {
	const enough = 8 // bytes; shorter lines are anywhere
	return len(line) >= enough && strings.Contains(text, line)
}
