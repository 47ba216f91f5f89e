package cells

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/apiclient"
	"ams.internal/libs/testwait"
)

const second = "postgres-second"

func signal(t testing.TB, to syscall.Signal) {
	t.Helper()
	for _, pid := range devstack.Family(product.Description().PIDs[second]) {
		_ = syscall.Kill(pid, to) // a child may have ended meanwhile
	}
}

// A cell that is away refuses its own organizations at once, and is nothing to the others: neither their requests, nor their people, their
// strangers, their events; and it is back by itself.
func TestACellThatIsAwayTakesNothingFromTheOthers(t *testing.T) {
	for _, c := range []struct {
		name          string
		away, return_ func(t *testing.T)
	}{
		{"it hangs", func(t *testing.T) { signal(t, syscall.SIGSTOP) }, func(t *testing.T) { signal(t, syscall.SIGCONT) }},
		{"it was killed", func(t *testing.T) {
			if err := product.Halt(syscall.SIGKILL, second); err != nil {
				t.Fatal(err)
			}
		}, func(t *testing.T) {
			if err := product.Resume(t.Context(), second); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			there, gone := inCell(t, "first"), inCell(t, "second")
			kept := gone.create(t, "/v1/sites", map[string]any{"name": "Before " + uuid.NewString()[:8]})
			hook := newReceiver(t)
			endpoint := there.create(t, "/v1/webhook-endpoints", map[string]any{"url": hook.url, "event_types": []string{"site.created"}})
			returned := false
			c.away(t)
			defer func() {
				if !returned {
					c.return_(t)
				}
			}()
			load := start(t, there, gone)
			time.Sleep(4 * time.Second)
			if in := send(t, "", "POST", product.Description().AdminURL+"/internal/sign-in", map[string]any{"email": there.Administrator.Email,
				"password": there.Administrator.Password}); in.Status != 200 {
				t.Errorf("somebody of the first cell signs in: %d %s", in.Status, in.Body)
			}
			if in := send(t, "", "POST", product.Description().AdminURL+"/internal/sign-in", map[string]any{"email": gone.Administrator.Email,
				"password": gone.Administrator.Password}); !refused(in) {
				t.Errorf("somebody of the cell that is away signs in: %d %s", in.Status, in.Body)
			}
			screens(t, there)
			site := there.create(t, "/v1/sites", map[string]any{"name": "Meanwhile " + uuid.NewString()[:8]})
			testwait.For(t, timeout, "the delivery", func() bool { return hook.has("site.created " + site) })
			if ready := send(t, "", "GET", product.Description().BaseURL+"/readyz", nil); ready.Status != 200 {
				t.Errorf("the gateway is not ready: %s", ready.Body)
			}
			load.end(t)
			c.return_(t)
			returned = true
			testwait.For(t, timeout, "it serves again, and has what it had", func() bool {
				a, err := apiclient.Send(client, gone.Keys["full"], "GET", product.Description().BaseURL+"/v1/sites/"+kept, nil)
				return err == nil && a.Status == 200
			})
			there.call(t, 204, "DELETE", "/v1/webhook-endpoints/"+endpoint, nil)
		})
	}
}

// load is callers of two organizations, one of which is refused.
type load struct {
	stop    atomic.Bool
	callers sync.WaitGroup

	mu      sync.Mutex
	wrong   []string
	served  int
	refused int
	longest time.Duration // of a refusal
}

// start has eight callers of each organization read and write until end.
func start(t *testing.T, there, gone member) *load {
	l := &load{}
	for i := range 16 {
		l.callers.Go(func() {
			m := there
			if i%2 == 1 {
				m = gone
			}
			for n := 0; !l.stop.Load(); n++ {
				method, path, body := "GET", "/v1/sites?per_page=5", any(nil)
				if n%4 == 3 {
					method, path, body = "POST", "/v1/sites", map[string]any{"name": "Load " + uuid.NewString()}
				}
				began := time.Now()
				a, err := apiclient.Send(client, m.Keys["full"], method, product.Description().BaseURL+path, body)
				l.count(a, err, m.cell == gone.cell, time.Since(began))
				time.Sleep(150 * time.Millisecond) // keys have a limit of requests in a minute
			}
		})
	}
	return l
}

func (l *load) count(a apiclient.Response, err error, away bool, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil && a.Status == 429: // the key's own limit, in either cell
	case err == nil && away && refused(a):
		l.refused++
		l.longest = max(l.longest, took)
	case err == nil && !away && a.Status < 300:
		l.served++
	default:
		l.wrong = append(l.wrong, fmt.Sprintf("away: %v, %d %v %.200s", away, a.Status, err, a.Body))
	}
}

func (l *load) end(t *testing.T) {
	t.Helper()
	l.stop.Store(true)
	l.callers.Wait()
	if len(l.wrong) > 0 {
		t.Errorf("%d requests did not end as they should, the first: %s", len(l.wrong), l.wrong[0])
	}
	if l.served == 0 || l.refused == 0 {
		t.Errorf("%d served, %d refused", l.served, l.refused)
	}
	t.Logf("%d served; %d refused, after %s at most", l.served, l.refused, l.longest.Round(time.Millisecond))
	if l.longest > 20*time.Second { // 2 s are promised, on a machine with nothing else to do
		t.Errorf("a refusal took %s", l.longest)
	}
}
