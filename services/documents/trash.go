package documents

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// rejectRetained objects to the deletion of documents that must be kept: under a legal hold, or before their time.
func (d *documents) rejectRetained(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Document]) error {
	if len(changes) == 0 {
		return nil
	}
	byID := map[string]*resource.Change[Document]{}
	var ids []string
	for _, c := range changes {
		byID[c.ID()] = c
		ids = append(ids, c.ID())
	}
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock_shared("+holdsLock+")"); err != nil {
		return err
	}
	rows, err := tx.Query(ctx,
		`SELECT t.id::text, coalesce((SELECT array_agg(h.name ORDER BY h.name COLLATE "natural") FROM legal_hold h WHERE `+heldBy+`), '{}'),
			coalesce((SELECT c.permanent FROM retention_class c WHERE c.organization_id = t.organization_id AND c.id = t.retention_class_id), false),
			coalesce(`+retainUntil+`::text, ''), coalesce(`+retainUntil+` > `+today+`, false),
			coalesce((SELECT c.trigger FROM retention_class c WHERE c.organization_id = t.organization_id AND c.id = t.retention_class_id), '')
		FROM document t WHERE t.organization_id = current_organization() AND t.id = ANY($1::uuid[])`, ids)
	if err != nil {
		return err
	}
	var id, until, trigger string
	var holds []string
	var permanent, early bool
	_, err = pgx.ForEachRow(rows, []any{&id, &holds, &permanent, &until, &early, &trigger}, func() error {
		switch c := byID[id]; {
		case len(holds) > 0:
			c.Reject(fault.Conflict("legal_hold", "legal_holds", slices.Clone(holds),
				"The document is under a legal hold (%s) and must be kept until it is released.", strings.Join(holds, ", ")))
		case permanent:
			c.Reject(fault.Conflict("retention_permanent", "retention_class_id", c.Before.RetentionClassID,
				"The document is kept for good, by its retention class."))
		case trigger != "" && until == "":
			c.Reject(fault.Conflict("retention_not_begun", "retention_class_id", c.Before.RetentionClassID,
				"The document must be kept: the period of its retention class begins %s.", triggers[trigger]))
		case early:
			c.Reject(fault.Conflict("retained", "retain_until", until, "The document must be kept until %s, by its retention class.", until))
		}
		return nil
	})
	return err
}

// holdsLock is the advisory lock of the organization's legal holds: they are made under it, and documents deleted under its shared form, so
// that no delete slips in between.
const holdsLock = "hashtextextended(current_schema() || ' holds ' || current_organization(), 0)"

// triggers say when periods begin, by the trigger of a retention class.
var triggers = map[string]string{
	"issued": "on its issued_on, which is not set", "expires": "on its expires_on, which is not set",
	"superseded": "when a further revision takes the place of the first", "base_date": "on its retention_base_date, which is not set",
}

func (d *documents) mountTrash() {
	api := d.registry.API
	named := func(name, format, description string) transport.Parameter {
		return transport.Parameter{Name: name, In: "query", Required: true, Description: description,
			Schema: map[string]any{"type": "string", "format": format}}
	}
	api.Handle(transport.Operation{
		Method: http.MethodDelete, Path: "/v1/documents", ID: "trash_documents_of_record", Scope: "documents:write",
		Summary: "Put all documents of a record into the trash",
		Description: "Links of other documents to the record are deleted, so that the record itself can be. " +
			"Where one of the documents must be kept, or a legal hold is on the record, nothing is done: 409 with the documents as value.",
		Parameters: []transport.Parameter{{Name: "collection", In: "query", Required: true, Description: "What record_id is of.",
			Schema: map[string]any{"type": "string"}, Example: "assets"}, named("record_id", "uuid", "The record.")},
		Response: map[string]any{"type": "object", "required": []string{"documents", "links"}, "properties": map[string]any{
			"documents": map[string]any{"type": "integer", "description": "Put into the trash."},
			"links":     map[string]any{"type": "integer", "description": "Deleted."}}}, ResponseName: "TrashedDocuments",
	}, d.trashOfRecord)
	api.Handle(transport.Operation{
		Method: http.MethodPost, Path: "/v1/documents/{id}/restore", ID: "restore_document", Scope: "documents:write", Versioned: true,
		Summary: "Take a document out of the trash", Description: "For 30 days after it was deleted. Answers the document.",
		Parameters: []transport.Parameter{{Name: "id", In: "path", Required: true, Schema: map[string]any{"type": "string", "format": "uuid"}}},
		Response:   transport.Reference("Document"),
	}, d.restore)
}

// trashOfRecord puts the documents of a record into the trash, and deletes the links of others to it: all of it or nothing.
func (d *documents) trashOfRecord(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	if err := r.CheckQuery("collection", "record_id"); err != nil {
		return nil, err
	}
	collection, record := r.Query.Get("collection"), strings.ToLower(r.Query.Get("record_id"))
	if !slices.ContainsFunc(owners(), func(row catalogue.Collection) bool { return row.Name == collection }) {
		return nil,
			fault.InvalidFields(fault.Field{Field: "collection", Message: "must be a collection whose records have documents, such as assets"})
	}
	if !schema.IsUUID(record) {
		return nil, fault.InvalidFields(fault.Field{Field: "record_id", Message: "must be a UUID, as the list endpoints give them"})
	}
	if reason := mayWrite(principal.From(ctx), collection); reason != nil {
		return nil, reason
	}
	deleted := struct {
		Documents int `json:"documents"`
		Links     int `json:"links"`
	}{}
	err := d.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var documents []string
		links := map[string][]string{} // by document
		if err := tx.QueryRow(ctx, `SELECT coalesce(array_agg(id::text ORDER BY id), '{}') FROM document
			WHERE organization_id = current_organization()
			AND collection = $1 AND record_id = $2 AND status <> 'trashed'`, collection, record).Scan(&documents); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT document_id::text, id::text FROM document_link WHERE organization_id = current_organization()
			AND collection = $1 AND record_id = $2 ORDER BY document_id, id`, collection, record)
		if err != nil {
			return err
		}
		var document, link string
		if _, err := pgx.ForEachRow(rows, []any{&document, &link}, func() error {
			links[document] = append(links[document], link)
			deleted.Links++
			return nil
		}); err != nil {
			return err
		}
		deleted.Documents = len(documents)
		retained, err := d.registry.Remove(ctx, tx, "documents", "", documents)
		if err != nil {
			return err
		}
		for _, document := range slices.Sorted(maps.Keys(links)) {
			refused, err := d.registry.Remove(ctx, tx, "document_links", document, links[document])
			if err != nil {
				return err
			}
			for _, reason := range refused {
				retained[document] = reason
			}
		}
		return retainedError(retained)
	})
	if err != nil {
		return nil, postgres.Fault(err, nil)
	}
	return transport.JSON(http.StatusOK, deleted)
}

// retainedDocument is one that may not be put into the trash, or may not leave a record, with the reason.
type retainedDocument struct {
	ID    string `json:"id"`
	Code  string `json:"code"`
	Error string `json:"error"`
}

// retainedError is the 409 of documents that must be kept, which names them all; nil where there are none. What the caller may not do at
// all is that refusal itself.
func retainedError(refused map[string]*fault.Error) error {
	if len(refused) == 0 {
		return nil
	}
	var all []retainedDocument
	for _, id := range slices.Sorted(maps.Keys(refused)) {
		reason := refused[id]
		if reason.Kind == fault.KindForbidden {
			return reason
		}
		all = append(all, retainedDocument{id, reason.Code, reason.Message})
	}
	return fault.Conflict("documents_kept", "documents", all, "Nothing was deleted: %d of the documents must be kept, the first because: %s",
		len(all), all[0].Error)
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
		if _, exists := held[collection][record]; !exists {
			return fault.Conflict("record_gone", "record_id", record,
				"The record that the document was on is not there any more; nothing can be restored to it.")
		}
		response, err = d.registry.Show(ctx, tx, "documents", id)
		return err
	})
	return response, postgres.Fault(err, nil)
}
