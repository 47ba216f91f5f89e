package documents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
	"ams.internal/services/documents/store"
)

// sweep ends a content whose lease has ended while it was written, or that is doomed and whose time has come: the store's upload, the
// objects, then the row. It is doomed first, with what was reserved for it: so whoever still writes cannot make it ready, and a store that
// is away is asked again a minute later.
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
				UPDATE storage s SET reserved = s.reserved - due.reserved FROM due WHERE s.organization_id = current_organization()
					AND due.reserved > 0)
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

// sweepUploads ends the store's uploads that no content names: a process was killed before it could keep the name, or while a folder wrote
// an object, which is an upload there too. They are left alone for a day, and those of organizations that keep nothing here for good:
// another installation may have them. One that cannot be ended keeps none behind it, unless the whole store is away.
func (d *documents) sweepUploads(ctx context.Context) error {
	var old []store.Upload
	if err := d.store.ListUploads(ctx, func(u store.Upload) error {
		if time.Since(u.StartedAt) > uploadLife {
			old = append(old, u)
		}
		return nil
	}); err != nil {
		return fmt.Errorf("list the uploads of the store: %w", err)
	}
	var failed []error
	for _, u := range old {
		organization, _, _ := strings.Cut(u.Key, "/")
		if !schema.IsUUID(organization) {
			continue
		}
		ctx := principal.Into(ctx, servicePrincipal(organization))
		var left bool
		err := d.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
			batch.Queue(`SELECT EXISTS (SELECT FROM storage WHERE organization_id = current_organization())
				AND NOT EXISTS (SELECT FROM blob WHERE organization_id = current_organization() AND state = 'writing' AND store_upload = $1)`, u.ID).
				QueryRow(func(row pgx.Row) error { return row.Scan(&left) })
		})
		if err == nil && left {
			err = d.store.Abort(ctx, u.Key, u.ID)
		}
		if err != nil && !postgres.IsMoving(err) { // the worker of its other cell ends it
			failed = append(failed, fmt.Errorf("end the upload %s of %s: %w", u.ID, u.Key, err))
			if ctx.Err() != nil || errors.Is(err, store.ErrUnavailable) {
				break
			}
		}
	}
	return errors.Join(failed...)
}
