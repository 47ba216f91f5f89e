package oauth

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/jackc/pgx/v5"

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
func (a *Authorizer) listChanges(ctx context.Context, in resource.ChangesQuery) (resource.ChangesPage, error) {
	page, err := resource.Trail(ctx, a.db, in, assistants)
	for i := range page.Data {
		e := &page.Data[i]
		e.Action = assistant + strings.TrimPrefix(e.Action, assistants)
		e.Subject.Type, e.Subject.Name = assistant, nameIn(*e.Changes)
	}
	return page, err
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
