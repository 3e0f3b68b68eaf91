package isucon12qscenario

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func somePlayers(n int) []*player {
	list := make([]*player, n)
	for i := range list {
		list[i] = &player{id: string(rune('a' + i)), number: i}
	}
	return list
}

// The ranking of a sheet against the plainest reading of §8.
func TestSheetAgainstThePlainReading(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	players := somePlayers(12)
	for range 2000 {
		rows := make([]row, dice.IntN(30))
		for i := range rows {
			rows[i] = row{players[dice.IntN(len(players))], int64(dice.IntN(5))}
		}
		s := newSheet(rows)
		var want []row
		for i, r := range rows {
			counts := true
			for _, later := range rows[i+1:] {
				counts = counts && later.who != r.who
			}
			if !counts {
				continue
			}
			at := 0
			for at < len(want) && want[at].score >= r.score {
				at++
			}
			want = append(want[:at], append([]row{r}, want[at:]...)...)
		}
		if len(want) != len(s.ranked) {
			t.Fatalf("%d ranked, want %d", len(s.ranked), len(want))
		}
		for i := range want {
			if want[i] != s.ranked[i] {
				t.Fatalf("rank %d: got %s with %d, want %s with %d", i+1, s.ranked[i].who.id, s.ranked[i].score, want[i].who.id, want[i].score)
			}
			if got, there := s.score(want[i].who); !there || got != want[i].score {
				t.Fatalf("score of %s: %d, %t", want[i].who.id, got, there)
			}
		}
		for _, p := range players {
			_, there := s.score(p)
			listed := false
			for _, r := range want {
				listed = listed || r.who == p
			}
			if there != listed {
				t.Fatalf("%s has a score: %t", p.id, there)
			}
		}
		if s.count != len(rows) {
			t.Fatal(s.count)
		}
	}
}

func TestPage(t *testing.T) {
	players := make([]*player, 101)
	for i := range players {
		players[i] = &player{id: string(rune(i)), number: i}
	}
	s := newSheet(rowsOf(players, func(i int) int64 { return int64(-i) }))
	for _, test := range []struct{ after, first, count int }{{0, 0, 100}, {100, 100, 1}, {101, 0, 0}, {50, 50, 51}, {-3, 0, 100}, {1000, 0, 0}} {
		page := s.page(test.after)
		if len(page) != test.count || test.count > 0 && page[0].who.number != test.first {
			t.Errorf("after %d: %d entries", test.after, len(page))
		}
	}
}

func TestCSV(t *testing.T) {
	players := somePlayers(2)
	if got := string(csv(sheetHeader, []row{{players[0], 12}, {players[1], 0}})); got != "player_id,score\na,12\nb,0" {
		t.Errorf("%q", got)
	}
	if got := string(csv(sheetHeader, nil)); got != "player_id,score" {
		t.Errorf("%q", got)
	}
}

// A token is what RFC 7515 says, with the claims of §3.
func TestToken(t *testing.T) {
	w := newTestWorld(t)
	now := time.Unix(1_700_000_000, 0)
	cookie := newSigner(w.key).sign(newClaims(rolePlayer, "0001", "isucon", now))
	token, ok := strings.CutPrefix(cookie, cookieName+"=")
	parts := strings.Split(token, ".")
	if !ok || len(parts) != 3 {
		t.Fatal(cookie)
	}
	decode := func(text string) (v map[string]any) {
		b, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	if diff := cmp.Diff(map[string]any{"alg": "RS256", "typ": "JWT"}, decode(parts[0])); diff != "" {
		t.Error(diff)
	}
	want := map[string]any{"iss": "isuports", "sub": "0001", "aud": []any{"isucon"}, "role": "player", "exp": float64(1_700_003_600)}
	if diff := cmp.Diff(want, decode(parts[1])); diff != "" {
		t.Error(diff)
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(&w.key.PublicKey, crypto.SHA256, sum[:], signature); err != nil {
		t.Error(err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2022, 7, 23, 10, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		value string
		wait  time.Duration
		ok    bool
	}{
		{"0", 0, true},
		{"2", 2 * time.Second, true},
		{"Sat, 23 Jul 2022 10:00:05 GMT", 5 * time.Second, true},
		{"Sat, 23 Jul 2022 09:00:00 GMT", 0, true},
		{"-1", 0, false},
		{"", 0, false},
		{"soon", 0, false},
	} {
		wait, ok := retryAfter(test.value, now)
		if ok != test.ok || ok && wait != test.wait {
			t.Errorf("%q: got %s, %t", test.value, wait, ok)
		}
	}
}

// A right service is never off the bill that is reckoned, wherever within its
// span each request took effect, and a wrong one is where nothing overlaps.
func TestReckon(t *testing.T) {
	dice := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		c := newCompetition(newTenant(nil, "t"), "c")
		players := somePlayers(8)
		s := newSheet(rowsOf(players[:dice.IntN(4)], ascending))
		base := time.Unix(1_700_000_000, dice.Int64N(1e9))
		at := func() time.Time { return base.Add(time.Duration(dice.Int64N(int64(4 * time.Second)))) }
		span := func() (sent, acted, done time.Time) {
			sent = at()
			acted = sent.Add(time.Duration(dice.Int64N(int64(300 * time.Millisecond))))
			return sent, acted, acted.Add(time.Duration(dice.Int64N(int64(300 * time.Millisecond))))
		}
		sent, acted, done := span()
		end := ending{sent: sent, done: done}
		var visitors int64
		for _, p := range players {
			counts := false
			for range dice.IntN(3) {
				sent, visited, done := span()
				c.visiting(p, sent)
				c.visited(p, done, false)
				counts = counts || visited.Unix() <= acted.Unix()
			}
			if _, scored := s.score(p); counts && !scored {
				visitors++
			}
		}
		due, _ := c.reckon(s, end)
		if due.players != int64(len(s.ranked)) || visitors < due.least || visitors > due.most {
			t.Fatalf("%d visitors, reckoned %+v", visitors, *due)
		}
	}
}

// What was asked for and not answered is either; what was not asked for is not.
func TestStanding(t *testing.T) {
	now := time.Now()
	const grace = 3 * time.Second
	for _, test := range []struct {
		name                    string
		standing                standing
		qualified, disqualified bool
	}{
		{"new", standing{initially: isNot}, true, false},
		{"initially", standing{initially: is}, false, true},
		{"not told", standing{}, true, true},
		{"under way", standing{initially: isNot, asked: now}, true, true},
		{"within the grace", standing{initially: isNot, asked: now, done: now.Add(-grace + 1)}, true, true},
		{"after the grace", standing{initially: isNot, asked: now, done: now.Add(-grace)}, false, true},
	} {
		qualified, disqualified := test.standing.shown(now, grace)
		if qualified != test.qualified || disqualified != test.disqualified {
			t.Errorf("%s: got %t, %t", test.name, qualified, disqualified)
		}
	}
}
