package meters

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
)

// How readings are written, one or a thousand alike: the meters of the call are locked and read by one statement, the neighbours of late
// readings by a second, what was run is worked out here, and a third writes readings, sums of days and totals. Then come events.

// meterState is a meter as it is locked, and what the call makes of it.
type meterState struct {
	id, externalKey, kind, unit string
	counting
	minimum, maximum *Quantity
	readings         int64
	total            Quantity
	latest           *reading

	rows      []int      // of the call, that are about it
	near      []*reading // stored ones beside them
	written   []*reading // what is inserted, or replaces another
	following []*reading // stored ones whose usage changes
	now       *totals    // of a meter that a reading was taken from
}

// totals are what is kept of a meter.
type totals struct {
	total  Quantity
	latest *reading // nil where it has none
}

// record writes the rows of a call that nothing speaks against.
func (m metering) record(ctx context.Context, tx pgx.Tx, c *call) error {
	if err := c.lock(ctx, tx); err != nil {
		return err
	}
	if err := c.assign(); err != nil {
		return err
	}
	if err := c.readNear(ctx, tx); err != nil {
		return err
	}
	calendar := principal.From(ctx).Calendar()
	var changed []*meterState
	for _, s := range c.inOrder() {
		c.settle(s, calendar.Day)
		c.limitTotal(s)
		if len(s.written) > 0 {
			changed = append(changed, s)
		}
	}
	if len(changed) == 0 || c.atomic && c.err() != nil {
		return nil //nolint:nilerr // the rows say why
	}
	if err := write(ctx, tx, changed); err != nil {
		return err
	}
	if err := keepCorrections(ctx, tx, changed); err != nil {
		return err
	}
	return m.addEvents(ctx, tx, "meter.reading_recorded", c.bulkID, changed)
}

// inOrder gives the meters of the call by id.
func (c *call) inOrder() []*meterState {
	all := make([]*meterState, 0, len(c.meters))
	for _, s := range c.meters {
		if len(s.rows) > 0 {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *meterState) int {
		if a.id < b.id {
			return -1
		}
		return 1
	})
	return all
}

// lock reads the meters of the call. What is kept of each is locked until the transaction ends, in the order of their ids;
// so nobody deletes a meter meanwhile, whose state goes with it.
func (c *call) lock(ctx context.Context, tx pgx.Tx) error {
	ids, external := map[string]bool{}, map[string]bool{}
	if c.meterID != "" {
		ids[c.meterID] = true
	}
	for i := range c.rows {
		switch r := &c.rows[i]; {
		case r.failed != nil:
		case r.MeterID != nil:
			ids[*r.MeterID] = true
		case r.MeterExternalID != nil:
			external[schema.UniqueKey(*r.MeterExternalID)] = true
		}
	}
	c.meters, c.external = map[string]*meterState{}, map[string]*meterState{}
	rows, err := tx.Query(ctx, `SELECT m.id::text, coalesce(m.external_id_key, ''), m.kind, m.unit, m.rollover_at::text, m.minimum::text,
			m.maximum::text, s.readings, s.total_usage::text, s.latest_value::text, s.latest_read_at, coalesce(s.latest_kind, '')
		FROM meter m JOIN meter_state s ON s.organization_id = m.organization_id AND s.meter_id = m.id
		WHERE m.organization_id = current_organization() AND m.id = ANY($1::uuid[] || ARRAY(SELECT e.id FROM meter e
			WHERE e.organization_id = current_organization() AND e.external_id_key = ANY($2::text[])))
		ORDER BY m.id FOR NO KEY UPDATE OF s`, keys(ids), keys(external))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		s := &meterState{}
		var rollover, minimum, maximum, latest *string
		var total, latestKind string
		var latestAt *time.Time
		if err := rows.Scan(&s.id, &s.externalKey, &s.kind, &s.unit, &rollover, &minimum, &maximum, &s.readings, &total, &latest, &latestAt,
			&latestKind); err != nil {
			return err
		}
		s.counter = s.kind == "counter"
		for text, target := range map[*string]**Quantity{rollover: &s.rollover, minimum: &s.minimum, maximum: &s.maximum} {
			if text != nil {
				q, err := parseQuantity(*text)
				if err != nil {
					return err
				}
				*target = &q
			}
		}
		if s.total, err = parseQuantity(total); err != nil {
			return err
		}
		if latest != nil {
			s.latest = &reading{at: latestAt.UTC(), stored: true, row: -1, reset: latestKind == "reset"}
			if s.latest.value, err = parseQuantity(*latest); err != nil {
				return err
			}
		}
		c.meters[s.id] = s
		if s.externalKey != "" {
			c.external[s.externalKey] = s
		}
	}
	return rows.Err()
}

func keys(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for key := range set {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}

// assign gives each row its meter, and its value in the meter's unit.
func (c *call) assign() error {
	meters := catalogue.Product().Must("meters")
	if c.meterID != "" && c.meters[c.meterID] == nil {
		return fault.NotFound("meter", c.meterID)
	}
	for i := range c.rows {
		r := &c.rows[i]
		if r.failed != nil {
			continue
		}
		var problems schema.Problems
		switch {
		case c.meterID != "":
			r.meter = c.meters[c.meterID]
		case r.MeterID != nil:
			if r.meter = c.meters[*r.MeterID]; r.meter == nil {
				problems.AddMissing(c.prefix(i)+"meter_id", "%s", meters.Missing(*r.MeterID))
			}
		default:
			if r.meter = c.external[schema.UniqueKey(*r.MeterExternalID)]; r.meter == nil {
				problems.AddMissing(c.prefix(i)+"meter_external_id", "%s",
					meters.Missing(fmt.Sprintf("with the external_id %q", *r.MeterExternalID)))
			}
		}
		if r.meter != nil {
			r.fit(c.prefix(i), &problems)
		}
		if len(problems) > 0 {
			r.failed = fault.InvalidFields(problems...)
			continue
		}
		r.meter.rows = append(r.meter.rows, i)
	}
	return nil
}

// fit checks a row against its meter.
func (r *row) fit(prefix string, problems *schema.Problems) {
	s := r.meter
	if r.Unit != nil {
		converted, known := convert(r.value, *r.Unit, s.unit)
		if !known {
			problems.Add(prefix+"unit", "is %s, but the meter is in %s, and there is no conversion; send the value in %s", *r.Unit, s.unit, s.unit)
			return
		}
		r.value = converted
	}
	switch {
	case r.value >= maxQuantity*million || r.value <= -maxQuantity*million:
		problems.Add(prefix+"value", "must be less than %d in %s", int64(maxQuantity), s.unit)
	case s.counter && r.value < 0:
		problems.Add(prefix+"value", "must be 0 or more: the meter is a counter")
	case s.counter && s.rollover != nil && r.value > *s.rollover:
		problems.Add(prefix+"value", "must be %s or less, where the meter begins again at 0 (rollover_at)", *s.rollover)
	case !s.counter && r.Kind == "reset":
		problems.Add(prefix+"kind", "a gauge is not reset; send a reading")
	}
}

// readNear reads the stored readings beside those of the call that are not later than all others of their meter: at the same time, before
// and after.
func (c *call) readNear(ctx context.Context, tx pgx.Tx) error {
	var meters []string
	var times []time.Time
	for _, s := range c.inOrder() {
		if s.latest == nil {
			continue
		}
		for _, i := range s.rows {
			if !c.rows[i].at.After(s.latest.at) {
				meters, times = append(meters, s.id), append(times, c.rows[i].at)
			}
		}
	}
	if meters == nil {
		return nil
	}
	const columns = "r.read_at, r.id::text, r.value::text, r.kind, r.usage::text, r.day::text FROM meter_reading r " +
		"WHERE r.organization_id = current_organization() AND r.meter_id = w.meter_id AND r.read_at "
	rows, err := tx.Query(ctx, `SELECT DISTINCT w.meter_id::text, n.* FROM unnest($1::uuid[], $2::timestamptz[]) w (meter_id, read_at)
		CROSS JOIN LATERAL ((SELECT `+columns+`<= w.read_at ORDER BY r.read_at DESC LIMIT 2)
			UNION ALL (SELECT `+columns+`> w.read_at ORDER BY r.read_at LIMIT 1)) n (read_at, id, value, kind, usage, day)
		ORDER BY 1, 2`, meters, times)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		r := &reading{stored: true, row: -1}
		var meter, value, kind, usage string
		if err := rows.Scan(&meter, &r.at, &r.id, &value, &kind, &usage, &r.day); err != nil {
			return err
		}
		r.at, r.reset = r.at.UTC(), kind == "reset"
		if r.value, err = parseQuantity(value); err != nil {
			return err
		}
		if r.usage, err = parseQuantity(usage); err != nil {
			return err
		}
		c.meters[meter].near = append(c.meters[meter].near, r)
	}
	return rows.Err()
}

// settle works out what the rows of a meter do to it.
func (c *call) settle(s *meterState, dayOf func(time.Time) string) {
	byTime := map[time.Time]*reading{}
	if s.latest != nil {
		byTime[s.latest.at] = s.latest
	}
	for _, r := range s.near { // they are whole; of the latest, only its value is kept
		byTime[r.at] = r
	}
	for _, i := range s.rows {
		r := &c.rows[i]
		existing := byTime[r.at]
		fresh := &reading{at: r.at, value: r.value, reset: r.Kind == "reset", row: i}
		switch {
		case existing == nil:
			fresh.id, fresh.day, r.status = uuid.Must(uuid.NewV7()).String(), dayOf(r.at), "created"
		case existing.value == fresh.value && existing.reset == fresh.reset:
			r.id, r.status = existing.id, "unchanged"
			continue
		case c.onConflict == "skip":
			r.id, r.status = existing.id, "skipped"
			continue
		case c.onConflict == "error" && existing.row < 0:
			r.failed = fault.Conflict("already_exists", "read_at", r.ReadAt, "The meter has the %s %s of %s already; send on_conflict=update to "+
				"correct it.", kindOf(existing), existing.value, r.ReadAt)
			r.failed.ExistingID = existing.id
			continue
		case existing.row >= 0:
			r.failed = fault.InvalidFields(fault.Field{Field: c.prefix(i) + "read_at",
				Message: fmt.Sprintf("is that of row %d as well, with another value; send one of them", existing.row)})
			continue
		default:
			fresh.id, fresh.day, fresh.stored, fresh.former, r.status = existing.id, existing.day, true, existing, "updated"
		}
		r.id = fresh.id
		byTime[r.at] = fresh
	}
	order := &sequence{counting: s.counting, prefix: c.prefix}
	for _, r := range byTime {
		order.readings = append(order.readings, r)
	}
	slices.SortFunc(order.readings, func(a, b *reading) int { return a.at.Compare(b.at) })
	var refused map[int]*fault.Error
	refused, s.following = order.settle()
	for i, why := range refused {
		c.rows[i].failed = why
	}
	for _, r := range order.readings {
		if r.row >= 0 {
			s.written = append(s.written, r)
		}
	}
}

// limitTotal refuses the rows of a meter that would have run more than a Quantity can say: a counter that rolls over again and again.
func (c *call) limitTotal(s *meterState) {
	total := float64(s.total)
	for _, r := range slices.Concat(s.written, s.following) {
		total += float64(r.usage)
		if r.former != nil {
			total -= float64(r.former.usage)
		}
	}
	if total <= maxTotal*million {
		return
	}
	for _, r := range s.written {
		c.rows[r.row].failed = fault.InvalidFields(fault.Field{Field: c.prefix(r.row) + "value",
			Message: fmt.Sprintf("would make the total_usage of the meter more than %d; correct it, or go on with another meter", int64(maxTotal))})
	}
	s.written, s.following = nil, nil
}

func kindOf(r *reading) string {
	if r.reset {
		return "reset"
	}
	return "reading"
}

// after gives what is kept of a meter when its rows are written: the total, how many readings there are more, and the latest.
func (s *meterState) after() (total Quantity, more int64, latest *reading) {
	if s.now != nil {
		return s.now.total, -1, s.now.latest
	}
	total, latest = s.total, s.latest
	for _, r := range s.written {
		total += r.usage
		if r.former != nil {
			total -= r.former.usage
		} else {
			more++
		}
		if latest == nil || !r.at.Before(latest.at) {
			latest = r
		}
	}
	for _, r := range s.following {
		total += r.usage - r.former.usage
	}
	return total, more, latest
}

// days gives how much more was run on each day than before.
func (s *meterState) days() map[string]Quantity {
	more := map[string]Quantity{}
	for _, r := range s.written {
		more[r.day] += r.usage
		if r.former != nil {
			more[r.former.day] -= r.former.usage
		}
	}
	for _, r := range s.following {
		more[r.day] += r.usage - r.former.usage
	}
	return more
}

// flags says whether a value is outside of the meter's limits.
func (s *meterState) flags(value Quantity) bool {
	return s.minimum != nil && value < *s.minimum || s.maximum != nil && value > *s.maximum
}

// columns are the arguments of a statement that takes rows as arrays.
type columns struct {
	meters, times, ids, values, kinds, usages, days []string
	flagged                                         []bool
}

func (a *columns) add(s *meterState, r *reading) {
	a.meters, a.times, a.ids = append(a.meters, s.id), append(a.times, r.at.UTC().Format(time.RFC3339Nano)), append(a.ids, r.id)
	a.values, a.kinds, a.usages = append(a.values, r.value.String()), append(a.kinds, kindOf(r)), append(a.usages, r.usage.String())
	a.days, a.flagged = append(a.days, r.day), append(a.flagged, s.flags(r.value))
}

// write writes readings, those whose usage changes by them, sums of days, and what is kept of the meters, by one statement.
func write(ctx context.Context, tx pgx.Tx, changed []*meterState) error {
	var readings, following columns
	var dayMeters, days, dayUsages []string
	var meters, totals, latest, latestTimes, latestKinds []string
	var more []int64
	for _, s := range changed {
		for _, r := range s.written {
			readings.add(s, r)
		}
		for _, r := range s.following {
			following.add(s, r)
		}
		for day, usage := range s.days() {
			if usage != 0 {
				dayMeters, days, dayUsages = append(dayMeters, s.id), append(days, day), append(dayUsages, usage.String())
			}
		}
		total, added, last := s.after()
		meters, totals, more = append(meters, s.id), append(totals, total.String()), append(more, added)
		latest, latestTimes = append(latest, last.value.String()), append(latestTimes, last.at.UTC().Format(time.RFC3339Nano))
		latestKinds = append(latestKinds, kindOf(last))
	}
	actor, err := json.Marshal(principal.From(ctx).Actor)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `WITH written AS (
			INSERT INTO meter_reading AS r (organization_id, meter_id, read_at, id, value, kind, usage, day, flagged, recorded_at, recorded_by)
			SELECT current_organization(), n.meter_id, n.read_at::timestamptz, n.id, n.value::numeric, n.kind, n.usage::numeric, n.day::date,
				n.flagged, clock_timestamp(), $9::jsonb
			FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[])
				AS n (meter_id, read_at, id, value, kind, usage, day, flagged)
			ON CONFLICT (organization_id, meter_id, read_at) DO UPDATE SET value = excluded.value, kind = excluded.kind, usage = excluded.usage,
				flagged = excluded.flagged, recorded_at = excluded.recorded_at, recorded_by = excluded.recorded_by
		), following AS (
			UPDATE meter_reading r SET usage = n.usage::numeric FROM unnest($10::uuid[], $11::text[], $12::text[]) AS n (meter_id, read_at, usage)
			WHERE r.organization_id = current_organization() AND r.meter_id = n.meter_id AND r.meter_id = ANY($10)
				AND r.read_at = n.read_at::timestamptz
		), days AS (
			INSERT INTO meter_day AS d (organization_id, meter_id, day, usage)
			SELECT current_organization(), n.meter_id, n.day::date, n.usage::numeric FROM unnest($13::uuid[], $14::text[], $15::text[])
				AS n (meter_id, day, usage)
			ON CONFLICT (organization_id, meter_id, day) DO UPDATE SET usage = d.usage + excluded.usage
		)
		UPDATE meter_state s SET total_usage = n.total::numeric, readings = s.readings + n.more, latest_value = n.latest::numeric,
			latest_read_at = n.latest_at::timestamptz, latest_kind = n.latest_kind
		FROM unnest($16::uuid[], $17::text[], $18::bigint[], $19::text[], $20::text[], $21::text[])
			AS n (meter_id, total, more, latest, latest_at, latest_kind)
		WHERE s.organization_id = current_organization() AND s.meter_id = n.meter_id AND s.meter_id = ANY($16)`,
		readings.meters, readings.times, readings.ids, readings.values, readings.kinds, readings.usages, readings.days, readings.flagged, actor,
		following.meters, following.times, following.usages, dayMeters, days, dayUsages,
		meters, totals, more, latest, latestTimes, latestKinds)
	if err != nil {
		return fmt.Errorf("write readings: %w", err)
	}
	return nil
}

// keepCorrections keeps what corrected readings were, in the audit trail. A new reading is its own record: it says who sent it and when.
func keepCorrections(ctx context.Context, tx pgx.Tx, changed []*meterState) error {
	var entries []resource.HistoryEntry
	for _, s := range changed {
		for _, r := range s.written {
			if r.former == nil {
				continue
			}
			at := r.at.UTC().Format(time.RFC3339Nano)
			entries = append(entries, resource.HistoryEntry{RecordID: s.id, Version: 1, Changes: encoded(map[string]any{
				"read_at": map[string]any{"old": at, "new": at},
				"value":   map[string]any{"old": r.former.value, "new": r.value},
				"kind":    map[string]any{"old": kindOf(r.former), "new": kindOf(r)},
			})})
		}
	}
	return resource.AddHistoryEntries(ctx, tx, "meters", "reading_corrected", entries)
}
