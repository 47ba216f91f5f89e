package users

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
)

func TestConformance(t *testing.T) {
	f := newFixture(t)
	resourcetest.Run(t, resourcetest.Suite[User]{Definition: people{}.users(), Client: f.key, Path: "/v1/users", Make: makeUser,
		SoftDelete: true})
}

func TestANewUserHasTheDocumentedDefaults(t *testing.T) {
	f := newFixture(t)
	got := f.key.Create(t, "/v1/users", map[string]any{"email": " Anne.TREMBLAY@Example.CA ", "name": "Anne Tremblay"})
	for field, want := range map[string]any{
		"email": "anne.tremblay@example.ca", "role": "viewer", "status": "invited", "locale": "en-CA", "time_zone": "America/Toronto",
		"job_title": nil,
	} {
		if got[field] != want {
			t.Errorf("%s is %v, want %v", field, got[field], want)
		}
	}
}

func TestWhatIsNotAUserIsRefused(t *testing.T) {
	f := newFixture(t)
	for field, values := range map[string][]any{
		"email":     {"", "anne", "anne@", "@example.ca", "Anne <anne@example.ca>", "a b@example.ca", "a@b@c.ca", 5, nil},
		"name":      {"", nil, strings.Repeat("x", 201)},
		"role":      {"owner", 1},
		"status":    {"fired"},
		"locale":    {"fr", "en-US"},
		"time_zone": {"Toronto", "Local", "EST5EDT4", "../../etc/passwd", "UTC+5"},
	} {
		for _, value := range values {
			body := map[string]any{"email": "anne@example.ca", "name": "Anne", field: value}
			answer := f.key.Do(t, "POST", "/v1/users", body)
			if fields := answer.Fields(); answer.Status != 400 || len(fields) == 0 || fields[0] != field {
				t.Errorf("%s %v: %d %s", field, value, answer.Status, answer.Body)
			}
		}
	}
	if _, pagination := f.key.List(t, "/v1/users"); pagination["total"] != 0.0 {
		t.Errorf("refused bodies made %v users", pagination["total"])
	}
}

func TestStatusMovesAsDocumented(t *testing.T) {
	f := newFixture(t)
	allowed := map[string][]string{
		"invited": {"active", "removed"}, "active": {"suspended", "removed"}, "suspended": {"active", "removed"},
		"removed": {"invited", "active"},
	}
	states := []string{"invited", "active", "suspended", "removed"}
	for i, from := range states {
		for j, to := range states {
			user := f.key.Create(t, "/v1/users", map[string]any{"email": fmt.Sprintf("%d-%d@example.ca", i, j), "name": "Anne", "status": from})
			want := 409
			if from == to || strings.Contains(fmt.Sprint(allowed[from]), to) {
				want = 200
			}
			f.key.Must(t, want, "PATCH", "/v1/users/"+user["id"].(string), map[string]any{"status": to})
		}
	}
}

func TestDeleteRemovesAUserWhoseNameStays(t *testing.T) {
	f := newFixture(t)
	user := f.key.Create(t, "/v1/users", makeUser(t, f.key, 1))
	path := "/v1/users/" + user["id"].(string)
	f.key.Must(t, 204, "DELETE", path, nil)
	f.key.Must(t, 204, "DELETE", path, nil) // it is removed already
	if got := f.key.Must(t, 200, "GET", path, nil).JSON; got["status"] != "removed" || got["name"] != user["name"] || got["version"] != 2.0 {
		t.Errorf("after DELETE: %v", got)
	}
	for query, want := range map[string]int{"": 1, "?status=removed": 1, "?status=invited,active,suspended": 0} {
		if got, _ := f.key.List(t, "/v1/users"+query); len(got) != want {
			t.Errorf("a list with %q has %d users, want %d", query, len(got), want)
		}
	}
	var entries reference.Response
	answer := f.service.Must(t, 200, "POST", "/internal/references/users", map[string]any{"ids": []any{user["id"], uuid.NewString()}})
	if err := json.Unmarshal(answer.Body, &entries); err != nil || len(entries.Data) != 1 || entries.Data[0].Name != user["name"] ||
		*entries.Data[0].Status != "removed" {
		t.Errorf("references: %s (%v)", answer.Body, err)
	}
	taken := f.key.Must(t, 409, "POST", "/v1/users", map[string]any{"email": strings.ToUpper(user["email"].(string)), "name": "x"}).JSON
	if taken["existing_id"] != user["id"] {
		t.Errorf("the e-mail address of a removed user: %v", taken)
	}
	f.key.Must(t, 200, "PATCH", path, map[string]any{"status": "active"}) // and that is the way back
}

// The row stays, so its event is one of the definition's: once for each removal, whichever way it came, behind that of the change.
func TestARemovedUserIsToldOfAsDeleted(t *testing.T) {
	f := newFixture(t)
	told := func(id any, want ...string) {
		t.Helper()
		events := resourcetest.Events(t, f.database)
		if got := resourcetest.EventTypes(events, id); !slices.Equal(got, want) {
			t.Errorf("events %v, want %v", got, want)
		}
		if last := events[len(events)-1]; last.RecordID == id && last.Type == "user.deleted" && (last.Object["status"] != "removed" ||
			!slices.Contains(last.Changed, "status") || last.Previous["status"] != "invited" && last.Previous["status"] != "active") {
			t.Errorf("the event is %+v", last)
		}
	}
	var ids []any
	for n := range 4 {
		ids = append(ids, f.key.Create(t, "/v1/users", makeUser(t, f.key, n))["id"])
	}
	path := "/v1/users/" + ids[0].(string)
	f.key.Must(t, 204, "DELETE", path, nil)
	f.key.Must(t, 204, "DELETE", path, nil) // it is removed already: nothing happens
	told(ids[0], "user.created", "user.updated", "user.deleted")
	f.key.Must(t, 200, "PATCH", path, map[string]any{"status": "active"})
	f.key.Must(t, 200, "PATCH", path, map[string]any{"status": "removed", "job_title": nil})
	told(ids[0], "user.created", "user.updated", "user.deleted", "user.updated", "user.updated", "user.deleted")
	f.key.Must(t, 200, "DELETE", "/v1/users/bulk", map[string]any{"data": []any{map[string]any{"id": ids[1]}, map[string]any{"id": ids[2]}}})
	told(ids[1], "user.created", "user.updated", "user.deleted")
	told(ids[2], "user.created", "user.updated", "user.deleted")
	told(ids[3], "user.created")
}

func TestGoldenOpenAPI(t *testing.T) {
	resourcetest.Golden(t, newFixture(t).key.Handler, "testdata/openapi.json")
}
