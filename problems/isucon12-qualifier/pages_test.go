package isucon12q_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPages goes through the pages as people do: the operator makes a tenant, its
// organizer holds a competition, players look at it.
func TestPages(t *testing.T) {
	a := newArena(t, "ruby")
	b := startBrowser(t, a.port)

	// The operator.
	b.open(t, "admin", "/")
	b.shows(t, "#login-admin", "Log in as operator")
	b.picture(t, "operator-login")
	b.click(t, "#login-admin")
	b.wait(t, `document.querySelectorAll("#tenants tbody tr").length === 10`)
	b.picture(t, "operator")
	b.click(t, "#tenants button.more")
	b.wait(t, `document.querySelectorAll("#tenants tbody tr").length === 20`)
	b.fill(t, "#tenant-name", "isucon")
	b.fill(t, "#tenant-display-name", "Chess <b>club</b>")
	b.click(t, "#new-tenant button")
	b.shows(t, "#messages", "taken or not allowed")
	b.fill(t, "#tenant-name", "chess")
	b.click(t, "#new-tenant button")
	b.shows(t, "#tenants", "Chess <b>club</b>")
	if got := b.must(t, `document.querySelector("#tenants a").href`); got != b.address("chess")+"/" {
		t.Errorf("the tenant's address is %s", got)
	}
	b.click(t, "#logout")
	b.shows(t, "#login-admin", "Log in as operator")

	// The organizer.
	b.open(t, "chess", "/organizer")
	b.shows(t, ".note", "Please log in")
	b.picture(t, "login")
	b.click(t, "#login-organizer")
	b.shows(t, "#competitions", "No competition yet.")
	b.fill(t, "#title", "Spring <i>cup</i>")
	b.click(t, "#new-competition button")
	b.shows(t, "#competitions", "Spring <i>cup</i>", "running")

	b.click(t, `a[href="/organizer/players"]`)
	b.fill(t, "#names", "Ada\nBoole\nCurry\nDijkstra\n")
	b.click(t, "#new-players button")
	b.wait(t, `document.querySelectorAll("#players tbody tr").length === 4`)
	b.fill(t, "#players [type=search]", "boo")
	b.wait(t, `document.querySelectorAll("#players tbody tr").length === 1`)
	ids := make(map[string]string)
	for _, name := range []string{"Ada", "Boole", "Curry", "Dijkstra"} {
		b.fill(t, "#players [type=search]", name)
		b.shows(t, "#players tbody", name)
		ids[name] = b.must(t, `document.querySelector("#players tbody code").textContent`)
	}

	sheet := filepath.Join(t.TempDir(), "scores.csv")
	upload := func(rows ...string) {
		t.Helper()
		if err := os.WriteFile(sheet, []byte(strings.Join(rows, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		b.choose(t, "#competitions [type=file]", sheet)
	}
	b.click(t, `a[href="/organizer/competitions"]`)
	b.wait(t, `document.querySelector("#competitions [type=file]") !== null`)
	upload("player_id,score", "nobody,1")
	b.shows(t, "#messages", "nothing was changed")
	upload("player_id,score", ids["Ada"]+",1", ids["Boole"]+",1200", ids["Ada"]+",34500")
	b.shows(t, "#messages", "Spring <i>cup</i>: 3 rows accepted")
	b.picture(t, "organizer-competitions")
	b.click(t, "#logout")

	// A player without a score looks at the ranking.
	b.fill(t, "#player-id", "nobody")
	b.click(t, "#login-player button")
	b.shows(t, ".note", "nobody is no player here")
	b.fill(t, "#player-id", ids["Curry"])
	b.click(t, "#login-player button")
	b.shows(t, "h1", "Curry")
	b.picture(t, "mypage")
	b.click(t, `main a[href^="/competition/"]`)
	b.shows(t, "#ranking tbody tr:nth-child(1)", "1", "Ada", "34,500")
	b.shows(t, "#ranking tbody tr:nth-child(2)", "2", "Boole", "1,200")
	b.click(t, "#ranking tbody a")
	b.shows(t, "h1", "Ada")
	b.shows(t, "main", "Spring <i>cup</i>", "34,500")
	b.must(t, "history.back()")
	b.shows(t, "#ranking", "Boole")
	b.click(t, "#logout")

	// The organizer again.
	b.click(t, "#login-organizer")
	b.click(t, "#competitions button.danger")
	b.shows(t, "dialog", "Finish “Spring <i>cup</i>”?")
	b.picture(t, "finish")
	b.click(t, "dialog button.danger")
	b.shows(t, "#competitions", "finished")
	b.click(t, `a[href="/organizer/billing"]`)
	b.shows(t, "#billing tbody tr", "Spring <i>cup</i>", "200", "10", "210")
	b.shows(t, ".total", "¥210")
	b.picture(t, "billing")
	b.click(t, `a[href="/organizer/players"]`)
	b.fill(t, "#players [type=search]", "Curry")
	b.click(t, "#players tbody button.danger")
	b.click(t, "dialog button.danger")
	b.shows(t, "#players tbody", "disqualified")
	b.picture(t, "players")
	b.click(t, "#logout")
	b.fill(t, "#player-id", ids["Curry"])
	b.click(t, "#login-player button")
	b.shows(t, "main", "You have been disqualified.")

	// Who follows the address that hotseat prints comes to a tenant of the initial
	// data, whose rankings are long.
	b.do(t, "Page.navigate", map[string]any{"url": fmt.Sprintf("http://127.0.0.1:%d/", a.port)}, nil)
	b.fill(t, "#player-id", "0001")
	b.click(t, "#login-player button")
	b.shows(t, "h1", "ISUコンボイ")
	b.picture(t, "mypage-isucon")
	b.click(t, `main a[href^="/competition/"]`)
	b.wait(t, `document.querySelectorAll("#ranking tbody tr").length > 0`)
	b.picture(t, "ranking-isucon")

	b.open(t, "nobody", "/")
	b.shows(t, "main", "Nobody holds competitions")
	b.open(t, "isucon", "/nothing")
	b.shows(t, "main", "There is nothing here.")
}
