package read

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/internal/index"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/search"
)

// detailFields is how many texts tell a record from others of its name.
const detailFields = 3

// Search gives the best records of some collections that a text finds, as their lists do with q and sort=relevance.
func Search(ctx context.Context, set *table.Set, in reference.SearchQuery) (reference.SearchResponse, error) {
	response := reference.SearchResponse{Collections: map[string]reference.Found{}}
	lists, queries, err := searched(ctx, set, in)
	if err != nil {
		return response, err
	}
	var whole []list // those of which all records are looked through
	var words *query
	for i, t := range lists {
		if len(queries[i].Where) == 0 {
			whole, words = append(whole, t), queries[i]
		}
	}
	if whole != nil {
		if err := searchEach(ctx, set, whole, words, in.Limit, response.Collections); err != nil {
			return response, whole[0].Explain(err)
		}
	}
	// with a site, without what lists do not show or the caller may not see; and where too many records are pending to
	// be looked at beside others
	for i, t := range lists {
		if _, done := response.Collections[t.Row.Name]; done {
			continue
		}
		if response.Collections[t.Row.Name], err = t.search(ctx, queries[i], in.Limit); err != nil {
			return response, t.Explain(err)
		}
	}
	return response, nil
}

// searched gives the lists of the collections that are to be searched, and what is asked of each.
func searched(ctx context.Context, set *table.Set, in reference.SearchQuery) (lists []list, queries []*query, err error) {
	for _, collection := range in.Collections {
		t := list{set.Tables[collection]}
		if t.Table == nil || len(t.Searched) == 0 || t.Parent != "" {
			return nil, nil, fault.InvalidFields(fault.Field{Field: "collections", Message: collection + " is no collection that is searched here"})
		}
		parameters := url.Values{"q": {in.Text}, "sort": {relevance}}
		if in.SiteID != nil {
			parameters.Set("site_id", *in.SiteID)
		}
		for filter, ids := range map[string][]string{"site_id": in.SiteIDs, "building_id": in.BuildingIDs} {
			if len(ids) > 0 {
				parameters.Set(filter, strings.Join(ids, ","))
			}
		}
		q, err := t.parseQuery(principal.From(ctx).Calendar(), t.withDefaults(parameters))
		if err != nil {
			return nil, nil, err
		}
		q.literal = !in.Correct
		q.hide(ctx, t)
		lists, queries = append(lists, t), append(queries, q)
	}
	return lists, queries, nil
}

// searchEach gives what words find in several collections, in one transaction and three round trips; nothing of those of which too many
// records are pending.
func searchEach(ctx context.Context, set *table.Set, lists []list, q *query, limit int, results map[string]reference.Found) error {
	tables := make([]*table.Table, len(lists))
	for i, t := range lists {
		tables[i] = t.Table
	}
	var found []index.Found
	err := set.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		if found, err = index.FindEach(ctx, tx, tables, q.indexQuery(index.MaxPending)); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		for i, t := range lists {
			if found[i].Positions == nil {
				continue
			}
			result := reference.Found{Exact: true, Count: int(found[i].Positions.GetCardinality()), Hits: []reference.Hit{}}
			if result.Count > 0 {
				hits := found[i].Best(limit)
				result.Corrected = found[i].Words.Corrected()
				result.Hits = make([]reference.Hit, len(hits))
				t.queueHits(ctx, batch, hits, result.Hits)
			}
			results[t.Row.Name] = result
		}
		if batch.Len() == 0 {
			return nil
		}
		return tx.SendBatch(ctx, batch).Close()
	})
	for i, f := range found {
		index.FoldWhenNeeded(ctx, tables[i], f.Pending)
	}
	return err
}

// search gives the best records of a collection, at most so many.
func (t list) search(ctx context.Context, q *query, limit int) (result reference.Found, err error) {
	result = reference.Found{Exact: true, Hits: []reference.Hit{}}
	err = t.find(ctx, q, func(ctx context.Context, tx pgx.Tx, found index.Found) error {
		total, hits, err := t.best(ctx, tx, q, found, limit)
		if err != nil || total == 0 {
			return err
		}
		result.Count, result.Corrected = int(total), found.Words.Corrected()
		result.Hits = make([]reference.Hit, len(hits))
		batch := &pgx.Batch{}
		t.queueHits(ctx, batch, hits, result.Hits)
		return tx.SendBatch(ctx, batch).Close()
	})
	return result, err
}

// queueHits reads what is shown of the records of hits with a batch, into places of the same order.
func (t list) queueHits(ctx context.Context, batch *pgx.Batch, hits []index.Hit, into []reference.Hit) {
	places := map[int64]int{}
	positions := make([]int64, len(hits))
	for i, hit := range hits {
		places[hit.Position], positions[i] = i, hit.Position
	}
	var conditions table.Conditions
	conditions.Add("t.position = ANY($2)", positions)
	batch.Queue("SELECT t.position, t.id::text, "+t.shown()+" FROM "+t.Name+" t WHERE "+conditions.SQL(), conditions.Arguments(ctx)...).Query(
		func(rows pgx.Rows) error {
			for rows.Next() {
				values := texts(rows.RawValues())
				position, err := strconv.ParseInt(*values[0], 10, 64)
				if err != nil {
					return err
				}
				place := places[position]
				into[place] = reference.Hit{ID: *values[1], Code: values[3], Detail: values[4], Status: values[5], SiteID: values[6],
					BuildingID: values[7], Match: hits[place].Match.String(), Ended: hits[place].Ended}
				if values[2] != nil {
					into[place].Name = *values[2]
				}
			}
			return rows.Err()
		})
}

// shown are the expressions of what is shown of a record that was found: its name, code, detail, status, site and building.
func (t list) shown() string {
	expression := func(c *table.Column) string {
		if c == nil {
			return "NULL::text"
		}
		return c.SQL + "::text"
	}
	var code *table.Column
	var details, kinds []string
	for _, c := range t.Searched {
		switch {
		case c.Search == string(search.Code) && c.Name != "external_id" && code == nil:
			code = c
		case c.Search == string(search.Text) && c.Enum != nil:
			kinds = append(kinds, c.SQL)
		case c.Search == string(search.Text) && len(details) < detailFields:
			details = append(details, c.SQL)
		}
	}
	if details == nil {
		details = kinds
	}
	detail := "NULL::text"
	if details != nil {
		detail = "nullif(concat_ws(', ', " + strings.Join(details, ", ") + "), '')"
	}
	return strings.Join([]string{expression(t.Column(t.Label)), expression(code), detail, expression(t.Column(t.State)),
		expression(t.Column("site_id")), expression(t.Column("building_id"))}, ", ")
}
