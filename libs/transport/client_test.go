package transport

import (
	"net/http/httptest"
	"net/netip"
	"testing"
)

func TestClientAddressIsWhatTheGatewayWrote(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ forwarded, remote, want string }{
		{"203.0.113.7", "10.0.0.1:4000", "203.0.113.7"},
		{" 2001:db8::7 ", "10.0.0.1:4000", "2001:db8::7"},
		{"::ffff:203.0.113.7", "10.0.0.1:4000", "203.0.113.7"},
		{"", "10.0.0.1:4000", "10.0.0.1"},
		{"198.51.100.1, 203.0.113.7", "10.0.0.1:4000", "10.0.0.1"}, // the gateway writes one
		{"nonsense", "@", ""},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = test.remote
		r.Header.Set("X-Forwarded-For", test.forwarded)
		if got := ClientAddress(r); got != test.want {
			t.Errorf("%q from %s: %q, want %q", test.forwarded, test.remote, got, test.want)
		}
	}
}

func TestASubscriberIsOneSource(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"203.0.113.7":        "203.0.113.7",
		"203.0.113.8":        "203.0.113.8",
		"::ffff:203.0.113.7": "203.0.113.7", // not ::/64, which would be all of IPv4
		"2001:db8:0:1::7":    "2001:db8:0:1::/64",
		"2001:db8:0:1:f::":   "2001:db8:0:1::/64",
		"2001:db8:0:2::7":    "2001:db8:0:2::/64",
		"fe80::1%eth0":       "fe80::/64",
	} {
		if got := ClientSource(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
