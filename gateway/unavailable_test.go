package gateway

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"ams.internal/libs/discovery"
	"ams.internal/libs/discovery/consultest"
	"ams.internal/libs/testwait"
)

// cable is a line to a server that can be cut: refused, or hanging as a partition does.
type cable struct {
	listener net.Listener
	target   string

	mu          sync.Mutex
	cut, hang   bool
	connections []net.Conn
}

func newCable(t testing.TB, target string) *cable {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{listener: listener, target: target}
	t.Cleanup(func() { _ = listener.Close(); c.set(true, false) })
	go c.run()
	return c
}

func (c *cable) run() {
	for {
		near, err := c.listener.Accept()
		if err != nil {
			return
		}
		c.mu.Lock()
		cut, hang := c.cut, c.hang
		c.connections = append(c.connections, near)
		c.mu.Unlock()
		if cut {
			_ = near.Close()
			continue
		}
		if hang {
			continue
		}
		far, err := net.Dial("tcp", c.target)
		if err != nil {
			_ = near.Close()
			continue
		}
		c.mu.Lock()
		c.connections = append(c.connections, far)
		c.mu.Unlock()
		go c.copy(near, far)
		go c.copy(far, near)
	}
}

func (c *cable) copy(to, from net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		c.mu.Lock()
		hang := c.hang
		c.mu.Unlock()
		if n > 0 && !hang {
			_, _ = to.Write(buffer[:n])
		}
		if err != nil {
			_ = to.Close()
			return
		}
	}
}

// set cuts the line, lets it hang, or (false, false) mends it for new connections.
func (c *cable) set(cut, hang bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut, c.hang = cut, hang
	if !hang {
		for _, connection := range c.connections {
			_ = connection.Close()
		}
		c.connections = nil
	}
}

func (c *cable) databaseURL(t testing.TB, original string) string {
	t.Helper()
	parsed, err := url.Parse(original)
	if err != nil {
		t.Fatal(err)
	}
	parsed.Host = c.listener.Addr().String()
	return parsed.String()
}

// A key store that is unavailable is no reason to call a valid key bad: it is a 503, soon, until it has recovered.
func TestPostgresUnavailableAndRecovered(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	original, err := url.Parse(w.database.URL)
	if err != nil {
		t.Fatal(err)
	}
	line := newCable(t, original.Host)
	g := w.start(func(c *Config) { c.DatabaseURL = line.databaseURL(t, w.database.URL) })
	key, _ := w.key(newKey{})
	if a := call(t, "GET", g.url+"/v1/assets", key); a.StatusCode != 200 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	for name, how := range map[string][2]bool{"refusing": {true, false}, "hanging": {false, true}} {
		t.Run(name, func(t *testing.T) {
			line.set(how[0], how[1])
			var callers sync.WaitGroup
			for range 8 { // those who wait for the next look-up must not wait for two
				callers.Go(func() {
					begin := time.Now()
					a, err := try("GET", g.url+"/v1/assets", key)
					if err != nil {
						t.Error(err)
						return
					}
					assertUnavailable(t, a, "plan_unconfirmed")
					if took := time.Since(begin); took > 2200*time.Millisecond {
						t.Errorf("responded after %s", took)
					}
				})
			}
			callers.Wait()
			if a := call(t, "GET", g.url+"/v1/assets", ""); a.StatusCode != 401 {
				t.Errorf("without a key: %d", a.StatusCode)
			}
			if a := call(t, "GET", g.url+"/docs", ""); a.StatusCode != 200 {
				t.Errorf("the documentation: %d", a.StatusCode)
			}
			line.set(false, false)
			for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(50 * time.Millisecond) {
				if a := call(t, "GET", g.url+"/v1/assets", key); a.StatusCode == 200 {
					return
				} else if time.Now().After(deadline) {
					t.Fatalf("Postgres has recovered, and the response is %d %s", a.StatusCode, a.body)
				}
			}
		})
	}
}

// While keys cannot be looked up, the requests of those who have one are not counted for their address: people behind the same
// address could not sign in when the database is back.
func TestARequestWhoseKeyCannotBeLookedUpIsNotCountedForItsAddress(t *testing.T) {
	w := newFixture(t)
	original, err := url.Parse(w.database.URL)
	if err != nil {
		t.Fatal(err)
	}
	line := newCable(t, original.Host)
	const limit = 3
	g := w.start(func(c *Config) { c.DatabaseURL, c.AddressLimit = line.databaseURL(t, w.database.URL), limit })
	key, _ := w.key(newKey{})
	line.set(true, false)
	for range 3 * limit {
		a := call(t, "GET", g.url+"/v1/assets", key)
		assertUnavailable(t, a, "plan_unconfirmed")
		if left, most, reset := a.Header.Get("X-RateLimit-Remaining"), a.Header.Get("X-RateLimit-Limit"),
			a.Header.Get("X-RateLimit-Reset"); left != "3" || most != "3" || reset == "0" {
			t.Errorf("the headers of what was not counted: %s of %s until %s", left, most, reset)
		}
	}
	if a := call(t, "GET", g.url+"/docs", ""); a.StatusCode != 200 {
		t.Errorf("what needs no key: %d %s", a.StatusCode, a.body)
	}
}

func assertUnavailable(t testing.TB, a *fullResponse, code string) {
	t.Helper()
	if a.StatusCode != 503 || a.json(t)["code"] != code || a.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s, Retry-After %q", a.StatusCode, a.body, a.Header.Get("Retry-After"))
	}
	assertHeaders(t, a)
}

func TestAllInstancesUnavailableIsA503WithinASecond(t *testing.T) {
	w := newFixture(t)
	s1, s2 := w.serve("assets", echo), w.serve("assets", echo)
	w.serve("users", echo)
	g := w.start()
	key, _ := w.key(newKey{})
	s1.Close()
	for range 20 { // one of two is down: nobody notices, whatever the method
		for _, method := range []string{"GET", "POST", "PATCH", "DELETE"} {
			if a := call(t, method, g.url+"/v1/assets", key); a.StatusCode != 200 {
				t.Fatalf("%s: %d %s", method, a.StatusCode, a.body)
			}
		}
	}
	s2.Close()
	for range 5 {
		begin := time.Now()
		assertUnavailable(t, call(t, "POST", g.url+"/v1/assets", key), "service_unavailable")
		if took := time.Since(begin); took > time.Second {
			t.Errorf("responded after %s", took)
		}
	}
	if a := call(t, "GET", g.url+"/v1/users", key); a.StatusCode != 200 {
		t.Errorf("another service: %d", a.StatusCode)
	}
}

// registered is a service in Consul.
func registered(t testing.TB, agent *consultest.Agent, name string, handler http.HandlerFunc) (*httptest.Server, *discovery.Lease,
	*discovery.Directory) {
	t.Helper()
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Consul, ConsulAddr: agent.Addr, Region: agent.Datacenter})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	lease, err := directory.Register(t.Context(), name, server.Listener.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	lease.SetReady(true)
	return server, lease, directory
}

// awaitStatus repeats a request until the response has the status.
func awaitStatus(t testing.TB, within time.Duration, status int, request func() *fullResponse) (last *fullResponse) {
	t.Helper()
	testwait.ForSuccess(t, within, fmt.Sprint("status ", status), func() error {
		if last = request(); last.StatusCode != status {
			return fmt.Errorf("%d %s", last.StatusCode, last.body)
		}
		return nil
	})
	return last
}

func TestConsulUnavailableAndWiped(t *testing.T) {
	agent := consultest.Start(t)
	w := newFixture(t)
	key, _ := w.key(newKey{})
	server, _, _ := registered(t, agent, "assets", echo)
	g := w.start(func(c *Config) { c.Discovery, c.ConsulAddr = "consul", agent.Addr })
	t.Parallel() // what follows waits, and uses no processor
	get := func() *fullResponse { return call(t, "GET", g.url+"/v1/assets", key) }
	awaitStatus(t, 10*time.Second, 200, get)

	agent.Stop()
	for range 20 {
		if a := get(); a.StatusCode != 200 {
			t.Fatalf("Consul is down: %d %s", a.StatusCode, a.body)
		}
	}
	agent.Restart(true) // forgets everybody; they come back by themselves
	for range 40 {
		if a := get(); a.StatusCode != 200 {
			t.Fatalf("Consul was wiped: %d %s", a.StatusCode, a.body)
		}
		time.Sleep(50 * time.Millisecond)
	}
	registered(t, agent, "users", echo)
	awaitStatus(t, 10*time.Second, 200, func() *fullResponse { return call(t, "GET", g.url+"/v1/users", key) })

	server.Close() // dead, and still in the catalogue
	begin := time.Now()
	assertUnavailable(t, get(), "service_unavailable")
	if took := time.Since(begin); took > time.Second {
		t.Errorf("responded after %s", took)
	}
}

func TestRegions(t *testing.T) {
	canada := consultest.Start(t)
	other := consultest.Start(t, consultest.Datacenter("us-east-1"), consultest.Join(canada))
	w := newFixture(t)
	key, _ := w.key(newKey{})
	in := func(region string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"in":"`+region+`","query":"`+r.URL.RawQuery+`"}`)
		}
	}
	near, _, _ := registered(t, other, "assets", in("us-east-1"))
	registered(t, canada, "assets", in("ca-central-1"))
	g := w.start(func(c *Config) { c.Discovery, c.ConsulAddr, c.Region = "consul", other.Addr, "us-east-1" })

	expect := func(a *fullResponse, region string) {
		t.Helper()
		if a.StatusCode != 200 || a.json(t)["in"] != region || a.Header.Get("X-Served-Region") != region || a.json(t)["query"] != "" {
			t.Errorf("wanted %s: %d %s %s", region, a.StatusCode, a.Header.Get("X-Served-Region"), a.body)
		}
	}
	pinned := func() *fullResponse { return call(t, "GET", g.url+"/v1/assets", key, "X-Region", "ca-central-1") }
	expect(awaitStatus(t, 20*time.Second, 200, pinned), "ca-central-1")
	anywhere := func() *fullResponse { return call(t, "GET", g.url+"/v1/assets", key) }
	testwait.For(t, 20*time.Second, "the gateway knows the instance of its region", func() bool {
		return anywhere().Header.Get("X-Served-Region") == "us-east-1"
	})
	expect(anywhere(), "us-east-1")
	expect(call(t, "GET", g.url+"/v1/assets?forceFunctionRegion=ca-central-1", key), "ca-central-1")
	expect(call(t, "GET", g.url+"/v1/assets?forceFunctionRegion=us-east-1", key, "X-Region", "ca-central-1"), "ca-central-1")

	near.Close() // this region has nobody: who did not pin is served by the nearest other one
	expect(awaitStatus(t, 10*time.Second, 200, func() *fullResponse { return call(t, "GET", g.url+"/v1/assets", key) }), "ca-central-1")
	a := call(t, "GET", g.url+"/v1/assets", key, "X-Region", "us-east-1") // pinned means pinned
	assertUnavailable(t, a, "region_unavailable")

	me := call(t, "GET", g.url+"/v1/me", key).json(t)
	if regions := me["regions"].([]any); len(regions) != 2 || me["region"] != "us-east-1" {
		t.Errorf("me: %v", me)
	}
	if strings.Contains(g.logs.String(), "panic") {
		t.Error(g.logs.String())
	}
}
