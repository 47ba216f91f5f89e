package assets

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/contracts/infrastructure"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/domain/prices"
	"ams.internal/libs/months"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
)

// The figures of a month's end are written by three statements: of the organization with its sites and buildings, of categories, and of
// service categories, which have networks in them. Each puts rollups at the kept horizons side by side.

// keeper keeps the figures of every month's end.
func (f family) keeper(references *reference.Client) months.Keeper {
	return months.Keeper{DB: f.registry.DB, Log: f.registry.Log, Prepare: f.prepareMonth, Write: f.writeMonth,
		Organizations: references.Principals("assets")}
}

// monthMaterial is what a month's figures are made from besides the rows of this service.
type monthMaterial struct {
	prices   prices.Table
	networks []infrastructure.State // at each of the kept horizons
}

func (f family) prepareMonth(ctx context.Context, month months.Month) (any, error) {
	table, err := f.pricesOf(ctx, yearOf(month.End, nil))
	if err != nil {
		return nil, err
	}
	material := monthMaterial{table, make([]infrastructure.State, len(indicators.MonthEndHorizons))}
	for i, years := range indicators.MonthEndHorizons {
		if material.networks[i] = noNetworks; !principal.From(ctx).Has("infrastructure") {
			continue
		}
		if material.networks[i], err = f.networksOf(ctx, month.End, years, table); err != nil {
			return nil, err
		}
	}
	return material, nil
}

// Months of the three kinds of subjects.
var (
	monthOfPlaces = monthSQL(rollup(partsSQL+unitsSQL+monthOf(placeSubject, placeSubjectOf, "unit u", placeSets, unitLines), everything,
		noKeys, monthDetails...))
	monthOfCategories = monthSQL(rollup(partsSQL+monthOf("'category'", "coalesce(u.key, '')",
		"(SELECT part.*, 0::numeric AS of_buildings FROM part) u", "(u.key)", unitLines), everything,
		keys{asset: "a.category", system: "s.category", building: "NULL::text", site: "NULL::text"}, monthDetails...))
	monthOfServices = monthSQL(rollup(partsSQL+stateUnitsSQL+stateLinesSQL("n.category", "NULL::text", "NULL::text")+
		monthOf("'service_category'", "coalesce(u.key, '')", "line u", "(u.key)", stateLines), everything, ofServices, stateDetails[1:]...))
)

// monthDetails are what months have of assets besides the tallies.
var monthDetails = slices.DeleteFunc(slices.Clone(stateDetails), func(d detail) bool { return !strings.HasPrefix(d.name, "risk") })

const (
	placeSubject = "CASE WHEN grouping(u.site_id) = 0 THEN 'site' WHEN grouping(u.building_id) = 0 THEN 'building' ELSE 'organization' END"
	placeSets    = "GROUPING SETS ((), (u.site_id), (u.building_id)) HAVING grouping(u.site_id, u.building_id) = 3 OR " +
		"grouping(u.site_id) = 0 AND u.site_id IS NOT NULL OR grouping(u.building_id) = 0 AND u.building_id IS NOT NULL"
	placeSubjectOf = "coalesce(CASE WHEN grouping(u.site_id) = 0 THEN u.site_id WHEN grouping(u.building_id) = 0 THEN u.building_id " +
		"END::text, '')"
)

// monthLine is where the figures of a month are read from, over rows u: units of assets, or lines with networks.
type monthLine struct{ value, bare, things, unrated, ownValue, valueAged, unratedValue string }

var (
	unitLines = monthLine{valueSQL, "sum(u.bare)", "sum(u.assets)", "unrated",
		"(" + ratedSQL + " + sum(u.value_unrated))", "(" + ratedSQL + " + sum(u.value_unrated) - sum(u.value_undated))", "value_unrated"}
	stateLines = monthLine{"sum(u.value)", "sum(u.bare)", "sum(u.things)", "rated6", "sum(u.own_value)", "sum(u.value_aged)", "value6"}
)

// monthOf ends a rollup with the rows of subjects for a month, at the horizon of the rollup.
func monthOf(subject, subjectOf, from, groups string, l monthLine) string {
	rated, values, risks := make([]string, 5), make([]string, 5), make([]string, 6)
	for i := range 5 {
		rated[i], values[i] = number(fmt.Sprint("rated", i+1)), amount(fmt.Sprint("value", i+1))
	}
	for i := range 6 {
		risks[i] = amount(fmt.Sprint("risk_value", i+1))
	}
	return " SELECT " + subject + " AS subject, " + subjectOf + " AS subject_of, ARRAY[" + number("sites") + ", " + number("buildings") +
		", " + number("systems") + ", coalesce(" + l.things + ", 0)::bigint, " + number("left_out") + "] AS counts, coalesce(" + l.value +
		", 0) AS replacement_cost, " + amount("deferred") + " AS deferred, " + amount("need") + " AS need, " + indicators.FCI("sum(u.need) - "+
		l.bare, l.value) + " AS fci_pct, " + indicators.Years("(sum(u.age) / nullif(sum(u.aged), 0))") + " AS age, " +
		indicators.Years("(sum(u.value_age) / nullif("+l.valueAged+", 0))") + " AS weighted_age, " +
		"round(sum(u.rating) / nullif(" + l.things + " - sum(u." + l.unrated + "), 0), 2) AS rating, round((sum(u.value1) + 2 * sum(u.value2) " +
		"+ 3 * sum(u.value3) + 4 * sum(u.value4) + 5 * sum(u.value5)) / nullif(" + ratedSQL + ", 0), 2) " +
		"AS weighted_rating, ARRAY[" + strings.Join(rated, ", ") + ", " + number(l.unrated) + "] AS rated, ARRAY[" + strings.Join(values, ", ") +
		", " + amount(l.unratedValue) + "] AS rated_value, ARRAY[" + strings.Join(risks, ", ") + "] AS risk_value, " +
		"round(100.0 * sum(u.past) / nullif(sum(u.lived), 0), 2) AS pct_past, round(100.0 * (sum(u.risk_value4) + sum(u.risk_value5)) / nullif(" +
		l.ownValue + ", 0), 2) AS pct_high_risk FROM " + from + " GROUP BY " + groups
}

// monthSQL puts a rollup at the kept horizons side by side and writes the rows. It takes $1 the month's end, $2 whether it is frozen, $3
// the prices, and the networks at the horizons as $4 to $8. How things stood on a past day is the same at every horizon, and is read once.
func monthSQL(s prices.Statement) prices.Statement {
	stood := asTheyStood(everything).with
	return s.Map(func(sql string) string {
		with := ""
		if rollup, past := strings.CutPrefix(sql, "\nWITH "+stood); past {
			with, sql = "WITH "+strings.TrimSuffix(stood, ",\n")+"\n", "\nWITH "+rollup
		}
		var from, needs, fcis []string
		for i, years := range indicators.MonthEndHorizons {
			at := strings.NewReplacer("$2::int", fmt.Sprint(years), "$4::json", fmt.Sprintf("$%d::json", 4+i)).Replace(sql)
			h := fmt.Sprint("h", i)
			from = append(from, "("+at+") "+h)
			needs, fcis = append(needs, h+".need"), append(fcis, h+".fci_pct")
			if i > 0 {
				from[i] += " USING (subject, subject_of)"
			}
		}
		return with + `INSERT INTO figures_month (organization_id, subject, subject_of, month_end, frozen, counts, replacement_cost,
			deferred_maintenance_cost, need, fci_pct, average_age_years, weighted_age_years, average_condition_rating, weighted_condition_rating,
			rated, rated_value, risk_value, pct_past_useful_life, pct_high_risk)
		SELECT current_organization(), subject, subject_of, $1::date, $2::boolean, h0.counts, h0.replacement_cost, h0.deferred,
			ARRAY[` + strings.Join(needs, ", ") + "], ARRAY[" + strings.Join(fcis, ", ") + `], h0.age, h0.weighted_age, h0.rating,
				h0.weighted_rating, h0.rated, h0.rated_value, h0.risk_value, h0.pct_past, h0.pct_high_risk
		FROM ` + strings.Join(from, " JOIN ") + " ON CONFLICT DO NOTHING"
	})
}

func (f family) writeMonth(ctx context.Context, tx pgx.Tx, month months.Month, prepared any) error {
	material := prepared.(monthMaterial)
	args := []any{postgres.Once, month.End, month.Frozen, material.prices.JSON()}
	withNetworks := slices.Clone(args)
	for _, state := range material.networks {
		withNetworks = append(withNetworks, state.Networks)
	}
	// Years of a large organization are made one after the other; each month may take longer than a request. For the other setting see
	// resource.PlanPast.
	if _, err := tx.Exec(ctx, "SELECT set_config('statement_timeout', '5min', true), set_config('enable_nestloop', 'off', true)"); err != nil {
		return err
	}
	for _, each := range []struct {
		statement prices.Statement
		args      []any
	}{{monthOfPlaces, args}, {monthOfCategories, args}, {monthOfServices, withNetworks}} {
		if _, err := tx.Exec(ctx,
			each.statement.For(month.End, resource.Today(ctx), material.prices, byLife(ctx, month.End)), each.args...); err != nil {
			return err
		}
	}
	return nil
}
