package oauth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestWhatIsPublished(t *testing.T) {
	f := newAuthFixture(t, func(c *Config) { c.BaseURL = "https://api.example.ca/" })
	resource := map[string]any{
		"resource": "https://api.example.ca/mcp", "authorization_servers": []any{"https://api.example.ca"},
		"bearer_methods_supported": []any{"header"},
		"resource_name":            "Asset management", "resource_documentation": "https://api.example.ca/docs",
	}
	for path, want := range map[string]map[string]any{
		"/.well-known/oauth-protected-resource/mcp": resource,
		"/.well-known/oauth-protected-resource":     resource,
		"/.well-known/oauth-authorization-server": {
			"issuer": "https://api.example.ca", "authorization_endpoint": "https://api.example.ca/oauth/authorize",
			"token_endpoint":        "https://api.example.ca/oauth/token",
			"registration_endpoint": "https://api.example.ca/oauth/register", "revocation_endpoint": "https://api.example.ca/oauth/revoke",
			"response_types_supported": []any{"code"}, "response_modes_supported": []any{"query"},
			"grant_types_supported":            []any{"authorization_code", "refresh_token"},
			"code_challenge_methods_supported": []any{"S256"}, "token_endpoint_auth_methods_supported": []any{"none"},
			"revocation_endpoint_auth_methods_supported": []any{"none"},
			"client_id_metadata_document_supported":      true, "authorization_response_iss_parameter_supported": true,
			"ui_locales_supported":  []any{"en-CA", "fr-CA"},
			"service_documentation": "https://api.example.ca/docs",
		},
	} {
		resp := f.newBrowser().get(path)
		if got := resp.json(t); resp.status != 200 || fmt.Sprint(got) != fmt.Sprint(want) ||
			resp.header.Get("Content-Type") != "application/json" || resp.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d %v %v", path, resp.status, got, resp.header)
		}
		if resp := f.newBrowser().form(path, nil); resp.status != 405 || resp.header.Get("Allow") != "GET, HEAD" {
			t.Errorf("POST %s: %d %v", path, resp.status, resp.header)
		}
	}
	for _, path := range []string{"/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/mcp", "/oauth/",
		"/oauth/token/x", "/oauth/introspect"} {
		if resp := f.newBrowser().get(path); resp.status != 404 || resp.json(t)["code"] != "unknown_path" {
			t.Errorf("%s: %d %s", path, resp.status, resp.body)
		}
	}
}

func TestRegisteringStoresNothing(t *testing.T) {
	f := newAuthFixture(t)
	before := f.dumpRows()
	resp := f.newBrowser().send(http.MethodPost, registerPath,
		"application/json; charset=utf-8", `{"client_name":" Claude\n Code\u202e ","redirect_uris":["http://localhost/callback","https://claude.ai/api/mcp/auth_callback"],
		"grant_types":["authorization_code","refresh_token","implicit"],"response_types":["code"],"token_endpoint_auth_method":"client_secret_basic","application_type":"native","scope":"all","something":{"new":1}}`)
	got := resp.json(t)
	if resp.status != 201 || resp.header.Get("Cache-Control") != "no-store" || got["client_name"] != "Claude Code" ||
		got["token_endpoint_auth_method"] != "none" || got["client_secret"] != nil ||
		fmt.Sprint(got["grant_types"], got["response_types"], got["redirect_uris"]) != "[authorization_code refresh_token] [code] "+
			"[http://localhost/callback https://claude.ai/api/mcp/auth_callback]" {
		t.Errorf("%d %s", resp.status, resp.body)
	}
	if after := f.dumpRows(); after != before {
		t.Errorf("the database has %s\nafter\n%s", after, before)
	}
	known, err := f.authorizer.findClient(t.Context(), got["client_id"].(string))
	if err != nil || known.name != "Claude Code" || len(known.redirects) != 2 {
		t.Errorf("%+v %v", known, err)
	}
}

func TestWhatRegistrationRefuses(t *testing.T) {
	f := newAuthFixture(t)
	redirects := func(all ...string) string {
		body, err := json.Marshal(map[string]any{"redirect_uris": all})
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	var many, long []string
	for i := range 11 {
		many = append(many, fmt.Sprintf("http://127.0.0.1/%d", i))
		long = append(long, fmt.Sprintf("http://127.0.0.1/%d%s", i, strings.Repeat("x", 700)))
	}
	for name, test := range map[string]struct{ kind, body, code string }{
		"a form":  {"application/x-www-form-urlencoded", "redirect_uris=x", "invalid_client_metadata"},
		"no type": {"", `{}`, "invalid_client_metadata"},
		"no JSON": {"application/json", `{`, "invalid_client_metadata"},
		"a list":  {"application/json", `[]`, "invalid_client_metadata"},
		"a name that is a number": {"application/json", `{"client_name":7,"redirect_uris":["http://127.0.0.1/"]}`,
			"invalid_client_metadata"},
		"nothing":                     {"application/json", `{}`, "invalid_redirect_uri"},
		"no address":                  {"application/json", redirects(), "invalid_redirect_uri"},
		"too many addresses":          {"application/json", redirects(many...), "invalid_redirect_uri"},
		"addresses that are too long": {"application/json", redirects(long[:8]...), "invalid_client_metadata"},
		"an address of elsewhere": {"application/json", redirects("http://127.0.0.1/", "https://evil.example.com/"),
			"invalid_redirect_uri"},
		"a script":                {"application/json", redirects("javascript:alert(1)"), "invalid_redirect_uri"},
		"another scheme":          {"application/json", redirects("vscode://evil/callback"), "invalid_redirect_uri"},
		"http on another machine": {"application/json", redirects("http://claude.ai/"), "invalid_redirect_uri"},
		"another grant type alone": {"application/json", `{"redirect_uris":["http://127.0.0.1/"],"grant_types":["client_credentials"]}`,
			"invalid_client_metadata"},
		"another response type alone": {"application/json", `{"redirect_uris":["http://127.0.0.1/"],"response_types":["token"]}`,
			"invalid_client_metadata"},
		"too much": {"application/json", `{"x":"` + strings.Repeat("x", 17<<10) + `"}`, "invalid_client_metadata"},
		"an address with a key in it": {"application/json", redirects("https://evil.example.com/?k=ams_live_secretsecret"),
			"invalid_redirect_uri"},
		"an address with quotes in it":    {"application/json", redirects("https://evil.example.com/\"\\\u00e9"), "invalid_redirect_uri"},
		"an address that is not a text":   {"application/json", `{"redirect_uris":[7]}`, "invalid_client_metadata"},
		"one address instead of a list":   {"application/json", `{"redirect_uris":"http://127.0.0.1/"}`, "invalid_client_metadata"},
		"an address with a fragment":      {"application/json", redirects("http://127.0.0.1/#x"), "invalid_redirect_uri"},
		"an address with somebody's name": {"application/json", redirects("http://me@127.0.0.1/"), "invalid_redirect_uri"},
	} {
		t.Run(name, func(t *testing.T) {
			resp := f.newBrowser().send(http.MethodPost, registerPath, test.kind, test.body)
			resp.checkOAuthError(t, 400, test.code)
			if description := resp.json(t)["error_description"].(string); strings.ContainsAny(description, "\"\\é") ||
				strings.Contains(description, "secretsecret") {
				t.Error(description)
			}
		})
	}
}

// dumpRows is every row in the schema of this service.
func (f *authFixture) dumpRows() string {
	f.t.Helper()
	tables, err := f.owner.Query(f.t.Context(), "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'mcp' ORDER BY tablename")
	if err != nil {
		f.t.Fatal(err)
	}
	var names []string
	for tables.Next() {
		var name string
		if err := tables.Scan(&name); err != nil {
			f.t.Fatal(err)
		}
		names = append(names, name)
	}
	var all strings.Builder
	for _, name := range names {
		rows, err := f.owner.Query(f.t.Context(), "SELECT to_jsonb(t)::text FROM "+name+" t ORDER BY 1")
		if err != nil {
			f.t.Fatal(err)
		}
		for rows.Next() {
			var row string
			if err := rows.Scan(&row); err != nil {
				f.t.Fatal(err)
			}
			fmt.Fprintln(&all, name, row)
		}
	}
	return all.String()
}

func TestTheIconIsPublic(t *testing.T) {
	shown := newAuthFixture(t).newBrowser().get(IconPath)
	if shown.status != 200 || shown.header.Get("Content-Type") != "image/png" || !strings.HasPrefix(shown.body, "\x89PNG") {
		t.Errorf("%d %v", shown.status, shown.header)
	}
}
