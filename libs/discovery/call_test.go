package discovery_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"ams.internal/libs/discovery"
	"ams.internal/libs/discovery/consultest"
	"ams.internal/libs/testwait"
)

// hanging is an instance that takes connections and says nothing.
func hanging(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String() // the kernel takes them
}

func living(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func known(t *testing.T, addresses ...string) *discovery.Directory {
	t.Helper()
	d, err := discovery.Open(discovery.Config{Mode: discovery.Static, Region: "ca-central-1",
		Static: map[string][]string{"assets": addresses}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func request(ctx context.Context, address string) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/", nil)
}

func roundTrip(t *testing.T, d *discovery.Directory, address string, probeAfter time.Duration) (*http.Response, error) {
	t.Helper()
	r, err := request(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	return d.RoundTrip(&http.Transport{DisableKeepAlives: true}, r, probeAfter)
}

func TestACallOfAnInstanceThatSaysNothingEndsAndOthersAreNotMade(t *testing.T) {
	address := hanging(t)
	d := known(t, address)
	began := time.Now()
	if _, err := roundTrip(t, d, address, 50*time.Millisecond); !errors.Is(err, discovery.ErrHung) {
		t.Errorf("%v", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("ended after %s", took)
	}
	if _, err := roundTrip(t, d, address, time.Second); !errors.Is(err, discovery.ErrLeftAlone) {
		t.Errorf("%v", err)
	}
	if _, err := d.Pick(t.Context(), "assets"); err == nil {
		t.Error("an instance that hangs is picked")
	}
}

func TestAnInstanceThatTakesLongAndSaysThatItLivesIsWaitedFor(t *testing.T) {
	address := living(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/livez" {
			time.Sleep(4 * time.Second) // longer than one that hangs is given
			_, _ = io.WriteString(w, "done")
		}
	})
	response, err := roundTrip(t, known(t, address), address, 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(response.Body); err != nil || string(body) != "done" {
		t.Errorf("%q, %v", body, err)
	}
	_ = response.Body.Close()
}

func TestABodyOfAnInstanceThatHangsInTheMiddleOfItBreaksOff(t *testing.T) {
	hung := make(chan struct{})
	address := living(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/livez" {
			_, _ = io.WriteString(w, "begun")
			w.(http.Flusher).Flush()
			close(hung)
		}
		<-r.Context().Done()
	})
	response, err := roundTrip(t, known(t, address), address, 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	<-hung
	if body, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("%q looks whole", body)
	}
	_ = response.Body.Close()
}

func TestWhatMayBeRepeatedIsAskedOfAnotherInstance(t *testing.T) {
	good := living(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "done") })
	d := known(t, hanging(t), good)
	client := &http.Client{Timeout: 20 * time.Second, Transport: d.Transport(&http.Transport{}, discovery.CallProbeDelay)}
	refused := 0
	for i := range 6 {
		repeatable := i < 4
		began := time.Now()
		response, err := d.Send(t.Context(), client, "assets", "", repeatable, request)
		if repeatable && (err != nil || time.Since(began) > 2*time.Second) {
			t.Errorf("call %d: %v after %s", i, err, time.Since(began))
		}
		if err != nil {
			refused++
			continue
		}
		_ = response.Body.Close()
	}
	if refused > 0 {
		t.Errorf("%d calls were made at an instance that is known to hang", refused)
	}
}

func TestWhatIsNotRepeatableIsNotAskedTwice(t *testing.T) {
	asked := 0
	good := living(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/livez" {
			asked++
		}
	})
	d := known(t, hanging(t), good)
	client := &http.Client{Timeout: 20 * time.Second, Transport: d.Transport(&http.Transport{}, discovery.CallProbeDelay)}
	failed := 0
	for range 2 { // one of them at the instance that hangs
		response, err := d.Send(t.Context(), client, "assets", "", false, request)
		if err != nil {
			if failed++; !errors.Is(err, discovery.ErrHung) || discovery.NeverReached(err) {
				t.Errorf("%v", err)
			}
			continue
		}
		_ = response.Body.Close()
	}
	if failed != 1 || asked != 1 {
		t.Errorf("%d failed, the other instance was asked %d times", failed, asked)
	}
}

// The call itself would wait for hours; it is the lapse that makes somebody look.
func TestWhatRunsAtAnInstanceEndsWhenItsRegistrationLapsesAndNotWhenItLeaves(t *testing.T) {
	agent := consultest.Start(t)
	open := func() *discovery.Directory {
		d, err := discovery.Open(discovery.Config{Mode: discovery.Consul, ConsulAddr: agent.Addr, Region: agent.Datacenter})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Close)
		return d
	}
	register := func(d *discovery.Directory, address string) *discovery.Lease {
		lease, err := d.Register(t.Context(), "assets", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		lease.SetReady(true)
		return lease
	}
	finish := make(chan struct{})
	leaving := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-finish }))
	defer leaving.Close()
	lapsing, staying := hanging(t), living(t, func(http.ResponseWriter, *http.Request) {})
	theirs, ours := open(), open()
	register(theirs, lapsing)
	left := register(ours, leaving.Listener.Addr().String())
	register(ours, staying)
	seen := map[string]bool{}
	testwait.For(t, 20*time.Second, "all three are known", func() bool {
		if address, err := ours.Pick(t.Context(), "assets"); err == nil {
			seen[address] = true
		}
		return len(seen) == 3
	})
	results := make(chan error, 1)
	go func() {
		_, err := roundTrip(t, ours, lapsing, time.Hour)
		results <- err
	}()
	answers := make(chan error, 1)
	go func() {
		response, err := roundTrip(t, ours, leaving.Listener.Addr().String(), time.Hour)
		if err == nil {
			_ = response.Body.Close()
		}
		answers <- err
	}()
	time.Sleep(100 * time.Millisecond) // both have begun
	_ = leaving.Listener.Close()       // as one that drains: before it leaves, since nobody who is asked there then may wait for finish
	if err := left.Deregister(t.Context()); err != nil {
		t.Fatal(err)
	}
	theirs.Close() // no more heartbeats
	select {
	case err := <-results:
		if !errors.Is(err, discovery.ErrHung) {
			t.Errorf("%v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("a call still runs at an instance whose registration has lapsed")
	}
	close(finish)
	if err := <-answers; err != nil {
		t.Errorf("what ran at an instance that left: %v", err)
	}
}

// What is between may take connections for an instance whose responses are lost, and close them.
func TestAConnectionThatIsTakenAndClosedIsNoSignOfLife(t *testing.T) {
	address := living(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/livez" {
			panic(http.ErrAbortHandler)
		}
		<-r.Context().Done()
	})
	if _, err := roundTrip(t, known(t, address), address, 50*time.Millisecond); !errors.Is(err, discovery.ErrHung) {
		t.Errorf("%v", err)
	}
}
