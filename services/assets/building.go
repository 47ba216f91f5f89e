package assets

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/bookvalue"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource"
)

// Building is a building on a site. Where its address or position is empty, the site's applies.
type Building struct {
	resource.Record
	SiteID       string  `json:"site_id" required:"true" references:"sites" filter:"equals" doc:"The site it stands on. Moving a building moves everything inside it." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Name         string  `json:"name" required:"true" maxLength:"200" unique:"site_id" filter:"equals" sort:"index" search:"name" doc:"What people call the building; unique on its site." example:"Pavillon principal"`
	Code         *string `json:"code" maxLength:"50" unique:"true" auto:"BLD-%04d" filter:"equals" sort:"true" search:"code" doc:"Short code; numbered when left out." example:"BLD-0001"`
	BuildingType *string `json:"building_type" enum:"school,administration,arena,pool,library,community_centre,fire_hall,police,ambulance,works_garage,pump_station,treatment,housing,warehouse,parking,child_care,other" filter:"equals" sort:"true" doc:"What the building is used for." example:"school"`
	Status       string  `json:"status" default:"active" enum:"planned,active,vacant,closed,demolished" filter:"equals" sort:"true" doc:"planned → active; active ↔ vacant; active, vacant → closed; closed → active, demolished; vacant → demolished." example:"active"`

	Description      *string  `json:"description" maxLength:"5000" doc:"What the building is." example:"Bâtiment de deux étages, toit plat"`
	Notes            *string  `json:"notes" maxLength:"5000" doc:"Remarks for colleagues." example:"Clés au secrétariat"`
	YearBuilt        *int     `json:"year_built" minimum:"1000" maximum:"2200" filter:"range" sort:"true" doc:"Year of completion." example:"1964"`
	YearRenovated    *int     `json:"year_renovated" minimum:"1000" maximum:"2200" filter:"range" sort:"true" doc:"Year of the last major renovation, not before year_built." example:"2009"`
	GrossFloorAreaM2 *float64 `json:"gross_floor_area_m2" minimum:"0" unit:"m2" filter:"range" sort:"true" doc:"Gross floor area." example:"4280"`
	FloorsAboveGrade *int     `json:"floors_above_grade" minimum:"0" maximum:"200" filter:"range" doc:"Storeys above ground." example:"2"`
	FloorsBelowGrade *int     `json:"floors_below_grade" minimum:"0" maximum:"50" doc:"Storeys below ground." example:"1"`
	Capacity         *int     `json:"capacity" minimum:"0" unit:"person" filter:"range" sort:"true" doc:"How many people it is made for." example:"420"`
	Place
	Country                 *string  `json:"country" pattern:"^[A-Z]{2}$" patternDescription:"a country code of ISO 3166-1 such as CA" doc:"Country, ISO 3166-1 alpha-2; the site's when empty." example:"CA"`
	HeritageDesignated      bool     `json:"heritage_designated" default:"false" filter:"equals" doc:"Whether it is protected as heritage." example:"false"`
	Accessible              *bool    `json:"accessible" filter:"equals" doc:"Whether it is accessible to persons with disabilities; null where not assessed." example:"true"`
	ReplacementCost         *float64 `json:"replacement_cost" money:"true" filter:"range" sort:"true" doc:"An appraisal of what rebuilding costs today. It goes before the sum of the parts." example:"15750000.00"`
	ReplacementCostYear     *int     `json:"replacement_cost_year" minimum:"1900" maximum:"2200" doc:"The year of the appraisal." example:"2024"`
	ExpectedUsefulLifeYears *int     `json:"expected_useful_life_years" minimum:"1" maximum:"500" unit:"year" doc:"How long the building is expected to last." example:"75"`
	Criticality             *string  `json:"criticality" enum:"low,medium,high,critical" filter:"equals" sort:"true" doc:"How much depends on the building." example:"high"`
	OutOfUse
	indicators.Provision
	Currency string `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`
}

func (f family) buildings() resource.Definition[Building] {
	return resource.Definition[Building]{
		Collection: "buildings", Table: "building", NaturalKey: "code", Category: "building_type", Expansions: bookvalue.Expansions,
		Computed: map[string]string{"currency": resource.Currency},
		Transitions: resource.Transitions{Field: "status", Ended: []string{"closed", "demolished"}, From: map[string][]string{
			"planned": {"active"},
			"active":  {"vacant", "closed"},
			"vacant":  {"active", "closed", "demolished"},
			"closed":  {"active", "demolished"},
		}},
		BeforeWrite: prepareBuildings,
		AfterWrite:  f.moveWithBuildings,
	}
}

func prepareBuildings(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Building]) error {
	countries, err := countriesOfSites(ctx, tx, changes)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		country := countries[c.After.SiteID]
		if c.After.Country != nil {
			country = *c.After.Country
		}
		c.After.check(country, c.FieldError)
		if c.After.YearBuilt != nil && c.After.YearRenovated != nil && *c.After.YearRenovated < *c.After.YearBuilt {
			c.FieldError("year_renovated", "must not be before year_built (%d)", *c.After.YearBuilt)
		}
		retirementOfBuilding(c).check(resource.Today(ctx))
	}
	return rejectSplitSystems(ctx, tx, changes)
}

// countriesOfSites gives the country of each site by whose country a postal code is checked.
func countriesOfSites(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Building]) (map[string]string, error) {
	var ids []string
	for _, c := range changes {
		if c.After != nil && c.After.Country == nil && c.After.PostalCode != nil {
			ids = append(ids, c.After.SiteID)
		}
	}
	countries := map[string]string{}
	if ids == nil {
		return countries, nil
	}
	rows, err := tx.Query(ctx, `SELECT id::text, country FROM site WHERE organization_id = current_organization()
		AND id = ANY($1::uuid[])`, ids)
	if err != nil {
		return nil, err
	}
	var id, country string
	_, err = pgx.ForEachRow(rows, []any{&id, &country}, func() error { countries[id] = country; return nil })
	return countries, err
}
