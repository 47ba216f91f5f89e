package documents

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/services/documents/mediatype"
	"ams.internal/services/documents/store"
)

// keepTime is how long what has come may be written after the request has ended.
const keepTime = 10 * time.Second

// writer appends to an upload whose lease it holds.
type writer struct {
	*resumable
	d       *documents
	ctx     context.Context // of all that is written: it outlives the request, and ends with the lease
	object  string
	hash    hash.Hash // over all that has come
	at      int64     // how much that is
	buffer  *[store.PartSize]byte
	n       int          // bytes of the buffer: the rest since the last part
	written []store.Part // and not committed
	sum     *checksum    // of the body; nil where none was sent
	refused error        // for its type
}

// extend appends a body to an upload whose lease the caller has taken, makes the document once it is whole, and gives the lease back. What
// has come of a body that was cut off is kept, except with a checksum, which cannot be compared then.
func (d *documents) extend(ctx context.Context, u *resumable, body io.Reader, sum *checksum) (err error) {
	defer d.leaveUpload(ctx, u)
	writing, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { time.AfterFunc(keepTime, func() { cancel(nil) }) })()
	go d.renewUpload(writing, cancel, u)
	w := &writer{resumable: u, d: d, ctx: writing, object: key(principal.From(ctx).OrganizationID, u.blob), hash: sha256.New(),
		at: u.received, sum: sum}
	if err := w.hash.(encoding.BinaryUnmarshaler).UnmarshalBinary(u.digest); err != nil {
		return fmt.Errorf("the digest of upload %s: %w", u.id, err)
	}
	if u.received < u.length {
		err = w.receive(ctx, body)
	}
	if err == nil && u.received == u.length {
		err = w.finish()
	}
	var lost *fault.Error
	if err != nil && errors.As(context.Cause(writing), &lost) {
		return lost
	}
	return storeFault(err)
}

// renewUpload renews the lease of an upload until ctx ends, and ends it when the lease is lost.
func (d *documents) renewUpload(ctx context.Context, end context.CancelCauseFunc, u *resumable) {
	ticker := time.NewTicker(uploadLeaseInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		var refused *fault.Error
		if err := d.leaseUpload(ctx, u, 0, true); errors.As(err, &refused) && refused.Code == uploadBusy {
			end(refused)
		}
	}
}

// receive reads a body in parts of 8 MiB, each of which is durable before the next is read; with a checksum, all are when it is right.
func (w *writer) receive(ctx context.Context, body io.Reader) (err error) {
	if err := w.d.uploads.enter(ctx); err != nil {
		return err
	}
	defer w.d.uploads.leave(ctx)
	w.buffer = partBuffers.Get().(*[store.PartSize]byte)
	defer partBuffers.Put(w.buffer)
	if err := w.readTail(); err != nil {
		return err
	}
	var cut error
	for ended := false; !ended && cut == nil && w.at < w.length; {
		room := w.buffer[w.n:min(int64(len(w.buffer)), int64(w.n)+w.length-w.at)]
		if w.mediaType == "" && w.n < mediatype.HeadSize {
			room = room[:min(len(room), mediatype.HeadSize-w.n)]
		}
		n, err := readPart(body, room)
		w.take(room[:n])
		ended, cut = n < len(room), errors.Join(err, ctx.Err())
		if w.refused != nil && w.sum == nil {
			w.d.endUpload(w.ctx, w.resumable)
			return w.refused
		}
		if w.n == len(w.buffer) && w.at < w.length {
			if err := w.putPart(); err != nil {
				return err
			}
		}
	}
	switch {
	case cut == nil && w.at == w.length && more(body):
		return tooMany(w.length - w.received)
	case w.sum != nil && cut != nil:
		return cut
	case w.sum != nil && !bytes.Equal(w.sum.Sum(nil), w.sum.want):
		return fault.Invalid("checksum_mismatch", "The body is not that of its Upload-Checksum, and was not kept; send it again.")
	case w.refused != nil:
		w.d.endUpload(w.ctx, w.resumable)
		return w.refused
	case w.at == w.length:
		w.sum = nil // it is right
		return w.putPart()
	case w.at > w.received:
		err = w.putTail()
	}
	if err != nil {
		return err
	}
	return cut
}

// readTail puts the rest of what is kept into the buffer.
func (w *writer) readTail() error {
	if w.tail == nil {
		return nil
	}
	object := tailKey(w.object, *w.tail)
	body, err := w.d.store.Open(w.ctx, object, 0, int64(w.tailSize))
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }() // it was read
	w.n, err = io.ReadFull(body, w.buffer[:w.tailSize])
	if err != nil {
		return fmt.Errorf("read %s: %w", object, err)
	}
	return nil
}

// take counts bytes that have come into the buffer, and looks at what they are as soon as that can be told.
func (w *writer) take(piece []byte) {
	w.hash.Write(piece)
	if w.sum != nil {
		w.sum.Write(piece)
	}
	w.n += len(piece)
	w.at += int64(len(piece))
	if w.mediaType != "" || w.refused != nil || w.n < mediatype.HeadSize && w.at < w.length {
		return
	}
	what, err := parseMetadata(w.metadata)
	if err != nil {
		w.refused = err
		return
	}
	found, err := mediatype.Check(w.buffer[:min(w.n, mediatype.HeadSize)], what.fileType, w.name)
	w.mediaType, w.refused = found.MediaType, err
}

// putPart writes the buffer as the next part.
func (w *writer) putPart() error {
	if w.next > store.MaxParts {
		return fault.Conflict("upload_worn_out", "Upload-Offset", w.received,
			"The upload was interrupted too often; delete it, and begin another.")
	}
	if err := w.reserve(); err != nil {
		return err
	}
	number := w.next
	w.next++ // whatever becomes of it
	part, err := w.d.store.PutPart(w.ctx, w.object, w.storeUpload, number, w.buffer[:w.n])
	if err == nil {
		err = w.d.store.SyncPart(w.ctx, w.object, w.storeUpload, part)
	}
	if err != nil {
		return err
	}
	w.written, w.n = append(w.written, part), 0
	if w.sum != nil {
		return w.d.leaseUpload(w.ctx, w.resumable, w.next, true)
	}
	return w.commit(nil)
}

// reserve reserves storage for what has come and goes beyond what was reserved.
func (w *writer) reserve() error {
	more := w.at - w.reserved
	if more <= 0 {
		return nil
	}
	more = min(max(more, store.PartSize), w.length-w.reserved)
	if err := w.d.reserveMore(w.ctx, w.blob, more); err != nil {
		return err
	}
	w.reserved += more
	return nil
}

// putTail keeps the rest as an object of its own, until the next request goes on.
func (w *writer) putTail() error {
	if w.n == 0 {
		return w.commit(nil)
	}
	if err := w.reserve(); err != nil {
		return err
	}
	object := tailKey(w.object, w.generation)
	if err := w.d.store.Put(w.ctx, object, bytes.NewReader(w.buffer[:w.n]), int64(w.n)); err != nil {
		return err
	}
	generation := w.generation
	err := w.commit(&generation)
	if err != nil {
		_ = w.d.store.Delete(context.WithoutCancel(w.ctx), object) // finish deletes it otherwise
	}
	return err
}

// commit makes durable what was written, and deletes the rest that is part of it now.
func (w *writer) commit(tail *int64) error {
	digest, err := w.hash.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return err
	}
	next := *w.resumable
	next.received, next.digest, next.tail, next.tailSize, next.parts = w.at, digest, tail, w.n, append(w.parts, w.written...)
	if err := w.d.commit(w.ctx, &next, w.written); err != nil {
		return err
	}
	old := w.tail
	w.received, w.digest, w.tail, w.tailSize, w.parts = next.received, next.digest, next.tail, next.tailSize, next.parts
	w.expires, w.written = next.expires, nil
	if old != nil {
		_ = w.d.store.Delete(w.ctx, tailKey(w.object, *old)) // finish deletes it otherwise
	}
	return nil
}

// finish makes the document of an upload that is whole. It may be repeated.
func (w *writer) finish() error {
	if err := w.d.store.Complete(w.ctx, w.object, w.storeUpload, w.parts); err != nil {
		return err
	}
	if err := w.d.eraseObjects(w.ctx, w.object+tailSuffix); err != nil {
		return err
	}
	what, err := parseMetadata(w.metadata)
	if err != nil {
		return err
	}
	a := &arrival{blob: w.blob, size: w.length, sha256: w.hash.Sum(nil), mediaType: mediatype.Type{MediaType: w.mediaType}, fileName: w.name,
		comment: what.comment}
	if what.fileType != "" {
		a.declared = &what.fileType
	}
	document := what.documentID
	err = w.d.registry.DB.Write(w.ctx, func(ctx context.Context, tx pgx.Tx) error {
		locked, err := tx.Exec(ctx, `SELECT FROM upload WHERE organization_id = current_organization() AND id = $1 AND generation = $2
			AND expires_at > clock_timestamp() FOR UPDATE`, w.id, w.generation)
		if err != nil {
			return err
		}
		if locked.RowsAffected() == 0 {
			return busy()
		}
		if what.document != nil {
			document, err = w.d.makeDocument(ctx, tx, a, what.document)
		} else if err = w.d.finishBlob(ctx, tx, a); err == nil {
			_, err = w.d.addRevision(ctx, tx, document, a, nil)
		}
		if err != nil {
			return err
		}
		return tx.QueryRow(ctx, `UPDATE upload SET document_id = $2, blob_id = $3, lease_until = NULL,
				expires_at = clock_timestamp() + make_interval(secs => $4)
			WHERE organization_id = current_organization() AND id = $1 RETURNING expires_at`,
			w.id, document, a.blob, uploadLife.Seconds()).Scan(&w.expires)
	})
	if err != nil {
		return postgres.Fault(err, nil)
	}
	w.document = &document
	metrics.received.Add(w.ctx, w.length)
	return nil
}
