package documents

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/resource"
)

// emptying is how a sandbox is emptied of documents. The rows of contents stay: the sweeper deletes the bytes first and then them, as of
// any content that nobody has any more. What is being written is abandoned. So nothing that the store has is without a row.
func (d *documents) emptying() resource.Emptying {
	return resource.Emptying{Retained: []string{"blob", "storage"}, Before: d.doomUnused}
}

// doomUnused dooms the contents of the transaction's organization that no revision has. Those whose revisions the emptying still finds are
// doomed by its last transaction, which finds nothing more.
func (d *documents) doomUnused(ctx context.Context, tx pgx.Tx) error {
	batch := &pgx.Batch{}
	batch.Queue(`UPDATE blob SET lease_until = clock_timestamp()
		WHERE organization_id = current_organization() AND state = 'writing' AND lease_until > clock_timestamp()`)
	batch.Queue(`SELECT doom_blobs(ARRAY(SELECT b.id FROM blob b WHERE b.organization_id = current_organization() AND b.state = 'ready'
			AND NOT EXISTS (SELECT FROM document_revision r WHERE r.organization_id = b.organization_id AND r.blob_id = b.id)),
		make_interval(secs => $1))`, d.keep.Seconds())
	return postgres.Fault(tx.SendBatch(ctx, batch).Close(), nil)
}
