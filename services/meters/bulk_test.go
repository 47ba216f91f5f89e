package meters

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

// checkSums compares what is kept with the readings themselves: totals, days, counts and the latest.
func checkSums(t *testing.T, f *fixture) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), f.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(context.WithoutCancel(t.Context())) }()
	if _, err := db.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)", f.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	for what, query := range map[string]string{
		"totals": `SELECT count(*) FROM meter_state s
			LEFT JOIN (SELECT meter_id, sum(usage) AS total, count(*) AS readings, max(read_at) AS latest
			FROM meter_reading GROUP BY 1) r USING (meter_id)
			WHERE s.total_usage <> coalesce(r.total, 0) OR s.readings <> coalesce(r.readings, 0) OR s.latest_read_at IS DISTINCT FROM r.latest`,
		"meters": `SELECT count(*) FROM (SELECT meter_id FROM meter_reading UNION SELECT meter_id FROM meter_day UNION SELECT meter_id
			FROM meter_state) k
			WHERE meter_id NOT IN (SELECT id FROM meter)`,
		"days": `SELECT count(*) FROM (SELECT meter_id, day, sum(usage) AS usage FROM meter_reading GROUP BY 1, 2) r
			FULL JOIN meter_day d USING (meter_id, day) WHERE coalesce(r.usage, 0) <> coalesce(d.usage, 0)`,
		"usages": `SELECT count(*) FROM (SELECT r.usage, CASE WHEN r.kind = 'reset' OR m.kind = 'gauge' THEN 0 ELSE
				r.value - coalesce(lag(r.value) OVER w, r.value) + CASE WHEN r.value < lag(r.value) OVER w THEN m.rollover_at ELSE 0 END END AS want
			FROM meter_reading r JOIN meter m ON m.id = r.meter_id WINDOW w AS (PARTITION BY r.meter_id ORDER BY r.read_at)) u WHERE usage <> want`,
	} {
		var wrong int
		if err := db.QueryRow(t.Context(), query).Scan(&wrong); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if wrong != 0 {
			t.Errorf("%d of the kept %s differ from the readings", wrong, what)
		}
	}
}

func TestABulkCallNamesEveryBadRow(t *testing.T) {
	f := newFixture(t)
	hours := newMeter(t, f.Client, "Heures", fields{"external_id": "PLC-1"})
	cycles := newMeter(t, f.Client, "Démarrages", fields{"unit": "cycles"})
	rows := fields{"data": []any{
		fields{"meter_external_id": "plc-1", "read_at": "2026-06-03T12:00:00Z", "value": 30},
		fields{"meter_id": hours, "read_at": "2026-06-01T12:00:00Z", "value": 10},
		fields{"meter_id": hours, "read_at": "2026-06-02T12:00:00Z", "value": 35}, // above the one of 3 June, which falls
		fields{"meter_id": cycles, "read_at": "2026-06-02T12:00:00Z", "value": 7},
		fields{"meter_id": nobodys, "read_at": "2026-06-02T12:00:00Z", "value": 7},
		fields{"meter_external_id": "none", "read_at": "2026-06-02T12:00:00Z", "value": 7},
		fields{"read_at": "2026-06-02T12:00:00Z", "value": 7},
		fields{"meter_id": cycles, "read_at": "2026-06-02T12:00:00Z", "value": 8}, // row 3 says 7
		"nonsense",
	}}
	refused := f.Must(t, http.StatusBadRequest, "POST", metersURL+"/readings/bulk", rows).JSON
	if got := indexes(refused["results"]); !slices.Equal(got, []int{0, 4, 5, 6, 7, 8}) {
		t.Errorf("an atomic call names the rows %v: %v", got, refused)
	}
	resourcetest.Expect(t, shown(t, f.Client, hours), fields{"latest": nil, "total_usage": 0})
	taken := f.Must(t, http.StatusOK, "POST", metersURL+"/readings/bulk?atomic=false", rows).JSON
	resourcetest.Expect(t, taken["summary"].(fields), fields{"created": 3, "failed": 6, "updated": 0, "skipped": 0})
	resourcetest.Expect(t, shown(t, f.Client, hours), fields{"total_usage": 25})
	again := f.Must(t, http.StatusOK, "POST", metersURL+"/readings/bulk?atomic=false", rows).JSON
	resourcetest.Expect(t, again["summary"].(fields), fields{"created": 0, "failed": 6, "unchanged": 3, "skipped": 0})
	of := f.Must(t, http.StatusOK, "POST", metersURL+"/"+cycles+"/readings/bulk", fields{"data": []any{
		fields{"read_at": "2026-06-05T12:00:00Z", "value": 9}, fields{"read_at": "2026-06-04T12:00:00Z", "value": 8}}}).JSON
	resourcetest.Expect(t, of["summary"].(fields), fields{"created": 2})
	checkSums(t, f)
}

func indexes(results any) (all []int) {
	for _, r := range results.([]any) {
		all = append(all, int(r.(fields)["index"].(float64)))
	}
	return all
}

// However readings come, late, corrected, rolling over or reset, what is kept is what they add up to.
func TestSumsAreThoseOfTheReadings(t *testing.T) {
	f := newFixture(t)
	random := rand.New(rand.NewPCG(1, 2))
	meters := []string{newMeter(t, f.Client, "A", fields{"rollover_at": 1000}), newMeter(t, f.Client, "B", nil),
		newMeter(t, f.Client, "C", fields{"kind": "gauge", "unit": "degC"})}
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for range 60 {
		var rows []any
		for range 1 + random.IntN(30) {
			hour := random.IntN(2000)
			value := float64(hour) / 4
			kind := "reading"
			switch meter := random.IntN(3); meter {
			case 0:
				value = float64((hour / 2) % 1000)
				rows = append(rows, fields{"meter_id": meters[0], "value": value})
			case 1:
				if random.IntN(20) == 0 {
					value, kind = float64(random.IntN(500)), "reset"
				}
				rows = append(rows, fields{"meter_id": meters[1], "value": value, "kind": kind})
			default:
				rows = append(rows, fields{"meter_id": meters[2], "value": float64(random.IntN(60) - 30)})
			}
			rows[len(rows)-1].(fields)["read_at"] = start.Add(time.Duration(hour) * time.Hour).Format(time.RFC3339)
		}
		path := metersURL + "/readings/bulk?atomic=false&on_conflict=" + []string{"error", "skip", "update"}[random.IntN(3)]
		f.Must(t, http.StatusOK, "POST", path, fields{"data": rows})
	}
	checkSums(t, f)
}

// A thousand readings of a thousand meters take eight statements with begin, settings and commit, also where half of them are late.
func TestAThousandReadingsTakeFewStatements(t *testing.T) {
	database := postgrestest.New(t, "meters", migrations)
	through, asked := postgrestest.CountRoundTrips(t, database.URL)
	database.URL = through
	f := newFixtureFrom(t, database)
	ids := manyMeters(t, f.Client, 1000)
	for _, c := range []struct {
		name        string
		day, others []int // of the readings of even and of odd meters; the first time, statements are prepared
		want        int64
	}{
		{"all later", []int{10, 11}, []int{10, 11}, 4}, // lock, write, show, and events with the commit
		{"half of them late", []int{12, 13}, []int{5, 6}, 5},
	} {
		for again := range 2 {
			rows := make([]any, len(ids))
			for i, id := range ids {
				day := []int{c.day[again], c.others[again]}[i%2]
				rows[i] = fields{"meter_id": id, "read_at": fmt.Sprintf("2026-06-%02dT12:00:00Z", day), "value": 10 * day}
			}
			asked.Store(0)
			f.Must(t, http.StatusOK, "POST", metersURL+"/readings/bulk", fields{"data": rows})
		}
		if got := asked.Load(); got != c.want {
			t.Errorf("%s: the database is asked %d times, want %d", c.name, got, c.want)
		}
	}
}

func manyMeters(t testing.TB, client *resourcetest.Client, n int) (ids []string) {
	t.Helper()
	var rows []any
	for i := range n {
		rows = append(rows, fields{"name": fmt.Sprint("Compteur ", i), "asset_id": pump, "kind": "counter", "unit": "h"})
	}
	for _, made := range client.Must(t, http.StatusOK, "POST", metersURL+"/bulk", fields{"data": rows}).JSON["data"].([]any) {
		ids = append(ids, made.(fields)["id"].(string))
	}
	return ids
}

// Calls about the same meters at the same time follow each other, and none writes behind a delete.
func TestSumsAreRightWhileManyWrite(t *testing.T) {
	f := newFixture(t)
	meters := []string{newMeter(t, f.Client, "A", nil), newMeter(t, f.Client, "B", nil)}
	doomed := newMeter(t, f.Client, "C", nil)
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	var callers sync.WaitGroup
	for caller := range 6 {
		callers.Go(func() {
			for call := range 8 {
				var rows []any
				for i := range 20 {
					hour := (call*20+i)*6 + caller // between those of the others
					for n, meter := range append(slices.Clone(meters), doomed) {
						if n == 2 && i > 0 {
							continue
						}
						rows = append(rows,
							fields{"meter_id": meter, "value": hour, "read_at": start.Add(time.Duration(hour) * time.Hour).Format(time.RFC3339)})
					}
				}
				if answer := f.Do(t, "POST", metersURL+"/readings/bulk?atomic=false", fields{"data": rows}); answer.Status != http.StatusOK {
					t.Errorf("caller %d: %d %.300s", caller, answer.Status, answer.Body)
				}
				if caller == 0 && call == 4 {
					if answer := f.Do(t, "DELETE", metersURL+"/"+doomed, nil); answer.Status != http.StatusNoContent {
						t.Errorf("the delete: %d %.300s", answer.Status, answer.Body)
					}
				}
			}
		})
	}
	callers.Wait()
	for _, meter := range meters {
		resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 959})
	}
	checkSums(t, f)
}
