package isucon12qscenario

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

// player is a player of a tenant, as far as the run has met them.
type player struct {
	id     string
	name   string
	number int         // among the tenant's, in the order of becoming known
	since  time.Time   // added by the run and acknowledged; zero: initial
	plays  atomic.Bool // a worker of the load plays as them, or has
	pass               // the token
	standing
}

// row is a data row of a score sheet.
type row struct {
	who   *player
	score int64
}

// sheet is a score sheet with the ranking that follows from it (§8).
type sheet struct {
	rows   []row   // as uploaded
	ranked []row   // one for each player, best first
	place  []int32 // into ranked, by player number
	count  int     // of rows
}

// newSheet ranks: a player's last row counts, higher scores come first, and
// equal ones in the order of the rows that count.
func newSheet(rows []row) *sheet {
	s := &sheet{rows: rows, count: len(rows)}
	last := make(map[*player]int, len(rows))
	for i, r := range rows {
		last[r.who] = i
	}
	s.ranked = make([]row, 0, len(last))
	for i, r := range rows {
		if last[r.who] == i {
			s.ranked = append(s.ranked, r)
		}
	}
	slices.SortStableFunc(s.ranked, func(a, b row) int { return cmp.Compare(b.score, a.score) })
	s.place = make([]int32, len(s.ranked))
	for i := range s.place {
		s.place[i] = int32(i)
	}
	slices.SortFunc(s.place, func(a, b int32) int { return cmp.Compare(s.ranked[a].who.number, s.ranked[b].who.number) })
	return s
}

// score returns the score of a player, and whether there is one.
func (s *sheet) score(p *player) (int64, bool) {
	i, found := slices.BinarySearchFunc(s.place, p.number, func(at int32, n int) int {
		return cmp.Compare(s.ranked[at].who.number, n)
	})
	if !found {
		return 0, false
	}
	return s.ranked[s.place[i]].score, true
}

// page returns the entries after a rank: what one answer shows.
func (s *sheet) page(after int) []row {
	from := min(max(after, 0), len(s.ranked))
	return s.ranked[from:min(from+pageSize, len(s.ranked))]
}

// The header of a sheet, and what uploads and their answers are about (§6).
const (
	sheetHeader = "player_id,score"
	pageSize    = 100
)

// csv is the file: "\n" between lines and none after the last.
func csv(header string, rows []row) []byte {
	var b bytes.Buffer
	b.WriteString(header)
	for _, r := range rows {
		b.WriteByte('\n')
		b.WriteString(r.who.id)
		b.WriteByte(',')
		b.Write(strconv.AppendInt(nil, r.score, 10))
	}
	return b.Bytes()
}

// The multipart body of an upload. The boundary cannot occur in a sheet.
const (
	boundary        = "----hotseat-score-sheet-9f71e4af"
	multipartType   = "multipart/form-data; boundary=" + boundary
	multipartBefore = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"scores\"; filename=\"scores.csv\"\r\nContent-Type: text/csv\r\n\r\n"
	multipartAfter  = "\r\n--" + boundary + "--\r\n"
)

func multipart(file []byte) []byte {
	return slices.Concat([]byte(multipartBefore), file, []byte(multipartAfter))
}
