"""The collections of the API.

Made by "make clients" from deploy/clients/openapi.json: do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from ._async import AsyncCollection, AsyncTransport
from ._documents import AsyncDocumentCollection, DocumentCollection
from ._sync import Collection, Transport

if TYPE_CHECKING:
    from . import types


class CapitalAssets(
    Collection["types.CapitalAsset", "types.CapitalAssetWrite", "types.CapitalAssetPatch", "types.CapitalAssetFilters", "types.CapitalAssetList", "types.CapitalAssetBulkCreateRow", "types.CapitalAssetBulkPatchRow", "types.CapitalAssetBulkDeleteRow", "types.CapitalAssetBulkResult", "types.HistoryEntry"]
):
    """/v1/accounting/capital-assets, and what is below one of them."""

    def links(self, capital_asset_id: str) -> Collection[types.CapitalAssetLink, types.CapitalAssetLinkWrite, types.CapitalAssetLinkPatch, types.CapitalAssetLinkFilters, types.CapitalAssetLinkList, types.CapitalAssetLinkBulkCreateRow, types.CapitalAssetLinkBulkPatchRow, types.RecordKey, types.CapitalAssetLinkBulkResult, types.HistoryEntry]:
        """/v1/accounting/capital-assets/{capital_asset_id}/links"""
        return Collection(self._transport, self._paths.below(capital_asset_id, "links"))


class Assets(
    Collection["types.Asset", "types.AssetWrite", "types.AssetPatch", "types.AssetFilters", "types.AssetList", "types.AssetBulkCreateRow", "types.AssetBulkPatchRow", "types.AssetBulkDeleteRow", "types.AssetBulkResult", "types.HistoryEntry"]
):
    """/v1/assets, and what is below one of them."""

    def condition_assessments(self, asset_id: str) -> Collection[types.ConditionAssessment, types.ConditionAssessmentWrite, types.ConditionAssessmentPatch, types.ConditionAssessmentFilters, types.ConditionAssessmentList, types.ConditionAssessmentBulkCreateRow, types.ConditionAssessmentBulkPatchRow, types.RecordKey, types.ConditionAssessmentBulkResult, types.HistoryEntry]:
        """/v1/assets/{asset_id}/condition-assessments"""
        return Collection(self._transport, self._paths.below(asset_id, "condition-assessments"))


class Documents(
    DocumentCollection["types.Document", "types.DocumentWrite", "types.DocumentPatch", "types.DocumentFilters", "types.DocumentList", "types.DocumentBulkCreateRow", "types.DocumentBulkPatchRow", "types.RecordKey", "types.DocumentBulkResult", "types.HistoryEntry"]
):
    """/v1/documents, and what is below one of them."""

    def links(self, document_id: str) -> Collection[types.DocumentLink, types.DocumentLinkWrite, types.DocumentLinkPatch, types.DocumentLinkFilters, types.DocumentLinkList, types.DocumentLinkBulkCreateRow, types.DocumentLinkBulkPatchRow, types.RecordKey, types.DocumentLinkBulkResult, types.HistoryEntry]:
        """/v1/documents/{document_id}/links"""
        return Collection(self._transport, self._paths.below(document_id, "links"))


class PriceIndexes(
    Collection["types.PriceIndex", "types.PriceIndexWrite", "types.PriceIndexPatch", "types.PriceIndexFilters", "types.PriceIndexList", "types.PriceIndexBulkCreateRow", "types.PriceIndexBulkPatchRow", "types.PriceIndexBulkDeleteRow", "types.PriceIndexBulkResult", "types.HistoryEntry"]
):
    """/v1/price-indexes, and what is below one of them."""

    def values(self, price_index_id: str) -> Collection[types.PriceIndexValue, types.PriceIndexValueWrite, types.PriceIndexValuePatch, types.PriceIndexValueFilters, types.PriceIndexValueList, types.PriceIndexValueBulkCreateRow, types.PriceIndexValueBulkPatchRow, types.RecordKey, types.PriceIndexValueBulkResult, types.HistoryEntry]:
        """/v1/price-indexes/{price_index_id}/values"""
        return Collection(self._transport, self._paths.below(price_index_id, "values"))


class Projects(
    Collection["types.Project", "types.ProjectWrite", "types.ProjectPatch", "types.ProjectFilters", "types.ProjectList", "types.ProjectBulkCreateRow", "types.ProjectBulkPatchRow", "types.ProjectBulkDeleteRow", "types.ProjectBulkResult", "types.HistoryEntry"]
):
    """/v1/projects, and what is below one of them."""

    def budget_lines(self, project_id: str) -> Collection[types.BudgetLine, types.BudgetLineWrite, types.BudgetLinePatch, types.BudgetLineFilters, types.BudgetLineList, types.BudgetLineBulkCreateRow, types.BudgetLineBulkPatchRow, types.RecordKey, types.BudgetLineBulkResult, types.HistoryEntry]:
        """/v1/projects/{project_id}/budget-lines"""
        return Collection(self._transport, self._paths.below(project_id, "budget-lines"))

    def effects(self, project_id: str) -> Collection[types.ProjectEffect, types.ProjectEffectWrite, types.ProjectEffectPatch, types.ProjectEffectFilters, types.ProjectEffectList, types.ProjectEffectBulkCreateRow, types.ProjectEffectBulkPatchRow, types.RecordKey, types.ProjectEffectBulkResult, types.HistoryEntry]:
        """/v1/projects/{project_id}/effects"""
        return Collection(self._transport, self._paths.below(project_id, "effects"))

    def funding_sources(self, project_id: str) -> Collection[types.FundingSource, types.FundingSourceWrite, types.FundingSourcePatch, types.FundingSourceFilters, types.FundingSourceList, types.FundingSourceBulkCreateRow, types.FundingSourceBulkPatchRow, types.RecordKey, types.FundingSourceBulkResult, types.HistoryEntry]:
        """/v1/projects/{project_id}/funding-sources"""
        return Collection(self._transport, self._paths.below(project_id, "funding-sources"))

    def links(self, project_id: str) -> Collection[types.ProjectLink, types.ProjectLinkWrite, types.ProjectLinkPatch, types.ProjectLinkFilters, types.ProjectLinkList, types.ProjectLinkBulkCreateRow, types.ProjectLinkBulkPatchRow, types.RecordKey, types.ProjectLinkBulkResult, types.HistoryEntry]:
        """/v1/projects/{project_id}/links"""
        return Collection(self._transport, self._paths.below(project_id, "links"))

    def phases(self, project_id: str) -> Collection[types.ProjectPhase, types.ProjectPhaseWrite, types.ProjectPhasePatch, types.ProjectPhaseFilters, types.ProjectPhaseList, types.ProjectPhaseBulkCreateRow, types.ProjectPhaseBulkPatchRow, types.RecordKey, types.ProjectPhaseBulkResult, types.HistoryEntry]:
        """/v1/projects/{project_id}/phases"""
        return Collection(self._transport, self._paths.below(project_id, "phases"))


class WorkOrders(
    Collection["types.WorkOrder", "types.WorkOrderWrite", "types.WorkOrderPatch", "types.WorkOrderFilters", "types.WorkOrderList", "types.WorkOrderBulkCreateRow", "types.WorkOrderBulkPatchRow", "types.WorkOrderBulkDeleteRow", "types.WorkOrderBulkResult", "types.HistoryEntry"]
):
    """/v1/work-orders, and what is below one of them."""

    def comments(self, work_order_id: str) -> Collection[types.Comment, types.CommentWrite, types.CommentPatch, types.CommentFilters, types.CommentList, types.CommentBulkCreateRow, types.CommentBulkPatchRow, types.RecordKey, types.CommentBulkResult, types.HistoryEntry]:
        """/v1/work-orders/{work_order_id}/comments"""
        return Collection(self._transport, self._paths.below(work_order_id, "comments"))

    def costs(self, work_order_id: str) -> Collection[types.Cost, types.CostWrite, types.CostPatch, types.CostFilters, types.CostList, types.CostBulkCreateRow, types.CostBulkPatchRow, types.RecordKey, types.CostBulkResult, types.HistoryEntry]:
        """/v1/work-orders/{work_order_id}/costs"""
        return Collection(self._transport, self._paths.below(work_order_id, "costs"))

    def effects(self, work_order_id: str) -> Collection[types.WorkOrderEffect, types.WorkOrderEffectWrite, types.WorkOrderEffectPatch, types.WorkOrderEffectFilters, types.WorkOrderEffectList, types.WorkOrderEffectBulkCreateRow, types.WorkOrderEffectBulkPatchRow, types.RecordKey, types.WorkOrderEffectBulkResult, types.HistoryEntry]:
        """/v1/work-orders/{work_order_id}/effects"""
        return Collection(self._transport, self._paths.below(work_order_id, "effects"))

    def targets(self, work_order_id: str) -> Collection[types.WorkOrderTarget, types.WorkOrderTargetWrite, types.WorkOrderTargetPatch, types.WorkOrderTargetFilters, types.WorkOrderTargetList, types.WorkOrderTargetBulkCreateRow, types.WorkOrderTargetBulkPatchRow, types.RecordKey, types.WorkOrderTargetBulkResult, types.HistoryEntry]:
        """/v1/work-orders/{work_order_id}/targets"""
        return Collection(self._transport, self._paths.below(work_order_id, "targets"))

    def tasks(self, work_order_id: str) -> Collection[types.Task, types.TaskWrite, types.TaskPatch, types.TaskFilters, types.TaskList, types.TaskBulkCreateRow, types.TaskBulkPatchRow, types.RecordKey, types.TaskBulkResult, types.HistoryEntry]:
        """/v1/work-orders/{work_order_id}/tasks"""
        return Collection(self._transport, self._paths.below(work_order_id, "tasks"))


class Collections(Transport):
    @property
    def capital_assets(self) -> CapitalAssets:
        """/v1/accounting/capital-assets"""
        return CapitalAssets(self, "/v1/accounting/capital-assets")

    @property
    def capital_asset_classes(self) -> Collection[types.CapitalAssetClass, types.CapitalAssetClassWrite, types.CapitalAssetClassPatch, types.CapitalAssetClassFilters, types.CapitalAssetClassList, types.CapitalAssetClassBulkCreateRow, types.CapitalAssetClassBulkPatchRow, types.CapitalAssetClassBulkDeleteRow, types.CapitalAssetClassBulkResult, types.HistoryEntry]:
        """/v1/accounting/classes"""
        return Collection(self, "/v1/accounting/classes")

    @property
    def fiscal_years(self) -> Collection[types.FiscalYear, types.FiscalYearWrite, types.FiscalYearPatch, types.FiscalYearFilters, types.FiscalYearList, types.FiscalYearBulkCreateRow, types.FiscalYearBulkPatchRow, types.RecordKey, types.FiscalYearBulkResult, types.HistoryEntry]:
        """/v1/accounting/fiscal-years"""
        return Collection(self, "/v1/accounting/fiscal-years")

    @property
    def retirement_obligations(self) -> Collection[types.RetirementObligation, types.RetirementObligationWrite, types.RetirementObligationPatch, types.RetirementObligationFilters, types.RetirementObligationList, types.RetirementObligationBulkCreateRow, types.RetirementObligationBulkPatchRow, types.RecordKey, types.RetirementObligationBulkResult, types.HistoryEntry]:
        """/v1/accounting/retirement-obligations"""
        return Collection(self, "/v1/accounting/retirement-obligations")

    @property
    def capital_asset_transactions(self) -> Collection[types.CapitalAssetTransaction, types.CapitalAssetTransactionWrite, NoReturn, types.CapitalAssetTransactionFilters, types.CapitalAssetTransactionList, types.CapitalAssetTransactionBulkCreateRow, NoReturn, NoReturn, types.CapitalAssetTransactionBulkResult, types.HistoryEntry]:
        """/v1/accounting/transactions"""
        return Collection(self, "/v1/accounting/transactions")

    @property
    def assets(self) -> Assets:
        """/v1/assets"""
        return Assets(self, "/v1/assets")

    @property
    def buildings(self) -> Collection[types.Building, types.BuildingWrite, types.BuildingPatch, types.BuildingFilters, types.BuildingList, types.BuildingBulkCreateRow, types.BuildingBulkPatchRow, types.BuildingBulkDeleteRow, types.BuildingBulkResult, types.HistoryEntry]:
        """/v1/buildings"""
        return Collection(self, "/v1/buildings")

    @property
    def deficiencies(self) -> Collection[types.Deficiency, types.DeficiencyWrite, types.DeficiencyPatch, types.DeficiencyFilters, types.DeficiencyList, types.DeficiencyBulkCreateRow, types.DeficiencyBulkPatchRow, types.DeficiencyBulkDeleteRow, types.DeficiencyBulkResult, types.HistoryEntry]:
        """/v1/deficiencies"""
        return Collection(self, "/v1/deficiencies")

    @property
    def documents(self) -> Documents:
        """/v1/documents"""
        return Documents(self, "/v1/documents")

    @property
    def form_responses(self) -> Collection[types.FormResponse, types.FormResponseWrite, types.FormResponsePatch, types.FormResponseFilters, types.FormResponseList, types.FormResponseBulkCreateRow, types.FormResponseBulkPatchRow, types.RecordKey, types.FormResponseBulkResult, types.HistoryEntry]:
        """/v1/forms/responses"""
        return Collection(self, "/v1/forms/responses")

    @property
    def form_templates(self) -> Collection[types.FormTemplate, types.FormTemplateWrite, types.FormTemplatePatch, types.FormTemplateFilters, types.FormTemplateList, types.FormTemplateBulkCreateRow, types.FormTemplateBulkPatchRow, types.RecordKey, types.FormTemplateBulkResult, types.HistoryEntry]:
        """/v1/forms/templates"""
        return Collection(self, "/v1/forms/templates")

    @property
    def infrastructure_deficiencies(self) -> Collection[types.InfrastructureDeficiency, types.InfrastructureDeficiencyWrite, types.InfrastructureDeficiencyPatch, types.InfrastructureDeficiencyFilters, types.InfrastructureDeficiencyList, types.InfrastructureDeficiencyBulkCreateRow, types.InfrastructureDeficiencyBulkPatchRow, types.InfrastructureDeficiencyBulkDeleteRow, types.InfrastructureDeficiencyBulkResult, types.HistoryEntry]:
        """/v1/infrastructure/deficiencies"""
        return Collection(self, "/v1/infrastructure/deficiencies")

    @property
    def inspections(self) -> Collection[types.Inspection, types.InspectionWrite, types.InspectionPatch, types.InspectionFilters, types.InspectionList, types.InspectionBulkCreateRow, types.InspectionBulkPatchRow, types.RecordKey, types.InspectionBulkResult, types.HistoryEntry]:
        """/v1/infrastructure/inspections"""
        return Collection(self, "/v1/infrastructure/inspections")

    @property
    def networks(self) -> Collection[types.Network, types.NetworkWrite, types.NetworkPatch, types.NetworkFilters, types.NetworkList, types.NetworkBulkCreateRow, types.NetworkBulkPatchRow, types.NetworkBulkDeleteRow, types.NetworkBulkResult, types.HistoryEntry]:
        """/v1/infrastructure/networks"""
        return Collection(self, "/v1/infrastructure/networks")

    @property
    def segments(self) -> Collection[types.Segment, types.SegmentWrite, types.SegmentPatch, types.SegmentFilters, types.SegmentList, types.SegmentBulkCreateRow, types.SegmentBulkPatchRow, types.SegmentBulkDeleteRow, types.SegmentBulkResult, types.HistoryEntry]:
        """/v1/infrastructure/segments"""
        return Collection(self, "/v1/infrastructure/segments")

    @property
    def legal_holds(self) -> Collection[types.LegalHold, types.LegalHoldWrite, types.LegalHoldPatch, types.LegalHoldFilters, types.LegalHoldList, types.LegalHoldBulkCreateRow, types.LegalHoldBulkPatchRow, types.LegalHoldBulkDeleteRow, types.LegalHoldBulkResult, types.HistoryEntry]:
        """/v1/legal-holds"""
        return Collection(self, "/v1/legal-holds")

    @property
    def measurements(self) -> Collection[types.Measurement, types.MeasurementWrite, types.MeasurementPatch, types.MeasurementFilters, types.MeasurementList, types.MeasurementBulkCreateRow, types.MeasurementBulkPatchRow, types.RecordKey, types.MeasurementBulkResult, types.HistoryEntry]:
        """/v1/los/measurements"""
        return Collection(self, "/v1/los/measurements")

    @property
    def measures(self) -> Collection[types.Measure, types.MeasureWrite, types.MeasurePatch, types.MeasureFilters, types.MeasureList, types.MeasureBulkCreateRow, types.MeasureBulkPatchRow, types.MeasureBulkDeleteRow, types.MeasureBulkResult, types.HistoryEntry]:
        """/v1/los/measures"""
        return Collection(self, "/v1/los/measures")

    @property
    def service_areas(self) -> Collection[types.ServiceArea, types.ServiceAreaWrite, types.ServiceAreaPatch, types.ServiceAreaFilters, types.ServiceAreaList, types.ServiceAreaBulkCreateRow, types.ServiceAreaBulkPatchRow, types.ServiceAreaBulkDeleteRow, types.ServiceAreaBulkResult, types.HistoryEntry]:
        """/v1/los/service-areas"""
        return Collection(self, "/v1/los/service-areas")

    @property
    def targets(self) -> Collection[types.Target, types.TargetWrite, types.TargetPatch, types.TargetFilters, types.TargetList, types.TargetBulkCreateRow, types.TargetBulkPatchRow, types.RecordKey, types.TargetBulkResult, types.HistoryEntry]:
        """/v1/los/targets"""
        return Collection(self, "/v1/los/targets")

    @property
    def calendars(self) -> Collection[types.Calendar, types.CalendarWrite, types.CalendarPatch, types.CalendarFilters, types.CalendarList, types.CalendarBulkCreateRow, types.CalendarBulkPatchRow, types.CalendarBulkDeleteRow, types.CalendarBulkResult, types.HistoryEntry]:
        """/v1/maintenance/calendars"""
        return Collection(self, "/v1/maintenance/calendars")

    @property
    def job_plans(self) -> Collection[types.JobPlan, types.JobPlanWrite, types.JobPlanPatch, types.JobPlanFilters, types.JobPlanList, types.JobPlanBulkCreateRow, types.JobPlanBulkPatchRow, types.JobPlanBulkDeleteRow, types.JobPlanBulkResult, types.HistoryEntry]:
        """/v1/maintenance/job-plans"""
        return Collection(self, "/v1/maintenance/job-plans")

    @property
    def pm_plans(self) -> Collection[types.PMPlan, types.PMPlanWrite, types.PMPlanPatch, types.PMPlanFilters, types.PMPlanList, types.PMPlanBulkCreateRow, types.PMPlanBulkPatchRow, types.PMPlanBulkDeleteRow, types.PMPlanBulkResult, types.HistoryEntry]:
        """/v1/maintenance/pm-plans"""
        return Collection(self, "/v1/maintenance/pm-plans")

    @property
    def sla_policies(self) -> Collection[types.SLAPolicy, types.SLAPolicyWrite, types.SLAPolicyPatch, types.SLAPolicyFilters, types.SLAPolicyList, types.SLAPolicyBulkCreateRow, types.SLAPolicyBulkPatchRow, types.RecordKey, types.SLAPolicyBulkResult, types.HistoryEntry]:
        """/v1/maintenance/sla-policies"""
        return Collection(self, "/v1/maintenance/sla-policies")

    @property
    def meters(self) -> Collection[types.Meter, types.MeterWrite, types.MeterPatch, types.MeterFilters, types.MeterList, types.MeterBulkCreateRow, types.MeterBulkPatchRow, types.RecordKey, types.MeterBulkResult, types.HistoryEntry]:
        """/v1/meters"""
        return Collection(self, "/v1/meters")

    @property
    def asset_classes(self) -> Collection[types.AssetClass, types.AssetClassWrite, types.AssetClassPatch, types.AssetClassFilters, types.AssetClassList, types.AssetClassBulkCreateRow, types.AssetClassBulkPatchRow, types.AssetClassBulkDeleteRow, types.AssetClassBulkResult, types.HistoryEntry]:
        """/v1/planning/asset-classes"""
        return Collection(self, "/v1/planning/asset-classes")

    @property
    def deterioration_models(self) -> Collection[types.DeteriorationModel, types.DeteriorationModelWrite, types.DeteriorationModelPatch, types.DeteriorationModelFilters, types.DeteriorationModelList, types.DeteriorationModelBulkCreateRow, types.DeteriorationModelBulkPatchRow, types.DeteriorationModelBulkDeleteRow, types.DeteriorationModelBulkResult, types.HistoryEntry]:
        """/v1/planning/deterioration-models"""
        return Collection(self, "/v1/planning/deterioration-models")

    @property
    def inventories(self) -> Collection[types.PlanningInventory, types.PlanningInventoryWrite, types.PlanningInventoryPatch, types.PlanningInventoryFilters, types.PlanningInventoryList, types.PlanningInventoryBulkCreateRow, types.PlanningInventoryBulkPatchRow, types.PlanningInventoryBulkDeleteRow, types.PlanningInventoryBulkResult, types.HistoryEntry]:
        """/v1/planning/inventories"""
        return Collection(self, "/v1/planning/inventories")

    @property
    def runs(self) -> Collection[types.PlanningRun, types.PlanningRunWrite, types.PlanningRunPatch, types.PlanningRunFilters, types.PlanningRunList, types.PlanningRunBulkCreateRow, types.PlanningRunBulkPatchRow, types.PlanningRunBulkDeleteRow, types.PlanningRunBulkResult, types.HistoryEntry]:
        """/v1/planning/runs"""
        return Collection(self, "/v1/planning/runs")

    @property
    def scenarios(self) -> Collection[types.Scenario, types.ScenarioWrite, types.ScenarioPatch, types.ScenarioFilters, types.ScenarioList, types.ScenarioBulkCreateRow, types.ScenarioBulkPatchRow, types.ScenarioBulkDeleteRow, types.ScenarioBulkResult, types.HistoryEntry]:
        """/v1/planning/scenarios"""
        return Collection(self, "/v1/planning/scenarios")

    @property
    def strategies(self) -> Collection[types.Strategy, types.StrategyWrite, types.StrategyPatch, types.StrategyFilters, types.StrategyList, types.StrategyBulkCreateRow, types.StrategyBulkPatchRow, types.RecordKey, types.StrategyBulkResult, types.HistoryEntry]:
        """/v1/planning/strategies"""
        return Collection(self, "/v1/planning/strategies")

    @property
    def treatments(self) -> Collection[types.Treatment, types.TreatmentWrite, types.TreatmentPatch, types.TreatmentFilters, types.TreatmentList, types.TreatmentBulkCreateRow, types.TreatmentBulkPatchRow, types.TreatmentBulkDeleteRow, types.TreatmentBulkResult, types.HistoryEntry]:
        """/v1/planning/treatments"""
        return Collection(self, "/v1/planning/treatments")

    @property
    def price_indexes(self) -> PriceIndexes:
        """/v1/price-indexes"""
        return PriceIndexes(self, "/v1/price-indexes")

    @property
    def projects(self) -> Projects:
        """/v1/projects"""
        return Projects(self, "/v1/projects")

    @property
    def request_links(self) -> Collection[types.RequestLink, types.RequestLinkWrite, types.RequestLinkPatch, types.RequestLinkFilters, types.RequestLinkList, types.RequestLinkBulkCreateRow, types.RequestLinkBulkPatchRow, types.RecordKey, types.RequestLinkBulkResult, types.HistoryEntry]:
        """/v1/request-links"""
        return Collection(self, "/v1/request-links")

    @property
    def request_services(self) -> Collection[types.RequestService, types.RequestServiceWrite, types.RequestServicePatch, types.RequestServiceFilters, types.RequestServiceList, types.RequestServiceBulkCreateRow, types.RequestServiceBulkPatchRow, types.RequestServiceBulkDeleteRow, types.RequestServiceBulkResult, types.HistoryEntry]:
        """/v1/request-services"""
        return Collection(self, "/v1/request-services")

    @property
    def requests(self) -> Collection[types.Request, types.RequestWrite, types.RequestPatch, types.RequestFilters, types.RequestList, types.RequestBulkCreateRow, types.RequestBulkPatchRow, types.RequestBulkDeleteRow, types.RequestBulkResult, types.HistoryEntry]:
        """/v1/requests"""
        return Collection(self, "/v1/requests")

    @property
    def retention_classes(self) -> Collection[types.RetentionClass, types.RetentionClassWrite, types.RetentionClassPatch, types.RetentionClassFilters, types.RetentionClassList, types.RetentionClassBulkCreateRow, types.RetentionClassBulkPatchRow, types.RetentionClassBulkDeleteRow, types.RetentionClassBulkResult, types.HistoryEntry]:
        """/v1/retention-classes"""
        return Collection(self, "/v1/retention-classes")

    @property
    def sites(self) -> Collection[types.Site, types.SiteWrite, types.SitePatch, types.SiteFilters, types.SiteList, types.SiteBulkCreateRow, types.SiteBulkPatchRow, types.SiteBulkDeleteRow, types.SiteBulkResult, types.HistoryEntry]:
        """/v1/sites"""
        return Collection(self, "/v1/sites")

    @property
    def systems(self) -> Collection[types.System, types.SystemWrite, types.SystemPatch, types.SystemFilters, types.SystemList, types.SystemBulkCreateRow, types.SystemBulkPatchRow, types.SystemBulkDeleteRow, types.SystemBulkResult, types.HistoryEntry]:
        """/v1/systems"""
        return Collection(self, "/v1/systems")

    @property
    def teams(self) -> Collection[types.Team, types.TeamWrite, types.TeamPatch, types.TeamFilters, types.TeamList, types.TeamBulkCreateRow, types.TeamBulkPatchRow, types.TeamBulkDeleteRow, types.TeamBulkResult, types.HistoryEntry]:
        """/v1/teams"""
        return Collection(self, "/v1/teams")

    @property
    def users(self) -> Collection[types.User, types.UserWrite, types.UserPatch, types.UserFilters, types.UserList, types.UserBulkCreateRow, types.UserBulkPatchRow, types.UserBulkDeleteRow, types.UserBulkResult, types.HistoryEntry]:
        """/v1/users"""
        return Collection(self, "/v1/users")

    @property
    def vendors(self) -> Collection[types.Vendor, types.VendorWrite, types.VendorPatch, types.VendorFilters, types.VendorList, types.VendorBulkCreateRow, types.VendorBulkPatchRow, types.VendorBulkDeleteRow, types.VendorBulkResult, types.HistoryEntry]:
        """/v1/vendors"""
        return Collection(self, "/v1/vendors")

    @property
    def webhook_endpoints(self) -> Collection[types.WebhookEndpoint, types.WebhookEndpointWrite, types.WebhookEndpointPatch, types.WebhookEndpointFilters, types.WebhookEndpointList, types.WebhookEndpointBulkCreateRow, types.WebhookEndpointBulkPatchRow, types.RecordKey, types.WebhookEndpointBulkResult, types.HistoryEntry]:
        """/v1/webhook-endpoints"""
        return Collection(self, "/v1/webhook-endpoints")

    @property
    def work_orders(self) -> WorkOrders:
        """/v1/work-orders"""
        return WorkOrders(self, "/v1/work-orders")



class AsyncCapitalAssets(
    AsyncCollection["types.CapitalAsset", "types.CapitalAssetWrite", "types.CapitalAssetPatch", "types.CapitalAssetFilters", "types.CapitalAssetList", "types.CapitalAssetBulkCreateRow", "types.CapitalAssetBulkPatchRow", "types.CapitalAssetBulkDeleteRow", "types.CapitalAssetBulkResult", "types.HistoryEntry"]
):
    """/v1/accounting/capital-assets, and what is below one of them."""

    def links(self, capital_asset_id: str) -> AsyncCollection[types.CapitalAssetLink, types.CapitalAssetLinkWrite, types.CapitalAssetLinkPatch, types.CapitalAssetLinkFilters, types.CapitalAssetLinkList, types.CapitalAssetLinkBulkCreateRow, types.CapitalAssetLinkBulkPatchRow, types.RecordKey, types.CapitalAssetLinkBulkResult, types.HistoryEntry]:
        """/v1/accounting/capital-assets/{capital_asset_id}/links"""
        return AsyncCollection(self._transport, self._paths.below(capital_asset_id, "links"))


class AsyncAssets(
    AsyncCollection["types.Asset", "types.AssetWrite", "types.AssetPatch", "types.AssetFilters", "types.AssetList", "types.AssetBulkCreateRow", "types.AssetBulkPatchRow", "types.AssetBulkDeleteRow", "types.AssetBulkResult", "types.HistoryEntry"]
):
    """/v1/assets, and what is below one of them."""

    def condition_assessments(self, asset_id: str) -> AsyncCollection[types.ConditionAssessment, types.ConditionAssessmentWrite, types.ConditionAssessmentPatch, types.ConditionAssessmentFilters, types.ConditionAssessmentList, types.ConditionAssessmentBulkCreateRow, types.ConditionAssessmentBulkPatchRow, types.RecordKey, types.ConditionAssessmentBulkResult, types.HistoryEntry]:
        """/v1/assets/{asset_id}/condition-assessments"""
        return AsyncCollection(self._transport, self._paths.below(asset_id, "condition-assessments"))


class AsyncDocuments(
    AsyncDocumentCollection["types.Document", "types.DocumentWrite", "types.DocumentPatch", "types.DocumentFilters", "types.DocumentList", "types.DocumentBulkCreateRow", "types.DocumentBulkPatchRow", "types.RecordKey", "types.DocumentBulkResult", "types.HistoryEntry"]
):
    """/v1/documents, and what is below one of them."""

    def links(self, document_id: str) -> AsyncCollection[types.DocumentLink, types.DocumentLinkWrite, types.DocumentLinkPatch, types.DocumentLinkFilters, types.DocumentLinkList, types.DocumentLinkBulkCreateRow, types.DocumentLinkBulkPatchRow, types.RecordKey, types.DocumentLinkBulkResult, types.HistoryEntry]:
        """/v1/documents/{document_id}/links"""
        return AsyncCollection(self._transport, self._paths.below(document_id, "links"))


class AsyncPriceIndexes(
    AsyncCollection["types.PriceIndex", "types.PriceIndexWrite", "types.PriceIndexPatch", "types.PriceIndexFilters", "types.PriceIndexList", "types.PriceIndexBulkCreateRow", "types.PriceIndexBulkPatchRow", "types.PriceIndexBulkDeleteRow", "types.PriceIndexBulkResult", "types.HistoryEntry"]
):
    """/v1/price-indexes, and what is below one of them."""

    def values(self, price_index_id: str) -> AsyncCollection[types.PriceIndexValue, types.PriceIndexValueWrite, types.PriceIndexValuePatch, types.PriceIndexValueFilters, types.PriceIndexValueList, types.PriceIndexValueBulkCreateRow, types.PriceIndexValueBulkPatchRow, types.RecordKey, types.PriceIndexValueBulkResult, types.HistoryEntry]:
        """/v1/price-indexes/{price_index_id}/values"""
        return AsyncCollection(self._transport, self._paths.below(price_index_id, "values"))


class AsyncProjects(
    AsyncCollection["types.Project", "types.ProjectWrite", "types.ProjectPatch", "types.ProjectFilters", "types.ProjectList", "types.ProjectBulkCreateRow", "types.ProjectBulkPatchRow", "types.ProjectBulkDeleteRow", "types.ProjectBulkResult", "types.HistoryEntry"]
):
    """/v1/projects, and what is below one of them."""

    def budget_lines(self, project_id: str) -> AsyncCollection[types.BudgetLine, types.BudgetLineWrite, types.BudgetLinePatch, types.BudgetLineFilters, types.BudgetLineList, types.BudgetLineBulkCreateRow, types.BudgetLineBulkPatchRow, types.RecordKey, types.BudgetLineBulkResult, types.HistoryEntry]:
        """/v1/projects/{project_id}/budget-lines"""
        return AsyncCollection(self._transport, self._paths.below(project_id, "budget-lines"))

    def effects(self, project_id: str) -> AsyncCollection[types.ProjectEffect, types.ProjectEffectWrite, types.ProjectEffectPatch, types.ProjectEffectFilters, types.ProjectEffectList, types.ProjectEffectBulkCreateRow, types.ProjectEffectBulkPatchRow, types.RecordKey, types.ProjectEffectBulkResult, types.HistoryEntry]:
        """/v1/projects/{project_id}/effects"""
        return AsyncCollection(self._transport, self._paths.below(project_id, "effects"))

    def funding_sources(self, project_id: str) -> AsyncCollection[types.FundingSource, types.FundingSourceWrite, types.FundingSourcePatch, types.FundingSourceFilters, types.FundingSourceList, types.FundingSourceBulkCreateRow, types.FundingSourceBulkPatchRow, types.RecordKey, types.FundingSourceBulkResult, types.HistoryEntry]:
        """/v1/projects/{project_id}/funding-sources"""
        return AsyncCollection(self._transport, self._paths.below(project_id, "funding-sources"))

    def links(self, project_id: str) -> AsyncCollection[types.ProjectLink, types.ProjectLinkWrite, types.ProjectLinkPatch, types.ProjectLinkFilters, types.ProjectLinkList, types.ProjectLinkBulkCreateRow, types.ProjectLinkBulkPatchRow, types.RecordKey, types.ProjectLinkBulkResult, types.HistoryEntry]:
        """/v1/projects/{project_id}/links"""
        return AsyncCollection(self._transport, self._paths.below(project_id, "links"))

    def phases(self, project_id: str) -> AsyncCollection[types.ProjectPhase, types.ProjectPhaseWrite, types.ProjectPhasePatch, types.ProjectPhaseFilters, types.ProjectPhaseList, types.ProjectPhaseBulkCreateRow, types.ProjectPhaseBulkPatchRow, types.RecordKey, types.ProjectPhaseBulkResult, types.HistoryEntry]:
        """/v1/projects/{project_id}/phases"""
        return AsyncCollection(self._transport, self._paths.below(project_id, "phases"))


class AsyncWorkOrders(
    AsyncCollection["types.WorkOrder", "types.WorkOrderWrite", "types.WorkOrderPatch", "types.WorkOrderFilters", "types.WorkOrderList", "types.WorkOrderBulkCreateRow", "types.WorkOrderBulkPatchRow", "types.WorkOrderBulkDeleteRow", "types.WorkOrderBulkResult", "types.HistoryEntry"]
):
    """/v1/work-orders, and what is below one of them."""

    def comments(self, work_order_id: str) -> AsyncCollection[types.Comment, types.CommentWrite, types.CommentPatch, types.CommentFilters, types.CommentList, types.CommentBulkCreateRow, types.CommentBulkPatchRow, types.RecordKey, types.CommentBulkResult, types.HistoryEntry]:
        """/v1/work-orders/{work_order_id}/comments"""
        return AsyncCollection(self._transport, self._paths.below(work_order_id, "comments"))

    def costs(self, work_order_id: str) -> AsyncCollection[types.Cost, types.CostWrite, types.CostPatch, types.CostFilters, types.CostList, types.CostBulkCreateRow, types.CostBulkPatchRow, types.RecordKey, types.CostBulkResult, types.HistoryEntry]:
        """/v1/work-orders/{work_order_id}/costs"""
        return AsyncCollection(self._transport, self._paths.below(work_order_id, "costs"))

    def effects(self, work_order_id: str) -> AsyncCollection[types.WorkOrderEffect, types.WorkOrderEffectWrite, types.WorkOrderEffectPatch, types.WorkOrderEffectFilters, types.WorkOrderEffectList, types.WorkOrderEffectBulkCreateRow, types.WorkOrderEffectBulkPatchRow, types.RecordKey, types.WorkOrderEffectBulkResult, types.HistoryEntry]:
        """/v1/work-orders/{work_order_id}/effects"""
        return AsyncCollection(self._transport, self._paths.below(work_order_id, "effects"))

    def targets(self, work_order_id: str) -> AsyncCollection[types.WorkOrderTarget, types.WorkOrderTargetWrite, types.WorkOrderTargetPatch, types.WorkOrderTargetFilters, types.WorkOrderTargetList, types.WorkOrderTargetBulkCreateRow, types.WorkOrderTargetBulkPatchRow, types.RecordKey, types.WorkOrderTargetBulkResult, types.HistoryEntry]:
        """/v1/work-orders/{work_order_id}/targets"""
        return AsyncCollection(self._transport, self._paths.below(work_order_id, "targets"))

    def tasks(self, work_order_id: str) -> AsyncCollection[types.Task, types.TaskWrite, types.TaskPatch, types.TaskFilters, types.TaskList, types.TaskBulkCreateRow, types.TaskBulkPatchRow, types.RecordKey, types.TaskBulkResult, types.HistoryEntry]:
        """/v1/work-orders/{work_order_id}/tasks"""
        return AsyncCollection(self._transport, self._paths.below(work_order_id, "tasks"))


class AsyncCollections(AsyncTransport):
    @property
    def capital_assets(self) -> AsyncCapitalAssets:
        """/v1/accounting/capital-assets"""
        return AsyncCapitalAssets(self, "/v1/accounting/capital-assets")

    @property
    def capital_asset_classes(self) -> AsyncCollection[types.CapitalAssetClass, types.CapitalAssetClassWrite, types.CapitalAssetClassPatch, types.CapitalAssetClassFilters, types.CapitalAssetClassList, types.CapitalAssetClassBulkCreateRow, types.CapitalAssetClassBulkPatchRow, types.CapitalAssetClassBulkDeleteRow, types.CapitalAssetClassBulkResult, types.HistoryEntry]:
        """/v1/accounting/classes"""
        return AsyncCollection(self, "/v1/accounting/classes")

    @property
    def fiscal_years(self) -> AsyncCollection[types.FiscalYear, types.FiscalYearWrite, types.FiscalYearPatch, types.FiscalYearFilters, types.FiscalYearList, types.FiscalYearBulkCreateRow, types.FiscalYearBulkPatchRow, types.RecordKey, types.FiscalYearBulkResult, types.HistoryEntry]:
        """/v1/accounting/fiscal-years"""
        return AsyncCollection(self, "/v1/accounting/fiscal-years")

    @property
    def retirement_obligations(self) -> AsyncCollection[types.RetirementObligation, types.RetirementObligationWrite, types.RetirementObligationPatch, types.RetirementObligationFilters, types.RetirementObligationList, types.RetirementObligationBulkCreateRow, types.RetirementObligationBulkPatchRow, types.RecordKey, types.RetirementObligationBulkResult, types.HistoryEntry]:
        """/v1/accounting/retirement-obligations"""
        return AsyncCollection(self, "/v1/accounting/retirement-obligations")

    @property
    def capital_asset_transactions(self) -> AsyncCollection[types.CapitalAssetTransaction, types.CapitalAssetTransactionWrite, NoReturn, types.CapitalAssetTransactionFilters, types.CapitalAssetTransactionList, types.CapitalAssetTransactionBulkCreateRow, NoReturn, NoReturn, types.CapitalAssetTransactionBulkResult, types.HistoryEntry]:
        """/v1/accounting/transactions"""
        return AsyncCollection(self, "/v1/accounting/transactions")

    @property
    def assets(self) -> AsyncAssets:
        """/v1/assets"""
        return AsyncAssets(self, "/v1/assets")

    @property
    def buildings(self) -> AsyncCollection[types.Building, types.BuildingWrite, types.BuildingPatch, types.BuildingFilters, types.BuildingList, types.BuildingBulkCreateRow, types.BuildingBulkPatchRow, types.BuildingBulkDeleteRow, types.BuildingBulkResult, types.HistoryEntry]:
        """/v1/buildings"""
        return AsyncCollection(self, "/v1/buildings")

    @property
    def deficiencies(self) -> AsyncCollection[types.Deficiency, types.DeficiencyWrite, types.DeficiencyPatch, types.DeficiencyFilters, types.DeficiencyList, types.DeficiencyBulkCreateRow, types.DeficiencyBulkPatchRow, types.DeficiencyBulkDeleteRow, types.DeficiencyBulkResult, types.HistoryEntry]:
        """/v1/deficiencies"""
        return AsyncCollection(self, "/v1/deficiencies")

    @property
    def documents(self) -> AsyncDocuments:
        """/v1/documents"""
        return AsyncDocuments(self, "/v1/documents")

    @property
    def form_responses(self) -> AsyncCollection[types.FormResponse, types.FormResponseWrite, types.FormResponsePatch, types.FormResponseFilters, types.FormResponseList, types.FormResponseBulkCreateRow, types.FormResponseBulkPatchRow, types.RecordKey, types.FormResponseBulkResult, types.HistoryEntry]:
        """/v1/forms/responses"""
        return AsyncCollection(self, "/v1/forms/responses")

    @property
    def form_templates(self) -> AsyncCollection[types.FormTemplate, types.FormTemplateWrite, types.FormTemplatePatch, types.FormTemplateFilters, types.FormTemplateList, types.FormTemplateBulkCreateRow, types.FormTemplateBulkPatchRow, types.RecordKey, types.FormTemplateBulkResult, types.HistoryEntry]:
        """/v1/forms/templates"""
        return AsyncCollection(self, "/v1/forms/templates")

    @property
    def infrastructure_deficiencies(self) -> AsyncCollection[types.InfrastructureDeficiency, types.InfrastructureDeficiencyWrite, types.InfrastructureDeficiencyPatch, types.InfrastructureDeficiencyFilters, types.InfrastructureDeficiencyList, types.InfrastructureDeficiencyBulkCreateRow, types.InfrastructureDeficiencyBulkPatchRow, types.InfrastructureDeficiencyBulkDeleteRow, types.InfrastructureDeficiencyBulkResult, types.HistoryEntry]:
        """/v1/infrastructure/deficiencies"""
        return AsyncCollection(self, "/v1/infrastructure/deficiencies")

    @property
    def inspections(self) -> AsyncCollection[types.Inspection, types.InspectionWrite, types.InspectionPatch, types.InspectionFilters, types.InspectionList, types.InspectionBulkCreateRow, types.InspectionBulkPatchRow, types.RecordKey, types.InspectionBulkResult, types.HistoryEntry]:
        """/v1/infrastructure/inspections"""
        return AsyncCollection(self, "/v1/infrastructure/inspections")

    @property
    def networks(self) -> AsyncCollection[types.Network, types.NetworkWrite, types.NetworkPatch, types.NetworkFilters, types.NetworkList, types.NetworkBulkCreateRow, types.NetworkBulkPatchRow, types.NetworkBulkDeleteRow, types.NetworkBulkResult, types.HistoryEntry]:
        """/v1/infrastructure/networks"""
        return AsyncCollection(self, "/v1/infrastructure/networks")

    @property
    def segments(self) -> AsyncCollection[types.Segment, types.SegmentWrite, types.SegmentPatch, types.SegmentFilters, types.SegmentList, types.SegmentBulkCreateRow, types.SegmentBulkPatchRow, types.SegmentBulkDeleteRow, types.SegmentBulkResult, types.HistoryEntry]:
        """/v1/infrastructure/segments"""
        return AsyncCollection(self, "/v1/infrastructure/segments")

    @property
    def legal_holds(self) -> AsyncCollection[types.LegalHold, types.LegalHoldWrite, types.LegalHoldPatch, types.LegalHoldFilters, types.LegalHoldList, types.LegalHoldBulkCreateRow, types.LegalHoldBulkPatchRow, types.LegalHoldBulkDeleteRow, types.LegalHoldBulkResult, types.HistoryEntry]:
        """/v1/legal-holds"""
        return AsyncCollection(self, "/v1/legal-holds")

    @property
    def measurements(self) -> AsyncCollection[types.Measurement, types.MeasurementWrite, types.MeasurementPatch, types.MeasurementFilters, types.MeasurementList, types.MeasurementBulkCreateRow, types.MeasurementBulkPatchRow, types.RecordKey, types.MeasurementBulkResult, types.HistoryEntry]:
        """/v1/los/measurements"""
        return AsyncCollection(self, "/v1/los/measurements")

    @property
    def measures(self) -> AsyncCollection[types.Measure, types.MeasureWrite, types.MeasurePatch, types.MeasureFilters, types.MeasureList, types.MeasureBulkCreateRow, types.MeasureBulkPatchRow, types.MeasureBulkDeleteRow, types.MeasureBulkResult, types.HistoryEntry]:
        """/v1/los/measures"""
        return AsyncCollection(self, "/v1/los/measures")

    @property
    def service_areas(self) -> AsyncCollection[types.ServiceArea, types.ServiceAreaWrite, types.ServiceAreaPatch, types.ServiceAreaFilters, types.ServiceAreaList, types.ServiceAreaBulkCreateRow, types.ServiceAreaBulkPatchRow, types.ServiceAreaBulkDeleteRow, types.ServiceAreaBulkResult, types.HistoryEntry]:
        """/v1/los/service-areas"""
        return AsyncCollection(self, "/v1/los/service-areas")

    @property
    def targets(self) -> AsyncCollection[types.Target, types.TargetWrite, types.TargetPatch, types.TargetFilters, types.TargetList, types.TargetBulkCreateRow, types.TargetBulkPatchRow, types.RecordKey, types.TargetBulkResult, types.HistoryEntry]:
        """/v1/los/targets"""
        return AsyncCollection(self, "/v1/los/targets")

    @property
    def calendars(self) -> AsyncCollection[types.Calendar, types.CalendarWrite, types.CalendarPatch, types.CalendarFilters, types.CalendarList, types.CalendarBulkCreateRow, types.CalendarBulkPatchRow, types.CalendarBulkDeleteRow, types.CalendarBulkResult, types.HistoryEntry]:
        """/v1/maintenance/calendars"""
        return AsyncCollection(self, "/v1/maintenance/calendars")

    @property
    def job_plans(self) -> AsyncCollection[types.JobPlan, types.JobPlanWrite, types.JobPlanPatch, types.JobPlanFilters, types.JobPlanList, types.JobPlanBulkCreateRow, types.JobPlanBulkPatchRow, types.JobPlanBulkDeleteRow, types.JobPlanBulkResult, types.HistoryEntry]:
        """/v1/maintenance/job-plans"""
        return AsyncCollection(self, "/v1/maintenance/job-plans")

    @property
    def pm_plans(self) -> AsyncCollection[types.PMPlan, types.PMPlanWrite, types.PMPlanPatch, types.PMPlanFilters, types.PMPlanList, types.PMPlanBulkCreateRow, types.PMPlanBulkPatchRow, types.PMPlanBulkDeleteRow, types.PMPlanBulkResult, types.HistoryEntry]:
        """/v1/maintenance/pm-plans"""
        return AsyncCollection(self, "/v1/maintenance/pm-plans")

    @property
    def sla_policies(self) -> AsyncCollection[types.SLAPolicy, types.SLAPolicyWrite, types.SLAPolicyPatch, types.SLAPolicyFilters, types.SLAPolicyList, types.SLAPolicyBulkCreateRow, types.SLAPolicyBulkPatchRow, types.RecordKey, types.SLAPolicyBulkResult, types.HistoryEntry]:
        """/v1/maintenance/sla-policies"""
        return AsyncCollection(self, "/v1/maintenance/sla-policies")

    @property
    def meters(self) -> AsyncCollection[types.Meter, types.MeterWrite, types.MeterPatch, types.MeterFilters, types.MeterList, types.MeterBulkCreateRow, types.MeterBulkPatchRow, types.RecordKey, types.MeterBulkResult, types.HistoryEntry]:
        """/v1/meters"""
        return AsyncCollection(self, "/v1/meters")

    @property
    def asset_classes(self) -> AsyncCollection[types.AssetClass, types.AssetClassWrite, types.AssetClassPatch, types.AssetClassFilters, types.AssetClassList, types.AssetClassBulkCreateRow, types.AssetClassBulkPatchRow, types.AssetClassBulkDeleteRow, types.AssetClassBulkResult, types.HistoryEntry]:
        """/v1/planning/asset-classes"""
        return AsyncCollection(self, "/v1/planning/asset-classes")

    @property
    def deterioration_models(self) -> AsyncCollection[types.DeteriorationModel, types.DeteriorationModelWrite, types.DeteriorationModelPatch, types.DeteriorationModelFilters, types.DeteriorationModelList, types.DeteriorationModelBulkCreateRow, types.DeteriorationModelBulkPatchRow, types.DeteriorationModelBulkDeleteRow, types.DeteriorationModelBulkResult, types.HistoryEntry]:
        """/v1/planning/deterioration-models"""
        return AsyncCollection(self, "/v1/planning/deterioration-models")

    @property
    def inventories(self) -> AsyncCollection[types.PlanningInventory, types.PlanningInventoryWrite, types.PlanningInventoryPatch, types.PlanningInventoryFilters, types.PlanningInventoryList, types.PlanningInventoryBulkCreateRow, types.PlanningInventoryBulkPatchRow, types.PlanningInventoryBulkDeleteRow, types.PlanningInventoryBulkResult, types.HistoryEntry]:
        """/v1/planning/inventories"""
        return AsyncCollection(self, "/v1/planning/inventories")

    @property
    def runs(self) -> AsyncCollection[types.PlanningRun, types.PlanningRunWrite, types.PlanningRunPatch, types.PlanningRunFilters, types.PlanningRunList, types.PlanningRunBulkCreateRow, types.PlanningRunBulkPatchRow, types.PlanningRunBulkDeleteRow, types.PlanningRunBulkResult, types.HistoryEntry]:
        """/v1/planning/runs"""
        return AsyncCollection(self, "/v1/planning/runs")

    @property
    def scenarios(self) -> AsyncCollection[types.Scenario, types.ScenarioWrite, types.ScenarioPatch, types.ScenarioFilters, types.ScenarioList, types.ScenarioBulkCreateRow, types.ScenarioBulkPatchRow, types.ScenarioBulkDeleteRow, types.ScenarioBulkResult, types.HistoryEntry]:
        """/v1/planning/scenarios"""
        return AsyncCollection(self, "/v1/planning/scenarios")

    @property
    def strategies(self) -> AsyncCollection[types.Strategy, types.StrategyWrite, types.StrategyPatch, types.StrategyFilters, types.StrategyList, types.StrategyBulkCreateRow, types.StrategyBulkPatchRow, types.RecordKey, types.StrategyBulkResult, types.HistoryEntry]:
        """/v1/planning/strategies"""
        return AsyncCollection(self, "/v1/planning/strategies")

    @property
    def treatments(self) -> AsyncCollection[types.Treatment, types.TreatmentWrite, types.TreatmentPatch, types.TreatmentFilters, types.TreatmentList, types.TreatmentBulkCreateRow, types.TreatmentBulkPatchRow, types.TreatmentBulkDeleteRow, types.TreatmentBulkResult, types.HistoryEntry]:
        """/v1/planning/treatments"""
        return AsyncCollection(self, "/v1/planning/treatments")

    @property
    def price_indexes(self) -> AsyncPriceIndexes:
        """/v1/price-indexes"""
        return AsyncPriceIndexes(self, "/v1/price-indexes")

    @property
    def projects(self) -> AsyncProjects:
        """/v1/projects"""
        return AsyncProjects(self, "/v1/projects")

    @property
    def request_links(self) -> AsyncCollection[types.RequestLink, types.RequestLinkWrite, types.RequestLinkPatch, types.RequestLinkFilters, types.RequestLinkList, types.RequestLinkBulkCreateRow, types.RequestLinkBulkPatchRow, types.RecordKey, types.RequestLinkBulkResult, types.HistoryEntry]:
        """/v1/request-links"""
        return AsyncCollection(self, "/v1/request-links")

    @property
    def request_services(self) -> AsyncCollection[types.RequestService, types.RequestServiceWrite, types.RequestServicePatch, types.RequestServiceFilters, types.RequestServiceList, types.RequestServiceBulkCreateRow, types.RequestServiceBulkPatchRow, types.RequestServiceBulkDeleteRow, types.RequestServiceBulkResult, types.HistoryEntry]:
        """/v1/request-services"""
        return AsyncCollection(self, "/v1/request-services")

    @property
    def requests(self) -> AsyncCollection[types.Request, types.RequestWrite, types.RequestPatch, types.RequestFilters, types.RequestList, types.RequestBulkCreateRow, types.RequestBulkPatchRow, types.RequestBulkDeleteRow, types.RequestBulkResult, types.HistoryEntry]:
        """/v1/requests"""
        return AsyncCollection(self, "/v1/requests")

    @property
    def retention_classes(self) -> AsyncCollection[types.RetentionClass, types.RetentionClassWrite, types.RetentionClassPatch, types.RetentionClassFilters, types.RetentionClassList, types.RetentionClassBulkCreateRow, types.RetentionClassBulkPatchRow, types.RetentionClassBulkDeleteRow, types.RetentionClassBulkResult, types.HistoryEntry]:
        """/v1/retention-classes"""
        return AsyncCollection(self, "/v1/retention-classes")

    @property
    def sites(self) -> AsyncCollection[types.Site, types.SiteWrite, types.SitePatch, types.SiteFilters, types.SiteList, types.SiteBulkCreateRow, types.SiteBulkPatchRow, types.SiteBulkDeleteRow, types.SiteBulkResult, types.HistoryEntry]:
        """/v1/sites"""
        return AsyncCollection(self, "/v1/sites")

    @property
    def systems(self) -> AsyncCollection[types.System, types.SystemWrite, types.SystemPatch, types.SystemFilters, types.SystemList, types.SystemBulkCreateRow, types.SystemBulkPatchRow, types.SystemBulkDeleteRow, types.SystemBulkResult, types.HistoryEntry]:
        """/v1/systems"""
        return AsyncCollection(self, "/v1/systems")

    @property
    def teams(self) -> AsyncCollection[types.Team, types.TeamWrite, types.TeamPatch, types.TeamFilters, types.TeamList, types.TeamBulkCreateRow, types.TeamBulkPatchRow, types.TeamBulkDeleteRow, types.TeamBulkResult, types.HistoryEntry]:
        """/v1/teams"""
        return AsyncCollection(self, "/v1/teams")

    @property
    def users(self) -> AsyncCollection[types.User, types.UserWrite, types.UserPatch, types.UserFilters, types.UserList, types.UserBulkCreateRow, types.UserBulkPatchRow, types.UserBulkDeleteRow, types.UserBulkResult, types.HistoryEntry]:
        """/v1/users"""
        return AsyncCollection(self, "/v1/users")

    @property
    def vendors(self) -> AsyncCollection[types.Vendor, types.VendorWrite, types.VendorPatch, types.VendorFilters, types.VendorList, types.VendorBulkCreateRow, types.VendorBulkPatchRow, types.VendorBulkDeleteRow, types.VendorBulkResult, types.HistoryEntry]:
        """/v1/vendors"""
        return AsyncCollection(self, "/v1/vendors")

    @property
    def webhook_endpoints(self) -> AsyncCollection[types.WebhookEndpoint, types.WebhookEndpointWrite, types.WebhookEndpointPatch, types.WebhookEndpointFilters, types.WebhookEndpointList, types.WebhookEndpointBulkCreateRow, types.WebhookEndpointBulkPatchRow, types.RecordKey, types.WebhookEndpointBulkResult, types.HistoryEntry]:
        """/v1/webhook-endpoints"""
        return AsyncCollection(self, "/v1/webhook-endpoints")

    @property
    def work_orders(self) -> AsyncWorkOrders:
        """/v1/work-orders"""
        return AsyncWorkOrders(self, "/v1/work-orders")
