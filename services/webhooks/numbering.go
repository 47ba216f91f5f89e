package webhooks

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
)

// store stores events in one transaction. It skips those that are stored already, numbers the others per organization without a
// gap, and queues a delivery for each endpoint that subscribes to them. It gives the ids of all that are stored now: those
// of an organization that is being moved are not. It takes two round trips between begin and commit, whatever the number of
// events and organizations.
func (in *inbox) store(ctx context.Context, events []incomingEvent) ([]string, error) {
	received := make([]string, 0, len(events))
	if len(events) == 0 {
		return received, nil
	}
	organizations, grouped := byOrganization(events)
	var touched []endpointKey
	err := pgx.BeginFunc(ctx, in.db.Pool(), func(tx pgx.Tx) error {
		states, err := lockFeeds(ctx, tx, organizations, grouped)
		if err != nil {
			return err
		}
		batch := &pgx.Batch{}
		for _, organization := range organizations {
			if !*states[organization].locked {
				continue
			}
			for _, e := range grouped[organization] {
				received = append(received, e.ID)
			}
			for _, p := range states[organization].numberEvents(batch, organization, grouped[organization], in.now()) {
				touched = append(touched, endpointKey{organization, p.endpointID})
			}
		}
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return nil, fmt.Errorf("store %d events: %w", len(events), postgres.Fault(err, nil))
	}
	in.afterCommit(ctx, touched, organizations)
	return received, nil
}

// feedState is what is needed to number an organization's events and to queue their deliveries.
type feedState struct {
	last          int64           // the number that was given last
	locked        *bool           // false: the organization is being moved, its events wait in their outbox
	stored        map[string]bool // ids of events
	subscriptions []subscription
}

const inOrganization = "SELECT set_config('ams.organization_id', $1, true)"

// lockFeeds locks the numbering of the organizations, in their order, and reads the state of their feeds. The statements after
// the lock see what was committed while it was waited for.
func lockFeeds(
	ctx context.Context, tx pgx.Tx, organizations []string, events map[string][]incomingEvent,
) (map[string]*feedState, error) {
	states, batch := map[string]*feedState{}, &pgx.Batch{}
	for _, organization := range organizations {
		state := &feedState{stored: map[string]bool{}}
		states[organization] = state
		var ids []string
		for _, e := range events[organization] {
			ids = append(ids, e.ID)
		}
		batch.Queue(inOrganization, organization)
		state.locked = lockFeed(batch, organization, &state.last)
		batch.Queue(`SELECT id::text FROM event WHERE organization_id = $1 AND id = ANY($2::uuid[])`, organization, ids).
			Query(func(rows pgx.Rows) error {
				var id string
				_, err := pgx.ForEachRow(rows, []any{&id}, func() error {
					state.stored[id] = true
					return nil
				})
				return err
			})
		// While a replay for an endpoint runs, the replay queues the endpoint's new events.
		readSubscriptions(batch,
			`NOT EXISTS (SELECT FROM replay r WHERE r.organization_id = $1 AND r.endpoint_id = t.id AND r.state <> 'done')`,
			&state.subscriptions, organization)
	}
	return states, tx.SendBatch(ctx, batch).Close()
}

// lockFeed locks an organization's numbering until the commit, and reads the last number, unless the organization is being moved to another
// database and takes no writes.
func lockFeed(batch *pgx.Batch, organization string, last *int64) (locked *bool) {
	locked = new(bool)
	batch.Queue(`INSERT INTO feed AS f (organization_id) SELECT $1::uuid WHERE `+postgres.MayWrite("$1")+`
		ON CONFLICT (organization_id) DO UPDATE SET last_sequence = f.last_sequence RETURNING f.last_sequence`, organization).
		Query(func(rows pgx.Rows) error {
			_, err := pgx.ForEachRow(rows, []any{last}, func() error {
				*locked = true
				return nil
			})
			return err
		})
	return locked
}

// readSubscriptions reads the subscriptions of those endpoints t of an organization that fulfil a condition.
func readSubscriptions(batch *pgx.Batch, condition string, into *[]subscription, args ...any) {
	batch.Queue(`SELECT t.id::text, jsonb_build_object(
			'EventTypes', t.event_types, 'SiteIDs', t.site_ids, 'ChangedAny', t.changed_any, 'ExcludeOrigins', t.exclude_origins,
			'Filters', t.filters, 'Scopes', t.maker_scopes)::text
		FROM webhook_endpoint t WHERE t.organization_id = $1 AND `+condition+` ORDER BY t.id`, args...).Query(func(rows pgx.Rows) error {
		var id string
		var wanted []byte
		_, err := pgx.ForEachRow(rows, []any{&id, &wanted}, func() error {
			s := subscription{EndpointID: id}
			*into = append(*into, s)
			return json.Unmarshal(wanted, &(*into)[len(*into)-1])
		})
		return err
	})
}

// numberEvents writes the events that are new and queues their deliveries.
func (f *feedState) numberEvents(batch *pgx.Batch, organization string, events []incomingEvent, now time.Time) []plannedDelivery {
	var added []message
	var sites, seenWith []string
	var planned []plannedDelivery
	for _, e := range events {
		if f.stored[e.ID] {
			continue
		}
		f.stored[e.ID] = true // the batch may have it twice
		f.last++
		sequence := f.last
		added = append(added, message{
			organizationID: organization, id: e.ID, eventType: e.Type, collection: e.Collection, recordID: e.RecordID,
			version: e.Version, sequence: &sequence, at: e.At, traceparent: e.Traceparent, payload: e.Payload,
		})
		sites, seenWith = append(sites, array(e.attributes.siteIDs)), append(seenWith, array(e.attributes.seenWith))
		m := added[len(added)-1]
		for _, s := range f.subscriptions {
			if s.matches(e.attributes) {
				planned = append(planned, plannedDelivery{s.EndpointID, &m, causeEvent})
			}
		}
	}
	if len(added) == 0 {
		return nil
	}
	batch.Queue(inOrganization, organization)
	insertEvents(batch, organization, added, sites, seenWith, now)
	batch.Queue(`UPDATE feed SET last_sequence = $2 WHERE organization_id = $1`, organization, f.last)
	enqueue(batch, organization, planned, now)
	return planned
}

func insertEvents(batch *pgx.Batch, organization string, events []message, sites, seenWith []string, now time.Time) {
	n := len(events)
	ids, types, collections, records := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	versions, sequences, ats, traces, payloads := make([]int, n), make([]*int64, n), make([]time.Time, n), make([]string, n), make([]string, n)
	for i, m := range events {
		ids[i], types[i], collections[i], records[i], versions[i] = m.id, m.eventType, m.collection, m.recordID, m.version
		sequences[i], ats[i], traces[i], payloads[i] = m.sequence, m.at, m.traceparent, string(m.payload)
	}
	batch.Queue(`INSERT INTO event
			(organization_id, id, sequence, type, collection, record_id, version, site_ids, seen_with, payload, traceparent, at,
				received_at)
		SELECT $1, e.id, e.sequence, e.type, e.collection, e.record_id, e.version, e.site_ids::uuid[], e.seen_with::text[], e.payload::json,
			e.traceparent, e.at, $13
		FROM unnest($2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::uuid[], $7::int[], $8::text[], $9::text[], $10::text[], $11::text[],
			$12::timestamptz[]) e (id, sequence, type, collection, record_id, version, site_ids, seen_with, payload, traceparent, at)`,
		organization, ids, sequences, types, collections, records, versions, sites, seenWith, payloads, traces, ats, now)
}

// array gives texts as PostgreSQL writes an array.
func array(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	}
	return "{" + strings.Join(quoted, ",") + "}"
}
