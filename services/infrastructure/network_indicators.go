package main

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/transport"
)

// IndicatorsRequest is another service's request for the indicators of networks.
type IndicatorsRequest struct {
	NetworkIDs  []string `json:"network_ids" maxItems:"5000" doc:"Empty: all networks."`
	PeriodStart string   `json:"period_start" required:"true" format:"date"`
	PeriodEnd   string   `json:"period_end" required:"true" format:"date"`
}

// NetworkIndicators are what level-of-service measures are computed from. An indicator is null where its inputs are unknown.
type NetworkIndicators struct {
	AvgPCI             *float64 `json:"avg_pci"`
	AvgBCI             *float64 `json:"avg_bci"`
	AvgConditionRating *float64 `json:"avg_condition_rating"`
	LaneKm             *float64 `json:"lane_km"`
	LengthKm           *float64 `json:"length_km"`
	BreaksPer100Km     *float64 `json:"breaks_per_100km"`
}

// indicatorsSQL takes $1 the networks, $2 the last day, $3 and $4 segments and their breaks. It takes the latest index of a kind up
// to that day of each segment that counts. The PCI of a network is weighted by length, as pavement management
// does (ASTM D6433 reports sections by area); each structure's BCI counts once.
var indicatorsSQL = `
WITH part AS MATERIALIZED (
	SELECT t.id, t.length_m, t.lanes, t.condition_rating FROM segment t
	WHERE t.organization_id = current_organization() AND (cardinality($1::uuid[]) = 0 OR t.network_id = ANY($1::uuid[])) AND ` +
	indicators.Counts("t") + `
), measured AS (
	SELECT DISTINCT ON (i.segment_id, i.index_type) i.index_type, i.index_value, part.length_m
	FROM part JOIN inspection i ON i.organization_id = current_organization() AND i.segment_id = part.id
	WHERE i.index_type IN ('pci', 'bci') AND i.inspected_on <= $2::date
	ORDER BY i.segment_id, i.index_type, i.inspected_on DESC, i.position DESC
), indexes AS (
	SELECT round((coalesce(sum(index_value * length_m) FILTER (WHERE index_type = 'pci') / 
			nullif(sum(length_m) FILTER (WHERE index_type = 'pci'), 0),
			avg(index_value) FILTER (WHERE index_type = 'pci')))::numeric, 2) AS pci,
		round((avg(index_value) FILTER (WHERE index_type = 'bci'))::numeric, 2) AS bci
	FROM measured
), broken AS (
	SELECT coalesce(sum(b.count), 0) AS count FROM unnest($3::uuid[], $4::int[]) b (id, count) JOIN part ON part.id = b.id
)
SELECT max(indexes.pci), max(indexes.bci), round(avg(part.condition_rating), 2), ` +
	indicators.Km("sum(part.length_m * part.lanes)") + `, ` +
	indicators.Km("sum(part.length_m)") + `, round((100000 * max(broken.count) / nullif(sum(part.length_m), 0))::numeric, 2)
FROM indexes, broken LEFT JOIN part ON true`

// mountNetworkIndicators serves the indicators of networks to the los service, which computes measures from them.
func (f family) mountNetworkIndicators() {
	transport.Internal(f.registry.API, "/networks/figures", func(ctx context.Context, in IndicatorsRequest) (NetworkIndicators, error) {
		var result NetworkIndicators
		found, err := f.breaksIn(ctx, in.PeriodStart, in.PeriodEnd)
		if err != nil {
			return result, err
		}
		err = f.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
			batch.Queue(indicatorsSQL, in.NetworkIDs, in.PeriodEnd, found.ids, found.counts).QueryRow(func(row pgx.Row) error {
				return row.Scan(&result.AvgPCI, &result.AvgBCI, &result.AvgConditionRating, &result.LaneKm, &result.LengthKm, &result.BreaksPer100Km)
			})
		})
		return result, err
	})
}
