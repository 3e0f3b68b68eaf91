package check_test

import (
	"fmt"
	"strings"
	"testing"

	"hotseat/bench/check"
)

// gallery is a page as cmd/bench-engine serves them: of many that differ, so that the processor
// cannot learn one by heart.
func gallery(n int) []byte {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	fmt.Fprintf(&b, "<meta name=\"csrf-token\" content=\"%032x\">\n", n*77777)
	fmt.Fprintf(&b, "<title>Harbour photographs, page %d</title>\n", n)
	b.WriteString("<link href=\"/css/site.css\" rel=\"stylesheet\">\n<link href=\"/favicon.ico\" rel=\"icon\">\n</head>\n<body>\n")
	b.WriteString("<nav><a href=\"/\">Home</a> <a href=\"/new\">Latest</a> <a href=\"/me\">Me</a></nav>\n<main class=\"feed\">\n")
	const text = "Low tide at the old pier &amp; the ferry leaving; the light was good until four. "
	for i := range 16 {
		fmt.Fprintf(&b, "<div class=\"post\" id=\"post_%d\" data-at=\"2024-05-%02dT12:%02d:00Z\">\n"+
			"  <div class=\"by\"><a class=\"author\" href=\"/u/%d\">author %d</a> <a class=\"permalink\" href=\"/p/%d\"><time datetime=\"2024-05-%02d\">May</time></a></div>\n"+
			"  <div class=\"frame\"><img class=\"photo\" src=\"/image/%d.jpg\" alt=\"\"></div>\n"+
			"  <div class=\"text\">%s</div>\n"+
			"  <div class=\"count\">comments: <b>%d</b></div>\n</div>\n", 100_000+n*16+i, i+1, i, i*7, i*7, i, i+1, n*16+i, strings.Repeat(text, 3)[:185+n%16], (n+i)%10)
	}
	b.WriteString("</main>\n<footer><button type=\"button\" id=\"more\">More</button></footer>\n" +
		"<script src=\"/js/time.js\"></script>\n<script src=\"/js/feed.js\"></script>\n</body>\n</html>\n")
	return []byte(b.String())
}

func BenchmarkGallery(b *testing.B) {
	v := check.HTML("feed").
		Count("div.post", 16).
		Count("div.post img.photo", 16).
		Count("link[rel='stylesheet'], script[src]", 3).
		AttrMatch("div.post", "id", check.Var("first"))
	pages := make([][]byte, 256)
	vars := make([]check.Value, 256)
	for n := range pages {
		pages[n] = gallery(n)
		vars[n] = check.Set("first", fmt.Sprintf("post_%d", 100_000+n*16))
	}
	b.SetBytes(int64(len(pages[0])))
	b.ReportAllocs()
	n := 0
	var in check.Input
	for b.Loop() {
		n = (n + 1) % 256
		in.Body = pages[n]
		if m := v.Check(&in, vars[n]); m != nil {
			b.Fatal(m)
		}
	}
}
