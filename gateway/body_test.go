package gateway

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestBodiesThatAreTooLargeTooSlowOrHalf(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	g := w.start()
	key, _ := w.key(newKey{})
	begin := "POST /v1/assets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer " + key + "\r\n"
	large := strings.Repeat("x", 1<<20+1)
	assertError(t, raw(t, g, begin+"Connection: close\r\nContent-Length: "+fmt.Sprint(len(large))+"\r\n\r\n"+large), 400, "body_too_large")
	assertError(t, raw(t, g, begin+"Transfer-Encoding: chunked\r\n\r\n"+fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(large), large)), 400,
		"body_too_large")
	assertError(t, raw(t, g, begin+"Transfer-Encoding: chunked\r\n\r\nzz\r\n"), 400, "body_incomplete")

	connection, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	_, _ = io.WriteString(connection, begin+"Content-Length: 100\r\n\r\n{\"name\":")
	_ = connection.(*net.TCPConn).CloseWrite() // half a body, then nothing more
	_ = connection.SetReadDeadline(time.Now().Add(5 * time.Second))
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err == nil && response.StatusCode != 400 {
		t.Errorf("the response to half a body is %d", response.StatusCode)
	}
	if a := call(t, "POST", g.url+"/v1/assets", key); a.StatusCode != 200 {
		t.Errorf("afterwards: %d", a.StatusCode)
	}
}

func TestASlowSenderIsClosed(t *testing.T) {
	const idleTimeout = 15 * time.Second // bodyIdleTimeout
	w := newFixture(t)
	w.serve("assets", echo)
	g := w.start()
	key, _ := w.key(newKey{})
	t.Parallel() // from here on: it takes as long as the deadline, and two gateways cannot be made at once in one process
	connection, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	begin := time.Now()
	_, _ = io.WriteString(connection, "POST /v1/assets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+key+"\r\nContent-Length: 100\r\n\r\n{")
	_ = connection.SetReadDeadline(time.Now().Add(idleTimeout + 5*time.Second))
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(response.Body)
	if a := (&fullResponse{response, body}); a.StatusCode != 400 || a.json(t)["code"] != "body_incomplete" ||
		a.Header.Get("X-Request-Id") == "" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if took := time.Since(begin); took < idleTimeout-time.Second || took > idleTimeout+3*time.Second {
		t.Errorf("closed after %s", took)
	}
}
