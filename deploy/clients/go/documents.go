package ams

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// slowest is how many bytes a second of a file must arrive: what is slower for long, the service ends.
const slowest = 64 << 10

// Upload makes a document with its file, which is held in memory; BeginUpload is for large ones. A document without a
// title has the file's name.
func (d Documents) Upload(ctx context.Context, document DocumentPatch, fileName string, content []byte) (*Document, error) {
	description, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if err := form.WriteField("document", string(description)); err != nil {
		return nil, err
	}
	file, err := form.CreateFormFile("file", fileName)
	if err != nil {
		return nil, err
	}
	if _, err := file.Write(content); err != nil {
		return nil, err
	}
	if err := form.Close(); err != nil {
		return nil, err
	}
	return d.one(ctx, d.client.sending(http.MethodPost, d.path, form.FormDataContentType(), body.Bytes()))
}

// Revision is what a new revision of a document may say of itself.
type Revision struct {
	FileName string // empty: that of the document stays
	Comment  string // why it is made, up to 500 characters
}

// Revise gives a document new content, held in memory, as its next revision; the old ones stay. BeginRevision is for large files.
func (d Documents) Revise(ctx context.Context, id string, revision Revision, content []byte) (*Document, error) {
	request := d.client.sending(http.MethodPost, below(d.path, id, "revisions"), "application/octet-stream", content)
	if revision.FileName != "" {
		name := strings.ReplaceAll(url.QueryEscape(revision.FileName), "+", "%20")
		request.Header.Set("Content-Disposition", "attachment; filename*=UTF-8''"+name) // RFC 8187
	}
	if revision.Comment != "" {
		request.Query = url.Values{"comment": {revision.Comment}}
	}
	return d.one(ctx, request)
}

// sending is a request with the bytes of a file, whose attempts may take as long as those need.
func (c *Client) sending(method, path, mediaType string, content []byte) Request {
	timeout := c.Timeout
	if timeout == 0 {
		timeout = time.Minute
	}
	timeout += time.Duration(len(content)) * time.Second / slowest
	return Request{Method: method, Path: path, Body: content, Header: http.Header{"Content-Type": {mediaType}}, Timeout: timeout}
}

// Part says which bytes of a document are meant: all of the latest revision, unless it says otherwise.
type Part struct {
	Revision int   // 0: the latest. Name it to go on with a download: there may be a newer one meanwhile
	Offset   int64 // where to begin
	Length   int64 // how many bytes at most; 0: to the end
}

// ErrDigest is what a Read finds at the end of a content that is not the one that the service has.
var ErrDigest = errors.New("the content arrived with other bytes than the service has: read it again")

// Content gives the response whose body is the file of a document, or a part of it, to be read and closed. The last Read of a whole file
// compares its SHA-256 with the service's: ErrDigest. While a file is looked through for malware, the call waits.
func (d Documents) Content(ctx context.Context, id string, part Part) (*http.Response, error) {
	request := Request{Path: below(d.path, id, "content"), Accept: "*/*", Header: http.Header{}}
	if part.Revision > 0 {
		request.Path = below(d.path, id, fmt.Sprintf("revisions/%d/content", part.Revision))
	}
	whole := part.Offset == 0 && part.Length == 0
	if !whole {
		bytes := fmt.Sprintf("bytes=%d-", part.Offset)
		if part.Length > 0 {
			bytes += strconv.FormatInt(part.Offset+part.Length-1, 10)
		}
		request.Header.Set("Range", bytes)
	}
	response, err := d.client.Open(ctx, request)
	switch {
	case err != nil:
		return nil, err
	case !whole && response.StatusCode != http.StatusPartialContent:
		return nil, errors.Join(fmt.Errorf("%s: the answer is not the part that was asked for", request.Path), response.Body.Close())
	}
	digest := response.Header.Get("Repr-Digest") // RFC 9530
	if encoded, is := strings.CutPrefix(digest, "sha-256=:"); whole && is {
		response.Body = &digested{response.Body, sha256.New(), strings.TrimSuffix(encoded, ":")}
	}
	return response, nil
}

// Thumbnail gives the response whose body is a small picture of a document, a JPEG of 256 or 1024 pixels on its longer side. Where there is
// none, it is a 404 no_thumbnail: the document is no picture that can be read, or is looked at just now.
func (d Documents) Thumbnail(ctx context.Context, id string, size int) (*http.Response, error) {
	return d.client.Open(ctx, Request{Path: below(d.path, id, "thumbnail"), Query: url.Values{"size": {strconv.Itoa(size)}}, Accept: "*/*"})
}

// digested is a body that is compared with its SHA-256 at its end.
type digested struct {
	io.ReadCloser
	hash.Hash
	want string
}

func (d *digested) Read(into []byte) (int, error) {
	n, err := d.ReadCloser.Read(into)
	_, _ = d.Write(into[:n]) // cannot fail
	if errors.Is(err, io.EOF) && base64.StdEncoding.EncodeToString(d.Sum(nil)) != d.want {
		err = ErrDigest
	}
	return n, err
}
