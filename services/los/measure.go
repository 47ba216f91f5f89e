package los

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// Measure is one way to describe how good a service is: in words for the community, or in numbers.
type Measure struct {
	resource.Record
	ServiceAreaID string  `json:"service_area_id" required:"true" references:"los_service_areas" filter:"equals" doc:"The service area." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Name          string  `json:"name" required:"true" maxLength:"300" unique:"service_area_id" filter:"equals" sort:"true" search:"name" doc:"What is measured; unique in its service area." example:"Indice moyen d'état de la chaussée"`
	Code          *string `json:"code" maxLength:"50" unique:"true" filter:"equals" sort:"true" search:"code" doc:"Short code of your own; unique in the organization." example:"RTE-T4"`
	Description   *string `json:"description" maxLength:"5000" doc:"How it is measured." example:"Moyenne des routes pavées, pondérée par la longueur"`
	MeasureType   string  `json:"measure_type" required:"true" enum:"community,technical" filter:"equals" sort:"true" doc:"community: as people experience the service. technical: as the organization measures it." example:"technical"`
	Attribute     *string `json:"attribute" enum:"scope,quality,reliability,safety,responsiveness,capacity,accessibility,affordability,sustainability" filter:"equals" sort:"true" doc:"The side of the service that it tells about." example:"quality"`

	ValueKind string  `json:"value_kind" default:"number" enum:"number,percentage,ratio,count,money,hours,rating,narrative" filter:"equals" sort:"true" doc:"What its values are. narrative: a text. rating: a number, or a word such as good. All others: a number. Fixed once there are targets or measurements." example:"number"`
	Unit      *string `json:"unit" maxLength:"50" doc:"Unit of its values." example:"PCI"`
	Direction string  `json:"direction" default:"higher_is_better" enum:"higher_is_better,lower_is_better,target_is_best" filter:"equals" doc:"Which values are better." example:"higher_is_better"`
	Frequency string  `json:"frequency" default:"annual" enum:"monthly,quarterly,semi_annual,annual" filter:"equals" sort:"true" doc:"How often it is measured." example:"annual"`

	DataSource     string  `json:"data_source" default:"manual" enum:"manual,computed" filter:"equals" doc:"manual: people record its values. computed: POST …/compute makes one from the figures of other services. Follows computed_metric when left out." example:"computed"`
	ComputedMetric *string `json:"computed_metric" enum:"avg_condition_rating,pct_good_or_better,pct_past_useful_life,fci_pct,avg_pci,avg_unpaved_condition,avg_bci,avg_bci_bridges,avg_bci_culverts,pct_bridges_restricted,wo_completed_on_time_pct,wo_median_response_hours,wo_sla_met_pct,pm_compliance_pct,breaks_per_100km,connection_days_breaks,connection_days_backups,lane_km,lane_km_arterial_per_km2,lane_km_collector_per_km2,lane_km_local_per_km2" filter:"equals" doc:"The figure that it is computed from; required when data_source is computed." example:"avg_pci"`
	RegulationRef  *string `json:"regulation_ref" maxLength:"200" filter:"prefix" sort:"true" doc:"The rule that asks for it. As a filter: everything that begins with it." example:"O. Reg. 588/17, Table 4, quality, technical 1"`
	TolerancePct   float64 `json:"tolerance_pct" default:"5" minimum:"0" maximum:"100" unit:"percent" doc:"How far from the target, in percent of it, a value is still near (or met, where the target is best)." example:"5"`
	Weight         float64 `json:"weight" default:"1" minimum:"0" maximum:"1000000" doc:"What it weighs in the scorecard's attainment_pct; 0 leaves it out of that." example:"1"`

	Latest     *LatestMeasurement `json:"latest" readOnly:"true" doc:"The measurement whose period ended last."`
	Attainment string             `json:"attainment" readOnly:"true" enum:"met,near,missed,no_target,no_data" filter:"equals" doc:"Of the latest measurement: against the current target of its year, else of the latest year before. Texts are for people to judge: no_target. no_data: nothing was measured yet."`
	Trend      *string            `json:"trend" readOnly:"true" enum:"improving,stable,declining" filter:"equals" doc:"From the last two numbers; within 1 % is stable. null with fewer than two."`
	IsStale    *bool              `json:"is_stale" readOnly:"true" filter:"equals" doc:"Whether the latest measurement's period ended more than two years ago; null where nothing was measured."`
}

// LatestMeasurement is what a measure shows of its latest measurement.
type LatestMeasurement struct {
	ID          string   `json:"id" format:"uuid"`
	PeriodStart string   `json:"period_start" format:"date"`
	PeriodEnd   string   `json:"period_end" format:"date"`
	Value       *float64 `json:"value"`
	ValueText   *string  `json:"value_text"`
}

var measures = resource.Definition[Measure]{
	Collection: "los_measures", Table: "measure", NaturalKey: "code", Category: "measure_type",
	Computed: map[string]string{
		"latest": `(SELECT json_build_object('id', l.id, 'period_start', l.period_start, 'period_end', l.period_end, 'value', l.value,
			'value_text', l.value_text)
			FROM ` + latest(unbounded) + ` l)`,
		"attainment": "coalesce((SELECT " + indicators.Attainment("t.direction", "l.value", "l.target", "t.tolerance_pct") + " FROM " +
			latest(unbounded) + " l), 'no_data')",
		"trend":    "(SELECT " + indicators.Trend("t.direction", "l.previous", "l.latest", "l.target") + " FROM " + lastTwo(unbounded) + " l)",
		"is_stale": "(SELECT " + indicators.Stale("l.period_end", indicators.Today) + " FROM " + latest(unbounded) + " l)",
	},
	BeforeWrite: prepareMeasures,
}

func prepareMeasures(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Measure]) error {
	for _, c := range changes {
		if c.After != nil {
			if c.Sets("computed_metric") && !c.Sets("data_source") {
				c.After.setDataSource()
			}
			c.After.check(c.FieldError)
		}
	}
	return rejectKindChanges(ctx, tx, changes)
}

func (m *Measure) setDataSource() {
	m.DataSource = "manual"
	if m.ComputedMetric != nil {
		m.DataSource = "computed"
	}
}

func (m *Measure) check(fieldError func(field, format string, args ...any)) {
	switch computed := m.DataSource == "computed"; {
	case computed && m.ComputedMetric == nil:
		fieldError("computed_metric", "is required when data_source is computed: one of %s", strings.Join(metricNames(), ", "))
	case !computed && m.ComputedMetric != nil:
		fieldError("data_source", "must be computed while there is a computed_metric; set it to computed, or computed_metric to null")
	case computed && slices.Contains([]string{"narrative", "count", "money"}, m.ValueKind):
		fieldError("value_kind", "cannot be %s: %s is a number with decimals; choose number, percentage, ratio, hours or rating",
			m.ValueKind, *m.ComputedMetric)
	}
}

// rejectKindChanges rejects another kind of values for a measure that has values. The measures are locked: a transaction that records
// a value for one of them waits, or its value is counted here.
func rejectKindChanges(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Measure]) error {
	changed := map[string]*resource.Change[Measure]{}
	var ids []string
	for _, c := range changes {
		if c.Before != nil && c.After != nil && c.Before.ValueKind != c.After.ValueKind {
			changed[c.ID()], ids = c, append(ids, c.ID())
		}
	}
	if ids == nil {
		return nil
	}
	rows, err := tx.Query(ctx, `
		SELECT m.id::text, (SELECT count(*) FROM target t WHERE t.organization_id = m.organization_id AND t.measure_id = m.id),
			(SELECT count(*) FROM measurement t WHERE t.organization_id = m.organization_id AND t.measure_id = m.id)
		FROM measure m WHERE m.organization_id = current_organization() AND m.id = ANY($1::uuid[])`, ids)
	if err != nil {
		return err
	}
	var id string
	var targets, measurements int
	_, err = pgx.ForEachRow(rows, []any{&id, &targets, &measurements}, func() error {
		if c := changed[id]; targets+measurements > 0 {
			dependents := map[string]int{"los_targets": targets, "los_measurements": measurements}
			c.Reject(fault.StillInUse("value_kind", c.After.ValueKind, dependents,
				"value_kind stays %s while the measure has targets (%d) or measurements (%d); make a new measure, or delete those first.",
				c.Before.ValueKind, targets, measurements))
		}
		return nil
	})
	return err
}
