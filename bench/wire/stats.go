package wire

import "sync/atomic"

// Stats counts what connections do; share one among as many clients as you
// like. All counts only grow.
type Stats struct {
	Opened       atomic.Int64 // connections made
	Closed       atomic.Int64 // connections closed by us, or found closed
	Exchanges    atomic.Int64 // requests of which at least a byte was sent; retries count again
	Stale        atomic.Int64 // kept-alive connections that broke before the first byte of a response
	StaleRetries atomic.Int64 // of these, requests that were sent a second time
	Dropped      atomic.Int64 // idle connections found closed by the server before use
	Unsolicited  atomic.Int64 // idle connections dropped because the server had sent more
	BytesIn      atomic.Int64 // application bytes read, without TLS
	BytesOut     atomic.Int64 // application bytes written, without TLS
}
