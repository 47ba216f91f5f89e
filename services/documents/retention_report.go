package documents

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

// RetentionReport says what is kept by which class, and what is due.
type RetentionReport struct {
	AsOf string          `json:"as_of" format:"date" doc:"The day on which it holds, where the organization is."`
	Data []RetentionLine `json:"data" doc:"A line for each class, and one for the documents without a class."`
}

// RetentionLine is what one class has. The trash is not counted.
type RetentionLine struct {
	RetentionClassID *string `json:"retention_class_id" format:"uuid" doc:"Null: the documents without a class."`
	Code             *string `json:"code"`
	Name             *string `json:"name"`
	NameFR           *string `json:"name_fr"`
	Trigger          *string `json:"trigger"`
	Years            *int    `json:"years"`
	Permanent        bool    `json:"permanent"`
	Action           *string `json:"action"`
	Active           bool    `json:"active"`
	Documents        int64   `json:"documents" doc:"How many are of the class."`
	Bytes            int64   `json:"bytes" doc:"Of their latest revisions."`
	NotBegun         int64   `json:"not_begun" doc:"Of those: whose period has not begun, as what it counts from is not known."`
	Due              int64   `json:"due" doc:"Of those: whose retain_until has come."`
	DueBytes         int64   `json:"due_bytes" doc:"Of the latest revisions of those that are due."`
	DueAndHeld       int64   `json:"due_and_held" doc:"Of those that are due: under a legal hold, and so kept."`
	Held             int64   `json:"held" doc:"Of the documents: under a legal hold."`
	OldestDueOn      *string `json:"oldest_due_on" format:"date" doc:"The earliest retain_until that has come."`
	NextDueOn        *string `json:"next_due_on" format:"date" doc:"The earliest retain_until that has not come yet."`
}

// Table implements transport.Tabular.
func (r RetentionReport) Table() transport.Table { return transport.TableOf(r.Data) }

func (d *documents) mountRetentionReport() {
	transport.Get(d.registry.API, transport.Operation{
		Path: "/v1/retention-classes/report", FromReplica: true, ID: "get_retention_report", Scope: "documents:read",
		RowName: "RetentionReportLine", Summary: "Count documents by retention class, and what is due",
		Description: "Of the documents that the key may see. What is due is listed by /v1/documents?retention_due=true. " +
			"As CSV and Parquet too (Accept).",
	}, d.retentionReport)
}

func (d *documents) retentionReport(ctx context.Context, _ struct{}) (RetentionReport, error) {
	report := RetentionReport{AsOf: principal.From(ctx).Calendar().Today()}
	err := d.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
		batch.Queue(`WITH d AS (
				SELECT t.retention_class_id, coalesce(t.size_bytes, 0) AS bytes, `+retainUntil+` AS until, `+held+` AS held FROM document t
				WHERE t.organization_id = $1 AND t.status <> 'trashed'`+alsoVisible(ctx)+`),
			sums AS (
				SELECT retention_class_id, count(*) AS documents, sum(bytes) AS bytes, count(*) FILTER (WHERE until IS NULL) AS unknown,
					count(*) FILTER (WHERE until <= `+today+`) AS due, sum(bytes) FILTER (WHERE until <= `+today+`) AS due_bytes,
					count(*) FILTER (WHERE until <= `+today+` AND held) AS due_and_held, count(*) FILTER (WHERE held) AS held,
					min(until) FILTER (WHERE until <= `+today+`) AS oldest, min(until) FILTER (WHERE until > `+today+`) AS next
				FROM d GROUP BY retention_class_id)
			SELECT c.id::text, c.code, c.name, c.name_fr, c.trigger, c.years, coalesce(c.permanent, false), c.action, coalesce(c.active, false),
				coalesce(s.documents, 0), coalesce(s.bytes, 0)::bigint, CASE WHEN c.id IS NULL OR c.permanent THEN 0 ELSE coalesce(s.unknown, 0) END,
				coalesce(s.due, 0), coalesce(s.due_bytes, 0)::bigint, coalesce(s.due_and_held, 0), coalesce(s.held, 0), s.oldest::text, s.next::text
			FROM (SELECT * FROM retention_class WHERE organization_id = $1) c FULL JOIN sums s ON s.retention_class_id = c.id
			ORDER BY c.position NULLS LAST`, principal.From(ctx).OrganizationID).Query(func(rows pgx.Rows) (err error) {
			report.Data, err = pgx.CollectRows(rows, pgx.RowToStructByPos[RetentionLine])
			return err
		})
	})
	if n := len(report.Data); n == 0 || report.Data[n-1].RetentionClassID != nil {
		report.Data = append(report.Data, RetentionLine{}) // so that there is always one of those without a class
	}
	return report, postgres.Fault(err, nil)
}
