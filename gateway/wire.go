package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

const (
	// writePause is how long a caller may take to accept the next piece of an answer.
	writePause = 60 * time.Second
	// deadlineKept is how long a connection's write deadline is left as it is before it is moved on.
	deadlineKept = 10 * time.Second
)

// listener speaks for net/http where that answers by itself: a request that is not HTTP, or headers beyond all measure, get
// plain text and statuses of its own choosing, before any handler is asked. Our callers get JSON and a 400.
type listener struct {
	net.Listener
	gateway *gateway
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: accepted, listener: l}, nil
}

type conn struct {
	net.Conn
	listener *listener
	moved    time.Time // when the write deadline was last moved
}

// NetConn gives the connection below, as that of crypto/tls does.
func (c *conn) NetConn() net.Conn { return c.Conn }

// ownAnswers is how the answers begin that net/http gives by itself, each with its connection's end.
var ownAnswers = [][]byte{
	[]byte("HTTP/1.1 400 Bad Request"), []byte("HTTP/1.1 417 "), []byte("HTTP/1.1 431 "), []byte("HTTP/1.1 501 "), []byte("HTTP/1.1 505 "),
}

var plainText = []byte("Content-Type: text/plain; charset=utf-8\r\nConnection: close")

// Write implements net.Conn.
func (c *conn) Write(piece []byte) (int, error) {
	if now := time.Now(); now.Sub(c.moved) > deadlineKept {
		c.moved = now
		_ = c.SetWriteDeadline(now.Add(writePause + deadlineKept))
	}
	for _, beginning := range ownAnswers {
		if bytes.HasPrefix(piece, beginning) && (bytes.Contains(piece, plainText) || beginning[9] == '4' && beginning[10] == '1') {
			_, err := c.Conn.Write(c.listener.malformed(c.RemoteAddr().String()))
			return len(piece), err
		}
	}
	return c.Conn.Write(piece)
}

func (l *listener) malformed(remote string) []byte {
	header, g := http.Header{}, l.gateway
	g.uncounted(header, &http.Request{RemoteAddr: remote})
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("Connection", "close")
	body := fmt.Sprintf(`{"error":"This is not a well-formed HTTP/1.1 request, or its headers are too large.","code":"malformed_request","request_id":%q}`, header["X-Request-Id"][0])
	header.Set("Content-Length", strconv.Itoa(len(body)))
	var answer bytes.Buffer
	answer.WriteString("HTTP/1.1 400 Bad Request\r\n")
	_ = header.Write(&answer) // into memory: cannot fail
	answer.WriteString("\r\n" + body)
	return answer.Bytes()
}
