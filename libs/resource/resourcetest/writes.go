package resourcetest

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/schema"
)

func (s Suite[T]) uniqueness(t *testing.T, declared *schema.Schema) {
	created := s.create(t, 900)
	for i, name := range declared.Names(func(f *schema.Field) bool { return f.Unique && !f.ReadOnly }) {
		number, isNumber := created[name].(float64)
		held, _ := created[name].(string)
		if isNumber {
			held = fmt.Sprint(number)
		} else if held == "" {
			held = fmt.Sprintf("taken-%d", i)
			s.Client.Must(t, 200, "PATCH", s.Path+"/"+created["id"].(string), map[string]any{name: held})
		}
		body := s.Make(t, s.Client, 901+i)
		for _, within := range declared.Field(name).Within {
			body[within] = created[within]
		}
		if body[name] = "  " + strings.ToUpper(held) + " "; isNumber || declared.Field(name).Enum != nil { // which has one spelling
			body[name] = created[name]
		}
		response := s.Client.Must(t, 409, "POST", s.Path, body).JSON
		if response["field"] != name || !strings.EqualFold(fmt.Sprint(response["value"]), held) || response["existing_id"] != created["id"] ||
			!strings.Contains(strings.ToLower(response["error"].(string)), strings.ToLower(held)) {
			t.Errorf("%s taken: %v", name, response)
		}
	}
	s.twiceInOneCall(t)
}

// twiceInOneCall expects the second of two rows with one external id to name the first, and no record: none was made.
func (s Suite[T]) twiceInOneCall(t *testing.T) {
	key := uuid.NewString()
	first, second := s.Make(t, s.Client, 990), s.Make(t, s.Client, 991)
	first["external_id"], second["external_id"] = key, strings.ToUpper(key)
	response := s.Client.Must(t, 409, "POST", s.Path+"/bulk", map[string]any{"data": []any{first, second}}).JSON
	results, _ := response["results"].([]any)
	if len(results) != 1 || !reflect.DeepEqual(results[0], map[string]any{"index": 1.0, "status": "failed", "code": "already_exists",
		"field": "external_id",
		"value": strings.ToUpper(key), "other_index": 0.0, "error": fmt.Sprintf("external_id %q is twice in this call: row 0 has it as well.",
			strings.ToUpper(key))}) ||
		response["existing_id"] != nil {
		t.Errorf("an external id twice in one call: %v", response)
	}
}

func (s Suite[T]) versions(t *testing.T, _ *schema.Schema) {
	path := s.Path + "/" + s.create(t, 1050)["id"].(string)
	page := s.Client.Must(t, 200, "GET", s.Path, nil).Header.Get("ETag")
	s.Client.Must(t, 304, "GET", s.Path, nil, "If-None-Match", page)
	response := s.Client.Must(t, 200, "PATCH", path, map[string]any{"external_id": uuid.NewString()}, "If-Match", `"1"`)
	if response.JSON["version"] != 2.0 || response.Header.Get("ETag") != `"2"` {
		t.Errorf("after a change the version is %v, the ETag %s", response.JSON["version"], response.Header.Get("ETag"))
	}
	s.Client.Must(t, 200, "GET", s.Path, nil, "If-None-Match", page)
	if stale := s.Client.Must(t, 409, "PATCH", path, map[string]any{"external_id": "y"}, "If-Match", `"1"`).JSON; stale["field"] != "version" {
		t.Errorf("a stale If-Match: %v", stale)
	}
	s.Client.Must(t, 409, "DELETE", path, nil, "If-Match", `"1"`)
	if same := s.Client.Must(t, 304, "GET", path, nil, "If-None-Match", `"2"`); len(same.Body) != 0 {
		t.Errorf("304 with a body: %s", same.Body)
	}
	s.Client.Must(t, 200, "GET", path, nil, "If-None-Match", `"1"`)
	s.Client.Must(t, 204, "DELETE", path, nil, "If-Match", `"2"`)
}

func summaryOf(response Response) map[string]any {
	summary, _ := response.JSON["summary"].(map[string]any)
	for name, count := range summary {
		if count == 0.0 {
			delete(summary, name)
		}
	}
	return summary
}

func (s Suite[T]) bulkCalls(t *testing.T, _ *schema.Schema) {
	run := uuid.NewString()[:8]
	key := func(n int) string { return fmt.Sprintf("bulk-%s-%d", run, n) }
	row := func(n int) map[string]any {
		body := s.Make(t, s.Client, 1100+n)
		body["external_id"] = key(n)
		return body
	}
	send := func(status int, method, query string, rows ...any) Response {
		t.Helper()
		return s.Client.Must(t, status, method, s.Path+"/bulk"+query, map[string]any{"data": rows})
	}
	expect := func(response Response, want map[string]any) {
		t.Helper()
		if got := summaryOf(response); !reflect.DeepEqual(got, want) {
			t.Errorf("summary %v, want %v: %.1500s", got, want, response.Body)
		}
	}
	first := send(200, "POST", "", row(0), row(1), row(2))
	expect(first, map[string]any{"created": 3.0})
	if data := first.JSON["data"].([]any); len(data) != 3 || data[1].(map[string]any)["external_id"] != key(1) {
		t.Errorf("data of a bulk create: %.500s", first.Body)
	}
	again := send(409, "POST", "", row(3), row(1), row(2))
	expect(again, map[string]any{"failed": 2.0})
	results := again.JSON["results"].([]any)
	if bad := results[0].(map[string]any); bad["index"] != 1.0 || bad["code"] != "already_exists" || bad["value"] == nil ||
		bad["field"] == nil {
		t.Errorf("results of a refused bulk: %v", results)
	}
	if data, _ := s.Client.List(t, s.Path+"?external_id="+key(3)); len(data) != 0 {
		t.Errorf("an atomic call that was refused wrote %v", data)
	}
	expect(send(200, "POST", "?on_conflict=skip", row(1), row(3)), map[string]any{"created": 1.0, "skipped": 1.0})
	one := row(1)
	send(200, "POST", "?on_conflict=update", one) // what it refers to may be made anew each time
	expect(send(200, "POST", "?on_conflict=update", one, row(4)), map[string]any{"created": 1.0, "unchanged": 1.0})
	expect(send(200, "POST", "?atomic=false", row(1), row(5), "nonsense"), map[string]any{"created": 1.0, "failed": 2.0})
	expect(send(400, "POST", "", row(6), map[string]any{"no_such_field": 1}), map[string]any{"failed": 1.0})

	tags := map[string]any{"external_id": key(0), "tags": []string{"bulk"}}
	expect(send(200, "PATCH", "", tags, map[string]any{"external_id": key(1), "tags": []string{"bulk"}}), map[string]any{"updated": 2.0})
	if data, _ := s.Client.List(t, s.Path+"?tags=bulk&external_id="+key(0)+","+key(1)); len(data) != 2 {
		t.Errorf("a bulk update changed %d records, want 2", len(data))
	}
	expect(send(200, "PATCH", "?atomic=false", tags, map[string]any{"id": uuid.NewString()}, map[string]any{"id": "x"}),
		map[string]any{"unchanged": 1.0, "failed": 2.0})
	expect(send(200, "DELETE", "", map[string]any{"external_id": key(0)}, map[string]any{"external_id": key(1)}),
		map[string]any{"deleted": 2.0})
	if data, _ := s.Client.List(t, s.Path+"?external_id="+key(0)+","+key(1)); len(data) != 0 && !s.SoftDelete {
		t.Errorf("deleted records are listed: %v", data)
	}
	s.Client.Must(t, 400, "POST", s.Path+"/bulk", map[string]any{"data": []any{}})
	s.Client.Must(t, 400, "POST", s.Path+"/bulk", map[string]any{"data": make([]any, 1001)})
	s.Client.Must(t, 400, "POST", s.Path+"/bulk?on_conflict=replace", map[string]any{"data": []any{row(9)}})
	s.Client.Must(t, 400, "POST", s.Path+"/bulk?atomic=maybe", map[string]any{"data": []any{row(9)}})
}

func (s Suite[T]) idempotency(t *testing.T, _ *schema.Schema) {
	body, key := s.Make(t, s.Client, 1200), uuid.NewString()
	_, before := s.Client.List(t, s.Path)
	responses := make([]Response, 5)
	var group sync.WaitGroup
	for i := range responses {
		group.Go(func() { responses[i] = s.Client.Do(t, "POST", s.Path, body, "Idempotency-Key", key) })
	}
	group.Wait()
	replayed := 0
	for _, response := range responses {
		if response.Status != 201 || string(response.Body) != string(responses[0].Body) {
			t.Errorf("answers with one key differ: %d %.300s", response.Status, response.Body)
		}
		if response.Header.Get("Idempotency-Replayed") == "true" {
			replayed++
		}
	}
	if replayed != len(responses)-1 {
		t.Errorf("%d of %d answers were replayed", replayed, len(responses))
	}
	if _, after := s.Client.List(t, s.Path); after["total"].(float64) != before["total"].(float64)+1 {
		t.Errorf("one key made %v records", after["total"].(float64)-before["total"].(float64))
	}
	reused := s.Client.Must(t, 409, "POST", s.Path, s.Make(t, s.Client, 1201), "Idempotency-Key", key).JSON
	if reused["field"] != "Idempotency-Key" || reused["value"] != key {
		t.Errorf("a key used for another body: %v", reused)
	}
	s.Client.Must(t, 400, "POST", s.Path, body, "Idempotency-Key", strings.Repeat("k", 256))
	if s.changes() {
		s.bulkIdempotency(t, responses[0].JSON["id"].(string))
	}
}

// bulkIdempotency: a bulk change that is sent again with its key gets the first response and is done once.
func (s Suite[T]) bulkIdempotency(t *testing.T, id string) {
	s.sameTwice(t, "PATCH", map[string]any{"id": id, "tags": []string{uuid.NewString()}})
	if got := s.Client.Must(t, 200, "GET", s.Path+"/"+id, nil).JSON; got["version"] != 2.0 {
		t.Errorf("a bulk PATCH with a key, sent twice, made version %v", got["version"])
	}
	s.sameTwice(t, "DELETE", map[string]any{"id": id})
}

func (s Suite[T]) sameTwice(t *testing.T, method string, row map[string]any) {
	t.Helper()
	key, body := uuid.NewString(), map[string]any{"data": []any{row}}
	first := s.Client.Must(t, 200, method, s.Path+"/bulk", body, "Idempotency-Key", key)
	again := s.Client.Must(t, 200, method, s.Path+"/bulk", body, "Idempotency-Key", key)
	if string(first.Body) != string(again.Body) || again.Header.Get("Idempotency-Replayed") != "true" ||
		first.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("a bulk %s with one key is answered %s, then %s", method, first.Body, again.Body)
	}
	body["data"] = []any{row, row}
	s.Client.Must(t, 409, method, s.Path+"/bulk", body, "Idempotency-Key", key)
}

func (s Suite[T]) history(t *testing.T, _ *schema.Schema) {
	created := s.create(t, 1300)
	path := s.Path + "/" + created["id"].(string)
	s.Client.Must(t, 200, "PATCH", path, map[string]any{"external_id": "history-" + created["id"].(string)})
	s.Client.Must(t, 204, "DELETE", path, nil)
	entries, pagination := s.Client.List(t, path+"/history")
	var actions []string
	for _, entry := range entries {
		actions = append(actions, entry["action"].(string))
	}
	if want := []string{"created", "updated", "deleted"}; !s.SoftDelete && !slices.Equal(actions, want) ||
		pagination["total"] != float64(len(entries)) {
		t.Fatalf("history is %v %v", actions, pagination)
	}
	changes := entries[1]["changes"].(map[string]any)
	change, _ := changes["external_id"].(map[string]any)
	if len(changes) != 1 || change["old"] != created["external_id"] || change["new"] != "history-"+created["id"].(string) {
		t.Errorf("the change is kept as %v", changes)
	}
	at := url.QueryEscape(entries[1]["at"].(string))
	if later, pagination := s.Client.List(t, path+"/history?since="+at); len(later) != len(entries)-1 || later[0]["version"] != 2.0 ||
		pagination["total"] != float64(len(later)) {
		t.Errorf("since %s: %v %v", at, later, pagination)
	}
	if none, pagination := s.Client.List(t, path+"/history?since=2999-01-01"); len(none) != 0 || pagination["total"] != 0.0 {
		t.Errorf("since a day to come: %v %v", none, pagination)
	}
	for _, since := range []string{"", "yesterday", "2026-02-30"} {
		if fields := s.Client.Must(t, 400, "GET", path+"/history?since="+since, nil).Fields(); len(fields) != 1 || fields[0] != "since" {
			t.Errorf("since %q: %v", since, fields)
		}
	}
	s.Client.Must(t, 404, "GET", s.Path+"/"+uuid.NewString()+"/history?since=2026-01-01", nil)
	if actor := entries[1]["actor"].(map[string]any); actor["name"] != s.Client.Principal.Actor.Name || entries[1]["version"] != 2.0 {
		t.Errorf("the entry says %v", entries[1])
	}
}

// deletedWithParent deletes what the records are below: each has an entry of its own in the history, by the same request.
func (s Suite[T]) deletedWithParent(t *testing.T) {
	path := s.Path + "/" + s.create(t, 1310)["id"].(string)
	parent := s.Path[:strings.LastIndexByte(s.Path, '/')]
	last := func(path string) map[string]any {
		entries, _ := s.Client.List(t, path+"/history?per_page=1000")
		return entries[len(entries)-1]
	}
	before := last(path)
	switch refused := s.Client.Do(t, "DELETE", parent, nil); {
	case refused.Status == 409 && refused.JSON["dependents"] != nil:
		return // it stays while they are there
	case refused.Status != 204:
		t.Fatalf("DELETE %s: %d, want 204: %s", parent, refused.Status, refused.Body)
	}
	of, entry := last(parent), last(path)
	if of["action"] != "deleted" { // it is in the trash
		return
	}
	if entry["action"] != "deleted" || entry["version"] != before["version"].(float64)+1 || entry["request_id"] != of["request_id"] {
		t.Errorf("the last entry of the history is %v; of %s %v", entry, parent, of)
	}
}

func (s Suite[T]) tenant(t *testing.T, _ *schema.Schema) {
	body := s.Make(t, s.Client, 1400)
	body["organization_id"], body["tenant_id"] = uuid.NewString(), "someone"
	created := s.Client.Must(t, 201, "POST", s.Path+"?organization_id="+uuid.NewString(), body, "X-Organization-Id", uuid.NewString()).JSON
	s.Client.Must(t, 200, "GET", s.Path+"/"+created["id"].(string)+"?tenant_id=x", nil)
}

func (s Suite[T]) methods(t *testing.T, _ *schema.Schema) {
	response := s.Client.Must(t, 400, "PUT", s.Path, map[string]any{})
	// A plain operation may stand beside those of the resource.
	if strings.TrimPrefix(response.Header.Get("Allow"), "DELETE, ") != "GET, POST" {
		t.Errorf("Allow: %q", response.Header.Get("Allow"))
	}
	allowed := "DELETE, GET, PATCH"
	if !s.changes() {
		allowed = "GET"
	}
	if response := s.Client.Must(t, 400, "PUT", s.Path+"/"+uuid.NewString(), map[string]any{}); response.Header.Get("Allow") != allowed {
		t.Errorf("Allow: %q", response.Header.Get("Allow"))
	}
	s.Client.Must(t, 404, "GET", s.Path+"/"+uuid.NewString()+"/no-such-thing", nil)
}
