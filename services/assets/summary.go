package main

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// Indicators are the state of a part of the portfolio, computed from the assets that are in use: neither planned nor decommissioned
// nor disposed, nor inside of something that is.
type Indicators struct {
	Counts                  Counts           `json:"counts" doc:"How many there are."`
	ReplacementCost         float64          `json:"replacement_cost" doc:"What replacing everything would cost today."`
	ReplacementCostBasis    Basis            `json:"replacement_cost_basis" doc:"Where replacement_cost comes from; the three add up to it."`
	DeferredMaintenanceCost float64          `json:"deferred_maintenance_cost" doc:"Maintenance that is due and was put off."`
	Need                    float64          `json:"need" doc:"Renewals due within the horizon (the greater of replacement and deferred maintenance), and the deferred maintenance of everything else."`
	FCIPct                  *float64         `json:"fci_pct" unit:"percent" doc:"Facility Condition Index: need over replacement cost. May exceed 100; null where nothing has a cost."`
	FCIGrade                *string          `json:"fci_grade" enum:"good,fair,poor,critical" doc:"good to 5 %, fair to 10 %, poor to 30 %, critical above."`
	AverageAgeYears         *float64         `json:"average_age_years" unit:"year" doc:"Mean age of the assets whose installation is known."`
	AverageConditionRating  *float64         `json:"average_condition_rating" doc:"Mean condition rating of the rated assets, 1 (very good) to 5 (very poor)."`
	Condition               map[string]Share `json:"condition_distribution" doc:"Assets by condition grade: very_good, good, fair, poor, very_poor, unknown."`
	PastUsefulLife          Share            `json:"past_useful_life" doc:"Assets whose expected useful life is over."`
	DataQuality             DataQuality      `json:"data_quality" doc:"Assets that lack what the figures are made from."`
	Currency                string           `json:"currency" doc:"Currency of every amount of money."`
}

// Counts are numbers of records that count.
type Counts struct {
	Sites     int `json:"sites"`
	Buildings int `json:"buildings"`
	Systems   int `json:"systems"`
	Assets    int `json:"assets"`
	LeftOut   int `json:"assets_left_out" doc:"Assets that are planned, decommissioned or disposed, or inside of something that is; in no other figure."`
}

// Basis splits a replacement cost by where it comes from.
type Basis struct {
	Buildings float64 `json:"buildings" doc:"From appraisals of whole buildings."`
	Systems   float64 `json:"systems" doc:"From systems that have a cost of their own."`
	Assets    float64 `json:"assets" doc:"From assets."`
}

// Share is a number of assets and what replacing them would cost.
type Share struct {
	Assets          int     `json:"assets"`
	ReplacementCost float64 `json:"replacement_cost"`
}

// DataQuality counts the assets that lack a field.
type DataQuality struct {
	WithoutReplacementCost    int `json:"without_replacement_cost"`
	WithoutInstallation       int `json:"without_installation" doc:"Neither install_date nor install_year."`
	WithoutUsefulLife         int `json:"without_expected_useful_life"`
	WithoutConditionRating    int `json:"without_condition_rating"`
	WithoutPlannedRenewalYear int `json:"without_planned_renewal_year"`
	WithoutSite               int `json:"without_site"`
}

// targets are where a row of figuresSQL is scanned to, in its order.
func (f *Indicators) targets(shares *[6]Share) []any {
	c, b, q := &f.Counts, &f.ReplacementCostBasis, &f.DataQuality
	targets := []any{
		&c.Sites, &c.Buildings, &c.Systems, &c.Assets, &c.LeftOut, &f.ReplacementCost, &b.Buildings, &b.Systems, &b.Assets,
		&f.DeferredMaintenanceCost, &f.Need, &f.FCIPct, &f.FCIGrade, &f.AverageAgeYears, &f.AverageConditionRating,
		&q.WithoutInstallation, &q.WithoutReplacementCost, &q.WithoutUsefulLife, &q.WithoutPlannedRenewalYear, &q.WithoutSite,
		&f.PastUsefulLife.Assets, &f.PastUsefulLife.ReplacementCost,
	}
	for i := range shares {
		targets = append(targets, &shares[i].Assets)
	}
	for i := range shares {
		targets = append(targets, &shares[i].ReplacementCost)
	}
	return targets
}

// scan reads one row of figuresSQL; more are targets of columns that stand before it.
func (f *Indicators) scan(row pgx.Row, currency string, more ...any) error {
	var shares [6]Share
	if err := row.Scan(append(more, f.targets(&shares)...)...); err != nil {
		return err
	}
	f.Condition = map[string]Share{}
	for i, grade := range conditionKeys {
		f.Condition[grade] = shares[i]
	}
	f.DataQuality.WithoutConditionRating = shares[5].Assets
	f.Currency = currency
	return nil
}

// SummaryRequest is a request for the indicators of one record.
type SummaryRequest struct {
	ID           string  `path:"id" format:"uuid"`
	AsOf         *string `query:"as_of" format:"date" doc:"Day of the figures (ages, lives, renewals); today when left out."`
	HorizonYears int     `query:"horizon_years" default:"0" minimum:"0" maximum:"50" doc:"Renewals planned up to so many years after the year of as_of count as needs."`
}

// Summary is the indicators of a site, a building or a system.
type Summary struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	AsOf         string `json:"as_of" format:"date"`
	HorizonYears int    `json:"horizon_years" unit:"year"`
	Indicators
	WorkOrderCounts
}

// mountSummaries serves the summary of each kind of parent to callers who may read the parent.
func (f family) mountSummaries() {
	for singular, v := range map[string]view{"site": ofSite, "building": ofBuilding, "system": ofSystem} {
		sql := rollup(partsSQL+unitsSQL+" SELECT "+indicatorsSQL+" FROM unit u", v, "NULL::text", "NULL::text")
		transport.Get(f.registry.API, transport.Operation{
			Path: "/v1/" + singular + "s/{id}/summary", ID: "get_" + singular + "_summary", Scope: singular + "s:read",
			Summary:     "Summarize a " + singular + ": counts, replacement cost, needs, FCI, age, condition and open work orders",
			Description: "A " + singular + " that is itself planned, decommissioned, demolished or disposed counts for nothing.",
		}, func(ctx context.Context, in SummaryRequest) (Summary, error) {
			return f.summarize(ctx, singular, sql, in)
		})
	}
}

func (f family) summarize(ctx context.Context, singular, sql string, in SummaryRequest) (Summary, error) {
	id := strings.ToLower(in.ID)
	summary := Summary{ID: id, AsOf: day(in.AsOf), HorizonYears: in.HorizonYears}
	found := false
	err := f.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
		batch.Queue("SELECT name FROM "+singular+" WHERE organization_id = current_organization() AND id = $1::uuid",
			id).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				found = true
				if err := rows.Scan(&summary.Name); err != nil {
					return err
				}
			}
			return rows.Err()
		})
		batch.Queue(sql, summary.AsOf, in.HorizonYears, id).QueryRow(func(row pgx.Row) error {
			return summary.scan(row, currency(ctx))
		})
	})
	switch {
	case err != nil:
		return summary, err
	case !found:
		return summary, fault.NotFound(singular, id)
	}
	summary.WorkOrderCounts = f.countWorkOrders(ctx, singular+"_id", id)
	return summary, nil
}

// day is the requested date, or today.
func day(asOf *string) string {
	if asOf != nil {
		return *asOf
	}
	return resource.Today()
}
