package discovery_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-kit/kit/endpoint"
	"github.com/go-kit/kit/sd"
	"github.com/go-kit/kit/sd/lb"
	"github.com/go-kit/log"

	"ams.internal/libs/discovery"
	"ams.internal/libs/discovery/consultest"
	"ams.internal/libs/fault"
	"ams.internal/libs/testwait"
)

const own = "ca-central-1"

func TestAnInstanceIsGivenOutOnlyOnceItIsReady(t *testing.T) {
	agent := consultest.Start(t)
	directory := open(t, agent)
	seen := follow(t, directory, "assets", own)
	lease := register(t, directory, "127.0.0.1:7001")

	entry := catalogue(t, agent, 1, false)
	for _, meta := range []string{`"region":"ca-central-1"`, `"protocol":"http"`, `"version":"1.2.3"`} {
		if !strings.Contains(entry, meta) {
			t.Errorf("the catalogue does not hold the instance's meta %s: %s", meta, entry)
		}
	}
	if got := seen(); len(got) != 0 {
		t.Fatalf("an instance that is not ready is given out: %v", got)
	}
	lease.SetReady(true)
	testwait.For(t, time.Second, "the ready instance is seen", func() bool { return slices.Equal(seen(), []string{"127.0.0.1:7001"}) })
	lease.SetReady(false)
	testwait.For(t, time.Second, "it is critical again", func() bool { return catalogue(t, agent, 0, true) == "[]" })
}

func TestLeavingIsSeenAtOnce(t *testing.T) {
	agent := consultest.Start(t)
	directory := open(t, agent)
	stays, leaves := register(t, directory, "127.0.0.1:7001"), register(t, directory, "127.0.0.1:7002")
	stays.SetReady(true)
	leaves.SetReady(true)
	seen := follow(t, directory, "assets", own)
	testwait.For(t, 10*time.Second, "both are seen", func() bool { return len(seen()) == 2 })
	if err := leaves.Deregister(t.Context()); err != nil {
		t.Fatal(err)
	}
	testwait.For(t, 300*time.Millisecond, "one is removed", func() bool { return slices.Equal(seen(), []string{"127.0.0.1:7001"}) })
	time.Sleep(1500 * time.Millisecond)
	if got := seen(); len(got) != 1 {
		t.Errorf("an instance that left was entered again by its heartbeat: %v", got)
	}
}

func TestADeadProcessIsNoticedByItsMissingHeartbeat(t *testing.T) {
	t.Parallel()
	agent := consultest.Start(t)
	living, dying := open(t, agent), open(t, agent)
	register(t, living, "127.0.0.1:7001").SetReady(true)
	register(t, dying, "127.0.0.1:7002").SetReady(true)
	seen := follow(t, living, "assets", own)
	testwait.For(t, 10*time.Second, "both are seen", func() bool { return len(seen()) == 2 })
	dying.Close() // the heartbeat ends without a deregistration
	testwait.For(t, 20*time.Second, "the dead one is removed", func() bool { return slices.Equal(seen(), []string{"127.0.0.1:7001"}) })
}

func TestAConsulThatForgotEverythingIsRegisteredWithAgainAndNobodyNotices(t *testing.T) {
	t.Parallel()
	agent := consultest.Start(t)
	directory := open(t, agent)
	register(t, directory, "127.0.0.1:7001").SetReady(true)
	register(t, directory, "127.0.0.1:7002").SetReady(true)
	seen := follow(t, directory, "assets", own)
	testwait.For(t, 10*time.Second, "both are seen", func() bool { return len(seen()) == 2 })

	emptied := make(chan struct{})
	watching, stop := context.WithCancel(t.Context())
	go func() {
		defer close(emptied)
		for watching.Err() == nil {
			if len(seen()) == 0 {
				t.Error("an empty list was published")
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	agent.Restart(true)
	testwait.For(t, 20*time.Second, "the heartbeats have entered both again", func() bool {
		return strings.Count(catalogue(t, agent, 0, true), `"ServiceID"`) >= 2
	})
	lease := register(t, directory, "127.0.0.1:7003")
	lease.SetReady(true)
	testwait.For(t, 20*time.Second, "the watcher has recovered and sees a third", func() bool { return len(seen()) == 3 })
	stop()
	<-emptied
}

func TestAWipedCatalogueIsNotBelievedBeforeTheInstancesHadTimeToReturn(t *testing.T) {
	t.Parallel()
	agent := consultest.Start(t)
	directory, silent := open(t, agent), open(t, agent)
	register(t, silent, "127.0.0.1:7001").SetReady(true)
	seen := follow(t, directory, "assets", own)
	testwait.For(t, 10*time.Second, "it is seen", func() bool { return len(seen()) == 1 })
	silent.Close() // it will not register again
	agent.Stop()
	stopped := time.Now()
	agent.Restart(true)
	if entry := catalogue(t, agent, 0, false); entry != "[]" {
		t.Fatalf("the catalogue is not empty: %s", entry)
	}
	// A query with the old index right after the restart is held as long as any other.
	testwait.For(t, 20*time.Second, "the watcher has read the empty catalogue", func() bool {
		return directory.Age("assets", own) < time.Since(stopped)
	})
	for range 100 {
		if len(seen()) != 1 {
			t.Fatal("the empty catalogue was believed")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestWhileConsulIsDownTheLastInstancesStayInUse(t *testing.T) {
	t.Parallel()
	agent := consultest.Start(t)
	directory, _, seen := seenAlone(t, agent)
	agent.Stop()
	time.Sleep(1500 * time.Millisecond)
	for range 20 {
		begin := time.Now()
		if address, err := directory.Pick(t.Context(), "assets"); err != nil || address != "127.0.0.1:7001" {
			t.Fatalf("Pick = %q, %v", address, err)
		}
		if took := time.Since(begin); took > time.Second {
			t.Fatalf("Pick took %v: it waited for Consul", took)
		}
	}
	if len(seen()) != 1 {
		t.Errorf("the list was dropped: %v", seen())
	}
	if age := directory.Age("assets", ""); age < time.Second {
		t.Errorf("Age = %v while Consul is down", age)
	}
	agent.Restart(false)
	testwait.For(t, 20*time.Second, "the age is young again", func() bool { return directory.Age("assets", own) < 500*time.Millisecond })
}

// Consul may be back, and the heartbeat not have found it yet.
func TestWhoLeavesAtTheMomentThatConsulIsBackWaitsToo(t *testing.T) {
	t.Parallel()
	agent := consultest.Start(t)
	lease := register(t, open(t, agent), "127.0.0.1:7001")
	lease.SetReady(true)
	testwait.For(t, 10*time.Second, "it is registered", func() bool { return strings.Contains(catalogue(t, agent, 0, true), `"ServiceID"`) })
	agent.Stop()
	time.Sleep(1500 * time.Millisecond)
	agent.Restart(true)
	if err := lease.Deregister(t.Context()); err != nil {
		t.Fatal(err)
	}
	if lease.WatchersReturn() == 0 {
		t.Error("those who watch are not waited for")
	}
}

// What ends while those who call it have not yet heard of the others would refuse calls that nobody else gets.
func TestWhoLeavesAfterConsulWasAwayWaitsForThoseWhoWatch(t *testing.T) {
	t.Parallel()
	agent := consultest.Start(t)
	directory, lease, _ := seenAlone(t, agent)
	testwait.For(t, 10*time.Second, "nothing is left of the start", func() bool { return lease.WatchersReturn() == 0 })

	agent.Stop()
	time.Sleep(1500 * time.Millisecond)
	if wait := lease.WatchersReturn(); wait != 0 {
		t.Errorf("waits %v for a Consul that is away", wait)
	}
	returning := time.Now()
	agent.Restart(true)
	testwait.For(t, 20*time.Second, "those who watch are waited for", func() bool { return lease.WatchersReturn() > 0 })
	testwait.For(t, 20*time.Second, "they have heard of it", func() bool { return lease.WatchersReturn() == 0 })
	if age := directory.Age("assets", own); age > time.Since(returning) {
		t.Errorf("nobody is waited for any more, and Consul was not heard since it returned: for %v", age)
	}
}

func TestAnEmptyListIsBelievedAfterTheGrace(t *testing.T) {
	t.Parallel()
	agent := consultest.Start(t)
	_, lease, seen := seenAlone(t, agent)
	if err := lease.Deregister(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(8 * time.Second)
	if len(seen()) != 1 {
		t.Fatal("the empty list was believed within the grace")
	}
	testwait.For(t, 4*time.Second, "it is believed after the grace", func() bool { return len(seen()) == 0 })
}

func TestPickIsRoundRobinInTheOwnRegionAndElseInTheNearest(t *testing.T) {
	t.Parallel()
	here := consultest.Start(t)
	present := consultest.Start(t, consultest.Datacenter("us-east-1"), consultest.Join(here))
	local := open(t, here)
	remote, err := discovery.Open(discovery.Config{Mode: discovery.Consul, ConsulAddr: present.Addr, Region: "us-east-1", Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remote.Close)
	register(t, remote, "127.0.0.1:8001").SetReady(true)
	testwait.For(t, 15*time.Second, "both regions are known, the own one first", func() bool {
		return slices.Equal(local.Datacenters(), []string{own, "us-east-1"}) && slices.Equal(remote.Datacenters(), []string{"us-east-1", own})
	})
	testwait.For(t, 10*time.Second, "nobody is here, so the other region is used", func() bool {
		address, err := local.Pick(t.Context(), "assets")
		return err == nil && address == "127.0.0.1:8001"
	})
	register(t, local, "127.0.0.1:7001").SetReady(true)
	register(t, local, "127.0.0.1:7002").SetReady(true)
	picked := func() map[string]int {
		counts := map[string]int{}
		for range 20 {
			address, err := local.Pick(t.Context(), "assets")
			if err != nil {
				t.Fatal(err)
			}
			counts[address]++
		}
		return counts
	}
	testwait.For(t, 10*time.Second, "turns are taken here and the other region rests", func() bool {
		counts := picked()
		return counts["127.0.0.1:7001"] == 10 && counts["127.0.0.1:7002"] == 10
	})
}

func TestPickInStaysInItsRegionAndLeavesOutTheDead(t *testing.T) {
	t.Parallel()
	here := consultest.Start(t)
	present := consultest.Start(t, consultest.Datacenter("us-east-1"), consultest.Join(here))
	local := open(t, here)
	remote, err := discovery.Open(discovery.Config{Mode: discovery.Consul, ConsulAddr: present.Addr, Region: "us-east-1", Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remote.Close)
	register(t, remote, "127.0.0.1:8001").SetReady(true)
	pick := func(region string, dead ...string) string {
		address, err := local.PickIn(t.Context(), "assets", region, dead...)
		if err != nil {
			return err.Error()
		}
		return address
	}
	testwait.For(t, 20*time.Second, "the other region is found", func() bool {
		return pick("us-east-1") == "127.0.0.1:8001" && pick("") == "127.0.0.1:8001"
	})
	for range 20 {
		if got := pick(own); !strings.Contains(got, "assets") || !strings.Contains(got, own) {
			t.Fatalf("pinned to a region without instances, it is %s", got)
		}
	}
	register(t, local, "127.0.0.1:7001").SetReady(true)
	register(t, local, "127.0.0.1:7002").SetReady(true)
	testwait.For(t, 10*time.Second, "both here are found", func() bool {
		return pick(own, "127.0.0.1:7001") == "127.0.0.1:7002" && pick(own, "127.0.0.1:7002") == "127.0.0.1:7001"
	})
	if got := pick("", "127.0.0.1:7001", "127.0.0.1:7002"); got != "127.0.0.1:8001" {
		t.Errorf("when both here are dead the next is %s", got)
	}
	if got := pick(own, "127.0.0.1:7001", "127.0.0.1:7002"); !strings.Contains(got, own) {
		t.Errorf("pinned, when both here are dead the next is %s", got)
	}
	static := map[string][]string{"assets": {"127.0.0.1:7001"}}
	fixed, err := discovery.Open(discovery.Config{Mode: discovery.Static, Static: static, Region: own})
	if err != nil {
		t.Fatal(err)
	}
	if address, err := fixed.PickIn(t.Context(), "assets", own); address != "127.0.0.1:7001" {
		t.Errorf("a fixed list is of the own region: %s, %v", address, err)
	}
	if address, err := fixed.PickIn(t.Context(), "assets", "us-east-1"); err == nil {
		t.Errorf("a fixed list is of no other region: %s", address)
	}
}

func TestAServiceThatNobodyRunsIsUnavailable(t *testing.T) {
	directory := open(t, consultest.Start(t))
	begin := time.Now()
	_, err := directory.Pick(t.Context(), "nobody")
	var refused *fault.Error
	if !errors.As(err, &refused) || refused.Kind != fault.KindUnavailable || !strings.Contains(refused.Message, "nobody") {
		t.Errorf("Pick = %v", err)
	}
	if took := time.Since(begin); took > 1500*time.Millisecond {
		t.Errorf("Pick took %v", took)
	}
}

func TestWithoutConsulAProcessStartsAndPicksFailQuickly(t *testing.T) {
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Consul, ConsulAddr: "127.0.0.1:1", Region: own, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	lease := register(t, directory, "127.0.0.1:7001")
	lease.SetReady(true)
	begin := time.Now()
	if _, err := directory.Pick(t.Context(), "assets"); err == nil {
		t.Error("Pick found an instance")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := lease.Deregister(ctx); err == nil {
		t.Error("Leave did not report that Consul could not be reached")
	}
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestNothingRunsOnAfterStopAndClose(t *testing.T) {
	agent := consultest.Start(t)
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Consul, ConsulAddr: agent.Addr, Region: own, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	testwait.For(t, 10*time.Second, "the background reads have begun", func() bool { return len(directory.Datacenters()) == 1 })
	time.Sleep(200 * time.Millisecond)
	http.DefaultClient.CloseIdleConnections()
	before := runtime.NumGoroutine()
	for range 5 {
		first, second := directory.Instancer("assets", own), directory.Instancer("assets", "")
		endpointer := sd.NewEndpointer(first, factory, log.NewNopLogger())
		time.Sleep(50 * time.Millisecond)
		endpointer.Close()
		first.Stop()
		first.Stop() // twice does no harm, and does not stop the other's watcher
		if directory.Age("assets", own) == 0 {
			t.Fatal("the watcher ended while it has a user")
		}
		second.Stop()
		if directory.Age("assets", own) != 0 {
			t.Fatal("the watcher runs without a subscriber")
		}
	}
	testwait.For(t, 10*time.Second, "goroutines and queries of stopped instancers have ended", func() bool {
		return runtime.NumGoroutine() <= before+1
	})

	_ = directory.Instancer("users", own)
	lease := register(t, directory, "127.0.0.1:7001")
	_, _ = directory.Pick(t.Context(), "assets")
	if err := lease.Deregister(t.Context()); err != nil {
		t.Fatal(err)
	}
	directory.Close()
	testwait.For(t, 10*time.Second, "nothing runs after Close", func() bool { return runtime.NumGoroutine() < before })
}

func TestGoKitsBalancerWorksOnTheInstancer(t *testing.T) {
	agent := consultest.Start(t)
	directory := open(t, agent)
	register(t, directory, "127.0.0.1:7001").SetReady(true)
	register(t, directory, "127.0.0.1:7002").SetReady(true)
	instancer := directory.Instancer("assets", own)
	defer instancer.Stop()
	endpointer := sd.NewEndpointer(instancer, factory, log.NewNopLogger())
	defer endpointer.Close()
	balancer := lb.NewRoundRobin(endpointer)
	testwait.For(t, 10*time.Second, "both are called in turn", func() bool {
		called := map[any]int{}
		for range 10 {
			call, err := balancer.Endpoint()
			if err != nil {
				return false
			}
			instance, _ := call(t.Context(), nil)
			called[instance]++
		}
		return called["127.0.0.1:7001"] == 5 && called["127.0.0.1:7002"] == 5
	})
}

func TestStaticInstances(t *testing.T) {
	services, err := discovery.ParseStatic("assets=127.0.0.1:7001,127.0.0.1:7002; users=localhost:7003")
	if err != nil {
		t.Fatal(err)
	}
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Static, Static: services, Region: own})
	if err != nil {
		t.Fatal(err)
	}
	defer directory.Close()
	one, _ := directory.Pick(t.Context(), "assets")
	two, _ := directory.Pick(t.Context(), "assets")
	if one == two || !slices.Contains(services["assets"], one) || !slices.Contains(services["assets"], two) {
		t.Errorf("picked %s, then %s", one, two)
	}
	if _, err := directory.Pick(t.Context(), "projects"); err == nil {
		t.Error("a service that is not listed was picked")
	}
	listed := make(chan sd.Event, 1)
	directory.Instancer("users", own).Register(listed)
	if got := <-listed; len(got.Instances) != 1 {
		t.Errorf("instances = %v", got.Instances)
	}
	lease, err := directory.Register(t.Context(), "assets", "127.0.0.1:7001", nil)
	if err != nil {
		t.Fatal(err)
	}
	lease.SetReady(true)
	if err := lease.Deregister(t.Context()); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{"assets", "=127.0.0.1:1", "assets=127.0.0.1", "assets=:7001", "assets="} {
		if _, err := discovery.ParseStatic(wrong); err == nil {
			t.Errorf("%q was accepted", wrong)
		}
	}
}

func TestAnAddressThatOthersCannotReachIsRefused(t *testing.T) {
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Static, Region: own})
	if err != nil {
		t.Fatal(err)
	}
	defer directory.Close()
	for _, address := range []string{"0.0.0.0:80", "[::]:80", ":80", "127.0.0.1:0", "127.0.0.1", "127.0.0.1:http"} {
		if _, err := directory.Register(t.Context(), "assets", address, nil); err == nil {
			t.Errorf("%q was accepted", address)
		}
	}
}

// open gives a directory of the agent's datacenter that ends with the test.
func open(t *testing.T, agent *consultest.Agent) *discovery.Directory {
	t.Helper()
	return openAs(t, agent, "", quiet())
}

// seenAlone registers one ready instance of assets, and waits until it is seen.
func seenAlone(t *testing.T, agent *consultest.Agent) (directory *discovery.Directory, lease *discovery.Lease, seen func() []string) {
	t.Helper()
	directory = open(t, agent)
	lease = register(t, directory, "127.0.0.1:7001")
	lease.SetReady(true)
	seen = follow(t, directory, "assets", own)
	testwait.For(t, 10*time.Second, "it is seen", func() bool { return len(seen()) == 1 })
	return directory, lease, seen
}

func register(t *testing.T, directory *discovery.Directory, address string) *discovery.Lease {
	t.Helper()
	lease, err := directory.Register(t.Context(), "assets", address, map[string]string{"protocol": "http", "version": "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

// follow gives what an instancer last published.
func follow(t *testing.T, directory *discovery.Directory, service, datacenter string) func() []string {
	t.Helper()
	instancer := directory.Instancer(service, datacenter)
	events, requests := make(chan sd.Event), make(chan chan []string)
	ended := make(chan struct{})
	go func() {
		var last []string
		for {
			select {
			case event := <-events:
				last = event.Instances
			case response := <-requests:
				response <- last
			case <-ended:
				return
			}
		}
	}()
	instancer.Register(events)
	t.Cleanup(func() {
		instancer.Stop()
		close(ended)
	})
	return func() []string {
		response := make(chan []string, 1)
		requests <- response
		return <-response
	}
}

// catalogue reads what Consul holds of the service, once it holds n entries at least.
func catalogue(t *testing.T, agent *consultest.Agent, n int, passing bool) string {
	t.Helper()
	address := "http://" + agent.Addr + "/v1/health/service/assets"
	if passing {
		address += "?passing"
	}
	var body []byte
	testwait.For(t, 10*time.Second, fmt.Sprintf("Consul holds %d entries", n), func() bool {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Consul-Token", agent.Management)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		if body, err = io.ReadAll(response.Body); err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(body), `"Checks":`) >= n
	})
	return strings.TrimSpace(string(body))
}

func factory(instance string) (endpoint.Endpoint, io.Closer, error) {
	return func(context.Context, any) (any, error) { return instance, nil }, nil, nil
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
