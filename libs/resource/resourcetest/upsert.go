package resourcetest

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/schema"
)

// byKey is the path of the record with an external id.
func (s Suite[T]) byKey(externalID string) string {
	return s.Path + "/by-external-id/" + url.PathEscape(externalID)
}

// upsert: PUT by external id creates a record once, and updates it from then on.
func (s Suite[T]) upsert(t *testing.T, declared *schema.Schema) {
	key := "upsert/" + uuid.NewString() + " é%2F..;?#" // whatever it is made of
	path, body := s.byKey(key), s.Make(t, s.Client, 1500)
	delete(body, "external_id")
	s.Client.Must(t, 404, "GET", path, nil)
	s.Client.Must(t, 409, "PUT", path, body, "If-Match", `"1"`)
	if response := s.Client.Must(t, 400, "PUT", path,
		with(body, "external_id", "another")); !slices.Equal(response.Fields(), []string{"external_id"}) {
		t.Errorf("another external_id in the body: %s", response.Body)
	}
	if wrong := s.Client.Must(t, 400, "PUT", path, with(body, "no_such_field", 1)); !slices.Equal(wrong.Fields(), []string{"no_such_field"}) {
		t.Errorf("a field that is none: %s", wrong.Body)
	}
	response := s.Client.Must(t, 201, "PUT", path, body, "If-None-Match", "*")
	created := s.shownAfterwards(t, response.JSON)
	id := created["id"].(string)
	if created["external_id"] != key || response.Header.Get("Location") != s.Path+"/"+id || response.Header.Get("ETag") != `"1"` {
		t.Errorf("created as %v, with %v", created, response.Header)
	}
	for _, from := range []string{path, s.byKey(strings.ToUpper(key)), s.Path + "/" + id} {
		if got := s.Client.Must(t, 200, "GET", from, nil).JSON; !reflect.DeepEqual(got, created) {
			t.Errorf("%s gives another record than was made:\n%v\n%v", from, got, created)
		}
	}
	if got := s.Client.Must(t, 200, "GET", path+"?fields=id", nil).JSON; len(got) != 1 || got["id"] != id {
		t.Errorf("fields=id shows %v", got)
	}
	s.Client.Must(t, 304, "GET", path, nil, "If-None-Match", `"1"`)
	if same := s.Client.Must(t, 200, "PUT", path, created).JSON; !reflect.DeepEqual(same, created) {
		t.Errorf("what was read, sent back, changes it:\n%v\n%v", same, created)
	}
	taken := s.Client.Must(t, 409, "PUT", path, body, "If-None-Match", "*").JSON
	if taken["field"] != "external_id" || taken["value"] != key || taken["existing_id"] != id {
		t.Errorf("If-None-Match: * of a record that is there: %v", taken)
	}
	tags := map[string]any{"tags": []string{"upsert"}}
	if stale := s.Client.Must(t, 409, "PUT", path, tags, "If-Match", `"7"`).JSON; stale["field"] != "version" {
		t.Errorf("a stale If-Match: %v", stale)
	}
	response = s.Client.Must(t, 200, "PUT", path, tags, "If-Match", `"1"`)
	if response.JSON["version"] != 2.0 || response.Header.Get("ETag") != `"2"` || !reflect.DeepEqual(response.JSON["tags"], []any{"upsert"}) {
		t.Errorf("updated to %s", response.Body)
	}
	for _, f := range declared.Fields {
		if _, sent := body[f.Name]; sent && f.Name != "tags" && !f.ReadOnly && !reflect.DeepEqual(response.JSON[f.Name], created[f.Name]) {
			t.Errorf("%s was left out and is %v, not %v any more", f.Name, response.JSON[f.Name], created[f.Name])
		}
	}
	if entries, _ := s.Client.List(t, s.Path+"/"+id+"/history"); len(entries) < 2 || entries[0]["action"] != "created" ||
		entries[1]["action"] != "updated" {
		t.Errorf("history is %v", entries)
	}
	s.Client.Must(t, 404, "GET", s.Path+"/by-external-id/a/b", nil)
	s.Client.Must(t, 400, "GET", s.byKey(strings.Repeat("x", 256)), nil)
	s.Client.Must(t, 400, "GET", s.byKey("a\x00b"), nil)
	s.Client.Must(t, 400, "GET", s.byKey(" "), nil)
	s.Client.Must(t, 400, "GET", s.byKey("\xff"), nil)
	s.Client.Other().Must(t, 404, "GET", path, nil)
	reader := *s.Client
	reader.Principal.Scopes = append([]string{s.row().Scope + ":read"}, s.Reads...)
	reader.Must(t, 200, "GET", path, nil)
	reader.Must(t, 403, "PUT", path, tags)
	s.upsertAtOnce(t)
}

// upsertAtOnce: of many calls with a new external id at once, one makes the record.
func (s Suite[T]) upsertAtOnce(t *testing.T) {
	key := "at-once-" + uuid.NewString()
	path, body := s.byKey(key), s.Make(t, s.Client, 1415)
	delete(body, "external_id")
	responses := make([]Response, 20)
	var group sync.WaitGroup
	for i := range responses {
		group.Go(func() { responses[i] = s.Client.Do(t, "PUT", path, body) })
	}
	group.Wait()
	counts, ids := map[int]int{}, map[string]bool{}
	for _, response := range responses {
		counts[response.Status]++
		ids[fmt.Sprint(response.JSON["id"])] = true
	}
	if counts[201] != 1 || counts[200] != len(responses)-1 || len(ids) != 1 {
		t.Errorf("20 calls at once were answered %v about %v; the last one %s", counts, ids, responses[len(responses)-1].Body)
	}
	if data, _ := s.Client.List(t, s.Path+"?external_id="+key); len(data) != 1 {
		t.Errorf("20 calls at once made %d records", len(data))
	}
}

// with is a body with one field more.
func with(body map[string]any, name string, value any) map[string]any {
	more := maps.Clone(body)
	more[name] = value
	return more
}
