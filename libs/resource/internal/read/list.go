package read

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/internal/custom"
	"ams.internal/libs/resource/internal/links"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/spool"
	"ams.internal/libs/transport"
)

// List answers a page, or the whole filtered collection as a stream.
func List(ctx context.Context, tbl *table.Table, r *transport.Request) (*transport.Response, error) {
	t := list{tbl}
	q, err := t.parseList(ctx, r)
	if err != nil {
		return nil, err
	}
	format, err := q.chosenCSV(t.formatOf(r.Header.Get("Accept")), r.Header.Get("Accept-Language"))
	if err != nil {
		return nil, err
	}
	if format != nil && q.cursor {
		return nil, fault.InvalidFields(fault.Field{Field: "cursor", Message: "is for pages; a stream has the whole list, so leave cursor out"})
	}
	if format != nil {
		if q.relevance {
			return nil, fault.InvalidFields(fault.Field{Field: "sort",
				Message: "relevance has the best records only, and a file has all; sort by a field, or leave sort out"})
		}
		return t.stream(q, format), nil
	}
	page := page{body: NewBody(ctx, q.page, q.perPage, len(q.columns))}
	page.body.cursors, page.body.byCursor = true, q.cursor
	page.body.Advice = ", or for fewer fields with fields="
	response, err := t.respond(ctx, q, &page)
	if err != nil {
		page.body.Drop()
		return nil, t.Explain(err)
	}
	return response, nil
}

// respond reads a page and gives the response that has it.
func (t list) respond(ctx context.Context, q *query, page *page) (*transport.Response, error) {
	if len(q.expand) > 0 {
		page.kept = spool.New(ctx)
		defer page.kept.Close()
		page.rows.w = page.kept
	}
	if err := t.read(ctx, q, page); err != nil {
		return nil, err
	}
	t.foldWhenNeeded(ctx, page.deltas)
	if page.kept != nil {
		page.kept.End(page.rows.write(0))
		if err := t.withNames(ctx, q, page.kept, func(values table.Values, names []map[string]string) error {
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
	return page.body.Response(page.total)
}

// parseList reads the parameters; of a sub-collection, the parent in the path is one more filter.
func (t list) parseList(ctx context.Context, r *transport.Request) (*query, error) {
	if err := r.CheckQuery(func(string) bool { return true }); err != nil {
		return nil, err
	}
	declared, err := t.declared(ctx, r.Query)
	if err != nil {
		return nil, err
	}
	q, err := t.parseQuery(r.Query, declared...)
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
	if parent != "" {
		q.Add("t."+t.Parent+" = $2", parent)
	}
	if q.list = t.listOf(ctx, parent+q.customSorts(), r.Query); q.cursor {
		err = t.goOn(q, r.Query.Get("cursor"))
	}
	return q, err
}

// ParentOf gives the parent's id of a sub-collection, which must be a record of the organization.
func ParentOf(ctx context.Context, t *table.Table, r *transport.Request) (string, error) {
	if t.Parent == "" {
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
	}
	return parent, err
}

// Get answers one record.
func Get(ctx context.Context, tbl *table.Table, r *transport.Request) (*transport.Response, error) {
	t := list{tbl}
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if err := r.CheckQuery(func(name string) bool { return name == "fields" || name == "expand" }); err != nil {
		return nil, err
	}
	q, err := t.parseList(ctx, r)
	if err != nil {
		return nil, err
	}
	q.Add("t.id = $2", id)
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
		return nil, t.NotFound(id)
	}
	version := string(found[0][len(columns)-1])
	response := &transport.Response{}
	response.SetHeader("ETag", `"`+version+`"`)
	if Matches(r.Header.Get("If-None-Match"), version) {
		response.Status = 304
		return response, nil
	}
	names, err := t.names(ctx, q, found)
	if err != nil {
		return nil, err
	}
	response.Body = q.appendOne(nil, found[0], names)
	return response, nil
}

// Matches says whether an If-Match or If-None-Match header names the version.
func Matches(header, version string) bool {
	for tag := range strings.SplitSeq(header, ",") {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
		if tag == "*" || tag == `"`+version+`"` {
			return true
		}
	}
	return false
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
