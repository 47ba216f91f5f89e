package indicators_test

import (
	"slices"
	"testing"

	"ams.internal/libs/domain/indicators"
)

func TestTheServiceFollowsFromWhatAThingIs(t *testing.T) {
	db := connect(t)
	kinds := []struct{ of, column, rule string }{
		{"networks", "asset_class", indicators.ServiceCategoryOfNetwork("t")},
		{"buildings", "building_type", indicators.ServiceCategoryOfBuilding("t")},
	}
	want := []map[any]string{{
		"road": "roads", "sidewalk": "roads", "streetlight": "roads", "bridge": "bridges_culverts", "culvert": "bridges_culverts",
		"water_main": "water", "sanitary_sewer": "wastewater", "force_main": "wastewater", "combined_sewer": "wastewater",
		"storm_sewer": "stormwater", "drainage_channel": "stormwater", "trail": "parks_recreation",
		"gas_main": "other", "electrical": "other", "telecom": "other", "other": "other",
	}, {
		"school": "education", "library": "library", "fire_hall": "fire", "arena": "parks_recreation", "pool": "parks_recreation",
		"community_centre": "parks_recreation", "housing": "housing", "pump_station": "other", "treatment": "other",
		"administration": "facilities",
		"police":         "facilities", "ambulance": "facilities", "works_garage": "facilities", "warehouse": "facilities",
		"parking":    "facilities",
		"child_care": "facilities", "other": "facilities", nil: "facilities",
	}}
	for i, k := range kinds {
		for kind, category := range want[i] {
			var derived, own string
			err := db.QueryRow(t.Context(), "SELECT "+k.rule+", (SELECT "+k.rule+" FROM (SELECT 'fleet'::text AS service_category, $1::text AS "+
				k.column+") t) FROM (SELECT NULL::text AS service_category, $1::text AS "+k.column+") t", kind).Scan(&derived, &own)
			if err != nil {
				t.Fatal(err)
			}
			if derived != category || own != "fleet" {
				t.Errorf("%s of %v are %s, want %s; with a category of their own %s, want fleet", k.of, kind, derived, category, own)
			}
			if !slices.Contains(indicators.ServiceCategories, category) {
				t.Errorf("%s is no category", category)
			}
		}
	}
}

func TestPumpsAndTreatmentWaitForACategory(t *testing.T) {
	db := connect(t)
	for _, c := range []struct {
		kind, own any
		want      bool
	}{{"pump_station", nil, true}, {"treatment", nil, true}, {"treatment", "water", false}, {"school", nil, false}, {nil, nil, false}} {
		var got bool
		if err := db.QueryRow(t.Context(), "SELECT "+indicators.ToBeCategorized("t")+
			" FROM (SELECT $1::text AS building_type, $2::text AS service_category) t", c.kind, c.own).Scan(&got); err != nil || got != c.want {
			t.Errorf("%v with %v: %v (%v), want %v", c.kind, c.own, got, err, c.want)
		}
	}
}

func TestAnAssetHasTheServiceOfItsPlace(t *testing.T) {
	db := connect(t)
	for _, c := range []struct {
		name                      string
		asset, building, of, site any // categories, and of the type of the building
		inBuilding                bool
		want                      string
	}{
		{name: "its own", asset: "fleet", inBuilding: true, building: "library", site: "fire", want: "fleet"},
		{name: "its building's own", inBuilding: true, building: "library", site: "fire", want: "library"},
		{name: "its building's by type", inBuilding: true, of: "school", site: "fire", want: "education"},
		{name: "its site's", inBuilding: false, site: "fire", want: "fire"},
		{name: "none", inBuilding: false, want: "other"},
	} {
		var got string
		if err := db.QueryRow(t.Context(), "SELECT "+indicators.ServiceCategoryOfAsset("a", "b", "p")+`
			FROM (SELECT $1::text AS service_category) a
			LEFT JOIN (SELECT 1 AS id, $2::text AS service_category, $3::text AS building_type) b ON $4
			LEFT JOIN (SELECT $5::text AS service_category) p ON true`, c.asset, c.building, c.of, c.inBuilding, c.site).Scan(&got); err != nil ||
			got != c.want {
			t.Errorf("%s: %s (%v), want %s", c.name, got, err, c.want)
		}
	}
}
