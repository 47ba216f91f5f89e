package accounting

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/transport"
	"ams.internal/services/accounting/ledger"
)

// ProjectionQuery asks for the amortization of years to come.
type ProjectionQuery struct {
	Years   int    `query:"years" default:"10" minimum:"1" maximum:"50" doc:"How many fiscal years, from the one after the last of the ledger." example:"10"`
	GroupBy string `query:"group_by" default:"class" enum:"class,category,service_category,department" doc:"What the rows are of."`
}

// Projection is the amortization of what is there, in years to come.
type Projection struct {
	GroupBy  string          `json:"group_by" doc:"What the rows are of." example:"class"`
	Currency string          `json:"currency" doc:"Currency of every amount." example:"CAD"`
	Data     []ProjectionRow `json:"data" doc:"A row for each group and fiscal year."`
}

// ProjectionRow is the amortization of a group in a fiscal year.
type ProjectionRow struct {
	ID           *string `json:"id" doc:"Of the class; else null." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Code         *string `json:"code" doc:"Of the class; the category, service category or department itself." example:"CLS-01"`
	Name         *string `json:"name" doc:"Of the class." example:"Bâtiments administratifs"`
	FiscalYear   int     `json:"fiscal_year" doc:"The fiscal year." example:"2027"`
	Amortization float64 `json:"amortization" decimals:"2" doc:"What is charged, if nothing is posted any more." example:"4800.00"`
}

// Table implements transport.Tabular.
func (p Projection) Table() transport.Table { return transport.TableOf(p.Data) }

func (a *accounting) mountProjection() {
	transport.Get(a.registry.API, transport.Operation{Path: "/v1/accounting/projection",
		ID: "get_capital_asset_projection", Deadline: closeDeadline, Scope: "accounting:read", Feature: "accounting",
		Summary: "Get the amortization of years to come", Description: "Of what is in service at the end of the ledger's last fiscal year, " +
			"as if nothing more were posted. As CSV and Parquet too (Accept)."}, a.projection)
}

func (a *accounting) projection(ctx context.Context, in ProjectionQuery) (out Projection, err error) {
	out = Projection{GroupBy: in.GroupBy, Currency: currencyOf(ctx), Data: []ProjectionRow{}}
	err = a.readInTurn(ctx, func(ctx context.Context, tx pgx.Tx) error {
		all, err := yearsOf(ctx, tx)
		if err != nil || len(all) == 0 {
			return err
		}
		last := &all[len(all)-1]
		if err := overAll(ctx, tx); err != nil {
			return err
		}
		group := groups[in.GroupBy]
		rows, err := tx.Query(ctx, all.figures(last)+fmt.Sprintf(` SELECT %s::text, %s::text, %s::text, k.convention, l.cost::float8,
			(l.accumulated + l.charge)::float8, l.residual::float8, l.units_left - least(l.units_due, l.units_left)
			FROM layers_%[4]d l JOIN rows_%[4]d y ON y.capital_asset_id = l.capital_asset_id AND y.last AND NOT y.disposed AND y.removed = 0
			JOIN class k ON k.organization_id = current_organization() AND k.id = y.class_id
			WHERE l.cost > 0 AND l.units_left > l.units_due
			ORDER BY (%[3]s::text) COLLATE "natural", (%[2]s::text) COLLATE "natural"`, group.id, group.code, group.name, last.number))
		if err != nil {
			return err
		}
		year := ledger.Year{First: last.first, Last: last.last}.Next()
		var row ProjectionRow
		var convention string
		var cost, accumulated, residual float64
		var left int
		var sums []ledger.Cents // of the group that is being read
		finish := func(group ProjectionRow) {
			for i, sum := range sums {
				group.FiscalYear, group.Amortization = last.number+1+i, money(sum)
				out.Data = append(out.Data, group)
			}
		}
		var before *ProjectionRow
		_, err = pgx.ForEachRow(rows, []any{&row.ID, &row.Code, &row.Name, &convention, &cost, &accumulated, &residual, &left}, func() error {
			if before == nil || !same(before.ID, row.ID) || !same(before.Code, row.Code) {
				if before != nil {
					finish(*before)
				}
				current := row
				before, sums = &current, make([]ledger.Cents, in.Years)
			}
			asset := ledger.Asset{Convention: ledger.Conventions[convention], Amortized: true,
				Layers: []ledger.Layer{{Cost: cents(cost), Accumulated: cents(accumulated), Residual: cents(residual), Left: left}}}
			for i, charge := range asset.Projection(year, in.Years) {
				sums[i] += charge
			}
			return nil
		})
		if before != nil {
			finish(*before)
		}
		return err
	})
	return out, err
}

func same(x, y *string) bool { return x == y || x != nil && y != nil && *x == *y }
