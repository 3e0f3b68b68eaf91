package nttscenario

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"
)

func TestTokens(t *testing.T) {
	key := []byte("key")
	who := person{name: "山田太郎", role: roleArtist}
	good := newClaims(who, time.Unix(1_600_000_000, 0))
	if says, err := readToken(key, sign(key, good)); err != nil || says != good {
		t.Errorf("%+v, %v", says, err)
	}
	// Made by another implementation of RFC 7515: the members in another order.
	const other = "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJleHAiOjE2MDAwMDM2MDAsImlhdCI6MTYwMDAwMDAwMCwicm9sZSI6Im93bmVyIiwidXNlcm5hbWUiOiJzYXdhZHkifQ."
	if says, err := readToken(key, other+base64.RawURLEncoding.EncodeToString(hs256(key, strings.TrimSuffix(other, ".")))); err != nil || says.Username != "sawady" || says.Expires-says.Issued != 3600 {
		t.Errorf("%+v, %v", says, err)
	}
	for name, token := range map[string]string{
		"another key":      sign([]byte("other"), good),
		"no signature":     unsigned(good),
		"its end cut off":  sign(key, good)[:60],
		"two parts":        "a.b",
		"nothing":          "",
		"another payload":  strings.Replace(sign(key, good), ".ey", ".eyA", 1),
		"no base64":        "é.é.é",
		"no JSON":          "YQ.YQ.YQ",
		"another alg":      strings.Replace(sign(key, good), "eyJhbGciOiJIUzI1NiI", "eyJhbGciOiJIUzM4NCI", 1),
		"a padded version": sign(key, good) + "=",
	} {
		t.Run(name, func(t *testing.T) {
			if says, err := readToken(key, token); err == nil {
				t.Errorf("accepted %+v", says)
			}
		})
	}
}
