// Package assets has the contracts of the operations that the assets service serves to other services.
package assets

import (
	"ams.internal/libs/domain/prices"
	"ams.internal/libs/reference"
)

const owner = "assets"

var (
	// Prices are the prices of a year.
	Prices = reference.Contract[PricesRequest, prices.Table]{Owner: owner, Path: "/prices", Repeatable: true}

	// Indicators are what measures of service levels are computed from.
	Indicators = reference.Contract[PortfolioRequest, PortfolioIndicators]{Owner: owner, Path: "/assets/figures", Repeatable: true}
)

// PricesRequest is a request for the prices of a year.
type PricesRequest struct {
	PricesOf int `json:"prices_of" required:"true"`
}

// PortfolioRequest names a part of the portfolio: what is on any of the sites or in any of the buildings, each counted once. Without
// sites and buildings it is the whole organization.
type PortfolioRequest struct {
	SiteIDs      []string `json:"site_ids" maxItems:"5000"`
	BuildingIDs  []string `json:"building_ids" maxItems:"5000"`
	AsOf         *string  `json:"as_of" format:"date"`
	HorizonYears int      `json:"horizon_years" default:"0" minimum:"0" maximum:"50"`
}

// PortfolioIndicators are what levels of service are measured by. An indicator is null where nothing is known to compute it from.
// Percentages have 2 decimals.
type PortfolioIndicators struct {
	AvgConditionRating *float64 `json:"avg_condition_rating" doc:"Mean rating of the rated assets, 1 (very good) to 5 (very poor)."`
	PctGoodOrBetter    *float64 `json:"pct_good_or_better" doc:"Rated assets in good or very good condition, of the rated assets."`
	PctPastUsefulLife  *float64 `json:"pct_past_useful_life" doc:"Assets whose expected useful life is over, of those whose life is known."`
	FCIPct             *float64 `json:"fci_pct" doc:"Facility Condition Index within the horizon."`
}
