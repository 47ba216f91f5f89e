package gateway

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"ams.internal/gateway/keys"
)

// Every refusal the gateway knows, by status and reason, each with its headers and its body.
func TestRefusals(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	w.serve("users", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	g := w.start()

	full, _ := w.key(newKey{})
	narrow, _ := w.key(newKey{scopes: []string{"assets:read", "sites:write"}})
	essentials, _ := w.key(newKey{plan: "essentials"})
	professional, _ := w.key(newKey{plan: "professional"})
	withKeys, _ := w.key(newKey{plan: "professional", addOns: []string{"api_keys"}})
	essentialsWithKeys, _ := w.key(newKey{plan: "essentials", addOns: []string{"api_keys"}})
	inactive, _ := w.key(newKey{state: "inactive"})
	expired, _ := w.key(newKey{expiresIn: -time.Second})
	revoked, _ := w.key(newKey{state: "revoked"})
	revokedAndExpired, _ := w.key(newKey{state: "revoked", expiresIn: -time.Second})
	elsewhere, _ := w.key(newKey{networks: []string{"203.0.113.0/24"}})
	withinOneMinute(10 * time.Second)
	limited, _ := w.key(newKey{rateLimit: 1, scopes: []string{"sites:read"}, plan: "essentials"})
	call(t, "GET", g.url+"/v1/me", limited)
	const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	changed := full[:len(full)-1] + string(base62[(strings.IndexByte(base62, full[len(full)-1])+1)%62])

	for _, row := range []struct {
		name, method, path, key string
		headers                 []string
		status                  int
		code                    string
		says                    string // a word of the sentence
	}{
		{"no key", "GET", "/v1/assets", "", nil, 401, "key_missing", "Authorization"},
		{"no key, unknown path", "GET", "/v1/nothing", "", nil, 401, "key_missing", ""},
		{"a key in the query alone", "GET", "/v1/assets?api_key=" + full, "", nil, 401, "key_missing", "query"},
		{"another scheme", "GET", "/v1/assets", "", []string{"Authorization", "Basic " + full}, 401, "key_missing", "Bearer"},
		{"an empty bearer", "GET", "/v1/assets", "", []string{"Authorization", "Bearer "}, 401, "key_missing", ""},
		{"nonsense for a key", "GET", "/v1/assets", "hunter2", nil, 401, "key_malformed", "checksum"},
		{"a wrong checksum", "GET", "/v1/assets", changed, nil, 401, "key_malformed", "checksum"},
		{"a key that was never made", "GET", "/v1/assets", keys.Generate(keys.Live), nil, 401, "key_unknown", "not known"},
		{"a revoked key", "GET", "/v1/assets", revoked, nil, 401, "key_revoked", "revoked"},
		{"a revoked key that has expired too", "GET", "/v1/assets", revokedAndExpired, nil, 401, "key_revoked", "revoked"},
		{"an inactive key", "GET", "/v1/assets", inactive, nil, 403, "key_inactive", "suspended"},
		{"an expired key", "GET", "/v1/assets", expired, nil, 403, "key_expired", "expired"},
		{"a key from the wrong network", "GET", "/v1/assets", elsewhere, nil, 403, "network_not_allowed", "127.0.0.1"},
		{"the wrong network, and a forged proxy header", "GET", "/v1/assets", elsewhere, []string{"X-Forwarded-For", "203.0.113.7"}, 403,
			"network_not_allowed", "127.0.0.1"},
		{"over the limit, before plan and scope are looked at", "DELETE", "/v1/assets", limited, nil, 429, "rate_limited", "X-RateLimit-Reset"},
		{"a plan without API access", "GET", "/v1/assets", essentials, nil, 403, "feature_not_in_plan", "API access"},
		{"a plan without API access, unknown path", "GET", "/v1/nothing", essentials, nil, 403, "feature_not_in_plan", "API access"},
		{"professional has no API access of its own", "GET", "/v1/projects", professional, nil, 403, "feature_not_in_plan", "API access"},
		{"Level of Service not in the plan", "GET", "/v1/los/measures", withKeys, nil, 403, "feature_not_in_plan", "Level of Service"},
		{"Infrastructure not in the plan", "POST", "/v1/infrastructure/segments", withKeys, nil, 403, "feature_not_in_plan", "Infrastructure"},
		{"Projects not in the plan", "GET", "/v1/projects", essentialsWithKeys, nil, 403, "feature_not_in_plan", "Projects"},
		{"Maintenance not in the plan", "GET", "/v1/maintenance/pm-plans", withKeys, nil, 403, "feature_not_in_plan", "Maintenance"},
		{"meters not in the plan", "POST", "/v1/meters", withKeys, nil, 403, "feature_not_in_plan", "Maintenance"},
		{"forms not in the plan", "GET", "/v1/forms/templates", withKeys, nil, 403, "feature_not_in_plan", "Maintenance"},
		{"links for requests not in the plan", "POST", "/v1/request-links", withKeys, nil, 403, "feature_not_in_plan", "Maintenance"},
		{"Accounting not in the plan", "GET", "/v1/accounting/capital-assets", withKeys, nil, 403, "feature_not_in_plan", "Accounting"},
		{"a scope for reading missing", "GET", "/v1/buildings", narrow, nil, 403, "scope_missing", "buildings:read"},
		{"a scope for writing missing", "POST", "/v1/assets", narrow, nil, 403, "scope_missing", "assets:write"},
		{"write does not imply read", "GET", "/v1/sites", narrow, nil, 403, "scope_missing", "sites:read"},
		{"a scope for documents missing", "GET", "/v1/documents/x/content", narrow, nil, 403, "scope_missing", "documents:read"},
		{"a scope for uploading missing", "PATCH", "/v1/uploads/x", narrow, nil, 403, "scope_missing", "documents:write"},
		{"asking how far an upload is needs the scope for writing", "GET", "/v1/uploads/x", narrow, nil, 403, "scope_missing", "documents:write"},
		{"a scope for legal holds missing", "GET", "/v1/legal-holds", narrow, nil, 403, "scope_missing", "legal_holds:read"},
		{"documents without their service", "GET", "/v1/storage", full, nil, 503, "service_unavailable", "/v1/storage"},
		{"work orders by their other path", "GET", "/v1/work_orders", narrow, nil, 403, "scope_missing", "work_orders:read"},
		{"an unknown path", "GET", "/v1/nothing", full, nil, 404, "unknown_path", "/v1/nothing"},
		{"a path that only begins like a known one", "GET", "/v1/assetsx", full, nil, 404, "unknown_path", ""},
		{"the version alone", "GET", "/v1", full, nil, 404, "unknown_path", ""},
		{"a path outside the API", "GET", "/index.php", "", nil, 404, "unknown_path", "openapi.json"},
		{"a page under the documentation that is not there", "GET", "/docs/nothing", "", nil, 404, "unknown_path", ""},
		{"another spelling of the version", "GET", "/V1/assets", full, nil, 404, "unknown_path", ""},
		{"the services' inside", "GET", "/internal/openapi.json", full, nil, 404, "unknown_path", ""},
		{"a method that a path of ours does not take", "POST", "/v1/me", full, nil, 400, "method_not_allowed", "GET, HEAD"},
		{"TRACE", "TRACE", "/v1/assets", full, nil, 400, "method_not_allowed", ""},
		{"an unknown region", "GET", "/v1/assets", full, []string{"X-Region", "eu-west-1"}, 400, "invalid_request", "ca-central-1"},
		{"an empty region", "GET", "/v1/assets?forceFunctionRegion=", full, nil, 400, "invalid_request", "x-region"},
		{"an unknown region in the query", "GET", "/v1/assets?forceFunctionRegion=eu-west-1", full, nil, 400, "invalid_request", "eu-west-1"},
		{"an unknown region in the header beats a known one in the query", "GET", "/v1/assets?forceFunctionRegion=ca-central-1", full,
			[]string{"X-Region", "nowhere"}, 400, "invalid_request", "nowhere"},
		{"an import that is no UUID", "GET", "/v1/assets", full, []string{"Import-Id", "monday"}, 400, "invalid_request", "Import-Id"},
		{"an import without its id", "GET", "/v1/assets", full, []string{"Import-Id", ""}, 400, "invalid_request", "Import-Id"},
		{"a second key in the query", "GET", "/v1/assets?token=" + full, full, nil, 400, "key_in_query", "query"},
		{"a second key in the query, encoded", "GET", "/v1/assets?token=ams%5Flive%5F" + full[9:], full, nil, 400, "key_in_query", "query"},
		{"dots in the path", "GET", "/v1/assets/../../internal/openapi.json", full, nil, 400, "malformed_path", ""},
		{"encoded dots in the path", "GET", "/v1/assets/%2e%2e/users", full, nil, 400, "malformed_path", ""},
		{"dots encoded twice", "GET", "/v1/assets/%252e%252e/users", full, nil, 400, "malformed_path", ""},
		{"an empty segment", "GET", "/v1//assets", full, nil, 400, "malformed_path", ""},
		{"an encoded slash", "GET", "/v1/assets%2F..%2Fusers", full, nil, 400, "malformed_path", ""},
		{"a backslash", "GET", "/v1/assets%5C..%5Cusers", full, nil, 400, "malformed_path", ""},
		{"a NUL in the path", "GET", "/v1/assets/%00", full, nil, 400, "malformed_path", ""},
		{"a line break in the path", "GET", "/v1/assets/%0d%0aX-Injected:1", full, nil, 400, "malformed_path", ""},
		{"a service that is not there", "GET", "/v1/projects", full, nil, 503, "service_unavailable", "/v1/projects"},
		{"a service that is not there, and a pinned region", "GET", "/v1/projects", full, []string{"X-Region", "ca-central-1"}, 503,
			"region_unavailable", "ca-central-1"},
		{"any key may search, and nobody is there to do it", "GET", "/v1/search?q=arena", narrow, nil, 503, "service_unavailable", "/v1/search"},
		{"searching without API access", "GET", "/v1/search?q=arena", essentials, nil, 403, "feature_not_in_plan", "API access"},
		{"searching without a key", "GET", "/v1/search?q=arena", "", nil, 401, "key_missing", "Authorization"},
		{"a service for assistants that is not there", "POST", "/mcp", "", nil, 503, "service_unavailable", ""},
		{"settings that are not there", "GET", "/settings/keys", "", nil, 503, "service_unavailable", ""},
		{"a service that responds outside the vocabulary", "GET", "/v1/users", full, nil, 500, "internal", "our side"},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := call(t, row.method, g.url+row.path, row.key, row.headers...)
			body := assertError(t, a, row.status, row.code)
			if sentence := body["error"].(string); !strings.Contains(sentence, row.says) {
				t.Errorf("%q does not say %q", sentence, row.says)
			}
			if row.key != "" && strings.Contains(string(a.body), row.key) {
				t.Error("the response shows the key")
			}
			switch row.code {
			case "scope_missing":
				if body["required_scope"] == "" || len(body["scopes"].([]any)) == 0 {
					t.Errorf("%s does not name the scope that is needed and those the key has", a.body)
				}
			case "feature_not_in_plan":
				if body["feature"] != row.says {
					t.Errorf("feature %v", body["feature"])
				}
			}
		})
	}
	// What was refused for its path, method or region reached nobody.
	if strings.Contains(g.logs.String(), full[:20]) {
		t.Error("the log shows a key")
	}
}

func TestRefusalsThatNoHandlerSees(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	g := w.start()
	for name, request := range map[string]string{
		"not HTTP":                 "hello there\r\n\r\n",
		"no host":                  "GET /v1/assets HTTP/1.1\r\n\r\n",
		"a broken header":          "GET /v1/assets HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n",
		"a header with a NUL":      "GET /v1/assets HTTP/1.1\r\nHost: x\r\nA: \x00\r\n\r\n",
		"two lengths":              "POST /v1/assets HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
		"an unknown transfer":      "POST /v1/assets HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
		"headers without end":      "GET /v1/assets HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("a", 80<<10) + "\r\n\r\n",
		"an unknown expectation":   "GET /v1/assets HTTP/1.1\r\nHost: x\r\nExpect: a miracle\r\n\r\n",
		"another version":          "GET /v1/assets HTTP/3.0\r\nHost: x\r\n\r\n",
		"a request line with more": "GET /v1/assets HTTP/1.1 x\r\nHost: x\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			a := raw(t, g, request)
			if a.StatusCode != http.StatusBadRequest || a.Header.Get("Content-Type") != "application/json" {
				t.Fatalf("got %d %v %s", a.StatusCode, a.Header, a.body)
			}
			assertHeaders(t, a)
			if a.json(t)["error"] == "" {
				t.Errorf("body %s", a.body)
			}
		})
	}
	t.Run("OPTIONS for the whole server", func(t *testing.T) {
		a := raw(t, g, "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		assertError(t, a, 400, "malformed_path")
	})
	t.Run("CONNECT", func(t *testing.T) {
		a := raw(t, g, "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nConnection: close\r\n\r\n")
		assertError(t, a, 400, "malformed_path")
	})
}

func TestProbesCarryTheHeadersToo(t *testing.T) {
	w := newFixture(t)
	g := w.start()
	for _, path := range []string{"/livez", "/readyz"} {
		before := call(t, "GET", g.url+path, "")
		after := call(t, "GET", g.url+path, "")
		assertHeaders(t, before)
		if after.StatusCode != 200 || before.Header.Get("X-RateLimit-Remaining") != after.Header.Get("X-RateLimit-Remaining") {
			t.Errorf("%s: %d, and it counts against the limit", path, after.StatusCode)
		}
	}
}
