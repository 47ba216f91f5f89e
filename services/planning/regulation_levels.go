package planning

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/services/planning/engine"
)

// serviceLevels are the levels of service in a scenario, by service category and, under overall, of all together.
type serviceLevels map[string]*serviceLevel

// overall is the key of all service categories together.
const overall = ""

// serviceLevel is a condition by value: as found, and after the treatments of each year, the first of which is that of the current levels.
type serviceLevel struct {
	found sums
	years [regulationYears + 1]sums
	left  [regulationYears + 1]bool // whether a treatment was possible for anything and was not chosen
}

// serviceLevelsFound begins with what is found.
func (m *assembled) serviceLevelsFound() serviceLevels {
	all := serviceLevels{overall: {}}
	for i := range m.lines {
		category := m.classes[m.input.Elements[i].Class].ServiceCategory
		if all[category] == nil {
			all[category] = &serviceLevel{}
		}
		for _, c := range []*serviceLevel{all[overall], all[category]} {
			c.found.addCondition(m.input.ValueIn(i, 0), m.input.Elements[i].Condition())
		}
	}
	return all
}

// add adds what became of an element in a year.
func (all serviceLevels) add(category string, year int, value engine.Cents, o *engine.Outcome) {
	for _, c := range []*serviceLevel{all[overall], all[category]} {
		c.years[year].addCondition(value, o.After)
		switch o.Reason {
		case engine.FundedLesser, engine.NoFunds, engine.Capped, engine.NotWorth, engine.TargetMet, engine.Dropped:
			c.left[year] = true
		}
	}
}

// lowest is the lowest condition in the 10 years and the first year that has it, counted from that of the current levels; nil and 0 without
// value.
func (c *serviceLevel) lowest() (condition *float64, year int) {
	for n := 1; n <= regulationYears; n++ {
		if now := c.years[n].condition(); now != nil && (condition == nil || *now < *condition) {
			condition, year = now, n
		}
	}
	return condition, year
}

// keeps says whether the condition is in none of the 10 years below what was found, to the hundredths that are shown. What has no value
// has no level to lose.
func (c *serviceLevel) keeps() bool {
	found := c.found.condition()
	lowest, _ := c.lowest()
	return found == nil || lowest == nil || *lowest >= *found
}

// keepEach says whether each service category keeps its level.
func (all serviceLevels) keepEach() bool {
	for category, c := range all {
		if category != overall && !c.keeps() {
			return false
		}
	}
	return true
}

// fill writes what becomes of its level into the row of a category.
func (c *serviceLevel) fill(row *RegulationCategory, start int) {
	condition, year := c.lowest()
	row.AvgCondition, row.LowestCondition, row.KeepsLevel = c.found.condition(), condition, c.keeps()
	if condition == nil {
		return
	}
	calendar := start + year
	row.LowestYear = &calendar
	if row.KeepsLevel {
		return
	}
	could := false
	for n := range year + 1 {
		could = could || c.left[n]
	}
	row.CouldBeTreated = &could
}

// options are all scenarios of the run. What some of them do is known already, by their numbers.
func (p *planning) options(ctx context.Context, tx pgx.Tx, r *result, known map[int]*treated) ([]RegulationOption, error) {
	options := []RegulationOption{}
	cheapest := -1
	for number := range r.definitions.Scenarios {
		s := &r.definitions.Scenarios[number]
		if s.Years < regulationYears+1 {
			continue
		}
		years, err := figuresOf(ctx, tx, r.run, number)
		if err != nil {
			return nil, err
		}
		t := known[number]
		if t == nil {
			if _, t, err = p.treatedBy(ctx, tx, r, number); err != nil {
				return nil, err
			}
		}
		o := RegulationOption{Scenario: scenarioCode(s), Name: s.Name, FirstYearCost: years[0].Spent,
			AvgCondition: years[regulationYears].AvgCondition, KeepsOverall: t.levels[overall].keeps(), KeepsLevels: t.levels.keepEach()}
		for _, y := range years[1 : regulationYears+1] {
			o.Cost = rounded(o.Cost + y.Spent)
		}
		for _, risk := range years[regulationYears].Risks {
			if risk.Level == "high" || risk.Level == "very_high" {
				o.HighRisk += risk.Elements
			}
		}
		options = append(options, o)
		if o.KeepsLevels && (cheapest < 0 || o.FirstYearCost+o.Cost < options[cheapest].FirstYearCost+options[cheapest].Cost) {
			cheapest = len(options) - 1
		}
	}
	if cheapest >= 0 {
		options[cheapest].Cheapest = true
	}
	return options, nil
}
