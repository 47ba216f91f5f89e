package main

import (
	"context"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// rejectKept objects to the deletion of documents that must be kept: under a legal hold, or before their time.
func (d *documents) rejectKept(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Document]) error {
	if len(changes) == 0 {
		return nil
	}
	byID := map[string]*resource.Change[Document]{}
	var ids []string
	for _, c := range changes {
		byID[c.ID()] = c
		ids = append(ids, c.ID())
	}
	// Holds are made under a lock on the organization's holds, and deletes under a shared one: so none slips between.
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock_shared(hashtextextended(current_schema() || ' holds ' || current_organization(), 0))`); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, `SELECT t.id::text, coalesce((SELECT string_agg(h.name, ', ' ORDER BY h.name) FROM legal_hold h WHERE `+heldBy+`), ''),
			coalesce((SELECT c.permanent FROM retention_class c WHERE c.organization_id = t.organization_id AND c.id = t.retention_class_id), false),
			coalesce(`+retainUntil+`::text, ''), coalesce(`+retainUntil+` > `+today+`, false)
		FROM document t WHERE t.organization_id = current_organization() AND t.id = ANY($1::uuid[])`, ids)
	if err != nil {
		return err
	}
	var id, holds, until string
	var permanent, early bool
	_, err = pgx.ForEachRow(rows, []any{&id, &holds, &permanent, &until, &early}, func() error {
		switch c := byID[id]; {
		case holds != "":
			c.Reject(fault.Conflict("legal_hold", "legal_holds", strings.Split(holds, ", "),
				"The document is under a legal hold (%s) and must be kept until it is released.", holds))
		case permanent:
			c.Reject(fault.Conflict("retention_permanent", "retention_class_id", c.Before.RetentionClassID,
				"The document is kept for good, by its retention class."))
		case early:
			c.Reject(fault.Conflict("retained", "retain_until", until, "The document must be kept until %s, by its retention class.", until))
		}
		return nil
	})
	return err
}

func (d *documents) mountTrash() {
	api := d.registry.API
	api.Handle(transport.Operation{
		Method: http.MethodPost, Path: "/v1/documents/{id}/restore", ID: "restore_document", Scope: "documents:write", Versioned: true,
		Summary: "Take a document out of the trash", Description: "For 30 days after it was deleted. Answers the document.",
		Parameters: []transport.Parameter{{Name: "id", In: "path", Required: true, Schema: map[string]any{"type": "string", "format": "uuid"}}},
		Response:   transport.Reference("Document"),
	}, d.restore)
}

// restore takes a document out of the trash. Its record must be there still.
func (d *documents) restore(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if err := r.CheckQuery(); err != nil {
		return nil, err
	}
	var response *transport.Response
	err = d.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var collection, record string
		if err := d.edit(ctx, tx, id, func(document *Document) error {
			if document.Status != "trashed" {
				return fault.Conflict("not_trashed", "status", document.Status, "The document is not in the trash.")
			}
			collection, record = document.Collection, document.RecordID
			document.Status, document.TrashedAt = "active", nil
			if document.Revision == nil {
				document.Status = "draft"
			}
			return nil
		}); err != nil {
			return err
		}
		held, err := d.registry.Hold(ctx, tx, map[string][]string{collection: {record}})
		if err != nil {
			return err
		}
		if _, there := held[collection][record]; !there {
			return fault.Conflict("record_gone", "record_id", record, "The record that the document was on is not there any more; nothing can be restored to it.")
		}
		response, err = d.registry.Show(ctx, tx, "documents", id)
		return err
	})
	return response, postgres.Fault(err, nil)
}
