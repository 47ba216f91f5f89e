package los

import (
	"context"
	"math/big"
	"strings"

	"ams.internal/libs/fault"
)

// The measures of O. Reg. 588/17 that are made of more than one figure: lane-kilometres of Table 4 by the municipality's land area, and
// connection-days of Tables 1 and 2 by the properties connected. How the regulation wants a connection-day counted is unverified; here
// it is a connection without service for 24 hours.

// networkLanes are the lanes of roads, as the infrastructure service gives them.
type networkLanes struct {
	Lanes map[string]struct {
		LaneM   *float64 `json:"lane_m"`
		Unknown float64  `json:"unknown"`
	} `json:"lanes"`
	WithoutClass float64 `json:"roads_without_class"`
}

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
	var found networkLanes
	if err := f.registry.References.Ask(ctx, ofLanes.service, ofLanes.path, area.ofNetworks(p), &found); err != nil {
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
		"Routes de la catégorie exclues, voies ou longueur inconnues : %d.", lanes.Unknown)
	notes.count("Roads left out because they have no functional_class: %d.", "Routes exclues, sans functional_class : %d.", found.WithoutClass)
	return rounded(km.Quo(km, land), 4), notes, nil
}

// connections is how long connections were without service, in connection-minutes, and how many work orders do not say it.
type connections struct {
	BreakMinutes   float64 `json:"break_minutes"`
	BackupMinutes  float64 `json:"backup_minutes"`
	BreaksUnknown  float64 `json:"breaks_unknown"`
	BackupsUnknown float64 `json:"backups_unknown"`
}

// connectionDays is the connection-days that breaks or backups of the period took for each property connected, four decimals: 40
// connections for 540 minutes are 15 connection-days, of 2,500 properties 0.0060.
func (f family) connectionDays(ctx context.Context, metric string, area *extent, p period) (float64, remarks, error) {
	if area.PropertiesConnected == nil {
		return 0, nil, fault.Conflict("nothing_to_compute", "properties_connected", nil,
			"%s is divided by the service area's properties_connected, which is not set; set it on the service area.", metric)
	}
	request := map[string]any{"site_ids": area.Sites, "building_ids": area.Buildings, "period_start": p.start, "period_end": p.end}
	service, path := "workorders", "/internal/work-orders/connections"
	if len(area.Networks) > 0 { // which segments are theirs, the infrastructure service knows
		service, path, request["network_ids"] = ofConnections.service, ofConnections.path, area.Networks
	}
	var found connections
	if err := f.registry.References.Ask(ctx, service, path, request, &found); err != nil {
		return 0, nil, err
	}
	minutes, unknown := found.BreakMinutes, found.BreaksUnknown
	if metric == "connection_days_backups" {
		minutes, unknown = found.BackupMinutes, found.BackupsUnknown
	}
	days := new(big.Rat).Quo(exact(minutes), big.NewRat(24*60, 1))
	var notes remarks
	notes.add("Connection-days: %s; properties connected: %d.", "Jours-raccordements : %s ; propriétés raccordées : %d.",
		days.FloatString(4), *area.PropertiesConnected)
	notes.count("Work orders left out because connections_affected or downtime_minutes is not known: %d.",
		"Bons de travail exclus, connections_affected ou downtime_minutes inconnu : %d.", unknown)
	return rounded(days.Quo(days, big.NewRat(int64(*area.PropertiesConnected), 1)), 4), notes, nil
}
