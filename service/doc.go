// Package service says what each server of a stack needs: where it is found on
// this machine, how the contestant's configuration becomes a copy that runs
// anywhere, how it is started and when it is ready. Starting and watching are
// the business of package stack; nginx and mariadb, which need more words, have
// packages of their own below.
//
// Configuration files are the contestant's and literal: they name the contest's
// canonical addresses and paths. What runs is a rendered copy in which exactly
// those are replaced, by [Substitution], and to which only is added what the
// server would otherwise take from outside the run folder.
package service
