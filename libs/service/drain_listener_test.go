package service_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ams.internal/libs/discovery/consultest"
	"ams.internal/libs/testwait"
)

// A caller that does not know of the shutdown sends requests that must not be sent twice. Either the connection is refused,
// and the caller uses another instance, or the request gets its response: nothing in between, whether callers keep
// connections or open new ones.
func TestAProcessThatEndsBreaksNobodysConnection(t *testing.T) {
	t.Parallel()
	agent := consultest.Start(t)
	for range 5 {
		p := start(t, "stateless", "AMS_CONSUL_ADDR="+agent.Addr)
		testwait.For(t, time.Minute, "it is ready", func() bool { return status(p, "/readyz") == http.StatusOK })
		var callers sync.WaitGroup
		var responses atomic.Int64
		for i := range 60 {
			transport := &http.Transport{DisableKeepAlives: i%2 == 0, MaxIdleConnsPerHost: 60}
			callers.Go(func() {
				defer transport.CloseIdleConnections()
				for {
					response, err := transport.RoundTrip(post(t, p.address))
					if refused(err) {
						return
					}
					if err != nil {
						t.Errorf("after %d responses: %v", responses.Load(), err)
						return
					}
					if _, err := io.Copy(io.Discard, response.Body); err != nil {
						t.Errorf("the response is incomplete: %v", err)
					}
					_ = response.Body.Close()
					responses.Add(1)
					time.Sleep(time.Duration(i) * time.Millisecond / 10)
				}
			})
		}
		testwait.For(t, time.Minute, "callers get responses", func() bool { return responses.Load() > 500 })
		p.signal(t, syscall.SIGTERM)
		callers.Wait()
		if code := p.wait(t, time.Minute); code != 0 {
			t.Errorf("exit status %d", code)
		}
	}
}

// post makes a request whose response is a 405, which is enough here.
func post(t *testing.T, address string) *http.Request {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/v1/sleep", strings.NewReader("{}"))
	if err != nil {
		panic(err)
	}
	return request
}

func refused(err error) bool {
	var operation *net.OpError
	return errors.As(err, &operation) && operation.Op == "dial"
}
