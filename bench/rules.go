package bench

import (
	"fmt"

	"hotseat"
)

// The slugs of the base rules, which every contest has.
const (
	ruleConnect     = "connect"
	ruleTransport   = "transport"
	ruleTimeout     = "timeout"
	ruleProtocol    = "protocol"
	ruleServerError = "server-error"
	ruleInitialize  = "initialize"
	ruleServerDied  = "server-died"
)

// The first base rules are exercised by every request, the next one by every
// check of a status.
const (
	perRequestRules  = 4
	serverErrorIndex = 4
)

// baseRules are the promises that the engine watches by itself.
func baseRules(prefix string) []hotseat.Rule {
	rule := func(slug string, class hotseat.Class, text string) hotseat.Rule {
		return hotseat.Rule{ID: prefix + "." + slug, Class: class, Text: text}
	}
	return []hotseat.Rule{
		rule(ruleConnect, hotseat.ClassConnect, "The server accepts connections."),
		rule(ruleTransport, hotseat.ClassTransport, "A connection is not broken off before the answer is complete."),
		rule(ruleTimeout, hotseat.ClassTimeout, "Every answer comes in time."),
		rule(ruleProtocol, hotseat.ClassProtocol, "Every answer is HTTP/1.1 as RFC 9110 and RFC 9112 define it."),
		rule(ruleServerError, hotseat.ClassStatus, "The server does not answer 5xx or 429."),
		rule(ruleInitialize, hotseat.ClassLifecycle, "Initializing succeeds in time."),
		rule(ruleServerDied, hotseat.ClassLifecycle, "The server stays up until the end."),
	}
}

// rule is what a run knows of one rule.
type rule struct {
	hotseat.Rule
	index int // in ruleBook.all, and in every user's counts
	off   bool
}

// ruleBook is all rules of a run: first the base rules, then the contest's own.
type ruleBook struct {
	all    []*rule
	byID   map[string]*rule
	prefix string
}

func (c *Contest) prefix() string {
	if c.RulePrefix != "" {
		return c.RulePrefix
	}
	return c.Name
}

func (c *Contest) knowsRule(id string) bool {
	for _, r := range append(baseRules(c.prefix()), c.Rules...) {
		if r.ID == id {
			return true
		}
	}
	return false
}

func (c *Contest) ruleBook(disabled map[string]bool) (*ruleBook, error) {
	b := &ruleBook{byID: map[string]*rule{}, prefix: c.prefix()}
	for _, r := range append(baseRules(b.prefix), c.Rules...) {
		if b.byID[r.ID] != nil {
			return nil, fmt.Errorf("rule %s is declared twice", r.ID)
		}
		entry := &rule{Rule: r, index: len(b.all), off: disabled[r.ID]}
		b.all = append(b.all, entry)
		b.byID[r.ID] = entry
	}
	return b, nil
}

// base returns a base rule.
func (b *ruleBook) base(slug string) *rule { return b.byID[b.prefix+"."+slug] }

// ofClass returns the base rule that a failure of the engine's own finding breaks.
func (b *ruleBook) ofClass(class hotseat.Class) *rule {
	switch class {
	case hotseat.ClassConnect:
		return b.base(ruleConnect)
	case hotseat.ClassTransport:
		return b.base(ruleTransport)
	case hotseat.ClassTimeout:
		return b.base(ruleTimeout)
	case hotseat.ClassProtocol:
		return b.base(ruleProtocol)
	case hotseat.ClassStatus:
		return b.base(ruleServerError)
	default:
		return nil
	}
}

// info returns the rules as the verdict lists them.
func (b *ruleBook) info() []hotseat.Rule {
	out := make([]hotseat.Rule, len(b.all))
	for i, r := range b.all {
		out[i] = r.Rule
	}
	return out
}
