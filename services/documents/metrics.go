package documents

import (
	"context"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

const meterName = "ams.internal/services/documents"

// metrics are the counters of this service.
var metrics = func() (m struct{ scans, pictures, purged, storeFailures, received, sent metric.Int64Counter }) {
	meter := otel.Meter(meterName)
	for _, each := range []struct {
		counter            *metric.Int64Counter
		name, unit, counts string
	}{
		{&m.scans, "ams.documents.scans", "{scan}", "Looks for malware in contents."},
		{&m.pictures, "ams.documents.pictures", "{picture}", "Pictures that thumbnails were to be made of."},
		{&m.purged, "ams.documents.purged", "{document}", "Documents that were deleted for good after their time in the trash."},
		{&m.storeFailures, "ams.documents.store.failures", "{call}", "Calls that the store of documents did not answer, or had no room for."},
		{&m.received, "ams.documents.received", "By", "Bytes of contents that were received whole."},
		{&m.sent, "ams.documents.sent", "By", "Bytes of contents and thumbnails that were sent."},
	} {
		counter, err := meter.Int64Counter(each.name, metric.WithUnit(each.unit), metric.WithDescription(each.counts))
		if err != nil { // only a malformed name
			panic(err)
		}
		*each.counter = counter
	}
	return m
}()

// recordResult counts a scan or a picture.
func recordResult(ctx context.Context, counter metric.Int64Counter, result string) {
	counter.Add(ctx, 1, metric.WithAttributes(attribute.String("result", result)))
}

// waiting is what a worker saw last of the contents of all organizations of its cell.
type waiting struct {
	pending    atomic.Pointer[time.Time] // since when the oldest waits for its scan
	unfinished atomic.Int64
}

// register reports what waits, until unregister is called. Each instance reports the same.
func (w *waiting) register(cell string) (unregister func()) {
	for _, counter := range []metric.Int64Counter{metrics.purged, metrics.storeFailures, metrics.received, metrics.sent} {
		counter.Add(context.Background(), 0) // what has not happened yet is 0, and not unknown
	}
	meter := otel.Meter(meterName)
	pending, err := meter.Float64ObservableGauge("ams.documents.pending.seconds", metric.WithUnit("s"),
		metric.WithDescription("How long the oldest content that is to be scanned has waited."))
	if err != nil { // only a malformed name
		panic(err)
	}
	unfinished, err := meter.Int64ObservableGauge("ams.documents.unfinished", metric.WithUnit("{content}"),
		metric.WithDescription("Contents that were not written to their end and are not swept yet."))
	if err != nil {
		panic(err)
	}
	in := metric.WithAttributes(attribute.String("cell", cell))
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		age := 0.0
		if since := w.pending.Load(); since != nil {
			age = max(0, time.Since(*since).Seconds())
		}
		o.ObserveFloat64(pending, age, in)
		o.ObserveInt64(unfinished, w.unfinished.Load(), in)
		return nil
	}, pending, unfinished)
	if err != nil {
		panic(err)
	}
	return func() { _ = registration.Unregister() }
}
