package planning

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/fault"
	"ams.internal/libs/transport"
	"ams.internal/services/planning/engine"
)

// The tables of O. Reg. 588/17 (Asset Management Planning for Municipal Infrastructure), sections 5 and 6, as far as they follow from a
// run. What only people can write is null. The table of section 5 (2) 3, what there is, is the report on the state of infrastructure.

// regulationYears is the period of the plan: sections 5 (2) 4 and 6 (1) 4 ask for the 10 years following the year of the current levels.
const regulationYears = 10

// RegulationRequest asks for the tables of a section.
type RegulationRequest struct {
	ID       string  `path:"id" format:"uuid" doc:"The run."`
	Section  int     `query:"section" default:"5" minimum:"5" maximum:"6" doc:"5: current levels of service. 6: proposed levels of service."`
	Current  string  `query:"current" doc:"Code of the scenario that keeps the current levels; needed for section 5."`
	Proposed string  `query:"proposed" doc:"Code of the scenario that gives the proposed levels; needed for section 6."`
	Funded   *string `query:"funded" doc:"Code of the scenario with the money that is there, which is of the kind budget; needed for section 6."`
	Table    string  `query:"table" default:"years" enum:"years,first_year,categories,reconciliation,options,funds,totals,not_done" doc:"Which of the tables is shown as CSV or Parquet. JSON has them all."`
}

// Regulation is the tables of a section.
type Regulation struct {
	Section    int                  `json:"section" doc:"Of O. Reg. 588/17." example:"5"`
	Scenario   string               `json:"scenario" doc:"Code of the scenario of the levels." example:"SCN-0003"`
	Currency   string               `json:"currency" doc:"Of all amounts." example:"CAD"`
	LevelsOf   int                  `json:"levels_of" doc:"The year whose levels are the current ones: the first of the run." example:"2027"`
	From       int                  `json:"from" doc:"First of the 10 years that years, options, totals and not_done are about: the one after levels_of." example:"2028"`
	To         int                  `json:"to" doc:"Last of them." example:"2037"`
	AsOf       string               `json:"as_of" format:"date" doc:"The day on which the run's inventory was read: what there is in categories." example:"2026-11-27"`
	PricesOf   int                  `json:"prices_of" unit:"year" doc:"The year whose prices costs in categories are in: the first of the run." example:"2027"`
	Categories []RegulationCategory `json:"categories" doc:"What the run calculates with, by the service category of its asset classes, and what becomes of its level. The table of s. 5 (2) 3 is another: statutory_table."`

	StatutoryTable *StatutoryTable            `json:"statutory_table" doc:"Where the table of s. 5 (2) 3 stands, which has all that the organization has; null of an inventory that was read before 2026-12."`
	Reconciliation []RegulationReconciliation `json:"reconciliation" doc:"From the replacement cost of each service category in the table of s. 5 (2) 3 to that in categories; empty without statutory_table."`

	Years      []RegulationYear    `json:"years" doc:"s. 5 (2) 4, s. 6 (1) 4: lifecycle activities and their costs, by service category and year, from to to."`
	FirstYear  []RegulationYear    `json:"first_year" doc:"The same in the year levels_of, which is none of the 10: what is done at once stands here alone."`
	Options    []RegulationOption  `json:"options" doc:"The options that were looked at: all scenarios of the run, and which is the cheapest that keeps the levels."`
	Funds      []RegulationFund    `json:"funds" doc:"s. 6 (1) 4: the money that is there, by source and year; empty for section 5."`
	Totals     []RegulationTotal   `json:"totals" doc:"s. 6 (1) 4: cost, money and shortfall of each of the 10 years, over all categories; empty for section 5."`
	NotDone    []RegulationNotDone `json:"not_done" doc:"s. 6 (1) 4 iv: what is not undertaken with the money that is there, by service category and risk."`
	Population *string             `json:"population_and_economic_growth" doc:"Only people can write it: null."`
	Assumed    *string             `json:"assumptions" doc:"Only people can write it: null."`

	table string // of those above, as CSV
}

// RegulationCategory is a service category at the start.
type RegulationCategory struct {
	Category            string   `json:"category" doc:"The service category." example:"roads"`
	Elements            int      `json:"elements" doc:"How many are calculated." example:"240"`
	ReplacementCost     float64  `json:"replacement_cost" decimals:"2" doc:"In the prices of the first year." example:"52000000.00"`
	AverageAgeYears     *float64 `json:"average_age_years" unit:"year" doc:"On the first day of the run, by replacement cost, of those whose installation is known." example:"21.4"`
	AvgCondition        *float64 `json:"avg_condition" unit:"point" doc:"By replacement cost, as found. It is the level that is to be kept." example:"58.20"`
	LowestCondition     *float64 `json:"lowest_condition" unit:"point" doc:"The lowest in the 10 years, in the scenario of the levels." example:"55.10"`
	LowestYear          *int     `json:"lowest_year" doc:"The year of it; the first of several." example:"2031"`
	KeepsLevel          bool     `json:"keeps_level" doc:"Whether the condition is in none of the 10 years below what was found." example:"false"`
	CouldBeTreated      *bool    `json:"could_be_treated" doc:"Where the level is not kept: whether, up to the year of the lowest, a treatment was possible for anything of the category and was not chosen." example:"true"`
	RatedPct            *float64 `json:"rated_pct" unit:"percent" doc:"Part of the replacement cost whose condition somebody has rated." example:"83.5"`
	ConditionApproach   *string  `json:"condition_approach" doc:"How the condition is assessed: of its classes."`
	ConditionApproachFr *string  `json:"condition_approach_fr" doc:"The same in French."`
}

// RegulationYear is a service category in a year.
type RegulationYear struct {
	Category       string   `json:"category" doc:"The service category." example:"roads"`
	Year           int      `json:"year" doc:"The calendar year." example:"2028"`
	Maintenance    float64  `json:"maintenance" decimals:"2" doc:"Cost of maintenance." example:"120000.00"`
	Rehabilitation float64  `json:"rehabilitation" decimals:"2" doc:"Cost of rehabilitation." example:"850000.00"`
	Replacement    float64  `json:"replacement" decimals:"2" doc:"Cost of replacement." example:"400000.00"`
	Cost           float64  `json:"cost" decimals:"2" doc:"Of all lifecycle activities." example:"1370000.00"`
	Given          *float64 `json:"given" decimals:"2" doc:"Section 6: what the scenario with the money that is there spends on the category. What is there is for all categories: totals." example:"1000000.00"`
	Interventions  int      `json:"interventions" doc:"How many elements are treated." example:"14"`
	AvgCondition   *float64 `json:"avg_condition" unit:"point" doc:"At the end." example:"57.90"`
}

// RegulationOption is a scenario as an option.
type RegulationOption struct {
	Scenario      string   `json:"scenario" doc:"Its code." example:"SCN-0003"`
	Name          string   `json:"name" doc:"Its name." example:"Maintenir le niveau"`
	Cost          float64  `json:"cost" decimals:"2" doc:"Of the 10 years." example:"12500000.00"`
	FirstYearCost float64  `json:"first_year_cost" decimals:"2" doc:"Of the year before them, whose levels are the current ones: what is done at once." example:"1200000.00"`
	AvgCondition  *float64 `json:"avg_condition" unit:"point" doc:"After 10 years." example:"58.30"`
	HighRisk      int      `json:"high_risk_elements" doc:"How many elements have a high or very high risk after 10 years." example:"12"`
	KeepsOverall  bool     `json:"keeps_overall" doc:"Whether the condition of everything together is in none of the 10 years below what was found at the start." example:"true"`
	KeepsLevels   bool     `json:"keeps_levels" doc:"Whether the condition of each service category is in none of the 10 years below what was found at the start." example:"true"`
	Cheapest      bool     `json:"cheapest_that_keeps" doc:"Whether it is the cheapest of those that keep the levels, the first year included." example:"true"`
}

// RegulationFund is money of one source in a year.
type RegulationFund struct {
	Fund       string  `json:"fund" doc:"Its code in the scenario." example:"levy"`
	SourceType string  `json:"source_type" doc:"Where it comes from." example:"levy"`
	Year       int     `json:"year" doc:"The calendar year." example:"2028"`
	Amount     float64 `json:"amount" decimals:"2" doc:"What comes in this year." example:"400000.00"`
	Carried    float64 `json:"carried" decimals:"2" doc:"What the year before left of it, where the fund carries over." example:"400000.00"`
	Available  float64 `json:"available" decimals:"2" doc:"Both." example:"800000.00"`
	Spent      float64 `json:"spent" decimals:"2" doc:"What the scenario with this money spends of it." example:"0.00"`
}

// RegulationTotal is a year over all categories.
type RegulationTotal struct {
	Year      int     `json:"year" doc:"The calendar year." example:"2029"`
	Cost      float64 `json:"cost" decimals:"2" doc:"Of the lifecycle activities of the proposed levels." example:"1000000.00"`
	Funding   float64 `json:"funding" decimals:"2" doc:"The money that comes in this year, of all sources." example:"400000.00"`
	Carried   float64 `json:"carried" decimals:"2" doc:"What earlier years have left." example:"0.00"`
	Shortfall float64 `json:"shortfall" decimals:"2" doc:"What of the cost no money that is there may pay, never below 0. A source that is for certain classes, categories or kinds counts for these alone." example:"600000.00"`
}

// RegulationNotDone is what is not undertaken.
type RegulationNotDone struct {
	Category string  `json:"category" doc:"The service category." example:"roads"`
	Risk     string  `json:"risk" doc:"very_low to very_high, after 10 years with the money that is there." example:"high"`
	Elements int     `json:"elements" doc:"How many elements that the proposed levels treat and the money does not." example:"5"`
	Cost     float64 `json:"cost" decimals:"2" doc:"What treating them was to cost." example:"960000.00"`
}

// Table is one of the tables, which a plan's appendix is made of: that of the years unless another one was asked for.
func (r Regulation) Table() transport.Table {
	switch r.table {
	case "first_year":
		return transport.TableOf(r.FirstYear)
	case "categories":
		return transport.TableOf(r.Categories)
	case "reconciliation":
		return transport.TableOf(r.Reconciliation)
	case "options":
		return transport.TableOf(r.Options)
	case "funds":
		return transport.TableOf(r.Funds)
	case "totals":
		return transport.TableOf(r.Totals)
	case "not_done":
		return transport.TableOf(r.NotDone)
	}
	return transport.TableOf(r.Years)
}

func (p *planning) mountRegulation() {
	transport.Get(p.registry.API, transport.Operation{Path: runPath + "/regulation", ID: "get_planning_run_regulation", Scope: "planning:read",
		Feature: "planning", FromReplica: true, Summary: "Get the tables of O. Reg. 588/17, section 5 or 6, of a run",
		Description: "As JSON; as CSV or Parquet one table, by service category and year unless table says another. The plan's 10 years " +
			"follow the run's first year, whose levels are the current ones; what is done in that year stands apart. " +
			"The scenarios must have at least 11 years. 409 until the run is completed."}, p.regulation)
}

// levels is the code of the scenario of the levels, and the field that it stands in.
func (in *RegulationRequest) levels() (wanted, field string, err error) {
	wanted, field = in.Current, "current"
	if in.Section == 6 {
		wanted, field = in.Proposed, "proposed"
		if in.Funded == nil {
			return "", "", fault.InvalidFields(fault.Field{Field: "funded",
				Message: "is needed for section 6: the code of the scenario with the money that is there"})
		}
	}
	if wanted == "" {
		return "", "", fault.InvalidFields(fault.Field{Field: field,
			Message: fmt.Sprintf("is needed for section %d: the code of a scenario of the run", in.Section)})
	}
	return wanted, field, nil
}

// regulationRows are the rows of a category: of the year of the current levels, and of the 10 years after it.
type regulationRows [regulationYears + 1]RegulationYear

// treated is what a scenario does in the years of the regulation.
type treated struct {
	years  map[string]*regulationRows // by category
	costs  [][]engine.Cents           // by year from the first on, what each class's treatments of each kind cost: class × kinds
	done   []bool                     // of the elements: whether anything is done in the 10 years
	cost   []engine.Cents             // of them
	risk   []int                      // after the last year
	levels serviceLevels
}

func (p *planning) regulation(ctx context.Context, in RegulationRequest) (out Regulation, err error) {
	out = Regulation{Section: in.Section, Currency: currencyOf(ctx), Categories: []RegulationCategory{}, Years: []RegulationYear{},
		FirstYear: []RegulationYear{}, Options: []RegulationOption{}, Funds: []RegulationFund{}, Totals: []RegulationTotal{},
		NotDone: []RegulationNotDone{}, table: in.Table}
	err = p.readInTurn(ctx, func(ctx context.Context, tx pgx.Tx) error {
		r, err := resultOf(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		wanted, field, err := in.levels()
		if err != nil {
			return err
		}
		n, err := r.scenarioOf(field, wanted)
		if err != nil {
			return err
		}
		m, proposed, err := p.treatedBy(ctx, tx, r, n)
		if err != nil {
			return err
		}
		out.Scenario, out.LevelsOf, out.From, out.To = scenarioCode(m.of), m.input.Start, m.input.Start+1, m.input.Start+regulationYears
		if err := tx.QueryRow(ctx, "SELECT as_of::text FROM inventory WHERE organization_id = current_organization() AND id = $1",
			r.inventory).Scan(&out.AsOf); err != nil {
			return err
		}
		out.PricesOf, out.Categories = m.input.Start, m.regulationCategories(proposed.levels)
		out.StatutoryTable, out.Reconciliation = m.statutory(out.AsOf)
		known := map[int]*treated{n: proposed}
		if in.Section == 6 {
			if err := p.fund(ctx, tx, r, *in.Funded, m, proposed, known, &out); err != nil {
				return err
			}
		}
		for _, category := range slices.Sorted(maps.Keys(proposed.years)) {
			rows := proposed.years[category]
			out.FirstYear, out.Years = append(out.FirstYear, rows[0]), append(out.Years, rows[1:]...)
		}
		out.Options, err = p.options(ctx, tx, r, known)
		return err
	})
	return out, err
}

// treatedBy adds up what a scenario does by category and year.
func (p *planning) treatedBy(ctx context.Context, tx pgx.Tx, r *result, n int) (*assembled, *treated, error) {
	sc := &r.definitions.Scenarios[n]
	if sc.Years < regulationYears+1 {
		return nil, nil, fault.Conflict("too_short", "years", sc.Years,
			"Scenario %s has %d years; the tables need the first year and the 10 after it.", scenarioCode(sc), sc.Years)
	}
	m, err := p.assemble(ctx, tx, r, n)
	if err != nil {
		return nil, nil, err
	}
	t := &treated{map[string]*regulationRows{}, make([][]engine.Cents, regulationYears+1),
		make([]bool, len(m.lines)), make([]engine.Cents, len(m.lines)), make([]int, len(m.lines)), m.serviceLevelsFound()}
	for year := range t.costs {
		t.costs[year] = make([]engine.Cents, len(m.classes)*len(kinds))
	}
	err = blocksOf(ctx, tx, r.run, n, len(m.lines), func(from int, years [][]engine.Outcome) error {
		for year := range regulationYears + 1 {
			for at := range years[year] {
				t.add(m, from+at, year, &years[year][at])
			}
		}
		return nil
	})
	for category, rows := range t.years {
		for year := range rows {
			rows[year].AvgCondition = t.levels[category].years[year].condition()
		}
	}
	return m, t, err
}

// add adds what became of an element in a year, the first of which is that of the current levels.
func (t *treated) add(m *assembled, i, year int, o *engine.Outcome) {
	class := m.input.Elements[i].Class
	category := m.classes[class].ServiceCategory
	t.levels.add(category, year, m.input.ValueIn(i, year), o)
	rows := t.years[category]
	if rows == nil {
		rows = &regulationRows{}
		for n := range rows {
			rows[n] = RegulationYear{Category: category, Year: m.input.Start + n}
		}
		t.years[category] = rows
	}
	t.risk[i] = o.Risk
	if o.Treatment == engine.NoTreatment {
		return
	}
	kind, _ := m.group(i, "kind", o)
	rows[year].spend(kind, dollars(o.Cost))
	t.costs[year][class*len(kinds)+slices.Index(kinds, kind)] += o.Cost
	if year > 0 {
		t.done[i], t.cost[i] = true, t.cost[i]+o.Cost
	}
}

func (y *RegulationYear) spend(kind string, cost float64) {
	y.Interventions++
	y.Cost = rounded(y.Cost + cost)
	of := map[string]*float64{"maintenance": &y.Maintenance, "rehabilitation": &y.Rehabilitation, "replacement": &y.Replacement}[kind]
	*of = rounded(*of + cost)
}

// regulationCategories are what there is at the start, and what becomes of its level.
func (m *assembled) regulationCategories(levels serviceLevels) []RegulationCategory {
	type tally struct {
		RegulationCategory
		value, aged, rated engine.Cents
		ages               float64
		approaches         [2][]string
	}
	tallies := map[string]*tally{}
	for i, line := range m.lines {
		class := m.classes[m.input.Elements[i].Class]
		t := tallies[class.ServiceCategory]
		if t == nil {
			t = &tally{RegulationCategory: RegulationCategory{Category: class.ServiceCategory}}
			tallies[class.ServiceCategory] = t
		}
		value := m.input.ValueIn(i, 0)
		t.Elements++
		t.value += value
		if day, err := time.Parse(time.DateOnly, line.Installed); err == nil {
			t.aged += value
			t.ages += float64(value) * float64(engine.AgeAt(day, m.startsOn))
		}
		if line.Rating > 0 {
			t.rated += value
		}
		for n, approach := range []*string{class.ConditionApproach, class.ConditionApproachFr} {
			if approach != nil && !slices.Contains(t.approaches[n], *approach) {
				t.approaches[n] = append(t.approaches[n], *approach)
			}
		}
	}
	list := []RegulationCategory{}
	for _, category := range slices.Sorted(maps.Keys(tallies)) {
		t := tallies[category]
		t.ReplacementCost, t.RatedPct = dollars(t.value), pct(t.rated, t.value)
		if t.aged > 0 {
			age := math.Round(t.ages/float64(t.aged)/10) / 10
			t.AverageAgeYears = &age
		}
		t.ConditionApproach, t.ConditionApproachFr = given(strings.Join(t.approaches[0], "\n")), given(strings.Join(t.approaches[1], "\n"))
		levels[category].fill(&t.RegulationCategory, m.input.Start)
		list = append(list, t.RegulationCategory)
	}
	return list
}

// notDone is what the levels treat and the money does not, by category and by the risk that it has then.
func (m *assembled) notDone(levels *treated, other *assembled, money *treated) []RegulationNotDone {
	done, risk := map[string]bool{}, map[string]int{}
	for i, line := range other.lines {
		done[line.ID], risk[line.ID] = money.done[i], money.risk[i]
	}
	rows := map[string]*RegulationNotDone{}
	for i, line := range m.lines {
		if !levels.done[i] || done[line.ID] {
			continue
		}
		category, level := m.classes[m.input.Elements[i].Class].ServiceCategory, indicators.RiskLevelOf(max(1, risk[line.ID]))
		key := category + " " + fmt.Sprint(len(indicators.RiskLevels)-slices.Index(indicators.RiskLevels, level)) // the highest risk first
		if rows[key] == nil {
			rows[key] = &RegulationNotDone{Category: category, Risk: level}
		}
		rows[key].Elements++
		rows[key].Cost = rounded(rows[key].Cost + dollars(levels.cost[i]))
	}
	list := []RegulationNotDone{}
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		list = append(list, *rows[key])
	}
	return list
}
