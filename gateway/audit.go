package main

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// subject is what an audited action was done to.
type subject struct {
	Type string `json:"type"` // "organization", "key", "user", or the singular of a collection
	ID   string `json:"id"`
	Name string `json:"name"`
}

// audit writes who did what into the transaction that does it: there is no action without its entry.
func audit(ctx context.Context, tx pgx.Tx, action string, what subject, changes map[string]any) error {
	p := principal.From(ctx)
	_, err := tx.Exec(ctx, `INSERT INTO audit (organization_id, id, actor, action, subject, changes, address, request_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		p.OrganizationID, newID(), p.Actor, action, what, changes, p.Address, p.RequestID)
	return postgres.Fault(err, nil)
}

func (o *operator) mountAudit(api *transport.API) {
	const path = "/internal/organizations/{id}/audit"
	transport.Get(api, transport.Operation{Path: path, ID: "list_audit"}, o.trail)
	transport.Post(api, transport.Operation{Path: path, ID: "record_audit", Status: http.StatusCreated, MaxBody: 64 << 10}, o.recordAudit)
}

// told is what the console tells of: who signed in and out, which form was forged, whose id was refused.
type told struct {
	byOrganization
	Action  string         `json:"action" required:"true" maxLength:"100" pattern:"^[a-z_]+\\.[a-z_]+$" patternDescription:"two words such as user.signed_in"`
	Subject map[string]any `json:"subject"`
	Changes map[string]any `json:"changes"`
	Address *string        `json:"address" maxLength:"50"`
}

type recorded struct {
	ID string `json:"id"`
}

// recordAudit adds an entry that one of our services vouches for; its principal says who acted. A session of a sign-in
// adds none: people do not write their own trail.
func (o *operator) recordAudit(ctx context.Context, in told) (recorded, error) {
	ctx, err := enter(ctx, in.ID, roleService, roleAdministrator, roleMember)
	if err != nil {
		return recorded{}, err
	}
	if !vouched(ctx) {
		return recorded{}, fault.Forbidden("services_only", "Only the product's own services may do this.")
	}
	what, err := readSubject(in.Subject)
	if err != nil {
		return recorded{}, err
	}
	p := principal.From(ctx)
	if in.Address != nil {
		p.Address = *in.Address
	}
	if in.Changes == nil {
		in.Changes = map[string]any{}
	}
	entry := recorded{newID()}
	err = o.gateway.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := readOrganization(ctx, tx, in.ID); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO audit (organization_id, id, actor, action, subject, changes, address, request_id)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, in.ID, entry.ID, p.Actor, in.Action, what, in.Changes, p.Address, p.RequestID)
		return err
	})
	return entry, postgres.Fault(err, nil)
}

func readSubject(given map[string]any) (subject, error) {
	var problems schema.Problems
	text := func(name string, most int) string {
		value, isText := given[name].(string)
		if given[name] != nil && !isText || len([]rune(value)) > most {
			problems.Add("subject."+name, "must be a text of at most %d characters", most)
		}
		return value
	}
	return subject{text("type", 100), text("id", 100), text("name", 255)}, problems.Err()
}

// ownEntries are the gateway's own part of a trail, newest first.
func (o *operator) ownEntries(ctx context.Context, in trailQuery, wanted span) ([]auditEntry, error) {
	entries := []auditEntry{}
	err := o.gateway.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := readOrganization(ctx, tx, in.ID); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT id, at, actor, action, subject, changes, address, request_id FROM audit
			WHERE organization_id = $1
				AND ($2::text IS NULL OR actor ->> 'id' = $2 OR subject ->> 'id' = $2)
				AND ($3::text IS NULL OR actor ->> 'id' = $3 OR subject ->> 'id' = $3)
				AND ($4::text IS NULL OR subject ->> 'id' = $4)
				AND at >= coalesce($5::timestamptz, '-infinity') AND at < coalesce($6::timestamptz, 'infinity')
				AND (at, id) < (coalesce($7::timestamptz, 'infinity'), coalesce($8::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
			ORDER BY at DESC, id DESC LIMIT $9`,
			in.ID, in.Key, in.Person, in.Record, wanted.from, wanted.to, wanted.at, wanted.id, in.Limit+1)
		if err != nil {
			return err
		}
		var e auditEntry
		var at time.Time
		_, err = pgx.ForEachRow(rows, []any{&e.ID, &at, &e.Actor, &e.Action, &e.Subject, &e.Changes, &e.Address, &e.RequestID}, func() error {
			e.At, e.Origin = timestamp(at), "gateway"
			entries = append(entries, e)
			e.Changes = json.RawMessage(nil) // else the next row would be written into the same bytes
			return nil
		})
		return err
	})
	return entries, postgres.Fault(err, nil)
}

// forget has entries purged that are older than 400 days, until ctx ends: each gateway does it once a day, and one that
// finds nothing to do has done no harm.
func (g *gateway) forget(ctx context.Context) {
	next := time.NewTimer(time.Minute)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
			if err := g.purgeAudit(ctx); err != nil {
				g.log.WarnContext(ctx, "old entries of the audit trail were not purged; they will be tomorrow", "error", err)
			}
			next.Reset(24 * time.Hour)
		}
	}
}

func (g *gateway) purgeAudit(ctx context.Context) error {
	for {
		var gone int64
		if err := g.db.Pool().QueryRow(ctx, "SELECT purge_audit()").Scan(&gone); err != nil || gone == 0 {
			return err
		}
		g.log.InfoContext(ctx, "entries of the audit trail that are older than 400 days were purged", "entries", gone)
	}
}
