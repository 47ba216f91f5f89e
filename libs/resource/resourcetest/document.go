package resourcetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"ams.internal/libs/odata"
	"ams.internal/libs/transport"
)

// Pictures are texts, of which the document says no more.
func init() { openapi3filter.RegisterBodyDecoder("image/svg+xml", openapi3filter.PlainBodyDecoder) }

// golden makes Golden write its files instead of comparing with them; make golden sets it.
var golden = os.Getenv("AMS_GOLDEN") == "write"

// contract holds a handler's traffic against the OpenAPI document that it serves.
type contract struct {
	once sync.Once
	*rules
}

// contracts are the rules of each document seen, so that the tests of a package compile theirs once.
var contracts sync.Map

// rules are what a document says.
type rules struct {
	once             sync.Once
	router, narrowed routers.Router // narrowed: of responses to fields=, which leave out what the document requires
	err              error

	mu      sync.Mutex
	checked map[string]int // operation and status → responses checked
}

// enough is how many responses of one operation and status are checked against the document: each costs a compilation.
const enough = 5

// document gives the OpenAPI part of a handler, complete enough to stand alone.
func document(handler http.Handler) ([]byte, error) {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/internal/openapi.json", nil))
	var part map[string]any
	if err := json.Unmarshal(recorder.Body.Bytes(), &part); err != nil {
		return nil, err
	}
	part["info"] = map[string]any{"title": "A service", "version": "1"}
	return json.Marshal(part)
}

func (c *contract) load(handler http.Handler) {
	c.once.Do(func() {
		encoded, err := document(handler)
		if err != nil {
			c.rules = &rules{err: err}
			return
		}
		held, _ := contracts.LoadOrStore(string(encoded), &rules{checked: map[string]int{}})
		c.rules = held.(*rules)
		c.rules.once.Do(func() { c.rules.read(encoded) })
	})
}

func (r *rules) read(encoded []byte) {
	if r.router, r.err = routerOf(encoded, closed); r.err == nil {
		r.narrowed, r.err = routerOf(encoded, func(part map[string]any) { closed(part); narrow(part["components"]) })
	}
}

func routerOf(encoded []byte, tighten func(part map[string]any)) (routers.Router, error) {
	var part map[string]any
	if err := json.Unmarshal(encoded, &part); err != nil {
		return nil, err
	}
	transport.Complete(part)
	tighten(part)
	encoded, err := json.Marshal(part)
	if err != nil {
		return nil, err
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(encoded)
	if err == nil {
		err = doc.Validate(loader.Context)
	}
	if err != nil {
		return nil, err
	}
	return gorillamux.NewRouter(doc)
}

// closed makes a document say of every object that it has no members but those that are described. To callers answers are open, so that a
// field more breaks nobody; here a field that nobody described is a mistake. Objects that allOf puts together cannot be closed.
func closed(part map[string]any) {
	parts := map[string]bool{}
	var find, closeAll func(value any)
	find = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			all, _ := v["allOf"].([]any)
			for _, each := range all {
				described, _ := each.(map[string]any)
				reference, _ := described["$ref"].(string)
				parts[strings.TrimPrefix(reference, "#/components/schemas/")] = true
			}
			for _, member := range v {
				find(member)
			}
		case []any:
			for _, entry := range v {
				find(entry)
			}
		}
	}
	closeAll = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			if _, isSet := v["additionalProperties"]; v["properties"] != nil && !isSet {
				v["additionalProperties"] = false
			}
			properties, _ := v["properties"].(map[string]any)
			for name, property := range properties {
				if empty, is := property.(map[string]any); is && len(empty) == 0 { // kin-openapi takes it for anything but null
					properties[name] = map[string]any{"type": []string{"string", "number", "boolean", "array", "object", "null"}}
				}
			}
			for name, member := range v {
				if name != "allOf" {
					closeAll(member)
				}
			}
		case []any:
			for _, entry := range v {
				closeAll(entry)
			}
		}
	}
	find(part)
	schemas, _ := part["components"].(map[string]any)["schemas"].(map[string]any)
	for name, schema := range schemas {
		if !parts[name] {
			closeAll(schema)
		}
	}
}

// narrow takes away what schemas require, but for lists' data.
func narrow(value any) {
	switch v := value.(type) {
	case map[string]any:
		if required, is := v["required"].([]any); is && !slices.Contains(required, any("data")) {
			delete(v, "required")
		}
		for _, member := range v {
			narrow(member)
		}
	case []any:
		for _, entry := range v {
			narrow(entry)
		}
	}
}

// check fails the test when a response is not what the OpenAPI document promises: a status that is not declared, or
// a body of another shape.
func (c *contract) check(t testing.TB, handler http.Handler, r *http.Request, response Response) {
	t.Helper()
	if !strings.HasPrefix(r.URL.Path, "/v1/") || odata.From(r.Header) != nil { // which is described by $metadata
		return
	}
	if c.load(handler); c.err != nil {
		t.Fatalf("the OpenAPI document is not valid: %v", c.err)
	}
	router := c.router
	if r.URL.Query().Has("fields") {
		router = c.narrowed
	}
	route, parameters, err := router.FindRoute(r)
	if err != nil {
		return // an unknown path or method: the response is an error, which Must checks
	}
	key := fmt.Sprint(route.Method, " ", route.Path, " ", response.Status)
	c.mu.Lock()
	c.checked[key]++
	isDue := c.checked[key] <= enough
	c.mu.Unlock()
	if !isDue {
		return
	}
	header := response.Header
	if header.Get("Content-Type") == transport.Problem { // has the members of every error, and those of a problem
		header = header.Clone()
		header.Set("Content-Type", transport.ApplicationJSON)
	}
	err = openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: parameters, Route: route},
		Status:                 response.Status, Header: header, Body: readCloser{bytes.NewReader(response.Body)},
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	})
	if err != nil && !strings.Contains(response.Header.Get("Content-Type"), "csv") &&
		!strings.Contains(response.Header.Get("Content-Type"), "ndjson") {
		t.Errorf("%s %s answers otherwise than its OpenAPI document says: %v", r.Method, r.URL.Path, err)
	}
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }

// Golden compares the OpenAPI part of a handler with a file that others depend on; make golden rewrites it.
func Golden(t *testing.T, handler http.Handler, file string) {
	t.Helper()
	got, err := document(handler)
	if err != nil {
		t.Fatal(err)
	}
	got = inLines(t, got)
	if golden {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (make golden writes it)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the OpenAPI document differs from %s: if that is meant, run make golden and say so in the changelog", file)
	}
}
