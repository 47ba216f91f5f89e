package webhooks

import (
	"testing"

	"ams.internal/libs/testwait"
)

// Deliveries stop when the plan lapses and continue when it is renewed; events in between are stored. A gateway that is down
// changes nothing.
func TestDeliveriesStopAndGoOnWithThePlan(t *testing.T) {
	f := newFixture(t)
	f.service.startDispatcher(t)
	r := newReceiver(t, nil)
	f.subscribe(t, r, nil)
	record := newID()
	f.relay(t, f.event(record, 1))
	r.waitForCalls(t, 1)

	f.gateway.planLapsed.Store(true)
	asked := f.gateway.requests.Load()
	f.advance(planTTL)
	testwait.For(t, testTimeout, "the gateway is asked again", func() bool { f.service.notifyAll(); return f.gateway.requests.Load() > asked })
	testwait.For(t, testTimeout, "the endpoint is suspended", func() bool {
		f.service.notifyAll()
		return queryOne[bool](t, f, `SELECT coalesce(suspended_until = wake_at AND worker IS NULL, false) FROM dispatch`)
	})
	f.relay(t, f.event(record, 2))
	f.advance(2 * planTTL)
	f.gateway.down.Store(true) // its last response stays valid
	f.advance(2 * planTTL)
	f.relay(t, f.event(record, 3))
	if got := queryOne[string](t, f,
		`SELECT count(*) || ' ' || (SELECT count(*) FROM event) FROM delivery WHERE state = 'pending'`); got != "2 3" {
		t.Errorf("waiting, recorded: %s", got)
	}
	if len(r.received()) != 1 {
		t.Error("delivered without a plan")
	}
	f.gateway.planLapsed.Store(false)
	f.gateway.down.Store(false)
	testwait.For(t, testTimeout, "what waited is delivered", func() bool { f.advance(planTTL); return len(r.received()) == 3 })
	f.gateway.down.Store(true)
	f.advance(10 * planTTL)
	f.relay(t, f.event(record, 4))
	expectOrder(t, r.waitForCalls(t, 4), 4)
}
