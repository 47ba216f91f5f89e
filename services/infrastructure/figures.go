package infrastructure

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"ams.internal/libs/domain/contracts/assets"
	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/domain/prices"
)

// Figures of networks are added up from their segments by one statement. Its rows r are the segments with their amounts in the wanted
// prices; its sums are the tallies.

// The statements take $1 the day of the figures, $2 the horizon in years and $3 the prices (package prices).
const (
	asOf    = "$1::date"
	year    = "extract(year FROM $1::date)::int"
	horizon = "$2::int"
)

// rowsSQL gives row, a row for each segment that which selects. Deferred maintenance is what was typed, or follows from deficiencies where
// there are any that are not void: in the year of the figures, and ahead at the end of each horizon.
const rowsSQL = `WITH {with}{prices}{found}, row AS MATERIALIZED (
	SELECT r.*, coalesce(r.cost > 0, false) AS valued, {need} AS need FROM (
		SELECT t.id AS segment_id, n.id AS network_id, n.name AS network_name, n.asset_class, {category} AS category, {counts} AS stands,
			t.length_m::numeric AS length_m, t.lanes, t.bbox, t.paved, t.condition_rating, t.risk_score, t.planned_renewal_year,
			t.expected_useful_life_years, {installed} AS installed, {days} AS days, {past} AS past,
			{renewal year} AS renewal_year, {life known} AS life_known,
			{cost} AS cost, {deferred}, {restated} AS restated, t.replacement_cost_computed AS computed,
			{confident} AS confident, coalesce(t.condition_method, 'unknown') AS method,
			{entered later} AS entered_later, {changed later} AS changed_later
		FROM {segment} t JOIN {network} n ON n.organization_id = current_organization() AND n.id = t.network_id{joins}
		WHERE t.organization_id = current_organization() AND {which}) r
)`

// tallies are what is added up of the segments that count: an aggregate over the rows r, and which of them it takes.
var tallies = slices.Concat(plainTallies, gradedTallies)

var plainTallies = []tally{
	{"segments", "count(*)", ""},
	{"length", "sum(r.length_m)", ""},
	{"lanes", "sum(r.length_m * r.lanes)", ""},
	{"value", "sum(r.cost)", ""},
	{"given", "sum(r.cost)", "NOT r.computed"},
	{"recorded", "count(r.cost)", "NOT r.restated"},
	{"recorded_value", "sum(r.cost)", "NOT r.restated"},
	{"deferred", "sum(r.deferred)", ""},
	{"without_cost", "sum(r.without_cost)", ""},
	{"need", "sum(r.need)", ""},
	{"bare", "sum(r.need)", "NOT r.valued"},
	{"renewed", "sum(r.need)", indicators.RenewalDue("r.renewal_year", year, horizon)},
	{"by_life", "sum(r.need)", indicators.RenewalDue("r.renewal_year", year, horizon) + " AND r.planned_renewal_year IS NULL"},
	{"known", "sum(r.cost)", "r.life_known"},
	{"age", "sum(r.days::numeric)", "r.days >= 0"}, // what is installed after the day has no age on it
	{"aged", "count(*)", "r.days >= 0"},
	{"dated", "count(r.installed)", ""},
	{"length_age", "sum(r.days * r.length_m)", "r.days >= 0"},
	{"length_aged", "sum(r.length_m)", "r.days >= 0"},
	{"value_age", "sum(r.days * r.cost)", "r.days >= 0"},
	{"value_aged", "sum(r.cost)", "r.days >= 0"},
	{"rating", "sum(r.condition_rating)", ""},
	{"length_rating", "sum(r.condition_rating * r.length_m)", ""},
	{"length_rated", "sum(r.length_m)", "r.condition_rating IS NOT NULL"},
	{"past", "count(*)", "r.past"},
	{"lived", "count(r.past)", ""},
	{"past_length", "sum(r.length_m)", "r.past"},
	{"past_value", "sum(r.cost)", "r.past"},
	{"costed", "count(r.cost)", ""},
	{"zeros", "count(*)", "r.cost = 0"},
	{"lasting", "count(r.expected_useful_life_years)", ""},
	{"planned", "count(r.planned_renewal_year)", ""},
	{"drawn", "count(r.bbox)", ""},
	{"measured", "count(r.length_m)", ""},
	{"confident", "sum(r.cost)", "r.confident"},
	{"entered_later", "count(*)", "r.entered_later"},
	{"changed_since", "count(*)", "r.changed_later AND NOT r.entered_later"},
}

// gradedTallies are those of each rating and each risk level.
var gradedTallies = slices.Concat(byRating(), byRisk())

type tally struct{ name, aggregate, where string }

// byRating are the segments of each rating, and those without one as number 6.
func byRating() (list []tally) {
	for rating := 1; rating <= 6; rating++ {
		n, where := strconv.Itoa(rating), "r.condition_rating = "+strconv.Itoa(rating)
		if rating == 6 {
			where = "r.condition_rating IS NULL"
		}
		list = append(list, tally{"rated" + n, "count(*)", where}, tally{"value" + n, "sum(r.cost)", where},
			tally{"length" + n, "sum(r.length_m)", where})
	}
	return list
}

// byRisk are the segments of each risk level, and those without a risk score as number 6.
func byRisk() (list []tally) {
	for i, level := range append(slices.Clone(indicators.RiskLevels), "") {
		n, where := strconv.Itoa(i+1), indicators.RiskLevel("r.risk_score")+" = '"+level+"'"
		if level == "" {
			where = "r.risk_score IS NULL"
		}
		list = append(list, tally{"risk" + n, "count(*)", where}, tally{"risk_value" + n, "sum(r.cost)", where})
	}
	return list
}

// sums lists the tallies, 0 where there is nothing to add up. What does not count is in left_out, and in no other.
func sums() string { return sumsOf(tallies) }

// sumsOfParts is sums over parts r: what shares rating and risk, added up by sumsOf(plainTallies).
func sumsOfParts() string {
	list := []string{"sum(r.left_out) AS left_out"}
	for _, t := range plainTallies {
		list = append(list, "sum(r."+t.name+") AS "+t.name)
	}
	of := map[string]string{"count(*)": "segments", "sum(r.cost)": "value", "sum(r.length_m)": "length"}
	for _, t := range gradedTallies {
		list = append(list, "coalesce(sum(r."+of[t.aggregate]+") FILTER (WHERE "+t.where+"), 0) AS "+t.name)
	}
	return strings.Join(list, ",\n\t")
}

func sumsOf(tallies []tally) string {
	list := []string{"count(*) FILTER (WHERE NOT r.stands) AS left_out"}
	for _, t := range tallies {
		where := "r.stands"
		if t.where != "" {
			where += " AND " + t.where
		}
		list = append(list, "coalesce("+t.aggregate+" FILTER (WHERE "+where+"), 0) AS "+t.name)
	}
	return strings.Join(list, ",\n\t")
}

// requestedHorizon and monthEndHorizons are the horizons, in SQL, at which rows have their deferred maintenance as ahead0, ahead1 and so
// on. need is at the first.
var (
	requestedHorizon = []string{horizon}
	monthEndHorizons = func() (list []string) {
		for _, years := range indicators.MonthEndHorizons {
			list = append(list, strconv.Itoa(years))
		}
		return list
	}()
)

// figures completes a statement over row. which selects the segments: a condition over t.
func figures(sql, which string) prices.Statement { return figuresAhead(sql, which, requestedHorizon) }

// figuresAhead is figures at other horizons than the requested one.
func figuresAhead(sql, which string, horizons []string) prices.Statement {
	before := asTheyStood(which)
	return prices.NewStatement(func(f prices.Form) string {
		rows := present
		if f.Past {
			rows = before
		}
		return complete(rowsSQL+sql, which, rows, horizons, f)
	})
}

func complete(sql, which string, rows sources, horizons []string, form prices.Form) string {
	inPrices := form.InPrices
	cost, deferred, restated, joins := "t.replacement_cost", "t.deferred_maintenance_cost", "false", ""
	foundCost, foundJoins := "d.estimated_cost", ""
	if which != "true" || inPrices {
		foundJoins = " JOIN {segment} t ON t.organization_id = current_organization() AND t.id = d.segment_id"
	}
	summed := rows.summed && !inPrices // of today, without other prices: the segments have the sums
	if inPrices {
		category := indicators.ServiceCategoryOfNetwork("n")
		costYear := "coalesce(t.replacement_cost_year, extract(year FROM t.replacement_cost_as_of)::int)"
		deferredYear := "coalesce(extract(year FROM t.deferred_maintenance_as_of)::int, " + costYear + ")"
		cost, deferred, restated = prices.In("cp", cost), prices.In("dp", deferred), prices.Known("cp")
		joins = prices.Join("cp", category, costYear) + prices.Join("dp", category, deferredYear)
		foundCost = prices.In("fp", foundCost)
		foundJoins += " JOIN {network} n ON n.organization_id = current_organization() AND n.id = t.network_id" +
			prices.Join("fp", category, "d.cost_year")
	}
	found := ""
	if summed {
		deferred = summedSQL(deferred, horizons)
	} else {
		found, deferred = foundSQL(foundCost, deferred, horizons)
		found = ", found AS MATERIALIZED (\n\tSELECT d.segment_id AS id, " + found +
			" FROM {deficiency} d{found joins}\n\tWHERE d.organization_id = current_organization() AND d.status <> 'void' AND {which} GROUP BY 1\n)"
		joins = "\n\t\t\tLEFT JOIN found f ON f.id = t.id" + joins
	}
	sql = strings.Replace(sql, "{found}", found, 1)
	foundJoins = strings.NewReplacer("{segment}", rows.segment, "{network}", rows.network).Replace(foundJoins)
	return strings.NewReplacer(
		"{deficiency}", rows.deficiency, "{found joins}", foundJoins,
		"{with}", rows.with, "{prices}", prices.Rows("$3"), "{segment}", rows.segment, "{network}", rows.network, "{counts}", rows.counts,
		"{entered later}", rows.enteredLater, "{changed later}", rows.changedLater, "{which}", which,
		"{category}", indicators.ServiceCategoryOfNetwork("n"), "{joins}", joins,
		"{cost}", cost, "{deferred}", deferred, "{restated}", restated,
		"{need}", indicators.Need("r.renewal_year", year, horizon, "r.ahead0", "r.cost"),
		"{renewal year}", indicators.LinearRenewalYear("t", form.ByLife),
		"{life known}", "("+indicators.LinearRenewalYear("t", true)+" IS NOT NULL)",
		"{installed}", indicators.Installed("t"), "{days}", indicators.AgeDays("t", asOf), "{past}", indicators.LinearPastUsefulLife("t", asOf),
		"{confident}", indicators.Confident("t", asOf),
	).Replace(sql)
}

// foundSQL is the columns of what the deficiencies of a segment come to, and those that a row has of it: the figure that was typed where it
// has none. Both are SQL expressions over their rows.
func foundSQL(cost, typed string, horizons []string) (found, row string) {
	either := func(name string) string {
		return "CASE WHEN f.id IS NULL THEN " + typed + " ELSE f." + name + " END AS " + name
	}
	found, row = deficiencies.Sum("d", cost, year)+" AS deferred", either("deferred")
	for i, years := range horizons {
		name := "ahead" + strconv.Itoa(i)
		found += ", " + deficiencies.Sum("d", cost, "("+year+" + "+years+")") + " AS " + name
		row += ", " + either(name)
	}
	return found + ", " + deficiencies.WithoutCost("d", year) + " AS without_cost", row + ", coalesce(f.without_cost, 0) AS without_cost"
}

// summedSQL is the columns that a row has of the sums of its segment's deficiencies.
func summedSQL(typed string, horizons []string) string {
	either := func(year, name string) string {
		return "CASE WHEN t.deficiency_years IS NULL THEN " + typed + " ELSE " + deficiencies.Deferred("t", year) + " END AS " + name
	}
	row := either(year, "deferred")
	for i, years := range horizons {
		row += ", " + either("("+year+" + "+years+")", "ahead"+strconv.Itoa(i))
	}
	return row + ", coalesce(" + deficiencies.Unpriced("t", year) + ", 0) AS without_cost"
}

// pricesOf asks the assets service, which keeps the price indexes, for the prices of a year. A sum of mixed prices would be wrong, so the
// figures are a 503 while it is away.
func (f family) pricesOf(ctx context.Context, day string, wanted *int) (prices.Table, error) {
	of, _ := strconv.Atoi(day[:4]) // a date
	if wanted != nil {
		of = *wanted
	}
	return assets.Prices.Call(ctx, f.registry.References, assets.PricesRequest{PricesOf: of})
}
