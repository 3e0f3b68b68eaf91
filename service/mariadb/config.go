package mariadb

import (
	"regexp"
	"strconv"
	"strings"

	"hotseat/service"
)

// Settings are what a my.cnf sets for the server, by name, with - for _ and in
// lower case, without "loose-".
type Settings map[string]string

// serverSection matches the names of the sections that mariadbd reads, those
// for one version among them.
var serverSection = regexp.MustCompile(`^(mysqld|mariadbd|mariadb|server|client-server)(-[0-9.]+)?$`)

// Render replaces the canonical addresses and paths in a my.cnf, among them the
// bare numbers of `port` and the port in `bind-address`-like values, and
// returns what the server's sections set after that. Nothing else is touched;
// what must be added goes on the command line.
func Render(text string, s service.Substitution) (string, Settings) {
	settings := Settings{}
	var out strings.Builder
	section := ""
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, "\r\n")
		end := line[len(body):]
		trimmed := strings.TrimSpace(body)
		switch {
		case trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';':
			out.WriteString(line)
			continue
		case trimmed[0] == '[':
			if i := strings.IndexByte(trimmed, ']'); i > 0 {
				section = strings.TrimSpace(trimmed[1:i])
			}
			out.WriteString(line)
			continue
		}
		name, value, found := strings.Cut(body, "=")
		key := settingName(name)
		if found && key == "port" {
			value = renderPort(value, s)
		}
		rendered := name
		if found {
			value = s.Text(value)
			rendered += "=" + value
		} else {
			rendered = s.Text(body) // !include, !includedir, or a switch
		}
		out.WriteString(rendered + end)
		if serverSection.MatchString(section) {
			settings[key] = unquote(value)
		}
	}
	return out.String(), settings
}

// settingName brings the spellings of an option together.
func settingName(name string) string {
	name = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "-")
	return strings.TrimPrefix(name, "loose-")
}

// renderPort replaces a bare canonical port and keeps the blanks around it.
func renderPort(value string, s service.Substitution) string {
	number := unquote(value)
	canonical, err := strconv.Atoi(number)
	if err != nil {
		return value
	}
	port, ok := s.Port(canonical)
	if !ok {
		return value
	}
	return strings.Replace(value, number, strconv.Itoa(port), 1)
}

// unquote returns a value as the server reads it: without a comment behind it,
// blanks and quotes around it.
func unquote(value string) string {
	value, _, _ = strings.Cut(value, "#")
	value = strings.TrimSpace(value)
	if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		value = value[1 : n-1]
	}
	return value
}

// Has tells whether an option is set, positively or by its skip- form.
func (s Settings) Has(name string) bool {
	_, ok := s[name]
	_, skipped := s["skip-"+name]
	return ok || skipped
}
