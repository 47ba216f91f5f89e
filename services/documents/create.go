package documents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/outbox"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
	"ams.internal/services/documents/filename"
)

const (
	// maxForm is how large a form with a file may be.
	maxForm = maxContent + 1<<20
	// maxDescription is how large the part of a form may be that describes the file.
	maxDescription = 64 << 10
	// contentTime is how long a content may be on its way.
	contentTime = 6 * time.Hour
)

const formMediaType = "multipart/form-data"

func (d *documents) mountCreate() {
	d.registry.API.Handle(transport.Operation{
		Method: http.MethodPost, Path: "/v1/documents", ID: "upload_document", Scope: "documents:write", Content: formMediaType,
		Form: map[string]any{
			"document": transport.Reference("DocumentPatch"),
			"file":     transport.Bytes("The file, with its name; at most 5 GiB."),
		},
		Summary: "Create a document with its file", Status: http.StatusCreated, MaxBody: maxForm, Deadline: contentTime,
	}, d.createWithContent)
}

// createWithContent makes a document of a form (RFC 7578): the part "document" describes it and comes first, the part "file" is its bytes.
func (d *documents) createWithContent(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	if err := r.CheckQuery(); err != nil {
		return nil, err
	}
	_, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || parameters["boundary"] == "" {
		return nil, fault.Invalid("content_type", "A form needs the header Content-Type: multipart/form-data with its boundary.")
	}
	form := multipart.NewReader(r.Content, parameters["boundary"])
	body, err := readDescription(form)
	if err != nil {
		return nil, err
	}
	if err := d.mayTake(ctx, body); err != nil {
		return nil, err
	}
	file, err := nextPart(form, "file", "after the part document")
	if err != nil {
		return nil, err
	}
	name := fileNameOf(file)
	if name == "" {
		return nil, fault.InvalidFields(fault.Field{Field: "file", Message: "must have a filename in its Content-Disposition"})
	}
	replayed, err := d.registry.API.HasStoredResponse(ctx, r)
	if err != nil {
		return nil, err
	}
	a, err := d.receive(ctx, inForm{file}, sent{
		declared: file.Header.Get("Content-Type"), name: name, length: -1, keep: !replayed,
		large: func(ctx context.Context) error { return d.tryCreate(ctx, body, filename.Clean(name)) },
	})
	if err != nil {
		return nil, err
	}
	if err := endOf(form); err != nil {
		d.giveUp(ctx, a)
		return nil, err
	}
	response, err := d.once(ctx, r, a, map[string]any{"document": body, "file": a.fileName},
		func(ctx context.Context, tx pgx.Tx) (*transport.Response, error) {
			return d.create(ctx, tx, a, body)
		})
	if err != nil {
		return nil, err
	}
	return response, nil
}

// once writes what has arrived, unless a response to the same request is stored already. It is the same if the description that came with
// the bytes is, and the bytes are.
func (d *documents) once(ctx context.Context, r *transport.Request, a *arrival, description map[string]any,
	write func(ctx context.Context, tx pgx.Tx) (*transport.Response, error)) (*transport.Response, error) {
	described, err := json.Marshal(description)
	if err != nil {
		return nil, err
	}
	fingerprint := sha256.Sum256(fmt.Appendf(nil, "%s %s\n%s\n%d %x", r.Method, r.URL.RequestURI(), described, a.size, a.sha256))
	wrote, arrived := false, a.blob
	response, err := d.registry.API.Once(ctx, r, fingerprint[:], func(ctx context.Context, tx pgx.Tx) (*transport.Response, error) {
		if arrived == "" { // the response that was stored when the bytes began to come is not there any more
			return nil, fault.Conflict("idempotency_key_in_use", "Idempotency-Key", r.Header.Get("Idempotency-Key"),
				"The response to this Idempotency-Key has just expired; send the request again.")
		}
		wrote = true
		return write(ctx, tx)
	})
	if err != nil || !wrote {
		a.blob = arrived
		d.giveUp(ctx, a)
	}
	return response, err
}

// giveUp takes back a content that nothing was made of.
func (d *documents) giveUp(ctx context.Context, a *arrival) {
	if a.blob != "" {
		d.abandonBlob(ctx, a.blob, a.upload)
	}
}

// makeDocument makes the document of what has arrived.
func (d *documents) makeDocument(ctx context.Context, tx pgx.Tx, a *arrival, body map[string]any) (id string, err error) {
	if err := d.finishBlob(ctx, tx, a); err != nil {
		return "", err
	}
	return d.registry.Create(withArrival(ctx, a), tx, "documents", "", withTitle(body, a.fileName))
}

// create makes the document of what has arrived, and shows it.
func (d *documents) create(ctx context.Context, tx pgx.Tx, a *arrival, body map[string]any) (*transport.Response, error) {
	id, err := d.makeDocument(ctx, tx, a, body)
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

// errTried undoes a document that was made to see whether it can be.
var errTried = errors.New("it was a try")

// tryCreate finds out whether the document can be made, before somebody sends gigabytes for it.
func (d *documents) tryCreate(ctx context.Context, body map[string]any, name string) error {
	err := d.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := d.registry.Create(ctx, tx, "documents", "", withTitle(body, name)); err != nil {
			return err
		}
		return errTried
	})
	if errors.Is(err, errTried) {
		return nil
	}
	return err
}

// withTitle gives a body a title: the file's name, where it has none.
func withTitle(body map[string]any, name string) map[string]any {
	if title, is := body["title"].(string); body["title"] != nil && (!is || strings.TrimSpace(title) != "") {
		return body
	}
	titled := map[string]any{}
	for field, value := range body {
		titled[field] = value
	}
	titled["title"] = name
	return titled
}

// mayTake refuses early what would be refused at the end: a record that the caller may not change, or that is not there.
func (d *documents) mayTake(ctx context.Context, body map[string]any) error {
	collection, _ := body["collection"].(string)
	if reason := mayWrite(principal.From(ctx), collection); reason != nil {
		return reason
	}
	return nil
}

// readDescription reads the part of a form that describes the file.
func readDescription(form *multipart.Reader) (map[string]any, error) {
	part, err := nextPart(form, "document", "first")
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(inForm{part}, maxDescription+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxDescription {
		return nil, fault.InvalidFields(fault.Field{Field: "document", Message: fmt.Sprintf("must have at most %d bytes", maxDescription)})
	}
	return schema.ParseObject(text)
}

// nextPart gives the next part of a form, which must have this name.
func nextPart(form *multipart.Reader, name, where string) (*multipart.Part, error) {
	part, err := form.NextRawPart()
	if errors.Is(err, io.EOF) {
		return nil,
			fault.InvalidFields(fault.Field{Field: name, Message: "is missing: a form has the parts document (JSON) and file, in this order"})
	}
	if err != nil {
		return nil, incomplete(err)
	}
	if part.FormName() != name {
		return nil, fault.InvalidFields(fault.Field{Field: name, Message: fmt.Sprintf("must come %s; there is %.50q", where, part.FormName())})
	}
	return part, nil
}

// endOf makes sure that nothing follows the file.
func endOf(form *multipart.Reader) error {
	part, err := form.NextRawPart()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return incomplete(err)
	}
	return fault.InvalidFields(fault.Field{Field: part.FormName(), Message: "is one part too many: a form has document and file, each once"})
}

// fileNameOf is the name that came with a file, as it was sent: package filename cleans it.
func fileNameOf(part *multipart.Part) string {
	_, parameters, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	return parameters["filename"]
}

// inForm reads a part of a form; one that is cut off is named.
type inForm struct{ part io.Reader }

func (i inForm) Read(piece []byte) (int, error) {
	n, err := i.part.Read(piece)
	if err != nil && !errors.Is(err, io.EOF) {
		err = incomplete(err)
	}
	return n, err
}

// incomplete is the 400 of a form that cannot be read to its end.
func incomplete(err error) error {
	var refused *fault.Error
	if errors.As(err, &refused) {
		return refused
	}
	return fault.Invalid("body_incomplete", "The form did not arrive whole, or is not one: it must end with its boundary and two hyphens.").
		WithCause(err)
}

type arrivalKey struct{}

// withArrival lets the rules of documents know of the content that has arrived with a change.
func withArrival(ctx context.Context, a *arrival) context.Context {
	return context.WithValue(ctx, arrivalKey{}, a)
}

func arrivalOf(ctx context.Context) *arrival {
	a, _ := ctx.Value(arrivalKey{}).(*arrival)
	return a
}

// fill sets what follows from the content that has arrived with a new document.
func (d *Document) fill(ctx context.Context) {
	if a := arrivalOf(ctx); a != nil {
		d.take(a)
	}
}

// take makes a content that of the document, as its next revision.
func (d *Document) take(a *arrival) {
	next := 1
	if d.Revision != nil {
		next = *d.Revision + 1
	}
	size, digest, now := a.size, hex.EncodeToString(a.sha256), time.Now().UTC().Format(time.RFC3339Nano)
	scan := a.figures.scanStatus
	d.Revision, d.FileName, d.MediaType, d.SizeBytes, d.SHA256 = &next, &a.fileName, &a.mediaType.MediaType, &size, &digest
	d.RevisedAt, d.ScanStatus = &now, &scan
	d.WidthPx, d.HeightPx, d.TakenAt = a.figures.width, a.figures.height, a.figures.takenAt
	d.Latitude, d.Longitude = a.figures.latitude, a.figures.longitude
	if d.Status == "draft" {
		d.Status = "active"
	}
	if d.Kind == nil {
		kind := "other"
		switch {
		case strings.HasPrefix(a.mediaType.MediaType, "image/"):
			kind = "photo"
		case strings.HasPrefix(a.mediaType.MediaType, "video/"):
			kind = "video"
		}
		d.Kind = &kind
	}
}

// keepContent writes the revision of a content that has arrived with a change, in the transaction of the document.
func (d *documents) keepContent(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Document]) error {
	a := arrivalOf(ctx)
	if a == nil {
		return nil
	}
	c := changes[0] // content arrives with one document
	p := principal.From(ctx)
	actor, err := json.Marshal(p.Actor)
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO document_revision (organization_id, document_id, number, blob_id, comment, file_name,
			declared_media_type, created_by) VALUES (current_organization(), $1, $2, $3, $4, $5, $6, $7)`,
		c.ID(), *c.After.Revision, a.blob, a.comment, a.fileName, a.declared, actor)
	if err := postgres.Later(ctx, tx, batch); err != nil {
		return err
	}
	return d.emitThreshold(ctx, tx, c.ID(), c.After.Version, a)
}

// thresholds are the shares of the limit, in percent, at which organizations are told.
var thresholds = []int64{100, 95, 80}

// emitThreshold writes the event that a threshold was reached by a content.
func (d *documents) emitThreshold(ctx context.Context, tx pgx.Tx, document string, version int, a *arrival) error {
	limit := principal.From(ctx).StorageLimit
	for _, percent := range thresholds {
		if limit <= 0 || a.used*100 < limit*percent || a.usedBefore*100 >= limit*percent {
			continue
		}
		object, err := json.Marshal(map[string]any{"percent": percent, "used": a.used, "limit": limit})
		if err != nil {
			return err
		}
		return outbox.Add(ctx, tx, []outbox.Event{{Type: "storage.threshold_reached", Collection: "documents", RecordID: document,
			Version: version, Object: object}})
	}
	return nil
}
