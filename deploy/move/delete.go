package move

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/services/documents/store"
)

const (
	organizationTable = `"gateway"."organization"`
	// deleteObjects is how many objects are listed before they are deleted.
	deleteObjects = 1000
)

// Deletion deletes an organization, with its sandbox, in all cells, in the gateway's database and in the store of documents.
//
// The gateway notes that it has begun, and cells mark it: from then on nobody reads or writes it, and nobody calls it off. What there is is
// counted and noted before anything is deleted, and the organization's own row goes in the last transaction. So a deletion that is killed
// is finished by running it again, and its record is whole.
type Deletion struct {
	Cells         []Cell   // all, and all must be reachable
	Organizations []string // the organization, then its sandbox
	Services      []string // whose schemas must all be in the databases
	Store         store.Store

	Write  func(Destruction) error // stores the record of destruction, before the last transaction ends; or nil
	Report func(Step)              // what was done, or nil
	At     func(phase string)      // is called where a phase begins, for tests; or nil

	mover  *Move // reports, and deletes rows
	places []*place
	first  *place
}

// Destruction is the record of a deletion for the operator.
type Destruction struct {
	Organization string             `json:"organization_id"`
	Sandbox      string             `json:"sandbox_id"`
	Name         string             `json:"name"`
	OrderedBy    string             `json:"ordered_by,omitempty"` // empty where the record was read from the audit trail, which names no person
	OrderedAt    time.Time          `json:"ordered_at"`
	DeleteAfter  time.Time          `json:"delete_after"`
	BeganAt      time.Time          `json:"began_at"`
	FinishedAt   time.Time          `json:"finished_at"`
	Rows         int64              `json:"rows"`
	Tables       []DestroyedTable   `json:"tables"` // all that have a column for the organization
	Documents    DestroyedDocuments `json:"documents"`
}

// DestroyedTable is a table with its rows of the organization and its sandbox.
type DestroyedTable struct {
	Cell  string `json:"cell"`
	Table string `json:"table"`
	Rows  int64  `json:"rows"` // when the deletion began
	Left  int64  `json:"left"` // counted at the end
}

// DestroyedDocuments is what the store of documents had, and has.
type DestroyedDocuments struct {
	Documents   int64 `json:"documents"`
	Contents    int64 `json:"contents"`
	Objects     int64 `json:"objects"` // contents and thumbnails
	Bytes       int64 `json:"bytes"`   // of the objects
	ObjectsLeft int64 `json:"objects_left"`
	UploadsLeft int64 `json:"uploads_left"`
}

// LegalHolds refuses to delete an organization with active legal holds in a cell.
func LegalHolds(ctx context.Context, cell Cell, organization string) error {
	p, err := connect(ctx, cell)
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.readTables(ctx); err != nil {
		return err
	}
	return p.legalHolds(ctx, organization)
}

func (p *place) legalHolds(ctx context.Context, organization string) error {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	if !slices.Contains(p.schemas(), "documents") {
		return nil
	}
	var active int
	err := p.work.QueryRow(ctx, "SELECT count(*) FROM documents.legal_hold WHERE organization_id = $1 AND status = 'active'",
		organization).Scan(&active)
	if err != nil {
		return fmt.Errorf("look for legal holds in the cell %s: %w", p.name, err)
	}
	if active > 0 {
		return fmt.Errorf("the organization has %d active legal holds and is not deleted: its people release each by PATCH "+
			`/v1/legal-holds/ID with {"status": "released"} (a suspended one must be resumed before: amsctl organizations resume)`, active)
	}
	return nil
}

// Run deletes the organization, or goes on where it was killed.
func (d *Deletion) Run(ctx context.Context) (record Destruction, err error) {
	d.mover = &Move{Organizations: d.Organizations, Report: d.Report, At: d.At, To: principal.First, Cells: d.Cells}
	if err := d.mover.check(); err != nil {
		return record, err
	}
	defer func() {
		for _, p := range d.places {
			p.close()
		}
	}()
	if err := d.connect(ctx); err != nil {
		return record, err
	}
	record, found, err := d.begin(ctx)
	if err != nil {
		return record, err
	}
	if found {
		if err := d.delete(ctx, &record); err != nil {
			return record, fmt.Errorf("the deletion has begun and has not ended: run the command again, which goes on: %w", err)
		}
	}
	d.mover.phase("unmark")
	for _, p := range d.places {
		if err := p.setState(ctx, p.work, d.Organizations, ""); err != nil {
			return record, fmt.Errorf("the organization is deleted, but marks of it are left: run the command again: %w", err)
		}
	}
	return record, nil
}

// connect opens the databases of all cells, and holds off moves.
func (d *Deletion) connect(ctx context.Context) error {
	for _, cell := range d.Cells {
		p, err := connect(ctx, cell)
		if err != nil {
			return err
		}
		d.places = append(d.places, p)
		if err := p.readTables(ctx); err != nil {
			return err
		}
		for _, schema := range d.Services {
			if !slices.Contains(p.schemas(), schema) {
				return fmt.Errorf("the database of the cell %s has no schema %s: only organizations whose services share one database are deleted",
					p.name, schema)
			}
		}
		if err := p.tryLock(ctx, d.Organizations); err != nil {
			return err
		}
		if cell.Name == principal.First {
			d.first = p
		}
	}
	if !slices.ContainsFunc(d.first.control, func(t table) bool { return t.String() == organizationTable }) {
		return errors.New("the database of the first cell has no schema gateway: give the owner's address of the gateway's database in " +
			"AMS_OWNER_DATABASE_URL")
	}
	var missing []string
	if err := d.first.work.QueryRow(ctx, "SELECT array_agg(name ORDER BY name) FROM gateway.cell WHERE NOT name = ANY ($1)",
		d.mover.cellNames()).Scan(&missing); err != nil {
		return fmt.Errorf("read the cells: %w", err)
	}
	if len(missing) > 0 {
		return fmt.Errorf("name the owner's address of each cell in AMS_OWNER_CELLS: %s is missing, where a move may have left rows",
			strings.Join(missing, ", "))
	}
	return nil
}

// begin reads the order, and notes that the deletion has begun; found is false where an earlier run has deleted the organization.
func (d *Deletion) begin(ctx context.Context) (record Destruction, found bool, err error) {
	d.mover.phase("begin")
	organization := d.Organizations[0]
	var after, began, held *time.Time
	var now time.Time
	err = d.first.work.QueryRow(ctx, "SELECT delete_after, deletion_began_at, held_at, now() FROM "+organizationTable+" WHERE "+
		"organization_id = $1", organization).
		Scan(&after, &began, &held, &now)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		record, err = d.earlier(ctx)
		return record, false, err
	case err != nil:
		return record, false, fmt.Errorf("read the order to delete the organization: %w", err)
	case after == nil:
		return record, false, errors.New("nobody has ordered that the organization is deleted")
	case began == nil && after.After(now):
		return record, false, fmt.Errorf("the organization is deleted after %s, not before", after.UTC().Format(time.RFC3339))
	case began == nil && held != nil:
		return record, false, errors.New("the organization is held and is not deleted: amsctl organizations release lets it be")
	}
	if began == nil {
		for _, p := range d.places {
			if err := p.legalHolds(ctx, organization); err != nil {
				return record, false, err
			}
			states, err := p.states(ctx, d.Organizations)
			if err == nil && slices.ContainsFunc(states, func(s string) bool { return s != suspended && s != "absent" }) {
				err = fmt.Errorf("a move of the organization has not ended (the cell %s says %s)", p.name, strings.Join(states, ", "))
			}
			if err != nil {
				return record, false, err
			}
		}
	}
	// An order that was called off, or held off, meanwhile is none.
	err = d.first.work.QueryRow(ctx, "UPDATE "+organizationTable+` SET deletion_began_at = coalesce(deletion_began_at, now())
		WHERE organization_id = $1 AND delete_after <= now() AND held_at IS NULL
		RETURNING name, delete_after, deletion_ordered_at, deletion_ordered_by, deletion_began_at`, organization).
		Scan(&record.Name, &record.DeleteAfter, &record.OrderedAt, &record.OrderedBy, &record.BeganAt)
	if errors.Is(err, pgx.ErrNoRows) {
		err = errors.New("the deletion of the organization was called off just now")
	}
	record.Organization, record.Sandbox = organization, d.Organizations[1]
	return record, err == nil, err
}

// earlier reads the record of an organization that an earlier run has deleted.
func (d *Deletion) earlier(ctx context.Context) (record Destruction, err error) {
	var text []byte
	err = d.first.work.QueryRow(ctx, `SELECT changes FROM gateway.audit WHERE organization_id = $1 AND action = 'organization.deleted'`,
		d.Organizations[0]).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return record, fmt.Errorf("there is no organization %s, and the audit trail has no deletion of it", d.Organizations[0])
	}
	if err == nil {
		err = json.Unmarshal(text, &record)
	}
	if err == nil && d.Write != nil {
		err = d.Write(record)
	}
	return record, err
}

// delete deletes all that there is.
func (d *Deletion) delete(ctx context.Context, record *Destruction) error {
	d.mover.phase("mark")
	for _, p := range d.places {
		if err := p.setState(ctx, p.work, d.Organizations, deleting); err != nil {
			return err
		}
	}
	if err := d.count(ctx, record); err != nil {
		return err
	}
	d.mover.phase("documents")
	if err := d.deleteObjects(ctx); err != nil {
		return err
	}
	d.mover.phase("delete")
	for _, p := range d.places {
		if err := p.stopNoting(ctx, d.Organizations); err != nil {
			return err
		}
		both := [][]table{p.tables}
		if len(p.control) > 0 {
			both = append(both, p.controlOf())
		}
		for _, tables := range both {
			if _, err := d.mover.deleteRows(ctx, &place{name: p.name, work: p.work, tables: tables}); err != nil {
				return err
			}
		}
	}
	d.mover.phase("check")
	if err := d.check(ctx, record); err != nil {
		return err
	}
	d.mover.phase("end")
	return d.end(ctx, record)
}

// controlOf gives the tables of the control plane but that which says that the organization is being deleted.
func (p *place) controlOf() []table {
	return slices.DeleteFunc(slices.Clone(p.control), func(t table) bool { return t.String() == organizationTable })
}

// count counts what there is, and notes it: a later run reads what was noted.
func (d *Deletion) count(ctx context.Context, record *Destruction) error {
	d.mover.phase("count")
	var noted []byte
	if err := d.first.work.QueryRow(ctx, "SELECT deletion_found FROM "+organizationTable+" WHERE organization_id = $1",
		d.Organizations[0]).Scan(&noted); err != nil {
		return fmt.Errorf("read what was counted: %w", err)
	}
	if noted != nil {
		began := *record
		if err := json.Unmarshal(noted, record); err != nil {
			return fmt.Errorf("read what was counted: %w", err)
		}
		record.OrderedBy, record.OrderedAt, record.BeganAt = began.OrderedBy, began.OrderedAt, began.BeganAt
		return nil
	}
	for _, p := range d.places {
		for _, t := range slices.Concat(p.tables, p.control) {
			rows, err := p.count(ctx, p.work, t, d.Organizations)
			if err != nil {
				return err
			}
			record.Rows += rows
			record.Tables = append(record.Tables, DestroyedTable{Cell: p.name, Table: t.schema + "." + t.name, Rows: rows})
			switch t.schema + "." + t.name {
			case "documents.document":
				record.Documents.Documents += rows
			case "documents.blob":
				record.Documents.Contents += rows
			}
		}
	}
	for _, organization := range d.Organizations {
		if err := d.Store.List(ctx, organization+"/", func(o store.Object) error {
			record.Documents.Objects++
			record.Documents.Bytes += o.Size
			return nil
		}); err != nil {
			return fmt.Errorf("list the store of documents: %w", err)
		}
	}
	found, err := json.Marshal(record)
	if err == nil {
		_, err = d.first.work.Exec(ctx, "UPDATE "+organizationTable+" SET deletion_found = $2 WHERE organization_id = $1",
			d.Organizations[0], found)
	}
	if err != nil {
		return fmt.Errorf("note what was counted: %w", err)
	}
	return nil
}

// querier is a connection, or its transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func (p *place) count(ctx context.Context, conn querier, t table, organizations []string) (rows int64, err error) {
	if err = conn.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM %s WHERE organization_id IN (%s)", t,
		list(organizations))).Scan(&rows); err != nil {
		err = fmt.Errorf("count %s in the cell %s: %w", t, p.name, err)
	}
	return rows, err
}

// deleteObjects deletes the objects of documents, and what was being written.
func (d *Deletion) deleteObjects(ctx context.Context) error {
	enough := errors.New("enough")
	for _, organization := range d.Organizations {
		for again := true; again; {
			var keys []string
			err := d.Store.List(ctx, organization+"/", func(o store.Object) error {
				if keys = append(keys, o.Key); len(keys) == deleteObjects {
					return enough
				}
				return nil
			})
			if again = errors.Is(err, enough); err != nil && !again {
				return fmt.Errorf("list the store of documents: %w", err)
			}
			for _, key := range keys {
				if err := d.Store.Delete(ctx, key); err != nil {
					return fmt.Errorf("delete %s: %w", key, err)
				}
				d.mover.report("documents", key, 1)
			}
		}
	}
	uploads, err := d.uploads(ctx)
	if err != nil {
		return err
	}
	for _, u := range uploads {
		if err := d.Store.Abort(ctx, u.Key, u.ID); err != nil {
			return fmt.Errorf("abort the upload of %s: %w", u.Key, err)
		}
	}
	return nil
}

func (d *Deletion) uploads(ctx context.Context) (uploads []store.Upload, err error) {
	if err = d.Store.ListUploads(ctx, func(u store.Upload) error {
		if folder, _, _ := strings.Cut(u.Key, "/"); slices.Contains(d.Organizations, folder) {
			uploads = append(uploads, u)
		}
		return nil
	}); err != nil {
		err = fmt.Errorf("list the uploads of the store of documents: %w", err)
	}
	return uploads, err
}

// check counts once more, in all places, all but what the last transaction deletes.
func (d *Deletion) check(ctx context.Context, record *Destruction) error {
	record.Documents.ObjectsLeft = 0
	for _, organization := range d.Organizations {
		if err := d.Store.List(ctx, organization+"/", func(store.Object) error { record.Documents.ObjectsLeft++; return nil }); err != nil {
			return fmt.Errorf("list the store of documents: %w", err)
		}
	}
	uploads, err := d.uploads(ctx)
	if err != nil {
		return err
	}
	if record.Documents.UploadsLeft = int64(len(uploads)); record.Documents.ObjectsLeft+record.Documents.UploadsLeft > 0 {
		return fmt.Errorf("the store of documents has %d objects and %d uploads again", record.Documents.ObjectsLeft,
			record.Documents.UploadsLeft)
	}
	for _, p := range d.places {
		for _, t := range slices.Concat(p.tables, p.controlOf()) {
			if err := d.none(ctx, p, p.work, t, record); err != nil {
				return err
			}
		}
	}
	return nil
}

// none writes into the record that a table has nothing left.
func (d *Deletion) none(ctx context.Context, p *place, conn querier, t table, record *Destruction) error {
	left, err := p.count(ctx, conn, t, d.Organizations)
	for i := range record.Tables {
		if of := &record.Tables[i]; of.Cell == p.name && of.Table == t.schema+"."+t.name {
			of.Left = left
		}
	}
	if err == nil && left > 0 {
		err = fmt.Errorf("%s of the cell %s has %d rows again", t, p.name, left)
	}
	return err
}

// end deletes the row of the organization, and enters the record, without the person, into the audit trail.
func (d *Deletion) end(ctx context.Context, record *Destruction) error {
	err := pgx.BeginFunc(ctx, d.first.work, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM "+organizationTable+" WHERE organization_id = ANY ($1)", d.Organizations); err != nil {
			return err
		}
		for _, t := range d.first.control {
			if err := d.none(ctx, d.first, tx, t, record); err != nil {
				return err
			}
		}
		if err := tx.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&record.FinishedAt); err != nil {
			return err
		}
		nameless := *record
		nameless.OrderedBy = ""
		changes, err := json.Marshal(nameless)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO gateway.audit (organization_id, id, actor, action, subject, changes, address, request_id)
			VALUES ($1, gen_random_uuid(), '{"type": "service", "id": "operator", "name": "Platform operator"}', 'organization.deleted',
				jsonb_build_object('type', 'organization', 'id', $1::uuid, 'name', $2::text), $3, '', '')`, record.Organization, record.Name, changes)
		if err == nil && d.Write != nil {
			err = d.Write(*record)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("delete the organization itself: %w", err)
	}
	return nil
}
