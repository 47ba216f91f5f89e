package resourcetest

import (
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
)

// Event is an event as it waits in a service's outbox.
type Event struct {
	Type, Collection, RecordID string
	Version                    int
	Traceparent                string
	Object, Previous           map[string]any
	Changed                    []string
	Payload                    map[string]any // with actor, origin, bulk_id and request_id
}

// Events gives the events of all organizations that wait in the outbox, in their order.
func Events(t testing.TB, database *postgrestest.Database) []Event {
	t.Helper()
	return events(t, database, "true")
}

// Events gives those of the client's organization.
func (c *Client) Events(t testing.TB, database *postgrestest.Database) []Event {
	t.Helper()
	return events(t, database, "organization_id = $1", c.Principal.OrganizationID)
}

func events(t testing.TB, database *postgrestest.Database, where string, arguments ...any) []Event {
	t.Helper()
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	rows, err := owner.Query(t.Context(), "SELECT type, collection, record_id::text, version, traceparent, payload, payload->'data' "+
		"FROM outbox WHERE "+where+" ORDER BY position", arguments...)
	if err != nil {
		t.Fatal(err)
	}
	var all []Event
	var e Event
	var payload, data []byte
	if _, err := pgx.ForEachRow(rows, []any{&e.Type, &e.Collection, &e.RecordID, &e.Version, &e.Traceparent, &payload, &data}, func() error {
		e.Object, e.Previous, e.Changed, e.Payload = nil, nil, nil, nil
		if err := json.Unmarshal(payload, &e.Payload); err != nil {
			return err
		}
		err := json.Unmarshal(data, &e)
		all = append(all, e)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// EventTypes gives the types of the events about a record, in their order.
func EventTypes(events []Event, recordID any) []string {
	types := []string{}
	for _, e := range events {
		if e.RecordID == recordID {
			types = append(types, e.Type)
		}
	}
	return types
}
