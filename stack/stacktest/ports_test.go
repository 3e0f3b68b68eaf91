package stacktest

import (
	"net"
	"strconv"
	"testing"
)

func TestFreePort(t *testing.T) {
	held := map[int]bool{}
	for range 20 {
		port := FreePort(t)
		if port < firstPort || port > lastPort || held[port] {
			t.Errorf("port %d, after %v", port, held)
		}
		held[port] = true
		l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
	}
}
