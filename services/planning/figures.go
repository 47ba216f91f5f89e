package planning

import (
	"math"
	"slices"

	"ams.internal/libs/domain/indicators"
	"ams.internal/services/planning/engine"
)

// YearFigures are of all elements of a scenario in a year. Amounts are in the money of that year.
type YearFigures struct {
	Year        int     `json:"year" doc:"The calendar year." example:"2027"`
	Spent       float64 `json:"spent" decimals:"2" doc:"What the chosen treatments cost." example:"1215000.00"`
	Need        float64 `json:"need" decimals:"2" doc:"What was needed before them." example:"2215000.00"`
	Opening     float64 `json:"opening" decimals:"2" doc:"The backlog of the year before, in its money." example:"0.00"`
	PriceChange float64 `json:"price_change" decimals:"2" doc:"By how much that became dearer." example:"0.00"`
	New         float64 `json:"new" decimals:"2" doc:"What came to be needed, and what grew." example:"2215000.00"`
	Addressed   float64 `json:"addressed" decimals:"2" doc:"By how much less is needed after the treatments. opening + price_change + new − addressed = backlog." example:"1215000.00"`
	Backlog     float64 `json:"backlog" decimals:"2" doc:"What is needed after them." example:"1000000.00"`
	Value       float64 `json:"value" decimals:"2" doc:"What replacing everything costs." example:"2600000.00"`

	FCIPct       *float64       `json:"fci_pct" unit:"percent" doc:"100 × backlog / value; null without value." example:"38.46"`
	AvgCondition *float64       `json:"avg_condition" unit:"point" doc:"Condition by value, after the treatments; null without value." example:"69.62"`
	PoorPct      *float64       `json:"poor_pct" unit:"percent" doc:"Part of the value that is rated 4 or 5; null without value." example:"38.46"`
	Ratings      []RatingValue  `json:"ratings" doc:"The value by rating, 1 (very good) to 5."`
	Risks        []RiskElements `json:"risks" doc:"How many elements have which risk."`

	ExpectedFailureCost *float64 `json:"expected_failure_cost" decimals:"2" doc:"Probability of failure within the year × consequence_cost, of elements whose class has both; null where none has." example:"12500.00"`
	FailureKnownPct     float64  `json:"failure_known_pct" unit:"percent" doc:"Part of the value that this is known of." example:"40"`

	Funds         []FundSpent   `json:"funds" doc:"What was drawn from each fund."`
	OverCommitted float64       `json:"over_committed" decimals:"2" doc:"What decisions cost beyond the funds." example:"0.00"`
	GapPct        *float64      `json:"gap_pct" unit:"percent" doc:"How far the benefit is at most from the best that any choice could have; null where that is not known (several funds, caps, no budget)." example:"15.73"`
	Unreachable   []Unreachable `json:"unreachable" doc:"Targets that nothing could reach in the year, and by how much."`
	Steps         int           `json:"steps" doc:"Between how many possibilities was chosen." example:"6"`
}

// RatingValue is the value with one rating.
type RatingValue struct {
	Rating int      `json:"rating" doc:"1 (very good) to 5." example:"1"`
	Value  float64  `json:"value" decimals:"2" doc:"What replacing it costs." example:"1200000.00"`
	Pct    *float64 `json:"pct" unit:"percent" doc:"Of all; null without value." example:"46.15"`
}

// RiskElements is how many elements have one level of risk.
type RiskElements struct {
	Level    string `json:"level" doc:"very_low to very_high." example:"low"`
	Elements int    `json:"elements" doc:"How many." example:"3"`
}

// FundSpent is what was drawn from a fund.
type FundSpent struct {
	Code  string  `json:"code" doc:"Code of the fund." example:"levy"`
	Spent float64 `json:"spent" decimals:"2" doc:"How much." example:"1215000.00"`
}

// Unreachable is a target that nothing could reach.
type Unreachable struct {
	Group string  `json:"group" doc:"all, a service category, or the code of a class." example:"roads"`
	By    float64 `json:"by" doc:"How much is missing, in the unit of the metric." example:"3.25"`
}

func dollars(c engine.Cents) float64 { return float64(c) / 100 }

// hundredthsOf is a number in hundredths, where there is one.
func hundredthsOf(n int64, known bool) *float64 {
	if !known {
		return nil
	}
	value := float64(n) / 100
	return &value
}

// pct is 100·part/whole to two decimals.
func pct(part, whole engine.Cents) *float64 {
	if whole == 0 {
		return nil
	}
	value := math.Round(10_000*float64(part)/float64(whole)) / 100
	return &value
}

// figures are a year's as they are kept and shown.
func (m *assembled) figures(year int, f *engine.Figures) YearFigures {
	y := YearFigures{Year: m.input.Start + year,
		Spent: dollars(f.Spent), Need: dollars(f.Need), Opening: dollars(f.Opening), PriceChange: dollars(f.PriceChange),
		New: dollars(f.New), Addressed: dollars(f.Addressed), Backlog: dollars(f.Backlog), Value: dollars(f.Value),
		FCIPct: hundredthsOf(f.FCI()), AvgCondition: hundredthsOf(f.AverageCondition()), PoorPct: pct(f.Rated[3]+f.Rated[4], f.Value),
		OverCommitted: dollars(f.OverCommitted), Steps: f.Steps, Funds: []FundSpent{}, Unreachable: []Unreachable{}, Risks: []RiskElements{}}
	for i, value := range f.Rated {
		y.Ratings = append(y.Ratings, RatingValue{i + 1, dollars(value), pct(value, f.Value)})
	}
	for _, level := range indicators.RiskLevels {
		y.Risks = append(y.Risks, RiskElements{Level: level})
	}
	for score, elements := range f.Risks {
		if elements > 0 {
			y.Risks[slices.Index(indicators.RiskLevels, indicators.RiskLevelOf(score))].Elements += elements
		}
	}
	if f.FailuresOf > 0 {
		cost := dollars(f.Failures)
		y.ExpectedFailureCost = &cost
		y.FailureKnownPct = *pct(f.FailuresOf, f.Value)
	}
	for i, fund := range m.of.Funds {
		y.Funds = append(y.Funds, FundSpent{fund.Code, dollars(f.Paid[i])})
	}
	if f.GapPct >= 0 && m.of.Kind == "budget" {
		gap := math.Round(f.GapPct*100) / 100
		y.GapPct = &gap
	}
	if m.scenario.Aim != nil {
		for class, group := range m.scenario.Aim.Groups {
			if by, missed := f.Unreached[group]; missed && !slices.ContainsFunc(y.Unreachable, func(u Unreachable) bool {
				return u.Group == m.groupOf(class)
			}) {
				y.Unreachable = append(y.Unreachable, Unreachable{m.groupOf(class), float64(by) / 1000})
			}
		}
	}
	return y
}
