package service

import (
	"context"
	"errors"
	"maps"
	"math"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// idleTimeout is how long a drain keeps a connection without a request. A connection with requests is closed with its next
// response, whose header says so. An idle connection cannot be closed at once: a request may be on its way.
const idleTimeout = time.Second

// drainListener is a listener that closes without breaking a connection whose caller may be waiting for a response. It covers
// three cases that http.Server.Shutdown does not. The kernel accepts connections before this process does, and resets those
// that are still in its queue when the listener is closed. A connection looks idle while the request on it has arrived but
// was not read yet. And a caller whose response began before the drain was not told that its connection will be closed.
type drainListener struct {
	*net.TCPListener
	closing   sync.Once
	exhausted chan struct{} // closed when Accept has returned the last connection
	exhaust   sync.Once

	mu          sync.Mutex
	pending     []*net.TCPConn // accepted from the kernel's queue by Close, and not yet by Accept
	connections map[*connection]bool
}

func newDrainListener(listener *net.TCPListener) *drainListener {
	return &drainListener{TCPListener: listener, exhausted: make(chan struct{}), connections: map[*connection]bool{}}
}

// Accept implements net.Listener.
func (d *drainListener) Accept() (net.Conn, error) {
	accepted, err := d.AcceptTCP()
	if errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.EINVAL) { // EINVAL: closed during the call
		_ = d.Close() // waits until the pending connections are known
		accepted, err = d.nextPending(), net.ErrClosed
	}
	if accepted == nil {
		if errors.Is(err, net.ErrClosed) {
			d.exhaust.Do(func() { close(d.exhausted) })
		}
		return nil, err
	}
	c := &connection{TCPConn: accepted, listener: d}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.connections[c] = true
	return c, nil
}

func (d *drainListener) nextPending() (conn *net.TCPConn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.pending) > 0 {
		conn, d.pending = d.pending[0], d.pending[1:]
	}
	return conn
}

// Close implements net.Listener. From now on connections are refused.
func (d *drainListener) Close() (err error) {
	d.closing.Do(func() {
		if raw, failed := d.SyscallConn(); failed == nil {
			failed = raw.Control(func(descriptor uintptr) { d.acceptPending(int(descriptor)) })
			err = failed
		}
		err = errors.Join(err, d.TCPListener.Close())
	})
	return err
}

// handshakeTime is how long connections whose first packet has come get to be established. Two zones of a region are 2 ms apart.
const handshakeTime = 20 * time.Millisecond

// withoutSYN is a socket filter that drops the first packet of a connection, and no other: the flags are the 14th byte of the TCP header.
var withoutSYN = []unix.SockFilter{
	{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: 13},
	{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: 0x02, Jt: 1},
	{Code: unix.BPF_RET | unix.BPF_K, K: math.MaxUint32},
	{Code: unix.BPF_RET | unix.BPF_K, K: 0},
}

// acceptPending accepts the connections in the kernel's queue and stops listening. What is in the queue at that moment would be reset, so
// nothing may come in between: first packets are dropped before, and their callers, who repeat them after a second, are refused.
func (d *drainListener) acceptPending(descriptor int) {
	filter := unix.SockFprog{Len: uint16(len(withoutSYN)), Filter: &withoutSYN[0]}            // #nosec G115 -- four
	_ = unix.SetsockoptSockFprog(descriptor, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &filter) // without it, as good as can be
	var descriptors []int
	for deadline := time.Now().Add(handshakeTime); ; {
		last := time.Now().After(deadline)
		accepted, _, err := syscall.Accept4(descriptor, syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
		switch {
		case err == nil:
			descriptors = append(descriptors, accepted)
			continue
		case errors.Is(err, syscall.EINTR) || errors.Is(err, syscall.ECONNABORTED):
			continue
		case errors.Is(err, syscall.EAGAIN) && !last:
			time.Sleep(time.Millisecond)
			continue
		}
		_ = syscall.Shutdown(descriptor, syscall.SHUT_RDWR) // ends listening at once; the close follows
		break
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, accepted := range descriptors {
		file := os.NewFile(uintptr(accepted), "connection") // #nosec G115 -- a descriptor is never negative
		if conn, err := net.FileConn(file); err == nil {
			d.pending = append(d.pending, conn.(*net.TCPConn))
		}
		_ = file.Close() // FileConn has one of its own
	}
}

// connection is an accepted connection. It knows whether a request on it is without its response.
type connection struct {
	*net.TCPConn
	listener *drainListener
	read     atomic.Uint64 // bytes that were read
	busy     atomic.Bool   // a request was read whose response is not complete
	idle     atomic.Int64  // since when it is not busy, as Unix nanoseconds
}

// Read implements net.Conn.
func (c *connection) Read(buffer []byte) (int, error) {
	n, err := c.TCPConn.Read(buffer)
	if n > 0 {
		c.busy.Store(true)
		c.read.Add(uint64(n)) // after busy: isIdle must not see the bytes as read before the connection is busy
	}
	return n, err
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.listener.remove(c)
	return c.TCPConn.Close()
}

func (d *drainListener) remove(c *connection) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.connections, c)
}

// isIdle says that every byte that the kernel received was read, and that every request that was read has its response.
func (c *connection) isIdle() bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return true
	}
	var received uint64
	_ = raw.Control(func(descriptor uintptr) { // fails when it is closed already
		if info, err := unix.GetsockoptTCPInfo(int(descriptor), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil { // #nosec G115 -- a descriptor
			received = info.Bytes_received
		}
	})
	return received <= c.read.Load() && !c.busy.Load()
}

// connStateChanged is the hook http.Server.ConnState.
func (d *drainListener) connStateChanged(conn net.Conn, state http.ConnState) {
	if outer, is := conn.(interface{ NetConn() net.Conn }); is { // a wrapper of Listener.Configure
		conn = outer.NetConn()
	}
	c, is := conn.(*connection)
	switch {
	case !is:
	case state == http.StateIdle:
		c.idle.Store(time.Now().UnixNano())
		c.busy.Store(false)
	case state == http.StateHijacked:
		d.remove(c)
	}
}

// waitForConnections waits until the server has accepted all connections and all of them are closed, or ctx ends. Requests get
// their responses; connections that stay idle are closed. The listener is closed before.
func (d *drainListener) waitForConnections(ctx context.Context) {
	select {
	case <-d.exhausted: // before that, a connection may be in no list
	case <-ctx.Done():
		return
	}
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for began := time.Now(); ; {
		openConnections := d.openConnections()
		if len(openConnections) == 0 {
			return
		}
		for _, c := range openConnections {
			since := time.Unix(0, max(c.idle.Load(), began.UnixNano()))
			if !c.busy.Load() && time.Since(since) > idleTimeout && c.isIdle() {
				_ = c.Close()
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (d *drainListener) openConnections() []*connection {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Keys(d.connections))
}
