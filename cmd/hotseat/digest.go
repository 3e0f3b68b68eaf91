package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"hotseat"
	"hotseat/measure/accesslog"
	"hotseat/measure/join"
	"hotseat/measure/logfile"
	"hotseat/measure/selection"
	"hotseat/measure/slowlog"
	"hotseat/report"
)

func (m *Main) digestCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "digest",
		Short: "Sum up anyone's access logs and slow logs",
		Long: `Sum up access logs by route and slow logs by query class: one pass, in memory
that does not grow with the log. Logs may be plain, gzip or zstd, files or
standard input ("-"). Formats, units and routes are found out, and what was
found is said; lines that cannot be read are counted and shown.`,
		Example: "  hotseat digest access /var/log/nginx/access.log*\n  hotseat digest slow /var/log/mysql/slow.log --output html > slow.html\n" +
			"  hotseat digest join --access access.log --slow slow.log",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(m.digestAccessCommand(), m.digestSlowCommand(), m.digestJoinCommand())
	return cmd
}

// digestFlags are those that the digests share.
type digestFlags struct {
	output   string
	asJSON   bool
	choice   selection.Choice
	from, to string
}

func (f *digestFlags) add(cmd *cobra.Command, limit int) {
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", report.DigestText, "how to draw it: text, markdown, html, json")
	flags.BoolVar(&f.asJSON, "json", false, "the same as --output json")
	flags.StringVarP(&f.choice.Sort, "sort", "s", "", "sort by a `column`; largest numbers first")
	flags.BoolVarP(&f.choice.Reverse, "reverse", "r", false, "turn the order round")
	flags.StringArrayVarP(&f.choice.Filters, "filter", "f", nil, "show rows for which a `condition` holds, such as count>=10; may be repeated")
	flags.IntVarP(&f.choice.Limit, "limit", "l", limit, "show so many rows; 0 is all")
	flags.StringVar(&f.from, "from", "", "count only what was logged from this `time` on (2026-11-21T23:05:06Z, or seconds since 1970)")
	flags.StringVar(&f.to, "to", "", "count only what was logged until this `time`")
}

// period reads --from and --to.
func (f *digestFlags) period() (from, to float64, err error) {
	if from, err = moment(f.from); err == nil {
		to, err = moment(f.to)
	}
	return from, to, err
}

func moment(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	var seconds float64
	if _, err := fmt.Sscanf(text, "%f", &seconds); err == nil && seconds > 1e8 {
		return seconds, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return float64(t.UnixMicro()) / 1e6, nil
		}
	}
	return 0, hotseat.Invalid("write it like 2026-11-21T23:05:06Z or 2026-11-22T08:05:06+09:00; without a zone it is UTC", "%q is no time", text)
}

// options says how to draw for where the output goes.
func (f *digestFlags) options(m *Main, of int) report.DigestOptions {
	o := report.DigestOptions{Format: f.output, Of: of}
	if out, ok := m.Stdout.(*os.File); ok && report.IsTerminal(out) {
		o.Width, o.Color = report.Width(out), report.ColorWanted(out, os.Getenv)
	}
	return o
}

func (f *digestFlags) isJSON() bool { return f.asJSON || f.output == "json" }

// digestInputs opens the logs that are named; none is standard input, unless a person sits there.
func (m *Main) digestInputs(names []string) ([]logfile.Input, error) {
	if len(names) == 0 {
		if report.IsTerminal(m.Stdin) {
			return nil, usageError{fmt.Errorf("name a log file, or send a log to standard input")}
		}
		names = []string{"-"}
	}
	return logfile.Inputs(names, m.Stdin)
}

// accessFlags are those of access logs.
type accessFlags struct {
	format, pattern, unit string
	match                 []string
}

func (f *accessFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", "", "the access log's format: ltsv, json, combined (default: found out)")
	flags.StringVar(&f.pattern, "regexp", "", "read lines by a `pattern` with groups named method, uri, status, size, request_time …")
	flags.StringArrayVarP(&f.match, "match", "m", nil, "count all paths that match a `pattern` as one route, before any are inferred; may be repeated")
	flags.StringVar(&f.unit, "time-unit", "", "what times are written in: s, ms, us, ns (default: found out)")
}

func (f *accessFlags) options(from, to float64) (accesslog.Options, error) {
	o := accesslog.Options{Format: f.format, TimeUnit: f.unit, From: from, To: to}
	var err error
	if f.pattern != "" {
		if o.Pattern, err = regexp.Compile(f.pattern); err != nil {
			return o, hotseat.Invalid("the syntax is Go's: https://pkg.go.dev/regexp/syntax", "read the pattern of --regexp: %w", err)
		}
	}
	for _, text := range f.match {
		pattern, err := regexp.Compile(text)
		if err != nil {
			return o, hotseat.Invalid("the syntax is Go's: https://pkg.go.dev/regexp/syntax", "read the pattern of --match: %w", err)
		}
		o.Match = append(o.Match, pattern)
	}
	return o, nil
}

func (m *Main) digestAccessCommand() *cobra.Command {
	var shared digestFlags
	var access accessFlags
	cmd := &cobra.Command{
		Use:   "access [FILE…]",
		Short: "Sum up access logs by route",
		Long: `Sum up access logs by method and path template. Templates are inferred from the
log: "*" stands for a part that varies. LTSV (alp's labels, nginx's names), JSON
lines, the combined format with or without times behind it, and what --regexp
describes are understood. Times may be seconds, milli- or microseconds.`,
		Example: `  hotseat digest access access.log
  hotseat digest access access.log.1.gz access.log --sort p99 --limit 10
  hotseat digest access access.log -m '^/items/[0-9]+\.json$' -f 'method=POST' -f '5xx>0'
  journalctl -u app | hotseat digest access - --regexp '(?P<method>[A-Z]+) (?P<uri>\S+) (?P<status>\d+) (?P<request_time>\S+)$'`,
		RunE: func(cmd *cobra.Command, names []string) error {
			from, to, err := shared.period()
			if err != nil {
				return err
			}
			o, err := access.options(from, to)
			if err != nil {
				return err
			}
			inputs, err := m.digestInputs(names)
			if err != nil {
				return err
			}
			d, err := accesslog.Digest(cmd.Context(), inputs, o)
			if err != nil {
				return err
			}
			all := len(d.Routes)
			if d.Routes, err = selection.Routes().Apply(d.Routes, shared.choice); err != nil {
				return err
			}
			if shared.isJSON() {
				return m.printJSON(d)
			}
			return report.AccessDigest(m.Stdout, d, shared.options(m, all))
		},
	}
	shared.add(cmd, 0)
	access.add(cmd)
	return cmd
}

func (m *Main) digestSlowCommand() *cobra.Command {
	var shared digestFlags
	var explain string
	cmd := &cobra.Command{
		Use:   "slow [FILE…]",
		Short: "Sum up slow query logs by query class",
		Long: `Sum up slow logs of MariaDB, MySQL and Percona Server by fingerprint. Ids are
those of pt-query-digest, the long form and the short one. With --explain, a
server is asked for the plans of the slowest statements: only SELECTs, in a
read-only transaction, with a limit of five seconds each.`,
		Example: `  hotseat digest slow slow.log
  hotseat digest slow slow.log --sort examined_per_sent --limit 5
  hotseat digest slow slow.log --explain 'user:password@tcp(127.0.0.1:3306)/app'`,
		RunE: func(cmd *cobra.Command, names []string) error {
			from, to, err := shared.period()
			if err != nil {
				return err
			}
			inputs, err := m.digestInputs(names)
			if err != nil {
				return err
			}
			d, err := slowlog.Digest(cmd.Context(), inputs, slowlog.Options{From: from, To: to})
			if err != nil {
				return err
			}
			all := len(d.Classes)
			if d.Classes, err = selection.Classes().Apply(d.Classes, shared.choice); err != nil {
				return err
			}
			if explain != "" {
				if err := slowlog.Explain(cmd.Context(), explain, d.Classes); err != nil {
					return err
				}
			}
			if shared.isJSON() {
				return m.printJSON(d)
			}
			return report.SlowDigest(m.Stdout, d, shared.options(m, all))
		},
	}
	shared.add(cmd, 20)
	cmd.Flags().StringVar(&explain, "explain", "", "ask the server at a `DSN` for the plans of the slowest statements")
	return cmd
}

func (m *Main) digestJoinCommand() *cobra.Command {
	var shared digestFlags
	var access accessFlags
	var accessFiles, slowFiles []string
	cmd := &cobra.Command{
		Use:   "join --access FILE… --slow FILE…",
		Short: "Tell which routes send which queries",
		Long: `Tell which routes of an access log send which queries of a slow log. Exact where
both have the request's id: in the access log as request_id (reqid), in statements as
a word of a comment. Otherwise estimated from what rose and fell together; the
result says which.`,
		Example: "  hotseat digest join --access access.log --slow slow.log",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(accessFiles) == 0 || len(slowFiles) == 0 {
				return usageError{fmt.Errorf("name the logs: --access FILE and --slow FILE")}
			}
			return m.digestJoin(cmd.Context(), &shared, &access, accessFiles, slowFiles)
		},
	}
	shared.add(cmd, 30)
	access.add(cmd)
	cmd.Flags().StringSliceVar(&accessFiles, "access", nil, "access log `files`")
	cmd.Flags().StringSliceVar(&slowFiles, "slow", nil, "slow log `files`")
	return cmd
}

func (m *Main) digestJoin(ctx context.Context, shared *digestFlags, access *accessFlags, accessFiles, slowFiles []string) error {
	from, to, err := shared.period()
	if err != nil {
		return err
	}
	o, err := access.options(from, to)
	if err != nil {
		return err
	}
	requests, err := logfile.Inputs(accessFiles, m.Stdin)
	if err != nil {
		return err
	}
	statements, err := logfile.Inputs(slowFiles, m.Stdin)
	if err != nil {
		return err
	}
	both, err := join.Digest(ctx, requests, o, statements, slowlog.Options{From: from, To: to})
	if err != nil {
		return err
	}
	all := len(both.Join.Edges)
	if both.Join.Edges, err = selection.Edges().Apply(both.Join.Edges, shared.choice); err != nil {
		return err
	}
	if shared.isJSON() {
		return m.printJSON(both.Join)
	}
	return report.JoinDigest(m.Stdout, both.Join, shared.options(m, all))
}
