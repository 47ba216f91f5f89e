package ams

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// piece is how much of an upload is sent in one request: what the service makes durable at a time.
const piece = 8 << 20

// BeginUpload begins to upload a file of so many bytes, of which a new document is made (tus 1.0.0). ResumeUpload sends it. Keep the ID of
// the upload to go on with it in another process: the service has it for 24 hours after its last byte came.
func (d Documents) BeginUpload(ctx context.Context, document DocumentPatch, fileName string, length int64) (*Upload, error) {
	description, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	return d.begin(ctx, length, "document", string(description), "filename", fileName)
}

// BeginRevision begins to upload a file of so many bytes, which becomes the next revision of a document.
func (d Documents) BeginRevision(ctx context.Context, id string, revision Revision, length int64) (*Upload, error) {
	return d.begin(ctx, length, "document_id", id, "filename", revision.FileName, "comment", revision.Comment)
}

func (d Documents) begin(ctx context.Context, length int64, named ...string) (*Upload, error) {
	var metadata []string
	for i := 0; i < len(named); i += 2 {
		if named[i+1] != "" {
			metadata = append(metadata, named[i]+" "+base64.StdEncoding.EncodeToString([]byte(named[i+1])))
		}
	}
	upload := &Upload{}
	err := d.client.Request(ctx, Request{Method: http.MethodPost, Path: "/v1/uploads", Header: http.Header{
		"Tus-Resumable": {"1.0.0"}, "Upload-Length": {strconv.FormatInt(length, 10)}, "Upload-Metadata": {strings.Join(metadata, ",")},
	}}, upload)
	if err != nil {
		return nil, err
	}
	return upload, nil
}

// ResumeUpload sends what the service does not have yet of an upload's file, and gives the document. It may be called again after
// any error, also in another process: it goes on where the service says. Only the key that began an upload may go on with it; it
// needs documents:read besides.
func (d Documents) ResumeUpload(ctx context.Context, uploadID string, file io.ReaderAt) (*Document, error) {
	path, buffer := "/v1/uploads/"+url.PathEscape(uploadID), make([]byte, piece)
	for {
		upload, err := read[Upload](ctx, d.client, path, nil)
		if err != nil {
			return nil, err
		}
		if upload.DocumentID != nil {
			return d.Get(ctx, *upload.DocumentID, nil)
		}
		next := buffer[:min(piece, upload.Length-upload.Offset)]
		if n, err := file.ReadAt(next, upload.Offset); n < len(next) {
			return nil, fmt.Errorf("read the file at byte %d of %d: %w", upload.Offset+int64(n), upload.Length, err)
		}
		busy := time.Second // another request makes the document just now
		if len(next) > 0 {
			busy, err = d.append(ctx, path, upload.Offset, next)
		}
		if err == nil && busy > 0 {
			err = d.client.wait(ctx, busy)
		}
		if err != nil {
			return nil, err
		}
	}
}

// append sends bytes of an upload. That the service has some of them already, from a request whose answer was lost, is no error; while such
// a request still runs, it says how long to wait.
func (d Documents) append(ctx context.Context, path string, offset int64, content []byte) (busy time.Duration, err error) {
	request := d.client.sending(http.MethodPatch, path, "application/offset+octet-stream", content)
	request.Header.Set("Tus-Resumable", "1.0.0")
	request.Header.Set("Upload-Offset", strconv.FormatInt(offset, 10))
	err = d.client.Request(ctx, request, nil)
	refused := (*Error)(nil)
	switch {
	case errors.As(err, &refused) && refused.Code == "offset_mismatch":
		return 0, nil
	case errors.As(err, &refused) && refused.Code == "upload_busy":
		return max(time.Second, refused.RetryAfter), nil
	}
	return 0, err
}
