// Package compare tells whether one state of a workspace is faster than
// another, with the uncertainty that the machine's noise leaves.
//
// Two sides run in pairs, one right after the other and in turns of who goes
// first, with the same seed: what drifts on the machine drifts for both. The
// answer is the ratio B/A as a geometric mean over the pairs with a 95 %
// interval of Student's t on the logarithms, or the statement that this many
// runs show no difference, and how large one would have had to be.
package compare
