package data

import (
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"
)

func TestKeysFitEachOther(t *testing.T) {
	dir := t.TempDir()
	if err := writeKeys(dir, 3); err != nil {
		t.Fatal(err)
	}
	der := func(path, kind string) []byte {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		block, rest := pem.Decode(content)
		if block == nil || block.Type != kind || len(rest) > 0 {
			t.Fatalf("%s is no %s", path, kind)
		}
		return block.Bytes
	}
	public, err := x509.ParsePKIXPublicKey(der("public.pem", "PUBLIC KEY"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"truth/jwt.pem", "blackauth/isuports.pem"} {
		key, err := x509.ParsePKCS1PrivateKey(der(path, "RSA PRIVATE KEY"))
		if err != nil {
			t.Fatal(err)
		}
		if bits := key.N.BitLen(); bits != 2048 {
			t.Errorf("%s has %d bits", path, bits)
		}
		if !key.PublicKey.Equal(public.(*rsa.PublicKey)) {
			t.Errorf("%s is not the private half of public.pem", path)
		}
	}

	// The certificate is for tenants' hosts, and for no others.
	tlsDir := filepath.Join(dir, "etc/nginx/tls")
	pair, err := tls.LoadX509KeyPair(filepath.Join(tlsDir, "fullchain.pem"), filepath.Join(tlsDir, "privkey.pem"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(pair.Leaf)
	for host, ok := range map[string]bool{"admin.t.isucon.dev": true, "a.b.t.isucon.dev": false, "t.isucon.dev": false} {
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots}); (err == nil) != ok {
			t.Errorf("%s: %v", host, err)
		}
	}
}
