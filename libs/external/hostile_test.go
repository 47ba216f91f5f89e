package external

import (
	"errors"
	"net"
	"strings"
	"testing"
)

// hostile are known attacks: URLs that lead to an internal address. PORT is the port of a listener on all addresses of this
// machine. Every name, in every spelling, resolves to this machine.
var hostile = []struct{ what, url string }{
	{"loopback", "https://127.0.0.1:PORT/"},
	{"another loopback address", "https://127.8.9.10:PORT/"},
	{"the last loopback address", "https://127.255.255.254:PORT/"},
	{"loopback, IPv6", "https://[::1]:PORT/"},
	{"loopback, IPv6 written out", "https://[0:0:0:0:0:0:0:1]:PORT/"},
	{"loopback, IPv6 with leading zeros", "https://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/"},
	{"loopback with a zone", "https://[::1%25lo]:PORT/"},
	{"the unspecified address", "https://0.0.0.0:PORT/"},
	{"another address of this network", "https://0.1.2.3:PORT/"},
	{"the unspecified address, IPv6", "https://[::]:PORT/"},
	{"zero alone", "https://0:PORT/"},
	{"loopback, shortened", "https://127.1:PORT/"},
	{"loopback, shortened to three numbers", "https://127.0.1:PORT/"},
	{"loopback, decimal", "https://2130706433:PORT/"},
	{"loopback, hexadecimal", "https://0x7f000001:PORT/"},
	{"loopback, hexadecimal in capitals", "https://0X7F.0X0.0X0.0X1:PORT/"},
	{"loopback, hexadecimal by part", "https://0x7f.0.0.0x1:PORT/"},
	{"loopback, octal", "https://0177.0.0.1:PORT/"},
	{"loopback, octal by part", "https://0177.0000.0000.0001:PORT/"},
	{"loopback, octal in one number", "https://017700000001:PORT/"},
	{"loopback with a leading zero", "https://127.0.0.01:PORT/"},
	{"loopback beyond 32 bits", "https://4294967297:PORT/"},
	{"loopback with a trailing dot", "https://127.0.0.1.:PORT/"},
	{"loopback in wide digits", "https://１２７.０.０.１:PORT/"},
	{"loopback in circled digits", "https://①②⑦.⓪.⓪.①:PORT/"},
	{"loopback with ideographic full stops", "https://127。0。0。1:PORT/"},
	{"loopback, percent-encoded", "https://127.0.0.%31:PORT/"},
	{"IPv4-mapped loopback", "https://[::ffff:127.0.0.1]:PORT/"},
	{"IPv4-mapped loopback, hexadecimal", "https://[::ffff:7f00:1]:PORT/"},
	{"IPv4-mapped private", "https://[::ffff:10.0.0.1]:PORT/"},
	{"IPv4-compatible loopback", "https://[::127.0.0.1]:PORT/"},
	{"IPv4-translated loopback", "https://[::ffff:0:127.0.0.1]:PORT/"},
	{"loopback through NAT64", "https://[64:ff9b::7f00:1]:PORT/"},
	{"the metadata service through NAT64", "https://[64:ff9b::a9fe:a9fe]:PORT/"},
	{"loopback through a local NAT64", "https://[64:ff9b:1::7f00:1]:PORT/"},
	{"loopback through 6to4", "https://[2002:7f00:1::]:PORT/"},
	{"loopback through Teredo", "https://[2001:0:7f00:1::80ff:fffe]:PORT/"},
	{"link-local", "https://169.254.0.1:PORT/"},
	{"a cloud's metadata service", "https://169.254.169.254:PORT/latest/meta-data/"},
	{"a cloud's metadata service, decimal", "https://2852039166:PORT/latest/meta-data/"},
	{"a cloud's metadata service, IPv6", "https://[fd00:ec2::254]:PORT/latest/meta-data/"},
	{"another cloud's metadata service", "https://100.100.100.200:PORT/"},
	{"a metadata service by name", "https://metadata.google.internal:PORT/"},
	{"link-local, IPv6", "https://[fe80::1]:PORT/"},
	{"link-local, IPv6 with a zone", "https://[fe80::1%25eth0]:PORT/"},
	{"site-local, IPv6", "https://[fec0::1]:PORT/"},
	{"unique local, IPv6", "https://[fd12:3456:789a::1]:PORT/"},
	{"private, ten", "https://10.0.0.1:PORT/"},
	{"private, 172.16 to 172.31", "https://172.31.255.254:PORT/"},
	{"private, 192.168", "https://192.168.1.1:PORT/"},
	{"shared by a carrier's customers", "https://100.64.0.1:PORT/"},
	{"protocol assignments", "https://192.0.0.8:PORT/"},
	{"benchmarking", "https://198.18.0.1:PORT/"},
	{"multicast", "https://224.0.0.1:PORT/"},
	{"multicast, IPv6", "https://[ff02::1]:PORT/"},
	{"broadcast", "https://255.255.255.255:PORT/"},
	{"reserved", "https://240.0.0.1:PORT/"},
	{"a relay of 6to4", "https://192.88.99.1:PORT/"},
	{"documentation, first", "https://192.0.2.1:PORT/"},
	{"documentation, second", "https://198.51.100.1:PORT/"},
	{"documentation, third", "https://203.0.113.1:PORT/"},
	{"documentation, IPv6", "https://[2001:db8::1]:PORT/"},
	{"documentation, IPv6, newer", "https://[3fff::1]:PORT/"},
	{"nothing but discard", "https://[100::1]:PORT/"},
	{"localhost", "https://localhost:PORT/"},
	{"localhost in capitals", "https://LOCALHOST:PORT/"},
	{"localhost with a trailing dot", "https://localhost.:PORT/"},
	{"localhost in circled letters", "https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/"},
	{"a name below localhost", "https://hooks.localhost:PORT/"},
	{"a name of the local network", "https://printer.local:PORT/"},
	{"a name of an internal network", "https://vault.internal:PORT/"},
	{"a name of the service directory", "https://assets.service.consul:PORT/"},
	{"a name without a domain", "https://postgres:PORT/"},
	{"a public name that means this machine", "https://localtest.example.com:PORT/"},
	{"such a name with a trailing dot", "https://localtest.example.com.:PORT/"},
	{"such a name with foreign letters", "https://bücher.example.com:PORT/"},
	{"an address inside a name", "https://127.0.0.1.nip.example.com:PORT/"},
	{"credentials", "https://user:password@localtest.example.com:PORT/"},
	{"a user alone", "https://user@localtest.example.com:PORT/"},
	{"an empty user", "https://@localtest.example.com:PORT/"},
	{"a public name as the user", "https://example.com@127.0.0.1:PORT/"},
	{"a public name and port as the user", "https://example.com:443@127.0.0.1:PORT/"},
	{"a public name behind an encoded slash", "https://example.com%2f@127.0.0.1:PORT/"},
	{"a public name behind a backslash", `https://example.com\@127.0.0.1:PORT/`},
	{"a public name behind a fragment", "https://127.0.0.1:PORT#@example.com/"},
	{"a public name behind a question mark", "https://127.0.0.1:PORT?@example.com/"},
	{"plain http", "http://127.0.0.1:PORT/"},
	{"plain http to a name", "http://localtest.example.com:PORT/"},
	{"another scheme", "ftp://127.0.0.1:PORT/"},
	{"gopher", "gopher://127.0.0.1:PORT/_POST%20/"},
	{"a file", "file:///etc/passwd"},
	{"no scheme", "//127.0.0.1:PORT/"},
	{"no slashes", "https:127.0.0.1:PORT"},
	{"no host", "https://:PORT/"},
	{"a line break", "https://127.0.0.1:PORT/\r\nHost: example.com"},
}

func TestHostileAddressesReachNothing(t *testing.T) {
	if len(hostile) < 47 {
		t.Fatalf("the table has only %d addresses", len(hostile))
	}
	here := listenEverywhere(t)
	client := newClient(Rules{}, names(t, everyNameIsLocal))
	for _, h := range hostile {
		address := strings.ReplaceAll(h.url, "PORT", here.port())
		var rejection *Rejection
		if err := check(t, client, address); !errors.As(err, &rejection) {
			t.Errorf("%s: %q may be kept (%v)", h.what, address, err)
		}
		if status, err := call(t, client, address); err == nil {
			t.Errorf("%s: %q responded with %d", h.what, address, status)
		}
	}
	if n := here.accepted.Load(); n != 0 {
		t.Errorf("%d connections reached this machine", n)
	}
	// The listener counts connections that reach it.
	for _, address := range []string{"127.0.0.1:" + here.port(), "[::1]:" + here.port(), "127.8.9.10:" + here.port()} {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		connection.Read(make([]byte, 1)) // until it is closed, which is after it was counted
		connection.Close()
	}
	if n := here.accepted.Load(); n != 3 {
		t.Errorf("the listener counted %d of 3 connections", n)
	}
}

func TestPortsThatOtherProtocolsUseAreRefused(t *testing.T) {
	client := newClient(Rules{}, names(t, func(string, int) []string { return []string{"8.8.8.8"} }))
	for _, port := range []string{"0", "1", "22", "25", "80", "442", "444", "1023", "65536", "99999", "-1", "x"} {
		for _, host := range []string{"example.com", "8.8.8.8", "[2606:4700::1111]"} {
			address := "https://" + host + ":" + port + "/"
			if err := check(t, client, address); err == nil {
				t.Errorf("%s may be kept", address)
			}
			if status, err := call(t, client, address); err == nil {
				t.Errorf("%s responded with %d", address, status)
			}
		}
	}
	if err := check(t, client, "https://example.com:/"); err == nil {
		t.Error("a colon without a port may be kept")
	}
}

func TestPublicAddressesMayBeKept(t *testing.T) {
	client := newClient(Rules{}, names(t, func(name string, _ int) []string {
		if strings.HasPrefix(name, "unknown.") {
			return nil
		}
		return []string{"8.8.8.8", "2606:4700::1111"}
	}))
	for _, address := range []string{
		"https://example.com", "https://example.com/hooks?kind=a%20b", "https://EXAMPLE.com:443/", "https://example.com:8443/",
		"https://example.com:1024/",
		"https://example.com:65535/", "https://8.8.8.8/hooks", "https://[2606:4700::1111]:8443/", "https://bücher.example.com/",
		"https://my_host.example.com/",
		"https://unknown.example.com/", // perhaps tomorrow
	} {
		if err := check(t, client, address); err != nil {
			t.Errorf("%s %v", address, err)
		}
	}
}
