package gateway

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ams.internal/libs/discovery"
	"ams.internal/libs/discovery/consultest"
	"ams.internal/libs/testwait"
)

// mostOfARead is how long a read may wait where an instance that answers stands beside one that hangs.
const mostOfARead = 2 * time.Second

// behindCable is a service that can be made to hang: it takes connections then, and says nothing.
func (w *fixture) behindCable(name string, handler http.HandlerFunc) *cable {
	server := httptest.NewServer(handler)
	w.t.Cleanup(server.Close)
	line := newCable(w.t, server.Listener.Addr().String())
	w.services[name] = append(w.services[name], line.listener.Addr().String())
	return line
}

func TestNoReadWaitsForAnInstanceThatHangsAndAWriteIsToldSo(t *testing.T) {
	w := newFixture(t)
	var seen atomic.Int64
	w.serve("assets", func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/assets" {
			seen.Add(1)
		}
		echo(out, r)
	})
	line := w.behindCable("assets", echo)
	g := w.start()
	t.Parallel() // what follows waits, and uses no processor
	key, _ := w.key(newKey{})
	for range 60 {
		if a := call(t, "GET", g.url+"/v1/assets", key); a.StatusCode != 200 {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
	}
	line.set(false, true)
	seen.Store(0)
	var callers sync.WaitGroup
	var refused atomic.Int64
	for range 8 {
		callers.Go(func() {
			begin := time.Now()
			a := call(t, "GET", g.url+"/v1/assets", key)
			if took := time.Since(begin); a.StatusCode != 200 || took > mostOfARead {
				t.Errorf("a read: %d after %s: %s", a.StatusCode, took, a.body)
			}
		})
		callers.Go(func() {
			begin := time.Now()
			a := call(t, "POST", g.url+"/v1/assets", key)
			switch took := time.Since(begin); {
			case a.StatusCode == 200:
			case took > 10*time.Second:
				t.Errorf("a write is refused after %s", took)
			default:
				refused.Add(1)
				assertUnavailable(t, a, "service_unavailable")
				if !strings.Contains(string(a.body), "may or may not have been done") {
					t.Errorf("a write is told %s", a.body)
				}
			}
		})
	}
	callers.Wait()
	if n := refused.Load(); n == 0 || n > 8 {
		t.Errorf("%d writes were refused", n)
	}
	if n := seen.Load(); n > 16 {
		t.Errorf("the other instance saw 16 requests %d times", n)
	}
	for range 20 { // it is left alone
		for _, method := range []string{"GET", "POST"} {
			begin := time.Now()
			if a := call(t, method, g.url+"/v1/assets", key); a.StatusCode != 200 || time.Since(begin) > mostOfARead {
				t.Errorf("%s: %d after %s: %s", method, a.StatusCode, time.Since(begin), a.body)
			}
		}
	}
	line.set(false, false) // it answers again, and is used again
	testwait.For(t, 10*time.Second, "both instances are used", func() bool {
		seen.Store(0)
		for range 10 {
			if a := call(t, "POST", g.url+"/v1/assets", key); a.StatusCode != 200 {
				t.Errorf("%d %s", a.StatusCode, a.body)
			}
		}
		return seen.Load() < 10
	})
}

func TestWhereTheOnlyInstanceHangsCallersAreToldSoonAndItIsUsedAgain(t *testing.T) {
	w := newFixture(t)
	line := w.behindCable("assets", echo)
	g := w.start()
	t.Parallel() // what follows waits, and uses no processor
	key, _ := w.key(newKey{})
	line.set(false, true)
	for _, method := range []string{"GET", "POST", "GET"} {
		begin := time.Now()
		assertUnavailable(t, call(t, method, g.url+"/v1/assets", key), "service_unavailable")
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("%s: responded after %s", method, took)
		}
	}
	line.set(false, false)
	awaitStatus(t, 10*time.Second, 200, func() *fullResponse { return call(t, "GET", g.url+"/v1/assets", key) })
}

// An instance that says that it lives is not left, whatever takes long: nothing is cut off, and little is asked twice.
func TestWhatTakesLongKeepsTheTimeItIsPromised(t *testing.T) {
	w := newFixture(t)
	var seen sync.Map
	slow := func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/livez" || !r.URL.Query().Has("slow") {
			return
		}
		counted, _ := seen.LoadOrStore(r.Method+r.URL.Query().Get("slow"), new(atomic.Int64))
		counted.(*atomic.Int64).Add(1)
		select {
		case <-time.After(5 * time.Second): // longer than an instance that hangs is given
		case <-r.Context().Done():
		}
		out.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(out, `{}`)
	}
	for _, name := range []string{"assets", "webhooks", "documents"} {
		w.serve(name, slow)
		w.serve(name, slow)
	}
	g := w.start()
	t.Parallel() // what follows waits, and uses no processor
	key, _ := w.key(newKey{})
	var callers sync.WaitGroup
	for _, each := range []struct {
		method, path, accept string
		most                 int64
	}{
		{"GET", "/v1/assets?slow=list", "application/json", 2},
		{"GET", "/v1/assets?slow=export", "application/x-ndjson", 1},
		{"GET", "/v1/events?wait=20&slow=poll", "application/json", 1},
		{"GET", "/v1/documents/archive?slow=archive", "*/*", 1},
		{"POST", "/v1/assets?slow=write", "application/json", 1},
	} {
		callers.Go(func() {
			a := call(t, each.method, g.url+each.path, key, "Accept", each.accept)
			_, name, _ := strings.Cut(each.path, "slow=")
			counted, _ := seen.Load(each.method + name)
			if a.StatusCode != 200 || counted == nil || counted.(*atomic.Int64).Load() > each.most {
				t.Errorf("%s %s: %d %s, seen %v times", each.method, each.path, a.StatusCode, a.body, counted)
			}
		})
	}
	callers.Wait()
}

// A process may hang in one of its operations and say that it lives.
func TestAReadIsAskedOfAnotherInstanceWhereOneOperationHangs(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	w.serve("assets", func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/assets" {
			<-r.Context().Done()
		}
	})
	g := w.start()
	t.Parallel() // what follows waits, and uses no processor
	key, _ := w.key(newKey{})
	for range 8 {
		begin := time.Now()
		if a := call(t, "GET", g.url+"/v1/assets", key); a.StatusCode != 200 || time.Since(begin) > mostOfARead {
			t.Errorf("%d after %s: %s", a.StatusCode, time.Since(begin), a.body)
		}
	}
}

// What runs at an instance whose registration has lapsed, and which says nothing, is ended, however long it may take by itself; reads
// are asked of another instance.
func TestWhatRunsAtAnInstanceWhoseRegistrationHasLapsedIsEnded(t *testing.T) {
	agent := consultest.Start(t)
	w := newFixture(t)
	key, _ := w.key(newKey{})
	waiting := make(chan string, 10)
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/events" {
			waiting <- r.Method
		}
		<-r.Context().Done()
	}))
	t.Cleanup(hanging.Close)
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Consul, ConsulAddr: agent.Addr, Region: agent.Datacenter})
	if err != nil {
		t.Fatal(err)
	}
	lease, err := directory.Register(t.Context(), "webhooks", hanging.Listener.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	lease.SetReady(true)
	g := w.start(func(c *Config) { c.Discovery, c.ConsulAddr = "consul", agent.Addr })
	t.Parallel() // what follows waits, and uses no processor
	responses := make(chan *fullResponse, 1)
	testwait.For(t, 20*time.Second, "a long poll waits at the instance", func() bool {
		ended := make(chan *fullResponse, 1)
		go func() { ended <- call(t, "GET", g.url+"/v1/events?wait=30", key) }()
		select {
		case <-waiting:
			go func() { responses <- <-ended }()
			return true
		case <-ended:
			return false
		}
	})
	registered(t, agent, "webhooks", func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(out, `{"data":[],"next":"here","has_more":false}`)
	})
	directory.Close() // no more heartbeats
	select {
	case a := <-responses:
		if a.StatusCode != 200 || a.json(t)["next"] != "here" {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	case <-time.After(15 * time.Second):
		t.Error("the long poll still waits for the instance")
	}
}

// An instance that drains has left the list, and finishes what it has.
func TestWhatRunsAtAnInstanceThatDrainsIsNotEnded(t *testing.T) {
	agent := consultest.Start(t)
	w := newFixture(t)
	key, _ := w.key(newKey{})
	began := make(chan struct{}, 1)
	server, lease, _ := registered(t, agent, "assets", func(out http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			began <- struct{}{}
			select {
			case <-time.After(8 * time.Second):
			case <-r.Context().Done():
			}
		}
		echo(out, r)
	})
	g := w.start(func(c *Config) { c.Discovery, c.ConsulAddr = "consul", agent.Addr })
	t.Parallel() // what follows waits, and uses no processor
	awaitStatus(t, 10*time.Second, 200, func() *fullResponse { return call(t, "GET", g.url+"/v1/assets", key) })
	responses := make(chan *fullResponse, 1)
	go func() { responses <- call(t, "POST", g.url+"/v1/assets", key) }()
	<-began
	if err := lease.Deregister(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = server.Listener.Close()
	if a := <-responses; a.StatusCode != 200 {
		t.Error(fmt.Sprint(a.StatusCode, " ", string(a.body)))
	}
}
