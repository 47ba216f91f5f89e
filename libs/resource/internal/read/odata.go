package read

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/odata"
	"ams.internal/libs/resource/internal/custom"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// odata answers a request for a set: a page of records, groups of them, or their number. Besides OData's options it takes the filters of the
// list.
func (t list) odata(ctx context.Context, r *transport.Request, asked *odata.Asked) (*transport.Response, error) {
	parameters := r.Query
	o, own, err := odata.Parse(parameters, r.Header["Prefer"])
	if err != nil {
		return nil, err
	}
	q, err := t.parseOData(ctx, r, o, own, t.withDefaultsBeside(o.Condition(), own))
	if err != nil {
		return nil, err
	}
	switch {
	case o.Apply != nil:
		body, err := t.apply(ctx, q, asked, o)
		return &transport.Response{Body: body, ContentType: odata.ContentType}, t.Explain(err)
	case asked.Count:
		total, err := t.count(ctx, q)
		if err != nil {
			return nil, t.Explain(err)
		}
		return transport.CountOf(total), nil
	}
	if !o.Count {
		unknown := int64(0)
		q.known = &unknown // nobody asks how many there are, so they are not counted
	}
	page := page{body: NewBody(ctx, r, 1, q.perPage, len(q.columns))}
	page.body.odata = &inOData{asked: asked, options: o, query: parameters}
	page.body.buffer = asked.Begin(nil, o.Select)
	response, err := t.respond(ctx, q, &page)
	if err != nil {
		page.body.Drop()
		return nil, t.Explain(err)
	}
	return response, nil
}

// entity answers a request for one record of a set.
func (t list) entity(ctx context.Context, r *transport.Request, asked *odata.Asked, condition, value string) (*transport.Response, error) {
	for name := range r.Query {
		if strings.HasPrefix(name, "$") && name != "$select" && name != "$format" {
			return nil, fault.InvalidFields(fault.Field{Field: name, Message: "is for sets; of one record $select chooses the fields"})
		}
	}
	o, own, err := odata.Parse(r.Query, nil)
	if err != nil {
		return nil, err
	}
	for _, name := range sortedNames(own) {
		return nil, fault.InvalidFields(fault.Field{Field: name, Message: "is for sets; of one record $select chooses the fields"})
	}
	q, err := t.parseOData(ctx, r, o, own, own)
	if err != nil {
		return nil, err
	}
	q.Add(condition, value)
	var body []byte
	err = t.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue("SELECT "+table.Selection(q.selected())+" FROM "+t.Name+" t WHERE "+q.SQL(), q.Arguments(ctx)...).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				body = asked.Entity(q.appendOne(nil, rows.RawValues(), nil), o.Select)
			}
			return rows.Err()
		})
	}, samePlan)
	if err == nil && body == nil {
		err = t.Missing(ctx, value)
	}
	return &transport.Response{Body: body, ContentType: odata.ContentType}, t.Explain(err)
}

// withDefaultsBeside is withDefaults but for what a filter asks for itself: of documents, those in the trash are had by their status.
func (t list) withDefaultsBeside(filter odata.Expression, own url.Values) url.Values {
	all := t.withDefaults(own)
	for name := range t.Default {
		if !own.Has(name) && mentions(filter, name) {
			all.Del(name)
		}
	}
	return all
}

// parseOData makes a query of OData's options and of the list's own parameters: those that were sent, and those with what holds besides.
func (t list) parseOData(ctx context.Context, r *transport.Request, o *odata.Options, own, whole url.Values) (*query, error) {
	instead := map[string]string{"page": "$skip", "per_page": "$top", "cursor": "$skiptoken", "sort": "$orderby", "fields": "$select"}
	for _, name := range sortedNames(own) {
		if option := instead[name]; option != "" {
			return nil, fault.InvalidFields(fault.Field{Field: name, Message: "is for the lists of the API; in OData use " + option})
		}
		if slices.Contains(t.shownOnly(), name) {
			return nil, fault.InvalidFields(fault.Field{Field: name, Message: "is for the lists of the API"})
		}
	}
	r.Query = own
	q, err := t.parse(ctx, r, whole)
	if err != nil {
		return nil, err
	}
	q.page, q.perPage, q.skip = 1, o.PageSize, o.Skip
	var problems schema.Problems
	if o.Select != nil {
		q.columns = nil
		for _, name := range o.Select {
			if c := t.named("$select", name, &problems); c != nil && !slices.Contains(q.columns, c) {
				q.columns = append(q.columns, c)
			}
		}
	}
	q.columns = slices.Clone(q.columns)
	for i, c := range q.columns {
		q.columns[i] = c.InOData()
	}
	if o.Apply == nil {
		t.orderBy(q, o.OrderBy, &problems)
	}
	if err := t.addFilter(ctx, q, o.Condition(), &problems); err != nil {
		return nil, err
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	if err := table.MayQuery(ctx, q.queried...); err != nil {
		return nil, err
	}
	same := url.Values{"$filter": r.URL.Query()["$filter"], "$orderby": r.URL.Query()["$orderby"]}
	for name, values := range own {
		same[name] = values
	}
	if q.list = t.listOf(ctx, "odata"+q.sortedAs(), same); o.Token != "" {
		q.cursor = true
		if err := t.goOn(q, o.Token); err != nil {
			return nil, odata.ErrToken
		}
	}
	return q, nil
}

// maxProblems is how many names that are no field's are told of: for each of them all names are compared.
const maxProblems = 5

// named gives the column of a name, or says that there is none.
func (t list) named(option, name string, problems *schema.Problems) *table.Column {
	c := t.Column(name)
	if c == nil && len(*problems) < maxProblems {
		problems.Add(option, "%s", odata.Unknown(name, t.Schema.Names(func(*schema.Field) bool { return true })))
	}
	return c
}

// orderBy orders by fields that lists are sorted by: each page reads what an index has the order of, or sorts all keys.
func (t list) orderBy(q *query, keys []odata.Order, problems *schema.Problems) {
	if len(keys) == 0 {
		return
	}
	var sort []string
	for _, key := range keys {
		name := key.Name
		if key.Descending {
			name = "-" + name
		}
		sort = append(sort, name)
	}
	var found schema.Problems
	t.parseSort(q, strings.Join(sort, ","), &found)
	for _, problem := range found {
		problems.Add("$orderby", "%s", problem.Message)
	}
}

// count gives how many records the query finds.
func (t list) count(ctx context.Context, q *query) (total int64, err error) {
	if q.byIndex() { // words are no condition: the index alone knows which records have them
		err = t.DB.Read(ctx, func(reading context.Context, tx pgx.Tx) error {
			conditions, err := t.conditionsOfAll(ctx, reading, tx, q)
			if err != nil {
				return err
			}
			return tx.QueryRow(reading, "SELECT count(*) FROM "+t.Name+" t WHERE "+conditions.SQL(), conditions.Arguments(ctx)...).Scan(&total)
		})
		return total, err
	}
	counted := page{}
	sql, args := t.totalSQL(ctx, q)
	err = t.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue("SELECT "+sql, args...).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				if err := counted.count(rows.RawValues()[0]); err != nil {
					return err
				}
			}
			return rows.Err()
		})
	}, planByValue)
	return counted.total, err
}

// inOData is what the end of a page in OData needs.
type inOData struct {
	asked   *odata.Asked
	options *odata.Options
	query   url.Values
}

// end appends the end of a page of so many records; token is where the list goes on, "" at its end.
func (d *inOData) end(dst []byte, total int64, token string, records int) []byte {
	next := ""
	if o := d.options; token != "" && (o.Top < 0 || int64(records) < o.Top) {
		next = d.asked.Next(d.query, o, token, records)
	}
	return d.asked.End(dst, d.options, total, next)
}

// declaredOf gives the custom fields that the organization has declared of the collection.
func (t list) declaredOf(ctx context.Context) (fields []custom.Field, err error) {
	if !t.DeclaresCustomFields() {
		return nil, nil
	}
	err = t.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		fields, err = custom.Declared(ctx, tx, t.Table)
		return err
	})
	return fields, err
}
