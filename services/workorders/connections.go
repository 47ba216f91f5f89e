package workorders

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/transport"
)

// ConnectionsRequest is a request for how long connections were without service in a period.
type ConnectionsRequest struct {
	SiteIDs     []string `json:"site_ids" maxItems:"5000" doc:"With building_ids: places whose work orders are added up."`
	BuildingIDs []string `json:"building_ids" maxItems:"5000"`
	BySegment   bool     `json:"by_segment" doc:"Whether work orders at no such place are added up by segment. Where it is false and no place is named, the work orders of the whole organization are added up."`
	PeriodStart string   `json:"period_start" required:"true" format:"date" doc:"First day, in the organization's time zone."`
	PeriodEnd   string   `json:"period_end" required:"true" format:"date" doc:"Last day."`
}

// ConnectionsResponse has the lost time at the places, and on each segment of work orders elsewhere.
type ConnectionsResponse struct {
	Lost
	Segments []SegmentConnections `json:"segments"`
}

// SegmentConnections is the lost time on one segment.
type SegmentConnections struct {
	ID string `json:"id"`
	Lost
}

// Lost is how long connections were without service: Σ connections_affected × downtime_minutes, in connection-minutes. Unknown counts
// the work orders that lack one of the two, and so are in no sum.
type Lost struct {
	BreakMinutes   int64 `json:"break_minutes"`
	BackupMinutes  int64 `json:"backup_minutes"`
	BreaksUnknown  int   `json:"breaks_unknown"`
	BackupsUnknown int   `json:"backups_unknown"`
}

func (l *Lost) targets() []any {
	return []any{&l.BreakMinutes, &l.BackupMinutes, &l.BreaksUnknown, &l.BackupsUnknown}
}

// connectionsSQL takes $1 and $2 the days of the period, $3 the sites, $4 the buildings and $5 whether to give segments. It gives a row
// per segment, and one without a segment for the places. A work order with several segments is in the row of the first of them: its time was
// lost once. Work of any type counts that has one of the two problem codes and was not
// cancelled, on the day it was requested.
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
	transport.Internal(o.registry.API, "/work-orders/connections",
		func(ctx context.Context, in ConnectionsRequest) (ConnectionsResponse, error) {
			response := ConnectionsResponse{Segments: []SegmentConnections{}}
			err := o.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
				batch.Queue(connectionsSQL, in.PeriodStart, in.PeriodEnd, in.SiteIDs, in.BuildingIDs, in.BySegment).Query(
					func(rows pgx.Rows) error {
						var segment *string
						var lost Lost
						_, err := pgx.ForEachRow(rows, append([]any{&segment}, lost.targets()...), func() error {
							if segment == nil {
								response.Lost = lost
							} else {
								response.Segments = append(response.Segments, SegmentConnections{*segment, lost})
							}
							return nil
						})
						return err
					})
			})
			return response, err
		})
}
