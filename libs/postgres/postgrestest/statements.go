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
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	run, target := new(atomic.Int64), parsed.Host
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // closed at the end of the test
			}
			server, err := net.Dial("tcp", target)
			if err != nil {
				_ = client.Close()
				continue
			}
			go func() {
				_, _ = io.Copy(client, server)
				_ = client.Close()
			}()
			go func() {
				_ = countMessages(server, client, run)
				_ = server.Close()
			}()
		}
	}()
	parsed.Host = listener.Addr().String()
	return parsed.String(), run
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
