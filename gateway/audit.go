package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

// subject is what an audited action was done to.
type subject struct {
	Type string `json:"type"` // "organization", "api_key" or "user"
	ID   string `json:"id"`
	Name string `json:"name"`
}

// audit writes who did what into the transaction that does it: there is no action without its entry.
func audit(ctx context.Context, tx pgx.Tx, action string, what subject, changes map[string]any) error {
	p := principal.From(ctx)
	_, err := tx.Exec(ctx, `INSERT INTO audit (organization_id, id, actor, action, subject, changes, address, request_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		p.OrganizationID, newID(), p.Actor, action, what, changes, origin(ctx), p.RequestID)
	return postgres.Fault(err, nil)
}

// auditEntry is one line of the trail.
type auditEntry struct {
	ID        string          `json:"id"`
	At        string          `json:"at"`
	Actor     json.RawMessage `json:"actor"`
	Action    string          `json:"action"`
	Subject   json.RawMessage `json:"subject"`
	Changes   json.RawMessage `json:"changes"`
	Address   string          `json:"address"`
	RequestID string          `json:"request_id"`
}

type auditQuery struct {
	byOrganization
	paged
}

func (o *operator) mountAudit(api *transport.API) {
	transport.Get(api, transport.Operation{Path: "/internal/organizations/{id}/audit", ID: "list_audit"}, o.listAudit)
}

// listAudit gives the trail, newest first.
func (o *operator) listAudit(ctx context.Context, in auditQuery) (list, error) {
	ctx, err := enter(ctx, in.ID, roleOperator, roleService, roleAdministrator)
	if err != nil {
		return list{}, err
	}
	entries, total := []auditEntry{}, 0
	err = o.gateway.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := readOrganization(ctx, tx, in.ID); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM audit WHERE organization_id = $1`, in.ID).Scan(&total); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT id, at, actor, action, subject, changes, address, request_id FROM audit
			WHERE organization_id = $1 ORDER BY id DESC OFFSET $2 LIMIT $3`, in.ID, (in.Page-1)*in.PerPage, in.PerPage)
		if err != nil {
			return err
		}
		var e auditEntry
		var at time.Time
		_, err = pgx.ForEachRow(rows, []any{&e.ID, &at, &e.Actor, &e.Action, &e.Subject, &e.Changes, &e.Address, &e.RequestID}, func() error {
			e.At = timestamp(at)
			entries = append(entries, e)
			e.Actor, e.Subject, e.Changes = nil, nil, nil // else the next row would be written into the same bytes
			return nil
		})
		return err
	})
	return newList(entries, in.paged, total), postgres.Fault(err, nil)
}
