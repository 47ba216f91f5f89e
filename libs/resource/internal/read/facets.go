package read

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/internal/facet"
	"ams.internal/libs/resource/internal/table"
)

// mostListed is how many records are handed to a statement by their positions. Of more, a statement that looks for them finds enough
// for a page soon.
const mostListed = 20_000

// foldPatience is how long a list folds facets before it looks at the rows.
const foldPatience = 5 * time.Second

// readByFacets reads a page of a list that is filtered by facets. It says no, and has read nothing, where the rows answer sooner.
func (t list) readByFacets(ctx context.Context, q *query, p *page) (done bool, err error) {
	for begin := time.Now(); ; {
		var found facet.Found
		if done, found, err = t.tryFacets(ctx, q, p); err != nil {
			return false, err
		}
		if found.Positions != nil {
			facet.FoldWhenNeeded(ctx, t.Table, found.Pending)
			return done, nil
		}
		// After an import, or an update of the product: until somebody has folded, every list looks at all rows.
		if folded, err := facet.Fold(ctx, t.Table); folded == 0 || err != nil || time.Since(begin) > foldPatience {
			return false, err
		}
	}
}

// tryFacets reads a page if facets say enough of it.
func (t list) tryFacets(ctx context.Context, q *query, p *page) (done bool, found facet.Found, err error) {
	err = t.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		if found, err = facet.Find(ctx, tx, t.Table, q.facets, q.SQL(), q.Args); err != nil {
			return err
		}
		narrowed := q.narrowed(found)
		if narrowed == nil {
			return nil
		}
		done = true
		if narrowed.known != nil {
			p.total = *narrowed.known
		}
		return t.readPage(ctx, narrowed, p)
	})
	return done, found, err
}

// narrowed is the same query with what was found by its facets, or nil where that does not help.
func (q *query) narrowed(found facet.Found) *query {
	if found.Positions == nil {
		return nil
	}
	total, narrowed := int64(found.Positions.GetCardinality()), *q
	only := len(q.facets) == len(q.Where)
	if only {
		narrowed.known = &total
	}
	switch {
	case only && len(q.sort) == 0:
		narrowed.Conditions = table.Conditions{}
		skip := int64(q.page-1) * int64(q.perPage)
		if q.after != nil {
			position, err := strconv.ParseInt(*q.after[0], 10, 64)
			if err != nil { // a cursor has what the database gave
				return nil
			}
			skip = found.Through(position, q.backwards)
		}
		narrowed.Add("t.position = ANY($2)", found.Page(skip, int64(q.perPage)+1, q.backwards))
		narrowed.page = 1
	case total <= mostListed:
		narrowed.Conditions = q.among(found)
	case !only:
		return nil
	}
	return &narrowed
}

// among are the query's conditions with the positions that were found, in place of the conditions that found them where there are no others.
func (q *query) among(found facet.Found) table.Conditions {
	conditions := q.Conditions.Clone()
	if len(q.facets) == len(q.Where) {
		conditions = table.Conditions{}
	}
	conditions.Add("t.position = ANY($2)", found.Page(0, mostListed, false))
	return conditions
}
