package infrastructure

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
)

// InfrastructureDeficiency is something found wrong with a segment, what correcting it would cost, and what became of it.
type InfrastructureDeficiency struct {
	resource.Record
	SegmentID string `json:"segment_id" required:"true" references:"segments" filter:"equals" doc:"The segment that it was found on." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	deficiencies.Finding
}

func (f family) deficiencies() resource.Definition[InfrastructureDeficiency] {
	return resource.Definition[InfrastructureDeficiency]{
		Collection: "infrastructure_deficiencies", Table: "deficiency", NaturalKey: "number", Label: "title", Category: "category",
		Computed: map[string]string{"currency": resource.Currency},
		Totals: &resource.Totals{Doc: resource.TotalsDoc, Sums: []resource.Sum{
			{Name: "estimated_cost", SQL: "t.estimated_cost", Doc: "Of those that have one, each in prices of its cost_year."},
		}, Groups: []string{"status", "priority", "category", "source", "action_year", "segment_id"}},
		Filters: map[string]resource.Filter{
			"network_id": {
				Kind: schema.UUID,
				Doc:  "Only deficiencies of segments of this network.",
				SQL:  "t.segment_id IN (SELECT s.id FROM segment s WHERE s.organization_id = $1 AND s.network_id = $2)",
			},
			"site_id": {
				Kind: schema.UUID,
				Doc:  "Only deficiencies of segments at this site.",
				SQL:  "t.segment_id IN (SELECT s.id FROM segment s WHERE s.organization_id = $1 AND s.site_id = $2)",
			},
		},
		Transitions: resource.Transitions{Field: "status", Ended: deficiencies.Ended, From: deficiencies.Moves, With: deficiencies.MovesWith},
		BeforeWrite: prepareDeficiencies,
		Events: map[string]resource.Emits[InfrastructureDeficiency]{
			"infrastructure_deficiency.corrected": resource.When(isCorrected),
		},
		AfterWrite: deferMaintenance,
	}
}

// isCorrected reports whether a change corrects a deficiency, or enters a corrected one.
func isCorrected(c *resource.Change[InfrastructureDeficiency]) bool {
	return c.After != nil && c.After.Status == "corrected" && (c.Before == nil || c.Before.Status != "corrected")
}

func prepareDeficiencies(ctx context.Context, tx pgx.Tx, changes []*resource.Change[InfrastructureDeficiency]) error {
	for _, c := range changes {
		switch {
		case c.After == nil:
			rejectDelete(c)
		case c.Before == nil:
			c.After.Check(nil, c.Sets, resource.Today(ctx), c.FieldError)
		default:
			c.After.Check(&c.Before.Finding, c.Sets, resource.Today(ctx), c.FieldError)
		}
	}
	// Another transaction that says something of one of these segments waits, so that all of its deficiencies are added up.
	_, err := tx.Exec(ctx, `SELECT FROM segment WHERE organization_id = current_organization() AND id = ANY($1::uuid[])
		ORDER BY id FOR NO KEY UPDATE`, deficient(changes))
	return err
}

// rejectDelete allows deleting what was entered by mistake: what is open, and what nobody has begun to plan.
func rejectDelete(c *resource.Change[InfrastructureDeficiency]) {
	switch d := c.Before; {
	case d.Status != "open":
		way := "it stays on record"
		if slices.Contains(deficiencies.Moves[d.Status], "void") {
			way = "make it void instead"
		}
		c.Reject(fault.Conflict("delete_not_allowed", "status", d.Status, "The deficiency is %s. Only open ones can be deleted; %s.",
			d.Status, way))
	case d.WorkOrderID != nil:
		c.Reject(fault.StillInUse("work_order_id", *d.WorkOrderID, map[string]int{"work_orders": 1},
			"The deficiency is named by a work order; withdraw it there first."))
	case d.ProjectID != nil:
		c.Reject(fault.StillInUse("project_id", *d.ProjectID, map[string]int{"projects": 1},
			"The deficiency is named by a project; withdraw it there first."))
	}
}

// deficient lists the segments that the changes are about, including those that a deficiency is moved from.
func deficient(changes []*resource.Change[InfrastructureDeficiency]) []string {
	var ids []string
	for _, c := range changes {
		if c.Before != nil {
			ids = append(ids, c.Before.SegmentID)
		}
		if c.After != nil {
			ids = append(ids, c.After.SegmentID)
		}
	}
	return ids
}

// deferMaintenance adds up the deficiencies of the segments anew, and shows what of them counts this year. The segments keep their
// versions: a deficiency has its own, and the history of a segment says what was typed on it.
func deferMaintenance(ctx context.Context, tx pgx.Tx, changes []*resource.Change[InfrastructureDeficiency]) error {
	_, err := tx.Exec(ctx, sumsSQL, deficient(changes))
	return err
}

// sumsSQL adds up the deficiencies of the segments $1, for the figures of today. What was typed on a segment is kept while its deferred
// maintenance follows from deficiencies, and is there again when only void ones are left.
var sumsSQL = `UPDATE segment t SET deficiency_years = n.deficiency_years, deficiency_costs = n.deficiency_costs,
		deficiency_unpriced = n.deficiency_unpriced, deficiency_cost_year = n.deficiency_cost_year,
		typed_deferred_cost = CASE WHEN t.deficiency_years IS NULL THEN t.deferred_maintenance_cost ELSE t.typed_deferred_cost END,
		typed_deferred_as_of = CASE WHEN t.deficiency_years IS NULL THEN t.deferred_maintenance_as_of ELSE t.typed_deferred_as_of END,
		deferred_maintenance_cost = CASE WHEN n.deficiency_years IS NOT NULL THEN ` + deficiencies.Deferred("n", "n.this_year") + `
			WHEN t.deficiency_years IS NULL THEN t.deferred_maintenance_cost ELSE t.typed_deferred_cost END,
		deferred_maintenance_as_of = CASE WHEN n.deficiency_years IS NOT NULL THEN NULL
			WHEN t.deficiency_years IS NULL THEN t.deferred_maintenance_as_of ELSE t.typed_deferred_as_of END
	FROM (SELECT r.id, ` + thisYear + ` AS this_year, s.* FROM (SELECT DISTINCT unnest($1::uuid[]) AS id) r LEFT JOIN (` + deficiencies.Sums(`(
			SELECT d.segment_id AS record_id, d.counts_as_deferred AS counts, d.action_year, d.estimated_cost, d.cost_year FROM deficiency d
			WHERE d.organization_id = current_organization() AND d.segment_id = ANY($1::uuid[]) AND d.status <> 'void') d`) + `) s
				ON s.record_id = r.id) n
	WHERE t.organization_id = current_organization() AND t.id = n.id
		AND (t.deficiency_years, t.deficiency_costs, t.deficiency_unpriced, t.deficiency_cost_year)
			IS DISTINCT FROM (n.deficiency_years, n.deficiency_costs, n.deficiency_unpriced, n.deficiency_cost_year)`

// thisYear is the year that it is for the organization, in SQL.
const thisYear = "extract(year FROM " + indicators.Today + ")::int"

// rejectTyped rejects typing the deferred maintenance of a segment that has deficiencies, from which it follows.
func (s *Segment) rejectTyped(c *resource.Change[Segment]) {
	if c.Before == nil || c.Before.DeferredMaintenanceBasis == nil || *c.Before.DeferredMaintenanceBasis != "deficiencies" ||
		resource.Same(c.Before.DeferredMaintenanceCost, s.DeferredMaintenanceCost) &&
			resource.Same(c.Before.DeferredMaintenanceAsOf, s.DeferredMaintenanceAsOf) {
		return
	}
	c.Reject(fault.Conflict("derived_from_deficiencies", "deferred_maintenance_cost", s.DeferredMaintenanceCost,
		"The segment has deficiencies, from which its deferred maintenance follows; change those at /v1/infrastructure/deficiencies, or leave "+
			"deferred_maintenance_cost and deferred_maintenance_as_of out."))
}
