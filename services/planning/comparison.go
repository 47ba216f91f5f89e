package planning

import (
	"context"
	"math"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/transport"
)

// CompareRequest asks for the scenarios of a run side by side.
type CompareRequest struct {
	ID       string `path:"id" format:"uuid" doc:"The run."`
	Baseline string `query:"baseline" doc:"Code of the scenario that the others are held against; the first when left out."`
}

// Comparison is the scenarios of a run side by side. All are calculated over one inventory.
type Comparison struct {
	Baseline string             `json:"baseline" doc:"Code of the scenario that the others are held against." example:"SCN-0001"`
	Currency string             `json:"currency" doc:"Of all amounts." example:"CAD"`
	Data     []ComparedScenario `json:"data" doc:"The scenarios, in the order of the run."`
}

// Table is the comparison as CSV.
func (c Comparison) Table() transport.Table { return transport.TableOf(c.Data) }

// ComparedScenario is a scenario over all its years.
type ComparedScenario struct {
	Scenario string `json:"scenario" doc:"Code of the scenario." example:"SCN-0002"`
	Name     string `json:"name" doc:"What people call it." example:"Budget actuel"`
	Kind     string `json:"kind" doc:"What kind it is." example:"budget"`
	Years    int    `json:"years" unit:"year" doc:"How many years." example:"25"`
	Elements int    `json:"elements" doc:"How many elements are calculated." example:"1480"`
	LeftOut  int    `json:"left_out" doc:"How many are left out." example:"12"`
	// What counts at another level, or not at all, is no part of it.
	LeftOutValue float64 `json:"left_out_value" decimals:"2" doc:"What replacing them costs, but for what is not in use or whose cost another level has." example:"250000.00"`

	Spent           float64  `json:"spent" decimals:"2" doc:"In all years." example:"21500000.00"`
	SpentPerYear    float64  `json:"spent_per_year" decimals:"2" doc:"On average." example:"860000.00"`
	NetPresentValue float64  `json:"net_present_value" decimals:"2" doc:"What is spent, discounted to the first year by the scenario's discount_pct." example:"15250000.00"`
	Value           float64  `json:"value" decimals:"2" doc:"What replacing everything costs in the last year." example:"4180000.00"`
	Backlog         float64  `json:"backlog" decimals:"2" doc:"In the last year." example:"1200000.00"`
	FCIPct          *float64 `json:"fci_pct" unit:"percent" doc:"In the last year." example:"28.71"`
	AvgCondition    *float64 `json:"avg_condition" unit:"point" doc:"In the last year." example:"61.40"`
	PoorPct         *float64 `json:"poor_pct" unit:"percent" doc:"In the last year." example:"22.10"`
	MeanCondition   *float64 `json:"mean_condition" unit:"point" doc:"Mean of avg_condition over the years: two scenarios that end alike may have been apart on the way." example:"64.10"`
	MeanFCIPct      *float64 `json:"mean_fci_pct" unit:"percent" doc:"Mean of fci_pct over the years." example:"24.80"`
	MeanBacklog     float64  `json:"mean_backlog" decimals:"2" doc:"Mean of the backlog over the years, each in its money." example:"950000.00"`
	UnreachedYears  int      `json:"unreached_years" unit:"year" doc:"In how many years a target could not be reached." example:"0"`

	Difference *Difference `json:"difference" doc:"To the baseline; null of the baseline itself."`
}

// Difference is a scenario less the baseline.
type Difference struct {
	Spent           float64  `json:"spent" decimals:"2" doc:"In all years." example:"-1200000.00"`
	NetPresentValue float64  `json:"net_present_value" decimals:"2" doc:"Discounted." example:"-900000.00"`
	Backlog         float64  `json:"backlog" decimals:"2" doc:"In the last year." example:"450000.00"`
	FCIPct          *float64 `json:"fci_pct" unit:"percent" doc:"Percentage points in the last year." example:"10.77"`
	AvgCondition    *float64 `json:"avg_condition" unit:"point" doc:"In the last year." example:"-6.20"`
	PoorPct         *float64 `json:"poor_pct" unit:"percent" doc:"Percentage points in the last year." example:"8.05"`
}

func (p *planning) mountComparison() {
	transport.Get(p.registry.API, transport.Operation{Path: runPath + "/compare", ID: "compare_planning_run_scenarios", Scope: "planning:read",
		Feature: "planning", Summary: "Compare the scenarios of a run: what each spends, and what is left at the end",
		Description: "As JSON, CSV or Parquet. 409 until the run is completed.", FromReplica: true, RowName: "PlanningRunScenario"}, p.compare)
}

func (p *planning) compare(ctx context.Context, in CompareRequest) (Comparison, error) {
	out := Comparison{Currency: currencyOf(ctx), Data: []ComparedScenario{}}
	err := p.readInTurn(ctx, func(ctx context.Context, tx pgx.Tx) error {
		r, err := resultOf(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		baseline := 0
		if in.Baseline != "" {
			if baseline, err = r.scenarioOf("baseline", in.Baseline); err != nil {
				return err
			}
		}
		out.Baseline = scenarioCode(&r.definitions.Scenarios[baseline])
		for n := range r.definitions.Scenarios {
			s := &r.definitions.Scenarios[n]
			years, err := figuresOf(ctx, tx, in.ID, n)
			if err != nil {
				return err
			}
			m, err := p.assemble(ctx, tx, r, n)
			if err != nil {
				return err
			}
			one := ComparedScenario{Scenario: scenarioCode(s), Name: s.Name, Kind: s.Kind, Years: s.Years, Elements: len(m.lines),
				LeftOut: len(m.leftOut)}
			for _, l := range m.leftOut {
				if l.reason != leftStatus && l.reason != leftCovered {
					one.LeftOutValue = rounded(one.LeftOutValue + dollars(l.value))
				}
			}
			for i, y := range years {
				one.Spent += y.Spent
				one.NetPresentValue += y.Spent / math.Pow(1+s.DiscountPct/100, float64(i))
				if len(y.Unreachable) > 0 {
					one.UnreachedYears++
				}
			}
			one.MeanCondition = meanOf(years, func(y *YearFigures) *float64 { return y.AvgCondition })
			one.MeanFCIPct = meanOf(years, func(y *YearFigures) *float64 { return y.FCIPct })
			one.MeanBacklog = *meanOf(years, func(y *YearFigures) *float64 { return &y.Backlog })
			last := years[len(years)-1]
			one.Spent, one.SpentPerYear, one.NetPresentValue = rounded(one.Spent), rounded(one.Spent/float64(s.Years)), rounded(one.NetPresentValue)
			one.Value, one.Backlog, one.FCIPct, one.AvgCondition, one.PoorPct = last.Value, last.Backlog, last.FCIPct,
				last.AvgCondition, last.PoorPct
			out.Data = append(out.Data, one)
		}
		for n := range out.Data {
			if n != baseline {
				out.Data[n].Difference = out.Data[n].less(&out.Data[baseline])
			}
		}
		return nil
	})
	return out, err
}

// meanOf is the mean of a figure over the years that have it, to two decimals; nil where none has.
func meanOf(years []YearFigures, figure func(*YearFigures) *float64) *float64 {
	sum, known := 0.0, 0
	for i := range years {
		if value := figure(&years[i]); value != nil {
			sum, known = sum+*value, known+1
		}
	}
	if known == 0 {
		return nil
	}
	mean := rounded(sum / float64(known))
	return &mean
}

func (c *ComparedScenario) less(baseline *ComparedScenario) *Difference {
	minus := func(a, b *float64) *float64 {
		if a == nil || b == nil {
			return nil
		}
		difference := rounded(*a - *b)
		return &difference
	}
	return &Difference{rounded(c.Spent - baseline.Spent),
		rounded(c.NetPresentValue - baseline.NetPresentValue), rounded(c.Backlog - baseline.Backlog),
		minus(c.FCIPct, baseline.FCIPct), minus(c.AvgCondition, baseline.AvgCondition), minus(c.PoorPct, baseline.PoorPct)}
}
