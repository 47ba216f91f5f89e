package edge

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync/atomic"
	"time"

	"ams.internal/gateway/caller"
)

const (
	// writeTimeout is how long a caller may take to accept the next piece of a response.
	writeTimeout = 60 * time.Second
	// deadlineInterval is how long a connection's write deadline is left as it is before it is moved on.
	deadlineInterval = 10 * time.Second
)

// listener replaces the responses that net/http gives by itself. A request that is not HTTP, or has too large headers, gets
// plain text and a status of net/http's choice, and no handler is called. Our callers get JSON and a 400.
type listener struct {
	net.Listener
	headers *commonHeaders
	trusted []netip.Prefix
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: accepted, listener: l}, nil
}

type connKey struct{}

// withConn is the context of a connection's requests.
func withConn(ctx context.Context, accepted net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, accepted)
}

// ambiguous says whether a request came on a connection that had one of two lengths.
func ambiguous(ctx context.Context) bool {
	c, is := ctx.Value(connKey{}).(*conn)
	return is && c.heads.ambiguous.Load()
}

type conn struct {
	net.Conn
	listener *listener
	heads    heads
	handling atomic.Bool // what is written is a handler's response
	moved    time.Time   // when the write deadline was last moved
}

// begin notes that a handler is about to write the response to a connection's request.
func begin(ctx context.Context) {
	if c, is := ctx.Value(connKey{}).(*conn); is {
		c.handling.Store(true)
	}
}

// stateChanged notes that a response was written whole, also what was buffered of it.
func stateChanged(accepted net.Conn, state http.ConnState) {
	if c, is := accepted.(*conn); is && state == http.StateIdle {
		c.handling.Store(false)
	}
}

// Read implements net.Conn.
func (c *conn) Read(piece []byte) (int, error) {
	n, err := c.Conn.Read(piece)
	c.heads.read(piece[:n])
	return n, err
}

// NetConn gives the connection below, as that of crypto/tls does.
func (c *conn) NetConn() net.Conn { return c.Conn }

// netHTTPResponses is how the responses begin that net/http gives by itself, each with its connection's end.
var netHTTPResponses = [][]byte{
	[]byte("HTTP/1.1 400 Bad Request"), []byte("HTTP/1.1 417 "), []byte("HTTP/1.1 431 "), []byte("HTTP/1.1 501 "), []byte("HTTP/1.1 505 "),
}

var plainText = []byte("Content-Type: text/plain; charset=utf-8\r\nConnection: close")

// Write implements net.Conn.
func (c *conn) Write(piece []byte) (int, error) {
	if now := time.Now(); now.Sub(c.moved) > deadlineInterval {
		c.moved = now
		_ = c.SetWriteDeadline(now.Add(writeTimeout + deadlineInterval))
	}
	if c.handling.Load() { // a document may begin with anything
		return c.Conn.Write(piece)
	}
	for _, beginning := range netHTTPResponses {
		if bytes.HasPrefix(piece, beginning) && (bytes.Contains(piece, plainText) || beginning[9] == '4' && beginning[10] == '1') {
			_, err := c.Conn.Write(c.listener.malformed(c.RemoteAddr().String()))
			return len(piece), err
		}
	}
	return c.Conn.Write(piece)
}

func (l *listener) malformed(remote string) []byte {
	header, id := http.Header{}, caller.RequestID(nil)
	l.headers.uncounted(header, id, caller.Address(remote, nil, l.trusted))
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("Connection", "close")
	const sentence = "This is not a well-formed HTTP/1.1 request, or its headers are too large."
	body := fmt.Sprintf(`{"error":%q,"code":"malformed_request","request_id":%q}`, sentence, id)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	var response bytes.Buffer
	response.WriteString("HTTP/1.1 400 Bad Request\r\n")
	_ = header.Write(&response) // into memory: cannot fail
	response.WriteString("\r\n" + body)
	return response.Bytes()
}
