package isucon1_test

import (
	"bytes"
	"crypto/md5"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"hotseat/problems/isucon1/data"
)

// TestApp goes through the specification of the contest, section by section. The
// parts that write come last; each keeps to articles of its own.
func TestApp(t *testing.T) {
	s := layOut(t, data.Small())
	s.startDatabase(t)
	s.startApp(t)

	t.Run("frame", s.testFrame)
	t.Run("index", s.testIndex)
	t.Run("article", s.testArticle)
	t.Run("sidebar", s.testSidebar)
	t.Run("article form", s.testArticleForm)
	t.Run("not found", s.testNotFound)
	t.Run("static files", s.testStaticFiles)
	t.Run("new article", s.testNewArticle)
	t.Run("final newlines", s.testFinalNewlines)
	t.Run("new comment", s.testNewComment)
	t.Run("markup", s.testMarkup)
	t.Run("no article at all", s.testEmptyBlog)
	t.Run("load", s.testLoad)
}

const newest = 200 // the largest id of the small world

func (s *site) testFrame(t *testing.T) {
	for _, path := range []string{"/", "/article/1", "/post"} {
		got := s.get(t, path)
		if got.status != http.StatusOK || !strings.EqualFold(got.contentType, "text/html; charset=utf-8") {
			t.Errorf("%s: status %d, %s", path, got.status, got.contentType)
		}
		if !bytes.Contains(got.body, []byte("<html>")) || !bytes.Contains(got.body, []byte("</html>")) {
			t.Errorf("%s: no <html>, or no </html>", path)
		}
		page := s.page(t, path)
		for selector, want := range map[string]string{
			"title":                          "isucon now!",
			"#mainview #sidebar table tr td": "新着コメントエントリ",
		} {
			if text := page.Find(selector).First().Text(); text != want {
				t.Errorf("%s: %s is %q", path, selector, text)
			}
		}
		if href := page.Find("#view #titleimage a").AttrOr("href", ""); href != "/post" {
			t.Errorf("%s: the logo leads to %q", path, href)
		}
		var files []string
		page.Find("link[href], script[src], #titleimage img[src]").Each(func(_ int, e *goquery.Selection) {
			files = append(files, e.AttrOr("href", e.AttrOr("src", "")))
		})
		want := []string{
			"/css/jquery-ui-1.8.14.custom.css", "/css/isucon.css",
			"/js/jquery-1.6.2.min.js", "/js/jquery-ui-1.8.14.custom.min.js", "/js/isucon.js",
			"/images/isucon_title.jpg",
		}
		if diff := cmp.Diff(want, files); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// What the contest's tool does on this page (§3.2): the first element in
// #articleview must hold the newest article's link.
func (s *site) testIndex(t *testing.T) {
	page := s.page(t, "/")
	if got := s.newestOf(page); got != newest {
		t.Errorf("the newest article is %d", got)
	}
	articles := page.Find("#articleview .article")
	if articles.Length() != 10 {
		t.Fatalf("%d articles", articles.Length())
	}
	articles.Each(func(i int, article *goquery.Selection) {
		want := s.stored(t, newest-i)
		all := strings.Split(want.body, "\n")
		shown := all[:min(len(all), 8)]
		link := article.Find(".articlelink")
		if diff := cmp.Diff(shown, linesOf(t, article.Find(".body"))); diff != "" {
			t.Errorf("body of the %d. article:\n%s", i+1, diff)
		}
		if got := article.Find(".title").Text(); got != want.title {
			t.Errorf("title of the %d. article: %q", i+1, got)
		}
		if got := article.Find(".created").Text(); got != want.created {
			t.Errorf("time of the %d. article: %q", i+1, got)
		}
		if got, want := link.Find("a").AttrOr("href", ""), fmt.Sprintf("/article/%d", newest-i); got != want {
			t.Errorf("the %d. article links to %q", i+1, got)
		}
		wantText := "read more"
		if len(all) > 8 {
			wantText = "... ... read more"
		}
		if got := link.Text(); got != wantText {
			t.Errorf("link of the %d. article, of %d lines: %q", i+1, len(all), got)
		}
	})
}

// newestOf is how the contest's tool finds the largest id.
func (s *site) newestOf(page *goquery.Document) int {
	href := page.Find("#articleview *").First().Find(".articlelink a").AttrOr("href", "")
	var id int
	if at := regexp.MustCompile(`/article/(\d+)$`).FindStringSubmatch(href); at != nil {
		_, _ = fmt.Sscan(at[1], &id)
	}
	return id
}

// testArticle compares pages with the truth that the benchmark gets.
func (s *site) testArticle(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(s.root, "truth/initial.json"))
	if err != nil {
		t.Fatal(err)
	}
	var known []struct {
		ID   int
		Data struct {
			Title, Body string
			Comments    []struct{ Name, Body string }
		}
	}
	if err := json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	for _, want := range known[:10] {
		page := s.page(t, fmt.Sprintf("/article/%d", want.ID))
		if got := page.Find("#articleview .article .title").Text(); got != want.Data.Title {
			t.Errorf("title of %d: %q, want %q", want.ID, got, want.Data.Title)
		}
		if got, want := page.Find("#articleview .article .created").Text(), s.stored(t, want.ID).created; got != want {
			t.Errorf("time of the article: %q, want %q", got, want)
		}
		if diff := cmp.Diff(strings.Split(want.Data.Body, "\n"), linesOf(t, page.Find("#articleview .article .body"))); diff != "" {
			t.Errorf("body of %d:\n%s", want.ID, diff)
		}
		comments := page.Find(".comments > .comment")
		if comments.Length() != len(want.Data.Comments) {
			t.Fatalf("%d comments on %d, want %d", comments.Length(), want.ID, len(want.Data.Comments))
		}
		comments.Each(func(i int, comment *goquery.Selection) {
			name := want.Data.Comments[i].Name
			if name == "" {
				name = "名無しさん"
			}
			if got := comment.ChildrenFiltered(".name").Text(); got != name {
				t.Errorf("name of the %d. comment on %d: %q, want %q", i+1, want.ID, got, name)
			}
			if diff := cmp.Diff(strings.Split(want.Data.Comments[i].Body, "\n"), linesOf(t, comment.ChildrenFiltered(".body"))); diff != "" {
				t.Errorf("body of the %d. comment on %d:\n%s", i+1, want.ID, diff)
			}
			if comment.ChildrenFiltered(".created").Length() != 1 {
				t.Errorf("the %d. comment on %d has no time", i+1, want.ID)
			}
		})
	}
	page := s.page(t, "/article/7")
	for selector, want := range map[string]string{
		".comments > .commenttitle":    "以下みなさまの反応",
		".commentform > .commenttitle": "あなたの反応",
	} {
		if got := page.Find(selector).Text(); got != want {
			t.Errorf("%s is %q", selector, got)
		}
	}
	for _, selector := range []string{
		".commentform form[method=POST][action='/comment/7'] input[name=name][size='30']",
		".commentform form textarea[name=body][cols='60'][rows='4']",
		".commentform form [type=submit]",
	} {
		if page.Find(selector).Length() != 1 {
			t.Errorf("no %s", selector)
		}
	}
}

func (s *site) testSidebar(t *testing.T) {
	rows, err := s.db.Query("SELECT a.id, a.title FROM article a, comment c WHERE c.article = a.id GROUP BY a.id ORDER BY MAX(c.created_at) DESC LIMIT 10")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var want []string
	for rows.Next() {
		var id, title string
		if err := rows.Scan(&id, &title); err != nil {
			t.Fatal(err)
		}
		want = append(want, "/article/"+id+" "+title)
	}
	for _, path := range []string{"/", "/article/3", "/post"} {
		if diff := cmp.Diff(want, sidebarOf(s.page(t, path))); diff != "" || len(want) != 10 {
			t.Errorf("%s: %d rows\n%s", path, len(want), diff)
		}
	}
}

// sidebarOf gives address and text of each link in the sidebar.
func sidebarOf(page *goquery.Document) (links []string) {
	page.Find("#sidebar table tr td a").Each(func(_ int, a *goquery.Selection) {
		links = append(links, a.AttrOr("href", "")+" "+a.Text())
	})
	return links
}

func (s *site) testArticleForm(t *testing.T) {
	page := s.page(t, "/post")
	for _, selector := range []string{
		"form[method=POST][action='/post'] input[name=title][size='60']",
		"form textarea[name=body][cols='60'][rows='8']",
		"form [type=submit]",
	} {
		if page.Find(selector).Length() != 1 {
			t.Errorf("no %s", selector)
		}
	}
}

func (s *site) testNotFound(t *testing.T) {
	for _, path := range []string{"/article/201", "/article/x", "/article/", "/nothing", "/images/", "/css/..%2f..%2fload.sh"} {
		if got := s.get(t, path); got.status != http.StatusNotFound {
			t.Errorf("GET %s: status %d", path, got.status)
		}
	}
}

func (s *site) testStaticFiles(t *testing.T) {
	truth, err := os.ReadFile(filepath.Join(s.root, "truth/static.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(truth)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		got := s.get(t, fields[0])
		if sum := fmt.Sprintf("%x", md5.Sum(got.body)); got.status != http.StatusOK || sum != fields[2] {
			t.Errorf("%s: status %d, %d bytes, MD5 %s", fields[0], got.status, len(got.body), sum)
		}
	}
	if got := s.get(t, "/favicon.ico"); got.status != http.StatusOK || len(got.body) != 3_390 {
		t.Errorf("favicon: status %d, %d bytes", got.status, len(got.body))
	}
	if got := s.get(t, "/css/images/ui-icons_888888_256x240.png"); got.status != http.StatusOK || len(got.body) != 5_355 {
		t.Errorf("icons: status %d, %d bytes", got.status, len(got.body))
	}
}

func (s *site) testNewArticle(t *testing.T) {
	title, body := "今日の ブログ 1", "一行目\n\n三行目"
	s.post(t, "/post", url.Values{"title": {title}, "body": {body}}, "/")
	page := s.page(t, "/")
	if got := s.newestOf(page); got != newest+1 {
		t.Fatalf("the newest article is %d", got)
	}
	if got := page.Find(".article").First().Find(".articlelink").Text(); got != "read more" {
		t.Errorf("link of a short article: %q", got)
	}
	page = s.page(t, fmt.Sprintf("/article/%d", newest+1))
	if got := page.Find(".article .title").Text(); got != title {
		t.Errorf("title %q", got)
	}
	if diff := cmp.Diff([]string{"一行目", "", "三行目"}, linesOf(t, page.Find(".article .body"))); diff != "" {
		t.Error(diff)
	}
	at, err := time.ParseInLocation(time.DateTime, page.Find(".article .created").Text(), time.Local)
	if err != nil || time.Since(at).Abs() > time.Minute {
		t.Errorf("created at %v, %v", at, err)
	}
	if page.Find(".comment").Length() != 0 {
		t.Error("comments on a new article")
	}
	if got := sidebarOf(page); len(got) != 10 || strings.Contains(strings.Join(got, "\n"), title) {
		t.Errorf("an article without comments in the sidebar: %q", got)
	}
}

// A final newline ends the last line and opens no other (§3.4).
func (s *site) testFinalNewlines(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"a\n", "a<br/>"},
		{"a\n\n", "a<br/><br/>"},
		{"\na\nb ", "<br/>a<br/>b <br/>"},
		{"", ""},
	} {
		s.post(t, "/post", url.Values{"title": {"newlines"}, "body": {c.body}}, "/")
		page := s.page(t, fmt.Sprintf("/article/%d", s.newestOf(s.page(t, "/"))))
		if got, _ := page.Find(".article .body").Html(); got != c.want {
			t.Errorf("%q is shown as %q, want %q", c.body, got, c.want)
		}
	}
}

func (s *site) testNewComment(t *testing.T) {
	for i, c := range []struct{ name, body, shown string }{
		{"", "一\n二", "名無しさん"},
		{"\nあ\n1 ", "三", "\nあ\n1 "},
		{"ａ b", "四", "ａ b"},
	} {
		time.Sleep(1100 * time.Millisecond) // comments are told apart by the second
		id := []int{11, 12, 11}[i]
		before := s.page(t, fmt.Sprintf("/article/%d", id)).Find(".comment").Length()
		s.post(t, fmt.Sprintf("/comment/%d", id), url.Values{"name": {c.name}, "body": {c.body}}, fmt.Sprintf("/article/%d", id))
		page := s.page(t, fmt.Sprintf("/article/%d", id))
		last := page.Find(".comment").Last()
		if got := page.Find(".comment").Length(); got != before+1 {
			t.Errorf("%d comments on %d after %d", got, id, before)
		}
		if got := last.ChildrenFiltered(".name").Text(); got != c.shown {
			t.Errorf("name %q, want %q", got, c.shown)
		}
		if diff := cmp.Diff(strings.Split(c.body, "\n"), linesOf(t, last.ChildrenFiltered(".body"))); diff != "" {
			t.Error(diff)
		}
		want := fmt.Sprintf("/article/%d %s", id, s.stored(t, id).title)
		for _, path := range []string{"/", "/article/100"} {
			if got := sidebarOf(s.page(t, path)); got[0] != want || len(got) != 10 {
				t.Errorf("%s: the sidebar begins with %q, want %q", path, got[0], want)
			}
		}
	}
	// Whether the article is there nobody looks.
	s.post(t, "/comment/9999", url.Values{"body": {"x"}}, "/article/9999")
}

func (s *site) testMarkup(t *testing.T) {
	const nasty = `<b>&amp;"'`
	s.post(t, "/post", url.Values{"title": {nasty}, "body": {nasty}}, "/")
	id := s.newestOf(s.page(t, "/"))
	path := fmt.Sprintf("/article/%d", id)
	s.post(t, fmt.Sprintf("/comment/%d", id), url.Values{"name": {nasty}, "body": {nasty}}, path)
	page := s.page(t, path)
	for selector, want := range map[string]string{
		".article .title": nasty, ".article .body": nasty, ".comment .name": nasty, ".comment .body": nasty,
	} {
		if got := page.Find(selector).Text(); got != want {
			t.Errorf("%s is %q", selector, got)
		}
	}
	if page.Find("b").Length() != 0 {
		t.Error("markup gets through")
	}
}

func (s *site) testEmptyBlog(t *testing.T) {
	for _, table := range []string{"article", "comment"} {
		if _, err := s.db.Exec("DELETE FROM " + table); err != nil {
			t.Fatal(err)
		}
	}
	page := s.page(t, "/")
	if page.Find(".article").Length() != 0 || len(sidebarOf(page)) != 0 {
		t.Error("something is shown")
	}
}

// testLoad comes last: load.sh brings everything back.
func (s *site) testLoad(t *testing.T) {
	if out, err := s.load(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var articles, comments int
	err := s.db.QueryRow("SELECT (SELECT COUNT(*) FROM article), (SELECT COUNT(*) FROM comment)").Scan(&articles, &comments)
	if err != nil || articles != 200 || comments != 1_000 {
		t.Errorf("%d articles and %d comments, %v", articles, comments, err)
	}
	for name, env := range map[string]string{
		"wrong password": "ISUCON_DB_PASSWORD=guess",
		"nobody listens": "ISUCON_DB_PORT=1",
		"no client":      "PATH=/nonexistent",
	} {
		if out, err := s.load(env); err == nil {
			t.Errorf("%s: load.sh ended well:\n%s", name, out)
		}
	}
}

// article is a row of the database.
type article struct{ title, body, created string }

func (s *site) stored(t *testing.T, id int) (a article) {
	t.Helper()
	row := s.db.QueryRow("SELECT title, body, created_at FROM article WHERE id = ?", id)
	if err := row.Scan(&a.title, &a.body, &a.created); err != nil {
		t.Fatalf("article %d: %v", id, err)
	}
	return a
}

// linesOf splits what stands in a body at its <br>, of which the app writes one
// behind each line.
func linesOf(t *testing.T, body *goquery.Selection) []string {
	t.Helper()
	inner, err := body.Html()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(inner, "<br/>")
	return lines[:len(lines)-1]
}

// answer is a response.
type answer struct {
	status                int
	contentType, location string
	body                  []byte
}

func (s *site) do(t *testing.T, request *http.Request, err error) answer {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header.Get("Content-Type"), response.Header.Get("Location"), body}
}

func (s *site) get(t *testing.T, path string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	return s.do(t, request, err)
}

func (s *site) page(t *testing.T, path string) *goquery.Document {
	t.Helper()
	got := s.get(t, path)
	page, err := goquery.NewDocumentFromReader(bytes.NewReader(got.body))
	if err != nil || got.status != http.StatusOK {
		t.Fatalf("%s: status %d: %v", path, got.status, err)
	}
	return page
}

// post sends a form and expects a redirect.
func (s *site) post(t *testing.T, path string, form url.Values, location string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, strings.NewReader(form.Encode()))
	if err == nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if got := s.do(t, request, err); got.status != http.StatusFound || got.location != location {
		t.Errorf("POST %s: status %d to %q, want 302 to %q", path, got.status, got.location, location)
	}
}
