package bench

import (
	"embed"
	"io/fs"
)

//go:embed *.go */*.go */*.s
var source embed.FS

// Source returns the source of this package and those below it, for authors
// outside this repository; see hotseat.Source.
func Source() fs.FS { return source }
