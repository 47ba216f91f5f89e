package infrastructure

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// Network is a set of linear assets of one class: the water mains, the roads of a ward.
type Network struct {
	resource.Record
	Name                   string   `json:"name" required:"true" maxLength:"200" unique:"true" filter:"equals" sort:"true" search:"name" doc:"What people call the network." example:"Réseau d'aqueduc – secteur Centre"`
	Code                   *string  `json:"code" maxLength:"50" unique:"true" auto:"NET-%04d" filter:"equals" sort:"true" search:"code" doc:"Short name; numbered when left out." example:"AQ-01"`
	AssetClass             string   `json:"asset_class" required:"true" enum:"road,sidewalk,trail,bridge,culvert,water_main,sanitary_sewer,storm_sewer,combined_sewer,force_main,drainage_channel,gas_main,electrical,telecom,streetlight,other" filter:"equals" sort:"true" doc:"What the segments are. Fixed once there are segments." example:"water_main"`
	Description            *string  `json:"description" maxLength:"5000" doc:"What belongs to the network." example:"Conduites de distribution de 100 à 400 mm"`
	DefaultUsefulLifeYears *int     `json:"default_useful_life_years" minimum:"1" maximum:"500" unit:"year" doc:"Expected useful life of new segments for which none is given." example:"80"`
	DefaultUnitCostPerM    *float64 `json:"default_unit_cost_per_m" money:"true" doc:"Replacement cost per metre of new segments for which no cost is given." example:"1850.00"`
	Criticality            *string  `json:"criticality" enum:"low,medium,high,critical" filter:"equals" sort:"true" doc:"How much depends on it." example:"high"`
	indicators.Provision

	SegmentCount    int      `json:"segment_count" readOnly:"true" doc:"Segments that count: neither planned nor abandoned nor removed. The figures below are theirs."`
	LengthKm        float64  `json:"length_km" readOnly:"true" unit:"km" doc:"Length of the segments."`
	LaneKm          *float64 `json:"lane_km" readOnly:"true" unit:"km" doc:"Length times lanes of the segments whose lanes are known; null where none are."`
	ReplacementCost float64  `json:"replacement_cost" decimals:"2" readOnly:"true" doc:"What replacing the segments would cost."`
	Currency        string   `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`
}

var networks = resource.Definition[Network]{
	Collection: "networks", Table: "network", NaturalKey: "code", Category: "asset_class",
	Computed: map[string]string{
		"segment_count":    ofSegments("coalesce(sum(n.segments), 0)"),
		"length_km":        ofSegments(indicators.Km("coalesce(sum(n.length_m), 0)")),
		"lane_km":          ofSegments("CASE WHEN sum(n.laned) > 0 THEN " + indicators.Km("sum(n.lane_m)") + " END"),
		"replacement_cost": ofSegments("coalesce(sum(n.replacement_cost), 0)"),
		"currency":         resource.Currency,
	},
	BeforeWrite: rejectClassChanges,
}

// ofSegments is an aggregate over the totals of network t. Triggers in the database update them for the segments that count.
func ofSegments(aggregate string) string {
	return "(SELECT " + aggregate + " FROM network_total n WHERE n.organization_id = t.organization_id AND n.network_id = t.id)"
}

// rejectClassChanges rejects another class for networks that have segments. The request is valid and the state of the network forbids
// it, so it is a 409. A transaction that puts a segment into a network has locked the network, see fillFromNetworks.
func rejectClassChanges(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Network]) error {
	changed := map[string]*resource.Change[Network]{}
	var ids []string
	for _, c := range changes {
		if c.Before != nil && c.After != nil && c.Before.AssetClass != c.After.AssetClass {
			changed[c.ID()], ids = c, append(ids, c.ID())
		}
	}
	if ids == nil {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT network_id::text, count(*) FROM segment
		WHERE organization_id = current_organization() AND network_id = ANY($1::uuid[]) GROUP BY 1`, ids)
	if err != nil {
		return err
	}
	var id string
	var count int
	_, err = pgx.ForEachRow(rows, []any{&id, &count}, func() error {
		c := changed[id]
		conflict := fault.Conflict("network_has_segments", "asset_class", c.After.AssetClass,
			"The network has %d segments, so its asset_class stays %s; move them to another network first, or make a new network of class %s.",
			count, c.Before.AssetClass, c.After.AssetClass)
		conflict.Dependents = map[string]int{"segments": count}
		c.Reject(conflict)
		return nil
	})
	return err
}
