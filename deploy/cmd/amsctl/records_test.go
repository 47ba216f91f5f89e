package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	ams "ams.internal/clients/go"
)

// recordService has one collection, and says what it was asked.
func recordService(t *testing.T) (asked *[]string) {
	t.Helper()
	asked = &[]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/openapi.json" {
			fmt.Fprint(w,
				`{"paths":{"/v1/things/bulk":{"post":{}},"/v1/things":{"post":{"requestBody":{"content":{"application/json":{"schema":{"properties":{
				"name":{"type":"string"},"code":{"type":"string"},"size":{"type":"integer"},"good":{"type":"boolean"},"tags":{"type":"array"}}}}}}}}}}`)
			return
		}
		body, _ := io.ReadAll(r.Body)
		*asked = append(*asked, strings.TrimSpace(r.Method+" "+r.URL.String()+" "+r.Header.Get("If-Match")+string(body)))
		const one, two = `{"id":"1","code":"T-1","name":"One","notes":null,"size":1}`, `{"id":"2","code":"T-2","name":"Two\u001b[2J","size":2}`
		switch {
		case r.URL.Path == "/v1/things/404":
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":"There is no such thing.","code":"not_found","request_id":"r-1"}`)
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		case strings.HasSuffix(r.URL.Path, "/bulk"):
			fmt.Fprintf(w, `{"data":[%s,%s],"results":[]}`, one, two)
		case r.URL.Path != "/v1/things" || r.Method == http.MethodPost:
			fmt.Fprint(w, one)
		case r.URL.Query().Get("external_id") == "none":
			fmt.Fprint(w, `{"data":[],"pagination":{"page":1,"per_page":25,"total":0,"total_pages":1}}`)
		case r.URL.Query().Has("external_id"):
			fmt.Fprint(w, `{"data":[{"id":"1"}],"pagination":{"page":1,"per_page":25,"total":1,"total_pages":1}}`)
		case r.URL.Query().Get("cursor") == "":
			fmt.Fprintf(w, `{"data":[%s],"pagination":{"page":1,"per_page":1,"total":2,"total_pages":2,"next_cursor":"c"}}`, one)
		default:
			fmt.Fprintf(w, `{"data":[%s],"pagination":{"page":null,"per_page":1,"total":2,"total_pages":2,"next_cursor":null}}`, two)
		}
	}))
	t.Cleanup(server.Close)
	t.Setenv("AMS_BASE_URL", server.URL)
	t.Setenv("AMS_API_KEY", "ams_live_secret")
	return asked
}

func TestRecordsAreShownAndWritten(t *testing.T) {
	path := file(t, "thing.json", `{"name":"One","size":1}`)
	list := file(t, "things.json", `[{"name":"One"},{"name":"Two"}]`)
	for name, c := range map[string]struct {
		args  string
		code  int
		asked string // the last call
		out   string
		err   string
	}{
		"a page": {"get things", 0, "GET /v1/things", "CODE  NAME  ID  \nT-1   One   1   \n",
			"1 of 2; --all shows the others"},
		"all pages": {"get things --all", 0, "GET /v1/things?cursor=c&per_page=1000", "T-2   Two [2J  2   \n", ""},
		"all pages, filtered": {"get things --all --filter status=a,b --filter fields=size,name", 0,
			"GET /v1/things?cursor=c&fields=size%2Cname&per_page=1000&status=a%2Cb", "SIZE  NAME     \n1     One      \n", ""},
		"all pages as JSON": {"get things --all -o json", 0, "GET /v1/things?cursor=c&per_page=1000",
			"{\"data\": [\n{\"id\":\"1\",\"code\":\"T-1\"", ""},
		"a record":                  {"get things 1", 0, "GET /v1/things/1", "id    1\ncode  T-1\nname  One\nsize  1\n", ""},
		"a record as JSON":          {"get things 1 -o json", 0, "GET /v1/things/1", "{\n  \"id\": \"1\",\n  \"code\": \"T-1\"", ""},
		"a record by an id of ours": {"get things --external-id X", 0, "GET /v1/things/1", "T-1", ""},
		"what is not there": {"get things --external-id none", 1, "GET /v1/things?external_id=none&fields=id", "",
			`0 records have the external_id "none"`},
		"a record that is not there":   {"get things 404", 1, "GET /v1/things/404", "", "There is no such thing. (request r-1)"},
		"a filter that is none":        {"get things --filter status", 1, "", "", "name=value"},
		"a filter that is given twice": {"get things --filter a=1 --filter a=2", 1, "", "", "given twice"},
		"a new record": {"create things --set name=12 " +
			"--set size=12 --set good=true --set tags=a,b --set code=null --set custom_fields.floor=3 --set custom_fields.wing=B", 0,
			`POST /v1/things {"code":null,"custom_fields":{"floor":3,"wing":"B"},"good":true,"name":"12","size":12,"tags":["a","b"]}`, "T-1", ""},
		"of a file":                {"create things -f " + path, 0, `POST /v1/things {"name":"One","size":1}`, "T-1", ""},
		"of a file, with a change": {"create things -f " + path + " --set size=2", 0, `POST /v1/things {"name":"One","size":2}`, "T-1", ""},
		"several of a file": {"create things -f " + list, 0,
			`POST /v1/things/bulk {"data":[{"name":"One"},{"name":"Two"}]}`, "T-2", ""},
		"of nothing": {"create things", 1, "", "", "--set"},
		"a change":   {"update things 1 --set name=One --if-match 3", 0, `PATCH /v1/things/1 "3"{"name":"One"}`, "T-1", ""},
		"a change by an id of ours": {"update things --external-id a/b --set name=One", 0,
			`PUT /v1/things/by-external-id/a%2Fb {"name":"One"}`, "T-1", ""},
		"a change of nobody knows what": {"update things --set name=One", 1, "", "", "which record"},
		"a removal":                     {"delete things 1", 0, "DELETE /v1/things/1", "Deleted 1\n", ""},
		"a removal by an id of ours": {"delete things --external-id X --if-match 2 -o json", 0, `DELETE /v1/things/1 "2"`,
			`"status": "deleted"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			asked := recordService(t)
			code, out, errOut := amsctl(t.Context(), strings.Fields(c.args)...)
			last := ""
			if len(*asked) > 0 {
				last = (*asked)[len(*asked)-1]
			}
			if code != c.code || last != c.asked || !strings.Contains(out, c.out) || !strings.Contains(errOut, c.err) ||
				(code != 0) != strings.HasPrefix(errOut, "Error:") {
				t.Errorf("exit %d after %s\n%s%s", code, last, out, errOut)
			}
			if strings.Contains(c.args, "json") && code == 0 && strings.Contains(c.args, "-o") && !json.Valid([]byte(out)) {
				t.Errorf("no JSON: %s", out)
			}
		})
	}
}

func TestTheVersionIsShown(t *testing.T) {
	code, out, _ := amsctl(t.Context(), "--version")
	if code != 0 || !strings.HasPrefix(out, "amsctl version "+ams.Version+" (commit ") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// feedService has a feed of events e1, e2 … whose cursors are c1, c2 …; stop is called when all have been read.
func feedService(t *testing.T, stop func()) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		event := func(n string) json.RawMessage {
			return json.RawMessage(`{"id":"e` + n + `",  "type":"asset.updated","data":{"object":{"id":"a` + n + `","name":"Élan <1>"}}}`)
		}
		answer := map[string]any{"data": []json.RawMessage{}, "next": "c2", "has_more": false}
		switch after := query.Get("after"); {
		case after == "":
			answer = map[string]any{"data": []json.RawMessage{event("0")}, "next": "c1", "has_more": true}
		case after == "c1" && query.Get("wait") == "20":
			answer["data"] = []json.RawMessage{event("1"), event("2")}
		case after == "c2" && query.Get("wait") == "20":
			answer = map[string]any{"data": []json.RawMessage{event("3")}, "next": "c3", "has_more": false}
		case after == "c3":
			stop()
			<-r.Context().Done()
			return
		}
		if got := query.Get("types"); got != "asset.*,work_order.*" {
			t.Errorf("it asks for %q", got)
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	t.Setenv("AMS_BASE_URL", server.URL)
	t.Setenv("AMS_API_KEY", "ams_live_secret")
}

func TestEventsAreForwardedAsWebhooks(t *testing.T) {
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	for name, c := range map[string]struct {
		args  string
		state string
		want  []string
	}{
		"from now on":                   {"", "", []string{"e3"}},
		"behind a cursor":               {"--after c1", "", []string{"e1", "e2", "e3"}},
		"where it ended the last time":  {"--state STATE", "c1\n", []string{"e1", "e2", "e3"}},
		"the first time with its state": {"--state STATE", "", []string{"e3"}},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var received []string
			receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				event, err := ams.VerifyWebhook(body, r.Header, secret)
				if err != nil || event.Data.Object["name"] != "Élan <1>" || r.Header.Get("Webhook-Event-Type") != "asset.updated" {
					t.Errorf("%s: %v", body, err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				if received = append(received, event.ID); event.ID == "e3" {
					w.WriteHeader(http.StatusTeapot)
				}
			}))
			defer receiver.Close()
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			feedService(t, stop)
			state := filepath.Join(t.TempDir(), "cursor")
			if c.state != "" {
				state = file(t, "cursor", c.state)
			}
			args := strings.Fields("listen --types asset.*,work_order.* --secret " + secret + " --forward-to " + receiver.URL + " " +
				strings.ReplaceAll(c.args, "STATE", state))
			code, out, errOut := amsctl(ctx, args...)
			if code != 0 || !slices.Equal(received, c.want) || strings.Count(out, "\n") != len(c.want) ||
				!strings.Contains(out, "asset.updated  a3  -> 418") || !strings.Contains(errOut, secret) || !strings.Contains(errOut, "--after c3") {
				t.Errorf("exit %d, received %v\n%s%s", code, received, out, errOut)
			}
			if kept, _ := os.ReadFile(state); strings.Contains(c.args, "STATE") && string(kept) != "c3\n" {
				t.Errorf("the cursor is kept as %q", kept)
			}
		})
	}
}

func TestAReceiverThatIsDownIsSaid(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	feedService(t, stop)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	code, out, errOut := amsctl(ctx, "listen", "--types", "asset.*,work_order.*", "--forward-to", closed.URL, "--after", "c2", "-o", "json")
	var line forwarded
	if err := json.Unmarshal([]byte(out), &line); err != nil || code != 0 || line.ID != "e3" || line.Status != 0 ||
		!strings.Contains(line.Error, "refused") || !strings.Contains(errOut, "whsec_") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
}
