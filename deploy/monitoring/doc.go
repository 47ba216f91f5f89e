// Package monitoring is what watches the product: alerts for Prometheus, a dashboard for Grafana, and the tests that hold
// both against the programs as they really report, by a real collector and a real Prometheus.
package monitoring
