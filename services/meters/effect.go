package meters

import (
	"context"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
)

// mountEffects serves what work elsewhere does to meters: it reads them, and those of a replaced asset go on at its successor.
func (m metering) mountEffects() {
	effects.Serve(m.registry.API, map[string]effects.Applier{
		"read_meter": {Apply: m.readMeter}, catalogue.MoveToSuccessor: {Apply: m.moveToSuccessor},
	})
}

// readMeter records the reading of an instruction: {meter_id, value, unit, kind, read_at}, of which the last three may be left out.
func (m metering) readMeter(ctx context.Context, tx pgx.Tx, in effects.Instruction) (string, error) {
	id, _ := in.Payload["meter_id"].(string)
	if !schema.IsUUID(id) {
		return "", fault.InvalidFields(fault.Field{Field: "meter_id", Message: "must be the id of a meter"})
	}
	body := maps.Clone(in.Payload)
	delete(body, "meter_id")
	now := time.Now()
	if body["read_at"] == nil {
		body["read_at"] = timeOf(ctx, in.On, now).UTC().Format(time.RFC3339Nano)
	}
	c := &call{meterID: id, single: true, atomic: true, onConflict: "error", now: now}
	c.take([]any{body})
	if failed := c.rows[0].failed; failed != nil {
		return "", failed
	}
	if err := m.record(ctx, tx, c); err != nil {
		return "", err
	}
	if failed := c.rows[0].failed; failed != nil {
		return "", failed
	}
	return c.rows[0].id, nil
}

// timeOf is when a meter was read on a local day: now, or when the day is over, at its end.
func timeOf(ctx context.Context, day string, now time.Time) time.Time {
	if next, ok := principal.From(ctx).Calendar().Next(day); ok && next.Before(now) {
		return next.Add(-time.Microsecond)
	}
	return now
}

// moveToSuccessor lets the meters of a replaced asset go on at its successor: {meters_of, successor_id}. Where the successor has a meter of
// the same name, that one goes on, and the old one stays where it is.
func (m metering) moveToSuccessor(ctx context.Context, tx pgx.Tx, in effects.Instruction) (string, error) {
	from, _ := in.Payload["meters_of"].(string)
	to, _ := in.Payload["successor_id"].(string)
	for field, id := range map[string]string{"meters_of": from, "successor_id": to} {
		if !schema.IsUUID(id) {
			return "", fault.InvalidFields(fault.Field{Field: field, Message: "must be the id of an asset"})
		}
	}
	return to, m.registry.UpdateWhere(ctx, tx, "meters", []string{"asset_id"}, `
		SELECT m.id, $3::uuid AS asset_id FROM meter m WHERE m.organization_id = $1 AND m.asset_id = $2::uuid
			AND NOT EXISTS (SELECT FROM meter s WHERE s.organization_id = $1 AND s.record_id = $3::uuid AND s.name_key = m.name_key)`, from, to)
}
