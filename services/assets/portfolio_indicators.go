package assets

import (
	"context"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/assets"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

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
	transport.Internal(f.registry.API, contract.Indicators,
		func(ctx context.Context, in contract.PortfolioRequest) (response contract.PortfolioIndicators, err error) {
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
