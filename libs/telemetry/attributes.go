package telemetry

import (
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Attributes are the attributes of a metric, made once for each key. Made for each request, they would be most of the cost of
// the metric. There must be few keys: never one per organization, API key or record.
type Attributes[Key comparable] struct {
	of    func(Key) []attribute.KeyValue
	mu    sync.RWMutex
	cache map[Key]options
}

type options struct {
	add    []metric.AddOption
	record []metric.RecordOption
}

// NewAttributes takes the function that makes the attributes of a key.
func NewAttributes[Key comparable](of func(Key) []attribute.KeyValue) *Attributes[Key] {
	return &Attributes[Key]{of: of, cache: map[Key]options{}}
}

// Add gives the attributes for a counter.
func (a *Attributes[Key]) Add(key Key) []metric.AddOption { return a.find(key).add }

// Record gives the attributes for a histogram.
func (a *Attributes[Key]) Record(key Key) []metric.RecordOption { return a.find(key).record }

func (a *Attributes[Key]) find(key Key) options {
	a.mu.RLock()
	found, known := a.cache[key]
	a.mu.RUnlock()
	if known {
		return found
	}
	set := metric.WithAttributeSet(attribute.NewSet(a.of(key)...))
	found = options{[]metric.AddOption{set}, []metric.RecordOption{set}}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cache[key] = found
	return found
}
