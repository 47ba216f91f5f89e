package assets

import (
	"context"
	"maps"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/bookvalue"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/effects"
	"ams.internal/libs/resource"
)

// Asset is one thing that is maintained: a pump, a boiler, a door.
type Asset struct {
	resource.Record
	Name         string  `json:"name" required:"true" maxLength:"200" filter:"equals" sort:"index" search:"name" doc:"What people call the asset." example:"Pompe de circulation nº 2"`
	AssetTag     *string `json:"asset_tag" maxLength:"50" unique:"true" auto:"A-%06d" filter:"equals" sort:"true" search:"code" doc:"The tag on the asset; numbered when left out." example:"A-000001"`
	Barcode      *string `json:"barcode" maxLength:"100" unique:"true" filter:"equals" sort:"true" search:"code" doc:"Its bar code." example:"0612345678905"`
	SerialNumber *string `json:"serial_number" maxLength:"100" filter:"equals" sort:"true" search:"code" doc:"The manufacturer's serial number." example:"SN-48-22107"`
	Description  *string `json:"description" maxLength:"5000" doc:"What the asset is." example:"Pompe à vitesse variable, retour de chauffage"`
	Notes        *string `json:"notes" maxLength:"5000" doc:"Remarks for colleagues." example:"Joint remplacé en 2023"`
	Classification

	SiteID        *string `json:"site_id" references:"sites" filter:"equals" facet:"true" doc:"The site. Follows from building_id and system_id. As a filter: with everything in the site's buildings." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	BuildingID    *string `json:"building_id" references:"buildings" filter:"equals" doc:"The building. Follows from system_id." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	SystemID      *string `json:"system_id" references:"systems" filter:"equals" doc:"The system it is part of." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	ParentAssetID *string `json:"parent_asset_id" references:"assets" filter:"equals" doc:"The asset it is a part of. Assets nest at most 10 levels." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Location      *string `json:"location" maxLength:"200" filter:"equals" search:"text" doc:"Where in the building or on the site." example:"Salle mécanique S-12"`

	Status       string   `json:"status" default:"in_service" enum:"planned,in_service,out_of_service,decommissioned,disposed" filter:"equals" facet:"true" sort:"true" doc:"planned → in_service, disposed; in_service → out_of_service, decommissioned; out_of_service → in_service, decommissioned; decommissioned → disposed, in_service; disposed is final." example:"in_service"`
	Manufacturer *string  `json:"manufacturer" maxLength:"100" filter:"equals" sort:"true" search:"text" doc:"Who made it." example:"Armstrong"`
	Model        *string  `json:"model" maxLength:"100" filter:"equals" sort:"true" search:"text" doc:"The manufacturer's model." example:"4380"`
	Quantity     *float64 `json:"quantity" minimum:"0" filter:"range" doc:"How many or how much, in unit." example:"1"`
	Unit         *string  `json:"unit" maxLength:"50" doc:"What quantity counts." example:"each"`
	Lifecycle
	OutOfUse
	indicators.Provision

	WarrantyExpiresOn       *string  `json:"warranty_expires_on" format:"date" filter:"range" sort:"true" doc:"Last day of the warranty." example:"2016-08-15"`
	AcquisitionCost         *float64 `json:"acquisition_cost" money:"true" filter:"range" sort:"true" doc:"Historical cost (PSAB PS 3150); never mixed with replacement_cost." example:"36200.00"`
	AcquisitionDate         *string  `json:"acquisition_date" format:"date" filter:"range" sort:"true" doc:"Day of acquisition." example:"2011-07-01"`
	ResidualValue           *float64 `json:"residual_value" money:"true" doc:"What it is expected to be worth at the end of its life; at most acquisition_cost." example:"1200.00"`
	AmortizationMethod      string   `json:"amortization_method" default:"straight_line" enum:"straight_line,none" filter:"equals" facet:"true" doc:"How the historical cost is amortized; none is for land. A fact of the register: the ledger goes by the class of the capital asset." example:"straight_line"`
	NetBookValue            *float64 `json:"net_book_value" decimals:"2" readOnly:"true" deprecated:"true" doc:"Always null. It was calculated from the register's own fields, and restated former years whenever a life was changed. Book values are those of the ledger: expand=capital_assets, or /v1/accounting/capital-assets."`
	DisposedOn              *string  `json:"disposed_on" format:"date" filter:"range" sort:"true" doc:"Day of disposal, not in the future and not before acquisition or installation; required when status is disposed." example:"2026-05-30"`
	DisposalProceeds        *float64 `json:"disposal_proceeds" money:"true" doc:"What its disposal brought in." example:"450.00"`
	ConditionAssessedOn     *string  `json:"condition_assessed_on" format:"date" filter:"range" sort:"true" doc:"Day of the statement that condition_rating comes from. With condition_rating: the day of that rating, not in the future; left out, or the same as before, today." example:"2026-05-12"`
	ConditionMethod         *string  `json:"condition_method" enum:"visual,detailed,instrument,desktop,age_based,reported" filter:"equals" sort:"true" doc:"How condition_rating was found out. With condition_rating: how that rating was; left out, or the same as before without a new day, reported. An assessment outweighs what is reported or age_based for five years." example:"visual"`
	ConditionSourceID       *string  `json:"condition_source_id" format:"uuid" readOnly:"true" doc:"The condition assessment that condition_rating comes from; what is reported on the asset is kept as one."`
	ReportedConditionRating *int     `json:"reported_condition_rating" readOnly:"true" filter:"range" sort:"true" doc:"The last rating that was reported or concluded from the age, also where an assessment outweighs it."`
	ReplacementCostAsOf     *string  `json:"replacement_cost_as_of" format:"date" filter:"range" sort:"true" doc:"Day of the statement that replacement_cost comes from, not in the future. Left out with a cost: 1 January of replacement_cost_year on create, today on a change." example:"2026-01-01"`
	DeferredMaintenanceAsOf *string  `json:"deferred_maintenance_as_of" format:"date" filter:"range" sort:"true" doc:"Day of the statement that deferred_maintenance_cost comes from, not in the future. Left out with a cost: 1 January of replacement_cost_year on create, today on a change." example:"2026-01-01"`
	ProbabilityOfFailure    *int     `json:"probability_of_failure" minimum:"1" maximum:"5" filter:"range" facet:"true" doc:"From 1 (rare) to 5 (almost certain). Empty: the condition rating is taken." example:"3"`
	ConsequenceOfFailure    *int     `json:"consequence_of_failure" minimum:"1" maximum:"5" filter:"range" facet:"true" doc:"From 1 (negligible) to 5 (catastrophic)." example:"4"`
	RiskScore               *int     `json:"risk_score" readOnly:"true" generated:"true" filter:"range" facet:"true" sort:"true" doc:"Probability times consequence of failure, 1 to 25."`
	RiskLevel               *string  `json:"risk_level" readOnly:"true" enum:"very_low,low,moderate,high,very_high" doc:"1–4 very_low, 5–7 low, 8–9 moderate, 10–14 high, 15–25 very_high."`
	ResponsibleUserID       *string  `json:"responsible_user_id" references:"users" filter:"equals" doc:"The user who is responsible for it." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	MeterReading            *float64 `json:"meter_reading" minimum:"0" filter:"range" deprecated:"true" doc:"Last reading of its meter as it was typed, in meter_unit. Nothing is computed from it: use /v1/meters." example:"18250"`
	MeterUnit               *string  `json:"meter_unit" maxLength:"50" doc:"What the meter counts." example:"h"`

	stated statements // statements that a change makes on the asset itself, to be written behind the record
}

func (f family) assets() resource.Definition[Asset] {
	return resource.Definition[Asset]{
		Collection: "assets", Table: "asset", NaturalKey: "asset_tag", Words: categoryWords,
		Category: "category", Expansions: bookvalue.Expansions,
		Computed: assetComputed(),
		Totals: &resource.Totals{Doc: resource.TotalsDoc, Sums: []resource.Sum{
			{Name: "replacement_cost", SQL: "t.replacement_cost", Doc: "Of those that have one."},
			{Name: "deferred_maintenance_cost", SQL: "t.deferred_maintenance_cost", Doc: "As recorded."},
		}, Groups: []string{"category", "status", "service_category", "manufacturer", "site_id", "building_id", "system_id", "condition_rating",
			"planned_renewal_year", "install_year", "responsible_user_id"}},
		Filters: map[string]resource.Filter{"past_useful_life": pastUsefulLife},
		Transitions: resource.Transitions{Field: "status", Ended: []string{"disposed"}, From: map[string][]string{
			"planned":        {"in_service", "disposed"},
			"in_service":     {"out_of_service", "decommissioned"},
			"out_of_service": {"in_service", "decommissioned"},
			"decommissioned": {"disposed", "in_service"},
		}},
		BeforeWrite: f.prepareAssets,
		Events:      map[string]resource.Emits[Asset]{"asset.condition_changed": resource.WhenUpdated(conditionChanged)},
		AfterWrite:  recordStatements,
	}
}

func assetComputed() map[string]string {
	computed := map[string]string{
		"net_book_value": "NULL::numeric", // it stays in the answers of v1; the ledger's figures are another service's
		"risk_level":     indicators.RiskLevel("t.risk_score"),
	}
	maps.Copy(computed, lifecycleComputed())
	return computed
}

func (f family) prepareAssets(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Asset]) error {
	var retired []*resource.Change[Asset]
	locations := make([]location, 0, len(changes))
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		var lifecycle *Lifecycle
		var classification *Classification
		if c.Before != nil {
			lifecycle, classification = &c.Before.Lifecycle, &c.Before.Classification
		}
		c.After.Lifecycle.check(lifecycle, c.FieldError)
		c.After.fillCategory(classification)
		c.After.check(c.FieldError)
		checkDates(c, resource.Today(ctx))
		if c.Before != nil && !c.Before.retired() && c.After.retired() {
			retired = append(retired, c)
		}
		locations = append(locations, locationOfAsset(c))
	}
	if !effects.Checking(ctx) { // see rejectOtherWork
		if err := resource.RejectWhileActive(ctx, tx, f.registry, "assets", retired); err != nil {
			return err
		}
	}
	if err := resolveLocations(ctx, tx, locations); err != nil {
		return err
	}
	if err := checkNesting(ctx, tx, changes); err != nil {
		return err
	}
	return prepareStatements(ctx, tx, changes)
}

// retired reports whether the asset is out of service for good.
func (a *Asset) retired() bool { return a.Status == "decommissioned" || a.Status == "disposed" }

func (a *Asset) check(fieldError func(field, format string, args ...any)) {
	if a.Status == "disposed" && a.DisposedOn == nil {
		fieldError("disposed_on", "is required when status is disposed")
	}
	if a.ResidualValue != nil && a.AcquisitionCost != nil && *a.ResidualValue > *a.AcquisitionCost {
		fieldError("residual_value", "must be at most acquisition_cost (%.2f)", *a.AcquisitionCost)
	}
}
