package gateway

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"ams.internal/libs/fault"
	"ams.internal/libs/telemetry/telemetrytest"
	"ams.internal/libs/testwait"
	"ams.internal/libs/transport"
)

// ceilings sets limits of an organization, as columns and values.
func (w *fixture) ceilings(organization, assignments string) {
	w.t.Helper()
	w.exec("UPDATE organization SET "+assignments+" WHERE organization_id = $1", organization)
}

// store is a client of the gateways' Redis.
func (w *fixture) store() *redis.Client {
	store := redis.NewClient(&redis.Options{Addr: w.redis.address})
	w.t.Cleanup(func() { _ = store.Close() })
	return store
}

// holding is a service that holds requests with the query "slow" until it is told to let them go.
type holding struct {
	entered atomic.Int64
	release chan struct{}
	work    sync.WaitGroup
}

func (w *fixture) holding(services ...string) *holding {
	h := &holding{release: make(chan struct{})}
	for _, name := range services {
		w.serve(name, h.echo)
	}
	return h
}

// echo answers as echo does, and what asks for slow not before it is let go.
func (h *holding) echo(out http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Has("slow") {
		h.entered.Add(1)
		<-h.release
	}
	echo(out, r)
}

// hold sends a request and waits until the service has it.
func (h *holding) hold(t *testing.T, url, key string, headers ...string) {
	t.Helper()
	before := h.entered.Load()
	h.work.Go(func() {
		if a, err := try("GET", url, key, headers...); err != nil || a.StatusCode != 200 {
			t.Errorf("a request that was held: %v %v", a, err)
		}
	})
	testwait.For(t, 10*time.Second, "the service has the request", func() bool { return h.entered.Load() > before })
}

// letGo lets all requests go.
func (h *holding) letGo() {
	close(h.release)
	h.work.Wait()
}

func says(t *testing.T, a *fullResponse, words string) {
	t.Helper()
	if sentence, _ := a.json(t)["error"].(string); !strings.Contains(sentence, words) {
		t.Errorf("%q does not say %q", sentence, words)
	}
}

func TestAnOrganizationsMinuteIsExactOverKeysAndGateways(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	many := func(c *Config) { c.KeyInFlight = 1000 }
	g1, g2 := w.start(many), w.start(many)
	organization := newID()
	var own []string
	for range 4 {
		key, _ := w.key(newKey{organization: organization})
		own = append(own, key)
	}
	other, _ := w.key(newKey{})
	w.ceilings(organization, "requests_per_minute = 150, requests_in_flight = 1000")
	withinOneMinute(20 * time.Second)
	var mu sync.Mutex
	passed, work := 0, sync.WaitGroup{}
	for _, key := range own {
		work.Go(func() {
			statuses := hammer(t, 100, 16, key, g1, g2)
			mu.Lock()
			defer mu.Unlock()
			passed += statuses[200]
			if statuses[200]+statuses[429] != 100 {
				t.Errorf("%v", statuses)
			}
		})
	}
	work.Wait()
	if passed != 150 {
		t.Errorf("%d of 400 requests passed at a ceiling of 150", passed)
	}
	for _, g := range []*running{g1, g2} {
		a := call(t, "GET", g.url+"/v1/assets", own[0])
		assertError(t, a, 429, "organization_rate_limited")
		says(t, a, "Your organization has made more than 150 requests in this minute over all its keys")
		if got := a.Header.Get("X-RateLimit-Limit") + " " + a.Header.Get("X-RateLimit-Remaining"); got != "150 0" {
			t.Errorf("the headers show %s", got)
		}
		if a := call(t, "GET", g.url+"/v1/assets", other); a.StatusCode != 200 || a.Header.Get("X-RateLimit-Limit") != "1000" {
			t.Errorf("another organization: %d, a limit of %s", a.StatusCode, a.Header.Get("X-RateLimit-Limit"))
		}
	}
}

func TestWhatIsOverAKeysLimitDoesNotCountAgainstTheOrganization(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	g := w.start()
	organization := newID()
	narrow, _ := w.key(newKey{organization: organization, rateLimit: 5})
	expired, _ := w.key(newKey{organization: organization, expiresIn: -time.Second})
	wide, _ := w.key(newKey{organization: organization})
	w.ceilings(organization, "requests_per_minute = 20")
	withinOneMinute(20 * time.Second)
	if statuses := hammer(t, 60, 16, narrow, g); statuses[200] != 5 {
		t.Errorf("%v", statuses)
	}
	assertError(t, call(t, "GET", g.url+"/v1/assets", narrow), 429, "rate_limited")
	hammer(t, 30, 4, expired, g)
	if statuses := hammer(t, 60, 16, wide, g); statuses[200] != 15 {
		t.Errorf("5 of 20 were used by another key: %v", statuses)
	}

	// Without Redis it goes on from there.
	w.redis.stop()
	assertError(t, call(t, "GET", g.url+"/v1/assets", wide), 429, "organization_rate_limited")
}

func TestRequestsThatCameInOneAreCountedForTheOrganization(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	g := w.start()
	organization := newID()
	first, _ := w.key(newKey{organization: organization})
	second, _ := w.key(newKey{organization: organization})
	w.ceilings(organization, "requests_per_minute = 20")
	withinOneMinute(10 * time.Second)
	if a := g.countRequestsAt(t, first, "203.0.113.7", 20); a.StatusCode != 200 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	assertError(t, call(t, "GET", g.url+"/v1/assets", second), 429, "organization_rate_limited")
	if a := g.countRequestsAt(t, second, "203.0.113.7", 1); a.StatusCode != 429 || a.json(t)["code"] != "organization_rate_limited" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
}

func TestRequestsInProgressAreCountedOverKeysAndGateways(t *testing.T) {
	w := newFixture(t)
	h := w.holding("assets")
	g1, g2 := w.start(), w.start()
	t.Parallel() // what follows waits, and uses no processor
	organization := newID()
	first, _ := w.key(newKey{organization: organization})
	second, _ := w.key(newKey{organization: organization})
	other, _ := w.key(newKey{})
	w.ceilings(organization, "requests_in_flight = 3")
	h.hold(t, g1.url+"/v1/assets?slow", first)
	h.hold(t, g2.url+"/v1/assets?slow", first)
	h.hold(t, g2.url+"/v1/assets?slow", second)
	for _, g := range []*running{g1, g2} {
		a := call(t, "GET", g.url+"/v1/assets", second)
		assertError(t, a, 429, "too_many_in_flight")
		says(t, a, "Your organization has 3 requests in progress over all its keys")
		if a.Header.Get("Retry-After") != "1" || a.Header.Get("X-RateLimit-Limit") != "1000" {
			t.Errorf("%v", a.Header)
		}
		if a := call(t, "GET", g.url+"/v1/assets", other); a.StatusCode != 200 {
			t.Errorf("another organization: %d", a.StatusCode)
		}
	}

	// What runs is reported again and again, although nobody asks.
	store, flights := w.store(), "ams:flight:{"+organization+"}"
	before := store.HGetAll(t.Context(), flights).Val()
	testwait.For(t, 10*time.Second, "both gateways report again", func() bool {
		now := store.HGetAll(t.Context(), flights).Val()
		again := 0
		for gateway, value := range now {
			if value != before[gateway] {
				again++
			}
		}
		return again == 2
	})
	h.letGo()
	testwait.For(t, 10*time.Second, "nothing of what has ended lingers", func() bool {
		return len(store.HGetAll(t.Context(), flights).Val()) == 0
	})
	for _, g := range []*running{g1, g2} {
		if a := call(t, "GET", g.url+"/v1/assets", first); a.StatusCode != 200 {
			t.Errorf("after all have their responses: %d %s", a.StatusCode, a.body)
		}
	}
}

func TestABurstOnTwoGatewaysIsNotAboveTheCeiling(t *testing.T) {
	w := newFixture(t)
	h := w.holding("assets")
	g1, g2 := w.start(), w.start()
	organization := newID()
	var own []string
	for range 4 {
		key, _ := w.key(newKey{organization: organization})
		own = append(own, key)
	}
	w.ceilings(organization, "requests_in_flight = 10")
	var refused atomic.Int64
	var work sync.WaitGroup
	for i := range 80 {
		work.Go(func() {
			a, err := try("GET", []*running{g1, g2}[i%2].url+"/v1/assets?slow", own[i%4])
			switch {
			case err != nil:
				t.Error(err)
			case a.StatusCode == 429:
				refused.Add(1)
			}
		})
	}
	testwait.For(t, 20*time.Second, "everybody is served or refused", func() bool { return refused.Load()+h.entered.Load() == 80 })
	if h.entered.Load() > 10 || h.entered.Load() == 0 {
		t.Errorf("%d are in progress at a ceiling of 10", h.entered.Load())
	}
	h.letGo()
	work.Wait()
}

func TestTheRequestsOfAKilledGatewayLapse(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	g := w.start()
	organization := newID()
	key, _ := w.key(newKey{organization: organization})
	store, flights := w.store(), "ams:flight:{"+organization+"}"
	report := func(ago time.Duration) {
		at := store.Time(t.Context()).Val().Add(-ago).Unix()
		store.HSet(t.Context(), flights, "a killed gateway", fmt.Sprintf("%d 60 0 0", at))
	}
	report(0)
	assertError(t, call(t, "GET", g.url+"/v1/assets", key), 429, "too_many_in_flight")
	report(6 * time.Second)
	if a := call(t, "GET", g.url+"/v1/assets", key); a.StatusCode != 200 {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if store.HExists(t.Context(), flights, "a killed gateway").Val() {
		t.Error("what lapsed is kept")
	}
	if life := store.TTL(t.Context(), flights).Val(); life <= 0 || life > time.Minute {
		t.Errorf("the report lives %s", life)
	}
}

func TestStreamsAndLongPollsHaveCeilingsOfTheirOwn(t *testing.T) {
	w := newFixture(t)
	h := w.holding("assets", "webhooks")
	g1, g2 := w.start(), w.start()
	organization := newID()
	key, _ := w.key(newKey{organization: organization})
	w.ceilings(organization, "streams = 2, long_polls = 1")
	h.hold(t, g1.url+"/v1/assets?slow", key, "Accept", "text/csv")
	h.hold(t, g2.url+"/v1/assets?slow", key, "Accept", "application/geo+json, application/json;q=0.5")
	h.hold(t, g1.url+"/v1/events?slow&wait=5", key)
	for _, g := range []*running{g1, g2} {
		a := call(t, "GET", g.url+"/v1/assets", key, "Accept", "Application/X-NDJSON")
		assertError(t, a, 429, "too_many_streams")
		says(t, a, "2 streams")
		a = call(t, "GET", g.url+"/v1/events?%77ait=1", key)
		assertError(t, a, 429, "too_many_long_polls")
		says(t, a, "ask without wait")
		for _, other := range []string{"/v1/assets", "/v1/events", "/v1/events?wait=0", "/v1/events?wait=soon", "/v1/assets?wait=5"} {
			if a := call(t, "GET", g.url+other, key); a.StatusCode != 200 {
				t.Errorf("%s: %d %s", other, a.StatusCode, a.body)
			}
		}
		if a := call(t, "POST", g.url+"/v1/assets", key, "Accept", "text/csv"); a.StatusCode != 200 {
			t.Errorf("a POST: %d %s", a.StatusCode, a.body)
		}
	}
	h.letGo()
}

func TestWithoutRedisAGatewayHoldsTheCeilingsByItself(t *testing.T) {
	w := newFixture(t)
	h := w.holding("assets")
	g1, g2 := w.start(), w.start()
	organization := newID()
	key, _ := w.key(newKey{organization: organization})
	w.ceilings(organization, "requests_in_flight = 1")
	w.redis.stop()
	h.hold(t, g1.url+"/v1/assets?slow", key)
	assertError(t, call(t, "GET", g1.url+"/v1/assets", key), 429, "too_many_in_flight")
	if a := call(t, "GET", g2.url+"/v1/assets", key); a.StatusCode != 200 {
		t.Errorf("the other gateway: %d %s", a.StatusCode, a.body)
	}
	h.letGo()
}

func TestWhoIsHeldBackIsCountedAndNamed(t *testing.T) {
	collector := telemetrytest.Start(t)
	w := newFixture(t)
	w.serve("assets", echo)
	g := w.start(observed(collector))
	organization := newID()
	key, _ := w.key(newKey{organization: organization})
	w.ceilings(organization, "requests_per_minute = 2")
	withinOneMinute(20 * time.Second)
	for range 5 {
		call(t, "GET", g.url+"/v1/assets", key)
	}
	g.edge.CheckHeldBack(t.Context())
	if log := g.logs.String(); !strings.Contains(log, "held back") || !strings.Contains(log, organization) {
		t.Errorf("the log does not name the organization: %s", log)
	}
	g.stop()
	counted := map[string]float64{}
	for _, p := range collector.Points() {
		switch p.Name {
		case "ams.gateway.limit.decisions":
			counted[p.Attributes["decision"]+" "+p.Attributes["identity"]] = p.Value
		case "ams.gateway.organizations.held_back":
			counted["held back"] = p.Value
		case "ams.gateway.limit.alone":
			counted["alone"] = p.Value
		}
	}
	if _, reported := counted["alone"]; !reported {
		t.Error("what is counted without Redis is not reported from the start")
	}
	if counted["allowed key"] != 2 || counted["over_limit organization"] != 3 || counted["held back"] != 1 {
		t.Errorf("%v", counted)
	}
}

// A service that refuses an organization because of its other requests holds it back as well.
func TestWhoIsHeldBackByAServiceIsNamed(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", func(rw http.ResponseWriter, _ *http.Request) {
		refusal := fault.New(fault.KindRateLimited, "too_many_in_flight", "Other requests are being worked on.")
		transport.WriteFault(rw, nil, refusal)
	})
	g := w.start()
	organization := newID()
	key, _ := w.key(newKey{organization: organization})
	if a := call(t, "GET", g.url+"/v1/assets", key); a.StatusCode != http.StatusTooManyRequests {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	g.edge.CheckHeldBack(t.Context())
	if log := g.logs.String(); !strings.Contains(log, "held back") || !strings.Contains(log, organization) {
		t.Errorf("the log does not name the organization: %s", log)
	}
}

// Uploads and downloads last for hours where a network is slow. They take places of their key's alone, and leave everything else alone:
// also what the same key asks for besides, and what its organization does with other keys.
func TestTransfersTakePlacesOfTheirKeyAlone(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	release, entered := make(chan struct{}), atomic.Int64{}
	letGo := sync.OnceFunc(func() { close(release) })
	defer letGo()
	w.serveContent(func(out http.ResponseWriter, r *http.Request) {
		first := make([]byte, 1)
		_, _ = r.Body.Read(first)
		entered.Add(1)
		select {
		case <-release:
		case <-r.Context().Done():
		}
		echo(out, r)
	})
	g1, g2 := w.start(), w.start()
	t.Parallel() // what follows waits, and uses no processor
	organization := newID()
	key, id := w.key(newKey{organization: organization})
	second, _ := w.key(newKey{organization: organization})
	other, _ := w.key(newKey{})
	w.ceilings(organization, "requests_in_flight = 2, streams = 1")
	var work sync.WaitGroup
	hold := func(number int, send func(g *running) (*fullResponse, error)) {
		before := entered.Load()
		for i := range number {
			work.Go(func() {
				if a, err := send([]*running{g1, g2}[i%2]); err != nil || a.StatusCode != 200 {
					t.Errorf("a transfer that was held: %v %v", a, err)
				}
			})
			testwait.For(t, 10*time.Second, "the service has it", func() bool { return entered.Load() == before+int64(i)+1 })
		}
	}
	upload := func(key string) func(*running) (*fullResponse, error) {
		return func(g *running) (*fullResponse, error) {
			return sendContent(t, "PATCH", g.url+"/v1/uploads/u1", key, content(100_000), 100_000)
		}
	}
	download := func(g *running) (*fullResponse, error) { return try("GET", g.url+contentPath, key) }
	hold(4, upload(key))
	hold(16, download)
	all := func() {
		t.Helper()
		for _, g := range []*running{g1, g2} {
			a, err := upload(key)(g)
			if err != nil {
				t.Fatal(err)
			}
			assertError(t, a, 429, "too_many_uploads")
			says(t, a, "This key has 4 uploads in progress")
			if a.Header.Get("Retry-After") != "1" {
				t.Errorf("%v", a.Header)
			}
			a = call(t, "GET", g.url+"/v1/documents/archive", key)
			assertError(t, a, 429, "too_many_downloads")
			says(t, a, "This key has 16 downloads in progress")
			for _, who := range []string{key, second, other} {
				if a := call(t, "GET", g.url+"/v1/assets", who); a.StatusCode != 200 {
					t.Errorf("another request: %d %s", a.StatusCode, a.body)
				}
			}
		}
	}
	all()
	hold(1, upload(second))
	hold(1, upload(other))

	// What nobody reports counts no more after five seconds: these are reported for as long as they last.
	store, flights := w.store(), "ams:flight:{"+organization+"}:"+id+":uploads"
	for end := time.Now().Add(11 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if reports := store.HLen(t.Context(), flights).Val(); reports != 2 {
			t.Fatalf("%d of 2 gateways say what they have in progress", reports)
		}
	}
	all()
	letGo()
	work.Wait()
	testwait.For(t, 10*time.Second, "nothing of what has ended lingers", func() bool { return store.HLen(t.Context(), flights).Val() == 0 })
	if a, err := upload(key)(g1); err != nil || a.StatusCode != 200 {
		t.Errorf("after all have ended: %v %v", a, err)
	}
}

// A body is what makes an upload: an upload that is only created, and the metadata of a document, take a place like any request.
func TestWhatCarriesNoContentIsNoTransfer(t *testing.T) {
	w := newFixture(t)
	h := w.holding("documents")
	defer h.letGo()
	g := w.start()
	organization := newID()
	key, _ := w.key(newKey{organization: organization})
	w.ceilings(organization, "requests_in_flight = 1")
	h.hold(t, g.url+"/v1/documents/x?slow", key)
	for _, path := range []string{"/v1/documents/x/thumbnail", "/v1/documents", "/v1/documents/x/revisions"} {
		assertError(t, call(t, "GET", g.url+path, key), 429, "too_many_in_flight")
	}
	if a := call(t, "HEAD", g.url+contentPath, key); a.StatusCode != 429 {
		t.Errorf("HEAD of content: %d", a.StatusCode)
	}
	assertError(t, call(t, "POST", g.url+"/v1/documents", key), 429, "too_many_in_flight")
	a, err := sendContent(t, "POST", g.url+"/v1/uploads", key, http.NoBody, 0, "Upload-Length", "10")
	if err != nil || a.StatusCode != 429 || a.json(t)["code"] != "too_many_in_flight" {
		t.Errorf("%v %v", a, err)
	}
	if a := call(t, "GET", g.url+contentPath, key); a.StatusCode != 200 {
		t.Errorf("a download: %d %s", a.StatusCode, a.body)
	}
}
