package accounting

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/transport"
)

// ObligationSchedule is the schedule of retirement obligations of a fiscal year.
type ObligationSchedule struct {
	FiscalYear      int                     `json:"fiscal_year" doc:"The fiscal year." example:"2026"`
	FiscalYearLabel string                  `json:"fiscal_year_label" doc:"What people call it." example:"2026"`
	Provisional     bool                    `json:"provisional" doc:"The year is not closed: the accretion is calculated as its close would." example:"false"`
	Currency        string                  `json:"currency" doc:"Currency of every amount." example:"CAD"`
	Data            []ObligationScheduleRow `json:"data" doc:"A row for each kind."`
	Total           ObligationScheduleRow   `json:"total" doc:"The sum of all rows."`
}

// ObligationScheduleRow is the liabilities of a kind of obligations: closing is opening and all that moved.
type ObligationScheduleRow struct {
	Kind       *string `json:"kind" doc:"What they are about; null in the total." example:"asbestos"`
	Opening    float64 `json:"opening" decimals:"2" doc:"On the first day." example:"0"`
	Recognized float64 `json:"recognized" decimals:"2" doc:"New." example:"456386.95"`
	Revised    float64 `json:"revised" decimals:"2" doc:"By revisions of what is expected." example:"0"`
	Accretion  float64 `json:"accretion" decimals:"2" doc:"By the passing of time." example:"18255.48"`
	Settled    float64 `json:"settled" decimals:"2" doc:"Settled, negative." example:"0"`
	Closing    float64 `json:"closing" decimals:"2" doc:"On the last day." example:"474642.43"`
}

// Table implements transport.Tabular.
func (s ObligationSchedule) Table() transport.Table {
	return transport.TableOf(append(s.Data[:len(s.Data):len(s.Data)], s.Total))
}

func (a *accounting) mountObligationSchedule() {
	transport.Get(a.registry.API, transport.Operation{Path: "/v1/accounting/schedule/retirement-obligations",
		ID: "get_retirement_obligation_schedule", Deadline: closeDeadline, Scope: "accounting:read", Feature: "accounting",
		Summary: "Get the schedule of retirement obligations of a fiscal year", Description: "Their liabilities by kind, from opening to " +
			"closing, as the notes of the financial statements disclose them. As CSV and Parquet too (Accept)."}, a.obligationSchedule)
}

func (a *accounting) obligationSchedule(ctx context.Context, in ScheduleOfYearQuery) (out ObligationSchedule, err error) {
	out = ObligationSchedule{FiscalYear: in.FiscalYear, Currency: currencyOf(ctx), Data: []ObligationScheduleRow{}}
	err = a.readInTurn(ctx, func(ctx context.Context, tx pgx.Tx) error {
		all, y, err := findYear(ctx, tx, strconv.Itoa(in.FiscalYear))
		if err != nil {
			return err
		}
		out.FiscalYearLabel, out.Provisional = y.label, y.state != "closed"
		if err := overAll(ctx, tx); err != nil {
			return err
		}
		// What was deleted nets to nothing, and has no kind.
		rows, err := tx.Query(ctx, all.obligationsIn(y, y.next(), "")+fmt.Sprintf(` SELECT r.kind,
			grouping(r.kind) = 1, coalesce(sum(o.opening), 0)::float8, coalesce(sum(o.recognized), 0)::float8, coalesce(sum(o.revised), 0)::float8,
			coalesce(sum(o.accretion), 0)::float8, coalesce(sum(o.settled), 0)::float8, coalesce(sum(o.closing), 0)::float8
			FROM obligations_%d o JOIN retirement_obligation r ON r.organization_id = current_organization() AND r.id = o.obligation_id
			GROUP BY ROLLUP (r.kind) ORDER BY 2, 1`, y.number))
		if err != nil {
			return err
		}
		var row ObligationScheduleRow
		var total bool
		_, err = pgx.ForEachRow(rows, []any{&row.Kind, &total, &row.Opening, &row.Recognized, &row.Revised, &row.Accretion, &row.Settled,
			&row.Closing}, func() error {
			if total {
				out.Total = row
			} else {
				out.Data = append(out.Data, row)
			}
			return nil
		})
		return err
	})
	return out, err
}
