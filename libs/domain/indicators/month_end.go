package indicators

// MonthEndHorizons are the horizons in years of the needs and FCIs that are stored of a month's end, in the order of the arrays of
// figures_month.
var MonthEndHorizons = []int{0, 1, 2, 5, 10}

// MonthEndFigures are the figures of a month's end that assets and networks have in common, as SQL over a row m of figures_month; $5 is the
// place of the horizon in its arrays, from 1.
var MonthEndFigures = map[string]string{
	"fci_pct": "m.fci_pct[$5::int]", "need": "m.need[$5::int]", "deferred_maintenance_cost": "m.deferred_maintenance_cost",
	"replacement_cost": "m.replacement_cost", "average_condition_rating": "m.average_condition_rating",
	"weighted_condition_rating": "m.weighted_condition_rating", "pct_past_useful_life": "m.pct_past_useful_life",
	"pct_high_risk": "m.pct_high_risk",
}
