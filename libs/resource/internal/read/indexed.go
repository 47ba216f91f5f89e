package read

import (
	"context"
	"math"
	"strconv"
	"time"

	roaring "github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/internal/index"
	"ams.internal/libs/resource/internal/table"
)

// maxListed is how many records are handed to a statement by their positions. Of more, a statement that looks for them finds enough
// for a page soon.
const maxListed = 20_000

// foldTimeout is how long a list folds the index before it reads the rows.
const foldTimeout = 5 * time.Second

// readByIndex reads a page of a list that is filtered by facets, words or custom fields. It says no, and has read nothing,
// where the rows answer sooner.
func (t list) readByIndex(ctx context.Context, q *query, p *page) (done bool, err error) {
	err = t.find(ctx, q, func(ctx context.Context, tx pgx.Tx, found index.Found) error {
		p.body.Corrected = found.Words.Corrected()
		var narrowed *query
		if q.relevance {
			total, hits, err := t.best(ctx, tx, q, found, maxRelevant)
			if err != nil {
				return err
			}
			narrowed = q.of(total, hits)
		} else if narrowed = q.narrowed(found); narrowed == nil {
			return nil
		}
		done = true
		if narrowed.known != nil {
			p.total = *narrowed.known
		}
		return t.readPage(ctx, narrowed, p)
	})
	return done, err
}

// find asks the index for what it knows of the query, and has it used in the same transaction. When too many records are pending, it folds
// them first, or waits for a fold that runs; when that takes too long, nothing is found and used, but for words, which nothing else finds.
func (t list) find(ctx context.Context, q *query, use func(context.Context, pgx.Tx, index.Found) error) error {
	maxPending := index.MaxPending
	for begin := time.Now(); ; {
		var found index.Found
		err := t.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
			if found, err = t.findPositions(ctx, tx, q, maxPending); err != nil || found.Positions == nil {
				return err
			}
			return use(ctx, tx, found)
		})
		if err != nil || found.Positions != nil {
			index.FoldWhenNeeded(ctx, t.Table, found.Pending)
			return err
		}
		// After an import, or an update of the product: until somebody has folded, every list looks at all rows.
		remaining := foldTimeout - time.Since(begin)
		switch {
		case remaining > 0:
			if err := index.WaitForFold(ctx, t.Table, remaining); err != nil {
				return err
			}
		case q.search == nil:
			return nil
		default:
			maxPending = math.MaxInt
		}
	}
}

// indexQuery is what of the query the index knows.
func (q *query) indexQuery(maxPending int) index.Query {
	return index.Query{
		Facets: q.facets, Words: q.search, Ranked: q.relevance, Literal: q.literal, SQL: q.SQL(), Args: q.Args, MaxPending: maxPending,
	}
}

// byIndex says whether the index knows anything of the query.
func (q *query) byIndex() bool { return len(q.facets)+len(q.custom) > 0 || q.search != nil }

// narrowed is the same query with what the index has found, or nil where that does not help.
func (q *query) narrowed(f index.Found) *query {
	total, narrowed := int64(f.Positions.GetCardinality()), *q
	only := q.exact()
	if only {
		narrowed.known = &total
	}
	switch {
	case only && len(q.sort) == 0:
		narrowed.Conditions = table.Conditions{}
		skip := q.offset()
		if q.after != nil {
			position, err := strconv.ParseInt(*q.after[0], 10, 64)
			if err != nil { // a cursor has what the database gave
				return nil
			}
			skip = f.Through(position, q.backwards)
		}
		narrowed.Add("t.position = ANY($2)", f.Page(skip, int64(q.perPage)+1, q.backwards))
		narrowed.page, narrowed.skip = 1, 0
	case total <= maxListed || q.search != nil:
		narrowed.Conditions = q.among(f)
	case !only:
		return nil
	}
	return &narrowed
}

// among are the query's conditions with the positions that were found, in place of the conditions that found them
// where there are no others.
func (q *query) among(f index.Found) table.Conditions {
	conditions := q.Conditions.Clone()
	if q.exact() {
		conditions = table.Conditions{}
	}
	total := int64(f.Positions.GetCardinality())
	if all := f.Page(0, total, false); total <= maxListed {
		conditions.Add("t.position = ANY($2)", all)
	} else { // Postgres looks at each of a list that it is to plan for
		conditions.Add("t.position IN (SELECT unnest($2::bigint[]))", all)
	}
	return conditions
}

// maxRelevant is how many records sort=relevance gives.
const maxRelevant = 200

// best gives how many records the words have found that meet all conditions, and the best of them, the best first, at most so many.
func (t list) best(ctx context.Context, tx pgx.Tx, q *query, f index.Found, limit int) (total int64, hits []index.Hit, err error) {
	if !q.exact() && !f.Positions.IsEmpty() {
		conditions := q.among(f)
		rows, err := tx.Query(ctx, "SELECT t.position FROM "+t.Name+" t WHERE "+conditions.SQL(), conditions.Arguments(ctx)...)
		if err != nil {
			return 0, nil, err
		}
		positions, err := pgx.CollectRows(rows, pgx.RowTo[uint64])
		if err != nil {
			return 0, nil, err
		}
		f.Positions = roaring.BitmapOf(positions...)
	}
	return int64(f.Positions.GetCardinality()), f.Best(limit), nil
}

// of is the query with the records of its page in place of all conditions, in their order.
func (q *query) of(total int64, hits []index.Hit) *query {
	narrowed := *q
	narrowed.known, narrowed.page, narrowed.skip, narrowed.Conditions = &total, 1, 0, table.Conditions{}
	skip := int(min(q.offset(), int64(len(hits))))
	hits = hits[skip:min(skip+q.perPage, len(hits))]
	narrowed.ranked = make([]int64, len(hits))
	for i, hit := range hits {
		narrowed.ranked[i] = hit.Position
	}
	narrowed.Add("t.position = ANY($2)", narrowed.ranked)
	return &narrowed
}
