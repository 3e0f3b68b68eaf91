package check_test

import (
	"fmt"

	"hotseat/bench/check"
)

func ExampleHTML() {
	mypage := check.HTML("my page").
		Rule("bank.last-login").
		InnerMatch("#last-logined-ip", check.Var("ip")).
		InnerMatch("#last-logined-at", check.Time("2006-01-02 15:04:05")).
		CaptureAttr("styles", "link[rel=stylesheet]", "href").
		Memo()

	in := &check.Input{Body: []byte(`<!DOCTYPE html>
<link rel="stylesheet" href="/bank.css">
<dl><dt>IP<dd id="last-logined-ip">127.1.0.8<dt>at<dd id="last-logined-at">2014-09-27 12:00:00</dl>`)}
	if m := mypage.Check(in, check.Set("ip", "127.1.0.7")); m != nil {
		fmt.Println(m.Rule, m.Code)
		fmt.Println(m)
	}
	fmt.Println(in.Found.All("styles"))
	// Output:
	// bank.last-login value-mismatch
	// my page: #last-logined-ip: want "127.1.0.7", got "127.1.0.8"
	// [/bank.css]
}

func ExampleJSON() {
	report := check.JSON("report").
		Rule("bank.report-lists").
		Type("*[]", check.String).
		Type("banned_ips", check.Array).Nullable("banned_ips").
		Type("locked_users", check.Array).Nullable("locked_users").
		Capture("banned", "banned_ips[]")

	in := &check.Input{Body: []byte(`{"banned_ips": ["127.1.0.7"], "locked_users": [42]}`)}
	fmt.Println(report.Check(in))
	fmt.Println(in.Found.All("banned"))
	// Output:
	// report: locked_users[0]: want string, got number 42
	// [127.1.0.7]
}
