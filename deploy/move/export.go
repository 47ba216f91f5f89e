package move

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/services/documents/store"
)

// Export writes an archive of an organization, with its sandboxes, while it works. The rows of a database are of one moment.
type Export struct {
	First, Cell   Cell        // the first cell, which has keys and settings of all organizations; and that of the organization
	Organizations []string    // the organization, then its sandboxes
	Services      []string    // whose schemas must all be in the databases
	Product       string      // the release, for the manifest
	Contents      store.Store // that the files of documents are in

	Report func(Step)         // what was done, or nil
	At     func(phase string) // is called where a phase begins, for tests; or nil

	first, cell *place
}

// Exported is what has come of an export.
type Exported struct {
	Organization string   `json:"organization_id"`
	Name         string   `json:"name"`
	File         string   `json:"file"`
	Manifest     string   `json:"manifest_sha256"` // pins the whole archive
	Size         int64    `json:"size_bytes"`
	Rows         int64    `json:"rows"`
	Contents     int64    `json:"contents"`
	ContentBytes int64    `json:"content_bytes"`
	Missing      []string `json:"contents_missing"`
	Seconds      float64  `json:"seconds"`
}

// filesSize is how many bytes of contents a tar file has before the next one begins: a ZIP file's directory, in memory, stays short.
const filesSize = 256 << 20

// Run writes the archive. Until it is whole it has the name file.partial, which another run writes anew.
func (e *Export) Run(ctx context.Context, file string) (Exported, error) {
	begin := time.Now()
	if err := checkIDs(e.Organizations); err != nil {
		return Exported{}, err
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return Exported{}, cmp.Or(err, fmt.Errorf("%s exists already: name another file, or delete it", file))
	}
	defer func() { closeAll(e.first, e.cell) }()
	if err := e.connect(ctx); err != nil {
		return Exported{}, err
	}
	partial, err := os.OpenFile(file+".partial", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return Exported{}, err
	}
	manifest, sum, err := e.write(ctx, partial)
	if err == nil {
		err = partial.Sync()
	}
	size, _ := partial.Seek(0, io.SeekCurrent) // a figure to show
	if err = cmp.Or(err, partial.Close()); err == nil {
		err = e.first.audit(ctx, "organization.exported", manifest, sum) // before there is anything to take away
	}
	if err == nil {
		err = os.Rename(partial.Name(), file)
	}
	if err != nil {
		_ = os.Remove(partial.Name())
		return Exported{}, fmt.Errorf("nothing was exported: %w", err)
	}
	if err := syncFolder(filepath.Dir(file)); err != nil {
		return Exported{}, err
	}
	done := Exported{Organization: manifest.Organization, Name: manifest.Name, File: file, Manifest: sum, Size: size, Rows: manifest.Rows(),
		Missing: manifest.Missing, Seconds: time.Since(begin).Seconds()}
	done.Contents, done.ContentBytes = manifest.Files()
	return done, nil
}

func closeAll(places ...*place) {
	for _, p := range places {
		if p != nil {
			p.close()
		}
	}
}

// syncFolder has the name of a new file survive a power failure.
func syncFolder(folder string) error {
	f, err := os.Open(folder) // #nosec G304 -- of the operator's file
	if err != nil {
		return err
	}
	return cmp.Or(f.Sync(), f.Close())
}

// connect opens the databases, and holds off moves for as long as they are open.
func (e *Export) connect(ctx context.Context) (err error) {
	if e.cell, err = e.open(ctx, e.Cell); err != nil {
		return err
	}
	if e.first = e.cell; e.First.Name != e.Cell.Name {
		if e.first, err = e.open(ctx, e.First); err != nil {
			return err
		}
	}
	if err := e.first.hasControl(); err != nil {
		return err
	}
	if err := e.cell.tryLock(ctx, e.Organizations); err != nil {
		return err
	}
	states, err := e.cell.states(ctx, e.Organizations)
	for _, found := range states {
		if found != suspended {
			return fmt.Errorf("a move or import of the organization has not ended (the cell %s says %s): run that command again, then this one",
				e.cell.name, found)
		}
	}
	return err
}

func (e *Export) open(ctx context.Context, cell Cell) (*place, error) {
	p, err := connect(ctx, cell)
	if err != nil {
		return nil, err
	}
	if err := p.readTables(ctx); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// hasControl refuses a first cell without the rows that organizations are known by.
func (p *place) hasControl() error {
	if !hasTable(p.control, "gateway.organization") {
		return fmt.Errorf("the database of the cell %s has no schema gateway: give AMS_OWNER_DATABASE_URL of the first cell", p.name)
	}
	return nil
}

func (e *Export) write(ctx context.Context, out io.Writer) (Manifest, string, error) {
	m := Manifest{Format: archiveFormat, Version: archiveVersion, Product: e.Product, Organization: e.Organizations[0],
		Sandboxes: append([]string{}, e.Organizations[1:]...), Contents: []ArchivedFiles{}, Missing: []string{}, LeftOut: leftOut}
	places := []*place{e.cell}
	if e.first != e.cell {
		places = append(places, e.first)
	}
	for _, p := range places {
		snapshot, err := p.work.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
		if err != nil {
			return m, "", err
		}
		defer func() { _ = snapshot.Rollback(context.WithoutCancel(ctx)) }()
	}
	if err := e.describe(ctx, &m); err != nil {
		return m, "", err
	}
	archive := zip.NewWriter(out)
	e.phase("rows")
	for _, of := range []struct {
		p      *place
		tables []table
	}{{e.cell, archived(e.cell.tables)}, {e.first, archived(e.first.control)}} {
		for _, t := range of.tables {
			written, err := e.writeRows(ctx, archive, of.p, t, m.At)
			if err != nil {
				return m, "", err
			}
			m.Tables = append(m.Tables, written)
		}
	}
	e.phase("contents")
	if hasTable(e.cell.tables, blobs) {
		if err := e.writeContents(ctx, archive, &m); err != nil {
			return m, "", err
		}
	}
	text, err := m.encode()
	if err != nil {
		return m, "", err
	}
	_, err = writeFile(archive, manifestFile, zip.Deflate, m.At, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if err != nil {
		return m, "", err
	}
	return m, checksum(text), archive.Close()
}

// describe reads what is known of the organization as a whole.
func (e *Export) describe(ctx context.Context, m *Manifest) (err error) {
	err = e.first.work.QueryRow(ctx, `SELECT o.name, o.plan, o.jurisdiction_id, clock_timestamp(),
			ARRAY(SELECT a.add_on FROM gateway.organization_add_on a WHERE a.organization_id = o.organization_id ORDER BY 1)
		FROM gateway.organization o WHERE o.organization_id = $1`, m.Organization).Scan(&m.Name, &m.Plan, &m.Jurisdiction, &m.At, &m.AddOns)
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("there is no organization %s", m.Organization)
	}
	if err != nil {
		return fmt.Errorf("read the organization: %w", err)
	}
	m.At = m.At.UTC()
	if m.Schemas, err = e.cell.migrations(ctx, e.cell.schemas()); err != nil {
		return err
	}
	for _, schema := range e.Services {
		if m.Schemas[schema] == "" {
			return fmt.Errorf("the database of the cell %s has no schema %s: only organizations whose services share one database can be exported",
				e.cell.name, schema)
		}
	}
	control, err := e.first.migrations(ctx, schemasOf(e.first.control))
	if err != nil {
		return err
	}
	for schema, version := range control {
		m.Schemas[schema] = version
	}
	if m.Sequences, err = e.cell.sequences(ctx); err != nil {
		return err
	}
	m.Partitions, err = e.cell.partitions(ctx)
	return err
}

// writeRows writes the organization's rows of a table.
func (e *Export) writeRows(ctx context.Context, archive *zip.Writer, p *place, t table, at time.Time) (ArchivedTable, error) {
	written := ArchivedTable{Name: t.fullName(), File: "rows/" + t.fullName() + ".csv", Columns: t.columns, Types: t.types}
	condition := "t.organization_id IN (" + list(e.Organizations) + ")"
	query := fmt.Sprintf("COPY (SELECT %s FROM %s t WHERE %s) TO STDOUT (FORMAT csv, HEADER)", quote(t.columns, "t."), t, condition)
	sum, err := writeFile(archive, written.File, zip.Deflate, at, func(w io.Writer) error {
		tag, err := p.work.PgConn().CopyTo(ctx, w, query)
		written.Rows = tag.RowsAffected()
		return err
	})
	if err != nil {
		return written, err
	}
	written.SHA256 = sum
	var counted int64
	if err := p.work.QueryRow(ctx, t.sum(condition, "")).Scan(&counted, &written.Sum); err != nil {
		return written, fmt.Errorf("sum %s: %w", t, err)
	}
	if counted != written.Rows {
		return written, fmt.Errorf("%s: %d rows were written, %d are in the table", t, written.Rows, counted)
	}
	if written.Rows > 0 {
		e.report("rows", written.Name, written.Rows)
	}
	return written, nil
}

// content is a file of a document.
type content struct {
	organization, id string
	size             int64
	sha256           []byte
}

func (c content) key() string { return c.organization + "/" + c.id }

// writeContents writes the files of documents. One that the store does not have is noted, as "amsctl documents verify" does: it is lost
// here, and must not hold back all others.
func (e *Export) writeContents(ctx context.Context, archive *zip.Writer, m *Manifest) error {
	if e.Contents == nil {
		return errors.New("the store of documents is not known: set AMS_DOCUMENTS_STORE as the documents service has it")
	}
	rows, err := e.cell.work.Query(ctx, `SELECT organization_id::text, id::text, size, sha256 FROM documents.blob
		WHERE organization_id = ANY ($1) AND state = 'ready' ORDER BY organization_id, id`, e.Organizations)
	if err != nil {
		return fmt.Errorf("read the contents of documents: %w", err)
	}
	defer rows.Close()
	more := rows.Next()
	for number := 1; more; number++ {
		files := ArchivedFiles{File: fmt.Sprintf("contents/%06d.tar", number)}
		files.SHA256, err = writeFile(archive, files.File, zip.Store, m.At, func(w io.Writer) error {
			out := tar.NewWriter(w)
			for ; more && files.Bytes < filesSize; more = rows.Next() {
				var c content
				if err := rows.Scan(&c.organization, &c.id, &c.size, &c.sha256); err != nil {
					return err
				}
				err := e.writeContent(ctx, out, c, m.At)
				switch {
				case errors.Is(err, store.ErrNotFound):
					m.Missing = append(m.Missing, c.key())
				case err != nil:
					return fmt.Errorf("the content %s: %w", c.key(), err)
				default:
					files.Count, files.Bytes = files.Count+1, files.Bytes+c.size
				}
			}
			return out.Close()
		})
		if err != nil {
			return err
		}
		m.Contents = append(m.Contents, files)
		e.report("contents", files.File, files.Count)
	}
	return rows.Err()
}

// sumRecord names the checksum of a content among the records of its tar header.
const sumRecord = "AMS.sha256"

func (e *Export) writeContent(ctx context.Context, out *tar.Writer, c content, at time.Time) error {
	body, err := e.Contents.Open(ctx, c.key(), 0, -1)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	header := &tar.Header{Typeflag: tar.TypeReg, Name: c.key(), Size: c.size, Mode: 0o600, ModTime: at, Format: tar.FormatPAX,
		PAXRecords: map[string]string{sumRecord: hex.EncodeToString(c.sha256)}}
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	hash := sha256.New()
	// One byte more than there should be is an error of the tar file, and so is one less.
	if _, err := io.Copy(io.MultiWriter(out, hash), body); err != nil {
		return fmt.Errorf("%w; amsctl documents verify --deep names contents that are damaged", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("%w; amsctl documents verify --deep names contents that are damaged", err)
	}
	return matches(hash, hex.EncodeToString(c.sha256))
}

func matches(hash hash.Hash, sum string) error {
	if found := hex.EncodeToString(hash.Sum(nil)); found != sum {
		return fmt.Errorf("its bytes have the SHA-256 %s, not %s", found, sum)
	}
	return nil
}

// audit writes what the operator has done with a whole organization into its trail.
func (p *place) audit(ctx context.Context, action string, m Manifest, sum string) error {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	_, err := p.locks.Exec(ctx, auditEntry, m.Organization, action, m.Name, sum)
	return err
}

const auditEntry = `INSERT INTO gateway.audit (organization_id, id, actor, action, subject, changes, address, request_id)
	VALUES ($1::text::uuid, gen_random_uuid(), '{"type": "service", "id": "operator", "name": "Platform operator"}', $2,
		jsonb_build_object('type', 'organization', 'id', $1, 'name', $3::text), jsonb_build_object('manifest_sha256', $4::text), '', '')`

func (e *Export) phase(name string) {
	e.report(name, "", 0)
	if e.At != nil {
		e.At(name)
	}
}

func (e *Export) report(phase, what string, rows int64) {
	if e.Report != nil {
		e.Report(Step{phase, what, rows})
	}
}
