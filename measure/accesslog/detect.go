package accesslog

import (
	"bytes"

	"hotseat/measure/logfile"
)

// detect tells the format of a log from its first lines: the one that most of
// them can be read as, and as a request.
func (o *Options) detect(data []byte) (format string, ok bool) {
	const enough = 100
	votes := map[string]int{}
	lines := 0
	logfile.Lines(data, func(_ int64, line []byte) {
		if lines >= enough || len(bytes.TrimSpace(line)) == 0 {
			return
		}
		lines++
		for _, format := range []string{FormatLTSV, FormatJSON, FormatCombined} {
			var r record
			if o.parserFor(format).parse(line, &r) == "" && (r.value[fieldURI] != nil || r.value[fieldRequest] != nil) {
				votes[format]++
				break
			}
		}
	})
	best := ""
	for _, format := range formats {
		if votes[format] > votes[best] {
			best = format
		}
	}
	return best, best != ""
}
