package assets

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
	"ams.internal/libs/reference"
)

// An asset that is replaced gets a successor, which takes what belongs to its place: where it is, what kind of thing it is, what it is a
// part of and what its failure means. The asset itself is out of use for good, and what was found on it is corrected.

func newEffectID() string { return uuid.Must(uuid.NewV7()).String() }

// replaced is an asset that is replaced, as far as its successor takes after it.
type replaced struct {
	name                           string
	site, building, system, parent *string
	location, uniformat, category  *string
	consequence                    *int
}

// replace makes the successor of an asset and retires the asset. It gives the successor's id.
func (f family) replace(ctx context.Context, tx pgx.Tx, in effects.Instruction) (string, error) {
	id, err := effects.RecordIn(in.Payload, "asset_id")
	if err != nil {
		return "", err
	}
	retireAs, err := retirementIn(in.Payload)
	if err != nil {
		return "", err
	}
	if err := inUse(ctx, tx, "asset_id", id); err != nil {
		return "", err
	}
	body, err := successorBody(ctx, tx, id, in)
	if err != nil {
		return "", err
	}
	made, err := f.registry.CreateAll(ctx, tx, "assets", "", []map[string]any{body}, func(int) string { return "successor." })
	if err != nil {
		return "", err
	}
	if err := f.correctAll(ctx, tx, id, in); err != nil {
		return "", err
	}
	if err := f.retire(ctx, tx, id, retireAs, in); err != nil {
		return "", effects.Named(err, "asset_id", id)
	}
	if effects.Checking(ctx) {
		return made[0], nil
	}
	return made[0], effects.Add(ctx, tx, successorOf(in, id, made[0]))
}

// retirementIn is the state that the replaced asset is left in.
func retirementIn(payload map[string]any) (string, error) {
	switch state := payload["retire_as"]; state {
	case nil, "decommissioned":
		return "decommissioned", nil
	case "disposed":
		return "disposed", nil
	}
	return "", fault.InvalidFields(fault.Field{Field: "retire_as", Message: "must be decommissioned or disposed"})
}

// successorBody is the body of the successor: what was sent of it, and what it takes after the replaced asset.
func successorBody(ctx context.Context, tx pgx.Tx, id string, in effects.Instruction) (map[string]any, error) {
	sent, isObject := in.Payload["successor"].(map[string]any)
	if in.Payload["successor"] != nil && !isObject {
		return nil, fault.InvalidFields(fault.Field{Field: "successor", Message: "must be an object: what the new asset is"})
	}
	var old replaced
	if err := tx.QueryRow(ctx, `SELECT name, site_id::text, building_id::text, system_id::text, parent_asset_id::text, location,
		uniformat_code, category, consequence_of_failure FROM asset WHERE organization_id = current_organization() AND id = $1::uuid`, id).
		Scan(&old.name, &old.site, &old.building, &old.system, &old.parent, &old.location, &old.uniformat, &old.category,
			&old.consequence); err != nil {
		return nil, err
	}
	body := maps.Clone(sent)
	if body == nil {
		body = map[string]any{}
	}
	// What belongs together is taken together, or not at all.
	for _, group := range []map[string]any{
		{"name": old.name},
		{"site_id": textOf(old.site), "building_id": textOf(old.building), "system_id": textOf(old.system)},
		{"parent_asset_id": textOf(old.parent)},
		{"location": textOf(old.location)},
		{"uniformat_code": textOf(old.uniformat), "category": textOf(old.category)},
		{"consequence_of_failure": numberOf(old.consequence)},
		{"install_date": in.On, "install_year": nil},
	} {
		given := false
		for field := range group {
			given = given || body[field] != nil
		}
		for field, taken := range group {
			if !given && taken != nil {
				body[field] = taken
			}
		}
	}
	return body, nil
}

// textOf is an optional text as a body has it.
func textOf(text *string) any {
	if text == nil {
		return nil
	}
	return *text
}

// numberOf is an optional number as a body has it.
func numberOf(n *int) any {
	if n == nil {
		return nil
	}
	return float64(*n)
}

// correctAll corrects the live deficiencies of a replaced asset.
func (f family) correctAll(ctx context.Context, tx pgx.Tx, asset string, in effects.Instruction) error {
	rows, err := tx.Query(ctx, `SELECT id::text FROM deficiency WHERE organization_id = current_organization() AND asset_id = $1::uuid
		AND status IN ('open', 'planned', 'in_work') ORDER BY id`, asset)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := f.follow(ctx, tx, id, workOf(in)); err != nil {
			return err
		}
	}
	return nil
}

// retire takes the asset out of use on the day of the work.
func (f family) retire(ctx context.Context, tx pgx.Tx, id, state string, in effects.Instruction) error {
	if effects.Checking(ctx) {
		if err := f.rejectOtherWork(ctx, id, in.Cause.Collection); err != nil {
			return err
		}
	}
	if err := f.registry.Patch(ctx, tx, "assets", id, map[string]any{"status": "decommissioned", "out_of_use_on": in.On}); err != nil {
		return err
	}
	if state == "decommissioned" {
		return nil
	}
	return f.registry.Patch(ctx, tx, "assets", id, map[string]any{"status": "disposed", "disposed_on": in.On})
}

// rejectOtherWork refuses to retire an asset on which other work is open than the work that replaces it. That one is open as long as it is
// only asked what would be refused.
func (f family) rejectOtherWork(ctx context.Context, id, cause string) error {
	found, err := f.registry.References.Dependents(ctx, "assets", reference.DependentsQuery{IDs: []string{id}, Open: true})
	if err != nil {
		return err
	}
	others := map[string]int{}
	for _, d := range found {
		for collection, count := range d.Counts {
			others[collection] += count
		}
	}
	for collection := range others {
		if collection == cause || cause == "work_orders" && strings.HasPrefix(collection, "work_order_") {
			others[collection]--
		}
		if others[collection] <= 0 {
			delete(others, collection)
		}
	}
	if len(others) == 0 {
		return nil
	}
	return fault.StillInUse("asset_id", id, others, "The asset still has %s open besides; complete or cancel those first.", counted(others))
}

func counted(others map[string]int) string {
	var parts []string
	for collection, count := range others {
		parts = append(parts, fmt.Sprintf("%d %s", count, strings.ReplaceAll(collection, "_", " ")))
	}
	return strings.Join(parts, ", ")
}
