package infrastructure

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/infrastructure"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/domain/prices"
	"ams.internal/libs/months"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// organizations gives those that work in the background is for, each as the principal on whose behalf it is done.
type organizations func(ctx context.Context) ([]principal.Principal, error)

// withFeature gives the organizations whose plan has infrastructure.
func withFeature(references *reference.Client) organizations {
	return func(ctx context.Context) (principals []principal.Principal, err error) {
		all, err := references.Organizations(ctx, "infrastructure")
		for _, o := range all {
			if slices.Contains(o.Features, feature) {
				principals = append(principals, o.Principal("infrastructure"))
			}
		}
		return principals, err
	}
}

// keeper keeps the figures of every month's end.
func (f family) keeper(organizations organizations) months.Keeper {
	return months.Keeper{DB: f.registry.DB, Log: f.registry.Log, Organizations: organizations, Prepare: f.prepareMonth, Write: f.writeMonth}
}

// prepareMonth asks for the prices of the month's year.
func (f family) prepareMonth(ctx context.Context, month months.Month) (any, error) {
	return f.pricesOf(ctx, month.End, nil)
}

// monthSQL writes the rows of a month: of the organization, and of each network. It takes $4 whether the month is frozen. Needs at the
// horizons stand side by side, each a statement of its own over the rows.
var monthSQL = figuresAhead(`, u AS MATERIALIZED (
	SELECT r.network_id, grouping(r.network_id) = 1 AS overall, `+sums()+`,
		`+needsSQL()+`
	FROM row r GROUP BY GROUPING SETS ((), (r.network_id))
), of_index AS (
	SELECT DISTINCT ON (i.segment_id, i.index_type) i.index_type, i.index_value, r.network_id, r.length_m
	FROM row r JOIN inspection i ON i.organization_id = current_organization() AND i.segment_id = r.segment_id
	WHERE r.stands AND i.index_type IN ('pci', 'bci') AND i.inspected_on <= $1::date AND (i.index_type = 'bci' OR r.paved)
	ORDER BY i.segment_id, i.index_type, i.inspected_on DESC, i.position DESC
), indexes AS (
	SELECT network_id, grouping(network_id) = 1 AS overall,
		round((sum(index_value::numeric * length_m) FILTER (WHERE index_type = 'pci')
			/ nullif(sum(length_m) FILTER (WHERE index_type = 'pci'), 0)), 2) AS pci,
		round(avg(index_value::numeric) FILTER (WHERE index_type = 'bci'), 2) AS bci
	FROM of_index GROUP BY GROUPING SETS ((), (network_id))
)
INSERT INTO figures_month (organization_id, subject, subject_of, month_end, frozen, counts, length_km, replacement_cost,
	deferred_maintenance_cost, need, fci_pct, average_age_years, weighted_age_years, average_condition_rating, weighted_condition_rating,
	rated, rated_value, risk_value, pct_past_useful_life, pct_high_risk, avg_pci, avg_bci)
SELECT current_organization(), CASE WHEN u.overall THEN 'organization' ELSE 'network' END, coalesce(u.network_id::text, ''),
	$1::date, $4::boolean, ARRAY[u.segments, u.left_out], `+indicators.Km("u.length")+`, u.value, u.deferred, u.needs, ARRAY(SELECT `+
	indicators.FCI("n.need - n.bare", "u.value")+` FROM unnest(u.needs, u.bares) WITH ORDINALITY n (need, bare, place) ORDER BY n.place),
	`+indicators.Years("(u.age / nullif(u.aged, 0))")+", "+indicators.Years("(u.length_age / nullif(u.length_aged, 0))")+`,
	round(u.rating / nullif(u.segments - u.rated6, 0)::numeric, 2), round(u.length_rating / nullif(u.length_rated, 0), 2),
	ARRAY[`+numbered("u.rated")+"], ARRAY["+numbered("u.value")+"], ARRAY["+numbered("u.risk_value")+`],
	round(100.0 * u.past / nullif(u.lived, 0), 2), round(100.0 * (u.risk_value4 + u.risk_value5) / nullif(u.value, 0), 2),
		indexes.pci, indexes.bci
FROM u LEFT JOIN indexes ON indexes.overall = u.overall AND indexes.network_id IS NOT DISTINCT FROM u.network_id
ON CONFLICT DO NOTHING`, "true", monthEndHorizons)

// numbered lists the columns name1 to name6.
func numbered(name string) string {
	columns := make([]string, 6)
	for i := range columns {
		columns[i] = fmt.Sprint(name, i+1)
	}
	return strings.Join(columns, ", ")
}

// needsSQL is the needs at the horizons, and what of them no value stands against, as arrays.
func needsSQL() string {
	needs, bares := make([]string, len(indicators.MonthEndHorizons)), make([]string, len(indicators.MonthEndHorizons))
	for i, years := range indicators.MonthEndHorizons {
		need := indicators.Need("r.renewal_year", year, fmt.Sprint(years), fmt.Sprint("r.ahead", i), "r.cost")
		needs[i] = "coalesce(sum(" + need + ") FILTER (WHERE r.stands), 0)"
		bares[i] = "coalesce(sum(" + need + ") FILTER (WHERE r.stands AND NOT r.valued), 0)"
	}
	return "ARRAY[" + strings.Join(needs, ", ") + "] AS needs, ARRAY[" + strings.Join(bares, ", ") + "] AS bares"
}

func (f family) writeMonth(ctx context.Context, tx pgx.Tx, month months.Month, prepared any) error {
	table := prepared.(prices.Table)
	if _, err := tx.Exec(ctx, "SET LOCAL enable_nestloop = off"); err != nil { // see resource.PlanPast
		return err
	}
	_, err := tx.Exec(ctx, monthSQL.For(month.End, resource.Today(ctx), table, byLife(ctx, month.End)),
		postgres.Once, month.End, 0, table.JSON(), month.Frozen)
	return err
}

// networkFigures are those that are kept of networks alone.
var networkFigures = map[string]string{"avg_pci": "m.avg_pci", "avg_bci": "m.avg_bci"}

// mountTrend serves the trends of networks to the assets service, which has the report.
func (f family) mountTrend() {
	transport.Internal(f.registry.API, contract.NetworksTrend, func(ctx context.Context, in contract.TrendRequest) (contract.Trend, error) {
		var trend contract.Trend
		figure, known := networkFigures[in.Metric]
		if !known {
			figure, known = indicators.MonthEndFigures[in.Metric]
		}
		if !known {
			return trend, fmt.Errorf("trend: there is no metric %q", in.Metric)
		}
		subject, of := "organization", ""
		if in.NetworkID != nil {
			subject, of = "network", strings.ToLower(*in.NetworkID)
		}
		var err error
		trend.Data, err = months.Read(ctx, f.registry.DB, months.Query{Figure: figure, Subject: subject, SubjectOf: of,
			Place: slices.Index(indicators.MonthEndHorizons, in.HorizonYears) + 1, From: in.From, To: in.To})
		return trend, err
	})
}
