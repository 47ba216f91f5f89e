package los

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/schema"
)

// settle sets what the gateway says of the client's organization.
func (f *fixture) settle(land any) {
	f.Respond("/internal/organizations/"+f.Principal.OrganizationID+"/settings",
		fields{"time_zone": "America/Toronto", "fiscal_year_end_month": 12, "land_area_km2": land, "currency": "CAD"})
}

// compute computes a new measure of an area for 2025.
func (f *fixture) compute(t *testing.T, area any, metric string, status int) fields {
	t.Helper()
	measure := newMeasure(t, f.Client, area, "Nouvelle", fields{"computed_metric": metric})
	defer f.Must(t, http.StatusOK, "PATCH", fmt.Sprint(pathOf(measures.Collection), "/", measure), fields{"name": fmt.Sprint(measure)})
	return f.Must(t, status, "POST", computePath(measure), fields{"period_end": "2025-12-31"}).JSON
}

func expectNote(t *testing.T, measurement fields, parts ...string) {
	t.Helper()
	note, _ := measurement["note"].(string)
	for _, part := range parts {
		if !strings.Contains(note, part) {
			t.Errorf("the note %q does not say %q", note, part)
		}
	}
}

func TestEveryMetricIsOneOfTheFieldsValuesAndHasASource(t *testing.T) {
	values := slices.Sorted(slices.Values(schema.Of[Measure]().Field("computed_metric").Enum))
	if names := metricNames(); !slices.Equal(values, names) {
		t.Errorf("the field takes %v, computed are %v", values, names)
	}
}

func TestTheRegulationsMeasuresThatCompute(t *testing.T) {
	want := map[string]string{
		"Table 1, reliability, technical 2": "connection_days_breaks", "Table 2, reliability, technical 2": "connection_days_backups",
		"Table 4, scope, technical, arterial": "lane_km_arterial_per_km2", "Table 4, scope, technical, collector": "lane_km_collector_per_km2",
		"Table 4, scope, technical, local": "lane_km_local_per_km2", "Table 4, quality, technical 1": "avg_pci",
		"Table 4, quality, technical 2": "avg_unpaved_condition", "Table 5, scope, technical": "pct_bridges_restricted",
		"Table 5, quality, technical 1": "avg_bci_bridges", "Table 5, quality, technical 2": "avg_bci_culverts",
	}
	for _, template := range templates {
		for _, m := range template.Measures {
			place := strings.TrimPrefix(m.RegulationRef, regulation)
			if got := m.ComputedMetric; got == nil && want[place] != "" || got != nil && *got != want[place] {
				t.Errorf("%s is computed as %v, want %q", place, got, want[place])
			}
			if m.ComputedMetric != nil && (*m.ComputedMetric == "avg_unpaved_condition") != (m.Direction == "lower_is_better" &&
				m.ValueKind == "rating") {
				t.Errorf("%s has the direction %s", place, m.Direction)
			}
			delete(want, place)
		}
	}
	if len(want) > 0 {
		t.Errorf("the templates lack %v", want)
	}
}

func TestLaneKilometresForEachSquareKilometre(t *testing.T) {
	f := newFixture(t)
	area := newArea(t, f.Client, "Réseau", fields{"network_ids": []string{network}})
	f.settle(nil)
	refusal := f.compute(t, area, "lane_km_arterial_per_km2", http.StatusConflict)
	resourcetest.Expect(t, refusal, fields{"code": "nothing_to_compute", "field": "land_area_km2"})
	if !strings.Contains(refusal["error"].(string), "land_area_km2") {
		t.Errorf("refused with %v", refusal["error"])
	}
	f.settle(120.5)
	f.Respond("/internal/networks/figures", fields{"roads_without_class": 2, "lanes": fields{
		"arterial": fields{"lane_m": 6000, "unknown": 1}, "collector": fields{"lane_m": nil, "unknown": 3}, "local": fields{"lane_m": 0,
			"unknown": 0}}})
	arterial := f.compute(t, area, "lane_km_arterial_per_km2", http.StatusCreated) // 1.5 km × 4 lanes
	resourcetest.Expect(t, arterial, fields{"value": 0.0498})
	expectNote(t, arterial, "Computed as lane_km_arterial_per_km2 of 1 network, as of 2025-12-31. Land area: 120.5 km². Roads of the class "+
		"left out because lanes or length are not known: 1. Roads left out because they have no functional_class: 2. / Superficie terrestre : "+
		"120.5 km². Routes de la catégorie exclues", "sans functional_class : 2.")
	resourcetest.Expect(t, f.lastRequest("/internal/networks/figures"), fields{"network_ids": []any{network}, "period_start": "2025-01-01",
		"period_end": "2025-12-31"})
	resourcetest.Expect(t, f.compute(t, area, "lane_km_collector_per_km2", http.StatusConflict), fields{"code": "nothing_to_compute"})
	resourcetest.Expect(t, f.compute(t, area, "lane_km_local_per_km2", http.StatusCreated), fields{"value": 0})

	f.settle(8)
	f.Respond("/internal/networks/figures", fields{"lanes": fields{"local": fields{"lane_m": 2.8, "unknown": 0}}})
	half := f.compute(t, area, "lane_km_local_per_km2", http.StatusCreated) // 0.00035: a half is rounded up
	resourcetest.Expect(t, half, fields{"value": 0.0004})
	resourcetest.Expect(t, f.compute(t, area, "lane_km_arterial_per_km2", http.StatusConflict), fields{"code": "nothing_to_compute"})
	built := newArea(t, f.Client, "Bâtiments", fields{"building_ids": []string{building}})
	refusal = f.compute(t, built, "lane_km_local_per_km2", http.StatusConflict)
	if !strings.Contains(refusal["error"].(string), "network_ids") {
		t.Errorf("refused with %v", refusal)
	}
}

func TestConnectionDays(t *testing.T) {
	f := newFixture(t)
	lost := func(breaks, backups, breaksUnknown, backupsUnknown int) fields {
		return fields{"break_minutes": breaks, "backup_minutes": backups, "breaks_unknown": breaksUnknown, "backups_unknown": backupsUnknown}
	}
	f.Respond("/internal/work-orders/connections", lost(40*540, 1440, 0, 0))
	f.Respond("/internal/networks/connections", lost(90, 36*1440, 2, 3))
	unset := newArea(t, f.Client, "Eau, sans nombre", nil)
	refusal := f.compute(t, unset, "connection_days_breaks", http.StatusConflict)
	resourcetest.Expect(t, refusal, fields{"code": "nothing_to_compute", "field": "properties_connected"})
	if f.Requests("/internal/work-orders/connections") != 0 {
		t.Error("the work orders were asked for nothing")
	}

	everywhere := newArea(t, f.Client, "Eau", fields{"properties_connected": 2500})
	breaks := f.compute(t, everywhere, "connection_days_breaks", http.StatusCreated)
	resourcetest.Expect(t, breaks, fields{"value": 0.006, "period_start": "2025-01-01"})
	expectNote(t, breaks, "Connection-days: 15.0000; properties connected: 2500. / "+
		"Jours-raccordements : 15.0000 ; propriétés raccordées : 2500.")
	resourcetest.Expect(t, f.lastRequest("/internal/work-orders/connections"), fields{"site_ids": []any{}, "building_ids": []any{},
		"period_start": "2025-01-01", "period_end": "2025-12-31"})
	resourcetest.Expect(t, f.compute(t, everywhere, "connection_days_backups", http.StatusCreated), fields{"value": 0.0004})

	places := newArea(t, f.Client, "Eau, usine", fields{"properties_connected": 1, "site_ids": []string{site},
		"building_ids": []string{building}})
	resourcetest.Expect(t, f.compute(t, places, "connection_days_backups", http.StatusCreated), fields{"value": 1})
	resourcetest.Expect(t, f.lastRequest("/internal/work-orders/connections"), fields{"site_ids": []any{site},
		"building_ids": []any{building}})

	mains := newArea(t, f.Client, "Conduites", fields{"properties_connected": 1000, "network_ids": []string{network},
		"site_ids": []string{site}})
	broken := f.compute(t, mains, "connection_days_breaks", http.StatusCreated) // 0.0000625
	resourcetest.Expect(t, broken, fields{"value": 0.0001})
	expectNote(t, broken, "downtime_minutes is not known: 2.", "downtime_minutes inconnu : 2.")
	resourcetest.Expect(t, f.lastRequest("/internal/networks/connections"), fields{"site_ids": []any{site}, "building_ids": []any{},
		"network_ids": []any{network}, "period_start": "2025-01-01", "period_end": "2025-12-31"})
	backed := f.compute(t, mains, "connection_days_backups", http.StatusCreated)
	resourcetest.Expect(t, backed, fields{"value": 0.036})
	expectNote(t, backed, "not known: 3.")

	for _, bad := range []any{0, -1, 1.5, "many"} {
		refused(t, f.Client, "POST", pathOf(serviceAreas.Collection), fields{"name": "Eau", "properties_connected": bad},
			"properties_connected", "")
	}
}

func TestNotesOfNetworkMeasures(t *testing.T) {
	f := newFixture(t)
	area := newArea(t, f.Client, "Réseau", fields{"network_ids": []string{network}})
	answer := fields{"avg_pci": 80, "avg_bci_bridges": 75.13, "avg_bci_culverts": 45, "pct_bridges_restricted": 37.5,
		"roads_of_unknown_surface": 3, "bridges_without_bci": 1, "culverts_without_bci": 2}
	for value, words := range map[float64][2]string{
		1: {"Excellent.", "Excellent."}, 1.5: {"Excellent.", "Excellent."}, 1.51: {"Good.", "Bon."}, 2.5: {"Good.", "Bon."},
		2.51: {"Fair.", "Passable."}, 3.5: {"Fair.", "Passable."}, 3.51: {"Poor.", "Mauvais."}, 5: {"Poor.", "Mauvais."},
	} {
		answer["avg_unpaved_condition"] = value
		f.Respond("/internal/networks/figures", answer)
		measurement := f.compute(t, area, "avg_unpaved_condition", http.StatusCreated)
		resourcetest.Expect(t, measurement, fields{"value": value})
		expectNote(t, measurement, words[0]+" Roads left out because paved is not known: 3. / "+words[1]+" Routes exclues")
	}
	for metric, note := range map[string]string{"avg_pci": "paved is not known: 3.", "avg_bci_bridges": "no index: 1.",
		"avg_bci_culverts": "3 m or more left out because they have no index: 2.", "pct_bridges_restricted": "as of 2025-12-31."} {
		measurement := f.compute(t, area, metric, http.StatusCreated)
		resourcetest.Expect(t, measurement, fields{"value": answer[metric]})
		expectNote(t, measurement, note)
	}
	f.Respond("/internal/networks/figures", fields{"avg_pci": 80, "avg_unpaved_condition": nil})
	if note := f.compute(t, area, "avg_pci", http.StatusCreated)["note"]; note != "Computed as avg_pci of 1 network, as of 2025-12-31." {
		t.Errorf("without anything left out the note is %v", note)
	}
	if refusal := f.compute(t, area, "avg_unpaved_condition", http.StatusConflict); !strings.Contains(fmt.Sprint(refusal["error"]), "paved") {
		t.Errorf("refused with %v", refusal)
	}
}
