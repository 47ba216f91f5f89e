package record

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/internal/links"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
)

// readCursor takes the place of an entry in a trail apart: at_id, of an entry that came before.
func readCursor(cursor string) (at, id string, err error) {
	const length = len("2006-01-02T15:04:05.000000Z")
	if len(cursor) == length+1+36 && cursor[length] == '_' && schema.IsUUID(cursor[length+1:]) {
		at, id = cursor[:length], cursor[length+1:]
		if _, err = time.Parse(time.RFC3339Nano, at); err == nil {
			return at, id, nil
		}
	}
	return "", "", fault.InvalidFields(fault.Field{Field: "after", Message: "must be the next of the page before"})
}

// Trail gives what was written here. It comes from the history, which is written in the transaction of each change:
// there is no write without its entry, and no entry without its write. It is for administrators, so it has all records, whoever may see
// them otherwise. others are collections that are no resources.
func Trail(ctx context.Context, set *table.Set, in reference.ChangesQuery, others ...string) (reference.ChangesPage, error) {
	if principal.From(ctx).Actor.Type != "service" {
		return reference.ChangesPage{}, fault.Forbidden("services_only", "Only the product's own services may ask for this.")
	}
	conditions, err := trailConditions(in, append(links.Keys(set.Tables), others...))
	if err != nil {
		return reference.ChangesPage{}, err
	}
	page := reference.ChangesPage{Data: []reference.RecordedWrite{}}
	labels := map[string]map[string]string{} // the label in a change, by collection and record
	var collections []string                 // of each entry
	err = set.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT t.id::text, t.at, t.actor, t.collection, t.action, t.record_id::text, t.changes,
				t.address, coalesce(t.request_id, '')
			FROM history t WHERE `+conditions.SQL()+fmt.Sprintf(` ORDER BY t.at DESC, t.id DESC LIMIT %d`, in.Limit), conditions.Arguments(ctx)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var e reference.RecordedWrite
			var at time.Time
			var collection, action string
			var changes json.RawMessage
			if err := rows.Scan(&e.ID, &at, &e.Actor, &collection, &action, &e.Subject.ID, &changes, &e.Address, &e.RequestID); err != nil {
				return err
			}
			e.At, e.Changes = at.UTC().Format("2006-01-02T15:04:05.000000Z"), &changes
			e.Subject.Type = collection
			if t := set.Tables[collection]; t != nil {
				e.Subject.Type = t.Row.Singular
				addLabel(t, labels, e.Subject.ID, changes)
			}
			e.Action = e.Subject.Type + "." + action
			page.Data, collections = append(page.Data, e), append(collections, collection)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		return nameSubjects(ctx, set, page.Data, collections, labels)
	})
	return page, postgres.Fault(err, nil)
}

func trailConditions(in reference.ChangesQuery, collections []string) (table.Conditions, error) {
	var c table.Conditions
	if in.ActorID != nil {
		c.Add("t.actor_id = $2", *in.ActorID)
	}
	if in.RecordID != nil { // with the collections, the primary key's index finds it
		c.Add("t.collection = ANY($2::text[]) AND t.record_id = $3::uuid AND t.at >= $4", collections, *in.RecordID, earliest(*in.RecordID))
	}
	if in.From != nil {
		c.Add("t.at >= $2::text::timestamptz", *in.From)
	}
	if in.To != nil {
		c.Add("t.at < $2::text::timestamptz", *in.To)
	}
	if in.Before != nil {
		at, id, err := readCursor(*in.Before)
		if err != nil {
			return c, err
		}
		c.Add("t.at <= $2::text::timestamptz AND (t.at, t.id) < ($2::text::timestamptz, $3::uuid)", at, id) // the first prunes partitions
	}
	return c, nil
}

// addLabel keeps what a change says about the record's name, for a record that is gone by now. Entries come newest first.
func addLabel(t *table.Table, labels map[string]map[string]string, id string, changes []byte) {
	var shown map[string]struct{ Old, New any }
	if _, known := labels[t.Row.Name][id]; known || json.Unmarshal(changes, &shown) != nil {
		return
	}
	for _, value := range []any{shown[t.Label].New, shown[t.Label].Old} {
		if value != nil {
			if labels[t.Row.Name] == nil {
				labels[t.Row.Name] = map[string]string{}
			}
			labels[t.Row.Name][id] = fmt.Sprint(value)
			return
		}
	}
}

// nameSubjects says what the records are called: one question per collection of the page.
func nameSubjects(ctx context.Context, set *table.Set, entries []reference.RecordedWrite, collections []string,
	labels map[string]map[string]string) error {
	wanted := map[string][]string{}
	for i, e := range entries {
		if set.Tables[collections[i]] != nil {
			wanted[collections[i]] = append(wanted[collections[i]], e.Subject.ID)
		}
	}
	for collection, ids := range wanted {
		slices.Sort(ids)
		found, err := links.FindAny(ctx, set.Tables[collection], reference.Query{IDs: slices.Compact(ids)})
		if err != nil {
			return err
		}
		if labels[collection] == nil {
			labels[collection] = map[string]string{}
		}
		for _, record := range found {
			labels[collection][record.ID] = record.Name
		}
	}
	for i := range entries {
		entries[i].Subject.Name = labels[collections[i]][entries[i].Subject.ID]
	}
	return nil
}
