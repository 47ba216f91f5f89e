package accounts

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
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
