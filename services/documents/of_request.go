package documents

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/effects"
	"ams.internal/libs/resource"
)

// linkToWork puts the documents of a request on the work order that it was accepted with as well: {documents_of, work_order_id}. Whoever
// does the work sees the resident's photo, also without the scope of requests. What is there already stays as it is.
func (d *documents) linkToWork(ctx context.Context, tx pgx.Tx, in effects.Instruction) (string, error) {
	request, err := effects.RecordIn(in.Payload, "documents_of")
	if err != nil {
		return "", err
	}
	workOrder, err := effects.RecordIn(in.Payload, "work_order_id")
	if err != nil {
		return "", err
	}
	rows, err := tx.Query(ctx, `SELECT d.id::text FROM document d WHERE d.organization_id = current_organization() AND d.status <> 'trashed'
			AND (d.collection = 'requests' AND d.record_id = $1::uuid OR d.id IN (SELECT l.document_id FROM document_link l
				WHERE l.organization_id = current_organization() AND l.collection = 'requests' AND l.record_id = $1::uuid))
			AND NOT (d.collection = 'work_orders' AND d.record_id = $2::uuid)
			AND NOT EXISTS (SELECT FROM document_link l WHERE l.organization_id = d.organization_id AND l.document_id = d.id
				AND l.collection = 'work_orders' AND l.record_id = $2::uuid)
			AND (SELECT count(*) FROM document_link l WHERE l.organization_id = d.organization_id AND l.document_id = d.id) < $3
		ORDER BY d.id FOR NO KEY UPDATE OF d`, request, workOrder, maxLinks)
	if err != nil {
		return "", err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(ids) == 0 {
		return workOrder, err
	}
	links := make([]*DocumentLink, len(ids))
	for i, id := range ids {
		links[i] = resource.New[DocumentLink](d.registry, "document_links")
		links[i].DocumentID, links[i].Collection, links[i].RecordID = id, "work_orders", workOrder
	}
	return workOrder, resource.Insert(ctx, tx, d.registry, "document_links", links)
}
