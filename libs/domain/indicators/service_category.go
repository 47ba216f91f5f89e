package indicators

import (
	"reflect"
	"strings"
)

// Provision is the service that something helps to provide, in the words of level-of-service areas. It is embedded in the records that
// can say so.
type Provision struct {
	ServiceCategory *string `json:"service_category" enum:"roads,bridges_culverts,water,wastewater,stormwater,facilities,parks_recreation,fleet,solid_waste,transit,fire,library,education,housing,natural_assets,other" filter:"equals" sort:"true" doc:"The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and where." example:"education"`
}

// ServiceCategories are the services that something can help to provide: the categories of level-of-service areas. The first five are the
// core infrastructure of O. Reg. 588/17, section 1.
var ServiceCategories = strings.Split(reflect.TypeFor[Provision]().Field(0).Tag.Get("enum"), ",")

// ServiceCategoryOfNetwork is the service that a network provides: its own, else that of its class. Force mains and combined sewers are
// wastewater, which O. Reg. 588/17, section 1, has include what from time to time manages stormwater. It reads service_category and
// asset_class.
func ServiceCategoryOfNetwork(t string) string {
	return "coalesce(" + t + ".service_category, CASE WHEN " + t + ".asset_class IN ('road', 'sidewalk', 'streetlight') THEN 'roads'" +
		" WHEN " + t + ".asset_class IN ('bridge', 'culvert') THEN 'bridges_culverts'" +
		" WHEN " + t + ".asset_class = 'water_main' THEN 'water'" +
		" WHEN " + t + ".asset_class IN ('sanitary_sewer', 'force_main', 'combined_sewer') THEN 'wastewater'" +
		" WHEN " + t + ".asset_class IN ('storm_sewer', 'drainage_channel') THEN 'stormwater'" +
		" WHEN " + t + ".asset_class = 'trail' THEN 'parks_recreation' ELSE 'other' END)"
}

// ServiceCategoryOfBuilding is the service that a building provides: its own, else that of its type; a building of no type is a facility.
// It reads service_category and building_type.
func ServiceCategoryOfBuilding(t string) string {
	return "coalesce(" + t + ".service_category, CASE WHEN " + t + ".building_type = 'school' THEN 'education'" +
		" WHEN " + t + ".building_type = 'library' THEN 'library'" +
		" WHEN " + t + ".building_type = 'fire_hall' THEN 'fire'" +
		" WHEN " + t + ".building_type IN ('arena', 'pool', 'community_centre') THEN 'parks_recreation'" +
		" WHEN " + t + ".building_type = 'housing' THEN 'housing'" +
		" WHEN " + t + ".building_type IN ('pump_station', 'treatment') THEN 'other' ELSE 'facilities' END)"
}

// ToBeCategorized is whether people have to say which service a building provides: a pumping station or a treatment plant, which may be
// of water or of wastewater. It reads service_category and building_type.
func ToBeCategorized(t string) string {
	return "(" + t + ".service_category IS NULL AND coalesce(" + t + ".building_type IN ('pump_station', 'treatment'), false))"
}

// ServiceCategoryOfAsset is the service that an asset helps to provide: its own, else its building's, else its site's, else other. Asset,
// building and site are aliases; those of the place are of outer joins. It reads service_category of all, and id and building_type of the
// building.
func ServiceCategoryOfAsset(asset, building, site string) string {
	return "coalesce(" + asset + ".service_category, CASE WHEN " + building + ".id IS NOT NULL THEN " + ServiceCategoryOfBuilding(building) +
		" END, " + site + ".service_category, 'other')"
}
