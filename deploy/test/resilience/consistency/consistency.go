// Package consistency compares what the API acknowledged with what the product stores: acknowledged changes, the history in the
// database, the feed of events and what endpoints received must agree.
package consistency

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
)

// Change is one version of a record, as a caller was told or the history says.
type Change struct {
	Record  string `json:"record"`
	Action  string `json:"action"` // created, updated, deleted
	Version int    `json:"version"`
}

// Event is what a subscriber receives, as far as it is compared.
type Event struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Sequence  int64     `json:"sequence"`
	Data      struct {
		Object struct {
			ID      string `json:"id"`
			Version int    `json:"version"`
		} `json:"object"`
	} `json:"data"`
}

// change is what the event is about. The event of a delete has the version before the delete.
func (e *Event) change() Change {
	action := e.Type[strings.LastIndex(e.Type, ".")+1:]
	version := e.Data.Object.Version
	if action == "deleted" {
		version++
	}
	return Change{e.Data.Object.ID, action, version}
}

// schemas are those whose services write records, history and events.
var schemas = []string{"assets", "users", "workorders", "los", "infrastructure", "projects", "requests", "meters", "forms", "planning",
	"accounting", "documents", "webhooks"}

// Now is the database's clock, which also stamps the history.
func Now(ctx context.Context, db *pgx.Conn) (now time.Time, err error) {
	err = db.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now)
	return now, err
}

// history gives what an organization has committed since then, once each.
func history(ctx context.Context, db *pgx.Conn, organization string, since time.Time) (map[Change]bool, error) {
	committed := map[Change]bool{}
	for _, schema := range schemas {
		rows, err := db.Query(ctx, "SELECT record_id::text, action, version FROM "+schema+".history"+
			" WHERE organization_id = $1 AND at > $2", organization, since)
		if err != nil {
			return nil, err
		}
		var c Change
		if _, err := pgx.ForEachRow(rows, []any{&c.Record, &c.Action, &c.Version}, func() error {
			committed[c] = true
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return committed, nil
}

// Feed reads an organization's feed to its end by its cursor, as a subscriber does, and gives the events behind a sequence.
func Feed(ctx context.Context, client *ams.Client, behind int64) (events []Event, err error) {
	for after := ""; ; {
		var page struct {
			Data    []Event `json:"data"`
			Next    string  `json:"next"`
			HasMore bool    `json:"has_more"`
		}
		query := url.Values{"limit": {"1000"}}
		if after != "" {
			query.Set("after", after)
		}
		if err := client.Request(ctx, ams.Request{Method: http.MethodGet, Path: "/v1/events", Query: query}, &page); err != nil {
			return nil, err
		}
		for _, e := range page.Data {
			if e.Sequence > behind {
				events = append(events, e)
			}
		}
		if after = page.Next; !page.HasMore {
			return events, nil
		}
	}
}

// pending counts what is in an outbox, and the deliveries that are still to be made.
func pending(ctx context.Context, db *pgx.Conn) (outboxes, deliveries int, err error) {
	sum := "0"
	for _, schema := range schemas {
		sum += " + (SELECT count(*) FROM " + schema + ".outbox)"
	}
	err = db.QueryRow(ctx, "SELECT "+sum+", (SELECT count(*) FROM webhooks.delivery WHERE state = 'pending')").
		Scan(&outboxes, &deliveries)
	return outboxes, deliveries, err
}
