package workorders

import (
	"context"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/workorders"
	"ams.internal/libs/transport"
)

func columnsOf(l *contract.Lost) []any {
	return []any{&l.BreakMinutes, &l.BackupMinutes, &l.BreaksUnknown, &l.BackupsUnknown}
}

// connectionsSQL takes $1 and $2 the days of the period, $3 the sites, $4 the buildings and $5 whether to give segments. It gives a row
// per segment, and one without a segment for the places. A work order with several segments is in the row of the first of them: its time
// was lost once. Work of any type counts that has one of the two problem codes and was not cancelled, on the day it was requested.
var connectionsSQL = func() string {
	const minutes = "w.connections_affected::bigint * w.downtime_minutes"
	sum := func(code string) string {
		return "coalesce(sum(" + minutes + ") FILTER (WHERE w.code = '" + code + "'), 0)::bigint"
	}
	unknown := func(code string) string {
		return "count(*) FILTER (WHERE w.code = '" + code + "' AND " + minutes + " IS NULL)"
	}
	return `WITH w AS (
		SELECT lower(t.problem_code) AS code, t.connections_affected, t.downtime_minutes, coalesce(t.segment_id, (SELECT e.segment_id
				FROM work_order_target e WHERE e.organization_id = current_organization() AND e.work_order_id = t.id AND e.segment_id IS NOT NULL
				ORDER BY e.target_position, e.position LIMIT 1)) AS segment_id,
			coalesce(` + somewhere + `, false)
				OR NOT $5::boolean AND cardinality($3::text[]) + cardinality($4::text[]) = 0 AS here
		FROM work_order t WHERE t.organization_id = current_organization() AND lower(t.problem_code) IN ('break', 'backup')
			AND t.status <> 'cancelled' AND ` + occurred + within(occurred) + `
	)
	SELECT CASE WHEN NOT w.here THEN w.segment_id::text END, ` + sum("break") + ", " + sum("backup") + ", " + unknown("break") + ", " +
		unknown("backup") + ` FROM w WHERE w.here OR $5::boolean AND w.segment_id IS NOT NULL GROUP BY 1`
}()

// mountConnections serves the los service, and the infrastructure service for the segments of networks.
func (o orders) mountConnections() {
	transport.Internal(o.registry.API, contract.LostConnections,
		func(ctx context.Context, in contract.ConnectionsRequest) (contract.ConnectionsResponse, error) {
			response := contract.ConnectionsResponse{Segments: []contract.SegmentConnections{}}
			err := o.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
				batch.Queue(connectionsSQL, in.PeriodStart, in.PeriodEnd, in.SiteIDs, in.BuildingIDs, in.BySegment).Query(
					func(rows pgx.Rows) error {
						var segment *string
						var lost contract.Lost
						_, err := pgx.ForEachRow(rows, append([]any{&segment}, columnsOf(&lost)...), func() error {
							if segment == nil {
								response.Lost = lost
							} else {
								response.Segments = append(response.Segments, contract.SegmentConnections{ID: *segment, Lost: lost})
							}
							return nil
						})
						return err
					})
			})
			return response, err
		})
}
