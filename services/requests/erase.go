package requests

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

// erasedAtOnce is how many requests lose their contact data in one transaction.
const erasedAtOnce = 500

// eraseContacts erases the contact data of requests that ended as long ago as their organization's contact_retention_days, and what answers
// to repeated requests may still show of it. History and events never had it. Whatever instance comes second finds nothing left.
func (d desk) eraseContacts(ctx context.Context) error {
	rows, err := d.registry.DB.Pool().Query(ctx, `SELECT organization_id::text FROM organizations_with_contacts() AS organization_id`)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	var failed []error
	for _, id := range ids {
		organization, err := d.registry.References.Organization(ctx, "requests", id)
		if err == nil {
			err = d.eraseContactsOf(ctx, organization)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("organization %s: %w", id, err)) // the others are not to wait for it
		}
	}
	return errors.Join(failed...)
}

func (d desk) eraseContactsOf(ctx context.Context, organization reference.Organization) error {
	if organization.ContactRetentionDays < 1 { // a gateway that does not know the setting yet
		return nil
	}
	before := d.now().AddDate(0, 0, -organization.ContactRetentionDays)
	ctx = principal.Into(ctx, withName(organization.Principal("requests")))
	for {
		erased, err := d.eraseSome(ctx, before)
		if err != nil || erased == 0 {
			return err
		}
	}
}

// eraseSome erases the contact data of the requests that ended first, and says of how many.
func (d desk) eraseSome(ctx context.Context, before time.Time) (erased int, err error) {
	err = d.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT id::text FROM request WHERE organization_id = current_organization() AND ended_at < $1
			AND num_nonnulls(requester_name, requester_email, requester_phone) > 0 ORDER BY ended_at LIMIT $2 FOR NO KEY UPDATE`, before, erasedAtOnce)
		if err != nil {
			return err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if erased = len(ids); err != nil || erased == 0 {
			return err
		}
		if err := d.registry.UpdateWhere(ctx, tx, "requests", []string{"requester_name", "requester_email", "requester_phone"},
			`SELECT r.id, NULL::text AS requester_name, NULL::text AS requester_email, NULL::text AS requester_phone FROM request r
			WHERE r.organization_id = $1 AND r.id = ANY($2::uuid[])`, ids); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM idempotency WHERE organization_id = current_organization()
			AND created_at < statement_timestamp() - interval '24 hours'`)
		return err
	})
	return erased, err
}
