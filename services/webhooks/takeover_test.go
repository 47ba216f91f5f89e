package main

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A process that is killed in the middle of calls leaves its endpoints to the others at once.
func TestAKilledProcessIsTakenOverFrom(t *testing.T) {
	w := newWorld(t)
	var hang atomic.Bool
	hang.Store(true)
	r := newSubscriber(t, func(_ call, _ http.ResponseWriter, r *http.Request) {
		if hang.Load() {
			<-r.Context().Done() // the process that calls must be killed for this to end
		}
	})
	w.subscribe(t, r, nil)
	first := w.start(t)
	var ids []string
	var batch []map[string]any
	for range 50 {
		ids = append(ids, newID())
	}
	for version := range 4 {
		for _, id := range ids {
			batch = append(batch, w.event(id, version+1))
		}
	}
	w.relay(t, batch...)
	r.awaits(t, maxConcurrentCalls)
	w.start(t)
	hang.Store(false)
	first.kill()
	eventually(t, "everything is delivered", func() bool {
		return one[int](t, w, `SELECT count(*) FROM delivery WHERE state = 'delivered'`) == len(batch)
	})
	calls := r.got()
	expectOrder(t, calls, len(batch))
	if duplicates := len(calls) - len(batch); duplicates > maxConcurrentCalls {
		t.Errorf("%d events came twice; only those under way may", duplicates)
	}
}

// A worker whose session ends, and with it its lock, gives up its calls at once: somebody else may be making them by now.
func TestAWorkerWithoutItsLockStopsAtOnce(t *testing.T) {
	w := newWorld(t)
	gaveUp := make(chan struct{}, 100)
	var hang atomic.Bool
	hang.Store(true)
	r := newSubscriber(t, func(_ call, _ http.ResponseWriter, r *http.Request) {
		if hang.Load() {
			<-r.Context().Done()
			gaveUp <- struct{}{}
		}
	})
	w.subscribe(t, r, nil)
	w.here.deliver(t)
	record := newID()
	w.relay(t, w.event(record, 1), w.event(record, 2))
	r.awaits(t, 1)
	former := one[int](t, w, `SELECT worker FROM dispatch`)
	hang.Store(false)
	w.terminate(t, `pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND objsubid = 2)`, former)
	select {
	case <-gaveUp:
	case <-time.After(patience):
		t.Fatal("the call went on")
	}
	r.awaits(t, 3)
	eventually(t, "all is delivered", func() bool { return one[int](t, w, `SELECT count(*) FROM delivery WHERE state = 'delivered'`) == 2 })
	if got := one[string](t, w, `SELECT string_agg(attempts || ' ' || failures, ',') FROM delivery`); got != "1 0,1 0" {
		t.Errorf("attempts and failures: %s", got)
	}
	eventually(t, "somebody else worked on it", func() bool {
		return one[int](t, w, `SELECT coalesce(max(worker), $1 + 1) FROM dispatch`, former) != former
	})
}

// A process that stands still holds its endpoints up for seconds, not for ever: the database ends its session. When it
// goes on, it sends nothing any more on its former own.
func TestAProcessThatHangsIsTakenOverFrom(t *testing.T) {
	w := newWorld(t)
	r := newSubscriber(t, func(call, http.ResponseWriter, *http.Request) { time.Sleep(2 * time.Millisecond) })
	w.subscribe(t, r, nil)
	hanging := w.start(t)
	record := newID()
	var batch []map[string]any
	for version := range 400 {
		batch = append(batch, w.event(record, version+1))
	}
	w.relay(t, batch...)
	r.awaits(t, 20)
	if err := hanging.command.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	w.here.deliver(t)
	eventually(t, "everything is delivered", func() bool {
		return one[int](t, w, `SELECT count(*) FROM delivery WHERE state = 'delivered'`) == len(batch)
	})
	if err := hanging.command.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	w.relay(t, w.event(record, len(batch)+1))
	eventually(t, "the last is delivered too", func() bool {
		return one[int](t, w, `SELECT count(*) FROM delivery WHERE state = 'delivered'`) == len(batch)+1
	})
	calls := r.got()
	expectOrder(t, calls, len(batch)+1)
	if duplicates := len(calls) - len(batch) - 1; duplicates > 1 {
		t.Errorf("%d events came twice", duplicates)
	}
}

// A process that ends in an orderly way finishes its calls and lets others go on.
func TestAProcessThatEndsHandsOver(t *testing.T) {
	w := newWorld(t)
	r := newSubscriber(t, func(call, http.ResponseWriter, *http.Request) { time.Sleep(5 * time.Millisecond) })
	w.subscribe(t, r, nil)
	w.here.deliver(t)
	var batch []map[string]any
	for range 500 {
		batch = append(batch, w.event(newID(), 1))
	}
	w.relay(t, batch...)
	r.awaits(t, 50)
	w.here.stop()
	if got := one[string](t, w, `SELECT coalesce(worker::text, 'nobody') || ' ' || (wake_at IS NOT NULL) FROM dispatch`); got != "nobody true" {
		t.Errorf("worker, wakes: %s", got)
	}
	w.instance(t).deliver(t)
	expectOrder(t, r.awaits(t, len(batch)), len(batch))
	eventually(t, "all is written down", func() bool {
		return one[int](t, w, `SELECT count(*) FROM delivery WHERE state = 'delivered'`) == len(batch)
	})
	if got := len(r.got()); got != len(batch) {
		t.Errorf("%d calls for %d events", got, len(batch))
	}
}

// Whatever is killed while events come in, and however often: nothing is lost, and no record's order is inverted.
func TestNothingIsLostHoweverOftenProcessesAreKilled(t *testing.T) {
	w := newWorld(t)
	r := newSubscriber(t, func(call, http.ResponseWriter, *http.Request) { time.Sleep(time.Millisecond) })
	w.subscribe(t, r, nil)
	var ids []string
	for range 30 {
		ids = append(ids, newID())
	}
	const versions = 40
	var writing sync.WaitGroup
	writing.Go(func() {
		for version := range versions {
			var batch []map[string]any
			for _, id := range ids {
				batch = append(batch, w.event(id, version+1))
			}
			for { // as relays do: until they are acknowledged
				if received, _, _ := w.bring(w.here, batch); len(received) == len(batch) {
					break
				}
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	running := []*process{w.start(t), w.start(t)}
	for kill := range 8 {
		time.Sleep(600 * time.Millisecond)
		if kill == 4 { // and once, every session of the service at the same time
			w.terminate(t, `usename = 'ams_webhooks'`)
		}
		running[kill%2].kill()
		running[kill%2] = w.start(t)
	}
	writing.Wait()
	eventually(t, "everything is delivered", func() bool {
		return one[int](t, w, `SELECT count(*) FROM delivery WHERE state = 'delivered'`) == versions*len(ids)
	})
	calls := r.got()
	expectOrder(t, calls, versions*len(ids))
	if duplicates := len(calls) - versions*len(ids); duplicates > 9*maxConcurrentCalls {
		t.Errorf("%d events came twice; only those under way when something was killed may", duplicates)
	}
}

// A process that hung and comes back may not know yet that another has taken its endpoints: what it would write is refused.
func TestAnOwnerThatWasReplacedTakesAndWritesNothing(t *testing.T) {
	w := newWorld(t)
	endpoint := w.subscribe(t, newSubscriber(t, nil), nil)
	w.relay(t, w.event(newID(), 1)) // nobody delivers here
	const former, present = 7, 8
	if _, err := w.owner(t).Exec(t.Context(), "UPDATE dispatch SET worker = $1", present); err != nil {
		t.Fatal(err)
	}
	o := newLeaseHolder(&worker{dispatcher: w.here.dispatcher, number: former, alive: t.Context()}, endpointKey{one[string](t, w, `SELECT organization_id::text FROM dispatch`), endpoint})
	delivery := one[string](t, w, `SELECT id::text FROM delivery`)
	o.unrecorded = []result{{deliveryID: delivery, orderingKey: one[string](t, w, `SELECT lane::text FROM delivery`), attempt: attempt{number: 1, at: w.now(), responseStatus: 200}}}
	if taken, err := o.poll(o.ctx, false); !errors.Is(err, errLeaseLost) {
		t.Errorf("a turn of the former owner: %+v, %v", taken, err)
	}
	if got := one[string](t, w, `SELECT state || ' ' || attempts || ' ' || (SELECT count(*) FROM attempt) || ' ' || (SELECT worker FROM dispatch) FROM delivery`); got != "pending 0 0 8" {
		t.Errorf("what is kept: %s", got)
	}
	o = newLeaseHolder(&worker{dispatcher: w.here.dispatcher, number: present, alive: t.Context()}, o.key)
	if taken, err := o.poll(o.ctx, false); err != nil || len(taken.jobs) != 1 || taken.jobs[0].deliveryID != delivery {
		t.Errorf("a turn of the present owner: %v", err)
	}
}
