package assets

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/fault"
)

// deficiencyMove is what a work order or a project does with a deficiency.
type deficiencyMove struct {
	To          string  // planned, in_work, corrected, or open where the work was given up
	WorkOrderID *string // who does it; kept where both are nil, forgotten with open
	ProjectID   *string
	On          string   // of corrected: the day
	ActualCost  *float64 // of corrected, where it is known
}

// moveDeficiency moves a deficiency on behalf of what works on it: with version, history and events, deficiency.corrected among them. A
// move that is not allowed is a 409, a deficiency that the organization does not have a 404. Where it is already, it stays.
func (f family) moveDeficiency(ctx context.Context, tx pgx.Tx, id string, m deficiencyMove) error {
	var from, foundOn string
	err := tx.QueryRow(ctx, `SELECT status, found_on::text FROM deficiency WHERE organization_id = current_organization() AND id = $1::uuid
		FOR NO KEY UPDATE`, id).Scan(&from, &foundOn)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fault.NotFound("deficiency", id)
	case err != nil:
		return err
	case from != m.To && !slices.Contains(deficiencies.Moves[from], m.To):
		conflict := fault.Conflict("transition_not_allowed", "status", m.To, "The deficiency is %s and cannot become %s.", from, m.To)
		conflict.Allowed = append([]string{}, deficiencies.Moves[from]...)
		return conflict
	}
	on := max(m.On, foundOn) // it was found before it was corrected
	return f.registry.UpdateWhere(ctx, tx, "deficiencies",
		[]string{"status", "work_order_id", "project_id", "corrected_on", "actual_cost", "waive_reason"}, `
		SELECT d.id, $3::text AS status,
			CASE WHEN $3 = 'open' THEN NULL ELSE coalesce($4::uuid, d.work_order_id) END AS work_order_id,
			CASE WHEN $3 = 'open' THEN NULL ELSE coalesce($5::uuid, d.project_id) END AS project_id,
			CASE WHEN $3 = 'corrected' THEN coalesce(d.corrected_on, $6::date) END AS corrected_on,
			CASE WHEN $3 = 'corrected' THEN coalesce($7::float8::numeric(15,2), d.actual_cost) END AS actual_cost,
			CASE WHEN $3 = 'waived' THEN d.waive_reason END AS waive_reason
		FROM deficiency d WHERE d.organization_id = $1 AND d.id = $2::uuid`, id, m.To, m.WorkOrderID, m.ProjectID, on, m.ActualCost)
}
