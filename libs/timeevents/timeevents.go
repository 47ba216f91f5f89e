// Package timeevents sends the events that time alone causes: that a day of a record has come is an event, although
// nobody changed the record.
//
// A service that does so has a table time_event (organization_id, event, record_id, day), isolated, with the key of the first three: the
// day of which a record's event was last sent. Mark and event are written in one transaction, under a lock on the record, so that a kill
// neither loses nor doubles one. A day that is moved is another event. What had come when the record was entered is none.
package timeevents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/outbox"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/work"
)

const (
	// start is how long a process waits after its start, and interval the time between two scans.
	start    = 30 * time.Second
	interval = 10 * time.Minute
	// maxRecords is how many records a transaction announces.
	maxRecords = 200
)

// Type is a type of event that a day causes.
type Type struct {
	Event      string // "work_order.overdue"
	Collection string
	Table      string // of the collection; t in the following SQL

	Day  string // of which the event is: another day is another event
	From string // the day on which it comes
	When string // whether it is one today; an index must serve it
}

// Watch announces the time events of a service.
type Watch struct {
	DB       *postgres.DB
	Log      *slog.Logger
	Registry *resource.Registry
	Types    []Type

	// Organizations gives all organizations of the cell, each as the principal on whose behalf events are sent.
	Organizations func(ctx context.Context) ([]principal.Principal, error)
}

// Run announces again and again until ctx ends, while this instance leads.
func (w Watch) Run(ctx context.Context) { w.sweep(new(int)).Run(ctx) }

// Announce announces what has come in all organizations, and returns how many events it sent. Any number of processes may do so at the same
// time.
func (w Watch) Announce(ctx context.Context) (sent int, err error) {
	err = w.sweep(&sent).Once(ctx)
	return sent, err
}

// sweep announces what has come in each organization. One type of event that fails does not delay the others.
func (w Watch) sweep(sent *int) work.Sweep {
	return work.Sweep{Name: "time_events", DB: w.DB, Log: w.Log, Organizations: w.Organizations, Start: start, Interval: interval,
		Do: func(ctx context.Context) error {
			var failed []error
			for _, o := range w.Types {
				n, err := w.announceAll(ctx, o)
				if *sent += n; err != nil {
					failed = append(failed, fmt.Errorf("%s: %w", o.Event, err))
				}
			}
			return errors.Join(failed...)
		}}
}

func (w Watch) announceAll(ctx context.Context, o Type) (sent int, err error) {
	for {
		n, err := w.announce(ctx, o)
		if sent += n; err != nil || n < maxRecords { // fewer: what is left is being written by somebody else, and is found the next time
			return sent, err
		}
	}
}

// announce sends the events of one transaction.
func (w Watch) announce(ctx context.Context, o Type) (sent int, err error) {
	err = w.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, o.Mark(), o.Event, maxRecords)
		if err != nil {
			return err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(ids) == 0 {
			return err
		}
		shown, err := w.Registry.ShowAll(ctx, tx, o.Collection, ids)
		if err != nil {
			return err
		}
		events := make([]outbox.Event, len(shown))
		for i, record := range shown {
			events[i] = outbox.Event{Type: o.Event, Collection: o.Collection, RecordID: record.ID, Version: record.Version, Object: record.Object}
		}
		sent = len(ids)
		return outbox.Add(ctx, tx, events)
	})
	if err != nil {
		return 0, err
	}
	return sent, nil
}

// Mark is a statement that marks up to $2 records whose day has come, for the event $1, and gives their ids. It locks them, and leaves
// those out that somebody writes.
func (o Type) Mark() string {
	return `WITH due AS MATERIALIZED (
		SELECT t.id, ` + o.Day + ` AS day FROM ` + o.Table + ` t
		WHERE t.organization_id = current_organization() AND ` + o.When + ` AND ` + o.From + ` <= ` + indicators.Today + `
			AND ` + o.From + ` > ` + indicators.DayOf("t.created_at") + `
			AND NOT EXISTS (SELECT FROM time_event o WHERE o.organization_id = current_organization() AND o.event = $1 AND o.record_id = t.id
				AND o.day = ` + o.Day + `)
		ORDER BY 2, 1 LIMIT $2 FOR NO KEY UPDATE OF t SKIP LOCKED)
	INSERT INTO time_event AS o (organization_id, event, record_id, day) SELECT current_organization(), $1, due.id, due.day FROM due
	ON CONFLICT (organization_id, event, record_id) DO UPDATE SET day = EXCLUDED.day WHERE o.day <> EXCLUDED.day
	RETURNING record_id::text`
}
