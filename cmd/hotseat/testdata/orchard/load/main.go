// Load is a benchmark that only makes load: so many workers ask for the routes of
// a mix in turn, and every answer is as good as any other. It speaks the protocol
// of docs/protocol.md by itself, since a run full of errors must go on.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// settings are the values of --param.
type settings map[string]string

func (s settings) String() string { return "" }

func (s settings) Set(text string) error {
	name, value, _ := strings.Cut(text, "=")
	s[name] = value
	return nil
}

func main() {
	began := time.Now()
	params := settings{}
	target := flag.String("target", "", "")
	duration := flag.Duration("duration", time.Second, "")
	for _, unused := range []string{"data", "init", "seed", "disable-rule"} {
		flag.String(unused, "", "")
	}
	flag.Var(params, "param", "")
	flag.Parse()
	say := func(event string, more string) {
		fmt.Printf("{\"event\":%q,\"at_s\":%.3f%s}\n", event, time.Since(began).Seconds(), more)
	}
	if _, _, err := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0); err != 0 {
		panic(err)
	}
	workers, err := strconv.Atoi(params["workers"])
	if err != nil {
		panic(err)
	}
	mix := strings.Split(params["mix"], ",")
	say("phase", `,"phase":"load","state":"begin","ok":true,"expected_s":`+strconv.FormatFloat(duration.Seconds(), 'f', 1, 64))
	var asked atomic.Int64
	var working sync.WaitGroup
	end := time.Now().Add(*duration)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: workers, DisableKeepAlives: params["close"] == "yes"}, Timeout: *duration}
	for worker := range workers {
		working.Go(func() {
			for n := worker; time.Now().Before(end); n++ {
				visit(client, *target, mix[n%len(mix)])
				asked.Add(1)
			}
		})
	}
	working.Wait()
	say("phase", fmt.Sprintf(`,"phase":"load","state":"end","ok":true,"elapsed_s":%.3f`, duration.Seconds()))
	score, _ := json.Marshal(asked.Load()) // a number
	say("verdict", fmt.Sprintf(`,"verdict":"pass","reason":"loaded","score":%s,"raw_score":%s,"generator":{"requests":%s}`, score, score, score))
	os.Exit(0)
}

// visit asks once; what becomes of it is the drill's matter.
func visit(client *http.Client, target, path string) {
	method, body := http.MethodGet, io.Reader(nil)
	if path == "/delivery" {
		method, body = http.MethodPost, strings.NewReader(strings.Repeat("pears ", 10_000))
	}
	request, err := http.NewRequest(method, target+path, body)
	if err != nil {
		panic(err)
	}
	answer, err := client.Do(request)
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
}
