package documents

import (
	"net/http"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"ams.internal/libs/resource/resourcetest"
)

// However bytes come and go, they are counted once.
func TestBytesOfContentsAreCounted(t *testing.T) {
	f := newFixture(t)
	reader := metric.NewManualReader()
	before := otel.GetMeterProvider()
	otel.SetMeterProvider(metric.NewMeterProvider(metric.WithReader(reader)))
	t.Cleanup(func() { otel.SetMeterProvider(before) })
	counted := func() (received, sent int64) {
		t.Helper()
		var all metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &all); err != nil {
			t.Fatal(err)
		}
		for _, scope := range all.ScopeMetrics {
			for _, m := range scope.Metrics {
				switch m.Name {
				case "ams.documents.received":
					received = m.Data.(metricdata.Sum[int64]).DataPoints[0].Value
				case "ams.documents.sent":
					sent = m.Data.(metricdata.Sum[int64]).DataPoints[0].Value
				}
			}
		}
		return received, sent
	}
	var path, resumed string
	for _, c := range []struct {
		name           string
		do             func()
		received, sent int64
	}{
		{"one call", func() {
			path = upload(t, f.Client, http.StatusCreated, "a.txt", []byte("bonjour"), nil).Header.Get("Location")
		}, 7, 0},
		{"a revision", func() {
			f.Must(t, http.StatusCreated, "POST", path+"/revisions", "second", "Content-Type", "text/plain")
		}, 6, 0},
		{"an upload that is begun", func() {
			resumed = begin(t, f.Client, 10, onBoiler)
			send(t, f.Client, http.StatusNoContent, resumed, 0, "0123")
		}, 0, 0},
		{"its end", func() { send(t, f.Client, http.StatusNoContent, resumed, 4, "456789") }, 10, 0},
		{"the end once more", func() { send(t, f.Client, http.StatusNoContent, resumed, 10, "") }, 0, 0},
		{"what is refused", func() { upload(t, f.Client, http.StatusBadRequest, "a.exe", []byte("MZ\x90\x00"), nil) }, 0, 0},
		{"a content", func() { f.Must(t, http.StatusOK, "GET", path+"/content", nil) }, 0, 6},
		{"a range", func() { f.Must(t, http.StatusPartialContent, "GET", path+"/content", nil, "Range", "bytes=1-3") }, 0, 3},
		{"a header", func() { f.Must(t, http.StatusOK, "HEAD", path+"/content", nil) }, 0, 0},
		{"an archive", func() { f.Must(t, http.StatusOK, "GET", "/v1/documents/archive", nil) }, 0, 16},
	} {
		received, sent := counted()
		c.do()
		if r, s := counted(); r-received != c.received || s-sent != c.sent {
			t.Errorf("%s: received %d and sent %d bytes, want %d and %d", c.name, r-received, s-sent, c.received, c.sent)
		}
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"size_bytes": 6})
}
