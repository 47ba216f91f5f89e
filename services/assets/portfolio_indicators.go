package assets

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// PortfolioRequest names a part of the portfolio: what is on any of the sites or in any of the buildings, each counted once. Without
// sites and buildings it is the whole organization.
type PortfolioRequest struct {
	SiteIDs      []string `json:"site_ids" maxItems:"5000"`
	BuildingIDs  []string `json:"building_ids" maxItems:"5000"`
	AsOf         *string  `json:"as_of" format:"date"`
	HorizonYears int      `json:"horizon_years" default:"0" minimum:"0" maximum:"50"`
}

// PortfolioIndicators are what levels of service are measured by. An indicator is null where nothing is known to compute it from.
type PortfolioIndicators struct {
	AvgConditionRating *float64 `json:"avg_condition_rating" doc:"Mean condition rating of the rated assets, 1 (very good) to 5 (very poor), 2 decimals."`
	PctGoodOrBetter    *float64 `json:"pct_good_or_better" doc:"Rated assets in good or very good condition, in percent of the rated assets, 2 decimals."`
	PctPastUsefulLife  *float64 `json:"pct_past_useful_life" doc:"Assets whose expected useful life is over, in percent of those whose life is known, 2 decimals."`
	FCIPct             *float64 `json:"fci_pct" doc:"Facility Condition Index within the horizon."`
}

// ofPlaces is what is on sites or in buildings: $4 and $5 are their ids.
var ofPlaces = view{
	assets:    "(a.site_id = ANY($4::uuid[]) OR a.building_id = ANY($5::uuid[]))",
	systems:   "(s.site_id = ANY($4::uuid[]) OR s.building_id = ANY($5::uuid[]))",
	buildings: "(b.site_id = ANY($4::uuid[]) OR b.id = ANY($5::uuid[]))",
	sites:     "p.id = ANY($4::uuid[])",
}

var portfolioColumns = "round(sum(u.rating) / nullif(sum(u.assets) - sum(u.unrated), 0), 2), " +
	"round(100.0 * (sum(u.rated1) + sum(u.rated2)) / nullif(sum(u.assets) - sum(u.unrated), 0), 2), " +
	"round(100.0 * sum(u.past) / nullif(sum(u.lived), 0), 2), " +
	fciSQL

// mountPortfolioIndicators serves the indicators to the los service, which measures levels of service.
func (f family) mountPortfolioIndicators() {
	sql := partsSQL + unitsSQL + " SELECT " + portfolioColumns + " FROM unit u"
	places, all := rollup(sql, ofPlaces, noKeys), rollup(sql, everything, noKeys)
	transport.Internal(f.registry.API, "/assets/figures",
		func(ctx context.Context, in PortfolioRequest) (response PortfolioIndicators, err error) {
			asOf, err := day(ctx, in.AsOf)
			if err != nil {
				return response, err
			}
			table, err := f.pricesOf(ctx, yearOf(asOf, nil))
			if err != nil {
				return response, err
			}
			statement, args := all.For(asOf, resource.Today(ctx), table, byLife(ctx, asOf)), []any{asOf, in.HorizonYears, table.JSON()}
			if len(in.SiteIDs)+len(in.BuildingIDs) > 0 {
				statement, args = places.For(asOf, resource.Today(ctx), table, byLife(ctx, asOf)), append(args, in.SiteIDs, in.BuildingIDs)
			}
			err = f.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
				resource.PlanPast(ctx, batch, asOf)
				batch.Queue(statement, args...).QueryRow(func(row pgx.Row) error {
					return row.Scan(&response.AvgConditionRating, &response.PctGoodOrBetter, &response.PctPastUsefulLife, &response.FCIPct)
				})
			})
			return response, err
		})
}
