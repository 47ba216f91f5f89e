package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
)

// store makes events durable, in one transaction for all of them: it leaves out those that are known already, numbers the
// others without a gap per organization, and writes a delivery for every endpoint that wants one. It gives the ids of all
// that are durable now. Whatever the number of events and organizations, it takes two pipelines between begin and commit.
func (in *inbox) store(ctx context.Context, arrivals []incomingEvent) ([]string, error) {
	received := make([]string, len(arrivals))
	for i, a := range arrivals {
		received[i] = a.ID
	}
	if len(arrivals) == 0 {
		return received, nil
	}
	organizations, of := byOrganization(arrivals)
	var touched []endpointKey
	err := pgx.BeginFunc(ctx, in.db.Pool(), func(tx pgx.Tx) error {
		states, err := lockFeeds(ctx, tx, organizations, of)
		if err != nil {
			return err
		}
		batch := &pgx.Batch{}
		for _, organization := range organizations {
			orders := states[organization].numberEvents(batch, organization, of[organization], in.now())
			for _, o := range orders {
				touched = append(touched, endpointKey{organization, o.endpointID})
			}
		}
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return nil, fmt.Errorf("keep %d events: %w", len(arrivals), postgres.Fault(err, nil))
	}
	in.afterCommit(touched, organizations)
	return received, nil
}

// feedState is where an organization's numbering stands, and what its events meet.
type feedState struct {
	last          int64
	known         map[string]bool
	subscriptions []subscription
}

const inOrganization = "SELECT set_config('ams.organization_id', $1, true)"

// lockFeeds locks the numbering of the organizations in their order and reads what is needed to number their events. Each
// statement sees what the one before it has waited for.
func lockFeeds(ctx context.Context, tx pgx.Tx, organizations []string, of map[string][]incomingEvent) (map[string]*feedState, error) {
	states, batch := map[string]*feedState{}, &pgx.Batch{}
	for _, organization := range organizations {
		state := &feedState{known: map[string]bool{}}
		states[organization] = state
		var ids []string
		for _, a := range of[organization] {
			ids = append(ids, a.ID)
		}
		batch.Queue(inOrganization, organization)
		lockFeed(batch, organization, &state.last)
		batch.Queue(`SELECT id::text FROM event WHERE organization_id = $1 AND id = ANY($2::uuid[])`, organization, ids).Query(func(rows pgx.Rows) error {
			var id string
			_, err := pgx.ForEachRow(rows, []any{&id}, func() error {
				state.known[id] = true
				return nil
			})
			return err
		})
		// What an endpoint that is being replayed wants, the replay finds.
		readSubscriptions(batch, `NOT EXISTS (SELECT FROM replay r WHERE r.organization_id = $1 AND r.endpoint_id = t.id AND r.state <> 'done')`,
			&state.subscriptions, organization)
	}
	return states, tx.SendBatch(ctx, batch).Close()
}

// lockFeed holds an organization's numbering until the commit.
func lockFeed(batch *pgx.Batch, organization string, last *int64) {
	batch.Queue(`INSERT INTO feed AS f (organization_id) VALUES ($1)
		ON CONFLICT (organization_id) DO UPDATE SET last_sequence = f.last_sequence RETURNING f.last_sequence`, organization).
		QueryRow(func(row pgx.Row) error { return row.Scan(last) })
}

// readSubscriptions reads what the endpoints of an organization want; condition is about the endpoint t.
func readSubscriptions(batch *pgx.Batch, condition string, into *[]subscription, args ...any) {
	batch.Queue(`SELECT t.id::text, jsonb_build_object('EventTypes', t.event_types, 'SiteIDs', t.site_ids, 'ChangedAny', t.changed_any, 'ExcludeOrigins', t.exclude_origins)::text
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

// numberEvents writes the events that are new and what is to be delivered of them.
func (f *feedState) numberEvents(batch *pgx.Batch, organization string, arrivals []incomingEvent, now time.Time) []plannedDelivery {
	var fresh []message
	var sites []string
	var orders []plannedDelivery
	for _, a := range arrivals {
		if f.known[a.ID] {
			continue
		}
		f.known[a.ID] = true // also what comes twice in one batch
		f.last++
		sequence := f.last
		fresh = append(fresh, message{
			organizationID: organization, id: a.ID, eventType: a.Type, collection: a.Collection, recordID: a.RecordID,
			version: a.Version, sequence: &sequence, at: a.At, traceparent: a.Traceparent, payload: a.Payload,
		})
		sites = append(sites, uuidArray(a.attributes.siteIDs))
		m := fresh[len(fresh)-1]
		for _, s := range f.subscriptions {
			if s.matches(a.attributes) {
				orders = append(orders, plannedDelivery{s.EndpointID, &m, causeEvent})
			}
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	batch.Queue(inOrganization, organization)
	insertEvents(batch, organization, fresh, sites, now)
	batch.Queue(`UPDATE feed SET last_sequence = $2 WHERE organization_id = $1`, organization, f.last)
	enqueue(batch, organization, orders, now)
	return orders
}

func insertEvents(batch *pgx.Batch, organization string, events []message, sites []string, now time.Time) {
	n := len(events)
	ids, types, collections, records := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	versions, sequences, ats, traces, payloads := make([]int, n), make([]*int64, n), make([]time.Time, n), make([]string, n), make([]string, n)
	for i, m := range events {
		ids[i], types[i], collections[i], records[i], versions[i] = m.id, m.eventType, m.collection, m.recordID, m.version
		sequences[i], ats[i], traces[i], payloads[i] = m.sequence, m.at, m.traceparent, string(m.payload)
	}
	batch.Queue(`INSERT INTO event (organization_id, id, sequence, type, collection, record_id, version, site_ids, payload, traceparent, at, received_at)
		SELECT $1, e.id, e.sequence, e.type, e.collection, e.record_id, e.version, e.site_ids::uuid[], e.payload::json, e.traceparent, e.at, $12
		FROM unnest($2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::uuid[], $7::int[], $8::text[], $9::text[], $10::text[], $11::timestamptz[])
			e (id, sequence, type, collection, record_id, version, site_ids, payload, traceparent, at)`,
		organization, ids, sequences, types, collections, records, versions, sites, payloads, traces, ats, now)
}

// uuidArray is Postgres' text form of a list of ids.
func uuidArray(ids []string) string {
	text := "{"
	for i, id := range ids {
		if i > 0 {
			text += ","
		}
		text += id
	}
	return text + "}"
}
