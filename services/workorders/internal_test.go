package workorders

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/resourcetest"
)

// count fetches counts and gives them as "open overdue" by id.
func count(t testing.TB, client *resourcetest.Client, request fields) map[string]string {
	t.Helper()
	counts := map[string]string{}
	for _, entry := range client.Must(t, http.StatusOK, "POST", "/internal/work-orders/counts", request).JSON["data"].([]any) {
		record := entry.(fields)
		counts[record["id"].(string)] = fmt.Sprint(record["open"], " ", record["overdue"])
	}
	return counts
}

func TestCounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, status := range []string{"open", "in_progress", "on_hold", "completed", "closed", "cancelled"} {
		body := inState(status)
		body["asset_id"], body["due_date"] = assetIDs[0], day(-1)
		f.create(t, body)
	}
	f.create(t, fields{"asset_id": assetIDs[0], "due_date": day(0)})
	f.create(t, fields{"building_id": buildingIDs[1]})
	f.create(t, fields{"segment_id": segment, "due_date": day(-1)})
	f.create(t, fields{"site_id": siteIDs[1], "status": "completed", "due_date": day(-1)})
	f.create(t, fields{"due_date": day(-1)})
	for name, c := range map[string]struct {
		request fields
		want    map[string]string
	}{
		"sites with what is in them": {fields{"by": "site_id"}, map[string]string{siteIDs[0]: "5 4", siteIDs[1]: "1 0"}},
		"buildings": {fields{"by": "building_id", "ids": []string{}},
			map[string]string{buildingIDs[0]: "4 3", buildingIDs[1]: "1 0"}},
		"systems":         {fields{"by": "system_id"}, map[string]string{systemIDs[0]: "4 3"}},
		"assets":          {fields{"by": "asset_id", "ids": assetIDs}, map[string]string{assetIDs[0]: "4 3"}},
		"segments":        {fields{"by": "segment_id", "ids": []string{segment, nobody}}, map[string]string{segment: "1 1"}},
		"one site of two": {fields{"by": "site_id", "ids": []string{siteIDs[1]}}, map[string]string{siteIDs[1]: "1 0"}},
		"nobody's site":   {fields{"by": "site_id", "ids": []string{nobody}}, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := count(t, f.Client, c.request); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("counted %v, want %v", got, c.want)
			}
		})
	}
	f.Must(t, http.StatusBadRequest, "POST", "/internal/work-orders/counts", fields{"by": "organization"})
}

// history changes the times of a new work order to those of creation, start and completion (nil: not yet).
func (f fixture) history(t testing.TB, db *pgx.Conn, body fields, created string, started, completed any) {
	t.Helper()
	_, record := f.create(t, body)
	if _, err := db.Exec(t.Context(), `UPDATE work_order SET created_at = $2, started_at = $3::text::timestamptz,
		completed_at = $4::text::timestamptz,
		status = CASE WHEN status = 'cancelled' THEN status WHEN $4::text IS NOT NULL THEN 'completed' ELSE status END WHERE id = $1`,
		record["id"], created, started, completed); err != nil {
		t.Fatal(err)
	}
}

// The times are those of Toronto, whose days count where an organization has not said otherwise; summer time begins on 2026-03-08.
func TestFiguresOfAPeriod(t *testing.T) {
	f := newFixtureAlone(t)
	db, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	due := func(building int, date string) fields {
		return fields{"building_id": buildingIDs[building], "due_date": date}
	}
	f.history(t, db, due(0, "2026-03-10"), "2026-03-01T08:00Z", "2026-03-01T10:00Z",
		"2026-03-10T23:59-04:00") // on its last day: in time; 2 h
	f.history(t, db, due(0, "2026-03-10"), "2026-03-01T08:00Z", "2026-03-01T12:00Z",
		"2026-03-11T00:00-04:00") // a minute too late; 4 h
	f.history(t, db, due(1, "2026-03-31"), "2026-03-01T08:00Z", "2026-03-02T08:00Z",
		"2026-03-31T23:59-04:00") // in time; 24 h
	f.history(t, db, fields{"building_id": buildingIDs[1]}, "2026-03-05T08:00Z", nil,
		"2026-03-05T09:00Z") // no due date; 1 h
	f.history(t, db, due(1, "2026-03-31"), "2026-03-31T08:00Z", "2026-03-31T18:00Z",
		"2026-04-01T00:00-04:00") // completed in April; 10 h
	f.history(t, db, due(0, "2026-02-01"), "2026-02-01T08:00Z", "2026-02-01T09:00Z",
		"2026-02-28T23:59-05:00") // February
	f.history(t, db, due(0, "2026-03-10"), "2026-03-01T08:00Z", nil,
		nil) // not started
	f.history(t, db, fields{"status": "cancelled", "cancel_reason": "Doublon"}, "2026-03-01T08:00Z", "2026-03-03T08:00Z",
		nil) // cancelled; 48 h, at no place
	f.history(t, db, fields{"building_id": buildingIDs[0], "due_date": "2020-01-31"}, "2026-11-01T08:00Z", nil,
		"2020-01-15T12:00Z") // loaded history of 2020

	march := func(sites, buildings []string) fields {
		return fields{"site_ids": sites, "building_ids": buildings, "period_start": "2026-03-01", "period_end": "2026-03-31"}
	}
	for name, c := range map[string]struct{ request, want fields }{
		"the whole organization": {march(nil, nil), fields{"completed": 4, "completed_on_time_pct": 66.67, "median_response_hours": 7}},
		// 1 2 4 10 24 48
		"a building": {march([]string{}, buildingIDs[:1]),
			fields{"completed": 2, "completed_on_time_pct": 50, "median_response_hours": 3}},
		"a site": {march(siteIDs[1:], nil), fields{"completed": 2, "completed_on_time_pct": 100, "median_response_hours": 10}},
		"a site or a building": {march(siteIDs[1:], buildingIDs[:1]),
			fields{"completed": 4, "completed_on_time_pct": 66.67, "median_response_hours": 4}},
		"nobody's site": {march([]string{nobody}, nil), fields{"completed": 0, "completed_on_time_pct": nil, "median_response_hours": nil}},
		"what was loaded": {fields{"period_start": "2020-01-01", "period_end": "2020-12-31"},
			fields{"completed": 1, "completed_on_time_pct": 100, "median_response_hours": nil}},
		"a day": {fields{"period_start": "2026-03-10", "period_end": "2026-03-10"},
			fields{"completed": 1, "completed_on_time_pct": 100, "median_response_hours": nil}},
	} {
		t.Run(name, func(t *testing.T) {
			resourcetest.Expect(t, f.Must(t, http.StatusOK, "POST", "/internal/work-orders/figures", c.request).JSON, c.want)
		})
	}
	f.Must(t, http.StatusBadRequest, "POST", "/internal/work-orders/figures", fields{"period_start": "2026-03-01"})
}

func TestBreaks(t *testing.T) {
	f := newFixtureAlone(t)
	db, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	at := func(kind, code, status, created string, completed any) {
		body := inState(status)
		body["segment_id"], body["type"], body["problem_code"] = segment, kind, code
		f.history(t, db, body, created, nil, completed)
	}
	at("corrective", "break", "open", "2026-01-01T00:00-05:00", nil)
	at("emergency", "BREAK", "open", "2026-12-31T23:59-05:00", nil)
	at("emergency", "Break", "completed", "2027-06-01T00:00Z", "2026-05-05T12:00Z") // loaded later: it happened then
	at("preventive", "break", "open", "2026-05-05T12:00Z", nil)
	at("corrective", "leak", "open", "2026-05-05T12:00Z", nil)
	at("corrective", "break", "cancelled", "2026-05-05T12:00Z", nil)
	at("corrective", "break", "open", "2025-12-31T23:59-05:00", nil)
	at("corrective", "break", "open", "2027-01-01T00:00-05:00", nil)
	f.history(t, db, fields{"asset_id": assetIDs[0], "problem_code": "break"}, "2026-05-05T12:00Z", nil, nil) // on no segment
	f.history(t, db, fields{"segment_id": segment, "problem_code": "break", "requested_at": "2026-06-01T12:00:00Z"}, "2027-06-01T00:00Z", nil,
		nil) // loaded later, not begun: it was asked for then
	breaks := func(client *resourcetest.Client) []any {
		return client.Must(t, http.StatusOK, "POST", "/internal/work-orders/breaks",
			fields{"period_start": "2026-01-01", "period_end": "2026-12-31"}).JSON["data"].([]any)
	}
	if got := breaks(f.Client); len(got) != 1 || got[0].(fields)["id"] != segment || got[0].(fields)["count"] != 4.0 {
		t.Errorf("breaks are %v, want 4 of the segment", got)
	}
	if got := breaks(f.Other()); len(got) != 0 {
		t.Errorf("another organization has %v", got)
	}
}
