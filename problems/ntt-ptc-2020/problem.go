// Package nttptc2020 holds the files of NTT's Performance Tuning Challenge 2020 as
// the binary carries them: what a contestant gets.
//
// Files called go.mod.embed lose that suffix in a workspace: a folder with a
// go.mod would be another module, which embed refuses.
package nttptc2020

import "embed"

// Files is the problem's folder.
//
//go:embed problem.toml README.md README.ja.md env.sh all:app all:etc all:faults all:public all:sql
var Files embed.FS
