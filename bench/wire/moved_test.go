package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"testing"
)

// A body that ends with its connection stays its own, whatever buffers other
// users of the process take meanwhile: making room for bytes that never came
// once left it pointing into a buffer that was somebody else's by then.
func TestBodyStaysItsOwn(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				r, err := http.ReadRequest(bufio.NewReader(conn))
				if err != nil {
					return
				}
				_, _ = fmt.Fprintf(conn, "HTTP/1.0 200 OK\r\n\r\n")
				_, _ = conn.Write(bodyOf(r.URL.Path))
			}()
		}
	}()
	target, err := ParseTarget("http://" + listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for user := range 8 {
		wg.Go(func() {
			c := NewClient(Options{Target: target})
			defer c.Close()
			dice := rand.New(rand.NewPCG(1, uint64(user)))
			for range 100 {
				path := fmt.Sprintf("/%d/%d", user, 500+dice.IntN(12_000))
				var resp Response
				if err := c.Do(t.Context(), &Request{Method: "GET", Path: path}, &resp); err != nil {
					t.Error(err)
					return
				}
				if !bytes.Equal(resp.Body, bodyOf(path)) {
					t.Errorf("%s: somebody else's body: %.40q", path, resp.Body)
					return
				}
				resp.Release()
			}
		})
	}
	wg.Wait()
}

// bodyOf is a body that tells whose it is everywhere, as long as the path says.
func bodyOf(path string) []byte {
	var user, length int
	if _, err := fmt.Sscanf(path, "/%d/%d", &user, &length); err != nil {
		return nil
	}
	return bytes.Repeat([]byte(path), length/len(path)+1)[:length]
}
