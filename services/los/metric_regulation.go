package los

import (
	"context"
	"math/big"
	"strings"

	"ams.internal/libs/domain/contracts/infrastructure"
	"ams.internal/libs/domain/contracts/workorders"
	"ams.internal/libs/fault"
)

// The measures of O. Reg. 588/17 that are made of more than one figure: lane-kilometres of Table 4 by the municipality's land area, and
// connection-days of Tables 1 and 2 by the properties connected. How the regulation wants a connection-day counted is unverified; here
// it is a connection without service for 24 hours.

// lanesByArea is the lane-kilometres of the roads of a class for each square kilometre of land, four decimals: 1.5 km with four lanes
// on 120.5 km² are 0.0498.
func (f family) lanesByArea(ctx context.Context, metric string, area *extent, p period) (float64, remarks, error) {
	settings, err := f.registry.References.Settings(ctx, "los")
	if err != nil {
		return 0, nil, err
	}
	land := new(big.Rat)
	if settings.LandArea != nil {
		land, _ = land.SetString(settings.LandArea.String())
	}
	if land == nil || land.Sign() <= 0 {
		return 0, nil, fault.Conflict("nothing_to_compute", "land_area_km2", nil, "%s is divided by the organization's land_area_km2, which "+
			"is not set; an Administrator sets it in the organization's settings.", metric)
	}
	found, err := infrastructure.Indicators.Call(ctx, f.registry.References, area.ofNetworks(p))
	if err != nil {
		return 0, nil, err
	}
	class := strings.TrimSuffix(strings.TrimPrefix(metric, "lane_km_"), "_per_km2")
	lanes := found.Lanes[class]
	if lanes.LaneM == nil {
		return 0, nil, nothingToCompute("There is nothing to compute %s from: %s has no %s.", metric, area, ofLanes.lacking)
	}
	km := new(big.Rat).Quo(exact(*lanes.LaneM), big.NewRat(1000, 1))
	var notes remarks
	notes.add("Land area: %s km².", "Superficie terrestre : %s km².", settings.LandArea.String())
	notes.count("Roads of the class left out because lanes or length are not known: %d.",
		"Routes de la catégorie exclues, voies ou longueur inconnues : %d.", float64(lanes.Unknown))
	notes.count("Roads left out because they have no functional_class: %d.", "Routes exclues, sans functional_class : %d.",
		float64(found.RoadsWithoutClass))
	return rounded(km.Quo(km, land), 4), notes, nil
}

// connectionDays is the connection-days that breaks or backups of the period took for each property connected, four decimals: 40
// connections for 540 minutes are 15 connection-days, of 2,500 properties 0.0060.
func (f family) connectionDays(ctx context.Context, metric string, area *extent, p period) (float64, remarks, error) {
	if area.PropertiesConnected == nil {
		return 0, nil, fault.Conflict("nothing_to_compute", "properties_connected", nil,
			"%s is divided by the service area's properties_connected, which is not set; set it on the service area.", metric)
	}
	found, err := f.lostConnections(ctx, area, p)
	if err != nil {
		return 0, nil, err
	}
	minutes, unknown := found.BreakMinutes, found.BreaksUnknown
	if metric == "connection_days_backups" {
		minutes, unknown = found.BackupMinutes, found.BackupsUnknown
	}
	days := new(big.Rat).Quo(new(big.Rat).SetInt64(minutes), big.NewRat(24*60, 1))
	var notes remarks
	notes.add("Connection-days: %s; properties connected: %d.", "Jours-raccordements : %s ; propriétés raccordées : %d.",
		days.FloatString(4), *area.PropertiesConnected)
	notes.count("Work orders left out because connections_affected or downtime_minutes is not known: %d.",
		"Bons de travail exclus, connections_affected ou downtime_minutes inconnu : %d.", float64(unknown))
	return rounded(days.Quo(days, big.NewRat(int64(*area.PropertiesConnected), 1)), 4), notes, nil
}

// lostConnections gives how long connections of the area were without service. Which segments are those of its networks, the infrastructure
// service knows.
func (f family) lostConnections(ctx context.Context, area *extent, p period) (workorders.Lost, error) {
	if len(area.Networks) > 0 {
		return infrastructure.LostConnections.Call(ctx, f.registry.References, infrastructure.ConnectionsRequest{NetworkIDs: area.Networks,
			SiteIDs: area.Sites, BuildingIDs: area.Buildings, PeriodStart: p.start, PeriodEnd: p.end})
	}
	found, err := workorders.LostConnections.Call(ctx, f.registry.References, workorders.ConnectionsRequest{
		SiteIDs: area.Sites, BuildingIDs: area.Buildings, PeriodStart: p.start, PeriodEnd: p.end})
	return found.Lost, err
}
