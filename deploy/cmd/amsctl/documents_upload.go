package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	ams "ams.internal/clients/go"
	"ams.internal/services/documents/filename"
)

const (
	// chunk is how much is sent in one request: a part of the service's store.
	chunk = 8 << 20
	// chunkTime is how long a chunk may take, at 64 KiB a second with some room.
	chunkTime = 5 * time.Minute
)

func uploadDocuments(s *session) *cobra.Command {
	var on, kind, captionEN, captionFR string
	var parallel int
	cmd := &cobra.Command{Use: "upload FILE...", Short: "Put files on a record", Args: cobra.MinimumNArgs(1)}
	cmd.Long = `Put files on a record, with the key in AMS_API_KEY, which needs documents:write and the :write of the record.

  amsctl documents upload photos/* --on buildings/BLD-0001 --kind photo

The same command again goes on where the last one was interrupted. A file whose bytes are on the record already is left alone.`
	flags := cmd.Flags()
	flags.StringVar(&on, "on", "", recordUsage)
	flags.StringVar(&kind, "kind", "", "such as photo, manual, drawing or warranty (default: by what the file is)")
	flags.StringVar(&captionEN, "caption-en", "", "what there is to see, in English")
	flags.StringVar(&captionFR, "caption-fr", "", "what there is to see, in French")
	flags.IntVar(&parallel, "parallel", 1, "files at once, 1 to 4")
	require(cmd, "on")
	cmd.RunE = func(cmd *cobra.Command, files []string) error {
		ctx := cmd.Context()
		if err := checkParallel(parallel); err != nil {
			return err
		}
		client, err := s.public()
		if err != nil {
			return err
		}
		of, err := findRecord(ctx, client, on)
		if err != nil {
			return err
		}
		view := newByteProgress(s.err)
		client.Notice = view.Note
		for _, path := range files {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			view.Expect(info.Size())
		}
		u := &uploader{client: client, view: view}
		made, failed := make([]*document, len(files)), make([]error, len(files))
		var group errgroup.Group
		group.SetLimit(parallel)
		for i, path := range files {
			group.Go(func() error {
				fields := map[string]any{"collection": of.collection, "record_id": of.id}
				for name, value := range map[string]string{"kind": kind, "caption_en": captionEN, "caption_fr": captionFR} {
					if value != "" {
						fields[name] = value
					}
				}
				if made[i], failed[i] = u.uploadPath(ctx, path, fields); failed[i] != nil && ctx.Err() == nil {
					view.Note(path + ": " + failed[i].Error())
				}
				return nil
			})
		}
		_ = group.Wait()
		view.Finish()
		if err := s.showDocuments(present(made)); err != nil {
			return err
		}
		return transferError(ctx, "uploaded", failed)
	}
	return cmd
}

func present(made []*document) []document {
	var all []document
	for _, each := range made {
		if each != nil {
			all = append(all, *each)
		}
	}
	return all
}

// transferError is the error of files of which some failed.
func transferError(ctx context.Context, done string, failed []error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("the same command again goes on from here: %w", ctx.Err())
	}
	count := 0
	for _, err := range failed {
		if err != nil {
			count++
		}
	}
	if count > 0 {
		return fmt.Errorf("%d of %d files were not %s", count, len(failed), done)
	}
	return nil
}

// uploader makes documents of files.
type uploader struct {
	client *ams.Client
	view   *byteProgress
	mu     sync.Mutex
	begun  map[string]bool // contents on records that this run has begun to send
}

func (u *uploader) uploadPath(ctx context.Context, path string, fields map[string]any) (*document, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return u.upload(ctx, file, filepath.Base(path), fields)
}

// upload makes a document of a file, whose fields name the record, or finds the one on it that has the same bytes.
func (u *uploader) upload(ctx context.Context, file *os.File, name string, fields map[string]any) (*document, error) {
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("is no file")
	case info.Size() == 0:
		return nil, errors.New("is empty")
	}
	name = filename.Clean(name)
	digest := sha256.New()
	if _, err := io.Copy(digest, readerOf{ctx, file}); err != nil {
		return nil, err
	}
	sum := hex.EncodeToString(digest.Sum(nil))
	if !u.begin(fmt.Sprint(fields["collection"], fields["record_id"], sum)) {
		u.view.Note(name + ": has the same bytes as another of these files")
		u.view.Skip(info.Size())
		return nil, nil
	}
	same, err := findDocuments(ctx, u.client, ams.Filters{"record_id": fields["record_id"], "sha256": sum})
	if err != nil {
		return nil, err
	}
	if len(same) > 0 {
		u.view.Note(fmt.Sprintf("%s: is on the record already, as %s", name, same[0].ID))
		u.view.Skip(info.Size())
		same[0].known = true
		return &same[0], nil
	}
	var made *document
	if info.Size() <= chunk {
		made, err = u.send(ctx, file, name, fields)
	} else {
		made, err = u.resume(ctx, file, info.Size(), name, sum, fields)
	}
	switch {
	case err != nil:
		return nil, err
	case made.SHA256 == nil || *made.SHA256 != sum:
		return nil, fmt.Errorf("the document %s has other bytes than the file, which was changed while it was sent: "+
			"delete the document and upload again", made.ID)
	}
	u.view.Note(fmt.Sprintf("%s: is on the record as %s", name, made.ID))
	return made, nil
}

// begin says whether nobody in this run sends the same.
func (u *uploader) begin(what string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.begun == nil {
		u.begun = map[string]bool{}
	}
	first := !u.begun[what]
	u.begun[what] = true
	return first
}

// send makes a document in one request.
func (u *uploader) send(ctx context.Context, file *os.File, name string, fields map[string]any) (*document, error) {
	content, err := io.ReadAll(io.NewSectionReader(file, 0, chunk))
	if err != nil {
		return nil, err
	}
	described, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, part := range []struct {
		header  textproto.MIMEHeader
		content []byte
	}{
		{textproto.MIMEHeader{"Content-Disposition": {`form-data; name="document"`}, "Content-Type": {"application/json"}}, described},
		{textproto.MIMEHeader{"Content-Disposition": {filename.Disposition(`form-data; name="file"`, name)}}, content},
	} {
		w, err := form.CreatePart(part.header)
		if err == nil {
			_, err = w.Write(part.content)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := form.Close(); err != nil {
		return nil, err
	}
	made := &document{}
	if err := u.client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/documents", Body: json.RawMessage(body.Bytes()),
		Header: http.Header{"Content-Type": {form.FormDataContentType()}}, Timeout: chunkTime}, made); err != nil {
		return nil, err
	}
	u.view.Add(int64(len(content)))
	return made, nil
}

// resumable is an upload of the service, as it says itself.
type resumable struct {
	ID         string  `json:"id"`
	Offset     int64   `json:"offset"`
	DocumentID *string `json:"document_id"`
}

// resume makes a document in as many requests as it takes (tus 1.0.0). Where it is, is kept until it is done.
func (u *uploader) resume(ctx context.Context, file *os.File, size int64, name, sum string, fields map[string]any) (*document, error) {
	described, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	state, err := u.stateFile(described, name, sum)
	if err != nil {
		return nil, err
	}
	upload, err := u.goOn(ctx, state)
	if err != nil {
		return nil, err
	}
	if upload == nil {
		encode := base64.StdEncoding.EncodeToString
		upload = &resumable{}
		if err := u.client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/uploads", Header: http.Header{
			"Tus-Resumable": {"1.0.0"}, "Upload-Length": {strconv.FormatInt(size, 10)},
			"Upload-Metadata": {"document " + encode(described) + ",filename " + encode([]byte(name))},
		}}, upload); err != nil {
			return nil, err
		}
		if err := os.WriteFile(state, []byte(upload.ID), 0o600); err != nil {
			return nil, err
		}
	} else {
		u.view.Note(fmt.Sprintf("%s: going on at byte %d of %d", name, upload.Offset, size))
		u.view.Skip(upload.Offset)
	}
	path, buffer := "/v1/uploads/"+upload.ID, make([]byte, chunk)
	for upload.DocumentID == nil {
		n, err := file.ReadAt(buffer, upload.Offset)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if n == 0 && upload.Offset < size {
			return nil, errors.New("became shorter while it was sent")
		}
		if n > 0 {
			if err := u.sendChunk(ctx, path, upload.Offset, buffer[:min(int64(n), size-upload.Offset)]); err != nil {
				return nil, err
			}
		}
		before := upload.Offset
		if err := u.client.Request(ctx, ams.Request{Path: path}, upload); err != nil {
			return nil, err
		}
		u.view.Add(upload.Offset - before)
		if upload.Offset == size && upload.DocumentID == nil {
			if err := pause(ctx, time.Second); err != nil { // another request ends it
				return nil, err
			}
		}
	}
	made := &document{}
	if err := u.client.Request(ctx, ams.Request{Path: "/v1/documents/" + *upload.DocumentID}, made); err != nil {
		return nil, err
	}
	return made, os.Remove(state)
}

// sendChunk sends the bytes of an upload from an offset on. That they are there already, or that an earlier request has not ended, is no
// error: the service says where to go on.
func (u *uploader) sendChunk(ctx context.Context, path string, offset int64, content []byte) error {
	err := u.client.Request(ctx,
		ams.Request{Method: http.MethodPatch, Path: path, Body: json.RawMessage(content), Timeout: chunkTime, Header: http.Header{
			"Tus-Resumable": {"1.0.0"}, "Upload-Offset": {strconv.FormatInt(offset, 10)}, "Content-Type": {"application/offset+octet-stream"},
			"Expect": {"100-continue"}, // a chunk that is refused, because another request has not ended, is not sent
		}}, nil)
	refused := (*ams.Error)(nil)
	if !errors.As(err, &refused) {
		return err
	}
	switch refused.Code {
	case "offset_mismatch":
		return nil
	case "upload_busy":
		return pause(ctx, max(time.Second, refused.RetryAfter))
	}
	return err
}

// goOn is the upload that a state file names; nil if there is none any more.
func (u *uploader) goOn(ctx context.Context, state string) (*resumable, error) {
	id, err := os.ReadFile(state)
	if errors.Is(err, os.ErrNotExist) || err == nil && !isID.Match(id) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	upload := &resumable{}
	err = u.client.Request(ctx, ams.Request{Path: "/v1/uploads/" + string(id)}, upload)
	if refused := (*ams.Error)(nil); errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		return nil, nil
	}
	return upload, err
}

// stateFile names the file that has the id of an upload: of these bytes, to become this document, with this key.
// The key is not shown by it.
func (u *uploader) stateFile(described []byte, name, sum string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a place for where an upload is: %w", err)
	}
	folder := filepath.Join(cache, "amsctl", "uploads")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	what := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s\n%s", u.client.BaseURL, u.client.Key, described, name, sum))
	return filepath.Join(folder, hex.EncodeToString(what[:16])), nil
}

// readerOf ends with its context.
type readerOf struct {
	ctx    context.Context
	reader io.Reader
}

func (r readerOf) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.reader.Read(p)
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
