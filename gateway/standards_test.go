package gateway

import (
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/testwait"
	"ams.internal/libs/transport"
)

// standing in for the assets service: a list with links, a document, and an error in the form that is preferred.
func standard(out http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/internal/openapi.json":
		out.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(out, `{"openapi":"3.1.0","paths":{"/v1/assets":{"get":{"tags":["t"]},"post":{"tags":["t"]}},`+
			`"/v1/assets/{id}":{"get":{"tags":["t"]},"patch":{"tags":["t"]}},"/v1/assets/bulk":{"delete":{"tags":["t"]}}},"components":{}}`)
	case r.URL.Query().Has("refuse"):
		transport.WriteFault(out, r.Header["Accept"], fault.NotFound("asset", "1"))
	default:
		out.Header().Set("Content-Type", "application/json")
		out.Header().Add("Link", `</docs/changelog>; rel="deprecation"; type="text/html"`)
		out.Header().Add("Link", `</v1/assets?page=2>; rel="next"`)
		_, _ = io.WriteString(out, "{}")
	}
}

func TestTheGatewaySpeaksHTTPAsItsStandardsSay(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", standard)
	g := w.start()
	key, _ := w.key(newKey{rateLimit: 60})
	allow := func(path string) string { return call(t, "OPTIONS", g.url+path, "").Header.Get("Allow") }
	testwait.For(t, 10*time.Second, "the document has the paths of the service", func() bool {
		return allow("/v1/assets") == "GET, HEAD, POST, OPTIONS"
	})

	t.Run("OPTIONS says which methods a path has", func(t *testing.T) {
		for path, want := range map[string]string{"/v1/assets/bulk": "DELETE, OPTIONS", "/v1/assets/" + newID(): "GET, HEAD, PATCH, OPTIONS",
			"/v1/me": "GET, HEAD, OPTIONS", "/v1/nothing": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"} {
			a := call(t, "OPTIONS", g.url+path, "")
			takes := ""
			if strings.Contains(path, "-") {
				takes = "application/merge-patch+json, application/json"
			}
			if a.StatusCode != 204 || a.Header.Get("Allow") != want || a.Header.Get("Accept-Patch") != takes {
				t.Errorf("%s: %d %v", path, a.StatusCode, a.Header)
			}
		}
	})

	t.Run("an unknown path suggests", func(t *testing.T) {
		for path, want := range map[string]string{"/v1/asset": "/v1/assets", "/v1/work-order": "/v1/work-orders",
			"/v1/asets/" + newID(): "/v1/assets/{id}", "/opnapi.json": "/openapi.json", "/v1/wholly-different": ""} {
			a := call(t, "GET", g.url+path, key)
			assertError(t, a, 404, "unknown_path")
			if want == "" {
				says(t, a, "in this API; /openapi.json lists")
			} else {
				says(t, a, "; did you mean "+want+"? ")
			}
		}
	})

	t.Run("an error is a problem for who prefers that", func(t *testing.T) {
		for path, status := range map[string]int{"/v1/assets?refuse": 404, "/v1/asset": 404, "/v1/users?api_key=" + key: 400} {
			a := call(t, "GET", g.url+path, key, "Accept", "application/json;q=0.5, application/problem+json")
			shown := a.json(t)
			if a.StatusCode != status || a.Header.Get("Content-Type") != "application/problem+json" || shown["status"] != float64(status) ||
				shown["title"] == "" || shown["type"] != "about:blank" || shown["detail"] != shown["error"] || shown["code"] == nil {
				t.Errorf("%s: %d %v %s", path, a.StatusCode, a.Header, a.body)
			}
			if plain := call(t, "GET", g.url+path, key, "Accept", "*/*"); plain.Header.Get("Content-Type") != "application/json" ||
				plain.json(t)["detail"] != nil {
				t.Errorf("%s: %s", path, plain.body)
			}
		}
	})

	t.Run("RateLimit says what X-RateLimit says", func(t *testing.T) {
		for by, credential := range map[string]string{"key": key, "address": ""} {
			header := call(t, "GET", g.url+"/v1/me", credential).Header
			if want := `"` + by + `";q=` + header.Get("X-RateLimit-Limit") + ";w=60"; header.Get("RateLimit-Policy") != want {
				t.Errorf("%s, want %s", header.Get("RateLimit-Policy"), want)
			}
			parts := regexp.MustCompile(`^"(\w+)";r=(\d+);t=(\d+)$`).FindStringSubmatch(header.Get("RateLimit"))
			if parts == nil || parts[1] != by || parts[2] != header.Get("X-RateLimit-Remaining") {
				t.Fatalf("%s beside %v", header.Get("RateLimit"), header)
			}
			if seconds, _ := strconv.Atoi(parts[3]); seconds > 60 {
				t.Errorf("a window of a minute ends in %d seconds", seconds)
			}
		}
	})

	t.Run("links to pages keep the region of the query", func(t *testing.T) {
		links := call(t, "GET", g.url+"/v1/assets", key).Header["Link"]
		if len(links) != 2 || links[1] != `</v1/assets?page=2>; rel="next"` {
			t.Errorf("%q", links)
		}
		links = call(t, "GET", g.url+"/v1/assets?forceFunctionRegion=ca-central-1", key).Header["Link"]
		if len(links) != 2 || links[0] != `</docs/changelog>; rel="deprecation"; type="text/html"` ||
			links[1] != `</v1/assets?page=2&forceFunctionRegion=ca-central-1>; rel="next"` {
			t.Errorf("%q", links)
		}
	})

	t.Run("a path with a NUL is named", func(t *testing.T) {
		a := call(t, "GET", g.url+"/v1/assets/a%00b", key)
		assertError(t, a, 400, "malformed_path")
		if fields, _ := a.json(t)["fields"].([]any); len(fields) != 1 || object(fields[0])["field"] != "path" {
			t.Errorf("%s", a.body)
		}
	})
}

// A page is no stream, however much CSV the caller would take as well.
func TestWhatPrefersJSONTakesNoPlaceOfAStream(t *testing.T) {
	w := newFixture(t)
	h := w.holding("assets")
	g := w.start()
	organization := newID()
	key, _ := w.key(newKey{organization: organization})
	w.ceilings(organization, "streams = 1")
	h.hold(t, g.url+"/v1/assets?slow", key, "Accept", "text/csv")
	for accept, want := range map[string]int{
		"text/csv;q=0.5, application/json": 200, "text/csv;q=0.5, */*": 200, "text/csv;q=0": 200, "*/*": 200,
		"application/json;q=0.5, text/csv": 429, "text/csv;q=0.1": 429,
	} {
		if a := call(t, "GET", g.url+"/v1/assets", key, "Accept", accept); a.StatusCode != want {
			t.Errorf("%s: %d %s", accept, a.StatusCode, a.body)
		}
	}
	h.letGo()
}
