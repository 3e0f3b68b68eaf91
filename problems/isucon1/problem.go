// Package isucon1 holds the files of ISUCON1 as the binary carries them: what a
// contestant gets, and what the judge throws at the benchmark.
//
// Files called go.mod.embed lose that suffix in a workspace: a folder with a
// go.mod would be another module, which embed refuses.
package isucon1

import "embed"

// Files is the problem's folder.
//
//go:embed problem.toml README.md README.ja.md load.sh env.sh all:app all:etc all:sql all:faults
var Files embed.FS
