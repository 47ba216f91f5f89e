package meters

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

// MeterReading is what a meter showed at one time.
type MeterReading struct {
	ID         string          `json:"id" format:"uuid" doc:"Of the reading."`
	MeterID    string          `json:"meter_id" format:"uuid" doc:"The meter."`
	ReadAt     string          `json:"read_at" format:"date-time" doc:"When it was read. A meter has one reading of a time."`
	Value      Quantity        `json:"value" doc:"In the meter's unit, with at most 6 decimals."`
	Unit       string          `json:"unit" doc:"The meter's unit, whatever unit it was sent in."`
	Kind       string          `json:"kind" enum:"reading,reset" doc:"reset: the meter was set to this value, or replaced; nothing was run since the reading before."`
	Usage      *float64        `json:"usage" doc:"Of a counter: what it ran since the reading before. Null of a gauge."`
	Flagged    bool            `json:"flagged" doc:"The value is below the meter's minimum or above its maximum, as they were when it was recorded."`
	RecordedAt string          `json:"recorded_at" format:"date-time" doc:"When it was sent, or corrected."`
	RecordedBy principal.Actor `json:"recorded_by" doc:"Who sent it."`
}

// MeterReadings is a page of them.
type MeterReadings struct {
	Data       []MeterReading       `json:"data"`
	Pagination transport.Pagination `json:"pagination"`
}

// Pages implements transport.Paged.
func (l MeterReadings) Pages() transport.Pages {
	return l.Pagination.Pages()
}

// Table implements transport.Tabular.
func (l MeterReadings) Table() transport.Table { return transport.TableOf(l.Data) }

// readingsRequest asks for readings of a meter.
type readingsRequest struct {
	MeterID string  `path:"meter_id" format:"uuid" doc:"The meter."`
	Page    int     `query:"page" default:"1" minimum:"1" maximum:"1000000" doc:"From 1."`
	PerPage int     `query:"per_page" default:"25" minimum:"1" maximum:"1000" doc:"Readings on a page."`
	From    *string `query:"read_at_from" format:"date-time" doc:"Read at this time or later."`
	To      *string `query:"read_at_to" format:"date-time" doc:"Read at this time or before."`
	Flagged *bool   `query:"flagged" doc:"Only readings that are flagged, or that are not."`
	Sort    string  `query:"sort" default:"-read_at" enum:"read_at,-read_at" doc:"Newest first, unless read_at is asked for."`
}

func (m metering) mountReadings() {
	api := m.registry.API
	transport.Get(api, transport.Operation{
		Path: "/v1/meters/{meter_id}/readings", ID: "list_meter_readings", ResponseName: "MeterReadingList", RowName: "MeterReading",
		Scope: scope + ":read", Feature: feature,
		Summary:     "List the readings of a meter",
		Description: "Newest first. As CSV and Parquet too (Accept).",
	}, m.listReadings)
	m.mountRecording()
	m.mountWithdrawal()
}

const readingColumns = `r.id::text, r.meter_id::text, r.read_at, r.value::text, m.unit,
	r.kind, CASE WHEN m.kind = 'counter' THEN r.usage::text END, r.flagged, r.recorded_at, r.recorded_by`

func scanReading(row pgx.CollectableRow) (shown MeterReading, err error) {
	var readAt, recordedAt time.Time
	var value string
	var usage *string
	var by []byte
	err = row.Scan(&shown.ID, &shown.MeterID, &readAt, &value, &shown.Unit, &shown.Kind, &usage, &shown.Flagged, &recordedAt, &by)
	if err != nil {
		return shown, err
	}
	shown.ReadAt, shown.RecordedAt = readAt.UTC().Format(time.RFC3339Nano), recordedAt.UTC().Format(time.RFC3339Nano)
	if shown.Value, err = parseQuantity(value); err != nil {
		return shown, err
	}
	if usage != nil {
		run, err := strconv.ParseFloat(*usage, 64)
		if err != nil {
			return shown, err
		}
		shown.Usage = &run
	}
	return shown, json.Unmarshal(by, &shown.RecordedBy)
}

func (m metering) listReadings(ctx context.Context, in readingsRequest) (MeterReadings, error) {
	list := MeterReadings{Data: []MeterReading{}}
	where, args := " WHERE r.organization_id = current_organization() AND r.meter_id = $1", []any{in.MeterID}
	add := func(condition string, value any) {
		args = append(args, value)
		where += fmt.Sprintf(condition, len(args))
	}
	if in.From != nil {
		add(" AND r.read_at >= $%d::text::timestamptz", *in.From)
	}
	if in.To != nil {
		add(" AND r.read_at <= $%d::text::timestamptz", *in.To)
	}
	switch {
	case in.Flagged == nil:
	case *in.Flagged:
		where += " AND r.flagged"
	default:
		where += " AND NOT r.flagged"
	}
	order := " ORDER BY r.read_at DESC"
	if in.Sort == "read_at" {
		order = " ORDER BY r.read_at"
	}
	total := "SELECT count(*) FROM meter_reading r" + where
	if len(args) == 1 && in.Flagged == nil { // all of them are counted already
		total = "SELECT s.readings FROM meter_state s WHERE s.organization_id = current_organization() AND s.meter_id = $1"
	}
	err := m.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var is bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM meter WHERE organization_id = current_organization() AND id = $1)`,
			in.MeterID).Scan(&is); err != nil {
			return err
		}
		if !is {
			return fault.NotFound("meter", in.MeterID)
		}
		var count int64
		if err := tx.QueryRow(ctx, total, args...).Scan(&count); err != nil {
			return err
		}
		list.Pagination = transport.PaginationOf(in.Page, in.PerPage, count)
		rows, err := tx.Query(ctx, fmt.Sprintf("SELECT %s FROM meter_reading r JOIN meter m ON m.organization_id = r.organization_id "+
			"AND m.id = r.meter_id%s%s LIMIT %d OFFSET %d", readingColumns, where, order, in.PerPage, int64(in.Page-1)*int64(in.PerPage)), args...)
		if err != nil {
			return err
		}
		list.Data, err = pgx.CollectRows(rows, scanReading)
		return err
	})
	return list, postgres.Fault(err, nil)
}

// showReading is one reading as the list shows it.
func showReading(ctx context.Context, tx pgx.Tx, meterID string, at time.Time) (MeterReading, error) {
	rows, err := tx.Query(ctx, "SELECT "+readingColumns+` FROM meter_reading r JOIN meter m ON m.organization_id = r.organization_id
		AND m.id = r.meter_id
		WHERE r.organization_id = current_organization() AND r.meter_id = $1 AND r.read_at = $2`, meterID, at)
	if err != nil {
		return MeterReading{}, err
	}
	return pgx.CollectExactlyOneRow(rows, scanReading)
}
