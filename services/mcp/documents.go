package mcp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ams.internal/libs/schema"
)

var files = newCollection("documents", collection{
	kind: "document", label: "title", code: "document_number", detail: []string{"file_name"},
	brief: []string{"id", "title", "kind", "document_number", "collection", "record_id", "file_name", "media_type", "size_bytes", "taken_at",
		"issued_on", "expires_on", "scan_status", "status"},
})

type listDocumentsArguments struct {
	RecordID string `json:"record_id" format:"uuid" doc:"On this record."`
	Q        string `json:"q" doc:"Words of title, caption, file name or number."`
	Limit    *int   `json:"limit" minimum:"1" maximum:"100" api:"per_page"`
	Page     *int   `json:"page" minimum:"1"`
}

var listDocuments = define("documents", tool{
	name: "list_documents", title: "List documents and photos",
	description: "Files on records; read one as document://{id}.",
	scopes:      []string{"documents:read"}, operations: []string{"GET /v1/documents"},
	output: listOf(object(node{"id": text, "title": text, "kind": text})),
}, func(ctx context.Context, call *toolCall, in *listDocumentsArguments) (any, error) {
	return call.search(ctx, files, call.query(in), pageArguments{Limit: in.Limit, Page: in.Page})
})

// shownDocuments is how many documents are named with their record.
const shownDocuments = 10

// documentsOperation is what withDocuments calls.
const documentsOperation = "GET /v1/documents"

// withDocuments adds to a record the first documents that are on it, where the caller may read them: they become links to resources. A
// record is shown all the same when they cannot be read.
func (call *toolCall) withDocuments(ctx context.Context, r record) record {
	id := textOf(r, "id")
	if id == "" || !files.readable(call.caller) {
		return r
	}
	var found apiList
	query := url.Values{"record_id": {id}, "per_page": {strconv.Itoa(shownDocuments)}, "fields": {"id,title,kind,media_type"},
		"sort": {"sort_order"}}
	if err := call.get(ctx, files.path, query, &found); err != nil {
		r["documents"] = "They could not be read: " + explain(ctx, err)
		return r
	}
	if len(found.Data) == 0 {
		return r
	}
	for _, each := range found.Data {
		withoutEmpty(each)
	}
	r["documents"] = found.Data
	if found.Pagination.Total > len(found.Data) {
		r["documents_total"] = found.Pagination.Total
	}
	return r
}

// withDocumentsOfOne is withDocuments for a list that has found one record.
func (call *toolCall) withDocumentsOfOne(ctx context.Context, l *listPage, err error) (any, error) {
	if err == nil && len(l.Data) == 1 && l.Total == 1 {
		l.Data[0] = call.withDocuments(ctx, l.Data[0])
	}
	return l, err
}

// documentLinks are the links to the documents in a result.
func documentLinks(result any) []mcp.Content {
	var links []mcp.Content
	add := func(r record) {
		named, _ := r["documents"].([]record)
		for _, each := range named {
			links = append(links,
				&mcp.ResourceLink{URI: "document://" + textOf(each, "id"), Name: textOf(each, "title"), MIMEType: textOf(each, "media_type")})
		}
	}
	switch shown := result.(type) {
	case record:
		add(shown)
	case *listPage:
		for _, r := range shown.Data {
			add(r)
		}
	}
	return links
}

// documentTemplate is the resource of a document.
var documentTemplate = &mcp.ResourceTemplate{Name: files.kind, Title: "A document", URITemplate: "document://{id}",
	Description: "A picture, as it is seen at 1024 pixels; a text or CSV, up to 20,000 characters; of everything else what is known of it."}

// readDocument reads a document as an assistant can use it. What was not looked through for malware is not shown.
func (s *server) readDocument(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id := strings.TrimPrefix(r.Params.URI, "document://")
	if !schema.IsUUID(id) {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	}
	shown, err := s.showDocument(ctx, id)
	var refused *apiError
	switch {
	case errors.As(err, &refused) && refused.status == http.StatusNotFound:
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	case err != nil:
		s.logFailure(ctx, files.kind, err)
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: explain(ctx, err)}
	}
	shown.URI = r.Params.URI
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{shown}}, nil
}

func (s *server) showDocument(ctx context.Context, id string) (*mcp.ResourceContents, error) {
	path := files.path + "/" + id
	var found record
	if err := s.rest.get(ctx, path, nil, &found); err != nil {
		return nil, err
	}
	mediaType, metadata := textOf(found, "media_type"), &mcp.ResourceContents{MIMEType: "application/json",
		Text: string(truncate(files.present(found)))}
	if textOf(found, "scan_status") != "clean" {
		return metadata, nil
	}
	var unshown *apiError
	switch {
	case strings.HasPrefix(mediaType, "image/"):
		content, err := s.rest.read(ctx, path+"/thumbnail?size=1024", 0)
		if errors.As(err, &unshown) && unshown.status == http.StatusNotFound { // a picture that nobody could read
			return metadata, nil
		}
		return &mcp.ResourceContents{MIMEType: "image/jpeg", Blob: content}, err
	case mediaType == "text/plain" || mediaType == "text/csv":
		content, err := s.rest.read(ctx, path+"/content", maxResult*utf8.UTFMax)
		text := strings.ToValidUTF8(string(content), "\uFFFD")
		return &mcp.ResourceContents{MIMEType: mediaType, Text: shorten(text, maxResult)}, err
	}
	return metadata, nil
}

// read gives bytes of the API: as many as limit, or all where it is 0.
func (r *restClient) read(ctx context.Context, path string, limit int) ([]byte, error) {
	header := http.Header{}
	if limit > 0 {
		header.Set("Range", "bytes=0-"+strconv.Itoa(limit-1))
	}
	response, err := r.open(ctx, http.MethodGet, path, nil, header)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(response.Body, maxAPIResponse))
	if err != nil {
		return nil, unreachableError(http.MethodGet, err)
	}
	return content, nil
}
