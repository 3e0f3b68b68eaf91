package isucon12qscenario

import (
	"bytes"
	"cmp"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"hotseat"
)

// The files of --data (§12). Data and truth must come from one generator run.
const (
	tenantsFile = "benchmarker_tenant.json" // what every initial tenant owes
	samplesFile = "benchmarker.json"        // a player and a competition, as often as there are players
	keyFile     = "jwt.pem"                 // the private key that tokens are signed with
	publicDir   = "public"                  // the static files
)

// initialTenants is how many tenants the load needs (§12, §16.5).
const initialTenants = 100

const dataHint = "--data names the folder that holds " + tenantsFile + ", " + samplesFile + ", " + keyFile + " and " + publicDir + "/"

// truth is what is known about the target right after its initialisation.
type truth struct {
	tenants []*initialTenant // by id, from 1
	key     *rsa.PrivateKey
	static  []staticFile
}

// initialTenant is a tenant of the initial data.
type initialTenant struct {
	id           int64
	name         string
	yen          int64
	competitions []*initialCompetition
	samples      []sample
}

// initialCompetition is a competition of the initial data. Its sheet and its
// title are not known.
type initialCompetition struct {
	id       string
	yen      int64
	finished tristate
	// The run has finished it before the initialisation, see seed.
	seeded bool
}

// tristate is a fact that the truth may not tell.
type tristate int8

const (
	notTold tristate = iota
	isNot
	is
)

func told(b bool) tristate {
	if b {
		return is
	}
	return isNot
}

// sample is a player of the initial data.
type sample struct {
	TenantName     string `json:"tenant_name"`
	CompetitionID  string `json:"competition_id"`
	IsFinished     bool   `json:"is_finished"`
	PlayerID       string `json:"player_id"`
	IsDisqualified bool   `json:"is_disqualified"`
}

// staticFile is a file with the path that it is served at.
type staticFile struct {
	path    string
	content []byte
}

func loadTruth(dir string) (*truth, error) {
	if dir == "" {
		return nil, hotseat.Invalid(dataHint, "no folder with the truth files given")
	}
	t := new(truth)
	for _, load := range []func(dir string) error{t.loadTenants, t.loadSamples, t.loadKey, t.loadStatic} {
		if err := load(dir); err != nil {
			return nil, hotseat.Invalid(dataHint, "%w", err)
		}
	}
	return t, nil
}

// decimal is a number that may stand in quotes.
type decimal int64

func (d *decimal) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseInt(string(bytes.Trim(text, `"`)), 10, 64)
	*d = decimal(n)
	return err
}

func (t *truth) loadTenants(dir string) error {
	var list []struct {
		ID           decimal `json:"tenant_id"`
		Name         string  `json:"tenant_name"`
		Billing      int64   `json:"billing"`
		Competitions []struct {
			ID string `json:"id"`
			// The generator's own key has a capital B; the decoder takes either.
			Billing int64 `json:"Billing"`
		} `json:"competitions"`
	}
	if err := readJSON(filepath.Join(dir, tenantsFile), &list); err != nil {
		return err
	}
	for _, e := range list {
		if e.Name == "" {
			return fmt.Errorf("%s: tenant %d has no tenant_name", tenantsFile, e.ID)
		}
		n := &initialTenant{id: int64(e.ID), name: e.Name, yen: e.Billing}
		for _, c := range e.Competitions {
			n.competitions = append(n.competitions, &initialCompetition{id: c.ID, yen: c.Billing})
			if c.Billing > 0 {
				n.competitions[len(n.competitions)-1].finished = is
			}
		}
		t.tenants = append(t.tenants, n)
	}
	slices.SortFunc(t.tenants, func(a, b *initialTenant) int { return cmp.Compare(a.id, b.id) })
	if len(t.tenants) < initialTenants {
		return fmt.Errorf("%s: %d tenants; the load needs at least %d", tenantsFile, len(t.tenants), initialTenants)
	}
	for i, n := range t.tenants {
		if n.id != int64(i)+1 {
			return fmt.Errorf("%s: tenant ids are not 1, 2, 3 …: %d follows %d", tenantsFile, n.id, i)
		}
	}
	return nil
}

func (t *truth) loadSamples(dir string) error {
	var list []sample
	if err := readJSON(filepath.Join(dir, samplesFile), &list); err != nil {
		return err
	}
	byName := make(map[string]*initialTenant, len(t.tenants))
	competitions := map[string]*initialCompetition{}
	for _, n := range t.tenants {
		byName[n.name] = n
		for _, c := range n.competitions {
			competitions[n.name+" "+c.id] = c
		}
	}
	for _, s := range list {
		n := byName[s.TenantName]
		if n == nil {
			return fmt.Errorf("%s: tenant %q is not in %s: are both of one generator run?", samplesFile, s.TenantName, tenantsFile)
		}
		n.samples = append(n.samples, s)
		if c := competitions[s.TenantName+" "+s.CompetitionID]; c != nil {
			c.finished = told(s.IsFinished)
		}
	}
	return nil
}

func (t *truth) loadKey(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, keyFile))
	if err != nil {
		return err
	}
	t.key, err = parseKey(text)
	if err != nil {
		return fmt.Errorf("%s: %w", keyFile, err)
	}
	return nil
}

// loadStatic reads the files of the public folder. The original looked at the
// page and at the alphabetically first script and style sheet (§13); these come first.
func (t *truth) loadStatic(dir string) error {
	root := filepath.Join(dir, publicDir)
	var others []staticFile
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f := staticFile{path: "/" + filepath.ToSlash(relative), content: content}
		kind := path.Ext(f.path)
		if f.path == "/index.html" {
			kind = "index"
		} else if kind != ".js" && kind != ".css" {
			kind = ""
		}
		if kind != "" && !seen[kind] {
			seen[kind] = true
			t.static = append(t.static, f)
		} else {
			others = append(others, f)
		}
		return nil
	})
	if err == nil && !seen["index"] {
		err = errors.New(publicDir + " has no index.html")
	}
	t.static = append(t.static, others...)
	return err
}

func readJSON(name string, into any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return nil
}
