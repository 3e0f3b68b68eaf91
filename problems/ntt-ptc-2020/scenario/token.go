package nttscenario

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// tokenLife is how long a token of the app is valid (§5).
const tokenLife = time.Hour

// claims are what a token says (§5). Zero values are left out.
type claims struct {
	Username string  `json:"username,omitempty"`
	Role     string  `json:"role,omitempty"`
	Issued   float64 `json:"iat,omitempty"` // Unix seconds, as RFC 7519 has them
	Expires  float64 `json:"exp,omitempty"`
}

// newClaims are those of a token that was issued at a time.
func newClaims(who person, issued time.Time) claims {
	return claims{Username: who.name, Role: who.role, Issued: float64(issued.Unix()), Expires: float64(issued.Add(tokenLife).Unix())}
}

// sign makes a token as the app does: a JSON Web Signature by HS256 (RFC 7515).
func sign(key []byte, says claims) string {
	payload, err := json.Marshal(says)
	if err != nil {
		panic(err) // texts and finite numbers always marshal
	}
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode(payload)
	return text + "." + encode(hs256(key, text))
}

// unsigned makes a token that says that it needs no signature (RFC 7519 §6).
func unsigned(says claims) string {
	payload := strings.Split(sign(nil, says), ".")[1]
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + payload + "."
}

func hs256(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// readToken verifies a token and returns what it says. The error tells a
// contestant what is wrong with it.
func readToken(key []byte, token string) (claims, error) {
	var says claims
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return says, fmt.Errorf("a token has three parts, this one %d", len(parts))
	}
	var head struct {
		Algorithm string `json:"alg"`
	}
	for i, into := range []any{&head, &says} {
		text, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			return says, fmt.Errorf("part %d: %w", i+1, err)
		}
		if err := json.Unmarshal(text, into); err != nil {
			return says, fmt.Errorf("part %d: %w", i+1, err)
		}
	}
	if head.Algorithm != "HS256" {
		return says, fmt.Errorf("its alg is %q, not HS256", head.Algorithm)
	}
	sum, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return says, fmt.Errorf("signature: %w", err)
	}
	if !hmac.Equal(sum, hs256(key, parts[0]+"."+parts[1])) {
		return says, fmt.Errorf("its signature is not one by JWT_SECRET_KEY")
	}
	return says, nil
}
