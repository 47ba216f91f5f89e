package planning

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

// Strategy is which treatments a class gets, in the order of preference between those that are equal. A class without one is forecast, and
// never treated. Catching up on deferred maintenance is part of every strategy.
type Strategy struct {
	resource.Record
	AssetClassID string   `json:"asset_class_id" required:"true" references:"asset_classes" filter:"equals" doc:"The class." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Name         string   `json:"name" required:"true" maxLength:"200" unique:"asset_class_id" filter:"prefix" sort:"true" search:"name" doc:"What people call it; unique in the class." example:"Préserver, puis reconstruire"`
	TreatmentIDs []string `json:"treatment_ids" references:"treatments" maxItems:"60" uniqueItems:"true" filter:"contains" doc:"Treatments of the class. With none, deferred maintenance is caught up on, and nothing else is done." example:"[\"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11\"]"`
	IsDefault    bool     `json:"is_default" default:"false" filter:"equals" sort:"true" doc:"Whether scenarios that name none for the class use it. One in a class only (409)." example:"true"`
}

var strategies = resource.Definition[Strategy]{
	Collection: "strategies", Table: "strategy",
	BeforeWrite: prepareStrategies,
}

// prepareStrategies rejects treatments of another class, and a second default of a class. One transaction at a time changes an
// organization's defaults, because two that each make one would not see each other.
func prepareStrategies(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Strategy]) error {
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('strategies ' || $1, 0))",
		principal.From(ctx).OrganizationID); err != nil {
		return err
	}
	var ids, classes []string
	for _, c := range changes {
		if c.After != nil {
			ids, classes = append(ids, c.After.TreatmentIDs...), append(classes, c.After.AssetClassID)
		}
	}
	classOf, err := column(ctx, tx, "treatment", "asset_class_id", ids)
	if err != nil {
		return err
	}
	defaults, err := defaultStrategies(ctx, tx, classes)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.Before != nil && defaults[c.Before.AssetClassID] == c.ID() {
			delete(defaults, c.Before.AssetClassID)
		}
	}
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		for i, id := range c.After.TreatmentIDs {
			if class := classOf[id]; class != "" && class != c.After.AssetClassID {
				c.FieldError(entry("treatment_ids", i), "is a treatment of another class, %s", class)
			}
		}
		if !c.After.IsDefault {
			continue
		}
		if holder := defaults[c.After.AssetClassID]; holder != "" {
			conflict := fault.Conflict("already_exists", "is_default", true,
				"The class has a default strategy; set that one's is_default to false first.")
			conflict.ExistingID = holder
			c.Reject(conflict)
			continue
		}
		defaults[c.After.AssetClassID] = c.ID()
	}
	return nil
}

// defaultStrategies gives the default of each class that has one.
func defaultStrategies(ctx context.Context, tx pgx.Tx, classes []string) (map[string]string, error) {
	return texts(ctx, tx, `SELECT asset_class_id::text, id::text FROM strategy
		WHERE organization_id = current_organization() AND is_default AND asset_class_id = ANY($1::uuid[])`, classes)
}
