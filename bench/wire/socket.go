package wire

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// idleState is what a look at an idle connection shows.
type idleState int

const (
	idleAlive idleState = iota
	idleClosed
	idleUnsolicited // the server has sent something nobody asked for
)

// transfer sends p or receives into it, without waiting. It does not tell the
// scheduler, as syscall.Read and Write do for calls that may take long: these
// cannot, and the telling costs a tenth of an exchange of our own time.
func transfer(call, fd uintptr, p []byte, flags uintptr) (int, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall6(call, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)),
			flags|syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL, 0, 0)
		switch errno {
		case 0:
			return int(n), 0
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}

// peekSocket looks whether anything has come, without waiting or taking it.
func peekSocket(fd uintptr) idleState {
	var b [1]byte
	switch n, errno := transfer(syscall.SYS_RECVFROM, fd, b[:], syscall.MSG_PEEK); {
	case errno == syscall.EAGAIN:
		return idleAlive
	case errno == 0 && n > 0:
		return idleUnsolicited
	}
	return idleClosed
}

// look peeks at an idle connection. On a TLS connection whatever has come is
// taken for a goodbye, since session tickets come with the first response.
func (cn *conn) look() idleState {
	if cn.raw == nil {
		return idleAlive
	}
	state := idleClosed
	err := cn.raw.Control(func(fd uintptr) { state = peekSocket(fd) })
	if err != nil || (state == idleUnsolicited && cn.under != nil) {
		return idleClosed
	}
	return state
}

// swap is one request going out on a plain socket and the first piece of the
// answer coming in, as one operation of the poller.
//
// Written with Read and Write, an exchange costs four system calls: a peek,
// the write, a read that finds nothing yet because nothing can have come, and
// the read that finds the answer. Here the poller is reset first and the peek
// comes after that: what came before, the peek sees; what comes later wakes
// us. So there is nothing to try in vain after writing, and the peek is free.
type swap struct {
	step    func(fd uintptr) bool // advance, made once
	request []byte
	resp    *Response // whose buffer the request is in
	reused  bool

	asked bool // the request is written
	sent  int
	got   int
	idle  idleState
	err   error
}

// advance is called by the poller: at first, and then whenever there may be
// something to read. It returns true when there is no more to wait for.
func (s *swap) advance(fd uintptr) bool {
	if !s.asked {
		state := peekSocket(fd)
		if s.reused && state != idleAlive {
			s.idle = state
			return true
		}
		n, errno := transfer(syscall.SYS_SENDTO, fd, s.request, 0)
		if errno != 0 && errno != syscall.EAGAIN {
			s.err = errno
		}
		s.asked, s.sent = true, n
		if s.err != nil || s.sent < len(s.request) {
			return true // the caller carries on
		}
		s.resp.lend()
		if state == idleAlive {
			return false
		}
		// A server that speaks first has already woken the poller in vain.
	}
	s.resp.room(minRead)
	n, errno := transfer(syscall.SYS_RECVFROM, fd, s.resp.buf.b[:cap(s.resp.buf.b)], 0)
	switch {
	case errno == syscall.EAGAIN:
		return false
	case errno != 0:
		s.err = errno
	case n == 0:
		s.err = io.EOF
	}
	s.got = n
	s.resp.buf.b = s.resp.buf.b[:n]
	return true
}

// swap writes request, waits no longer than until for an answer and reads its
// beginning into the buffer of resp. If the connection turns out dead before
// anything is written, swap.idle says so. If the socket takes only a part of
// the request, swap.sent says how much, and nothing is read.
//
// The request lies in the buffer of resp too. Once it is written, that buffer
// is given back until there is something to read: ten thousand users who wait
// for a slow server hold no buffers.
func (cn *conn) swap(request []byte, resp *Response, until time.Time) *swap {
	s := &cn.socket
	*s = swap{step: s.step, request: request, resp: resp, reused: cn.served > 1}
	if s.err = cn.arm(until); s.err != nil {
		return s
	}
	for {
		err := cn.raw.Read(s.step)
		if err == nil {
			break
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = cn.expired(until)
		}
		if err != nil {
			s.err = err
			break
		}
	}
	s.request, s.resp = nil, nil
	return s
}
