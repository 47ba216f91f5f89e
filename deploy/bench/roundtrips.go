package main

import (
	"errors"
	"io"
	"net"
	"sync/atomic"
)

// counter stands between a program and its database or Redis and counts round trips: times that the program said
// something after it had got its response. However many statements travel together, they count once. It also counts the bytes that it sent.
type counter struct {
	listener    net.Listener
	target      string
	trips, sent atomic.Int64
}

func newCounter(target string) (*counter, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &counter{listener: listener, target: target}
	go c.serve()
	return c, nil
}

func (c *counter) address() string { return c.listener.Addr().String() }

func (c *counter) serve() {
	for {
		client, err := c.listener.Accept()
		if err != nil {
			return // closed at the end
		}
		server, err := net.Dial("tcp", c.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		go c.join(client, server)
	}
}

func (c *counter) join(client, server net.Conn) {
	var clientSpoke atomic.Bool // the client spoke last
	pump := func(to, from net.Conn, fromClient bool) {
		defer to.Close()
		buffer := make([]byte, 64<<10)
		for {
			n, err := from.Read(buffer)
			if n > 0 {
				if fromClient {
					c.sent.Add(int64(n))
				}
				if clientSpoke.Swap(fromClient) != fromClient && fromClient {
					c.trips.Add(1)
				}
				if _, err := to.Write(buffer[:n]); err != nil {
					return
				}
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					_ = from.Close()
				}
				return
			}
		}
	}
	go pump(server, client, true)
	pump(client, server, false)
}
