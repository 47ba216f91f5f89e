package read

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/odata"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/internal/custom"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
	"ams.internal/libs/transport"
)

// odata answers a request for a set: a page of records, groups of them, or their number. Besides OData's options it
// takes the filters of the list.
func (t list) odata(ctx context.Context, r *transport.Request, request *odata.Request) (*transport.Response, error) {
	parameters := r.Query
	o, own, err := odata.Parse(parameters, r.Header)
	if err != nil {
		return nil, err
	}
	q, err := t.parseOData(ctx, r, o, own, t.withDefaultsBeside(o.Condition(), own))
	if err != nil {
		return nil, err
	}
	switch {
	case o.Apply != nil:
		body, err := t.apply(ctx, q, request, o)
		return &transport.Response{Body: body, ContentType: o.ContentType()}, t.Explain(err)
	case request.Count:
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
	page.body.odata = &inOData{request: request, options: o, query: parameters}
	page.body.buffer = request.Begin(nil, o)
	response, err := t.respond(ctx, q, &page)
	if err != nil {
		page.body.Drop()
		return nil, t.Explain(err)
	}
	if page.body.records == 0 { // what $expand says is right or wrong also where nothing is found
		if _, err := t.names(ctx, q, nil); err != nil {
			page.body.Drop()
			return nil, err
		}
	}
	return response, nil
}

// entity answers a request for one record of a set, or for the record that it refers to.
func (t list) entity(
	ctx context.Context, r *transport.Request, request *odata.Request, condition, value string,
) (*transport.Response, error) {
	const ofOne = "is for sets; of one record $select chooses the fields, and $expand shows what it refers to"
	for _, name := range sortedNames(r.Query) {
		if strings.HasPrefix(name, "$") && name != "$select" && name != "$format" && (name != "$expand" || request.Navigation != "") {
			return nil, fault.InvalidFields(fault.Field{Field: name, Message: ofOne})
		}
	}
	o, own, err := odata.Parse(r.Query, r.Header)
	if err != nil {
		return nil, err
	}
	for _, name := range sortedNames(own) {
		return nil, fault.InvalidFields(fault.Field{Field: name, Message: ofOne})
	}
	shown := *o
	if request.Navigation != "" { // then $select is about what is referred to
		o.Expand, o.Select = []odata.Expand{{Name: request.Navigation, Select: o.Select}}, []string{"id"}
	}
	q, err := t.parseOData(ctx, r, o, own, own)
	if err != nil {
		return nil, err
	}
	q.Add(condition, value)
	var found []table.Values
	err = t.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue("SELECT "+table.Selection(q.selected())+" FROM "+t.Name+" t WHERE "+q.SQL(),
			q.Arguments(ctx)...).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				found = append(found, table.Copy(rows.RawValues()))
			}
			return rows.Err()
		})
	}, samePlan)
	if err == nil && found == nil {
		err = t.Missing(ctx, value)
	}
	if err != nil {
		return nil, t.Explain(err)
	}
	names, err := t.names(ctx, q, found)
	if err != nil {
		return nil, err
	}
	if request.Navigation == "" {
		return &transport.Response{Body: request.Entity(q.appendOne(nil, found[0], names), &shown), ContentType: o.ContentType()}, nil
	}
	related, exists := names[0][string(found[0][len(q.columns)])]
	if !exists {
		return &transport.Response{Status: http.StatusNoContent}, nil
	}
	return &transport.Response{Body: request.To(q.expand[0].row.Name).Entity([]byte(related), &shown), ContentType: o.ContentType()}, nil
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
	for _, name := range sortedNames(own) {
		if message := t.misplaced(name); message != "" {
			return nil, fault.InvalidFields(fault.Field{Field: name, Message: message})
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
			if t.navigation(name) != nil { // it is shown where $expand names it
				continue
			}
			if c := t.named("$select", name, &problems); c != nil && !slices.Contains(q.columns, c) {
				q.columns = append(q.columns, c)
			}
		}
		if len(q.columns) == 0 {
			q.columns = []*table.Column{t.Column("id")}
		}
	}
	q.columns = slices.Clone(q.columns)
	for i, c := range q.columns {
		q.columns[i] = c.InOData(o.TextNumbers)
	}
	t.addExpansions(q, o, &problems)
	if o.Apply == nil {
		t.orderBy(q, o.OrderBy, &problems)
	}
	if err := t.addFilter(ctx, q, o.Condition(), &problems); err != nil {
		return nil, err
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	if err := q.allowed(ctx); err != nil {
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

// insteadOf says which options of OData there are in the place of parameters of lists.
var insteadOf = map[string]string{"page": "$skip", "per_page": "$top", "cursor": "$skiptoken", "sort": "$orderby", "fields": "$select",
	"expand": "$expand", "totals": "$apply", "group_by": "$apply"}

// misplaced says what is wrong with a parameter that has another name in OData, or none; "" where it may be one of the list.
func (t list) misplaced(name string) string {
	option := "$" + name
	switch {
	case insteadOf[name] != "":
		return "is for the lists of the API; in OData use " + insteadOf[name]
	case slices.Contains(t.shownOnly(), name):
		return "is for the lists of the API; read " + t.Row.Path + " with it, or leave it out"
	case t.Column(name) == nil && t.Filters[name].Kind == "" && odata.IsOption(option):
		return "has a sign before it in OData 4.0: " + option
	}
	return ""
}

// navigation gives the navigation property of a name, or nil.
func (t list) navigation(name string) *expansion {
	for _, e := range expansionsOf(t.Table) {
		if e.name == name && e.list == nil {
			return e
		}
	}
	return nil
}

// addExpansions has the query show the records that $expand names.
func (t list) addExpansions(q *query, o *odata.Options, problems *schema.Problems) {
	for _, wanted := range o.Expand {
		e := t.navigation(wanted.Name)
		if e == nil {
			problems.Add("$expand", "%s", t.noNavigation(wanted.Name))
			return
		}
		e.whole = &reference.RecordsQuery{Fields: wanted.Select, TextNumbers: o.TextNumbers}
		q.expand = append(q.expand, e)
	}
}

// noNavigation says what can be expanded in the place of a name.
func (t list) noNavigation(name string) string {
	var names []string
	for _, e := range expansionsOf(t.Table) {
		switch {
		case e.list == nil:
			names = append(names, e.name)
		case e.name == name:
			return fmt.Sprintf("shows one record of each name, and %s is a list; read it from the set %s", name, e.row.Name)
		}
	}
	switch {
	case names == nil:
		return "is for sets whose records refer to others; leave it out"
	case name == "*":
		return "takes navigation properties by their names, not *; these are: " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("cannot expand %.100q; these are: %s%s", name, strings.Join(names, ", "), suggest.DidYouMean(name, names))
}

// elsewhere says how something is asked about the record behind a navigation property.
func (e *expansion) elsewhere() string {
	return fmt.Sprintf("cannot reach into %[1]s, which is a record of another set; ask about its id, %[2]s. The ids are had from %[3]s, "+
		"with $select=id and a $filter, and several are asked for with %[2]s in (…)", e.name, e.column.Name, e.row.Name)
}

// maxProblems is how many names that are no field's are told of: for each of them all names are compared.
const maxProblems = 5

// named gives the column of a name, or says that there is none.
func (t list) named(option, name string, problems *schema.Problems) *table.Column {
	c := t.Column(name)
	if e := t.navigation(name); e != nil && c == nil {
		problems.Add(option, "%s", e.elsewhere())
	} else if c == nil && len(*problems) < maxProblems {
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
		if first, _, _ := strings.Cut(name, "/"); t.navigation(first) != nil {
			problems.Add("$orderby", "cannot reach into %s, which is a record of another set; sort by it where you read, with $expand=%[1]s", first)
			return
		}
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
	request *odata.Request
	options *odata.Options
	query   url.Values
}

// end appends the end of a page of so many records; token is where the list goes on, "" at its end.
func (d *inOData) end(dst []byte, total int64, token string, records int) []byte {
	next := ""
	if o := d.options; token != "" && (o.Top < 0 || int64(records) < o.Top) {
		next = d.request.Next(d.query, o, token, records)
	}
	return d.request.End(dst, d.options, total, next)
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
