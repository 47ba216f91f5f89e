package meters

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/outbox"
	"ams.internal/libs/postgres"
)

// addEvents adds one event for each meter that a call has changed, with the meter as its object: as GET shows it now.
func (m metering) addEvents(ctx context.Context, tx pgx.Tx, what, bulkID string, changed []*meterState) error {
	ids, byID := make([]string, len(changed)), map[string]*meterState{}
	for i, s := range changed {
		ids[i], byID[s.id] = s.id, s
	}
	shown, err := m.registry.ShowAll(ctx, tx, "meters", ids)
	if err != nil {
		return err
	}
	events := make([]outbox.Event, len(shown))
	for i, meter := range shown {
		names, previous := byID[meter.ID].difference()
		events[i] = outbox.Event{Type: what, Collection: "meters", RecordID: meter.ID, Version: meter.Version,
			Object: meter.Object, Changed: names, Previous: encoded(previous), BulkID: bulkID}
	}
	batch := &pgx.Batch{} // with the next statement, which mostly is the commit
	if err := outbox.Queue(ctx, batch, events); err != nil {
		return err
	}
	return postgres.Later(ctx, tx, batch)
}

// difference says what of the meter is another than before the call, with the former values.
func (s *meterState) difference() (names []string, previous map[string]any) {
	total, _, latest := s.after()
	names, previous = []string{}, map[string]any{}
	switch {
	case s.latest == nil:
		names, previous["latest"] = append(names, "latest"), nil
	case latest != s.latest:
		names = append(names, "latest")
		previous["latest"] = map[string]any{"value": s.latest.value, "read_at": s.latest.at.UTC().Format(time.RFC3339Nano),
			"flagged": s.flags(s.latest.value)}
	}
	if s.counter && total != s.total {
		names, previous["total_usage"] = append(names, "total_usage"), s.total
	}
	return names, previous
}
