package infrastructure

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource/resourcetest"
)

// The totals of a network in the database equal the sums over its segments, after any changes and with any number of concurrent
// writers.
func TestTotalsOfNetworksAreThoseOfTheirSegments(t *testing.T) {
	f := newFixtureAlone(t)
	networks := []any{newNetwork(t, f.Client, "road"), newNetwork(t, f.Client, "trail"), newNetwork(t, f.Client, "sidewalk")}
	statuses := []string{"planned", "in_service", "out_of_service", "abandoned", "removed"}
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(7, uint64(worker)))
			var paths []string
			for range 90 {
				body := fields{"network_id": networks[random.IntN(3)], "name": "Rue", "status": statuses[random.IntN(5)]}
				if random.IntN(4) > 0 {
					body["length_m"] = float64(random.IntN(100_000)) / 100
				}
				if random.IntN(3) > 0 {
					body["lanes"], body["replacement_unit_cost_per_m"] = random.IntN(6), 1234.56
				}
				switch what := random.IntN(10); {
				case what < 5 || len(paths) == 0:
					if made := f.Do(t, "POST", "/v1/infrastructure/segments", body); made.Status == http.StatusCreated {
						paths = append(paths, fmt.Sprint("/v1/infrastructure/segments/", made.JSON["id"]))
					} else {
						t.Errorf("create: %d %s", made.Status, made.Body)
					}
				case what < 9:
					path := paths[random.IntN(len(paths))]
					if changed := f.Do(t, "PATCH", path, body); changed.Status == http.StatusConflict { // a transition that is not allowed
						delete(body, "status")
						f.Do(t, "PATCH", path, body)
					}
				default:
					if deleted := f.Do(t, "DELETE", paths[0], nil); deleted.Status != http.StatusNoContent {
						t.Errorf("delete: %d %s", deleted.Status, deleted.Body)
					}
					paths = paths[1:]
				}
			}
		})
	}
	group.Wait()
	db, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	for _, network := range networks {
		var segments, rows int
		var length, cost float64
		var lanes *float64
		if err := db.QueryRow(t.Context(), "SELECT count(*), "+indicators.Km("coalesce(sum(s.length_m), 0)")+", "+
			indicators.Km("sum(s.length_m * s.lanes)")+`, coalesce(sum(s.replacement_cost), 0),
			(SELECT count(*) FROM network_total WHERE network_id = $1) FROM segment s WHERE s.network_id = $1 AND `+indicators.Counts("s"),
			network).Scan(&segments, &length, &lanes, &cost, &rows); err != nil {
			t.Fatal(err)
		}
		got := f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/infrastructure/networks/", network), nil).JSON
		if segments == 0 || lanes == nil || rows > 80 {
			t.Fatalf("nothing to compare: %d segments, %v lane-km, %d rows", segments, lanes, rows)
		}
		resourcetest.Expect(t, got, fields{"segment_count": segments, "length_km": length, "lane_km": *lanes, "replacement_cost": cost})
	}
}

// A class may change only while there is no segment. When both are requested at once, either the segment comes after the change, or
// the change is refused.
func TestTheClassDoesNotChangeUnderASegment(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	at := func(text any) time.Time {
		t.Helper()
		moment, err := time.Parse(time.RFC3339Nano, text.(string))
		if err != nil {
			t.Fatal(err)
		}
		return moment
	}
	for range 15 {
		network := newNetwork(t, f.Client, "road")
		path := fmt.Sprint("/v1/infrastructure/networks/", network)
		var group sync.WaitGroup
		var segment map[string]any
		status := 0
		group.Go(func() { status = f.Do(t, "PATCH", path, fields{"asset_class": "trail"}).Status })
		group.Go(func() {
			segment = f.Do(t, "POST", "/v1/infrastructure/segments", fields{"network_id": network, "name": "Sentier"}).JSON
		})
		group.Wait()
		changed := f.Must(t, http.StatusOK, "GET", path, nil).JSON
		switch {
		case segment["id"] == nil:
			t.Fatalf("the segment was refused: %v", segment)
		case status == http.StatusConflict && changed["asset_class"] == "road":
		case status == http.StatusOK && changed["asset_class"] == "trail" && at(changed["updated_at"]).Before(at(segment["created_at"])):
		default:
			t.Errorf("%d: %v at %v, the segment at %v", status, changed["asset_class"], changed["updated_at"], segment["created_at"])
		}
	}
}
