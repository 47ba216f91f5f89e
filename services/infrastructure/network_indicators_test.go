package infrastructure

import (
	"net/http"
	"reflect"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

// segmentOf makes a segment of a network, and inspects it where there is an index.
func (f *fixture) segmentOf(t *testing.T, network any, body fields, indexType string, index any) string {
	t.Helper()
	body["network_id"] = network
	if body["name"] == nil {
		body["name"] = "Tronçon"
	}
	id := f.Create(t, "/v1/infrastructure/segments", body)["id"].(string)
	if index != nil {
		f.Create(t, "/v1/infrastructure/inspections",
			fields{"segment_id": id, "inspected_on": "2024-05-01", "index_type": indexType, "index_value": index})
	}
	return id
}

// figures gives the indicators of networks in 2024.
func (f *fixture) figures(t *testing.T, networks ...any) fields {
	t.Helper()
	return f.Must(t, http.StatusOK, "POST", "/internal/networks/figures",
		fields{"network_ids": networks, "period_start": "2024-01-01", "period_end": "2024-12-31"}).JSON
}

func TestThePavementIndexIsOfPavedRoads(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	roads, trails := newNetwork(t, f.Client, "road"), newNetwork(t, f.Client, "trail")
	f.segmentOf(t, roads, fields{"surface_type": "asphalt", "length_m": 100}, "pci", 80)
	f.segmentOf(t, roads, fields{"surface_type": "gravel", "length_m": 100}, "pci", 20)
	resourcetest.Expect(t, f.figures(t, roads), fields{"avg_pci": 80.0, "roads_of_unknown_surface": 0})
	f.segmentOf(t, roads, fields{"surface_type": "cobblestone", "length_m": 100}, "pci", 10)
	f.segmentOf(t, trails, fields{"surface_type": "asphalt", "length_m": 100}, "pci", 10)
	resourcetest.Expect(t, f.figures(t), fields{"avg_pci": 80.0, "roads_of_unknown_surface": 1})
	f.segmentOf(t, roads, fields{"paved": true, "length_m": 300}, "pci", 60.5)
	resourcetest.Expect(t, f.figures(t, roads), fields{"avg_pci": 65.38}) // (80 × 100 + 60.5 × 300) / 400 = 65.375
	resourcetest.Expect(t, f.figures(t, trails), fields{"avg_pci": nil})
}

func TestTheConditionOfUnpavedRoadsIsByLength(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	roads := newNetwork(t, f.Client, "road")
	rated := func(paved any, rating, length any) {
		segment := fields{"paved": paved, "length_m": length}
		if rating != nil {
			segment["condition_rating"], segment["condition_assessed_on"] = rating, "2020-05-01"
		}
		f.segmentOf(t, roads, segment, "", nil)
	}
	rated(true, 5, 1000)
	resourcetest.Expect(t, f.figures(t, roads), fields{"avg_unpaved_condition": nil})
	rated(false, 1, nil)
	rated(false, 2, nil)
	resourcetest.Expect(t, f.figures(t, roads), fields{"avg_unpaved_condition": 1.5}) // plain, while no length is known
	rated(false, 2, 300)
	rated(false, 4, 100)
	rated(false, nil, 900)
	resourcetest.Expect(t, f.figures(t, roads), fields{"avg_unpaved_condition": 2.5})
}

func TestBridgesWithALimitAreRestricted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	bridges, culverts := newNetwork(t, f.Client, "bridge"), newNetwork(t, f.Client, "culvert")
	resourcetest.Expect(t, f.figures(t, bridges), fields{"pct_bridges_restricted": nil})
	for _, limit := range []string{"load_limit_t", "clearance_limit_m", "width_limit_m", "", "", "", "", ""} {
		body := fields{}
		if limit != "" {
			body[limit] = 4
		}
		f.segmentOf(t, bridges, body, "", nil)
	}
	f.segmentOf(t, bridges, fields{"status": "planned", "load_limit_t": 5}, "", nil) // does not count
	f.segmentOf(t, culverts, fields{"load_limit_t": 5}, "", nil)
	resourcetest.Expect(t, f.figures(t), fields{"pct_bridges_restricted": 37.5})
	resourcetest.Expect(t, f.figures(t, culverts), fields{"pct_bridges_restricted": nil})
}

func TestTheBridgeIndexIsOfBridgesAndOfCulverts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	bridges, culverts := newNetwork(t, f.Client, "bridge"), newNetwork(t, f.Client, "culvert")
	first := f.segmentOf(t, bridges, fields{"length_m": 1000}, "bci", 70)
	f.segmentOf(t, bridges, fields{"length_m": 1}, "bci", 80.25)
	f.segmentOf(t, bridges, fields{}, "", nil)
	for day, index := range map[string]int{"2023-05-01": 1, "2025-01-01": 2} { // an earlier one, and one after the period
		f.Create(t, "/v1/infrastructure/inspections",
			fields{"segment_id": first, "inspected_on": day, "index_type": "bci", "index_value": index})
	}
	f.segmentOf(t, culverts, fields{"span_m": 2.9}, "bci", 40) // it has an index, so it counts
	f.segmentOf(t, culverts, fields{"span_m": 3}, "bci", 50)
	f.segmentOf(t, culverts, fields{"span_m": 3}, "", nil)
	f.segmentOf(t, culverts, fields{"span_m": 2.9}, "", nil)
	resourcetest.Expect(t, f.figures(t), fields{"avg_bci_bridges": 75.13, "avg_bci_culverts": 45.0, "avg_bci": 60.06, // of 240.25
		"bridges_without_bci": 1, "culverts_without_bci": 1})
	resourcetest.Expect(t, f.figures(t, culverts), fields{"avg_bci_bridges": nil, "avg_bci_culverts": 45.0, "bridges_without_bci": 0})
}

func TestLanesOfRoadsByClass(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	roads, trails := newNetwork(t, f.Client, "road"), newNetwork(t, f.Client, "trail")
	lanes := func(want fields, unclassified int) {
		t.Helper()
		got := f.figures(t)
		if !reflect.DeepEqual(got["lanes"], want) || got["roads_without_class"] != float64(unclassified) {
			t.Errorf("the lanes are %v, without class %v, want %v and %d", got["lanes"], got["roads_without_class"], want, unclassified)
		}
	}
	lanes(fields{}, 0)
	f.segmentOf(t, roads, fields{"lanes": 2, "length_m": 100}, "", nil)
	f.segmentOf(t, trails, fields{"functional_class": "local", "lanes": 2, "length_m": 100}, "", nil)
	lanes(fields{}, 1)
	f.segmentOf(t, roads, fields{"functional_class": "arterial", "lanes": 4, "length_m": 1500}, "", nil)
	f.segmentOf(t, roads, fields{"functional_class": "collector", "length_m": 1500}, "", nil)
	f.segmentOf(t, roads, fields{"functional_class": "arterial", "lanes": 4}, "", nil)
	lanes(fields{"arterial": fields{"lane_m": 6000.0, "unknown": 1.0}, "collector": fields{"lane_m": nil, "unknown": 1.0},
		"local": fields{"lane_m": 0.0, "unknown": 0.0}}, 1)
}

func TestConnectionsOfNetworksAreThoseOfTheirSegmentsAndOfPlaces(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	water, sewers := newNetwork(t, f.Client, "water_main"), newNetwork(t, f.Client, "sanitary_sewer")
	main := f.segmentOf(t, water, fields{}, "", nil)
	abandoned := f.segmentOf(t, water, fields{"status": "abandoned"}, "", nil) // it broke while it was in service
	sewer := f.segmentOf(t, sewers, fields{}, "", nil)
	lost := func(id string, breaks, backups, breaksUnknown, backupsUnknown int) fields {
		body := fields{"break_minutes": breaks, "backup_minutes": backups, "breaks_unknown": breaksUnknown, "backups_unknown": backupsUnknown}
		if id != "" {
			body["id"] = id
		}
		return body
	}
	f.connections = lost("", 5, 6, 7, 8)
	f.connections["segments"] = []any{lost(main, 21600, 0, 1, 0), lost(abandoned, 100, 0, 0, 0), lost(sewer, 0, 1440, 0, 2),
		lost(site, 9999, 9999, 99, 99)} // of no segment that there is
	ask := func(client *resourcetest.Client, networks ...any) fields {
		return client.Must(t, http.StatusOK, "POST", "/internal/networks/connections", fields{"network_ids": networks,
			"site_ids": []any{site}, "period_start": "2024-01-01", "period_end": "2024-12-31"}).JSON
	}
	resourcetest.Expect(t, ask(f.Client, water), lost("", 21705, 6, 8, 8))
	resourcetest.Expect(t, f.asked, fields{"by_segment": true, "site_ids": []any{site}, "period_start": "2024-01-01",
		"period_end": "2024-12-31"})
	resourcetest.Expect(t, ask(f.Client, water, sewers), lost("", 21705, 1446, 8, 10))
	resourcetest.Expect(t, ask(f.Client), lost("", 5, 6, 7, 8))
	resourcetest.Expect(t, ask(f.Other(), water), lost("", 5, 6, 7, 8)) // another organization has none of the segments
	f.unavailable.Store(true)
	f.Must(t, http.StatusServiceUnavailable, "POST", "/internal/networks/connections",
		fields{"network_ids": []any{water}, "period_start": "2024-01-01", "period_end": "2024-12-31"})
}

// W: a measure of the average rating for a year in which nobody assessed anything has nothing to be made from.
func TestFiguresOfAPeriodAreOfItsEnd(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	roads := newNetwork(t, f.Client, "road")
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": roads, "name": "Rue", "length_m": 1000, "lanes": 2,
		"condition_rating": 5, "functional_class": "local"})
	in2019 := func() fields {
		t.Helper()
		answer := f.Must(t, http.StatusOK, "POST", "/internal/networks/figures",
			fields{"network_ids": []any{roads}, "period_start": "2019-01-01", "period_end": "2019-12-31"}).JSON
		return answer
	}
	resourcetest.Expect(t, in2019(), fields{"avg_condition_rating": nil, "length_km": 1, "lane_km": 2, "lanes.local.lane_m": 2000})
	f.Create(t, "/v1/infrastructure/inspections", fields{"segment_id": segment["id"], "inspected_on": "2019-06-30", "condition_rating": 4})
	resourcetest.Expect(t, in2019(), fields{"avg_condition_rating": 4})
	f.Create(t, "/v1/infrastructure/inspections", fields{"segment_id": segment["id"], "inspected_on": "2020-01-01", "condition_rating": 1})
	resourcetest.Expect(t, in2019(), fields{"avg_condition_rating": 4})
	f.Must(t, http.StatusOK, "PATCH", pathOf(segment), fields{"install_date": "2020-05-01"})
	resourcetest.Expect(t, in2019(), fields{"avg_condition_rating": nil, "length_km": nil}) // it was not there
	today := f.Must(t, http.StatusOK, "POST", "/internal/networks/figures",
		fields{"network_ids": []any{roads}, "period_start": "2019-01-01", "period_end": "2999-12-31"}).JSON
	resourcetest.Expect(t, today, fields{"avg_condition_rating": 5, "lanes.local.lane_m": 2000})
}
