// Package wire is the load engine's own HTTP/1.1 client: it speaks straight
// to the socket, so that one core can send as many checked requests as wrk
// sends unchecked ones.
//
// # What it is for
//
// A benchmark shares its machine with the server it measures. Whatever the
// generator burns, the contestant's program cannot use, and a generator that
// is slower than the server measures itself. Wire therefore keeps to one
// order of magnitude: a request costs its two system calls and little else.
// Nothing is allocated in the common case, headers are parsed in place in the
// buffer they were read into, and Response.Body is a slice of that buffer.
//
// It must be right before it is fast. A response that breaks the framing rules
// of RFC 9112 is not repaired, as a browser would, but reported: every failure
// is an [*Error] with one code of the taxonomy, the side to blame, and whether
// the request may have reached the server ([Error.Sent]). The last one matters
// for a model of the server's state: a write that certainly was not sent
// changed nothing, one whose answer was lost may have happened.
//
// # The parts
//
// A [Target] says where the server is and what it is called; these are
// separate things (Host header, certificate name, unix socket path, source
// address). A [Client] is one browser: one user's connections and, in
// Options.Jar, cookies. Make one per virtual user; it costs a few hundred
// bytes and, while idle, no buffers. [Client.Do] makes one exchange,
// [Client.Follow] also walks redirects. A [Request] is read-only to wire and
// may be shared by all users; [Request.Prepare] renders it once. A [Response]
// belongs to its caller and is used again and again:
//
//	client := wire.NewClient(wire.Options{Target: target, Jar: new(wire.Jar)})
//	defer client.Close()
//	var resp wire.Response
//	for {
//		if err := client.Do(ctx, &req, &resp); err != nil {
//			return err
//		}
//		check(resp.Status, resp.Body) // valid until the next Do or Release
//		resp.Release()                // an idle user holds no buffer
//	}
//
// # What it is not
//
// Not a general client: no proxies, no HTTP/2, no streaming of bodies (they
// are bounded by [Limits] and held in memory), no Expect: 100-continue and no
// upgrade. It does not cache either: conditional requests are ordinary
// headers ([IfNoneMatch], [IfModifiedSince]) and a 304 is delivered as it is,
// because judging it is the benchmark's business.
package wire
