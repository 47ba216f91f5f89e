// Package index finds records at a cost that hardly grows with their number: by facets, fields of few values such as a status, and
// by words and codes. For each value and each word it stores which records have it, as a bitmap over their positions (S. Chambi, D.
// Lemire et al., Better bitmap performance with Roaring bitmaps, https://arxiv.org/abs/1402.6407): of values in the table facet, of
// words in term_block.
//
// Whoever writes a record notes its position as pending, by a trigger of the table in the same transaction. Fold brings the bitmaps
// up to date with the pending records. A reader takes from the bitmaps what they say of all others, and looks at the rows of those
// that are pending, in one snapshot; so what it finds is exact, whether anything was folded or not.
package index

import (
	"context"
	"fmt"

	roaring "github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/search"
)

const (
	// foldAt is how many pending records are worth a fold.
	foldAt = 500
	// MaxPending is how many pending records a reader reads. With more, counting the rows is as cheap.
	MaxPending = 20_000
)

// Condition is what is asked of a field.
type Condition struct {
	field string
	sql   string // chooses values from $4
	arg   any
	also  string   // SELECT of ids of records that meet the condition whatever their value; "" for none
	given []string // the values, which are $2 of it
}

// OneOf is that a field has one of the values, which are as SQL writes them as text, or is NULL; or that also, where given, finds it.
func OneOf(c *table.Column, values []string, null bool, also string) Condition {
	var indexed []string
	for _, value := range values {
		indexed = append(indexed, valueOf([]byte(value)))
	}
	if null {
		indexed = append(indexed, valueOf(nil))
	}
	return Condition{c.Name, "value = ANY($4)", indexed, also, values}
}

// Within is that a number is on one side of a bound: operator is >= or <=.
func Within(c *table.Column, operator string, bound any) Condition {
	return Condition{c.Name, "CASE WHEN value <> '' THEN substr(value, 2)::numeric " + operator + " $4 END", bound, "", nil}
}

// valueOf is how a value is kept: what it is in SQL as text, nil for NULL.
func valueOf(text []byte) string {
	if text == nil {
		return ""
	}
	return "=" + string(text)
}

// Fields are the columns of a table that facets are kept of.
func Fields(t *table.Table) []*table.Column {
	var fields []*table.Column
	for _, c := range t.Columns {
		if c.Facet {
			fields = append(fields, c)
		}
	}
	return fields
}

// Keeps says whether the index has records of a table, so that each write of one is noted in facet_pending.
func Keeps(t *table.Table) bool { return len(t.Searched) > 0 || len(Fields(t)) > 0 }

// Query is what is looked for: records that meet all conditions, and that the words find.
type Query struct {
	Facets []Condition
	Words  *search.Query // nil for none
	Ranked bool          // the best that the words find will be asked for
	// Literal is that words which no record has are not taken for others.
	Literal    bool
	SQL        string // the conditions in SQL, over alias t; in it $1 is the organization and $2, $3 … are Args
	Args       []any
	MaxPending int // how many pending records may be read
}

// Found is which records a query finds.
type Found struct {
	Positions *roaring.Bitmap // nil where too many were pending to say
	Pending   int
	Words     search.Query // with the words that were meant, where they were corrected
	lookup    *lookup      // that found them
}

// Find gives the positions of the records that meet a query, exactly as the transaction sees them, which must have one snapshot.
func Find(ctx context.Context, tx pgx.Tx, t *table.Table, q Query) (Found, error) {
	found, err := find(ctx, tx, t, q)
	if err == nil {
		recordPending(ctx, t, found.Pending)
	}
	return found, err
}

func find(ctx context.Context, tx pgx.Tx, t *table.Table, q Query) (Found, error) {
	if q.Words == nil {
		return findFacets(ctx, tx, t, q)
	}
	found, err := findWords(ctx, tx, t, q)
	if err != nil || found.Positions == nil || len(q.Facets) == 0 {
		return found, err
	}
	facets, err := findFacets(ctx, tx, t, q)
	if err != nil || facets.Positions == nil {
		return facets, err
	}
	found.Positions.And(facets.Positions)
	return found, nil
}

func findFacets(ctx context.Context, tx pgx.Tx, t *table.Table, q Query) (Found, error) {
	var found Found
	groups := make([][]*roaring.Bitmap, len(q.Facets))
	var pending, matching []uint64
	batch := &pgx.Batch{}
	// The best plan of the judging statement depends on the values.
	batch.Queue("SELECT set_config('plan_cache_mode', 'force_custom_plan', true)")
	organization := principal.From(ctx).OrganizationID
	batch.Queue(`SELECT coalesce(sum(cardinality(positions)), 0) FROM facet_pending WHERE organization_id = $1 AND collection = $2`,
		organization, t.Row.Name).QueryRow(func(row pgx.Row) error { return row.Scan(&found.Pending) })
	for i, c := range q.Facets {
		batch.Queue("SELECT bits FROM facet WHERE organization_id = $1 AND collection = $2 AND field = $3 AND "+c.sql,
			organization, t.Row.Name, c.field, c.arg).Query(func(rows pgx.Rows) (err error) {
			groups[i], err = readBitmaps(rows)
			return err
		})
		if c.also == "" || len(c.given) == 0 {
			continue
		}
		batch.Queue("SELECT t.position FROM "+t.Name+" t WHERE t.organization_id = $1 AND t.id = ANY(ARRAY("+c.also+"))",
			organization, c.given).Query(func(rows pgx.Rows) error {
			positions, err := pgx.CollectRows(rows, pgx.RowTo[uint64])
			groups[i] = append(groups[i], roaring.BitmapOf(positions...))
			return err
		})
	}
	few := batch.Queue(fewPending(2, 3)+"SELECT unnest(positions) FROM few", organization, t.Row.Name, q.MaxPending)
	few.Query(func(rows pgx.Rows) (err error) {
		pending, err = pgx.CollectRows(rows, pgx.RowTo[uint64])
		return err
	})
	batch.Queue(fewPending(len(q.Args)+2, len(q.Args)+3)+`SELECT t.position FROM `+t.Name+` t
		WHERE t.position = ANY(ARRAY(SELECT unnest(positions) FROM few)) AND `+q.SQL,
		append(append([]any{organization}, q.Args...), t.Row.Name, q.MaxPending)...).Query(func(rows pgx.Rows) (err error) {
		matching, err = pgx.CollectRows(rows, pgx.RowTo[uint64])
		return err
	})
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return found, err
	}
	if found.Pending > q.MaxPending {
		return found, nil
	}
	sets := make([]*roaring.Bitmap, len(groups))
	for i, group := range groups {
		sets[i] = roaring.FastOr(group...)
	}
	found.Positions = roaring.FastAnd(sets...)
	found.Positions.AndNot(roaring.BitmapOf(pending...))
	found.Positions.AddMany(matching)
	return found, nil
}

// fewPending is the start of a statement that reads the pending positions as few, unless they are too many. $1 is the organization;
// collection and
// maxPending are the numbers of the arguments that say which and how many.
func fewPending(collection, maxPending int) string {
	return fmt.Sprintf(`WITH pending AS (SELECT positions FROM facet_pending WHERE organization_id = $1 AND collection = $%d),
		few AS (SELECT positions FROM pending WHERE (SELECT sum(cardinality(positions)) FROM pending) <= $%d) `, collection, maxPending)
}

func readBitmaps(rows pgx.Rows) ([]*roaring.Bitmap, error) {
	var all []*roaring.Bitmap
	for rows.Next() {
		var bits []byte
		if err := rows.Scan(&bits); err != nil {
			return nil, err
		}
		bitmap, err := readBitmap(bits)
		if err != nil {
			return nil, err
		}
		all = append(all, bitmap)
	}
	return all, rows.Err()
}

func readBitmap(bits []byte) (*roaring.Bitmap, error) {
	bitmap := roaring.New()
	if err := bitmap.UnmarshalBinary(bits); err != nil {
		return nil, problem("a bitmap cannot be read: %v", err)
	}
	return bitmap, nil
}

// Page gives the positions from offset on, at most limit, ascending or from the last one back.
func (f Found) Page(offset, limit int64, backwards bool) []int64 {
	total := int64(f.Positions.GetCardinality())
	if offset >= total {
		return nil
	}
	limit = min(limit, total-offset)
	if backwards {
		offset = total - offset - limit
	}
	page := make([]int64, 0, limit)
	first, err := f.Positions.Select(uint64(offset))
	if err != nil { // offset is below the number of positions
		panic(err)
	}
	walk := f.Positions.Iterator()
	for walk.AdvanceIfNeeded(first); int64(len(page)) < limit; {
		page = append(page, int64(walk.Next()))
	}
	return page
}

// Through gives how many records stand before the end of a position, the oldest first or last, the one at that position included.
func (f Found) Through(position int64, backwards bool) int64 {
	if backwards {
		return int64(f.Positions.GetCardinality() - f.Positions.Rank(uint64(position-1)))
	}
	return int64(f.Positions.Rank(uint64(position)))
}
