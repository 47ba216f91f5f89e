package main

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource"
)

// ConditionAssessment is what somebody found out about an asset's condition on a day. The latest one sets the asset's condition.
type ConditionAssessment struct {
	resource.Record
	AssetID                 string   `json:"asset_id" readOnly:"true" references:"assets" doc:"The asset that was assessed." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	AssessedOn              string   `json:"assessed_on" required:"true" format:"date" filter:"range" sort:"true" doc:"Day of the assessment, not in the future." example:"2026-05-12"`
	ConditionRating         *int     `json:"condition_rating" minimum:"1" maximum:"5" filter:"range" sort:"true" doc:"Condition from 1 (very good) to 5 (very poor). Left out, it follows from the index." example:"3"`
	IndexType               *string  `json:"index_type" enum:"pci,bci,pacp_5,iimm_5,iri,other_100" filter:"equals" doc:"Condition index that was measured: pci, bci and other_100 from 0 to 100 (best), pacp_5 and iimm_5 from 1 (best) to 5, iri in m/km, which implies no rating." example:"other_100"`
	IndexValue              *float64 `json:"index_value" filter:"range" doc:"Value of the index; 85, 70, 55 and 40 of 100 are the lower ends of ratings 1 to 4." example:"62.5"`
	Method                  *string  `json:"method" enum:"visual,detailed,instrument,desktop,age_based,reported" filter:"equals" doc:"How the condition was found out." example:"visual"`
	Assessor                *string  `json:"assessor" maxLength:"200" filter:"equals" sort:"true" doc:"Who assessed it." example:"Geneviève Côté"`
	ReplacementCost         *float64 `json:"replacement_cost" money:"true" doc:"What replacing it would cost; of the latest assessment, it becomes the asset's." example:"48500.00"`
	DeferredMaintenanceCost *float64 `json:"deferred_maintenance_cost" money:"true" doc:"Maintenance found overdue; of the latest assessment, it becomes the asset's." example:"3200.00"`
	Defects                 []string `json:"defects" maxItems:"100" doc:"What was found wrong." example:"[\"Corrosion du collecteur\"]"`
	Notes                   *string  `json:"notes" maxLength:"5000" doc:"Remarks for colleagues." example:"À revoir avant l'hiver"`
	Currency                string   `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`
}

func (f family) conditionAssessments() resource.Definition[ConditionAssessment] {
	return resource.Definition[ConditionAssessment]{
		Collection: "condition_assessments", Table: "condition_assessment", Parent: "asset_id", Label: "method",
		Computed:    map[string]string{"currency": resource.Currency},
		BeforeWrite: prepareAssessments,
		AfterWrite:  f.updateConditions,
	}
}

func prepareAssessments(ctx context.Context, tx pgx.Tx, changes []*resource.Change[ConditionAssessment]) error {
	for _, c := range changes {
		if c.After != nil {
			c.After.check(c.Before, c.FieldError)
		}
	}
	// Another transaction that assesses one of these assets waits, so that the latest of all assessments is found.
	_, err := tx.Exec(ctx, `SELECT FROM asset WHERE organization_id = current_organization() AND id = ANY($1::uuid[])
		ORDER BY id FOR NO KEY UPDATE`, assessed(changes))
	return err
}

// assessed lists the assets that the changes are about.
func assessed(changes []*resource.Change[ConditionAssessment]) []string {
	var ids []string
	for _, c := range changes {
		if c.After != nil {
			ids = append(ids, c.After.AssetID)
		} else {
			ids = append(ids, c.Before.AssetID)
		}
	}
	return ids
}

func (a *ConditionAssessment) check(before *ConditionAssessment, fieldError func(field, format string, args ...any)) {
	if a.AssessedOn > resource.Today() {
		fieldError("assessed_on", "must not be in the future")
	}
	switch {
	case a.IndexType != nil && a.IndexValue == nil:
		fieldError("index_value", "is required when index_type is given")
		return
	case a.IndexType == nil && a.IndexValue != nil:
		fieldError("index_type", "is required when index_value is given")
		return
	case a.IndexType != nil:
		a.rate(before, fieldError)
	}
	if a.ConditionRating == nil {
		fieldError("condition_rating", "is required, or an index_type that implies it with its index_value")
	}
}

// rate computes the rating from the index, unless one is given. It is computed again when the index changes.
func (a *ConditionAssessment) rate(before *ConditionAssessment, fieldError func(field, format string, args ...any)) {
	index := indicators.Indexes[*a.IndexType]
	if !index.Contains(*a.IndexValue) {
		fieldError("index_value", "must be between %v and %v for %s", index.Minimum, index.Maximum, strings.ToUpper(*a.IndexType))
		return
	}
	unchanged := before != nil && resource.Same(before.ConditionRating, a.ConditionRating) &&
		!(resource.Same(before.IndexType, a.IndexType) && resource.Same(before.IndexValue, a.IndexValue))
	if a.ConditionRating != nil && !unchanged {
		return
	}
	if rating, known := index.Rating(*a.IndexValue); known {
		a.ConditionRating = &rating
	}
}

// updateConditions sets condition, costs and date of the assets from their latest assessments.
func (f family) updateConditions(ctx context.Context, tx pgx.Tx, changes []*resource.Change[ConditionAssessment]) error {
	return f.registry.UpdateWhere(ctx, tx, "assets",
		[]string{"condition_rating", "condition_assessed_on", "replacement_cost", "replacement_cost_year", "deferred_maintenance_cost"}, `
		SELECT a.id, l.condition_rating, l.assessed_on AS condition_assessed_on,
			coalesce(l.replacement_cost, a.replacement_cost) AS replacement_cost,
			CASE WHEN l.replacement_cost IS NULL THEN a.replacement_cost_year 
				ELSE extract(year FROM l.assessed_on)::int END AS replacement_cost_year,
			coalesce(l.deferred_maintenance_cost, a.deferred_maintenance_cost) AS deferred_maintenance_cost
		FROM asset a LEFT JOIN LATERAL (
			SELECT * FROM condition_assessment c WHERE c.organization_id = $1 AND c.asset_id = a.id
			ORDER BY c.assessed_on DESC, c.position DESC LIMIT 1) l ON true
		WHERE a.organization_id = $1 AND a.id = ANY($2::uuid[])`, assessed(changes))
}

// recordAssessments records every condition rating that was set on an asset itself as an assessment of today. The asset has a history
// entry and an event for it; the assessment has none of its own.
func recordAssessments(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Asset]) error {
	var ids []string
	var ratings []int
	for _, c := range changes {
		if rated(c) {
			ids, ratings = append(ids, c.ID()), append(ratings, *c.After.ConditionRating)
		}
	}
	if ids == nil {
		return nil
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO condition_assessment (organization_id, id, position, created_at, updated_at, created_by, updated_by,
			asset_id, assessed_on, condition_rating, method, assessor)
		SELECT a.organization_id, ($3::uuid[])[r.place], stamp.first_position + r.place - 1, stamp.at, stamp.at, a.updated_by, a.updated_by,
			a.id, a.condition_assessed_on, r.rating, 'reported', a.updated_by->>'name'
		FROM reserve_positions('condition_assessments', $4) stamp,
			unnest($1::uuid[], $2::int[]) WITH ORDINALITY r (asset_id, rating, place)
			JOIN asset a ON a.organization_id = current_organization() AND a.id = r.asset_id`,
		ids, ratings, newIDs(len(ids)), len(ids))
	return err
}

// rated reports whether the caller has set the asset's condition rating.
func rated(c *resource.Change[Asset]) bool {
	return c.After != nil && c.After.ConditionRating != nil &&
		(c.Before == nil || !resource.Same(c.Before.ConditionRating, c.After.ConditionRating))
}

func newIDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = uuid.Must(uuid.NewV7()).String()
	}
	return ids
}

// conditionChanged reports whether the asset's condition is another one than before, by an assessment or by hand.
func conditionChanged(before, after *Asset) bool {
	return !resource.Same(before.ConditionRating, after.ConditionRating)
}
