package los

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource"
)

// Measurement is the value of a measure in a period.
type Measurement struct {
	resource.Record
	MeasureID   string   `json:"measure_id" required:"true" references:"los_measures" filter:"equals" doc:"The measure." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	PeriodStart string   `json:"period_start" required:"true" format:"date" unique:"measure_id,period_end" filter:"range" sort:"true" doc:"First day of the period. A measure has at most one measurement of a period." example:"2025-01-01"`
	PeriodEnd   string   `json:"period_end" required:"true" format:"date" filter:"range" sort:"true" doc:"Last day of the period, period_start or later." example:"2025-12-31"`
	Value       *float64 `json:"value" filter:"range" sort:"true" doc:"The number; required where the measure's values are numbers." example:"71.4"`
	ValueText   *string  `json:"value_text" maxLength:"5000" doc:"The level in words; for measures whose value_kind is narrative or rating." example:"good"`
	Note        *string  `json:"note" maxLength:"5000" doc:"Remarks for colleagues." example:"Relevé d'octobre, chaussées pavées seulement"`
	EvidenceURL *string  `json:"evidence_url" maxLength:"2000" pattern:"^https?://[^\\s<>\"]+$" patternDescription:"a web address such as https://example.ca/report.pdf" doc:"Where the report, the map or the survey can be seen." example:"https://example.ca/rapports/chaussees-2025.pdf"`

	Attainment string   `json:"attainment" readOnly:"true" enum:"met,near,missed,no_target" filter:"equals" doc:"Against the current target of the year in which the period ends, else of the latest year before. Texts are for people to judge: no_target."`
	Variance   *float64 `json:"variance" readOnly:"true" doc:"Value less target: negative below it, whichever direction is better."`
}

// comparedWithTarget is an expression over the measurement t, its measure and the target that counts for it. Because of the limit the
// target is looked up once, however often the expression names it.
func comparedWithTarget(expression string) string {
	return "(SELECT " + expression + " FROM (SELECT e.direction, e.tolerance_pct, " +
		countingTarget("target_value", "t.measure_id", "t.period_end") + ` AS target
		FROM measure e WHERE e.organization_id = t.organization_id AND e.id = t.measure_id LIMIT 1) j)`
}

var measurements = resource.Definition[Measurement]{
	Collection: "los_measurements", Table: "measurement", Label: "period_end",
	Computed: map[string]string{
		"attainment": comparedWithTarget(indicators.Attainment("j.direction", "t.value", "j.target", "j.tolerance_pct")),
		"variance":   comparedWithTarget(indicators.VarianceFromTarget("t.value", "j.target")),
	},
	BeforeWrite: prepareMeasurements,
	Events:      map[string]resource.Emits[Measurement]{"los.target_missed": resource.Among(newlyMissed)},
}

func prepareMeasurements(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Measurement]) error {
	var ids []string
	for _, c := range changes {
		if c.After != nil {
			ids = append(ids, c.After.MeasureID)
		}
	}
	kinds, err := valueKinds(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		if c.After.PeriodEnd < c.After.PeriodStart {
			c.FieldError("period_end", "must be period_start (%s) or later", c.After.PeriodStart)
		}
		if kind := kinds[c.After.MeasureID]; kind != "" { // unknown measures were rejected before
			checkValue(kind, c.After.Value, c.After.ValueText, "value", "value_text", c.FieldError)
		}
	}
	return nil
}
