package transport

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"ams.internal/libs/fault"
)

// Senders that ask whether to send, as curl does, and are refused after the first bytes, read the refusal only when they have sent a lot.
func TestARefusalInTheMiddleOfContentArrives(t *testing.T) {
	t.Parallel()
	op := &Operation{Method: http.MethodPost, Path: "/v1/documents", Content: "*/*", MaxBody: 1 << 30}
	served := httptest.NewServer(op.limitThroughput(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadFull(r.Body, make([]byte, 1000))
		WriteFault(w, nil, fault.Invalid("type_refused", "Programs are not kept."))
	})))
	t.Cleanup(served.Close)
	const size = 20 << 20
	for range 5 {
		connection, err := net.Dial("tcp", served.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = connection.SetDeadline(time.Now().Add(20 * time.Second))
		_, _ = io.WriteString(connection, "POST /v1/documents HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"+
			"Content-Length: "+strconv.Itoa(size)+"\r\n\r\n")
		reader := bufio.NewReader(connection)
		if told, err := http.ReadResponse(reader, nil); err != nil || told.StatusCode != http.StatusContinue {
			t.Fatalf("%v %v", told, err)
		}
		if _, err := connection.Write(make([]byte, size)); err != nil {
			t.Errorf("the connection was closed on the sender: %v", err)
		}
		response, err := http.ReadResponse(reader, nil)
		if err != nil || response.StatusCode != http.StatusBadRequest {
			t.Errorf("%v %v", response, err)
		}
		_ = connection.Close()
	}
}
