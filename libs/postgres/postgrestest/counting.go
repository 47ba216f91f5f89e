package postgrestest

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
)

// sslRequest is sent by a client that wants TLS, in the place of a protocol version.
const sslRequest = 80877103

// CountStatements starts a proxy of the database at address that counts the statements that are run, including those that begin
// and end transactions, but not the pings by which pool and pgx see whether the server lives: how many those are depends on how fast
// the machine is. throughHere is the address of the proxy.
func CountStatements(t testing.TB, address string) (throughHere string, run *atomic.Int64) {
	t.Helper()
	run = new(atomic.Int64)
	return startProxy(t, address, func(client, server net.Conn) {
		go func() {
			_, _ = io.Copy(client, server)
			_ = client.Close()
		}()
		_ = countMessages(server, client, run)
		_ = server.Close()
	}).String(), run
}

// CountRoundTrips starts a proxy of the database that counts round trips: the times that the service writes after the server
// did, however many statements are sent together. The liveness checks of a transaction that takes long are not. The address that it gives
// allows one connection, so that every round trip is counted.
func CountRoundTrips(t testing.TB, address string) (throughHere string, trips *atomic.Int64) {
	t.Helper()
	trips = new(atomic.Int64)
	through := startProxy(t, address, func(client, server net.Conn) {
		var serviceWroteLast atomic.Bool // false: the server did
		pump := func(to, from net.Conn, service bool) {
			defer func() { _ = to.Close() }()
			piece := make([]byte, 64<<10)
			for {
				n, err := from.Read(piece)
				if n > 0 && serviceWroteLast.Swap(service) != service && service && hasQuery(piece[:n]) {
					trips.Add(1)
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
	return through.String(), trips
}

// hasQuery reports whether messages of a client have a query: those that begin a connection do not (they have no type, or p for the
// password), and a ping of pgx does not.
func hasQuery(messages []byte) bool {
	return messages[0] != 0 && messages[0] != 'p' && !bytes.Contains(messages, []byte("-- ping"))
}

// startProxy listens until the test ends, connects to the database at address for every client, and gives both to handle.
func startProxy(t testing.TB, address string, handle func(client, server net.Conn)) *url.URL {
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
			go handle(client, server)
		}
	}()
	through.Host = listener.Addr().String()
	return through
}

// countMessages forwards a client's messages, and counts those that run a statement: Query and Execute. A statement that is only
// prepared is not run.
func countMessages(server io.Writer, client io.Reader, run *atomic.Int64) error {
	return eachMessage(server, client, func(kind byte, body []byte) {
		if kind == 'E' || kind == 'Q' && !bytes.HasPrefix(body, []byte("-- ping")) {
			run.Add(1)
		}
	})
}

// eachMessage forwards a client's messages, and shows those that have a kind, which all but the first have
// (https://www.postgresql.org/docs/15/protocol-message-formats.html).
func eachMessage(server io.Writer, client io.Reader, show func(kind byte, body []byte)) error {
	for started := false; ; {
		kind := make([]byte, 0, 1)
		if started { // before that, messages have no type
			kind = kind[:1]
			if _, err := io.ReadFull(client, kind); err != nil {
				return err
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
		if started {
			show(kind[0], body)
		}
		started = started || len(body) < 4 || binary.BigEndian.Uint32(body) != sslRequest
		if _, err := server.Write(append(append(kind, length...), body...)); err != nil {
			return err
		}
	}
}
