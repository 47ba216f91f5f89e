package documents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/services/documents/picture"
	"ams.internal/services/documents/store"
)

// picture reads what a picture says of itself and makes its thumbnails, after its scan. One that cannot be read is not tried again. All of
// it may be repeated: a thumbnail that is there is that of the same bytes.
func (w *worker) picture(ctx context.Context, c *claimed) error {
	result, err := w.readPicture(ctx, c)
	outcome := "done"
	if errors.Is(err, picture.ErrUnreadable) {
		w.log.InfoContext(ctx, "a picture cannot be read", "blob", c.blob, "error", err)
		outcome, err = "unreadable", nil
	}
	if err != nil {
		recordResult(ctx, metrics.pictures, "failed")
		return err
	}
	organization := principal.From(ctx).OrganizationID
	for size, content := range map[int][]byte{picture.SmallSide: result.Small, picture.LargeSide: result.Large} {
		if content == nil {
			continue
		}
		err := w.store.Put(ctx, thumbnailKey(organization, c.blob, size), bytes.NewReader(content), int64(len(content)))
		if err != nil && !errors.Is(err, store.ErrExists) {
			recordResult(ctx, metrics.pictures, "failed")
			return fmt.Errorf("keep a thumbnail: %w", err)
		}
	}
	recordResult(ctx, metrics.pictures, outcome)
	err = w.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return w.keepPicture(ctx, tx, c.blob, result) })
	if !errors.Is(err, errUnreferenced) {
		return err
	}
	for _, size := range []int{picture.SmallSide, picture.LargeSide} { // perhaps it was swept before they came
		if err := w.store.Delete(ctx, thumbnailKey(organization, c.blob, size)); err != nil {
			return err
		}
	}
	return nil
}

var errUnreferenced = errors.New("nobody has the content any more")

func (w *worker) readPicture(ctx context.Context, c *claimed) (picture.Result, error) {
	zone, err := time.LoadLocation(principal.From(ctx).TimeZone)
	if err != nil {
		return picture.Result{}, err
	}
	body, err := w.store.Open(ctx, key(principal.From(ctx).OrganizationID, c.blob), 0, c.size)
	if err != nil {
		return picture.Result{}, err
	}
	result, err := picture.Read(ctx, body, c.mediaType, zone, time.Now())
	_ = body.Close() // everything that is needed was read
	return result, err
}

// keepPicture writes what a picture said of itself into the content, and into the documents that have it.
func (w *worker) keepPicture(ctx context.Context, tx pgx.Tx, blob string, r picture.Result) error {
	if err := lockStorage(ctx, tx); err != nil {
		return err
	}
	var width, height *int
	if r.Width > 0 && r.Height > 0 {
		width, height = &r.Width, &r.Height
	}
	var taken *string
	if r.TakenAt != nil {
		text := r.TakenAt.UTC().Format(time.RFC3339Nano)
		taken = &text
	}
	written, err := tx.Exec(ctx, `UPDATE blob SET picture_due_at = NULL, width_px = $2, height_px = $3, taken_at = $4::text::timestamptz,
			latitude = $5::float8::numeric(9, 6), longitude = $6::float8::numeric(9, 6), has_thumbnails = $7, decoded = $7
		WHERE organization_id = current_organization() AND id = $1 AND state = 'ready'`,
		blob, width, height, taken, r.Latitude, r.Longitude, r.Decoded)
	if err != nil {
		return err
	}
	if written.RowsAffected() == 0 { // nobody has it any more
		return errUnreferenced
	}
	return w.updateDocuments(ctx, tx, blob, "width_px", "height_px", "taken_at", "latitude", "longitude")
}
