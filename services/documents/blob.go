package documents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/services/documents/store"
)

// A blob is the bytes of one content: a row, and an object of the store under "<organization>/<blob id>". It is written in three steps:
//
//  1. the row, writing, with a lease and a reservation of storage (beginBlob);
//  2. the bytes, under its id, only if nothing is there;
//  3. in one transaction: the row is ready, or the one of the same bytes that is there already is taken in its place (finishBlob), with the
//     revision that has it, the document, its history, its event and the response for the Idempotency-Key.
//
// Whoever is killed leaves a row whose lease ends, and the sweeper ends what has no lease: the store's upload, the object, the reservation,
// the row. So there is no object without a row, and no ready row without its bytes.
//
// Transactions lock the row of storage before those of documents.

const (
	// blobLease is how long a content may be written without a sign of life.
	blobLease = time.Minute
	// leaseInterval is the time between two signs of life.
	leaseInterval = 20 * time.Second
	// maxContent is how large a content may be.
	maxContent = 5 << 30
)

// key is the object of a blob in the store. It holds no names.
func key(organization, blob string) string { return organization + "/" + blob }

// thumbnailKey is the object of a thumbnail: size is 256 or 1024.
func thumbnailKey(organization, blob string, size int) string {
	return fmt.Sprintf("%s/%s.%d", organization, blob, size)
}

// share is which part of what is free an actor may hold for uploads that can be resumed: a quarter. What they need beyond that is
// reserved as it comes.
const share = 4

// beginBlob makes the row of a content that is about to be written, and reserves bytes for it; of an upload that can be resumed, for
// which maxWriting is given, as far as the actor's share goes. Where they do not fit: 403 storage_full. Where the organization is writing
// maxWriting contents already: 409 too_many_open_uploads. Those who begin at the same moment do not see each other, so
// there may be as many more.
func (d *documents) beginBlob(ctx context.Context, bytes int64, lease time.Duration, maxWriting int) (id string, err error) {
	p := principal.From(ctx)
	actor, err := json.Marshal(p.Actor)
	if err != nil {
		return "", err
	}
	id = uuid.Must(uuid.NewV7()).String()
	var made, room bool
	err = d.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`WITH writing AS (
				SELECT $6 = 0 OR count(*) < $6 AS room, coalesce(sum(reserved) FILTER (WHERE created_by ->> 'id' = $7), 0)::bigint AS own
				FROM blob WHERE organization_id = current_organization() AND state = 'writing' AND $6 > 0),
			amount AS (
				SELECT CASE WHEN $6 = 0 THEN $2::bigint ELSE least($2, greatest(0, ($3::bigint - coalesce(s.used + s.reserved, 0) + w.own) / $8 -
					w.own)) END AS bytes
				FROM writing w LEFT JOIN storage s ON s.organization_id = current_organization() WHERE w.room),
			space AS (
				INSERT INTO storage AS s (organization_id, reserved) SELECT current_organization(), a.bytes FROM amount a WHERE $2 <= $3
				ON CONFLICT (organization_id) DO UPDATE SET reserved = s.reserved + excluded.reserved WHERE s.used + s.reserved + $2 <= $3 RETURNING 1),
			made AS (
				INSERT INTO blob (organization_id, id, state, created_by, reserved, lease_until)
				SELECT current_organization(), $1, 'writing', $4, a.bytes, clock_timestamp() + make_interval(secs => $5) FROM space, amount a
					RETURNING 1)
			SELECT EXISTS (SELECT FROM made), room FROM writing`,
			id, bytes, p.StorageLimit, actor, lease.Seconds(), maxWriting, p.Actor.ID, share).QueryRow(func(row pgx.Row) error {
			return row.Scan(&made, &room)
		})
	})
	switch {
	case err == nil && !room:
		err = fault.Conflict("too_many_open_uploads", "Upload-Length", nil, "Your organization has %d uploads that are not done, "+
			"which is the most; finish some, or give them up: GET /v1/uploads lists them.", maxWriting)
	case err == nil && !made:
		err = d.storageFull(ctx, bytes)
	}
	return id, postgres.Fault(err, nil)
}

// noteUpload keeps the store's name of an upload in parts, so that it can be ended by whoever finds it.
func (d *documents) noteUpload(ctx context.Context, blob, upload string) error {
	return d.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`UPDATE blob SET store_upload = $2 WHERE organization_id = current_organization() AND id = $1`, blob, upload)
	})
}

// reserveMore reserves further bytes for a content that is being written, and renews its lease.
func (d *documents) reserveMore(ctx context.Context, blob string, bytes int64) error {
	var space, renewed bool
	err := d.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`WITH space AS (
				UPDATE storage s SET reserved = s.reserved + $2 WHERE s.organization_id = current_organization()
					AND s.used + s.reserved + $2 <= $3
					AND EXISTS (SELECT FROM blob WHERE organization_id = current_organization() AND id = $1 AND state = 'writing') RETURNING 1),
			renewed AS (
				UPDATE blob SET reserved = reserved + $2, lease_until = greatest(lease_until, clock_timestamp() + make_interval(secs => $4))
				WHERE organization_id = current_organization() AND id = $1 AND state = 'writing' AND EXISTS (SELECT FROM space) RETURNING 1)
			SELECT EXISTS (SELECT FROM space), EXISTS (SELECT FROM blob WHERE organization_id = current_organization() AND id = $1
				AND state = 'writing') FROM (SELECT count(*) FROM renewed) r`,
			blob, bytes, principal.From(ctx).StorageLimit,
			blobLease.Seconds()).QueryRow(func(row pgx.Row) error { return row.Scan(&space, &renewed) })
	})
	switch {
	case err != nil:
		return postgres.Fault(err, nil)
	case !renewed:
		return errLeaseLost
	case !space:
		return d.storageFull(ctx, bytes)
	}
	return nil
}

// errLeaseLost says that a content was taken for abandoned while it was written.
var errLeaseLost = fault.Unavailable("upload_abandoned", "The upload stood still for too long and was ended; send it again.")

// withLease runs do while the lease of a content is renewed; its context ends when the lease is lost.
func (d *documents) withLease(ctx context.Context, blob string, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		ticker := time.NewTicker(leaseInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			var found int64
			err := d.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
				batch.Queue(`UPDATE blob SET lease_until = greatest(lease_until, clock_timestamp() + make_interval(secs => $2))
					WHERE organization_id = current_organization() AND id = $1 AND state = 'writing'`, blob, blobLease.Seconds()).
					Exec(func(tag pgconn.CommandTag) error { found = tag.RowsAffected(); return nil })
			})
			if err == nil && found == 0 {
				cancel(errLeaseLost)
			}
		}
	}()
	err := do(ctx)
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, errLeaseLost) {
		return cause
	}
	return err
}

// lockStorage locks the organization's row of storage. Transactions that change what a content is known for, or that take a content which
// is there, begin with it: so none writes into a document what another has just changed.
func lockStorage(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT FROM storage WHERE organization_id = current_organization() FOR UPDATE`)
	return err
}

// abandonBlob takes back a content that did not arrive: unless a transaction whose end nobody heard of has made something of it. Where that
// fails, the sweeper does it when the lease has ended. upload is the store's, where it was written in parts.
func (d *documents) abandonBlob(ctx context.Context, blob, upload string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	var exists bool
	err := d.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`UPDATE blob SET lease_until = clock_timestamp(), store_upload = coalesce(store_upload, nullif($2, ''))
			WHERE organization_id = current_organization() AND id = $1 AND state = 'writing'`, blob, upload)
		batch.Queue(`SELECT EXISTS (SELECT FROM blob WHERE organization_id = current_organization() AND id = $1)`, blob).
			QueryRow(func(row pgx.Row) error { return row.Scan(&exists) })
	})
	switch {
	case err == nil && exists:
		err = d.sweep(ctx, blob)
	case err == nil: // it was swept, perhaps before its last bytes were written: no row names these
		err = d.eraseObjects(ctx, key(principal.From(ctx).OrganizationID, blob))
	}
	if err != nil {
		d.log.WarnContext(ctx, "an upload that did not arrive was not taken back; the sweeper does it", "blob", blob, "error", err)
	}
}

// eraseBlob deletes what the store has of a doomed content, and then its row.
func (d *documents) eraseBlob(ctx context.Context, blob, upload string) error {
	object := key(principal.From(ctx).OrganizationID, blob)
	if upload != "" {
		if err := d.store.Abort(ctx, object, upload); err != nil {
			return fmt.Errorf("abort the upload of %s: %w", object, err)
		}
	}
	if err := d.eraseObjects(ctx, object); err != nil {
		return err
	}
	return d.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := lockStorage(ctx, tx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM blob WHERE organization_id = current_organization() AND id = $1 AND state = 'doomed'`, blob)
		return err
	})
}

// eraseObjects deletes an object and those that belong to it: thumbnails, and rests of uploads.
func (d *documents) eraseObjects(ctx context.Context, object string) error {
	var keys []string
	if err := d.store.List(ctx, object, func(o store.Object) error {
		keys = append(keys, o.Key)
		return nil
	}); err != nil {
		return fmt.Errorf("list %s: %w", object, err)
	}
	for _, k := range keys {
		if err := d.store.Delete(ctx, k); err != nil {
			return fmt.Errorf("delete %s: %w", k, err)
		}
	}
	return nil
}

// storageFull is the 403 of bytes for which there is no room, with the figures.
func (d *documents) storageFull(ctx context.Context, requested int64) error {
	figures := storageFigures{Limit: principal.From(ctx).StorageLimit, Requested: requested}
	err := d.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`SELECT used, reserved FROM storage WHERE organization_id = current_organization()`).QueryRow(func(row pgx.Row) error {
			if err := row.Scan(&figures.Used, &figures.Reserved); !errors.Is(err, pgx.ErrNoRows) {
				return err
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	e := fault.Forbidden("storage_full", "There is no room for %d bytes: %d of %d are used, and %d are reserved for what is on its way. "+
		"Delete documents, or take a larger plan.", requested, figures.Used, figures.Limit, figures.Reserved)
	e.Field, e.Value = "size_bytes", figures
	return e
}

// storageFigures are the figures of a refusal, in bytes.
type storageFigures struct {
	Used      int64 `json:"used"`
	Reserved  int64 `json:"reserved"`
	Limit     int64 `json:"limit"`
	Requested int64 `json:"asked"`
}

// finishBlob makes an arrived content ready in the transaction of the revision that has it, and completes what is known of it. Where the
// organization has the same bytes already, that content is taken.
func (d *documents) finishBlob(ctx context.Context, tx pgx.Tx, a *arrival) error {
	scan := "pending"
	if d.scanner == nil {
		scan = "not_scanned"
	}
	arrived := a.blob
	var used int64
	if err := tx.QueryRow(ctx, `SELECT stored::text, used_now FROM finish_blob($1, $2, $3, $4, $5, $6)`,
		arrived, a.size, a.sha256, a.mediaType.MediaType, scan, a.mediaType.Picture()).Scan(&a.blob, &used); err != nil {
		if code := (*pgconn.PgError)(nil); errors.As(err, &code) && code.Code == "P0002" {
			return errLeaseLost // it stood still between its last byte and here, and was swept
		}
		return err
	}
	a.figures.scanStatus = scan
	if d.wake(ctx); a.blob == arrived {
		a.usedBefore, a.used = used-a.size, used
		return nil
	}
	a.usedBefore, a.used = used, used
	return tx.QueryRow(ctx,
		`SELECT scan_status, width_px, height_px, `+postgres.TimeText("taken_at")+`, latitude::float8, longitude::float8 FROM blob
		WHERE organization_id = current_organization() AND id = $1`, a.blob).Scan(a.figures.scan()...)
}

// figures are what is known of a content besides its bytes.
type figures struct {
	scanStatus          string
	width, height       *int
	takenAt             *string
	latitude, longitude *float64
}

func (f *figures) scan() []any {
	return []any{&f.scanStatus, &f.width, &f.height, &f.takenAt, &f.latitude, &f.longitude}
}
