package discovery_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ams.internal/libs/discovery"
	"ams.internal/libs/discovery/consultest"
	"ams.internal/libs/testwait"
)

const (
	ofAssets     = "0b7c5a2e-0000-4000-8000-000000000001"
	ofGateway    = "0b7c5a2e-0000-4000-8000-000000000002"
	ofPrometheus = "0b7c5a2e-0000-4000-8000-000000000003"
	newOfAssets  = "0b7c5a2e-0000-4000-8000-000000000004"
)

func TestAProgramRegistersByItsTokenAndUnderNoOtherName(t *testing.T) {
	agent := consultest.Start(t, consultest.AccessControl("deny"))
	prepare(t, agent, 3, map[string]string{"assets": ofAssets, "gateway": ofGateway, discovery.Prometheus: ofPrometheus})
	prepare(t, agent, 0, map[string]string{"assets": ofAssets, "gateway": ofGateway})

	assets, gateway := openAs(t, agent, ofAssets, quiet()), openAs(t, agent, ofGateway, quiet())
	lease := register(t, assets, "127.0.0.1:7001")
	lease.SetReady(true)
	for _, name := range []string{"gateway", "gateway-internal"} {
		other, err := gateway.Register(t.Context(), name, "127.0.0.1:7002", nil)
		if err != nil {
			t.Fatal(err)
		}
		other.SetReady(true)
		seen := follow(t, assets, name, own)
		testwait.For(t, 5*time.Second, name+" is seen by assets", func() bool { return slices.Equal(seen(), []string{"127.0.0.1:7002"}) })
	}
	seen := follow(t, gateway, "assets", own)
	testwait.For(t, 5*time.Second, "assets is seen by the gateway", func() bool { return slices.Equal(seen(), []string{"127.0.0.1:7001"}) })

	log := &logged{}
	stranger := openAs(t, agent, "", slog.New(slog.NewTextHandler(log, nil)))
	register(t, stranger, "127.0.0.1:6666").SetReady(true)
	register(t, openAs(t, agent, ofGateway, slog.New(slog.NewTextHandler(log, nil))), "127.0.0.1:6667").SetReady(true)
	testwait.For(t, 5*time.Second, "both are told why", func() bool {
		return strings.Count(log.String(), "AMS_CONSUL_TOKEN does not allow it") == 2
	})
	if strings.Contains(log.String(), ofGateway) {
		t.Errorf("the log has a token: %s", log)
	}
	if err := lease.Deregister(t.Context()); err != nil {
		t.Fatal(err)
	}
	testwait.For(t, 15*time.Second, "assets has left, and no liar took its place", func() bool { return len(seen()) == 0 })

	if status := figures(t, agent, ofPrometheus); status == http.StatusForbidden { // it has none in its first seconds
		t.Errorf("Prometheus' token does not read figures: %d", status)
	}
	for name, token := range map[string]string{"nobody": "", "assets": ofAssets} {
		if status := figures(t, agent, token); status != http.StatusForbidden {
			t.Errorf("%s reads figures: %d", name, status)
		}
	}
}

// Consul leaves out what a token may not see, and that must not pass for a service that nobody runs.
func TestWhatATokenMayNotSeeIsNotTakenForNobody(t *testing.T) {
	agent := consultest.Start(t, consultest.AccessControl("deny"))
	prepare(t, agent, 2, map[string]string{"assets": ofAssets, discovery.Prometheus: ofPrometheus})
	register(t, openAs(t, agent, ofAssets, quiet()), "127.0.0.1:7001").SetReady(true)
	catalogue(t, agent, 1, true)
	log := &logged{}
	reader := openAs(t, agent, ofPrometheus, slog.New(slog.NewTextHandler(log, nil)))
	follow(t, reader, "assets", own)
	testwait.For(t, 10*time.Second, "it is told why it sees nothing", func() bool {
		return strings.Contains(log.String(), "Consul keeps some of them from the token of AMS_CONSUL_TOKEN")
	})
	if reader.HasSynced("assets", own) {
		t.Error("an empty list is believed")
	}
}

func TestATokenIsRotatedWithoutAnInstanceOutOfSight(t *testing.T) {
	agent := consultest.Start(t, consultest.AccessControl("deny"))
	former := map[string]string{"assets": ofAssets, "gateway": ofGateway}
	prepare(t, agent, 2, former)
	seen := follow(t, openAs(t, agent, ofGateway, quiet()), "assets", own)
	old := openAs(t, agent, ofAssets, quiet())
	register(t, old, "127.0.0.1:7001").SetReady(true)
	testwait.For(t, 5*time.Second, "the instance is seen", func() bool { return len(seen()) == 1 })

	next := map[string]string{"assets": newOfAssets, "gateway": ofGateway}
	if _, err := tokens(t, agent, next).Retire(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "prepare it first") {
		t.Errorf("a former token is ended before its successor is known: %v", err)
	}
	prepare(t, agent, 1, next)
	old.Close() // the process ends without a word, and the next one takes over its address
	register(t, openAs(t, agent, newOfAssets, quiet()), "127.0.0.1:7001").SetReady(true)
	if ended, err := tokens(t, agent, next).Retire(t.Context(), io.Discard); err != nil || ended != 1 {
		t.Fatalf("ended %d: %v", ended, err)
	}
	if ended, err := tokens(t, agent, next).Retire(t.Context(), io.Discard); err != nil || ended != 0 {
		t.Fatalf("ended %d more: %v", ended, err)
	}
	for range 50 { // longer than an entry lives without a heartbeat that counts
		if len(seen()) != 1 {
			t.Fatal("the instance went out of sight")
		}
		time.Sleep(100 * time.Millisecond)
	}
	catalogue(t, agent, 1, true)
}

// docs/operations/deploy.md: a Consul without access control, one that takes tokens and asks for none, and one that asks for them.
func TestAccessControlComesUnderRunningPrograms(t *testing.T) {
	agent := consultest.Start(t)
	seen := follow(t, openAs(t, agent, ofGateway, quiet()), "assets", own) // a token means nothing to the first of the three
	old := open(t, agent)
	register(t, old, "127.0.0.1:7001").SetReady(true)
	testwait.For(t, 5*time.Second, "the instance is seen", func() bool { return len(seen()) == 1 })
	stays := func() {
		t.Helper()
		for range 50 { // longer than an entry lives without a heartbeat
			if len(seen()) != 1 {
				t.Fatal("the instance went out of sight")
			}
			time.Sleep(100 * time.Millisecond)
		}
	}

	agent.Reconfigure(consultest.AccessControl("allow"))
	prepare(t, agent, 2, map[string]string{"assets": ofAssets, "gateway": ofGateway})
	stays()
	old.Close()
	register(t, openAs(t, agent, ofAssets, quiet()), "127.0.0.1:7001").SetReady(true)
	stays()
	agent.Reconfigure(consultest.AccessControl("deny"))
	stays()
	catalogue(t, agent, 1, true)
}

// Both regions have one set of tokens, which is made in the first of them.
func TestTokensHoldInEachRegion(t *testing.T) {
	first := consultest.Start(t, consultest.AccessControl("deny"))
	second := consultest.Start(t, consultest.Datacenter("us-east-1"), consultest.Join(first), consultest.AccessControl("deny"))
	prepare(t, first, 2, map[string]string{"assets": ofAssets, "gateway": ofGateway})
	register(t, openAs(t, second, ofAssets, quiet()), "127.0.0.1:7001").SetReady(true)
	here, present := openAs(t, second, ofGateway, quiet()), openAs(t, first, ofGateway, quiet())
	for name, seen := range map[string]func() []string{"in its region": follow(t, here, "assets", "us-east-1"),
		"from the other": follow(t, present, "assets", "us-east-1")} {
		testwait.For(t, 20*time.Second, "the instance is seen "+name, func() bool { return slices.Equal(seen(), []string{"127.0.0.1:7001"}) })
	}
}

func TestTokensThatConsulWouldNotTakeAreRefusedInWords(t *testing.T) {
	for says, wrong := range map[string]map[string]string{
		"the token of assets is no UUID":         {"assets": "hunter2"},
		"assets and gateway have the same token": {"assets": ofAssets, "gateway": ofAssets},
	} {
		_, err := discovery.NewTokens("127.0.0.1:1", ofGateway, wrong)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, wanted %q", err, says)
		} else if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), ofAssets) {
			t.Errorf("%v shows a token", err)
		}
	}
	agent := consultest.Start(t)
	if _, err := tokens(t, agent, map[string]string{"assets": ofAssets}).Prepare(t.Context(), io.Discard); err == nil ||
		!strings.Contains(err.Error(), "acl.enabled") {
		t.Errorf("a Consul without access control: %v", err)
	}
}

func tokens(t *testing.T, agent *consultest.Agent, all map[string]string) *discovery.Tokens {
	t.Helper()
	known, err := discovery.NewTokens(agent.Addr, consultest.Management, all)
	if err != nil {
		t.Fatal(err)
	}
	return known
}

func prepare(t *testing.T, agent *consultest.Agent, want int, all map[string]string) {
	t.Helper()
	made, err := tokens(t, agent, all).Prepare(t.Context(), io.Discard)
	if err != nil || made != want {
		t.Fatalf("made %d tokens, wanted %d: %v", made, want, err)
	}
}

func openAs(t *testing.T, agent *consultest.Agent, token string, log *slog.Logger) *discovery.Directory {
	t.Helper()
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Consul, ConsulAddr: agent.Addr, Token: token,
		Region: agent.Datacenter, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	return directory
}

func figures(t *testing.T, agent *consultest.Agent, token string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+agent.Addr+"/v1/agent/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token) // as Prometheus sends it
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	return response.StatusCode
}

// logged is a log that may be read while it is written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
