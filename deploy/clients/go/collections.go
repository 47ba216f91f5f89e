package ams

import (
	"context"
	"net/http"
)

// Collections are those of a Client, by name.
type Collections struct {
	Assets                     Assets
	Buildings                  Buildings
	Deficiencies               *Collection[Deficiency, DeficiencyWrite, DeficiencyPatch]
	Documents                  Documents
	LegalHolds                 *Collection[LegalHold, LegalHoldWrite, LegalHoldPatch]
	RetentionClasses           *Collection[RetentionClass, RetentionClassWrite, RetentionClassPatch]
	PriceIndexes               PriceIndexes
	Sites                      Sites
	Systems                    Systems
	InfrastructureDeficiencies *Collection[InfrastructureDeficiency, InfrastructureDeficiencyWrite, InfrastructureDeficiencyPatch]
	Inspections                *Collection[Inspection, InspectionWrite, InspectionPatch]
	Networks                   Networks
	Segments                   *Collection[Segment, SegmentWrite, SegmentPatch]
	Measurements               *Collection[Measurement, MeasurementWrite, MeasurementPatch]
	Measures                   *Collection[Measure, MeasureWrite, MeasurePatch]
	ServiceAreas               ServiceAreas
	Targets                    *Collection[Target, TargetWrite, TargetPatch]
	FormResponses              *Collection[FormResponse, FormResponseWrite, FormResponsePatch]
	FormTemplates              *Collection[FormTemplate, FormTemplateWrite, FormTemplatePatch]
	Meters                     Meters
	MeterReadings              *Collection[MeterReading, MeterReadingBulkCreateRow, Record]
	CapitalAssetClasses        *Collection[CapitalAssetClass, CapitalAssetClassWrite, CapitalAssetClassPatch]
	CapitalAssetTransactions   *Collection[CapitalAssetTransaction, CapitalAssetTransactionWrite, Record] // only appended to
	CapitalAssets              CapitalAssets
	RetirementObligations      *Collection[RetirementObligation, RetirementObligationWrite, RetirementObligationPatch]
	FiscalYears                *Collection[FiscalYear, FiscalYearWrite, FiscalYearPatch]
	AssetClasses               *Collection[AssetClass, AssetClassWrite, AssetClassPatch]
	DeteriorationModels        *Collection[DeteriorationModel, DeteriorationModelWrite, DeteriorationModelPatch]
	PlanningInventories        *Collection[PlanningInventory, PlanningInventoryWrite, PlanningInventoryPatch]
	PlanningRuns               *Collection[PlanningRun, PlanningRunWrite, PlanningRunPatch]
	Scenarios                  *Collection[Scenario, ScenarioWrite, ScenarioPatch]
	Strategies                 *Collection[Strategy, StrategyWrite, StrategyPatch]
	Treatments                 *Collection[Treatment, TreatmentWrite, TreatmentPatch]
	Projects                   Projects
	RequestLinks               *Collection[RequestLink, RequestLinkWrite, RequestLinkPatch]
	RequestServices            *Collection[RequestService, RequestServiceWrite, RequestServicePatch]
	Requests                   *Collection[ServiceRequest, ServiceRequestWrite, ServiceRequestPatch]
	Teams                      *Collection[Team, TeamWrite, TeamPatch]
	Users                      *Collection[User, UserWrite, UserPatch]
	WebhookEndpoints           WebhookEndpoints
	Calendars                  *Collection[Calendar, CalendarWrite, CalendarPatch]
	JobPlans                   *Collection[JobPlan, JobPlanWrite, JobPlanPatch]
	PMPlans                    *Collection[PMPlan, PMPlanWrite, PMPlanPatch]
	SLAPolicies                *Collection[SLAPolicy, SLAPolicyWrite, SLAPolicyPatch]
	Vendors                    *Collection[Vendor, VendorWrite, VendorPatch]
	WorkOrders                 WorkOrders
}

func collections(c *Client) Collections {
	return Collections{
		Assets:           Assets{NewCollection[Asset, AssetWrite, AssetPatch](c, "assets")},
		Buildings:        Buildings{NewCollection[Building, BuildingWrite, BuildingPatch](c, "buildings")},
		Deficiencies:     NewCollection[Deficiency, DeficiencyWrite, DeficiencyPatch](c, "deficiencies"),
		Documents:        Documents{NewCollection[Document, DocumentWrite, DocumentPatch](c, "documents")},
		LegalHolds:       NewCollection[LegalHold, LegalHoldWrite, LegalHoldPatch](c, "legal-holds"),
		RetentionClasses: NewCollection[RetentionClass, RetentionClassWrite, RetentionClassPatch](c, "retention-classes"),
		PriceIndexes:     PriceIndexes{NewCollection[PriceIndex, PriceIndexWrite, PriceIndexPatch](c, "price-indexes")},
		Sites:            Sites{NewCollection[Site, SiteWrite, SitePatch](c, "sites")},
		Systems:          Systems{NewCollection[System, SystemWrite, SystemPatch](c, "systems")},
		InfrastructureDeficiencies: NewCollection[InfrastructureDeficiency, InfrastructureDeficiencyWrite, InfrastructureDeficiencyPatch](c,
			"infrastructure/deficiencies"),
		Inspections:              NewCollection[Inspection, InspectionWrite, InspectionPatch](c, "infrastructure/inspections"),
		Networks:                 Networks{NewCollection[Network, NetworkWrite, NetworkPatch](c, "infrastructure/networks")},
		Segments:                 NewCollection[Segment, SegmentWrite, SegmentPatch](c, "infrastructure/segments"),
		Measurements:             NewCollection[Measurement, MeasurementWrite, MeasurementPatch](c, "los/measurements"),
		Measures:                 NewCollection[Measure, MeasureWrite, MeasurePatch](c, "los/measures"),
		ServiceAreas:             ServiceAreas{NewCollection[ServiceArea, ServiceAreaWrite, ServiceAreaPatch](c, "los/service-areas")},
		Targets:                  NewCollection[Target, TargetWrite, TargetPatch](c, "los/targets"),
		FormResponses:            NewCollection[FormResponse, FormResponseWrite, FormResponsePatch](c, "forms/responses"),
		FormTemplates:            NewCollection[FormTemplate, FormTemplateWrite, FormTemplatePatch](c, "forms/templates"),
		Meters:                   Meters{NewCollection[Meter, MeterWrite, MeterPatch](c, "meters")},
		MeterReadings:            NewCollection[MeterReading, MeterReadingBulkCreateRow, Record](c, "meters/readings"),
		CapitalAssetClasses:      NewCollection[CapitalAssetClass, CapitalAssetClassWrite, CapitalAssetClassPatch](c, "accounting/classes"),
		CapitalAssetTransactions: NewCollection[CapitalAssetTransaction, CapitalAssetTransactionWrite, Record](c, "accounting/transactions"),
		CapitalAssets: CapitalAssets{
			NewCollection[CapitalAsset, CapitalAssetWrite, CapitalAssetPatch](c, "accounting/capital-assets"),
		},
		RetirementObligations: NewCollection[RetirementObligation, RetirementObligationWrite, RetirementObligationPatch](c,
			"accounting/retirement-obligations"),
		FiscalYears:  NewCollection[FiscalYear, FiscalYearWrite, FiscalYearPatch](c, "accounting/fiscal-years"),
		AssetClasses: NewCollection[AssetClass, AssetClassWrite, AssetClassPatch](c, "planning/asset-classes"),
		DeteriorationModels: NewCollection[DeteriorationModel, DeteriorationModelWrite, DeteriorationModelPatch](c,
			"planning/deterioration-models"),
		PlanningInventories: NewCollection[PlanningInventory, PlanningInventoryWrite, PlanningInventoryPatch](c, "planning/inventories"),
		PlanningRuns:        NewCollection[PlanningRun, PlanningRunWrite, PlanningRunPatch](c, "planning/runs"),
		Scenarios:           NewCollection[Scenario, ScenarioWrite, ScenarioPatch](c, "planning/scenarios"),
		Strategies:          NewCollection[Strategy, StrategyWrite, StrategyPatch](c, "planning/strategies"),
		Treatments:          NewCollection[Treatment, TreatmentWrite, TreatmentPatch](c, "planning/treatments"),
		Projects:            Projects{NewCollection[Project, ProjectWrite, ProjectPatch](c, "projects")},
		RequestLinks:        NewCollection[RequestLink, RequestLinkWrite, RequestLinkPatch](c, "request-links"),
		RequestServices:     NewCollection[RequestService, RequestServiceWrite, RequestServicePatch](c, "request-services"),
		Requests:            NewCollection[ServiceRequest, ServiceRequestWrite, ServiceRequestPatch](c, "requests"),
		Teams:               NewCollection[Team, TeamWrite, TeamPatch](c, "teams"),
		Users:               NewCollection[User, UserWrite, UserPatch](c, "users"),
		WebhookEndpoints: WebhookEndpoints{
			NewCollection[WebhookEndpoint, WebhookEndpointWrite, WebhookEndpointPatch](c, "webhook-endpoints"),
		},
		Calendars:   NewCollection[Calendar, CalendarWrite, CalendarPatch](c, "maintenance/calendars"),
		JobPlans:    NewCollection[JobPlan, JobPlanWrite, JobPlanPatch](c, "maintenance/job-plans"),
		PMPlans:     NewCollection[PMPlan, PMPlanWrite, PMPlanPatch](c, "maintenance/pm-plans"),
		SLAPolicies: NewCollection[SLAPolicy, SLAPolicyWrite, SLAPolicyPatch](c, "maintenance/sla-policies"),
		Vendors:     NewCollection[Vendor, VendorWrite, VendorPatch](c, "vendors"),
		WorkOrders:  WorkOrders{NewCollection[WorkOrder, WorkOrderWrite, WorkOrderPatch](c, "work-orders")},
	}
}

// Assets are the assets, and what stands below one.
type Assets struct {
	*Collection[Asset, AssetWrite, AssetPatch]
}

// ConditionAssessments are those of an asset.
func (a Assets) ConditionAssessments(assetID string) *Collection[ConditionAssessment, ConditionAssessmentWrite, ConditionAssessmentPatch] {
	return NewCollection[ConditionAssessment, ConditionAssessmentWrite, ConditionAssessmentPatch](a.client,
		below(a.path, assetID, "condition-assessments"))
}

// Buildings are the buildings.
type Buildings struct {
	*Collection[Building, BuildingWrite, BuildingPatch]
}

// Summary is the figures of a building. query may have as_of, horizon_years and prices_of.
func (b Buildings) Summary(ctx context.Context, id string, query Filters) (*PlaceSummary, error) {
	return read[PlaceSummary](ctx, b.client, below(b.path, id, "summary"), query)
}

// Documents are the documents on records, and what stands below one. Create makes one without a file, Upload with it.
type Documents struct {
	*Collection[Document, DocumentWrite, DocumentPatch]
}

// Links are the other records that a document is on.
func (d Documents) Links(documentID string) *Collection[DocumentLink, DocumentLinkWrite, DocumentLinkPatch] {
	return NewCollection[DocumentLink, DocumentLinkWrite, DocumentLinkPatch](d.client, below(d.path, documentID, "links"))
}

// PriceIndexes are the price indexes, and what stands below one.
type PriceIndexes struct {
	*Collection[PriceIndex, PriceIndexWrite, PriceIndexPatch]
}

// Values are the years of a price index.
func (p PriceIndexes) Values(priceIndexID string) *Collection[PriceIndexValue, PriceIndexValueWrite, PriceIndexValuePatch] {
	return NewCollection[PriceIndexValue, PriceIndexValueWrite, PriceIndexValuePatch](p.client, below(p.path, priceIndexID, "values"))
}

// Sites are the sites.
type Sites struct {
	*Collection[Site, SiteWrite, SitePatch]
}

// Summary is the figures of a site. query may have as_of, horizon_years and prices_of.
func (s Sites) Summary(ctx context.Context, id string, query Filters) (*PlaceSummary, error) {
	return read[PlaceSummary](ctx, s.client, below(s.path, id, "summary"), query)
}

// Systems are the building systems.
type Systems struct {
	*Collection[System, SystemWrite, SystemPatch]
}

// Summary is the figures of a system. query may have as_of, horizon_years and prices_of.
func (s Systems) Summary(ctx context.Context, id string, query Filters) (*PlaceSummary, error) {
	return read[PlaceSummary](ctx, s.client, below(s.path, id, "summary"), query)
}

// Networks are the infrastructure networks.
type Networks struct {
	*Collection[Network, NetworkWrite, NetworkPatch]
}

// Summary is the figures of a network. query may have as_of, horizon_years and prices_of.
func (n Networks) Summary(ctx context.Context, id string, query Filters) (*NetworkSummary, error) {
	return read[NetworkSummary](ctx, n.client, below(n.path, id, "summary"), query)
}

// ServiceAreas are the areas of levels of service.
type ServiceAreas struct {
	*Collection[ServiceArea, ServiceAreaWrite, ServiceAreaPatch]
}

// Scorecard is a service area's measures against their targets.
func (s ServiceAreas) Scorecard(ctx context.Context, id string, query Filters) (*Scorecard, error) {
	return read[Scorecard](ctx, s.client, below(s.path, id, "scorecard"), query)
}

// Projects are the projects, and what stands below one.
type Projects struct {
	*Collection[Project, ProjectWrite, ProjectPatch]
}

// BudgetLines are those of a project.
func (p Projects) BudgetLines(projectID string) *Collection[BudgetLine, BudgetLineWrite, BudgetLinePatch] {
	return NewCollection[BudgetLine, BudgetLineWrite, BudgetLinePatch](p.client, below(p.path, projectID, "budget-lines"))
}

// FundingSources are those of a project.
func (p Projects) FundingSources(projectID string) *Collection[FundingSource, FundingSourceWrite, FundingSourcePatch] {
	return NewCollection[FundingSource, FundingSourceWrite, FundingSourcePatch](p.client, below(p.path, projectID, "funding-sources"))
}

// Links are the records that a project is about.
func (p Projects) Links(projectID string) *Collection[ProjectLink, ProjectLinkWrite, ProjectLinkPatch] {
	return NewCollection[ProjectLink, ProjectLinkWrite, ProjectLinkPatch](p.client, below(p.path, projectID, "links"))
}

// Phases are those of a project.
func (p Projects) Phases(projectID string) *Collection[ProjectPhase, ProjectPhaseWrite, ProjectPhasePatch] {
	return NewCollection[ProjectPhase, ProjectPhaseWrite, ProjectPhasePatch](p.client, below(p.path, projectID, "phases"))
}

// Effects are what the completion of a project does to other records.
func (p Projects) Effects(projectID string) *Collection[ProjectEffect, ProjectEffectWrite, ProjectEffectPatch] {
	return NewCollection[ProjectEffect, ProjectEffectWrite, ProjectEffectPatch](p.client, below(p.path, projectID, "effects"))
}

// Plan is cost, funding and gap of all projects by fiscal year.
func (p Projects) Plan(ctx context.Context, query Filters) (*ProjectPlan, error) {
	return read[ProjectPlan](ctx, p.client, p.path+"/plan", query)
}

// CapitalAssets are what the ledger keeps the cost of, and what stands below one.
type CapitalAssets struct {
	*Collection[CapitalAsset, CapitalAssetWrite, CapitalAssetPatch]
}

// Links are the records that a capital asset stands for.
func (a CapitalAssets) Links(capitalAssetID string) *Collection[CapitalAssetLink, CapitalAssetLinkWrite, CapitalAssetLinkPatch] {
	return NewCollection[CapitalAssetLink, CapitalAssetLinkWrite, CapitalAssetLinkPatch](a.client, below(a.path, capitalAssetID, "links"))
}

// Meters are the meters, and their readings. MeterReadings of a Client takes readings of any meters at once.
type Meters struct {
	*Collection[Meter, MeterWrite, MeterPatch]
}

// Readings are those of a meter.
func (m Meters) Readings(meterID string) *Collection[MeterReading, MeterReadingWrite, Record] {
	return NewCollection[MeterReading, MeterReadingWrite, Record](m.client, below(m.path, meterID, "readings"))
}

// WebhookEndpoints are the endpoints that events are delivered to.
type WebhookEndpoints struct {
	*Collection[WebhookEndpoint, WebhookEndpointWrite, WebhookEndpointPatch]
}

// Test sends an event of type webhook.test to an endpoint at once, and gives what its server answered.
func (w WebhookEndpoints) Test(ctx context.Context, id string) (*WebhookDeliveryDetail, error) {
	return act[WebhookDeliveryDetail](ctx, w, id, "test", nil)
}

// Pause stops deliveries to an endpoint; its events wait.
func (w WebhookEndpoints) Pause(ctx context.Context, id string) (*WebhookEndpoint, error) {
	return act[WebhookEndpoint](ctx, w, id, "pause", nil)
}

// Resume sends what waits, and goes on.
func (w WebhookEndpoints) Resume(ctx context.Context, id string) (*WebhookEndpoint, error) {
	return act[WebhookEndpoint](ctx, w, id, "resume", nil)
}

// RotateSecret gives an endpoint a new secret, which is shown this once. For overlapHours, deliveries are signed with the former one too.
func (w WebhookEndpoints) RotateSecret(ctx context.Context, id string, overlapHours int) (*RotatedSecret, error) {
	return act[RotatedSecret](ctx, w, id, "secret/rotate", map[string]int{"overlap_hours": overlapHours})
}

func act[T any](ctx context.Context, w WebhookEndpoints, id, what string, body any) (*T, error) {
	result := new(T)
	if err := w.client.Request(ctx, Request{Method: http.MethodPost, Path: below(w.path, id, what), Body: body}, result); err != nil {
		return nil, err
	}
	return result, nil
}

// WorkOrders are the work orders, and what stands below one.
type WorkOrders struct {
	*Collection[WorkOrder, WorkOrderWrite, WorkOrderPatch]
}

// Comments are those of a work order.
func (w WorkOrders) Comments(workOrderID string) *Collection[Comment, CommentWrite, CommentPatch] {
	return NewCollection[Comment, CommentWrite, CommentPatch](w.client, below(w.path, workOrderID, "comments"))
}

// Costs are those of a work order.
func (w WorkOrders) Costs(workOrderID string) *Collection[Cost, CostWrite, CostPatch] {
	return NewCollection[Cost, CostWrite, CostPatch](w.client, below(w.path, workOrderID, "costs"))
}

// Tasks are those of a work order.
func (w WorkOrders) Tasks(workOrderID string) *Collection[Task, TaskWrite, TaskPatch] {
	return NewCollection[Task, TaskWrite, TaskPatch](w.client, below(w.path, workOrderID, "tasks"))
}

// Effects are what the completion of a work order does to other records.
func (w WorkOrders) Effects(workOrderID string) *Collection[WorkOrderEffect, WorkOrderEffectWrite, WorkOrderEffectPatch] {
	return NewCollection[WorkOrderEffect, WorkOrderEffectWrite, WorkOrderEffectPatch](w.client, below(w.path, workOrderID, "effects"))
}

// Targets are the things that a work order is for.
func (w WorkOrders) Targets(workOrderID string) *Collection[WorkOrderTarget, WorkOrderTargetWrite, WorkOrderTargetPatch] {
	return NewCollection[WorkOrderTarget, WorkOrderTargetWrite, WorkOrderTargetPatch](w.client, below(w.path, workOrderID, "targets"))
}

// Transition moves a work order to another state, with what belongs to the move.
func (w WorkOrders) Transition(ctx context.Context, id, to string, with Record) (*WorkOrder, error) {
	body := Record{"to": to}
	for name, value := range with {
		body[name] = value
	}
	return w.one(ctx, Request{Method: http.MethodPost, Path: below(w.path, id, "transition"), Body: body})
}

// StateOfAssets is the organization's assets in groups and in total; groups come in pages.
func (c *Client) StateOfAssets(ctx context.Context, query Filters) (*StateOfAssets, error) {
	return read[StateOfAssets](ctx, c, "/v1/reports/state-of-assets", query)
}

// StateOfInfrastructure is assets and networks together.
func (c *Client) StateOfInfrastructure(ctx context.Context, query Filters) (*StateOfInfrastructure, error) {
	return read[StateOfInfrastructure](ctx, c, "/v1/reports/state-of-infrastructure", query)
}

// Trend is one figure at the ends of months.
func (c *Client) Trend(ctx context.Context, query Filters) (*Trend, error) {
	return read[Trend](ctx, c, "/v1/reports/trend", query)
}
