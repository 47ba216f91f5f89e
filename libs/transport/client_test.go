package transport

import (
	"net/http/httptest"
	"testing"
)

func TestClientAddressIsWhatTheGatewayWrote(t *testing.T) {
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
