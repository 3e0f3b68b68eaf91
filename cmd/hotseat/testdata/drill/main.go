// Drill is a benchmark that comes to grief as it is told to.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hotseat"
	"hotseat/bench"
)

func main() {
	const rule = "drill.answer"
	bench.Main(bench.Contest{
		Name:   "drill",
		Rules:  []hotseat.Rule{{ID: rule, Class: hotseat.ClassStatus, Text: "The page is there."}},
		Tags:   []string{"page"},
		Params: []bench.Param{{Name: "mood", Default: "good", Doc: "what happens"}},
		Drain:  time.Second,
		Populations: func(r *bench.Run) []bench.Population {
			mood := moods[r.Param("mood")]
			begin := func(u *bench.User) bench.Iteration {
				views := 0
				return func() error {
					if views++; mood != nil && views == 5 && u.ID == 1 {
						mood()
					}
					return u.Get("/").Point("page").Expect(bench.Status(rule, 200)).Err()
				}
			}
			if r.Param("mood") == "open" {
				return []bench.Population{bench.Open("visitor", begin).PerSecond(50).Users(10).MaxLate(100 * time.Millisecond)}
			}
			return []bench.Population{bench.Closed("visitor", begin).Start(3)}
		},
	})
}

var moods = map[string]func(){
	"panic": func() { panic("a mistake of the scenario's") },
	"panic-elsewhere": func() {
		go func() { panic("a mistake that the engine cannot catch") }()
		select {}
	},
	"deadlock": func() { select {} },
	"memory":   useUpMemory,
}

// useUpMemory asks for ever more, where there is little left.
func useUpMemory() {
	const left = 256 << 20
	status, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		panic(err)
	}
	pages, err := strconv.ParseUint(strings.Fields(string(status))[0], 10, 64)
	if err != nil {
		panic(err)
	}
	limit := pages*uint64(os.Getpagesize()) + left
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		panic(err)
	}
	var kept [][]byte
	for {
		kept = append(kept, make([]byte, 32<<20))
		if len(kept) > 100 {
			panic(fmt.Sprint("the limit does not hold: ", len(kept)))
		}
	}
}
