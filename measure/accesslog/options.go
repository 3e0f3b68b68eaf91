package accesslog

import (
	"regexp"
	"slices"
	"strings"

	"hotseat"
)

// The formats, as Options name them and digests report them.
const (
	FormatLTSV     = "ltsv"
	FormatJSON     = "json"
	FormatCombined = "combined" // and common, and either with times behind it
	FormatRegexp   = "regexp"
)

// Formats are all of them.
var formats = []string{FormatLTSV, FormatJSON, FormatCombined, FormatRegexp}

// Options says how to read a log. The zero value finds everything out by itself.
type Options struct {
	Format   string           // "" tells it from each log's first lines
	Pattern  *regexp.Regexp   // named groups as labels: method, uri, status …; implies FormatRegexp
	Match    []*regexp.Regexp // templates of the user's own: the first that matches a path counts it
	TimeUnit string           // s, ms, us, ns; "" infers it

	From, To float64 // only what was logged within, seconds since 1970; 0 is open

	// Workers is how many parse at once; 0 is two, where there are two CPUs.
	Workers int
	// WindowS, if not 0, counts each route's requests over time in windows of so many seconds.
	WindowS float64
	// RequestIDs remembers which request id belongs to which route.
	RequestIDs bool
}

// timeUnits are the units that a log may write durations in.
var timeUnits = map[string]float64{"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}

func (o *Options) check() error {
	if o.Pattern != nil {
		if o.Format != "" && o.Format != FormatRegexp {
			return hotseat.Invalid("leave one of the two out", "a regular expression and the format %s contradict each other", o.Format)
		}
		o.Format = FormatRegexp
		known := map[field]bool{}
		for _, l := range newExpression(o.Pattern).labels {
			known[l.field] = true
		}
		if !known[fieldURI] && !known[fieldRequest] {
			return hotseat.Invalid(`name its groups: (?P<method>\S+) (?P<uri>\S+) … (?P<status>\d+) … (?P<request_time>\S+)`,
				"the regular expression %s has no group named uri or request", o.Pattern)
		}
	}
	if o.Format != "" && !slices.Contains(formats, o.Format) {
		return hotseat.Invalid("the formats are "+strings.Join(formats, ", "), "there is no log format %q", o.Format)
	}
	if o.Format == FormatRegexp && o.Pattern == nil {
		return hotseat.Invalid("", "the format regexp needs a regular expression")
	}
	if _, ok := timeUnits[o.TimeUnit]; o.TimeUnit != "" && !ok {
		return hotseat.Invalid("the units are s, ms, us, ns", "there is no unit %q", o.TimeUnit)
	}
	if o.From != 0 && o.To != 0 && o.To < o.From {
		return hotseat.Invalid("", "the time ends before it begins")
	}
	return nil
}

// parserFor makes a parser of a format, which keeps what it learns of its log.
func (o *Options) parserFor(format string) parser {
	switch format {
	case FormatLTSV:
		return &ltsv{}
	case FormatJSON:
		return &jsonLines{}
	case FormatRegexp:
		return newExpression(o.Pattern)
	default:
		return &combined{}
	}
}
