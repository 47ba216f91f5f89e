package documents

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
	"ams.internal/services/documents/filename"
	"ams.internal/services/documents/mediatype"
	"ams.internal/services/documents/store"
)

// header declares a header that an operation looks at.
func header(name, description string) transport.Parameter {
	return transport.Parameter{Name: name, In: "header", Description: description, Schema: map[string]any{"type": "string"}}
}

func (d *documents) mountContent() {
	api := d.registry.API
	documentID := transport.Parameter{Name: "id", In: "path", Required: true, Schema: map[string]any{"type": "string", "format": "uuid"}}
	conditions := []transport.Parameter{
		header("Range", "One range of bytes (RFC 9110): 206. Several are answered with the whole."),
		header("If-Range", "The range only if the content has this ETag, else the whole."),
		header("If-None-Match", "304 if the content has this ETag."), header("If-Match", "409 unless the content has this ETag."),
	}
	disposition := transport.Parameter{Name: "disposition",
		In: "query", Description: "inline lets a browser show it in a page: pictures only " +
			"(JPEG, PNG, GIF, WebP) that could be read.", Schema: map[string]any{"type": "string", "enum": []string{"attachment", "inline"}}}
	description := "409 while it is looked through for malware (scan_pending, with Retry-After), and for good when some was found."
	content := transport.Operation{
		Method: http.MethodGet, Path: "/v1/documents/{id}/content", ID: "get_document_content",
		Scope: "documents:read", Returns: "*/*", Partial: true, Summary: "Read the content of a document", Description: description,
		Parameters: append([]transport.Parameter{documentID, disposition}, conditions...),
	}
	api.Handle(content, d.content)
	revision := content
	revision.Path, revision.ID, revision.Summary = revisionsPath+"/{number}/content", "get_document_revision_content",
		"Read the content of a revision"
	documentID.Name = "document_id"
	revision.Parameters = append([]transport.Parameter{documentID, {Name: "number", In: "path", Required: true,
		Schema: map[string]any{"type": "integer", "minimum": 1}}, disposition}, conditions...)
	api.Handle(revision, d.content)
	thumbnail := content
	thumbnail.Path, thumbnail.ID, thumbnail.Returns = "/v1/documents/{id}/thumbnail", "get_document_thumbnail", "image/jpeg"
	thumbnail.Summary = "Read a small picture of a document"
	documentID.Name = "id"
	thumbnail.Parameters = append([]transport.Parameter{documentID,
		{Name: "size", In: "query", Description: "Of the longer side at most, in pixels.",
			Schema: map[string]any{"type": "integer", "enum": []int{256, 1024}, "default": 256}}}, conditions...)
	thumbnail.Description = "JPEG without metadata, turned as it is meant to be seen. 404 where there is none. " + description
	api.Handle(thumbnail, d.thumbnail)
}

// storedContent is what a request for bytes needs to know of a content that is stored.
type storedContent struct {
	blob, mediaType, fileName, scanStatus string
	scanDetail                            *string
	size                                  int64
	sha256                                []byte
	decoded, hasThumbnails                bool
}

// find gives the content of a document: of a revision, or of the latest where number is nil. One statement.
func (d *documents) find(ctx context.Context, id string, number *int) (k storedContent, err error) {
	err = d.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`SELECT b.id::text, b.media_type, r.file_name, b.scan_status, b.scan_detail, b.size, b.sha256, b.decoded, b.has_thumbnails
			FROM document t JOIN document_revision r ON r.organization_id = t.organization_id AND r.document_id = t.id
				AND r.number = coalesce($2, t.revision)
			JOIN blob b ON b.organization_id = r.organization_id AND b.id = r.blob_id
			WHERE t.organization_id = current_organization() AND t.id = $1`+alsoVisible(ctx), id, number).QueryRow(func(row pgx.Row) error {
			return row.Scan(&k.blob, &k.mediaType, &k.fileName, &k.scanStatus, &k.scanDetail, &k.size, &k.sha256, &k.decoded, &k.hasThumbnails)
		})
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return k, d.notVisible(ctx, id)
	case err != nil:
		return k, postgres.Fault(err, nil)
	}
	return k, d.withheld(k.scanStatus, k.scanDetail)
}

// withheld is why a content cannot be read, by what the look for malware found; nil where it can.
func (d *documents) withheld(scanStatus string, scanDetail *string) error {
	switch scanStatus {
	case "pending":
		e := fault.Conflict("scan_pending", "scan_status", "pending",
			"The content is being looked through for malware; ask again in some seconds.")
		e.RetryAfter = scanPendingRetry
		return e
	case "infected":
		detail := "malware"
		if scanDetail != nil {
			detail = *scanDetail
		}
		return fault.Conflict("infected", "scan_status", "infected",
			"The content is malware (%s) and cannot be read; delete the document.", detail)
	case "unscannable":
		if !d.holdUnscannable {
			return nil
		}
		return fault.Conflict("unscannable", "scan_status", "unscannable", "The content could not be looked through for malware (it is "+
			"encrypted, or over the scanner's limits), and this server holds back such content.")
	}
	return nil
}

func (d *documents) content(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	id, number, err := d.contentNamed(r)
	if err != nil {
		return nil, err
	}
	inline := false
	switch r.Query.Get("disposition") {
	case "", "attachment":
	case "inline":
		inline = true
	default:
		return nil, fault.InvalidFields(fault.Field{Field: "disposition", Message: "must be attachment or inline"})
	}
	k, err := d.find(ctx, id, number)
	if err != nil {
		return nil, err
	}
	disposition := "attachment"
	if kind := (mediatype.Type{MediaType: k.mediaType}); inline && kind.Inline() && k.decoded {
		disposition = "inline"
	} else if inline {
		return nil,
			fault.InvalidFields(fault.Field{Field: "disposition", Message: "inline is for JPEG, PNG, GIF and WebP that could be read; leave it out"})
	}
	return d.respond(ctx, r, key(principal.From(ctx).OrganizationID, k.blob), mediatype.Type{MediaType: k.mediaType}.Served(),
		filename.Disposition(disposition, k.fileName), hex.EncodeToString(k.sha256), k.size, k.sha256)
}

// contentNamed reads which content a path names.
func (d *documents) contentNamed(r *transport.Request) (id string, number *int, err error) {
	if err := r.CheckQuery("disposition"); err != nil {
		return "", nil, err
	}
	if text := r.Path("number"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return "", nil, fault.InvalidFields(fault.Field{Field: "number", Message: "must be the number of a revision, such as 1"})
		}
		id, err = r.ID("document_id")
		return id, &n, err
	}
	id, err = r.ID("id")
	return id, nil, err
}

func (d *documents) thumbnail(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if err := r.CheckQuery("size"); err != nil {
		return nil, err
	}
	size := 256
	switch r.Query.Get("size") {
	case "", "256":
	case "1024":
		size = 1024
	default:
		return nil, fault.InvalidFields(fault.Field{Field: "size", Message: "must be 256 or 1024"})
	}
	k, err := d.find(ctx, id, nil)
	if err != nil {
		return nil, err
	}
	if !k.hasThumbnails {
		return nil, fault.New(fault.KindNotFound, "no_thumbnail",
			"The document %s has no thumbnail: it is no picture that could be read, or is read just now.", id)
	}
	object := thumbnailKey(principal.From(ctx).OrganizationID, k.blob, size)
	of, err := d.store.Stat(ctx, object)
	if err != nil {
		return nil, storeFault(err)
	}
	name := strings.TrimSuffix(k.fileName, filename.Extension(k.fileName)) + ".jpg"
	return d.respond(ctx, r, object, "image/jpeg", filename.Disposition("inline", name),
		hex.EncodeToString(k.sha256)+"-"+strconv.Itoa(size), of.Size, nil)
}

// respond answers with an object, or with one range of it (RFC 9110, section 14). The store is read from where the range begins.
func (d *documents) respond(_ context.Context, r *transport.Request, object, mediaType, disposition, tag string, size int64,
	digest []byte) (*transport.Response, error) {
	etag := `"` + tag + `"`
	response := &transport.Response{ContentType: mediaType}
	for name, value := range map[string]string{
		"ETag": etag, "Accept-Ranges": "bytes", "Content-Disposition": disposition, "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "default-src 'none'; sandbox", "Cross-Origin-Resource-Policy": "same-origin",
		"Cache-Control": "private, no-cache",
	} {
		response.SetHeader(name, value)
	}
	if digest != nil {
		response.SetHeader("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(digest)+":") // RFC 9530
	}
	if meant := strings.Join(r.Header["If-Match"], ","); meant != "" && !names(meant, etag) {
		return nil, fault.Conflict("version_mismatch", "ETag", etag, "The content has another ETag than the one in If-Match; read it again.")
	}
	if seen := strings.Join(r.Header["If-None-Match"], ","); seen != "" && names(seen, etag) {
		response.Status, response.ContentType = http.StatusNotModified, ""
		return response, nil
	}
	from, length := int64(0), size
	if requested := r.Header.Get("Range"); requested != "" && (r.Header.Get("If-Range") == "" || r.Header.Get("If-Range") == etag) {
		first, count, partial, err := parseRange(requested, size)
		if err != nil {
			return nil, fault.Invalid("range_not_satisfiable", "Range: %s", err).WithHeader("Content-Range", fmt.Sprintf("bytes */%d", size))
		}
		if partial {
			from, length = first, count
			response.Status = http.StatusPartialContent
			response.SetHeader("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, first+count-1, size))
		}
	}
	open := func(ctx context.Context) (io.ReadCloser, error) {
		body, err := d.openSent(ctx, object, from, length)
		if errors.Is(err, store.ErrNotFound) {
			return nil, fmt.Errorf("the store has no %s: %w", object, err)
		}
		return body, storeFault(err)
	}
	if digest != nil { // a thumbnail is gone at once
		open = d.downloads.during(open)
	}
	response.Content = &transport.Content{Length: length, Open: open}
	return response, nil
}

// names says whether a list of entity tags has one.
func names(list, etag string) bool {
	for tag := range strings.SplitSeq(list, ",") {
		if tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/"); tag == "*" || tag == etag {
			return true
		}
	}
	return false
}

// parseRange reads a Range header of bytes. Several ranges, other units and what cannot be read mean the whole (RFC 9110, section 14.2):
// then partial is false. A range that begins behind the end is an error.
func parseRange(header string, size int64) (first, count int64, partial bool, err error) {
	spec, isBytes := strings.CutPrefix(header, "bytes=")
	from, to, isRange := strings.Cut(strings.TrimSpace(spec), "-")
	if !isBytes || !isRange || strings.Contains(spec, ",") {
		return 0, 0, false, nil
	}
	if from == "" { // the last so many
		last, err := strconv.ParseUint(to, 10, 63)
		if err != nil {
			return 0, 0, false, nil //nolint:nilerr // what is no range is none
		}
		if last == 0 {
			return 0, 0, false, fmt.Errorf("the last 0 bytes of %d are none", size)
		}
		count = min(int64(last), size) // #nosec G115 -- 63 bits
		return size - count, count, true, nil
	}
	begin, err := strconv.ParseUint(from, 10, 63)
	if err != nil {
		return 0, 0, false, nil //nolint:nilerr // what is no range is none
	}
	first = int64(begin) // #nosec G115 -- 63 bits
	end := size - 1
	if to != "" {
		last, err := strconv.ParseUint(to, 10, 63)
		if err != nil || last < begin {
			return 0, 0, false, nil //nolint:nilerr // what is no range is none
		}
		end = min(end, int64(last)) // #nosec G115 -- 63 bits
	}
	if first >= size {
		return 0, 0, false, fmt.Errorf("there are %d bytes, and none from %d on", size, first)
	}
	return first, end - first + 1, true, nil
}

// contentDigest reads the sha-256 of a Content-Digest (RFC 9530); nil where there is none.
func contentDigest(headers []string) ([]byte, error) {
	for entry := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		value, is := strings.CutPrefix(strings.TrimSpace(entry), "sha-256=:")
		if !is {
			continue
		}
		digest, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(value, ":"))
		if err != nil || len(digest) != 32 || !strings.HasSuffix(value, ":") {
			return nil, fault.InvalidFields(fault.Field{Field: "Content-Digest", Message: "must be sha-256=:…: with the digest in base64"})
		}
		return digest, nil
	}
	return nil, nil
}
