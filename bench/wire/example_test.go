package wire_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"hotseat/bench/wire"
)

func ExampleClient() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: r.PostFormValue("name")})
			http.Redirect(w, r, "/mypage", http.StatusFound)
			return
		}
		cookie, err := r.Cookie("sid")
		if err != nil {
			http.Error(w, "who are you?", http.StatusForbidden)
			return
		}
		_, _ = fmt.Fprintf(w, "hello %s", cookie.Value)
	}))
	defer server.Close()

	target, err := wire.ParseTarget(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	user := wire.NewClient(wire.Options{Target: target, Jar: new(wire.Jar), AcceptEncoding: "gzip"})
	defer user.Close()

	form := new(wire.Form).Add("name", "alice")
	login := wire.Request{
		Method: "POST", Path: "/login", Header: []wire.Field{form.ContentType()}, Body: form.Body(),
		Limits: wire.Limits{Total: time.Second},
	}
	var page wire.Response
	if err := user.Follow(context.Background(), &login, &page); err != nil {
		var failure *wire.Error
		if errors.As(err, &failure) {
			fmt.Println(failure.Class, failure.Code, "may have been sent:", failure.Sent)
		}
		return
	}
	fmt.Println(page.Status, page.Path, string(page.Body), "after", len(page.Redirects), "redirect")
	page.Release()
	// Output: 200 /mypage hello alice after 1 redirect
}
