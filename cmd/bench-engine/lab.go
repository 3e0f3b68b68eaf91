package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// concurrency is the number of users, each with one request at a time.
const concurrency = 32

// lab is a comparison under way.
type lab struct {
	*options
	site    *site
	cores   cores
	clients []client
	log     io.Writer
}

// turn is one client's work for one case once.
type turn struct {
	counts
	cpu     time.Duration
	peak    int64 // resident bytes
	spoiled int64 // pages that nginx served spoiled
}

// micros is the CPU time per request in µs.
func (t *turn) micros() float64 { return float64(t.cpu.Nanoseconds()) / 1000 / float64(t.Requests) }

// compare makes all measurements and prints the results.
func (l *lab) compare(ctx context.Context) error {
	clients, missing, err := allClients(l.site.dir)
	if err != nil {
		return err
	}
	if l.options.clients != "" {
		wanted := strings.Split(l.options.clients, ",")
		clients = slices.DeleteFunc(clients, func(c client) bool { return !slices.Contains(wanted, c.name) })
	}
	if len(clients) == 0 {
		return errors.New("none of the clients is there")
	}
	l.clients = clients
	r := &results{options: l.options, host: describeHost(ctx, l.cores), missing: missing, turns: map[[2]string][]*turn{}}
	if err := l.rounds(ctx, r); err != nil {
		return err
	}
	if err := l.memory(ctx, r); err != nil {
		return err
	}
	r.points = measurePoints()
	return r.write(l.log)
}

// rounds gives every client its turn in every case, again and again: what the
// machine does besides meets all of them alike.
func (l *lab) rounds(ctx context.Context, r *results) error {
	for round := range l.options.rounds {
		fmt.Fprintf(l.log, "round %d of %d\n", round+1, l.options.rounds)
		for _, name := range strings.Split(l.cases, ",") {
			for i := range l.clients {
				c := &l.clients[(i+round)%len(l.clients)]
				if !slices.Contains(c.cases, name) {
					continue
				}
				t, err := l.turn(ctx, c, name, round)
				if err != nil {
					return err
				}
				key := [2]string{name, c.name}
				r.turns[key] = append(r.turns[key], t)
			}
		}
	}
	return nil
}

// turn lets one client work for one case and holds its findings against what nginx says.
func (l *lab) turn(ctx context.Context, c *client, name string, round int) (*turn, error) {
	before, err := l.site.spoiledServed()
	if err != nil {
		return nil, err
	}
	w := &workload{name: name, target: l.site.url, duration: l.duration, users: concurrency}
	if l.profile != "" && c.name == clientHotseat && round == 0 {
		w.profile = filepath.Join(l.profile, "cpu-"+name+".pprof")
	}
	t, err := c.run(ctx, l.cores.client, w)
	if err != nil {
		return nil, fmt.Errorf("case %s: %w", name, err)
	}
	after, err := l.site.spoiledServed()
	if err != nil {
		return nil, err
	}
	t.spoiled = after - before
	switch {
	case t.Errors > 0:
		return nil, fmt.Errorf("case %s: %s met %d errors in %d requests", name, c.name, t.Errors, t.Requests)
	case t.Wrong != t.spoiled && c.name != clientK6: // k6 cuts what is under way at its end
		return nil, fmt.Errorf("case %s: nginx served %d spoiled pages, %s reported %d", name, t.spoiled, c.name, t.Wrong)
	}
	return t, nil
}

// memory measures what many users cost.
func (l *lab) memory(ctx context.Context, r *results) error {
	if l.users == 0 {
		return nil
	}
	fmt.Fprintf(l.log, "memory of %d users\n", l.users)
	for i := range l.clients {
		c := &l.clients[i]
		if !slices.Contains(c.cases, case200B) {
			continue
		}
		// Long enough for all of them to have had several answers.
		w := &workload{name: case200B, target: l.site.url, duration: 4 * l.duration, users: l.users}
		t, err := c.run(ctx, l.cores.client, w)
		if err != nil {
			return fmt.Errorf("memory: %w", err)
		}
		if t.Requests < int64(l.users) {
			return fmt.Errorf("memory: %s made %d requests with %d users", c.name, t.Requests, l.users)
		}
		r.memory = append(r.memory, memoryRow{Client: c.name, Users: l.users, RSS: t.peak, micros: t.micros()})
	}
	return nil
}
