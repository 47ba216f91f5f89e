package service

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestReadyCallsTheProcessThatListensThere(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			t.Errorf("the path is %s", r.URL.Path)
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	everywhere := address[strings.LastIndex(address, ":"):]
	for _, listen := range []string{address, everywhere, "0.0.0.0" + everywhere} {
		if err := checkReady([]string{"AMS_LISTEN=" + listen}); err != nil {
			t.Errorf("AMS_LISTEN=%s: %v", listen, err)
		}
	}
	status = http.StatusServiceUnavailable
	if err := checkReady([]string{"AMS_LISTEN=" + address}); err == nil {
		t.Error("a process that is not ready passes")
	}
	for _, listen := range []string{"", "127.0.0.1:0"} {
		if err := checkReady([]string{"AMS_LISTEN=" + listen}); err == nil || !strings.Contains(err.Error(), "AMS_LISTEN") {
			t.Errorf("AMS_LISTEN=%q: %v", listen, err)
		}
	}
}
