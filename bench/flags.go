package bench

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"hotseat"
	"hotseat/bench/wire"
)

// paramRules is the parameter that every contest has.
const paramRules = "rules"

// The rule sets.
const (
	rulesStrict   = "strict"
	rulesOriginal = "original"
)

// options is what the command line says.
type options struct {
	rawTarget string
	target    wire.Target
	init      string
	data      string
	duration  time.Duration
	seed      uint64
	seedGiven bool
	params    map[string]string
	disabled  map[string]bool
	replay    *replay // nil: an ordinary run
}

// errHelp means that help was asked for and given.
var errHelp = errors.New("help")

// parse reads the command line of a benchmark, as docs/protocol.md describes
// it. Its errors are *hotseat.Error with a hint.
func (c *Contest) parse(args []string, help io.Writer) (*options, error) {
	o := &options{params: map[string]string{paramRules: rulesStrict}, disabled: map[string]bool{}}
	for _, p := range c.Params {
		o.params[p.Name] = p.Default
	}
	fs := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.rawTarget, "target", "", "the `URL` to load: http://host[:port], https://… or unix:/path")
	fs.StringVar(&o.init, "init", "", "a shell `command` that brings the target back to its initial state")
	fs.StringVar(&o.data, "data", "", "the `folder` with the truth that answers are checked against")
	fs.DurationVar(&o.duration, "duration", c.Load, "how long the load lasts")
	fs.Func("seed", "the `number` that all randomness comes from (default: a secret one)", func(s string) error {
		o.seedGiven = true
		var err error
		o.seed, err = strconv.ParseUint(s, 0, 64)
		return err
	})
	fs.Func("param", "a setting of this benchmark, `name=value`; may be repeated", func(s string) error {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return errors.New("want name=value")
		}
		return c.setParam(o, name, value)
	})
	fs.Func("disable-rule", "a `rule` not to check, for judging the judge; may be repeated", func(id string) error {
		if !c.knowsRule(id) {
			return fmt.Errorf("there is no rule %q", id)
		}
		o.disabled[id] = true
		return nil
	})
	fs.Func("replay", "`USER:STEP`: only that user, alone, up to that step; an event for each step", func(s string) error {
		var err error
		o.replay, err = parseReplay(s)
		return err
	})

	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		c.help(fs, help)
		return nil, errHelp
	} else if err != nil {
		return nil, hotseat.Invalid(fmt.Sprintf("%s --help lists the flags and parameters", c.Name), "%w", err)
	}
	if fs.NArg() > 0 {
		return nil, hotseat.Invalid("every setting is a flag", "unexpected argument %q", fs.Arg(0))
	}
	if o.duration <= 0 {
		return nil, hotseat.Invalid("give a time such as 60s", "duration %s is not positive", o.duration)
	}
	if o.rawTarget == "" {
		return nil, hotseat.Invalid("add --target http://127.0.0.1:8080", "no target given")
	}
	var err error
	if o.target, err = wire.ParseTarget(o.rawTarget); err != nil {
		return nil, hotseat.Invalid("a target looks like http://127.0.0.1:8080", "%w", err)
	}
	if c.Sources != "" {
		if err := reachableFrom(o.target, c.Sources); err != nil {
			return nil, err
		}
	}
	if o.data != "" {
		if info, err := os.Stat(o.data); err != nil {
			return nil, hotseat.Invalid("--data names the folder with the truth files", "data folder: %w", err)
		} else if !info.IsDir() {
			return nil, hotseat.Invalid("--data names the folder with the truth files", "data folder %s is not a folder", o.data)
		}
	}
	if !o.seedGiven {
		var b [8]byte
		_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
		o.seed = binary.LittleEndian.Uint64(b[:])
	}
	return o, nil
}

// setParam checks and stores one --param.
func (c *Contest) setParam(o *options, name, value string) error {
	if name == paramRules {
		if value != rulesStrict && value != rulesOriginal {
			return fmt.Errorf("rules is %s or %s, not %q", rulesStrict, rulesOriginal, value)
		}
		o.params[name] = value
		return nil
	}
	for _, p := range c.Params {
		if p.Name != name {
			continue
		}
		if p.Check != nil {
			if err := p.Check(value); err != nil {
				return fmt.Errorf("parameter %s: %w", name, err)
			}
		}
		o.params[name] = value
		return nil
	}
	names := []string{paramRules}
	for _, p := range c.Params {
		names = append(names, p.Name)
	}
	return fmt.Errorf("there is no parameter %q; the parameters are %s", name, strings.Join(names, ", "))
}

// help prints the manual of the command line.
func (c *Contest) help(fs *flag.FlagSet, w io.Writer) {
	fmt.Fprintf(w, "%s: a benchmark that speaks the hotseat protocol on standard output\n\nFlags:\n", c.Name)
	fs.SetOutput(w)
	fs.PrintDefaults()
	fmt.Fprintf(w, "\nParameters (--param name=value):\n  %-12s strict: a wrong answer fails the run; original: as the contest judged (default strict)\n", paramRules)
	for _, p := range c.Params {
		fmt.Fprintf(w, "  %-12s %s (default %s)\n", p.Name, p.Doc, p.Default)
	}
}
