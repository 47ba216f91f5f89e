package workorders

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// moveToSuccessor lets the plans of a replaced asset go on at its successor: {pm_plans_of, successor_id}. What was done and made moves with
// them, so that cycles and dates go on where they were; work orders stay with the asset that they were for. Plans that find their targets
// by a filter need nothing.
func (o orders) moveToSuccessor(ctx context.Context, tx pgx.Tx, in effects.Instruction) (string, error) {
	from, _ := in.Payload["pm_plans_of"].(string)
	to, _ := in.Payload["successor_id"].(string)
	for field, id := range map[string]string{"pm_plans_of": from, "successor_id": to} {
		if !isUUID(id) {
			return "", fault.InvalidFields(fault.Field{Field: field, Message: "must be the id of an asset"})
		}
	}
	rows, err := tx.Query(ctx, `SELECT id::text FROM pm_plan WHERE organization_id = current_organization() AND status <> 'ended'
		AND targets @> jsonb_build_array(jsonb_build_object('target_type', 'asset', 'target_id', $1::text)) ORDER BY id`, from)
	if err != nil {
		return "", err
	}
	plans, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", err
	}
	for _, plan := range plans {
		if err := resource.Edit(ctx, tx, o.registry, "pm_plans", plan,
			func(p *PMPlan) { p.Targets = succeeded(p.Targets, from, to) }); err != nil {
			return "", err
		}
		for _, table := range []string{"pm_occurrence", "pm_target"} {
			key := "TRUE"
			if table == "pm_occurrence" {
				key = "n.occurrence = o.occurrence"
			}
			if _, err := tx.Exec(ctx, `UPDATE `+table+` o SET target_id = $3::uuid WHERE o.organization_id = current_organization()
				AND o.plan_id = $1::uuid
				AND o.target_id = $2::uuid AND NOT EXISTS (SELECT FROM `+table+` n WHERE n.organization_id = o.organization_id AND n.plan_id = o.plan_id
					AND n.target_id = $3::uuid AND `+key+`)`, plan, from, to); err != nil {
				return "", err
			}
		}
	}
	return to, nil
}

// succeeded are targets with one asset in place of another, once.
func succeeded(targets []PMTarget, from, to string) []PMTarget {
	var after []PMTarget
	present := false
	for _, t := range targets {
		present = present || t.TargetID == to
	}
	for _, t := range targets {
		switch {
		case t.TargetID != from:
			after = append(after, t)
		case !present:
			after = append(after, PMTarget{t.TargetType, to})
		}
	}
	return after
}
