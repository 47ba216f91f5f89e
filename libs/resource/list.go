package resource

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/reference"
	"ams.internal/libs/transport"
)

// list answers a page, or the whole filtered collection as a stream.
func (t *table) list(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	q, err := t.parseList(ctx, r)
	if err != nil {
		return nil, err
	}
	if format := t.formatOf(r.Header.Get("Accept")); format != nil {
		return t.stream(q, format), nil
	}
	page := page{body: make([]byte, 0, q.perPage*int(t.recordSize.Load())+1024)}
	page.body = append(page.body, `{"data":[`...)
	if err := t.read(ctx, q, &page); err != nil {
		return nil, t.explain(err)
	}
	body, total, deltas := page.body, page.total, page.deltas
	t.foldWhenNeeded(ctx, deltas)
	if shown := min(total-int64(q.page-1)*int64(q.perPage), int64(q.perPage)); shown > 0 {
		t.recordSize.Store(int64(len(body))/shown + 16)
	}
	if len(q.expand) > 0 {
		if body, err = t.appendExpanded(ctx, body, q, page.rows); err != nil {
			return nil, err
		}
	}
	body = append(body, `],"pagination":`...)
	body = appendPagination(body, q, total)
	return &transport.Response{Body: append(body, '}')}, nil
}

// parseList reads the parameters; of a sub-collection, the parent in the path is one more filter.
func (t *table) parseList(ctx context.Context, r *transport.Request) (*query, error) {
	if err := r.CheckQuery(func(string) bool { return true }); err != nil {
		return nil, err
	}
	q, err := t.parseQuery(r.Query)
	if err != nil {
		return nil, err
	}
	if err := q.allowed(ctx); err != nil || t.parent == "" {
		return q, err
	}
	parent, err := t.parentOf(ctx, r)
	if err != nil {
		return nil, err
	}
	q.filter("t."+t.parent+" = $?", parent)
	return q, nil
}

// parentOf gives the parent's id of a sub-collection, which must be a record of the organization.
func (t *table) parentOf(ctx context.Context, r *transport.Request) (string, error) {
	if t.parent == "" {
		return "", nil
	}
	parent, err := r.ID(t.parent)
	if err != nil {
		return "", err
	}
	of := t.schema.Field(t.parent).References
	entries, err := t.registry.find(ctx, of, reference.Query{IDs: []string{parent}})
	if err == nil && len(entries) == 0 {
		err = fault.NotFound("record in "+of, parent)
	}
	return parent, err
}

func appendPagination(dst []byte, q *query, total int64) []byte {
	pages := max(1, (total+int64(q.perPage)-1)/int64(q.perPage))
	return fmt.Appendf(dst, `{"page":%d,"per_page":%d,"total":%d,"total_pages":%d}`, q.page, q.perPage, total, pages)
}

// get answers one record.
func (t *table) get(ctx context.Context, r *transport.Request) (*transport.Response, error) {
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
	q.filter("t.id = $?", id)
	columns := append(q.selected(), t.find("version"))
	var found []row
	err = t.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue("SELECT "+selection(columns)+" FROM "+t.name+" t WHERE "+q.condition(), q.arguments(ctx)...).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				found = append(found, copyRow(rows.RawValues()))
			}
			return rows.Err()
		})
	}, samePlan)
	if err != nil {
		return nil, t.explain(err)
	}
	if len(found) == 0 {
		return nil, t.notFound(id)
	}
	version := string(found[0][len(columns)-1])
	response := &transport.Response{}
	response.SetHeader("ETag", `"`+version+`"`)
	if matches(r.Header.Get("If-None-Match"), version) {
		response.Status = 304
		return response, nil
	}
	response.Body, err = t.appendExpanded(ctx, nil, q, found)
	return response, err
}

// matches says whether an If-Match or If-None-Match header names the version.
func matches(header, version string) bool {
	for tag := range strings.SplitSeq(header, ",") {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
		if tag == "*" || tag == `"`+version+`"` {
			return true
		}
	}
	return false
}
