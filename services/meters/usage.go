package meters

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// UsageQuery asks what the meters of one name have run, of many records.
type UsageQuery struct {
	Name    string        `json:"name" required:"true"`
	Records []UsageRecord `json:"records" maxItems:"10000"`
}

// UsageRecord is a record, and the time up to which its usage is wanted as well.
type UsageRecord struct {
	ID string  `json:"id" format:"uuid"`
	At *string `json:"at" required:"false" format:"date-time"`
}

// UsageResponse has an entry for each record that has a meter of that name.
type UsageResponse struct {
	Data []Usage `json:"data"`
}

// Usage is what one meter has run. UsageAt is the total at the time that was asked for; both totals and the daily usage are null of a
// gauge.
type Usage struct {
	RecordID     string       `json:"record_id"`
	MeterID      string       `json:"meter_id"`
	Kind         string       `json:"kind"`
	Unit         string       `json:"unit"`
	TotalUsage   *Quantity    `json:"total_usage"`
	UsageAt      *Quantity    `json:"usage_at"`
	DailyUsage90 *Quantity    `json:"daily_usage_90"`
	Latest       *UsageLatest `json:"latest"`
}

// UsageLatest is the latest reading.
type UsageLatest struct {
	Value  Quantity `json:"value"`
	ReadAt string   `json:"read_at"`
}

func (m metering) mountUsage() {
	transport.Internal(m.registry.API, "/meters/usage", m.usage)
}

// usage reads totals and sums of days; of readings only those after the time that a record asks for.
func (m metering) usage(ctx context.Context, in UsageQuery) (UsageResponse, error) {
	response := UsageResponse{Data: []Usage{}}
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
			JOIN meter t ON t.organization_id = current_organization() AND t.record_id = w.id AND t.record_id = ANY($1) AND t.name_key = unique_key($3)
			JOIN meter_state s ON s.organization_id = t.organization_id AND s.meter_id = t.id`, ids, times, in.Name)
		if err != nil {
			return err
		}
		response.Data, err = pgx.CollectRows(rows, scanUsage)
		return err
	})
	return response, postgres.Fault(err, nil)
}

func scanUsage(row pgx.CollectableRow) (u Usage, err error) {
	var total, at, daily, latest *string
	var latestAt *time.Time
	if err := row.Scan(&u.RecordID, &u.MeterID, &u.Kind, &u.Unit, &total, &at, &daily, &latest, &latestAt); err != nil {
		return u, err
	}
	if u.Kind == "counter" {
		for text, target := range map[*string]**Quantity{total: &u.TotalUsage, at: &u.UsageAt, daily: &u.DailyUsage90} {
			if text != nil {
				q, err := parseQuantity(*text)
				if err != nil {
					return u, err
				}
				*target = &q
			}
		}
	}
	if latest != nil {
		u.Latest = &UsageLatest{ReadAt: latestAt.UTC().Format(time.RFC3339Nano)}
		u.Latest.Value, err = parseQuantity(*latest)
	}
	return u, err
}
