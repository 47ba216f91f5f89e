package facet

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	roaring "github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/table"
)

const (
	// partSize is how many positions one row of the table facet is of.
	partSize = 1 << 16
	// foldMost is how many pending records one transaction folds; those of the statement that exceeds it are folded too.
	foldMost = 50_000
	// foldTimeout is how long folding in the background may go on. What is left is for the next one who notices.
	foldTimeout = 5 * time.Minute
)

// folding is what is being folded by this process: organization and collection.
var folding sync.Map

// FoldWhenNeeded folds in the background when so many records are pending that it is worth it.
func FoldWhenNeeded(ctx context.Context, t *table.Table, pending int) {
	if pending < foldAt {
		return
	}
	key := principal.From(ctx).OrganizationID + " " + t.Row.Name
	if _, running := folding.LoadOrStore(key, true); running {
		return
	}
	background, cancel := context.WithTimeout(context.WithoutCancel(ctx), foldTimeout)
	go func() {
		defer folding.Delete(key)
		defer cancel()
		for folded := foldAt; folded >= foldAt; {
			var err error
			if folded, err = Fold(background, t); err != nil {
				t.Log.WarnContext(background, "facets not folded", "collection", t.Row.Name, "error", err)
				return
			}
		}
	}()
}

// Fold brings the bitmaps up to date with some of the pending records, and gives how many. Where somebody else folds, it does nothing.
func Fold(ctx context.Context, t *table.Table) (folded int, err error) {
	err = t.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		organization := principal.From(ctx).OrganizationID
		var alone bool
		err := tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock(hashtextextended('facets ' || $1::text || $2::text, 0))`,
			organization, t.Row.Name).Scan(&alone)
		if err != nil || !alone {
			return err
		}
		positions, err := takePending(ctx, tx, organization, t)
		if err != nil || positions.IsEmpty() {
			return err
		}
		folded = int(positions.GetCardinality())
		f := fold{organization: organization, table: t, fields: Fields(t), kept: map[key]*bitmap{}}
		// What is written from here on is pending again, so it does no harm to see it already.
		if err := f.read(ctx, tx, positions); err != nil {
			return err
		}
		if err := f.apply(ctx, tx, positions); err != nil {
			return err
		}
		return f.write(ctx, tx)
	})
	return folded, err
}

// takePending takes rows of facet_pending away, and gives the positions that they have.
func takePending(ctx context.Context, tx pgx.Tx, organization string, t *table.Table) (*roaring.Bitmap, error) {
	rows, err := tx.Query(ctx, `DELETE FROM facet_pending WHERE organization_id = $1 AND collection = $2 AND ctid = ANY(ARRAY(
		SELECT ctid FROM (SELECT ctid, sum(cardinality(positions)) OVER (ORDER BY ctid) - cardinality(positions) AS before
			FROM facet_pending WHERE organization_id = $1 AND collection = $2) p WHERE before < $3)) RETURNING positions`,
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
	kept         map[key]*bitmap
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
		kept := roaring.New()
		if err := kept.UnmarshalBinary(bits); err != nil {
			return fmt.Errorf("facet: a bitmap cannot be read: %w", err)
		}
		f.kept[k] = &bitmap{Bitmap: kept}
	}
	return rows.Err()
}

// apply moves positions to the values that their records have now.
func (f *fold) apply(ctx context.Context, tx pgx.Tx, positions *roaring.Bitmap) error {
	for _, kept := range f.kept {
		if kept.Intersects(positions) {
			kept.AndNot(positions)
			kept.changed = true
		}
	}
	asked := make([]int64, 0, positions.GetCardinality())
	for walk := positions.Iterator(); walk.HasNext(); {
		asked = append(asked, int64(walk.Next()))
	}
	sql := "SELECT t.position"
	for _, field := range f.fields {
		sql += ", " + field.SQL + "::text"
	}
	rows, err := tx.Query(ctx, sql+" FROM "+f.table.Name+" t WHERE t.organization_id = $1 AND t.position = ANY($2)", f.organization, asked)
	if err != nil {
		return err
	}
	defer rows.Close()
	recent := make([]map[string]*bitmap, len(f.fields)) // by the value's text, of the part of the last row
	var part int64 = -1
	for rows.Next() {
		values := rows.RawValues()
		position, err := strconv.ParseInt(string(values[0]), 10, 64)
		if err != nil {
			return err
		}
		if position/partSize != part {
			part = position / partSize
			for i := range recent {
				recent[i] = map[string]*bitmap{}
			}
		}
		for i, value := range values[1:] {
			kept := recent[i][string(value)]
			if kept == nil || value == nil {
				if kept = f.of(f.fields[i], value, part); value != nil {
					recent[i][string(value)] = kept
				}
			}
			kept.Add(uint64(position))
			kept.changed = true
		}
	}
	return rows.Err()
}

// of is the bitmap of a value, which is new when nothing has had it yet.
func (f *fold) of(field *table.Column, value []byte, part int64) *bitmap {
	k := key{field.Name, valueOf(value), part}
	if f.kept[k] == nil {
		f.kept[k] = &bitmap{Bitmap: roaring.New()}
	}
	return f.kept[k]
}

// write keeps the bitmaps that changed, and deletes those that have become empty.
func (f *fold) write(ctx context.Context, tx pgx.Tx) error {
	var fields, values, goneFields, goneValues []string
	var parts, goneParts []int64
	var bits [][]byte
	for k, kept := range f.kept {
		switch {
		case !kept.changed:
		case kept.IsEmpty():
			goneFields, goneValues, goneParts = append(goneFields, k.field), append(goneValues, k.value), append(goneParts, k.part)
		default:
			kept.RunOptimize()
			encoded, err := kept.MarshalBinary()
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
		f.organization, f.table.Row.Name, goneFields, goneValues, goneParts)
	return tx.SendBatch(ctx, batch).Close()
}
