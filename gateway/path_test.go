package main

import (
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"testing"
)

// Whatever a path looks like: one that is let through means the same to every program that reads it, and leads nowhere but
// to the services of the table.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"/v1/assets", "/v1/assets/../users", "/v1/%2e%2e/internal", "/v1/assets%2fx", "//x", "/v1/assets/%00", "/V1", "/v1/as%73ets", "*", "/v1/assets/.x", "/internal/openapi.json", "/v1/a;b/c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, target string) {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			return
		}
		clean, ok := cleanPath(u)
		if !ok {
			return
		}
		if tidy := path.Clean(clean); tidy != clean && tidy+"/" != clean {
			t.Errorf("%q was let through as %q, which is %q", target, clean, tidy)
		}
		again, err := url.PathUnescape(clean)
		if err != nil || again != clean {
			t.Errorf("%q decodes further to %q", clean, again)
		}
		if strings.ContainsAny(clean, "\x00\r\n\\") {
			t.Errorf("%q was let through as %q", target, clean)
		}
		r := findRoute(clean)
		if r.known() && !strings.HasPrefix(clean, r.prefix) || strings.HasPrefix(clean, "/internal") && r.known() {
			t.Errorf("%q leads to %+v", clean, r)
		}
		// Written out for the service and read there, it is the same path.
		read, err := url.ParseRequestURI((&url.URL{Path: u.Path, RawPath: u.RawPath}).RequestURI())
		if err != nil || read.Path != clean {
			t.Errorf("%q arrives as %v, %v", clean, read, err)
		}
	})
}

func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"page=2", "forceFunctionRegion=x&page=2", "a&force%46unctionRegion=x", "forceFunctionRegion", "q=%", "&&=", "token=ams_live_x", "a=ams%5flive_x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		rest, region := splitQuery(query)
		for pair := range strings.SplitSeq(rest, "&") {
			name, _, _ := strings.Cut(pair, "=")
			if decoded, err := url.QueryUnescape(name); err == nil && decoded == regionParameter {
				t.Errorf("%q still has the region: %q", query, rest)
			}
		}
		if len(rest) > len(query) || region == "" && rest != query {
			t.Errorf("%q became %q", query, rest)
		}
		if strings.Contains(query, keyPrefix) && !holdsKey(query) {
			t.Errorf("%q holds a key", query)
		}
	})
}

func FuzzClientAddress(f *testing.F) {
	f.Add("10.0.0.1:1", "1.2.3.4, 10.0.0.2")
	f.Add("203.0.113.9:1", "1.2.3.4")
	f.Add("[::1]:1", "nonsense")
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	f.Fuzz(func(t *testing.T, remote, forwarded string) {
		got := clientAddress(remote, http.Header{"X-Forwarded-For": {forwarded}}, trusted)
		if !got.IsValid() || got.Zone() != "" {
			t.Errorf("%q %q: %v", remote, forwarded, got)
		}
		if peer, err := netip.ParseAddrPort(remote); err == nil && !contains(trusted, peer.Addr().Unmap()) && got != peer.Addr().Unmap().WithZone("") {
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
		if got := clientAddress(row[0], http.Header{"X-Forwarded-For": {row[1]}}, trusted); got.String() != row[2] {
			t.Errorf("%s, %q: %s, wanted %s", row[0], row[1], got, row[2])
		}
	}
}
