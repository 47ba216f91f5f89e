package accounts

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/gateway/keys"
	"ams.internal/libs/calendar"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// recorders are the services that keep a history of what is written through them.
var recorders = []string{"accounting", "assets", "documents", "forms", "infrastructure", "los", "mcp", "meters", "planning", "projects",
	"requests", "users", "webhooks", "workorders"}

// recorderTimeout is how long a trail waits for a service before it says that its entries are missing.
const recorderTimeout = 4 * time.Second

// auditEntry is one line of the trail.
type auditEntry struct {
	ID        string          `json:"id"`
	At        string          `json:"at"`
	Actor     principal.Actor `json:"actor"`
	Action    string          `json:"action"`
	Subject   subject         `json:"subject"`
	Changes   json.RawMessage `json:"changes"`
	Address   string          `json:"address"`
	RequestID string          `json:"request_id"`
	Origin    string          `json:"origin"` // the service that keeps the entry
}

func (e auditEntry) cursor() string { return e.At + "_" + e.ID }

type trailQuery struct {
	byOrganization
	Key    *string `query:"key" format:"uuid"`
	Person *string `query:"person" format:"uuid"`
	Record *string `query:"record" format:"uuid"`
	From   *string `query:"from" maxLength:"40"`
	To     *string `query:"to" maxLength:"40"`
	After  *string `query:"after" maxLength:"100"`
	Limit  int     `query:"limit" default:"50" minimum:"1" maximum:"1000"`
}

// span is the part of a trail that is wanted: from ≤ at < to, and before the cursor (at, id). What is nil bounds nothing.
type span struct{ from, to, at, id *string }

// trailPage is a part of the trail, newest first. Next, for after, is null on the last page. Missing names services that are
// unavailable: what was written through them is not on this page, though it is not lost.
type trailPage struct {
	Data    json.RawMessage `json:"data"`
	Next    *string         `json:"next"`
	Missing json.RawMessage `json:"missing"`
}

const auditPath = "/internal/organizations/{id}/audit"

// trail is the audit trail, merged when it is read.
type trail struct {
	db     *postgres.DB
	client *reference.Client
	log    *slog.Logger
}

func (t *trail) mount(api *transport.API) {
	transport.Get(api, transport.Operation{Path: auditPath, ID: "list_audit"}, t.list)
}

// list gives one trail of everything: the gateway's own entries about keys, sign-ins and plans, and every write, which the
// services keep as history, in the transaction of the write itself.
func (t *trail) list(ctx context.Context, in trailQuery) (trailPage, error) {
	ctx, err := authorizeSandbox(ctx, in.ID, rolePlatformAdmin, roleService, roleAdministrator)
	if err != nil {
		return trailPage{}, err
	}
	var of organization
	var wanted span
	var entries []auditEntry
	err = t.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if of, err = readOrganization(ctx, tx, in.ID); err != nil {
			return err
		}
		if wanted, err = in.span(of.Settings.Calendar()); err != nil {
			return err
		}
		entries, err = ownEntries(ctx, tx, in, wanted)
		return err
	})
	if err != nil {
		return trailPage{}, postgres.Fault(err, nil)
	}
	written, missing := t.writtenEntries(of.within(ctx), in, wanted)
	entries = append(entries, written...)
	slices.SortFunc(entries, func(a, b auditEntry) int { return strings.Compare(b.cursor(), a.cursor()) })
	page := trailPage{}
	if len(entries) > in.Limit {
		entries = entries[:in.Limit]
		next := entries[in.Limit-1].cursor()
		page.Next = &next
	}
	if page.Missing, err = json.Marshal(missing); err != nil {
		return trailPage{}, err
	}
	page.Data, err = json.Marshal(entries)
	return page, err
}

// ownEntries are the gateway's own part of a trail, newest first.
func ownEntries(ctx context.Context, tx pgx.Tx, in trailQuery, wanted span) ([]auditEntry, error) {
	rows, err := tx.Query(ctx, `SELECT id, at, actor, action, subject, changes, address, request_id FROM audit
		WHERE organization_id = $1
			AND ($2::text IS NULL OR actor ->> 'id' = $2 OR subject ->> 'id' = $2)
			AND ($3::text IS NULL OR actor ->> 'id' = $3 OR subject ->> 'id' = $3)
			AND ($4::text IS NULL OR subject ->> 'id' = $4)
			AND at >= coalesce($5::timestamptz, '-infinity') AND at < coalesce($6::timestamptz, 'infinity')
			AND at <= coalesce($7::timestamptz, 'infinity') -- which prunes partitions
			AND (at, id) < (coalesce($7::timestamptz, 'infinity'), coalesce($8::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
		ORDER BY at DESC, id DESC LIMIT $9`,
		in.ID, in.Key, in.Person, in.Record, wanted.from, wanted.to, wanted.at, wanted.id, in.Limit+1)
	if err != nil {
		return nil, err
	}
	entries := []auditEntry{}
	var e auditEntry
	var at time.Time
	columns := []any{&e.ID, &at, &e.Actor, &e.Action, &e.Subject, &e.Changes, &e.Address, &e.RequestID}
	_, err = pgx.ForEachRow(rows, columns, func() error {
		e.At, e.Origin = keys.Timestamp(at), "gateway"
		entries = append(entries, e)
		e.Changes = json.RawMessage(nil) // else the next row would be written into the same bytes
		return nil
	})
	return entries, err
}

// writtenEntries reads the part of every service.
func (t *trail) writtenEntries(ctx context.Context, in trailQuery, wanted span) (entries []auditEntry, missing []string) {
	missing = []string{}
	actor := in.Person
	if in.Key != nil {
		if actor != nil && *actor != *in.Key {
			return nil, missing // nothing is written by two
		}
		actor = in.Key
	}
	query := reference.ChangesQuery{
		ActorID: actor, RecordID: in.Record, From: wanted.from, To: wanted.to, Before: in.After, Limit: in.Limit + 1,
	}
	p := principal.From(ctx)
	p.Actor = principal.Actor{Type: "service", ID: "gateway", Name: "gateway"}
	ctx, cancel := context.WithTimeout(principal.Into(ctx, p), recorderTimeout)
	defer cancel()
	var reading sync.WaitGroup
	var mu sync.Mutex
	for _, service := range recorders {
		reading.Go(func() {
			var part struct {
				Data []auditEntry `json:"data"`
			}
			err := reference.Changes.Of(service).CallInto(ctx, t.client, query, &part)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.log.WarnContext(ctx, "a service did not tell what was written through it", "about_service", service, "error", err)
				missing = append(missing, service)
				return
			}
			for _, e := range part.Data {
				e.Origin = service
				entries = append(entries, e)
			}
		})
	}
	reading.Wait()
	slices.Sort(missing)
	return entries, missing
}

// span reads the bounds. A date stands for its whole day where the organization is.
func (in trailQuery) span(of calendar.Calendar) (wanted span, err error) {
	var problems schema.Problems
	bound := func(name string, given *string, days int) *string {
		if given == nil {
			return nil
		}
		at, err := time.ParseInLocation(time.DateOnly, *given, of.Zone())
		if err == nil {
			at = at.AddDate(0, 0, days) // a day in the zone has 23 to 25 hours
		} else if at, err = time.Parse(time.RFC3339Nano, *given); err != nil {
			problems.Add(name, "must be a date such as 2026-05-31 or a time such as 2026-05-31T08:00:00Z")
			return nil
		}
		text := keys.Timestamp(at)
		return &text
	}
	wanted.from, wanted.to = bound("from", in.From, 0), bound("to", in.To, 1)
	if in.After != nil {
		at, id, found := strings.Cut(*in.After, "_")
		_, err := time.Parse(time.RFC3339Nano, at)
		if err != nil || !found || !schema.IsUUID(id) || len(at) != len(keys.Timestamp(time.Time{})) {
			problems.Add("after", "must be the next of the page before")
		}
		wanted.at, wanted.id = &at, &id
	}
	return wanted, problems.Err()
}
