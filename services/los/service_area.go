package los

import (
	"strings"

	"ams.internal/libs/resource"
)

// ServiceArea is a service as people receive it: roads, drinking water, libraries.
type ServiceArea struct {
	resource.Record
	Name     string  `json:"name" required:"true" maxLength:"200" unique:"true" filter:"equals" sort:"true" search:"name" doc:"What people call the service." example:"Routes et rues"`
	Code     *string `json:"code" maxLength:"50" unique:"true" filter:"equals" sort:"true" search:"code" doc:"Short code of your own." example:"RTE"`
	Category *string `json:"category" enum:"roads,bridges_culverts,water,wastewater,stormwater,facilities,parks_recreation,fleet,solid_waste,transit,fire,library,education,housing,natural_assets,other" filter:"equals" sort:"true" doc:"Kind of service. The first five are the core infrastructure of O. Reg. 588/17." example:"roads"`
	IsCore   bool    `json:"is_core" readOnly:"true" filter:"equals" doc:"Whether the category is core municipal infrastructure after O. Reg. 588/17, section 1: roads, bridges and culverts, water, wastewater, stormwater."`

	ServiceStatement    *string  `json:"service_statement" maxLength:"5000" doc:"What people can expect, in English." example:"Roads are safe and passable in every season."`
	ServiceStatementFR  *string  `json:"service_statement_fr" maxLength:"5000" doc:"What people can expect, in French." example:"Les routes sont sûres et carrossables en toute saison."`
	ConditionApproach   *string  `json:"condition_approach" maxLength:"5000" doc:"How the condition of the area's assets is assessed, in English, for the asset management plan (O. Reg. 588/17, section 5 (2) 3 v)." example:"Pavement survey every three years, ASTM D6433."`
	ConditionApproachFR *string  `json:"condition_approach_fr" maxLength:"5000" doc:"The same in French." example:"Relevé des chaussées tous les trois ans, ASTM D6433."`
	PropertiesConnected *int     `json:"properties_connected" minimum:"1" filter:"range" sort:"true" doc:"How many properties are connected to the municipal system. Connection-days of breaks and backups are divided by it." example:"2500"`
	OwnerUserID         *string  `json:"owner_user_id" references:"users" filter:"equals" doc:"The user who answers for the service." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	SiteIDs             []string `json:"site_ids" references:"sites" maxItems:"1000" uniqueItems:"true" filter:"contains" doc:"Sites that provide the service. Computed measures are made from them; with no sites, buildings and networks at all, from the whole organization." example:"[\"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11\"]"`
	BuildingIDs         []string `json:"building_ids" references:"buildings" maxItems:"1000" uniqueItems:"true" filter:"contains" doc:"Buildings that provide the service, beside those on its sites." example:"[\"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11\"]"`
	NetworkIDs          []string `json:"network_ids" references:"networks" maxItems:"1000" uniqueItems:"true" filter:"contains" doc:"Networks that provide the service." example:"[\"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11\"]"`
	Status              string   `json:"status" default:"active" enum:"active,archived" filter:"equals" sort:"true" doc:"active ↔ archived." example:"active"`
}

// coreCategories are the core municipal infrastructure assets of O. Reg. 588/17, section 1.
var coreCategories = []string{"roads", "bridges_culverts", "water", "wastewater", "stormwater"}

var serviceAreas = resource.Definition[ServiceArea]{
	Collection: "los_service_areas", Table: "service_area", NaturalKey: "name", Category: "category",
	Computed: map[string]string{"is_core": "coalesce(t.category IN ('" + strings.Join(coreCategories, "', '") + "'), false)"},
	Transitions: resource.Transitions{Field: "status", Ended: []string{"archived"},
		From: map[string][]string{"active": {"archived"}, "archived": {"active"}}},
}
