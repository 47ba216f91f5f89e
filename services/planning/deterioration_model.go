package planning

import (
	"context"
	"math"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource"
)

// DeteriorationModel is how the condition of something falls as it ages: by a curve, by points that are joined, by the share that survives,
// or by the probability to be in another state a year later. What the formulas are stands in package engine.
type DeteriorationModel struct {
	resource.Record
	Name string  `json:"name" required:"true" maxLength:"200" unique:"true" filter:"prefix" sort:"true" search:"name" doc:"What people call the model." example:"Chaussée souple, artère"`
	Code *string `json:"code" maxLength:"50" unique:"true" auto:"DET-%04d" filter:"equals" sort:"true" search:"code" doc:"Short code; numbered when left out." example:"DET-0001"`
	Kind string  `json:"kind" required:"true" enum:"curve,table,weibull,markov" filter:"equals" sort:"true" doc:"curve: C = 100 − (100 − end_condition)·(age/life)^exponent. table: points joined by straight lines. weibull: 100 times the share that survives, 100·exp(−(age/η)^shape). markov: a matrix of the probabilities to be in another state, 1 (very good) to 5 (very poor), a year later." example:"curve"`

	EndCondition *float64 `json:"end_condition" minimum:"0" maximum:"99" decimals:"3" unit:"point" doc:"Of a curve: the condition at the end of the useful life. 20 when left out." example:"20"`
	Exponent     *float64 `json:"exponent" minimum:"0.1" maximum:"10" decimals:"6" doc:"Of a curve: 1 is a straight line; above 1 it falls slowly at first. 1 when left out." example:"2"`

	Points []ModelPoint `json:"points" maxItems:"50" doc:"Of a table: the first is life_pct 0 with condition 100, each later and lower than the one before. The last line goes on to 0." example:"[{\"life_pct\":0,\"condition\":100},{\"life_pct\":50,\"condition\":80},{\"life_pct\":100,\"condition\":20}]"`

	Shape           *float64 `json:"shape" minimum:"0.1" maximum:"20" decimals:"6" doc:"Of weibull: below 1 fewer fail as they age, 1 chance alone, above 1 more." example:"2.5"`
	MedianLifeYears *float64 `json:"median_life_years" minimum:"0.1" maximum:"1000" decimals:"3" unit:"year" doc:"Of weibull: the age at which half have failed; the useful life when left out. η = median/(ln 2)^(1/shape)." example:"60"`

	Matrix      []MatrixRow `json:"matrix" maxItems:"5" doc:"Of markov: five rows, of what is in state 1 to 5. Either this, mean_years or median_years."`
	MeanYears   []float64   `json:"mean_years" maxItems:"4" doc:"Of markov: how long something stays in states 1 to 4 on average, τ; it stays another year with 1 − 1/τ, and else goes one state down." example:"[10,8,6,5]"`
	MedianYears []float64   `json:"median_years" maxItems:"4" doc:"Of markov: after how long half have left states 1 to 4, T; something stays another year with 0.5^(1/T), and else goes one state down." example:"[12,9,7,5]"`
}

// ModelPoint is the condition after a part of the useful life.
type ModelPoint struct {
	LifePct   float64 `json:"life_pct" minimum:"0" maximum:"1000" unit:"percent" doc:"Part of the useful life." example:"50"`
	Condition float64 `json:"condition" minimum:"0" maximum:"100" unit:"point" doc:"The condition then." example:"80"`
}

// MatrixRow is what becomes of something in one state within a year.
type MatrixRow struct {
	Probabilities []float64 `json:"probabilities" maxItems:"5" doc:"To be in state 1 to 5. They sum to 1; to a better state it is 0." example:"[0.9,0.1,0,0,0]"`
}

var deteriorationModels = resource.Definition[DeteriorationModel]{
	Collection: "deterioration_models", Table: "deterioration_model", NaturalKey: "code", Category: "kind",
	BeforeWrite: func(_ context.Context, _ pgx.Tx, changes []*resource.Change[DeteriorationModel]) error {
		for _, c := range changes {
			if c.After != nil {
				c.After.check(c.FieldError)
			}
		}
		return nil
	},
}

const (
	states    = 5
	tolerance = 1e-9 // of the sum of a row
)

func (m *DeteriorationModel) check(fieldError func(field, format string, args ...any)) {
	for _, f := range []struct {
		name, kind string
		given      bool
	}{
		{"end_condition", "curve", m.EndCondition != nil}, {"exponent", "curve", m.Exponent != nil}, {"points", "table", len(m.Points) > 0},
		{"shape", "weibull", m.Shape != nil}, {"median_life_years", "weibull", m.MedianLifeYears != nil},
		{"matrix", "markov", len(m.Matrix) > 0}, {"mean_years", "markov", len(m.MeanYears) > 0},
		{"median_years", "markov", len(m.MedianYears) > 0},
	} {
		if f.given && f.kind != m.Kind {
			fieldError(f.name, "is for models of the kind %s; this one is a %s", f.kind, m.Kind)
		}
	}
	switch m.Kind {
	case "table":
		m.checkPoints(fieldError)
	case "weibull":
		if m.Shape == nil {
			fieldError("shape", "is required for weibull; between 2 and 4 is usual")
		}
	case "markov":
		m.checkMatrix(fieldError)
	}
}

func (m *DeteriorationModel) checkPoints(fieldError func(field, format string, args ...any)) {
	if len(m.Points) < 2 {
		fieldError("points", "must be two or more, from {\"life_pct\": 0, \"condition\": 100} on")
		return
	}
	if first := m.Points[0]; first.LifePct != 0 || first.Condition != 100 {
		fieldError("points[0]", "must be {\"life_pct\": 0, \"condition\": 100}: what is new")
	}
	for i := 1; i < len(m.Points); i++ {
		before, now := m.Points[i-1], m.Points[i]
		if now.LifePct <= before.LifePct {
			fieldError(at("points", i, "life_pct"), "must be above %v, that of the point before", before.LifePct)
		}
		if now.Condition >= before.Condition {
			fieldError(at("points", i, "condition"), "must be below %v, that of the point before: nothing gets better by itself", before.Condition)
		}
	}
}

func (m *DeteriorationModel) checkMatrix(fieldError func(field, format string, args ...any)) {
	given := 0
	for _, n := range []int{len(m.Matrix), len(m.MeanYears), len(m.MedianYears)} {
		if n > 0 {
			given++
		}
	}
	if given != 1 {
		fieldError("matrix", "markov has exactly one of matrix, mean_years and median_years")
		return
	}
	checkStays("mean_years", m.MeanYears, 1, fieldError)
	checkStays("median_years", m.MedianYears, 0.1, fieldError)
	if len(m.Matrix) > 0 && len(m.Matrix) != states {
		fieldError("matrix", "must have 5 rows, for the states 1 to 5; it has %d", len(m.Matrix))
		return
	}
	for i, row := range m.Matrix {
		field := at("matrix", i, "probabilities")
		if len(row.Probabilities) != states {
			fieldError(field, "must have 5 numbers, for the states 1 to 5; it has %d", len(row.Probabilities))
			continue
		}
		sum := 0.0
		for to, p := range row.Probabilities {
			sum += p
			if p < 0 || p > 1 {
				fieldError(entry(field, to), "must be from 0 to 1")
			}
			if to < i && p > 0 {
				fieldError(field, "must be 0 for states better than %d: nothing gets better by itself", i+1)
			}
		}
		if math.Abs(sum-1) > tolerance {
			fieldError(field, "must sum to 1; they sum to %v", sum)
		}
	}
}

// checkStays objects to years in the states 1 to 4 that are too many, too few, or none.
func checkStays(name string, years []float64, minimum float64, fieldError func(field, format string, args ...any)) {
	if n := len(years); n > 0 && n != states-1 {
		fieldError(name, "must have 4 numbers, for the states 1 to 4; it has %d", n)
	}
	for i, y := range years {
		if y < minimum || y > 1000 {
			fieldError(entry(name, i), "must be from %v to 1000 years", minimum)
		}
	}
}
