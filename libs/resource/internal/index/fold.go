package index

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	roaring "github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/singleflight"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/table"
)

const (
	// partSize is how many positions one row of the table facet is of.
	partSize = 1 << 16
	// foldMost is how many pending records one transaction folds; those of the statement that exceeds it are folded too.
	foldMost = 50_000
	// foldWritten is how many records a process writes before it folds by itself.
	foldWritten = 10_000
	// foldTimeout is how long folding in the background may go on. What is left is for the next one who notices.
	foldTimeout = 5 * time.Minute
)

// folding are the folds of this process, by organization and collection: whoever needs one waits for that which is under way.
var folding singleflight.Group

// FoldWhenNeeded folds in the background when so many records are pending that it is worth it.
func FoldWhenNeeded(ctx context.Context, t *table.Table, pending int) {
	if pending >= foldAt {
		foldAll(ctx, t)
	}
}

// WaitForFold folds, and returns when there is less to fold, or after timeout.
func WaitForFold(ctx context.Context, t *table.Table, timeout time.Duration) error {
	over := time.NewTimer(timeout)
	defer over.Stop()
	select {
	case result := <-foldAll(ctx, t):
		if postgres.IsMoving(result.Err) { // folding is a write, and pauses; who reads goes on without
			break
		}
		if result.Err != nil || result.Val != 0 {
			return result.Err
		}
	case <-over.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	// Another process folds, or will.
	select {
	case <-time.After(min(timeout, 50*time.Millisecond)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// written is how many records this process has written since a fold, by organization and collection: *atomic.Int64.
var written sync.Map

// Written is told how many records were written, and folds in the background when that is worth it: also where nobody asks for lists.
func Written(ctx context.Context, t *table.Table, records int) {
	key := principal.From(ctx).OrganizationID + " " + t.Row.Name
	count, known := written.Load(key)
	if !known {
		count, _ = written.LoadOrStore(key, new(atomic.Int64))
	}
	if count.(*atomic.Int64).Add(int64(records)) >= foldWritten {
		written.Delete(key)
		foldAll(ctx, t)
	}
}

// places are for the folds of a process: each may need some 60 MB, and organizations that import at the same time are many.
var places = make(chan struct{}, 2)

// foldAll folds in the background what is pending, and gives how many records that were. Nothing of ctx goes on but whose they are, and
// where: it may be that of a transaction.
func foldAll(ctx context.Context, t *table.Table) <-chan singleflight.Result {
	organization, cell := principal.From(ctx).OrganizationID, principal.From(ctx).Cell
	return folding.DoChan(organization+" "+t.Row.Name, func() (any, error) {
		background, cancel := context.WithTimeout(principal.Into(context.Background(),
			principal.Principal{OrganizationID: organization, Cell: cell}), foldTimeout)
		defer cancel()
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
		case <-background.Done():
			return 0, background.Err()
		}
		for all := 0; ; {
			folded, err := Fold(background, t)
			if err != nil {
				t.Log.WarnContext(background, "index not folded", "collection", t.Row.Name, "error", err)
				return all, err
			}
			if all += folded; folded < foldAt {
				return all, nil
			}
		}
	})
}

// Fold brings the bitmaps up to date with some of the pending records, and gives how many. Where somebody else folds, it does nothing.
func Fold(ctx context.Context, t *table.Table) (folded int, err error) {
	err = t.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		organization := principal.From(ctx).OrganizationID
		var alone bool
		err := tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock("+lockOf+")", organization, t.Row.Name).Scan(&alone)
		if err != nil || !alone {
			return err
		}
		positions, err := takePending(ctx, tx, organization, t)
		if err != nil || positions.IsEmpty() {
			return err
		}
		folded = int(positions.GetCardinality())
		f := fold{organization: organization, table: t, fields: Fields(t), bitmaps: map[key]*bitmap{}}
		f.terms = termFold{organization: organization, table: t, reader: newReader(t), terms: map[string][]uint64{}, records: roaring.New()}
		// What is written from here on is pending again, so it does no harm to see it already.
		if err := f.read(ctx, tx, positions); err != nil {
			return err
		}
		if err := f.apply(ctx, tx, positions); err != nil {
			return err
		}
		if err := f.write(ctx, tx); err != nil || len(f.terms.reader.columns) == 0 {
			return err
		}
		return f.terms.write(ctx, tx, positions)
	})
	return folded, err
}

// takePending takes rows of facet_pending away, and gives the positions that they have. A row without positions takes their place: its id
// says that the index was changed.
func takePending(ctx context.Context, tx pgx.Tx, organization string, t *table.Table) (*roaring.Bitmap, error) {
	rows, err := tx.Query(ctx, `WITH taken AS (
			DELETE FROM facet_pending WHERE organization_id = $1 AND collection = $2 AND ctid = ANY(ARRAY(
				SELECT ctid FROM (SELECT ctid, sum(cardinality(positions)) OVER (ORDER BY ctid) - cardinality(positions) AS before
					FROM facet_pending WHERE organization_id = $1 AND collection = $2) p WHERE before < $3)) RETURNING positions),
		noted AS (INSERT INTO facet_pending (organization_id, collection, positions)
			SELECT $1, $2, '{}' WHERE EXISTS (SELECT FROM taken))
		SELECT positions FROM taken`,
		organization, t.Row.Name, foldMost)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	taken := roaring.New()
	for rows.Next() {
		var positions []int64
		if err := rows.Scan(&positions); err != nil {
			return nil, err
		}
		for _, position := range positions {
			taken.Add(uint64(position))
		}
	}
	return taken, rows.Err()
}

// key is a row of the table facet.
type key struct {
	field, value string
	part         int64
}

// bitmap is what a row of the table facet has.
type bitmap struct {
	*roaring.Bitmap
	changed bool
}

// fold is a fold under way.
type fold struct {
	organization string
	table        *table.Table
	fields       []*table.Column
	bitmaps      map[key]*bitmap
	terms        termFold
}

// read reads the bitmaps of the parts in which positions are.
func (f *fold) read(ctx context.Context, tx pgx.Tx, positions *roaring.Bitmap) error {
	var parts []int64
	for walk := positions.Iterator(); walk.HasNext(); {
		part := walk.PeekNext() / partSize
		parts = append(parts, int64(part))
		walk.AdvanceIfNeeded((part + 1) * partSize)
	}
	rows, err := tx.Query(ctx, `SELECT field, value, part, bits FROM facet WHERE organization_id = $1 AND collection = $2 AND part = ANY($3)`,
		f.organization, f.table.Row.Name, parts)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var k key
		var bits []byte
		if err := rows.Scan(&k.field, &k.value, &k.part, &bits); err != nil {
			return err
		}
		stored, err := readBitmap(bits)
		if err != nil {
			return err
		}
		f.bitmaps[k] = &bitmap{Bitmap: stored}
	}
	return rows.Err()
}

// apply moves positions to the values that their records have now.
func (f *fold) apply(ctx context.Context, tx pgx.Tx, positions *roaring.Bitmap) error {
	for _, stored := range f.bitmaps {
		if stored.Intersects(positions) {
			stored.AndNot(positions)
			stored.changed = true
		}
	}
	list := make([]int64, 0, positions.GetCardinality())
	for walk := positions.Iterator(); walk.HasNext(); {
		list = append(list, int64(walk.Next()))
	}
	sql := "SELECT t.position"
	for _, field := range f.fields {
		sql += ", " + field.SQL + "::text"
	}
	rows, err := tx.Query(ctx, sql+f.terms.reader.selection()+" FROM "+f.table.Name+" t WHERE t.organization_id = $1 AND t.position = ANY($2)",
		f.organization, list)
	if err != nil {
		return err
	}
	defer rows.Close()
	recent := make([]map[string]*bitmap, len(f.fields)) // by the value's text, of the part of the last row
	var part int64 = -1
	for rows.Next() {
		at, values, err := positionOf(rows)
		if err != nil {
			return err
		}
		position := int64(at)
		if position/partSize != part {
			part = position / partSize
			for i := range recent {
				recent[i] = map[string]*bitmap{}
			}
		}
		for i, value := range values[:len(f.fields)] {
			stored := recent[i][string(value)]
			if stored == nil || value == nil {
				if stored = f.of(f.fields[i], value, part); value != nil {
					recent[i][string(value)] = stored
				}
			}
			stored.Add(uint64(position))
			stored.changed = true
		}
		if len(f.terms.reader.columns) > 0 {
			f.terms.add(at, values[len(f.fields):])
		}
	}
	return rows.Err()
}

// positionOf reads the first value of a row as a position, and gives the others.
func positionOf(rows pgx.Rows) (uint64, table.Values, error) {
	values := rows.RawValues()
	position, err := strconv.ParseUint(string(values[0]), 10, 64)
	return position, values[1:], err
}

// of is the bitmap of a value, which is new when nothing has had it yet.
func (f *fold) of(field *table.Column, value []byte, part int64) *bitmap {
	k := key{field.Name, valueOf(value), part}
	if f.bitmaps[k] == nil {
		f.bitmaps[k] = &bitmap{Bitmap: roaring.New()}
	}
	return f.bitmaps[k]
}

// write keeps the bitmaps that changed, and deletes those that have become empty.
func (f *fold) write(ctx context.Context, tx pgx.Tx) error {
	var fields, values, deletedFields, deletedValues []string
	var parts, deletedParts []int64
	var bits [][]byte
	for k, stored := range f.bitmaps {
		switch {
		case !stored.changed:
		case stored.IsEmpty():
			deletedFields, deletedValues, deletedParts = append(deletedFields, k.field), append(deletedValues, k.value), append(deletedParts, k.part)
		default:
			stored.RunOptimize()
			encoded, err := stored.MarshalBinary()
			if err != nil {
				return err
			}
			fields, values, parts, bits = append(fields, k.field), append(values, k.value), append(parts, k.part), append(bits, encoded)
		}
	}
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO facet (organization_id, collection, field, value, part, bits)
		SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::bigint[], $6::bytea[])
		ON CONFLICT (organization_id, collection, field, value, part) DO UPDATE SET bits = excluded.bits WHERE facet.bits <> excluded.bits`,
		f.organization, f.table.Row.Name, fields, values, parts, bits)
	batch.Queue(`DELETE FROM facet WHERE organization_id = $1 AND collection = $2
		AND (field, value, part) IN (SELECT * FROM unnest($3::text[], $4::text[], $5::bigint[]))`,
		f.organization, f.table.Row.Name, deletedFields, deletedValues, deletedParts)
	return tx.SendBatch(ctx, batch).Close()
}
