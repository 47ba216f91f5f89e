package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// upstream stands for the gateway and the services behind it. It follows their golden OpenAPI documents: it refuses
// requests that they do not describe, and returns examples of the responses that they describe. The tests in deploy/test/e2e
// run the same requests against the real services.
type upstream struct {
	t      *testing.T
	server *httptest.Server

	mu       sync.Mutex
	requests []*http.Request
	bodies   []map[string]any
	respond  func(w http.ResponseWriter, r *http.Request) bool // replaces the default response where it returns true
}

func newUpstream(t *testing.T) *upstream {
	t.Helper()
	u := &upstream{t: t}
	u.server = httptest.NewServer(u)
	t.Cleanup(u.server.Close)
	return u
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/livez" { // asked of who takes long
		return
	}
	content, _ := io.ReadAll(r.Body)
	var body map[string]any
	if len(content) > 0 {
		if err := json.Unmarshal(content, &body); err != nil {
			u.t.Errorf("%s %s: the body is not JSON: %s", r.Method, r.URL.Path, content)
		}
	}
	u.mu.Lock()
	u.requests, u.bodies = append(u.requests, r), append(u.bodies, body)
	respond := u.respond
	u.mu.Unlock()
	u.checkHeaders(r)
	w.Header().Set("Content-Type", "application/json")
	if respond != nil && respond(w, r) {
		return
	}
	name, operation := u.operation(r)
	if operation == nil {
		u.t.Errorf("the API has no %s %s", r.Method, r.URL.Path)
		w.WriteHeader(404)
		fmt.Fprint(w, `{"error":"There is no such path.","code":"not_found"}`)
		return
	}
	u.checkRequest(name, operation, r, body)
	w.WriteHeader(operation.status)
	if name == "GET /v1/me" {
		fmt.Fprint(w, `{"organization":{"id":"019a3c5e-7d1b-7c3a-9f59-000000000001","name":"Ville de Rivière-Claire",`+
			`"currency":"CAD","time_zone":"America/Toronto","fiscal_year_end_month":8,"land_area_km2":null,"today":"2026-11-21",`+
			`"fiscal_year":2026},"plan":{"code":"enterprise","features":["api_access"],"feature_names":["API access"]},`+
			`"key":{"id":"019a3c5e-7d1b-7c3a-9f59-000000000002","name":"Assistant","scopes":["*:*"],"rate_limit":60,"requests_at_once":20,`+
			`"expires_at":"2027-01-01T00:00:00Z","allowed_networks":[]},"currency":"CAD","regions":["ca-central-1"],"region":"ca-central-1"}`)
		return
	}
	_ = json.NewEncoder(w).Encode(example(operation.response, strings.Split(r.URL.Query().Get("fields"), ",")))
}

// checkHeaders checks the headers that every request must have.
func (u *upstream) checkHeaders(r *http.Request) {
	if got := r.Header.Values("X-Region"); !slices.Equal(got, []string{"ca-central-1"}) {
		u.t.Errorf("%s %s: the region is %v", r.Method, r.URL.Path, got)
	}
	if got := r.Header.Get("Authorization"); got != "Bearer "+fullCaller.Key {
		u.t.Errorf("%s %s: the key is %q", r.Method, r.URL.Path, got)
	}
	if key := r.Header.Get("Idempotency-Key"); (key != "") != (r.Method == http.MethodPost) {
		u.t.Errorf("%s %s: the idempotency key is %q", r.Method, r.URL.Path, key)
	}
	p, err := testSigner.Verify(r.Header.Get("X-Ams-Principal"))
	if err != nil || p.Address != fullCaller.Address || p.Actor.Type != "service" || len(p.Scopes) > 0 || p.OrganizationID != "" {
		u.t.Errorf("%s %s: signed for %+v, %v", r.Method, r.URL.Path, p, err)
	}
}

func (u *upstream) operation(r *http.Request) (string, *apiOperation) {
	all, err := openAPI()
	if err != nil {
		u.t.Error(err)
	}
	for name, operation := range all {
		if method, _, _ := strings.Cut(name, " "); method == r.Method && operation.pattern.MatchString(r.URL.Path) {
			return name, operation
		}
	}
	return "", nil
}

// checkRequest checks parameters and body against the document.
func (u *upstream) checkRequest(name string, operation *apiOperation, r *http.Request, body map[string]any) {
	record := at(operation.recordOf(), "properties")
	for parameter, values := range r.URL.Query() {
		declared := operation.parameters[parameter]
		if strings.HasPrefix(parameter, customField) && len(values) == 1 { // which there are, the organization says
			continue
		}
		if declared == nil || len(values) != 1 {
			u.t.Errorf("%s takes no parameter %s=%v", name, parameter, values)
			continue
		}
		allowed := valuesOf(declared)
		switch parameter {
		case "fields", "expand":
			for field := range strings.SplitSeq(values[0], ",") {
				if record[field] == nil {
					u.t.Errorf("%s: %s names %s, which records do not have", name, parameter, field)
				}
			}
			continue
		case "sort":
			continue
		}
		if allowed == nil {
			allowed = valuesOf(at(record, parameter))
		}
		for value := range strings.SplitSeq(values[0], ",") {
			if allowed != nil && !slices.Contains(allowed, value) {
				u.t.Errorf("%s: %s may not be %s", name, parameter, value)
			}
		}
	}
	for field, value := range body {
		declared := at(operation.body, "properties", field)
		if declared == nil {
			u.t.Errorf("%s: the body has no field %s", name, field)
			continue
		}
		if text, isText := value.(string); isText && valuesOf(declared) != nil && !slices.Contains(valuesOf(declared), text) {
			u.t.Errorf("%s: %s may not be %s", name, field, text)
		}
		kinds := map[string]func(any) bool{
			"object": func(v any) bool { _, ok := v.(map[string]any); return ok },
			"string": func(v any) bool { _, ok := v.(string); return ok }, "array": func(v any) bool { _, ok := v.([]any); return ok },
			"integer": func(v any) bool { n, ok := v.(float64); return ok && n == float64(int(n)) }, "number": func(v any) bool {
				_,
					ok := v.(float64)
				return ok
			},
		}
		if is := kinds[typeOf(declared)]; value != nil && (is == nil || !is(value)) {
			u.t.Errorf("%s: %s is sent as %v", name, field, value)
		}
	}
	required, _ := operation.body["required"].([]any)
	for _, field := range required {
		if _, given := body[field.(string)]; !given && r.Method == http.MethodPost {
			u.t.Errorf("%s: the body lacks %s", name, field)
		}
	}
}

// takeRequests returns the requests since the last call, and their bodies.
func (u *upstream) takeRequests() ([]*http.Request, []map[string]any) {
	u.mu.Lock()
	defer u.mu.Unlock()
	requests, bodies := u.requests, u.bodies
	u.requests, u.bodies = nil, nil
	return requests, bodies
}

// example is a value of a schema, limited to the requested fields of a record.
func example(schema map[string]any, fields []string) any {
	if examples, _ := schema["examples"].([]any); len(examples) > 0 {
		return examples[0]
	}
	switch typeOf(schema) {
	case "string":
		if values := valuesOf(schema); values != nil {
			return values[0]
		}
		switch schema["format"] {
		case "uuid":
			return testID
		case "date":
			return "2026-05-12"
		case "date-time":
			return "2026-05-12T10:00:00Z"
		}
		return "texte"
	case "integer":
		return 3
	case "number":
		return 12.5
	case "boolean":
		return true
	case "array":
		return []any{example(at(schema, "items"), fields), example(at(schema, "items"), fields)}
	}
	object := map[string]any{}
	for name, property := range at(schema, "properties") {
		_, isRecord := at(schema, "properties")["version"]
		if isRecord && fields[0] != "" && !slices.Contains(fields, name) && !slices.Contains(fields, name+"_id") {
			continue
		}
		object[name] = example(property.(map[string]any), fields)
	}
	return object
}
