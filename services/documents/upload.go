package documents

import (
	"context"
	"crypto/sha1" // #nosec G505 -- tus has it, against mistakes on the way
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
	"ams.internal/services/documents/filename"
)

// Uploads that can be resumed follow tus 1.0.0 (https://tus.io/protocols/resumable-upload): core, creation, creation-with-upload, expiration,
// checksum and termination. Statuses are those of this API: what is 412, 413, 415 or 460 there is 400, 410 is 404, and 423 is 409.

const (
	tusVersion      = "1.0.0"
	uploadsPath     = "/v1/uploads"
	offsetMediaType = "application/offset+octet-stream"
	// uploadLife is how long an upload is kept on which nobody goes on, and one that is done.
	uploadLife = 24 * time.Hour
)

// Upload is a file that is sent in as many requests as it takes.
type Upload struct {
	ID         string  `json:"id" format:"uuid" doc:"Its path is /v1/uploads/{id}." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Length     int64   `json:"length" unit:"byte" doc:"Of the file." example:"20000000"`
	Offset     int64   `json:"offset" unit:"byte" doc:"How much of it is kept: go on from there." example:"18000000"`
	FileName   string  `json:"file_name" doc:"As it can be saved on every system." example:"visite.mp4"`
	ExpiresAt  string  `json:"expires_at" format:"date-time" doc:"When it is given up, unless somebody goes on with it." example:"2026-07-14T13:30:00Z"`
	DocumentID *string `json:"document_id" format:"uuid" doc:"The document that was made of it, or got a revision; null until the last byte is there."`
}

// UploadInProgress is an upload that is not done, as all who may upload see it.
type UploadInProgress struct {
	ID        string          `json:"id" format:"uuid" doc:"Its path is /v1/uploads/{id}." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Length    int64           `json:"length" unit:"byte" doc:"Of the file." example:"20000000"`
	Offset    int64           `json:"offset" unit:"byte" doc:"How much of it is kept." example:"18000000"`
	Reserved  int64           `json:"reserved" unit:"byte" doc:"How much of the organization's storage is reserved for it." example:"20000000"`
	FileName  string          `json:"file_name" doc:"As it can be saved on every system." example:"visite.mp4"`
	StartedBy principal.Actor `json:"started_by" doc:"The key or user who began it, and goes on with it alone."`
	ExpiresAt string          `json:"expires_at" format:"date-time" doc:"When it is given up, unless somebody goes on with it." example:"2026-07-14T13:30:00Z"`
}

// UploadsInProgress are those of the organization.
type UploadsInProgress struct {
	Data []UploadInProgress `json:"data" doc:"The oldest first; an organization has a thousand at most."`
}

func (d *documents) mountUploads() {
	id := transport.Parameter{Name: "id", In: "path", Required: true, Schema: map[string]any{"type": "string", "format": "uuid"}}
	header := func(name, description string, required bool) transport.Parameter {
		return transport.Parameter{Name: name, In: "header", Description: description, Required: required,
			Schema: map[string]any{"type": "string"}}
	}
	version := header("Tus-Resumable", "1.0.0", true)
	sum := header("Upload-Checksum",
		"sha1 or sha256 of the body, a blank, and the digest in base64. Of a body that has another, nothing is kept.", false)
	handle := func(op transport.Operation, do endpoint.Operation[*transport.Request, *transport.Response]) {
		op.Scope = "documents:write" // also to ask how far it is: who sends must be able to go on
		d.registry.API.Handle(op, tus(do))
	}
	handle(transport.Operation{
		Method: http.MethodPost, Path: uploadsPath, ID: "create_upload", Content: offsetMediaType, MaxBody: maxContent, Deadline: contentTime,
		Status: http.StatusCreated, Summary: "Begin an upload that can be resumed (tus 1.0.0)",
		Description: "What would be refused at the end is refused now, and storage is reserved: at once as far as a quarter of what is free " +
			"goes, the rest as it comes. The body is the first bytes, or empty. Only the " +
			"key or user who began an upload goes on with it.",
		Parameters: []transport.Parameter{version, header("Upload-Length", "Bytes of the file.", true), header("Upload-Metadata",
			"Names with values in base64: document (JSON as of POST /v1/documents) with filename, or document_id for a revision; "+
				"filetype, comment.", true), sum},
		Response: schema.Shown(reflect.TypeFor[Upload]()).JSON, ResponseName: "Upload",
	}, d.createUpload)
	handle(transport.Operation{
		Method: http.MethodGet, Path: uploadsPath + "/{id}", ID: "get_upload", Summary: "See how much of an upload is kept",
		Description: "HEAD answers by Upload-Offset and Upload-Length alone. Document-Id is there once it is done; " +
			"an upload lasts for a day then.",
		Parameters: []transport.Parameter{id}, Response: transport.Reference("Upload"),
	}, d.showUpload)
	handle(transport.Operation{
		Method: http.MethodPatch, Path: uploadsPath + "/{id}", ID: "append_to_upload", Content: offsetMediaType, MaxBody: maxContent,
		Deadline: contentTime, Status: http.StatusNoContent, Summary: "Send the next bytes of an upload",
		Description: "With the last byte the document is made, and Document-Id names it. 409 with Upload-Offset where the offset is " +
			"another; 409 with Retry-After while another request sends.",
		Parameters: []transport.Parameter{id, version, header("Upload-Offset", "Where the body begins.", true), sum},
	}, d.appendToUpload)
	handle(transport.Operation{
		Method: http.MethodDelete, Path: uploadsPath + "/{id}", ID: "delete_upload", Status: http.StatusNoContent,
		Summary: "Give up an upload", Description: "Also another key's or user's. What was kept of it goes, with its reservation; a request " +
			"that sends to it is ended.",
		Parameters: []transport.Parameter{id, version},
	}, d.deleteUpload)
	transport.Get(d.registry.API, transport.Operation{
		Path: uploadsPath, ID: "list_uploads", Scope: "documents:write", ResponseName: "UploadList",
		Summary: "List uploads that are not done", Description: "Of the whole organization: whoever may upload can end one that holds storage.",
	}, d.listUploads)
}

// tus checks the version of requests that change something, and gives every answer its own.
func tus(do endpoint.Operation[*transport.Request, *transport.Response]) endpoint.Operation[*transport.Request, *transport.Response] {
	return func(ctx context.Context, r *transport.Request) (response *transport.Response, err error) {
		err = r.CheckQuery()
		if version := r.Header.Get("Tus-Resumable"); err == nil && r.Method != http.MethodGet && version != tusVersion {
			err = fault.InvalidFields(fault.Field{Field: "Tus-Resumable", Message: "must be " + tusVersion}).WithHeader("Tus-Version", tusVersion)
		}
		if err == nil {
			response, err = do(ctx, r)
		}
		if err != nil {
			return nil, fault.From(err).WithHeader("Tus-Resumable", tusVersion)
		}
		response.SetHeader("Tus-Resumable", tusVersion)
		response.SetHeader("Cache-Control", "no-store")
		return response, nil
	}
}

// respond describes an upload by the headers of tus.
func (u *resumable) respond(status int) *transport.Response {
	response := &transport.Response{Status: status}
	response.SetHeader("Upload-Offset", strconv.FormatInt(u.received, 10))
	response.SetHeader("Upload-Expires", u.expires.UTC().Format(http.TimeFormat))
	if u.document != nil {
		response.SetHeader("Document-Id", *u.document)
	}
	return response
}

// show is respond with the upload as JSON.
func (u *resumable) show(status int) (*transport.Response, error) {
	shown, err := transport.JSON(status, Upload{ID: u.id, Length: u.length, Offset: u.received, FileName: u.name,
		ExpiresAt: u.expires.UTC().Format("2006-01-02T15:04:05.000000Z"), DocumentID: u.document})
	shown.Header = u.respond(status).Header
	shown.SetHeader("Upload-Length", strconv.FormatInt(u.length, 10))
	shown.SetHeader("Upload-Metadata", u.metadata)
	return shown, err
}

func (d *documents) createUpload(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	length, err := uploadLength(r.Header)
	if err != nil {
		return nil, err
	}
	sends := r.ContentLength != 0
	if sends {
		if err := isOffsets(r, length); err != nil {
			return nil, err
		}
	}
	sum, err := uploadChecksum(r.Header.Get("Upload-Checksum"))
	if err != nil {
		return nil, err
	}
	u := &resumable{id: uuid.Must(uuid.NewV7()).String(), length: length, metadata: strings.Join(r.Header["Upload-Metadata"], ","), next: 1}
	what, err := parseMetadata(u.metadata)
	if err != nil {
		return nil, err
	}
	if what.documentID != "" {
		if u.name, err = d.mayRevise(ctx, what.documentID); err != nil {
			return nil, err
		}
	} else if err := d.mayTake(ctx, what.document); err != nil {
		return nil, err
	}
	if what.fileName != "" {
		u.name = what.fileName
	}
	if u.name = filename.Clean(u.name); what.document != nil {
		if err := d.tryCreate(ctx, what.document, u.name); err != nil {
			return nil, err
		}
	}
	if err := d.beginUpload(ctx, u); err != nil {
		return nil, err
	}
	if sends {
		taken, err := d.takeUpload(ctx, u.id, &u.received)
		if err == nil {
			u, err = taken, d.extend(ctx, taken, r.Content, sum)
		}
		if err != nil { // nobody knows its path
			d.endUpload(ctx, u)
			return nil, err
		}
	}
	response, err := u.show(http.StatusCreated)
	response.SetHeader("Location", uploadsPath+"/"+u.id)
	return response, err
}

func (d *documents) showUpload(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	u, err := d.findUpload(ctx, id)
	if err != nil {
		return nil, err
	}
	if u.received == u.length && u.document == nil {
		// Its last request was ended before the document was made.
		taken, err := d.takeUpload(ctx, id, &u.received)
		switch {
		case err == nil && taken.document == nil:
			err = d.extend(ctx, taken, nil, nil)
		case fault.From(err).Code == uploadBusy:
			return u.show(http.StatusOK)
		}
		if err != nil {
			return nil, err
		}
		u = taken
	}
	return u.show(http.StatusOK)
}

func (d *documents) appendToUpload(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	offset, err := strconv.ParseUint(r.Header.Get("Upload-Offset"), 10, 62)
	if err != nil {
		return nil,
			fault.InvalidFields(fault.Field{Field: "Upload-Offset", Message: "must be the number of bytes that are kept, as HEAD gives it"})
	}
	sum, err := uploadChecksum(r.Header.Get("Upload-Checksum"))
	if err != nil {
		return nil, err
	}
	from := int64(offset) // #nosec G115 -- 62 bits
	u, err := d.takeUpload(ctx, id, &from)
	if err != nil {
		return nil, err
	}
	if u.document != nil {
		return u.respond(http.StatusNoContent), isOffsets(r, 0)
	}
	if err := isOffsets(r, u.length-from); err != nil {
		d.leaveUpload(ctx, u)
		return nil, err
	}
	if err := d.extend(ctx, u, r.Content, sum); err != nil {
		return nil, err
	}
	return u.respond(http.StatusNoContent), nil
}

func (d *documents) deleteUpload(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if err := d.stopUpload(ctx, id); err != nil {
		return nil, err
	}
	return &transport.Response{Status: http.StatusNoContent}, nil
}

// uploadLength reads how large the file is going to be.
func uploadLength(header http.Header) (int64, error) {
	if header.Get("Upload-Concat") != "" {
		return 0, fault.InvalidFields(fault.Field{Field: "Upload-Concat", Message: "is not supported: send the file in one upload"})
	}
	if header.Get("Upload-Defer-Length") != "" {
		return 0, fault.InvalidFields(fault.Field{Field: "Upload-Defer-Length", Message: "is not supported: send Upload-Length"})
	}
	length, err := strconv.ParseInt(header.Get("Upload-Length"), 10, 64)
	switch {
	case err != nil || length < 0:
		return 0, fault.InvalidFields(fault.Field{Field: "Upload-Length", Message: "must be the number of bytes of the file"})
	case length == 0:
		return 0, fault.Invalid("content_empty", "The file is empty.")
	case length > maxContent:
		return 0, fault.Invalid("content_too_large", "The file is larger than %d bytes, which is the most.", int64(maxContent))
	}
	return length, nil
}

// isOffsets refuses a body that is not what an upload takes, or has more than the bytes that are missing.
func isOffsets(r *transport.Request, missing int64) error {
	if r.Header.Get("Content-Type") != offsetMediaType {
		return fault.Invalid("content_type", "The bytes of an upload need the header Content-Type: %s.", offsetMediaType)
	}
	if r.ContentLength > missing {
		return tooMany(missing)
	}
	return nil
}

func tooMany(missing int64) error {
	return fault.Invalid("upload_too_long", "The body has more than the %d bytes that the upload needs.", missing)
}

// checksum is compared with that of a body.
type checksum struct {
	hash.Hash
	want []byte
}

func uploadChecksum(header string) (*checksum, error) {
	if header == "" {
		return nil, nil
	}
	algorithm, encoded, _ := strings.Cut(header, " ")
	c := &checksum{}
	switch algorithm {
	case "sha1":
		c.Hash = sha1.New() // #nosec G401 -- as above
	case "sha256":
		c.Hash = sha256.New()
	}
	var err error
	if c.want, err = base64.StdEncoding.DecodeString(encoded); err != nil || c.Hash == nil || len(c.want) != c.Size() {
		return nil,
			fault.InvalidFields(fault.Field{Field: "Upload-Checksum", Message: "must be sha1 or sha256, a blank, and the digest in base64"}).
				WithHeader("Tus-Checksum-Algorithm", "sha1,sha256")
	}
	return c, nil
}

// metadata says what an upload becomes.
type metadata struct {
	document           map[string]any // of a new one
	documentID         string         // of the one that it is a revision of
	fileName, fileType string
	comment            *string
}

// parseMetadata reads an Upload-Metadata. Names that are not ours are left alone: programs send some of their own.
func parseMetadata(header string) (m metadata, err error) {
	refuse := func(name, message string) error {
		return fault.InvalidFields(fault.Field{Field: "Upload-Metadata." + name, Message: message})
	}
	values := map[string]string{}
	for pair := range strings.SplitSeq(header, ",") {
		name, encoded, _ := strings.Cut(strings.TrimSpace(pair), " ")
		value, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
		if err != nil || !utf8.Valid(value) || strings.ContainsRune(string(value), 0) {
			return m, refuse(name, "must be text in base64")
		}
		if _, twice := values[name]; twice {
			return m, refuse(name, "must be given once")
		}
		values[name] = string(value)
	}
	m.documentID, m.fileName, m.fileType = strings.ToLower(values["document_id"]), values["filename"], values["filetype"]
	if comment, given := values["comment"]; given {
		m.comment = &comment
	}
	document, given := values["document"]
	switch {
	case given == (m.documentID != ""):
		return m, refuse("document", "must be given, as JSON, or document_id for a revision; not both")
	case m.comment != nil && utf8.RuneCountInString(*m.comment) > maxComment:
		return m, refuse("comment", "must have at most "+strconv.Itoa(maxComment)+" characters")
	case given && len(document) > maxDescription:
		return m, refuse("document", "must have at most "+strconv.Itoa(maxDescription)+" bytes")
	case given && m.fileName == "":
		return m, refuse("filename", "must be given")
	case given:
		m.document, err = schema.ParseObject([]byte(document))
		return m, err
	case !schema.IsUUID(m.documentID):
		return m, refuse("document_id", "must be a UUID")
	}
	return m, nil
}

// more says whether a body goes on.
func more(body io.Reader) bool {
	n, _ := io.ReadFull(body, make([]byte, 1))
	return n > 0
}
