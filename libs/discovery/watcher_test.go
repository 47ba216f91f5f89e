package discovery

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The watcher of a service without instances queries as seldom as any other; it once did so ten times a second.
func TestAServiceThatNobodyRunsIsNotQueriedAllTheTime(t *testing.T) {
	t.Parallel()
	var queries atomic.Int64
	consul := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Consul-Index", "7")
		if !strings.HasPrefix(r.URL.Path, "/v1/health/service/") {
			_, _ = w.Write([]byte(`["ca-central-1"]`))
			return
		}
		queries.Add(1)
		if wait, err := time.ParseDuration(r.URL.Query().Get("wait")); err == nil && r.URL.Query().Get("index") == "7" {
			select {
			case <-time.After(wait):
			case <-r.Context().Done():
			}
		}
		_, _ = w.Write([]byte("[]"))
	}))
	defer consul.Close()
	directory, err := Open(Config{
		Mode: Consul, ConsulAddr: strings.TrimPrefix(consul.URL, "http://"), Region: "ca-central-1", Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer directory.Close()
	directory.Instancer("nobody", "ca-central-1")
	time.Sleep(emptyListGrace + time.Second)
	before := queries.Load()
	time.Sleep(2 * time.Second)
	if more := queries.Load() - before; before == 0 || more > 2 {
		t.Errorf("queried %d times within the grace and %d times in two seconds after it", before, more)
	}
}
