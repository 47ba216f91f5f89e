package read

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
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
	for _, collection := range in.Collections {
		t := list{set.Tables[collection]}
		if t.Table == nil || len(t.Searched) == 0 || t.Parent != "" {
			return response, fault.InvalidFields(fault.Field{Field: "collections", Message: collection + " is no collection that is searched here"})
		}
		parameters := url.Values{"q": {in.Text}, "sort": {relevance}}
		if in.SiteID != nil {
			parameters.Set("site_id", *in.SiteID)
		}
		q, err := t.parseQuery(parameters)
		if err != nil {
			return response, err
		}
		if response.Collections[collection], err = t.search(ctx, q, in.Limit); err != nil {
			return response, t.Explain(err)
		}
	}
	return response, nil
}

// search gives the best records, at most so many.
func (t list) search(ctx context.Context, q *query, limit int) (result reference.Found, err error) {
	result = reference.Found{Exact: true, Hits: []reference.Hit{}}
	err = t.find(ctx, q, func(ctx context.Context, tx pgx.Tx, found index.Found) error {
		total, hits, err := t.best(ctx, tx, q, found, limit)
		if err != nil || total == 0 {
			return err
		}
		result.Count, result.Corrected = int(total), found.Words.Corrected()
		result.Hits, err = t.readHits(ctx, tx, hits)
		return err
	})
	return result, err
}

// readHits reads what is shown of the records of hits, in their order.
func (t list) readHits(ctx context.Context, tx pgx.Tx, hits []index.Hit) ([]reference.Hit, error) {
	places := map[int64]int{}
	positions := make([]int64, len(hits))
	for i, hit := range hits {
		places[hit.Position], positions[i] = i, hit.Position
	}
	var conditions table.Conditions
	conditions.Add("t.position = ANY($2)", positions)
	rows, err := tx.Query(ctx, "SELECT t.position, t.id::text, "+t.shown()+" FROM "+t.Name+" t WHERE "+conditions.SQL(), conditions.Arguments(ctx)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	read := make([]reference.Hit, len(hits))
	for rows.Next() {
		values := texts(rows.RawValues())
		position, err := strconv.ParseInt(*values[0], 10, 64)
		if err != nil {
			return nil, err
		}
		place := places[position]
		hit := hits[place]
		read[place] = reference.Hit{ID: *values[1], Code: values[3], Detail: values[4], Status: values[5], SiteID: values[6],
			Match: hit.Match.String(), Ended: hit.Ended}
		if values[2] != nil {
			read[place].Name = *values[2]
		}
	}
	return read, rows.Err()
}

// shown are the expressions of what is shown of a record that was found: its name, code, detail, status and site.
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
	return strings.Join([]string{expression(t.Column(t.Label)), expression(code), detail, expression(t.Column(t.State)), expression(t.Column("site_id"))}, ", ")
}
