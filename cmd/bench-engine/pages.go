package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// What every client has to find on a page. Selectors are shared, so that all
// clients check the same.
const (
	postSelector  = "div.post"
	imageSelector = "div.post img.photo"
	assetSelector = "link[rel='stylesheet'], script[src]"

	posts  = 16
	images = 16
	assets = 3
)

const (
	pageSize = 10 << 10
	// pageCount is how many different pages there are in the case 10KB-scanned,
	// besides the request's own id in each.
	pageCount = 1024
	// tokenPlace is where nginx puts the request's id.
	tokenPlace = "REQUEST-TOKEN-GOES-HERE"
)

// pagePath is where a page of the case 10KB-scanned is.
func pagePath(n int) string { return fmt.Sprintf("/scanned/%d.html", n) }

// firstID is the id attribute of a page's first post.
func firstID(n int) string { return fmt.Sprintf("post_%d", 100_000+n*posts) }

// page makes the page of that number as the pieces that spoil can take away
// from it: the beginning, the posts, the end.
func page(n int) (pieces []string) {
	var head strings.Builder
	head.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	fmt.Fprintf(&head, "<meta name=\"csrf-token\" content=\"%s\">\n", tokenPlace)
	fmt.Fprintf(&head, "<title>Harbour photographs, page %d</title>\n", n)
	head.WriteString("<link href=\"/css/site.css\" rel=\"stylesheet\">\n<link href=\"/favicon.ico\" rel=\"icon\">\n</head>\n<body>\n")
	head.WriteString("<nav><a href=\"/\">Home</a> <a href=\"/new\">Latest</a> <a href=\"/me\">Me</a></nav>\n<main class=\"feed\">\n")
	tail := "</main>\n<footer><button type=\"button\" id=\"more\">More</button></footer>\n" +
		"<script src=\"/js/time.js\"></script>\n<script src=\"/js/feed.js\"></script>\n</body>\n</html>\n"

	const text = "Low tide at the old pier &amp; the ferry leaving; the light was good until four. "
	pieces = append(pieces, head.String())
	size := head.Len() + len(tail)
	for i := range posts {
		post := func(text string) string {
			id := fmt.Sprintf("post_%d", 100_000+n*posts+i)
			return fmt.Sprintf("<div class=\"post\" id=\"%s\" data-at=\"2024-05-%02dT12:%02d:00Z\">\n"+
				"  <div class=\"by\"><a class=\"author\" href=\"/u/%d\">author %d</a> <a class=\"permalink\" href=\"/p/%d\"><time datetime=\"2024-05-%02d\">May</time></a></div>\n"+
				"  <div class=\"frame\"><img class=\"photo\" src=\"/image/%d.jpg\" alt=\"\"></div>\n"+
				"  <div class=\"text\">%s</div>\n"+
				"  <div class=\"count\">comments: <b>%d</b></div>\n</div>\n", id, i+1, i, i*7, i*7, i, i+1, n*posts+i, text, (n+i)%10)
		}
		left := (pageSize - size) / (posts - i)
		long := strings.Repeat(text, 8)
		made := post(long[:max(0, left-len(post("")))])
		pieces = append(pieces, made)
		size += len(made)
	}
	return append(pieces, tail)
}

// spoil breaks a page in a random way at a random place, always such that one
// of the promises above is broken: a post or its image is missing, is called
// something else, the first post is another one, an asset is gone, or the page
// ends early.
func spoil(pieces []string, dice *rand.Rand) string {
	i := 1 + dice.IntN(posts)
	last := len(pieces) - 1
	replace := func(i int, old, with string) { pieces[i] = strings.Replace(pieces[i], old, with, 1) }
	switch dice.IntN(8) {
	case 0:
		pieces[i] = ""
	case 1:
		replace(i, `class="post"`, `class="pos"`)
	case 2:
		replace(i, `class="photo"`, `class="photos"`)
	case 3:
		replace(i, "<img ", "<i ")
	case 4:
		pieces[i] += pieces[i]
	case 5:
		replace(1, `id="post_1`, `id="post_2`)
	case 6:
		replace(last, `<script src="/js/time.js">`, "<script>")
	case 7:
		whole := strings.Join(pieces, "")
		// Not beyond the last asset: behind it nothing is promised.
		return whole[:dice.IntN(strings.Index(whole, `<script src="/js/feed.js"`))]
	}
	return strings.Join(pieces, "")
}

// writePages fills a folder with everything that nginx serves from files.
func writePages(dir string) error {
	dice := rand.New(rand.NewPCG(1, 2))
	files := map[string]string{"page.html": strings.Join(page(0), "")}
	for n := range pageCount {
		name := filepath.Base(pagePath(n))
		files[filepath.Join("good/scanned", name)] = strings.Join(page(n), "")
		files[filepath.Join("spoiled/scanned", name)] = spoil(page(n), dice)
	}
	for _, sub := range []string{"good/scanned", "spoiled/scanned"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
