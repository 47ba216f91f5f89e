package service

import (
	"context"
	"errors"
	"maps"
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

// linger is how long a connection on which nothing is asked is kept once nobody can open another one. It is closed with its
// next answer, which says so: one that is closed while nothing is asked on it may meet a request under way.
const linger = time.Second

// door is a listener that ends without breaking the connection of anybody who may be waiting for an answer. What it does that
// http.Server.Shutdown does not: the kernel takes connections before they are accepted here, and resets those that it still
// has when the listener is closed; a request that has arrived may not have been read yet, so that its connection looks idle;
// and whoever was sent the beginning of a long answer before the end was known believes that the connection stays.
type door struct {
	*net.TCPListener
	closing sync.Once

	mu       sync.Mutex
	late     []*net.TCPConn // who came in before the door was closed, and was not yet accepted
	visitors map[*visitor]bool
}

func newDoor(listener *net.TCPListener) *door {
	return &door{TCPListener: listener, visitors: map[*visitor]bool{}}
}

// Accept implements net.Listener.
func (d *door) Accept() (net.Conn, error) {
	accepted, err := d.AcceptTCP()
	if errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.EINVAL) { // the latter: closed this very moment
		_ = d.Close() // waits until those who came late are known
		accepted, err = d.latecomer(), net.ErrClosed
	}
	if accepted == nil {
		return nil, err
	}
	v := &visitor{TCPConn: accepted, door: d}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.visitors[v] = true
	return v, nil
}

func (d *door) latecomer() (conn *net.TCPConn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.late) > 0 {
		conn, d.late = d.late[0], d.late[1:]
	}
	return conn
}

// Close implements net.Listener. From now on connections are refused.
func (d *door) Close() (err error) {
	d.closing.Do(func() {
		if raw, failed := d.SyscallConn(); failed == nil {
			failed = raw.Control(func(descriptor uintptr) { d.takeIn(int(descriptor)) })
			err = failed
		}
		err = errors.Join(err, d.TCPListener.Close())
	})
	return err
}

// takeIn accepts whoever has come in, and refuses everybody else before any time passes.
func (d *door) takeIn(descriptor int) {
	var descriptors []int
	for {
		accepted, _, err := syscall.Accept4(descriptor, syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
		if errors.Is(err, syscall.EINTR) || errors.Is(err, syscall.ECONNABORTED) {
			continue
		}
		if err != nil {
			_ = syscall.Shutdown(descriptor, syscall.SHUT_RDWR) // ends listening at once; the close follows
			break
		}
		descriptors = append(descriptors, accepted)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, accepted := range descriptors {
		file := os.NewFile(uintptr(accepted), "connection") // #nosec G115 -- a descriptor is never negative
		if conn, err := net.FileConn(file); err == nil {
			d.late = append(d.late, conn.(*net.TCPConn))
		}
		_ = file.Close() // FileConn has one of its own
	}
}

// visitor is a connection of somebody who has come in.
type visitor struct {
	*net.TCPConn
	door *door
	read atomic.Uint64 // bytes that came and were read
	busy atomic.Bool   // something was read that is not yet answered
	idle atomic.Int64  // since when it is not busy, as Unix nanoseconds
}

// Read implements net.Conn.
func (v *visitor) Read(into []byte) (int, error) {
	n, err := v.TCPConn.Read(into)
	if n > 0 {
		v.busy.Store(true)
		v.read.Add(uint64(n)) // after busy: what looks unread is at worst being read
	}
	return n, err
}

// Close implements net.Conn.
func (v *visitor) Close() error {
	v.door.leave(v)
	return v.TCPConn.Close()
}

func (d *door) leave(v *visitor) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.visitors, v)
}

// silent says that nothing has come that was not read, and that what was read is answered.
func (v *visitor) silent() bool {
	raw, err := v.SyscallConn()
	if err != nil {
		return true
	}
	var came uint64
	_ = raw.Control(func(descriptor uintptr) { // fails when it is closed already
		if info, err := unix.GetsockoptTCPInfo(int(descriptor), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil { // #nosec G115 -- a descriptor
			came = info.Bytes_received
		}
	})
	return came <= v.read.Load() && !v.busy.Load()
}

// changed is the server's word on a connection: http.Server.ConnState.
func (d *door) changed(conn net.Conn, state http.ConnState) {
	if outer, is := conn.(interface{ NetConn() net.Conn }); is { // what Prepare put around it
		conn = outer.NetConn()
	}
	v, is := conn.(*visitor)
	switch {
	case !is:
	case state == http.StateIdle:
		v.idle.Store(time.Now().UnixNano())
		v.busy.Store(false)
	case state == http.StateHijacked:
		d.leave(v)
	}
}

// clear waits until nobody is there any more, or ctx ends: who asks is answered, and who asks nothing for a while has to go.
func (d *door) clear(ctx context.Context) {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for began := time.Now(); ; {
		present := d.present()
		if len(present) == 0 {
			return
		}
		for _, v := range present {
			since := time.Unix(0, max(v.idle.Load(), began.UnixNano()))
			if !v.busy.Load() && time.Since(since) > linger && v.silent() {
				_ = v.Close()
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (d *door) present() []*visitor {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Keys(d.visitors))
}
