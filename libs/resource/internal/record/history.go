package record

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/read"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// HistoryEntry is one change of a record, as the history shows it.
type HistoryEntry struct {
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

// historyColumns shows entries like any other rows.
var historyColumns = table.ColumnsOf(schema.Of[HistoryEntry](), nil)

// HistoryParameters are those of a history.
var HistoryParameters = append(read.PageParameters[:2:2], read.SinceParameter)

// History responds with the changes of a record, oldest first; those of a deleted record stay readable.
func History(ctx context.Context, t *table.Table, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if err := r.CheckQuery("page", "per_page", "since"); err != nil {
		return nil, err
	}
	page, perPage, err := read.PageOf(r.Query)
	if err != nil {
		return nil, err
	}
	since, err := sinceOf(ctx, r)
	if err != nil {
		return nil, err
	}
	var all, total int64
	body := read.NewBody(ctx, r, page, perPage, len(historyColumns))
	where := " FROM history t WHERE t.organization_id = $1 AND t.collection = $2 AND t.record_id = $3 AND t.at >= $4" +
		" AND t.action IN ('created', 'updated', 'deleted')"
	if visible := t.VisibleTo(ctx); visible != "" { // nobody knows of a record that is gone who could see it
		where += " AND EXISTS (SELECT FROM " + t.Name + " t WHERE t.organization_id = $1 AND t.id = $3 AND " + visible + ")"
	}
	from := earliest(id)
	if since == nil || since.Before(from) {
		since = &from
	}
	args := []any{principal.From(ctx).OrganizationID, t.Row.Name, id, from, *since}
	err = t.DB.Snapshot(ctx, func(batch *pgx.Batch) {
		const late = "t.at >= $5"
		batch.Queue("SELECT count(*), count(*) FILTER (WHERE "+late+")"+where,
			args...).QueryRow(func(row pgx.Row) error { return row.Scan(&all, &total) })
		batch.Queue("SELECT "+table.Selection(historyColumns)+where+" AND "+late+" ORDER BY t.version, t.id LIMIT "+strconv.Itoa(perPage)+
			" OFFSET "+fmt.Sprint(int64(page-1)*int64(perPage)), args...).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				if err := body.Add(table.AppendRecord(body.Next(), historyColumns, rows.RawValues())); err != nil {
					return err
				}
			}
			return rows.Err()
		})
	})
	if err != nil {
		body.Drop()
		return nil, t.Explain(err)
	}
	if all == 0 { // every record has at least the entry of its creation
		return nil, t.Missing(ctx, id)
	}
	return body.Response(total)
}

// clockSkew is how far the clock of a service may have been ahead of the database's when it made a record's id.
const clockSkew = 31 * 24 * time.Hour

// earliest is a time before which a record has no history: what its id says of when it was made, less clockSkew. Partitions of earlier
// months are not read. Of an id that says nothing it is the beginning of time.
func earliest(id string) time.Time {
	if parsed, err := uuid.Parse(id); err == nil && parsed.Version() == 7 {
		return time.Unix(parsed.Time().UnixTime()).Add(-clockSkew)
	}
	return time.Time{}
}

// sinceOf reads the time from which on changes are shown; nil for all of them.
func sinceOf(ctx context.Context, r *transport.Request) (*time.Time, error) {
	text := r.Query.Get("since")
	if text == "" && !r.Query.Has("since") {
		return nil, nil
	}
	if day, isDay := principal.From(ctx).Calendar().Start(text); isDay {
		return &day, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.Year() < 1 {
		return nil, fault.InvalidFields(fault.Field{Field: "since",
			Message: "must be a day such as 2026-05-12, or a time such as 2026-05-12T10:00:00Z"})
	}
	return &at, nil
}
