package infrastructure

import (
	"context"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/infrastructure"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// stateSQL gives both texts of a State. Segments of a network that share rating and risk are added up first: that takes two thirds of the
// time of looking for each rating and each level at every segment.
var stateSQL = figures(`, part AS (
	SELECT r.network_id, r.network_name AS name, r.asset_class, r.category, r.condition_rating, r.risk_score, `+sumsOf(plainTallies)+`
	FROM row r GROUP BY 1, 2, 3, 4, 5, 6
), u AS MATERIALIZED (
	SELECT r.network_id, r.name, r.asset_class, r.category, `+sumsOfParts()+` FROM part r GROUP BY 1, 2, 3, 4
), method AS (
	SELECT r.network_id, r.method, sum(r.cost) AS value FROM row r WHERE r.stands AND r.cost IS NOT NULL GROUP BY 1, 2
)
SELECT coalesce((SELECT json_agg(u)::text FROM u), '[]'), coalesce((SELECT json_agg(m)::text FROM method m), '[]')`, "true")

// mountState serves the report on the state of infrastructure, which the assets service puts together.
func (f family) mountState() {
	transport.Internal(f.registry.API, contract.Networks, func(ctx context.Context, in contract.StateRequest) (contract.State, error) {
		var state contract.State
		day := resource.Today(ctx)
		if in.AsOf != nil {
			day = *in.AsOf
		}
		err := f.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
			// There are far fewer groups than Postgres expects: hashing them takes less than sorting all segments.
			batch.Queue("SET LOCAL enable_sort = off")
			batch.Queue("SET LOCAL work_mem = '32MB'")
			resource.PlanPast(ctx, batch, day)
			batch.Queue(stateSQL.For(day, resource.Today(ctx), in.Prices, byLife(ctx, day)), day,
				in.HorizonYears, in.Prices.JSON()).QueryRow(func(row pgx.Row) error {
				return row.Scan(&state.Networks, &state.Methods)
			})
		})
		return state, err
	})
}
