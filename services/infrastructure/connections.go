package infrastructure

import (
	"context"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/infrastructure"
	"ams.internal/libs/domain/contracts/workorders"
	"ams.internal/libs/transport"
)

// mountConnections serves the los service: the work orders know their segments, and this service knows the networks of these.
func (f family) mountConnections() {
	transport.Internal(f.registry.API, contract.LostConnections, func(ctx context.Context,
		in contract.ConnectionsRequest) (workorders.Lost, error) {
		found, err := workorders.LostConnections.Call(ctx, f.registry.References, workorders.ConnectionsRequest{BySegment: true,
			SiteIDs: in.SiteIDs, BuildingIDs: in.BuildingIDs, PeriodStart: in.PeriodStart, PeriodEnd: in.PeriodEnd})
		if err != nil {
			return workorders.Lost{}, err
		}
		onSegment, ids := map[string]workorders.Lost{}, make([]string, 0, len(found.Segments))
		for _, segment := range found.Segments {
			onSegment[segment.ID], ids = segment.Lost, append(ids, segment.ID)
		}
		err = f.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
			batch.Queue("SELECT id::text FROM segment WHERE organization_id = current_organization() AND network_id = ANY($1::uuid[]) AND "+
				"id = ANY($2::uuid[])", in.NetworkIDs, ids).Query(func(rows pgx.Rows) error {
				var id string
				_, err := pgx.ForEachRow(rows, []any{&id}, func() error {
					found.Add(onSegment[id])
					return nil
				})
				return err
			})
		})
		return found.Lost, err
	})
}
