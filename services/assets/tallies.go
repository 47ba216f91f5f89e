package assets

import (
	"strconv"
	"strings"

	"ams.internal/libs/domain/indicators"
)

// tallies are what is counted of assets and added up at every level. Each is an SQL expression over a row t of place, whose assets
// share condition_rating and past.
var tallies = []struct{ name, sql string }{
	{"age", "t.age"},
	{"aged", "t.aged"}, // of what is installed on the day; what comes later has no age
	{"dated", "t.dated"},
	{"value_age", "t.value_age"},
	{"value_undated", "t.value_undated"},
	{"rating", "t.condition_rating * t.assets"},
	{"rated1", "CASE t.condition_rating WHEN 1 THEN t.assets END"},
	{"rated2", "CASE t.condition_rating WHEN 2 THEN t.assets END"},
	{"rated3", "CASE t.condition_rating WHEN 3 THEN t.assets END"},
	{"rated4", "CASE t.condition_rating WHEN 4 THEN t.assets END"},
	{"rated5", "CASE t.condition_rating WHEN 5 THEN t.assets END"},
	{"unrated", "CASE WHEN t.condition_rating IS NULL THEN t.assets END"},
	{"value1", "CASE t.condition_rating WHEN 1 THEN t.value END"},
	{"value2", "CASE t.condition_rating WHEN 2 THEN t.value END"},
	{"value3", "CASE t.condition_rating WHEN 3 THEN t.value END"},
	{"value4", "CASE t.condition_rating WHEN 4 THEN t.value END"},
	{"value5", "CASE t.condition_rating WHEN 5 THEN t.value END"},
	{"value_unrated", "CASE WHEN t.condition_rating IS NULL THEN t.value END"},
	{"past", "CASE WHEN t.past THEN t.assets END"},
	{"lived", "CASE WHEN t.past IS NOT NULL THEN t.assets END"},
	{"past_value", "CASE WHEN t.past THEN t.value END"},
	{"costed", "t.costed"},
	{"lasting", "t.lasting"},
	{"planned", "t.planned"},
	{"placed", "CASE WHEN t.site_id IS NOT NULL THEN t.assets END"},
	{"entered_later", "t.entered_later"},
	{"changed_since", "t.changed_since"},
}

// detail is what some reports add up besides: an SQL expression over the assets a of a place. One without an aggregate is what places are
// divided by.
type detail struct {
	name, sql string
	divides   bool
}

// detailed gives the columns of details in place, and what of them is in its GROUP BY behind the seven that are always there.
func detailed(details []detail) (columns, grouped string) {
	for _, divides := range []bool{true, false} {
		for _, d := range details {
			if d.divides != divides {
				continue
			}
			if columns += "\n\t\t" + d.sql + " AS " + d.name + ","; divides {
				grouped += ", " + strconv.Itoa(8+strings.Count(grouped, ","))
			}
		}
	}
	return columns, grouped
}

// tallied lists the tallies and the details that are added up, each as column makes it of its name and its expression.
func tallied(details []detail, column func(name, sql string) string) string {
	list := make([]string, 0, len(tallies)+len(details))
	for _, t := range tallies {
		list = append(list, column(t.name, t.sql))
	}
	for _, d := range details {
		if !d.divides {
			list = append(list, column(d.name, "t."+d.name))
		}
	}
	return strings.Join(list, ", ")
}

// What is made of the sums over rows u of unit or part.
const (
	valueSQL = "(sum(u.of_buildings) + sum(u.of_systems) + sum(u.of_assets))"
	ratedSQL = "(sum(u.value1) + sum(u.value2) + sum(u.value3) + sum(u.value4) + sum(u.value5))"
)

// needBasisSQL is the columns of a NeedBasis.
const needBasisSQL = "coalesce(sum(u.renewed) - sum(u.by_life), 0), coalesce(sum(u.by_life), 0), coalesce(sum(u.need) - sum(u.renewed), 0)"

func lifeKnownSQL(value string) string {
	return "round(100.0 * sum(u.known) / nullif(" + value + ", 0), 2)"
}

var fciSQL = indicators.FCI("sum(u.need) - sum(u.bare)", valueSQL)

// indicatorsSQL is the list of columns that Indicators is read from, over rows u of unit or part.
var indicatorsSQL = strings.Join([]string{
	number("sites"), number("buildings"), number("systems"), number("assets"), number("left_out"),
	"coalesce(" + valueSQL + ", 0)", amount("of_buildings"), amount("of_systems"), amount("of_assets"),
	"coalesce(sum(u.costs) - sum(u.restated), 0)::bigint", "coalesce(" + valueSQL + " - sum(u.restated_value), 0)",
	amount("deferred"), "coalesce(sum(u.deferred) - sum(u.found), 0)", amount("found"), amount("need"), amount("bare"), fciSQL,
	needBasisSQL, lifeKnownSQL(valueSQL),
	indicators.Years("(sum(u.age) / nullif(sum(u.aged), 0))"), indicators.Years("(sum(u.value_age) / nullif(" + ratedSQL +
		" + sum(u.value_unrated) - sum(u.value_undated), 0))"), "round(sum(u.rating) / nullif(sum(u.assets) - sum(u.unrated), 0), 2)",
	"round((sum(u.value1) + 2 * sum(u.value2) + 3 * sum(u.value3) + 4 * sum(u.value4) + 5 * sum(u.value5)) / " +
		"nullif(" + ratedSQL + ", 0), 2)",
	lacking("dated"), lacking("costed"), lacking("lasting"), lacking("planned"), lacking("placed"), number("short"), number("zeros"),
	number("gone"), number("unpriced"), number("entered_later"), number("changed_since"),
	number("past"), amount("past_value"),
	number("rated1"), number("rated2"), number("rated3"), number("rated4"), number("rated5"), number("unrated"),
	amount("value1"), amount("value2"), amount("value3"), amount("value4"), amount("value5"), amount("value_unrated"),
}, ", ")

// number is the sum of a column that counts.
func number(column string) string { return "coalesce(sum(u." + column + "), 0)::bigint" }

// amount is the sum of a column of money.
func amount(column string) string { return "coalesce(sum(u." + column + "), 0)" }

// lacking is the number of assets that are not in a tally.
func lacking(tally string) string {
	return "coalesce(sum(u.assets) - sum(u." + tally + "), 0)::bigint"
}
