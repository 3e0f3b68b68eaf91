// Package problem knows what a problem and a workspace are on disk: the manifest
// problem.toml, the registry of built-in problems, the generated data and its
// cache, and the contestant's workspace with its hotseat.toml.
//
// It starts nothing and measures nothing: package runner does, with what it finds
// here.
package problem
