package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

// assistants is the collection of connections in the history, and assistant the type of one in the audit trail.
const (
	assistants = "assistants"
	assistant  = "assistant"
)

// change is a value before and after.
type change struct {
	Old any `json:"old"`
	New any `json:"new"`
}

// recordChange writes a change of a connection to the history, in the transaction of the change. The principal of the
// transaction is the actor.
func recordChange(ctx context.Context, tx pgx.Tx, g *grant, version int, action string, changes map[string]any) error {
	return resource.AddHistory(ctx, tx, assistants, g.id, version, action, changes)
}

// listChanges returns this service's part of the audit trail. The gateway calls it on every service.
func (a *authorizer) listChanges(ctx context.Context, in resource.ChangesQuery) (resource.ChangesPage, error) {
	response := resource.ChangesPage{Data: []resource.RecordedWrite{}}
	p := principal.From(ctx)
	if p.Actor.Type != "service" {
		return response, fault.Forbidden("services_only", "Only the product's own services may ask for this.")
	}
	arguments := []any{p.OrganizationID, assistants}
	var where strings.Builder
	add := func(condition string, values ...any) {
		for _, value := range values {
			arguments = append(arguments, value)
			condition = strings.Replace(condition, "?", fmt.Sprintf("$%d", len(arguments)), 1)
		}
		where.WriteString(" AND " + condition)
	}
	if in.ActorID != nil {
		add("actor_id = ?", *in.ActorID)
	}
	if in.RecordID != nil {
		add("record_id = ?::uuid", *in.RecordID)
	}
	if in.From != nil {
		add("at >= ?::text::timestamptz", *in.From)
	}
	if in.To != nil {
		add("at < ?::text::timestamptz", *in.To)
	}
	if in.Before != nil {
		at, id, err := resource.ReadCursor(*in.Before)
		if err != nil {
			return response, err
		}
		add("(at, id) < (?::text::timestamptz, ?::uuid)", at, id)
	}
	err := a.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT id::text, at, actor, action, record_id::text, changes, address, coalesce(request_id, '') FROM history
			WHERE organization_id = $1 AND collection = $2`+where.String()+
			fmt.Sprintf(` ORDER BY at DESC, id DESC LIMIT %d`, in.Limit), arguments...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var e resource.RecordedWrite
			var at time.Time
			var action string
			var changed json.RawMessage
			if err := rows.Scan(&e.ID, &at, &e.Actor, &action, &e.Subject.ID, &changed, &e.Address, &e.RequestID); err != nil {
				return err
			}
			e.At, e.Action, e.Changes = at.UTC().Format("2006-01-02T15:04:05.000000Z"), assistant+"."+action, &changed
			e.Subject.Type, e.Subject.Name = assistant, nameIn(changed)
			response.Data = append(response.Data, e)
		}
		return rows.Err()
	})
	return response, postgres.Fault(err, nil)
}

// nameIn returns the name of the assistant, which every entry has among its changes.
func nameIn(changes []byte) string {
	var shown struct {
		Name struct{ Old, New string } `json:"name"`
	}
	if json.Unmarshal(changes, &shown) != nil {
		return ""
	}
	return shown.Name.Old + shown.Name.New
}
