package workorders

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/resourcetest"
)

func TestConnectionsOfAPeriod(t *testing.T) {
	f := newFixtureAlone(t)
	db, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	at := func(created string, body fields, connections, minutes any) {
		body["connections_affected"], body["downtime_minutes"] = connections, minutes
		f.history(t, db, body, created, nil, nil)
	}
	day := "2026-05-05T12:00Z"
	at(day, fields{"segment_id": segment, "problem_code": "break"}, 40, 540) // 21,600 on site 0
	at(day, fields{"segment_id": segment, "problem_code": "BREAK", "type": "preventive"}, 1, 60)
	at(day, fields{"segment_id": segment, "problem_code": "break"}, nil, 60)
	at(day, fields{"segment_id": segment, "problem_code": "backup"}, 5, nil)
	at(day, fields{"building_id": buildingIDs[1], "problem_code": "Backup"}, 2, 1440) // on site 1
	at(day, fields{"problem_code": "backup"}, 3, 100)                                 // nowhere
	at(day, fields{"segment_id": segment, "problem_code": "leak"}, 9, 9)
	at(day, fields{"segment_id": segment, "problem_code": "break", "status": "cancelled", "cancel_reason": "Doublon"}, 9, 9)
	at("2026-01-01T00:00-05:00", fields{"problem_code": "break"}, 1, 7) // the first and the last minute of the year
	at("2026-12-31T23:59-05:00", fields{"problem_code": "break"}, 1, 8)
	at("2025-12-31T23:59-05:00", fields{"problem_code": "break"}, 1, 1000)
	at("2027-01-01T00:00-05:00", fields{"problem_code": "break"}, 1, 1000)

	lost := func(breaks, backups, breaksUnknown, backupsUnknown int) fields {
		return fields{"break_minutes": breaks, "backup_minutes": backups, "breaks_unknown": breaksUnknown, "backups_unknown": backupsUnknown}
	}
	for name, c := range map[string]struct {
		request, want fields
		segment       fields // nil: no segments
	}{
		"the whole organization": {fields{}, lost(21600+60+7+8, 2880+300, 1, 1), nil},
		"all segments":           {fields{"by_segment": true}, lost(0, 0, 0, 0), lost(21660, 0, 1, 1)},
		"a site":                 {fields{"site_ids": siteIDs[1:]}, lost(0, 2880, 0, 0), nil},
		"a building":             {fields{"building_ids": buildingIDs[1:]}, lost(0, 2880, 0, 0), nil},
		"a site and the segments elsewhere": {fields{"site_ids": siteIDs[1:], "by_segment": true}, lost(0, 2880, 0, 0),
			lost(21660, 0, 1, 1)},
		"the segment's site, which counts it once": {fields{"site_ids": siteIDs[:1], "by_segment": true}, lost(21660, 0, 1, 1), nil},
		"nobody's site": {fields{"site_ids": []string{nobody}}, lost(0, 0, 0, 0), nil},
	} {
		t.Run(name, func(t *testing.T) {
			c.request["period_start"], c.request["period_end"] = "2026-01-01", "2026-12-31"
			got := f.Must(t, http.StatusOK, "POST", "/internal/work-orders/connections", c.request).JSON
			resourcetest.Expect(t, got, c.want)
			segments := got["segments"].([]any)
			if c.segment == nil && len(segments) == 0 {
				return
			}
			if c.segment == nil || len(segments) != 1 || segments[0].(fields)["id"] != segment {
				t.Fatalf("by segment it is %v, want %v", segments, c.segment)
			}
			resourcetest.Expect(t, segments[0].(fields), c.segment)
		})
	}
	other := f.Other().Must(t, http.StatusOK, "POST", "/internal/work-orders/connections",
		fields{"period_start": "2026-01-01", "period_end": "2026-12-31"}).JSON
	resourcetest.Expect(t, other, lost(0, 0, 0, 0))
}

func TestConnectionsAffectedAreWholeAndNotNegative(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, bad := range []any{-1, 1.5, "forty", 3_000_000_000} {
		response := f.Must(t, http.StatusBadRequest, "POST", "/v1/work-orders", fields{"title": "x", "connections_affected": bad})
		if got := fmt.Sprint(response.Fields()); got != "[connections_affected]" {
			t.Errorf("%v is refused for %s", bad, got)
		}
	}
	path, record := f.create(t, fields{"connections_affected": 0})
	resourcetest.Expect(t, record, fields{"connections_affected": 0})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "completed", "connections_affected": 40}).JSON,
		fields{"connections_affected": 40})
}
