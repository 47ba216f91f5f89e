package main

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// sweep ends a content whose lease has ended while it was written, or that is doomed and whose time has come: the store's upload, the objects,
// then the row. It is doomed first, with what was reserved for it: so whoever still writes cannot make it ready, and a store that is away is
// asked again a minute later.
func (d *documents) sweep(ctx context.Context, blob string) error {
	var upload string
	err := d.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := lockStorage(ctx, tx); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `WITH due AS (
				SELECT id, reserved FROM blob WHERE organization_id = current_organization() AND id = $1
					AND (state = 'writing' AND lease_until <= clock_timestamp() OR state = 'doomed' AND delete_after <= clock_timestamp()) FOR UPDATE),
			freed AS (
				UPDATE storage s SET reserved = s.reserved - due.reserved FROM due WHERE s.organization_id = current_organization() AND due.reserved > 0)
			UPDATE blob b SET state = 'doomed', reserved = 0, lease_until = NULL, delete_after = clock_timestamp() + make_interval(secs => $2)
			FROM due WHERE b.organization_id = current_organization() AND b.id = due.id RETURNING coalesce(b.store_upload, '')`,
			blob, workLease.Seconds()).Scan(&upload)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // another does it, or it was written to its end
	}
	if err != nil {
		return err
	}
	return d.eraseBlob(ctx, blob, upload)
}
