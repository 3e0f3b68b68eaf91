package data

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"time"
)

// Articles appear in the weeks before the comments do, comments in the week
// before the contest; all at equal distances.
var (
	firstArticle = time.Date(2011, time.August, 1, 0, 0, 0, 0, time.UTC)
	firstComment = time.Date(2011, time.August, 20, 0, 0, 0, 0, time.UTC)
	contestDay   = time.Date(2011, time.August, 27, 0, 0, 0, 0, time.UTC)
)

// blog makes articles and comments, and remembers those that the truth tells.
type blog struct {
	opts  Options
	truth []*knownArticle // by id, ascending
	byID  map[int]*knownArticle
}

// knownArticle is an entry of initial.json, in the form of the contest's own
// list of articles for its checker (§6).
type knownArticle struct {
	ID   int `json:"id"`
	Data struct {
		Title    string         `json:"title"`
		Body     string         `json:"body"`
		Comments []knownComment `json:"comments"` // by id, ascending
	} `json:"data"`
}

type knownComment struct {
	Name string `json:"name"` // empty: anonymous
	Body string `json:"body"`
}

// newBlog chooses the articles to remember.
func newBlog(opts Options) *blog {
	b := &blog{opts: opts, truth: []*knownArticle{}, byID: map[int]*knownArticle{}}
	left := opts.Initial
	c := newChance(opts.Seed, initialStream)
	for id := 1; id <= opts.Articles; id++ {
		if c.below(opts.Articles-id+1) < left { // selection sampling: each set is as likely
			left--
			known := &knownArticle{ID: id}
			b.truth = append(b.truth, known)
			b.byID[id] = known
		}
	}
	return b
}

func (b *blog) writeArticles(ctx context.Context, path string) error {
	c := newChance(b.opts.Seed, articleStream)
	return writeInserts(path, "article (id, title, body, created_at)", func(in *inserts) error {
		for id := 1; id <= b.opts.Articles; id++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			title, body := c.title(), c.closed(c.between(500, 1_500))
			if known := b.byID[id]; known != nil {
				known.Data.Title, known.Data.Body = title, body
			}
			at := spread(id-1, b.opts.Articles, firstArticle, firstComment)
			if err := in.row("%d,'%s','%s','%s'", id, title, oneLine(body), at); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *blog) writeComments(ctx context.Context, path string) error {
	c := newChance(b.opts.Seed, commentStream)
	articles := b.commented(c)
	return writeInserts(path, "comment (id, article, name, body, created_at)", func(in *inserts) error {
		for i, article := range articles {
			if err := ctx.Err(); err != nil {
				return err
			}
			comment := knownComment{Name: c.name(), Body: c.closed(c.between(100, 300))}
			if known := b.byID[article]; known != nil {
				known.Data.Comments = append(known.Data.Comments, comment)
			}
			at := spread(i, len(articles), firstComment, contestDay)
			if err := in.row("%d,%d,'%s','%s','%s'", i+1, article, oneLine(comment.Name), oneLine(comment.Body), at); err != nil {
				return err
			}
		}
		return nil
	})
}

// commented gives the article of each comment: every article once, and beyond
// that any.
func (b *blog) commented(c chance) []int {
	articles := make([]int, b.opts.Comments)
	for i := range articles {
		if i < b.opts.Articles {
			articles[i] = i + 1
		} else {
			articles[i] = c.between(1, b.opts.Articles)
		}
	}
	c.shuffle(articles)
	return articles
}

// writeTruth writes what was remembered.
func (b *blog) writeTruth(path string) error {
	text, err := json.Marshal(b.truth)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// spread returns the time of the i-th of n events between from and to.
func spread(i, n int, from, to time.Time) string {
	seconds := int(to.Sub(from)/time.Second) * i / n
	return from.Add(time.Duration(seconds) * time.Second).Format(time.DateTime)
}

// oneLine writes a text between the quotes of an SQL literal. Newlines are the
// only symbols that would end a line of the file.
func oneLine(text string) string { return strings.ReplaceAll(text, "\n", `\n`) }
