package documents

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/transport"
	"ams.internal/services/documents/filename"
	"ams.internal/services/documents/store"
)

// What an archive has at most.
const (
	maxArchiveFiles = 2_000
	maxArchiveBytes = 20 << 30
)

// manifestName is the first file of an archive, which lists the others.
const manifestName = "MANIFEST.csv"

func (d *documents) mountArchive() {
	d.registry.API.Handle(transport.Operation{
		Method: http.MethodGet, Path: "/v1/documents/archive", ID: "get_document_archive", Scope: "documents:read", Returns: "application/zip",
		CallsOut: true, Summary: "Read the contents of documents as one ZIP",
		Description: "Of the documents that the filters find, as in the list: at most 2,000 of 20 GiB together. The first file, " +
			"MANIFEST.csv, has path, id, revision, sha256, size and state of each; the others stand under collection/record/title. " +
			"What has no content, is malware, or is still looked through for it is in the manifest alone. Nothing is compressed (Zip64). " +
			"A connection that breaks off leaves a file without its end.",
		Parameters: d.registry.FindParameters("documents"),
	}, d.archive)
}

// archived is a document of an archive. Path is empty where its bytes are not in it.
type archived struct {
	id, collection, record, title string
	revision                      *int
	sha256, fileName, blob        *string
	size                          *int64
	state                         string // the scan's; draft where there is no content
	at                            time.Time
	path                          string
}

func (d *documents) archive(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	ids, err := d.registry.IDs(ctx, r, "documents", maxArchiveFiles)
	if err != nil {
		return nil, err
	}
	if len(ids) > maxArchiveFiles {
		return nil, tooMuch()
	}
	all, err := d.findArchived(ctx, ids)
	if err != nil {
		return nil, err
	}
	if err := d.placeArchived(ctx, all); err != nil {
		return nil, err
	}
	if len(all) > 0 {
		if err := d.store.Check(ctx); err != nil {
			return nil, storeFault(err)
		}
	}
	organization := principal.From(ctx).OrganizationID
	open := d.downloads.during(func(ctx context.Context) (io.ReadCloser, error) {
		reader, writer := io.Pipe()
		go func() {
			writer.CloseWithError(writeArchive(writer, all, func(a *archived) (io.ReadCloser, error) { // nil is the end
				return d.openSent(ctx, key(organization, *a.blob), 0, -1)
			}))
		}()
		return reader, nil
	})
	response := &transport.Response{ContentType: "application/zip", Content: &transport.Content{Length: -1, Open: open}}
	response.Attach(ctx, "documents", "zip")
	response.SetHeader("X-Content-Type-Options", "nosniff")
	return response, nil
}

func tooMuch() error {
	return fault.Invalid("archive_too_large", "An archive has at most %d documents and %d GiB; use filters that find fewer, "+
		"such as record_id or kind.", maxArchiveFiles, maxArchiveBytes>>30)
}

// findArchived reads what an archive says of documents, in the order of their ids.
func (d *documents) findArchived(ctx context.Context, ids []string) (all []*archived, err error) {
	var bytes int64
	err = d.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`SELECT t.id::text, t.collection, t.record_id::text, t.title, t.revision, t.sha256, t.file_name, b.id::text, t.size_bytes,
				coalesce(b.scan_status, 'draft'), coalesce(t.revised_at, t.created_at)
			FROM unnest($2::uuid[]) WITH ORDINALITY AS wanted (id, place) JOIN document t ON t.organization_id = $1 AND t.id = wanted.id
				AND t.id = ANY($2)
			LEFT JOIN document_revision r ON r.organization_id = t.organization_id AND r.document_id = t.id AND r.number = t.revision
			LEFT JOIN blob b ON b.organization_id = r.organization_id AND b.id = r.blob_id ORDER BY wanted.place`,
			principal.From(ctx).OrganizationID, ids).
			Query(func(rows pgx.Rows) error {
				for rows.Next() {
					a := &archived{}
					if err := rows.Scan(&a.id, &a.collection, &a.record, &a.title, &a.revision, &a.sha256, &a.fileName, &a.blob, &a.size, &a.state,
						&a.at); err != nil {
						return err
					}
					if all = append(all, a); d.hasBytes(a) {
						bytes += *a.size
					}
				}
				return rows.Err()
			})
	})
	if err == nil && bytes > maxArchiveBytes {
		err = tooMuch()
	}
	return all, postgres.Fault(err, nil)
}

// hasBytes says whether there is a content that can be read.
func (d *documents) hasBytes(a *archived) bool {
	return a.blob != nil && d.withheld(a.state, nil) == nil
}

// placeArchived gives documents their paths, by the names of the records that they are on: one question for each collection. A record that
// is not there any more goes by its id.
func (d *documents) placeArchived(ctx context.Context, all []*archived) error {
	records := map[string][]string{}
	names := map[string]string{} // by record
	for _, a := range all {
		if _, known := names[a.record]; !known {
			names[a.record] = a.record
			records[a.collection] = append(records[a.collection], a.record)
		}
	}
	for collection, ids := range records {
		entries, err := d.registry.References.Find(ctx, collection, reference.Query{IDs: ids})
		if err != nil {
			return err
		}
		for _, entry := range entries {
			names[entry.ID] = entry.Name
		}
	}
	var paths filename.Archive
	for _, a := range all {
		if d.hasBytes(a) {
			a.path = paths.Path(a.collection, names[a.record], a.title, *a.fileName)
		}
	}
	return nil
}

// writeArchive writes a ZIP [APPNOTE.TXT 6.3.10] of stored files, each with its check sum behind it, as it is not known before. What is
// larger than 4 GiB is Zip64.
func writeArchive(w io.Writer, all []*archived, open func(a *archived) (io.ReadCloser, error)) error {
	archive := zip.NewWriter(w)
	manifest, err := manifestOf(all)
	if err != nil {
		return err
	}
	first, err := archive.CreateHeader(&zip.FileHeader{Name: manifestName, Method: zip.Store, Modified: time.Now().UTC()})
	if err != nil {
		return err
	}
	if _, err := first.Write(manifest); err != nil {
		return err
	}
	for _, a := range all {
		if a.path == "" {
			continue
		}
		file, err := archive.CreateHeader(&zip.FileHeader{Name: a.path, Method: zip.Store, Modified: a.at.UTC()})
		if err != nil {
			return err
		}
		if err := copyWhole(file, a, open); err != nil {
			return err
		}
	}
	return archive.Close()
}

// copyWhole writes the bytes of a document. Fewer or more than there must be are an error.
func copyWhole(w io.Writer, a *archived, open func(a *archived) (io.ReadCloser, error)) (err error) {
	body, err := open(a)
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("the store has no content of the document %s: %w", a.id, err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	n, err := io.Copy(w, body)
	if err == nil && n != *a.size {
		err = fmt.Errorf("the store has %d bytes of the document %s, and not %d", n, a.id, *a.size)
	}
	return err
}

// manifestOf is the list of what is in an archive, in CSV.
func manifestOf(all []*archived) ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	rows := [][]string{{"path", "id", "revision", "sha256", "size", "state"}}
	for _, a := range all {
		row := []string{a.path, a.id, "", "", "", a.state}
		if a.revision != nil {
			row[2], row[3], row[4] = strconv.Itoa(*a.revision), *a.sha256, strconv.FormatInt(*a.size, 10)
		}
		rows = append(rows, row)
	}
	err := w.WriteAll(rows)
	return out.Bytes(), err
}
