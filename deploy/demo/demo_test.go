package demo

import (
	"reflect"
	"testing"
)

func ids(b blueprint) []string { return make([]string, len(b.people)) }

func TestTheDataSetIsTheSameEveryTime(t *testing.T) {
	for _, b := range blueprints() {
		if !reflect.DeepEqual(b.generate(ids(b)), b.generate(ids(b))) {
			t.Errorf("%s is different the second time", b.name)
		}
	}
}

func TestTheDataSetIsAsLargeAsPromised(t *testing.T) {
	for _, b := range blueprints() {
		data := b.generate(ids(b))
		t.Logf("%s: %d sites, %d buildings, %d systems, %d assets", b.name, len(data.sites), len(data.buildings), len(data.systems),
			len(data.assets))
		if b.plan == "enterprise" && (len(data.sites) < 40 || len(data.buildings) < 100 || len(data.systems) < 600 || len(data.assets) < 4000) {
			t.Errorf("%s is too small to try lists and reports on", b.name)
		}
		if len(data.assets) < 100 {
			t.Errorf("%s has only %d assets", b.name, len(data.assets))
		}
	}
}

func TestEveryExternalIDAndTagIsUniqueAndEveryReferenceIsThere(t *testing.T) {
	for _, b := range blueprints() {
		data := b.generate(ids(b))
		known := map[any]bool{}
		for _, records := range [][]record{b.userRecords(), data.sites, data.buildings, data.systems, data.assets} {
			for _, r := range records {
				for _, reference := range []string{"site_external_id", "building_external_id", "system_external_id", "parent_asset_external_id"} {
					if value, given := r[reference]; given && !known[value] {
						t.Errorf("%s: %s of %v comes before what it refers to", b.name, reference, r["external_id"])
					}
				}
				for _, field := range []string{"external_id", "asset_tag", "barcode", "email", "employee_number"} {
					value, given := r[field]
					if !given {
						continue
					}
					if known[value] {
						t.Errorf("%s: %s %v is there twice", b.name, field, value)
					}
					known[value] = true
				}
			}
		}
	}
}

func TestBuildingAndSystemNamesAreUniqueWhereTheyMustBe(t *testing.T) {
	for _, b := range blueprints() {
		data := b.generate(ids(b))
		seen := map[[2]any]bool{}
		for _, r := range append(append(append([]record{}, data.sites...), data.buildings...), data.systems...) {
			parent := r["building_external_id"]
			if parent == nil {
				parent = r["site_external_id"]
			}
			name := [2]any{parent, r["name"]}
			if seen[name] {
				t.Errorf("%s: %v is there twice", b.name, name)
			}
			seen[name] = true
		}
	}
}

func TestEveryCategoryHasAFrenchName(t *testing.T) {
	for _, system := range systemKinds {
		for _, equipment := range system.equipment {
			if frenchCategories[equipment.category] == "" {
				t.Errorf("%s has none", equipment.category)
			}
		}
	}
}
