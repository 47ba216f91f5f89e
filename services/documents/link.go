package documents

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

// DocumentLink is another record that a document is on: the same manual on many assets.
type DocumentLink struct {
	resource.Record
	DocumentID string `json:"document_id" readOnly:"true" references:"documents" doc:"The document."`
	Collection string `json:"collection" required:"true" enum:"sites,buildings,systems,assets,condition_assessments,deficiencies,work_orders,work_order_tasks,vendors,job_plans,pm_plans,meters,form_responses,requests,los_service_areas,los_measures,los_measurements,networks,segments,inspections,infrastructure_deficiencies,projects,project_phases,project_funding_sources" filter:"equals" doc:"What record_id is of. The document can be read by keys that may read this collection." example:"assets"`
	RecordID   string `json:"record_id" required:"true" references:"@collection" unique:"document_id" filter:"equals" doc:"The record that the document is on as well." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
}

// maxLinks is how many records a document is on at most, beside its own.
const maxLinks = 500

func (d *documents) links() resource.Definition[DocumentLink] {
	return resource.Definition[DocumentLink]{
		Collection: "document_links", Table: "document_link", Parent: "document_id", Label: "collection",
		Visible: visibleLinks,
		Holds: "EXISTS (SELECT FROM document d WHERE d.organization_id = t.organization_id AND d.id = t.document_id " +
			"AND d.status <> 'trashed')",
		BeforeWrite: d.prepareLinks,
	}
}

// prepareLinks lets those write links who may write the record that is linked and the one that the document is on.
func (d *documents) prepareLinks(ctx context.Context, tx pgx.Tx, changes []*resource.Change[DocumentLink]) error {
	p := principal.From(ctx)
	var ids []string
	for _, c := range changes {
		link := c.After
		if link == nil {
			link = c.Before
		}
		ids = append(ids, link.DocumentID)
	}
	rows, err := tx.Query(ctx, `SELECT d.id::text, d.collection, d.record_id::text, d.status,
			(SELECT count(*) FROM document_link l WHERE l.organization_id = d.organization_id AND l.document_id = d.id)
		FROM document d WHERE d.organization_id = current_organization() AND d.id = ANY($1::uuid[]) ORDER BY d.id FOR NO KEY UPDATE OF d`, ids)
	if err != nil {
		return err
	}
	type home struct {
		collection, record, status string
		links                      int
	}
	homes := map[string]*home{}
	var id string
	var of home
	if _, err := pgx.ForEachRow(rows, []any{&id, &of.collection, &of.record, &of.status, &of.links}, func() error {
		copied := of
		homes[id] = &copied
		return nil
	}); err != nil {
		return err
	}
	var leaving []leaves
	for _, c := range changes {
		link := c.After
		if link == nil {
			link = c.Before
		}
		document := homes[link.DocumentID]
		if document == nil {
			c.Reject(fault.NotFound("document", link.DocumentID))
			continue
		}
		for _, collection := range []string{document.collection, link.Collection} {
			if reason := mayWrite(p, collection); reason != nil {
				c.Reject(reason)
			}
		}
		if c.Before != nil && (c.After == nil || c.After.RecordID != c.Before.RecordID) {
			leaving = append(leaving, leaves{c.Before.Collection, c.Before.RecordID, c.Reject})
		}
		if c.After == nil {
			continue
		}
		if document.status == "trashed" {
			c.Reject(inTrash(link.DocumentID))
		}
		if document.record == link.RecordID {
			c.FieldError("record_id", "is the record that the document is on already")
		}
		if c.Before == nil {
			if document.links++; document.links > maxLinks {
				c.Reject(fault.Conflict("too_many_links", "record_id", link.RecordID, "A document is on at most %d other records.", maxLinks))
			}
		}
	}
	return rejectLeaving(ctx, tx, leaving)
}
