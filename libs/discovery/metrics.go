package discovery

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// registerMetrics reports, per watcher, the age of its list and the number of instances in it. An age that grows means that
// Consul is down.
func (d *Directory) registerMetrics() {
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
	hung, err := meter.Int64ObservableGauge("ams.discovery.hung",
		metric.WithDescription("Instances of other programs that take connections from this process and say nothing."))
	if err != nil {
		panic(err)
	}
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveInt64(hung, d.countHung())
		for _, w := range d.allWatchers() {
			attributes := metric.WithAttributes(attribute.String("service", w.key.service), attribute.String("datacenter", w.key.datacenter))
			o.ObserveFloat64(age, w.age().Seconds(), attributes)
			o.ObserveInt64(instances, int64(len(w.list())), attributes)
		}
		return nil
	}, age, instances, hung)
	if err != nil {
		panic(err)
	}
	context.AfterFunc(d.ctx, func() { _ = registration.Unregister() }) // fails only where the meter provider has ended
}

// registerMetrics reports whether Consul has this process under the lease's name, until ctx ends.
func (l *Lease) registerMetrics(ctx context.Context) {
	meter := otel.Meter("ams.internal/libs/discovery")
	registered, err := meter.Int64ObservableGauge("ams.discovery.registered",
		metric.WithDescription("Whether Consul holds this process's registration: 1, or 0 while it did not take the last heartbeat."))
	if err != nil { // only a malformed name
		panic(err)
	}
	attributes := metric.WithAttributeSet(attribute.NewSet(attribute.String("service", l.entry.Name)))
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		value := int64(0)
		if l.registered.Load() {
			value = 1
		}
		o.ObserveInt64(registered, value, attributes)
		return nil
	}, registered)
	if err != nil {
		panic(err)
	}
	context.AfterFunc(ctx, func() { _ = registration.Unregister() }) // fails only where the meter provider has ended
}

func (d *Directory) allWatchers() []*watcher {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]*watcher, 0, len(d.watchers))
	for _, w := range d.watchers {
		all = append(all, w)
	}
	return all
}
