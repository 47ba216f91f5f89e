package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

// aGateway answers whether it is ready; other requests get its name, or wait where it hangs.
func aGateway(t *testing.T, name string, hangs <-chan struct{}) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-hangs:
			_, _ = io.Copy(io.Discard, r.Body) // only then is it noticed that the caller has gone
			<-r.Context().Done()
		default:
			_, _ = w.Write([]byte(name))
		}
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func TestWhoWaitsForAGatewayThatAnswersNobodyIsCutOff(t *testing.T) {
	hangs := make(chan struct{})
	first, second := aGateway(t, "first", nil), aGateway(t, "second", hangs)
	gateways := &ingress{}
	public := httptest.NewServer(gateways.handler())
	defer public.Close()
	call := func() string {
		response, err := http.Get(public.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		body, _ := io.ReadAll(response.Body)
		if response.StatusCode != http.StatusOK {
			return fmt.Sprint(response.StatusCode, " ", string(body))
		}
		return string(body)
	}
	answers := func(want ...string) func() bool {
		return func() bool {
			got := map[string]bool{}
			for range 4 {
				got[call()] = true
			}
			for _, each := range want {
				delete(got, each)
			}
			return len(got) == 0
		}
	}
	if got := call(); got != "503 no gateway is ready\n" {
		t.Fatalf("before there is one: %s", got)
	}
	gateways.use([]string{first, second, "127.0.0.1:1"}) // nobody listens at the last one
	testwait.For(t, 10*time.Second, "both serve", func() bool { return len(gateways.candidates()) == 2 })
	if !answers("first", "second")() {
		t.Fatal("somebody else answers")
	}
	close(hangs)
	if got := call() + call() + call(); !strings.Contains(got, "502 the gateway at "+second) { // one of three in turn is the second's
		t.Errorf("who waited for the second got %q", got)
	}
	if !answers("first")() {
		t.Error("requests are still sent to a gateway that answers nobody")
	}
}
