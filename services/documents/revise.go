package documents

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
	"ams.internal/services/documents/filename"
)

// DocumentRevision is one content of a document; it never changes.
type DocumentRevision struct {
	Number            int             `json:"number" doc:"From 1, without gaps; the highest is the document's content." example:"2"`
	Comment           *string         `json:"comment" doc:"Why it was made." example:"Signed by both parties"`
	FileName          string          `json:"file_name" doc:"As it can be saved on every system." example:"contrat.pdf"`
	MediaType         string          `json:"media_type" doc:"What the bytes are." example:"application/pdf"`
	DeclaredMediaType *string         `json:"declared_media_type" doc:"What the sender said they are; null where nothing was said." example:"application/pdf"`
	SizeBytes         int64           `json:"size_bytes" example:"2480913" doc:"How many bytes."`
	SHA256            string          `json:"sha256" doc:"Of the bytes, in hexadecimal."`
	ScanStatus        string          `json:"scan_status" enum:"not_scanned,pending,clean,infected,unscannable" doc:"What the look for malware found." example:"clean"`
	ScanDetail        *string         `json:"scan_detail" doc:"The name of the malware, or why it could not be scanned."`
	ScannedAt         *string         `json:"scanned_at" format:"date-time" doc:"When it was last scanned; null until then, also where that was asked for once more."`
	WidthPx           *int            `json:"width_px" doc:"Of a picture, as it is shown."`
	HeightPx          *int            `json:"height_px" doc:"Of a picture, as it is shown."`
	TakenAt           *string         `json:"taken_at" format:"date-time" doc:"When the picture was taken, as it says itself."`
	Latitude          *float64        `json:"latitude" doc:"Where the picture was taken, as it says itself."`
	Longitude         *float64        `json:"longitude" doc:"Where the picture was taken, as it says itself."`
	CreatedAt         string          `json:"created_at" format:"date-time" doc:"When it was made."`
	CreatedBy         principal.Actor `json:"created_by" doc:"Who made it."`
}

// DocumentRevisions is a page of them.
type DocumentRevisions struct {
	Data       []DocumentRevision   `json:"data"`
	Pagination transport.Pagination `json:"pagination"`
}

// Pages implements transport.Paged.
func (l DocumentRevisions) Pages() transport.Pages {
	return l.Pagination.Pages()
}

// Table implements transport.Tabular.
func (l DocumentRevisions) Table() transport.Table { return transport.TableOf(l.Data) }

type revisionsRequest struct {
	DocumentID string `path:"document_id" format:"uuid" doc:"The document."`
	Page       int    `query:"page" default:"1" minimum:"1" maximum:"1000000" doc:"From 1."`
	PerPage    int    `query:"per_page" default:"25" minimum:"1" maximum:"1000" doc:"Revisions on a page."`
}

const revisionsPath = "/v1/documents/{document_id}/revisions"

func (d *documents) mountRevisions() {
	api := d.registry.API
	transport.Get(api, transport.Operation{
		Path: revisionsPath, ID: "list_document_revisions", ResponseName: "DocumentRevisionList", RowName: "DocumentRevision",
		Scope: "documents:read", Summary: "List the revisions of a document", Description: "The newest first. As CSV and Parquet too (Accept).",
	}, d.listRevisions)
	documentID := transport.Parameter{Name: "document_id", In: "path", Required: true,
		Schema: map[string]any{"type": "string", "format": "uuid"}}
	comment := transport.Parameter{Name: "comment", In: "query", Description: "Why it is made; at most 500 characters.",
		Schema: map[string]any{"type": "string", "maxLength": maxComment}}
	api.Handle(transport.Operation{
		Method: http.MethodPost, Path: revisionsPath, ID: "create_document_revision", Scope: "documents:write", Content: "*/*",
		Summary: "Add a revision: the new bytes of a document",
		Status:  http.StatusCreated, MaxBody: maxContent, Deadline: contentTime, Versioned: true, Description: "The body is the file. " +
			"Content-Disposition gives its name (`attachment; filename*=UTF-8''plan.pdf`, RFC 8187); without one the " +
			"document keeps its own. Content-Digest (RFC 9530) with sha-256 is checked. A draft becomes active. Answers the document.",
		Parameters: []transport.Parameter{documentID,
			header("Content-Disposition", "The name of the file."), header("Content-Digest", "sha-256=:…: of the bytes."),
			header("If-Match", "The version of the document that is to be revised."), header("Idempotency-Key", "Makes it safe to send again."),
			comment,
		},
		Response: transport.Reference("Document"),
	}, d.revise)
	api.Handle(transport.Operation{
		Method: http.MethodPost, Path: revisionsPath + "/{number}/restore", ID: "restore_document_revision", Scope: "documents:write",
		Status: http.StatusCreated, Summary: "Make an old revision the content again", Versioned: true,
		Description: "As a new revision over the same bytes. Answers the document.",
		Parameters: []transport.Parameter{documentID,
			{Name: "number", In: "path", Required: true, Description: "Of the revision.", Schema: map[string]any{"type": "integer", "minimum": 1}},
			header("If-Match", "The version of the document."), header("Idempotency-Key", "Makes it safe to send again."), comment},
		Response: transport.Reference("Document"),
	}, d.restoreRevision)
}

// maxComment is how many characters say why a revision was made.
const maxComment = 500

func (d *documents) listRevisions(ctx context.Context, in revisionsRequest) (DocumentRevisions, error) {
	list := DocumentRevisions{Data: []DocumentRevision{}}
	var total int64
	var found bool
	err := d.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
		batch.Queue(`SELECT count(*) FROM document_revision r WHERE r.organization_id = current_organization() AND r.document_id = $1`,
			in.DocumentID).QueryRow(func(row pgx.Row) error { return row.Scan(&total) })
		batch.Queue(`SELECT EXISTS (SELECT FROM document t WHERE t.organization_id = current_organization() AND t.id = $1`+
			alsoVisible(ctx)+`)`, in.DocumentID).QueryRow(func(row pgx.Row) error { return row.Scan(&found) })
		batch.Queue(`SELECT r.number, r.comment, r.file_name, b.media_type, r.declared_media_type, b.size, encode(b.sha256, 'hex'), b.scan_status,
				b.scan_detail, `+postgres.TimeText("b.scanned_at")+`, b.width_px, b.height_px, `+postgres.TimeText("b.taken_at")+`,
					b.latitude::float8, b.longitude::float8,
				`+postgres.TimeText("r.created_at")+`, r.created_by
			FROM document_revision r JOIN blob b ON b.organization_id = r.organization_id AND b.id = r.blob_id
			WHERE r.organization_id = current_organization() AND r.document_id = $1 ORDER BY r.number DESC LIMIT $2 OFFSET $3`,
			in.DocumentID, in.PerPage, int64(in.Page-1)*int64(in.PerPage)).Query(func(rows pgx.Rows) error {
			all, err := pgx.CollectRows(rows, scanRevision)
			list.Data = append(list.Data, all...)
			return err
		})
	})
	if err == nil && !found {
		err = d.notVisible(ctx, in.DocumentID)
	}
	list.Pagination = transport.PaginationOf(in.Page, in.PerPage, total)
	return list, err
}

func scanRevision(row pgx.CollectableRow) (r DocumentRevision, err error) {
	var by []byte
	if err := row.Scan(&r.Number, &r.Comment, &r.FileName, &r.MediaType, &r.DeclaredMediaType, &r.SizeBytes, &r.SHA256, &r.ScanStatus,
		&r.ScanDetail, &r.ScannedAt, &r.WidthPx, &r.HeightPx, &r.TakenAt, &r.Latitude, &r.Longitude, &r.CreatedAt, &by); err != nil {
		return r, err
	}
	return r, json.Unmarshal(by, &r.CreatedBy)
}

// revise takes bytes as the next revision of a document.
func (d *documents) revise(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("document_id")
	if err != nil {
		return nil, err
	}
	comment, err := commentOf(r)
	if err != nil {
		return nil, err
	}
	named, err := filename.FromDisposition(r.Header.Get("Content-Disposition"))
	if err != nil {
		return nil, fault.InvalidFields(fault.Field{Field: "Content-Disposition", Message: err.Error()})
	}
	expected, err := contentDigest(r.Header["Content-Digest"])
	if err != nil {
		return nil, err
	}
	replayed, err := d.registry.API.HasStoredResponse(ctx, r)
	if err != nil {
		return nil, err
	}
	name := named
	if !replayed { // else the response is the first one, whatever has become of the document
		own, err := d.mayRevise(ctx, id)
		if err != nil {
			return nil, err
		}
		name = cmp.Or(named, own)
	}
	a, err := d.receive(ctx, r.Content, sent{declared: r.Header.Get("Content-Type"), name: name, length: r.ContentLength, keep: !replayed})
	if err != nil {
		return nil, err
	}
	a.comment = comment
	if expected != nil && string(expected) != string(a.sha256) {
		d.giveUp(ctx, a)
		return nil, fault.InvalidFields(fault.Field{Field: "Content-Digest", Message: "is not that of the bytes that arrived, whose sha-256 is " +
			hex.EncodeToString(a.sha256)})
	}
	return d.once(ctx, r, a, map[string]any{"comment": comment, "file": named},
		func(ctx context.Context, tx pgx.Tx) (*transport.Response, error) {
			if err := d.finishBlob(ctx, tx, a); err != nil {
				return nil, err
			}
			return d.addRevision(ctx, tx, id, a, r.Header["If-Match"])
		})
}

// commentOf is why a revision is made.
func commentOf(r *transport.Request) (*string, error) {
	if err := r.CheckQuery("comment"); err != nil {
		return nil, err
	}
	if !r.Query.Has("comment") {
		return nil, nil
	}
	text := r.Query.Get("comment")
	if len([]rune(text)) > maxComment {
		return nil, fault.InvalidFields(fault.Field{Field: "comment", Message: fmt.Sprintf("must have at most %d characters", maxComment)})
	}
	return &text, nil
}

// addRevision makes an arrived content the next revision of a document, and shows the document.
func (d *documents) addRevision(ctx context.Context, tx pgx.Tx, id string, a *arrival, ifMatch []string) (*transport.Response, error) {
	err := d.edit(withArrival(ctx, a), tx, id, func(document *Document) error {
		if err := matchVersion(document, ifMatch); err != nil {
			return err
		}
		if document.Status == "trashed" {
			return inTrash(id)
		}
		document.take(a)
		return nil
	})
	if err != nil {
		return nil, err
	}
	response, err := d.registry.Show(ctx, tx, "documents", id)
	if err != nil {
		return nil, err
	}
	response.Status = http.StatusCreated
	response.SetHeader("Location", "/v1/documents/"+id)
	return response, nil
}

// edit changes a document by all its rules. What change objects to undoes the transaction.
func (d *documents) edit(ctx context.Context, tx pgx.Tx, id string, change func(document *Document) error) error {
	var objection error
	err := resource.Edit(ctx, tx, d.registry, "documents", id, func(document *Document) { objection = change(document) })
	if objection != nil {
		return objection
	}
	return err
}

// mayRevise refuses early what would be refused at the end, and gives the name that the document's file has.
func (d *documents) mayRevise(ctx context.Context, id string) (name string, err error) {
	var collection, status string
	err = d.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`SELECT t.collection, t.status, coalesce(t.file_name, t.title) FROM document t
			WHERE t.organization_id = current_organization() AND t.id = $1`+alsoVisible(ctx), id).QueryRow(func(row pgx.Row) error {
			return row.Scan(&collection, &status, &name)
		})
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", d.notVisible(ctx, id)
	}
	if err != nil {
		return "", err
	}
	if reason := mayWrite(principal.From(ctx), collection); reason != nil {
		return "", reason
	}
	if status == "trashed" {
		return "", inTrash(id)
	}
	return name, nil
}

// restoreRevision makes an old content the newest one: the same bytes under a new number.
func (d *documents) restoreRevision(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("document_id")
	if err != nil {
		return nil, err
	}
	comment, err := commentOf(r)
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(r.Path("number"))
	if err != nil {
		return nil, fault.InvalidFields(fault.Field{Field: "number", Message: "must be the number of a revision, such as 1"})
	}
	if _, err := d.mayRevise(ctx, id); err != nil {
		return nil, err
	}
	a := &arrival{comment: comment}
	var response *transport.Response
	err = d.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := lockStorage(ctx, tx); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `SELECT b.id::text, b.size, b.sha256, b.media_type, r.file_name, r.declared_media_type, b.scan_status, b.width_px,
				b.height_px, `+postgres.TimeText("b.taken_at")+`, b.latitude::float8, b.longitude::float8
			FROM document t JOIN document_revision r ON r.organization_id = t.organization_id AND r.document_id = t.id AND r.number = $2
			JOIN blob b ON b.organization_id = r.organization_id AND b.id = r.blob_id
			WHERE t.organization_id = current_organization() AND t.id = $1`+alsoVisible(ctx)+` FOR KEY SHARE OF b`, id, number).
			Scan(append([]any{&a.blob, &a.size, &a.sha256, &a.mediaType.MediaType, &a.fileName, &a.declared}, a.figures.scan()...)...)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.NotFound("revision", fmt.Sprintf("%d of the document %s", number, id))
		}
		if err != nil {
			return err
		}
		response, err = d.addRevision(ctx, tx, id, a, r.Header["If-Match"])
		return err
	})
	return response, postgres.Fault(err, nil)
}

// matchVersion objects to a change of a document that is at another version than the caller has seen.
func matchVersion(document *Document, ifMatch []string) error {
	if len(ifMatch) == 0 || resource.MatchesVersion(ifMatch, document.Version) {
		return nil
	}
	return fault.Conflict("version_mismatch", "version", document.Version,
		"The record is at version %d; read it again and apply your change to that.", document.Version)
}
