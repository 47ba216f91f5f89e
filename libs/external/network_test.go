package external

import (
	"context"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// proxy is the proxy in the environment of every test here. No connection may reach it.
var proxy *counter

// TestMain sets the variables that a process reads once: the proxy, and the certificates that TLS trusts.
func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	proxy = count(listener)
	defer listener.Close()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		if err := os.Setenv(name, "http://"+listener.Addr().String()); err != nil {
			return 0, err
		}
	}
	trusted := httptest.NewTLSServer(http.NotFoundHandler()) // every such server has the same certificate
	defer trusted.Close()
	folder, err := os.MkdirTemp("", "external-test-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "trusted.pem")
	block := pem.Block{Type: "CERTIFICATE", Bytes: trusted.Certificate().Raw}
	if err := os.WriteFile(file, pem.EncodeToMemory(&block), 0o600); err != nil {
		return 0, err
	}
	if err := os.Setenv("SSL_CERT_FILE", file); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// counter counts the connections that a listener accepts.
type counter struct {
	net.Listener
	accepted atomic.Int64
}

// count accepts and closes everything.
func count(listener net.Listener) *counter {
	c := &counter{Listener: listener}
	go func() {
		for {
			connection, err := c.Accept()
			if err != nil {
				return
			}
			connection.Close()
		}
	}()
	return c
}

// Accept implements net.Listener.
func (c *counter) Accept() (net.Conn, error) {
	connection, err := c.Listener.Accept()
	if err == nil {
		c.accepted.Add(1)
	}
	return connection, err
}

func (c *counter) port() string { return strconv.Itoa(c.Addr().(*net.TCPAddr).Port) }

// listenEverywhere listens on all addresses of this machine, of both kinds.
func listenEverywhere(t *testing.T) *counter {
	t.Helper()
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return count(listener)
}

// serve is a web server on host whose connections are counted.
func serve(t *testing.T, host string, handler http.Handler) *counter {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{Listener: listener}
	server := &http.Server{Handler: handler}
	go server.Serve(c)
	t.Cleanup(func() { server.Close() })
	return c
}

// names is a resolver with a DNS server on this machine: answer gives the addresses for the nth query of a name.
func names(t *testing.T, answer func(name string, nth int) []string) *net.Resolver {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	go serveNames(socket, answer)
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", socket.LocalAddr().String())
	}}
}

func serveNames(socket net.PacketConn, answer func(name string, nth int) []string) {
	var mu sync.Mutex
	queries := map[string]int{}
	packet := make([]byte, 4096)
	for {
		n, from, err := socket.ReadFrom(packet)
		if err != nil {
			return
		}
		var message dnsmessage.Message
		if message.Unpack(packet[:n]) != nil || len(message.Questions) != 1 {
			continue
		}
		question := message.Questions[0]
		name := question.Name.String()
		mu.Lock()
		queries[name+question.Type.String()]++
		nth := queries[name+question.Type.String()]
		mu.Unlock()
		message.Response, message.Authoritative, message.Additionals = true, true, nil
		for _, text := range answer(name, nth) {
			address := netip.MustParseAddr(text)
			header := dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: dnsmessage.ClassINET}
			var body dnsmessage.ResourceBody
			switch {
			case question.Type == dnsmessage.TypeA && address.Is4():
				body = &dnsmessage.AResource{A: address.As4()}
			case question.Type == dnsmessage.TypeAAAA && address.Is6():
				body = &dnsmessage.AAAAResource{AAAA: address.As16()}
			default:
				continue
			}
			message.Answers = append(message.Answers, dnsmessage.Resource{Header: header, Body: body})
		}
		if packed, err := message.Pack(); err == nil {
			socket.WriteTo(packed, from)
		}
	}
}

func newClient(rules Rules, resolver *net.Resolver) *Client {
	rules.Resolver = resolver
	return New(rules)
}

// check looks up the host of a URL and checks the URL.
func check(t *testing.T, client *Client, address string) error {
	t.Helper()
	names, err := client.LookUp(t.Context(), []string{address})
	if err != nil {
		t.Fatal(err)
	}
	return client.CheckURL(address, names)
}

// everyNameIsLocal resolves every name to this machine, as an attacker's DNS server does.
func everyNameIsLocal(string, int) []string { return []string{"127.0.0.1", "::1"} }

func allow(prefixes ...string) Rules {
	var rules Rules
	for _, prefix := range prefixes {
		rules.Allow = append(rules.Allow, netip.MustParsePrefix(prefix))
	}
	return rules
}

// call sends a POST and gives the status, 0 with an error.
func call(t *testing.T, client *Client, address string) (int, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, nil)
	if err != nil {
		return 0, err
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
