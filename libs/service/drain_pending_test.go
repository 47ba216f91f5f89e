package service

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"testing"
	"time"
)

// On a busy machine a drain begins while connections are in the kernel's queue, and before the server has called Accept again.
func TestADrainWaitsForConnectionsThatTheServerHasNotYetAccepted(t *testing.T) {
	t.Parallel()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener := newDrainListener(socket.(*net.TCPListener))
	client, err := net.Dial("tcp", socket.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Write([]byte("GET / HTTP/1.1\r\nHost: service\r\nConnection: close\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		listener.waitForConnections(ctx)
	}()
	select {
	case <-drained:
		t.Fatal("the drain ended before the connection was accepted")
	case <-time.After(100 * time.Millisecond):
	}

	server := &http.Server{ConnState: listener.connStateChanged, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	go func() { _ = server.Serve(listener) }() // ends with the listener
	response, err := http.ReadResponse(bufio.NewReader(client), nil)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Errorf("the status is %d", response.StatusCode)
	}
	<-drained
	if ctx.Err() != nil {
		t.Error("the drain did not notice that the last connection was closed")
	}
}
