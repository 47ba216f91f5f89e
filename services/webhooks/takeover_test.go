package webhooks

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

// When a process is killed in the middle of calls, others take over its endpoints at once.
func TestAKilledProcessIsTakenOverFrom(t *testing.T) {
	f := newFixture(t)
	var hang atomic.Bool
	hang.Store(true)
	r := newReceiver(t, func(_ call, _ http.ResponseWriter, r *http.Request) {
		if hang.Load() {
			<-r.Context().Done() // the process that calls must be killed for this to end
		}
	})
	f.subscribe(t, r, nil)
	first := f.startProcess(t)
	var ids []string
	var batch []map[string]any
	for range 50 {
		ids = append(ids, newID())
	}
	for version := range 4 {
		for _, id := range ids {
			batch = append(batch, f.event(id, version+1))
		}
	}
	f.relay(t, batch...)
	r.waitForCalls(t, maxConcurrentCalls)
	f.startProcess(t)
	hang.Store(false)
	first.kill()
	testwait.For(t, testTimeout, "everything is delivered", func() bool {
		return queryOne[int](t, f, `SELECT count(*) FROM delivery WHERE state = 'delivered'`) == len(batch)
	})
	calls := r.received()
	expectOrder(t, calls, len(batch))
	if duplicates := len(calls) - len(batch); duplicates > maxConcurrentCalls {
		t.Errorf("%d events came twice; only those under way may", duplicates)
	}
	made, last := map[string]int{}, map[string]string{}
	for _, c := range calls {
		made[c.delivery]++
		last[c.delivery] = c.attempt
	}
	for delivery, n := range made {
		if want := strconv.Itoa(n); last[delivery] != want {
			t.Errorf("the call %s of a delivery says that it is attempt %s", want, last[delivery])
		}
	}
	if got := queryOne[int](t, f, `SELECT sum(attempts) FROM delivery`); got != len(calls) {
		t.Errorf("%d calls were made, and %d attempts counted", len(calls), got)
	}
}

// A worker whose session ends, and with it its lock, cancels its calls at once: another may be making them by now.
func TestAWorkerWithoutItsLockStopsAtOnce(t *testing.T) {
	f := newFixture(t)
	gaveUp := make(chan struct{}, 100)
	var hang atomic.Bool
	hang.Store(true)
	r := newReceiver(t, func(_ call, _ http.ResponseWriter, r *http.Request) {
		if hang.Load() {
			<-r.Context().Done()
			gaveUp <- struct{}{}
		}
	})
	f.subscribe(t, r, nil)
	f.service.startDispatcher(t)
	record := newID()
	f.relay(t, f.event(record, 1), f.event(record, 2))
	r.waitForCalls(t, 1)
	former := queryOne[int](t, f, `SELECT worker FROM dispatch`)
	hang.Store(false)
	f.terminateSessions(t, `pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND objsubid = 2)`, former)
	select {
	case <-gaveUp:
	case <-time.After(testTimeout):
		t.Fatal("the call went on")
	}
	r.waitForCalls(t, 3)
	testwait.For(t, testTimeout, "all is delivered", func() bool {
		return queryOne[int](t, f, `SELECT count(*) FROM delivery WHERE state = 'delivered'`) == 2
	})
	if got := queryOne[string](t, f, `SELECT string_agg(attempts || ' ' || failures, ',' ORDER BY place) FROM delivery`); got != "2 0,1 0" {
		t.Errorf("attempts and failures: %s", got)
	}
	testwait.For(t, testTimeout, "somebody else worked on it", func() bool {
		return queryOne[int](t, f, `SELECT coalesce(max(worker), $1 + 1) FROM dispatch`, former) != former
	})
}

// A process that hangs holds up its endpoints for seconds only: then the database ends its session. When it continues, it sends
// nothing to its former endpoints.
func TestAProcessThatHangsIsTakenOverFrom(t *testing.T) {
	f := newFixture(t)
	r := newReceiver(t, func(call, http.ResponseWriter, *http.Request) { time.Sleep(2 * time.Millisecond) })
	f.subscribe(t, r, nil)
	hanging := f.startProcess(t)
	record := newID()
	var batch []map[string]any
	for version := range 400 {
		batch = append(batch, f.event(record, version+1))
	}
	f.relay(t, batch...)
	r.waitForCalls(t, 20)
	if err := hanging.command.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	f.service.startDispatcher(t)
	testwait.For(t, testTimeout, "everything is delivered", func() bool {
		return queryOne[int](t, f, `SELECT count(*) FROM delivery WHERE state = 'delivered'`) == len(batch)
	})
	if err := hanging.command.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	f.relay(t, f.event(record, len(batch)+1))
	testwait.For(t, testTimeout, "the last is delivered too", func() bool {
		return queryOne[int](t, f, `SELECT count(*) FROM delivery WHERE state = 'delivered'`) == len(batch)+1
	})
	calls := r.received()
	expectOrder(t, calls, len(batch)+1)
	if duplicates := len(calls) - len(batch) - 1; duplicates > 1 {
		t.Errorf("%d events came twice", duplicates)
	}
}

// A process that shuts down finishes its calls and releases its leases.
func TestAProcessThatEndsHandsOver(t *testing.T) {
	f := newFixture(t)
	r := newReceiver(t, func(call, http.ResponseWriter, *http.Request) { time.Sleep(5 * time.Millisecond) })
	f.subscribe(t, r, nil)
	f.service.startDispatcher(t)
	var batch []map[string]any
	for range 500 {
		batch = append(batch, f.event(newID(), 1))
	}
	f.relay(t, batch...)
	r.waitForCalls(t, 50)
	f.service.stop()
	if got := queryOne[string](t, f,
		`SELECT coalesce(worker::text, 'nobody') || ' ' || (wake_at IS NOT NULL) FROM dispatch`); got != "nobody true" {
		t.Errorf("worker, wakes: %s", got)
	}
	f.newInstance(t).startDispatcher(t)
	expectOrder(t, r.waitForCalls(t, len(batch)), len(batch))
	testwait.For(t, testTimeout, "all is written down", func() bool {
		return queryOne[int](t, f, `SELECT count(*) FROM delivery WHERE state = 'delivered'`) == len(batch)
	})
	if got := len(r.received()); got != len(batch) {
		t.Errorf("%d calls for %d events", got, len(batch))
	}
}

// However often processes are killed while events come in: nothing is lost, and no record's order is inverted.
func TestNothingIsLostHoweverOftenProcessesAreKilled(t *testing.T) {
	f := newFixture(t)
	r := newReceiver(t, func(call, http.ResponseWriter, *http.Request) { time.Sleep(time.Millisecond) })
	f.subscribe(t, r, nil)
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
				batch = append(batch, f.event(id, version+1))
			}
			for { // as relays do: until they are acknowledged
				if received, _, _ := f.postEvents(f.service, batch); len(received) == len(batch) {
					break
				}
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	running := []*process{f.startProcess(t), f.startProcess(t)}
	for kill := range 8 {
		time.Sleep(600 * time.Millisecond)
		if kill == 4 { // and once, every session of the service at the same time
			f.terminateSessions(t, `usename = 'ams_webhooks'`)
		}
		running[kill%2].kill()
		running[kill%2] = f.startProcess(t)
	}
	writing.Wait()
	testwait.For(t, testTimeout, "everything is delivered", func() bool {
		return queryOne[int](t, f, `SELECT count(*) FROM delivery WHERE state = 'delivered'`) == versions*len(ids)
	})
	calls := r.received()
	expectOrder(t, calls, versions*len(ids))
	if duplicates := len(calls) - versions*len(ids); duplicates > 9*maxConcurrentCalls {
		t.Errorf("%d events came twice; only those under way when something was killed may", duplicates)
	}
}

// A process that hung may not know yet that another has its leases: what it would write is refused.
func TestALeaseHolderThatWasReplacedTakesAndWritesNothing(t *testing.T) {
	f := newFixture(t)
	endpoint := f.subscribe(t, newReceiver(t, nil), nil)
	f.relay(t, f.event(newID(), 1)) // no dispatcher runs
	const former, present = 7, 8
	if _, err := f.ownerConn(t).Exec(t.Context(), "UPDATE dispatch SET worker = $1", present); err != nil {
		t.Fatal(err)
	}
	h := newLeaseHolder(&worker{dispatcher: f.service.dispatcher, number: former, alive: t.Context()},
		endpointKey{queryOne[string](t, f, `SELECT organization_id::text FROM dispatch`), endpoint})
	delivery := queryOne[string](t, f, `SELECT id::text FROM delivery`)
	h.unrecorded = []result{{deliveryID: delivery, orderingKey: queryOne[string](t, f, `SELECT lane::text FROM delivery`),
		attempt: attempt{number: 1, at: f.now(), responseStatus: 200}}}
	if taken, err := h.poll(h.ctx, false); !errors.Is(err, errLeaseLost) {
		t.Errorf("a poll of the former holder: %+v, %v", taken, err)
	}
	if got := queryOne[string](t, f,
		`SELECT state || ' ' || attempts || ' ' || (SELECT count(*) FROM attempt) || ' ' || (SELECT worker FROM dispatch)
		FROM delivery`); got != "pending 0 0 8" {
		t.Errorf("what is stored: %s", got)
	}
	h = newLeaseHolder(&worker{dispatcher: f.service.dispatcher, number: present, alive: t.Context()}, h.key)
	if taken, err := h.poll(h.ctx, false); err != nil || len(taken.jobs) != 1 || taken.jobs[0].deliveryID != delivery {
		t.Errorf("a poll of the present holder: %v", err)
	}
}
