package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
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
	g := w.start(func(c *Config) { c.BaseURL = "https://api.example.ca" })
	var document map[string]any
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		a := call(t, "GET", g.url+"/openapi.json", "")
		if a.StatusCode != 200 {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
		document = a.json(t)
		if paths := object(document["paths"]); paths["/v1/assets"] != nil && paths["/v1/users"] != nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s", a.body)
		}
	}
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
		!strings.Contains(string(users), `"api_key"`) {
		t.Errorf("two services' different components of one name: %s", users)
	}

	plain := call(t, "GET", g.url+"/openapi.json", "")
	if small := call(t, "GET", g.url+"/openapi.json", "", "Accept-Encoding", "gzip"); small.Header.Get("Content-Encoding") != "gzip" ||
		len(small.body) >= len(plain.body) {
		t.Error("not compressed for a caller who accepts that")
	}
	if same := call(t, "GET", g.url+"/openapi.json", "", "If-None-Match", plain.Header.Get("Etag")); same.StatusCode != 304 ||
		len(same.body) != 0 {
		t.Errorf("%d", same.StatusCode)
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
	g := w.start()
	var document map[string]any
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		document = call(t, "GET", g.url+"/openapi.json", "").json(t)
		if paths := object(document["paths"]); paths["/v1/assets/{id}"] != nil && paths["/v1/users/{id}"] != nil && paths["/v1/events"] != nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%v", document)
		}
	}
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

func TestThePageAtDocsNeedsNothingFromElsewhere(t *testing.T) {
	w := newFixture(t)
	g := w.start()
	page := call(t, "GET", g.url+"/docs", "")
	assertHeaders(t, page)
	policy := page.Header.Get("Content-Security-Policy")
	if page.StatusCode != 200 || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("%d %s", page.StatusCode, policy)
	}
	if strings.Contains(string(page.body), "://") || regexp.MustCompile(`<script>|style=|onload=`).Match(page.body) {
		t.Errorf("%s", page.body)
	}
	for _, used := range regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllSubmatch(page.body, -1) {
		a := call(t, "GET", g.url+string(used[1]), "", "Accept-Encoding", "gzip")
		if a.StatusCode != 200 || len(a.body) == 0 {
			t.Errorf("%s: %d", used[1], a.StatusCode)
		}
		assertHeaders(t, a)
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
		"map[active_keys:100 long_polls:20 requests_in_flight:40 requests_per_minute:3000 streams:4]" {
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
