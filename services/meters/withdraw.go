package meters

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// withdrawal names a reading that should not be there, by its time: a meter has one of a time.
type withdrawal struct {
	MeterID string `path:"meter_id" format:"uuid" doc:"The meter."`
	ReadAt  string `json:"read_at" required:"true" format:"date-time" doc:"The read_at of the reading." example:"2026-11-21T14:00:00Z"`
	Reason  string `json:"reason" required:"true" minLength:"1" maxLength:"1000" doc:"Why it should not be there; it stays in the audit trail." example:"Relevé d’un autre compteur"`
}

func (m metering) mountWithdrawal() {
	transport.Post(m.registry.API, transport.Operation{
		Path: "/v1/meters/{meter_id}/readings/withdraw", ID: "withdraw_meter_reading", BodyName: "MeterReadingWithdrawal",
		Scope: scope + ":write", Feature: feature, Summary: "Withdraw a reading of a meter that should not be there",
		Description: "Totals and use are as if it had never been recorded, and the readings that it forbade can be recorded. What a plan made " +
			"of it stays made. A reading without which the counter would fall is refused: 409. Answers the reading as it was.",
		Parameters: []transport.Parameter{keyParameter}, Response: transport.Reference("MeterReading"), Status: http.StatusOK,
	}, m.withdraw)
}

func (m metering) withdraw(ctx context.Context, in withdrawal) (shown MeterReading, err error) {
	at, err := time.Parse(time.RFC3339Nano, in.ReadAt)
	if err != nil {
		return shown, fault.InvalidFields(fault.Field{Field: "read_at", Message: "must be a time as in 2026-01-31T14:00:00Z"})
	}
	c := &call{meterID: in.MeterID, now: time.Now()}
	err = m.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := c.lock(ctx, tx); err != nil {
			return err
		}
		s := c.meters[c.meterID]
		if s == nil {
			return fault.NotFound("meter", c.meterID)
		}
		if shown, err = showReading(ctx, tx, s.id, at); errors.Is(err, pgx.ErrNoRows) {
			return fault.InvalidFields(fault.Field{Field: "read_at",
				Message: "the meter has no reading of this time; the list of its readings has their times"})
		} else if err != nil {
			return err
		}
		deleted, err := s.readAround(ctx, tx, at)
		if err != nil {
			return err
		}
		if err := deleted.remove(ctx, tx, s); err != nil {
			return err
		}
		if err := resource.AddHistoryEntries(ctx, tx, "meters", "reading_withdrawn", []resource.HistoryEntry{{RecordID: s.id, Version: 1,
			Changes: encoded(map[string]any{
				"read_at": map[string]any{"old": shown.ReadAt, "new": nil},
				"value":   map[string]any{"old": shown.Value, "new": nil},
				"kind":    map[string]any{"old": shown.Kind, "new": nil},
				"reason":  map[string]any{"old": nil, "new": in.Reason},
			})}}); err != nil {
			return err
		}
		return m.addEvents(ctx, tx, "meter.reading_withdrawn", "", []*meterState{s})
	})
	return shown, postgres.Fault(err, nil)
}

// around is a stored reading with its neighbours; nil where there is none.
type around struct{ before, reading, after *reading }

// readAround reads the reading of a time, which there is, and those beside it.
func (s *meterState) readAround(ctx context.Context, tx pgx.Tx, at time.Time) (a around, err error) {
	c := &call{meters: map[string]*meterState{s.id: s}, rows: []row{{at: at}}}
	s.rows = []int{0}
	if err := c.readNear(ctx, tx); err != nil {
		return a, err
	}
	for _, r := range s.near {
		switch {
		case r.at.Equal(at):
			a.reading = r
		case r.at.Before(at):
			a.before = r
		default:
			a.after = r
		}
	}
	return a, nil
}

// remove deletes a reading, and brings what is kept of the meter to what it is without.
func (a around) remove(ctx context.Context, tx pgx.Tx, s *meterState) error {
	more := map[string]Quantity{a.reading.day: -a.reading.usage}
	total, afterUsage, afterAt := s.total-a.reading.usage, "0", a.reading.at
	if a.after != nil {
		gain, fits := s.run(a.before, a.after)
		if !fits {
			return fault.Conflict("meter_falls", "read_at", a.reading.at.UTC().Format(time.RFC3339Nano),
				"Without it the counter would fall from %s "+
					"to %s (%s). Withdraw the readings after it first, the latest first; or record that of %s anew as a reset "+
					"(kind reset, on_conflict=update).", a.before.value, a.after.value, a.after.at.UTC().Format(time.RFC3339Nano),
				a.after.at.UTC().Format(time.RFC3339Nano))
		}
		more[a.after.day] += gain - a.after.usage
		total += gain - a.after.usage
		afterUsage, afterAt = gain.String(), a.after.at
	}
	s.now = &totals{total: total, latest: s.latest}
	if a.after == nil {
		s.now.latest = a.before
	}
	var days, usages []string
	for day, usage := range more {
		days, usages = append(days, day), append(usages, usage.String())
	}
	var value, readAt, kind *string
	if latest := s.now.latest; latest != nil {
		v, at, k := latest.value.String(), latest.at.UTC().Format(time.RFC3339Nano), kindOf(latest)
		value, readAt, kind = &v, &at, &k
	}
	_, err := tx.Exec(ctx, `WITH gone AS (
			DELETE FROM meter_reading r WHERE r.organization_id = current_organization() AND r.meter_id = $1::uuid AND r.read_at =
				$2::text::timestamptz
		), following AS (
			UPDATE meter_reading r SET usage = $4::text::numeric WHERE r.organization_id = current_organization() AND r.meter_id = $1::uuid
				AND r.read_at = $3::text::timestamptz AND r.read_at > $2::text::timestamptz
		), days AS (
			INSERT INTO meter_day AS d (organization_id, meter_id, day, usage)
			SELECT current_organization(), $1::uuid, n.day::date, n.usage::numeric FROM unnest($5::text[], $6::text[]) AS n (day, usage)
			ON CONFLICT (organization_id, meter_id, day) DO UPDATE SET usage = d.usage + excluded.usage
		)
		UPDATE meter_state s SET total_usage = $7::text::numeric, readings = s.readings - 1, latest_value = $8::text::numeric,
			latest_read_at = $9::text::timestamptz, latest_kind = $10
		WHERE s.organization_id = current_organization() AND s.meter_id = $1::uuid`,
		s.id, a.reading.at.UTC().Format(time.RFC3339Nano), afterAt.UTC().Format(time.RFC3339Nano), afterUsage, days, usages, total.String(),
		value, readAt, kind)
	return err
}
