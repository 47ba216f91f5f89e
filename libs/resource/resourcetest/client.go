// Package resourcetest provides the conformance suite that every resource passes, and the client for tests: HTTP in, HTTP out, as
// the gateway would send it.
package resourcetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/principal"
)

// Client sends requests to a service with a signed principal.
type Client struct {
	Handler   http.Handler
	Signer    *principal.Signer
	Principal principal.Principal
	contract  *contract
	joined    func(organization string) // of a client that Share gave: the test has one more organization
}

// NewSigner makes a signer for tests.
func NewSigner(t testing.TB) *principal.Signer {
	t.Helper()
	signer, err := principal.NewSigner("a secret for tests that is long enough")
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// NewClient makes a client of a new organization with every scope and feature.
func NewClient(handler http.Handler, signer *principal.Signer) *Client {
	return &Client{Handler: handler, Signer: signer, contract: &contract{}, Principal: principal.Principal{
		OrganizationID: uuid.NewString(), Currency: "CAD", Origin: "api", Region: "ca-central-1", RequestID: "test-" + uuid.NewString()[:8],
		Actor:        principal.Actor{Type: "api_key", ID: uuid.NewString(), Name: "conformance"},
		StorageLimit: 5 << 30,
		Scopes:       []string{"*:*"},
		Features:     []string{"api_access", "los", "infrastructure", "projects", "maintenance", "planning", "accounting"},
	}}
}

// Other gives a client of another organization.
func (c *Client) Other() *Client {
	other := *c
	other.Principal.OrganizationID = uuid.NewString()
	return other.join()
}

// Response is what came back.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	JSON   map[string]any // when the body is a JSON object
}

// Do sends a request. body is nil, a string (sent as it is) or anything that becomes JSON; header are name, value pairs. When a test
// with a 5xx fails, the cause is shown, from the log of the service (Log).
func (c *Client) Do(t testing.TB, method, path string, body any, header ...string) Response {
	t.Helper()
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		reader = bytes.NewReader(encoded)
	}
	logged := requestLog{t: t}
	defer logged.end()
	r := httptest.NewRequestWithContext(context.WithValue(t.Context(), requestLogKey{}, &logged), method, path, reader)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set(principal.Header, c.Signer.Sign(c.Principal))
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i+1] == "" {
			r.Header.Del(header[i])
		}
	}
	recorder := httptest.NewRecorder()
	c.Handler.ServeHTTP(recorder, r)
	response := Response{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.Bytes()}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(response.Body, &response.JSON); err != nil {
			t.Fatalf("%s %s: the answer is not JSON: %v: %.300s", method, path, err, response.Body)
		}
	}
	if response.Status >= http.StatusInternalServerError { // shown only if the test fails
		t.Logf("%s %s: %d, of which the service under test logged: %s", method, path, response.Status, &logged)
	}
	c.contract.check(t, c.Handler, r, response)
	c.checkTag(t, r, response)
	if allowed, listed := response.JSON["allowed"].([]any); listed && slices.Contains(allowed, response.JSON["value"]) {
		t.Errorf("%s %s: a conflict refuses what it says is allowed: %s", method, path, response.Body)
	}
	return response
}

// shownBy is what was shown under an entity tag, by caller and request: a checksum.
var shownBy sync.Map

// checkTag holds that who has the tag of a response has the response: nothing else is ever shown under it.
func (c *Client) checkTag(t testing.TB, r *http.Request, response Response) {
	t.Helper()
	tag := response.Header.Get("ETag")
	if r.Method != http.MethodGet || response.Status != http.StatusOK || tag == "" {
		return
	}
	caller := c.Principal
	caller.RequestID, caller.ExpiresAt = "", 0
	key := fmt.Sprint(caller, r.URL, r.Header["Accept"], r.Header["Accept-Language"], r.Header["Range"], tag)
	sum := sha256.Sum256(response.Body)
	if before, known := shownBy.LoadOrStore(key, sum); known && before != sum {
		t.Errorf("GET %s shows something else under the same ETag %s: %.2000s", r.URL, tag, response.Body)
	}
}

// Must is Do for a response that must have a status.
func (c *Client) Must(t testing.TB, status int, method, path string, body any, header ...string) Response {
	t.Helper()
	response := c.Do(t, method, path, body, header...)
	if response.Status != status {
		t.Fatalf("%s %s: %d, want %d: %.1000s", method, path, response.Status, status, response.Body)
	}
	if status >= 400 {
		if text, ok := response.JSON["error"].(string); !ok || text == "" || response.JSON["code"] == "" || response.JSON["code"] == nil {
			t.Fatalf("%s %s: an error without error and code: %s", method, path, response.Body)
		}
	}
	return response
}

// Refused sends a body of which something is wrong: 404 "reference_not_found" where all its problems are records that are not there, else
// 400.
func (c *Client) Refused(t testing.TB, method, path string, body any) Response {
	t.Helper()
	response := c.Do(t, method, path, body)
	problems, _ := response.JSON["fields"].([]any)
	status, code := 400, ""
	if len(problems) > 0 && !slices.ContainsFunc(problems, func(problem any) bool {
		message, _ := problem.(map[string]any)["message"].(string)
		return !strings.HasPrefix(message, "there is no record ")
	}) {
		status, code = 404, "reference_not_found"
	}
	if response.Status != status || code != "" && response.JSON["code"] != code {
		t.Fatalf("%s %s: %d, want %d: %.1000s", method, path, response.Status, status, response.Body)
	}
	return response
}

// Create posts a record and gives it.
func (c *Client) Create(t testing.TB, path string, body any) map[string]any {
	t.Helper()
	return c.Must(t, 201, "POST", path, body).JSON
}

// List gives data and pagination of a list.
func (c *Client) List(t testing.TB, path string) ([]map[string]any, map[string]any) {
	t.Helper()
	response := c.Must(t, 200, "GET", path, nil)
	var records []map[string]any
	for _, entry := range response.JSON["data"].([]any) {
		records = append(records, entry.(map[string]any))
	}
	return records, response.JSON["pagination"].(map[string]any)
}

// Table gives a report as CSV: the names of its columns, and each row by them.
func (c *Client) Table(t testing.TB, path string) (columns []string, rows []map[string]string) {
	t.Helper()
	response := c.Must(t, 200, "GET", path, nil, "Accept", "text/csv")
	table, err := csv.NewReader(bytes.NewReader(response.Body)).ReadAll()
	if err != nil || response.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Fatalf("GET %s as CSV: %v, %s", path, err, response.Header.Get("Content-Type"))
	}
	for _, values := range table[1:] {
		row := map[string]string{}
		for i, value := range values {
			row[table[0][i]] = value
		}
		rows = append(rows, row)
	}
	return table[0], rows
}

// Fields gives the names of the fields that an error lists.
func (a Response) Fields() []string {
	var names []string
	list, _ := a.JSON["fields"].([]any)
	for _, entry := range list {
		names = append(names, entry.(map[string]any)["field"].(string))
	}
	return names
}
