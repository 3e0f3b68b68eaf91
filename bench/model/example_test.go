package model_test

import (
	"fmt"
	"time"

	"hotseat/bench/model"
)

// A write whose answer is lost may or may not have happened: both are accepted, until a
// read decides.
func Example() {
	clock := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	at := func(ms int) time.Time { return clock.Add(time.Duration(ms) * time.Millisecond) }
	during := func(sent, done int) model.Span { return model.Span{Sent: at(sent), Done: at(done)} }

	price := model.NewRegister[int](model.Promise{}).Initially(100)

	write := price.Write(nil, at(0), 250)
	write.Maybe(at(50)) // the connection broke before an answer came

	fmt.Println(price.Read(nil, during(60, 70), 100)) // not yet, perhaps never
	fmt.Println(price.Read(nil, during(80, 90), 250)) // now we know
	fmt.Println(price.Read(nil, during(95, 99), 100))
	// Output:
	// no violation
	// no violation
	// stale-read: 250 had been shown 5ms before this request was sent: expected 250, got 100
}

// Comments must show within a second, once, oldest first.
func ExampleSet() {
	clock := time.Date(2011, 8, 27, 12, 0, 0, 0, time.UTC)
	at := func(ms int) time.Time { return clock.Add(time.Duration(ms) * time.Millisecond) }
	during := func(sent, done int) model.Span { return model.Span{Sent: at(sent), Done: at(done)} }

	comments := model.NewSet[string](model.Promise{Lag: time.Second}).
		Initially("first").Sorted(model.OldestFirst, 0)

	post := comments.Add(nil, at(0), "nice article")
	post.Commit(at(20))

	fmt.Println(comments.Read(nil, during(900, 910), []string{"first"})) // within the second
	fmt.Println(comments.Read(nil, during(1020, 1030), []string{"first", "nice article"}))
	fmt.Println(comments.Read(nil, during(1500, 1510), []string{"first"})) // shown at 1030, a second may pass
	fmt.Println(comments.Read(nil, during(1600, 1610), []string{"nice article", "first"}))
	fmt.Println(comments.Read(nil, during(1700, 1710), []string{"first", "nice article", "me too"}))
	// Output:
	// no violation
	// no violation
	// stale-read: "nice article" is missing, shown or acknowledged 1.48s before this request was sent; it must show within 1s: expected "nice article", got a listing without it
	// wrong-order: the listing is not in the order of writing: expected "first" before "nice article", got "nice article" before "first"
	// phantom: nobody has written this: expected only what was written, got "me too"
}

// The lag is for everybody; a browser must not be shown what is older than what
// it saw.
func ExampleSession() {
	clock := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	at := func(ms int) time.Time { return clock.Add(time.Duration(ms) * time.Millisecond) }
	during := func(sent, done int) model.Span { return model.Span{Sent: at(sent), Done: at(done)} }

	// A token is valid until its owner logs out.
	promise := model.Promise{Lag: 3 * time.Second, Monotonic: true, OwnWrites: true}
	valid := model.NewRegister[bool](promise).Initially(true)
	owner, thief := model.NewSession(), model.NewSession()

	logout := valid.Write(owner, at(0), false)
	logout.Commit(at(10))

	fmt.Println(valid.Read(thief, during(20, 30), true)) // excused for three seconds
	fmt.Println(valid.Read(thief, during(40, 50), false))
	fmt.Println(valid.Read(thief, during(60, 70), true))
	fmt.Println(valid.Read(owner, during(80, 90), true))
	// Output:
	// no violation
	// no violation
	// non-monotonic: the same client had seen a later value, false, before it sent this request: expected false, got true
	// stale-read: false had been shown to the same client, which must see its own writes at once: expected false, got true
}

// A bill is exact unless something is doubtful, and then as exact as it can be.
func ExampleSum() {
	now := time.Now()
	bill := model.NewSum(model.Promise{}, 0)
	bill.Add(now, 100).Commit(now)
	bill.Add(now, 100).Commit(now)
	fmt.Println(bill.Check(200))
	fmt.Println(bill.Check(190))

	bill.Add(now, 10).Maybe(now)
	fmt.Println(bill.Check(200), bill.Check(210))
	fmt.Println(bill.Check(205))
	// Output:
	// no violation
	// sum-mismatch: the total is not the sum of what was acknowledged: expected 200, got 190
	// no violation no violation
	// sum-mismatch: the total is none that the requests can have led to: expected 200 or 210, got 205
}

// One register for each user, made when first asked for.
func ExampleFamily() {
	lastLogin := model.NewFamily(func(user string) *model.Register[string] {
		return model.NewRegister[string](model.Promise{}) // unknown until the first read
	})
	now := time.Now()
	fmt.Println(lastLogin.Of("isucon1").Read(nil, model.Span{Sent: now, Done: now}, "127.1.0.1"))
	fmt.Println(lastLogin.Of("isucon2").Read(nil, model.Span{Sent: now, Done: now}, "127.1.0.9"))
	fmt.Println(lastLogin.Of("isucon1").Read(nil, model.Span{Sent: now, Done: now}, "127.1.0.9"))
	// Output:
	// no violation
	// no violation
	// phantom: the value is none that was written: expected "127.1.0.1", got "127.1.0.9"
}
