package assets

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource"
)

// ConditionAssessment is what somebody found out, or reported, about an asset's condition on a day. Which one drives the asset's condition
// and costs is a rule of package indicators; see statements.go.
type ConditionAssessment struct {
	resource.Record
	AssetID                 string   `json:"asset_id" readOnly:"true" references:"assets" doc:"The asset that was assessed." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	AssessedOn              string   `json:"assessed_on" required:"true" format:"date" filter:"range" sort:"true" doc:"Day of the assessment, not in the future." example:"2026-05-12"`
	ConditionRating         *int     `json:"condition_rating" minimum:"1" maximum:"5" filter:"range" sort:"true" doc:"Condition from 1 (very good) to 5 (very poor). Left out, it follows from the index. Null where a rating that was reported on the asset was taken back." example:"3"`
	IndexType               *string  `json:"index_type" enum:"pci,bci,pacp_5,iimm_5,iri,other_100" filter:"equals" doc:"Condition index that was measured: pci, bci and other_100 from 0 to 100 (best), pacp_5 and iimm_5 from 1 (best) to 5, iri in m/km, which implies no rating." example:"other_100"`
	IndexValue              *float64 `json:"index_value" filter:"range" doc:"Value of the index; 85, 70, 55 and 40 of 100 are the lower ends of ratings 1 to 4." example:"62.5"`
	Method                  *string  `json:"method" enum:"visual,detailed,instrument,desktop,age_based,reported" filter:"equals" doc:"How the condition was found out. reported and age_based are weak: any other, also none, outweighs them for five years." example:"visual"`
	Assessor                *string  `json:"assessor" maxLength:"200" filter:"equals" sort:"true" doc:"Who assessed it." example:"Geneviève Côté"`
	ReplacementCost         *float64 `json:"replacement_cost" money:"true" doc:"What replacing it would cost, in prices of the year of assessed_on; becomes the asset's unless something later is said." example:"48500.00"`
	DeferredMaintenanceCost *float64 `json:"deferred_maintenance_cost" money:"true" doc:"Maintenance found overdue; becomes the asset's unless something later is said." example:"3200.00"`
	Defects                 []string `json:"defects" maxItems:"100" doc:"What was found wrong." example:"[\"Corrosion du collecteur\"]"`
	Notes                   *string  `json:"notes" maxLength:"5000" doc:"Remarks for colleagues." example:"À revoir avant l'hiver"`
	Currency                string   `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`

	Deficiencies []deficiencies.FoundDeficiency `json:"deficiencies" writeOnly:"true" makes:"deficiencies" maxItems:"100" doc:"What was found deficient on the asset: made with the assessment, at /v1/deficiencies, as found on its day. Only when it is made; needs deficiencies:write."`
}

func (f family) conditionAssessments() resource.Definition[ConditionAssessment] {
	return resource.Definition[ConditionAssessment]{
		Collection: "condition_assessments", Table: "condition_assessment", Parent: "asset_id", Label: "assessed_on",
		Computed:    map[string]string{"currency": resource.Currency},
		BeforeWrite: prepareAssessments,
		AfterWrite:  f.afterAssessments,
	}
}

func prepareAssessments(ctx context.Context, tx pgx.Tx, changes []*resource.Change[ConditionAssessment]) error {
	for _, c := range changes {
		if c.After != nil {
			c.After.check(c.Before, resource.Today(ctx), c.FieldError)
			if c.Before != nil && len(c.After.Deficiencies) > 0 {
				c.FieldError("deficiencies", "can be sent when the assessment is made; make others at /v1/deficiencies")
			}
		}
	}
	// Another transaction that says something of one of these assets waits, so that all that was said is found.
	_, err := tx.Exec(ctx, `SELECT FROM asset WHERE organization_id = current_organization() AND id = ANY($1::uuid[])
		ORDER BY id FOR NO KEY UPDATE`, assessed(changes))
	return err
}

func (f family) afterAssessments(ctx context.Context, tx pgx.Tx, changes []*resource.Change[ConditionAssessment]) error {
	if err := f.updateConditions(ctx, tx, changes); err != nil {
		return err
	}
	return f.makeFound(ctx, tx, changes)
}

// makeFound makes the deficiencies that assessments bring.
func (f family) makeFound(ctx context.Context, tx pgx.Tx, changes []*resource.Change[ConditionAssessment]) error {
	var bodies []map[string]any
	var places []string
	for _, c := range changes {
		if c.Before != nil || c.After == nil {
			continue
		}
		for i, found := range c.After.Deficiencies {
			body, err := found.Body("asset_id", c.After.AssetID, c.After.AssessedOn, "assessment", c.ID())
			if err != nil {
				return err
			}
			bodies, places = append(bodies, body), append(places, c.At(fmt.Sprintf("deficiencies[%d].", i)))
		}
	}
	_, err := f.registry.CreateAll(ctx, tx, "deficiencies", "", bodies, func(i int) string { return places[i] })
	return err
}

// assessed lists the assets that the changes are about, each once.
func assessed(changes []*resource.Change[ConditionAssessment]) []string {
	var ids []string
	for _, c := range changes {
		if c.After != nil {
			ids = append(ids, c.After.AssetID)
		} else {
			ids = append(ids, c.Before.AssetID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (a *ConditionAssessment) check(before *ConditionAssessment, today string, fieldError func(field, format string, args ...any)) {
	if a.AssessedOn > today {
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
	if a.ConditionRating == nil && (before == nil || before.ConditionRating != nil) { // one that says that the rating was taken back stays
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

// conditionChanged reports whether the asset's condition is another one than before, by an assessment or by hand.
func conditionChanged(before, after *Asset) bool {
	return !resource.Same(before.ConditionRating, after.ConditionRating)
}
