package service_test

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// wire stands between a process and its database, and can be cut.
type wire struct {
	url string // the database through the wire

	mu          sync.Mutex
	down        bool
	connections []net.Conn
}

func newWire(t *testing.T, database string) *wire {
	t.Helper()
	address, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{}
	t.Cleanup(func() {
		_ = listener.Close()
		w.cut()
	})
	server := address.Host
	address.Host = listener.Addr().String()
	w.url = address.String()
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go w.carry(near, server)
		}
	}()
	return w
}

func (w *wire) carry(near net.Conn, server string) {
	defer func() { _ = near.Close() }()
	far, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer func() { _ = far.Close() }()
	w.mu.Lock()
	if w.down {
		w.mu.Unlock()
		return
	}
	w.connections = append(w.connections, near, far)
	w.mu.Unlock()
	go func() {
		_, _ = io.Copy(far, near)
		_ = far.Close()
	}()
	_, _ = io.Copy(near, far)
}

func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for _, connection := range w.connections {
		_ = connection.Close()
	}
	w.connections = nil
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}
