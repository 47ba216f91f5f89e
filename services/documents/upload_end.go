package documents

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

func (d *documents) listUploads(ctx context.Context, _ struct{}) (out UploadsInProgress, err error) {
	out.Data = []UploadInProgress{}
	err = d.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT u.id::text, u.length, u.received, b.reserved, u.file_name, b.created_by,
				`+postgres.TimeText("u.expires_at")+`
			FROM upload u JOIN blob b ON b.organization_id = u.organization_id AND b.id = u.blob_id
			WHERE u.organization_id = current_organization() AND u.document_id IS NULL AND u.expires_at > clock_timestamp() ORDER BY u.id`)
		if err != nil {
			return err
		}
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[UploadInProgress])
		if len(found) > 0 {
			out.Data = found
		}
		return err
	})
	return out, postgres.Fault(err, nil)
}

// stopUpload ends an upload of the organization, whoever began it: who sends to it finds that its lease is lost. What cannot be deleted
// now is deleted by the sweeper.
func (d *documents) stopUpload(ctx context.Context, id string) error {
	var blob, storeUpload string
	err := d.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `WITH ended AS (
				UPDATE upload SET expires_at = clock_timestamp(), generation = generation + 1
				WHERE organization_id = current_organization() AND id = $1 AND document_id IS NULL AND expires_at > clock_timestamp() RETURNING blob_id)
			UPDATE blob b SET lease_until = clock_timestamp() FROM ended e WHERE b.organization_id = current_organization() AND b.id = e.blob_id
			RETURNING b.id::text, coalesce(b.store_upload, '')`, id).Scan(&blob, &storeUpload)
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		var document string
		err = tx.QueryRow(ctx,
			`SELECT document_id::text FROM upload WHERE organization_id = current_organization() AND id = $1 AND document_id IS NOT NULL
			AND expires_at > clock_timestamp()`, id).Scan(&document)
		if errors.Is(err, pgx.ErrNoRows) {
			return noUpload(id)
		}
		if err != nil {
			return err
		}
		return fault.Conflict("upload_done", "document_id", document, "The upload is done: delete /v1/documents/%s instead.", document)
	})
	if err != nil {
		return postgres.Fault(err, nil)
	}
	d.abandonBlob(ctx, blob, storeUpload)
	return nil
}

// keysInterval is the time between two looks whether the keys of uploads are good.
const keysInterval = time.Minute

// endUploadsOfRevoked ends uploads whose keys were revoked or have expired: nobody can go on with them, and they hold storage.
func (w *worker) endUploadsOfRevoked(ctx context.Context) error {
	if time.Since(w.keysChecked) < keysInterval {
		return nil
	}
	w.keysChecked = time.Now()
	type owner struct{ organization, key string }
	var owners []owner
	err := w.query(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT k.organization_id::text, k.key_id FROM keys_of_uploads() k WHERE "+
			postgres.LivesHere("k.organization_id"))
		if err != nil {
			return err
		}
		owners, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (o owner, err error) { return o, row.Scan(&o.organization, &o.key) })
		return err
	})
	if err != nil {
		return err
	}
	var failed []error
	for _, o := range owners {
		ctx := principal.Into(ctx, servicePrincipal(o.organization))
		state, err := w.registry.References.KeyState(ctx, "documents", o.organization, o.key)
		if err != nil { // the gateway is away: asked for each key, it would keep the worker from all else
			return errors.Join(append(failed, fmt.Errorf("the state of the key %s: %w", o.key, err))...)
		}
		if state != reference.KeyRevoked && state != reference.KeyExpired {
			continue
		}
		if err := w.endUploadsOf(ctx, o.key); err != nil && !postgres.IsMoving(err) {
			failed = append(failed, fmt.Errorf("the uploads of the key %s: %w", o.key, err))
		}
	}
	return errors.Join(failed...)
}

// endUploadsOf ends the uploads of a key.
func (w *worker) endUploadsOf(ctx context.Context, key string) error {
	var ids []string
	err := w.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx,
			`SELECT id::text FROM upload WHERE organization_id = current_organization() AND actor_id = $1 AND document_id IS NULL
			AND expires_at > clock_timestamp()`, key)
		if err != nil {
			return err
		}
		ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	for _, id := range ids {
		var refused *fault.Error
		if failed := w.stopUpload(ctx, id); failed != nil && (!errors.As(failed, &refused) || refused.Kind != fault.KindNotFound) {
			err = errors.Join(err, failed)
		}
	}
	return err
}
