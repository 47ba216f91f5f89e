package webhooks

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// forgetFeed is the beginning of each transaction that empties a sandbox. The numbering of its events stays and goes on, so that whoever
// follows the feed misses nothing; the events that there are count as purged. The locks are those of every writer, in their order: feed,
// then dispatch, which ends the leases of the endpoints, so that no dispatcher works on what is deleted.
func forgetFeed(ctx context.Context, tx pgx.Tx) error {
	batch := &pgx.Batch{}
	batch.Queue(`UPDATE feed SET purged_sequence = last_sequence WHERE organization_id = current_organization()`)
	batch.Queue(`DELETE FROM dispatch WHERE organization_id = current_organization()`)
	return tx.SendBatch(ctx, batch).Close()
}
