package planning

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/inventory"
	"ams.internal/libs/endpoint"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
	"ams.internal/services/planning/engine"
)

// EstimateRequest asks for a matrix from inspections.
type EstimateRequest struct {
	Class            string `json:"class" required:"true" maxLength:"50" doc:"Code of the asset class whose records were inspected." example:"CLS-0001"`
	From             string `json:"from" required:"true" format:"date" doc:"First day of the inspections." example:"2010-01-01"`
	To               string `json:"to" required:"true" format:"date" doc:"Last day." example:"2026-11-27"`
	MaxIntervalYears int    `json:"max_interval_years" default:"10" minimum:"1" maximum:"50" unit:"year" doc:"Inspections further apart say nothing." example:"10"`
	MinPairs         int    `json:"min_pairs" default:"20" minimum:"1" maximum:"100000" doc:"How many pairs must begin in a state for its row to be given." example:"20"`
}

// Estimated is how records of a class went from one state to another between inspections.
type Estimated struct {
	Rows         []EstimatedRow `json:"rows" doc:"By state, 1 (very good) to 5."`
	Pairs        int            `json:"pairs" doc:"Pairs of inspections that count." example:"412"`
	Improved     int            `json:"improved" doc:"Pairs that were left out because the state got better: somebody did something." example:"31"`
	WithinAYear  int            `json:"within_a_year" doc:"Pairs that were left out because less than half a year lies between." example:"4"`
	TooFarApart  int            `json:"too_far_apart" doc:"Pairs that were left out because of max_interval_years." example:"9"`
	Elements     int            `json:"elements" doc:"Records of the class that were inspected." example:"240"`
	EngineMethod string         `json:"method" doc:"How it is estimated." example:"Expectation and maximization of a discrete Markov chain"`
}

// EstimatedRow is a row of the matrix.
type EstimatedRow struct {
	State         int       `json:"state" doc:"1 to 5." example:"1"`
	Pairs         int       `json:"pairs" doc:"How many begin in it." example:"120"`
	Probabilities []float64 `json:"probabilities" doc:"To be in state 1 to 5 a year later, as matrix of a deterioration model takes them; null where there are fewer than min_pairs." example:"[0.9,0.1,0,0,0]"`
}

func (p *planning) mountEstimate() {
	transport.Post(p.registry.API,
		transport.Operation{Path: "/v1/planning/deterioration-models/estimate", ID: "estimate_deterioration_model", Scope: "planning:write",
			Feature: "planning", Deadline: readTimeout, CallsOut: true, Summary: "Estimate a Markov matrix from the inspections of a class",
			Description: "From consecutive ratings of each record by somebody who looked. Nothing is saved: create a deterioration model of the " +
				"kind markov with what suits you."}, p.estimate)
}

func (p *planning) estimate(ctx context.Context, in EstimateRequest) (Estimated, error) {
	out := Estimated{EngineMethod: "Expectation and maximization of a discrete Markov chain"}
	if in.To < in.From {
		return out, fault.InvalidFields(fault.Field{Field: "to", Message: "must not be before from"})
	}
	service, readable := "assets", "assets:read"
	var stored *definitions
	err := p.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		stored, err = loadDefinitions(ctx, tx, nil)
		return err
	})
	if err != nil {
		return out, err
	}
	classes := newClassifier(stored.Classes)
	class, known := classes.byCode[strings.ToLower(in.Class)]
	if !known {
		return out, fault.InvalidFields(fault.Field{Field: "class", Message: "is the code of no asset class"})
	}
	switch appliesTo := stored.Classes[class].AppliesTo; appliesTo {
	case "segment":
		service, readable = "infrastructure", readSegments
		if !principal.From(ctx).Has("infrastructure") {
			return out, endpoint.NotInPlan("infrastructure")
		}
	case "system", "building":
		return out,
			fault.InvalidFields(fault.Field{Field: "class", Message: "is of " + appliesTo + "s, which nobody inspects; assets and segments are"})
	}
	if err := may(ctx, readable); err != nil {
		return out, err
	}
	inside := map[string]bool{}
	references := p.registry.References
	err = p.inTurn(ctx, p.questions, func() error {
		return inventory.OfService.Of(service).Read(ctx, references, inventory.Query{}, func(body io.Reader) error {
			_, err := inventory.Read(body, func(text []byte) error {
				line, err := lineOf(text)
				if err == nil && classes.of(&line) == class {
					inside[line.ID] = true
				}
				return err
			})
			return err
		})
	})
	if err != nil {
		return out, retryTruncated(service, err)
	}
	found, err := inventory.InspectionsOfService.Of(service).Call(ctx, references, inventory.InspectionsQuery{From: in.From, To: in.To})
	if err != nil {
		return out, err
	}
	pairs := out.pair(&in, found.Data, inside)
	rows, counts := engine.Estimate(pairs, in.MinPairs)
	for state := range rows {
		row := EstimatedRow{State: state + 1, Pairs: counts[state], Probabilities: rows[state]}
		for i, probability := range row.Probabilities {
			row.Probabilities[i] = math.Round(probability*1e9) / 1e9
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// pair makes pairs of the inspections of each record that follow each other, and counts what is left out.
func (e *Estimated) pair(in *EstimateRequest, all []inventory.Inspection, inside map[string]bool) (pairs []engine.Pair) {
	for i, now := range all {
		if !inside[now.ID] {
			continue
		}
		if i == 0 || all[i-1].ID != now.ID {
			e.Elements++
			continue
		}
		before := all[i-1]
		from, err1 := time.Parse(time.DateOnly, before.On)
		to, err2 := time.Parse(time.DateOnly, now.On)
		if err1 != nil || err2 != nil {
			continue
		}
		years := engine.PairYears(int(to.Sub(from).Hours() / 24))
		switch {
		case years == 0:
			e.WithinAYear++
		case years > in.MaxIntervalYears:
			e.TooFarApart++
		case now.Rating < before.Rating:
			e.Improved++
		default:
			pairs = append(pairs, engine.Pair{From: before.Rating - 1, To: now.Rating - 1, Years: years})
		}
	}
	e.Pairs = len(pairs)
	return pairs
}

// StrategiesRequest asks for what the strategies of a class cost.
type StrategiesRequest struct {
	ID          string  `path:"id" format:"uuid" doc:"The asset class."`
	DiscountPct float64 `query:"discount_pct" default:"0" minimum:"0" maximum:"25" unit:"percent" doc:"By which later costs count for less."`
	LifeYears   *int    `query:"useful_life_years" minimum:"1" maximum:"500" unit:"year" doc:"Of the element; the class's default when left out."`
	Value       float64 `query:"value" default:"100000" minimum:"1" maximum:"9999999999" doc:"What replacing the element costs."`
	Quantity    float64 `query:"quantity" default:"1" minimum:"0" maximum:"1000000" doc:"How many units of the class it has."`
}

// StrategyCosts are the strategies of a class, the cheapest first as they come.
type StrategyCosts struct {
	Currency string         `json:"currency" doc:"Of all amounts." example:"CAD"`
	Data     []StrategyCost `json:"data" doc:"By name."`
}

// Table is the strategies as CSV.
func (s StrategyCosts) Table() transport.Table { return transport.TableOf(s.Data) }

// StrategyCost is what a new element costs by a strategy until it is replaced.
type StrategyCost struct {
	StrategyID       string     `json:"strategy_id" format:"uuid" doc:"The strategy."`
	Name             string     `json:"name" doc:"Its name." example:"Préserver, puis reconstruire"`
	IsDefault        bool       `json:"is_default" doc:"Whether scenarios use it unless they name another." example:"true"`
	CycleYears       *int       `json:"cycle_years" unit:"year" doc:"From new to replaced; null: it is not replaced within 300 years." example:"17"`
	EquivalentAnnual *float64   `json:"equivalent_annual_cost" decimals:"2" doc:"What, paid each year of the cycle, has the same present value: NPV·d/(1 − (1+d)^−n), at d = 0 NPV/n." example:"70588.24"`
	Costs            []CycleDue `json:"costs" doc:"What is done, in the year after it was new; the last is the replacement."`
}

// CycleDue is a treatment in the life of an element.
type CycleDue struct {
	Year        int     `json:"year" unit:"year" doc:"Years after it was new." example:"7"`
	TreatmentID string  `json:"treatment_id" format:"uuid" doc:"The treatment."`
	Treatment   string  `json:"treatment" doc:"Its name." example:"Resurfaçage"`
	Cost        float64 `json:"cost" decimals:"2" doc:"What it costs, at prices that do not change." example:"200000.00"`
}

func (p *planning) mountStrategyComparison() {
	transport.Get(p.registry.API, transport.Operation{Path: "/v1/planning/asset-classes/{id}/strategies/compare",
		ID: "compare_strategies", Scope: "planning:read", Feature: "planning", FromReplica: true, RowName: "StrategyCost",
		Summary: "Compare what a new element costs a year by each strategy of a class", Description: "As JSON, CSV or Parquet. " +
			"In each year the first treatment of the strategy that is possible is done, until it is a replacement."}, p.compareStrategies)
}

func (p *planning) compareStrategies(ctx context.Context, in StrategiesRequest) (StrategyCosts, error) {
	out := StrategyCosts{Currency: currencyOf(ctx), Data: []StrategyCost{}}
	var stored *definitions
	if err := p.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		stored, err = loadDefinitions(ctx, tx, nil)
		return err
	}); err != nil {
		return out, err
	}
	a := newAssembly(stored, &inventoryLines{places: map[string]*inventory.Line{}})
	number := -1
	for i := range stored.Classes {
		if stored.Classes[i].ID == in.ID {
			number = i
		}
	}
	if number < 0 {
		return out, fault.NotFound("asset class", in.ID)
	}
	class := &stored.Classes[number]
	life := valueOr(in.LifeYears, valueOr(class.DefaultUsefulLifeYears, 0))
	switch {
	case class.ModelID == nil || a.models[*class.ModelID] == nil:
		return out, fault.Conflict("no_model", "model_id", nil, "The class has no deterioration model.")
	case life == 0:
		return out, fault.InvalidFields(fault.Field{Field: "useful_life_years", Message: "is needed: the class has no default"})
	}
	for i := range stored.Strategies {
		s := &stored.Strategies[i]
		if s.AssetClassID == class.ID {
			out.Data = append(out.Data, a.cost(s, class, number, life, &in))
		}
	}
	return out, nil
}

// cost follows a new element through one strategy.
func (a *assembly) cost(s *Strategy, class *AssetClass, number, life int, in *StrategiesRequest) StrategyCost {
	year := valueOr(class.PriceYear, time.Now().Year())
	sc := &Scenario{Kind: "do_nothing", StartsOn: fmt.Sprintf("%d-01-01", year), Years: 1, Basis: "parts",
		Strategies: []ScenarioStrategy{{class.ID, s.ID}}}
	m := a.scenario(sc)
	line := inventory.Line{Type: class.AppliesTo, Life: life}
	e := engine.Element{Class: number, Life: engine.Age(life * 100), Value: cents(in.Value), Quantity: int64(in.Quantity*1000 + 0.5),
		Consequence: class.DefaultConsequence}
	a.start(&e, &line, class, time.Now())
	e.Age = 0
	cycle, replaced := engine.CycleOf(&m.input, e, in.DiscountPct)
	out := StrategyCost{StrategyID: s.ID, Name: s.Name, IsDefault: s.IsDefault, Costs: []CycleDue{}}
	if replaced {
		annual := rounded(cycle.EquivalentAnnual / 100)
		out.CycleYears, out.EquivalentAnnual = &cycle.Years, &annual
	}
	for _, due := range cycle.Costs {
		t := m.treatments[number][due.Treatment]
		out.Costs = append(out.Costs, CycleDue{due.Year, t.ID, t.Name, dollars(due.Cost)})
	}
	return out
}
