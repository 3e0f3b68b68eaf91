package isucon12q_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hotseat/problem/problemtest"
)

// TestPages goes through the pages as people do: the operator makes a tenant, its
// organizer holds a competition, players look at it.
func TestPages(t *testing.T) {
	a := newArena(t, "ruby")
	b := problemtest.StartBrowser(t)

	// The operator.
	b.Open(t, a.address("admin")+"/")
	b.Shows(t, "#login-admin", "Log in as operator")
	b.Picture(t, "operator-login")
	b.Click(t, "#login-admin")
	b.Wait(t, `document.querySelectorAll("#tenants tbody tr").length === 10`)
	b.Picture(t, "operator")
	b.Click(t, "#tenants button.more")
	b.Wait(t, `document.querySelectorAll("#tenants tbody tr").length === 20`)
	b.Fill(t, "#tenant-name", "isucon")
	b.Fill(t, "#tenant-display-name", "Chess <b>club</b>")
	b.Click(t, "#new-tenant button")
	b.Shows(t, "#messages", "taken or not allowed")
	b.Fill(t, "#tenant-name", "chess")
	b.Click(t, "#new-tenant button")
	b.Shows(t, "#tenants", "Chess <b>club</b>")
	if got := b.Must(t, `document.querySelector("#tenants a").href`); got != a.address("chess")+"/" {
		t.Errorf("the tenant's address is %s", got)
	}
	b.Click(t, "#logout")
	b.Shows(t, "#login-admin", "Log in as operator")

	// The organizer.
	b.Open(t, a.address("chess")+"/organizer")
	b.Shows(t, ".note", "Please log in")
	b.Picture(t, "login")
	b.Click(t, "#login-organizer")
	b.Shows(t, "#competitions", "No competition yet.")
	b.Fill(t, "#title", "Spring <i>cup</i>")
	b.Click(t, "#new-competition button")
	b.Shows(t, "#competitions", "Spring <i>cup</i>", "running")

	b.Click(t, `a[href="/organizer/players"]`)
	b.Fill(t, "#names", "Ada\nBoole\nCurry\nDijkstra\n")
	b.Click(t, "#new-players button")
	b.Wait(t, `document.querySelectorAll("#players tbody tr").length === 4`)
	b.Fill(t, "#players [type=search]", "boo")
	b.Wait(t, `document.querySelectorAll("#players tbody tr").length === 1`)
	ids := make(map[string]string)
	for _, name := range []string{"Ada", "Boole", "Curry", "Dijkstra"} {
		b.Fill(t, "#players [type=search]", name)
		b.Shows(t, "#players tbody", name)
		ids[name] = b.Must(t, `document.querySelector("#players tbody code").textContent`)
	}

	sheet := filepath.Join(t.TempDir(), "scores.csv")
	upload := func(rows ...string) {
		t.Helper()
		if err := os.WriteFile(sheet, []byte(strings.Join(rows, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		b.Choose(t, "#competitions [type=file]", sheet)
	}
	b.Click(t, `a[href="/organizer/competitions"]`)
	b.Wait(t, `document.querySelector("#competitions [type=file]") !== null`)
	upload("player_id,score", "nobody,1")
	b.Shows(t, "#messages", "nothing was changed")
	upload("player_id,score", ids["Ada"]+",1", ids["Boole"]+",1200", ids["Ada"]+",34500")
	b.Shows(t, "#messages", "Spring <i>cup</i>: 3 rows accepted")
	b.Picture(t, "organizer-competitions")
	b.Click(t, "#logout")

	// A player without a score looks at the ranking.
	b.Fill(t, "#player-id", "nobody")
	b.Click(t, "#login-player button")
	b.Shows(t, ".note", "nobody is no player here")
	b.Fill(t, "#player-id", ids["Curry"])
	b.Click(t, "#login-player button")
	b.Shows(t, "h1", "Curry")
	b.Picture(t, "mypage")
	b.Click(t, `main a[href^="/competition/"]`)
	b.Shows(t, "#ranking tbody tr:nth-child(1)", "1", "Ada", "34,500")
	b.Shows(t, "#ranking tbody tr:nth-child(2)", "2", "Boole", "1,200")
	b.Click(t, "#ranking tbody a")
	b.Shows(t, "h1", "Ada")
	b.Shows(t, "main", "Spring <i>cup</i>", "34,500")
	b.Must(t, "history.back()")
	b.Shows(t, "#ranking", "Boole")
	b.Click(t, "#logout")

	// The organizer again.
	b.Click(t, "#login-organizer")
	b.Click(t, "#competitions button.danger")
	b.Shows(t, "dialog", "Finish “Spring <i>cup</i>”?")
	b.Picture(t, "finish")
	b.Click(t, "dialog button.danger")
	b.Shows(t, "#competitions", "finished")
	b.Click(t, `a[href="/organizer/billing"]`)
	b.Shows(t, "#billing tbody tr", "Spring <i>cup</i>", "200", "10", "210")
	b.Shows(t, ".total", "¥210")
	b.Picture(t, "billing")
	b.Click(t, `a[href="/organizer/players"]`)
	b.Fill(t, "#players [type=search]", "Curry")
	b.Click(t, "#players tbody button.danger")
	b.Click(t, "dialog button.danger")
	b.Shows(t, "#players tbody", "disqualified")
	b.Picture(t, "players")
	b.Click(t, "#logout")
	b.Fill(t, "#player-id", ids["Curry"])
	b.Click(t, "#login-player button")
	b.Shows(t, "main", "You have been disqualified.")

	// Who follows the address that hotseat prints comes to a tenant of the initial
	// data, whose rankings are long.
	b.Open(t, fmt.Sprintf("http://127.0.0.1:%d/", a.port))
	b.Fill(t, "#player-id", "0001")
	b.Click(t, "#login-player button")
	b.Shows(t, "h1", "ISUコンボイ")
	b.Picture(t, "mypage-isucon")
	b.Click(t, `main a[href^="/competition/"]`)
	b.Wait(t, `document.querySelectorAll("#ranking tbody tr").length > 0`)
	b.Picture(t, "ranking-isucon")

	b.Open(t, a.address("nobody")+"/")
	b.Shows(t, "main", "Nobody holds competitions")
	b.Open(t, a.address("isucon")+"/nothing")
	b.Shows(t, "main", "There is nothing here.")
}
