package infrastructure

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/infrastructure"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// classes are the functional classes whose lane-kilometres Table 4 of O. Reg. 588/17 asks for.
var classes = []string{"arterial", "collector", "local"}

// structuralSpan is the span in metres from which on a culvert counts as a structure whose index is missed. O. Reg. 588/17 says
// "structural culverts" without a span; 3 m is what bridges are inspected from in Ontario (OSIM). Unverified.
const structuralSpan = "3"

// indicatorsSQL takes $1 the last day, $2 the networks, $3 and $4 segments and their breaks. It takes the latest index of a kind up
// to that day of each segment that counts. The PCI of roads is weighted by length, as pavement management does (ASTM D6433 reports
// sections by area); each structure's BCI counts once. All sums are numeric, so that means are rounded half away from zero.
var indicatorsSQL = onDay(`
WITH {with}part AS MATERIALIZED (
	SELECT t.id, t.length_m::numeric AS length_m, t.lanes, t.condition_rating, n.asset_class, t.paved, t.functional_class, t.span_m,
		t.load_limit_t IS NOT NULL OR t.clearance_limit_m IS NOT NULL OR t.width_limit_m IS NOT NULL AS restricted
	FROM {segment} t JOIN {network} n ON n.organization_id = t.organization_id AND n.id = t.network_id
	WHERE t.organization_id = current_organization() AND {which} AND {counts}
), measured AS MATERIALIZED (
	SELECT DISTINCT ON (i.segment_id, i.index_type) part.*, i.index_type, i.index_value::numeric AS value
	FROM part JOIN inspection i ON i.organization_id = current_organization() AND i.segment_id = part.id
	WHERE i.index_type IN ('pci', 'bci') AND i.inspected_on <= $1::date
	ORDER BY i.segment_id, i.index_type, i.inspected_on DESC, i.position DESC
), indexes AS (
	SELECT ` + byLength("value", "index_type = 'pci' AND asset_class = 'road' AND paved") + ` AS pci,
		round(avg(value) FILTER (WHERE index_type = 'bci'), 2) AS bci,
		round(avg(value) FILTER (WHERE index_type = 'bci' AND asset_class = 'bridge'), 2) AS bridges,
		round(avg(value) FILTER (WHERE index_type = 'bci' AND asset_class = 'culvert'), 2) AS culverts,
		count(*) FILTER (WHERE index_type = 'bci' AND asset_class = 'bridge') AS bridges_measured,
		count(*) FILTER (WHERE index_type = 'bci' AND asset_class = 'culvert' AND span_m >= ` + structuralSpan + `) AS culverts_measured
	FROM measured
), broken AS (
	SELECT coalesce(sum(b.count), 0) AS count FROM unnest($3::uuid[], $4::int[]) b (id, count) JOIN part ON part.id = b.id
)
SELECT max(x.pci), max(x.bci), max(x.bridges), max(x.culverts), ` +
	byLength("part.condition_rating", "part.asset_class = 'road' AND NOT part.paved") + `,
	round(100.0 * count(*) FILTER (WHERE part.asset_class = 'bridge' AND part.restricted) /
		nullif(count(*) FILTER (WHERE part.asset_class = 'bridge'), 0), 2),
	round(avg(part.condition_rating), 2), ` + indicators.Km("sum(part.length_m * part.lanes)") + `, ` +
	indicators.Km("sum(part.length_m)") + `, round(100000 * max(broken.count) / nullif(sum(part.length_m), 0), 2),
	count(*) FILTER (WHERE part.asset_class = 'road' AND part.functional_class IS NULL),
	count(*) FILTER (WHERE part.asset_class = 'road' AND part.paved IS NULL),
	count(*) FILTER (WHERE part.asset_class = 'bridge') - max(x.bridges_measured),
	count(*) FILTER (WHERE part.asset_class = 'culvert' AND part.span_m >= ` + structuralSpan + `) - max(x.culverts_measured)
FROM indexes x, broken LEFT JOIN part ON true`)

// lanesSQL takes $1 the last day and $2 the networks, and gives a row per functional class of roads.
var lanesSQL = onDay(`{with only}
	SELECT t.functional_class, sum(t.length_m::numeric * t.lanes), count(*) - count(t.length_m * t.lanes)
	FROM {segment} t JOIN {network} n ON n.organization_id = t.organization_id AND n.id = t.network_id
	WHERE t.organization_id = current_organization() AND {which} AND
		n.asset_class = 'road' AND t.functional_class IS NOT NULL AND {counts} AND $1::date IS NOT NULL GROUP BY 1`)

// daySQL is a statement in its two forms: of today, and of a day that is over.
type daySQL struct{ today, past string }

// ofNetworks selects the segments of the networks $2, or all.
const ofNetworks = "(cardinality($2::uuid[]) = 0 OR t.network_id = ANY($2::uuid[]))"

func onDay(sql string) daySQL {
	complete := func(rows sources) string {
		only := ""
		if rows.with != "" {
			only = "WITH " + strings.TrimSuffix(rows.with, ",\n")
		}
		return strings.NewReplacer("{with}", rows.with, "{with only}", only, "{segment}", rows.segment, "{network}", rows.network,
			"{which}", ofNetworks, "{counts}", rows.counts).Replace(sql)
	}
	return daySQL{complete(present), complete(asTheyStood(ofNetworks))}
}

// of gives the form for a day.
func (s daySQL) of(ctx context.Context, day string) string {
	if day < resource.Today(ctx) {
		return s.past
	}
	return s.today
}

// byLength is the mean of a value over the rows with a condition, weighted by length_m, two decimals; the plain mean where no length is
// known.
func byLength(value, condition string) string {
	where := " FILTER (WHERE " + condition + " AND " + value + " IS NOT NULL)"
	return "round(coalesce(sum(" + value + " * length_m)" + where + " / nullif(sum(length_m)" + where + ", 0), avg(" + value + ")" + where +
		"), 2)"
}

// mountNetworkIndicators serves the indicators of networks to the los service, which computes measures from them.
func (f family) mountNetworkIndicators() {
	transport.Internal(f.registry.API, contract.Indicators, func(ctx context.Context,
		in contract.IndicatorsRequest) (result contract.NetworkIndicators, err error) {
		found, err := f.breaksIn(ctx, in.PeriodStart, in.PeriodEnd)
		if err != nil {
			return result, err
		}
		err = f.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
			resource.PlanPast(ctx, batch, in.PeriodEnd)
			batch.Queue(indicatorsSQL.of(ctx, in.PeriodEnd), in.PeriodEnd, in.NetworkIDs, found.ids, found.counts).QueryRow(func(row pgx.Row) error {
				return row.Scan(&result.AvgPCI, &result.AvgBCI, &result.AvgBCIBridges, &result.AvgBCICulverts, &result.AvgUnpavedCondition,
					&result.PctBridgesRestricted, &result.AvgConditionRating, &result.LaneKm, &result.LengthKm, &result.BreaksPer100Km,
					&result.RoadsWithoutClass, &result.RoadsOfUnknownSurface, &result.BridgesWithoutBCI, &result.CulvertsWithoutBCI)
			})
			batch.Queue(lanesSQL.of(ctx, in.PeriodEnd), in.PeriodEnd, in.NetworkIDs).Query(func(rows pgx.Rows) (err error) {
				result.Lanes, err = scanLanes(rows)
				return err
			})
		})
		return result, err
	})
}

// scanLanes reads the lanes by class. A class that no road is of has none, as long as other roads have a class.
func scanLanes(rows pgx.Rows) (map[string]contract.Lanes, error) {
	all := map[string]contract.Lanes{}
	classified := false
	var class string
	var lanes contract.Lanes
	_, err := pgx.ForEachRow(rows, []any{&class, &lanes.LaneM, &lanes.Unknown}, func() error {
		all[class], classified = lanes, true
		return nil
	})
	for _, class := range classes {
		if _, known := all[class]; !known && classified {
			all[class] = contract.Lanes{LaneM: new(float64)}
		}
	}
	return all, err
}
