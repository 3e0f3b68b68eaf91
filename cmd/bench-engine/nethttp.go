package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// counts is what a client of ours prints when it is done.
type counts struct {
	Requests int64 `json:"requests"`
	Errors   int64 `json:"errors"` // requests that got no good answer
	Wrong    int64 `json:"wrong"`  // bodies that broke a promise
}

// beNetHTTP is a load generator as one writes it with the standard library in
// an afternoon: a goroutine and a cookie jar per user, one transport. Without
// pages to check it only reads the bodies.
func beNetHTTP(w *workload) int {
	transport := &http.Transport{
		MaxIdleConns: w.users, MaxIdleConnsPerHost: w.users, MaxConnsPerHost: w.users,
		DisableCompression: true,
	}
	defer transport.CloseIdleConnections()
	var total struct{ requests, errors, wrong atomic.Int64 }
	until := time.Now().Add(w.duration)
	var wait sync.WaitGroup
	for id := range w.users {
		wait.Go(func() {
			jar, _ := cookiejar.New(nil) // cannot fail without options
			client := &http.Client{Transport: transport, Jar: jar, Timeout: 30 * time.Second}
			dice := rand.New(rand.NewPCG(1, uint64(id)))
			for time.Now().Before(until) {
				total.requests.Add(1)
				switch right, err := visit(client, w, dice); {
				case err != nil:
					total.errors.Add(1)
				case !right:
					total.wrong.Add(1)
				}
			}
		})
	}
	wait.Wait()
	err := json.NewEncoder(os.Stdout).Encode(counts{total.requests.Load(), total.errors.Load(), total.wrong.Load()})
	if err != nil {
		return 1
	}
	return 0
}

// visit makes one request and says whether the page kept its promises.
func visit(client *http.Client, w *workload, dice *rand.Rand) (right bool, err error) {
	path, first := "/"+w.name, firstID(0)
	if w.name == caseScanned {
		n := dice.IntN(pageCount)
		path, first = pagePath(n), firstID(n)
	}
	resp, err := client.Get(w.target + path)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close() //nolint:errcheck // it has been read
	if resp.StatusCode != http.StatusOK {
		return false, fmt.Errorf("status %d", resp.StatusCode)
	}
	if w.name == caseScanned || w.name == caseMemoised {
		return checkTree(resp.Body, first)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return true, err
}

// checkTree is feed by goquery.
func checkTree(body io.Reader, first string) (right bool, err error) {
	doc, err := goquery.NewDocumentFromReader(body)
	if err != nil {
		return false, err
	}
	found := doc.Find(postSelector)
	id, _ := found.First().Attr("id")
	return found.Length() == posts && id == first &&
		doc.Find(imageSelector).Length() == images &&
		doc.Find(assetSelector).Length() == assets, nil
}
