// Package isucon12q holds the files of the ISUCON12 qualifier as the binary
// carries them: what a contestant gets, and what the judge throws at the
// benchmark.
//
// Files called go.mod.embed lose that suffix in a workspace: a folder with a
// go.mod would be another module, which embed refuses.
package isucon12q

import "embed"

// Files is the problem's folder.
//
//go:embed problem.toml README.md README.ja.md all:app all:blackauth all:etc all:faults all:public all:sql
var Files embed.FS
