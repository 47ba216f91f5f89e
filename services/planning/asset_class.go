package planning

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/resource"
)

// AssetClass is a kind of asset, system, building or segment that deteriorates alike and is treated alike.
type AssetClass struct {
	resource.Record
	Name            string  `json:"name" required:"true" maxLength:"200" unique:"true" filter:"prefix" sort:"true" search:"name" doc:"What people call the class." example:"Chaussées souples"`
	Code            *string `json:"code" maxLength:"50" unique:"true" auto:"CLS-%04d" filter:"equals" sort:"true" search:"code" doc:"Short code; numbered when left out. A record whose custom field planning_class has it is in the class, whatever match says." example:"CLS-0001"`
	ServiceCategory string  `json:"service_category" required:"true" enum:"roads,bridges_culverts,water,wastewater,stormwater,facilities,parks_recreation,fleet,solid_waste,transit,fire,library,education,housing,natural_assets,other" filter:"equals" sort:"true" doc:"Kind of service, as of service areas." example:"roads"`
	AppliesTo       string  `json:"applies_to" required:"true" enum:"asset,system,building,segment" filter:"equals" sort:"true" doc:"What its elements are." example:"segment"`

	Match    []ClassMatch `json:"match" maxItems:"20" doc:"Which records are in the class: those that meet all tests of an entry. Of several classes, the one with most tests met has a record, then the one with the highest priority, then the first by code." example:"[{\"network_asset_class\":\"road\",\"surface_type\":\"asphalt\"}]"`
	Priority int          `json:"priority" default:"0" minimum:"-1000" maximum:"1000" filter:"range" sort:"true" doc:"Decides between classes that match a record equally well: the higher." example:"0"`

	DefaultUsefulLifeYears *int     `json:"default_useful_life_years" minimum:"1" maximum:"500" unit:"year" filter:"range" sort:"true" doc:"Of records that have no useful life of their own." example:"25"`
	Unit                   *string  `json:"unit" enum:"each,m,m2" filter:"equals" doc:"Of the quantity: each (quantity of an asset), m (length of a segment), m2 (floor area of a building)." example:"m"`
	UnitCost               *float64 `json:"unit_cost" money:"true" filter:"range" sort:"true" doc:"To replace one unit; the value of records that have no replacement cost of their own." example:"1850.00"`
	PriceYear              *int     `json:"price_year" minimum:"1900" maximum:"2200" doc:"The year whose prices unit_cost and consequence_cost are in; the first year of a scenario when left out." example:"2026"`
	PriceIndexID           *string  `json:"price_index_id" references:"price_indexes" filter:"equals" doc:"By which costs of the class are brought to the prices of another year; the scenario's inflation when left out." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Currency               string   `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`

	ModelID            *string  `json:"model_id" references:"deterioration_models" filter:"equals" doc:"How its condition falls. Without one, records of the class are left out." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	FailureModelID     *string  `json:"failure_model_id" references:"deterioration_models" filter:"equals" doc:"How it fails suddenly: a model of the kind weibull." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	DefaultConsequence int      `json:"default_consequence" default:"3" minimum:"1" maximum:"5" filter:"range" sort:"true" doc:"Consequence of failure of records that have none of their own: 1 (least) to 5." example:"3"`
	ConsequenceCost    *float64 `json:"consequence_cost" money:"true" doc:"What a failure costs besides the replacement. Expected failure cost is probability × this." example:"250000.00"`
	FailureCostPct     int      `json:"failure_cost_pct" default:"100" minimum:"100" maximum:"500" unit:"percent" doc:"What a replacement after a failure costs, of one that is planned." example:"150"`

	Bands []float64 `json:"bands" maxItems:"4" doc:"The least conditions of ratings 1 (very good) to 4; what is below the last is rated 5. 85, 70, 55, 40 when left out." example:"[85,70,55,40]"`

	ConditionApproach   *string `json:"condition_approach" maxLength:"5000" doc:"How the condition is assessed, as O. Reg. 588/17, section 5 (2) 3, asks." example:"Pavement survey every three years"`
	ConditionApproachFr *string `json:"condition_approach_fr" maxLength:"5000" doc:"The same in French." example:"Relevé des chaussées tous les trois ans"`
}

// ClassMatch is tests of a record, all of which must be met.
type ClassMatch struct {
	Category          *string     `json:"category,omitempty" required:"false" minLength:"1" maxLength:"100" doc:"The category of an asset, or the category of a system." example:"hvac"`
	UniformatCode     *string     `json:"uniformat_code,omitempty" required:"false" minLength:"1" maxLength:"50" doc:"The beginning of the UNIFORMAT II code." example:"D30"`
	NetworkAssetClass *string     `json:"network_asset_class,omitempty" required:"false" minLength:"1" maxLength:"50" doc:"The asset_class of a segment's network." example:"road"`
	Material          *string     `json:"material,omitempty" required:"false" minLength:"1" maxLength:"100" doc:"The material of a segment." example:"PVC"`
	SurfaceType       *string     `json:"surface_type,omitempty" required:"false" minLength:"1" maxLength:"100" doc:"The surface of a segment." example:"asphalt"`
	FunctionalClass   *string     `json:"functional_class,omitempty" required:"false" minLength:"1" maxLength:"50" doc:"What a road is for." example:"collector"`
	DiameterMMMin     *float64    `json:"diameter_mm_min,omitempty" required:"false" minimum:"0" maximum:"100000" unit:"mm" doc:"The least diameter." example:"150"`
	DiameterMMMax     *float64    `json:"diameter_mm_max,omitempty" required:"false" minimum:"0" maximum:"100000" unit:"mm" doc:"The greatest diameter." example:"300"`
	Fields            []FieldTest `json:"fields,omitempty" required:"false" maxItems:"10" doc:"Tests of custom fields; of a segment also of attributes."`
}

// FieldTest is a test of one custom field of a record. What has no such field does not meet it.
type FieldTest struct {
	Key   string `json:"key" minLength:"1" maxLength:"100" doc:"The field's key." example:"traffic"`
	Op    string `json:"op" enum:"eq,ne,lt,lte,gt,gte" doc:"How the field compares with the value. Numbers compare as numbers, dates (YYYY-MM-DD) and texts by their letters." example:"gte"`
	Value string `json:"value" minLength:"1" maxLength:"255" doc:"What it is compared with." example:"5000"`
}

var assetClasses = resource.Definition[AssetClass]{
	Collection: "asset_classes", Table: "asset_class", NaturalKey: "code", Category: "service_category",
	Computed:    map[string]string{"currency": resource.Currency},
	BeforeWrite: prepareAssetClasses,
}

func prepareAssetClasses(ctx context.Context, tx pgx.Tx, changes []*resource.Change[AssetClass]) error {
	var ids []string
	for _, c := range changes {
		if c.After != nil && c.After.FailureModelID != nil {
			ids = append(ids, *c.After.FailureModelID)
		}
	}
	kinds, err := column(ctx, tx, "deterioration_model", "kind", ids)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		c.After.check(c.FieldError)
		if id := c.After.FailureModelID; id != nil && kinds[*id] != "" && kinds[*id] != "weibull" {
			c.FieldError("failure_model_id", "must be a model of the kind weibull; this one is a %s", kinds[*id])
		}
	}
	return nil
}

func (a *AssetClass) check(fieldError func(field, format string, args ...any)) {
	if a.UnitCost != nil && a.Unit == nil {
		fieldError("unit", "is required with unit_cost: each, m or m2")
	}
	if n := len(a.Bands); n != 0 && n != states-1 {
		fieldError("bands", "must be 4 conditions, the least of ratings 1 to 4; there are %d", n)
	}
	for i, minimum := range a.Bands {
		switch {
		case minimum < 0 || minimum > 100:
			fieldError(entry("bands", i), "must be from 0 to 100")
		case i > 0 && minimum >= a.Bands[i-1]:
			fieldError(entry("bands", i), "must be below %v, that of the rating before", a.Bands[i-1])
		}
	}
	for i, m := range a.Match {
		m.check(a.AppliesTo, entry("match", i), fieldError)
	}
}

// check rejects an entry without tests, and tests that no record of the kind can meet.
func (m ClassMatch) check(appliesTo, where string, fieldError func(field, format string, args ...any)) {
	tests := len(m.Fields)
	for _, f := range []struct {
		name  string
		given bool
		of    []string
	}{
		{"category", m.Category != nil, []string{"asset", "system"}}, {"uniformat_code", m.UniformatCode != nil, []string{"asset", "system"}},
		{"network_asset_class", m.NetworkAssetClass != nil, []string{"segment"}}, {"material", m.Material != nil, []string{"segment"}},
		{"surface_type", m.SurfaceType != nil, []string{"segment"}}, {"functional_class", m.FunctionalClass != nil, []string{"segment"}},
		{"diameter_mm_min", m.DiameterMMMin != nil, []string{"segment"}}, {"diameter_mm_max", m.DiameterMMMax != nil, []string{"segment"}},
	} {
		if !f.given {
			continue
		}
		tests++
		if !slices.Contains(f.of, appliesTo) {
			fieldError(where+"."+f.name, "is no field of %s", catalogue.A(appliesTo))
		}
	}
	if tests == 0 {
		fieldError(where, "must have a test, such as {\"category\": \"hvac\"}; without any every %s would be in the class", appliesTo)
	}
	if m.DiameterMMMin != nil && m.DiameterMMMax != nil && *m.DiameterMMMax < *m.DiameterMMMin {
		fieldError(where+".diameter_mm_max", "must be diameter_mm_min (%v) or more", *m.DiameterMMMin)
	}
}
