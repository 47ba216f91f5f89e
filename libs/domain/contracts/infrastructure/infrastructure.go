// Package infrastructure has the contracts of the operations that the infrastructure service serves to other services.
package infrastructure

import (
	"time"

	"ams.internal/libs/domain/contracts/workorders"
	"ams.internal/libs/domain/prices"
	"ams.internal/libs/months"
	"ams.internal/libs/reference"
)

const owner = "infrastructure"

// networksTimeout is how long all segments may take to be added up: a little longer than the 10 s that a statement has.
const networksTimeout = 12 * time.Second

var (
	// Networks is what the report on the state of infrastructure is made from.
	Networks = reference.Contract[StateRequest, State]{Owner: owner, Path: "/networks/state", Repeatable: true, Timeout: networksTimeout,
		FromReplica: true}

	// NetworksTrend is a figure at the ends of months.
	NetworksTrend = reference.Contract[TrendRequest, Trend]{Owner: owner, Path: "/networks/trend", Repeatable: true}

	// Indicators and LostConnections are what measures of service levels are computed from.
	Indicators      = reference.Contract[IndicatorsRequest, NetworkIndicators]{Owner: owner, Path: "/networks/figures", Repeatable: true}
	LostConnections = reference.Contract[ConnectionsRequest, workorders.Lost]{Owner: owner, Path: "/networks/connections", Repeatable: true}
)

// StateRequest is a request for a State.
type StateRequest struct {
	AsOf         *string      `json:"as_of" format:"date"`
	HorizonYears int          `json:"horizon_years" default:"0" minimum:"0" maximum:"50"`
	Prices       prices.Table `json:"prices" doc:"The prices that amounts are brought to."`
}

// State is what the segments of each network add up to. The texts are JSON for the caller's database, with every digit.
type State struct {
	Networks string `json:"networks" doc:"Array: network_id, name, asset_class, category, left_out and the tallies of each network with segments."`
	Methods  string `json:"methods" doc:"Array of network_id, method and value: replacement cost by how the condition was found out."`
}

// TrendRequest is a request for a figure at the ends of months.
type TrendRequest struct {
	Metric       string  `json:"metric" required:"true"`
	NetworkID    *string `json:"network_id" doc:"Empty: all networks."`
	HorizonYears int     `json:"horizon_years" default:"0"`
	From         *string `json:"from" format:"date"`
	To           *string `json:"to" format:"date"`
}

// Trend is a figure at the ends of months, oldest first.
type Trend struct {
	Data []months.Point `json:"data"`
}

// IndicatorsRequest is a request for the indicators of networks.
type IndicatorsRequest struct {
	NetworkIDs  []string `json:"network_ids" maxItems:"5000" doc:"Empty: all networks."`
	PeriodStart string   `json:"period_start" required:"true" format:"date"`
	PeriodEnd   string   `json:"period_end" required:"true" format:"date"`
}

// NetworkIndicators are what level-of-service measures are computed from. An indicator is null where its inputs are unknown.
type NetworkIndicators struct {
	AvgPCI               *float64 `json:"avg_pci" doc:"Of paved roads, by length."`
	AvgBCI               *float64 `json:"avg_bci" doc:"Of all structures, one vote each."`
	AvgBCIBridges        *float64 `json:"avg_bci_bridges"`
	AvgBCICulverts       *float64 `json:"avg_bci_culverts"`
	AvgUnpavedCondition  *float64 `json:"avg_unpaved_condition" doc:"Mean rating of unpaved roads, by length."`
	PctBridgesRestricted *float64 `json:"pct_bridges_restricted" doc:"Of the bridges, how many have a load, clearance or width limit."`
	AvgConditionRating   *float64 `json:"avg_condition_rating"`
	LaneKm               *float64 `json:"lane_km"`
	LengthKm             *float64 `json:"length_km"`
	BreaksPer100Km       *float64 `json:"breaks_per_100km"`

	Lanes                 map[string]Lanes `json:"lanes" doc:"Of roads, by functional class: arterial, collector, local."`
	RoadsWithoutClass     int              `json:"roads_without_class" doc:"Roads without functional_class."`
	RoadsOfUnknownSurface int              `json:"roads_of_unknown_surface" doc:"Roads of which paved is null."`
	BridgesWithoutBCI     int              `json:"bridges_without_bci" doc:"Bridges without an index by the end of the period."`
	CulvertsWithoutBCI    int              `json:"culverts_without_bci" doc:"Culverts with a span of 3 m or more, and without an index."`
}

// Lanes are the lanes of the roads of one class. LaneM is 0 where no road with a class is of this one, null where nothing is known.
type Lanes struct {
	LaneM   *float64 `json:"lane_m" doc:"Σ length × lanes in metres, exact."`
	Unknown int      `json:"unknown" doc:"Roads of the class without lanes or length."`
}

// ConnectionsRequest is a request for how long connections were without service in a period.
type ConnectionsRequest struct {
	NetworkIDs  []string `json:"network_ids" maxItems:"5000" doc:"Work orders on their segments, whatever the segment's state."`
	SiteIDs     []string `json:"site_ids" maxItems:"5000" doc:"With building_ids: places whose work orders count besides, each once."`
	BuildingIDs []string `json:"building_ids" maxItems:"5000"`
	PeriodStart string   `json:"period_start" required:"true" format:"date" doc:"First day, in the organization's time zone."`
	PeriodEnd   string   `json:"period_end" required:"true" format:"date" doc:"Last day."`
}
