package isucon1scenario

import (
	"time"

	"hotseat/bench"
)

// checker makes the article, initial and static checks, once, a third of the
// load after its beginning (§9.1, §9.2).
type checker struct {
	*visitor
	at      time.Time
	done    bool
	statics []bench.Check // digests, in the order of truth.statics
	cache   bench.Cache
}

func newChecker(u *bench.User, w *world) bench.Iteration {
	k := &checker{visitor: newVisitor(u, w), at: u.Run.Now().Add(u.Run.Duration() / 3), cache: bench.Caching(ruleNotModified)}
	for _, s := range w.truth.statics {
		k.statics = append(k.statics, bench.Digest(ruleAssetDigest, "md5", s.md5))
	}
	return k.check
}

func (k *checker) check() error {
	if k.done || !k.until(k.at) {
		k.user.Think(time.Hour, time.Hour) // until the load's end
		return nil
	}
	k.done = true
	var first error
	for _, part := range []func() error{k.main, k.initial, k.files} {
		err := part()
		if first == nil {
			first = err
		}
		if err != nil && !k.world.strict {
			break // the original stopped at the first failure
		}
	}
	k.world.original.checked(first == nil && !k.user.Run.LoadEnded())
	return first
}

// main is the article check of the main article.
func (k *checker) main() error {
	if k.world.strict {
		return k.look(plain(k.world.lookAt(k.world.main.id)), request{look: k.world.lookAt(k.world.main.id), gzip: true})
	}
	return k.article(k.world.main)
}

// article is the original's article check.
func (k *checker) article(a *article) error {
	l := k.world.lookAt(a.id)
	checks := append(l.onAny(), l.onEvery()...)
	return k.look(request{look: l, checks: append(checks, l.onArticle(a)...)})
}

// initial is the same for a random article of initial.json; the original's
// empty list is a success.
func (k *checker) initial() error {
	list := k.world.truth.initial
	if len(list) == 0 {
		return nil
	}
	a := list[k.user.Rand.IntN(len(list))]
	if k.world.strict {
		return k.look(plain(k.world.lookAt(a.id)))
	}
	return k.article(a)
}

// files is the static check: each file twice, once in gzip, in any order.
// Under rules=strict a browser with a cache then asks for each once more.
func (k *checker) files() error {
	var steps []*bench.Step
	for i, s := range k.world.truth.statics {
		for _, coding := range []string{"", gzipCodings} {
			step := k.user.Get(s.path).Plain().Within(k.world.limit).Header("Accept-Encoding", coding).Expecting(bench.Status(ruleAssetStatus, 200), k.statics[i])
			if k.world.strict && coding == "" {
				step.Cached(k.cache)
			}
			steps = append(steps, step)
		}
	}
	k.user.Rand.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	var first error
	do := func(steps []*bench.Step) {
		for _, p := range k.user.All(steps...) {
			if first == nil {
				first = p.Err()
			}
		}
	}
	do(steps)
	if first != nil || !k.world.strict {
		return first
	}
	steps = steps[:0]
	for i, s := range k.world.truth.statics {
		steps = append(steps, k.user.Get(s.path).Plain().Within(k.world.limit).Cached(k.cache).Expecting(bench.Status(ruleAssetStatus, 200), k.statics[i]))
	}
	do(steps)
	return first
}
