package los

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource"
)

// Target is the value that a measure should have in a year. Current targets count; proposed ones are for discussion.
type Target struct {
	resource.Record
	MeasureID    string   `json:"measure_id" required:"true" references:"los_measures" filter:"equals" doc:"The measure." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Year         int      `json:"year" required:"true" minimum:"1900" maximum:"2200" unique:"measure_id,kind" filter:"range" sort:"true" doc:"The year in which the target is to be reached. A measure has at most one target of each kind in a year. A current target also counts in later years, until one of a later year takes over." example:"2027"`
	Kind         string   `json:"kind" default:"current" enum:"current,proposed" filter:"equals" sort:"true" doc:"current: measurements are held against it. proposed: under discussion, never counts." example:"current"`
	TargetValue  *float64 `json:"target_value" filter:"range" sort:"true" doc:"The number to reach; required where the measure's values are numbers." example:"72.5"`
	TargetText   *string  `json:"target_text" maxLength:"5000" doc:"The level to reach in words; for measures whose value_kind is narrative or rating." example:"good"`
	MinimumValue *float64 `json:"minimum_value" filter:"range" doc:"The least that is acceptable. For information." example:"60"`
	StretchValue *float64 `json:"stretch_value" filter:"range" doc:"What would be excellent. For information." example:"80"`

	Rationale          *string  `json:"rationale" maxLength:"5000" doc:"Why this target." example:"Niveau que le budget de renouvellement permet de maintenir"`
	ExpectedAnnualCost *float64 `json:"expected_annual_cost" money:"true" filter:"range" sort:"true" doc:"What reaching and keeping it is expected to cost in a year." example:"1250000.00"`
	Currency           string   `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`
}

var targets = resource.Definition[Target]{
	Collection: "los_targets", Table: "target", Label: "year",
	Computed:    map[string]string{"currency": resource.Currency},
	BeforeWrite: prepareTargets,
}

func prepareTargets(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Target]) error {
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
		if c.After == nil || kinds[c.After.MeasureID] == "" { // unknown measures were rejected before
			continue
		}
		kind := kinds[c.After.MeasureID]
		checkValue(kind, c.After.TargetValue, c.After.TargetText, "target_value", "target_text", c.FieldError)
		checkNumber(kind, c.After.MinimumValue, "minimum_value", c.FieldError)
		checkNumber(kind, c.After.StretchValue, "stretch_value", c.FieldError)
	}
	return nil
}
