package meters

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/meters"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// maxExcursions is how many are given of one meter; a plan makes one piece of work of several anyway.
const maxExcursions = 100

// limit is what a gauge must not go beyond.
type limit struct {
	value, clear Quantity
	below        bool
}

// next says what a reading does: whether the gauge is outside after it, and whether it has just gone there.
func (l limit) next(outside bool, value Quantity) (now, begins bool) {
	beyond, cleared := value > l.value, value <= l.clear
	if l.below {
		beyond, cleared = value < l.value, value >= l.clear
	}
	if outside {
		return !cleared, false
	}
	return beyond, beyond
}

func limitOf(in contract.GaugesQuery) (l limit, err error) {
	if (in.Above == nil) == (in.Below == nil) {
		return l, fault.InvalidFields(fault.Field{Field: "gt", Message: "is required, or lt, and not both"})
	}
	at := in.Above
	if l.below = in.Below != nil; l.below {
		at = in.Below
	}
	if l.value, err = quantityOf(*at); err != nil {
		return l, fault.InvalidFields(fault.Field{Field: "gt", Message: err.Error()})
	}
	l.clear = l.value
	if in.ClearValue == nil {
		return l, nil
	}
	if l.clear, err = quantityOf(*in.ClearValue); err != nil || l.below && l.clear < l.value || !l.below && l.clear > l.value {
		return l, fault.InvalidFields(fault.Field{Field: "clear_value", Message: "must not be beyond the limit"})
	}
	return l, nil
}

func (m metering) mountGauges() {
	transport.Internal(m.registry.API, contract.Gauges, m.gauges)
}

// gauges reads the readings since each record's last look, by time.
func (m metering) gauges(ctx context.Context, in contract.GaugesQuery) (contract.GaugesResponse, error) {
	response := contract.GaugesResponse{Data: []contract.Gauge{}}
	l, err := limitOf(in)
	if err != nil {
		return response, err
	}
	ids, times, outside := make([]string, len(in.Records)), make([]*string, len(in.Records)), make([]bool, len(in.Records))
	for i, r := range in.Records {
		ids[i], times[i], outside[i] = r.ID, r.Since, r.Outside
	}
	err = m.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT w.place, t.record_id::text, t.id::text, t.unit,
				-- what was outside may have been so by a reading that was withdrawn since
				w.outside AND coalesce((SELECT CASE WHEN $5 THEN d.value < $6::text::numeric ELSE d.value > $6::text::numeric END FROM meter_reading d
					WHERE d.organization_id = t.organization_id AND d.meter_id = t.id AND d.read_at <= coalesce(w.since::timestamptz, 'infinity')
						AND CASE WHEN $5 THEN d.value < $6::text::numeric OR d.value >= $7::text::numeric
							ELSE d.value > $6::text::numeric OR d.value <= $7::text::numeric END
					ORDER BY d.read_at DESC LIMIT 1), false), r.read_at, r.value::text
			FROM unnest($1::uuid[], $2::text[], $3::boolean[]) WITH ORDINALITY AS w (id, since, outside, place)
			JOIN meter t ON t.organization_id = current_organization() AND t.record_id = w.id AND t.record_id = ANY($1)
				AND t.name_key = unique_key($4) AND t.kind = 'gauge'
			LEFT JOIN meter_reading r ON r.organization_id = t.organization_id AND r.meter_id = t.id
				AND r.read_at > coalesce(w.since::timestamptz, '-infinity')
			ORDER BY w.place, r.read_at`, ids, times, outside, in.Name,
			l.below, l.value.String(), l.clear.String())
		if err != nil {
			return err
		}
		defer rows.Close()
		last := int64(0)
		for rows.Next() {
			var place int64
			var was bool
			var at *time.Time
			var value *string
			g := contract.Gauge{Excursions: []contract.Excursion{}}
			if err := rows.Scan(&place, &g.RecordID, &g.MeterID, &g.Unit, &was, &at, &value); err != nil {
				return err
			}
			if place != last {
				g.Outside, last = was, place
				response.Data = append(response.Data, g)
			}
			if at == nil {
				continue
			}
			if err := takeReading(&response.Data[len(response.Data)-1], l, *at, *value); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	return response, postgres.Fault(err, nil)
}

// takeReading takes the next reading of a gauge.
func takeReading(g *contract.Gauge, l limit, at time.Time, text string) error {
	value, err := parseQuantity(text)
	if err != nil {
		return err
	}
	when := at.UTC().Format(time.RFC3339Nano)
	var begins bool
	if g.Outside, begins = l.next(g.Outside, value); begins && len(g.Excursions) < maxExcursions {
		g.Excursions = append(g.Excursions, contract.Excursion{At: when, Value: json.Number(value.String())})
	}
	g.ReadTo = &when
	return nil
}
