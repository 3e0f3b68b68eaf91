package template

import "bytes"

// shape is what a path segment looks like by itself.
type shape struct {
	variable bool   // a value whatever its siblings are: a number, a date, an id
	suffix   []byte // its file extension with the dot; empty if it has none

	digits, upper, lower int
	marks                int // "-", "_", ".", "~" inside
	switches             int // changes between lower case, upper case, digits and marks
}

// The classes of bytes within a segment.
const (
	lowerCase = iota
	upperCase
	digit
	mark  // joins words
	other // of a value: percent signs, commas, what is no ASCII
)

var classOf = func() (table [256]byte) {
	for c := range table {
		switch {
		case c >= 'a' && c <= 'z':
			table[c] = lowerCase
		case c >= 'A' && c <= 'Z':
			table[c] = upperCase
		case c >= '0' && c <= '9':
			table[c] = digit
		case c == '-' || c == '_' || c == '.' || c == '~':
			table[c] = mark
		default:
			table[c] = other
		}
	}
	return table
}()

// look tells the shape of a segment.
func look(segment []byte) shape {
	base := segment
	var s shape
	if dot := bytes.LastIndexByte(segment, '.'); dot > 0 && isExtension(segment[dot+1:]) {
		base, s.suffix = segment[:dot], segment[dot:]
	}
	if len(base) == 0 {
		return s
	}
	others, hex, last := 0, 0, byte(255)
	for _, c := range base {
		class := classOf[c]
		switch class {
		case lowerCase:
			s.lower++
		case upperCase:
			s.upper++
		case digit:
			s.digits++
		case mark:
			s.marks++
		default:
			others++
		}
		if c <= 'f' && (class == digit || class == lowerCase || c <= 'F' && class == upperCase) {
			hex++
		}
		if class != last {
			s.switches++
			last = class
		}
	}
	s.variable = s.isValue(base, others, hex)
	return s
}

// isValue decides on what needs no siblings to be told.
func (s *shape) isValue(base []byte, others, hex int) bool {
	n := len(base)
	letters := s.lower + s.upper
	oneCase := s.lower == 0 || s.upper == 0
	switch {
	case others > 0:
		// Percent signs, "@name", "a,b", "key=value", anything that is no ASCII. A lone
		// "*" (OPTIONS *) and "{x}" of somebody else's template are words.
		return string(base) != "*" && base[0] != '{' && base[0] != ':'
	case s.digits > 0 && letters == 0:
		return true // 12, 2026-11-21, 1.5, 10.0.0.1
	case s.digits >= 6 && letters <= 2 && base[0] <= '9':
		return true // 2026-11-21T20:15Z without the colons, 2026-W47
	case hex+s.marks == n && s.marks == 4 && n == 36 && base[8] == '-' && base[13] == '-' && base[18] == '-' && base[23] == '-':
		return true // a UUID, RFC 9562 §4
	case hex == n && oneCase && s.digits > 0 && n >= 6, hex == n && oneCase && n >= 16:
		return true // 5f3a9c, a digest
	case n >= 40 && s.marks*6 < n:
		return true // a token; words of that length have more marks
	case s.digits > 0 && n >= 16 && s.marks == 0 && (s.digits >= 3 || s.switches >= 6):
		return true // ULID, KSUID, cuid
	case n >= 8 && s.digits > 0 && s.upper > 0 && s.lower > 0 && s.switches*5 >= 2*n:
		return true // dQw4w9WgXcQ; OAuth2Callback has fewer switches
	case n >= 8 && s.digits >= 2 && s.marks == 0 && s.switches*5 >= 2*n:
		return true // k3j9x2m1
	case n >= 10 && s.upper > 1 && s.lower > 1 && s.marks == 0 && s.switches*2 >= n:
		return true // aBxKcRtYpQ: camel case has longer words
	}
	return false
}

// isExtension tells an extension of a file: a letter and up to four more letters or digits.
func isExtension(b []byte) bool {
	if len(b) == 0 || len(b) > 5 || classOf[b[0]] > upperCase {
		return false
	}
	for _, c := range b[1:] {
		if classOf[c] > digit {
			return false
		}
	}
	return true
}

// isVersion tells the versions of an interface: v1, v2.1.
func isVersion(segment string) bool {
	return len(segment) >= 2 && len(segment) <= 4 && (segment[0] == 'v' || segment[0] == 'V') && segment[1] >= '0' && segment[1] <= '9'
}

// skeleton is a segment with each run of digits as one "#": user12 and user7
// have the same. It appends to buffer.
func skeleton(buffer []byte, segment string) []byte {
	for i := range len(segment) {
		c := segment[i]
		if classOf[c] != digit {
			buffer = append(buffer, c)
		} else if i == 0 || classOf[segment[i-1]] != digit {
			buffer = append(buffer, '#')
		}
	}
	return buffer
}

// words are segments that name a page or a deed nearly everywhere, and that stay
// what they are among values: /users/new beside /users/42.
var words = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range []string{
		"", "about", "account", "accounts", "activity", "admin", "all", "api", "app", "apply", "archive", "assets", "auth", "authorize",
		"avatar", "ban", "batch", "bulk", "callback", "cancel", "cart", "categories", "category", "charts", "checkout", "close", "comment",
		"comments", "config", "confirm", "contact", "copy", "count", "counts", "create", "css", "csrf", "current", "dashboard", "data", "debug", "default",
		"delete", "destroy", "detail", "details", "docs", "download", "draft", "drafts", "edit", "error", "events", "explore", "export",
		"favicon.ico", "feed", "feeds", "files", "finish", "follow", "followers", "following", "fonts", "health", "healthz", "help", "history",
		"home", "hot", "icons", "image", "images", "img", "import", "index", "index.html", "index.php", "info", "init", "initialize", "invite",
		"items", "join", "js", "latest", "leave", "like", "likes", "list", "login", "logout", "manage", "manifest.json", "me", "media",
		"members", "messages", "metrics", "mine", "mypage", "new", "news", "next", "notifications", "oauth", "order", "orders", "page",
		"password", "pay", "payment", "ping", "popular", "post", "posts", "preview", "privacy", "profile", "public", "publish", "purchase",
		"ranking", "read", "recent", "recommended", "refresh", "register", "remove", "report", "reports", "reset", "results", "review",
		"reviews", "robots.txt", "rss", "save", "score", "search", "sell", "send", "session", "sessions", "settings", "share", "sign-in",
		"sign-out", "sign-up", "signin", "signout", "signup", "sitemap.xml", "start", "static", "statistics", "stats", "status", "stop",
		"submit", "subscribe", "summary", "support", "tags", "team", "terms", "timeline", "token", "top", "trending", "unfollow",
		"unread", "update", "upload", "uploads", "user", "users", "validate", "verify", "version", "view", "vote", "webhook",
	} {
		set[w] = true
	}
	return set
}()
