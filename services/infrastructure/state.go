package infrastructure

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/prices"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// StateRequest is the assets service's request for what its report on the state of infrastructure is made from.
type StateRequest struct {
	AsOf         *string      `json:"as_of" format:"date"`
	HorizonYears int          `json:"horizon_years" default:"0" minimum:"0" maximum:"50"`
	Prices       prices.Table `json:"prices" doc:"The prices that amounts are brought to."`
}

// State is what the segments of each network add up to. The texts are JSON for the caller's database, with every digit.
type State struct {
	Networks string `json:"networks" doc:"Array of an object for each network with segments: network_id, name, asset_class, category, left_out and the tallies."`
	Methods  string `json:"methods" doc:"Array of network_id, method and value: replacement cost by how the condition was found out."`
}

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
	transport.Post(f.registry.API, transport.Operation{Path: "/internal/networks/state", ID: "/networks/state", FromReplica: true}, func(ctx context.Context, in StateRequest) (State, error) {
		var state State
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
