package caller

import (
	"net/http"
	"net/netip"
	"testing"
)

func FuzzAddress(f *testing.F) {
	f.Add("10.0.0.1:1", "1.2.3.4, 10.0.0.2")
	f.Add("203.0.113.9:1", "1.2.3.4")
	f.Add("[::1]:1", "nonsense")
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	f.Fuzz(func(t *testing.T, remote, forwarded string) {
		got := Address(remote, http.Header{"X-Forwarded-For": {forwarded}}, trusted)
		if !got.IsValid() || got.Zone() != "" {
			t.Errorf("%q %q: %v", remote, forwarded, got)
		}
		if peer, err := netip.ParseAddrPort(remote); err == nil && !contains(trusted, peer.Addr().Unmap()) &&
			got != peer.Addr().Unmap().WithZone("") {
			t.Errorf("%s is no proxy of ours and was believed: %v", remote, got)
		}
	})
}

func TestTheAddressOfWhoCalls(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, row := range [][3]string{
		{"203.0.113.9:80", "1.2.3.4", "203.0.113.9"},
		{"10.0.0.1:80", "", "10.0.0.1"},
		{"10.0.0.1:80", "1.2.3.4", "1.2.3.4"},
		{"10.0.0.1:80", "6.6.6.6, 1.2.3.4, 10.9.9.9", "1.2.3.4"},
		{"10.0.0.1:80", "6.6.6.6, nonsense, 10.9.9.9", "10.9.9.9"},
		{"[::ffff:10.0.0.1]:80", "::ffff:1.2.3.4", "1.2.3.4"},
	} {
		if got := Address(row[0], http.Header{"X-Forwarded-For": {row[1]}}, trusted); got.String() != row[2] {
			t.Errorf("%s, %q: %s, wanted %s", row[0], row[1], got, row[2])
		}
	}
}
