package hotseat

import (
	"embed"
	"io/fs"
)

//go:embed *.go go.mod go.sum docs/protocol.md docs/protocol.schema.json
var source embed.FS

// Source returns the source of this package, with go.mod, go.sum and the
// description of the protocol: with that of package bench it is a module of its own,
// which `hotseat problem new` lays beside the benchmarks of other authors. A
// program that does not call it does not carry it.
func Source() fs.FS { return source }

// ProtocolSchema returns the JSON Schema of every line between a benchmark and
// its parent.
func ProtocolSchema() []byte {
	text, err := source.ReadFile("docs/protocol.schema.json")
	if err != nil {
		panic(err) // it is compiled in
	}
	return text
}
