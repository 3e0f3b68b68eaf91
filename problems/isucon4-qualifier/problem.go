// Package isucon4q holds the files of the ISUCON4 qualifier as the binary
// carries them: what a contestant gets, and what the judge throws at the
// benchmark.
//
// Files called go.mod.embed lose that suffix in a workspace: a folder with a
// go.mod would be another module, which embed refuses.
package isucon4q

import "embed"

// Files is the problem's folder.
//
//go:embed problem.toml README.md README.ja.md init.sh env.sh all:app all:etc all:sql all:faults
var Files embed.FS
