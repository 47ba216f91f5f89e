package transport

import (
	"context"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

// serveCell serves POST /internal/cell for the gateway: whether the cell can be used, and how full it is.
func (api *API) serveCell() {
	Internal(api, reference.Cell, func(ctx context.Context, _ struct{}) (state reference.CellState, err error) {
		if principal.From(ctx).Actor.Type != "service" {
			return state, fault.Forbidden("services_only", "Only the product's own services may ask for this.")
		}
		err = api.DB.Pool().QueryRow(ctx, `SELECT (SELECT max(version_id) FROM migration_base WHERE is_applied),
			(SELECT max(version_id) FROM migration WHERE is_applied), pg_database_size(current_database()),
			(SELECT coalesce(sum(greatest(reltuples, 0)), 0)::bigint FROM pg_class WHERE relkind IN ('r', 'm')
				AND relnamespace = current_schema()::regnamespace)`).Scan(&state.BaseVersion, &state.Version, &state.Bytes, &state.Rows)
		return state, postgres.Fault(err, nil)
	})
}
