package los

import (
	"context"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/los"
	"ams.internal/libs/transport"
)

// mountApproaches serves the report on the state of infrastructure, which O. Reg. 588/17, section 5 (2) 3 v, wants them in.
func (f family) mountApproaches() {
	transport.Internal(f.registry.API, contract.ConditionApproaches, func(ctx context.Context,
		_ struct{}) (contract.ApproachesResponse, error) {
		response := contract.ApproachesResponse{Data: []contract.Approach{}}
		err := f.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
			batch.Queue(`SELECT category, string_agg(condition_approach, E'\n\n' ORDER BY position),
				string_agg(condition_approach_fr, E'\n\n' ORDER BY position)
				FROM service_area WHERE organization_id = current_organization() AND category IS NOT NULL AND status = 'active'
					AND (condition_approach IS NOT NULL OR condition_approach_fr IS NOT NULL)
				GROUP BY 1`).Query(func(rows pgx.Rows) (err error) {
				response.Data, err = pgx.AppendRows(response.Data, rows, pgx.RowToStructByPos[contract.Approach])
				return err
			})
		})
		return response, err
	})
}
