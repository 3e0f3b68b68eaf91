// Package problemtest runs what a problem gives to contestants, for the tests in
// the problem's folder: its app, built as its manifest says, on a MariaDB with the
// given my.cnf, its pages in a browser, its generator, and its benchmark without a
// process of its own. It uses neither the runner nor the stack, so that a mistake
// of theirs cannot hide one of the problem's.
//
// Only tests under problems/ import it. Everything that it starts ends with the
// test, and whatever goes wrong ends the test.
package problemtest
