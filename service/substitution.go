package service

import (
	"slices"
	"strconv"
	"strings"
)

// Address is a TCP port of the contest and the one it has here.
type Address struct {
	Name          string // as the problem calls it: "web", "app", "mysql"
	CanonicalPort int
	Port          int
}

// PathMap is a file or folder of the contest and the one it is here. Both are
// absolute, without a slash at the end.
type PathMap struct {
	From, To string
}

// Substitution replaces a contest's canonical addresses and paths by those of
// a stack, and touches nothing else.
type Substitution struct {
	Addresses []Address
	Paths     []PathMap
}

// Port returns what a canonical port has become, or false if it is none of the
// contest's.
func (s Substitution) Port(canonical int) (int, bool) {
	for _, a := range s.Addresses {
		if a.CanonicalPort == canonical {
			return a.Port, true
		}
	}
	return 0, false
}

// With returns a substitution that also knows other paths. Those known before
// win.
func (s Substitution) With(paths ...PathMap) Substitution {
	s.Paths = slices.Clone(s.Paths)
	for _, p := range paths {
		if !slices.ContainsFunc(s.Paths, func(q PathMap) bool { return q.From == p.From }) {
			s.Paths = append(s.Paths, p)
		}
	}
	return s
}

// localHosts are the spellings of this machine before a port. A port alone, as
// in ":8080", counts too; one of another host's name does not.
var localHosts = []string{"127.0.0.1", "localhost", "0.0.0.0", "[::1]", "[::]", "*"}

// Text replaces every canonical address ("127.0.0.1:8080", "localhost:8080",
// "*:8080", ":8080" …) and path in text. A number or name that merely contains
// one is left alone, and what was put in is not looked at again.
func (s Substitution) Text(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		if to, n := s.pathAt(text, i); n > 0 {
			out.WriteString(to)
			i += n
			continue
		}
		if to, n := s.portAt(text, i); n > 0 {
			out.WriteString(to)
			i += n
			continue
		}
		out.WriteByte(text[i])
		i++
	}
	return out.String()
}

// All replaces in every text, such as an argument list or an environment.
func (s Substitution) All(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = s.Text(t)
	}
	return out
}

// pathAt returns the replacement for the longest known path that begins at i,
// and that path's length.
func (s Substitution) pathAt(text string, i int) (to string, n int) {
	if text[i] != '/' || i > 0 && (isNameByte(text[i-1]) || text[i-1] == '/') {
		return "", 0
	}
	for _, p := range s.Paths {
		if len(p.From) <= n || !strings.HasPrefix(text[i:], p.From) {
			continue
		}
		if end := i + len(p.From); end == len(text) || !isNameByte(text[end]) {
			to, n = p.To, len(p.From)
		}
	}
	return to, n
}

// portAt returns the replacement for a colon and canonical port at i.
func (s Substitution) portAt(text string, i int) (to string, n int) {
	if text[i] != ':' {
		return "", 0
	}
	end := i + 1
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	canonical, err := strconv.Atoi(text[i+1 : end])
	if err != nil || end < len(text) && (isNameByte(text[end]) && text[end] != '.' && text[end] != '-' || text[end] == ':') {
		return "", 0
	}
	port, ok := s.Port(canonical)
	if !ok || !localBefore(text[:i]) {
		return "", 0
	}
	return ":" + strconv.Itoa(port), end - i
}

// localBefore tells whether text ends with a spelling of this machine, or so
// that a port may stand alone.
func localBefore(text string) bool {
	for _, host := range localHosts {
		if rest, ok := strings.CutSuffix(text, host); ok {
			return rest == "" || !isNameByte(rest[len(rest)-1]) && rest[len(rest)-1] != ':'
		}
	}
	return text == "" || strings.ContainsRune(" \t\n\"'=,(", rune(text[len(text)-1]))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isNameByte tells whether a byte belongs to a name, so that a match beside it
// is only part of something longer.
func isNameByte(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '.' || c == '-'
}
