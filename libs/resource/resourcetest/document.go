package resourcetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

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
	once   sync.Once
	router routers.Router
	err    error

	mu     sync.Mutex
	looked map[string]int // operation and status → answers looked at
}

// enough is how many answers of one operation and status are held against the document: each costs a compilation.
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
	return json.MarshalIndent(part, "", "  ")
}

func (c *contract) load(handler http.Handler) {
	c.once.Do(func() {
		encoded, err := document(handler)
		if err != nil {
			c.rules = &rules{err: err}
			return
		}
		held, _ := contracts.LoadOrStore(string(encoded), &rules{looked: map[string]int{}})
		c.rules = held.(*rules)
		c.rules.once.Do(func() { c.rules.read(encoded) })
	})
}

func (r *rules) read(encoded []byte) {
	var doc *openapi3.T
	loader := openapi3.NewLoader()
	if doc, r.err = loader.LoadFromData(encoded); r.err != nil {
		return
	}
	if r.err = doc.Validate(loader.Context); r.err != nil {
		return
	}
	r.router, r.err = gorillamux.NewRouter(doc)
}

// check fails the test when an answer is not what the OpenAPI document promises: a status that is not declared, or
// a body of another shape.
func (c *contract) check(t testing.TB, handler http.Handler, r *http.Request, answer Answer) {
	t.Helper()
	if !strings.HasPrefix(r.URL.Path, "/v1/") {
		return
	}
	if c.load(handler); c.err != nil {
		t.Fatalf("the OpenAPI document is not valid: %v", c.err)
	}
	route, parameters, err := c.router.FindRoute(r)
	if err != nil {
		return // an unknown path or method: the answer is an error, which Must looks at
	}
	key := fmt.Sprint(route.Method, " ", route.Path, " ", answer.Status)
	c.mu.Lock()
	c.looked[key]++
	look := c.looked[key] <= enough
	c.mu.Unlock()
	if !look {
		return
	}
	err = openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: parameters, Route: route},
		Status:                 answer.Status, Header: answer.Header, Body: readCloser{bytes.NewReader(answer.Body)},
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	})
	if err != nil && !strings.Contains(answer.Header.Get("Content-Type"), "csv") && !strings.Contains(answer.Header.Get("Content-Type"), "ndjson") {
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
	got = append(got, '\n')
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
