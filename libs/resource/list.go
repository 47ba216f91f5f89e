package resource

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/transport"
)

// blockSize is how many positions one row of the ledger speaks of.
const blockSize = 1024

// list answers a page, or the whole filtered collection as a stream.
func (t *table) list(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	q, err := t.parseList(ctx, r)
	if err != nil {
		return nil, err
	}
	if format := formatOf(r.Header.Get("Accept")); format != nil {
		return t.stream(q, format), nil
	}
	var total int64
	var rows []row
	collect := func(r pgx.Rows) error {
		for r.Next() {
			rows = append(rows, copyRow(r))
		}
		return r.Err()
	}
	body := make([]byte, 0, q.perPage*int(t.recordSize.Load())+1024)
	body = append(body, `{"data":[`...)
	if len(q.expand) == 0 { // straight from the connection's buffer to JSON
		collect = func(r pgx.Rows) error {
			for first := true; r.Next(); first = false {
				if !first {
					body = append(body, ',')
				}
				body = appendRecord(body, q.columns, r.RawValues())
			}
			return r.Err()
		}
	}
	sql, args := t.pageSQL(ctx, q)
	totalSQL, totalArgs := t.totalSQL(ctx, q)
	deltas := 0
	err = t.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
		if len(q.where) == 0 && len(q.sort) == 0 && q.page == 1 {
			// The index on positions has this order already. Where statistics are young or an organization is much
			// larger than most, Postgres would rather read all its rows and sort them. Later pages do sort: the few rows
			// whose keys were found first.
			batch.Queue("SET LOCAL enable_sort = off")
		}
		if len(q.where) > 0 {
			// Which index helps depends on the value: a plan for any value would walk all rows to find a rare one.
			batch.Queue("SET LOCAL plan_cache_mode = force_custom_plan")
		}
		batch.Queue(totalSQL, totalArgs...).QueryRow(func(r pgx.Row) error { return r.Scan(&total, &deltas) })
		batch.Queue(sql, args...).Query(collect)
	})
	if err != nil {
		return nil, t.explain(err)
	}
	t.foldWhenNeeded(ctx, int(total), deltas)
	if shown := min(total-int64(q.page-1)*int64(q.perPage), int64(q.perPage)); shown > 0 {
		t.recordSize.Store(int64(len(body))/shown + 16)
	}
	if len(q.expand) > 0 {
		if body, err = t.appendExpanded(ctx, body, q, rows); err != nil {
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
	if err != nil || t.parent == "" {
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

// totalSQL gives the exact number of rows: from the ledger for the whole collection, counted when there are filters.
func (t *table) totalSQL(ctx context.Context, q *query) (string, []any) {
	if len(q.where) == 0 && t.parent == "" {
		return `SELECT coalesce(sum(live), 0)::bigint, count(*) FROM ledger WHERE organization_id = $1 AND collection = $2`,
			[]any{principal.From(ctx).OrganizationID, t.collection}
	}
	return "SELECT count(*), 0 FROM " + t.name + " t WHERE " + q.condition(), q.arguments(ctx)
}

// pageSQL gives the rows of a page. The first page reads them straight; later ones find the keys first and fetch
// the rows of those keys only. In the default order, without filters, the ledger says in which block of positions a
// page starts, so that no page walks over more than one block.
func (t *table) pageSQL(ctx context.Context, q *query) (string, []any) {
	offset := int64(q.page-1) * int64(q.perPage)
	args := q.arguments(ctx)
	if offset == 0 {
		return "SELECT " + selection(q.selected()) + " FROM " + t.name + " t WHERE " + q.condition() + q.order() +
			" LIMIT " + strconv.Itoa(q.perPage), args
	}
	condition, skip := q.condition(), fmt.Sprint(offset)
	start := ""
	if len(q.where) == 0 && len(q.sort) == 0 && t.parent == "" {
		start, condition, skip = q.startOfPage(condition, offset, len(args)+1)
		args = append(args, t.collection)
	}
	return start + "SELECT " + selection(q.selected()) + " FROM (SELECT t.id FROM " + t.name + " t WHERE " + condition + q.order() +
		" LIMIT " + strconv.Itoa(q.perPage) + " OFFSET " + skip + ") k JOIN " + t.name + " t ON t.organization_id = $1 AND t.id = k.id" + q.order(), args
}

// startOfPage walks the ledger's blocks to the one where the offset lies.
func (q *query) startOfPage(condition string, offset int64, collection int) (with, where, skip string) {
	direction, opposite, bound := "", " DESC", "t.position >= (SELECT block * "+strconv.Itoa(blockSize)+" FROM start)"
	if q.backwards {
		direction, opposite, bound = " DESC", "", "t.position < (SELECT (block + 1) * "+strconv.Itoa(blockSize)+" FROM start)"
	}
	with = fmt.Sprintf(`WITH start AS MATERIALIZED (
		SELECT block, %[1]d - before AS skip FROM (
			SELECT block, sum(sum(live)) OVER (ORDER BY block%[2]s) - sum(live) AS before
			FROM ledger WHERE organization_id = $1 AND collection = $%[4]d GROUP BY block) b
		WHERE before <= %[1]d ORDER BY block%[3]s LIMIT 1) `, offset, direction, opposite, collection)
	return with, condition + " AND " + bound, "(SELECT skip FROM start)"
}

func (q *query) condition() string {
	return strings.Join(append([]string{"t.organization_id = $1"}, q.where...), " AND ")
}

func (q *query) arguments(ctx context.Context) []any {
	return append([]any{principal.From(ctx).OrganizationID}, q.args...)
}

// order gives the ORDER BY clause. Every order ends with a unique key, so no row is repeated or lost between pages.
func (q *query) order() string {
	if len(q.sort) == 0 {
		if q.backwards {
			return " ORDER BY t.position DESC"
		}
		return " ORDER BY t.position"
	}
	var keys []string
	for _, key := range q.sort {
		expression := key.sql
		if key.descending {
			expression += " DESC"
			if key.Nullable {
				expression += " NULLS LAST"
			}
		}
		keys = append(keys, expression)
	}
	return " ORDER BY " + strings.Join(keys, ", ") + ", t.id"
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
				found = append(found, copyRow(rows))
			}
			return rows.Err()
		})
	})
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
