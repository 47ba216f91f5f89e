package read

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/odata"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/internal/custom"
	"ams.internal/libs/resource/internal/links"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/spool"
	"ams.internal/libs/transport"
)

// List answers a page, or the whole filtered collection as a stream.
func List(ctx context.Context, tbl *table.Table, r *transport.Request) (*transport.Response, error) {
	t := list{tbl.For(ctx)}
	if request := odata.From(r.Header); request != nil {
		return t.odata(ctx, r, request)
	}
	q, err := t.parseList(ctx, r)
	if err != nil {
		return nil, err
	}
	format, err := q.chosenCSV(t.formatOf(r.Header["Accept"]), r.Header.Get("Accept-Language"))
	if err != nil {
		return nil, err
	}
	if format != nil && q.cursor {
		return nil, fault.InvalidFields(fault.Field{Field: "cursor", Message: "is for pages; a stream has the whole list, so leave cursor out"})
	}
	if format != nil {
		if q.totals || q.groupBy != nil {
			return nil,
				fault.InvalidFields(fault.Field{Field: "totals", Message: "is for pages; a stream has all records, so leave totals and group_by out"})
		}
		if q.relevance {
			return nil, fault.InvalidFields(fault.Field{Field: "sort",
				Message: "relevance has the best records only, and a file has all; sort by a field, or leave sort out"})
		}
		return t.stream(ctx, q, format), nil
	}
	tag, known := t.tagged(ctx, q, r.Query), strings.Join(r.Header["If-None-Match"], ",")
	if response, err := t.unchanged(ctx, q, tag, known); response != nil || err != nil {
		return response, t.Explain(err)
	}
	page := page{body: NewBody(ctx, r, q.page, q.perPage, len(q.columns))}
	if q.relevance {
		page.body.Reachable = maxRelevant
	}
	page.body.cursors, page.body.byCursor = true, q.cursor
	page.body.Advice = ", or for fewer fields with fields="
	response, err := t.respond(ctx, q, &page)
	if err != nil {
		page.body.Drop()
		return nil, t.Explain(err)
	}
	return t.withTag(ctx, tag, &page, response, known), nil
}

// respond reads a page and gives the response that has it.
func (t list) respond(ctx context.Context, q *query, page *page) (response *transport.Response, err error) {
	if q.completed() {
		page.spooled = spool.New(ctx)
		defer page.spooled.Close()
		page.rows.w = page.spooled
	}
	if err = t.read(ctx, q, page); err != nil {
		return nil, err
	}
	t.foldWhenNeeded(ctx, page.deltas)
	if page.spooled != nil {
		page.spooled.End(page.rows.write(0))
		if err := t.withNames(ctx, q, page.spooled, func(values table.Values, names []map[string]string) error {
			return page.body.Add(q.appendOne(page.body.Next(), values, names))
		}); err != nil {
			return nil, err
		}
	}
	if page.more {
		next, err := t.next(q, page.last)
		if err != nil {
			return nil, err
		}
		page.body.next = next
	}
	if q.totals || q.groupBy != nil {
		if page.body.totals, err = t.totals(ctx, q); err != nil {
			return nil, err
		}
	}
	return page.body.Response(page.total)
}

// parseList reads the parameters of a list, with those that hold where they are not sent.
func (t list) parseList(ctx context.Context, r *transport.Request) (*query, error) {
	return t.parse(ctx, r, t.withDefaults(r.Query))
}

// parse reads parameters; of a sub-collection, the parent in the path is one more filter.
func (t list) parse(ctx context.Context, r *transport.Request, parameters url.Values) (*query, error) {
	if err := r.CheckQueryText(); err != nil {
		return nil, err
	}
	declared, err := t.declared(ctx, r.Query)
	if err != nil {
		return nil, err
	}
	q, err := t.parseQuery(principal.From(ctx).Calendar(), parameters, declared...)
	if err != nil {
		return nil, err
	}
	if q.pending != nil {
		custom.Work(ctx, t.Table)
		return nil, q.pending.PendingFault()
	}
	if err := q.allowed(ctx); err != nil {
		return nil, err
	}
	parent, err := ParentOf(ctx, t.Table, r)
	if err != nil {
		return nil, err
	}
	switch {
	case parent != "":
		q.Add("t."+t.Parent+" = $2", parent)
	case t.Parent != "": // said so that they are counted: the ledger has collections of their own only
		q.Add("t." + t.Parent + " IS NOT NULL")
	}
	q.hide(ctx, t)
	if q.asOf != "" {
		if _, err := t.AsOf.Read(ctx, q.asOf, nil); err != nil {
			return nil, err
		}
	}
	if q.list = t.listOf(ctx, parent+q.sortedAs(), r.Query); q.cursor {
		err = t.goOn(q, r.Query.Get("cursor"))
	}
	return q, err
}

// withDefaults adds the parameters that hold where they are not sent.
func (t list) withDefaults(values url.Values) url.Values {
	if len(t.Default) == 0 {
		return values
	}
	all := maps.Clone(values)
	for name, value := range t.Default {
		if !all.Has(name) {
			all.Set(name, value)
		}
	}
	return all
}

// hide leaves out what the caller may not see. Words are not taken for others then, which may be those of records that he may not see.
func (q *query) hide(ctx context.Context, t list) {
	if condition := t.VisibleTo(ctx); condition != "" {
		q.Add(condition)
		q.literal = true
	}
}

// ParentOf gives the parent's id of a sub-collection, which must be a record of the organization that the caller may see; "" where the path
// says transport.AnyParent.
func ParentOf(ctx context.Context, t *table.Table, r *transport.Request) (string, error) {
	if t.Parent == "" || r.Method == http.MethodGet && r.Path(t.Parent) == transport.AnyParent {
		return "", nil
	}
	parent, err := r.ID(t.Parent)
	if err != nil {
		return "", err
	}
	of := t.Schema.Field(t.Parent).References
	entries, err := links.Find(ctx, t.Set, of, reference.Query{IDs: []string{parent}})
	if err == nil && len(entries) == 0 {
		err = fault.NotFound("record in "+of, parent)
		if above := t.Tables[of]; above != nil && above.Hidden != nil {
			err = above.Missing(ctx, parent)
		}
	}
	return parent, err
}

// Get answers one record.
func Get(ctx context.Context, tbl *table.Table, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	return list{tbl.For(ctx)}.get(ctx, r, "t.id = $2", id)
}

// GetByExternalID is Get for a record that is named by its external id.
func GetByExternalID(ctx context.Context, tbl *table.Table, r *transport.Request) (*transport.Response, error) {
	externalID, err := ExternalID(tbl, r)
	if err != nil {
		return nil, err
	}
	return list{tbl.For(ctx)}.get(ctx, r, "t.external_id_key = unique_key($2)", externalID)
}

// ExternalID gives the external id in the path, as it is stored.
func ExternalID(t *table.Table, r *transport.Request) (string, error) {
	var problems schema.Problems
	text := r.Path("external_id")
	if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
		problems.Add("external_id", "must be well-formed UTF-8 without NUL characters")
		return "", problems.Err()
	}
	value := t.Schema.Field("external_id").Check("external_id", text, &problems)
	if value == nil {
		problems.Add("external_id", "must not be empty")
	}
	if err := problems.Err(); err != nil {
		return "", err
	}
	return value.(string), nil
}

// get answers the record that meets a condition about $2.
func (t list) get(ctx context.Context, r *transport.Request, condition string, value string) (*transport.Response, error) {
	if request := odata.From(r.Header); request != nil {
		return t.entity(ctx, r, request, condition, value)
	}
	if err := r.CheckQuery(t.shownBy()...); err != nil {
		return nil, err
	}
	q, err := t.parse(ctx, r, r.Query)
	if err != nil {
		return nil, err
	}
	q.Add(condition, value)
	columns := append(q.selected(), t.Column("version"))
	var found []table.Values
	err = t.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue("SELECT "+table.Selection(columns)+" FROM "+t.Name+" t WHERE "+q.SQL(), q.Arguments(ctx)...).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				found = append(found, table.Copy(rows.RawValues()))
			}
			return rows.Err()
		})
	}, samePlan)
	if err != nil {
		return nil, t.Explain(err)
	}
	if len(found) == 0 {
		if schema.IsUUID(value) {
			return nil, t.Missing(ctx, value)
		}
		return nil, t.NotFound(value)
	}
	version := string(found[0][len(columns)-1])
	return t.conditionally(ctx, r, q, version, found)
}

// conditionally gives the response that shows a record, or the 304 that says that the caller has it. Who sends the version alone asks
// whether the whole record has another one.
func (t list) conditionally(ctx context.Context, r *transport.Request, q *query, version string,
	found []table.Values) (*transport.Response, error) {
	known, response := strings.Join(r.Header["If-None-Match"], ","), &transport.Response{}
	whole := !r.Query.Has("fields")
	var tag string
	switch {
	case q.completed():
		names, err := t.complete(ctx, q, found)
		if err != nil {
			return nil, err
		}
		response.Body = q.appendOne(nil, found[0], names)
		return response, nil
	case whole && setByVersion(q.columns):
		tag = versionTag(version)
	default:
		response.Body = q.appendOne(nil, found[0], nil)
		tag = contentTag(version, response.Body)
	}
	tags := []string{tag}
	if whole {
		tags = append(tags, versionTag(version))
	}
	response.SetHeader("ETag", tag)
	if has := matched(known, tags...); has != "" {
		response.Status, response.Body = http.StatusNotModified, nil
		if has != "*" {
			response.SetHeader("ETag", has)
		}
		return response, nil
	}
	if response.Body == nil {
		response.Body = q.appendOne(nil, found[0], nil)
	}
	return response, nil
}

// foldWhenNeeded folds the ledger in the background when a list had to add up many deltas.
func (t list) foldWhenNeeded(ctx context.Context, deltas int64) {
	if deltas < 128 {
		return
	}
	background, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	go func() {
		defer cancel()
		err := t.DB.Write(background, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SELECT fold_ledger($1)", t.Row.Name)
			return err
		})
		if err != nil {
			t.Log.WarnContext(background, "ledger not folded", "collection", t.Row.Name, "error", err)
		}
	}()
}
