package nttptc2020_test

import (
	"path/filepath"
	"testing"

	"hotseat/problem/problemtest"
)

// testPages goes through the pages as people do: an audience signs up, looks for
// an event, reserves and cancels; an artist announces an event and gives it a
// picture.
func (s *site) testPages(t *testing.T) {
	b := problemtest.StartBrowser(t)
	b.Open(t, s.url+"/")
	b.Wait(t, `document.querySelectorAll(".card").length === 12`)
	b.Wait(t, `[...document.querySelectorAll(".card img")].slice(0, 3).every((image) => image.complete && image.naturalWidth > 0)`)
	b.Picture(t, "events")
	b.Click(t, "section > button")
	b.Wait(t, `document.querySelectorAll(".card").length === 24`)
	name := b.Must(t, `document.querySelector(".card:nth-child(13) strong").innerText`)
	b.Fill(t, "[type=search]", name)
	b.Shows(t, ".card strong", name)
	b.Wait(t, `document.querySelectorAll(".card").length < 24`)

	b.Click(t, `a[href="#/login"]`)
	b.Fill(t, "#login [name=username]", "guest <b>")
	b.Fill(t, "#login [name=password]", "wrong")
	b.Click(t, "#login button")
	b.Shows(t, "#messages", "Name or password is wrong.")
	b.Picture(t, "login")
	b.Click(t, `a[href="#/signup"]`)
	b.Fill(t, "#signup [name=username]", "guest <b>")
	b.Fill(t, "#signup [name=password]", "secret")
	b.Click(t, "#signup button")
	b.Shows(t, "#top", "guest <b> (audience)")

	b.Open(t, s.url+"/#/events/1")
	b.Shows(t, "h1", "future event 1")
	b.Fill(t, "#reserve [name=n]", "2")
	b.Click(t, "#reserve button")
	b.Shows(t, "#messages", "2 tickets are reserved")
	b.Shows(t, ".line", "future event 1", "2 × ¥5,000")
	b.Picture(t, "reservations")
	b.Open(t, s.url+"/#/events/1")
	b.Click(t, "#reserve button")
	b.Shows(t, "#messages", "Not reserved")
	b.Click(t, `a[href="#/reservations"]`)
	b.Click(t, ".line button")
	b.Click(t, "dialog button.danger")
	b.Shows(t, "#messages", "cancelled")
	b.Wait(t, `document.querySelector(".line") === null`)
	b.Click(t, ".who button")
	b.Shows(t, "#top", "Log in")

	b.Click(t, `a[href="#/login"]`)
	b.Fill(t, "#login [name=username]", "user03")
	b.Fill(t, "#login [name=password]", "password")
	b.Click(t, "#login button")
	b.Shows(t, "#top", "user03 (artist)")
	b.Click(t, `a[href="#/events/new"]`)
	b.Fill(t, "#event [name=event_name]", "<i>Premiere</i>")
	b.Click(t, "#event [name=slot]")
	b.Picture(t, "new")
	b.Click(t, "#event > button:last-child")
	b.Shows(t, "#messages", "Saved.")
	b.Shows(t, "h1", "<i>Premiere</i>")
	b.Choose(t, "#image [type=file]", filepath.Join(s.root, "truth", "images", "0.png"))
	b.Click(t, "#image button")
	b.Shows(t, "#messages", "The picture is there.")
	b.Fill(t, "#event [name=price]", "7000")
	b.Click(t, "#event > button:last-child")
	b.Shows(t, ".event", "<i>Premiere</i>", "¥7,000", "by user03", "tickets left")
	b.Picture(t, "event")
	b.Click(t, `a[href$="/reservations"]`)
	b.Shows(t, "main", "Reservations for <i>Premiere</i>", "There are no reservations.")
	b.Open(t, s.url+"/#/nothing")
	b.Shows(t, "main", "There is nothing here.")
}
