package infrastructure

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
)

// Inspection is what somebody found out about a segment on a day. The latest one with a rating drives the segment's condition.
type Inspection struct {
	resource.Record
	SegmentID         string   `json:"segment_id" required:"true" references:"segments" filter:"equals" doc:"The segment that was inspected." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	InspectedOn       string   `json:"inspected_on" required:"true" format:"date" filter:"range" sort:"index" doc:"Day of the inspection, not in the future." example:"2026-05-12"`
	Method            *string  `json:"method" enum:"visual,cctv,pavement_survey,osim,acoustic,lidar,desktop,other" filter:"equals" sort:"true" doc:"How it was inspected." example:"cctv"`
	IndexType         *string  `json:"index_type" enum:"pci,bci,pacp_5,iimm_5,iri,other_100" filter:"equals" doc:"Condition index that was measured: pci, bci and other_100 from 0 to 100 (best), pacp_5 and iimm_5 from 1 (best) to 5, iri in m/km, which implies no rating." example:"pci"`
	IndexValue        *float64 `json:"index_value" filter:"range" sort:"true" doc:"Value of the index; 85, 70, 55 and 40 of 100 are the lower ends of ratings 1 to 4, of a bci 85, 70, 60 and 40." example:"62.5"`
	ConditionRating   *int     `json:"condition_rating" minimum:"1" maximum:"5" filter:"range" sort:"true" doc:"Condition from 1 (very good) to 5 (very poor). Left out, it follows from the index; without either the inspection says nothing of the segment's condition." example:"3"`
	Defects           []string `json:"defects" maxItems:"100" doc:"What was found wrong." example:"[\"Fissure circonférentielle à 12,4 m\"]"`
	RecommendedAction *string  `json:"recommended_action" enum:"none,monitor,maintain,rehabilitate,replace" filter:"equals" sort:"true" doc:"What should be done." example:"rehabilitate"`
	EstimatedCost     *float64 `json:"estimated_cost" money:"true" filter:"range" sort:"true" doc:"What that would cost." example:"85000.00"`
	NextDueOn         *string  `json:"next_due_on" format:"date" filter:"range" sort:"true" doc:"Day by which it should be inspected again; not before inspected_on." example:"2031-05-12"`
	Notes             *string  `json:"notes" maxLength:"5000" doc:"Remarks for colleagues." example:"Racines à la jonction 4"`
	Currency          string   `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`

	Deficiencies []deficiencies.FoundDeficiency `json:"deficiencies" writeOnly:"true" makes:"infrastructure_deficiencies" maxItems:"100" doc:"What was found deficient: made with the inspection, at /v1/infrastructure/deficiencies, as found on its day. Only when it is made."`
}

func (f family) inspections() resource.Definition[Inspection] {
	return resource.Definition[Inspection]{
		Collection: "inspections", Table: "inspection",
		Label:    "inspected_on",
		Computed: map[string]string{"currency": resource.Currency},
		Filters: map[string]resource.Filter{"network_id": {
			Kind: schema.UUID,
			Doc:  "Only inspections of segments of this network.",
			SQL:  "t.segment_id IN (SELECT s.id FROM segment s WHERE s.organization_id = $1 AND s.network_id = $2)",
		}},
		BeforeWrite: prepareInspections,
		AfterWrite:  f.afterInspections,
	}
}

func prepareInspections(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Inspection]) error {
	for _, c := range changes {
		if c.After != nil {
			c.After.check(c.Before, resource.Today(ctx), c.FieldError)
			if c.Before != nil && len(c.After.Deficiencies) > 0 {
				c.FieldError("deficiencies", "can be sent when the inspection is made; make others at /v1/infrastructure/deficiencies")
			}
		}
	}
	// Another transaction that inspects one of these segments waits, so that the latest of all inspections is found.
	_, err := tx.Exec(ctx, `SELECT FROM segment WHERE organization_id = current_organization() AND id = ANY($1::uuid[])
		ORDER BY id FOR NO KEY UPDATE`, inspected(changes))
	return err
}

// inspected lists the segments that the changes are about, including those that an inspection is moved from.
func inspected(changes []*resource.Change[Inspection]) []string {
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

func (i *Inspection) check(before *Inspection, today string, fieldError func(field, format string, args ...any)) {
	if i.InspectedOn > today {
		fieldError("inspected_on", "must not be in the future")
	}
	if i.NextDueOn != nil && *i.NextDueOn < i.InspectedOn {
		fieldError("next_due_on", "must not be before inspected_on (%s)", i.InspectedOn)
	}
	switch {
	case i.IndexType != nil && i.IndexValue == nil:
		fieldError("index_value", "is required when index_type is given")
	case i.IndexType == nil && i.IndexValue != nil:
		fieldError("index_type", "is required when index_value is given")
	case i.IndexType != nil:
		i.rate(before, fieldError)
	}
}

// rate computes the rating from the index, unless one is given. It is computed again when the index changes.
func (i *Inspection) rate(before *Inspection, fieldError func(field, format string, args ...any)) {
	index := indicators.Indexes[*i.IndexType]
	if !index.Contains(*i.IndexValue) {
		fieldError("index_value", "must be between %v and %v for %s", index.Minimum, index.Maximum, strings.ToUpper(*i.IndexType))
		return
	}
	unchanged := before != nil && resource.Same(before.ConditionRating, i.ConditionRating) &&
		!(resource.Same(before.IndexType, i.IndexType) && resource.Same(before.IndexValue, i.IndexValue))
	if i.ConditionRating != nil && !unchanged {
		return
	}
	i.ConditionRating = nil
	if rating, known := index.Rating(*i.IndexValue); known {
		i.ConditionRating = &rating
	}
}

func (f family) afterInspections(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Inspection]) error {
	if err := f.updateConditions(ctx, tx, changes); err != nil {
		return err
	}
	return f.makeFound(ctx, tx, changes)
}

// makeFound makes the deficiencies that inspections bring.
func (f family) makeFound(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Inspection]) error {
	var bodies []map[string]any
	var places []string
	for _, c := range changes {
		if c.Before != nil || c.After == nil {
			continue
		}
		for i, found := range c.After.Deficiencies {
			body, err := found.Body("segment_id", c.After.SegmentID, c.After.InspectedOn, "inspection", c.ID())
			if err != nil {
				return err
			}
			bodies, places = append(bodies, body), append(places, c.At(fmt.Sprintf("deficiencies[%d].", i)))
		}
	}
	_, err := f.registry.CreateAll(ctx, tx, "infrastructure_deficiencies", "", bodies, func(i int) string { return places[i] })
	return err
}

// updateConditions derives the condition of the segments from everything that was said of it.
func (f family) updateConditions(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Inspection]) error {
	return f.registry.UpdateWhere(ctx, tx, "segments",
		[]string{"condition_rating", "condition_assessed_on", "condition_method", "condition_source_id"}, `
		SELECT s.id, d.rating AS condition_rating, d.stated_on AS condition_assessed_on, d.method AS condition_method,
			d.source AS condition_source_id
		FROM segment s LEFT JOIN LATERAL (SELECT * FROM (`+ratingsOf("s.id")+`) r ORDER BY `+drivingRating+` LIMIT 1) d ON true
		WHERE s.organization_id = $1 AND s.id = ANY($2::uuid[])`, inspected(changes))
}
