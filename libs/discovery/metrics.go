package discovery

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// observe reports, per watched pair, how old what we know is and how many instances it names: an age that
// grows is a Consul that is away.
func (d *Directory) observe() {
	meter := otel.Meter("ams.internal/libs/discovery")
	age, err := meter.Float64ObservableGauge("ams.discovery.age", metric.WithUnit("s"),
		metric.WithDescription("Time since Consul last answered about the service."))
	if err != nil { // only a malformed name
		panic(err)
	}
	instances, err := meter.Int64ObservableGauge("ams.discovery.instances",
		metric.WithDescription("Instances of the service that calls may be sent to."))
	if err != nil {
		panic(err)
	}
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		for _, w := range d.watched() {
			of := metric.WithAttributes(attribute.String("service", w.pair.service), attribute.String("datacenter", w.pair.datacenter))
			o.ObserveFloat64(age, w.age().Seconds(), of)
			o.ObserveInt64(instances, int64(len(w.list())), of)
		}
		return nil
	}, age, instances)
	if err != nil {
		panic(err)
	}
	context.AfterFunc(d.alive, func() { _ = registration.Unregister() }) // fails only where the meter provider has ended
}

// observe reports whether Consul knows this process under the lease's name, until ctx ends: from then on it is not meant to.
func (l *Lease) observe(ctx context.Context) {
	meter := otel.Meter("ams.internal/libs/discovery")
	registered, err := meter.Int64ObservableGauge("ams.discovery.registered",
		metric.WithDescription("Whether Consul holds this process's registration: 1, or 0 while it did not take the last heartbeat."))
	if err != nil { // only a malformed name
		panic(err)
	}
	of := metric.WithAttributeSet(attribute.NewSet(attribute.String("service", l.entry.Name)))
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		holds := int64(0)
		if l.known.Load() {
			holds = 1
		}
		o.ObserveInt64(registered, holds, of)
		return nil
	}, registered)
	if err != nil {
		panic(err)
	}
	context.AfterFunc(ctx, func() { _ = registration.Unregister() }) // fails only where the meter provider has ended
}

func (d *Directory) watched() []*watcher {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]*watcher, 0, len(d.watchers))
	for _, w := range d.watchers {
		all = append(all, w)
	}
	return all
}
