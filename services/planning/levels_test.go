package planning

import (
	"testing"

	"ams.internal/libs/domain/inventory"
	"ams.internal/services/planning/engine"
)

// A building that is appraised has a system that costs, with three assets of which two cost, and a fourth asset that is gone.
func TestEachCostCountsOnce(t *testing.T) {
	amount := func(cents int64) *inventory.Cents { c := inventory.Cents(cents); return &c }
	all := &inventoryLines{places: map[string]*inventory.Line{"p": {Type: "site", ID: "p", Counts: true, Found: amount(31)}},
		elements: []inventory.Line{
			{Type: "building", ID: "b", Counts: true, SiteID: "p", Cost: amount(1_000_00), Found: amount(10)},
			{Type: "system", ID: "s", Counts: true, SiteID: "p", BuildingID: "b", Cost: amount(400_00), Typed: amount(70_00)},
			{Type: "asset", ID: "1", Counts: true, SiteID: "p", BuildingID: "b", SystemID: "s", Cost: amount(100_00), Typed: amount(5_00)},
			{Type: "asset", ID: "2", Counts: true, SiteID: "p", BuildingID: "b", SystemID: "s", Cost: amount(200_00)},
			{Type: "asset", ID: "3", Counts: true, SiteID: "p", BuildingID: "b", SystemID: "s"},
			{Type: "asset", ID: "4", SiteID: "p", BuildingID: "b", SystemID: "s", Cost: amount(300_00)},
		}}
	values := make([]engine.Cents, len(all.elements))
	for i := range all.elements {
		values[i], _ = valueOf(&all.elements[i], nil)
	}
	for basis, want := range map[string]struct {
		covered  [6]bool
		deferred [6]engine.Cents
	}{
		// 70.00 of the system, 0.10 of the building and 0.31 of the site by 1 : 2, the odd cents by the largest remainder
		"parts": {[6]bool{true, true}, [6]engine.Cents{0, 0, 23_33 + 3 + 10, 46_67 + 7 + 21}},
		"whole": {[6]bool{false, true, true, true, true, true}, [6]engine.Cents{70_00 + 10 + 31}},
	} {
		l := newLevels(all, values, basis)
		total := l.lost
		for i := range all.elements {
			total += l.deferred[i]
			if l.covered[i] != want.covered[i] || l.deferred[i] != want.deferred[i] {
				t.Errorf("%s: %s %s is covered %v with %d deferred, want %v and %d", basis, all.elements[i].Type, all.elements[i].ID, l.covered[i],
					l.deferred[i], want.covered[i], want.deferred[i])
			}
		}
		if total != 70_41 || l.lost != 0 {
			t.Errorf("%s: %d cents are borne or lost (%d), want 7041", basis, total, l.lost)
		}
	}
}
