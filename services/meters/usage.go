package meters

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/meters"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

func (m metering) mountUsage() {
	transport.Internal(m.registry.API, contract.Usages, m.usage)
}

// usage reads totals and sums of days; of readings only those after the time that a record asks for.
func (m metering) usage(ctx context.Context, in contract.UsageQuery) (contract.UsageResponse, error) {
	response := contract.UsageResponse{Data: []contract.Usage{}}
	ids, times := make([]string, len(in.Records)), make([]*string, len(in.Records))
	for i, r := range in.Records {
		ids[i], times[i] = r.ID, r.At
	}
	err := m.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT t.record_id::text, t.id::text, t.kind, t.unit, s.total_usage::text,
				CASE WHEN w.at IS NOT NULL THEN (s.total_usage - coalesce((SELECT sum(r.usage) FROM meter_reading r
					WHERE r.organization_id = t.organization_id AND r.meter_id = t.id AND r.read_at > w.at::timestamptz), 0))::text END,
				(SELECT round(coalesce(sum(d.usage), 0) / 90, 6)::text FROM meter_day d WHERE d.organization_id = t.organization_id
					AND d.meter_id = t.id AND d.day > `+indicators.Today+` - 90 AND d.day <= `+indicators.Today+`),
				s.latest_value::text, s.latest_read_at
			FROM unnest($1::uuid[], $2::text[]) AS w (id, at)
			JOIN meter t ON t.organization_id = current_organization() AND t.record_id = w.id AND t.record_id = ANY($1)
				AND t.name_key = unique_key($3)
			JOIN meter_state s ON s.organization_id = t.organization_id AND s.meter_id = t.id`, ids, times, in.Name)
		if err != nil {
			return err
		}
		response.Data, err = pgx.CollectRows(rows, scanUsage)
		return err
	})
	return response, postgres.Fault(err, nil)
}

func scanUsage(row pgx.CollectableRow) (u contract.Usage, err error) {
	var total, at, daily, latest *string
	var latestAt *time.Time
	if err := row.Scan(&u.RecordID, &u.MeterID, &u.Kind, &u.Unit, &total, &at, &daily, &latest, &latestAt); err != nil {
		return u, err
	}
	if u.Kind == "counter" {
		for text, target := range map[*string]**json.Number{total: &u.TotalUsage, at: &u.UsageAt, daily: &u.DailyUsage90} {
			if text != nil {
				q, err := parseQuantity(*text)
				if err != nil {
					return u, err
				}
				number := json.Number(q.String())
				*target = &number
			}
		}
	}
	if latest != nil {
		var q Quantity
		q, err = parseQuantity(*latest)
		u.Latest = &contract.UsageLatest{Value: json.Number(q.String()), ReadAt: latestAt.UTC().Format(time.RFC3339Nano)}
	}
	return u, err
}
