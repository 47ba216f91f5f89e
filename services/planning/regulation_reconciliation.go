package planning

import (
	"maps"
	"slices"

	"ams.internal/services/planning/engine"
)

// The table of O. Reg. 588/17, section 5 (2) 3, is the report on the state of infrastructure: it has everything that the organization
// has, by the service that it helps to provide. A run calculates with what has a class, a cost and an age or a condition, by the categories
// of its classes and in the prices of its first year. The reconciliation goes from one to the other.

// StatutoryTable is where the table of s. 5 (2) 3 stands.
type StatutoryTable struct {
	Operation       string  `json:"operation" doc:"What gives it." example:"GET /v1/reports/state-of-infrastructure"`
	AsOf            string  `json:"as_of" format:"date" doc:"The day on which the run's inventory was read, and the report with it." example:"2026-11-27"`
	PricesOf        int     `json:"prices_of" unit:"year" doc:"The year whose prices it is in." example:"2026"`
	ReplacementCost float64 `json:"replacement_cost" decimals:"2" doc:"In all, on that day." example:"9289491.50"`
}

// RegulationReconciliation goes from the replacement cost of a service category in the table of s. 5 (2) 3 to that in categories:
// calculated is reported and all between them.
type RegulationReconciliation struct {
	Category      string  `json:"category" doc:"The service category." example:"roads"`
	Reported      float64 `json:"reported" decimals:"2" doc:"Its replacement cost in the table of s. 5 (2) 3." example:"9289491.50"`
	Restated      float64 `json:"restated" decimals:"2" doc:"Back to the costs as they are recorded: what price indexes add to them in that table, with the other sign." example:"-389491.50"`
	Outside       float64 `json:"outside" decimals:"2" doc:"What the filter of the scenario leaves out, negative." example:"0.00"`
	LeftOut       float64 `json:"left_out" decimals:"2" doc:"What is not calculated for want of a class, a life, or an age or condition, negative. The inventory's counts say why." example:"-1200000.00"`
	OtherLevel    float64 `json:"other_level" decimals:"2" doc:"Parts that are calculated in place of the building or system that has a cost, less the cost of that; or the reverse." example:"350000.00"`
	ByUnitCost    float64 `json:"by_unit_cost" decimals:"2" doc:"What has no cost of its own and is calculated with the unit cost of its class." example:"4100000.00"`
	OtherCategory float64 `json:"other_category" decimals:"2" doc:"What its class has in another category than that of its service, here in or out; 0 over all categories." example:"0.00"`
	Prices        float64 `json:"prices" decimals:"2" doc:"To the prices of the run's first year." example:"1638593.39"`
	Calculated    float64 `json:"calculated" decimals:"2" doc:"The replacement cost in categories." example:"13788593.39"`
}

// reconciliation is in cents until it is shown.
type reconciliation struct {
	reported, recorded, outside, leftOut, otherLevel, byUnitCost, otherCategory, prices, calculated engine.Cents
}

// statutory gives the table of s. 5 (2) 3 as it was when the inventory was read, and the reconciliation with it; nil of an inventory of a
// former release, which was read without it.
func (m *assembled) statutory(asOf string) (*StatutoryTable, []RegulationReconciliation) {
	categories := map[string]*reconciliation{}
	of := func(category string) *reconciliation {
		if categories[category] == nil {
			categories[category] = &reconciliation{}
		}
		return categories[category]
	}
	table := &StatutoryTable{Operation: "GET /v1/reports/state-of-infrastructure", AsOf: asOf}
	total := engine.Cents(0)
	for _, line := range m.all.places {
		if line.Type == "reported" && line.Cost != nil {
			table.PricesOf = line.PricesOf
			of(line.ServiceCategory).reported += engine.Cents(*line.Cost)
			total += engine.Cents(*line.Cost)
		}
	}
	if table.PricesOf == 0 {
		return nil, []RegulationReconciliation{}
	}
	table.ReplacementCost = dollars(total)
	m.reconcile(of)
	rows := []RegulationReconciliation{}
	for _, category := range slices.Sorted(maps.Keys(categories)) {
		c := categories[category]
		if *c != (reconciliation{}) {
			rows = append(rows, RegulationReconciliation{category, dollars(c.reported), dollars(c.recorded - c.reported), dollars(-c.outside),
				dollars(-c.leftOut), dollars(c.otherLevel), dollars(c.byUnitCost), dollars(c.otherCategory), dollars(c.prices), dollars(c.calculated)})
		}
	}
	return table, rows
}

// reconcile adds up what each line of the inventory is worth in the table, as recorded, and in the run.
func (m *assembled) reconcile(of func(category string) *reconciliation) {
	calculated, leftOut := 0, 0 // how many of each were met: they are in the order of the inventory
	for i := range m.all.elements {
		line := &m.all.elements[i]
		recorded := m.levels.reported(i)
		here := of(line.ServiceCategory)
		here.recorded += recorded
		switch {
		case calculated < len(m.lines) && m.lines[calculated] == line:
			e := &m.input.Elements[calculated]
			target, now := of(m.classes[e.Class].ServiceCategory), m.input.ValueIn(calculated, 0)
			here.otherCategory -= recorded
			target.otherCategory += recorded
			if line.Cost == nil {
				target.byUnitCost += e.Value
			} else {
				target.otherLevel += e.Value - recorded
			}
			target.prices += now - e.Value
			target.calculated += now
			calculated++
		case leftOut < len(m.leftOut) && m.leftOut[leftOut].line == line:
			if m.leftOut[leftOut].reason == leftCovered {
				here.otherLevel -= recorded
			} else {
				here.leftOut += recorded
			}
			leftOut++
		default:
			here.outside += recorded
		}
	}
}

// reported is what the report on the state of infrastructure counts an element for, as recorded: its own cost, unless the building or the
// system that it is in has one.
func (l *levels) reported(i int) engine.Cents {
	own := func(i int) engine.Cents {
		if !l.counts(i) || l.lines[i].Cost == nil {
			return 0
		}
		return engine.Cents(*l.lines[i].Cost)
	}
	if own(l.building[i]) > 0 || own(l.system[i]) > 0 {
		return 0
	}
	return own(i)
}
