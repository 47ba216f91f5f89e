package edge

import (
	"mime"
	"net/http"
	"strings"
	"time"

	"ams.internal/libs/domain/catalogue"
)

// transfer says what of a document's content a request carries.
type transfer int

const (
	noTransfer transfer = iota
	upload              // content in the request
	download            // content in the response, or several of them in an archive
	thumbnail           // a small picture in the response: like a download, a part of it can be asked for
)

const documentsPath = "/v1/documents"

// What holds for an upload in place of what holds for other bodies.
const (
	maxUpload     = catalogue.MaxContent + 1<<20 // bytes; what a form has beside the content is at most a megabyte
	uploadTimeout = 6 * time.Hour
	minUploadRate = 64 << 10 // bytes a second that a sender must keep over each uploadWindow
	uploadWindow  = 30 * time.Second
)

// transferOf says what content a request with a path carries.
func transferOf(method, path, contentType string) transfer {
	if rest, below := strings.CutPrefix(path, uploadsPath); below {
		segments := strings.Count(rest, "/")
		if method == http.MethodPost && segments == 0 || method == http.MethodPatch && segments == 1 {
			return upload
		}
		return noTransfer
	}
	rest, below := strings.CutPrefix(path, documentsPath)
	if !below {
		return noTransfer
	}
	segments := strings.Split(strings.TrimPrefix(rest, "/"), "/")
	switch last := segments[len(segments)-1]; method {
	case http.MethodPost:
		mediaType, _, err := mime.ParseMediaType(contentType)
		if rest == "" && err == nil && mediaType == "multipart/form-data" || len(segments) == 2 && last == "revisions" {
			return upload
		}
	case http.MethodGet, http.MethodHead:
		switch {
		case rest == "/archive", len(segments) == 2 && last == "content", len(segments) == 4 && segments[1] == "revisions" && last == "content":
			return download
		case len(segments) == 2 && last == "thumbnail":
			return thumbnail
		}
	}
	return noTransfer
}

// inParts says whether a part of the response can be asked for.
func (t transfer) inParts() bool { return t == download || t == thumbnail }
