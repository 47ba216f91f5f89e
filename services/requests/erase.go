package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
)

// erasedAtOnce is how many requests are looked at in one statement.
const erasedAtOnce = 500

// eraseContacts erases the contact data of requests of all organizations that ended so many days ago, and what answers to repeated requests
// may still show of it. History and events never had it. Whatever instance comes second finds nothing left.
func (d desk) eraseContacts(ctx context.Context, days int) error {
	for {
		before := d.now().AddDate(0, 0, -days)
		due, err := d.contactsDue(ctx, before)
		if err != nil || len(due) == 0 {
			return err
		}
		for organization, ids := range due {
			p := withName(principal.Principal{OrganizationID: organization})
			err := d.registry.DB.Write(principal.Into(ctx, p), func(ctx context.Context, tx pgx.Tx) error {
				if err := d.registry.UpdateWhere(ctx, tx, "requests", []string{"requester_name", "requester_email", "requester_phone"},
					`SELECT r.id, NULL::text AS requester_name, NULL::text AS requester_email, NULL::text AS requester_phone FROM request r
					WHERE r.organization_id = $1 AND r.id = ANY($2::uuid[]) AND r.ended_at < $3::timestamptz`, ids, before); err != nil {
					return err
				}
				_, err := tx.Exec(ctx, `DELETE FROM idempotency WHERE organization_id = current_organization()
					AND created_at < clock_timestamp() - interval '24 hours'`)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
}

// contactsDue gives requests whose contact data is to be erased, by organization.
func (d desk) contactsDue(ctx context.Context, before time.Time) (map[string][]string, error) {
	rows, err := d.registry.DB.Pool().Query(ctx, `SELECT organization_id::text, id::text FROM contacts_due($1, $2)`, before, erasedAtOnce)
	if err != nil {
		return nil, err
	}
	due := map[string][]string{}
	var organization, id string
	_, err = pgx.ForEachRow(rows, []any{&organization, &id}, func() error {
		due[organization] = append(due[organization], id)
		return nil
	})
	return due, err
}
