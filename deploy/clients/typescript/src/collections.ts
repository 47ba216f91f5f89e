// Made by "make clients" from deploy/clients/openapi.json: do not edit.
import { Collection } from './collection.js';
import { DocumentCollection } from './documents.js';
import type { Answer, Body, Query } from './operations.js';
import { Transport } from './transport.js';

/** /v1/accounting/capital-assets, and what is below one of them. */
export class CapitalAssets extends Collection<{
  record: Answer<'get_capital_asset'>;
  create: Body<'create_capital_asset'>;
  patch: Body<'update_capital_asset'>;
  filters: Query<'list_capital_assets'>;
  page: Answer<'list_capital_assets'>;
  bulkCreate: Body<'create_capital_assets_bulk'>['data'][number];
  bulkPatch: Body<'update_capital_assets_bulk'>['data'][number];
  bulkKey: Body<'delete_capital_assets_bulk'>['data'][number];
  bulkResult: Answer<'create_capital_assets_bulk'>;
  change: Answer<'list_capital_asset_history'>['data'][number];
}> {
  /** /v1/accounting/capital-assets/{capital_asset_id}/links */
  links(capitalAssetId: string): Collection<{
    record: Answer<'get_capital_asset_link'>;
    create: Body<'create_capital_asset_link'>;
    patch: Body<'update_capital_asset_link'>;
    filters: Query<'list_capital_asset_links'>;
    page: Answer<'list_capital_asset_links'>;
    bulkCreate: Body<'create_capital_asset_links_bulk'>['data'][number];
    bulkPatch: Body<'update_capital_asset_links_bulk'>['data'][number];
    bulkKey: Body<'delete_capital_asset_links_bulk'>['data'][number];
    bulkResult: Answer<'create_capital_asset_links_bulk'>;
    change: Answer<'list_capital_asset_link_history'>['data'][number];
  }> {
    return this.below(capitalAssetId, 'links');
  }
}

/** /v1/assets, and what is below one of them. */
export class Assets extends Collection<{
  record: Answer<'get_asset'>;
  create: Body<'create_asset'>;
  patch: Body<'update_asset'>;
  filters: Query<'list_assets'>;
  page: Answer<'list_assets'>;
  bulkCreate: Body<'create_assets_bulk'>['data'][number];
  bulkPatch: Body<'update_assets_bulk'>['data'][number];
  bulkKey: Body<'delete_assets_bulk'>['data'][number];
  bulkResult: Answer<'create_assets_bulk'>;
  change: Answer<'list_asset_history'>['data'][number];
}> {
  /** /v1/assets/{asset_id}/condition-assessments */
  conditionAssessments(assetId: string): Collection<{
    record: Answer<'get_condition_assessment'>;
    create: Body<'create_condition_assessment'>;
    patch: Body<'update_condition_assessment'>;
    filters: Query<'list_condition_assessments'>;
    page: Answer<'list_condition_assessments'>;
    bulkCreate: Body<'create_condition_assessments_bulk'>['data'][number];
    bulkPatch: Body<'update_condition_assessments_bulk'>['data'][number];
    bulkKey: Body<'delete_condition_assessments_bulk'>['data'][number];
    bulkResult: Answer<'create_condition_assessments_bulk'>;
    change: Answer<'list_condition_assessment_history'>['data'][number];
  }> {
    return this.below(assetId, 'condition-assessments');
  }
}

/** /v1/documents, and what is below one of them. */
export class Documents extends DocumentCollection<{
  record: Answer<'get_document'>;
  create: Body<'create_document'>;
  patch: Body<'update_document'>;
  filters: Query<'list_documents'>;
  page: Answer<'list_documents'>;
  bulkCreate: Body<'create_documents_bulk'>['data'][number];
  bulkPatch: Body<'update_documents_bulk'>['data'][number];
  bulkKey: Body<'delete_documents_bulk'>['data'][number];
  bulkResult: Answer<'create_documents_bulk'>;
  change: Answer<'list_document_history'>['data'][number];
}> {
  /** /v1/documents/{document_id}/links */
  links(documentId: string): Collection<{
    record: Answer<'get_document_link'>;
    create: Body<'create_document_link'>;
    patch: Body<'update_document_link'>;
    filters: Query<'list_document_links'>;
    page: Answer<'list_document_links'>;
    bulkCreate: Body<'create_document_links_bulk'>['data'][number];
    bulkPatch: Body<'update_document_links_bulk'>['data'][number];
    bulkKey: Body<'delete_document_links_bulk'>['data'][number];
    bulkResult: Answer<'create_document_links_bulk'>;
    change: Answer<'list_document_link_history'>['data'][number];
  }> {
    return this.below(documentId, 'links');
  }
}

/** /v1/price-indexes, and what is below one of them. */
export class PriceIndexes extends Collection<{
  record: Answer<'get_price_index'>;
  create: Body<'create_price_index'>;
  patch: Body<'update_price_index'>;
  filters: Query<'list_price_indexes'>;
  page: Answer<'list_price_indexes'>;
  bulkCreate: Body<'create_price_indexes_bulk'>['data'][number];
  bulkPatch: Body<'update_price_indexes_bulk'>['data'][number];
  bulkKey: Body<'delete_price_indexes_bulk'>['data'][number];
  bulkResult: Answer<'create_price_indexes_bulk'>;
  change: Answer<'list_price_index_history'>['data'][number];
}> {
  /** /v1/price-indexes/{price_index_id}/values */
  values(priceIndexId: string): Collection<{
    record: Answer<'get_price_index_value'>;
    create: Body<'create_price_index_value'>;
    patch: Body<'update_price_index_value'>;
    filters: Query<'list_price_index_values'>;
    page: Answer<'list_price_index_values'>;
    bulkCreate: Body<'create_price_index_values_bulk'>['data'][number];
    bulkPatch: Body<'update_price_index_values_bulk'>['data'][number];
    bulkKey: Body<'delete_price_index_values_bulk'>['data'][number];
    bulkResult: Answer<'create_price_index_values_bulk'>;
    change: Answer<'list_price_index_value_history'>['data'][number];
  }> {
    return this.below(priceIndexId, 'values');
  }
}

/** /v1/projects, and what is below one of them. */
export class Projects extends Collection<{
  record: Answer<'get_project'>;
  create: Body<'create_project'>;
  patch: Body<'update_project'>;
  filters: Query<'list_projects'>;
  page: Answer<'list_projects'>;
  bulkCreate: Body<'create_projects_bulk'>['data'][number];
  bulkPatch: Body<'update_projects_bulk'>['data'][number];
  bulkKey: Body<'delete_projects_bulk'>['data'][number];
  bulkResult: Answer<'create_projects_bulk'>;
  change: Answer<'list_project_history'>['data'][number];
}> {
  /** /v1/projects/{project_id}/budget-lines */
  budgetLines(projectId: string): Collection<{
    record: Answer<'get_project_budget_line'>;
    create: Body<'create_project_budget_line'>;
    patch: Body<'update_project_budget_line'>;
    filters: Query<'list_project_budget_lines'>;
    page: Answer<'list_project_budget_lines'>;
    bulkCreate: Body<'create_project_budget_lines_bulk'>['data'][number];
    bulkPatch: Body<'update_project_budget_lines_bulk'>['data'][number];
    bulkKey: Body<'delete_project_budget_lines_bulk'>['data'][number];
    bulkResult: Answer<'create_project_budget_lines_bulk'>;
    change: Answer<'list_project_budget_line_history'>['data'][number];
  }> {
    return this.below(projectId, 'budget-lines');
  }

  /** /v1/projects/{project_id}/effects */
  effects(projectId: string): Collection<{
    record: Answer<'get_project_effect'>;
    create: Body<'create_project_effect'>;
    patch: Body<'update_project_effect'>;
    filters: Query<'list_project_effects'>;
    page: Answer<'list_project_effects'>;
    bulkCreate: Body<'create_project_effects_bulk'>['data'][number];
    bulkPatch: Body<'update_project_effects_bulk'>['data'][number];
    bulkKey: Body<'delete_project_effects_bulk'>['data'][number];
    bulkResult: Answer<'create_project_effects_bulk'>;
    change: Answer<'list_project_effect_history'>['data'][number];
  }> {
    return this.below(projectId, 'effects');
  }

  /** /v1/projects/{project_id}/funding-sources */
  fundingSources(projectId: string): Collection<{
    record: Answer<'get_project_funding_source'>;
    create: Body<'create_project_funding_source'>;
    patch: Body<'update_project_funding_source'>;
    filters: Query<'list_project_funding_sources'>;
    page: Answer<'list_project_funding_sources'>;
    bulkCreate: Body<'create_project_funding_sources_bulk'>['data'][number];
    bulkPatch: Body<'update_project_funding_sources_bulk'>['data'][number];
    bulkKey: Body<'delete_project_funding_sources_bulk'>['data'][number];
    bulkResult: Answer<'create_project_funding_sources_bulk'>;
    change: Answer<'list_project_funding_source_history'>['data'][number];
  }> {
    return this.below(projectId, 'funding-sources');
  }

  /** /v1/projects/{project_id}/links */
  links(projectId: string): Collection<{
    record: Answer<'get_project_link'>;
    create: Body<'create_project_link'>;
    patch: Body<'update_project_link'>;
    filters: Query<'list_project_links'>;
    page: Answer<'list_project_links'>;
    bulkCreate: Body<'create_project_links_bulk'>['data'][number];
    bulkPatch: Body<'update_project_links_bulk'>['data'][number];
    bulkKey: Body<'delete_project_links_bulk'>['data'][number];
    bulkResult: Answer<'create_project_links_bulk'>;
    change: Answer<'list_project_link_history'>['data'][number];
  }> {
    return this.below(projectId, 'links');
  }

  /** /v1/projects/{project_id}/phases */
  phases(projectId: string): Collection<{
    record: Answer<'get_project_phase'>;
    create: Body<'create_project_phase'>;
    patch: Body<'update_project_phase'>;
    filters: Query<'list_project_phases'>;
    page: Answer<'list_project_phases'>;
    bulkCreate: Body<'create_project_phases_bulk'>['data'][number];
    bulkPatch: Body<'update_project_phases_bulk'>['data'][number];
    bulkKey: Body<'delete_project_phases_bulk'>['data'][number];
    bulkResult: Answer<'create_project_phases_bulk'>;
    change: Answer<'list_project_phase_history'>['data'][number];
  }> {
    return this.below(projectId, 'phases');
  }
}

/** /v1/work-orders, and what is below one of them. */
export class WorkOrders extends Collection<{
  record: Answer<'get_work_order'>;
  create: Body<'create_work_order'>;
  patch: Body<'update_work_order'>;
  filters: Query<'list_work_orders'>;
  page: Answer<'list_work_orders'>;
  bulkCreate: Body<'create_work_orders_bulk'>['data'][number];
  bulkPatch: Body<'update_work_orders_bulk'>['data'][number];
  bulkKey: Body<'delete_work_orders_bulk'>['data'][number];
  bulkResult: Answer<'create_work_orders_bulk'>;
  change: Answer<'list_work_order_history'>['data'][number];
}> {
  /** /v1/work-orders/{work_order_id}/comments */
  comments(workOrderId: string): Collection<{
    record: Answer<'get_work_order_comment'>;
    create: Body<'create_work_order_comment'>;
    patch: Body<'update_work_order_comment'>;
    filters: Query<'list_work_order_comments'>;
    page: Answer<'list_work_order_comments'>;
    bulkCreate: Body<'create_work_order_comments_bulk'>['data'][number];
    bulkPatch: Body<'update_work_order_comments_bulk'>['data'][number];
    bulkKey: Body<'delete_work_order_comments_bulk'>['data'][number];
    bulkResult: Answer<'create_work_order_comments_bulk'>;
    change: Answer<'list_work_order_comment_history'>['data'][number];
  }> {
    return this.below(workOrderId, 'comments');
  }

  /** /v1/work-orders/{work_order_id}/costs */
  costs(workOrderId: string): Collection<{
    record: Answer<'get_work_order_cost'>;
    create: Body<'create_work_order_cost'>;
    patch: Body<'update_work_order_cost'>;
    filters: Query<'list_work_order_costs'>;
    page: Answer<'list_work_order_costs'>;
    bulkCreate: Body<'create_work_order_costs_bulk'>['data'][number];
    bulkPatch: Body<'update_work_order_costs_bulk'>['data'][number];
    bulkKey: Body<'delete_work_order_costs_bulk'>['data'][number];
    bulkResult: Answer<'create_work_order_costs_bulk'>;
    change: Answer<'list_work_order_cost_history'>['data'][number];
  }> {
    return this.below(workOrderId, 'costs');
  }

  /** /v1/work-orders/{work_order_id}/effects */
  effects(workOrderId: string): Collection<{
    record: Answer<'get_work_order_effect'>;
    create: Body<'create_work_order_effect'>;
    patch: Body<'update_work_order_effect'>;
    filters: Query<'list_work_order_effects'>;
    page: Answer<'list_work_order_effects'>;
    bulkCreate: Body<'create_work_order_effects_bulk'>['data'][number];
    bulkPatch: Body<'update_work_order_effects_bulk'>['data'][number];
    bulkKey: Body<'delete_work_order_effects_bulk'>['data'][number];
    bulkResult: Answer<'create_work_order_effects_bulk'>;
    change: Answer<'list_work_order_effect_history'>['data'][number];
  }> {
    return this.below(workOrderId, 'effects');
  }

  /** /v1/work-orders/{work_order_id}/targets */
  targets(workOrderId: string): Collection<{
    record: Answer<'get_work_order_target'>;
    create: Body<'create_work_order_target'>;
    patch: Body<'update_work_order_target'>;
    filters: Query<'list_work_order_targets'>;
    page: Answer<'list_work_order_targets'>;
    bulkCreate: Body<'create_work_order_targets_bulk'>['data'][number];
    bulkPatch: Body<'update_work_order_targets_bulk'>['data'][number];
    bulkKey: Body<'delete_work_order_targets_bulk'>['data'][number];
    bulkResult: Answer<'create_work_order_targets_bulk'>;
    change: Answer<'list_work_order_target_history'>['data'][number];
  }> {
    return this.below(workOrderId, 'targets');
  }

  /** /v1/work-orders/{work_order_id}/tasks */
  tasks(workOrderId: string): Collection<{
    record: Answer<'get_work_order_task'>;
    create: Body<'create_work_order_task'>;
    patch: Body<'update_work_order_task'>;
    filters: Query<'list_work_order_tasks'>;
    page: Answer<'list_work_order_tasks'>;
    bulkCreate: Body<'create_work_order_tasks_bulk'>['data'][number];
    bulkPatch: Body<'update_work_order_tasks_bulk'>['data'][number];
    bulkKey: Body<'delete_work_order_tasks_bulk'>['data'][number];
    bulkResult: Answer<'create_work_order_tasks_bulk'>;
    change: Answer<'list_work_order_task_history'>['data'][number];
  }> {
    return this.below(workOrderId, 'tasks');
  }
}

/** The collections of the API. */
export class Collections extends Transport {
  readonly capitalAssets = new CapitalAssets(this, '/v1/accounting/capital-assets');

  readonly capitalAssetClasses: Collection<{
    record: Answer<'get_capital_asset_class'>;
    create: Body<'create_capital_asset_class'>;
    patch: Body<'update_capital_asset_class'>;
    filters: Query<'list_capital_asset_classes'>;
    page: Answer<'list_capital_asset_classes'>;
    bulkCreate: Body<'create_capital_asset_classes_bulk'>['data'][number];
    bulkPatch: Body<'update_capital_asset_classes_bulk'>['data'][number];
    bulkKey: Body<'delete_capital_asset_classes_bulk'>['data'][number];
    bulkResult: Answer<'create_capital_asset_classes_bulk'>;
    change: Answer<'list_capital_asset_class_history'>['data'][number];
  }> = new Collection(this, '/v1/accounting/classes');

  readonly fiscalYears: Collection<{
    record: Answer<'get_fiscal_year'>;
    create: Body<'create_fiscal_year'>;
    patch: Body<'update_fiscal_year'>;
    filters: Query<'list_fiscal_years'>;
    page: Answer<'list_fiscal_years'>;
    bulkCreate: Body<'create_fiscal_years_bulk'>['data'][number];
    bulkPatch: Body<'update_fiscal_years_bulk'>['data'][number];
    bulkKey: Body<'delete_fiscal_years_bulk'>['data'][number];
    bulkResult: Answer<'create_fiscal_years_bulk'>;
    change: Answer<'list_fiscal_year_history'>['data'][number];
  }> = new Collection(this, '/v1/accounting/fiscal-years');

  readonly retirementObligations: Collection<{
    record: Answer<'get_retirement_obligation'>;
    create: Body<'create_retirement_obligation'>;
    patch: Body<'update_retirement_obligation'>;
    filters: Query<'list_retirement_obligations'>;
    page: Answer<'list_retirement_obligations'>;
    bulkCreate: Body<'create_retirement_obligations_bulk'>['data'][number];
    bulkPatch: Body<'update_retirement_obligations_bulk'>['data'][number];
    bulkKey: Body<'delete_retirement_obligations_bulk'>['data'][number];
    bulkResult: Answer<'create_retirement_obligations_bulk'>;
    change: Answer<'list_retirement_obligation_history'>['data'][number];
  }> = new Collection(this, '/v1/accounting/retirement-obligations');

  readonly capitalAssetTransactions: Collection<{
    record: Answer<'get_capital_asset_transaction'>;
    create: Body<'create_capital_asset_transaction'>;
    patch: never;
    filters: Query<'list_capital_asset_transactions'>;
    page: Answer<'list_capital_asset_transactions'>;
    bulkCreate: Body<'create_capital_asset_transactions_bulk'>['data'][number];
    bulkPatch: never;
    bulkKey: never;
    bulkResult: Answer<'create_capital_asset_transactions_bulk'>;
    change: Answer<'list_capital_asset_transaction_history'>['data'][number];
  }> = new Collection(this, '/v1/accounting/transactions');

  readonly assets = new Assets(this, '/v1/assets');

  readonly buildings: Collection<{
    record: Answer<'get_building'>;
    create: Body<'create_building'>;
    patch: Body<'update_building'>;
    filters: Query<'list_buildings'>;
    page: Answer<'list_buildings'>;
    bulkCreate: Body<'create_buildings_bulk'>['data'][number];
    bulkPatch: Body<'update_buildings_bulk'>['data'][number];
    bulkKey: Body<'delete_buildings_bulk'>['data'][number];
    bulkResult: Answer<'create_buildings_bulk'>;
    change: Answer<'list_building_history'>['data'][number];
  }> = new Collection(this, '/v1/buildings');

  readonly deficiencies: Collection<{
    record: Answer<'get_deficiency'>;
    create: Body<'create_deficiency'>;
    patch: Body<'update_deficiency'>;
    filters: Query<'list_deficiencies'>;
    page: Answer<'list_deficiencies'>;
    bulkCreate: Body<'create_deficiencies_bulk'>['data'][number];
    bulkPatch: Body<'update_deficiencies_bulk'>['data'][number];
    bulkKey: Body<'delete_deficiencies_bulk'>['data'][number];
    bulkResult: Answer<'create_deficiencies_bulk'>;
    change: Answer<'list_deficiency_history'>['data'][number];
  }> = new Collection(this, '/v1/deficiencies');

  readonly documents = new Documents(this, '/v1/documents');

  readonly formResponses: Collection<{
    record: Answer<'get_form_response'>;
    create: Body<'create_form_response'>;
    patch: Body<'update_form_response'>;
    filters: Query<'list_form_responses'>;
    page: Answer<'list_form_responses'>;
    bulkCreate: Body<'create_form_responses_bulk'>['data'][number];
    bulkPatch: Body<'update_form_responses_bulk'>['data'][number];
    bulkKey: Body<'delete_form_responses_bulk'>['data'][number];
    bulkResult: Answer<'create_form_responses_bulk'>;
    change: Answer<'list_form_response_history'>['data'][number];
  }> = new Collection(this, '/v1/forms/responses');

  readonly formTemplates: Collection<{
    record: Answer<'get_form_template'>;
    create: Body<'create_form_template'>;
    patch: Body<'update_form_template'>;
    filters: Query<'list_form_templates'>;
    page: Answer<'list_form_templates'>;
    bulkCreate: Body<'create_form_templates_bulk'>['data'][number];
    bulkPatch: Body<'update_form_templates_bulk'>['data'][number];
    bulkKey: Body<'delete_form_templates_bulk'>['data'][number];
    bulkResult: Answer<'create_form_templates_bulk'>;
    change: Answer<'list_form_template_history'>['data'][number];
  }> = new Collection(this, '/v1/forms/templates');

  readonly infrastructureDeficiencies: Collection<{
    record: Answer<'get_infrastructure_deficiency'>;
    create: Body<'create_infrastructure_deficiency'>;
    patch: Body<'update_infrastructure_deficiency'>;
    filters: Query<'list_infrastructure_deficiencies'>;
    page: Answer<'list_infrastructure_deficiencies'>;
    bulkCreate: Body<'create_infrastructure_deficiencies_bulk'>['data'][number];
    bulkPatch: Body<'update_infrastructure_deficiencies_bulk'>['data'][number];
    bulkKey: Body<'delete_infrastructure_deficiencies_bulk'>['data'][number];
    bulkResult: Answer<'create_infrastructure_deficiencies_bulk'>;
    change: Answer<'list_infrastructure_deficiency_history'>['data'][number];
  }> = new Collection(this, '/v1/infrastructure/deficiencies');

  readonly inspections: Collection<{
    record: Answer<'get_inspection'>;
    create: Body<'create_inspection'>;
    patch: Body<'update_inspection'>;
    filters: Query<'list_inspections'>;
    page: Answer<'list_inspections'>;
    bulkCreate: Body<'create_inspections_bulk'>['data'][number];
    bulkPatch: Body<'update_inspections_bulk'>['data'][number];
    bulkKey: Body<'delete_inspections_bulk'>['data'][number];
    bulkResult: Answer<'create_inspections_bulk'>;
    change: Answer<'list_inspection_history'>['data'][number];
  }> = new Collection(this, '/v1/infrastructure/inspections');

  readonly networks: Collection<{
    record: Answer<'get_network'>;
    create: Body<'create_network'>;
    patch: Body<'update_network'>;
    filters: Query<'list_networks'>;
    page: Answer<'list_networks'>;
    bulkCreate: Body<'create_networks_bulk'>['data'][number];
    bulkPatch: Body<'update_networks_bulk'>['data'][number];
    bulkKey: Body<'delete_networks_bulk'>['data'][number];
    bulkResult: Answer<'create_networks_bulk'>;
    change: Answer<'list_network_history'>['data'][number];
  }> = new Collection(this, '/v1/infrastructure/networks');

  readonly segments: Collection<{
    record: Answer<'get_segment'>;
    create: Body<'create_segment'>;
    patch: Body<'update_segment'>;
    filters: Query<'list_segments'>;
    page: Answer<'list_segments'>;
    bulkCreate: Body<'create_segments_bulk'>['data'][number];
    bulkPatch: Body<'update_segments_bulk'>['data'][number];
    bulkKey: Body<'delete_segments_bulk'>['data'][number];
    bulkResult: Answer<'create_segments_bulk'>;
    change: Answer<'list_segment_history'>['data'][number];
  }> = new Collection(this, '/v1/infrastructure/segments');

  readonly legalHolds: Collection<{
    record: Answer<'get_legal_hold'>;
    create: Body<'create_legal_hold'>;
    patch: Body<'update_legal_hold'>;
    filters: Query<'list_legal_holds'>;
    page: Answer<'list_legal_holds'>;
    bulkCreate: Body<'create_legal_holds_bulk'>['data'][number];
    bulkPatch: Body<'update_legal_holds_bulk'>['data'][number];
    bulkKey: Body<'delete_legal_holds_bulk'>['data'][number];
    bulkResult: Answer<'create_legal_holds_bulk'>;
    change: Answer<'list_legal_hold_history'>['data'][number];
  }> = new Collection(this, '/v1/legal-holds');

  readonly measurements: Collection<{
    record: Answer<'get_los_measurement'>;
    create: Body<'create_los_measurement'>;
    patch: Body<'update_los_measurement'>;
    filters: Query<'list_los_measurements'>;
    page: Answer<'list_los_measurements'>;
    bulkCreate: Body<'create_los_measurements_bulk'>['data'][number];
    bulkPatch: Body<'update_los_measurements_bulk'>['data'][number];
    bulkKey: Body<'delete_los_measurements_bulk'>['data'][number];
    bulkResult: Answer<'create_los_measurements_bulk'>;
    change: Answer<'list_los_measurement_history'>['data'][number];
  }> = new Collection(this, '/v1/los/measurements');

  readonly measures: Collection<{
    record: Answer<'get_los_measure'>;
    create: Body<'create_los_measure'>;
    patch: Body<'update_los_measure'>;
    filters: Query<'list_los_measures'>;
    page: Answer<'list_los_measures'>;
    bulkCreate: Body<'create_los_measures_bulk'>['data'][number];
    bulkPatch: Body<'update_los_measures_bulk'>['data'][number];
    bulkKey: Body<'delete_los_measures_bulk'>['data'][number];
    bulkResult: Answer<'create_los_measures_bulk'>;
    change: Answer<'list_los_measure_history'>['data'][number];
  }> = new Collection(this, '/v1/los/measures');

  readonly serviceAreas: Collection<{
    record: Answer<'get_los_service_area'>;
    create: Body<'create_los_service_area'>;
    patch: Body<'update_los_service_area'>;
    filters: Query<'list_los_service_areas'>;
    page: Answer<'list_los_service_areas'>;
    bulkCreate: Body<'create_los_service_areas_bulk'>['data'][number];
    bulkPatch: Body<'update_los_service_areas_bulk'>['data'][number];
    bulkKey: Body<'delete_los_service_areas_bulk'>['data'][number];
    bulkResult: Answer<'create_los_service_areas_bulk'>;
    change: Answer<'list_los_service_area_history'>['data'][number];
  }> = new Collection(this, '/v1/los/service-areas');

  readonly targets: Collection<{
    record: Answer<'get_los_target'>;
    create: Body<'create_los_target'>;
    patch: Body<'update_los_target'>;
    filters: Query<'list_los_targets'>;
    page: Answer<'list_los_targets'>;
    bulkCreate: Body<'create_los_targets_bulk'>['data'][number];
    bulkPatch: Body<'update_los_targets_bulk'>['data'][number];
    bulkKey: Body<'delete_los_targets_bulk'>['data'][number];
    bulkResult: Answer<'create_los_targets_bulk'>;
    change: Answer<'list_los_target_history'>['data'][number];
  }> = new Collection(this, '/v1/los/targets');

  readonly calendars: Collection<{
    record: Answer<'get_calendar'>;
    create: Body<'create_calendar'>;
    patch: Body<'update_calendar'>;
    filters: Query<'list_calendars'>;
    page: Answer<'list_calendars'>;
    bulkCreate: Body<'create_calendars_bulk'>['data'][number];
    bulkPatch: Body<'update_calendars_bulk'>['data'][number];
    bulkKey: Body<'delete_calendars_bulk'>['data'][number];
    bulkResult: Answer<'create_calendars_bulk'>;
    change: Answer<'list_calendar_history'>['data'][number];
  }> = new Collection(this, '/v1/maintenance/calendars');

  readonly jobPlans: Collection<{
    record: Answer<'get_job_plan'>;
    create: Body<'create_job_plan'>;
    patch: Body<'update_job_plan'>;
    filters: Query<'list_job_plans'>;
    page: Answer<'list_job_plans'>;
    bulkCreate: Body<'create_job_plans_bulk'>['data'][number];
    bulkPatch: Body<'update_job_plans_bulk'>['data'][number];
    bulkKey: Body<'delete_job_plans_bulk'>['data'][number];
    bulkResult: Answer<'create_job_plans_bulk'>;
    change: Answer<'list_job_plan_history'>['data'][number];
  }> = new Collection(this, '/v1/maintenance/job-plans');

  readonly pmPlans: Collection<{
    record: Answer<'get_pm_plan'>;
    create: Body<'create_pm_plan'>;
    patch: Body<'update_pm_plan'>;
    filters: Query<'list_pm_plans'>;
    page: Answer<'list_pm_plans'>;
    bulkCreate: Body<'create_pm_plans_bulk'>['data'][number];
    bulkPatch: Body<'update_pm_plans_bulk'>['data'][number];
    bulkKey: Body<'delete_pm_plans_bulk'>['data'][number];
    bulkResult: Answer<'create_pm_plans_bulk'>;
    change: Answer<'list_pm_plan_history'>['data'][number];
  }> = new Collection(this, '/v1/maintenance/pm-plans');

  readonly slaPolicies: Collection<{
    record: Answer<'get_sla_policy'>;
    create: Body<'create_sla_policy'>;
    patch: Body<'update_sla_policy'>;
    filters: Query<'list_sla_policies'>;
    page: Answer<'list_sla_policies'>;
    bulkCreate: Body<'create_sla_policies_bulk'>['data'][number];
    bulkPatch: Body<'update_sla_policies_bulk'>['data'][number];
    bulkKey: Body<'delete_sla_policies_bulk'>['data'][number];
    bulkResult: Answer<'create_sla_policies_bulk'>;
    change: Answer<'list_sla_policy_history'>['data'][number];
  }> = new Collection(this, '/v1/maintenance/sla-policies');

  readonly meters: Collection<{
    record: Answer<'get_meter'>;
    create: Body<'create_meter'>;
    patch: Body<'update_meter'>;
    filters: Query<'list_meters'>;
    page: Answer<'list_meters'>;
    bulkCreate: Body<'create_meters_bulk'>['data'][number];
    bulkPatch: Body<'update_meters_bulk'>['data'][number];
    bulkKey: Body<'delete_meters_bulk'>['data'][number];
    bulkResult: Answer<'create_meters_bulk'>;
    change: Answer<'list_meter_history'>['data'][number];
  }> = new Collection(this, '/v1/meters');

  readonly assetClasses: Collection<{
    record: Answer<'get_asset_class'>;
    create: Body<'create_asset_class'>;
    patch: Body<'update_asset_class'>;
    filters: Query<'list_asset_classes'>;
    page: Answer<'list_asset_classes'>;
    bulkCreate: Body<'create_asset_classes_bulk'>['data'][number];
    bulkPatch: Body<'update_asset_classes_bulk'>['data'][number];
    bulkKey: Body<'delete_asset_classes_bulk'>['data'][number];
    bulkResult: Answer<'create_asset_classes_bulk'>;
    change: Answer<'list_asset_class_history'>['data'][number];
  }> = new Collection(this, '/v1/planning/asset-classes');

  readonly deteriorationModels: Collection<{
    record: Answer<'get_deterioration_model'>;
    create: Body<'create_deterioration_model'>;
    patch: Body<'update_deterioration_model'>;
    filters: Query<'list_deterioration_models'>;
    page: Answer<'list_deterioration_models'>;
    bulkCreate: Body<'create_deterioration_models_bulk'>['data'][number];
    bulkPatch: Body<'update_deterioration_models_bulk'>['data'][number];
    bulkKey: Body<'delete_deterioration_models_bulk'>['data'][number];
    bulkResult: Answer<'create_deterioration_models_bulk'>;
    change: Answer<'list_deterioration_model_history'>['data'][number];
  }> = new Collection(this, '/v1/planning/deterioration-models');

  readonly inventories: Collection<{
    record: Answer<'get_planning_inventory'>;
    create: Body<'create_planning_inventory'>;
    patch: Body<'update_planning_inventory'>;
    filters: Query<'list_planning_inventories'>;
    page: Answer<'list_planning_inventories'>;
    bulkCreate: Body<'create_planning_inventories_bulk'>['data'][number];
    bulkPatch: Body<'update_planning_inventories_bulk'>['data'][number];
    bulkKey: Body<'delete_planning_inventories_bulk'>['data'][number];
    bulkResult: Answer<'create_planning_inventories_bulk'>;
    change: Answer<'list_planning_inventory_history'>['data'][number];
  }> = new Collection(this, '/v1/planning/inventories');

  readonly runs: Collection<{
    record: Answer<'get_planning_run'>;
    create: Body<'create_planning_run'>;
    patch: Body<'update_planning_run'>;
    filters: Query<'list_planning_runs'>;
    page: Answer<'list_planning_runs'>;
    bulkCreate: Body<'create_planning_runs_bulk'>['data'][number];
    bulkPatch: Body<'update_planning_runs_bulk'>['data'][number];
    bulkKey: Body<'delete_planning_runs_bulk'>['data'][number];
    bulkResult: Answer<'create_planning_runs_bulk'>;
    change: Answer<'list_planning_run_history'>['data'][number];
  }> = new Collection(this, '/v1/planning/runs');

  readonly scenarios: Collection<{
    record: Answer<'get_scenario'>;
    create: Body<'create_scenario'>;
    patch: Body<'update_scenario'>;
    filters: Query<'list_scenarios'>;
    page: Answer<'list_scenarios'>;
    bulkCreate: Body<'create_scenarios_bulk'>['data'][number];
    bulkPatch: Body<'update_scenarios_bulk'>['data'][number];
    bulkKey: Body<'delete_scenarios_bulk'>['data'][number];
    bulkResult: Answer<'create_scenarios_bulk'>;
    change: Answer<'list_scenario_history'>['data'][number];
  }> = new Collection(this, '/v1/planning/scenarios');

  readonly strategies: Collection<{
    record: Answer<'get_strategy'>;
    create: Body<'create_strategy'>;
    patch: Body<'update_strategy'>;
    filters: Query<'list_strategies'>;
    page: Answer<'list_strategies'>;
    bulkCreate: Body<'create_strategies_bulk'>['data'][number];
    bulkPatch: Body<'update_strategies_bulk'>['data'][number];
    bulkKey: Body<'delete_strategies_bulk'>['data'][number];
    bulkResult: Answer<'create_strategies_bulk'>;
    change: Answer<'list_strategy_history'>['data'][number];
  }> = new Collection(this, '/v1/planning/strategies');

  readonly treatments: Collection<{
    record: Answer<'get_treatment'>;
    create: Body<'create_treatment'>;
    patch: Body<'update_treatment'>;
    filters: Query<'list_treatments'>;
    page: Answer<'list_treatments'>;
    bulkCreate: Body<'create_treatments_bulk'>['data'][number];
    bulkPatch: Body<'update_treatments_bulk'>['data'][number];
    bulkKey: Body<'delete_treatments_bulk'>['data'][number];
    bulkResult: Answer<'create_treatments_bulk'>;
    change: Answer<'list_treatment_history'>['data'][number];
  }> = new Collection(this, '/v1/planning/treatments');

  readonly priceIndexes = new PriceIndexes(this, '/v1/price-indexes');

  readonly projects = new Projects(this, '/v1/projects');

  readonly requestLinks: Collection<{
    record: Answer<'get_request_link'>;
    create: Body<'create_request_link'>;
    patch: Body<'update_request_link'>;
    filters: Query<'list_request_links'>;
    page: Answer<'list_request_links'>;
    bulkCreate: Body<'create_request_links_bulk'>['data'][number];
    bulkPatch: Body<'update_request_links_bulk'>['data'][number];
    bulkKey: Body<'delete_request_links_bulk'>['data'][number];
    bulkResult: Answer<'create_request_links_bulk'>;
    change: Answer<'list_request_link_history'>['data'][number];
  }> = new Collection(this, '/v1/request-links');

  readonly requestServices: Collection<{
    record: Answer<'get_request_service'>;
    create: Body<'create_request_service'>;
    patch: Body<'update_request_service'>;
    filters: Query<'list_request_services'>;
    page: Answer<'list_request_services'>;
    bulkCreate: Body<'create_request_services_bulk'>['data'][number];
    bulkPatch: Body<'update_request_services_bulk'>['data'][number];
    bulkKey: Body<'delete_request_services_bulk'>['data'][number];
    bulkResult: Answer<'create_request_services_bulk'>;
    change: Answer<'list_request_service_history'>['data'][number];
  }> = new Collection(this, '/v1/request-services');

  readonly requests: Collection<{
    record: Answer<'get_request'>;
    create: Body<'create_request'>;
    patch: Body<'update_request'>;
    filters: Query<'list_requests'>;
    page: Answer<'list_requests'>;
    bulkCreate: Body<'create_requests_bulk'>['data'][number];
    bulkPatch: Body<'update_requests_bulk'>['data'][number];
    bulkKey: Body<'delete_requests_bulk'>['data'][number];
    bulkResult: Answer<'create_requests_bulk'>;
    change: Answer<'list_request_history'>['data'][number];
  }> = new Collection(this, '/v1/requests');

  readonly retentionClasses: Collection<{
    record: Answer<'get_retention_class'>;
    create: Body<'create_retention_class'>;
    patch: Body<'update_retention_class'>;
    filters: Query<'list_retention_classes'>;
    page: Answer<'list_retention_classes'>;
    bulkCreate: Body<'create_retention_classes_bulk'>['data'][number];
    bulkPatch: Body<'update_retention_classes_bulk'>['data'][number];
    bulkKey: Body<'delete_retention_classes_bulk'>['data'][number];
    bulkResult: Answer<'create_retention_classes_bulk'>;
    change: Answer<'list_retention_class_history'>['data'][number];
  }> = new Collection(this, '/v1/retention-classes');

  readonly sites: Collection<{
    record: Answer<'get_site'>;
    create: Body<'create_site'>;
    patch: Body<'update_site'>;
    filters: Query<'list_sites'>;
    page: Answer<'list_sites'>;
    bulkCreate: Body<'create_sites_bulk'>['data'][number];
    bulkPatch: Body<'update_sites_bulk'>['data'][number];
    bulkKey: Body<'delete_sites_bulk'>['data'][number];
    bulkResult: Answer<'create_sites_bulk'>;
    change: Answer<'list_site_history'>['data'][number];
  }> = new Collection(this, '/v1/sites');

  readonly systems: Collection<{
    record: Answer<'get_system'>;
    create: Body<'create_system'>;
    patch: Body<'update_system'>;
    filters: Query<'list_systems'>;
    page: Answer<'list_systems'>;
    bulkCreate: Body<'create_systems_bulk'>['data'][number];
    bulkPatch: Body<'update_systems_bulk'>['data'][number];
    bulkKey: Body<'delete_systems_bulk'>['data'][number];
    bulkResult: Answer<'create_systems_bulk'>;
    change: Answer<'list_system_history'>['data'][number];
  }> = new Collection(this, '/v1/systems');

  readonly teams: Collection<{
    record: Answer<'get_team'>;
    create: Body<'create_team'>;
    patch: Body<'update_team'>;
    filters: Query<'list_teams'>;
    page: Answer<'list_teams'>;
    bulkCreate: Body<'create_teams_bulk'>['data'][number];
    bulkPatch: Body<'update_teams_bulk'>['data'][number];
    bulkKey: Body<'delete_teams_bulk'>['data'][number];
    bulkResult: Answer<'create_teams_bulk'>;
    change: Answer<'list_team_history'>['data'][number];
  }> = new Collection(this, '/v1/teams');

  readonly users: Collection<{
    record: Answer<'get_user'>;
    create: Body<'create_user'>;
    patch: Body<'update_user'>;
    filters: Query<'list_users'>;
    page: Answer<'list_users'>;
    bulkCreate: Body<'create_users_bulk'>['data'][number];
    bulkPatch: Body<'update_users_bulk'>['data'][number];
    bulkKey: Body<'delete_users_bulk'>['data'][number];
    bulkResult: Answer<'create_users_bulk'>;
    change: Answer<'list_user_history'>['data'][number];
  }> = new Collection(this, '/v1/users');

  readonly vendors: Collection<{
    record: Answer<'get_vendor'>;
    create: Body<'create_vendor'>;
    patch: Body<'update_vendor'>;
    filters: Query<'list_vendors'>;
    page: Answer<'list_vendors'>;
    bulkCreate: Body<'create_vendors_bulk'>['data'][number];
    bulkPatch: Body<'update_vendors_bulk'>['data'][number];
    bulkKey: Body<'delete_vendors_bulk'>['data'][number];
    bulkResult: Answer<'create_vendors_bulk'>;
    change: Answer<'list_vendor_history'>['data'][number];
  }> = new Collection(this, '/v1/vendors');

  readonly webhookEndpoints: Collection<{
    record: Answer<'get_webhook_endpoint'>;
    create: Body<'create_webhook_endpoint'>;
    patch: Body<'update_webhook_endpoint'>;
    filters: Query<'list_webhook_endpoints'>;
    page: Answer<'list_webhook_endpoints'>;
    bulkCreate: Body<'create_webhook_endpoints_bulk'>['data'][number];
    bulkPatch: Body<'update_webhook_endpoints_bulk'>['data'][number];
    bulkKey: Body<'delete_webhook_endpoints_bulk'>['data'][number];
    bulkResult: Answer<'create_webhook_endpoints_bulk'>;
    change: Answer<'list_webhook_endpoint_history'>['data'][number];
  }> = new Collection(this, '/v1/webhook-endpoints');

  readonly workOrders = new WorkOrders(this, '/v1/work-orders');
}
