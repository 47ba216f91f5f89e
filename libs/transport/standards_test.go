package transport_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

func TestAnErrorIsAProblemForWhoPrefersThat(t *testing.T) {
	t.Parallel()
	client := server(t, t.Output())
	client.Principal.RequestID = id
	for accept, want := range map[string]string{
		"": transport.ApplicationJSON, "*/*": transport.ApplicationJSON, "application/json, application/problem+json": transport.ApplicationJSON,
		"application/problem+json;q=0.5, application/json": transport.ApplicationJSON,
		"application/problem+json":                         transport.Problem,
		"application/problem+json, application/json;q=0.9": transport.Problem, "text/csv, application/problem+json": transport.Problem,
	} {
		response := client.Do(t, "GET", "/v1/taken", nil, "Accept", accept)
		var body map[string]any
		if err := json.Unmarshal(response.Body, &body); err != nil || response.Status != 409 || response.Header.Get("Content-Type") != want ||
			!strings.Contains(strings.Join(response.Header["Vary"], ","), "Accept") {
			t.Errorf("Accept %q: %d %v %v", accept, response.Status, response.Header, err)
		}
		if body["error"] != "Anne is here already." || body["code"] != "already_exists" || body["field"] != "name" || body["request_id"] != id {
			t.Errorf("Accept %q: %v", accept, body)
		}
		asProblem := body["type"] == "about:blank" && body["title"] == "Conflict" && body["status"] == 409.0 && body["detail"] == body["error"] &&
			body["instance"] == "urn:uuid:"+id
		if asProblem != (want == transport.Problem) {
			t.Errorf("Accept %q: %v", accept, body)
		}
	}
	client.Principal.RequestID = "caller-7"
	if response := client.Do(t, "GET", "/v1/taken", nil, "Accept", transport.Problem); !strings.Contains(string(response.Body),
		`"instance":"#caller-7"`) {
		t.Errorf("%s", response.Body)
	}
	if response := client.Must(t, 200, "GET", "/v1/short", nil, "Accept", transport.Problem); response.JSON["text"] != "short" {
		t.Errorf("a success is %s", response.Body)
	}
}

func TestAnUnknownPathSuggests(t *testing.T) {
	t.Parallel()
	client := server(t, t.Output())
	for path, want := range map[string]string{
		"/v1/shorts":                       "/v1/short",
		"/v1/short/":                       "/v1/short",
		"/v1/greeting/" + id:               "/v1/greetings/{id}",
		"/v1/lso/greetings":                "/v1/los/greetings",
		"/short":                           "/v1/short",
		"/shorts":                          "/v1/short",
		"/los/greetings/":                  "/v1/los/greetings",
		"/v1/nothing-like-it":              "",
		"/v2/short":                        "",
		"/v1/" + strings.Repeat("x", 9000): "",
		strings.Repeat("/v1", 3000):        "",
		"/internal/greeting":               "",
	} {
		message := client.Must(t, 404, "GET", path, nil).JSON["error"].(string)
		if _, meant, _ := strings.Cut(message, "did you mean "); want == "" && meant != "" || !strings.HasPrefix(meant, want) ||
			want != "" && !strings.HasPrefix(meant, want+"? ") {
			t.Errorf("%.60s: %.200s", path, message)
		}
	}
}

// deprecatedServer has one operation that is going to be removed, and one that was never going to be.
func deprecatedServer(t *testing.T) *resourcetest.Client {
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
	do := func(_ context.Context, in struct {
		Page int `query:"page" default:"1" minimum:"1" maximum:"3"`
	}) (paged, error) {
		return paged{in.Page}, nil
	}
	transport.Get(api, transport.Operation{Path: "/v1/old", ID: "old", Scope: "x:read", Deprecated: &transport.Deprecation{
		Since: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Sunset: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC), Link: "/docs/changelog"}}, do)
	transport.Get(api, transport.Operation{Path: "/v1/young", ID: "young", Scope: "x:read"}, do)
	return resourcetest.NewClient(api.Handler(), signer)
}

// paged is a page of three.
type paged struct {
	Page int `json:"page"`
}

func (p paged) Pages() transport.Pages { return transport.Pages{Page: p.Page, Last: 3} }

func TestADeprecatedOperationSaysSo(t *testing.T) {
	t.Parallel()
	client := deprecatedServer(t)
	for path, status := range map[string]int{"/v1/old": 200, "/v1/old?page=7": 400} {
		header := client.Must(t, status, "GET", path, nil).Header
		if header.Get("Deprecation") != "@1772323200" || header.Get("Sunset") != "Mon, 01 Mar 2027 00:00:00 GMT" ||
			header["Link"][0] != `</docs/changelog>; rel="deprecation"; type="text/html"` {
			t.Errorf("%s: %v", path, header)
		}
	}
	if links := client.Must(t, 200, "GET", "/v1/old", nil).Header["Link"]; len(links) != 2 || !strings.Contains(links[1], `rel="next"`) {
		t.Errorf("beside the links of a page: %q", links)
	}
	if header := client.Must(t, 200, "GET", "/v1/young", nil).Header; header.Get("Deprecation")+header.Get("Sunset") != "" {
		t.Errorf("an operation that stays: %v", header)
	}
	var document struct {
		Paths map[string]map[string]struct{ Deprecated bool }
	}
	recorder := httptest.NewRecorder()
	client.Handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), "GET", "/internal/openapi.json", nil))
	if err := json.Unmarshal(recorder.Body.Bytes(), &document); err != nil || !document.Paths["/v1/old"]["get"].Deprecated ||
		document.Paths["/v1/young"]["get"].Deprecated {
		t.Errorf("%+v %v", document, err)
	}
}

func TestPagesLinkToThoseAroundThem(t *testing.T) {
	t.Parallel()
	client := deprecatedServer(t)
	for path, want := range map[string]string{
		"/v1/young": `</v1/young?page=2>; rel="next", </v1/young?page=1>; rel="first", </v1/young?page=3>; rel="last"`,
		"/v1/young?page=2": `</v1/young?page=3>; rel="next", </v1/young?page=1>; rel="prev", </v1/young?page=1>; rel="first", ` +
			`</v1/young?page=3>; rel="last"`,
		"/v1/young?page=3":          `</v1/young?page=2>; rel="prev", </v1/young?page=1>; rel="first", </v1/young?page=3>; rel="last"`,
		"/v1/young?tenant_id=a%3Eb": `</v1/young?page=2>; rel="next", </v1/young?page=1>; rel="first", </v1/young?page=3>; rel="last"`,
	} {
		if got := client.Must(t, 200, "GET", path, nil).Header.Get("Link"); got != want {
			t.Errorf("%s:\n%s\n%s", path, got, want)
		}
	}
}

func TestAPATCHSaysWhichBodiesItTakes(t *testing.T) {
	t.Parallel()
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
	body := map[string]any{"type": "object"}
	api.Handle(transport.Operation{Method: "PATCH", Path: "/v1/x", ID: "patch", Scope: "x:write", Body: body},
		func(_ context.Context, r *transport.Request) (*transport.Response, error) {
			return &transport.Response{Body: r.Body}, nil
		})
	api.Handle(transport.Operation{Method: "POST", Path: "/v1/x", ID: "post", Scope: "x:write", Body: body},
		func(_ context.Context, r *transport.Request) (*transport.Response, error) {
			return &transport.Response{Body: r.Body}, nil
		})
	client := resourcetest.NewClient(api.Handler(), signer)
	for _, mediaType := range []string{"application/json", "application/merge-patch+json", "application/merge-patch+json; charset=UTF-8"} {
		client.Must(t, 200, "PATCH", "/v1/x", "{}", "Content-Type", mediaType)
	}
	const taken = "application/merge-patch+json, application/json"
	for _, mediaType := range []string{"application/json-patch+json", "text/plain", "application/json; charset=latin1", ""} {
		refused := client.Must(t, 400, "PATCH", "/v1/x", "{}", "Content-Type", mediaType)
		if refused.JSON["code"] != "content_type" || refused.Header.Get("Accept-Patch") != taken ||
			!strings.Contains(refused.JSON["error"].(string), "application/merge-patch+json or application/json") {
			t.Errorf("%s: %v %s", mediaType, refused.Header, refused.Body)
		}
	}
	if refused := client.Must(t, 400, "PUT", "/v1/x", "{}"); refused.Header.Get("Accept-Patch") != taken ||
		refused.Header.Get("Allow") != "PATCH, POST" {
		t.Errorf("%v", refused.Header)
	}
	if refused := client.Must(t, 400, "POST", "/v1/x", "{}", "Content-Type", "text/plain"); refused.Header.Get("Accept-Patch") != "" {
		t.Errorf("a POST: %v", refused.Header)
	}
}

func TestANULNamesItsField(t *testing.T) {
	t.Parallel()
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
	transport.Post(api, transport.Operation{Path: "/v1/x/{name}", ID: "x", Scope: "x:write"}, func(_ context.Context, in struct {
		Name string `path:"name"`
		Q    string `query:"q"`
		Text string `json:"text"`
	}) (struct{}, error) {
		return struct{}{}, nil
	})
	client := resourcetest.NewClient(api.Handler(), signer)
	client.Must(t, 200, "POST", "/v1/x/a?q=b", `{"text":"c"}`)
	for field, request := range map[string][2]string{
		"name": {"/v1/x/a%00b", `{}`}, "q": {"/v1/x/a?q=%00", `{}`}, "text": {"/v1/x/a", `{"text":"\u0000"}`},
	} {
		if refused := client.Must(t, 400, "POST", request[0], request[1]); len(refused.Fields()) != 1 || refused.Fields()[0] != field {
			t.Errorf("%s: %s", field, refused.Body)
		}
	}
}

// The tag of what is compressed differs from that of what is not.
func TestCompressionIsAnotherRepresentation(t *testing.T) {
	t.Parallel()
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
	api.Handle(transport.Operation{Method: "GET", Path: "/v1/x", ID: "x", Scope: "x:read"},
		func(context.Context, *transport.Request) (*transport.Response, error) {
			return &transport.Response{ContentType: transport.CSV, Body: []byte(strings.Repeat("x", 4000)),
				Header: http.Header{"Etag": {`"7"`}}}, nil
		})
	client := resourcetest.NewClient(api.Handler(), signer)
	for encoding, want := range map[string]string{"": `"7"`, "gzip": `"7-gzip"`, "identity": `"7"`} {
		header := client.Do(t, "GET", "/v1/x", nil, "Accept-Encoding", encoding).Header
		if header.Get("ETag") != want || !strings.Contains(strings.Join(header["Vary"], ","), "Accept-Encoding") {
			t.Errorf("%q: %v", encoding, header)
		}
	}
}
