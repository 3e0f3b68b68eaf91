package accesslog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"

	"hotseat"
	"hotseat/measure/logfile"
	"hotseat/measure/series"
)

// Log is a log that was read: its digest, and what a join needs beyond it.
type Log struct {
	hotseat.AccessDigest

	WindowS  float64          // as asked for
	Series   []*series.Series // of each route of the digest, in its order
	HasIDs   bool             // some requests had ids
	Sampled  uint64           // of this many ids about one is known; 1 is all
	ids      ids
	position map[*route]int
}

// Digest reads logs to their end and sums them up.
func Digest(ctx context.Context, inputs []logfile.Input, o Options) (*hotseat.AccessDigest, error) {
	log, err := Read(ctx, inputs, o)
	if err != nil {
		return nil, err
	}
	return &log.AccessDigest, nil
}

// Read is Digest for those who want to join requests with something else.
func Read(ctx context.Context, inputs []logfile.Input, o Options) (*Log, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Workers <= 0 {
		o.Workers = min(2, runtime.GOMAXPROCS(0))
	}
	workers := make([]*worker, o.Workers)
	type job struct {
		file   int
		format string
		block  *logfile.Block
	}
	jobs := make(chan job)
	free := logfile.NewFree(2 * o.Workers)
	group, ctx := errgroup.WithContext(ctx)
	for i := range workers {
		workers[i] = newWorker(&o)
		group.Go(func() error {
			for j := range jobs {
				workers[i].block(j.file, j.format, j.block)
				free.Give(j.block)
			}
			return nil
		})
	}
	var files []hotseat.DigestInput
	group.Go(func() error {
		defer close(jobs)
		for i, in := range inputs {
			file, err := readFile(ctx, in, &o, free, func(format string, b *logfile.Block) error {
				select {
				case jobs <- job{i, format, b}:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
			if err != nil {
				return err
			}
			files = append(files, file)
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return finish(workers, files, &o), nil
}

// readFile cuts one log into blocks and tells its format.
func readFile(ctx context.Context, in logfile.Input, o *Options, free *logfile.Free, each func(string, *logfile.Block) error) (hotseat.DigestInput, error) {
	file := hotseat.DigestInput{Name: in.Name, Format: o.Format}
	log, err := logfile.Open(in)
	if err != nil {
		return file, err
	}
	file.Compression = log.Compression
	err = logfile.Blocks(ctx, in.Name, io.Reader(log), free, func(b *logfile.Block) error {
		if file.Format == "" {
			format, ok := o.detect(b.Data)
			if !ok {
				first, _, _ := strings.Cut(string(b.Data[:min(len(b.Data), maxBadText)]), "\n")
				return hotseat.Invalid("give its format with --format, or describe it with --regexp",
					"%s is in no format that we know: %s", in.Name, strconv.Quote(first))
			}
			file.Format = format
		}
		file.Bytes = b.Offset + int64(len(b.Data))
		file.Lines = b.Line + b.Lines - 1
		return each(file.Format, b)
	})
	return file, errors.Join(err, log.Close())
}

// finish puts the workers together.
func finish(workers []*worker, files []hotseat.DigestInput, o *Options) *Log {
	all := workers[0]
	for _, w := range workers[1:] {
		all.merge(w)
	}
	all.tree.Settle()
	d := hotseat.AccessDigest{Schema: hotseat.AccessDigestSchema, Files: files, Notes: []string{},
		Lines: all.lines, Requests: all.requests, Filtered: all.filtered, FirstUnix: all.first, LastUnix: all.last,
		Unparsed: all.unparsed, UnparsedExamples: []hotseat.BadLine{}, Routes: []hotseat.AccessRoute{}}
	slices.SortFunc(all.bad, func(a, b badLine) int {
		if a.file != b.file {
			return a.file - b.file
		}
		return int(a.Line - b.Line)
	})
	for _, b := range all.bad[:min(len(all.bad), maxBad)] {
		b.File = files[b.file].Name
		d.UnparsedExamples = append(d.UnparsedExamples, b.BadLine)
	}

	var total route
	var routes []*route
	var names []string
	collect := func(name string, p *page) {
		for _, r := range p.routes {
			routes, names = append(routes, r), append(names, name)
		}
	}
	all.tree.Each(collect)
	for name, p := range all.own {
		collect(name, p)
	}
	if all.firstSmaller > all.secondSmaller {
		for _, r := range routes {
			r.times[requestTime], r.times[upstreamTime] = r.times[upstreamTime], r.times[requestTime]
		}
		all.units[requestTime], all.units[upstreamTime] = all.units[upstreamTime], all.units[requestTime]
		d.Notes = append(d.Notes, "of the two numbers at the end of each line, the second is taken as the time of the request: it is never the smaller")
	} else if all.secondSmaller > 0 {
		d.Notes = append(d.Notes, "of the two numbers at the end of each line, the first is taken as the time of the request: it is never the smaller")
	}
	for _, r := range routes {
		series := r.series
		r.series.Counts = nil
		total.merge(r)
		r.series = series
	}
	units := all.unitsOf(&total, o, &d)
	d.Total = total.summary("", units)
	log := &Log{AccessDigest: d, WindowS: o.WindowS, position: map[*route]int{}, ids: all.ids, Sampled: all.ids.mask + 1, HasIDs: len(all.ids.routes) > 0}
	order := make([]int, len(routes))
	summaries := make([]hotseat.AccessRoute, len(routes))
	for i, r := range routes {
		order[i] = i
		summaries[i] = r.summary(names[i], units)
		summaries[i].Share = share(&summaries[i], &d.Total)
	}
	log.Total.Share = share(&log.Total, &log.Total)
	slices.SortFunc(order, func(a, b int) int { return Compare(&summaries[a], &summaries[b]) })
	for i, at := range order {
		log.Routes = append(log.Routes, summaries[at])
		log.Series = append(log.Series, &routes[at].series)
		log.position[routes[at]] = i
	}
	log.Notes = append(log.Notes, all.notes()...)
	return log
}

// Compare orders routes by their share, the largest first, then by number and name.
func Compare(a, b *hotseat.AccessRoute) int {
	switch {
	case a.Share != b.Share:
		return map[bool]int{true: -1, false: 1}[a.Share > b.Share]
	case a.Count != b.Count:
		return map[bool]int{true: -1, false: 1}[a.Count > b.Count]
	case a.Template != b.Template:
		return strings.Compare(a.Template, b.Template)
	default:
		return strings.Compare(a.Method, b.Method)
	}
}

func (w *worker) merge(o *worker) {
	w.tree.Merge(o.tree)
	for name, p := range o.own {
		if own := w.own[name]; own != nil {
			own.Merge(p)
		} else {
			w.own[name] = p
		}
	}
	if w.options.RequestIDs {
		w.ids.merge(&o.ids)
	}
	w.lines += o.lines
	w.requests += o.requests
	w.filtered += o.filtered
	w.unparsed += o.unparsed
	w.bad = append(w.bad, o.bad...)
	if o.timed > 0 && (w.timed == 0 || o.first < w.first) {
		w.first = o.first
	}
	w.last = max(w.last, o.last)
	w.timed += o.timed
	w.firstSmaller += o.firstSmaller
	w.secondSmaller += o.secondSmaller
	for i := range w.units {
		a, b := &w.units[i], &o.units[i]
		if b.wholes > 0 && (a.wholes == 0 || b.smallest < a.smallest) {
			a.smallest = b.smallest
		}
		a.told, a.fractions, a.wholes = a.told+b.told, a.fractions+b.fractions, a.wholes+b.wholes
	}
}

// notes says what a reader should know about how the digest came to be.
func (w *worker) notes() []string {
	var notes []string
	if w.unparsed > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d lines could not be read and are not counted", w.unparsed, w.lines))
	}
	if w.tree.Overflowed() {
		notes = append(notes, "there were more different paths than fit in memory: where they were most, rare words count as values")
	}
	if (w.options.From != 0 || w.options.To != 0) && w.timed < w.requests {
		notes = append(notes, fmt.Sprintf("%d requests have no time of day and are counted whatever time was asked for", w.requests-w.timed))
	}
	return notes
}

func (r *route) summary(template string, units [timeCount]float64) hotseat.AccessRoute {
	s := hotseat.AccessRoute{
		Method: r.method, Template: template, Count: r.count, Codes: map[string]int64{},
		RequestTime:  r.times[requestTime].summary(units[requestTime]),
		UpstreamTime: r.times[upstreamTime].summary(units[upstreamTime]),
		ConnectTime:  r.times[connectTime].summary(units[connectTime]),
		HeaderTime:   r.times[headerTime].summary(units[headerTime]),
		Connected:    r.connected, Retries: r.retries, Redirects: r.redirects, FirstOnConn: r.firstOnConn,
		Bytes: r.size.summary(), RequestBytes: r.requestSize.summary(),
		Upstreams: r.upstreams.summary(), Cache: r.cache.summary(), Encodings: r.encodings.summary(),
	}
	for _, c := range r.codes {
		name := strconv.Itoa(int(c.code))
		if c.code == 0 {
			name = "-"
		}
		s.Codes[name] += c.count
		*class(&s.Status, c.code) += c.count
	}
	if e := &r.slowest; e.set {
		unit := units[requestTime]
		if s.RequestTime.Count == 0 {
			unit = units[upstreamTime]
		}
		s.Slowest = &hotseat.AccessExample{URI: string(e.uri), Status: int(e.status), TimeS: seconds(e.micro, unit), RequestID: string(e.id), AtUnix: e.at}
	}
	return s
}

// class is where a status is counted. 499 is nginx's alone.
func class(s *hotseat.StatusClasses, code int16) *int64 {
	switch {
	case code == 499:
		return &s.GaveUp
	case code < 100 || code > 599:
		return &s.Other
	default:
		return []*int64{&s.Info, &s.Success, &s.Redirection, &s.Client, &s.Server}[code/100-1]
	}
}

// share is a route's part of the time, or of the number where there is no time.
func share(r, total *hotseat.AccessRoute) float64 {
	part, whole := r.Time().Sum, total.Time().Sum
	if total.RequestTime.Count > 0 {
		part, whole = r.RequestTime.Sum, total.RequestTime.Sum
	}
	if whole <= 0 {
		part, whole = float64(r.Count), float64(total.Count)
	}
	if whole <= 0 || math.IsNaN(part/whole) {
		return 0
	}
	return part / whole
}

// RouteOf returns the index in Routes of the request with an id. known is false
// for an id of which nothing can be said, since only a sample is kept.
func (l *Log) RouteOf(id []byte) (route int, found, known bool) {
	hash := xxh3.Hash(id)
	if hash&l.ids.mask != 0 {
		return 0, false, false
	}
	r := l.ids.routes[hash]
	if r == nil {
		return 0, false, true
	}
	for r.into != nil {
		r = r.into
	}
	at, ok := l.position[r]
	return at, ok, true
}
