package scenario

import (
	"fmt"
	"net/url"
	"strings"

	"hotseat/bench"
)

// Points, in hundredths of a score (specification §15.8).
const (
	pointPage  = "page"
	pointAsset = "asset"

	pageWorth  = 100
	assetWorth = 2
)

// assets knows the static files and which addresses are the target's own.
type assets struct {
	target *url.URL
	known  map[string][]bench.Check // by path with query
	other  []bench.Check
}

func newAssets(target string, files map[string]file) *assets {
	a := &assets{known: make(map[string][]bench.Check, len(files))}
	answers := bench.Status(ruleAssetStatus, 200)
	a.other = []bench.Check{answers}
	for path, f := range files {
		a.known[path] = []bench.Check{answers, bench.Digest(ruleAssetDigest, "md5", f.md5)}
	}
	// A unix socket has no address that a page could name.
	if u, err := url.Parse(target); err == nil && u.Host != "" {
		a.target = u
	} else {
		a.target = &url.URL{Scheme: "http", Host: "localhost"}
	}
	return a
}

// requests describes the requests for everything that a page refers to.
func (a *assets) requests(u *bench.User, page string, d *document, strict, scored bool) []*bench.Step {
	base := a.target.JoinPath("/")
	if at, err := base.Parse(page); err == nil {
		base = at
	}
	if d.base() != "" {
		if at, err := base.Parse(d.base()); err == nil {
			base = at
		}
	}
	var steps []*bench.Step
	fetched := map[string]bool{}
	for _, reference := range d.references() {
		if reference = strings.TrimSpace(reference); reference == "" {
			continue
		}
		path, ours := a.resolve(base, reference)
		// A browser fetches what a page mentions twice once. The original
		// fetched it twice, and paid twice.
		if !ours || strict && fetched[path] {
			continue
		}
		fetched[path] = true
		checks, known := a.known[path]
		if !known {
			steps = append(steps, u.Get(path).Route("/:other").Name("GET an asset").Follow().Expecting(a.other...))
			continue
		}
		step := u.Get(path).Follow().Expecting(checks...)
		if scored {
			step.Point(pointAsset)
		}
		steps = append(steps, step)
	}
	return steps
}

// resolve returns path and query of a reference, and whether it leads to the
// target at all: what lies elsewhere is not fetched, not scored, not missed.
func (a *assets) resolve(base *url.URL, reference string) (path string, ours bool) {
	u, err := base.Parse(reference)
	if err != nil || u.Scheme != a.target.Scheme {
		return "", false
	}
	host, port := hostPort(u)
	wantHost, wantPort := hostPort(a.target)
	if host != wantHost || port != wantPort {
		return "", false
	}
	return sendable(u.RequestURI()), true
}

// sendable percent-encodes what net/url lets stand in a query but a request
// line cannot hold.
func sendable(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		if c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
