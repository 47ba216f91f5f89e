package main

import (
	"io"
	"net/http"
	"sync"
	"time"

	metricsservice "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	"google.golang.org/protobuf/proto"
)

// reportInterval is how often our programs report their metrics.
const reportInterval = 3 * time.Second

// repeats is a collector that takes everything, and keeps how many reads gateways have sent to one more instance.
type repeats struct {
	mu       sync.Mutex
	reported map[string]float64 // by process
}

// ServeHTTP implements http.Handler.
func (c *repeats) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.URL.Path != "/v1/metrics" {
		return
	}
	report := &metricsservice.ExportMetricsServiceRequest{}
	if err := proto.Unmarshal(body, report); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, from := range report.GetResourceMetrics() {
		process := from.GetResource().String()
		for _, scope := range from.GetScopeMetrics() {
			for _, metric := range scope.GetMetrics() {
				if metric.GetName() != "ams.gateway.forward.repeats" {
					continue
				}
				c.reported[process] = 0
				for _, point := range metric.GetSum().GetDataPoints() {
					c.reported[process] += float64(point.GetAsInt())
				}
			}
		}
	}
}

// total is of all gateways, as they last reported it.
func (c *repeats) total() (total float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range c.reported {
		total += of
	}
	return total
}
