package data

import (
	"bufio"
	"fmt"
	"path/filepath"
	"time"
)

// writeFacts writes what a benchmark knows of the initial rows: tables of
// tab-separated columns, an id first, times as the API shows them. It comes after
// the rows, which fill in pictures and reservations.
func (w *world) writeFacts(dir string) error {
	tables := []struct {
		file  string
		write func(row func(values ...any))
	}{
		// the world's; there is one
		{"day", func(row func(...any)) { row(1, w.opts.midnight()) }},
		// name, role
		{"users", func(row func(...any)) {
			for i, one := range w.people.all {
				row(i+1, one.name, one.role)
			}
		}},
		// name
		{"genres", func(row func(...any)) {
			for i, name := range genres {
				row(i+1, name)
			}
		}},
		// name, capacity, created_at
		{"venues", func(row func(...any)) {
			for i, v := range w.venues {
				row(i+1, v.name, v.capacity, w.opts.longAgo())
			}
		}},
		// venue, event or 0, start_at, end_at, created_at
		{"timeslots", func(row func(...any)) {
			for i, s := range w.slots {
				row(i+1, s.venue, s.event, s.start, s.start.Add(halfDay-time.Second), w.opts.longAgo())
			}
		}},
		// artist, venue, genre, name, start_at, end_at, price, created_at, tickets
		// reserved, MD5 of the picture or - if it is the default one
		{"events", func(row func(...any)) {
			for i, e := range w.events {
				picture := e.pictureMD5
				if picture == "" {
					picture = "-"
				}
				row(i+1, e.user, e.venue, e.genre, e.name, e.start, e.end, e.price, w.opts.announced(), e.reserved, picture)
			}
		}},
		// user, event, num_of_resv, created_at
		{"reservations", func(row func(...any)) {
			for i, r := range w.reservations {
				row(i+1, r.user, r.event, r.tickets, r.at)
			}
		}},
	}
	for _, table := range tables {
		err := writeFile(filepath.Join(dir, "truth", table.file+".tsv"), func(out *bufio.Writer) error {
			table.write(func(values ...any) {
				for i, value := range values {
					if i > 0 {
						_ = out.WriteByte('\t') // out keeps the error
					}
					if at, ok := value.(time.Time); ok {
						value = at.UTC().Format(time.RFC3339)
					}
					_, _ = fmt.Fprint(out, value)
				}
				_ = out.WriteByte('\n')
			})
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

type reservation struct {
	user, event, tickets int
	at                   time.Time
}

// longAgo is when venues and timeslots were entered.
func (o Options) longAgo() time.Time { return o.midnight().AddDate(-1, 0, 0) }

// announced is when events were entered.
func (o Options) announced() time.Time { return o.midnight().AddDate(0, -3, 0) }
