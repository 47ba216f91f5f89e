package edge

import (
	"net/url"
	"path"
	"strings"
	"testing"

	"ams.internal/libs/apikey"
)

// Whatever a path looks like: one that is let through means the same to every program that reads it, and leads nowhere but
// to the services of the table.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"/v1/assets", "/v1/assets/../users", "/v1/%2e%2e/internal", "/v1/assets%2fx", "//x", "/v1/assets/%00",
		"/V1", "/v1/as%73ets", "/v1/assets/by-external-id/a%2Fb%25", "/v1/x/../by-external-id/a", "/v1/assets/by-external-id/%2e%2e", "*",
		"/v1/assets/.x", "/internal/openapi.json", "/v1/a;b/c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, target string) {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			return
		}
		if !isClean(u) {
			return
		}
		if before, id, keyed := strings.Cut(u.EscapedPath(), "/by-external-id/"); keyed {
			if collection, err := url.ParseRequestURI(before); err != nil || !isClean(collection) || strings.ContainsAny(id, "/\\\x00\r\n") {
				t.Errorf("%q was let through", target)
			}
			read, err := url.ParseRequestURI((&url.URL{Path: u.Path, RawPath: u.RawPath}).RequestURI())
			if err != nil || read.Path != u.Path || read.EscapedPath() != u.EscapedPath() {
				t.Errorf("%q arrives as %v, %v", target, read, err)
			}
			return
		}
		clean := u.Path
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
	for _, seed := range []string{"page=2", "forceFunctionRegion=x&page=2", "a&force%46unctionRegion=x", "forceFunctionRegion", "q=%",
		"&&=", "token=ams_live_x", "a=ams%5flive_x"} {
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
		if apikey.In(query) && !holdsKey(query) {
			t.Errorf("%q holds a key", query)
		}
	})
}

// TestAnExternalIDMayHaveAnyCharacters: it is one encoded segment, and the rest of the path is as strict as any.
func TestAnExternalIDMayHaveAnyCharacters(t *testing.T) {
	for target, want := range map[string]bool{
		"/v1/assets/by-external-id/SAP-1":              true,
		"/v1/assets/by-external-id/a%2Fb%25c%5C..":     true,
		"/v1/assets/by-external-id/%C3%A9%20;%3F":      true,
		"/v1/work-orders/1/costs/by-external-id/a%2Fb": true,
		"/v1/assets/by-external-id/":                   false,
		"/v1/assets/by-external-id/a/b":                false,
		"/v1/assets/by-external-id/..":                 false,
		"/v1/assets/by-external-id/%2e%2E":             false,
		"/v1/assets/by-external-id/%2e":                false,
		"/v1/assets/by-external-id/a%00":               false,
		"/v1/assets/by-external-id/%ff":                false,
		"/v1/x/../by-external-id/a":                    false,
		"/v1/a%2Fb/by-external-id/a":                   false,
		"/v1/assets%2Fby-external-id%2Fa%2Fb":          false,
	} {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			t.Fatal(err)
		}
		if got := isClean(u); got != want {
			t.Errorf("%s: let through %v, want %v", target, got, want)
		}
	}
}
