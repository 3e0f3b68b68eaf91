package isucon12qscenario

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"time"
)

// cookieName is the cookie that carries a token (§3).
const cookieName = "isuports_session"

// The roles of §3.
const (
	roleAdmin     = "admin"
	roleOrganizer = "organizer"
	rolePlayer    = "player"
)

// tokenLife is what the original gave its tokens.
const tokenLife = time.Hour

// claims are those of §3. The audience is an array of one.
type claims struct {
	Issuer   string   `json:"iss"`
	Subject  string   `json:"sub"`
	Audience []string `json:"aud"`
	Role     string   `json:"role"`
	Expires  int64    `json:"exp"`
}

func newClaims(role, subject, tenant string, now time.Time) claims {
	return claims{Issuer: "isuports", Subject: subject, Audience: []string{tenant}, Role: role, Expires: now.Add(tokenLife).Unix()}
}

// signer signs tokens as the login service does (RFC 7515, RFC 7518 §3.3).
// About a millisecond of CPU each: keep what it returns.
type signer struct {
	key  *rsa.PrivateKey
	alg  string
	hash crypto.Hash
}

func newSigner(key *rsa.PrivateKey) *signer {
	return &signer{key: key, alg: "RS256", hash: crypto.SHA256}
}

// sign returns the cookie with a token.
func (s *signer) sign(c claims) string {
	head, err := json.Marshal(map[string]string{"alg": s.alg, "typ": "JWT"})
	if err != nil {
		panic(err) // strings always marshal
	}
	body, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	text := encode(head) + "." + encode(body)
	digest := s.hash.New()
	digest.Write([]byte(text))
	signature, err := rsa.SignPKCS1v15(nil, s.key, s.hash, digest.Sum(nil))
	if err != nil {
		panic(fmt.Errorf("sign a token: %w", err)) // a key that was validated when it was read
	}
	return cookieName + "=" + text + "." + encode(signature)
}

// parseKey reads a private key as PKCS #1, which the contest used, or PKCS #8.
func parseKey(text []byte) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("no PEM block")
	}
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		any, other := x509.ParsePKCS8PrivateKey(block.Bytes)
		if other != nil {
			return nil, err
		}
		var ok bool
		if key, ok = any.(*rsa.PrivateKey); !ok {
			return nil, errors.New("not an RSA key")
		}
	}
	return key, key.Validate()
}

// strangersKey makes a key that nobody knows.
func strangersKey() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) }
