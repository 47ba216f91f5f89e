package planning

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/resource"
)

// Scenario is a way to choose what is done over some years: nothing, all that is worth it, what a budget pays, or what
// a level of service costs.
type Scenario struct {
	resource.Record
	Name     string  `json:"name" required:"true" maxLength:"200" unique:"true" filter:"prefix" sort:"true" search:"name" doc:"What people call the scenario." example:"Budget actuel"`
	Code     *string `json:"code" maxLength:"50" unique:"true" auto:"SCN-%04d" filter:"equals" sort:"true" search:"code" doc:"Short code; numbered when left out." example:"SCN-0001"`
	Kind     string  `json:"kind" required:"true" enum:"do_nothing,unlimited,budget,keep_level,reach_target" filter:"equals" sort:"true" doc:"do_nothing: what happens. unlimited: of each element, in each year by itself, the treatment with the largest benefit of those that are worth it. budget: what funds pay, the best ratio of benefit and cost first. keep_level: what keeping the level found costs. reach_target: what reaching a level costs." example:"budget"`
	StartsOn string  `json:"starts_on" required:"true" format:"date" filter:"range" sort:"true" doc:"First day; its calendar year is the first year, as the fiscal_year of projects." example:"2027-01-01"`
	Years    int     `json:"years" required:"true" minimum:"1" maximum:"100" unit:"year" filter:"range" sort:"true" doc:"How many years." example:"25"`
	Basis    string  `json:"basis" default:"parts" enum:"parts,whole" filter:"equals" doc:"parts: the finest level with a cost (assets; systems and buildings whose parts have none; segments). whole: the coarsest, as in the report state-of-assets." example:"parts"`

	Filter     *ScenarioFilter    `json:"filter" column:"restricted_to" doc:"What is looked at; everything when left out."`
	Strategies []ScenarioStrategy `json:"strategies" maxItems:"200" doc:"The strategy of a class, where it is not the class's default."`

	Objective    string  `json:"objective" default:"condition" enum:"condition,risk,worst_first" filter:"equals" sort:"true" doc:"What a treatment is worth: the area between the conditions with it and without it, or between the risks; worst_first takes the worst condition first, whatever it is worth." example:"condition"`
	Weight       string  `json:"weight" default:"replacement_value" enum:"replacement_value,none" filter:"equals" doc:"Whether a dear element counts for more." example:"replacement_value"`
	BenefitYears int     `json:"benefit_years" default:"20" minimum:"1" maximum:"100" unit:"year" doc:"Over how many years a treatment's benefit counts." example:"20"`
	MinRatio     float64 `json:"min_ratio" default:"0" minimum:"0" maximum:"1000000" decimals:"6" doc:"What has less benefit for its cost (points × dollars per dollar) is not done." example:"0"`

	InflationPct      float64 `json:"inflation_pct" default:"2" minimum:"-10" maximum:"20" decimals:"4" unit:"percent" doc:"Of costs that no price index brings to the prices of another year." example:"2"`
	DiscountPct       float64 `json:"discount_pct" default:"0" minimum:"0" maximum:"25" decimals:"4" unit:"percent" doc:"By which net present values are discounted." example:"3"`
	DeferredGrowthPct float64 `json:"deferred_growth_pct" default:"0" minimum:"0" maximum:"50" decimals:"3" unit:"percent" doc:"How much deferred maintenance grows in a year, besides prices." example:"2"`
	Currency          string  `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`

	Funds     []ScenarioFund     `json:"funds" maxItems:"30" doc:"Of a budget, and only and always of that: the money, in the order in which it is drawn."`
	Caps      []ScenarioCap      `json:"caps" maxItems:"50" doc:"Of a budget: the most that is spent on something."`
	Target    *ScenarioTarget    `json:"target" doc:"Of keep_level and reach_target, and only and always of these: the level."`
	Overrides []ScenarioOverride `json:"overrides" maxItems:"10000" doc:"What was decided otherwise: it is done, and charged even beyond the funds; nothing else is done to the element in that year."`

	Replications int    `json:"replications" default:"0" minimum:"0" maximum:"50" doc:"How often chance is asked which elements fail and how they deteriorate, for the spread of what is spent and left." example:"0"`
	Seed         *int64 `json:"seed" minimum:"0" maximum:"9007199254740991" doc:"What chance begins with: the same seed gives the same. Drawn when left out." example:"42"`
}

// ScenarioFilter is what a scenario looks at. A list that is empty or left out restricts nothing.
type ScenarioFilter struct {
	SiteIDs    []string `json:"site_ids,omitempty" required:"false" format:"uuid" maxItems:"1000" uniqueItems:"true" doc:"Elements of these sites. Segments have none."`
	ClassIDs   []string `json:"class_ids,omitempty" required:"false" format:"uuid" maxItems:"200" uniqueItems:"true" doc:"Elements of these asset classes."`
	Categories []string `json:"categories,omitempty" required:"false" enum:"roads,bridges_culverts,water,wastewater,stormwater,facilities,parks_recreation,fleet,solid_waste,transit,fire,library,education,housing,natural_assets,other" maxItems:"16" uniqueItems:"true" doc:"Elements of classes of these service categories."`
}

// ScenarioStrategy names the strategy of a class.
type ScenarioStrategy struct {
	AssetClassID string `json:"asset_class_id" format:"uuid" doc:"The class." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	StrategyID   string `json:"strategy_id" format:"uuid" doc:"A strategy of it." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
}

// YearAmount is an amount of money of a year.
type YearAmount struct {
	Year   int     `json:"year" minimum:"1900" maximum:"2300" doc:"The calendar year." example:"2027"`
	Amount float64 `json:"amount" minimum:"0" maximum:"9999999999999" doc:"How much, in the money of that year." example:"1250000.00"`
}

// ScenarioFund is money that may be spent. What only one class may draw is that class's floor.
type ScenarioFund struct {
	Code       string       `json:"code" minLength:"1" maxLength:"50" doc:"Short code; once in a scenario." example:"levy"`
	SourceType string       `json:"source_type" enum:"levy,reserve,debt,development_charges,user_rates,ccbf,ocif,provincial_grant,federal_grant,donation,other" doc:"Where the money comes from, as of a project's funding sources." example:"levy"`
	Amounts    []YearAmount `json:"amounts" maxItems:"100" doc:"By year. A year before the first has none."`
	GrowthPct  *float64     `json:"growth_pct,omitempty" required:"false" minimum:"-50" maximum:"50" unit:"percent" doc:"How much the last amount grows in each year after it; without it later years have none." example:"2"`
	CarryOver  *bool        `json:"carry_over,omitempty" required:"false" doc:"Whether what is left is there the year after." example:"true"`
	Eligible
}

// ScenarioCap is the most that is spent on something.
type ScenarioCap struct {
	Name    string       `json:"name" minLength:"1" maxLength:"100" doc:"What people call it; once in a scenario." example:"Routes"`
	Amounts []YearAmount `json:"amounts" maxItems:"100" doc:"By year. A year without one has no cap."`
	SiteIDs []string     `json:"site_ids,omitempty" required:"false" format:"uuid" maxItems:"1000" uniqueItems:"true" doc:"Spent on elements of these sites."`
	Eligible
}

// Eligible is what a fund or a cap is for. A list that is empty or left out restricts nothing.
type Eligible struct {
	ClassIDs   []string `json:"class_ids,omitempty" required:"false" format:"uuid" maxItems:"200" uniqueItems:"true" doc:"For elements of these asset classes."`
	Categories []string `json:"categories,omitempty" required:"false" enum:"roads,bridges_culverts,water,wastewater,stormwater,facilities,parks_recreation,fleet,solid_waste,transit,fire,library,education,housing,natural_assets,other" maxItems:"16" uniqueItems:"true" doc:"For elements of classes of these service categories."`
	Kinds      []string `json:"kinds,omitempty" required:"false" enum:"maintenance,rehabilitation,replacement" maxItems:"3" uniqueItems:"true" doc:"For treatments of these kinds. Catching up on deferred maintenance is maintenance."`
}

// ScenarioTarget is a level of service.
type ScenarioTarget struct {
	Metric  string   `json:"metric" enum:"avg_condition,fci_pct,poor_pct" doc:"avg_condition: condition by value, at least. fci_pct: backlog of the value, at most. poor_pct: part of the value that is rated 4 or 5, at most." example:"avg_condition"`
	Value   *float64 `json:"value,omitempty" required:"false" minimum:"0" maximum:"1000" doc:"Of reach_target: the level." example:"70"`
	InYears *int     `json:"in_years,omitempty" required:"false" minimum:"1" maximum:"100" unit:"year" doc:"Of reach_target: after how many years it is reached, on a straight path." example:"10"`
	Scope   *string  `json:"scope,omitempty" required:"false" enum:"all,category,class" doc:"Whether it holds for all together, for each service category, or for each class. Left out: of a new keep_level category, of reach_target all." example:"category"`
}

// ScenarioOverride is what was decided for an element in a year.
type ScenarioOverride struct {
	ElementType string  `json:"element_type" enum:"asset,system,building,segment" doc:"What element_id is of." example:"segment"`
	ElementID   string  `json:"element_id" format:"uuid" doc:"The element." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Year        int     `json:"year" minimum:"1900" maximum:"2300" doc:"The calendar year." example:"2028"`
	TreatmentID *string `json:"treatment_id" required:"false" format:"uuid" doc:"What is done; null: nothing." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
}

func (p *planning) scenarios() resource.Definition[Scenario] {
	return resource.Definition[Scenario]{
		Collection: "scenarios", Table: "scenario", NaturalKey: "code",
		Computed:    map[string]string{"currency": resource.Currency},
		BeforeWrite: p.prepareScenarios,
	}
}

func (p *planning) prepareScenarios(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Scenario]) error {
	var classes, chosen []string
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		earlier := c.Before != nil && c.Before.Target != nil && c.Before.Target.Scope == nil // from when that was all: it stays so
		if s := c.After; s.Kind == "keep_level" && s.Target != nil && s.Target.Scope == nil && !earlier {
			s.Target.Scope = new("category") // a level of service is one of a category: keeping the average lets one fall while another one rises
		}
		classes = append(classes, c.After.classes()...)
		for _, s := range c.After.Strategies {
			chosen = append(chosen, s.StrategyID)
		}
	}
	known, err := column(ctx, tx, "asset_class", "code", classes)
	if err != nil {
		return err
	}
	classOf, err := column(ctx, tx, "strategy", "asset_class_id", chosen)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.After != nil {
			c.After.check(known, classOf, c.FieldError, c.MissingError)
		}
	}
	return p.findNamed(ctx, tx, changes)
}

// classes are the ids of all asset classes that it names.
func (s *Scenario) classes() []string {
	var ids []string
	if s.Filter != nil {
		ids = append(ids, s.Filter.ClassIDs...)
	}
	for _, f := range s.Funds {
		ids = append(ids, f.ClassIDs...)
	}
	for _, c := range s.Caps {
		ids = append(ids, c.ClassIDs...)
	}
	for _, chosen := range s.Strategies {
		ids = append(ids, chosen.AssetClassID)
	}
	return ids
}

// check objects to what does not go together. Known are the asset classes of the organization, classOf the classes of its strategies, of
// those that the scenario names.
func (s *Scenario) check(known, classOf map[string]string, fieldError, missing func(field, format string, args ...any)) {
	if s.Seed == nil {
		seed := rand.Int64N(1 << 53)
		s.Seed = &seed
	}
	areKnown := func(field string, ids []string) {
		for i, id := range ids {
			if _, is := known[id]; !is {
				missing(entry(field, i), "%s", missingClass(id))
			}
		}
	}
	if s.Filter != nil {
		areKnown("filter.class_ids", s.Filter.ClassIDs)
	}
	s.checkStrategies(known, classOf, fieldError, missing)
	s.checkFunds(areKnown, fieldError)
	s.checkCaps(areKnown, fieldError)
	s.checkTarget(fieldError)
	places := map[string]bool{}
	for i, o := range s.Overrides {
		s.within(o.Year, at("overrides", i, "year"), fieldError)
		place := o.ElementID + " " + strconv.Itoa(o.Year)
		if places[place] {
			fieldError(entry("overrides", i), "is the second for this element in %d", o.Year)
		}
		places[place] = true
	}
}

func missingClass(id string) string { return catalogue.Product().Must("asset_classes").Missing(id) }

func (s *Scenario) checkStrategies(known, classOf map[string]string, fieldError, missing func(field, format string, args ...any)) {
	seen := map[string]bool{}
	for i, chosen := range s.Strategies {
		if _, is := known[chosen.AssetClassID]; !is {
			missing(at("strategies", i, "asset_class_id"), "%s", missingClass(chosen.AssetClassID))
		} else if class, is := classOf[chosen.StrategyID]; !is {
			missing(at("strategies", i, "strategy_id"), "%s", catalogue.Product().Must("strategies").Missing(chosen.StrategyID))
		} else if class != chosen.AssetClassID {
			fieldError(at("strategies", i, "strategy_id"), "is a strategy of another class, %s", class)
		}
		if seen[chosen.AssetClassID] {
			fieldError(at("strategies", i, "asset_class_id"), "has two strategies in this scenario")
		}
		seen[chosen.AssetClassID] = true
	}
}

func (s *Scenario) checkFunds(areKnown func(string, []string), fieldError func(field, format string, args ...any)) {
	switch {
	case s.Kind == "budget" && len(s.Funds) == 0:
		fieldError("funds", "is required for a budget; without money there is do_nothing")
	case s.Kind != "budget" && len(s.Funds) > 0:
		fieldError("funds", "is for scenarios of the kind budget; this one is %s", s.Kind)
	}
	var codes []string
	for i, f := range s.Funds {
		if slices.Contains(codes, f.Code) {
			fieldError(at("funds", i, "code"), "is the code of two funds")
		}
		codes = append(codes, f.Code)
		areKnown(at("funds", i, "class_ids"), f.ClassIDs)
		if len(f.Amounts) == 0 {
			fieldError(at("funds", i, "amounts"), "must have an amount of a year, such as {\"year\": %d, \"amount\": 1250000}", s.firstYear())
		}
		s.checkAmounts(at("funds", i, "amounts"), f.Amounts, fieldError)
	}
}

func (s *Scenario) checkCaps(areKnown func(string, []string), fieldError func(field, format string, args ...any)) {
	if s.Kind != "budget" && len(s.Caps) > 0 {
		fieldError("caps", "is for scenarios of the kind budget; this one is %s", s.Kind)
	}
	var names []string
	for i, c := range s.Caps {
		if slices.Contains(names, c.Name) {
			fieldError(at("caps", i, "name"), "is the name of two caps")
		}
		names = append(names, c.Name)
		areKnown(at("caps", i, "class_ids"), c.ClassIDs)
		s.checkAmounts(at("caps", i, "amounts"), c.Amounts, fieldError)
	}
}

func (s *Scenario) checkAmounts(where string, amounts []YearAmount, fieldError func(field, format string, args ...any)) {
	seen := map[int]bool{}
	for i, a := range amounts {
		s.within(a.Year, at(where, i, "year"), fieldError)
		if seen[a.Year] {
			fieldError(at(where, i, "year"), "has two amounts")
		}
		seen[a.Year] = true
		if cents := strconv.FormatFloat(a.Amount*100, 'f', 4, 64); cents[len(cents)-4:] != "0000" {
			fieldError(at(where, i, "amount"), "must have at most 2 decimals")
		}
	}
}

func (s *Scenario) checkTarget(fieldError func(field, format string, args ...any)) {
	needed := s.Kind == "keep_level" || s.Kind == "reach_target"
	switch {
	case needed && s.Target == nil:
		fieldError("target", "is required for %s, such as {\"metric\": \"avg_condition\"}", s.Kind)
	case !needed && s.Target != nil:
		fieldError("target", "is for scenarios of the kinds keep_level and reach_target; this one is %s", s.Kind)
	case s.Kind == "keep_level":
		if s.Target.Value != nil {
			fieldError("target.value", "is for reach_target; keep_level keeps what is found")
		}
		if s.Target.InYears != nil {
			fieldError("target.in_years", "is for reach_target; keep_level keeps what is found")
		}
	case s.Kind == "reach_target":
		if s.Target.Value == nil {
			fieldError("target.value", "is required for reach_target")
		} else if s.Target.Metric != "fci_pct" && *s.Target.Value > 100 {
			fieldError("target.value", "must be 100 or less for %s", s.Target.Metric)
		}
		if s.Target.InYears == nil {
			fieldError("target.in_years", "is required for reach_target")
		}
	}
}

// firstYear is the calendar year of starts_on; 0 where that is no date, which was told already.
func (s *Scenario) firstYear() int {
	if len(s.StartsOn) < 4 {
		return 0
	}
	year, _ := strconv.Atoi(s.StartsOn[:4])
	return year
}

// within objects to a year that is none of the scenario's.
func (s *Scenario) within(year int, field string, fieldError func(field, format string, args ...any)) {
	if first := s.firstYear(); first > 0 && (year < first || year >= first+s.Years) {
		fieldError(field, "must be a year of the scenario, %d to %d", first, first+s.Years-1)
	}
}
