package infrastructure

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/transport"
)

// ConnectionsRequest is the los service's request for how long connections were without service in a period.
type ConnectionsRequest struct {
	NetworkIDs  []string `json:"network_ids" maxItems:"5000" doc:"Work orders on their segments, whatever the segment's state."`
	SiteIDs     []string `json:"site_ids" maxItems:"5000" doc:"With building_ids: places whose work orders count besides, each once."`
	BuildingIDs []string `json:"building_ids" maxItems:"5000"`
	PeriodStart string   `json:"period_start" required:"true" format:"date" doc:"First day, in the organization's time zone."`
	PeriodEnd   string   `json:"period_end" required:"true" format:"date" doc:"Last day."`
}

// Lost is how long connections were without service: Σ connections_affected × downtime_minutes, in connection-minutes. Unknown counts
// the work orders that lack one of the two, and so are in no sum.
type Lost struct {
	BreakMinutes   int64 `json:"break_minutes"`
	BackupMinutes  int64 `json:"backup_minutes"`
	BreaksUnknown  int   `json:"breaks_unknown"`
	BackupsUnknown int   `json:"backups_unknown"`
}

func (l *Lost) add(other Lost) {
	l.BreakMinutes += other.BreakMinutes
	l.BackupMinutes += other.BackupMinutes
	l.BreaksUnknown += other.BreaksUnknown
	l.BackupsUnknown += other.BackupsUnknown
}

// mountConnections serves the los service: the work orders know their segments, and this service knows the networks of these.
func (f family) mountConnections() {
	transport.Internal(f.registry.API, "/networks/connections", func(ctx context.Context, in ConnectionsRequest) (Lost, error) {
		var found struct {
			Lost
			Segments []struct {
				ID string `json:"id"`
				Lost
			} `json:"segments"`
		}
		err := f.registry.References.Ask(ctx, "workorders", "/internal/work-orders/connections", map[string]any{"by_segment": true,
			"site_ids": in.SiteIDs, "building_ids": in.BuildingIDs, "period_start": in.PeriodStart, "period_end": in.PeriodEnd}, &found)
		if err != nil {
			return Lost{}, err
		}
		onSegment, ids := map[string]Lost{}, make([]string, 0, len(found.Segments))
		for _, segment := range found.Segments {
			onSegment[segment.ID], ids = segment.Lost, append(ids, segment.ID)
		}
		err = f.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
			batch.Queue("SELECT id::text FROM segment WHERE organization_id = current_organization() AND network_id = ANY($1::uuid[]) AND "+
				"id = ANY($2::uuid[])", in.NetworkIDs, ids).Query(func(rows pgx.Rows) error {
				var id string
				_, err := pgx.ForEachRow(rows, []any{&id}, func() error {
					found.add(onSegment[id])
					return nil
				})
				return err
			})
		})
		return found.Lost, err
	})
}
