package los

import (
	"context"
	"math/big"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// ScorecardRequest is a request for the scorecard of a service area.
type ScorecardRequest struct {
	ID   string  `path:"id" format:"uuid" doc:"Of the service area, as the list gives it."`
	AsOf *string `query:"as_of" format:"date" doc:"Count measurements of periods that had ended by this day, with the targets of their years. Left out: everything recorded so far, as in the list of measures." example:"2025-12-31"`
}

// Scorecard is the state of a service area: its measures, and how many of them meet their targets.
type Scorecard struct {
	ID       string  `json:"id" format:"uuid"`
	Name     string  `json:"name"`
	Category *string `json:"category"`
	AsOf     string  `json:"as_of" format:"date" doc:"Day of the figures; today in the organization's time zone when it was left out."`

	Met           int      `json:"met" doc:"Measures whose latest measurement meets its target."`
	Near          int      `json:"near" doc:"Measures whose latest measurement is within tolerance_pct of its target."`
	Missed        int      `json:"missed" doc:"Measures whose latest measurement is farther from its target than that."`
	NoTarget      int      `json:"no_target" doc:"Measures whose latest measurement has no number to be compared with; texts are among them."`
	NoData        int      `json:"no_data" doc:"Measures that nothing was recorded for."`
	AttainmentPct *float64 `json:"attainment_pct" unit:"percent" doc:"100 × the weight of the measures that are met ÷ the weight of those that are met, near or missed, 2 decimals. Near does not count as met. null where nothing can be compared."`

	Measures []ScorecardMeasure `json:"measures" doc:"Every measure of the area, in the order in which they were made."`
}

// ScorecardMeasure is the state of one measure.
type ScorecardMeasure struct {
	ID          string             `json:"id" format:"uuid"`
	Name        string             `json:"name"`
	Code        *string            `json:"code"`
	MeasureType string             `json:"measure_type" enum:"community,technical"`
	Attribute   *string            `json:"attribute"`
	ValueKind   string             `json:"value_kind"`
	Unit        *string            `json:"unit"`
	Direction   string             `json:"direction" enum:"higher_is_better,lower_is_better,target_is_best"`
	Weight      float64            `json:"weight"`
	Latest      *LatestMeasurement `json:"latest" doc:"The measurement whose period ended last."`
	TargetYear  *int               `json:"target_year" doc:"Year of the target that it is held against."`
	TargetValue *float64           `json:"target_value"`
	TargetText  *string            `json:"target_text"`
	Attainment  string             `json:"attainment" enum:"met,near,missed,no_target,no_data"`
	Variance    *float64           `json:"variance" doc:"Value less target."`
	Trend       *string            `json:"trend" enum:"improving,stable,declining"`
	IsStale     *bool              `json:"is_stale" doc:"Whether the period ended more than two years before as_of."`
}

// scorecardSQL gives the measures of an area ($1) by the measurements up to $2, as of $3: one statement, whatever the
// number of measures.
var scorecardSQL = `
	SELECT t.id::text, t.name, t.code, t.measure_type, t.attribute, t.value_kind, t.unit, t.direction, t.weight,
		l.id::text, l.period_start::text, l.period_end::text, l.value, l.value_text, g.year, g.target_value, g.target_text,
		CASE WHEN l.id IS NULL THEN 'no_data' ELSE ` +
	indicators.Attainment("t.direction", "l.value", "g.target_value", "t.tolerance_pct") + ` END,
		` + indicators.VarianceFromTarget("l.value", "g.target_value") + ", " +
	indicators.Trend("t.direction", "n.previous", "n.latest", "n.target") + `,
		` + indicators.Stale("l.period_end", "$3::date") + `
	FROM measure t
	LEFT JOIN LATERAL ` + latestWith("id", "target_id", "$2::date") + ` l ON true
	LEFT JOIN target g ON g.organization_id = t.organization_id AND g.id = l.target_id
	LEFT JOIN LATERAL ` + lastTwo("$2::date") + ` n ON true
	WHERE t.organization_id = current_organization() AND t.service_area_id = $1::uuid
	ORDER BY t.position`

func (f family) mountScorecard() {
	transport.Get(f.registry.API, transport.Operation{
		Path: "/v1/los/service-areas/{id}/scorecard", ID: "get_los_scorecard", Scope: "los:read", Feature: feature,
		Summary: "Score a service area: which measures meet their targets, come near or miss them",
		Description: "Each measure counts by its latest measurement, against the current target of the year in which that period ended, " +
			"else of the latest year before.",
	}, f.score)
}

func (f family) score(ctx context.Context, in ScorecardRequest) (Scorecard, error) {
	card := Scorecard{ID: strings.ToLower(in.ID), AsOf: resource.Today(ctx), Measures: []ScorecardMeasure{}}
	bound := "infinity"
	if in.AsOf != nil {
		card.AsOf, bound = *in.AsOf, *in.AsOf
	}
	found := false
	err := f.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
		batch.Queue("SELECT name, category FROM service_area WHERE organization_id = current_organization() AND id = $1::uuid",
			card.ID).Query(func(rows pgx.Rows) error {
			_, err := pgx.ForEachRow(rows, []any{&card.Name, &card.Category}, func() error { found = true; return nil })
			return err
		})
		batch.Queue(scorecardSQL, card.ID, bound, card.AsOf).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				m, err := scanScorecardMeasure(rows)
				if err != nil {
					return err
				}
				card.Measures = append(card.Measures, m)
			}
			return rows.Err()
		})
	})
	if err == nil && !found {
		err = fault.NotFound("service area", card.ID)
	}
	card.count()
	return card, err
}

func scanScorecardMeasure(row pgx.Row) (m ScorecardMeasure, err error) {
	var id, start, end *string
	latest := &LatestMeasurement{}
	err = row.Scan(&m.ID, &m.Name, &m.Code, &m.MeasureType, &m.Attribute, &m.ValueKind, &m.Unit, &m.Direction, &m.Weight,
		&id, &start, &end, &latest.Value, &latest.ValueText, &m.TargetYear, &m.TargetValue, &m.TargetText,
		&m.Attainment, &m.Variance, &m.Trend, &m.IsStale)
	if id != nil {
		latest.ID, latest.PeriodStart, latest.PeriodEnd = *id, *start, *end
		m.Latest = latest
	}
	return m, err
}

// count counts the measures by attainment.
func (card *Scorecard) count() {
	counts := map[string]*int{"met": &card.Met, "near": &card.Near, "missed": &card.Missed, "no_target": &card.NoTarget,
		"no_data": &card.NoData}
	met, compared := new(big.Rat), new(big.Rat)
	for _, m := range card.Measures {
		*counts[m.Attainment]++
		switch m.Attainment {
		case "met":
			met.Add(met, exact(m.Weight))
			compared.Add(compared, exact(m.Weight))
		case "near", "missed":
			compared.Add(compared, exact(m.Weight))
		}
	}
	if compared.Sign() > 0 {
		pct := rounded(met.Mul(met.Quo(met, compared), big.NewRat(100, 1)), 2)
		card.AttainmentPct = &pct
	}
}

// scorecardRow is a row of the scorecard as CSV.
type scorecardRow struct {
	ServiceAreaID   string  `json:"service_area_id"`
	ServiceAreaName string  `json:"service_area_name"`
	Category        *string `json:"category"`
	AsOf            string  `json:"as_of" format:"date"`
	ScorecardMeasure
}

// Table is the scorecard as CSV: a row for each measure.
func (s Scorecard) Table() transport.Table {
	rows := make([]scorecardRow, len(s.Measures))
	for i, measure := range s.Measures {
		rows[i] = scorecardRow{s.ID, s.Name, s.Category, s.AsOf, measure}
	}
	return transport.TableOf(rows)
}
