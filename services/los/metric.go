package los

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ams.internal/libs/domain/contracts/assets"
	"ams.internal/libs/domain/contracts/infrastructure"
	"ams.internal/libs/domain/contracts/workorders"
	"ams.internal/libs/fault"
	"ams.internal/libs/reference"
)

// source is one internal operation of another service that gives indicators.
type source struct {
	call             figures
	places, networks bool   // what the request names: sites and buildings, networks
	lacking          string // what may be missing where there is no value
}

// figures fetches the indicators of an area in a period, by their names.
type figures func(ctx context.Context, client *reference.Client, area *extent, p period) (map[string]any, error)

// figuresOf fetches the indicators that a contract gives.
func figuresOf[In, Out any](of reference.Contract[In, Out], request func(area *extent, p period) In) figures {
	return func(ctx context.Context, client *reference.Client, area *extent, p period) (map[string]any, error) {
		response := map[string]any{}
		err := of.CallInto(ctx, client, request(area, p), &response)
		return response, err
	}
}

// lacks is the source of a metric that lacks something else where there is no value.
func (s *source) lacks(lacking string) *source { return &source{s.call, s.places, s.networks, lacking} }

var (
	ofAssets = &source{figuresOf(assets.Indicators, (*extent).ofPortfolio), true, false,
		"rated assets with a replacement cost, an installation and an expected life"}
	ofWorkOrders = &source{figuresOf(workorders.Work, (*extent).ofWork), true, false,
		"work orders of the period with a due date and a response"}
	ofServiceLevels = &source{figuresOf(workorders.Levels, (*extent).ofWork), true, false,
		"work orders whose service level ran out or was met in the period"}
	ofMaintenance = &source{figuresOf(workorders.Maintenance, (*extent).ofWork), true, false,
		"preventive maintenance that was due in the period"}
	ofNetworks = &source{figuresOf(infrastructure.Indicators, (*extent).ofNetworks), false, true,
		"segments in service with a length and inspections"}
	ofLanes = ofNetworks.lacks("roads in service with a functional_class, lanes and a length")

	// ofConnections is that of the infrastructure service where the area has networks; else the workorders service has them itself.
	ofConnections = &source{nil, true, true, "work orders"}
)

// metrics is the source of each computed_metric. The sources have them under the same names, those of work orders without wo_, and of
// service levels without sla_.
var metrics = map[string]*source{
	"avg_condition_rating": ofAssets, "pct_good_or_better": ofAssets, "pct_past_useful_life": ofAssets, "fci_pct": ofAssets,
	"wo_completed_on_time_pct": ofWorkOrders, "wo_median_response_hours": ofWorkOrders,
	"wo_sla_met_pct": ofServiceLevels, "pm_compliance_pct": ofMaintenance,
	"avg_pci":               ofNetworks.lacks("paved roads in service with a pavement condition index (paved says which are)"),
	"avg_unpaved_condition": ofNetworks.lacks("unpaved roads in service with a condition rating (paved says which are)"),
	"avg_bci":               ofNetworks, "breaks_per_100km": ofNetworks, "lane_km": ofNetworks,
	"avg_bci_bridges":          ofNetworks.lacks("bridges in service with a bridge condition index"),
	"avg_bci_culverts":         ofNetworks.lacks("culverts in service with a bridge condition index"),
	"pct_bridges_restricted":   ofNetworks.lacks("bridges in service"),
	"lane_km_arterial_per_km2": ofLanes, "lane_km_collector_per_km2": ofLanes, "lane_km_local_per_km2": ofLanes,
	"connection_days_breaks": ofConnections, "connection_days_backups": ofConnections,
}

func metricNames() []string { return slices.Sorted(maps.Keys(metrics)) }

// sourceOf is the source of a metric for a service area. Networks have a mean condition as well, which is taken for an area that has
// networks and neither sites nor buildings.
func sourceOf(metric string, area *extent) *source {
	if metric == "avg_condition_rating" && len(area.Networks) > 0 && !area.hasPlaces() {
		return ofNetworks
	}
	return metrics[metric]
}

// extent is what a service area consists of. One that names nothing is the whole organization.
type extent struct {
	Sites, Buildings, Networks []string
	PropertiesConnected        *int
}

func (e *extent) hasPlaces() bool { return len(e.Sites)+len(e.Buildings) > 0 }

// covers checks that the area has what a source computes from. An area that names only other things has not.
func (e *extent) covers(from *source) error {
	switch {
	case !from.networks && !e.hasPlaces() && len(e.Networks) > 0:
		return nothingToCompute("The service area names networks, but no sites or buildings, which this figure is made from; add site_ids " +
			"or building_ids to it, or take the networks out to compute over the whole organization.")
	case !from.places && len(e.Networks) == 0 && e.hasPlaces():
		return nothingToCompute("The service area names sites or buildings, but no networks, which this figure is made from; add " +
			"network_ids to it, or take the others out to compute over the whole organization.")
	}
	return nil
}

func (e *extent) String() string {
	var parts []string
	for _, p := range []struct {
		ids  []string
		name string
	}{{e.Sites, "site"}, {e.Buildings, "building"}, {e.Networks, "network"}} {
		switch n := len(p.ids); {
		case n == 1:
			parts = append(parts, "1 "+p.name)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", n, p.name))
		}
	}
	if parts == nil {
		return "the whole organization"
	}
	return strings.Join(parts, ", ")
}

func nothingToCompute(format string, args ...any) error {
	return fault.New(fault.KindConflict, "nothing_to_compute", format, args...)
}

// metricValue fetches a metric of an area, in a period and as of its day, from the service that has it. The remarks are for the note of
// the measurement.
func (f family) metricValue(ctx context.Context, metric string, area *extent, p period) (value float64, remarks remarks, err error) {
	from := sourceOf(metric, area)
	if err := area.covers(from); err != nil {
		return 0, nil, err
	}
	switch from {
	case ofConnections:
		return f.connectionDays(ctx, metric, area, p)
	case ofLanes:
		return f.lanesByArea(ctx, metric, area, p)
	}
	response, err := from.call(ctx, f.registry.References, area, p)
	if err != nil {
		return 0, nil, err
	}
	value, known := response[strings.TrimPrefix(strings.TrimPrefix(metric, "wo_"), "sla_")].(float64)
	if !known {
		return 0, nil, nothingToCompute("There is nothing to compute %s from: %s has no %s.", metric, area, from.lacking)
	}
	return value, remarksOn(metric, value, response), nil
}

// ofNetworks is the request for the indicators of the area's networks.
func (e *extent) ofNetworks(p period) infrastructure.IndicatorsRequest {
	return infrastructure.IndicatorsRequest{NetworkIDs: e.Networks, PeriodStart: p.start, PeriodEnd: p.end}
}

// ofPortfolio is the request for the indicators of what is at the area's places.
func (e *extent) ofPortfolio(p period) assets.PortfolioRequest {
	return assets.PortfolioRequest{SiteIDs: e.Sites, BuildingIDs: e.Buildings, AsOf: &p.asOf}
}

// ofWork is the request for the indicators of the work at the area's places.
func (e *extent) ofWork(p period) workorders.IndicatorsRequest {
	return workorders.IndicatorsRequest{SiteIDs: e.Sites, BuildingIDs: e.Buildings, PeriodStart: p.start, PeriodEnd: p.end}
}
