package move

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"ams.internal/libs/principal"
	"ams.internal/services/documents/store"
)

// Import brings the organization of an archive into an installation that does not have it, with the same ids. Until all of it is written
// and compared, nobody finds it: its cell says that it is absent, and the gateway does not know it. Whoever runs it again after a kill
// finishes it.
type Import struct {
	Cells    []Cell
	Contents store.Store

	Report func(Step)
	At     func(phase string)

	archive *archive
	places  map[string]*place
	first   *place
	target  *place
}

// Imported is what has come of an import.
type Imported struct {
	Organization string   `json:"organization_id"`
	Name         string   `json:"name"`
	Cell         string   `json:"cell"`
	Manifest     string   `json:"manifest_sha256"`
	At           string   `json:"exported_at"`
	Rows         int64    `json:"rows"`
	Contents     int64    `json:"contents"`
	ContentBytes int64    `json:"content_bytes"`
	Missing      []string `json:"contents_missing"`
	Disabled     []string `json:"webhook_endpoints_disabled"` // which want a new secret
	Finished     bool     `json:"finished"`                   // an earlier import had written all of it
	Seconds      float64  `json:"seconds"`
}

// Run imports the archive. What is refused has written nothing.
func (i *Import) Run(ctx context.Context, file string) (Imported, error) {
	begin := time.Now()
	var err error
	if i.archive, err = openArchive(file); err != nil {
		return Imported{}, err
	}
	defer i.archive.close()
	m := i.archive.Manifest
	done := Imported{Organization: m.Organization, Name: m.Name, Manifest: i.archive.sum, At: m.At.Format(time.RFC3339), Rows: m.Rows(),
		Missing: m.Missing, Disabled: []string{}}
	done.Contents, done.ContentBytes = m.Files()
	defer func() { closeAll(slices.Collect(maps.Values(i.places))...) }()
	if err := i.connect(ctx); err != nil {
		return Imported{}, err
	}
	exists, err := i.choose(ctx)
	if err != nil {
		return Imported{}, err
	}
	done.Cell = i.target.name
	if err := i.admit(ctx); err != nil {
		return Imported{}, err
	}
	i.phase("verify")
	if err := i.archive.verify(ctx, func(what string, rows int64) { i.report("verify", what, rows) }); err != nil {
		return Imported{}, err
	}
	if !exists {
		if err := i.bring(ctx); err != nil {
			return Imported{}, i.takeBack(ctx, err)
		}
	}
	if done.Disabled, err = i.disabled(ctx); err == nil {
		i.phase("open")
		err = i.target.setState(ctx, i.target.work, m.organizations(), "")
	}
	if err != nil {
		return Imported{}, fmt.Errorf("all of the organization is written, but it is not open yet: run the command again: %w", err)
	}
	done.Finished, done.Seconds = exists, time.Since(begin).Seconds()
	return done, nil
}

// connect opens all cells, and holds off moves and other imports of the organization.
func (i *Import) connect(ctx context.Context) error {
	i.places = map[string]*place{}
	for _, cell := range i.Cells {
		p, err := connect(ctx, cell)
		if err != nil {
			return err
		}
		i.places[cell.Name] = p
		if err := p.readTables(ctx); err != nil {
			return err
		}
		if err := p.tryLock(ctx, i.archive.organizations()); err != nil {
			return err
		}
	}
	if i.first = i.places[principal.First]; i.first == nil {
		return fmt.Errorf("the owner's address of the cell %s was not given: set AMS_OWNER_DATABASE_URL", principal.First)
	}
	return i.first.hasControl()
}

// choose finds the cell: the one where an import was killed, else by the rule for new organizations. exists says that an import was
// killed at its last step. Any other organization with the id is refused.
func (i *Import) choose(ctx context.Context) (exists bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	m := i.archive.Manifest
	var name, cell string
	err = i.first.work.QueryRow(ctx, `SELECT name, coalesce(cell, '') FROM gateway.organization WHERE organization_id = ANY ($1)
		ORDER BY sandbox_of NULLS FIRST LIMIT 1`, m.organizations()).Scan(&name, &cell)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return false, fmt.Errorf("look for the organization: %w", err)
	}
	if exists = err == nil; exists {
		if i.target = i.places[cell]; i.target != nil {
			states, err := i.target.states(ctx, m.organizations())
			if err != nil || slices.Contains(states, "absent") {
				return true, err
			}
		}
		return false, fmt.Errorf("there is an organization with the id %s already, %q: an organization is imported where it "+
			"does not exist, with the ids that "+
			"it had", m.Organization, name)
	}
	for _, name := range slices.Sorted(maps.Keys(i.places)) {
		p := i.places[name]
		marked, err := p.marked(ctx, m.organizations())
		if err != nil {
			return false, err
		}
		left, err := p.filled(ctx, p.work, m.organizations())
		if err != nil {
			return false, err
		}
		if len(left) > 0 && !marked {
			return false, fmt.Errorf("the cell %s has rows of the organization, and no import has left them: find out whose they "+
				"are before anything is imported",
				name)
		}
		if len(left) > 0 {
			i.target = p
		}
	}
	if i.target != nil {
		return false, nil
	}
	if err := i.first.work.QueryRow(ctx, `SELECT name FROM gateway.list_cells() WHERE takes_new AND name = ANY ($1)
		ORDER BY organizations, created_at LIMIT 1`, slices.Collect(maps.Keys(i.places))).Scan(&cell); err != nil {
		return false, fmt.Errorf("no cell whose owner's address was given takes new organizations: name more in "+
			"AMS_OWNER_CELLS, or open one (amsctl cells open NAME): %w", err)
	}
	i.target = i.places[cell]
	return false, nil
}

// admit refuses what does not fit this installation.
func (i *Import) admit(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	m := i.archive.Manifest
	versions, err := i.target.migrations(ctx, i.target.schemas())
	if err != nil {
		return err
	}
	control, err := i.first.migrations(ctx, schemasOf(i.first.control))
	if err != nil {
		return err
	}
	maps.Copy(versions, control)
	if !maps.Equal(versions, m.Schemas) {
		return fmt.Errorf("the archive is of the release %s, whose schemas are not those of this installation: import it into "+
			"an installation of that release, "+
			"or export it again from one of this release", m.Product)
	}
	tables, listed := i.tables(), map[string]ArchivedTable{}
	for _, t := range m.Tables {
		listed[t.Name] = t
	}
	for _, t := range tables {
		in := listed[t.fullName()]
		if in.Types != t.types || !slices.Equal(in.Columns, t.columns) {
			return altered("%s does not have the columns of this release", t.fullName())
		}
	}
	if len(tables) != len(m.Tables) {
		return altered("it has %d tables, not %d", len(m.Tables), len(tables))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Sequences)) {
		if schema, _, _ := bytes.Cut([]byte(name), []byte(".")); !slices.Contains(i.target.schemas(), string(schema)) {
			return altered("the sequence %s is of no schema of ours", name)
		}
	}
	for _, partition := range m.Partitions {
		if !slices.Contains(i.target.schemas(), partition.Schema) {
			return altered("the partition %s of %s is of no schema of ours", partition.Begins, partition.Table)
		}
	}
	if contents, _ := m.Files(); contents > 0 && i.Contents == nil {
		return errors.New("the store of documents is not known: set AMS_DOCUMENTS_STORE as the documents service has it")
	}
	return i.admitOrganization(ctx)
}

// tables are those of the archive as they are here.
func (i *Import) tables() []table {
	return append(archived(i.target.tables), archived(i.first.control)...)
}

func (i *Import) admitOrganization(ctx context.Context) error {
	m := i.archive.Manifest
	var plan, jurisdiction bool
	var addOns []string
	if err := i.first.work.QueryRow(ctx, `SELECT EXISTS (SELECT FROM gateway.plan WHERE code = $1),
			ARRAY(SELECT a FROM unnest($2::text[]) a WHERE NOT EXISTS (SELECT FROM gateway.add_on o WHERE o.code = a)),
			EXISTS (SELECT FROM gateway.organization WHERE jurisdiction_id = $3 AND organization_id <> $4)`,
		m.Plan, m.AddOns, m.Jurisdiction, m.Organization).Scan(&plan, &addOns, &jurisdiction); err != nil {
		return fmt.Errorf("look at the plans: %w", err)
	}
	switch {
	case !plan:
		return fmt.Errorf("the organization has the plan %s, which this installation does not have: give it another before it "+
			"is exported", m.Plan)
	case len(addOns) > 0:
		return fmt.Errorf("the organization has the add-on %s, which this installation does not have: take it away before it "+
			"is exported", addOns[0])
	case jurisdiction:
		return fmt.Errorf("another organization has the jurisdiction_id %s: give that one another", *m.Jurisdiction)
	}
	return nil
}

// bring writes all of the organization.
func (i *Import) bring(ctx context.Context) error {
	m, rows := i.archive.Manifest, &Move{Organizations: i.archive.organizations(), Report: i.Report}
	i.phase("prepare")
	if err := i.target.setState(ctx, i.target.work, m.organizations(), "absent"); err != nil {
		return err
	}
	if _, err := rows.deleteRows(ctx, i.target); err != nil { // of an earlier import that was killed
		return err
	}
	i.phase("contents")
	if err := i.writeContents(ctx); err != nil {
		return err
	}
	i.phase("rows")
	if err := i.target.makePartitions(ctx, m.Partitions); err != nil {
		return err
	}
	for n, t := range archived(i.target.tables) {
		if err := pgx.BeginFunc(ctx, i.target.work, func(tx pgx.Tx) error { return i.writeRows(ctx, tx, t, n, "") }); err != nil {
			return diskFull(i.target.name, fmt.Errorf("write %s: %w", t, err))
		}
	}
	if err := i.target.raiseSequences(ctx, m.Sequences); err != nil {
		return err
	}
	i.phase("compare")
	for _, t := range archived(i.target.tables) {
		if err := i.compare(ctx, i.target.work, t); err != nil {
			return err
		}
	}
	i.phase("settle")
	if err := i.settle(ctx); err != nil {
		return err
	}
	i.phase("admit")
	return i.writeControl(ctx)
}

func (i *Import) listed(t table) ArchivedTable {
	n := slices.IndexFunc(i.archive.Tables, func(listed ArchivedTable) bool { return listed.Name == t.fullName() })
	return i.archive.Tables[n]
}

// writeRows writes the rows of a table. change is a statement about those that come in, %s, or nothing.
func (i *Import) writeRows(ctx context.Context, tx pgx.Tx, t table, number int, change string, args ...any) error {
	listed := i.listed(t)
	if listed.Rows == 0 {
		return nil
	}
	incoming, columns := fmt.Sprintf("incoming_%d", number), quote(t.columns, "")
	create := fmt.Sprintf("CREATE TEMP TABLE %s ON COMMIT DROP AS SELECT %s FROM %s WITH NO DATA", incoming, columns, t)
	if _, err := tx.Exec(ctx, create); err != nil {
		return err
	}
	err := i.archive.read(listed.File, listed.SHA256, func(r io.Reader) error {
		copying := fmt.Sprintf("COPY pg_temp.%s (%s) FROM STDIN (FORMAT csv, HEADER MATCH)", incoming, columns)
		_, err := tx.Conn().PgConn().CopyFrom(ctx, r, copying)
		return err
	})
	if err != nil {
		return err
	}
	if change != "" {
		if _, err := tx.Exec(ctx, fmt.Sprintf(change, "pg_temp."+incoming), args...); err != nil {
			return err
		}
	}
	tag, err := tx.Exec(ctx, fmt.Sprintf("INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM pg_temp.%s WHERE organization_id IN (%s)",
		t, columns, columns, incoming, list(i.archive.organizations())))
	if err == nil && tag.RowsAffected() != listed.Rows {
		err = altered("%s has %d rows, not %d", listed.File, tag.RowsAffected(), listed.Rows)
	}
	i.report("rows", listed.Name, listed.Rows)
	return err
}

// compare compares the rows that were written with the sum that the exporter took from the table.
func (i *Import) compare(ctx context.Context, conn querier, t table) error {
	listed, found := i.listed(t), sum{}
	condition := "t.organization_id IN (" + list(i.archive.organizations()) + ")"
	if err := conn.QueryRow(ctx, t.sum(condition, "")).Scan(&found.rows, &found.hash); err != nil {
		return fmt.Errorf("compare %s: %w", t, err)
	}
	if err := (sum{listed.Rows, listed.Sum}).compare(found); err != nil {
		return fmt.Errorf("compare %s: %w", t, err)
	}
	if listed.Rows > 0 {
		i.report("compare", listed.Name, listed.Rows)
	}
	return nil
}

// withoutSecret is what an endpoint says that came without its secret.
const withoutSecret = "It came from another installation, without its secret: rotate the secret, set its headers again, and resume it."

// settle changes what held only in the other installation: who works on what, endpoints without their secrets, and thumbnails. Facets of
// what is changed follow by the triggers of the tables.
func (i *Import) settle(ctx context.Context) error {
	organizations := i.archive.organizations()
	return pgx.BeginFunc(ctx, i.target.work, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue("SET LOCAL session_replication_role = origin")
		if hasTable(i.target.tables, sealedOf) {
			batch.Queue(`UPDATE webhooks.dispatch SET worker = NULL, wake_at = NULL, held = true WHERE organization_id = ANY ($1)`, organizations)
			batch.Queue(`UPDATE webhooks.webhook_endpoint SET status = 'disabled', disabled_at = now(), disabled_reason = $2
				WHERE organization_id = ANY ($1)`, organizations, withoutSecret)
		}
		if hasTable(i.target.tables, blobs) {
			batch.Queue(`UPDATE documents.blob SET has_thumbnails = false, picture_due_at = now()
				WHERE organization_id = ANY ($1) AND state = 'ready'
				AND has_thumbnails`, organizations)
		}
		return tx.SendBatch(ctx, batch).Close()
	})
}

// writeControl makes the organization known to the gateway, with its keys, in one transaction.
func (i *Import) writeControl(ctx context.Context) error {
	m := i.archive.Manifest
	err := pgx.BeginFunc(ctx, i.first.work, func(tx pgx.Tx) error {
		for n, t := range archived(i.first.control) {
			change, args := "", []any(nil)
			if t.fullName() == "gateway.organization" {
				change, args = "UPDATE %s SET cell = CASE WHEN sandbox_of IS NULL THEN $1::text END, suspended_at = NULL", []any{i.target.name}
			}
			if err := i.writeRows(ctx, tx, t, n, change, args...); err != nil {
				return fmt.Errorf("write %s: %w", t, err)
			}
			if change == "" {
				if err := i.compare(ctx, tx, t); err != nil {
					return err
				}
			}
		}
		_, err := tx.Exec(ctx, auditEntry, m.Organization, "organization.imported", m.Name, i.archive.sum)
		return err
	})
	if pgErr := new(pgconn.PgError); errors.As(err, &pgErr) && pgErr.Code == "23505" {
		return fmt.Errorf("another organization has a value that must be the only one (%s): %w", pgErr.ConstraintName, err)
	}
	return err
}

// disabled gives the endpoints of webhooks that want a new secret.
func (i *Import) disabled(ctx context.Context) (ids []string, err error) {
	if !hasTable(i.target.tables, sealedOf) {
		return []string{}, nil
	}
	rows, err := i.target.work.Query(ctx, `SELECT id::text FROM webhooks.webhook_endpoint
		WHERE organization_id = ANY ($1) AND disabled_reason = $2 ORDER BY id`,
		i.archive.organizations(), withoutSecret)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// writeContents writes the files of documents into the store. One that is in it already was written by an earlier import.
func (i *Import) writeContents(ctx context.Context) error {
	for _, f := range i.archive.Contents {
		err := i.archive.eachContent(ctx, f, func(c content, body io.Reader) error {
			err := i.writeContent(ctx, c, body)
			if errors.Is(err, store.ErrExists) {
				var found store.Object
				if found, err = i.Contents.Stat(ctx, c.key()); err == nil && found.Size != c.size {
					err = fmt.Errorf("another object with %d bytes, not %d, is in the store", found.Size, c.size)
				}
			}
			if err != nil {
				return fmt.Errorf("write the content %s: %w", c.key(), err)
			}
			return nil
		})
		if err != nil {
			return err
		}
		i.report("contents", f.File, f.Count)
	}
	return nil
}

func (i *Import) writeContent(ctx context.Context, c content, body io.Reader) error {
	if c.size <= store.PartSize {
		return i.Contents.Put(ctx, c.key(), body, c.size)
	}
	if _, err := i.Contents.Stat(ctx, c.key()); !errors.Is(err, store.ErrNotFound) {
		return cmp.Or(err, store.ErrExists)
	}
	upload, err := i.Contents.Begin(ctx, c.key())
	if err != nil {
		return err
	}
	var parts []store.Part
	buffer := make([]byte, store.PartSize)
	for number := 1; ; number++ {
		n, err := io.ReadFull(body, buffer)
		if errors.Is(err, io.EOF) {
			return i.Contents.Complete(ctx, c.key(), upload, parts)
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		part, err := i.Contents.PutPart(ctx, c.key(), upload, number, buffer[:n])
		if err != nil {
			return errors.Join(err, i.Contents.Abort(context.WithoutCancel(ctx), c.key(), upload))
		}
		parts = append(parts, part)
	}
}

// takeBack deletes what a failed import has written. Contents stay in the store, where the next run finds them.
func (i *Import) takeBack(ctx context.Context, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeBackTime)
	defer cancel()
	m := &Move{Organizations: i.archive.organizations(), Report: i.Report}
	m.report("take back", "", 0)
	exists, err := i.tryTakeBack(ctx, m)
	if err != nil || exists {
		return fmt.Errorf("the import is not finished, and nobody finds what is written: run the command again: %w", cmp.Or(err, cause))
	}
	return fmt.Errorf("nothing was imported: %w", cause)
}

// tryTakeBack leaves rows where the gateway knows the organization: only the response to the last commit was lost.
func (i *Import) tryTakeBack(ctx context.Context, m *Move) (exists bool, err error) {
	for _, p := range []*place{i.target, i.first} {
		if err := p.renew(ctx, i.Cells); err != nil {
			return false, err
		}
	}
	if err := i.first.work.QueryRow(ctx, "SELECT EXISTS (SELECT FROM gateway.organization WHERE organization_id = $1)",
		i.archive.Organization).Scan(&exists); err != nil || exists {
		return exists, err
	}
	if _, err := m.deleteRows(ctx, i.target); err != nil {
		return false, err
	}
	return false, i.target.setState(ctx, i.target.work, m.Organizations, "")
}

func (i *Import) phase(name string) {
	i.report(name, "", 0)
	if i.At != nil {
		i.At(name)
	}
}

func (i *Import) report(phase, what string, rows int64) {
	if i.Report != nil {
		i.Report(Step{phase, what, rows})
	}
}
