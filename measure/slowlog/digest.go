// Package slowlog digests the slow query logs of MariaDB, MySQL and Percona
// Server: one pass, memory that does not grow with the log, statements put
// together by fingerprints that are pt-query-digest's.
package slowlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"

	"hotseat"
	"hotseat/measure/fingerprint"
	"hotseat/measure/logfile"
	"hotseat/measure/series"
)

// Options says how to read a slow log. The zero value reads all of it.
type Options struct {
	From, To float64 // only what was logged within, seconds since 1970; 0 is open

	// WindowS, if not 0, counts each class's statements over time in windows of so many seconds.
	WindowS float64
	// Route, if not nil, is asked for the route of each request id in a
	// statement's comment; see accesslog.Log.RouteOf.
	Route func(id []byte) (route int, found, known bool)
}

// Use is how much of a class one route's requests used.
type Use struct {
	Count int64
	TimeS float64
}

// Log is a slow log that was read: its digest, and what a join needs beyond it.
type Log struct {
	hotseat.SlowDigest

	WindowS   float64          // as asked for
	Series    []*series.Series // of each class of the digest, in its order
	Uses      []map[int]*Use   // of each class by route, with Options.Route
	Unmatched []int64          // statements of each class with an id that no request had
	Untagged  int64            // statements without an id
}

// maxClasses is how many classes are told apart, and maxThreads how many
// connections are watched for runs.
const (
	maxClasses = 2000
	maxThreads = 8192
)

type digester struct {
	options *Options
	parser  parser
	printer fingerprint.Fingerprinter
	classes map[uint64]*class
	rest    *class // of those beyond maxClasses
	threads map[uint64]thread

	file               string
	entries, filtered  int64
	unparsed, untagged int64
	truncated          int64
	bad                []hotseat.BadLine
	first, last        float64
}

// thread is what one connection did last.
type thread struct {
	class *class
	run   int64
}

// Digest reads logs to their end and sums them up.
func Digest(ctx context.Context, inputs []logfile.Input, o Options) (*hotseat.SlowDigest, error) {
	log, err := Read(ctx, inputs, o)
	if err != nil {
		return nil, err
	}
	return &log.SlowDigest, nil
}

// Read is Digest for those who want to join statements with requests.
func Read(ctx context.Context, inputs []logfile.Input, o Options) (*Log, error) {
	if o.From != 0 && o.To != 0 && o.To < o.From {
		return nil, hotseat.Invalid("", "the time ends before it begins")
	}
	d := &digester{options: &o, classes: map[uint64]*class{}, threads: map[uint64]thread{}}
	var files []hotseat.DigestInput
	for _, in := range inputs {
		file, err := d.read(ctx, in)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return d.finish(files), nil
}

// read reads one log, its blocks by one goroutine while another takes them apart.
func (d *digester) read(ctx context.Context, in logfile.Input) (hotseat.DigestInput, error) {
	file := hotseat.DigestInput{Name: in.Name}
	log, err := logfile.Open(in)
	if err != nil {
		return file, err
	}
	file.Compression = log.Compression
	d.file = in.Name
	before, strange := d.entries+d.filtered, d.unparsed
	d.parser = parser{each: d.entry, reject: d.reject, server: d.parser.server}
	free := logfile.NewFree(3)
	blocks := make(chan *logfile.Block, 1)
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(blocks)
		return logfile.Blocks(inner, in.Name, io.Reader(log), free, func(b *logfile.Block) error {
			select {
			case blocks <- b:
				return nil
			case <-inner.Done():
				return inner.Err()
			}
		})
	})
	group.Go(func() error {
		for b := range blocks {
			file.Bytes = b.Offset + int64(len(b.Data))
			file.Lines = b.Line + b.Lines - 1
			d.parser.block(b)
			free.Give(b)
			if d.entries+d.filtered == before && d.unparsed-strange > 1000 {
				return notSlow(in.Name, d.bad)
			}
		}
		d.parser.finish()
		return nil
	})
	err = errors.Join(group.Wait(), log.Close())
	if err == nil && d.entries+d.filtered == before && d.parser.strange > 0 {
		err = notSlow(in.Name, d.bad)
	}
	file.Format = d.parser.kind
	return file, err
}

func notSlow(name string, bad []hotseat.BadLine) error {
	text := ""
	if len(bad) > 0 {
		text = ": " + bad[0].Text
	}
	return hotseat.Invalid("hotseat digest access reads access logs", "%s is no slow log of MySQL or MariaDB%s", name, strings.SplitN(text, "\n", 2)[0])
}

func (d *digester) reject(line int64, text []byte, why string) {
	const shown, length = 5, 300
	d.unparsed++
	if len(d.bad) < shown {
		d.bad = append(d.bad, hotseat.BadLine{File: d.file, Line: line, Why: why, Text: string(text[:min(len(text), length)])})
	}
}

// entry counts one statement.
func (d *digester) entry(e *entry) {
	at := e.at(d.parser.clock)
	if o := d.options; at != 0 && (o.From != 0 && at < o.From || o.To != 0 && at > o.To) {
		d.filtered++
		return
	}
	d.entries++
	if at != 0 {
		if d.first == 0 || at < d.first {
			d.first = at
		}
		d.last = max(d.last, at)
	}
	if e.truncated {
		d.truncated++
	}
	schema := e.schema
	if len(schema) == 0 && d.parser.kind != serverMariaDB {
		schema = d.parser.schema
	}
	c := d.class(d.printer.Of(e.sql), e)
	c.add(e, schema, at)
	d.follow(c, e)
	if d.options.WindowS > 0 && at != 0 {
		c.series.Add(int64(at/d.options.WindowS), 1)
	}
	if d.options.Route != nil {
		d.tag(c, e)
	}
}

// class finds the class of a fingerprint, or makes it.
func (d *digester) class(print []byte, e *entry) *class {
	hash := xxh3.Hash(print)
	if c := d.classes[hash]; c != nil {
		return c
	}
	if len(d.classes) >= maxClasses {
		if d.rest == nil {
			const text = "(classes beyond the first 2000)"
			d.rest = &class{id: fingerprint.ID([]byte(text)), fingerprint: text, verb: "OTHER"}
		}
		return d.rest
	}
	c := &class{id: fingerprint.ID(print), fingerprint: string(print[:min(len(print), maxFingerprint)]), verb: verb(print, e.admin)}
	d.classes[hash] = c
	return c
}

// verb is the first word of a statement.
func verb(print []byte, admin bool) string {
	if admin || bytes.HasPrefix(print, []byte("administrator command")) {
		return "ADMIN"
	}
	print = bytes.TrimLeft(print, "( ")
	end := 0
	for end < len(print) && end < 20 && print[end]|0x20 >= 'a' && print[end]|0x20 <= 'z' {
		end++
	}
	return strings.ToUpper(string(print[:end]))
}

// follow watches for runs of one class on a connection. The Prepare and Close around
// a prepared statement do not end a run.
func (d *digester) follow(c *class, e *entry) {
	if e.admin || e.thread == 0 {
		return
	}
	t, known := d.threads[e.thread]
	if known && t.class == c {
		t.run++
	} else {
		if known {
			t.class.ran(t.run)
		} else if len(d.threads) >= maxThreads {
			d.endRuns()
		}
		t = thread{class: c, run: 1}
	}
	d.threads[e.thread] = t
}

func (d *digester) endRuns() {
	for _, t := range d.threads {
		t.class.ran(t.run)
	}
	clear(d.threads)
}

// finish makes the digest.
func (d *digester) finish(files []hotseat.DigestInput) *Log {
	d.endRuns()
	classes := make([]*class, 0, len(d.classes)+1)
	for _, c := range d.classes {
		classes = append(classes, c)
	}
	if d.rest != nil {
		classes = append(classes, d.rest)
	}
	slices.SortFunc(classes, byTime)
	var total class
	for _, c := range classes {
		total.merge(c)
	}
	log := &Log{WindowS: d.options.WindowS, Untagged: d.untagged, SlowDigest: hotseat.SlowDigest{
		Schema: hotseat.SlowDigestSchema, Files: files, Notes: []string{}, Server: d.parser.server,
		Entries: d.entries, Filtered: d.filtered, FirstUnix: d.first, LastUnix: d.last,
		Unparsed: d.unparsed, UnparsedExamples: append([]hotseat.BadLine{}, d.bad...),
		Total: total.summary(&total.time), Classes: []hotseat.QueryClass{},
	}}
	for _, c := range classes {
		log.Classes = append(log.Classes, c.summary(&total.time))
		log.Series = append(log.Series, &c.series)
		log.Uses = append(log.Uses, c.requests)
		log.Unmatched = append(log.Unmatched, c.unmatched)
	}
	if d.unparsed > 0 {
		log.Notes = append(log.Notes, fmt.Sprintf("%d entries could not be read and are not counted", d.unparsed))
	}
	if d.rest != nil {
		log.Notes = append(log.Notes, fmt.Sprintf("there were more than %d classes; %d statements of later ones are counted together", maxClasses, d.rest.count))
	}
	if d.truncated > 0 {
		log.Notes = append(log.Notes, fmt.Sprintf("%d statements are longer than 1 MB; only that much of them was looked at", d.truncated))
	}
	return log
}
