// Package data makes the initial world of ISUCON1: the blog's articles and their
// comments, the truth a benchmark checks against, and the static files of its
// pages.
//
// The contest never published its data. This is the stand-in of the
// specification's §6, of such a size that the sidebar's query examines as many
// rows as the winners saw in their slow log.
//
// Everything follows from a seed. The same seed gives the same bytes on every
// machine: chance comes from one named algorithm, no arithmetic is done in
// floating point, and no map is ever walked. That is what lets a data folder be
// cached under (problem, [Version], [Options]) and never be looked at again.
package data

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Version names what this package writes. It changes whenever any byte of the
// output for any seed does, so it belongs in the key of every cache of
// generated data; a test holds it to that.
const Version = "isucon1-data-1"

// Options says how large a world to make, and which one.
type Options struct {
	Seed     uint64 // which of the worlds of this size
	Articles int    // ids 1 … Articles
	Comments int    // ids 1 … Comments; each article has at least one
	Initial  int    // of the articles, how many the truth tells, with their comments
}

// Full is the world of the contest. With A articles and C comments MariaDB 10.11
// examines 2A + C + 10 rows for the sidebar: 172,853, as the winners reported.
func Full() Options {
	return Options{Seed: 1, Articles: 5_000, Comments: 162_843, Initial: 200}
}

// Small is a world in which the sidebar's query takes no time to speak of, with
// fewer comments to an article than the contest had: for tests and for judging
// the benchmark.
func Small() Options {
	return Options{Seed: 1, Articles: 200, Comments: 1_000, Initial: 50}
}

func (o Options) validate() error {
	switch {
	case o.Articles < 1:
		return fmt.Errorf("articles: want at least 1, got %d", o.Articles)
	case o.Comments < o.Articles:
		return fmt.Errorf("comments: want at least one to each of %d articles, got %d", o.Articles, o.Comments)
	case o.Initial < 0 || o.Initial > o.Articles:
		return fmt.Errorf("initial articles: want 0 to %d, got %d", o.Articles, o.Initial)
	}
	return nil
}

// Generate writes one world into dir, which is created if need be:
//
//	sql/initial_articles.sql  the articles, in INSERTs of less than 1 MB
//	sql/initial_comments.sql  their comments, likewise
//	truth/initial.json        some articles as the checker knows them, see blog.remember
//	truth/static.tsv          path, bytes, MD5 of the files that pages load
//
// Nothing is said about what dir holds after an error, a cancelled ctx
// included: write to a fresh folder and rename it into place on success.
func Generate(ctx context.Context, dir string, opts Options) error {
	if err := opts.validate(); err != nil {
		return fmt.Errorf("generate isucon1 data: %w", err)
	}
	sql, truth := filepath.Join(dir, "sql"), filepath.Join(dir, "truth")
	for _, d := range []string{sql, truth} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return fmt.Errorf("generate isucon1 data: %w", err)
		}
	}
	b := newBlog(opts)
	if err := b.writeArticles(ctx, filepath.Join(sql, "initial_articles.sql")); err != nil {
		return fmt.Errorf("generate articles: %w", err)
	}
	if err := b.writeComments(ctx, filepath.Join(sql, "initial_comments.sql")); err != nil {
		return fmt.Errorf("generate comments: %w", err)
	}
	if err := b.writeTruth(filepath.Join(truth, "initial.json")); err != nil {
		return fmt.Errorf("describe articles: %w", err)
	}
	if err := writeStaticTruth(filepath.Join(truth, "static.tsv")); err != nil {
		return fmt.Errorf("describe static files: %w", err)
	}
	return nil
}

// insertSize is how long a statement grows before the next one begins: half of
// what the contest's database server takes (max_allowed_packet=1M).
const insertSize = 512 << 10

// inserts writes rows of one table as a file of INSERT statements.
type inserts struct {
	into string // "table (columns)"
	file *os.File
	buf  []byte
}

// writeInserts creates the file and has fill write the rows. The error is the
// first of creating, filling, flushing and closing.
func writeInserts(path, into string, fill func(*inserts) error) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	in := &inserts{into: into, file: file}
	if err := fill(in); err != nil {
		return err
	}
	return in.end()
}

// row appends one row, without its parentheses.
func (in *inserts) row(format string, values ...any) error {
	if len(in.buf) == 0 {
		in.buf = append(in.buf, "INSERT INTO "+in.into+" VALUES"...)
	} else {
		in.buf = append(in.buf, ',')
	}
	in.buf = append(in.buf, "\n("...)
	in.buf = fmt.Appendf(in.buf, format, values...)
	in.buf = append(in.buf, ')')
	if len(in.buf) < insertSize {
		return nil
	}
	return in.end()
}

// end writes the statement that has begun, if any.
func (in *inserts) end() error {
	if len(in.buf) == 0 {
		return nil
	}
	in.buf = append(in.buf, ";\n"...)
	_, err := in.file.Write(in.buf)
	in.buf = in.buf[:0]
	return err
}
