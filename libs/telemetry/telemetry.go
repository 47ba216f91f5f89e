// Package telemetry traces requests across processes, measures what the processes do, and writes logs with the ids of
// trace and request.
//
// Telemetry never fails or delays a request: spans and metrics that the collector does not accept are dropped.
package telemetry

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/runtime"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
)

// name is the instrumentation scope of this package's spans and metrics.
const name = "ams.internal/libs/telemetry"

// Config has the attributes of the process, the collector and the share of traces that are sampled.
type Config struct {
	Service  string  // service.name: "assets"
	Version  string  // service.version
	Region   string  // cloud.region: "ca-central-1"
	Endpoint string  // base URL of an OTLP/HTTP collector: "http://127.0.0.1:4318"; empty: nothing is exported
	Ratio    float64 // share of the traces that begin here which are sampled; a trace that began elsewhere is sampled as its caller's
}

// exporting is true while metrics are exported. Otherwise no request has the cost of them.
var exporting atomic.Bool

// Start sets the process's tracer and meter providers and the W3C propagation. It never contacts the collector, and fails only
// when the endpoint is not a URL. shutdown flushes the telemetry; its context needs a deadline, because the collector may be
// down.
func Start(ctx context.Context, c Config) (shutdown func(context.Context) error, err error) {
	otel.SetTextMapPropagator(propagation.TraceContext{})
	otel.SetErrorHandler(&exportErrors{})
	about := resource.NewSchemaless(
		attribute.String("service.name", c.Service),
		attribute.String("service.version", c.Version),
		attribute.String("service.instance.id", instance()),
		attribute.String("cloud.region", c.Region),
	)
	if c.Endpoint == "" { // trace ids are still made and propagated: logs of several processes can be joined by them
		tracers := trace.NewTracerProvider(trace.WithResource(about), trace.WithSampler(trace.ParentBased(trace.NeverSample())))
		otel.SetTracerProvider(tracers)
		return tracers.Shutdown, nil
	}

	base, err := url.Parse(c.Endpoint)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" {
		return nil, fmt.Errorf("telemetry: %q is not the URL of a collector (such as http://127.0.0.1:4318)", c.Endpoint)
	}
	root := strings.TrimSuffix(c.Endpoint, "/")
	spans, err := otlptracehttp.New(ctx,
		otlptracehttp.WithEndpointURL(root+"/v1/traces"),
		otlptracehttp.WithTimeout(5*time.Second),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: false})) // a newer batch follows within two seconds
	if err != nil {
		return nil, fmt.Errorf("telemetry: trace exporter: %w", err)
	}
	metrics, err := otlpmetrichttp.New(ctx,
		otlpmetrichttp.WithEndpointURL(root+"/v1/metrics"),
		otlpmetrichttp.WithTimeout(5*time.Second),
		otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{Enabled: false})) // metrics are cumulative: the next report includes this one
	if err != nil {
		return nil, fmt.Errorf("telemetry: metric exporter: %w", err)
	}
	// A full queue drops spans; it never blocks.
	queue := trace.NewBatchSpanProcessor(spans, trace.WithBatchTimeout(2*time.Second), trace.WithMaxQueueSize(4096))
	tracers := trace.NewTracerProvider(trace.WithResource(about), trace.WithSpanProcessor(queue),
		trace.WithSampler(trace.ParentBased(trace.TraceIDRatioBased(c.Ratio))))
	failed := trace.NewTracerProvider(trace.WithResource(about), trace.WithSpanProcessor(queue),
		trace.WithSampler(trace.AlwaysSample()), trace.WithIDGenerator(idGenerator{}))
	readerOptions := []metric.PeriodicReaderOption{metric.WithTimeout(5 * time.Second)}
	if os.Getenv("OTEL_METRIC_EXPORT_INTERVAL") == "" { // the reader itself reads this variable; its own default is a minute
		readerOptions = append(readerOptions, metric.WithInterval(15*time.Second))
	}
	meters := metric.NewMeterProvider(
		metric.WithResource(about),
		metric.WithReader(metric.NewPeriodicReader(metrics, readerOptions...)),
	)
	otel.SetTracerProvider(tracers)
	otel.SetMeterProvider(meters)
	if err := runtime.Start(runtime.WithMeterProvider(meters)); err != nil {
		return nil, fmt.Errorf("telemetry: metrics of the Go runtime: %w", err)
	}
	failureProvider.Store(failed)
	exporting.Store(true)
	return func(ctx context.Context) error {
		exporting.Store(false)
		failureProvider.Store(nil)
		return errors.Join(tracers.Shutdown(ctx), meters.Shutdown(ctx))
	}, nil
}

// instance identifies the process: host:pid and a few random letters. Containers of one name may have the same host and pid.
func instance() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s:%d:%s", host, os.Getpid(), rand.Text()[:6])
}

// exportErrors logs errors of the exporters, at most once a minute: while the collector is down, every batch is an error.
type exportErrors struct{ lastLogged atomic.Int64 }

// Handle implements otel.ErrorHandler.
func (c *exportErrors) Handle(err error) {
	now, lastLogged := time.Now().Unix(), c.lastLogged.Load()
	if now-lastLogged >= 60 && c.lastLogged.CompareAndSwap(lastLogged, now) {
		slog.Warn("telemetry is not getting through; requests are not affected", "error", err)
	}
}
