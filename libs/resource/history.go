package resource

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// historyEntry is one change of a record, as the history shows it.
type historyEntry struct {
	ID        string                 `json:"id" format:"uuid" doc:"Of the entry."`
	RecordID  string                 `json:"record_id" format:"uuid"`
	Version   int                    `json:"version" doc:"The record's version after the change."`
	Action    string                 `json:"action" enum:"created,updated,deleted"`
	Changes   map[string]changeShown `json:"changes" doc:"The fields that changed, with their old and new values."`
	Actor     principal.Actor        `json:"actor"`
	RequestID string                 `json:"request_id"`
	At        string                 `json:"at" format:"date-time"`
}

// changeShown is one changed field.
type changeShown struct {
	Old any `json:"old"`
	New any `json:"new"`
}

// historyTable shows history rows like any other rows.
var historyColumns = func() []*column {
	declared := schema.Of[historyEntry]()
	var columns []*column
	for _, f := range declared.Fields {
		columns = append(columns, &column{Field: f, sql: "t." + f.Name, write: writerOf(f.Kind)})
	}
	return columns
}()

// history answers the changes of a record, oldest first; those of a deleted record stay readable.
func (t *table) history(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if err := r.CheckQuery(func(name string) bool { return name == "page" || name == "per_page" }); err != nil {
		return nil, err
	}
	q := &query{page: 1, perPage: 25, columns: historyColumns}
	var problems schema.Problems
	if r.Query.Has("page") {
		q.page = between("page", r.Query.Get("page"), 1, 1<<40, &problems)
	}
	if r.Query.Has("per_page") {
		q.perPage = between("per_page", r.Query.Get("per_page"), 1, MaxPerPage, &problems)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	var total int64
	body := []byte(`{"data":[`)
	where := " FROM history t WHERE t.organization_id = $1 AND t.collection = $2 AND t.record_id = $3 AND t.action IN ('created', 'updated', 'deleted')"
	args := []any{principal.From(ctx).OrganizationID, t.collection, id}
	err = t.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
		batch.Queue("SELECT count(*)"+where, args...).QueryRow(func(row pgx.Row) error { return row.Scan(&total) })
		batch.Queue("SELECT "+selection(historyColumns)+where+" ORDER BY t.version, t.id LIMIT "+strconv.Itoa(q.perPage)+
			" OFFSET "+fmt.Sprint(int64(q.page-1)*int64(q.perPage)), args...).Query(func(rows pgx.Rows) error {
			for first := true; rows.Next(); first = false {
				if !first {
					body = append(body, ',')
				}
				body = appendRecord(body, historyColumns, rows.RawValues())
			}
			return rows.Err()
		})
	})
	if err != nil {
		return nil, t.explain(err)
	}
	if total == 0 { // every record has at least the entry of its creation
		return nil, t.notFound(id)
	}
	body = appendPagination(append(body, `],"pagination":`...), q, total)
	return &transport.Response{Body: append(body, '}')}, nil
}
