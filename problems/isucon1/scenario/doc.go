// Package isucon1scenario is the benchmark of ISUCON1: ten connections that
// fetch pages of a blog as fast as they come, while once a second somebody
// comments, and whoever looks a second later must find the comment on its
// article's page and the article in the sidebar of any page.
//
// # What it keeps of the original
//
// Load, posts, checks, score and verdict are those of §8 to §10 of the
// specification: a closed loop of ten slots with a connection per request, a list
// of 220 lines drawn from uniformly, 69 % of the requests with
// "Accept-Encoding: gzip, deflate" and 3 % with "Connection: keep-alive", 60 posts
// a minute of which 41 go to the main article, three pages 1,000 ms after a
// post's answer, and article, initial and static check at a third of the time.
// One point is one GET that the load did successfully while it lasted. Like the
// original the load calls the host by its name without the port and the checks
// with it (§13, 12): a cache keyed by Host has two copies of each page.
//
// # Three differences under rules=strict
//
//  1. Every comment on another article than the main one is verified, in place
//     of one in five (of the others it is still one in five); and its
//     verification looks at one page more, drawn from the article pages under
//     load and asked for exactly as the load does. With the original's draw a stale page was
//     met one time in a hundred. Whatever page is looked at, all of it is
//     judged: every recent comment's article in the sidebar, every comment of
//     the run that the page must show, once and in order.
//  2. No body that is posted ends in a newline: there the reference apps
//     disagree (§3.4). In exchange every eighth name begins or ends in one, and the
//     main article's title holds an ampersand.
//  3. A reader with a browser's cache reloads the main article and / now and
//     then; 304 is held against what has changed since.
//
// Besides, where the original counted an error share of the load alone, any
// wrong answer fails a strict run; slow and refused requests and 5xx do so from
// 1 % of all requests on. After the load all that was accepted must be there,
// and once more after the stack was restarted, where the stack is ours to restart.
//
// # How surely stale pages are found
//
// Suppose article pages are kept for T = 10 s, each thrown away only when its own
// article is commented, and / is right. A comment on another article than the
// main one, 19 of 60, puts that into the sidebar. One second after its answer one of
// about 51 article pages under load is looked at. But for the main article's,
// which is thrown away all the time, its copy is as old as any moment of its cycle:
// T until it is dropped, and then 220/r seconds, at r GETs a second, until the load
// asks for it again. It is wrong if it is older than a second, so with probability
//
//	p = 50/51 · (T-1)/(T+220/r)
//
// which is 0.88 for a fast app (r > 1,000) and 0.72 for r = 100. All 60 comments
// of a run leave it unseen with probability (1 - 19/60·p)^60: 4·10^-9 and 2·10^-7; even
// with r = 20, p = 0.42 makes it 2·10^-4. It is less still, because a copy
// that is older than several such comments lacks several articles, and is found by
// the verification of any comment. For T = 3 s and a fast app, p = 0.64 leaves 10^-6.
// The original drew its page from all articles, of which one in a hundred is under
// load, after one comment in five: it found pages that never change
// in about one run of 180 s in nine (§9.3). `make bench-isucon1-stale` tries it.
//
// # What only rules=original does
//
// The original's load generator noticed the end of an answer only when bytes of
// a body came: on a connection that the server kept alive, an empty body
// (/js/isucon.js!) or one without Content-Length occupied its slot until the
// server hung up, at most 60 s (§8.3). With 3 % of the requests asking for
// keep-alive that is what the winners avoided by switching it off. rules=original
// hangs likewise; rules=strict sees the end of every answer. rules=original also
// has the original's error share (1 % of the load's answers, refused connections
// not counted), one retry of a check's page, one verification in five, its draw
// of the other page, and no conditional requests.
//
// # What is believed
//
// There is no initialisation: comments of earlier runs, or of anybody, are legal
// anywhere. What is judged complete and free of duplicates are the comments of
// this run and those of initial.json. A post whose answer was lost may or may
// not have happened, now or later (package bench/model).
//
// Read load.go for the load, poster.go for comments and their verification,
// pages.go for what is due on a page, world.go for what is known.
package isucon1scenario
