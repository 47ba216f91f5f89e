package postgrestest

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
)

// sslRequest is what a client sends to ask for TLS, in the place of a protocol version.
const sslRequest = 80877103

// CountStatements stands before the database at address and counts the statements that it is asked to run, those that set
// and end transactions among them. throughHere is where to reach the database so that they are counted.
func CountStatements(t testing.TB, address string) (throughHere string, run *atomic.Int64) {
	t.Helper()
	run = new(atomic.Int64)
	return between(t, address, func(client, server net.Conn) {
		go func() {
			_, _ = io.Copy(client, server)
			_ = client.Close()
		}()
		_ = countMessages(server, client, run)
		_ = server.Close()
	}).String(), run
}

// CountRoundTrips stands before the database and counts how often it is asked: the times that the service speaks after it
// was answered, however many statements travel together. The address that it gives allows one connection, so that every
// conversation is counted.
func CountRoundTrips(t testing.TB, address string) (throughHere string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	through := between(t, address, func(client, server net.Conn) {
		var speaking atomic.Bool // the service spoke last
		pump := func(to, from net.Conn, service bool) {
			defer func() { _ = to.Close() }()
			piece := make([]byte, 64<<10)
			for {
				n, err := from.Read(piece)
				if n > 0 && speaking.Swap(service) != service && service {
					asked.Add(1)
				}
				if _, failed := to.Write(piece[:n]); err != nil || failed != nil {
					return
				}
			}
		}
		go pump(client, server, false)
		pump(server, client, true)
	})
	query := through.Query()
	query.Set("pool_max_conns", "1")
	through.RawQuery = query.Encode()
	return through.String(), asked
}

// between listens in front of the database at address until the test ends, and gives every connection to pass.
func between(t testing.TB, address string, pass func(client, server net.Conn)) *url.URL {
	t.Helper()
	through, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	database := through.Host
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // closed at the end of the test
			}
			server, err := net.Dial("tcp", database)
			if err != nil {
				_ = client.Close()
				continue
			}
			go pass(client, server)
		}
	}()
	through.Host = listener.Addr().String()
	return through
}

// countMessages passes a client's messages on, and counts those that run a statement: Query and Execute of the protocol
// (https://www.postgresql.org/docs/15/protocol-message-formats.html). A statement that is only prepared is not run.
func countMessages(server io.Writer, client io.Reader, run *atomic.Int64) error {
	for started := false; ; {
		kind := make([]byte, 0, 1)
		if started { // before that, messages have no type
			kind = kind[:1]
			if _, err := io.ReadFull(client, kind); err != nil {
				return err
			}
			if kind[0] == 'Q' || kind[0] == 'E' {
				run.Add(1)
			}
		}
		length := make([]byte, 4)
		if _, err := io.ReadFull(client, length); err != nil {
			return err
		}
		body := make([]byte, binary.BigEndian.Uint32(length)-4)
		if _, err := io.ReadFull(client, body); err != nil {
			return err
		}
		started = started || len(body) < 4 || binary.BigEndian.Uint32(body) != sslRequest
		if _, err := server.Write(append(append(kind, length...), body...)); err != nil {
			return err
		}
	}
}
