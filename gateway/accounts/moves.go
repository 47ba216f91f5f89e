package accounts

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// moves is the last step of a move of an organization to another cell: from here on each request goes there. deploy/move does what comes
// before it and after.
type moves struct{ db *postgres.DB }

func (m *moves) mount(api *transport.API) {
	transport.Post(api, transport.Operation{Path: "/internal/organizations/{id}/cell", ID: "set_cell_of_organization"}, m.move)
}

type cellChange struct {
	byOrganization
	From string `json:"from" required:"true" maxLength:"31"`
	To   string `json:"to" required:"true" maxLength:"31"`
}

// move names another cell, unless the organization is not in the one that the mover has copied from. Its sandbox goes with it.
func (m *moves) move(ctx context.Context, in cellChange) (moved organization, err error) {
	if ctx, err = authorize(ctx, in.ID, rolePlatformAdmin); err != nil {
		return moved, err
	}
	err = m.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		before, err := readOrganization(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := before.ofItsOwn("cell"); err != nil {
			return err
		}
		var known bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM cell WHERE name = $1)`, in.To).Scan(&known); err != nil {
			return err
		}
		if !known {
			var problems schema.Problems
			problems.Add("to", "must be the name of a cell; amsctl cells list names them")
			return problems.Err()
		}
		var id string
		err = tx.QueryRow(ctx, `UPDATE organization SET cell = $3, updated_at = now() WHERE organization_id = $1 AND cell = $2
			RETURNING organization_id::text`, in.ID, in.From, in.To).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.Conflict("cell_changed", "from", before.Cell, "The organization is in the cell %s, not in %s: move it from there.",
				before.Cell, in.From)
		}
		if err != nil {
			return err
		}
		if err := audit(ctx, tx, "organization.moved", subject{"organization", before.ID, before.Name},
			map[string]any{"cell": [2]string{in.From, in.To}}); err != nil {
			return err
		}
		moved, err = readOrganization(ctx, tx, in.ID)
		return err
	})
	return moved, postgres.Fault(err, nil)
}
