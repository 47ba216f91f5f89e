package transport_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ams.internal/libs/fault"
	"ams.internal/libs/odata"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testnight"
	"ams.internal/libs/transport"
)

// greet has parameters in the path, the query and the body.
type greet struct {
	ID     string   `path:"id" format:"uuid"`
	Times  int      `query:"times" default:"1" minimum:"1" maximum:"3"`
	AsOf   *string  `query:"as_of" format:"date"`
	Loud   bool     `query:"loud" default:"false"`
	Name   string   `json:"name" required:"true" maxLength:"20"`
	Titles []string `json:"titles" maxItems:"2"`
}

type greeting struct {
	Text string  `json:"text" maxLength:"5000"`
	AsOf *string `json:"as_of"`
}

type nothing struct{}

func hello(_ context.Context, in greet) (greeting, error) {
	text := strings.TrimSpace(strings.Join(in.Titles, " ") + " " + in.Name)
	if in.Loud {
		text = strings.ToUpper(text)
	}
	return greeting{strings.Repeat(text, in.Times), in.AsOf}, nil
}

// server serves one operation of every kind.
func server(t *testing.T, log io.Writer) *resourcetest.Client {
	t.Helper()
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, nil, slog.New(slog.NewJSONHandler(log, nil)))
	api.Component("Error", map[string]any{"type": "object", "required": []string{"error", "code"}})
	transport.Post(api, transport.Operation{Path: "/v1/greetings/{id}", ID: "greet", Scope: "greetings:write"}, hello)
	get := func(path string, do func(context.Context, nothing) (greeting, error)) {
		transport.Get(api, transport.Operation{Path: path, ID: path, Scope: "greetings:read"}, do)
	}
	get("/v1/greetings", func(ctx context.Context, _ nothing) (greeting, error) {
		return greeting{Text: strings.Repeat("x", 2000) + principal.From(ctx).OrganizationID}, nil
	})
	get("/v1/short", func(context.Context, nothing) (greeting, error) { return greeting{Text: "short"}, nil })
	get("/v1/panic", func(context.Context, nothing) (greeting, error) { panic("the inside") })
	get("/v1/broken", func(context.Context, nothing) (greeting, error) { return greeting{}, errors.New("the inside") })
	get("/v1/unavailable", func(context.Context, nothing) (greeting, error) {
		return greeting{}, fault.Unavailable("users_unavailable", "The users service does not answer.")
	})
	get("/v1/taken", func(context.Context, nothing) (greeting, error) {
		return greeting{}, fmt.Errorf("greet: %w", fault.Conflict("already_exists", "name", "Anne", "Anne is here already."))
	})
	transport.Get(api, transport.Operation{Path: "/v1/los/greetings", ID: "los", Scope: "greetings:read", Feature: "los"},
		func(context.Context, nothing) (greeting, error) { return greeting{}, nil })
	api.Handle(transport.Operation{Method: "GET", Path: "/v1/stillborn", ID: "stillborn", Scope: "greetings:read"},
		func(context.Context, *transport.Request) (*transport.Response, error) {
			response := &transport.Response{ContentType: "text/csv", Stream: func(context.Context, io.Writer) error {
				return fault.Unavailable("database_unavailable", "The database is down.")
			}}
			response.SetHeader("Content-Disposition", "attachment")
			return response, nil
		})
	stream := func(end error) func(context.Context, *transport.Request) (*transport.Response, error) {
		return func(context.Context, *transport.Request) (*transport.Response, error) {
			return &transport.Response{ContentType: "application/x-ndjson", Stream: func(_ context.Context, w io.Writer) error {
				if _, err := io.WriteString(w, "{\"n\":1}\n"); err != nil {
					return err
				}
				return end
			}}, nil
		}
	}
	api.Handle(transport.Operation{Method: "GET", Path: "/v1/stream", ID: "stream", Scope: "greetings:read"}, stream(nil))
	api.Handle(transport.Operation{Method: "GET", Path: "/v1/aborted", ID: "aborted", Scope: "greetings:read"},
		stream(errors.New("the connection to the database broke")))
	api.Handle(transport.Operation{Method: "POST", Path: "/v1/small", ID: "small", Scope: "greetings:write", MaxBody: 20, Status: 201,
		Body: map[string]any{"type": "object"}},
		func(_ context.Context, r *transport.Request) (*transport.Response, error) {
			_, err := r.Object()
			return &transport.Response{Status: 201, Body: r.Body}, err
		})
	internal := reference.Contract[nothing, greeting]{Path: "/greetings"}
	transport.Internal(api, internal, func(context.Context, nothing) (greeting, error) { return greeting{Text: "inside"}, nil })
	return resourcetest.NewClient(api.Handler(), signer)
}

const id = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"

func TestATypedOperationGetsPathQueryAndBody(t *testing.T) {
	t.Parallel()
	client := server(t, t.Output())
	response := client.Must(t, 200, "POST", "/v1/greetings/"+strings.ToUpper(id)+"?times=2&loud=true&as_of=2024-02-29",
		map[string]any{"name": " Anne ", "titles": []string{"dr."}})
	if response.JSON["text"] != "DR. ANNEDR. ANNE" || response.JSON["as_of"] != "2024-02-29" {
		t.Errorf("the response is %s", response.Body)
	}
	if response := client.Must(t, 200, "POST", "/v1/greetings/"+id, map[string]any{"name": "Anne"}); response.JSON["text"] != "Anne" ||
		response.JSON["as_of"] != nil {
		t.Errorf("with defaults: %s", response.Body)
	}
}

func TestEveryProblemOfATypedRequestIsNamed(t *testing.T) {
	t.Parallel()
	client := server(t, t.Output())
	good := map[string]any{"name": "Anne"}
	for _, c := range []struct {
		name, path string
		body       any
		fields     []string
	}{
		{"a malformed id", "/v1/greetings/x", good, []string{"id"}},
		{"an id in braces", "/v1/greetings/%7B" + id + "%7D", good, []string{"id"}},
		{"a number out of range", "/v1/greetings/" + id + "?times=4", good, []string{"times"}},
		{"a number that is none", "/v1/greetings/" + id + "?times=two", good, []string{"times"}},
		{"half a number", "/v1/greetings/" + id + "?times=1.5", good, []string{"times"}},
		{"a date that does not exist", "/v1/greetings/" + id + "?as_of=2023-02-29", good, []string{"as_of"}},
		{"neither true nor false", "/v1/greetings/" + id + "?loud=yes", good, []string{"loud"}},
		{"an unknown parameter", "/v1/greetings/" + id + "?colour=red", good, []string{"colour"}},
		{"a parameter twice", "/v1/greetings/" + id + "?times=1&times=2", good, []string{"times"}},
		{"NUL in a parameter", "/v1/greetings/" + id + "?as_of=%00", good, []string{"as_of"}},
		{"bytes that are not UTF-8", "/v1/greetings/" + id + "?as_of=%ff", good, []string{"as_of"}},
		{"a field too many", "/v1/greetings/" + id, map[string]any{"name": "Anne", "age": 3}, []string{"age"}},
		{"in the order of the body", "/v1/greetings/" + id + "?times=0", `{"zoo":1,"titles":["a","b","c"],"age":3,"name":1,"bee":2}`,
			[]string{"times", "zoo", "titles", "age", "name", "bee"}},
		{"a field missing", "/v1/greetings/" + id, map[string]any{}, []string{"name"}},
		{"several problems at once", "/v1/greetings/x?times=0", map[string]any{"name": 1, "titles": []string{"a", "b", "c"}},
			[]string{"id", "times", "name", "titles"}},
	} {
		response := client.Must(t, 400, "POST", c.path, c.body)
		if !slices.Equal(response.Fields(), c.fields) {
			t.Errorf("%s: the fields are %v: %s", c.name, response.Fields(), response.Body)
		}
	}
	client.Must(t, 400, "POST", "/v1/greetings/"+id+"?as_of=%zz", good)
	client.Must(t, 200, "POST", "/v1/greetings/"+id+"?organization_id=x&tenant_id=y&tenant_id=z&forceFunctionRegion=ca-central-1", good)
}

func TestPathsAndMethods(t *testing.T) {
	t.Parallel()
	client := server(t, t.Output())
	for _, path := range []string{"/", "/v1", "/v1/", "/v1/nothing", "/v1/short/", "/v1//short", "/v1/../v1/short", "/v1/./short",
		"/v1/greetings/" + id + "/more", "/v2/short", "//v1/short", "/v1/short%2f", "/internal/openapi.json/"} {
		if response := client.Must(t, 404, "GET", path, nil); response.JSON["code"] != "unknown_path" || response.Header.Get("Location") != "" {
			t.Errorf("%s: %s", path, response.Body)
		}
	}
	for _, c := range [][3]string{
		{"POST", "/v1/short", "GET"}, {"PUT", "/v1/short", "GET"}, {"DELETE", "/v1/short", "GET"}, {"OPTIONS", "/v1/short", "GET"},
		{"TRACE", "/v1/short", "GET"}, {"BREW", "/v1/short", "GET"},
		{"GET", "/v1/greetings/" + id, "POST"}, {"HEAD", "/v1/greetings/" + id, "POST"}, {"PATCH", "/v1/greetings/" + id, "POST"},
	} {
		if response := client.Must(t, 400, c[0], c[1], nil); response.JSON["code"] != "method_not_allowed" ||
			response.Header.Get("Allow") != c[2] {
			t.Errorf("%s %s: Allow %q, %s", c[0], c[1], response.Header.Get("Allow"), response.Body)
		}
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	client := server(t, t.Output())
	for _, contentType := range []string{"application/json", "application/json; charset=utf-8", "application/json;charset=UTF-8",
		"Application/JSON", "application/merge-patch+json"} {
		client.Must(t, 201, "POST", "/v1/small", `{"a":1}`, "Content-Type", contentType)
	}
	for _, contentType := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1",
		"application/jsonp", "/", "json"} {
		if response := client.Must(t, 400, "POST", "/v1/small", `{"a":1}`, "Content-Type", contentType); response.JSON["code"] != "content_type" {
			t.Errorf("%q: %s", contentType, response.Body)
		}
	}
	client.Must(t, 201, "POST", "/v1/small", `{"a":"12345678901"}`) // 20 bytes and no more
	if response := client.Must(t, 400, "POST", "/v1/small", `{"a":"1234567890123"}`); response.JSON["code"] != "body_too_large" ||
		!strings.Contains(response.JSON["error"].(string), "20 bytes") {
		t.Errorf("a large body: %s", response.Body)
	}
	client.Must(t, 400, "POST", "/v1/small", "")
	client.Must(t, 400, "POST", "/v1/greetings/"+id, `{"name":"`+strings.Repeat("x", transport.MaxBody)+`"}`)
}

// Who sends all of a body before reading the response has it all the same.
func TestTheRefusalOfALargeBodyArrives(t *testing.T) {
	t.Parallel()
	client := server(t, t.Output())
	served := httptest.NewServer(client.Handler)
	defer served.Close()
	connection, err := net.Dial("tcp", served.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	const size = 6 << 20
	fmt.Fprintf(connection, "POST /v1/small HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s: %s\r\n\r\n",
		size, principal.Header, client.Signer.Sign(client.Principal))
	for range size >> 16 {
		if _, err := connection.Write(make([]byte, 1<<16)); err != nil {
			t.Fatal(err)
		}
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, _ := io.ReadAll(response.Body); response.StatusCode != 400 || !strings.Contains(string(body), "body_too_large") {
		t.Errorf("%d %s", response.StatusCode, body)
	}
}

func TestALargeBodyOfUnknownLengthIsRefusedAsWell(t *testing.T) {
	t.Parallel()
	client := server(t, t.Output())
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/small",
		io.MultiReader(strings.NewReader(`{"a":"`), bytes.NewReader(make([]byte, 1<<20))))
	r.ContentLength = -1
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(principal.Header, client.Signer.Sign(client.Principal))
	recorder := httptest.NewRecorder()
	client.Handler.ServeHTTP(recorder, r)
	if recorder.Code != 400 || !strings.Contains(recorder.Body.String(), "body_too_large") {
		t.Errorf("%d %s", recorder.Code, recorder.Body)
	}
}

func TestABodyThatEndsEarlyIsABadRequest(t *testing.T) {
	t.Parallel()
	client := server(t, t.Output())
	served := httptest.NewServer(client.Handler)
	defer served.Close()
	connection, err := net.Dial("tcp", served.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	fmt.Fprintf(connection, "POST /v1/small HTTP/1.1\r\nHost: x\r\n%s: %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"a\":", principal.Header, client.Signer.Sign(client.Principal))
	if err := connection.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	response, err := io.ReadAll(connection)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(response); !strings.HasPrefix(text, "HTTP/1.1 400 ") || !strings.Contains(text, `"code":"body_incomplete"`) {
		t.Errorf("the response to half a body is %s", text)
	}
}

func TestErrorsAreJSONAndSayNothingOfTheInside(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	client := server(t, &log)
	for _, c := range []struct {
		path   string
		status int
		code   string
	}{
		{"/v1/panic", 500, "internal"}, {"/v1/broken", 500, "internal"}, {"/v1/unavailable", 503, "users_unavailable"},
		{"/v1/taken", 409, "already_exists"},
	} {
		response := client.Must(t, c.status, "GET", c.path, nil)
		if response.JSON["code"] != c.code || response.JSON["request_id"] != client.Principal.RequestID ||
			response.Header.Get("X-Request-Id") != client.Principal.RequestID || strings.Contains(string(response.Body), "inside") {
			t.Errorf("%s: %s", c.path, response.Body)
		}
		if retry := response.Header.Get("Retry-After"); (retry == "1") != (c.status == 503) {
			t.Errorf("%s: Retry-After %q", c.path, retry)
		}
		if response.Header.Get("Cache-Control") != "no-store" || response.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: the headers are %v", c.path, response.Header)
		}
	}
	if log := log.String(); strings.Count(log, "the inside") < 2 || strings.Contains(log, "Anne is here") {
		t.Errorf("the log has the inside of what failed, and nothing of what the caller did wrong: %s", log)
	}
}

func TestWhoMayCall(t *testing.T) {
	t.Parallel()
	client := server(t, t.Output())
	with := func(change func(*principal.Principal)) *resourcetest.Client {
		other := *client
		change(&other.Principal)
		return &other
	}
	for _, c := range []struct {
		name   string
		client *resourcetest.Client
		path   string
		header []string
		status int
		code   string
	}{
		{"nobody", client, "/v1/short", []string{principal.Header, ""}, 401, "principal_refused"},
		{"a made-up principal", client, "/v1/short", []string{principal.Header, "e30.e30"}, 401, "principal_refused"},
		{"nobody, inside", client, "/internal/greetings", []string{principal.Header, ""}, 401, "principal_refused"},
		{"a principal without an organization", with(func(p *principal.Principal) { p.OrganizationID = "" }), "/v1/short", nil, 401,
			"principal_refused"},
		{"one without the scope", with(func(p *principal.Principal) { p.Scopes = []string{"greetings:write", "sites:read"} }),
			"/v1/short", nil, 403, "scope_missing"},
		{"one whose plan has no such feature", with(func(p *principal.Principal) { p.Features = []string{"api_access"} }),
			"/v1/los/greetings", nil, 403, "feature_not_in_plan"},
		{"one with the scope only", with(func(p *principal.Principal) { p.Scopes = []string{"greetings:read"} }), "/v1/short", nil, 200, ""},
	} {
		method, body := "GET", any(nil)
		if strings.HasPrefix(c.path, "/internal/") {
			method, body = "POST", map[string]any{}
		}
		response := c.client.Do(t, method, c.path, body, c.header...)
		if code, _ := response.JSON["code"].(string); response.Status != c.status || code != c.code {
			t.Errorf("%s: %d %s", c.name, response.Status, response.Body)
		}
	}
	response := with(func(p *principal.Principal) { p.Scopes = []string{"sites:read"} }).Must(t, 403, "GET", "/v1/short", nil)
	if response.JSON["required_scope"] != "greetings:read" || fmt.Sprint(response.JSON["scopes"]) != "[sites:read]" {
		t.Errorf("a 403 says which scope is needed and which there are: %s", response.Body)
	}
}

func TestResponsesAboveOneKilobyteAreCompressedOnRequest(t *testing.T) {
	t.Parallel()
	client := server(t, t.Output())
	plain := client.Must(t, 200, "GET", "/v1/greetings", nil)
	if plain.Header.Get("Content-Encoding") != "" {
		t.Error("compressed without a request for it")
	}
	packed := client.Do(t, "GET", "/v1/short", nil, "Accept-Encoding", "gzip")
	if packed.Header.Get("Content-Encoding") != "" {
		t.Error("a short response is compressed")
	}
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/v1/greetings", nil)
	r.Header.Set(principal.Header, client.Signer.Sign(client.Principal))
	r.Header.Set("Accept-Encoding", "gzip")
	recorder := httptest.NewRecorder()
	client.Handler.ServeHTTP(recorder, r)
	if recorder.Header().Get("Content-Encoding") != "gzip" || recorder.Body.Len() > len(plain.Body)/2 ||
		!strings.Contains(recorder.Header().Get("Vary"), "Accept-Encoding") {
		t.Fatalf("%d bytes, headers %v", recorder.Body.Len(), recorder.Header())
	}
	unpacked, err := gzip.NewReader(recorder.Body)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(unpacked); err != nil || !bytes.Equal(text, plain.Body) {
		t.Errorf("unpacked: %v, %d bytes of %d", err, len(text), len(plain.Body))
	}
}

func TestHEADIsGETWithoutTheBody(t *testing.T) {
	t.Parallel()
	client := server(t, t.Output())
	served := httptest.NewServer(client.Handler)
	defer served.Close()
	request, err := http.NewRequestWithContext(t.Context(), "HEAD", served.URL+"/v1/short", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set(principal.Header, client.Signer.Sign(client.Principal))
	response, err := served.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || len(body) != 0 || response.StatusCode != 200 || response.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%d %v %q %v", response.StatusCode, response.Header, body, err)
	}
}

func TestAHEADOfAStreamDoesNotRunIt(t *testing.T) {
	t.Parallel()
	client := server(t, t.Output())
	// Of GET, this stream is a 503 when it runs.
	if response := client.Must(t, 200, "HEAD", "/v1/stillborn", ""); response.Header.Get("Content-Type") != "text/csv" ||
		response.Header.Get("Content-Disposition") != "attachment" || len(response.Body) > 0 {
		t.Errorf("%v %s", response.Header, response.Body)
	}
}

func TestAStreamThatBreaksDoesNotLookWhole(t *testing.T) {
	t.Parallel()
	client := server(t, t.Output())
	served := httptest.NewServer(client.Handler)
	defer served.Close()
	served.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	for path, whole := range map[string]bool{"/v1/stream": true, "/v1/aborted": false} {
		request, err := http.NewRequestWithContext(t.Context(), "GET", served.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set(principal.Header, client.Signer.Sign(client.Principal))
		response, err := served.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if (err == nil) != whole || string(body) != "{\"n\":1}\n" {
			t.Errorf("%s: %q, %v", path, body, err)
		}
	}
}

func TestRecordsThatBreakOffDoNotLookWhole(t *testing.T) {
	t.Parallel()
	type record struct {
		Number int    `json:"number"`
		Name   string `json:"name"`
	}
	const most, more = 500_000, 60_000 // more than a group of Parquet, and than is held back of any other
	var rows atomic.Int64
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, nil, slog.New(slog.DiscardHandler))
	transport.GetStream[record](api, transport.Operation{Path: "/v1/records", ID: "records", Scope: "greetings:read"},
		func(ctx context.Context, in struct {
			Whole bool `query:"whole" default:"false"`
		}, accept []string) (*transport.Response, error) {
			return transport.StreamRecords(ctx, accept, "records", func(_ context.Context, do func(*record) error) error {
				for n := range int(rows.Load()) {
					if err := do(&record{n, fmt.Sprintf("Ventilateur %d", n)}); err != nil {
						return err
					}
				}
				if in.Whole {
					return nil
				}
				return errors.New("the connection to the database broke")
			}), nil
		})
	client := resourcetest.NewClient(api.Handler(), signer)
	served := httptest.NewServer(client.Handler)
	defer served.Close()
	served.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	const inOData = "OData"
	for _, mediaType := range append(slices.Clone(transport.RecordTypes), inOData) {
		if rows.Store(more); mediaType == transport.Parquet || testnight.Long {
			rows.Store(most)
		}
		for _, whole := range []bool{true, false} {
			request, err := http.NewRequestWithContext(t.Context(), "GET", fmt.Sprintf("%s/v1/records?whole=%t", served.URL, whole), nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set(principal.Header, client.Signer.Sign(client.Principal))
			request.Header.Set("Accept", mediaType)
			if mediaType == inOData {
				request.Header.Set(odata.Header, "https://h/odata/v4/records")
				request.Header.Set("Accept", transport.ApplicationJSON)
			}
			response, err := served.Client().Do(request)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if (err == nil) != whole || response.StatusCode != 200 || len(body) < 1<<20 {
				t.Errorf("%s, whole %t: %d, %d bytes, %v", mediaType, whole, response.StatusCode, len(body), err)
			}
			if footer := bytes.HasSuffix(body, []byte("PAR1")); mediaType == transport.Parquet && footer != whole {
				t.Errorf("whole %t: the file has a footer: %t", whole, footer)
			}
			if mediaType == inOData && json.Valid(body) != whole {
				t.Errorf("whole %t: the response in OData ends in %s", whole, body[len(body)-100:])
			}
		}
	}
}

func TestAStreamThatCannotBeginRespondsWithTheError(t *testing.T) {
	t.Parallel()
	response := server(t, t.Output()).Must(t, 503, "GET", "/v1/stillborn", nil)
	if response.JSON["code"] != "database_unavailable" || response.Header.Get("Content-Disposition") != "" ||
		response.Header.Get("Retry-After") == "" {
		t.Errorf("%v %s", response.Header, response.Body)
	}
}

func TestTheDocumentHasThePublicOperationsOnly(t *testing.T) {
	t.Parallel()
	client := server(t, t.Output())
	response := client.Do(t, "GET", "/internal/openapi.json", nil, principal.Header, "")
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Scope       string `json:"x-scope"`
			Feature     string `json:"x-feature"`
			Parameters  []struct{ Name, In string }
			Responses   map[string]any
		}
	}
	if err := json.Unmarshal(response.Body, &document); err != nil || response.Status != 200 {
		t.Fatalf("%d %v", response.Status, err)
	}
	for path := range document.Paths {
		if strings.HasPrefix(path, "/internal/") {
			t.Errorf("%s is in the document", path)
		}
	}
	greet := document.Paths["/v1/greetings/{id}"]["post"]
	if greet.OperationID != "greet" || greet.Scope != "greetings:write" || len(greet.Parameters) != 4 {
		t.Errorf("the operation is described as %+v", greet)
	}
	if len(greet.Responses) != 1 || greet.Responses["200"] == nil {
		t.Errorf("the responses are described as %v: those of every operation are added later (Complete)", greet.Responses)
	}
	if feature := document.Paths["/v1/los/greetings"]["get"].Feature; feature != "los" {
		t.Errorf("x-feature is %q", feature)
	}
}

func TestAWrongDeclarationIsFoundAtStart(t *testing.T) {
	t.Parallel()
	do := func(context.Context, *transport.Request) (*transport.Response, error) { return nil, nil }
	for name, declare := range map[string]func(*transport.API){
		"a public operation without a scope": func(api *transport.API) { api.Handle(transport.Operation{Method: "GET", Path: "/v1/x"}, do) },
		"an operation that is mounted twice": func(api *transport.API) {
			api.Handle(transport.Operation{Method: "GET", Path: "/v1/x", Scope: "x:read"}, do)
			api.Handle(transport.Operation{Method: "GET", Path: "/v1/x", Scope: "x:read"}, do)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is taken", name)
				}
			}()
			declare(transport.New(resourcetest.NewSigner(t), nil, slog.Default()))
		}()
	}
}

// Whatever the query string is, the response is 200 or a 400 whose fields are named.
func FuzzQuery(f *testing.F) {
	for _, query := range []string{"times=2&loud=true", "times=%00", "as_of=2023-02-29", "a=b;c=d", "times=1&times=2", "%zz", "=&=",
		"loud", "times=1e0", "times=+1", "organization_id=x"} {
		f.Add(query)
	}
	signer := resourcetest.NewSigner(f)
	api := transport.New(signer, nil, slog.New(slog.DiscardHandler))
	type parameters struct {
		Times int     `query:"times" default:"1" minimum:"1" maximum:"3"`
		AsOf  *string `query:"as_of" format:"date"`
		Loud  bool    `query:"loud" default:"false"`
	}
	transport.Get(api, transport.Operation{Path: "/v1/times", ID: "times", Scope: "x:read"},
		func(_ context.Context, in parameters) (parameters, error) {
			if in.Times < 1 || in.Times > 3 {
				return in, fmt.Errorf("bound %d", in.Times)
			}
			return in, nil
		})
	handler, header := api.Handler(), signer.SignFor(resourcetest.NewClient(nil, signer).Principal, 1<<40)
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/v1/times", nil)
		r.URL.RawQuery = query
		r.Header.Set(principal.Header, header)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, r)
		var body struct {
			Error  string
			Code   string
			Fields []fault.Field
		}
		if err := json.Unmarshal(recorder.Body.Bytes(), &body); err != nil {
			t.Fatalf("%q: %v", query, err)
		}
		switch {
		case recorder.Code == 200 && body.Error == "":
		case recorder.Code == 400 && (len(body.Fields) > 0 || body.Code == "invalid_query"):
		default:
			t.Errorf("%q: %d %s", query, recorder.Code, recorder.Body)
		}
	})
}
