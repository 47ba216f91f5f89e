package gateway

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ams.internal/libs/telemetry/telemetrytest"
)

// A revocation that has its response holds for every request that starts later, on every gateway, however many are in flight.
func TestRevocationIsSeenByTheNextRequestOnEveryGateway(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{}`))
	})
	w.people()
	many := func(c *Config) { c.KeyInFlight = 1000; c.DatabaseConnections = 10 }
	g1, g2 := w.start(many), w.start(many)
	session := w.signIn(g1, "ada@example.ca")
	var sent, succeeded, late atomic.Int64
	const keys, workers = 8, 8
	var all sync.WaitGroup
	for k := range keys {
		value, id := w.key(newKey{organization: people.organization})
		var revokedAt atomic.Int64 // when the revocation had its response
		var own atomic.Int64       // requests with this key
		stop := make(chan struct{})
		var requests sync.WaitGroup
		for i := range workers {
			g := []*running{g1, g2}[i%2]
			requests.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					begin := time.Now().UnixNano()
					a, err := try("GET", g.url+"/v1/assets", value)
					if err != nil {
						t.Errorf("request: %v", err)
						return
					}
					sent.Add(1)
					own.Add(1)
					if revoked := revokedAt.Load(); a.StatusCode == 200 {
						succeeded.Add(1)
						if revoked != 0 && begin > revoked {
							late.Add(1)
						}
					}
				}
			})
		}
		all.Go(func() {
			for own.Load() < int64(100+20*k) { // fewer than the key's limit, so that only the revocation ends them
				time.Sleep(time.Millisecond)
			}
			a := call(t, "POST", []*running{g1, g2}[k%2].internal+"/internal/organizations/"+people.organization+"/keys/"+id+"/revoke", session)
			if a.StatusCode != 200 {
				t.Errorf("revoke: %d %s", a.StatusCode, a.body)
			}
			revokedAt.Store(time.Now().UnixNano())
			for _, g := range []*running{g1, g2} {
				if a := call(t, "GET", g.url+"/v1/assets", value); a.StatusCode != 401 || a.json(t)["code"] != "key_revoked" {
					t.Errorf("the next request got %d %s", a.StatusCode, a.body)
				}
			}
			for enough := own.Load() + 150; own.Load() < enough; {
				time.Sleep(time.Millisecond)
			}
			close(stop)
			requests.Wait()
		})
	}
	all.Wait()
	if late.Load() != 0 {
		t.Errorf("%d requests that started after the response to the revocation succeeded", late.Load())
	}
	if sent.Load() < 2000 || succeeded.Load() < 500 {
		t.Errorf("only %d requests (%d successes): too few to show anything", sent.Load(), succeeded.Load())
	}
	t.Logf("%d requests, %d of them successful, %d after the revocation", sent.Load(), succeeded.Load(), late.Load())
}

// Requests that arrive together share look-ups, and still each is looked up after it arrived.
func TestLookupsAreShared(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{}`))
	})
	collector := telemetrytest.Start(t)
	g := w.start(func(c *Config) { c.KeyInFlight, c.OTLPEndpoint = 1000, collector.URL })
	var work sync.WaitGroup
	const callers, each = 64, 15
	for range callers {
		value, _ := w.key(newKey{})
		work.Go(func() {
			for range each {
				a, err := try("GET", g.url+"/v1/assets", value)
				if err != nil || a.StatusCode != 200 {
					t.Errorf("%v %v", a, err)
				}
			}
		})
	}
	work.Wait()
	g.stop()
	if statements := lookups(collector); statements >= callers*each || statements == 0 {
		t.Errorf("%d statements for %d requests", statements, callers*each)
	} else {
		t.Logf("%d statements for %d requests of %d callers at once", statements, callers*each, callers)
	}
}

// lookups is how many statements looked up keys, as a gateway reported that has stopped.
func lookups(collector *telemetrytest.Collector) (statements int64) {
	for _, p := range collector.Points() {
		if p.Name == "ams.gateway.key.lookup.duration" {
			statements += int64(p.Count)
		}
	}
	return statements
}

func TestAChangeOfPlanIsInForceAtTheNextRequest(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	w.serve("los", echo)
	g1, g2 := w.start(), w.start()
	organization := newID()
	key, _ := w.key(newKey{organization: organization, plan: "essentials"})
	set := func(change string) {
		t.Helper()
		a := send(t, "PATCH", g1.internal+"/internal/organizations/"+organization, testToken, change)
		if a.StatusCode != 200 {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
	}
	expect := func(path string, status int) {
		t.Helper()
		for _, g := range []*running{g1, g2} {
			if a := call(t, "GET", g.url+path, key); a.StatusCode != status {
				t.Errorf("%s: %d %s, wanted %d", path, a.StatusCode, a.body, status)
			}
		}
	}
	expect("/v1/assets", 403)
	set(`{"add_ons":["api_keys"]}`)
	expect("/v1/assets", 200)
	expect("/v1/los/measures", 403)
	set(`{"add_ons":["api_keys","los"]}`)
	expect("/v1/los/measures", 200)
	set(`{"plan":"enterprise","add_ons":[]}`)
	expect("/v1/los/measures", 200)
	set(`{"plan":"professional"}`)
	expect("/v1/assets", 403)
}
