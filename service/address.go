package service

import (
	"net"
	"os"
	"strings"

	"hotseat"
)

// splitAddress takes apart host:port, unix:/path or /path. For a UNIX socket
// the path is the host.
func splitAddress(a string) (network, host, port string) {
	if path, ok := strings.CutPrefix(a, "unix:"); ok {
		return "unix", path, ""
	}
	if strings.HasPrefix(a, "/") {
		return "unix", a, ""
	}
	host, port, err := net.SplitHostPort(a)
	if err != nil { // stack refuses it with the right words
		return "tcp", a, ""
	}
	return "tcp", host, port
}

func isRoot() bool { return os.Geteuid() == 0 }

// CheckDir refuses a folder whose name cannot be written into every server's
// configuration: each has another way of quoting, and nginx has none for a
// dollar sign.
func CheckDir(dir string) error {
	if i := strings.IndexAny(dir, "\"'\\$;{}#\n\r\t"); i >= 0 {
		return hotseat.Invalid("choose a folder without quotes, backslashes and any of $;{}#",
			"servers cannot be configured to run in %q: its name holds %q", dir, dir[i])
	}
	return nil
}
