// Package advise says what to do next about a run's speed, with evidence.
//
// Each detector is a pure function from what was measured to findings: literal
// numbers, the cause in a line, a concrete remedy and its risk. Advise runs all
// of them, folds the effects under their causes, and ranks: what fails requests
// first, then by the share of the saturated resource's time that the remedy
// could free. Nothing here knows a problem, a table or a route by name.
//
// Thresholds are those of contests' reports, measured on this project's
// problems; each stands beside its detector.
package advise
