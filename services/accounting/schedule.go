package accounting

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// ScheduleQuery asks for the schedule of a fiscal year.
type ScheduleQuery struct {
	FiscalYear int    `query:"fiscal_year" required:"true" minimum:"1900" maximum:"2300" doc:"The fiscal year." example:"2026"`
	GroupBy    string `query:"group_by" default:"class" enum:"class,category,service_category,department" doc:"What the rows are of. Each capital asset by itself: /v1/accounting/schedule/capital-assets."`
}

// ScheduleOfYearQuery asks for a schedule that has one grouping: that by capital asset, or that of retirement obligations.
type ScheduleOfYearQuery struct {
	FiscalYear int `query:"fiscal_year" required:"true" minimum:"1900" maximum:"2300" doc:"The fiscal year." example:"2026"`
}

// Schedule is the schedule of tangible capital assets of a fiscal year.
type Schedule struct {
	FiscalYear      int           `json:"fiscal_year" doc:"The fiscal year." example:"2026"`
	FiscalYearLabel string        `json:"fiscal_year_label" doc:"What people call it." example:"2026"`
	Provisional     bool          `json:"provisional" doc:"The year is not closed: charges are calculated as its close would." example:"false"`
	GroupBy         string        `json:"group_by" doc:"What the rows are of." example:"class"`
	Currency        string        `json:"currency" doc:"Currency of every amount." example:"CAD"`
	Data            []ScheduleRow `json:"data" doc:"A row for each group, by name."`
	Total           ScheduleRow   `json:"total" doc:"The sum of all rows."`
}

// ScheduleRow is the sums of a group. In each of the three blocks, closing is opening and all that moved.
type ScheduleRow struct {
	ID   *string `json:"id" doc:"Of the class or capital asset; else null." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Code *string `json:"code" doc:"Of the class or capital asset; the category, service category or department itself. Null where a capital asset has none, and in the total." example:"CLS-01"`
	Name *string `json:"name" doc:"Of the class or capital asset." example:"Bâtiments administratifs"`

	Cost struct {
		Opening         float64 `json:"opening" decimals:"2" doc:"On the first day." example:"1120000.00"`
		Additions       float64 `json:"additions" decimals:"2" doc:"Acquired." example:"0"`
		Contributed     float64 `json:"contributed" decimals:"2" doc:"Given, at fair value." example:"0"`
		Betterments     float64 `json:"betterments" decimals:"2" doc:"Added to what was there." example:"16000.00"`
		RetirementCosts float64 `json:"retirement_costs" decimals:"2" doc:"Of retirement obligations." example:"0"`
		FromWork        float64 `json:"from_work_in_progress" decimals:"2" doc:"Came into service." example:"0"`
		Transfers       float64 `json:"transfers" decimals:"2" doc:"From and to other capital assets and classes; 0 in all." example:"0"`
		WriteDowns      float64 `json:"write_downs" decimals:"2" doc:"Lasting losses of service, negative." example:"0"`
		Disposals       float64 `json:"disposals" decimals:"2" doc:"Sold, scrapped, lost, negative." example:"-50000.00"`
		Adjustments     float64 `json:"adjustments" decimals:"2" doc:"Corrections of closed years: adjustments, what was found, and what is reinstated." example:"0"`
		Closing         float64 `json:"closing" decimals:"2" doc:"On the last day." example:"1086000.00"`
	} `json:"cost" doc:"Historical cost in service."`
	Work struct {
		Opening    float64 `json:"opening" decimals:"2" doc:"On the first day." example:"0"`
		Additions  float64 `json:"additions" decimals:"2" doc:"Spent." example:"0"`
		ToService  float64 `json:"to_service" decimals:"2" doc:"Came into service, negative." example:"0"`
		WriteDowns float64 `json:"write_downs" decimals:"2" doc:"Of what is not built after all, negative." example:"0"`
		Closing    float64 `json:"closing" decimals:"2" doc:"On the last day." example:"0"`
	} `json:"work_in_progress" doc:"Work in progress."`
	Accumulated struct {
		Opening      float64 `json:"opening" decimals:"2" doc:"On the first day." example:"137250.00"`
		Amortization float64 `json:"amortization" decimals:"2" doc:"Charged in the year." example:"33755.13"`
		Disposals    float64 `json:"disposals" decimals:"2" doc:"Of what was disposed of, negative." example:"-21250.00"`
		Transfers    float64 `json:"transfers" decimals:"2" doc:"From and to other capital assets and classes; 0 in all." example:"0"`
		Adjustments  float64 `json:"adjustments" decimals:"2" doc:"Corrections of closed years: adjustments, what was found, and what is reinstated." example:"0"`
		Closing      float64 `json:"closing" decimals:"2" doc:"On the last day." example:"149755.13"`
	} `json:"accumulated_amortization" doc:"Accumulated amortization."`
	NetBookValue struct {
		Opening float64 `json:"opening" decimals:"2" doc:"On the first day, without work in progress." example:"982750.00"`
		Closing float64 `json:"closing" decimals:"2" doc:"On the last day, without work in progress." example:"936244.87"`
	} `json:"net_book_value" doc:"Cost less accumulated amortization."`
	Proceeds            float64 `json:"proceeds" decimals:"2" doc:"What disposals brought." example:"40000.00"`
	GainLoss            float64 `json:"gain_loss" decimals:"2" doc:"Proceeds less net book value of what was disposed of." example:"11250.00"`
	GainLossAdjustments float64 `json:"gain_loss_adjustments" decimals:"2" doc:"Gains and losses of closed years, as reinstatements take them back: a gain is negative." example:"0"`
	NotAmortized        float64 `json:"not_amortized" decimals:"2" doc:"Cost of classes that are not amortized, such as land, and work in progress, on the last day." example:"0"`
}

// Table implements transport.Tabular.
func (s Schedule) Table() transport.Table {
	return transport.TableOf(append(s.Data[:len(s.Data):len(s.Data)], s.Total))
}

func (a *accounting) mountSchedule() {
	transport.Get(a.registry.API, transport.Operation{Path: "/v1/accounting/schedule", ID: "get_capital_asset_schedule",
		Deadline: closeDeadline, Scope: "accounting:read", Feature: "accounting", Summary: "Get the schedule of tangible capital assets of " +
			"a fiscal year", Description: "Cost, work in progress and accumulated amortization as the notes of the financial statements disclose " +
			"them, from opening to closing. As CSV and Parquet too (Accept). A closed year stays as it is, to the byte."}, a.schedule)
	transport.GetStream[ScheduleRow](a.registry.API, transport.Operation{Path: "/v1/accounting/schedule/capital-assets",
		ID: "export_schedule_by_capital_asset", Scope: "accounting:read", Feature: "accounting",
		Summary: "Get the schedule by capital asset, as one stream", Description: "As CSV, NDJSON or Parquet (Accept), by number."},
		a.streamSchedule)
}

// groups are what a row of the schedule, y, belongs to: id, code and name, where they stand, and their order.
var groups = map[string]struct{ id, code, name, join, order string }{
	"class":            {"k.id::text", "k.code", "k.name::text", "", `k.name::text COLLATE "natural", k.code COLLATE "natural"`},
	"category":         {"NULL::text", "k.category", "NULL::text", "", "2"},
	"service_category": {"NULL::text", "y.service_category", "NULL::text", "", "2"},
	"department":       {"NULL::text", "y.department", "NULL::text", "", `y.department COLLATE "natural"`},
	"capital_asset": {"y.capital_asset_id::text", "coalesce(a.number, r.number)", "coalesce(a.name, r.name)::text",
		" LEFT JOIN capital_asset a ON a.organization_id = current_organization() AND a.id = y.capital_asset_id" +
			" LEFT JOIN former_draft r ON r.organization_id = current_organization() " +
			"AND r.capital_asset_id = y.capital_asset_id AND r.deleted", `coalesce(a.number, r.number) COLLATE "natural"`},
}

// scheduleColumns are the sums of a group, in the order of ScheduleRow.
var scheduleColumns = []string{
	"cost_opening", "cost_additions", "cost_contributed", "cost_betterments", "cost_retirement_costs", "cost_from_work_in_progress",
	"cost_transfers", "cost_write_downs", "cost_disposals - removed", "cost_adjustments", "cost_closing",
	"work_opening", "work_additions", "work_to_service", "work_write_downs", "work_closing",
	"accumulated_opening", "accumulated_amortization + charge", "accumulated_disposals - removed", "accumulated_transfers",
	"accumulated_adjustments", "accumulated_closing", "proceeds", "gain_loss", "gain_loss_adjustments",
}

// targets are where they are read into. Net book values follow from them.
func (r *ScheduleRow) targets() []any {
	c, w, a := &r.Cost, &r.Work, &r.Accumulated
	return []any{&r.ID, &r.Code, &r.Name, &c.Opening, &c.Additions, &c.Contributed, &c.Betterments, &c.RetirementCosts, &c.FromWork,
		&c.Transfers, &c.WriteDowns, &c.Disposals, &c.Adjustments, &c.Closing, &w.Opening, &w.Additions, &w.ToService, &w.WriteDowns, &w.Closing,
		&a.Opening, &a.Amortization, &a.Disposals, &a.Transfers, &a.Adjustments,
		&a.Closing, &r.Proceeds, &r.GainLoss, &r.GainLossAdjustments, &r.NotAmortized}
}

func (r *ScheduleRow) value() {
	r.NetBookValue.Opening = money(cents(r.Cost.Opening) - cents(r.Accumulated.Opening))
	r.NetBookValue.Closing = money(cents(r.Cost.Closing) - cents(r.Accumulated.Closing))
}

// eachRow gives the rows of a schedule one after the other.
func (all years) eachRow(ctx context.Context, tx pgx.Tx, y *year, groupBy string, do func(*ScheduleRow) error) error {
	if err := overAll(ctx, tx); err != nil {
		return err
	}
	// The year is summed by class and what its rows are of before anything is looked up. Groups are few, so no row is sorted for them.
	group, by := groups[groupBy], "class_id"
	switch groupBy {
	case "service_category", "department":
		by += ", " + groupBy
	case "capital_asset":
		by += ", capital_asset_id"
	}
	if groupBy != "capital_asset" {
		batch := &pgx.Batch{}
		batch.Queue("SELECT set_config('enable_sort', 'off', true)")
		if err := postgres.Later(ctx, tx, batch); err != nil {
			return err
		}
	}
	parts, sums := make([]string, len(scheduleColumns)), make([]string, len(scheduleColumns))
	for i, column := range scheduleColumns {
		parts[i] = fmt.Sprintf("sum(%s) AS c%d", column, i)
		sums[i] = fmt.Sprintf("sum(y.c%d)::float8", i)
	}
	rows, err := tx.Query(ctx, all.figures(y)+fmt.Sprintf(` SELECT %[1]s, %[2]s::text, %[3]s, %[4]s,
			sum(CASE WHEN k.method = 'none' THEN y.c%[5]d ELSE 0 END + y.c%[6]d)::float8
		FROM (SELECT %[7]s, %[8]s FROM rows_%[9]d y GROUP BY %[7]s) y
		JOIN class k ON k.organization_id = current_organization() AND k.id = y.class_id%[10]s
		GROUP BY 1, 2, 3 ORDER BY %[11]s`, group.id, group.code, group.name, strings.Join(sums, ", "),
		slices.Index(scheduleColumns, "cost_closing"), slices.Index(scheduleColumns, "work_closing"),
		by, strings.Join(parts, ", "), y.number, group.join, group.order))
	if err != nil {
		return err
	}
	var row ScheduleRow
	_, err = pgx.ForEachRow(rows, row.targets(), func() error {
		row.value()
		return do(&row)
	})
	return err
}

func (a *accounting) schedule(ctx context.Context, in ScheduleQuery) (out Schedule, err error) {
	out = Schedule{FiscalYear: in.FiscalYear, GroupBy: in.GroupBy, Currency: currencyOf(ctx), Data: []ScheduleRow{}}
	err = a.readInTurn(ctx, func(ctx context.Context, tx pgx.Tx) error {
		all, y, err := findYear(ctx, tx, strconv.Itoa(in.FiscalYear))
		if err != nil {
			return err
		}
		out.FiscalYearLabel, out.Provisional = y.label, y.state != "closed"
		return all.eachRow(ctx, tx, y, in.GroupBy, func(row *ScheduleRow) error {
			out.Data = append(out.Data, *row)
			out.Total.add(row)
			return nil
		})
	})
	return out, err
}

// add adds a row to a sum, in cents.
func (r *ScheduleRow) add(other *ScheduleRow) {
	mine, theirs := r.targets()[3:], other.targets()[3:]
	for i := range mine {
		sum := mine[i].(*float64)
		*sum = money(cents(*sum) + cents(*theirs[i].(*float64)))
	}
	r.value()
}

func (a *accounting) streamSchedule(ctx context.Context, in ScheduleOfYearQuery, accept []string) (*transport.Response, error) {
	year := strconv.Itoa(in.FiscalYear)
	if err := a.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error { // errors before the first byte
		_, _, err := findYear(ctx, tx, year)
		return err
	}); err != nil {
		return nil, err
	}
	return transport.StreamRecords(ctx, accept, "schedule", func(ctx context.Context, do func(*ScheduleRow) error) error {
		return a.inTurn(ctx, func() error {
			return a.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
				all, y, err := findYear(ctx, tx, year)
				if err != nil {
					return err
				}
				return all.eachRow(ctx, tx, y, "capital_asset", do)
			})
		})
	}), nil
}
