package template

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hits is the simplest payload: a count, and GETs and POSTs apart.
type hits struct{ get, post int64 }

func (h *hits) Merge(o *hits) { h.get, h.post = h.get+o.get, h.post+o.post }

func (h *hits) Traits() (int64, uint32) {
	var methods uint32
	if h.get > 0 {
		methods |= 1
	}
	if h.post > 0 {
		methods |= 2
	}
	return h.get + h.post, methods
}

// templates are those of a tree with their counts.
func templates(t *Tree[hits, *hits]) map[string]int64 {
	found := map[string]int64{}
	t.Each(func(template string, h *hits) { found[template] += h.get + h.post })
	return found
}

func TestTemplates(t *testing.T) {
	numbered := func(format string, n int) (paths []string) {
		for i := range n {
			paths = append(paths, fmt.Sprintf(format, i+1))
		}
		return paths
	}
	for name, c := range map[string]struct{ paths, want []string }{
		"words stay":           {[]string{"/", "/login", "/logout", "/signup", "/about", "/mypage", "/terms-of-service"}, []string{"/", "/about", "/login", "/logout", "/mypage", "/signup", "/terms-of-service"}},
		"one number is enough": {[]string{"/users/7"}, []string{"/users/*"}},
		"numbers nested":       {append(numbered("/users/%d/posts/9", 3), "/users/1/posts/2/comments/3"), []string{"/users/*/posts/*", "/users/*/posts/*/comments/*"}},
		"words among numbers":  {append(numbered("/items/%d", 50), "/items/new", "/items/search"), []string{"/items/*", "/items/new", "/items/search"}},
		"extensions":           {append(numbered("/img/%d.png", 3), "/img/4.jpg", "/items/5.json"), []string{"/img/*.jpg", "/img/*.png", "/items/*.json"}},
		"uuid":                 {[]string{"/o/6ba7b810-9dad-11d1-80b4-00c04fd430c8"}, []string{"/o/*"}},
		"upper-case uuid":      {[]string{"/o/6BA7B810-9DAD-11D1-80B4-00C04FD430C8"}, []string{"/o/*"}},
		"hexadecimal":          {[]string{"/c/deadbeef01", "/c/5f3a9c", "/c/d41d8cd98f00b204e9800998ecf8427e"}, []string{"/c/*"}},
		"dates":                {[]string{"/d/2026-11-21", "/d/20261121", "/y/2026/11/21", "/w/2026-W47"}, []string{"/d/*", "/w/*", "/y/*/*/*"}},
		"tokens":               {[]string{"/v/dQw4w9WgXcQ", "/v/01ARZ3NDEKTSV4RRFFQ69G5FAV", "/v/cjld2cjxh0000qzrmn831i7rn"}, []string{"/v/*"}},
		"versions stay":        {[]string{"/api/v1/users/1", "/api/v2/users/2"}, []string{"/api/v1/users/*", "/api/v2/users/*"}},
		"camel case stays":     {[]string{"/api/GetUser", "/api/ListItems", "/OAuth2Callback"}, []string{"/OAuth2Callback", "/api/GetUser", "/api/ListItems"}},
		"case counts":          {[]string{"/Users/1", "/users/1"}, []string{"/Users/*", "/users/*"}},
		"escapes are values":   {[]string{"/tags/%E7%8C%AB", "/tags/猫"}, []string{"/tags/*"}},
		"handles":              {[]string{"/@alice", "/@bob/posts"}, []string{"/*", "/*/posts"}},
		"few numbered words":   {[]string{"/step1", "/step2", "/step3"}, []string{"/step1", "/step2", "/step3"}},
		"many numbered words":  {numbered("/u/user%d", 4), []string{"/u/*"}},
		"slugs":                {[]string{"/a/how-to-cook-rice", "/a/ten-fast-cars", "/a/my-first-post", "/a/what-is-new", "/a/on-being-slow"}, []string{"/a/*"}},
		"trailing slash":       {[]string{"/a/", "/a"}, []string{"/a", "/a/"}},
		"no path":              {[]string{"*", "", "example.com:443"}, []string{NoPath}},
		"files stay":           {[]string{"/css/app.css", "/css/bootstrap.min.css", "/js/app.js", "/favicon.ico"}, []string{"/css/app.css", "/css/bootstrap.min.css", "/favicon.ico", "/js/app.js"}},
	} {
		t.Run(name, func(t *testing.T) {
			tree := New[hits]()
			for _, p := range c.paths {
				for range 10 {
					tree.At([]byte(p)).get++
				}
			}
			tree.Settle()
			found := templates(tree)
			var got []string
			var sum int64
			for name, n := range found {
				got = append(got, name)
				sum += n
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("templates (-want +got):\n%s", diff)
			}
			if sum != int64(10*len(c.paths)) {
				t.Errorf("%d requests counted of %d", sum, 10*len(c.paths))
			}
		})
	}
}

func TestPath(t *testing.T) {
	for target, want := range map[string]string{
		"/a?b=/c": "/a", "http://h:80/a/b?c": "/a/b", "http://h": "/", "/a#f": "/a", "": "", "*": "*", "/redirect?to=http://x/": "/redirect", "h:443": "h:443",
	} {
		if got := string(Path([]byte(target))); got != want {
			t.Errorf("%q: %q, want %q", target, got, want)
		}
	}
}

// kinds make values of one kind each.
var kinds = map[string]func(r *rand.Rand) string{
	"id":  func(r *rand.Rand) string { return fmt.Sprint(1 + r.IntN(100_000)) },
	"hex": func(r *rand.Rand) string { return fmt.Sprintf("%012x", r.Uint64()&0xffffffffffff) },
	"HEX": func(r *rand.Rand) string { return fmt.Sprintf("%016X", r.Uint64()) },
	"uuid": func(r *rand.Rand) string {
		return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", r.Uint32(), r.Uint32()&0xffff, r.Uint32()&0xfff, r.Uint32()&0xfff, r.Uint64()&0xffffffffffff)
	},
	"date": func(r *rand.Rand) string {
		return fmt.Sprintf("20%02d-%02d-%02d", r.IntN(30), 1+r.IntN(12), 1+r.IntN(28))
	},
	"slug": func(r *rand.Rand) string {
		words := []string{"how", "to", "cook", "slow", "rice", "big", "red", "dog", "tips", "best", "of", "year", "why", "we", "left", "new"}
		n := 3 + r.IntN(3)
		parts := make([]string, n)
		for i := range parts {
			parts[i] = words[r.IntN(len(words))]
		}
		return strings.Join(parts, "-")
	},
	"mixed": func(r *rand.Rand) string {
		const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
		b := make([]byte, 11)
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(b)
	},
	"name": func(r *rand.Rand) string {
		const consonants, vowels = "bcdfghjklmnprstvz", "aeiou"
		b := []byte{}
		for range 2 + r.IntN(2) {
			b = append(b, consonants[r.IntN(len(consonants))], vowels[r.IntN(len(vowels))])
		}
		return string(b)
	},
}

// TestInferenceFindsTheTruth makes sites of random routes, with values of all
// kinds at all places, and logs of them; each route must come out as it went in.
func TestInferenceFindsTheTruth(t *testing.T) {
	words := []string{"posts", "comments", "orders", "invoice", "friends", "photos", "rooms", "events", "teams", "badges", "albums", "books", "quiz", "wallet", "stock"}
	names := []string{"id", "hex", "HEX", "uuid", "date", "slug", "mixed", "name"}
	wrong, all := 0, 0
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		type place struct{ word, kind string }
		var routes [][]place
		truth := map[string]int64{}
		kindAfter := map[string]string{} // at one place values are of one kind
		for _, w := range []string{"/login", "/logout", "/signup", "/about", "/ranking", "/healthz"} {
			truth[w] = 0
			routes = append(routes, []place{{word: w[1:]}})
		}
		for range 10 {
			var route []place
			prefix := ""
			for range 1 + r.IntN(3) {
				w := words[r.IntN(len(words))]
				route = append(route, place{word: w})
				prefix += "/" + w
				if r.IntN(4) > 0 {
					if kindAfter[prefix] == "" {
						kindAfter[prefix] = names[r.IntN(len(names))]
					}
					route = append(route, place{kind: kindAfter[prefix]})
					prefix += "/*"
				}
			}
			if _, twice := truth[prefix]; !twice {
				truth[prefix] = 0
				routes = append(routes, route)
			}
		}
		tree, other := New[hits](), New[hits]()
		for i := range 15_000 {
			route := routes[r.IntN(len(routes))]
			path, template := "", ""
			for _, p := range route {
				if p.kind == "" {
					path, template = path+"/"+p.word, template+"/"+p.word
				} else {
					path, template = path+"/"+kinds[p.kind](r), template+"/*"
				}
			}
			truth[template]++
			if i%2 == 0 {
				tree.At([]byte(path)).get++
			} else {
				other.At([]byte(path)).get++
			}
		}
		tree.Merge(other)
		tree.Settle()
		got := templates(tree)
		for template, n := range truth {
			all++
			if got[template] != n {
				wrong++
				t.Logf("seed %d: %s has %d requests, want %d", seed, template, got[template], n)
			}
		}
		if len(got) > len(truth) {
			for template := range got {
				if _, ok := truth[template]; !ok {
					t.Logf("seed %d: %s is no route", seed, template)
				}
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d routes are wrong", wrong, all)
	}
}

// However many different paths there are, the tree stays small, and no request is lost.
func TestTheTreeIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for name, segment := range map[string]func() string{
		"ever new words":       func() string { return kinds["name"](r) + kinds["name"](r) },
		"few words, all mixed": func() string { return string("abcdefghijklmnopqrstuvwxyz"[r.IntN(26)]) + "x" },
	} {
		tree := New[hits]()
		const requests = 50_000
		for range requests {
			path := ""
			for range 1 + r.IntN(6) {
				path += "/" + segment()
			}
			tree.At([]byte(path)).get++
			if tree.nodes > 2*maxNodes {
				t.Fatalf("%s: %d nodes", name, tree.nodes)
			}
		}
		tree.Settle()
		var sum int64
		for _, n := range templates(tree) {
			sum += n
		}
		if sum != requests {
			t.Errorf("%s: %d of %d requests", name, sum, requests)
		}
		if name == "few words, all mixed" && !tree.Overflowed() {
			t.Errorf("%s: nothing was said", name)
		}
	}
}

func TestAtAllocatesNothing(t *testing.T) {
	tree := New[hits]()
	paths := [][]byte{[]byte("/login"), []byte("/users/123/posts/9"), []byte("/img/5f3a9c11.png"), []byte("/o/6ba7b810-9dad-11d1-80b4-00c04fd430c8")}
	run := func() {
		for _, p := range paths {
			tree.At(p).get++
		}
	}
	run()
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzAt(f *testing.F) {
	f.Add("/a/b\n/a/c\n/a/1\n//\n/x/y.png")
	f.Fuzz(func(t *testing.T, text string) {
		left, right := New[hits](), New[hits]()
		var n int64
		for i, target := range strings.Split(text, "\n") {
			tree := left
			if i%3 == 0 {
				tree = right
			}
			tree.At(Path([]byte(target))).get++
			n++
		}
		left.Settle()
		left.Merge(right)
		left.Settle()
		var sum int64
		for _, c := range templates(left) {
			sum += c
		}
		if sum != n {
			t.Errorf("%d of %d requests", sum, n)
		}
	})
}
