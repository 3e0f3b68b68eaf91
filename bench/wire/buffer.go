package wire

import "sync"

// Buffers come in powers of two. The smallest holds a small response with its
// head in one page; the largest is the last one worth keeping.
const (
	minBuffer = 4 << 10
	maxBuffer = 4 << 20
)

// buffer is a slice that can be pooled without allocating its header.
type buffer struct{ b []byte }

// buffers is one free list per size, shared by all clients of the process:
// ten thousand users with a list each would hold on to ten thousand buffers.
// It is the package's only variable state and carries no meaning.
var buffers [11]sync.Pool

func bufferClass(n int) int {
	class := 0
	for size := minBuffer; size < n; size <<= 1 {
		class++
	}
	return class
}

// getBuffer gives an empty buffer with room for at least n bytes.
func getBuffer(n int) *buffer {
	if n > maxBuffer {
		return &buffer{make([]byte, 0, n)}
	}
	class := bufferClass(n)
	if buf, ok := buffers[class].Get().(*buffer); ok {
		return buf
	}
	return &buffer{make([]byte, 0, minBuffer<<class)}
}

// free gives the buffer back. The caller has no slice of it any more.
func (buf *buffer) free() {
	size := cap(buf.b)
	if size < minBuffer || size > maxBuffer || size&(size-1) != 0 {
		return
	}
	buf.b = buf.b[:0]
	buffers[bufferClass(size)].Put(buf)
}

// grown gives a buffer with room for n bytes that begins with buf's contents,
// and frees buf. It is buf itself if that has the room.
func (buf *buffer) grown(n int) *buffer {
	if cap(buf.b) >= n {
		return buf
	}
	bigger := getBuffer(n)
	bigger.b = append(bigger.b, buf.b...)
	buf.free()
	return bigger
}
