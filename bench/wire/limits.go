package wire

import "time"

// Limits bound one exchange in time and space. In each field zero means the
// default (or, in a request, the client's value) and a negative value means
// no limit.
type Limits struct {
	// Connect bounds name resolution, connecting and the TLS handshake
	// together. Default 10 s.
	Connect time.Duration
	// Head bounds the wait for the complete response head, from the moment
	// the connection is ready. Default: Total.
	Head time.Duration
	// Body bounds the silence between two pieces of a response body; a body
	// that keeps dripping is bounded by Total. Default 10 s.
	Body time.Duration
	// Total bounds everything, waiting for a free connection and following
	// redirects included. Default 30 s.
	Total time.Duration

	// MaxHead bounds the bytes of the response head, with all interim
	// responses before it, and apart from that the bytes of the trailers.
	// Default 64 KiB.
	MaxHead int
	// MaxBody bounds the bytes of the body as sent, chunk framing excluded.
	// Default 64 MiB.
	MaxBody int
	// MaxDecoded bounds the bytes of the body after undoing Content-Encoding.
	// Default 64 MiB.
	MaxDecoded int
	// MaxRedirects bounds the redirects that Follow walks. Default 10;
	// negative: none is followed, the first one is redirect-loop.
	MaxRedirects int
}

const (
	unlimitedTime  = 365 * 24 * time.Hour
	unlimitedBytes = 1 << 40
)

var defaultLimits = Limits{
	Connect:      10 * time.Second,
	Body:         10 * time.Second,
	Total:        30 * time.Second,
	MaxHead:      64 << 10,
	MaxBody:      64 << 20,
	MaxDecoded:   64 << 20,
	MaxRedirects: 10,
}

// over gives l with its zero fields taken from base.
func (l Limits) over(base Limits) Limits {
	pick(&l.Connect, base.Connect)
	pick(&l.Head, base.Head)
	pick(&l.Body, base.Body)
	pick(&l.Total, base.Total)
	pick(&l.MaxHead, base.MaxHead)
	pick(&l.MaxBody, base.MaxBody)
	pick(&l.MaxDecoded, base.MaxDecoded)
	pick(&l.MaxRedirects, base.MaxRedirects)
	return l
}

// effective gives l with "no limit" as a number that is as good as none.
func (l Limits) effective() Limits {
	pick(&l.Head, l.Total)
	for _, d := range []*time.Duration{&l.Connect, &l.Head, &l.Body, &l.Total} {
		if *d < 0 {
			*d = unlimitedTime
		}
	}
	for _, n := range []*int{&l.MaxHead, &l.MaxBody, &l.MaxDecoded} {
		if *n < 0 {
			*n = unlimitedBytes
		}
	}
	return l
}

func pick[T time.Duration | int](field *T, otherwise T) {
	if *field == 0 {
		*field = otherwise
	}
}
