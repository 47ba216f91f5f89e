package documents

import (
	"context"
	"crypto/sha256"
	"encoding"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/services/documents/store"
)

// An upload belongs to the actor who began it: to all others it is not there. One request writes at a time: it takes the upload's lease,
// and with it the next generation, without which nothing is committed. So one who lost the lease harms nothing: the numbers of his parts
// are not used again, and his rest has his generation in its name.
//
// The blob's own lease lasts as long as the upload, and a minute: the sweeper ends what expired.

const (
	// uploadLease is how long after a killed writer others must wait.
	uploadLease         = 10 * time.Second
	uploadLeaseInterval = 3 * time.Second
	uploadBusy          = "upload_busy"
	// maxOpenUploads is how many uploads of an organization may be there that are not done: each is kept in the store for a day.
	maxOpenUploads = 1000
)

// resumable is the row of an upload, as it is committed.
type resumable struct {
	id, blob, storeUpload     string
	length, received          int64
	reserved                  int64  // of the storage
	metadata, name, mediaType string // mediaType is empty until enough is there to tell it
	digest                    []byte
	tail                      *int64
	tailSize, next            int
	generation                int64
	document                  *string
	expires                   time.Time
	parts                     []store.Part
}

// tailSuffix comes after the key of a blob, and before the generation of who wrote the rest.
const tailSuffix = ".tail"

// tailKey is the object with the rest of an upload to object.
func tailKey(object string, generation int64) string {
	return object + tailSuffix + strconv.FormatInt(generation, 10)
}

func noUpload(id string) error {
	return fault.New(fault.KindNotFound, "not_found", "There is no upload %s of yours, or it has expired; begin another.", id)
}

func busy() error {
	e := fault.Conflict(uploadBusy, "Upload-Offset", nil, "Another request sends to this upload; ask again with HEAD in some seconds.")
	e.RetryAfter = 2 * time.Second
	return e
}

// beginUpload reserves the storage of an upload and makes its row, and clears away those that were done a day ago.
func (d *documents) beginUpload(ctx context.Context, u *resumable) (err error) {
	if u.digest, err = sha256.New().(encoding.BinaryMarshaler).MarshalBinary(); err != nil {
		return err
	}
	if u.blob, err = d.beginBlob(ctx, u.length, uploadLife+blobLease, maxOpenUploads); err != nil {
		return err
	}
	p := principal.From(ctx)
	u.storeUpload, err = d.store.Begin(ctx, key(p.OrganizationID, u.blob))
	if err == nil {
		err = d.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
			batch.Queue(`DELETE FROM upload WHERE organization_id = current_organization() AND document_id IS NOT NULL
				AND expires_at <= clock_timestamp()`)
			batch.Queue(`UPDATE blob SET store_upload = $2 WHERE organization_id = current_organization() AND id = $1`, u.blob, u.storeUpload)
			batch.Queue(`INSERT INTO upload (organization_id, id, blob_id, actor_id, length, metadata, file_name, digest, expires_at)
				VALUES (current_organization(), $1, $2, $3, $4, $5, $6, $7, clock_timestamp() + make_interval(secs => $8)) RETURNING expires_at`,
				u.id, u.blob, p.Actor.ID, u.length, u.metadata, u.name, u.digest, uploadLife.Seconds()).
				QueryRow(func(row pgx.Row) error { return row.Scan(&u.expires) })
		})
	}
	if err != nil {
		d.abandonBlob(ctx, u.blob, u.storeUpload)
	}
	return storeFault(err)
}

// findUpload gives an upload of the caller.
func (d *documents) findUpload(ctx context.Context, id string) (*resumable, error) {
	u := &resumable{id: id}
	err := d.registry.DB.Batch(ctx, func(batch *pgx.Batch) { u.queue(ctx, batch) })
	if errors.Is(err, pgx.ErrNoRows) {
		err = noUpload(id)
	}
	return u, err
}

func (u *resumable) queue(ctx context.Context, batch *pgx.Batch) {
	batch.Queue(`SELECT u.blob_id::text, coalesce(b.store_upload, ''), u.length, u.received, u.metadata, u.file_name,
		coalesce(b.media_type, ''), u.digest, u.tail, u.tail_size, u.next_number, u.generation, u.document_id::text, u.expires_at, b.reserved
		FROM upload u JOIN blob b ON b.organization_id = u.organization_id AND b.id = u.blob_id
		WHERE u.organization_id = current_organization() AND u.id = $1 AND u.actor_id = $2 AND u.expires_at > clock_timestamp()`,
		u.id, principal.From(ctx).Actor.ID).QueryRow(func(row pgx.Row) error {
		return row.Scan(&u.blob, &u.storeUpload, &u.length, &u.received, &u.metadata, &u.name, &u.mediaType, &u.digest,
			&u.tail, &u.tailSize, &u.next, &u.generation, &u.document, &u.expires, &u.reserved)
	})
}

// takeUpload gives an upload of the caller with its lease, which extend, endUpload or leaveUpload gives back. The offset, where there is
// one, must be the right one. An upload that is done is given without a lease.
func (d *documents) takeUpload(ctx context.Context, id string, offset *int64) (*resumable, error) {
	u := &resumable{id: id}
	taken := false
	err := d.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		// A lease that was not given back is that of a writer who may have written one more part.
		batch.Queue(`WITH taken AS (
				UPDATE upload SET generation = generation + 1, next_number = next_number + (lease_until IS NOT NULL)::integer,
					lease_until = clock_timestamp() + make_interval(secs => $4), expires_at = clock_timestamp() + make_interval(secs => $5)
				WHERE organization_id = current_organization() AND id = $1 AND actor_id = $2 AND received = coalesce($3, received)
					AND document_id IS NULL AND expires_at > clock_timestamp() AND coalesce(lease_until <= clock_timestamp(), true)
				RETURNING blob_id, expires_at)
			UPDATE blob b SET lease_until = t.expires_at + make_interval(secs => $6) FROM taken t
			WHERE b.organization_id = current_organization() AND b.id = t.blob_id`,
			id, principal.From(ctx).Actor.ID, offset, uploadLease.Seconds(), uploadLife.Seconds(), blobLease.Seconds()).
			Exec(func(tag pgconn.CommandTag) error { taken = tag.RowsAffected() > 0; return nil })
		u.queue(ctx, batch)
		batch.Queue(`SELECT number, size, tag FROM upload_part WHERE organization_id = current_organization()
			AND upload_id = $1 ORDER BY number`, id).
			Query(func(rows pgx.Rows) (err error) {
				u.parts, err = pgx.CollectRows(rows, pgx.RowToStructByPos[store.Part])
				return err
			})
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, noUpload(id)
	case err != nil:
		return nil, err
	case offset != nil && *offset != u.received:
		received := strconv.FormatInt(u.received, 10)
		return nil, fault.Conflict("offset_mismatch", "Upload-Offset", u.received, "The upload goes on at byte %s, and not at %d.",
			received, *offset).
			WithHeader("Upload-Offset", received)
	case !taken && u.document == nil:
		return nil, busy()
	}
	return u, nil
}

// leaseUpload renews the lease, or gives it back; next is the number that the next part may have. It fails for one who lost the lease.
func (d *documents) leaseUpload(ctx context.Context, u *resumable, next int, keep bool) error {
	var held int64
	err := d.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`UPDATE upload SET next_number = greatest(next_number, $3),
			lease_until = CASE WHEN $4 THEN clock_timestamp() + make_interval(secs => $5) END
			WHERE organization_id = current_organization() AND id = $1 AND generation = $2 AND lease_until IS NOT NULL`,
			u.id, u.generation, next, keep, uploadLease.Seconds()).Exec(func(tag pgconn.CommandTag) error { held = tag.RowsAffected(); return nil })
	})
	if err == nil && held == 0 {
		err = busy()
	}
	return err
}

// leaveUpload gives the lease back. Where that fails, or it is lost, it ends by itself.
func (d *documents) leaveUpload(ctx context.Context, u *resumable) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := d.leaseUpload(ctx, u, u.next, false); err != nil {
		d.log.DebugContext(ctx, "the lease of an upload was not given back", "upload", u.id, "error", err)
	}
}

// commit makes durable what was written: parts, the rest, how much that is, and the digest over it. One statement.
func (d *documents) commit(ctx context.Context, u *resumable, parts []store.Part) error {
	numbers, sizes, tags := make([]int32, len(parts)), make([]int64, len(parts)), make([]string, len(parts))
	for i, part := range parts {
		numbers[i], sizes[i], tags[i] = int32(part.Number), part.Size, part.Tag // #nosec G115 -- at most store.MaxParts
	}
	err := d.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`WITH kept AS (
				UPDATE upload SET received = $3, digest = $4, tail = $5, tail_size = $6, next_number = $7,
					lease_until = clock_timestamp() + make_interval(secs => $8), expires_at = clock_timestamp() + make_interval(secs => $9)
				WHERE organization_id = current_organization() AND id = $1 AND generation = $2 RETURNING organization_id, id, blob_id, expires_at),
			parts AS (
				INSERT INTO upload_part SELECT k.organization_id, k.id, p.* FROM kept k, unnest($10::integer[], $11::integer[], $12::text[]) p),
			held AS (
				UPDATE blob b SET lease_until = k.expires_at + make_interval(secs => $13), media_type = nullif($14, '') FROM kept k
				WHERE b.organization_id = k.organization_id AND b.id = k.blob_id)
			SELECT expires_at FROM kept`,
			u.id, u.generation, u.received, u.digest, u.tail, u.tailSize, u.next, uploadLease.Seconds(), uploadLife.Seconds(), numbers, sizes, tags,
			blobLease.Seconds(), u.mediaType).QueryRow(func(row pgx.Row) error { return row.Scan(&u.expires) })
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return busy()
	}
	return err
}

// endUpload takes back an upload whose lease is held: its bytes, its reservation and its row. What cannot be deleted
// now is deleted by the sweeper.
func (d *documents) endUpload(ctx context.Context, u *resumable) {
	ended, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	var held int64
	err := d.registry.DB.Batch(ended, func(batch *pgx.Batch) {
		batch.Queue(`WITH ended AS (
				UPDATE upload SET expires_at = clock_timestamp(), generation = generation + 1
				WHERE organization_id = current_organization() AND id = $1 AND generation = $2 RETURNING blob_id)
			UPDATE blob b SET lease_until = clock_timestamp() FROM ended e WHERE b.organization_id = current_organization() AND b.id = e.blob_id`,
			u.id, u.generation).Exec(func(tag pgconn.CommandTag) error { held = tag.RowsAffected(); return nil })
	})
	if err != nil || held == 0 {
		d.log.WarnContext(ctx, "an upload was not ended; it expires", "upload", u.id, "error", fmt.Sprint(err))
		return
	}
	d.abandonBlob(ctx, u.blob, u.storeUpload)
}
