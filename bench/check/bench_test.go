package check_test

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"hotseat/bench/check"
)

// timeline is a page of about 10 KB: 16 posts, 16 images, three assets.
func timeline(seed int) []byte {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html>
<html>
  <head>
    <meta charset="utf-8">
    <title>Iscogram</title>
    <link href="/css/style.css" media="screen" rel="stylesheet" type="text/css">
    <link href="/favicon.ico" rel="icon">
  </head>
  <body>
    <div class="container">
      <div class="header"><div class="isu-title"><h1><a href="/">Iscogram</a></h1></div>
        <div class="isu-header-menu"><div><a href="/@user"><span class="isu-account-name">user</span>さん</a></div></div></div>
      <div class="isu-posts">
`)
	for i := range 16 {
		id := 10000 + seed*16 - i
		fmt.Fprintf(&b, `        <div class="isu-post" id="pid_%d" data-created-at="2016-01-03T20:%02d:03+09:00">
          <div class="isu-post-header">
            <a href="/@mary%d" class="isu-post-account-name">mary%d</a>
            <a href="/posts/%d" class="isu-post-permalink"><time class="timeago" datetime="2016-01-03T20:%02d:03+09:00"></time></a>
          </div>
          <div class="isu-post-image"><img src="/image/%d.jpg" class="isu-image"></div>
          <div class="isu-post-text">今日はいい天気ですね &amp; well</div>
        </div>
`, id, i, i, i, id, i, id)
	}
	b.WriteString(`      </div>
      <div id="isu-post-more"><button id="isu-post-more-btn">もっと見る</button></div>
    </div>
    <script src="/js/timeago.min.js"></script>
    <script src="/js/main.js"></script>
  </body>
</html>
`)
	return []byte(b.String())
}

func feed() *check.HTMLValidator {
	return check.HTML("feed").
		Count("div.isu-post", 16).
		Count("div.isu-post img.isu-image", 16).
		EachAttr("div.isu-post", "id", check.Match(`^pid_\d+$`)).
		EachText("a.isu-post-account-name", check.NotEmpty).
		Exists("link[href='/css/style.css']").
		Count("script[src]", 2)
}

func BenchmarkHTML(b *testing.B) {
	page := timeline(7)
	in := &check.Input{Body: page}
	run := func(name string, v *check.HTMLValidator, check func(*check.HTMLValidator) *check.Mismatch) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				in.Found.Reset()
				if m := check(v); m != nil {
					b.Fatal(m)
				}
			}
		})
	}
	scan := func(v *check.HTMLValidator) *check.Mismatch { return v.Check(in) }
	run("scan", feed(), scan)
	run("scan and capture", feed().CaptureAttr("images", "img", "src"), scan)
	run("memo", feed().Memo(), scan)
	run("memo with mask", feed().Mask(`<span class="isu-account-name">`, "</span>").Memo(), scan)
	run("tree", feed(), func(v *check.HTMLValidator) *check.Mismatch { return v.CheckTree(in) })
}

func document() []byte {
	var b strings.Builder
	b.WriteString(`{"status": true, "data": {"items": [`)
	for i := range 60 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id": %d, "name": "item %d", "price": %d.50, "seller": {"id": %d, "account_name": "user%d", "num_sell_items": 3},`+
			` "status": "on_sale", "image_url": "/upload/%032x.jpg"}`, 50000+i, i, i*10, i%7, i%7, i)
	}
	b.WriteString(`], "has_next": true}}`)
	return []byte(b.String())
}

func items() *check.JSONValidator {
	return check.JSON("items").
		Bool("status", true).
		Len("data.items", 60).
		Type("data.items[].id", check.Integer).
		String("data.items[].name", check.NotEmpty).
		String("data.items[].status", check.OneOf("on_sale", "sold_out")).
		Type("data.items[].seller.id", check.Integer).
		Type("data.has_next", check.Bool)
}

func BenchmarkJSON(b *testing.B) {
	body := document()
	in := &check.Input{Body: body}
	run := func(name string, v *check.JSONValidator, check func(*check.JSONValidator) *check.Mismatch) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				in.Found.Reset()
				if m := check(v); m != nil {
					b.Fatal(m)
				}
			}
		})
	}
	scan := func(v *check.JSONValidator) *check.Mismatch { return v.Check(in) }
	run("scan", items(), scan)
	run("strict", items().Strict(), scan)
	run("capture", items().Capture("ids", "data.items[].id"), scan)
	run("memo", items().Memo(), scan)
	run("tree", items(), func(v *check.JSONValidator) *check.Mismatch { return v.CheckTree(in) })
}

func BenchmarkDigest(b *testing.B) {
	body := []byte(strings.Repeat("x", 100_000))
	sum := md5.Sum(body)
	c := check.Digest("", "x", check.MD5, hex.EncodeToString(sum[:]))
	wrong := append([]byte{'y'}, body[1:]...)
	for name, in := range map[string]*check.Input{"right": {Body: body}, "wrong": {Body: wrong}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				_ = c.Check(in)
			}
		})
	}
}
