package read

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/spool"
)

// How Postgres plans the statements of lists and gets.
var (
	// The statement has one good plan, whatever the values: planning it anew would cost more than running it.
	samePlan = postgres.Setting{Name: "plan_cache_mode", Value: "force_generic_plan"}
	// Which index helps depends on the value: a plan for any value would walk all rows to find a rare one.
	planByValue = postgres.Setting{Name: "plan_cache_mode", Value: "force_custom_plan"}
	// An index has the order already. Where statistics are young or an organization is much larger than
	// most, Postgres would rather read all its rows and sort them.
	noSort = postgres.Setting{Name: "enable_sort", Value: "off"}
)

// page is what was read for one page of a list.
type page struct {
	total   int64  // rows of the whole list
	deltas  int64  // rows of the ledger that no fold has added up yet
	version string // of what the list shows, where its tag is made of that: see listTag
	body    *Body
	spooled *spool.Spool // the rows, where names are to be added
	rows    pieces       // what writes to spooled
	size    int          // of the rows in spooled
	more    bool         // there is a row behind the last
	last    []*string    // what the list is ordered by, in the last row
}

// keep keeps a row until the names of what it refers to are known.
func (p *page) keep(rows int, values table.Values) error {
	before := len(p.rows.buffer)
	p.rows.buffer = appendRow(p.rows.buffer, values)
	p.size += len(p.rows.buffer) - before
	if err := p.body.fits(rows, p.size); err != nil {
		return err
	}
	return p.rows.write(piece)
}

// read reads a page and its total.
func (t list) read(ctx context.Context, q *query, p *page) error {
	if q.byIndex() {
		if done, err := t.readByIndex(ctx, q, p); done || err != nil {
			return err
		}
	}
	return t.readPage(ctx, q, p)
}

// readPage reads a page and its total by one statement, in one round trip: what one statement sees is one snapshot.
func (t list) readPage(ctx context.Context, q *query, p *page) error {
	sql, args := t.pageSQL(ctx, q)
	shown := 1 + len(q.selected())
	found := 0
	err := t.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(sql, args...).Query(func(r pgx.Rows) error {
			for ; r.Next(); found++ {
				values := r.RawValues()
				var err error
				if found == 0 {
					if err = p.count(values[0]); err != nil {
						return err
					}
				}
				if found == q.perPage {
					p.more = true
					continue
				}
				if p.spooled == nil {
					err = p.body.Add(table.AppendRecord(p.body.Next(), q.columns, values[1:shown]))
				} else {
					err = p.keep(found+1, values[1:shown])
				}
				if err != nil {
					return err
				}
				if found == q.perPage-1 {
					p.last = texts(values[shown:])
				}
			}
			return r.Err()
		})
	}, q.settings()...)
	if err != nil || found > 0 || q.offset() == 0 && q.after == nil || q.known != nil { // a first page without rows is a list without rows
		return err
	}
	unversioned := *q
	unversioned.version = "" // it would be that of a later moment
	total, args := t.totalSQL(ctx, &unversioned)
	return t.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue("SELECT "+total, args...).Query(func(r pgx.Rows) error {
			for r.Next() {
				if err := p.count(r.RawValues()[0]); err != nil {
					return err
				}
			}
			return r.Err()
		})
	})
}

// count reads what totalSQL gives: the total and, behind a space each, the number of deltas and the version.
func (p *page) count(text []byte) (err error) {
	total, deltas, _ := strings.Cut(string(text), " ")
	deltas, p.version, _ = strings.Cut(deltas, " ")
	if p.total, err = strconv.ParseInt(total, 10, 64); err != nil {
		return err
	}
	p.deltas, err = strconv.ParseInt(deltas, 10, 64)
	return err
}

// whole says whether the list is the whole collection in the order of its positions, which the ledger knows.
func (q *query) whole() bool { return len(q.Where) == 0 && len(q.sort) == 0 }

func (q *query) settings() []postgres.Setting {
	switch {
	case q.walked() && (len(q.Where) > 0 || q.offset() > 0):
		return []postgres.Setting{planByValue, noSort}
	case len(q.Where) > 0:
		return []postgres.Setting{planByValue}
	case q.whole() && q.offset() == 0, q.indexed(), q.walked(): // later pages do sort: the few rows whose keys were found first
		return []postgres.Setting{samePlan, noSort}
	}
	return []postgres.Setting{samePlan}
}

// totalSQL gives the exact number of rows, with the version of what is shown where that is wanted.
func (t list) totalSQL(ctx context.Context, q *query) (string, []any) {
	total, args := t.countSQL(ctx, q)
	if q.version != "" {
		total = "(" + total + " || ' ' || " + q.version + ")"
	}
	return total, args
}

// countSQL gives the exact number of rows: from the ledger where nothing is filtered, else from the index, or counted. In the
// ledger's case $2 is the collection.
func (t list) countSQL(ctx context.Context, q *query) (string, []any) {
	switch {
	case q.known != nil:
		return "'" + strconv.FormatInt(*q.known, 10) + " 0'", q.Arguments(ctx)
	case len(q.Where) == 0:
		return `(SELECT (SELECT coalesce(sum(live), 0) FROM ledger_total WHERE organization_id = $1 AND collection = $2) +
			coalesce(sum(live), 0) || ' ' || count(*) FROM ledger WHERE organization_id = $1 AND collection = $2 AND NOT folded)`,
			append(q.Arguments(ctx), t.Row.Name)
	}
	return "(SELECT count(*) || ' 0' FROM " + t.Name + " t WHERE " + q.SQL() + ")", q.Arguments(ctx)
}

// pageSQL gives the total, the rows of a page and one more, each with what the list is ordered by. The first page, and one behind a cursor,
// read them straight; others, and those of a sorted list without filters, find the keys first and fetch the rows of those keys only. Of
// the whole collection, the ledger says in which block of positions a page starts, so that no page walks over more than one block.
func (t list) pageSQL(ctx context.Context, q *query) (string, []any) {
	total, known := t.totalSQL(ctx, q)
	args := arguments(known)
	columns, limit := table.Selection(q.selected())+", "+q.orderValues(), " LIMIT "+strconv.Itoa(q.perPage+1)
	if len(q.Where) == 0 && len(q.sort) > 0 || q.walked() {
		keys := t.keysSQL(q, &args)
		return keys + " SELECT " + total + ", r.* FROM page CROSS JOIN LATERAL (SELECT " + columns + " FROM " + t.Name +
			" t WHERE t.organization_id = $1 AND t.id = page.key" + strconv.Itoa(len(q.sort)-1) + " LIMIT 1) r" + q.namedOrder("page."), args
	}
	columns = total + ", " + columns
	if q.offset() == 0 {
		return "SELECT " + columns + " FROM " + t.Name + " t WHERE " + q.SQL() + q.behind(&args) + q.order() + limit, args
	}
	offset := args.add(q.offset())
	with, condition, skip := "", q.SQL(), offset+"::bigint"
	if q.whole() {
		with, condition, skip = q.startOfPage(condition, offset, args.add(t.Row.Name))
	}
	return with + "SELECT " + columns + " FROM (SELECT t.id FROM " + t.Name + " t WHERE " + condition + q.order() + limit + " OFFSET " + skip +
		") k JOIN " + t.Name + " t ON t.organization_id = $1 AND t.id = k.id" + q.order(), args
}

// startOfPage walks the blocks of the ledger of a collection to the one where the offset lies.
func (q *query) startOfPage(condition, offset, collection string) (with, where, skip string) {
	direction, opposite, bound := "", " DESC", "t.position >= (SELECT block * "+strconv.Itoa(table.BlockSize)+" FROM start)"
	if q.backwards {
		direction, opposite, bound = " DESC", "", "t.position < (SELECT (block + 1) * "+strconv.Itoa(table.BlockSize)+" FROM start)"
	}
	with = fmt.Sprintf(`WITH start AS MATERIALIZED (
		SELECT block, %[1]s::bigint - before AS skip FROM (
			SELECT block, sum(sum(live)) OVER (ORDER BY block%[2]s) - sum(live) AS before
			FROM ledger WHERE organization_id = $1 AND collection = %[4]s GROUP BY block) b
		WHERE before <= %[1]s::bigint ORDER BY block%[3]s LIMIT 1) `, offset, direction, opposite, collection)
	return with, condition + " AND " + bound, "(SELECT skip FROM start)"
}

// Statement gives the statement that reads a page of 25 of a whole collection, and the settings that it runs with: for tests that ask the
// database for its plan. sort is as in the query; after is nil, or what the list is ordered by in the row that the page begins behind.
func Statement(ctx context.Context, tbl *table.Table, sort string, page int, after []*string) (string, []any, []postgres.Setting, error) {
	t := list{tbl}
	parameters := url.Values{"page": {strconv.Itoa(page)}}
	if sort != "" {
		parameters.Set("sort", sort)
	}
	declared, err := t.declared(ctx, parameters)
	if err != nil {
		return "", nil, nil, err
	}
	q, err := t.parseQuery(principal.From(ctx).Calendar(), parameters, declared...)
	if err != nil {
		return "", nil, nil, err
	}
	q.after = after
	sql, args := t.pageSQL(ctx, q)
	return sql, args, q.settings(), nil
}
