package external

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ams.internal/libs/transaction"
)

// 127.0.0.9 represents a public address here: the rules allow it alone. 127.0.0.1 represents an address that must not be reached.
func TestANameThatChangesItsMeaningReachesNothing(t *testing.T) {
	for what, answer := range map[string]func(nth int) []string{
		"public when it is checked, private when it is dialled": func(nth int) []string {
			if nth == 1 {
				return []string{"127.0.0.9"}
			}
			return []string{"127.0.0.1"}
		},
		"private at the third question": func(nth int) []string {
			if nth < 3 {
				return []string{"127.0.0.9"}
			}
			return []string{"127.0.0.1"}
		},
		"private from the fourth question on": func(nth int) []string {
			if nth < 4 {
				return []string{"127.0.0.9"}
			}
			return []string{"127.0.0.1", "::1"}
		},
		"mixed, the public one first":        func(int) []string { return []string{"127.0.0.9", "127.0.0.1"} },
		"mixed, the private one first":       func(int) []string { return []string{"127.0.0.1", "127.0.0.9"} },
		"mixed, the private one in IPv6":     func(int) []string { return []string{"127.0.0.9", "::1"} },
		"mixed, the private one mapped":      func(int) []string { return []string{"127.0.0.9", "::ffff:127.0.0.1"} },
		"mixed, one that cannot be reached":  func(int) []string { return []string{"127.0.0.9", "0.0.0.0"} },
		"mixed, the metadata service hidden": func(int) []string { return []string{"127.0.0.9", "64:ff9b::a9fe:a9fe"} },
	} {
		t.Run(what, func(t *testing.T) {
			private := serve(t, "127.0.0.1", http.NotFoundHandler())
			listener, err := net.Listen("tcp", "[::1]:"+private.port())
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			private6 := count(listener)
			client := newClient(allow("127.0.0.9/32"), names(t, func(_ string, nth int) []string { return answer(nth) }))
			for _, scheme := range []string{"https", "http"} {
				address := scheme + "://rebind.example.com:" + private.port() + "/"
				for range 3 { // each call resolves the name twice
					if status, err := call(t, client, address); err == nil {
						t.Errorf("%s responded with %d", address, status)
					}
				}
			}
			if n := private.accepted.Load() + private6.accepted.Load(); n != 0 {
				t.Errorf("%d connections were made", n)
			}
		})
	}
}

// The address that the dialler gets is checked, whatever the name resolved to before.
func TestOnlyTheAllowedAddressIsEverDialled(t *testing.T) {
	private := serve(t, "127.0.0.1", http.NotFoundHandler())
	resolver := names(t, func(_ string, nth int) []string {
		if nth%2 == 1 { // the query of the check
			return []string{"127.0.0.9"}
		}
		return []string{"127.0.0.1"} // the dialler's
	})
	client := newClient(allow("127.0.0.9/32"), resolver)
	for range 5 {
		_, err := call(t, client, "http://rebind.example.com:"+private.port()+"/")
		var rejection *Rejection
		if !errors.As(err, &rejection) || !strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("the error does not name the address that was rejected: %v", err)
		}
	}
	if n := private.accepted.Load(); n != 0 {
		t.Errorf("%d connections reached the private address", n)
	}
}

func TestARedirectIsAResponseAndIsNotFollowed(t *testing.T) {
	secret := listenEverywhere(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, location := range []string{"http://127.0.0.1:" + secret.port() + "/", "https://[::1]:" + secret.port() + "/",
			"//127.0.0.2:" + secret.port(), "/again"} {
			requests := 0
			open := serve(t, "127.0.0.9", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				requests++
				w.Header().Set("Location", location)
				w.WriteHeader(status)
			}))
			have, err := call(t, New(allow("127.0.0.0/8", "::1/128")), "http://"+open.Addr().String())
			if err != nil || have != status || requests != 1 {
				t.Errorf("%d to %s: %d after %d requests, %v", status, location, have, requests, err)
			}
		}
	}
	if n := secret.accepted.Load(); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

func TestAllowedPrefixesAreExact(t *testing.T) {
	ok := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	inside, outside := serve(t, "127.0.0.7", ok), serve(t, "127.0.0.8", ok)
	client := New(allow("127.0.0.7/32"))
	if err := check(t, client, "http://"+inside.Addr().String()); err != nil {
		t.Errorf("what is allowed %v", err)
	}
	if status, err := call(t, client, "http://"+inside.Addr().String()); status != 200 {
		t.Errorf("what is allowed responded with %d, %v", status, err)
	}
	for _, scheme := range []string{"http", "https"} {
		if err := check(t, client, scheme+"://"+outside.Addr().String()); err == nil {
			t.Error("the address beside it may be kept")
		}
		if _, err := call(t, client, scheme+"://"+outside.Addr().String()); err == nil {
			t.Error("the address beside it was called")
		}
	}
	if n := outside.accepted.Load(); n != 0 {
		t.Errorf("%d connections reached the address beside it", n)
	}
	for _, address := range []string{"http://127.0.0.7/", "http://127.0.0.7:81/", "https://127.0.0.7:22/", "https://[::ffff:127.0.0.7]:9/"} {
		if err := check(t, client, address); err != nil {
			t.Errorf("%s %v", address, err)
		}
	}
	for _, address := range []string{"http://user@127.0.0.7/", "http://127.0.0.7/#a", "ftp://127.0.0.7/", "http://8.8.8.8/",
		"http://127.0.0.7:0/", "http://127.7/"} {
		if err := check(t, client, address); err == nil {
			t.Errorf("%s may be kept", address)
		}
	}
	if _, err := call(t, client, "http://8.8.8.8/"); err == nil || !strings.Contains(err.Error(), "https") {
		t.Errorf("plain http to a public address: %v", err)
	}
}

func TestANameInsideAnAllowedPrefixMayBeCalledPlainly(t *testing.T) {
	receiver := serve(t, "127.0.0.7", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	address := "http://receiver.internal:" + receiver.port()
	client := newClient(allow("127.0.0.7/32"), names(t, func(string, int) []string { return []string{"127.0.0.7"} }))
	if err := check(t, client, address); err != nil {
		t.Errorf("it %v", err)
	}
	if status, err := call(t, client, address); status != 200 {
		t.Errorf("it responded with %d, %v", status, err)
	}
	mixed := newClient(allow("127.0.0.7/32"), names(t, func(string, int) []string { return []string{"127.0.0.7", "127.0.0.6"} }))
	if err := check(t, mixed, address); err == nil {
		t.Error("one that is also somewhere else may be kept")
	}
}

func TestNamesAreLookedUpOnceAndTogether(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]int{} // most queries of one type
	everybodyAsked := make(chan struct{})
	client := newClient(Rules{}, names(t, func(name string, nth int) []string {
		mu.Lock()
		asked[name] = max(asked[name], nth)
		if len(asked) == 20 {
			select {
			case <-everybodyAsked:
			default:
				close(everybodyAsked)
			}
		}
		mu.Unlock()
		return []string{"8.8.8.8"}
	}))
	var urls []string
	for i := range 20 {
		host := fmt.Sprintf("host-%d.example.com", i)
		urls = append(urls, "https://"+host+"/a", "https://"+strings.ToUpper(host)+":8443/b", "https://"+host+"/c")
	}
	found, err := client.LookUp(t.Context(), append(urls, "https://10.0.0.1/", "no url", "https://1.2.3/", "ftp://x.example.com/"))
	if err != nil || len(found) != 20 {
		t.Fatalf("%d names: %v", len(found), err)
	}
	<-everybodyAsked
	for _, address := range urls {
		if err := client.CheckURL(address, found); err != nil {
			t.Errorf("%s %v", address, err)
		}
	}
	mu.Lock()
	for name, nth := range asked {
		if nth != 1 {
			t.Errorf("%s was asked for %d times", name, nth)
		}
	}
	mu.Unlock()
	var rejection *Rejection
	if _, err := client.LookUp(t.Context(), append(urls, "https://one.too.many.example.com/")); !errors.As(err, &rejection) ||
		!strings.Contains(err.Error(), "names 21 different hosts") {
		t.Errorf("21 names: %v", err)
	}
	if err := client.CheckURL("https://other.example.com/", found); err == nil || errors.As(err, &rejection) {
		t.Errorf("a name that was not looked up: %v", err)
	}
}

func TestNothingIsCalledOrLookedUpInATransaction(t *testing.T) {
	server := serve(t, "127.0.0.1", http.NotFoundHandler())
	asked := make(chan string, 10)
	client := newClient(allow("127.0.0.0/8"), names(t, func(name string, _ int) []string {
		asked <- name
		return []string{"127.0.0.1"}
	}))
	inside := transaction.Mark(t.Context())
	request, err := http.NewRequestWithContext(inside, http.MethodPost, "http://example.com:"+server.port()+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, do := range map[string]func(){
		"call a URL":          func() { _, _ = client.Do(request) }, //nolint:bodyclose // there is none
		"look up a host name": func() { _, _ = client.LookUp(inside, []string{"https://example.com/"}) },
	} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, what+" in a database transaction") {
					t.Errorf("%s: %q", what, said)
				}
			}()
			do()
		}()
	}
	if server.accepted.Load() != 0 || len(asked) != 0 {
		t.Error("somebody outside was asked nevertheless")
	}
}

func TestNoProxyOfTheEnvironmentIsUsed(t *testing.T) {
	receiver := serve(t, "127.0.0.1", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	address := "http://example.com:" + receiver.port() + "/"
	request, _ := http.NewRequest(http.MethodPost, address, nil)
	if named, err := http.ProxyFromEnvironment(request); err != nil || named == nil || named.Host != proxy.Addr().String() {
		t.Fatalf("the environment names the proxy %v, %v", named, err)
	}
	client := newClient(allow("127.0.0.0/8"), names(t, func(string, int) []string { return []string{"127.0.0.1"} }))
	if status, err := call(t, client, address); status != 200 {
		t.Errorf("responded with %d, %v", status, err)
	}
	call(t, client, "https://example.com:"+receiver.port()+"/")
	if n := proxy.accepted.Load(); n != 0 {
		t.Errorf("%d connections reached the proxy", n)
	}
}

func TestOldTLSIsRefused(t *testing.T) {
	for version, fits := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true,
		tls.VersionTLS13: true} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		server.TLS = &tls.Config{MinVersion: version, MaxVersion: version}
		server.Config.ErrorLog = log.New(io.Discard, "", 0) // it would log every failed handshake
		server.StartTLS()
		status, err := call(t, New(allow("127.0.0.0/8")), server.URL)
		server.Close()
		if fits && status != 200 {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
		if !fits && (err == nil || !strings.Contains(err.Error(), "protocol version")) {
			t.Errorf("%s: responded with %d, %v", tls.VersionName(version), status, err)
		}
	}
}

func TestACertificateOfSomebodyElseIsRefused(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	client := newClient(allow("127.0.0.0/8"), names(t, func(string, int) []string { return []string{"127.0.0.1"} }))
	if status, err := call(t, client, "https://example.com:"+port); status != 404 {
		t.Errorf("its own name: %d, %v", status, err)
	}
	if _, err := call(t, client, "https://example.org:"+port); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("another name: %v", err)
	}
}

func TestCookiesAreForgotten(t *testing.T) {
	sent := ""
	server := serve(t, "127.0.0.1", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent += r.Header.Get("Cookie")
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
	}))
	client := New(allow("127.0.0.0/8"))
	for range 2 {
		if _, err := call(t, client, "http://"+server.Addr().String()); err != nil {
			t.Fatal(err)
		}
	}
	if sent != "" {
		t.Errorf("cookies were sent: %s", sent)
	}
}

// The request itself has no time limit here; resolving, connecting and the handshake have one.
func TestAConnectionThatIsNotMadeIsGivenUp(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts and never writes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	deaf := names(t, everyNameIsLocal)
	deaf.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) { // a DNS server that never responds
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for what, how := range map[string]struct {
		client  *Client
		address string
	}{
		"a DNS server that does not respond": {newClient(allow("127.0.0.0/8"), deaf), "http://example.com:8080/"},
		"a host that does not respond":       {New(allow("127.0.0.0/8")), "http://" + full(t)},
		"a handshake without a response":     {New(allow("127.0.0.0/8")), "https://" + silent.Addr().String()},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, how.address, nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := how.client.Do(request)
			if err == nil {
				response.Body.Close()
				t.Fatal("there was a response")
			}
			var timeout net.Error
			if !errors.As(err, &timeout) || !timeout.Timeout() {
				t.Errorf("failed otherwise: %v", err)
			}
			if ctx.Err() != nil {
				t.Error("the request's own time was used up")
			}
		})
	}
}

// full is the address of a socket whose queue of connections is full, so that the kernel responds to no further one.
func full(t *testing.T) string {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(socket) })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(socket, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	address := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(name.(*syscall.SockaddrInet4).Port)).String()
	for range 16 {
		connection, err := net.DialTimeout("tcp", address, time.Second)
		if err != nil {
			return address
		}
		t.Cleanup(func() { connection.Close() })
	}
	t.Fatal("the queue does not fill")
	return ""
}

func TestTheWholeResponseIsTheCallersToRead(t *testing.T) {
	server := serve(t, "127.0.0.1", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, r.Body)
	}))
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+server.Addr().String(),
		strings.NewReader("back and forth"))
	response, err := New(allow("127.0.0.0/8")).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if content, err := io.ReadAll(response.Body); err != nil || string(content) != "back and forth" {
		t.Errorf("%q, %v", content, err)
	}
}
