package edge

import (
	"strings"
	"testing"
)

func TestWhatCarriesContent(t *testing.T) {
	for request, want := range map[string]transfer{
		"POST /v1/documents multipart/form-data; boundary=x": upload, "POST /v1/documents application/json": noTransfer,
		"POST /v1/documents": noTransfer, "POST /v1/documents/x/revisions image/jpeg": upload,
		"POST /v1/documents/x/revisions": upload, "GET /v1/documents/x/revisions": noTransfer,
		"POST /v1/documents/bulk application/json": noTransfer, "POST /v1/documents/x/revisions/2/restore": noTransfer,
		"POST /v1/documents/x/restore": noTransfer, "PATCH /v1/documents/x multipart/form-data": noTransfer,
		"POST /v1/uploads": upload, "PATCH /v1/uploads/u": upload, "HEAD /v1/uploads/u": noTransfer, "DELETE /v1/uploads/u": noTransfer,
		"POST /v1/uploads/u": noTransfer, "PATCH /v1/uploads": noTransfer,
		"GET /v1/documents/x/content": download, "HEAD /v1/documents/x/content": download, "GET /v1/documents/x/revisions/2/content": download,
		"GET /v1/documents/archive": download, "GET /v1/documents/x/archive": noTransfer, "GET /v1/documents/x/thumbnail": thumbnail,
		"GET /v1/documents/x": noTransfer, "GET /v1/documents": noTransfer, "DELETE /v1/documents/x/content": noTransfer,
	} {
		method, rest, _ := strings.Cut(request, " ")
		path, contentType, _ := strings.Cut(rest, " ")
		if got := transferOf(method, path, contentType); got != want {
			t.Errorf("%s: %d, wanted %d", request, got, want)
		}
	}
}
