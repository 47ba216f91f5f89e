package planning

import (
	"cmp"
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

// The tables of O. Reg. 588/17 (Asset Management Planning for Municipal Infrastructure), sections 5 and 6, as far as they follow from a run.
// What only people can write is null.

// regulationYears is the period of the plan: sections 5 (2) 4 and 6 (1) 4 ask for the 10 years following the year of the current levels.
const regulationYears = 10

// RegulationRequest asks for the tables of a section.
type RegulationRequest struct {
	ID       string  `path:"id" format:"uuid" doc:"The run."`
	Section  int     `query:"section" default:"5" minimum:"5" maximum:"6" doc:"5: current levels of service. 6: proposed levels of service."`
	Current  string  `query:"current" doc:"Code of the scenario that keeps the current levels; needed for section 5."`
	Proposed string  `query:"proposed" doc:"Code of the scenario that gives the proposed levels; needed for section 6."`
	Funded   *string `query:"funded" doc:"Code of the scenario with the money that is there; needed for section 6."`
}

// Regulation is the tables of a section.
type Regulation struct {
	Section    int                  `json:"section" doc:"Of O. Reg. 588/17." example:"5"`
	Scenario   string               `json:"scenario" doc:"Code of the scenario of the levels." example:"SCN-0003"`
	Currency   string               `json:"currency" doc:"Of all amounts." example:"CAD"`
	Categories []RegulationCategory `json:"categories" doc:"s. 5 (2) 3: what there is, by service category."`
	Years      []RegulationYear     `json:"years" doc:"s. 5 (2) 4, s. 6 (1) 4: lifecycle activities and their costs, by service category and year."`
	Options    []RegulationOption   `json:"options" doc:"The options that were looked at: all scenarios of the run, and which is the cheapest that keeps the levels."`
	NotDone    []RegulationNotDone  `json:"not_done" doc:"s. 6 (1) 4 iv: what is not undertaken with the money that is there, by service category and risk."`
	Population *string              `json:"population_and_economic_growth" doc:"Only people can write it: null."`
	Assumed    *string              `json:"assumptions" doc:"Only people can write it: null."`
}

// RegulationCategory is a service category at the start.
type RegulationCategory struct {
	Category            string   `json:"category" doc:"The service category." example:"roads"`
	Elements            int      `json:"elements" doc:"s. 5 (2) 3 i: how many are calculated." example:"240"`
	ReplacementCost     float64  `json:"replacement_cost" decimals:"2" doc:"s. 5 (2) 3 ii, in the first year." example:"52000000.00"`
	AverageAgeYears     *float64 `json:"average_age_years" unit:"year" doc:"s. 5 (2) 3 iii: by replacement cost, of those whose installation is known." example:"21.4"`
	AvgCondition        *float64 `json:"avg_condition" unit:"point" doc:"s. 5 (2) 3 iv: by replacement cost, as found." example:"58.20"`
	RatedPct            *float64 `json:"rated_pct" unit:"percent" doc:"Part of the replacement cost whose condition somebody has rated." example:"83.5"`
	ConditionApproach   *string  `json:"condition_approach" doc:"s. 5 (2) 3 v: of its classes."`
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
	Funding        *float64 `json:"funding" decimals:"2" doc:"Section 6: what is spent with the money that is there." example:"1000000.00"`
	Shortfall      *float64 `json:"shortfall" decimals:"2" doc:"Section 6: cost less funding." example:"370000.00"`
	Interventions  int      `json:"interventions" doc:"How many elements are treated." example:"14"`
	AvgCondition   *float64 `json:"avg_condition" unit:"point" doc:"At the end." example:"57.90"`
}

// RegulationOption is a scenario as an option.
type RegulationOption struct {
	Scenario     string   `json:"scenario" doc:"Its code." example:"SCN-0003"`
	Name         string   `json:"name" doc:"Its name." example:"Maintenir le niveau"`
	Cost         float64  `json:"cost" decimals:"2" doc:"Of the first year and the 10 after it, so that what is done at once counts." example:"13700000.00"`
	AvgCondition *float64 `json:"avg_condition" unit:"point" doc:"After 10 years." example:"58.30"`
	HighRisk     int      `json:"high_risk_elements" doc:"How many elements have a high or very high risk after 10 years." example:"12"`
	Keeps        bool     `json:"keeps_levels" doc:"Whether the condition after 10 years is no worse than that of the scenario of the levels." example:"true"`
	Cheapest     bool     `json:"cheapest_that_keeps" doc:"Whether it is the cheapest of those." example:"true"`
}

// RegulationNotDone is what is not undertaken.
type RegulationNotDone struct {
	Category string  `json:"category" doc:"The service category." example:"roads"`
	Risk     string  `json:"risk" doc:"very_low to very_high, after 10 years with the money that is there." example:"high"`
	Elements int     `json:"elements" doc:"How many elements that the proposed levels treat and the money does not." example:"5"`
	Cost     float64 `json:"cost" decimals:"2" doc:"What treating them was to cost." example:"960000.00"`
}

// Table is the years as CSV, which is what a plan's appendix is made of.
func (r Regulation) Table() transport.Table { return transport.TableOf(r.Years) }

func (p *planning) mountRegulation() {
	transport.Get(p.registry.API, transport.Operation{Path: runPath + "/regulation", ID: "get_planning_run_regulation", Scope: "planning:read", Feature: "planning",
		FromReplica: true, Summary: "Get the tables of O. Reg. 588/17, section 5 or 6, of a run",
		Description: "As JSON; as CSV or Parquet the table by service category and year. The scenarios must have at least 11 years. 409 until the run is completed."}, p.regulation)
}

// levels is the code of the scenario of the levels.
func (in *RegulationRequest) levels() (string, error) {
	wanted, field := in.Current, "current"
	if in.Section == 6 {
		wanted, field = in.Proposed, "proposed"
		if in.Funded == nil {
			return "", fault.InvalidFields(fault.Field{Field: "funded", Message: "is needed for section 6: the code of the scenario with the money that is there"})
		}
	}
	if wanted == "" {
		return "", fault.InvalidFields(fault.Field{Field: field, Message: fmt.Sprintf("is needed for section %d: the code of a scenario of the run", in.Section)})
	}
	return wanted, nil
}

// treated is what a scenario does in the years of the regulation.
type treated struct {
	years map[[2]string]*RegulationYear // by category and year
	done  []bool                        // of the elements: whether anything is done
	cost  []engine.Cents
	risk  []int // after the last year
}

func (p *planning) regulation(ctx context.Context, in RegulationRequest) (out Regulation, err error) {
	out = Regulation{Section: in.Section, Currency: currencyOf(ctx), Categories: []RegulationCategory{}, Years: []RegulationYear{}, Options: []RegulationOption{}, NotDone: []RegulationNotDone{}}
	err = p.ask(ctx, func(ctx context.Context, tx pgx.Tx) error {
		r, err := resultOf(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		wanted, err := in.levels()
		if err != nil {
			return err
		}
		n, err := r.scenario(wanted)
		if err != nil {
			return err
		}
		m, levels, err := p.treatedBy(ctx, tx, r, n)
		if err != nil {
			return err
		}
		out.Scenario, out.Categories = scenarioCode(m.of), m.regulationCategories()
		if in.Section == 6 {
			funded, err := r.scenario(*in.Funded)
			if err != nil {
				return err
			}
			other, money, err := p.treatedBy(ctx, tx, r, funded)
			if err != nil {
				return err
			}
			levels.held(money)
			out.NotDone = m.notDone(levels, other, money)
		}
		for _, y := range levels.years {
			out.Years = append(out.Years, *y)
		}
		slices.SortFunc(out.Years, func(a, b RegulationYear) int {
			return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.Year, b.Year))
		})
		out.Options, err = r.options(ctx, tx, n)
		return err
	})
	return out, err
}

// treatedBy adds up what a scenario does by category and year.
func (p *planning) treatedBy(ctx context.Context, tx pgx.Tx, r *result, n int) (*assembled, *treated, error) {
	sc := &r.definitions.Scenarios[n]
	if sc.Years < regulationYears+1 {
		return nil, nil, fault.Conflict("too_short", "years", sc.Years, "Scenario %s has %d years; the tables need the first year and the 10 after it.", scenarioCode(sc), sc.Years)
	}
	m, err := p.assemble(ctx, tx, r, n)
	if err != nil {
		return nil, nil, err
	}
	t := &treated{map[[2]string]*RegulationYear{}, make([]bool, len(m.lines)), make([]engine.Cents, len(m.lines)), make([]int, len(m.lines))}
	conditions := map[[2]string]*sums{}
	err = blocksOf(ctx, tx, r.run, n, len(m.lines), func(from int, years [][]engine.Outcome) error {
		for year := 1; year <= regulationYears; year++ { // year 0 is that of the current levels
			for at := range years[year] {
				o, i := &years[year][at], from+at
				key := [2]string{m.classes[m.input.Elements[i].Class].ServiceCategory, fmt.Sprint(m.input.Start + year)}
				if t.years[key] == nil {
					t.years[key], conditions[key] = &RegulationYear{Category: key[0], Year: m.input.Start + year}, &sums{}
				}
				m.add(conditions[key], i, year, o)
				t.risk[i] = o.Risk
				if o.Treatment != engine.NoTreatment {
					kind, _ := m.group(i, "kind", o)
					t.years[key].spend(kind, dollars(o.Cost))
					t.done[i], t.cost[i] = true, t.cost[i]+o.Cost
				}
			}
		}
		return nil
	})
	for key, y := range t.years {
		y.AvgCondition = conditions[key].row("", "", 0, false).AvgCondition
	}
	return m, t, err
}

func (y *RegulationYear) spend(kind string, cost float64) {
	y.Interventions++
	y.Cost = rounded(y.Cost + cost)
	of := map[string]*float64{"maintenance": &y.Maintenance, "rehabilitation": &y.Rehabilitation, "replacement": &y.Replacement}[kind]
	*of = rounded(*of + cost)
}

// held says beside each cost what is spent with the money that is there.
func (t *treated) held(money *treated) {
	for key, y := range t.years {
		funding := 0.0
		if there := money.years[key]; there != nil {
			funding = there.Cost
		}
		shortfall := rounded(y.Cost - funding)
		y.Funding, y.Shortfall = &funding, &shortfall
	}
}

// regulationCategories are what there is at the start.
func (m *assembled) regulationCategories() []RegulationCategory {
	type tally struct {
		RegulationCategory
		value, aged, rated engine.Cents
		ages, conditions   float64
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
		t.conditions += float64(value) * float64(m.input.Elements[i].Condition())
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
		if t.value > 0 {
			condition := rounded(t.conditions / float64(t.value) / 1000)
			t.AvgCondition = &condition
		}
		if t.aged > 0 {
			age := math.Round(t.ages/float64(t.aged)/10) / 10
			t.AverageAgeYears = &age
		}
		t.ConditionApproach, t.ConditionApproachFr = given(strings.Join(t.approaches[0], "\n")), given(strings.Join(t.approaches[1], "\n"))
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

// options are all scenarios of the run, held against the levels of one.
func (r *result) options(ctx context.Context, tx pgx.Tx, levels int) ([]RegulationOption, error) {
	options := []RegulationOption{}
	for n := range r.definitions.Scenarios {
		s := &r.definitions.Scenarios[n]
		if s.Years < regulationYears+1 {
			continue
		}
		years, err := figuresOf(ctx, tx, r.run, n)
		if err != nil {
			return nil, err
		}
		o := RegulationOption{Scenario: scenarioCode(s), Name: s.Name, AvgCondition: years[regulationYears].AvgCondition}
		for _, y := range years[:regulationYears+1] {
			o.Cost = rounded(o.Cost + y.Spent)
		}
		for _, risk := range years[regulationYears].Risks {
			if risk.Level == "high" || risk.Level == "very_high" {
				o.HighRisk += risk.Elements
			}
		}
		options = append(options, o)
	}
	wanted := slices.IndexFunc(options, func(o RegulationOption) bool { return o.Scenario == scenarioCode(&r.definitions.Scenarios[levels]) })
	cheapest := -1
	for i := range options {
		o := &options[i]
		o.Keeps = o.AvgCondition != nil && options[wanted].AvgCondition != nil && *o.AvgCondition >= *options[wanted].AvgCondition
		if o.Keeps && (cheapest < 0 || o.Cost < options[cheapest].Cost) {
			cheapest = i
		}
	}
	if cheapest >= 0 {
		options[cheapest].Cheapest = true
	}
	return options, nil
}
