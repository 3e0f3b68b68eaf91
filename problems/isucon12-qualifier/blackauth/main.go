// blackauth hands out tokens to people who want to look at ISUPORTS in a browser.
// It asks for no password. The benchmark signs its tokens itself.
package main

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

const (
	cookieName = "isuports_session"
	lifetime   = 24 * time.Hour
)

// claims are what a token says.
type claims struct {
	Issuer   string   `json:"iss"`
	Subject  string   `json:"sub"`
	Audience []string `json:"aud"`
	Role     string   `json:"role"`
	Expires  int64    `json:"exp"` // seconds since 1970
}

// service answers under /auth/.
type service struct {
	key *rsa.PrivateKey
}

func main() {
	key, err := readKey(getenv("BLACKAUTH_KEY_FILE", "isuports.pem"))
	if err != nil {
		log.Fatal(err)
	}
	s := &service{key: key}
	http.HandleFunc("/auth/login/player", s.loginPlayer)
	http.HandleFunc("/auth/login/organizer", s.loginOrganizer)
	http.HandleFunc("/auth/login/admin", s.loginAdmin)
	http.HandleFunc("/auth/logout", s.logout)
	log.Fatal(http.ListenAndServe(":"+getenv("BLACKAUTH_PORT", "3001"), nil))
}

func getenv(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}

func readKey(file string) (*rsa.PrivateKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s is no PEM file", file)
	}
	return x509.ParsePKCS1PrivateKey(block.Bytes)
}

// tenantOf is what stands before the first dot of the host.
func tenantOf(r *http.Request) string {
	name, _, _ := strings.Cut(r.Host, ".")
	return name
}

func (s *service) loginPlayer(w http.ResponseWriter, r *http.Request) {
	id := r.FormValue("id")
	if id == "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.login(w, claims{Subject: id, Audience: []string{tenantOf(r)}, Role: "player"})
}

func (s *service) loginOrganizer(w http.ResponseWriter, r *http.Request) {
	s.login(w, claims{Subject: "organizer", Audience: []string{tenantOf(r)}, Role: "organizer"})
}

func (s *service) loginAdmin(w http.ResponseWriter, _ *http.Request) {
	s.login(w, claims{Subject: "admin", Audience: []string{"admin"}, Role: "admin"})
}

func (s *service) login(w http.ResponseWriter, c claims) {
	c.Issuer, c.Expires = "isuports", time.Now().Add(lifetime).Unix()
	token, err := s.sign(c)
	if err != nil {
		log.Print(err)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: token, Path: "/", HttpOnly: true})
}

func (s *service) logout(w http.ResponseWriter, _ *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: cookieName, Path: "/", HttpOnly: true, Expires: time.Now().Add(-time.Hour)})
}

// sign makes a compact JWS with RS256 (RFC 7515 §3.1, RFC 7518 §3.3).
func (s *service) sign(c claims) (string, error) {
	payload, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + encode(payload)
	digest := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(nil, s.key, crypto.SHA256, digest[:])
	if err != nil {
		return "", err
	}
	return signed + "." + encode(signature), nil
}
