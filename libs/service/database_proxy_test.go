package service_test

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// databaseProxy forwards connections of a process to its database. A test can cut them.
type databaseProxy struct {
	url string // of the database through the proxy

	mu          sync.Mutex
	down        bool
	connections []net.Conn
}

func newDatabaseProxy(t *testing.T, database string) *databaseProxy {
	t.Helper()
	address, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &databaseProxy{}
	t.Cleanup(func() {
		_ = listener.Close()
		w.cut()
	})
	server := address.Host
	address.Host = listener.Addr().String()
	w.url = address.String()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go w.forward(client, server)
		}
	}()
	return w
}

func (w *databaseProxy) forward(client net.Conn, server string) {
	defer func() { _ = client.Close() }()
	upstream, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer func() { _ = upstream.Close() }()
	w.mu.Lock()
	if w.down {
		w.mu.Unlock()
		return
	}
	w.connections = append(w.connections, client, upstream)
	w.mu.Unlock()
	go func() {
		_, _ = io.Copy(upstream, client)
		_ = upstream.Close()
	}()
	_, _ = io.Copy(client, upstream)
}

func (w *databaseProxy) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for _, connection := range w.connections {
		_ = connection.Close()
	}
	w.connections = nil
}

func (w *databaseProxy) restore() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}
