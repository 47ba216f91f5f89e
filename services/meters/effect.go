package main

import (
	"context"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
)

// mountEffects serves what work elsewhere does to meters: it reads them.
func (m metering) mountEffects() {
	effects.Serve(m.registry.API, map[string]effects.Applier{"read_meter": {Apply: m.readMeter}})
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
