package mcp

import "context"

// writtenAssetSchema describes one asset, read or written. The result has the whole record.
var writtenAssetSchema = object(node{"id": text, "name": text, "asset_tag": text, "status": text, "version": integer})

type searchAssetsArguments struct {
	Q          string   `json:"q" doc:"Words of name, tag, bar code, serial number, manufacturer, model or location."`
	SiteID     string   `json:"site_id" format:"uuid" doc:"With all its buildings."`
	BuildingID string   `json:"building_id" format:"uuid"`
	SystemID   string   `json:"system_id" format:"uuid"`
	Category   []string `json:"category" enum:"substructure,shell,interiors,plumbing,hvac,fire_protection,electrical,conveying,controls,equipment_furnishings,special_construction,sitework,other"`
	Status     []string `json:"status" enum:"planned,in_service,out_of_service,decommissioned,disposed"`
	Sort       string   `json:"sort"`
	filterArguments
	pageArguments
}

var searchAssets = define("assets", tool{
	name: "search_assets", title: "Search assets",
	description: "Assets. filters: manufacturer, condition_rating (1–5; _min, _max; null: none), risk_score_min (10 high, " +
		"15 very high), install_year_max, past_useful_life, planned_renewal_year_max, replacement_cost_min, warranty_expires_on_from with _to, " +
		"uniformat_code, responsible_user_id, tags …",
	scopes: []string{"assets:read"}, operations: []string{"GET /v1/assets"}, output: searchResult,
}, func(ctx context.Context, call *toolCall, in *searchAssetsArguments) (any, error) {
	return call.searchFiltered(ctx, assets, call.query(in), in.filterArguments, in.pageArguments)
})

type getAssetArguments struct {
	ID           string   `json:"id" format:"uuid" api:"-"`
	AssetTag     string   `json:"asset_tag"`
	SerialNumber string   `json:"serial_number"`
	Fields       []string `json:"fields" api:"-"`
}

var getAsset = define("assets", tool{
	name: "get_asset", title: "Show an asset",
	description: "One asset with everything known about it: give id, asset_tag or serial_number.",
	scopes:      []string{"assets:read"}, operations: []string{"GET /v1/assets", "GET /v1/assets/{id}"},
	additions: []string{documentsOperation}, output: writtenAssetSchema,
}, func(ctx context.Context, call *toolCall, in *getAssetArguments) (any, error) {
	by, value, err := exactlyOne(map[string]string{"id": in.ID, "asset_tag": in.AssetTag, "serial_number": in.SerialNumber})
	if err != nil {
		return nil, err
	}
	var found record
	if by == "id" {
		found, err = call.read(ctx, assets, value, in.Fields)
	} else {
		found, err = call.readByFilter(ctx, assets, by, value, in.Fields)
	}
	if err != nil {
		return nil, err
	}
	return call.withDocuments(ctx, found), nil
})

// assetFields are the fields of an asset that a tool writes. They are few on purpose: an assistant fills in every field
// that it sees.
type assetFields struct {
	AssetTag             string   `json:"asset_tag" maxLength:"50"`
	SerialNumber         string   `json:"serial_number" maxLength:"100"`
	Description          string   `json:"description" maxLength:"5000"`
	Category             string   `json:"category" enum:"substructure,shell,interiors,plumbing,hvac,fire_protection,electrical,conveying,controls,equipment_furnishings,special_construction,sitework,other"`
	UniformatCode        string   `json:"uniformat_code" doc:"UNIFORMAT II, e.g. D3020."`
	SiteID               string   `json:"site_id" format:"uuid"`
	BuildingID           string   `json:"building_id" format:"uuid"`
	SystemID             string   `json:"system_id" format:"uuid"`
	Location             string   `json:"location" maxLength:"200" doc:"Room or place inside."`
	Status               string   `json:"status" enum:"planned,in_service,out_of_service,decommissioned,disposed"`
	Manufacturer         string   `json:"manufacturer" maxLength:"100"`
	Model                string   `json:"model" maxLength:"100"`
	InstallYear          *int     `json:"install_year" minimum:"1000" maximum:"2200"`
	ExpectedUsefulLife   *int     `json:"expected_useful_life_years" minimum:"1" maximum:"500"`
	ReplacementCost      *float64 `json:"replacement_cost" money:"true"`
	DeferredMaintenance  *float64 `json:"deferred_maintenance_cost" money:"true"`
	PlannedRenewalYear   *int     `json:"planned_renewal_year" minimum:"1900" maximum:"2300"`
	ProbabilityOfFailure *int     `json:"probability_of_failure" minimum:"1" maximum:"5"`
	ConsequenceOfFailure *int     `json:"consequence_of_failure" minimum:"1" maximum:"5"`
	ResponsibleUserID    string   `json:"responsible_user_id" format:"uuid"`
	Notes                string   `json:"notes" maxLength:"5000"`
	Tags                 []string `json:"tags" maxLength:"100"`
}

type createAssetArguments struct {
	Name string `json:"name" required:"true" maxLength:"200"`
	assetFields
	ConditionRating *int `json:"condition_rating" minimum:"1" maximum:"5"`
	idempotencyArgument
}

// idempotencyArgument is the argument of every tool that creates something.
type idempotencyArgument struct {
	IdempotencyKey string `json:"idempotency_key" maxLength:"255" api:"-"`
}

var createAsset = define("assets", tool{
	name: "create_asset", title: "Create an asset", writes: true,
	description: "Enters a new asset. Look first (find, search_assets) whether it is there. The most specific of system_id, building_id, " +
		"site_id is enough; asset_tag is numbered if left out.",
	scopes: []string{"assets:write"}, operations: []string{"POST /v1/assets"}, output: writtenAssetSchema,
}, func(ctx context.Context, call *toolCall, in *createAssetArguments) (any, error) {
	return call.create(ctx, assets, assets.path, in, in.idempotencyArgument)
})

type updateAssetArguments struct {
	ID   string `json:"id" required:"true" format:"uuid" api:"-"`
	Name string `json:"name" maxLength:"200"`
	assetFields
	revisionArguments
}

// revisionArguments are the arguments of every tool that changes a record.
type revisionArguments struct {
	Clear   []string `json:"clear" api:"-" doc:"Fields to empty."`
	Version *int     `json:"version" api:"-" minimum:"1" maximum:"1000000000" doc:"As read; refused if changed since."`
}

var updateAsset = define("assets", tool{
	name: "update_asset", title: "Change an asset", writes: true, overwrites: true, repeatable: true,
	description: "Changes the given fields only. For a new condition use record_condition.",
	scopes:      []string{"assets:write"}, operations: []string{"PATCH /v1/assets/{id}"}, output: writtenAssetSchema,
}, func(ctx context.Context, call *toolCall, in *updateAssetArguments) (any, error) {
	return call.update(ctx, assets, in.ID, in, in.revisionArguments)
})

type recordConditionArguments struct {
	AssetID             string   `json:"asset_id" required:"true" format:"uuid" api:"-"`
	AssessedOn          string   `json:"assessed_on" required:"true" format:"date"`
	ConditionRating     *int     `json:"condition_rating" minimum:"1" maximum:"5" doc:"1 very good … 5 very poor; or index_type with index_value."`
	IndexType           string   `json:"index_type" enum:"pci,bci,pacp_5,iimm_5,iri,other_100"`
	IndexValue          *float64 `json:"index_value"`
	Method              string   `json:"method" enum:"visual,detailed,instrument,desktop,age_based,reported"`
	Assessor            string   `json:"assessor" maxLength:"200"`
	Defects             []string `json:"defects" maxLength:"1000"`
	DeferredMaintenance *float64 `json:"deferred_maintenance_cost" money:"true"`
	ReplacementCost     *float64 `json:"replacement_cost" money:"true"`
	Notes               string   `json:"notes" maxLength:"5000"`

	Deficiencies []foundDeficiency `json:"deficiencies" maxItems:"100" doc:"What was found deficient."`
	idempotencyArgument
}

var recordCondition = define("assets", tool{
	name: "record_condition", title: "Record a condition assessment", writes: true,
	description: "Enters an assessment of an asset. For five years it outranks ratings that are reported or age_based.",
	scopes:      []string{"assets:write"}, operations: []string{"POST /v1/assets/{asset_id}/condition-assessments"},
	output: object(node{"id": text, "assessed_on": text, "condition_rating": integer, "method": text}),
}, func(ctx context.Context, call *toolCall, in *recordConditionArguments) (any, error) {
	return call.create(ctx, assessments, assets.path+"/"+in.AssetID+"/condition-assessments", in, in.idempotencyArgument)
})

var assessments = &collection{kind: "condition_assessment", references: []nameReference{referenceTo("asset", "assets")}}
