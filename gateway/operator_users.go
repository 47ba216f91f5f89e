package main

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
)

type byUser struct {
	byOrganization
	User string `path:"user" format:"uuid"`
}

type deactivated struct {
	Keys []string `json:"keys"`
}

// deactivateKeys makes the keys of a user inactive who is suspended or removed; the users service asks for it before it
// commits that.
func (o *operator) deactivateKeys(ctx context.Context, in byUser) (deactivated, error) {
	ctx, err := enter(ctx, in.ID, roleService)
	if err != nil {
		return deactivated{}, err
	}
	done := deactivated{Keys: []string{}}
	err = o.gateway.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `UPDATE api_key SET state = 'inactive', state_reason = 'creator_not_active'
			WHERE organization_id = $1 AND created_by_user = $2 AND state = 'active' RETURNING id, name`, in.ID, in.User)
		if err != nil {
			return err
		}
		names := map[string]string{}
		var id, name string
		if _, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
			done.Keys = append(done.Keys, id)
			names[id] = name
			return nil
		}); err != nil {
			return err
		}
		for _, id := range done.Keys {
			if err := audit(ctx, tx, "api_key.suspended", subject{"api_key", id, names[id]}, map[string]any{"reason": "creator_not_active"}); err != nil {
				return err
			}
		}
		return nil
	})
	return done, postgres.Fault(err, nil)
}
