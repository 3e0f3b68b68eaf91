package data

import (
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

const (
	keyBits   = 2048
	publicExp = 65537
)

// newKey makes an RSA key from a seed that everybody knows: whoever plays signs
// whatever they like, as in the contest, where blackauth did it for them.
// crypto/rsa makes no key twice, hence the two primes of our own.
func newKey(c chance) (*rsa.PrivateKey, error) {
	p, q := c.prime(), c.prime()
	one := big.NewInt(1)
	phi := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
	d := new(big.Int).ModInverse(big.NewInt(publicExp), phi)
	if d == nil {
		return nil, fmt.Errorf("make a key: %d divides p-1 or q-1", publicExp)
	}
	key := &rsa.PrivateKey{
		PublicKey: rsa.PublicKey{N: new(big.Int).Mul(p, q), E: publicExp},
		D:         d,
		Primes:    []*big.Int{p, q},
	}
	key.Precompute()
	if err := key.Validate(); err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	return key, nil
}

// prime returns a prime of half a key's length whose two highest bits are set,
// so that the product of two has the full length.
func (c chance) prime() *big.Int {
	b := make([]byte, keyBits/2/8)
	for i := range b {
		b[i] = byte(c.below(256))
	}
	b[0] |= 0xC0
	b[len(b)-1] |= 1
	n, two := new(big.Int).SetBytes(b), big.NewInt(2)
	for !n.ProbablyPrime(20) {
		n.Add(n, two)
	}
	return n
}

// writeKeys writes the key that signs logins, for the app, for blackauth and
// for the benchmark, and a certificate of our own for *.t.isucon.dev.
func writeKeys(dir string, seed uint64) error {
	login, err := newKey(newChance(seed, jwtStream))
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&login.PublicKey)
	if err != nil {
		return err
	}
	web, err := newKey(newChance(seed, tlsStream))
	if err != nil {
		return err
	}
	certificate, err := selfSigned(web)
	if err != nil {
		return err
	}
	const privateKey = "RSA PRIVATE KEY"
	for _, f := range []struct {
		path, kind string
		der        []byte
	}{
		{"public.pem", "PUBLIC KEY", public},
		{"blackauth/isuports.pem", privateKey, x509.MarshalPKCS1PrivateKey(login)},
		{"truth/jwt.pem", privateKey, x509.MarshalPKCS1PrivateKey(login)},
		{"etc/nginx/tls/fullchain.pem", "CERTIFICATE", certificate},
		{"etc/nginx/tls/privkey.pem", privateKey, x509.MarshalPKCS1PrivateKey(web)},
	} {
		block := pem.EncodeToMemory(&pem.Block{Type: f.kind, Bytes: f.der})
		path := filepath.Join(dir, f.path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, block, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// selfSigned returns a certificate that never changes: RSA signatures by PKCS #1
// v1.5 take no chance, and its times are fixed.
func selfSigned(key *rsa.PrivateKey) ([]byte, error) {
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(epoch),
		Subject:               pkix.Name{CommonName: "*.t.isucon.dev"},
		DNSNames:              []string{"*.t.isucon.dev"},
		NotBefore:             time.Unix(epoch, 0),
		NotAfter:              time.Unix(epoch, 0).AddDate(50, 0, 0),
		SignatureAlgorithm:    x509.SHA256WithRSA,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	return x509.CreateCertificate(nil, template, template, &key.PublicKey, key)
}
