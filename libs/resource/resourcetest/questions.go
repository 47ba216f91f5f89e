package resourcetest

import (
	"net"
	"net/url"
	"sync/atomic"
	"testing"
)

// Questions stands before the database and counts how often it is asked: the times that the service speaks after it
// was answered, however many statements travel together. The address that it gives allows one connection, so that every
// conversation is counted.
func Questions(t testing.TB, database string) (throughHere string, asked *atomic.Int64) {
	t.Helper()
	parsed, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	asked = new(atomic.Int64)
	target := parsed.Host
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // closed at the end of the test
			}
			server, err := net.Dial("tcp", target)
			if err != nil {
				client.Close()
				continue
			}
			var speaking atomic.Bool // the service spoke last
			pump := func(to, from net.Conn, service bool) {
				defer to.Close()
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
			go pump(server, client, true)
			go pump(client, server, false)
		}
	}()
	parsed.Host = listener.Addr().String()
	query := parsed.Query()
	query.Set("pool_max_conns", "1")
	parsed.RawQuery = query.Encode()
	return parsed.String(), asked
}
