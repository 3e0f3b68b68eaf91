// Package model is the expected world of a benchmark: what the target must, may and must not show,
// given what was asked of it and what became of each request.
//
// It rests on one rule: nothing that was not observed is held against anyone. A write whose answer was lost
// may have happened, may happen later, or never: reads that show it and reads that do not are both
// accepted, and each one narrows down what is still possible. From then on it is held to.
//
// # What there is
//
//   - [Register]: one value per thing. The price of an event, the time of a last login, whether a token is
//     revoked.
//   - [Set]: elements that come and go. The comments of an article, the reservations of a user.
//   - [Sum]: a total. Money billed, tickets sold.
//   - [Family]: one of these for each key, made when first needed.
//   - [Session]: a client that must not be shown an older state than before.
//
// What must change as a whole, such as a sheet of scores, is a register of its digest. What is over once
// and for all, such as a token after logout, is a register of a bool, or an element of a set that was removed. Whether
// something counts that came in the same second as the deadline for it is a doubtful term of a sum.
//
// # How to use them
//
// A write is announced before it is sent, then settled exactly once:
//
//	page := ...                      // the POST, done
//	switch {
//	case page.OK():                  w.Commit(page.DoneAt())  // acknowledged
//	case !page.Sent():               w.Never()                // no byte was written
//	case 400 <= page.Status() && page.Status() < 500: w.Never() // refused, where the rules say without effect
//	default:                         w.Maybe(page.DoneAt())   // 5xx, timeout, reset, cut by the deadline
//	}
//
// A read is told with the span in which it took place and what it has shown. All methods that learn
// something return a [Violation], nil if what they were told can be true.
// Whoever may see the effect of a write must be told of after its announcement; that is so by itself if
// announcements come before sending. Otherwise outcomes may be told in any order, by any number of goroutines,
// except that a session's own outcomes are told before it sends what it must then see.
//
// # Time
//
// Every request is an interval from just before its first byte was written to just after its last one was read. A
// server acts at some unknown moment in between. Two requests that overlap, or touch, may have taken
// effect in either order. Times should come from time.Now, whose monotonic part no clock
// adjustment touches.
//
// # Soundness and completeness
//
// A violation is a proof: no order of effects, whatever delays, losses and late deliveries, explains all that was
// told under the [Promise] (that each write takes effect at most once belongs to it: a
// request that is sent again is to be announced again). The reverse holds for registers whose initial value is known and
// whose writes have different values, and for each element of a set that is added once and not removed: if the observations contradict
// the promise, one of them is called a violation. Tests compare both with an exhaustive search. What is
// let pass in doubt: a read whose value several possible writes have written; an element's absence that may be
// from before its addition or after its removal; contradictions between different elements of
// a set (an older snapshot of one, a newer of the other); two listings that show elements added at the
// same time in different orders; totals that only several readings together exclude; and what is told later than
// [Promise.Patience].
//
// After a violation the model keeps believing what it believed before, so that one
// wrong answer does not cast doubt on the right ones after it.
//
// # Cost
//
// There is no lock but that of the register, set or sum at hand and, where given,
// the session's. See the types for costs, and BenchmarkRegister and its kind for numbers.
package model
