package workorders

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/calendar"
	"ams.internal/libs/resource/resourcetest"
)

func TestNumbersAreUniqueAndGrowUnderConcurrency(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const writers, each = 8, 25
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for n := range each {
				if n%5 == 0 {
					f.Must(t, http.StatusOK, "POST", "/v1/work-orders/bulk", fields{"data": []fields{{"title": "a"}, {"title": "b"}, {"title": "c"}}})
				} else {
					f.Create(t, "/v1/work-orders", fields{"title": "d"})
				}
			}
		})
	}
	group.Wait()
	list, _ := f.List(t, "/v1/work-orders?per_page=1000&fields=number")
	if want := writers * (each + each/5*2); len(list) != want {
		t.Fatalf("%d work orders, want %d", len(list), want)
	}
	for i, record := range list {
		if want := fmt.Sprintf("WO-%06d", i+1); record["number"] != want { // oldest first: no gap, none twice, growing
			t.Fatalf("work order %d has the number %v, want %s", i, record["number"], want)
		}
	}
	resourcetest.Expect(t, f.Other().Create(t, "/v1/work-orders", fields{"title": "x"}), fields{"number": "WO-000001"})
}

func TestNumbersGivenByHand(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, first := f.create(t, fields{"number": "wo-000002"})
	f.create(t, fields{})
	_, next := f.create(t, fields{})
	resourcetest.Expect(t, next, fields{"number": "WO-000003"}) // behind the one that was given by hand
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "POST", "/v1/work-orders", fields{"title": "x", "number": " WO-000002 "}).JSON,
		fields{"field": "number", "value": "WO-000002", "existing_id": first["id"]})
}

// day is today where the organization is, or as many days later.
func day(offset int) string {
	return time.Now().In(calendar.Calendar{}.Zone()).AddDate(0, 0, offset).Format(time.DateOnly)
}

func TestOverdue(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, c := range []struct {
		status string
		due    any
		want   bool
	}{
		{"open", day(-1), true}, {"in_progress", day(-1), true}, {"on_hold", day(-400), true},
		{"open", day(0), false}, {"open", day(1), false}, {"open", nil, false},
		{"completed", day(-1), false}, {"closed", day(-1), false}, {"cancelled", day(-1), false},
	} {
		body := inState(c.status)
		body["due_date"] = c.due
		_, record := f.create(t, body)
		resourcetest.Expect(t, record, fields{"is_overdue": c.want})
		found, _ := f.List(t, fmt.Sprintf("/v1/work-orders?overdue=%v&ids=%v", c.want, record["id"]))
		missed, _ := f.List(t, fmt.Sprintf("/v1/work-orders?overdue=%v&ids=%v", !c.want, record["id"]))
		if len(found) != 1 || len(missed) != 0 {
			t.Errorf("%s due %v: overdue=%v finds it %d times, %v %d times", c.status, c.due, c.want, len(found), !c.want, len(missed))
		}
	}
	f.Must(t, http.StatusBadRequest, "GET", "/v1/work-orders?overdue=maybe", nil)
}

func TestFilters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.create(t, fields{"title": "Remplacer la pompe", "asset_id": assetIDs[0], "assignee_id": user, "type": "emergency",
		"priority": "urgent", "due_date": "2026-03-01"})
	f.create(t, fields{"title": "Inspecter le toit", "building_id": buildingIDs[1], "project_id": project, "type": "inspection",
		"status": "completed", "completed_at": "2026-02-10T12:00:00Z"})
	f.create(t, fields{"title": "Réparer la fuite", "segment_id": segment, "number": "BT-77", "status": "on_hold", "hold_reason": "Gel"})
	for query, want := range map[string]int{
		"assignee_id=null": 2, "assignee_id=" + user: 1, "assignee_id=null," + user: 3, "asset_id=null": 2, "asset_id=" + assetIDs[0]: 1,
		"site_id=" + siteIDs[0]: 2, "site_id=" + siteIDs[1]: 1, "building_id=" + buildingIDs[0]: 1, "system_id=" + systemIDs[0]: 1,
		"segment_id=" + segment: 1, "project_id=" + project: 1,
		"status=on_hold,completed": 2, "type=emergency": 1, "priority=urgent,medium": 3, "number=bt-77": 1, "q=BT-77": 1,
		"q=remplacer": 1, "q=RÉPARER": 1, "q=emplacer": 1, "q=lacer": 0,
		"due_date_from=2026-03-01": 1, "due_date_to=2026-02-28": 0, "completed_at_from=2026-02-10T12:00:00Z": 1,
		"completed_at_to=2026-02-10T11:59:59Z": 0,
		"created_at_from=" + day(0):            3, "created_at_to=" + day(0): 3, "created_at_to=" + day(-1): 0, "completed_at=null": 2,
		"status=open&assignee_id=null": 0,
	} {
		found, pagination := f.List(t, "/v1/work-orders?"+query)
		if len(found) != want || pagination["total"] != float64(want) {
			t.Errorf("%s finds %d, total %v, want %d", query, len(found), pagination["total"], want)
		}
	}
	for _, query := range []string{"assignee_id=me", "status=done", "due_date_from=soon", "created_at_from=2026-13-01", "site=x"} {
		f.Must(t, http.StatusBadRequest, "GET", "/v1/work-orders?"+query, nil)
	}
}

// Tests cannot wait for hours to pass, so they write the times into the table.
func TestResponseAndResolution(t *testing.T) {
	f := newFixtureAlone(t)
	db, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	for _, c := range []struct {
		name                      string
		started, completed        any // hours after creation
		response, resolutionHours any
	}{
		{"not begun", nil, nil, nil, nil},
		{"begun", 1.5, nil, 1.5, nil},
		{"begun and completed", 1.5, 50, 1.5, 50},
		{"completed without a beginning", nil, 6.126, 6.13, 6.13},
		{"at once", 0, 0, 0, 0},
		{"loaded, long done", -100, -50, nil, nil},
		{"loaded, completed here", -100, 24, nil, 24},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, record := f.create(t, fields{})
			if _, err := db.Exec(t.Context(), `UPDATE work_order SET status = CASE WHEN $3::float8 IS NULL THEN 'open' ELSE 'completed' END,
				started_at = created_at + $2::float8 * interval '1 hour', completed_at = created_at + $3::float8 * interval '1 hour' WHERE id = $1`,
				record["id"], c.started, c.completed); err != nil {
				t.Fatal(err)
			}
			resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON,
				fields{"response_hours": c.response, "resolution_hours": c.resolutionHours})
		})
	}
}

func TestTheOtherSpelling(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.Must(t, http.StatusCreated, "POST", "/v1/work_orders", fields{"title": "x"})
	id := made.JSON["id"].(string)
	if location := made.Header.Get("Location"); location != "/v1/work-orders/"+id {
		t.Errorf("Location %s", location)
	}
	same := f.Must(t, http.StatusOK, "GET", "/v1/work_orders/"+id, nil).JSON
	if !reflect.DeepEqual(same, f.Must(t, http.StatusOK, "GET", "/v1/work-orders/"+id, nil).JSON) {
		t.Error("the spellings differ")
	}
	f.Must(t, http.StatusOK, "POST", "/v1/work_orders/"+id+"/transition", fields{"to": "in_progress"})
	f.Must(t, http.StatusCreated, "POST", "/v1/work_orders/"+id+"/comments", fields{"body": "x"})
	f.Must(t, http.StatusOK, "GET", "/v1/work_orders?status=in_progress&per_page=1", nil)
	f.Must(t, http.StatusNotFound, "GET", "/v1/work_ordersx", nil)
}

func TestAnotherOrganizationIsNotThere(t *testing.T) {
	f := newFixtureAlone(t)
	path, record := f.create(t, fields{"asset_id": assetIDs[0], "external_id": "mine"})
	parts := []string{path}
	for part, body := range map[string]fields{"comments": {"body": "x"}, "tasks": {"title": "x"},
		"costs": {"kind": "labour", "hours": 1, "unit_cost": 10}} {
		parts = append(parts, fmt.Sprint(path, "/", part, "/", f.Create(t, path+"/"+part, body)["id"]))
	}
	other := f.Other()
	mine := other.Create(t, "/v1/work-orders", fields{"title": "À moi"})
	for _, part := range parts {
		for _, place := range []string{part, "/v1/work-orders/" + mine["id"].(string) + part[len(path):]} {
			if place == "/v1/work-orders/"+mine["id"].(string) {
				continue
			}
			other.Must(t, http.StatusNotFound, "GET", place, nil)
			other.Must(t, http.StatusNotFound, "PATCH", place, fields{"external_id": "x"})
			other.Must(t, http.StatusNotFound, "DELETE", place, nil)
			other.Must(t, http.StatusNotFound, "GET", place+"/history", nil)
		}
	}
	for part, body := range map[string]fields{"comments": {"body": "x"}, "tasks": {"title": "x"}, "costs": {"kind": "other"}} {
		other.Must(t, http.StatusNotFound, "GET", path+"/"+part, nil)
		other.Must(t, http.StatusNotFound, "POST", path+"/"+part, body)
		other.Must(t, http.StatusNotFound, "POST", path+"/"+part+"/bulk", fields{"data": []fields{body}})
	}
	if found, _ := other.List(t, "/v1/work-orders?asset_id="+assetIDs[0]); len(found) != 0 {
		t.Errorf("another organization finds %v", found)
	}
	if counts := count(t, other, fields{"by": "asset_id"}); len(counts) != 0 {
		t.Errorf("another organization counts %v", counts)
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON,
		fields{"external_id": "mine", "actual_cost": 10, "version": 2, "number": record["number"]})

	db, err := pgx.Connect(t.Context(), f.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	for _, table := range []string{"work_order", "work_order_comment", "work_order_task", "work_order_cost", "history", "outbox"} {
		for organization, want := range map[string]bool{"": false, uuid.NewString(): false, f.Principal.OrganizationID: true} {
			var n int
			if _, err := db.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)", organization); err != nil {
				t.Fatal(err)
			}
			if err := db.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil || (n > 0) != want {
				t.Errorf("%s shows %d rows to organization %q: %v", table, n, organization, err)
			}
		}
	}
}

// Scopes: parts are read and written with the scope of work orders.
func TestPartsCarryTheScopeOfTheirParent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, _ := f.create(t, fields{})
	reader, stranger := *f.Client, *f.Client
	reader.Principal.Scopes, stranger.Principal.Scopes = []string{"work_orders:read"}, []string{"assets:write", "assets:read"}
	for part, body := range map[string]fields{"comments": {"body": "x"}, "tasks": {"title": "x"}, "costs": {"kind": "other"}} {
		reader.Must(t, http.StatusOK, "GET", path+"/"+part, nil)
		reader.Must(t, http.StatusForbidden, "POST", path+"/"+part, body)
		stranger.Must(t, http.StatusForbidden, "GET", path+"/"+part, nil)
		stranger.Must(t, http.StatusForbidden, "POST", path+"/"+part, body)
	}
	if response := reader.Must(t, http.StatusForbidden, "GET", path+"?expand=assignee", nil).JSON; response["code"] != "scope_missing" {
		t.Errorf("names of users without users:read: %v", response)
	}
}

// No cost is added to a work order that is being deleted at the same time.
func TestCostsAndDeletesAtOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var group sync.WaitGroup
	for range 10 {
		path, _ := f.create(t, fields{})
		var deleted, spent resourcetest.Response
		group.Go(func() { deleted = f.Do(t, "DELETE", path, nil) })
		group.Go(func() { spent = f.Do(t, "POST", path+"/costs", fields{"kind": "other", "unit_cost": 1}) })
		group.Wait()
		if pair := []int{deleted.Status, spent.Status}; !slices.Equal(pair, []int{204, 404}) && !slices.Equal(pair, []int{409, 201}) {
			t.Errorf("the delete is %d, the cost %d", deleted.Status, spent.Status)
		}
	}
}
