package gateway

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

// object is a JSON object; nil where value is none.
func object(value any) map[string]any {
	members, _ := value.(map[string]any)
	return members
}

func TestTheDocumentIsMergedFromTheServices(t *testing.T) {
	w := newFixture(t)
	part := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/internal/openapi.json" {
				w.WriteHeader(404)
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
		}
	}
	operation := func(schema string) string {
		return `{"get":{"operationId":"x","tags":["t"],"responses":{"200":{"content":{"application/json":
			{"schema":{"$ref":"#/components/schemas/` + schema + `"}}}}}}}`
	}
	w.serve("assets", part(`{"openapi":"3.1.0","paths":{"/v1/assets":`+operation("Record")+`,"/v1/users/stolen":{}},
		"components":{"schemas":{"Record":{"type":"object","properties":{"child":{"$ref":"#/components/schemas/Child"}}},
		"Child":{"type":"string"}}}}`))
	w.serve("users", part(`{"openapi":"3.1.0","paths":{"/v1/users":`+operation("Record")+`},
		"components":{"schemas":{"Record":{"type":"object","properties":{"child":{"$ref":"#/components/schemas/Child"}}},
		"Child":{"type":"integer"}}}}`))
	w.serveOthers()
	g := w.start(func(c *Config) { c.BaseURL = "https://api.example.ca" })
	document := g.document(t, "").json(t)
	paths := object(document["paths"])
	if paths["/v1/me"] == nil || paths["/v1/users/stolen"] != nil || object(document["info"])["title"] == "" ||
		document["openapi"] != "3.1.0" {
		t.Errorf("%v", document)
	}
	encoded, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, reference := range regexp.MustCompile(`"\$ref":"#/components/schemas/([^"]+)"`).FindAllSubmatch(encoded, -1) {
		if object(object(document["components"])["schemas"])[string(reference[1])] == nil {
			t.Errorf("%s is referred to and not there", reference[1])
		}
	}
	users, err := json.Marshal(paths["/v1/users"])
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(users), "users_Record") || !strings.Contains(string(encoded), `"users_Child"`) ||
		!strings.Contains(fmt.Sprint(document["security"]), "api_key") {
		t.Errorf("two services' different components of one name: %s", users)
	}

	plain := call(t, "GET", g.url+"/openapi.json", "")
	if small := call(t, "GET", g.url+"/openapi.json", "", "Accept-Encoding", "gzip"); small.Header.Get("Content-Encoding") != "gzip" ||
		len(small.body) >= len(plain.body) {
		t.Error("not compressed for a caller who accepts that")
	}
	if clients := call(t, "GET", g.url+"/openapi.json?view=clients", ""); string(clients.body) != string(plain.body) {
		t.Error("the view for clients is not what is shown without a view")
	}
	if unknown := call(t, "GET", g.url+"/openapi.json?view=some", ""); unknown.StatusCode != 400 ||
		!strings.Contains(string(unknown.body), "clients") || !strings.Contains(string(unknown.body), "full") {
		t.Errorf("an unknown view: %d %s", unknown.StatusCode, unknown.body)
	}
	if same := call(t, "GET", g.url+"/openapi.json", "", "If-None-Match", plain.Header.Get("Etag")); same.StatusCode != 304 ||
		len(same.body) != 0 {
		t.Errorf("%d", same.StatusCode)
	}
}

// A generator that was given half of the document would make half a client, and nobody would see it.
func TestAnIncompleteDocumentIsRefused(t *testing.T) {
	w := newFixture(t)
	var there, away atomic.Bool
	w.serve("los", func(out http.ResponseWriter, r *http.Request) {
		if !there.Load() || away.Load() {
			out.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		standard(out, r)
	})
	w.serveOthers()
	g := w.start()
	paths := []string{"/openapi.json", "/openapi.json?view=full", "/docs/reference", "/docs/reference/me", "/docs/reference/nothing"}
	testwait.For(t, 20*time.Second, "los alone is missing", func() bool {
		message, _ := call(t, "GET", g.url+"/openapi.json", "").json(t)["error"].(string)
		return strings.Contains(message, " nothing from los. ")
	})
	for _, path := range paths {
		assertUnavailable(t, call(t, "GET", g.url+path, ""), "document_incomplete")
	}
	for _, path := range []string{"/docs", "/docs/search?q=limits", "/docs/guides/api"} { // what does not claim to be whole
		if a := call(t, "GET", g.url+path, ""); a.StatusCode != 200 {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
		}
	}
	if a := call(t, "GET", g.url+"/readyz", ""); a.StatusCode != 200 {
		t.Errorf("a gateway without a part of the document is not ready: %s", a.body)
	}
	there.Store(true)
	g.document(t, "")
	away.Store(true) // what was read once stays
	for _, path := range paths[:4] {
		if a := call(t, "GET", g.url+path, ""); a.StatusCode != 200 {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
		}
	}
}

func TestWebhooksReferToTheRecordsOfOtherServices(t *testing.T) {
	w := newFixture(t)
	part := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
		}
	}
	get := func(id, schema string) string {
		return `{"get":{"operationId":"` + id + `","tags":["t"],"responses":{"200":{"content":{"application/json":
			{"schema":{"$ref":"#/components/schemas/` + schema + `"}}}}}}}`
	}
	webhook := func(operation string) string {
		return `{"post":{"operationId":"on_it","tags":["events"],"responses":{"2XX":{"description":"Received."}},"requestBody":
			{"content":{"application/json":{"schema":
			{"allOf":[{"$ref":"#/components/schemas/Event"},{"properties":{"data":{"properties":
			{"object":{"type":"object","x-object-of":"` + operation + `"}}}}}]}}}}}}`
	}
	w.serve("assets", part(`{"openapi":"3.1.0","paths":{"/v1/assets/{id}":`+get("get_asset",
		"Record")+`},"components":{"schemas":{"Record":{"type":"object"},"Event":{"type":"string"}}}}`))
	w.serve("users", part(`{"openapi":"3.1.0","paths":{"/v1/users/{id}":`+get("get_user",
		"Record")+`},"components":{"schemas":{"Record":{"type":"object","description":"another"}}},
		"webhooks":{"asset.updated":{"post":{"operationId":"the first of two of one name","responses":{}}}}}`))
	w.serve("webhooks", part(`{"openapi":"3.1.0","paths":{"/v1/events":`+get("list_events",
		"Event")+`},"components":{"schemas":{"Event":{"type":"object"}}},
		"webhooks":{"asset.updated":`+webhook("get_asset")+`,"asset.created":`+webhook("get_asset")+`,
		"user.created":`+webhook("get_user")+`,"project.created":`+webhook("get_project")+`}}`))
	w.serveOthers()
	g := w.start()
	document := g.document(t, "?view=full").json(t)
	webhooks := object(document["webhooks"])
	schema := func(name string) []any {
		content := object(object(object(object(webhooks[name])["post"])["requestBody"])["content"])
		all, _ := object(object(content["application/json"])["schema"])["allOf"].([]any)
		if len(all) != 2 {
			t.Fatalf("%s: %v", name, webhooks[name])
		}
		return all
	}
	objectOf := func(name string) map[string]any {
		return object(object(object(object(object(schema(name)[1])["properties"])["data"])["properties"])["object"])
	}
	// Of components of one name, the second has its service's before it; references follow.
	for name, want := range map[string]string{"asset.created": "#/components/schemas/Record",
		"user.created": "#/components/schemas/users_Record"} {
		if got := objectOf(name); got["$ref"] != want || len(got) != 1 {
			t.Errorf("the object of %s is %v, want a reference to %s", name, got, want)
		}
		if base := object(schema(name)[0])["$ref"]; base != "#/components/schemas/webhooks_Event" {
			t.Errorf("%s is based on %v", name, base)
		}
	}
	if got := objectOf("project.created"); got["type"] != "object" || got["$ref"] != nil {
		t.Errorf("the object of a record that no service documents is %v", got)
	}
	if first := object(object(webhooks["asset.updated"])["post"])["operationId"]; first != "the first of two of one name" {
		t.Errorf("of two webhooks of one name the document has %v", first)
	}
	tags, err := json.Marshal(document["tags"])
	if err != nil || !strings.Contains(string(tags), `"events"`) {
		t.Errorf("the tags are %s, %v", tags, err)
	}
	if security := object(object(webhooks["user.created"])["post"])["security"]; security != nil {
		t.Errorf("a call that we make requires %v", security)
	}
}

func TestThePagesAtDocsNeedNothingFromElsewhere(t *testing.T) {
	w := newFixture(t)
	w.serveOthers()
	g := w.start()
	g.document(t, "")
	for _, path := range []string{"/docs", "/docs/search", "/docs/reference", "/docs/reference/me"} {
		page := call(t, "GET", g.url+path, "")
		assertHeaders(t, page)
		policy := page.Header.Get("Content-Security-Policy")
		if page.StatusCode != 200 || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: %d %s", path, page.StatusCode, policy)
		}
		if strings.Contains(string(page.body), "://") || regexp.MustCompile(`<script>|style=|onload=`).Match(page.body) {
			t.Errorf("%s", page.body)
		}
		for _, used := range regexp.MustCompile(`(?:src|href)="([^"#]+)`).FindAllSubmatch(page.body, -1) {
			if strings.HasPrefix(string(used[1]), "/settings") {
				continue // another service
			}
			a := call(t, "GET", g.url+string(used[1]), "", "Accept-Encoding", "gzip", "Accept", "text/html, */*;q=0.8")
			if a.StatusCode != 200 || len(a.body) == 0 {
				t.Errorf("%s: %d", used[1], a.StatusCode)
			}
			assertHeaders(t, a)
		}
	}
}

func TestPagesAreSentOnce(t *testing.T) {
	w := newFixture(t)
	w.serveOthers()
	g := w.start()
	g.document(t, "")
	for _, path := range []string{"/", "/docs", "/docs/guides/api", "/docs/reference/me", "/docs/changelog.atom", "/docs/site.css"} {
		first := call(t, "GET", g.url+path, "", "Accept", "text/html", "Accept-Encoding", "gzip")
		again := call(t, "GET", g.url+path, "", "Accept", "text/html", "Accept-Encoding", "gzip", "If-None-Match", first.Header.Get("Etag"))
		if first.StatusCode != 200 || len(first.body) == 0 || again.StatusCode != 304 || len(again.body) != 0 ||
			!strings.Contains(first.Header.Get("Cache-Control"), "no-cache") {
			t.Errorf("%s: %d, then %d with %d bytes, %s", path, first.StatusCode, again.StatusCode, len(again.body), first.Header)
		}
		if head := call(t, "HEAD", g.url+path, "", "Accept", "text/html"); head.StatusCode != 200 || len(head.body) != 0 {
			t.Errorf("HEAD %s: %d", path, head.StatusCode)
		}
	}
}

func TestTheRootSpeaksToPeopleAndPrograms(t *testing.T) {
	w := newFixture(t)
	g := w.start(func(c *Config) { c.BaseURL = "https://api.example.ca" })
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for _, row := range []struct{ accept, languages, path, contentType, says string }{
		{"", "", "/", "application/json", `"openapi":"https://api.example.ca/openapi.json"`},
		{"*/*", "fr", "/", "application/json", `"version":"0.1.0"`},
		{"application/json;q=0.5, text/html", "", "/", "text/html", `lang="en-CA"`},
		{"application/json, text/html;q=0.9", "", "/", "application/json", `"mcp"`},
		{browser, "", "/", "text/html", `lang="en-CA"`},
		{browser, "de-CH, fr-CA;q=0.8, en;q=0.7", "/", "text/html", `lang="fr-CA"`},
		{browser, "fr;q=0.2, en-GB", "/", "text/html", `lang="en-CA"`},
		{browser, "en", "/?lang=fr", "text/html", `<html lang="fr-CA">`},
		{browser, "fr", "/?lang=en", "text/html", `<html lang="en-CA">`},
		{browser, "=;;malformed", "/", "text/html", `<html lang="en-CA">`},
		{browser, "en", "/", "text/html", `<strong>What is done</strong> <span>Requests, work orders`}, // the picture
		{browser, "fr", "/", "text/html", `<strong>Ce qu’on y fait</strong> <span>`},
	} {
		a := call(t, "GET", g.url+row.path, "", "Accept", row.accept, "Accept-Language", row.languages)
		assertHeaders(t, a)
		if a.StatusCode != 200 || !strings.HasPrefix(a.Header.Get("Content-Type"), row.contentType) ||
			!strings.Contains(string(a.body), row.says) || a.Header.Get("Vary") == "" {
			t.Errorf("%+v: %d %s %.300s", row, a.StatusCode, a.Header, a.body)
		}
	}
	if a := call(t, "GET", g.url+"/docs/nothing", "", "Accept", browser); a.StatusCode != 404 ||
		!strings.Contains(string(a.body), "There is no such page") {
		t.Errorf("a person who follows a wrong link gets %d %s", a.StatusCode, a.body)
	}
	if a := call(t, "POST", g.url+"/", "", "Accept", browser); a.StatusCode != 400 {
		t.Errorf("POST / is %d", a.StatusCode)
	}
}

func TestTheReferenceFollowsTheDocument(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"openapi":"3.1.0","paths":{"/v1/assets":{"get":{"operationId":"list_assets","summary":"List assets",
			"description":"With `+"`q`"+` & <b>.","tags":["assets"],"x-scope":"assets:read",
			"parameters":[{"name":"status","in":"query","schema":{"type":"string","enum":["planned","in_service"]}}],
			"responses":{"200":{"description":"OK","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Asset"}}}}}}}},
			"components":{"schemas":{"Asset":{"type":"object","required":["name"],"properties":{"name":{"type":"string","maxLength":50},
			"value":{"type":["number","null"],"deprecated":true,"description":"Always null."},
			"parts":{"type":["array","null"],"items":{"type":"object","properties":{"mass":{"type":"number"}}}},
			"place":{"$ref":"#/components/schemas/Place"}}},"Place":{"type":"object","properties":{"within":{"$ref":"#/components/schemas/Place"}}}}},
			"webhooks":{"asset.created":{"post":{"operationId":"on_asset_created","summary":"Made","description":"An asset was made.","tags":["x"],
			"requestBody":{"content":{"application/json":{"schema":{"allOf":[{"properties":{"data":{"properties":
			{"object":{"$ref":"#/components/schemas/Asset"}}}}}]}}}},"responses":{}}}}}`)
	})
	w.serveOthers()
	g := w.start()
	g.document(t, "")
	page := call(t, "GET", g.url+"/docs/reference/assets", "")
	for _, wanted := range []string{`<h2 id="list_assets">List assets</h2>`, `With <code>q</code> &amp; &lt;b&gt;.`,
		`<code>assets:read</code>`, `<code>in_service</code>`, `<h3 id="schema-Asset">`, `<code>parts[].mass</code>`, `characters at most: 50`,
		`<strong>required</strong>`, `<h3 id="schema-Place">`, `<a href="#schema-Place">`, `<strong>Deprecated.</strong> Always null.`} {
		if !strings.Contains(string(page.body), wanted) {
			t.Errorf("the page lacks %s", wanted)
		}
	}
	webhooks := call(t, "GET", g.url+"/docs/reference/webhooks", "")
	for _, wanted := range []string{`id="on_asset_created"`, "An asset was made.", `<a href="/docs/reference/assets#schema-Asset">Asset</a>`} {
		if !strings.Contains(string(webhooks.body), wanted) {
			t.Errorf("the page of webhooks lacks %s: %s", wanted, webhooks.body)
		}
	}
	if found := call(t, "GET", g.url+"/docs/search?q=LIST+ass%C3%A8ts", ""); !strings.Contains(string(found.body),
		`href="/docs/reference/assets#list_assets"`) {
		t.Errorf("%s", found.body)
	}
}

func TestAnOperationHasAFormToTryIt(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"openapi":"3.1.0","paths":{"/v1/assets/{id}":{"patch":{"operationId":"update_asset",
			"summary":"Change <an> asset","tags":["assets"],"parameters":[
			{"name":"id","in":"path","required":true,"schema":{"type":"string","format":"uuid"}},
			{"name":"year","in":"query","required":true,"schema":{"type":"integer","examples":[2026]}},
			{"name":"fields","in":"query","example":["id","name"],"schema":{"type":"array","items":{"type":"string"}}},
			{"name":"status","in":"query","schema":{"type":"array","items":{"type":"string","enum":["planned","in_service"]}}},
			{"name":"mode","in":"query","required":true,"example":"dry","schema":{"type":"string","enum":["dry","wet"]}},
			{"name":"totals","in":"query","schema":{"type":"boolean"}},
			{"name":"If-Match","in":"header","description":"The ETag & more.","schema":{"type":"string"}}],
			"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/AssetPatch"}}}},
			"responses":{"200":{"description":"OK","content":{"text/csv":{"schema":{"type":"string"}},
			"application/json":{"schema":{"$ref":"#/components/schemas/AssetPatch"}}}}}}},
			"/v1/assets":{"post":{"operationId":"create_asset","summary":"Create","tags":["assets"],
			"responses":{"201":{"description":"OK"}},"requestBody":{"content":{"application/json":{"schema":{"allOf":[{"$ref":"#/components/schemas/AssetWrite"}]}}}}}},
			"/v1/assets/file":{"post":{"operationId":"send_file","summary":"Send","tags":["assets"],"responses":{"201":{"description":"OK"}},
			"requestBody":{"content":{"*/*":{"schema":{"type":"string","format":"binary"}}}}}}},
			"components":{"schemas":{"AssetPatch":{"type":"object","properties":{"age":{"type":"integer","examples":[4]},
			"parent":{"$ref":"#/components/schemas/AssetPatch"}}},
			"AssetWrite":{"type":"object","required":["name","place"],"properties":{"name":{"type":"string","examples":["Pump <1>"]},
			"place":{"$ref":"#/components/schemas/Place"}}},
			"Place":{"type":"object","required":["floor"],"properties":{"floor":{"type":"integer","examples":[2]}}}}}}`)
	})
	w.serveOthers()
	g := w.start(func(c *Config) { c.BaseURL = "https://api.example.ca" })
	g.document(t, "")
	for _, row := range []struct {
		path             string
		wanted, unwanted []string
	}{
		{"/docs/reference/assets", []string{`data-panel="/docs/reference/assets/update_asset"`, `src="/docs/try.js"`},
			[]string{"<form class=\"try"}},
		{"/docs/reference/assets?lang=fr", []string{`data-panel="/docs/reference/assets/update_asset?lang=fr"`, `<html lang="fr-CA">`,
			"Essayer", `<article class="text reference" lang="en-CA"`, "La référence est en anglais"}, nil},
		{"/docs/reference/assets/update_asset", []string{`data-method="PATCH"`, `data-path="/v1/assets/{id}"`,
			`data-base="https://api.example.ca"`, `type="password" required autocomplete="off"`, `data-name="id" value="" required`,
			`data-name="year" value="2026" inputmode="decimal" required`, `data-name="fields" value="" placeholder="id,name"`,
			`data-name="status" multiple size="4"`, `<option>in_service</option>`, `data-name="mode" required`,
			`<option selected>dry</option>`, `<option>true</option>`, `data-in="header" data-name="If-Match"`, "The ETag &amp; more.",
			"Optional parameters (4)", `data-name="Accept"><option>application/json</option><option>text/csv</option>`,
			`data-type="application/json"`, "{\n  &#34;age&#34;: 4\n}", "Change &lt;an&gt; asset", "may change records"},
			[]string{" name=\"key", "data-name=\"id\" name", "action=\"/v1", "<script>"}},
		{"/docs/reference/assets/update_asset?lang=fr", []string{`<html lang="fr-CA">`, "Clé d’API", "Paramètres facultatifs (4)", "Envoyer",
			`<h1 lang="en-CA">Change`, "La même chose avec curl"}, []string{"Optional parameters", "API key"}},
		{"/docs/reference/assets/create_asset",
			[]string{"{\n  &#34;name&#34;: &#34;Pump &lt;1&gt;&#34;,\n  &#34;place&#34;: {\n    &#34;floor&#34;: 2\n  }\n}"}, nil},
		{"/docs/reference/assets/send_file", []string{`data-file type="file"`, `data-type="application/octet-stream"`}, []string{"<textarea"}},
		{"/docs/reference/me/get_me", []string{`data-method="GET"`}, []string{"may change records", "<textarea", `data-name=`}},
	} {
		a := call(t, "GET", g.url+row.path, "")
		if a.StatusCode != 200 || !strings.Contains(a.Header.Get("Vary"), "Accept-Language") {
			t.Errorf("%s: %d, Vary %s", row.path, a.StatusCode, a.Header.Get("Vary"))
		}
		for _, wanted := range row.wanted {
			if !strings.Contains(string(a.body), wanted) {
				t.Errorf("%s lacks %s: %s", row.path, wanted, a.body)
			}
		}
		for _, unwanted := range row.unwanted {
			if strings.Contains(string(a.body), unwanted) {
				t.Errorf("%s has %s", row.path, unwanted)
			}
		}
	}
	for _, path := range []string{"/docs/reference/assets/nothing", "/docs/reference/nothing/update_asset",
		"/docs/reference/assets/update_asset/more", "/docs/try/swagger-ui.css"} {
		if a := call(t, "GET", g.url+path, ""); a.StatusCode != 404 {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	former, err := client.Get(g.url + "/docs/try")
	if err != nil {
		t.Fatal(err)
	}
	defer former.Body.Close()
	if former.StatusCode != http.StatusMovedPermanently || former.Header.Get("Location") != "/docs/reference" {
		t.Errorf("where Swagger UI was: %d to %s", former.StatusCode, former.Header.Get("Location"))
	}
}

func TestMe(t *testing.T) {
	w := newFixture(t)
	g := w.start()
	organization := newID()
	key, id := w.key(newKey{organization: organization, plan: "professional", addOns: []string{"api_keys", "projects"},
		scopes: []string{"assets:read"}, rateLimit: 7, networks: []string{"127.0.0.0/8"}})
	a := call(t, "GET", g.url+"/v1/me", key)
	assertHeaders(t, a)
	me := a.json(t)
	described, plan := object(me["key"]), object(me["plan"])
	if object(me["organization"])["id"] != organization || described["id"] != id || described["rate_limit"] != 7.0 ||
		len(plan["features"].([]any)) != 2 ||
		plan["code"] != "professional" || me["currency"] != "CAD" || me["region"] != "ca-central-1" ||
		described["allowed_networks"].([]any)[0] != "127.0.0.0/8" || fmt.Sprint(me["limits"]) !=
		"map[active_keys:100 long_polls:20 requests_in_flight:40 requests_per_minute:3000 storage_bytes:1.073741824e+11 streams:4]" {
		t.Errorf("%s", a.body)
	}
	if head := call(t, "HEAD", g.url+"/v1/me", key); head.StatusCode != 200 || len(head.body) != 0 {
		t.Errorf("HEAD: %d", head.StatusCode)
	}
}

func TestUsageIsKeptPerKeyAndDay(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	g := w.start()
	withinOneMinute(10 * time.Second)
	key, id := w.key(newKey{rateLimit: 4})
	for _, path := range []string{"/v1/assets", "/v1/nothing", "/v1/assets", "/v1/assets", "/v1/assets"} {
		call(t, "GET", g.url+path, key)
	}
	g.edge.WriteUsage(t.Context())
	call(t, "GET", g.url+"/v1/assets", key)
	g.edge.WriteUsage(t.Context())
	var requests, errors, limited int
	var address string
	err := w.owner.QueryRow(t.Context(), `SELECT d.requests, d.errors, d.limited, u.last_address
		FROM key_day d JOIN key_use u USING (key_id) WHERE key_id = $1`, id).
		Scan(&requests, &errors, &limited, &address)
	if err != nil || requests != 6 || errors != 1 || limited != 2 || address != "127.0.0.1" {
		t.Errorf("%d requests, %d errors, %d limited, from %s, %v", requests, errors, limited, address, err)
	}
}
