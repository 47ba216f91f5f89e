package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	ams "ams.internal/clients/go"
	"ams.internal/services/documents/filename"
)

// giveUpDownload is how long a download is tried again without a byte.
const giveUpDownload = 5 * time.Minute

func downloadDocuments(s *session) *cobra.Command {
	var on, to string
	var parallel int
	cmd := &cobra.Command{Use: "download", Short: "Take all files of a record", Args: cobra.NoArgs}
	cmd.Long = `Take all files of a record into a folder, with the key in AMS_API_KEY.

The same command again goes on where the last one was interrupted, and leaves alone what is there with the same bytes. A file that is
there with other bytes is kept, and is an error.`
	flags := cmd.Flags()
	flags.StringVar(&on, "on", "", recordUsage)
	flags.StringVar(&to, "to", "", "the folder; it is made if it is missing")
	flags.IntVar(&parallel, "parallel", 1, "files at once, 1 to 4")
	require(cmd, "on", "to")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
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
		// also those that are linked to it, of which collection is another
		all, err := findDocuments(ctx, client, ams.Filters{"record_id": of.id})
		if err != nil {
			return err
		}
		if err := os.MkdirAll(to, 0o750); err != nil {
			return err
		}
		folder, err := os.OpenRoot(to) // no name leads out of it, also through symbolic links
		if err != nil {
			return err
		}
		defer func() { _ = folder.Close() }()
		view := newByteProgress(s.err)
		client.Notice = view.Note
		d := &downloader{client: client, view: view, folder: folder}
		all = slices.DeleteFunc(all, func(each document) bool { return each.SHA256 == nil })
		// so that equal names are told apart the same way each time
		slices.SortFunc(all, func(a, b document) int { return cmp.Compare(a.ID, b.ID) })
		var names filename.Archive
		var group errgroup.Group
		group.SetLimit(parallel)
		got, failed := make([]*document, len(all)), make([]error, len(all))
		for _, each := range all {
			view.Expect(each.SizeBytes)
		}
		for i := range all {
			name := path.Base(names.Path("", "", all[i].FileName, all[i].FileName))
			group.Go(func() error {
				if failed[i] = d.download(ctx, &all[i], name); failed[i] == nil {
					got[i] = &all[i]
				} else if ctx.Err() == nil {
					view.Note(name + ": " + failed[i].Error())
				}
				return nil
			})
		}
		_ = group.Wait()
		view.Finish()
		if err := s.showDocuments(present(got)); err != nil {
			return err
		}
		return transferError(ctx, "downloaded", failed)
	}
	return cmd
}

type downloader struct {
	client *ams.Client
	view   *byteProgress
	folder *os.Root
}

// download takes the content of a document. It arrives under a name that no document has, and gets its own when the
// bytes are the right ones.
func (d *downloader) download(ctx context.Context, of *document, name string) error {
	if !isID.MatchString(of.ID) {
		return fmt.Errorf("the service says %q, which is no id", of.ID)
	}
	switch sum, err := d.hash(ctx, name); {
	case err == nil && sum == *of.SHA256:
		d.view.Note(name + ": is there already")
		d.view.Skip(of.SizeBytes)
		return nil
	case err == nil:
		return errors.New("is there with other bytes: move it away, and download again")
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	part := "." + of.ID + ".part"
	if err := d.fetch(ctx, of, part); err != nil {
		return err
	}
	sum, err := d.hash(ctx, part)
	if err != nil {
		return err
	}
	if sum != *of.SHA256 {
		return errors.Join(fmt.Errorf("came with the sha256 %s, not %s: download again", sum, *of.SHA256), d.folder.Remove(part))
	}
	if err := d.folder.Rename(part, name); err != nil {
		return err
	}
	d.view.Note(name + ": is there")
	return nil
}

func (d *downloader) hash(ctx context.Context, name string) (string, error) {
	file, err := d.folder.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	digest := sha256.New()
	_, err = io.Copy(digest, readerOf{ctx, file})
	return hex.EncodeToString(digest.Sum(nil)), err
}

// fetch fills a part file, from where it ends. A connection that breaks off is made again, with growing pauses.
func (d *downloader) fetch(ctx context.Context, of *document, part string) error {
	file, err := d.folder.OpenFile(part, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	at, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if at > 0 {
		d.view.Note(fmt.Sprintf("%s: going on at byte %d of %d", of.FileName, at, of.SizeBytes))
		d.view.Skip(min(at, of.SizeBytes))
	}
	wait, last := time.Second, time.Now()
	for at < of.SizeBytes {
		before := at
		again, err := d.fetchRest(ctx, of, file, &at)
		if at > before {
			wait, last = time.Second, time.Now()
		}
		switch {
		case err == nil:
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		case !again, time.Since(last) > giveUpDownload:
			return err
		}
		d.view.Note(fmt.Sprintf("%s: %v; trying again in %s", of.FileName, err, wait))
		if err := pause(ctx, wait); err != nil {
			return err
		}
		wait = min(2*wait, 30*time.Second)
	}
	return file.Sync()
}

// fetchRest appends what one response has; again says whether another may have more.
func (d *downloader) fetchRest(ctx context.Context, of *document, file *os.File, at *int64) (again bool, err error) {
	request := ams.Request{Path: "/v1/documents/" + of.ID + "/content", Accept: "*/*", Header: http.Header{}}
	if *at > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", *at))
		request.Header.Set("If-Range", `"`+*of.SHA256+`"`)
	}
	response, err := d.client.Open(ctx, request)
	if refused := (*ams.Error)(nil); errors.As(err, &refused) {
		return refused.Code == "scan_pending", err
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusPartialContent && *at > 0 { // from the beginning
		if err := file.Truncate(0); err != nil {
			return false, err
		}
		d.view.Add(-*at)
		*at = 0
	}
	n, err := io.Copy(&writerAt{file, *at}, io.LimitReader(&countingReader{response.Body, d.view}, of.SizeBytes-*at))
	*at += n
	if err == nil && *at < of.SizeBytes {
		err = io.ErrUnexpectedEOF
	}
	return true, err
}

type writerAt struct {
	file *os.File
	at   int64
}

func (w *writerAt) Write(p []byte) (int, error) {
	n, err := w.file.WriteAt(p, w.at)
	w.at += int64(n)
	return n, err
}

type countingReader struct {
	reader io.Reader
	view   *byteProgress
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.reader.Read(p)
	r.view.Add(int64(n))
	return n, err
}
