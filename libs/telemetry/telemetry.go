// Package telemetry makes one trace of a request that passes through several processes, counts and times what
// the processes do, and writes logs that name the trace and the request.
//
// Nothing here can fail or hold up a request: spans and figures that the collector does not take are dropped.
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

// name is the instrumentation scope of the spans and figures that this package makes.
const name = "ams.internal/libs/telemetry"

// Config says who reports, where to, and how much.
type Config struct {
	Service  string  // service.name: "assets"
	Version  string  // service.version
	Region   string  // cloud.region: "ca-central-1"
	Endpoint string  // base URL of an OTLP/HTTP collector: "http://127.0.0.1:4318"; empty: nothing is exported
	Ratio    float64 // share of the traces that begin here which are sampled; a trace that began elsewhere follows its caller
}

// exporting is true while figures have somewhere to go: without it no request pays for them.
var exporting atomic.Bool

// Start sets the process's tracer and meter providers and the W3C propagation. It never contacts the collector,
// and fails only when the endpoint is not a URL. The returned function hands over what is still
// held; give it a context with a deadline, since the collector may be away.
func Start(ctx context.Context, c Config) (shutdown func(context.Context) error, err error) {
	otel.SetTextMapPropagator(propagation.TraceContext{})
	otel.SetErrorHandler(&complaints{})
	about := resource.NewSchemaless(
		attribute.String("service.name", c.Service),
		attribute.String("service.version", c.Version),
		attribute.String("service.instance.id", instance()),
		attribute.String("cloud.region", c.Region),
	)
	if c.Endpoint == "" { // trace ids are still made and passed on: logs of several processes can be joined by them
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
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: false})) // the queue behind it is the retry: a newer batch comes in two seconds
	if err != nil {
		return nil, fmt.Errorf("telemetry: trace exporter: %w", err)
	}
	figures, err := otlpmetrichttp.New(ctx,
		otlpmetrichttp.WithEndpointURL(root+"/v1/metrics"),
		otlpmetrichttp.WithTimeout(5*time.Second),
		otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{Enabled: false})) // figures are cumulative: the next report includes this one
	if err != nil {
		return nil, fmt.Errorf("telemetry: metric exporter: %w", err)
	}
	queue := trace.NewBatchSpanProcessor(spans, trace.WithBatchTimeout(2*time.Second), trace.WithMaxQueueSize(4096)) // a full queue drops, it never blocks
	tracers := trace.NewTracerProvider(trace.WithResource(about), trace.WithSpanProcessor(queue),
		trace.WithSampler(trace.ParentBased(trace.TraceIDRatioBased(c.Ratio))))
	failed := trace.NewTracerProvider(trace.WithResource(about), trace.WithSpanProcessor(queue),
		trace.WithSampler(trace.AlwaysSample()), trace.WithIDGenerator(identities{}))
	reading := []metric.PeriodicReaderOption{metric.WithTimeout(5 * time.Second)}
	if os.Getenv("OTEL_METRIC_EXPORT_INTERVAL") == "" { // the reader itself knows this variable; its own default is a minute
		reading = append(reading, metric.WithInterval(15*time.Second))
	}
	meters := metric.NewMeterProvider(
		metric.WithResource(about),
		metric.WithReader(metric.NewPeriodicReader(figures, reading...)),
	)
	otel.SetTracerProvider(tracers)
	otel.SetMeterProvider(meters)
	if err := runtime.Start(runtime.WithMeterProvider(meters)); err != nil {
		return nil, fmt.Errorf("telemetry: figures of the Go runtime: %w", err)
	}
	failures.Store(failed)
	exporting.Store(true)
	return func(ctx context.Context) error {
		exporting.Store(false)
		failures.Store(nil)
		return errors.Join(tracers.Shutdown(ctx), meters.Shutdown(ctx))
	}, nil
}

// instance tells processes apart, also two that are the first of containers of one name: host:pid and a few letters.
func instance() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s:%d:%s", host, os.Getpid(), rand.Text()[:6])
}

// complaints logs what the exporters complain of, at most once a minute: a collector that is away complains
// for every batch.
type complaints struct{ last atomic.Int64 }

// Handle implements otel.ErrorHandler.
func (c *complaints) Handle(err error) {
	now, last := time.Now().Unix(), c.last.Load()
	if now-last >= 60 && c.last.CompareAndSwap(last, now) {
		slog.Warn("telemetry is not getting through; requests are not affected", "error", err)
	}
}
