package data

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"path/filepath"
	"time"
)

// What a benchmark knows of the tokens.
const (
	knownRevoked = 1000 // at most
	knownExpired = 100
)

// tokenYears is how long a revoked token would be valid if it were not revoked.
const tokenYears = 20

// claims is what a token says, in the order in which the app says it.
type claims struct {
	Username string `json:"username"`
	Role     string `json:"role"`
	Expires  int64  `json:"exp"`
	Issued   int64  `json:"iat"`
}

// sign makes a JSON Web Token (RFC 7519) signed by HS256.
func sign(says claims) (string, error) {
	payload, err := json.Marshal(says)
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode(payload)
	mac := hmac.New(sha256.New, []byte(Key))
	mac.Write([]byte(text))
	return text + "." + encode(mac.Sum(nil)), nil
}

func writeTokens(dir string, people *people, opts Options) error {
	c := newChance(opts.Seed, tokenStream)
	var revoked []string
	for i := range opts.Revoked {
		// A second each, so that no two are alike.
		issued := opts.midnight().AddDate(0, 0, -30).Add(time.Duration(i) * time.Second)
		who := people.all[c.below(len(people.all))]
		token, err := sign(claims{who.name, who.role, issued.AddDate(tokenYears, 0, 0).Unix(), issued.Unix()})
		if err != nil {
			return err
		}
		revoked = append(revoked, token)
	}
	for _, name := range []string{filepath.Join("sql", "seed.list"), "revocated_token.list"} {
		err := writeFile(filepath.Join(dir, name), func(out *bufio.Writer) error {
			for _, token := range revoked {
				_, _ = out.WriteString(token + "\n") // out keeps the error
			}
			return nil
		})
		if err != nil {
			return err
		}
	}

	var expired []string
	roles := map[string][]string{roleAudience: people.audiences, roleArtist: people.artists, roleOwner: people.owners}
	for i := range knownExpired {
		role := []string{roleOwner, roleAudience, roleArtist}[i%3]
		issued := opts.midnight().AddDate(0, 0, -60).Add(time.Duration(i) * time.Minute)
		token, err := sign(claims{pick(c, roles[role]), role, issued.Add(time.Hour).Unix(), issued.Unix()})
		if err != nil {
			return err
		}
		expired = append(expired, token)
	}
	known := min(knownRevoked, len(revoked))
	shuffle(c, revoked, known)
	if err := writeJSON(filepath.Join(dir, "truth", "revoked_token.json"), revoked[:known]); err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(dir, "truth", "expired_token.json"), expired); err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, "truth", "jwt.key"), func(out *bufio.Writer) error {
		_, err := out.WriteString(Key)
		return err
	})
}
