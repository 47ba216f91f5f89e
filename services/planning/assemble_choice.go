package planning

import (
	"maps"
	"math"
	"slices"

	"ams.internal/services/planning/engine"
)

// noCap is the cap of a year that has none.
const noCap engine.Cents = math.MaxInt64 / 4

// choose is how the scenario chooses.
func (m *assembled) choose(a *assembly, sc *Scenario) {
	s := &m.scenario
	s.Unweighted, s.BenefitYears, s.MinRatio = sc.Weight == "none", sc.BenefitYears, sc.MinRatio
	s.DeferredGrowth = int64(math.Floor(sc.DeferredGrowthPct*1000 + 0.5))
	s.Objective = map[string]engine.Objective{"condition": engine.ByCondition, "risk": engine.ByRisk,
		"worst_first": engine.WorstFirst}[sc.Objective]
	s.Seed = uint64(valueOr(sc.Seed, 0)) // not negative
	switch sc.Kind {
	case "unlimited":
		s.Selection = engine.Unlimited
	case "keep_level", "reach_target":
		s.Selection, s.Aim = engine.Target, m.aim(sc)
	default:
		s.Selection = engine.Budget // of do_nothing without funds
	}
	for _, f := range sc.Funds {
		fund := engine.Fund{Scope: m.scope(f.Eligible, nil), CarryOver: valueOr(f.CarryOver, false), Amounts: make([]engine.Cents, sc.Years)}
		last, growth := -1, 1+valueOr(f.GrowthPct, 0)/100
		for year := range sc.Years {
			if at := slices.IndexFunc(f.Amounts, func(y YearAmount) bool { return y.Year == m.input.Start+year }); at >= 0 {
				fund.Amounts[year], last = cents(f.Amounts[at].Amount), year
			} else if last >= 0 && f.GrowthPct != nil {
				fund.Amounts[year] = engine.Cents(math.Floor(float64(fund.Amounts[year-1])*growth + 0.5))
			}
		}
		s.Funds = append(s.Funds, fund)
	}
	for _, c := range sc.Caps {
		limit := engine.Cap{Scope: m.scope(c.Eligible, c.SiteIDs), Amounts: slices.Repeat([]engine.Cents{noCap}, sc.Years)}
		for _, y := range c.Amounts {
			limit.Amounts[y.Year-m.input.Start] = cents(y.Amount)
		}
		s.Caps = append(s.Caps, limit)
	}
	m.decide(a, sc)
}

// decide adds what somebody has decided: the scenario's overrides, and before them what approved projects do.
func (m *assembled) decide(a *assembly, sc *Scenario) {
	if len(sc.Overrides)+len(a.definitions.Committed) == 0 {
		return
	}
	numbers := map[string]int{}
	for i, line := range m.lines {
		numbers[line.ID] = i
	}
	m.scenario.Overrides = map[engine.Place]int{}
	set := func(element string, year int, treatment int) {
		if i, known := numbers[element]; known && year >= m.input.Start && year < m.input.Start+sc.Years {
			m.scenario.Overrides[engine.Place{Element: i, Year: year - m.input.Start}] = treatment
		}
	}
	number := func(element string, id string) (int, bool) {
		i, known := numbers[element]
		if !known {
			return 0, false
		}
		n := slices.IndexFunc(m.treatments[m.input.Elements[i].Class], func(t *Treatment) bool { return t.ID == id })
		return n, n >= 0
	}
	for _, c := range a.definitions.Committed {
		if c.TreatmentID == nil {
			set(c.ElementID, c.Year, engine.CatchUp)
		} else if n, known := number(c.ElementID, *c.TreatmentID); known {
			set(c.ElementID, c.Year, n)
		}
	}
	for _, o := range sc.Overrides {
		if o.TreatmentID == nil {
			set(o.ElementID, o.Year, engine.NoTreatment)
		} else if n, known := number(o.ElementID, *o.TreatmentID); known {
			set(o.ElementID, o.Year, n)
		}
	}
}

// scope is of which elements and kinds a fund or a cap is.
func (m *assembled) scope(of Eligible, sites []string) (scope engine.Scope) {
	if len(of.ClassIDs)+len(of.Categories) > 0 {
		scope.Classes = make([]bool, len(m.classes))
		for i, class := range m.classes {
			scope.Classes[i] = (len(of.ClassIDs) == 0 || slices.Contains(of.ClassIDs, class.ID)) &&
				(len(of.Categories) == 0 || slices.Contains(of.Categories, class.ServiceCategory))
		}
	}
	if len(sites) > 0 {
		scope.Sites = make([]bool, len(m.sites))
		for i, site := range m.sites {
			scope.Sites[i] = slices.Contains(sites, site)
		}
	}
	if len(of.Kinds) > 0 {
		scope.Kinds = make([]bool, len(kinds))
		for i, kind := range kinds {
			scope.Kinds[i] = slices.Contains(of.Kinds, kind)
		}
	}
	return scope
}

// aim is the level to keep or to reach, for each group of its scope.
func (m *assembled) aim(sc *Scenario) *engine.Aim {
	t := sc.Target
	aim := &engine.Aim{Keep: sc.Kind == "keep_level", Value: int64(math.Floor(valueOr(t.Value, 0)*1000 + 0.5)), Years: valueOr(t.InYears, 1),
		Groups: make([]int, len(m.classes))}
	aim.Metric = map[string]engine.Metric{"avg_condition": engine.AverageCondition, "fci_pct": engine.FCI, "poor_pct": engine.Poor}[t.Metric]
	var names []string
	for i := range m.classes {
		name := m.groupOf(i)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		aim.Groups[i] = slices.Index(names, name)
	}
	return aim
}

// groupOf names the group that a class is in by the scope of the scenario's target.
func (m *assembled) groupOf(class int) string {
	switch valueOr(m.of.Target.Scope, "all") {
	case "category":
		return m.classes[class].ServiceCategory
	case "class":
		return codeOf(m.classes[class])
	}
	return "all"
}

// countElements are the elements of an inventory on the basis parts, by type, class and reason.
func countElements(c *definitions, all *inventoryLines) []InventoryCount {
	a := newAssembly(c, all)
	m := a.scenario(everything)
	type key struct{ elementType, class, reason string }
	counts := map[key]*InventoryCount{}
	add := func(elementType string, class *AssetClass, reason string, value engine.Cents) {
		k := key{elementType, "", reason}
		if class != nil {
			k.class = codeOf(class)
		}
		if counts[k] == nil {
			counts[k] = &InventoryCount{ElementType: elementType}
			if class != nil {
				counts[k].ClassCode = &k.class
			}
			if reason != "" {
				counts[k].LeftOut = &k.reason
			}
		}
		counts[k].Elements++
		counts[k].Value += float64(value)
	}
	for i, line := range m.lines {
		add(line.Type, m.classes[m.input.Elements[i].Class], "", m.input.Elements[i].Value)
	}
	for _, l := range m.leftOut {
		add(l.line.Type, l.class, l.reason, l.value)
	}
	list := []InventoryCount{}
	for _, k := range slices.SortedFunc(maps.Keys(counts), func(a, b key) int {
		return slices.Compare([]string{a.elementType, a.class, a.reason}, []string{b.elementType, b.class, b.reason})
	}) {
		one := *counts[k]
		one.Value = math.Round(one.Value) / 100
		list = append(list, one)
	}
	return list
}
