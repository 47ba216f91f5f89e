"""The records and bodies of the API by name.

Made by "make clients" from deploy/clients/openapi.json: do not edit.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict


class Allocation(TypedDict):
    #: Its cost, which the amounts add up to.
    actual_cost: float
    #: Currency of every amount.
    currency: str
    #: The targets, in their order. Of a work order without targets it is the one thing that it names; none where it names
    #: nothing.
    data: list[AllocationTarget]
    #: The work order.
    work_order_id: str


class AllocationTarget(TypedDict):
    #: Its part of the cost: actual_cost × share ÷ the sum of all shares.
    amount: float
    #: Its share.
    share: float
    #: The target.
    target_id: str
    #: What target_id is of.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment']


class AppliedLosTemplateSkippedMeasuresItem(TypedDict):
    id: str
    name: str
    regulation_ref: str | None


class AppliedLosTemplate(TypedDict):
    created: int
    #: The measures that were made.
    data: list[Measure]
    service_area_id: str
    skipped: int
    #: The measures that were there, left as they are.
    skipped_measures: list[AppliedLosTemplateSkippedMeasuresItem]
    template: str


class AppliedMaintenancePreset(TypedDict):
    #: The form, of a preset that has one.
    form_template_id: str | None
    #: What is done, one for each plan.
    job_plan_ids: list[str]
    #: The plans, all drafts: look at them, then make them active.
    pm_plan_ids: list[str]
    preset: str


class AssetBuilding(TypedDict):
    """With expand=building."""

    id: str
    name: str


class AssetCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class AssetParentAsset(TypedDict):
    """With expand=parent_asset."""

    id: str
    name: str


class AssetResponsibleUser(TypedDict):
    """With expand=responsible_user."""

    id: str
    name: str


class AssetSite(TypedDict):
    """With expand=site."""

    id: str
    name: str


class AssetSystem(TypedDict):
    """With expand=system."""

    id: str
    name: str


class AssetUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _AssetRequired(TypedDict):
    #: Historical cost (PSAB PS 3150); never mixed with replacement_cost.
    acquisition_cost: float | None
    #: Day of acquisition, from which it is amortized.
    acquisition_date: str | None
    #: Age today, to one decimal. A year alone counts from 1 July.
    age_years: float | None
    #: How the historical cost is written down; none is for land.
    amortization_method: Literal['straight_line', 'none']
    #: The tag on the asset; numbered when left out.
    asset_tag: str | None
    #: Its bar code.
    barcode: str | None
    #: The building. Follows from system_id.
    building_id: str | None
    #: Kind of system. Left out on create, it follows from uniformat_code.
    category: Literal['substructure', 'shell', 'interiors', 'plumbing', 'hvac', 'fire_protection', 'electrical', 'conveying', 'controls', 'equipment_furnishings', 'special_construction', 'sitework', 'other'] | None
    #: Day of the statement that condition_rating comes from. With condition_rating: the day of that rating, not in the future;
    #: left out, or the same as before, today.
    condition_assessed_on: str | None
    #: The word for condition_rating.
    condition_grade: Literal['very_good', 'good', 'fair', 'poor', 'very_poor'] | None
    #: How condition_rating was found out. With condition_rating: how that rating was; left out, or the same as before without a
    #: new day, reported. An assessment outweighs what is reported or age_based for five years.
    condition_method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported'] | None
    #: Condition from 1 (very good) to 5 (very poor).
    condition_rating: int | None
    #: The condition assessment that condition_rating comes from; what is reported on the asset is kept as one.
    condition_source_id: str | None
    #: From 1 (negligible) to 5 (catastrophic).
    consequence_of_failure: int | None
    created_at: str
    created_by: AssetCreatedBy
    #: Currency of every amount of money in the record.
    currency: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: Day of the statement that deferred_maintenance_cost comes from, not in the future. Left out with a cost: 1 January of
    #: replacement_cost_year on create, today on a change.
    deferred_maintenance_as_of: str | None
    #: What deferred_maintenance_cost comes from: typed on the record or said by an assessment, or its deficiencies; null where it
    #: is not known.
    deferred_maintenance_basis: Literal['typed', 'deficiencies'] | None
    #: Maintenance that is due and was put off. Once the record has a deficiency that is not void, it is what its live
    #: deficiencies that count cost by this year, and cannot be typed.
    deferred_maintenance_cost: float | None
    #: Live deficiencies of the record that count by this year, and of which nobody knows the cost.
    deficiencies_without_cost: int
    #: What the asset is.
    description: str | None
    #: What its disposal brought in.
    disposal_proceeds: float | None
    #: Day of disposal, not in the future and not before acquisition or installation; required when status is disposed.
    disposed_on: str | None
    #: How long it is expected to last from installation.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: Day of installation.
    install_date: str | None
    #: Year of installation, for where the day is not known. Follows install_date.
    install_year: int | None
    #: Where in the building or on the site.
    location: str | None
    #: Who made it.
    manufacturer: str | None
    #: Last reading of its meter as it was typed, in meter_unit. Nothing is computed from it: use /v1/meters.
    meter_reading: float | None
    #: What the meter counts.
    meter_unit: str | None
    #: The manufacturer's model.
    model: str | None
    #: What people call the asset.
    name: str
    #: Historical cost less amortization up to today or to disposal (PSAB PS 3150).
    net_book_value: float | None
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: The asset it is a part of. Assets nest at most 10 levels.
    parent_asset_id: str | None
    #: Whether the expected useful life is over; null where age or expected life is not known.
    past_useful_life: bool | None
    #: The year in which its renewal is planned.
    planned_renewal_year: int | None
    #: From 1 (rare) to 5 (almost certain). Empty: the condition rating is taken.
    probability_of_failure: int | None
    #: How many or how much, in unit.
    quantity: float | None
    #: Expected useful life less age; negative once it is over.
    remaining_life_years: float | None
    #: What replacing it like for like costs today.
    replacement_cost: float | None
    #: Day of the statement that replacement_cost comes from, not in the future. Left out with a cost: 1 January of
    #: replacement_cost_year on create, today on a change.
    replacement_cost_as_of: str | None
    #: The year whose prices replacement_cost is in.
    replacement_cost_year: int | None
    #: The last rating that was reported or concluded from the age, also where an assessment outweighs it.
    reported_condition_rating: int | None
    #: What it is expected to be worth at the end of its life; at most acquisition_cost.
    residual_value: float | None
    #: The user who is responsible for it.
    responsible_user_id: str | None
    #: 1–4 very_low, 5–7 low, 8–9 moderate, 10–14 high, 15–25 very_high.
    risk_level: Literal['very_low', 'low', 'moderate', 'high', 'very_high'] | None
    #: Probability times consequence of failure, 1 to 25.
    risk_score: int | None
    #: The manufacturer's serial number.
    serial_number: str | None
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: The site. Follows from building_id and system_id. As a filter: with everything in the site's buildings.
    site_id: str | None
    #: planned → in_service, disposed; in_service → out_of_service, decommissioned; out_of_service → in_service, decommissioned;
    #: decommissioned → disposed, in_service; disposed is final.
    status: Literal['planned', 'in_service', 'out_of_service', 'decommissioned', 'disposed']
    #: The system it is part of.
    system_id: str | None
    #: Labels of your own.
    tags: list[str]
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    #: What quantity counts.
    unit: str | None
    updated_at: str
    updated_by: AssetUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int
    #: Last day of the warranty.
    warranty_expires_on: str | None


class Asset(_AssetRequired, total=False):
    #: With expand=building.
    building: AssetBuilding | None
    #: With expand=parent_asset.
    parent_asset: AssetParentAsset | None
    #: With expand=responsible_user.
    responsible_user: AssetResponsibleUser | None
    #: With expand=site.
    site: AssetSite | None
    #: With expand=system.
    system: AssetSystem | None


class AssetBulkCreate(TypedDict):
    data: list[AssetBulkCreateRow]


class _AssetBulkCreateRowRequired(TypedDict):
    #: What people call the asset.
    name: str


class AssetBulkCreateRow(_AssetBulkCreateRowRequired, total=False):
    #: Historical cost (PSAB PS 3150); never mixed with replacement_cost.
    acquisition_cost: float | None
    #: Day of acquisition, from which it is amortized.
    acquisition_date: str | None
    #: How the historical cost is written down; none is for land.
    amortization_method: Literal['straight_line', 'none'] | None
    #: The tag on the asset; numbered when left out.
    asset_tag: str | None
    #: Its bar code.
    barcode: str | None
    #: The building. Follows from system_id.
    building_id: str | None
    #: Kind of system. Left out on create, it follows from uniformat_code.
    category: Literal['substructure', 'shell', 'interiors', 'plumbing', 'hvac', 'fire_protection', 'electrical', 'conveying', 'controls', 'equipment_furnishings', 'special_construction', 'sitework', 'other'] | None
    #: Day of the statement that condition_rating comes from. With condition_rating: the day of that rating, not in the future;
    #: left out, or the same as before, today.
    condition_assessed_on: str | None
    #: How condition_rating was found out. With condition_rating: how that rating was; left out, or the same as before without a
    #: new day, reported. An assessment outweighs what is reported or age_based for five years.
    condition_method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported'] | None
    #: Condition from 1 (very good) to 5 (very poor).
    condition_rating: int | None
    #: From 1 (negligible) to 5 (catastrophic).
    consequence_of_failure: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Day of the statement that deferred_maintenance_cost comes from, not in the future. Left out with a cost: 1 January of
    #: replacement_cost_year on create, today on a change.
    deferred_maintenance_as_of: str | None
    #: Maintenance that is due and was put off. Once the record has a deficiency that is not void, it is what its live
    #: deficiencies that count cost by this year, and cannot be typed.
    deferred_maintenance_cost: float | None
    #: What the asset is.
    description: str | None
    #: What its disposal brought in.
    disposal_proceeds: float | None
    #: Day of disposal, not in the future and not before acquisition or installation; required when status is disposed.
    disposed_on: str | None
    #: How long it is expected to last from installation.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day of installation.
    install_date: str | None
    #: Year of installation, for where the day is not known. Follows install_date.
    install_year: int | None
    #: Where in the building or on the site.
    location: str | None
    #: Who made it.
    manufacturer: str | None
    #: Last reading of its meter as it was typed, in meter_unit. Nothing is computed from it: use /v1/meters.
    meter_reading: float | None
    #: What the meter counts.
    meter_unit: str | None
    #: The manufacturer's model.
    model: str | None
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: The asset it is a part of. Assets nest at most 10 levels.
    parent_asset_id: str | None
    #: The year in which its renewal is planned.
    planned_renewal_year: int | None
    #: From 1 (rare) to 5 (almost certain). Empty: the condition rating is taken.
    probability_of_failure: int | None
    #: How many or how much, in unit.
    quantity: float | None
    #: What replacing it like for like costs today.
    replacement_cost: float | None
    #: Day of the statement that replacement_cost comes from, not in the future. Left out with a cost: 1 January of
    #: replacement_cost_year on create, today on a change.
    replacement_cost_as_of: str | None
    #: The year whose prices replacement_cost is in.
    replacement_cost_year: int | None
    #: What it is expected to be worth at the end of its life; at most acquisition_cost.
    residual_value: float | None
    #: The user who is responsible for it.
    responsible_user_id: str | None
    #: The manufacturer's serial number.
    serial_number: str | None
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: The site. Follows from building_id and system_id. As a filter: with everything in the site's buildings.
    site_id: str | None
    #: planned → in_service, disposed; in_service → out_of_service, decommissioned; out_of_service → in_service, decommissioned;
    #: decommissioned → disposed, in_service; disposed is final.
    status: Literal['planned', 'in_service', 'out_of_service', 'decommissioned', 'disposed'] | None
    #: The system it is part of.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    #: What quantity counts.
    unit: str | None
    #: Last day of the warranty.
    warranty_expires_on: str | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: In place of parent_asset_id: the external_id of that record, which may be of an earlier row.
    parent_asset_external_id: str | None
    #: In place of responsible_user_id: the external_id of that record, which may be of an earlier row.
    responsible_user_external_id: str | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None
    #: In place of system_id: the external_id of that record, which may be of an earlier row.
    system_external_id: str | None


class AssetBulkDelete(TypedDict):
    data: list[AssetBulkDeleteRow]


class AssetBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: The tag on the asset; numbered when left out.
    asset_tag: str | None


class AssetBulkPatch(TypedDict):
    data: list[AssetBulkPatchRow]


class AssetBulkPatchRow(TypedDict, total=False):
    #: Historical cost (PSAB PS 3150); never mixed with replacement_cost.
    acquisition_cost: float | None
    #: Day of acquisition, from which it is amortized.
    acquisition_date: str | None
    #: How the historical cost is written down; none is for land.
    amortization_method: Literal['straight_line', 'none'] | None
    #: The tag on the asset; numbered when left out.
    asset_tag: str | None
    #: Its bar code.
    barcode: str | None
    #: The building. Follows from system_id.
    building_id: str | None
    #: Kind of system. Left out on create, it follows from uniformat_code.
    category: Literal['substructure', 'shell', 'interiors', 'plumbing', 'hvac', 'fire_protection', 'electrical', 'conveying', 'controls', 'equipment_furnishings', 'special_construction', 'sitework', 'other'] | None
    #: Day of the statement that condition_rating comes from. With condition_rating: the day of that rating, not in the future;
    #: left out, or the same as before, today.
    condition_assessed_on: str | None
    #: How condition_rating was found out. With condition_rating: how that rating was; left out, or the same as before without a
    #: new day, reported. An assessment outweighs what is reported or age_based for five years.
    condition_method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported'] | None
    #: Condition from 1 (very good) to 5 (very poor).
    condition_rating: int | None
    #: From 1 (negligible) to 5 (catastrophic).
    consequence_of_failure: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Day of the statement that deferred_maintenance_cost comes from, not in the future. Left out with a cost: 1 January of
    #: replacement_cost_year on create, today on a change.
    deferred_maintenance_as_of: str | None
    #: Maintenance that is due and was put off. Once the record has a deficiency that is not void, it is what its live
    #: deficiencies that count cost by this year, and cannot be typed.
    deferred_maintenance_cost: float | None
    #: What the asset is.
    description: str | None
    #: What its disposal brought in.
    disposal_proceeds: float | None
    #: Day of disposal, not in the future and not before acquisition or installation; required when status is disposed.
    disposed_on: str | None
    #: How long it is expected to last from installation.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day of installation.
    install_date: str | None
    #: Year of installation, for where the day is not known. Follows install_date.
    install_year: int | None
    #: Where in the building or on the site.
    location: str | None
    #: Who made it.
    manufacturer: str | None
    #: Last reading of its meter as it was typed, in meter_unit. Nothing is computed from it: use /v1/meters.
    meter_reading: float | None
    #: What the meter counts.
    meter_unit: str | None
    #: The manufacturer's model.
    model: str | None
    #: What people call the asset.
    name: str
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: The asset it is a part of. Assets nest at most 10 levels.
    parent_asset_id: str | None
    #: The year in which its renewal is planned.
    planned_renewal_year: int | None
    #: From 1 (rare) to 5 (almost certain). Empty: the condition rating is taken.
    probability_of_failure: int | None
    #: How many or how much, in unit.
    quantity: float | None
    #: What replacing it like for like costs today.
    replacement_cost: float | None
    #: Day of the statement that replacement_cost comes from, not in the future. Left out with a cost: 1 January of
    #: replacement_cost_year on create, today on a change.
    replacement_cost_as_of: str | None
    #: The year whose prices replacement_cost is in.
    replacement_cost_year: int | None
    #: What it is expected to be worth at the end of its life; at most acquisition_cost.
    residual_value: float | None
    #: The user who is responsible for it.
    responsible_user_id: str | None
    #: The manufacturer's serial number.
    serial_number: str | None
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: The site. Follows from building_id and system_id. As a filter: with everything in the site's buildings.
    site_id: str | None
    #: planned → in_service, disposed; in_service → out_of_service, decommissioned; out_of_service → in_service, decommissioned;
    #: decommissioned → disposed, in_service; disposed is final.
    status: Literal['planned', 'in_service', 'out_of_service', 'decommissioned', 'disposed'] | None
    #: The system it is part of.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    #: What quantity counts.
    unit: str | None
    #: Last day of the warranty.
    warranty_expires_on: str | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: Of the record. Left out: external_id, else asset_tag, names it.
    id: str
    #: In place of parent_asset_id: the external_id of that record, which may be of an earlier row.
    parent_asset_external_id: str | None
    #: In place of responsible_user_id: the external_id of that record, which may be of an earlier row.
    responsible_user_external_id: str | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None
    #: In place of system_id: the external_id of that record, which may be of an earlier row.
    system_external_id: str | None


class AssetBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Asset]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _AssetEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class AssetEventActor(_AssetEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class AssetEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Asset


class _AssetEventRequired(TypedDict):
    #: Who did it.
    actor: AssetEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: AssetEventData
    type: Literal['asset.created', 'asset.updated', 'asset.deleted', 'asset.condition_changed']


class AssetEvent(_AssetEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


AssetExpansion: TypeAlias = "Literal['site', 'building', 'system', 'parent_asset', 'responsible_user']"


AssetField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'name', 'asset_tag', 'barcode', 'serial_number', 'description', 'notes', 'uniformat_code', 'category', 'site_id', 'building_id', 'system_id', 'parent_asset_id', 'location', 'status', 'manufacturer', 'model', 'quantity', 'unit', 'install_date', 'install_year', 'expected_useful_life_years', 'replacement_cost', 'replacement_cost_year', 'deferred_maintenance_cost', 'planned_renewal_year', 'condition_rating', 'deferred_maintenance_basis', 'deficiencies_without_cost', 'condition_grade', 'age_years', 'remaining_life_years', 'past_useful_life', 'currency', 'out_of_use_on', 'service_category', 'warranty_expires_on', 'acquisition_cost', 'acquisition_date', 'residual_value', 'amortization_method', 'net_book_value', 'disposed_on', 'disposal_proceeds', 'condition_assessed_on', 'condition_method', 'condition_source_id', 'reported_condition_rating', 'replacement_cost_as_of', 'deferred_maintenance_as_of', 'probability_of_failure', 'consequence_of_failure', 'risk_score', 'risk_level', 'responsible_user_id', 'meter_reading', 'meter_unit']"


class _AssetListRequired(TypedDict):
    data: list[Asset]
    pagination: Pagination


class AssetList(_AssetListRequired, total=False):
    search: SearchCorrections


class AssetPatch(TypedDict, total=False):
    #: Historical cost (PSAB PS 3150); never mixed with replacement_cost.
    acquisition_cost: float | None
    #: Day of acquisition, from which it is amortized.
    acquisition_date: str | None
    #: How the historical cost is written down; none is for land.
    amortization_method: Literal['straight_line', 'none'] | None
    #: The tag on the asset; numbered when left out.
    asset_tag: str | None
    #: Its bar code.
    barcode: str | None
    #: The building. Follows from system_id.
    building_id: str | None
    #: Kind of system. Left out on create, it follows from uniformat_code.
    category: Literal['substructure', 'shell', 'interiors', 'plumbing', 'hvac', 'fire_protection', 'electrical', 'conveying', 'controls', 'equipment_furnishings', 'special_construction', 'sitework', 'other'] | None
    #: Day of the statement that condition_rating comes from. With condition_rating: the day of that rating, not in the future;
    #: left out, or the same as before, today.
    condition_assessed_on: str | None
    #: How condition_rating was found out. With condition_rating: how that rating was; left out, or the same as before without a
    #: new day, reported. An assessment outweighs what is reported or age_based for five years.
    condition_method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported'] | None
    #: Condition from 1 (very good) to 5 (very poor).
    condition_rating: int | None
    #: From 1 (negligible) to 5 (catastrophic).
    consequence_of_failure: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Day of the statement that deferred_maintenance_cost comes from, not in the future. Left out with a cost: 1 January of
    #: replacement_cost_year on create, today on a change.
    deferred_maintenance_as_of: str | None
    #: Maintenance that is due and was put off. Once the record has a deficiency that is not void, it is what its live
    #: deficiencies that count cost by this year, and cannot be typed.
    deferred_maintenance_cost: float | None
    #: What the asset is.
    description: str | None
    #: What its disposal brought in.
    disposal_proceeds: float | None
    #: Day of disposal, not in the future and not before acquisition or installation; required when status is disposed.
    disposed_on: str | None
    #: How long it is expected to last from installation.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day of installation.
    install_date: str | None
    #: Year of installation, for where the day is not known. Follows install_date.
    install_year: int | None
    #: Where in the building or on the site.
    location: str | None
    #: Who made it.
    manufacturer: str | None
    #: Last reading of its meter as it was typed, in meter_unit. Nothing is computed from it: use /v1/meters.
    meter_reading: float | None
    #: What the meter counts.
    meter_unit: str | None
    #: The manufacturer's model.
    model: str | None
    #: What people call the asset.
    name: str
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: The asset it is a part of. Assets nest at most 10 levels.
    parent_asset_id: str | None
    #: The year in which its renewal is planned.
    planned_renewal_year: int | None
    #: From 1 (rare) to 5 (almost certain). Empty: the condition rating is taken.
    probability_of_failure: int | None
    #: How many or how much, in unit.
    quantity: float | None
    #: What replacing it like for like costs today.
    replacement_cost: float | None
    #: Day of the statement that replacement_cost comes from, not in the future. Left out with a cost: 1 January of
    #: replacement_cost_year on create, today on a change.
    replacement_cost_as_of: str | None
    #: The year whose prices replacement_cost is in.
    replacement_cost_year: int | None
    #: What it is expected to be worth at the end of its life; at most acquisition_cost.
    residual_value: float | None
    #: The user who is responsible for it.
    responsible_user_id: str | None
    #: The manufacturer's serial number.
    serial_number: str | None
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: The site. Follows from building_id and system_id. As a filter: with everything in the site's buildings.
    site_id: str | None
    #: planned → in_service, disposed; in_service → out_of_service, decommissioned; out_of_service → in_service, decommissioned;
    #: decommissioned → disposed, in_service; disposed is final.
    status: Literal['planned', 'in_service', 'out_of_service', 'decommissioned', 'disposed'] | None
    #: The system it is part of.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    #: What quantity counts.
    unit: str | None
    #: Last day of the warranty.
    warranty_expires_on: str | None


AssetSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'asset_tag', '-asset_tag', 'barcode', '-barcode', 'serial_number', '-serial_number', 'uniformat_code', '-uniformat_code', 'category', '-category', 'status', '-status', 'manufacturer', '-manufacturer', 'model', '-model', 'install_date', '-install_date', 'install_year', '-install_year', 'replacement_cost', '-replacement_cost', 'deferred_maintenance_cost', '-deferred_maintenance_cost', 'planned_renewal_year', '-planned_renewal_year', 'condition_rating', '-condition_rating', 'age_years', '-age_years', 'remaining_life_years', '-remaining_life_years', 'out_of_use_on', '-out_of_use_on', 'service_category', '-service_category', 'warranty_expires_on', '-warranty_expires_on', 'acquisition_cost', '-acquisition_cost', 'acquisition_date', '-acquisition_date', 'disposed_on', '-disposed_on', 'condition_assessed_on', '-condition_assessed_on', 'condition_method', '-condition_method', 'reported_condition_rating', '-reported_condition_rating', 'replacement_cost_as_of', '-replacement_cost_as_of', 'deferred_maintenance_as_of', '-deferred_maintenance_as_of', 'risk_score', '-risk_score', 'relevance']"


class _AssetWriteRequired(TypedDict):
    #: What people call the asset.
    name: str


class AssetWrite(_AssetWriteRequired, total=False):
    #: Historical cost (PSAB PS 3150); never mixed with replacement_cost.
    acquisition_cost: float | None
    #: Day of acquisition, from which it is amortized.
    acquisition_date: str | None
    #: How the historical cost is written down; none is for land. Left out: "straight_line".
    amortization_method: Literal['straight_line', 'none'] | None
    #: The tag on the asset; numbered when left out.
    asset_tag: str | None
    #: Its bar code.
    barcode: str | None
    #: The building. Follows from system_id.
    building_id: str | None
    #: Kind of system. Left out on create, it follows from uniformat_code.
    category: Literal['substructure', 'shell', 'interiors', 'plumbing', 'hvac', 'fire_protection', 'electrical', 'conveying', 'controls', 'equipment_furnishings', 'special_construction', 'sitework', 'other'] | None
    #: Day of the statement that condition_rating comes from. With condition_rating: the day of that rating, not in the future;
    #: left out, or the same as before, today.
    condition_assessed_on: str | None
    #: How condition_rating was found out. With condition_rating: how that rating was; left out, or the same as before without a
    #: new day, reported. An assessment outweighs what is reported or age_based for five years.
    condition_method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported'] | None
    #: Condition from 1 (very good) to 5 (very poor).
    condition_rating: int | None
    #: From 1 (negligible) to 5 (catastrophic).
    consequence_of_failure: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Day of the statement that deferred_maintenance_cost comes from, not in the future. Left out with a cost: 1 January of
    #: replacement_cost_year on create, today on a change.
    deferred_maintenance_as_of: str | None
    #: Maintenance that is due and was put off. Once the record has a deficiency that is not void, it is what its live
    #: deficiencies that count cost by this year, and cannot be typed.
    deferred_maintenance_cost: float | None
    #: What the asset is.
    description: str | None
    #: What its disposal brought in.
    disposal_proceeds: float | None
    #: Day of disposal, not in the future and not before acquisition or installation; required when status is disposed.
    disposed_on: str | None
    #: How long it is expected to last from installation.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day of installation.
    install_date: str | None
    #: Year of installation, for where the day is not known. Follows install_date.
    install_year: int | None
    #: Where in the building or on the site.
    location: str | None
    #: Who made it.
    manufacturer: str | None
    #: Last reading of its meter as it was typed, in meter_unit. Nothing is computed from it: use /v1/meters.
    meter_reading: float | None
    #: What the meter counts.
    meter_unit: str | None
    #: The manufacturer's model.
    model: str | None
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: The asset it is a part of. Assets nest at most 10 levels.
    parent_asset_id: str | None
    #: The year in which its renewal is planned.
    planned_renewal_year: int | None
    #: From 1 (rare) to 5 (almost certain). Empty: the condition rating is taken.
    probability_of_failure: int | None
    #: How many or how much, in unit.
    quantity: float | None
    #: What replacing it like for like costs today.
    replacement_cost: float | None
    #: Day of the statement that replacement_cost comes from, not in the future. Left out with a cost: 1 January of
    #: replacement_cost_year on create, today on a change.
    replacement_cost_as_of: str | None
    #: The year whose prices replacement_cost is in.
    replacement_cost_year: int | None
    #: What it is expected to be worth at the end of its life; at most acquisition_cost.
    residual_value: float | None
    #: The user who is responsible for it.
    responsible_user_id: str | None
    #: The manufacturer's serial number.
    serial_number: str | None
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: The site. Follows from building_id and system_id. As a filter: with everything in the site's buildings.
    site_id: str | None
    #: planned → in_service, disposed; in_service → out_of_service, decommissioned; out_of_service → in_service, decommissioned;
    #: decommissioned → disposed, in_service; disposed is final. Left out: "in_service".
    status: Literal['planned', 'in_service', 'out_of_service', 'decommissioned', 'disposed'] | None
    #: The system it is part of.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    #: What quantity counts.
    unit: str | None
    #: Last day of the warranty.
    warranty_expires_on: str | None


class BudgetLineCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class BudgetLineProject(TypedDict):
    """With expand=project."""

    id: str
    name: str


class BudgetLineUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _BudgetLineRequired(TypedDict):
    #: The account in the general ledger.
    account_code: str | None
    #: What was spent.
    actual_amount: float
    #: What may be spent.
    budget_amount: float
    #: What the money is for; a project has one line per fiscal year and category.
    category: Literal['planning', 'design', 'land', 'construction', 'equipment', 'contract_admin', 'contingency', 'other']
    #: Contracts and purchase orders given out and not yet paid; no part of actual_amount.
    committed_amount: float
    created_at: str
    created_by: BudgetLineCreatedBy
    #: Currency of every amount of money in the record.
    currency: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Fiscal year, by the calendar year it begins in.
    fiscal_year: int
    #: What is expected to be spent in the end. Left out, the project's forecast takes the budget.
    forecast_amount: float | None
    #: Made by the service (UUID version 7).
    id: str
    #: Remarks for colleagues.
    notes: str | None
    #: The project.
    project_id: str
    #: budget_amount less committed_amount and actual_amount: what is still free to be spent.
    remaining: float
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: BudgetLineUpdatedBy
    #: budget_amount less forecast_amount. Negative where it is expected to cost more than budgeted.
    variance: float | None
    #: Grows by one with every change; the ETag.
    version: int


class BudgetLine(_BudgetLineRequired, total=False):
    #: With expand=project.
    project: BudgetLineProject | None


class BudgetLineBulkCreate(TypedDict):
    data: list[BudgetLineBulkCreateRow]


class _BudgetLineBulkCreateRowRequired(TypedDict):
    #: What the money is for; a project has one line per fiscal year and category.
    category: Literal['planning', 'design', 'land', 'construction', 'equipment', 'contract_admin', 'contingency', 'other']
    #: Fiscal year, by the calendar year it begins in.
    fiscal_year: int


class BudgetLineBulkCreateRow(_BudgetLineBulkCreateRowRequired, total=False):
    #: The account in the general ledger.
    account_code: str | None
    #: What was spent.
    actual_amount: float | None
    #: What may be spent.
    budget_amount: float | None
    #: Contracts and purchase orders given out and not yet paid; no part of actual_amount.
    committed_amount: float | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What is expected to be spent in the end. Left out, the project's forecast takes the budget.
    forecast_amount: float | None
    #: Remarks for colleagues.
    notes: str | None
    #: Labels of your own.
    tags: list[str] | None


class BudgetLineBulkDelete(TypedDict):
    data: list[RecordKey]


class BudgetLineBulkPatch(TypedDict):
    data: list[BudgetLineBulkPatchRow]


class BudgetLineBulkPatchRow(TypedDict, total=False):
    #: The account in the general ledger.
    account_code: str | None
    #: What was spent.
    actual_amount: float | None
    #: What may be spent.
    budget_amount: float | None
    #: What the money is for; a project has one line per fiscal year and category.
    category: Literal['planning', 'design', 'land', 'construction', 'equipment', 'contract_admin', 'contingency', 'other']
    #: Contracts and purchase orders given out and not yet paid; no part of actual_amount.
    committed_amount: float | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Fiscal year, by the calendar year it begins in.
    fiscal_year: int
    #: What is expected to be spent in the end. Left out, the project's forecast takes the budget.
    forecast_amount: float | None
    #: Remarks for colleagues.
    notes: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: Of the record. Left out: external_id names it.
    id: str


class BudgetLineBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[BudgetLine]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


BudgetLineExpansion: TypeAlias = "Literal['project']"


BudgetLineField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'project_id', 'fiscal_year', 'category', 'budget_amount', 'forecast_amount', 'committed_amount', 'actual_amount', 'variance', 'remaining', 'account_code', 'notes', 'currency']"


class _BudgetLineListRequired(TypedDict):
    data: list[BudgetLine]
    pagination: Pagination


class BudgetLineList(_BudgetLineListRequired, total=False):
    search: SearchCorrections


class BudgetLinePatch(TypedDict, total=False):
    #: The account in the general ledger.
    account_code: str | None
    #: What was spent.
    actual_amount: float | None
    #: What may be spent.
    budget_amount: float | None
    #: What the money is for; a project has one line per fiscal year and category.
    category: Literal['planning', 'design', 'land', 'construction', 'equipment', 'contract_admin', 'contingency', 'other']
    #: Contracts and purchase orders given out and not yet paid; no part of actual_amount.
    committed_amount: float | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Fiscal year, by the calendar year it begins in.
    fiscal_year: int
    #: What is expected to be spent in the end. Left out, the project's forecast takes the budget.
    forecast_amount: float | None
    #: Remarks for colleagues.
    notes: str | None
    #: Labels of your own.
    tags: list[str] | None


BudgetLineSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'fiscal_year', '-fiscal_year', 'category', '-category', 'budget_amount', '-budget_amount', 'forecast_amount', '-forecast_amount', 'committed_amount', '-committed_amount', 'actual_amount', '-actual_amount', 'variance', '-variance', 'remaining', '-remaining', 'account_code', '-account_code', 'relevance']"


class _BudgetLineWriteRequired(TypedDict):
    #: What the money is for; a project has one line per fiscal year and category.
    category: Literal['planning', 'design', 'land', 'construction', 'equipment', 'contract_admin', 'contingency', 'other']
    #: Fiscal year, by the calendar year it begins in.
    fiscal_year: int


class BudgetLineWrite(_BudgetLineWriteRequired, total=False):
    #: The account in the general ledger.
    account_code: str | None
    #: What was spent. Left out: 0.
    actual_amount: float | None
    #: What may be spent. Left out: 0.
    budget_amount: float | None
    #: Contracts and purchase orders given out and not yet paid; no part of actual_amount. Left out: 0.
    committed_amount: float | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What is expected to be spent in the end. Left out, the project's forecast takes the budget.
    forecast_amount: float | None
    #: Remarks for colleagues.
    notes: str | None
    #: Labels of your own.
    tags: list[str] | None


class BuildingCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class BuildingSite(TypedDict):
    """With expand=site."""

    id: str
    name: str


class BuildingUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _BuildingRequired(TypedDict):
    #: Whether it is accessible to persons with disabilities; null where not assessed.
    accessible: bool | None
    #: Street address.
    address_line1: str | None
    #: Second line of the address.
    address_line2: str | None
    #: What the building is used for.
    building_type: Literal['school', 'administration', 'arena', 'pool', 'library', 'community_centre', 'fire_hall', 'police', 'ambulance', 'works_garage', 'pump_station', 'treatment', 'housing', 'warehouse', 'parking', 'child_care', 'other'] | None
    #: How many people it is made for.
    capacity: int | None
    #: City, town or township.
    city: str | None
    #: Short code; numbered when left out.
    code: str | None
    #: Country, ISO 3166-1 alpha-2; the site's when empty.
    country: str | None
    created_at: str
    created_by: BuildingCreatedBy
    #: How much depends on the building.
    criticality: Literal['low', 'medium', 'high', 'critical'] | None
    #: Currency of every amount of money in the record.
    currency: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: What the building is.
    description: str | None
    #: How long the building is expected to last.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Storeys above ground.
    floors_above_grade: int | None
    #: Storeys below ground.
    floors_below_grade: int | None
    #: Gross floor area.
    gross_floor_area_m2: float | None
    #: Whether it is protected as heritage.
    heritage_designated: bool
    #: Made by the service (UUID version 7).
    id: str
    #: Latitude in WGS 84, with longitude or not at all.
    latitude: float | None
    #: Longitude in WGS 84, with latitude or not at all.
    longitude: float | None
    #: What people call the building; unique on its site.
    name: str
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: How the organization holds it.
    ownership: Literal['owned', 'leased', 'licensed', 'joint_use', 'managed'] | None
    #: Postal code. In Canada it must be one, and is kept as A1A 1A1.
    postal_code: str | None
    #: Province or territory.
    province: Literal['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT'] | None
    #: An appraisal of what rebuilding costs today. It goes before the sum of the parts.
    replacement_cost: float | None
    #: The year of the appraisal.
    replacement_cost_year: int | None
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: The site it stands on. Moving a building moves everything inside it.
    site_id: str
    #: planned → active; active ↔ vacant; active, vacant → closed; closed → active, demolished; vacant → demolished.
    status: Literal['planned', 'active', 'vacant', 'closed', 'demolished']
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: BuildingUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int
    #: Year of completion.
    year_built: int | None
    #: Year of the last major renovation, not before year_built.
    year_renovated: int | None


class Building(_BuildingRequired, total=False):
    #: With expand=site.
    site: BuildingSite | None


class BuildingBulkCreate(TypedDict):
    data: list[BuildingBulkCreateRow]


class _BuildingBulkCreateRowRequired(TypedDict):
    #: What people call the building; unique on its site.
    name: str


class BuildingBulkCreateRow(_BuildingBulkCreateRowRequired, total=False):
    #: Whether it is accessible to persons with disabilities; null where not assessed.
    accessible: bool | None
    #: Street address.
    address_line1: str | None
    #: Second line of the address.
    address_line2: str | None
    #: What the building is used for.
    building_type: Literal['school', 'administration', 'arena', 'pool', 'library', 'community_centre', 'fire_hall', 'police', 'ambulance', 'works_garage', 'pump_station', 'treatment', 'housing', 'warehouse', 'parking', 'child_care', 'other'] | None
    #: How many people it is made for.
    capacity: int | None
    #: City, town or township.
    city: str | None
    #: Short code; numbered when left out.
    code: str | None
    #: Country, ISO 3166-1 alpha-2; the site's when empty.
    country: str | None
    #: How much depends on the building.
    criticality: Literal['low', 'medium', 'high', 'critical'] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What the building is.
    description: str | None
    #: How long the building is expected to last.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Storeys above ground.
    floors_above_grade: int | None
    #: Storeys below ground.
    floors_below_grade: int | None
    #: Gross floor area.
    gross_floor_area_m2: float | None
    #: Whether it is protected as heritage.
    heritage_designated: bool | None
    #: Latitude in WGS 84, with longitude or not at all.
    latitude: float | None
    #: Longitude in WGS 84, with latitude or not at all.
    longitude: float | None
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: How the organization holds it.
    ownership: Literal['owned', 'leased', 'licensed', 'joint_use', 'managed'] | None
    #: Postal code. In Canada it must be one, and is kept as A1A 1A1.
    postal_code: str | None
    #: Province or territory.
    province: Literal['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT'] | None
    #: An appraisal of what rebuilding costs today. It goes before the sum of the parts.
    replacement_cost: float | None
    #: The year of the appraisal.
    replacement_cost_year: int | None
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: The site it stands on. Moving a building moves everything inside it.
    site_id: str
    #: planned → active; active ↔ vacant; active, vacant → closed; closed → active, demolished; vacant → demolished.
    status: Literal['planned', 'active', 'vacant', 'closed', 'demolished'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Year of completion.
    year_built: int | None
    #: Year of the last major renovation, not before year_built.
    year_renovated: int | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None


class BuildingBulkDelete(TypedDict):
    data: list[BuildingBulkDeleteRow]


class BuildingBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: Short code; numbered when left out.
    code: str | None


class BuildingBulkPatch(TypedDict):
    data: list[BuildingBulkPatchRow]


class BuildingBulkPatchRow(TypedDict, total=False):
    #: Whether it is accessible to persons with disabilities; null where not assessed.
    accessible: bool | None
    #: Street address.
    address_line1: str | None
    #: Second line of the address.
    address_line2: str | None
    #: What the building is used for.
    building_type: Literal['school', 'administration', 'arena', 'pool', 'library', 'community_centre', 'fire_hall', 'police', 'ambulance', 'works_garage', 'pump_station', 'treatment', 'housing', 'warehouse', 'parking', 'child_care', 'other'] | None
    #: How many people it is made for.
    capacity: int | None
    #: City, town or township.
    city: str | None
    #: Short code; numbered when left out.
    code: str | None
    #: Country, ISO 3166-1 alpha-2; the site's when empty.
    country: str | None
    #: How much depends on the building.
    criticality: Literal['low', 'medium', 'high', 'critical'] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What the building is.
    description: str | None
    #: How long the building is expected to last.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Storeys above ground.
    floors_above_grade: int | None
    #: Storeys below ground.
    floors_below_grade: int | None
    #: Gross floor area.
    gross_floor_area_m2: float | None
    #: Whether it is protected as heritage.
    heritage_designated: bool | None
    #: Latitude in WGS 84, with longitude or not at all.
    latitude: float | None
    #: Longitude in WGS 84, with latitude or not at all.
    longitude: float | None
    #: What people call the building; unique on its site.
    name: str
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: How the organization holds it.
    ownership: Literal['owned', 'leased', 'licensed', 'joint_use', 'managed'] | None
    #: Postal code. In Canada it must be one, and is kept as A1A 1A1.
    postal_code: str | None
    #: Province or territory.
    province: Literal['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT'] | None
    #: An appraisal of what rebuilding costs today. It goes before the sum of the parts.
    replacement_cost: float | None
    #: The year of the appraisal.
    replacement_cost_year: int | None
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: The site it stands on. Moving a building moves everything inside it.
    site_id: str
    #: planned → active; active ↔ vacant; active, vacant → closed; closed → active, demolished; vacant → demolished.
    status: Literal['planned', 'active', 'vacant', 'closed', 'demolished'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Year of completion.
    year_built: int | None
    #: Year of the last major renovation, not before year_built.
    year_renovated: int | None
    #: Of the record. Left out: external_id, else code, names it.
    id: str
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None


class BuildingBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Building]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _BuildingEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class BuildingEventActor(_BuildingEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class BuildingEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Building


class _BuildingEventRequired(TypedDict):
    #: Who did it.
    actor: BuildingEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: BuildingEventData
    type: Literal['building.created', 'building.updated', 'building.deleted']


class BuildingEvent(_BuildingEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


BuildingExpansion: TypeAlias = "Literal['site']"


BuildingField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'site_id', 'name', 'code', 'building_type', 'status', 'description', 'notes', 'year_built', 'year_renovated', 'gross_floor_area_m2', 'floors_above_grade', 'floors_below_grade', 'capacity', 'address_line1', 'address_line2', 'city', 'province', 'postal_code', 'latitude', 'longitude', 'ownership', 'country', 'heritage_designated', 'accessible', 'replacement_cost', 'replacement_cost_year', 'expected_useful_life_years', 'criticality', 'out_of_use_on', 'service_category', 'currency']"


class _BuildingListRequired(TypedDict):
    data: list[Building]
    pagination: Pagination


class BuildingList(_BuildingListRequired, total=False):
    search: SearchCorrections


class BuildingPatch(TypedDict, total=False):
    #: Whether it is accessible to persons with disabilities; null where not assessed.
    accessible: bool | None
    #: Street address.
    address_line1: str | None
    #: Second line of the address.
    address_line2: str | None
    #: What the building is used for.
    building_type: Literal['school', 'administration', 'arena', 'pool', 'library', 'community_centre', 'fire_hall', 'police', 'ambulance', 'works_garage', 'pump_station', 'treatment', 'housing', 'warehouse', 'parking', 'child_care', 'other'] | None
    #: How many people it is made for.
    capacity: int | None
    #: City, town or township.
    city: str | None
    #: Short code; numbered when left out.
    code: str | None
    #: Country, ISO 3166-1 alpha-2; the site's when empty.
    country: str | None
    #: How much depends on the building.
    criticality: Literal['low', 'medium', 'high', 'critical'] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What the building is.
    description: str | None
    #: How long the building is expected to last.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Storeys above ground.
    floors_above_grade: int | None
    #: Storeys below ground.
    floors_below_grade: int | None
    #: Gross floor area.
    gross_floor_area_m2: float | None
    #: Whether it is protected as heritage.
    heritage_designated: bool | None
    #: Latitude in WGS 84, with longitude or not at all.
    latitude: float | None
    #: Longitude in WGS 84, with latitude or not at all.
    longitude: float | None
    #: What people call the building; unique on its site.
    name: str
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: How the organization holds it.
    ownership: Literal['owned', 'leased', 'licensed', 'joint_use', 'managed'] | None
    #: Postal code. In Canada it must be one, and is kept as A1A 1A1.
    postal_code: str | None
    #: Province or territory.
    province: Literal['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT'] | None
    #: An appraisal of what rebuilding costs today. It goes before the sum of the parts.
    replacement_cost: float | None
    #: The year of the appraisal.
    replacement_cost_year: int | None
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: The site it stands on. Moving a building moves everything inside it.
    site_id: str
    #: planned → active; active ↔ vacant; active, vacant → closed; closed → active, demolished; vacant → demolished.
    status: Literal['planned', 'active', 'vacant', 'closed', 'demolished'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Year of completion.
    year_built: int | None
    #: Year of the last major renovation, not before year_built.
    year_renovated: int | None


BuildingSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'code', '-code', 'building_type', '-building_type', 'status', '-status', 'year_built', '-year_built', 'year_renovated', '-year_renovated', 'gross_floor_area_m2', '-gross_floor_area_m2', 'capacity', '-capacity', 'city', '-city', 'province', '-province', 'ownership', '-ownership', 'replacement_cost', '-replacement_cost', 'criticality', '-criticality', 'out_of_use_on', '-out_of_use_on', 'service_category', '-service_category', 'relevance']"


class _BuildingWriteRequired(TypedDict):
    #: What people call the building; unique on its site.
    name: str
    #: The site it stands on. Moving a building moves everything inside it.
    site_id: str


class BuildingWrite(_BuildingWriteRequired, total=False):
    #: Whether it is accessible to persons with disabilities; null where not assessed.
    accessible: bool | None
    #: Street address.
    address_line1: str | None
    #: Second line of the address.
    address_line2: str | None
    #: What the building is used for.
    building_type: Literal['school', 'administration', 'arena', 'pool', 'library', 'community_centre', 'fire_hall', 'police', 'ambulance', 'works_garage', 'pump_station', 'treatment', 'housing', 'warehouse', 'parking', 'child_care', 'other'] | None
    #: How many people it is made for.
    capacity: int | None
    #: City, town or township.
    city: str | None
    #: Short code; numbered when left out.
    code: str | None
    #: Country, ISO 3166-1 alpha-2; the site's when empty.
    country: str | None
    #: How much depends on the building.
    criticality: Literal['low', 'medium', 'high', 'critical'] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What the building is.
    description: str | None
    #: How long the building is expected to last.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Storeys above ground.
    floors_above_grade: int | None
    #: Storeys below ground.
    floors_below_grade: int | None
    #: Gross floor area.
    gross_floor_area_m2: float | None
    #: Whether it is protected as heritage. Left out: false.
    heritage_designated: bool | None
    #: Latitude in WGS 84, with longitude or not at all.
    latitude: float | None
    #: Longitude in WGS 84, with latitude or not at all.
    longitude: float | None
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: How the organization holds it.
    ownership: Literal['owned', 'leased', 'licensed', 'joint_use', 'managed'] | None
    #: Postal code. In Canada it must be one, and is kept as A1A 1A1.
    postal_code: str | None
    #: Province or territory.
    province: Literal['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT'] | None
    #: An appraisal of what rebuilding costs today. It goes before the sum of the parts.
    replacement_cost: float | None
    #: The year of the appraisal.
    replacement_cost_year: int | None
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: planned → active; active ↔ vacant; active, vacant → closed; closed → active, demolished; vacant → demolished. Left out:
    #: "active".
    status: Literal['planned', 'active', 'vacant', 'closed', 'demolished'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Year of completion.
    year_built: int | None
    #: Year of the last major renovation, not before year_built.
    year_renovated: int | None


class _BulkRowResultRequired(TypedDict):
    #: Of the row in data, from 0.
    index: int
    status: Literal['created', 'updated', 'skipped', 'deleted', 'failed']


class BulkRowResult(_BulkRowResultRequired, total=False):
    """What became of one row of a bulk call."""

    #: Of a failed row: stable machine word.
    code: str
    #: Of a failed row: one sentence a person can act on.
    error: str
    #: Of a failed row: the field that is wrong or clashes.
    field: str
    #: Of a failed row: every problem, by field.
    fields: list[FieldProblem]
    #: Of the record; of a failed row, of the record that it is about, where there is one.
    id: str
    #: Of a failed row: the value that clashes.
    value: Any


class BulkSummary(TypedDict):
    """How many rows of a bulk call came to what end."""

    created: int
    deleted: int
    failed: int
    skipped: int
    updated: int


class CalendarCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class _CalendarHolidaysItemRequired(TypedDict):
    #: What the day is.
    name: str


class CalendarHolidaysItem(_CalendarHolidaysItemRequired, total=False):
    #: The day, of one that has a date; else rrule.
    date: str | None
    #: A rule of days after RFC 5545, counted from 2000-01-01, in which BYEASTER=n is n days after Easter Sunday.
    rrule: str | None


class CalendarUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


CalendarWeekItem = TypedDict('CalendarWeekItem', {
    'day': "Literal['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']",
    'from': 'str',
    'to': 'str',
}, total=True)


class Calendar(TypedDict):
    created_at: str
    created_by: CalendarCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Days on which nobody works.
    holidays: list[CalendarHolidaysItem]
    #: Made by the service (UUID version 7).
    id: str
    #: What the calendar is called; unique in the organization.
    name: str
    #: Labels of your own.
    tags: list[str]
    #: IANA name of the time zone of its hours.
    time_zone: str
    updated_at: str
    updated_by: CalendarUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int
    #: When people work; at least one period. Periods of one day do not overlap. A night is two: until 24:00, and from 00:00 of
    #: the next day.
    week: list[CalendarWeekItem]


class CalendarBulkCreate(TypedDict):
    data: list[CalendarBulkCreateRow]


class _CalendarBulkCreateRowHolidaysItemRequired(TypedDict):
    #: What the day is.
    name: str


class CalendarBulkCreateRowHolidaysItem(_CalendarBulkCreateRowHolidaysItemRequired, total=False):
    #: The day, of one that has a date; else rrule.
    date: str | None
    #: A rule of days after RFC 5545, counted from 2000-01-01, in which BYEASTER=n is n days after Easter Sunday.
    rrule: str | None


CalendarBulkCreateRowWeekItem = TypedDict('CalendarBulkCreateRowWeekItem', {
    'day': "Literal['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']",
    'from': 'str',
    'to': 'str',
}, total=True)


class _CalendarBulkCreateRowRequired(TypedDict):
    #: What the calendar is called; unique in the organization.
    name: str
    #: IANA name of the time zone of its hours.
    time_zone: str


class CalendarBulkCreateRow(_CalendarBulkCreateRowRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Days on which nobody works.
    holidays: list[CalendarBulkCreateRowHolidaysItem] | None
    #: Labels of your own.
    tags: list[str] | None
    #: When people work; at least one period. Periods of one day do not overlap. A night is two: until 24:00, and from 00:00 of
    #: the next day.
    week: list[CalendarBulkCreateRowWeekItem] | None


class CalendarBulkDelete(TypedDict):
    data: list[CalendarBulkDeleteRow]


class CalendarBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: What the calendar is called; unique in the organization.
    name: str


class CalendarBulkPatch(TypedDict):
    data: list[CalendarBulkPatchRow]


class _CalendarBulkPatchRowHolidaysItemRequired(TypedDict):
    #: What the day is.
    name: str


class CalendarBulkPatchRowHolidaysItem(_CalendarBulkPatchRowHolidaysItemRequired, total=False):
    #: The day, of one that has a date; else rrule.
    date: str | None
    #: A rule of days after RFC 5545, counted from 2000-01-01, in which BYEASTER=n is n days after Easter Sunday.
    rrule: str | None


CalendarBulkPatchRowWeekItem = TypedDict('CalendarBulkPatchRowWeekItem', {
    'day': "Literal['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']",
    'from': 'str',
    'to': 'str',
}, total=True)


class CalendarBulkPatchRow(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Days on which nobody works.
    holidays: list[CalendarBulkPatchRowHolidaysItem] | None
    #: What the calendar is called; unique in the organization.
    name: str
    #: Labels of your own.
    tags: list[str] | None
    #: IANA name of the time zone of its hours.
    time_zone: str
    #: When people work; at least one period. Periods of one day do not overlap. A night is two: until 24:00, and from 00:00 of
    #: the next day.
    week: list[CalendarBulkPatchRowWeekItem] | None
    #: Of the record. Left out: external_id, else name, names it.
    id: str


class CalendarBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Calendar]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _CalendarEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class CalendarEventActor(_CalendarEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class CalendarEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Calendar


class _CalendarEventRequired(TypedDict):
    #: Who did it.
    actor: CalendarEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: CalendarEventData
    type: Literal['calendar.created', 'calendar.updated', 'calendar.deleted']


class CalendarEvent(_CalendarEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


CalendarField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'name', 'time_zone', 'week', 'holidays']"


class _CalendarListRequired(TypedDict):
    data: list[Calendar]
    pagination: Pagination


class CalendarList(_CalendarListRequired, total=False):
    search: SearchCorrections


class _CalendarPatchHolidaysItemRequired(TypedDict):
    #: What the day is.
    name: str


class CalendarPatchHolidaysItem(_CalendarPatchHolidaysItemRequired, total=False):
    #: The day, of one that has a date; else rrule.
    date: str | None
    #: A rule of days after RFC 5545, counted from 2000-01-01, in which BYEASTER=n is n days after Easter Sunday.
    rrule: str | None


CalendarPatchWeekItem = TypedDict('CalendarPatchWeekItem', {
    'day': "Literal['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']",
    'from': 'str',
    'to': 'str',
}, total=True)


class CalendarPatch(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Days on which nobody works.
    holidays: list[CalendarPatchHolidaysItem] | None
    #: What the calendar is called; unique in the organization.
    name: str
    #: Labels of your own.
    tags: list[str] | None
    #: IANA name of the time zone of its hours.
    time_zone: str
    #: When people work; at least one period. Periods of one day do not overlap. A night is two: until 24:00, and from 00:00 of
    #: the next day.
    week: list[CalendarPatchWeekItem] | None


CalendarSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'relevance']"


class _CalendarWriteHolidaysItemRequired(TypedDict):
    #: What the day is.
    name: str


class CalendarWriteHolidaysItem(_CalendarWriteHolidaysItemRequired, total=False):
    #: The day, of one that has a date; else rrule.
    date: str | None
    #: A rule of days after RFC 5545, counted from 2000-01-01, in which BYEASTER=n is n days after Easter Sunday.
    rrule: str | None


CalendarWriteWeekItem = TypedDict('CalendarWriteWeekItem', {
    'day': "Literal['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']",
    'from': 'str',
    'to': 'str',
}, total=True)


class _CalendarWriteRequired(TypedDict):
    #: What the calendar is called; unique in the organization.
    name: str
    #: IANA name of the time zone of its hours.
    time_zone: str


class CalendarWrite(_CalendarWriteRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Days on which nobody works.
    holidays: list[CalendarWriteHolidaysItem] | None
    #: Labels of your own.
    tags: list[str] | None
    #: When people work; at least one period. Periods of one day do not overlap. A night is two: until 24:00, and from 00:00 of
    #: the next day.
    week: list[CalendarWriteWeekItem] | None


class CommentCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class CommentUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class CommentWorkOrder(TypedDict):
    """With expand=work_order."""

    id: str
    name: str


class _CommentRequired(TypedDict):
    #: What there is to say.
    body: str
    created_at: str
    created_by: CommentCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: CommentUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int
    #: The work order that it is about.
    work_order_id: str


class Comment(_CommentRequired, total=False):
    #: With expand=work_order.
    work_order: CommentWorkOrder | None


class CommentBulkCreate(TypedDict):
    data: list[CommentBulkCreateRow]


class _CommentBulkCreateRowRequired(TypedDict):
    #: What there is to say.
    body: str


class CommentBulkCreateRow(_CommentBulkCreateRowRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Labels of your own.
    tags: list[str] | None


class CommentBulkDelete(TypedDict):
    data: list[RecordKey]


class CommentBulkPatch(TypedDict):
    data: list[CommentBulkPatchRow]


class CommentBulkPatchRow(TypedDict, total=False):
    #: What there is to say.
    body: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: Of the record. Left out: external_id names it.
    id: str


class CommentBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Comment]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


CommentExpansion: TypeAlias = "Literal['work_order']"


CommentField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'work_order_id', 'body']"


class _CommentListRequired(TypedDict):
    data: list[Comment]
    pagination: Pagination


class CommentList(_CommentListRequired, total=False):
    search: SearchCorrections


class CommentPatch(TypedDict, total=False):
    #: What there is to say.
    body: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Labels of your own.
    tags: list[str] | None


CommentSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'relevance']"


class _CommentWriteRequired(TypedDict):
    #: What there is to say.
    body: str


class CommentWrite(_CommentWriteRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Labels of your own.
    tags: list[str] | None


class CompletedImport(TypedDict):
    #: Records that were created.
    created: int
    #: Name of the file that was imported.
    file_name: str | None
    #: The import's id, made by the importer: the same as in the Import-Id header of its calls.
    import_id: str
    #: Records that were refused.
    rejected: int
    #: Records that were there and stayed as they were.
    unchanged: int
    #: Records that were there and were updated.
    updated: int


class ConditionAssessmentAsset(TypedDict):
    """With expand=asset."""

    id: str
    name: str


class ConditionAssessmentCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class ConditionAssessmentUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _ConditionAssessmentRequired(TypedDict):
    #: Day of the assessment, not in the future.
    assessed_on: str
    #: Who assessed it.
    assessor: str | None
    #: The asset that was assessed.
    asset_id: str
    #: Condition from 1 (very good) to 5 (very poor). Left out, it follows from the index. Null where a rating that was reported
    #: on the asset was taken back.
    condition_rating: int | None
    created_at: str
    created_by: ConditionAssessmentCreatedBy
    #: Currency of every amount of money in the record.
    currency: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: What was found wrong.
    defects: list[str]
    #: Maintenance found overdue; becomes the asset's unless something later is said.
    deferred_maintenance_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: Condition index that was measured: pci, bci and other_100 from 0 to 100 (best), pacp_5 and iimm_5 from 1 (best) to 5, iri
    #: in m/km, which implies no rating.
    index_type: Literal['pci', 'bci', 'pacp_5', 'iimm_5', 'iri', 'other_100'] | None
    #: Value of the index; 85, 70, 55 and 40 of 100 are the lower ends of ratings 1 to 4.
    index_value: float | None
    #: How the condition was found out. reported and age_based are weak: any other, also none, outweighs them for five years.
    method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported'] | None
    #: Remarks for colleagues.
    notes: str | None
    #: What replacing it would cost, in prices of the year of assessed_on; becomes the asset's unless something later is said.
    replacement_cost: float | None
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: ConditionAssessmentUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int


class ConditionAssessment(_ConditionAssessmentRequired, total=False):
    #: With expand=asset.
    asset: ConditionAssessmentAsset | None


class ConditionAssessmentBulkCreate(TypedDict):
    data: list[ConditionAssessmentBulkCreateRow]


class _ConditionAssessmentBulkCreateRowDeficienciesItemRequired(TypedDict):
    #: What is wrong, in a few words.
    title: str


class ConditionAssessmentBulkCreateRowDeficienciesItem(_ConditionAssessmentBulkCreateRowDeficienciesItemRequired, total=False):
    #: The year in which it should be corrected.
    action_year: int
    #: What kind of need it is; deferred_maintenance when left out.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal']
    #: How sure the estimate is, from A to D.
    cost_class: Literal['A', 'B', 'C', 'D']
    #: The year of whose prices estimated_cost is.
    cost_year: int
    #: What correcting it is estimated to cost, at most 2 decimals.
    estimated_cost: float
    #: Its id in the system it came from; unique in the organization.
    external_id: str
    #: Its number; given when left out.
    number: str
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: How much of it, in unit.
    quantity: float
    #: Place in the UNIFORMAT II classification (ASTM E1557).
    uniformat_code: str
    #: What quantity counts.
    unit: str


class _ConditionAssessmentBulkCreateRowRequired(TypedDict):
    #: Day of the assessment, not in the future.
    assessed_on: str


class ConditionAssessmentBulkCreateRow(_ConditionAssessmentBulkCreateRowRequired, total=False):
    #: Who assessed it.
    assessor: str | None
    #: Condition from 1 (very good) to 5 (very poor). Left out, it follows from the index. Null where a rating that was reported
    #: on the asset was taken back.
    condition_rating: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What was found wrong.
    defects: list[str] | None
    #: Maintenance found overdue; becomes the asset's unless something later is said.
    deferred_maintenance_cost: float | None
    #: What was found deficient on the asset: made with the assessment, at /v1/deficiencies, as found on its day. Only when it is
    #: made.
    deficiencies: list[ConditionAssessmentBulkCreateRowDeficienciesItem] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Condition index that was measured: pci, bci and other_100 from 0 to 100 (best), pacp_5 and iimm_5 from 1 (best) to 5, iri
    #: in m/km, which implies no rating.
    index_type: Literal['pci', 'bci', 'pacp_5', 'iimm_5', 'iri', 'other_100'] | None
    #: Value of the index; 85, 70, 55 and 40 of 100 are the lower ends of ratings 1 to 4.
    index_value: float | None
    #: How the condition was found out. reported and age_based are weak: any other, also none, outweighs them for five years.
    method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported'] | None
    #: Remarks for colleagues.
    notes: str | None
    #: What replacing it would cost, in prices of the year of assessed_on; becomes the asset's unless something later is said.
    replacement_cost: float | None
    #: Labels of your own.
    tags: list[str] | None


class ConditionAssessmentBulkDelete(TypedDict):
    data: list[RecordKey]


class ConditionAssessmentBulkPatch(TypedDict):
    data: list[ConditionAssessmentBulkPatchRow]


class _ConditionAssessmentBulkPatchRowDeficienciesItemRequired(TypedDict):
    #: What is wrong, in a few words.
    title: str


class ConditionAssessmentBulkPatchRowDeficienciesItem(_ConditionAssessmentBulkPatchRowDeficienciesItemRequired, total=False):
    #: The year in which it should be corrected.
    action_year: int
    #: What kind of need it is; deferred_maintenance when left out.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal']
    #: How sure the estimate is, from A to D.
    cost_class: Literal['A', 'B', 'C', 'D']
    #: The year of whose prices estimated_cost is.
    cost_year: int
    #: What correcting it is estimated to cost, at most 2 decimals.
    estimated_cost: float
    #: Its id in the system it came from; unique in the organization.
    external_id: str
    #: Its number; given when left out.
    number: str
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: How much of it, in unit.
    quantity: float
    #: Place in the UNIFORMAT II classification (ASTM E1557).
    uniformat_code: str
    #: What quantity counts.
    unit: str


class ConditionAssessmentBulkPatchRow(TypedDict, total=False):
    #: Day of the assessment, not in the future.
    assessed_on: str
    #: Who assessed it.
    assessor: str | None
    #: Condition from 1 (very good) to 5 (very poor). Left out, it follows from the index. Null where a rating that was reported
    #: on the asset was taken back.
    condition_rating: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What was found wrong.
    defects: list[str] | None
    #: Maintenance found overdue; becomes the asset's unless something later is said.
    deferred_maintenance_cost: float | None
    #: What was found deficient on the asset: made with the assessment, at /v1/deficiencies, as found on its day. Only when it is
    #: made.
    deficiencies: list[ConditionAssessmentBulkPatchRowDeficienciesItem] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Condition index that was measured: pci, bci and other_100 from 0 to 100 (best), pacp_5 and iimm_5 from 1 (best) to 5, iri
    #: in m/km, which implies no rating.
    index_type: Literal['pci', 'bci', 'pacp_5', 'iimm_5', 'iri', 'other_100'] | None
    #: Value of the index; 85, 70, 55 and 40 of 100 are the lower ends of ratings 1 to 4.
    index_value: float | None
    #: How the condition was found out. reported and age_based are weak: any other, also none, outweighs them for five years.
    method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported'] | None
    #: Remarks for colleagues.
    notes: str | None
    #: What replacing it would cost, in prices of the year of assessed_on; becomes the asset's unless something later is said.
    replacement_cost: float | None
    #: Labels of your own.
    tags: list[str] | None
    #: Of the record. Left out: external_id names it.
    id: str


class ConditionAssessmentBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[ConditionAssessment]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _ConditionAssessmentEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class ConditionAssessmentEventActor(_ConditionAssessmentEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class ConditionAssessmentEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: ConditionAssessment


class _ConditionAssessmentEventRequired(TypedDict):
    #: Who did it.
    actor: ConditionAssessmentEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: ConditionAssessmentEventData
    type: Literal['condition_assessment.created', 'condition_assessment.updated', 'condition_assessment.deleted']


class ConditionAssessmentEvent(_ConditionAssessmentEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


ConditionAssessmentExpansion: TypeAlias = "Literal['asset']"


ConditionAssessmentField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'asset_id', 'assessed_on', 'condition_rating', 'index_type', 'index_value', 'method', 'assessor', 'replacement_cost', 'deferred_maintenance_cost', 'defects', 'notes', 'currency']"


class ConditionAssessmentList(TypedDict):
    data: list[ConditionAssessment]
    pagination: Pagination


class _ConditionAssessmentPatchDeficienciesItemRequired(TypedDict):
    #: What is wrong, in a few words.
    title: str


class ConditionAssessmentPatchDeficienciesItem(_ConditionAssessmentPatchDeficienciesItemRequired, total=False):
    #: The year in which it should be corrected.
    action_year: int
    #: What kind of need it is; deferred_maintenance when left out.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal']
    #: How sure the estimate is, from A to D.
    cost_class: Literal['A', 'B', 'C', 'D']
    #: The year of whose prices estimated_cost is.
    cost_year: int
    #: What correcting it is estimated to cost, at most 2 decimals.
    estimated_cost: float
    #: Its id in the system it came from; unique in the organization.
    external_id: str
    #: Its number; given when left out.
    number: str
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: How much of it, in unit.
    quantity: float
    #: Place in the UNIFORMAT II classification (ASTM E1557).
    uniformat_code: str
    #: What quantity counts.
    unit: str


class ConditionAssessmentPatch(TypedDict, total=False):
    #: Day of the assessment, not in the future.
    assessed_on: str
    #: Who assessed it.
    assessor: str | None
    #: Condition from 1 (very good) to 5 (very poor). Left out, it follows from the index. Null where a rating that was reported
    #: on the asset was taken back.
    condition_rating: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What was found wrong.
    defects: list[str] | None
    #: Maintenance found overdue; becomes the asset's unless something later is said.
    deferred_maintenance_cost: float | None
    #: What was found deficient on the asset: made with the assessment, at /v1/deficiencies, as found on its day. Only when it is
    #: made.
    deficiencies: list[ConditionAssessmentPatchDeficienciesItem] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Condition index that was measured: pci, bci and other_100 from 0 to 100 (best), pacp_5 and iimm_5 from 1 (best) to 5, iri
    #: in m/km, which implies no rating.
    index_type: Literal['pci', 'bci', 'pacp_5', 'iimm_5', 'iri', 'other_100'] | None
    #: Value of the index; 85, 70, 55 and 40 of 100 are the lower ends of ratings 1 to 4.
    index_value: float | None
    #: How the condition was found out. reported and age_based are weak: any other, also none, outweighs them for five years.
    method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported'] | None
    #: Remarks for colleagues.
    notes: str | None
    #: What replacing it would cost, in prices of the year of assessed_on; becomes the asset's unless something later is said.
    replacement_cost: float | None
    #: Labels of your own.
    tags: list[str] | None


ConditionAssessmentSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'assessed_on', '-assessed_on', 'condition_rating', '-condition_rating', 'assessor', '-assessor']"


class _ConditionAssessmentWriteDeficienciesItemRequired(TypedDict):
    #: What is wrong, in a few words.
    title: str


class ConditionAssessmentWriteDeficienciesItem(_ConditionAssessmentWriteDeficienciesItemRequired, total=False):
    #: The year in which it should be corrected.
    action_year: int
    #: What kind of need it is; deferred_maintenance when left out.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal']
    #: How sure the estimate is, from A to D.
    cost_class: Literal['A', 'B', 'C', 'D']
    #: The year of whose prices estimated_cost is.
    cost_year: int
    #: What correcting it is estimated to cost, at most 2 decimals.
    estimated_cost: float
    #: Its id in the system it came from; unique in the organization.
    external_id: str
    #: Its number; given when left out.
    number: str
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: How much of it, in unit.
    quantity: float
    #: Place in the UNIFORMAT II classification (ASTM E1557).
    uniformat_code: str
    #: What quantity counts.
    unit: str


class _ConditionAssessmentWriteRequired(TypedDict):
    #: Day of the assessment, not in the future.
    assessed_on: str


class ConditionAssessmentWrite(_ConditionAssessmentWriteRequired, total=False):
    #: Who assessed it.
    assessor: str | None
    #: Condition from 1 (very good) to 5 (very poor). Left out, it follows from the index. Null where a rating that was reported
    #: on the asset was taken back.
    condition_rating: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What was found wrong.
    defects: list[str] | None
    #: Maintenance found overdue; becomes the asset's unless something later is said.
    deferred_maintenance_cost: float | None
    #: What was found deficient on the asset: made with the assessment, at /v1/deficiencies, as found on its day. Only when it is
    #: made.
    deficiencies: list[ConditionAssessmentWriteDeficienciesItem] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Condition index that was measured: pci, bci and other_100 from 0 to 100 (best), pacp_5 and iimm_5 from 1 (best) to 5, iri
    #: in m/km, which implies no rating.
    index_type: Literal['pci', 'bci', 'pacp_5', 'iimm_5', 'iri', 'other_100'] | None
    #: Value of the index; 85, 70, 55 and 40 of 100 are the lower ends of ratings 1 to 4.
    index_value: float | None
    #: How the condition was found out. reported and age_based are weak: any other, also none, outweighs them for five years.
    method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported'] | None
    #: Remarks for colleagues.
    notes: str | None
    #: What replacing it would cost, in prices of the year of assessed_on; becomes the asset's unless something later is said.
    replacement_cost: float | None
    #: Labels of your own.
    tags: list[str] | None


class CostCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class CostUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class CostUser(TypedDict):
    """With expand=user."""

    id: str
    name: str


class CostVendor(TypedDict):
    """With expand=vendor."""

    id: str
    name: str


class CostWorkOrder(TypedDict):
    """With expand=work_order."""

    id: str
    name: str


class _CostRequired(TypedDict):
    #: labour: hours × unit_cost; else quantity × unit_cost. Rounded to the cent, halves away from zero; negative of a credit;
    #: null without unit_cost.
    amount: float | None
    created_at: str
    created_by: CostCreatedBy
    #: Currency of every amount of money in the record.
    currency: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Hours worked; required for labour and for nothing else.
    hours: float | None
    #: Made by the service (UUID version 7).
    id: str
    #: Day on which it was incurred.
    incurred_on: str | None
    #: Number of the invoice or credit note.
    invoice_number: str | None
    #: Whether it is given back: its amount is negative, and its hours are taken off. The costs of a kind cannot come to less than
    #: nothing.
    is_credit: bool
    #: What it was spent on. In the work order's sums labour is labour_cost, material is material_cost, contractor and other are
    #: other_cost.
    kind: Literal['labour', 'material', 'contractor', 'other']
    #: Whether the work order was closed already when it was added.
    late: bool
    #: The vendor's or the maker's number of the part.
    part_number: str | None
    #: How many or how much, of everything but labour; null counts as 1.
    quantity: float | None
    #: Labels of your own.
    tags: list[str]
    #: Price of one; of labour, the hourly rate. Null costs nothing, so that hours can be kept without a rate.
    unit_cost: float | None
    updated_at: str
    updated_by: CostUpdatedBy
    #: The user who worked, bought or ordered.
    user_id: str | None
    #: The vendor who was paid.
    vendor_id: str | None
    #: Grows by one with every change; the ETag.
    version: int
    #: The work order that it was spent on.
    work_order_id: str


class Cost(_CostRequired, total=False):
    #: With expand=user.
    user: CostUser | None
    #: With expand=vendor.
    vendor: CostVendor | None
    #: With expand=work_order.
    work_order: CostWorkOrder | None


class CostBulkCreate(TypedDict):
    data: list[CostBulkCreateRow]


class _CostBulkCreateRowRequired(TypedDict):
    #: What it was spent on. In the work order's sums labour is labour_cost, material is material_cost, contractor and other are
    #: other_cost.
    kind: Literal['labour', 'material', 'contractor', 'other']


class CostBulkCreateRow(_CostBulkCreateRowRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Hours worked; required for labour and for nothing else.
    hours: float | None
    #: Day on which it was incurred.
    incurred_on: str | None
    #: Number of the invoice or credit note.
    invoice_number: str | None
    #: Whether it is given back: its amount is negative, and its hours are taken off. The costs of a kind cannot come to less than
    #: nothing.
    is_credit: bool | None
    #: The vendor's or the maker's number of the part.
    part_number: str | None
    #: How many or how much, of everything but labour; null counts as 1.
    quantity: float | None
    #: Labels of your own.
    tags: list[str] | None
    #: Price of one; of labour, the hourly rate. Null costs nothing, so that hours can be kept without a rate.
    unit_cost: float | None
    #: The user who worked, bought or ordered.
    user_id: str | None
    #: The vendor who was paid.
    vendor_id: str | None
    #: In place of user_id: the external_id of that record, which may be of an earlier row.
    user_external_id: str | None
    #: In place of vendor_id: the external_id of that record, which may be of an earlier row.
    vendor_external_id: str | None


class CostBulkDelete(TypedDict):
    data: list[RecordKey]


class CostBulkPatch(TypedDict):
    data: list[CostBulkPatchRow]


class CostBulkPatchRow(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Hours worked; required for labour and for nothing else.
    hours: float | None
    #: Day on which it was incurred.
    incurred_on: str | None
    #: Number of the invoice or credit note.
    invoice_number: str | None
    #: Whether it is given back: its amount is negative, and its hours are taken off. The costs of a kind cannot come to less than
    #: nothing.
    is_credit: bool | None
    #: What it was spent on. In the work order's sums labour is labour_cost, material is material_cost, contractor and other are
    #: other_cost.
    kind: Literal['labour', 'material', 'contractor', 'other']
    #: The vendor's or the maker's number of the part.
    part_number: str | None
    #: How many or how much, of everything but labour; null counts as 1.
    quantity: float | None
    #: Labels of your own.
    tags: list[str] | None
    #: Price of one; of labour, the hourly rate. Null costs nothing, so that hours can be kept without a rate.
    unit_cost: float | None
    #: The user who worked, bought or ordered.
    user_id: str | None
    #: The vendor who was paid.
    vendor_id: str | None
    #: Of the record. Left out: external_id names it.
    id: str
    #: In place of user_id: the external_id of that record, which may be of an earlier row.
    user_external_id: str | None
    #: In place of vendor_id: the external_id of that record, which may be of an earlier row.
    vendor_external_id: str | None


class CostBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Cost]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


CostExpansion: TypeAlias = "Literal['work_order', 'user', 'vendor']"


CostField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'work_order_id', 'kind', 'quantity', 'unit_cost', 'hours', 'is_credit', 'user_id', 'vendor_id', 'part_number', 'invoice_number', 'incurred_on', 'late', 'amount', 'currency']"


class CostList(TypedDict):
    data: list[Cost]
    pagination: Pagination


class CostPatch(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Hours worked; required for labour and for nothing else.
    hours: float | None
    #: Day on which it was incurred.
    incurred_on: str | None
    #: Number of the invoice or credit note.
    invoice_number: str | None
    #: Whether it is given back: its amount is negative, and its hours are taken off. The costs of a kind cannot come to less than
    #: nothing.
    is_credit: bool | None
    #: What it was spent on. In the work order's sums labour is labour_cost, material is material_cost, contractor and other are
    #: other_cost.
    kind: Literal['labour', 'material', 'contractor', 'other']
    #: The vendor's or the maker's number of the part.
    part_number: str | None
    #: How many or how much, of everything but labour; null counts as 1.
    quantity: float | None
    #: Labels of your own.
    tags: list[str] | None
    #: Price of one; of labour, the hourly rate. Null costs nothing, so that hours can be kept without a rate.
    unit_cost: float | None
    #: The user who worked, bought or ordered.
    user_id: str | None
    #: The vendor who was paid.
    vendor_id: str | None


CostSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'kind', '-kind', 'quantity', '-quantity', 'unit_cost', '-unit_cost', 'hours', '-hours', 'part_number', '-part_number', 'invoice_number', '-invoice_number', 'incurred_on', '-incurred_on', 'amount', '-amount']"


class _CostWriteRequired(TypedDict):
    #: What it was spent on. In the work order's sums labour is labour_cost, material is material_cost, contractor and other are
    #: other_cost.
    kind: Literal['labour', 'material', 'contractor', 'other']


class CostWrite(_CostWriteRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Hours worked; required for labour and for nothing else.
    hours: float | None
    #: Day on which it was incurred.
    incurred_on: str | None
    #: Number of the invoice or credit note.
    invoice_number: str | None
    #: Whether it is given back: its amount is negative, and its hours are taken off. The costs of a kind cannot come to less than
    #: nothing. Left out: false.
    is_credit: bool | None
    #: The vendor's or the maker's number of the part.
    part_number: str | None
    #: How many or how much, of everything but labour; null counts as 1.
    quantity: float | None
    #: Labels of your own.
    tags: list[str] | None
    #: Price of one; of labour, the hourly rate. Null costs nothing, so that hours can be kept without a rate.
    unit_cost: float | None
    #: The user who worked, bought or ordered.
    user_id: str | None
    #: The vendor who was paid.
    vendor_id: str | None


class CustomField(TypedDict):
    #: Since when it has this type.
    declared_at: str
    #: The name in custom_fields.
    key: str
    #: ready: lists can be filtered and sorted by it. pending: the values of the records that were there before are being
    #: collected; lists that ask for it answer 409 until then.
    state: Literal['pending', 'ready']
    #: What its values are read as.
    type: Literal['text', 'number', 'date', 'boolean']
    #: How many records have a value that cannot be read as the type, and so count as having none; null while pending.
    unparsed: int | None
    #: How many records have a value of the type; null while pending.
    values: int | None


class CustomFieldDeclaration(TypedDict):
    type: Literal['text', 'number', 'date', 'boolean']


class CustomFieldList(TypedDict):
    data: list[CustomField]


class DeficiencyAsset(TypedDict):
    """With expand=asset."""

    id: str
    name: str


class DeficiencyBuilding(TypedDict):
    """With expand=building."""

    id: str
    name: str


class DeficiencyCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class DeficiencySite(TypedDict):
    """With expand=site."""

    id: str
    name: str


class DeficiencySystem(TypedDict):
    """With expand=system."""

    id: str
    name: str


class DeficiencyUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _DeficiencyRequired(TypedDict):
    #: The year in which it should be corrected. Until then it is no deferred maintenance; null: at once.
    action_year: int | None
    #: What correcting it cost. Of corrected ones; the way back clears it.
    actual_cost: float | None
    #: The asset that it is of.
    asset_id: str | None
    #: The building that it is of. As a filter: with everything in the building.
    building_id: str | None
    #: What kind of need it is. The first four count as deferred maintenance; accessibility and functional are improvements, and a
    #: renewal counts by planned_renewal_year already.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal']
    #: Day on which it was corrected, not in the future and not before found_on. The move to corrected stamps it with today unless
    #: it is given, and the way back clears it; one that is entered as corrected needs it.
    corrected_on: str | None
    #: How sure the estimate is, from A (from tenders or working drawings) to D (a first guess).
    cost_class: Literal['A', 'B', 'C', 'D'] | None
    #: The year of whose prices estimated_cost is. Left out, the year of found_on; where the cost changes, the year of the change.
    cost_year: int | None
    #: Whether it is live and of a category that counts as deferred maintenance. Its cost counts from action_year on.
    counts_as_deferred: bool
    created_at: str
    created_by: DeficiencyCreatedBy
    #: Currency of every amount of money in the record.
    currency: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: What correcting it is estimated to cost, in prices of cost_year.
    estimated_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day on which it was found, not in the future; today when left out.
    found_on: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: Its number; given when left out.
    number: str | None
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: The project that it is planned or done with.
    project_id: str | None
    #: How much of it, in unit.
    quantity: float | None
    #: The site that it is of; one of site_id, building_id, system_id and asset_id is required. As a filter: with everything on
    #: the site.
    site_id: str | None
    #: Where it comes from.
    source: Literal['assessment', 'inspection', 'form', 'request', 'work_order', 'import', 'manual']
    #: The record that it comes from.
    source_id: str | None
    #: open → planned, in_work, corrected, waived, void; planned → open, in_work, corrected, waived, void; in_work → open,
    #: planned, corrected; corrected, waived → open; void is final. The first three are live.
    status: Literal['open', 'planned', 'in_work', 'corrected', 'waived', 'void']
    #: The system that it is of. As a filter: with the system's assets.
    system_id: str | None
    #: Labels of your own.
    tags: list[str]
    #: What is wrong, in a few words.
    title: str
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    #: What quantity counts.
    unit: str | None
    updated_at: str
    updated_by: DeficiencyUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int
    #: Why nothing will be done about it. Required when it is waived; the way back clears it.
    waive_reason: str | None
    #: The work order that it is planned or done with.
    work_order_id: str | None


class Deficiency(_DeficiencyRequired, total=False):
    #: With expand=asset.
    asset: DeficiencyAsset | None
    #: With expand=building.
    building: DeficiencyBuilding | None
    #: With expand=site.
    site: DeficiencySite | None
    #: With expand=system.
    system: DeficiencySystem | None


class DeficiencyBulkCreate(TypedDict):
    data: list[DeficiencyBulkCreateRow]


class _DeficiencyBulkCreateRowRequired(TypedDict):
    #: What is wrong, in a few words.
    title: str


class DeficiencyBulkCreateRow(_DeficiencyBulkCreateRowRequired, total=False):
    #: The year in which it should be corrected. Until then it is no deferred maintenance; null: at once.
    action_year: int | None
    #: What correcting it cost. Of corrected ones; the way back clears it.
    actual_cost: float | None
    #: The asset that it is of.
    asset_id: str | None
    #: The building that it is of. As a filter: with everything in the building.
    building_id: str | None
    #: What kind of need it is. The first four count as deferred maintenance; accessibility and functional are improvements, and a
    #: renewal counts by planned_renewal_year already.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal'] | None
    #: Day on which it was corrected, not in the future and not before found_on. The move to corrected stamps it with today unless
    #: it is given, and the way back clears it; one that is entered as corrected needs it.
    corrected_on: str | None
    #: How sure the estimate is, from A (from tenders or working drawings) to D (a first guess).
    cost_class: Literal['A', 'B', 'C', 'D'] | None
    #: The year of whose prices estimated_cost is. Left out, the year of found_on; where the cost changes, the year of the change.
    cost_year: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What correcting it is estimated to cost, in prices of cost_year.
    estimated_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day on which it was found, not in the future; today when left out.
    found_on: str | None
    #: Its number; given when left out.
    number: str | None
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: How much of it, in unit.
    quantity: float | None
    #: The site that it is of; one of site_id, building_id, system_id and asset_id is required. As a filter: with everything on
    #: the site.
    site_id: str | None
    #: Where it comes from.
    source: Literal['assessment', 'inspection', 'form', 'request', 'work_order', 'import', 'manual'] | None
    #: The record that it comes from.
    source_id: str | None
    #: open → planned, in_work, corrected, waived, void; planned → open, in_work, corrected, waived, void; in_work → open,
    #: planned, corrected; corrected, waived → open; void is final. The first three are live.
    status: Literal['open', 'planned', 'in_work', 'corrected', 'waived', 'void'] | None
    #: The system that it is of. As a filter: with the system's assets.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    #: What quantity counts.
    unit: str | None
    #: Why nothing will be done about it. Required when it is waived; the way back clears it.
    waive_reason: str | None
    #: In place of asset_id: the external_id of that record, which may be of an earlier row.
    asset_external_id: str | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None
    #: In place of system_id: the external_id of that record, which may be of an earlier row.
    system_external_id: str | None


class DeficiencyBulkDelete(TypedDict):
    data: list[DeficiencyBulkDeleteRow]


class DeficiencyBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: Its number; given when left out.
    number: str | None


class DeficiencyBulkPatch(TypedDict):
    data: list[DeficiencyBulkPatchRow]


class DeficiencyBulkPatchRow(TypedDict, total=False):
    #: The year in which it should be corrected. Until then it is no deferred maintenance; null: at once.
    action_year: int | None
    #: What correcting it cost. Of corrected ones; the way back clears it.
    actual_cost: float | None
    #: The asset that it is of.
    asset_id: str | None
    #: The building that it is of. As a filter: with everything in the building.
    building_id: str | None
    #: What kind of need it is. The first four count as deferred maintenance; accessibility and functional are improvements, and a
    #: renewal counts by planned_renewal_year already.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal'] | None
    #: Day on which it was corrected, not in the future and not before found_on. The move to corrected stamps it with today unless
    #: it is given, and the way back clears it; one that is entered as corrected needs it.
    corrected_on: str | None
    #: How sure the estimate is, from A (from tenders or working drawings) to D (a first guess).
    cost_class: Literal['A', 'B', 'C', 'D'] | None
    #: The year of whose prices estimated_cost is. Left out, the year of found_on; where the cost changes, the year of the change.
    cost_year: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What correcting it is estimated to cost, in prices of cost_year.
    estimated_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day on which it was found, not in the future; today when left out.
    found_on: str | None
    #: Its number; given when left out.
    number: str | None
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: How much of it, in unit.
    quantity: float | None
    #: The site that it is of; one of site_id, building_id, system_id and asset_id is required. As a filter: with everything on
    #: the site.
    site_id: str | None
    #: Where it comes from.
    source: Literal['assessment', 'inspection', 'form', 'request', 'work_order', 'import', 'manual'] | None
    #: The record that it comes from.
    source_id: str | None
    #: open → planned, in_work, corrected, waived, void; planned → open, in_work, corrected, waived, void; in_work → open,
    #: planned, corrected; corrected, waived → open; void is final. The first three are live.
    status: Literal['open', 'planned', 'in_work', 'corrected', 'waived', 'void'] | None
    #: The system that it is of. As a filter: with the system's assets.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: What is wrong, in a few words.
    title: str
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    #: What quantity counts.
    unit: str | None
    #: Why nothing will be done about it. Required when it is waived; the way back clears it.
    waive_reason: str | None
    #: In place of asset_id: the external_id of that record, which may be of an earlier row.
    asset_external_id: str | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: Of the record. Left out: external_id, else number, names it.
    id: str
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None
    #: In place of system_id: the external_id of that record, which may be of an earlier row.
    system_external_id: str | None


class DeficiencyBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Deficiency]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _DeficiencyEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class DeficiencyEventActor(_DeficiencyEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class DeficiencyEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Deficiency


class _DeficiencyEventRequired(TypedDict):
    #: Who did it.
    actor: DeficiencyEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: DeficiencyEventData
    type: Literal['deficiency.created', 'deficiency.updated', 'deficiency.deleted', 'deficiency.corrected']


class DeficiencyEvent(_DeficiencyEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


DeficiencyExpansion: TypeAlias = "Literal['site', 'building', 'system', 'asset']"


DeficiencyField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'site_id', 'building_id', 'system_id', 'asset_id', 'title', 'number', 'status', 'uniformat_code', 'category', 'priority', 'quantity', 'unit', 'estimated_cost', 'cost_class', 'cost_year', 'action_year', 'source', 'source_id', 'found_on', 'corrected_on', 'actual_cost', 'waive_reason', 'work_order_id', 'project_id', 'counts_as_deferred', 'currency']"


class _DeficiencyListRequired(TypedDict):
    data: list[Deficiency]
    pagination: Pagination


class DeficiencyList(_DeficiencyListRequired, total=False):
    search: SearchCorrections


class DeficiencyPatch(TypedDict, total=False):
    #: The year in which it should be corrected. Until then it is no deferred maintenance; null: at once.
    action_year: int | None
    #: What correcting it cost. Of corrected ones; the way back clears it.
    actual_cost: float | None
    #: The asset that it is of.
    asset_id: str | None
    #: The building that it is of. As a filter: with everything in the building.
    building_id: str | None
    #: What kind of need it is. The first four count as deferred maintenance; accessibility and functional are improvements, and a
    #: renewal counts by planned_renewal_year already.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal'] | None
    #: Day on which it was corrected, not in the future and not before found_on. The move to corrected stamps it with today unless
    #: it is given, and the way back clears it; one that is entered as corrected needs it.
    corrected_on: str | None
    #: How sure the estimate is, from A (from tenders or working drawings) to D (a first guess).
    cost_class: Literal['A', 'B', 'C', 'D'] | None
    #: The year of whose prices estimated_cost is. Left out, the year of found_on; where the cost changes, the year of the change.
    cost_year: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What correcting it is estimated to cost, in prices of cost_year.
    estimated_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day on which it was found, not in the future; today when left out.
    found_on: str | None
    #: Its number; given when left out.
    number: str | None
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: How much of it, in unit.
    quantity: float | None
    #: The site that it is of; one of site_id, building_id, system_id and asset_id is required. As a filter: with everything on
    #: the site.
    site_id: str | None
    #: Where it comes from.
    source: Literal['assessment', 'inspection', 'form', 'request', 'work_order', 'import', 'manual'] | None
    #: The record that it comes from.
    source_id: str | None
    #: open → planned, in_work, corrected, waived, void; planned → open, in_work, corrected, waived, void; in_work → open,
    #: planned, corrected; corrected, waived → open; void is final. The first three are live.
    status: Literal['open', 'planned', 'in_work', 'corrected', 'waived', 'void'] | None
    #: The system that it is of. As a filter: with the system's assets.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: What is wrong, in a few words.
    title: str
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    #: What quantity counts.
    unit: str | None
    #: Why nothing will be done about it. Required when it is waived; the way back clears it.
    waive_reason: str | None


class DeficiencyReportTotal(TypedDict):
    """All of them."""

    #: Their estimated costs, each as recorded.
    cost: float
    #: Live deficiencies: open, planned, in work.
    count: int
    #: What of it counts as deferred maintenance: by category, of what is in use.
    counting_cost: float
    #: Those of which nobody knows the cost.
    without_cost: int


class DeficiencyReport(TypedDict):
    #: Currency of every amount of money.
    currency: str
    #: The groups, by name or key; what has none comes last. They add up to the total.
    data: list[DeficiencyReportGroup]
    group_by: str
    pagination: PageNumbers
    #: All of them.
    total: DeficiencyReportTotal
    #: The year that was asked for; null for all.
    year: int | None


class DeficiencyReportGroup(TypedDict):
    #: Their estimated costs, each as recorded.
    cost: float
    #: Live deficiencies: open, planned, in work.
    count: int
    #: What of it counts as deferred maintenance: by category, of what is in use.
    counting_cost: float
    #: The site or building, where the groups are such.
    id: str | None
    #: What the group has in common, where it is no record; null for what has none.
    key: str | None
    #: Name of the site or building.
    name: str | None
    #: Those of which nobody knows the cost.
    without_cost: int


DeficiencySort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'title', '-title', 'number', '-number', 'status', '-status', 'uniformat_code', '-uniformat_code', 'category', '-category', 'priority', '-priority', 'estimated_cost', '-estimated_cost', 'cost_class', '-cost_class', 'action_year', '-action_year', 'source', '-source', 'found_on', '-found_on', 'corrected_on', '-corrected_on', 'actual_cost', '-actual_cost', 'relevance']"


class _DeficiencyTransitionRequired(TypedDict):
    #: The state to move to.
    to: Literal['open', 'planned', 'in_work', 'corrected', 'waived', 'void']


class DeficiencyTransition(_DeficiencyTransitionRequired, total=False):
    #: What correcting it cost. Of corrected ones; the way back clears it.
    actual_cost: float | None
    #: Day on which it was corrected, not in the future and not before found_on. The move to corrected stamps it with today unless
    #: it is given, and the way back clears it; one that is entered as corrected needs it.
    corrected_on: str | None
    #: Why nothing will be done about it. Required when it is waived; the way back clears it.
    waive_reason: str | None


class _DeficiencyWriteRequired(TypedDict):
    #: What is wrong, in a few words.
    title: str


class DeficiencyWrite(_DeficiencyWriteRequired, total=False):
    #: The year in which it should be corrected. Until then it is no deferred maintenance; null: at once.
    action_year: int | None
    #: What correcting it cost. Of corrected ones; the way back clears it.
    actual_cost: float | None
    #: The asset that it is of.
    asset_id: str | None
    #: The building that it is of. As a filter: with everything in the building.
    building_id: str | None
    #: What kind of need it is. The first four count as deferred maintenance; accessibility and functional are improvements, and a
    #: renewal counts by planned_renewal_year already. Left out: "deferred_maintenance".
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal'] | None
    #: Day on which it was corrected, not in the future and not before found_on. The move to corrected stamps it with today unless
    #: it is given, and the way back clears it; one that is entered as corrected needs it.
    corrected_on: str | None
    #: How sure the estimate is, from A (from tenders or working drawings) to D (a first guess).
    cost_class: Literal['A', 'B', 'C', 'D'] | None
    #: The year of whose prices estimated_cost is. Left out, the year of found_on; where the cost changes, the year of the change.
    cost_year: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What correcting it is estimated to cost, in prices of cost_year.
    estimated_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day on which it was found, not in the future; today when left out.
    found_on: str | None
    #: Its number; given when left out.
    number: str | None
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: How much of it, in unit.
    quantity: float | None
    #: The site that it is of; one of site_id, building_id, system_id and asset_id is required. As a filter: with everything on
    #: the site.
    site_id: str | None
    #: Where it comes from. Left out: "manual".
    source: Literal['assessment', 'inspection', 'form', 'request', 'work_order', 'import', 'manual'] | None
    #: The record that it comes from.
    source_id: str | None
    #: open → planned, in_work, corrected, waived, void; planned → open, in_work, corrected, waived, void; in_work → open,
    #: planned, corrected; corrected, waived → open; void is final. The first three are live. Left out: "open".
    status: Literal['open', 'planned', 'in_work', 'corrected', 'waived', 'void'] | None
    #: The system that it is of. As a filter: with the system's assets.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    #: What quantity counts.
    unit: str | None
    #: Why nothing will be done about it. Required when it is waived; the way back clears it.
    waive_reason: str | None


class _ErrorRequired(TypedDict):
    #: Stable machine word.
    code: str
    #: One sentence a person can act on.
    error: str


class Error(_ErrorRequired, total=False):
    """What every error looks like."""

    #: On 409: the transitions that are allowed.
    allowed: list[str]
    #: On 409: how many records of each collection still refer to this one.
    dependents: dict[str, int]
    #: On 409: the record that holds the value.
    existing_id: str
    #: On 403: the feature that the plan does not include.
    feature: str
    #: On 409: the field that clashed.
    field: str
    #: Every problem of the request, by field.
    fields: list[FieldProblem]
    #: The X-Request-Id of the answer.
    request_id: str
    #: On 403: the scope that is needed.
    required_scope: str
    #: Of a bulk call that wrote nothing: each bad row.
    results: list[BulkRowResult]
    #: On 403: the scopes that the key has.
    scopes: list[str]
    summary: BulkSummary
    #: On 409: the value that clashed.
    value: Any


class _EventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class EventActor(_EventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class EventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    #: The record as GET shows it; of a deleted one, as it was last. Not in thin and in truncated bodies.
    object: dict[str, Any]


class _EventRequired(TypedDict):
    #: Who did it.
    actor: EventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: EventData
    #: As GET /v1/event-types lists them.
    type: str


class Event(_EventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


class EventChange(TypedDict, total=False):
    """What has changed."""

    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int


class _EventEnvelopeActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class EventEnvelopeActor(_EventEnvelopeActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class _EventEnvelopeRequired(TypedDict):
    #: Who did it.
    actor: EventEnvelopeActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str


class EventEnvelope(_EventEnvelopeRequired, total=False):
    """What every event has."""

    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


class EventList(TypedDict):
    data: list[FeedEvent]
    #: There is more already: call again at once. An answer may be empty and have more.
    has_more: bool
    #: Where to go on: after= of the next call. Keep it, whether or not there were events.
    next: str


class EventType(TypedDict):
    #: When it is sent.
    description: str
    example: Event
    #: The feature of the plan that it belongs to; empty for what every plan has.
    feature: str
    #: What event_types names, and what an event has as its type.
    name: str
    #: The scope that is needed to receive it; with :read. Of import.completed: that of the collection.
    scope: str


class EventTypeList(TypedDict):
    data: list[EventType]


FeedEvent: TypeAlias = 'AssetEvent | BuildingEvent | CalendarEvent | ConditionAssessmentEvent | DeficiencyEvent | FormResponseEvent | FormTemplateEvent | ImportCompletedEvent | InfrastructureDeficiencyEvent | InspectionEvent | JobPlanEvent | LosMeasureEvent | LosMeasurementEvent | LosServiceAreaEvent | LosTargetEvent | MeterEvent | NetworkEvent | PmPlanEvent | PriceIndexEvent | PriceIndexValueEvent | ProjectBudgetLineEvent | ProjectEffectEvent | ProjectEvent | ProjectFundingSourceEvent | ProjectLinkEvent | ProjectPhaseEvent | RequestEvent | RequestLinkEvent | RequestServiceEvent | SegmentEvent | SiteEvent | SlaPolicyEvent | SystemEvent | TeamEvent | UserEvent | VendorEvent | WebhookEndpointEvent | WebhookTestEvent | WorkOrderCommentEvent | WorkOrderCostEvent | WorkOrderEffectEvent | WorkOrderEvent | WorkOrderTargetEvent | WorkOrderTaskEvent'


class FieldProblem(TypedDict):
    """What is wrong with one field."""

    #: Its name; in a bulk call with its row: data[3].name.
    field: str
    #: What is wrong with it.
    message: str


class FormAmendment(TypedDict):
    #: Why it is corrected.
    reason: str


class FormEffect(TypedDict):
    answered_at: str | None
    created_at: str
    #: Of the effect.
    id: str
    #: The item that it is of.
    item_key: str
    #: What is done.
    kind: Literal['create_deficiency', 'create_work_order', 'read_meter']
    #: Why it was refused.
    message: str | None
    #: The record that is made, or the reading.
    payload: dict[str, Any]
    #: The record that was made.
    result_id: str | None
    #: pending: not answered yet. refused: message says why; retry or withdraw it.
    state: Literal['pending', 'applied', 'refused', 'withdrawn']


class FormEffectList(TypedDict):
    #: In the order of the items.
    data: list[FormEffect]


class FormResponseAmends(TypedDict):
    """With expand=amends."""

    id: str
    name: str


class FormResponseAsset(TypedDict):
    """With expand=asset."""

    id: str
    name: str


class FormResponseBuilding(TypedDict):
    """With expand=building."""

    id: str
    name: str


class FormResponseCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class FormResponseSegment(TypedDict):
    """With expand=segment."""

    id: str
    name: str


class FormResponseSite(TypedDict):
    """With expand=site."""

    id: str
    name: str


class FormResponseSystem(TypedDict):
    """With expand=system."""

    id: str
    name: str


class FormResponseTemplate(TypedDict):
    """With expand=template."""

    id: str
    name: str


class FormResponseUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class FormResponseWorkOrder(TypedDict):
    """With expand=work_order."""

    id: str
    name: str


class _FormResponseRequired(TypedDict):
    #: Why.
    amend_reason: str | None
    #: The response that corrects this one.
    amended_by_id: str | None
    #: The submitted response that this one corrects.
    amends_id: str | None
    #: By the keys of the items: true or false, a number, a text, or a list of texts. Those of hidden items are dropped when the
    #: form is submitted.
    answers: dict[str, Any]
    #: The asset that it is about.
    asset_id: str | None
    #: The building that it is about.
    building_id: str | None
    created_at: str
    created_by: FormResponseCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The keys of the items that failed, once it is submitted.
    failed_items: list[str]
    #: Made by the service (UUID version 7).
    id: str
    #: The template's name.
    name: str
    #: 100 × the weight of the items that passed ÷ the weight of those that were judged; null before it is submitted, and where
    #: nothing was judged.
    score: float | None
    #: The segment that it is about.
    segment_id: str | None
    #: The site that it is about. Exactly one of site_id, building_id, system_id, asset_id and segment_id, the subject, is
    #: required.
    site_id: str | None
    #: Submitted by POST /v1/forms/responses/{id}/submit, and final then.
    status: Literal['in_progress', 'submitted']
    #: When it was submitted; updated_by is who did.
    submitted_at: str | None
    #: The system that it is about.
    system_id: str | None
    #: Labels of your own.
    tags: list[str]
    #: The template, a published one. The response keeps to it, whatever becomes of the form later.
    template_id: str
    updated_at: str
    updated_by: FormResponseUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int
    #: The work order that it was filled in for.
    work_order_id: str | None


class FormResponse(_FormResponseRequired, total=False):
    #: With expand=amends.
    amends: FormResponseAmends | None
    #: With expand=asset.
    asset: FormResponseAsset | None
    #: With expand=building.
    building: FormResponseBuilding | None
    #: With expand=segment.
    segment: FormResponseSegment | None
    #: With expand=site.
    site: FormResponseSite | None
    #: With expand=system.
    system: FormResponseSystem | None
    #: With expand=template.
    template: FormResponseTemplate | None
    #: With expand=work_order.
    work_order: FormResponseWorkOrder | None


class FormResponseBulkCreate(TypedDict):
    data: list[FormResponseBulkCreateRow]


class FormResponseBulkCreateRow(TypedDict, total=False):
    #: By the keys of the items: true or false, a number, a text, or a list of texts. Those of hidden items are dropped when the
    #: form is submitted.
    answers: dict[str, Any] | None
    #: The asset that it is about.
    asset_id: str | None
    #: The building that it is about.
    building_id: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The segment that it is about.
    segment_id: str | None
    #: The site that it is about. Exactly one of site_id, building_id, system_id, asset_id and segment_id, the subject, is
    #: required.
    site_id: str | None
    #: The system that it is about.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: The template, a published one. The response keeps to it, whatever becomes of the form later.
    template_id: str
    #: The work order that it was filled in for.
    work_order_id: str | None
    #: In place of asset_id: the external_id of that record, which may be of an earlier row.
    asset_external_id: str | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: In place of segment_id: the external_id of that record, which may be of an earlier row.
    segment_external_id: str | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None
    #: In place of system_id: the external_id of that record, which may be of an earlier row.
    system_external_id: str | None
    #: In place of template_id: the external_id of that record, which may be of an earlier row.
    template_external_id: str | None
    #: In place of work_order_id: the external_id of that record, which may be of an earlier row.
    work_order_external_id: str | None


class FormResponseBulkDelete(TypedDict):
    data: list[RecordKey]


class FormResponseBulkPatch(TypedDict):
    data: list[FormResponseBulkPatchRow]


class FormResponseBulkPatchRow(TypedDict, total=False):
    #: By the keys of the items: true or false, a number, a text, or a list of texts. Those of hidden items are dropped when the
    #: form is submitted.
    answers: dict[str, Any] | None
    #: The asset that it is about.
    asset_id: str | None
    #: The building that it is about.
    building_id: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The segment that it is about.
    segment_id: str | None
    #: The site that it is about. Exactly one of site_id, building_id, system_id, asset_id and segment_id, the subject, is
    #: required.
    site_id: str | None
    #: The system that it is about.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: The template, a published one. The response keeps to it, whatever becomes of the form later.
    template_id: str
    #: The work order that it was filled in for.
    work_order_id: str | None
    #: In place of asset_id: the external_id of that record, which may be of an earlier row.
    asset_external_id: str | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: Of the record. Left out: external_id names it.
    id: str
    #: In place of segment_id: the external_id of that record, which may be of an earlier row.
    segment_external_id: str | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None
    #: In place of system_id: the external_id of that record, which may be of an earlier row.
    system_external_id: str | None
    #: In place of template_id: the external_id of that record, which may be of an earlier row.
    template_external_id: str | None
    #: In place of work_order_id: the external_id of that record, which may be of an earlier row.
    work_order_external_id: str | None


class FormResponseBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[FormResponse]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _FormResponseEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class FormResponseEventActor(_FormResponseEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class FormResponseEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: FormResponse


class _FormResponseEventRequired(TypedDict):
    #: Who did it.
    actor: FormResponseEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: FormResponseEventData
    type: Literal['form_response.created', 'form_response.updated', 'form_response.deleted', 'form_response.submitted', 'form_response.effect_refused']


class FormResponseEvent(_FormResponseEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


FormResponseExpansion: TypeAlias = "Literal['template', 'site', 'building', 'system', 'asset', 'segment', 'work_order', 'amends']"


FormResponseField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'template_id', 'name', 'site_id', 'building_id', 'system_id', 'asset_id', 'segment_id', 'work_order_id', 'answers', 'status', 'score', 'failed_items', 'submitted_at', 'amends_id', 'amend_reason', 'amended_by_id']"


class _FormResponseListRequired(TypedDict):
    data: list[FormResponse]
    pagination: Pagination


class FormResponseList(_FormResponseListRequired, total=False):
    search: SearchCorrections


class FormResponsePatch(TypedDict, total=False):
    #: By the keys of the items: true or false, a number, a text, or a list of texts. Those of hidden items are dropped when the
    #: form is submitted.
    answers: dict[str, Any] | None
    #: The asset that it is about.
    asset_id: str | None
    #: The building that it is about.
    building_id: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The segment that it is about.
    segment_id: str | None
    #: The site that it is about. Exactly one of site_id, building_id, system_id, asset_id and segment_id, the subject, is
    #: required.
    site_id: str | None
    #: The system that it is about.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: The template, a published one. The response keeps to it, whatever becomes of the form later.
    template_id: str
    #: The work order that it was filled in for.
    work_order_id: str | None


FormResponseSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'status', '-status', 'score', '-score', 'submitted_at', '-submitted_at', 'relevance']"


class _FormResponseWriteRequired(TypedDict):
    #: The template, a published one. The response keeps to it, whatever becomes of the form later.
    template_id: str


class FormResponseWrite(_FormResponseWriteRequired, total=False):
    #: By the keys of the items: true or false, a number, a text, or a list of texts. Those of hidden items are dropped when the
    #: form is submitted.
    answers: dict[str, Any] | None
    #: The asset that it is about.
    asset_id: str | None
    #: The building that it is about.
    building_id: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The segment that it is about.
    segment_id: str | None
    #: The site that it is about. Exactly one of site_id, building_id, system_id, asset_id and segment_id, the subject, is
    #: required.
    site_id: str | None
    #: The system that it is about.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: The work order that it was filled in for.
    work_order_id: str | None


class FormSubmission(TypedDict, total=False):
    #: Answers that are added, or null for one that is taken away; all others stay.
    answers: dict[str, Any]


class FormTemplateCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class FormTemplateItemsItemFailsWhen(TypedDict, total=False):
    """The item has failed when this holds of its own or earlier answers. A pass_fail without it fails by fail."""

    #: Conditions of which all must hold, in place of a test of one item.
    all: list[dict[str, Any]]
    #: Conditions of which any must hold, in place of a test of one item.
    any: list[dict[str, Any]]
    #: The key of the item whose answer is looked at.
    item: str
    #: eq, ne, gt, gte, lt, lte compare; in: is one of a list; contains: a choice of several, or a text, has the value; answered:
    #: there is an answer, or with the value false there is none.
    op: Literal['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'answered']
    #: What the answer is compared with.
    value: Any


class FormTemplateItemsItemVisibleWhen(TypedDict, total=False):
    """The item is shown only when this holds of earlier answers. What is not shown has no answer."""

    #: Conditions of which all must hold, in place of a test of one item.
    all: list[dict[str, Any]]
    #: Conditions of which any must hold, in place of a test of one item.
    any: list[dict[str, Any]]
    #: The key of the item whose answer is looked at.
    item: str
    #: eq, ne, gt, gte, lt, lte compare; in: is one of a list; contains: a choice of several, or a text, has the value; answered:
    #: there is an answer, or with the value false there is none.
    op: Literal['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'answered']
    #: What the answer is compared with.
    value: Any


class _FormTemplateItemsItemRequired(TypedDict):
    #: What answers and conditions call it; unique in the form.
    key: str
    #: The question, in English.
    label: str
    #: section: a heading, of the items up to the next one. check: true or false. pass_fail: pass, fail or na. single, multi: one
    #: or several of options. number, text, date. photo: a list of names or addresses of pictures, which are kept as they are and
    #: never fetched. meter: a number that a meter shows.
    type: Literal['section', 'check', 'pass_fail', 'single', 'multi', 'number', 'text', 'date', 'photo', 'meter']


class FormTemplateItemsItem(_FormTemplateItemsItemRequired, total=False):
    #: Of the deficiency that is made; deferred_maintenance when left out.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal']
    #: The item has failed when this holds of its own or earlier answers. A pass_fail without it fails by fail.
    fails_when: FormTemplateItemsItemFailsWhen
    #: The question, in French.
    label_fr: str
    #: Of number and meter: the greatest answer.
    max: float
    #: Of meter: the name of the subject's meter that the answer is recorded as a reading of.
    meter: str
    #: Of number and meter: the least answer.
    min: float
    #: What is made of the subject when the item has failed.
    on_fail: Literal['none', 'deficiency', 'work_order']
    #: Of single and multi: what can be chosen.
    options: list[str] | None
    #: Of the deficiency or work order that is made.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: It must be answered before the form is submitted, where it is visible.
    required: bool
    #: Of number and meter: what the answer is in, for whoever fills the form in; of a meter, the unit that its reading is sent
    #: in.
    unit: str
    #: The item is shown only when this holds of earlier answers. What is not shown has no answer.
    visible_when: FormTemplateItemsItemVisibleWhen
    #: How much it counts in the score; 1 when left out.
    weight: float


class FormTemplateUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class FormTemplate(TypedDict):
    created_at: str
    created_by: FormTemplateCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: What the form is for.
    description: str | None
    #: What failed items may do, as scopes of whoever published it: who submits the form needs forms:write only.
    effect_scopes: list[str]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: The questions, in their order. Conditions look at earlier items only.
    items: list[FormTemplateItemsItem]
    #: Of the form; its revisions share it.
    name: str
    #: When it was published.
    published_at: str | None
    #: Counts the revisions of the form from 1.
    revision: int
    #: draft: may be changed. published: is filled in, and frozen. archived: is filled in no more; publishing the next revision
    #: archives the one before.
    status: Literal['draft', 'published', 'archived']
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: FormTemplateUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int


class FormTemplateBulkCreate(TypedDict):
    data: list[FormTemplateBulkCreateRow]


class FormTemplateBulkCreateRowItemsItemFailsWhen(TypedDict, total=False):
    """The item has failed when this holds of its own or earlier answers. A pass_fail without it fails by fail."""

    #: Conditions of which all must hold, in place of a test of one item.
    all: list[dict[str, Any]]
    #: Conditions of which any must hold, in place of a test of one item.
    any: list[dict[str, Any]]
    #: The key of the item whose answer is looked at.
    item: str
    #: eq, ne, gt, gte, lt, lte compare; in: is one of a list; contains: a choice of several, or a text, has the value; answered:
    #: there is an answer, or with the value false there is none.
    op: Literal['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'answered']
    #: What the answer is compared with.
    value: Any


class FormTemplateBulkCreateRowItemsItemVisibleWhen(TypedDict, total=False):
    """The item is shown only when this holds of earlier answers. What is not shown has no answer."""

    #: Conditions of which all must hold, in place of a test of one item.
    all: list[dict[str, Any]]
    #: Conditions of which any must hold, in place of a test of one item.
    any: list[dict[str, Any]]
    #: The key of the item whose answer is looked at.
    item: str
    #: eq, ne, gt, gte, lt, lte compare; in: is one of a list; contains: a choice of several, or a text, has the value; answered:
    #: there is an answer, or with the value false there is none.
    op: Literal['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'answered']
    #: What the answer is compared with.
    value: Any


class _FormTemplateBulkCreateRowItemsItemRequired(TypedDict):
    #: What answers and conditions call it; unique in the form.
    key: str
    #: The question, in English.
    label: str
    #: section: a heading, of the items up to the next one. check: true or false. pass_fail: pass, fail or na. single, multi: one
    #: or several of options. number, text, date. photo: a list of names or addresses of pictures, which are kept as they are and
    #: never fetched. meter: a number that a meter shows.
    type: Literal['section', 'check', 'pass_fail', 'single', 'multi', 'number', 'text', 'date', 'photo', 'meter']


class FormTemplateBulkCreateRowItemsItem(_FormTemplateBulkCreateRowItemsItemRequired, total=False):
    #: Of the deficiency that is made; deferred_maintenance when left out.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal']
    #: The item has failed when this holds of its own or earlier answers. A pass_fail without it fails by fail.
    fails_when: FormTemplateBulkCreateRowItemsItemFailsWhen
    #: The question, in French.
    label_fr: str
    #: Of number and meter: the greatest answer.
    max: float
    #: Of meter: the name of the subject's meter that the answer is recorded as a reading of.
    meter: str
    #: Of number and meter: the least answer.
    min: float
    #: What is made of the subject when the item has failed.
    on_fail: Literal['none', 'deficiency', 'work_order']
    #: Of single and multi: what can be chosen.
    options: list[str] | None
    #: Of the deficiency or work order that is made.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: It must be answered before the form is submitted, where it is visible.
    required: bool
    #: Of number and meter: what the answer is in, for whoever fills the form in; of a meter, the unit that its reading is sent
    #: in.
    unit: str
    #: The item is shown only when this holds of earlier answers. What is not shown has no answer.
    visible_when: FormTemplateBulkCreateRowItemsItemVisibleWhen
    #: How much it counts in the score; 1 when left out.
    weight: float


class _FormTemplateBulkCreateRowRequired(TypedDict):
    #: Of the form; its revisions share it.
    name: str


class FormTemplateBulkCreateRow(_FormTemplateBulkCreateRowRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What the form is for.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The questions, in their order. Conditions look at earlier items only.
    items: list[FormTemplateBulkCreateRowItemsItem] | None
    #: draft: may be changed. published: is filled in, and frozen. archived: is filled in no more; publishing the next revision
    #: archives the one before.
    status: Literal['draft', 'published', 'archived'] | None
    #: Labels of your own.
    tags: list[str] | None


class FormTemplateBulkDelete(TypedDict):
    data: list[RecordKey]


class FormTemplateBulkPatch(TypedDict):
    data: list[FormTemplateBulkPatchRow]


class FormTemplateBulkPatchRowItemsItemFailsWhen(TypedDict, total=False):
    """The item has failed when this holds of its own or earlier answers. A pass_fail without it fails by fail."""

    #: Conditions of which all must hold, in place of a test of one item.
    all: list[dict[str, Any]]
    #: Conditions of which any must hold, in place of a test of one item.
    any: list[dict[str, Any]]
    #: The key of the item whose answer is looked at.
    item: str
    #: eq, ne, gt, gte, lt, lte compare; in: is one of a list; contains: a choice of several, or a text, has the value; answered:
    #: there is an answer, or with the value false there is none.
    op: Literal['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'answered']
    #: What the answer is compared with.
    value: Any


class FormTemplateBulkPatchRowItemsItemVisibleWhen(TypedDict, total=False):
    """The item is shown only when this holds of earlier answers. What is not shown has no answer."""

    #: Conditions of which all must hold, in place of a test of one item.
    all: list[dict[str, Any]]
    #: Conditions of which any must hold, in place of a test of one item.
    any: list[dict[str, Any]]
    #: The key of the item whose answer is looked at.
    item: str
    #: eq, ne, gt, gte, lt, lte compare; in: is one of a list; contains: a choice of several, or a text, has the value; answered:
    #: there is an answer, or with the value false there is none.
    op: Literal['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'answered']
    #: What the answer is compared with.
    value: Any


class _FormTemplateBulkPatchRowItemsItemRequired(TypedDict):
    #: What answers and conditions call it; unique in the form.
    key: str
    #: The question, in English.
    label: str
    #: section: a heading, of the items up to the next one. check: true or false. pass_fail: pass, fail or na. single, multi: one
    #: or several of options. number, text, date. photo: a list of names or addresses of pictures, which are kept as they are and
    #: never fetched. meter: a number that a meter shows.
    type: Literal['section', 'check', 'pass_fail', 'single', 'multi', 'number', 'text', 'date', 'photo', 'meter']


class FormTemplateBulkPatchRowItemsItem(_FormTemplateBulkPatchRowItemsItemRequired, total=False):
    #: Of the deficiency that is made; deferred_maintenance when left out.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal']
    #: The item has failed when this holds of its own or earlier answers. A pass_fail without it fails by fail.
    fails_when: FormTemplateBulkPatchRowItemsItemFailsWhen
    #: The question, in French.
    label_fr: str
    #: Of number and meter: the greatest answer.
    max: float
    #: Of meter: the name of the subject's meter that the answer is recorded as a reading of.
    meter: str
    #: Of number and meter: the least answer.
    min: float
    #: What is made of the subject when the item has failed.
    on_fail: Literal['none', 'deficiency', 'work_order']
    #: Of single and multi: what can be chosen.
    options: list[str] | None
    #: Of the deficiency or work order that is made.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: It must be answered before the form is submitted, where it is visible.
    required: bool
    #: Of number and meter: what the answer is in, for whoever fills the form in; of a meter, the unit that its reading is sent
    #: in.
    unit: str
    #: The item is shown only when this holds of earlier answers. What is not shown has no answer.
    visible_when: FormTemplateBulkPatchRowItemsItemVisibleWhen
    #: How much it counts in the score; 1 when left out.
    weight: float


class FormTemplateBulkPatchRow(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What the form is for.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The questions, in their order. Conditions look at earlier items only.
    items: list[FormTemplateBulkPatchRowItemsItem] | None
    #: Of the form; its revisions share it.
    name: str
    #: draft: may be changed. published: is filled in, and frozen. archived: is filled in no more; publishing the next revision
    #: archives the one before.
    status: Literal['draft', 'published', 'archived'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Of the record. Left out: external_id names it.
    id: str


class FormTemplateBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[FormTemplate]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _FormTemplateEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class FormTemplateEventActor(_FormTemplateEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class FormTemplateEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: FormTemplate


class _FormTemplateEventRequired(TypedDict):
    #: Who did it.
    actor: FormTemplateEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: FormTemplateEventData
    type: Literal['form_template.created', 'form_template.updated', 'form_template.deleted']


class FormTemplateEvent(_FormTemplateEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


FormTemplateField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'name', 'revision', 'description', 'status', 'items', 'effect_scopes', 'published_at']"


class _FormTemplateListRequired(TypedDict):
    data: list[FormTemplate]
    pagination: Pagination


class FormTemplateList(_FormTemplateListRequired, total=False):
    search: SearchCorrections


class FormTemplatePatchItemsItemFailsWhen(TypedDict, total=False):
    """The item has failed when this holds of its own or earlier answers. A pass_fail without it fails by fail."""

    #: Conditions of which all must hold, in place of a test of one item.
    all: list[dict[str, Any]]
    #: Conditions of which any must hold, in place of a test of one item.
    any: list[dict[str, Any]]
    #: The key of the item whose answer is looked at.
    item: str
    #: eq, ne, gt, gte, lt, lte compare; in: is one of a list; contains: a choice of several, or a text, has the value; answered:
    #: there is an answer, or with the value false there is none.
    op: Literal['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'answered']
    #: What the answer is compared with.
    value: Any


class FormTemplatePatchItemsItemVisibleWhen(TypedDict, total=False):
    """The item is shown only when this holds of earlier answers. What is not shown has no answer."""

    #: Conditions of which all must hold, in place of a test of one item.
    all: list[dict[str, Any]]
    #: Conditions of which any must hold, in place of a test of one item.
    any: list[dict[str, Any]]
    #: The key of the item whose answer is looked at.
    item: str
    #: eq, ne, gt, gte, lt, lte compare; in: is one of a list; contains: a choice of several, or a text, has the value; answered:
    #: there is an answer, or with the value false there is none.
    op: Literal['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'answered']
    #: What the answer is compared with.
    value: Any


class _FormTemplatePatchItemsItemRequired(TypedDict):
    #: What answers and conditions call it; unique in the form.
    key: str
    #: The question, in English.
    label: str
    #: section: a heading, of the items up to the next one. check: true or false. pass_fail: pass, fail or na. single, multi: one
    #: or several of options. number, text, date. photo: a list of names or addresses of pictures, which are kept as they are and
    #: never fetched. meter: a number that a meter shows.
    type: Literal['section', 'check', 'pass_fail', 'single', 'multi', 'number', 'text', 'date', 'photo', 'meter']


class FormTemplatePatchItemsItem(_FormTemplatePatchItemsItemRequired, total=False):
    #: Of the deficiency that is made; deferred_maintenance when left out.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal']
    #: The item has failed when this holds of its own or earlier answers. A pass_fail without it fails by fail.
    fails_when: FormTemplatePatchItemsItemFailsWhen
    #: The question, in French.
    label_fr: str
    #: Of number and meter: the greatest answer.
    max: float
    #: Of meter: the name of the subject's meter that the answer is recorded as a reading of.
    meter: str
    #: Of number and meter: the least answer.
    min: float
    #: What is made of the subject when the item has failed.
    on_fail: Literal['none', 'deficiency', 'work_order']
    #: Of single and multi: what can be chosen.
    options: list[str] | None
    #: Of the deficiency or work order that is made.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: It must be answered before the form is submitted, where it is visible.
    required: bool
    #: Of number and meter: what the answer is in, for whoever fills the form in; of a meter, the unit that its reading is sent
    #: in.
    unit: str
    #: The item is shown only when this holds of earlier answers. What is not shown has no answer.
    visible_when: FormTemplatePatchItemsItemVisibleWhen
    #: How much it counts in the score; 1 when left out.
    weight: float


class FormTemplatePatch(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What the form is for.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The questions, in their order. Conditions look at earlier items only.
    items: list[FormTemplatePatchItemsItem] | None
    #: Of the form; its revisions share it.
    name: str
    #: draft: may be changed. published: is filled in, and frozen. archived: is filled in no more; publishing the next revision
    #: archives the one before.
    status: Literal['draft', 'published', 'archived'] | None
    #: Labels of your own.
    tags: list[str] | None


FormTemplateSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'revision', '-revision', 'status', '-status', 'published_at', '-published_at', 'relevance']"


class FormTemplateTransition(TypedDict):
    #: The state to move to.
    to: Literal['draft', 'published', 'archived']


class FormTemplateWriteItemsItemFailsWhen(TypedDict, total=False):
    """The item has failed when this holds of its own or earlier answers. A pass_fail without it fails by fail."""

    #: Conditions of which all must hold, in place of a test of one item.
    all: list[dict[str, Any]]
    #: Conditions of which any must hold, in place of a test of one item.
    any: list[dict[str, Any]]
    #: The key of the item whose answer is looked at.
    item: str
    #: eq, ne, gt, gte, lt, lte compare; in: is one of a list; contains: a choice of several, or a text, has the value; answered:
    #: there is an answer, or with the value false there is none.
    op: Literal['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'answered']
    #: What the answer is compared with.
    value: Any


class FormTemplateWriteItemsItemVisibleWhen(TypedDict, total=False):
    """The item is shown only when this holds of earlier answers. What is not shown has no answer."""

    #: Conditions of which all must hold, in place of a test of one item.
    all: list[dict[str, Any]]
    #: Conditions of which any must hold, in place of a test of one item.
    any: list[dict[str, Any]]
    #: The key of the item whose answer is looked at.
    item: str
    #: eq, ne, gt, gte, lt, lte compare; in: is one of a list; contains: a choice of several, or a text, has the value; answered:
    #: there is an answer, or with the value false there is none.
    op: Literal['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'answered']
    #: What the answer is compared with.
    value: Any


class _FormTemplateWriteItemsItemRequired(TypedDict):
    #: What answers and conditions call it; unique in the form.
    key: str
    #: The question, in English.
    label: str
    #: section: a heading, of the items up to the next one. check: true or false. pass_fail: pass, fail or na. single, multi: one
    #: or several of options. number, text, date. photo: a list of names or addresses of pictures, which are kept as they are and
    #: never fetched. meter: a number that a meter shows.
    type: Literal['section', 'check', 'pass_fail', 'single', 'multi', 'number', 'text', 'date', 'photo', 'meter']


class FormTemplateWriteItemsItem(_FormTemplateWriteItemsItemRequired, total=False):
    #: Of the deficiency that is made; deferred_maintenance when left out.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal']
    #: The item has failed when this holds of its own or earlier answers. A pass_fail without it fails by fail.
    fails_when: FormTemplateWriteItemsItemFailsWhen
    #: The question, in French.
    label_fr: str
    #: Of number and meter: the greatest answer.
    max: float
    #: Of meter: the name of the subject's meter that the answer is recorded as a reading of.
    meter: str
    #: Of number and meter: the least answer.
    min: float
    #: What is made of the subject when the item has failed.
    on_fail: Literal['none', 'deficiency', 'work_order']
    #: Of single and multi: what can be chosen.
    options: list[str] | None
    #: Of the deficiency or work order that is made.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: It must be answered before the form is submitted, where it is visible.
    required: bool
    #: Of number and meter: what the answer is in, for whoever fills the form in; of a meter, the unit that its reading is sent
    #: in.
    unit: str
    #: The item is shown only when this holds of earlier answers. What is not shown has no answer.
    visible_when: FormTemplateWriteItemsItemVisibleWhen
    #: How much it counts in the score; 1 when left out.
    weight: float


class _FormTemplateWriteRequired(TypedDict):
    #: Of the form; its revisions share it.
    name: str


class FormTemplateWrite(_FormTemplateWriteRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What the form is for.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The questions, in their order. Conditions look at earlier items only.
    items: list[FormTemplateWriteItemsItem] | None
    #: draft: may be changed. published: is filled in, and frozen. archived: is filled in no more; publishing the next revision
    #: archives the one before. Left out: "draft".
    status: Literal['draft', 'published', 'archived'] | None
    #: Labels of your own.
    tags: list[str] | None


class FoundRecordSite(TypedDict):
    id: str
    #: Null if the key may not read sites, or the name did not come in time.
    name: str | None


class FoundRecord(TypedDict):
    #: Its number, tag, code or e-mail address.
    code: str | None
    #: What tells it from others of its name.
    detail: str | None
    id: str
    kind: Literal['site', 'building', 'system', 'project', 'network', 'los_service_area', 'asset', 'segment', 'deficiency', 'infrastructure_deficiency', 'work_order', 'request', 'pm_plan', 'meter', 'los_measure', 'vendor', 'team', 'user']
    #: How it fits; similar: only after a correction.
    match: Literal['code', 'code_prefix', 'name', 'name_prefix', 'words', 'anywhere', 'similar']
    name: str
    site: FoundRecordSite | None
    status: str | None
    #: The record's path in this API.
    url: str


class FundingSourceCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class FundingSourceProject(TypedDict):
    """With expand=project."""

    id: str
    name: str


class FundingSourceUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _FundingSourceRequired(TypedDict):
    #: Number of the agreement or by-law.
    agreement_number: str | None
    #: How much.
    amount: float
    #: Day it was promised in writing.
    confirmed_on: str | None
    created_at: str
    created_by: FundingSourceCreatedBy
    #: Currency of every amount of money in the record.
    currency: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: Last day on which the money may be spent.
    expires_on: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Fiscal year that the money is for, by the calendar year it begins in. Left out, the plan spreads it over the years of the
    #: project's costs.
    fiscal_year: int | None
    #: Made by the service (UUID version 7).
    id: str
    #: What people call it.
    name: str | None
    #: Remarks for colleagues.
    notes: str | None
    #: The programme of the grant.
    program: str | None
    #: The project.
    project_id: str
    #: Day it was paid.
    received_on: str | None
    #: Day it was asked for.
    requested_on: str | None
    #: Where the money comes from; ccbf is the Canada Community-Building Fund, ocif the Ontario Community Infrastructure Fund.
    source_type: Literal['levy', 'reserve', 'debt', 'development_charges', 'user_rates', 'ccbf', 'ocif', 'provincial_grant', 'federal_grant', 'donation', 'other']
    #: Confirmed and received money counts as funding; requested money does not yet, declined money never.
    status: Literal['requested', 'confirmed', 'received', 'declined']
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: FundingSourceUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int


class FundingSource(_FundingSourceRequired, total=False):
    #: With expand=project.
    project: FundingSourceProject | None


class FundingSourceBulkCreate(TypedDict):
    data: list[FundingSourceBulkCreateRow]


class _FundingSourceBulkCreateRowRequired(TypedDict):
    #: How much.
    amount: float
    #: Where the money comes from; ccbf is the Canada Community-Building Fund, ocif the Ontario Community Infrastructure Fund.
    source_type: Literal['levy', 'reserve', 'debt', 'development_charges', 'user_rates', 'ccbf', 'ocif', 'provincial_grant', 'federal_grant', 'donation', 'other']


class FundingSourceBulkCreateRow(_FundingSourceBulkCreateRowRequired, total=False):
    #: Number of the agreement or by-law.
    agreement_number: str | None
    #: Day it was promised in writing.
    confirmed_on: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Last day on which the money may be spent.
    expires_on: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Fiscal year that the money is for, by the calendar year it begins in. Left out, the plan spreads it over the years of the
    #: project's costs.
    fiscal_year: int | None
    #: What people call it.
    name: str | None
    #: Remarks for colleagues.
    notes: str | None
    #: The programme of the grant.
    program: str | None
    #: Day it was paid.
    received_on: str | None
    #: Day it was asked for.
    requested_on: str | None
    #: Confirmed and received money counts as funding; requested money does not yet, declined money never.
    status: Literal['requested', 'confirmed', 'received', 'declined'] | None
    #: Labels of your own.
    tags: list[str] | None


class FundingSourceBulkDelete(TypedDict):
    data: list[RecordKey]


class FundingSourceBulkPatch(TypedDict):
    data: list[FundingSourceBulkPatchRow]


class FundingSourceBulkPatchRow(TypedDict, total=False):
    #: Number of the agreement or by-law.
    agreement_number: str | None
    #: How much.
    amount: float
    #: Day it was promised in writing.
    confirmed_on: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Last day on which the money may be spent.
    expires_on: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Fiscal year that the money is for, by the calendar year it begins in. Left out, the plan spreads it over the years of the
    #: project's costs.
    fiscal_year: int | None
    #: What people call it.
    name: str | None
    #: Remarks for colleagues.
    notes: str | None
    #: The programme of the grant.
    program: str | None
    #: Day it was paid.
    received_on: str | None
    #: Day it was asked for.
    requested_on: str | None
    #: Where the money comes from; ccbf is the Canada Community-Building Fund, ocif the Ontario Community Infrastructure Fund.
    source_type: Literal['levy', 'reserve', 'debt', 'development_charges', 'user_rates', 'ccbf', 'ocif', 'provincial_grant', 'federal_grant', 'donation', 'other']
    #: Confirmed and received money counts as funding; requested money does not yet, declined money never.
    status: Literal['requested', 'confirmed', 'received', 'declined'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Of the record. Left out: external_id names it.
    id: str


class FundingSourceBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[FundingSource]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


FundingSourceExpansion: TypeAlias = "Literal['project']"


FundingSourceField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'project_id', 'source_type', 'name', 'status', 'amount', 'fiscal_year', 'program', 'agreement_number', 'requested_on', 'confirmed_on', 'received_on', 'expires_on', 'notes', 'currency']"


class _FundingSourceListRequired(TypedDict):
    data: list[FundingSource]
    pagination: Pagination


class FundingSourceList(_FundingSourceListRequired, total=False):
    search: SearchCorrections


class FundingSourcePatch(TypedDict, total=False):
    #: Number of the agreement or by-law.
    agreement_number: str | None
    #: How much.
    amount: float
    #: Day it was promised in writing.
    confirmed_on: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Last day on which the money may be spent.
    expires_on: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Fiscal year that the money is for, by the calendar year it begins in. Left out, the plan spreads it over the years of the
    #: project's costs.
    fiscal_year: int | None
    #: What people call it.
    name: str | None
    #: Remarks for colleagues.
    notes: str | None
    #: The programme of the grant.
    program: str | None
    #: Day it was paid.
    received_on: str | None
    #: Day it was asked for.
    requested_on: str | None
    #: Where the money comes from; ccbf is the Canada Community-Building Fund, ocif the Ontario Community Infrastructure Fund.
    source_type: Literal['levy', 'reserve', 'debt', 'development_charges', 'user_rates', 'ccbf', 'ocif', 'provincial_grant', 'federal_grant', 'donation', 'other']
    #: Confirmed and received money counts as funding; requested money does not yet, declined money never.
    status: Literal['requested', 'confirmed', 'received', 'declined'] | None
    #: Labels of your own.
    tags: list[str] | None


FundingSourceSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'source_type', '-source_type', 'name', '-name', 'status', '-status', 'amount', '-amount', 'fiscal_year', '-fiscal_year', 'program', '-program', 'agreement_number', '-agreement_number', 'requested_on', '-requested_on', 'confirmed_on', '-confirmed_on', 'received_on', '-received_on', 'expires_on', '-expires_on', 'relevance']"


class _FundingSourceWriteRequired(TypedDict):
    #: How much.
    amount: float
    #: Where the money comes from; ccbf is the Canada Community-Building Fund, ocif the Ontario Community Infrastructure Fund.
    source_type: Literal['levy', 'reserve', 'debt', 'development_charges', 'user_rates', 'ccbf', 'ocif', 'provincial_grant', 'federal_grant', 'donation', 'other']


class FundingSourceWrite(_FundingSourceWriteRequired, total=False):
    #: Number of the agreement or by-law.
    agreement_number: str | None
    #: Day it was promised in writing.
    confirmed_on: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Last day on which the money may be spent.
    expires_on: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Fiscal year that the money is for, by the calendar year it begins in. Left out, the plan spreads it over the years of the
    #: project's costs.
    fiscal_year: int | None
    #: What people call it.
    name: str | None
    #: Remarks for colleagues.
    notes: str | None
    #: The programme of the grant.
    program: str | None
    #: Day it was paid.
    received_on: str | None
    #: Day it was asked for.
    requested_on: str | None
    #: Confirmed and received money counts as funding; requested money does not yet, declined money never. Left out: "requested".
    status: Literal['requested', 'confirmed', 'received', 'declined'] | None
    #: Labels of your own.
    tags: list[str] | None


class History(TypedDict):
    data: list[HistoryEntry]
    pagination: PageNumbers


class HistoryEntryActor(TypedDict):
    id: str
    name: str
    type: str


class HistoryEntryChangesValue(TypedDict):
    new: Any
    old: Any


class HistoryEntry(TypedDict):
    action: Literal['created', 'updated', 'deleted']
    actor: HistoryEntryActor
    at: str
    #: The fields that changed, with their old and new values.
    changes: dict[str, HistoryEntryChangesValue]
    #: Of the entry.
    id: str
    record_id: str
    request_id: str
    #: The record's version after the change.
    version: int


class _ImportCompletedEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class ImportCompletedEventActor(_ImportCompletedEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class ImportCompletedEventDataObject(TypedDict, total=False):
    """The record as GET shows it; of a deleted one, as it was last. Not in thin and in truncated bodies."""

    #: Records that are new.
    created: int
    file_name: str | None
    import_id: str
    #: Rows that were refused.
    rejected: int
    #: Records that were as the file says.
    unchanged: int
    #: Records that were changed.
    updated: int


class ImportCompletedEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    #: The record as GET shows it; of a deleted one, as it was last. Not in thin and in truncated bodies.
    object: ImportCompletedEventDataObject


class _ImportCompletedEventRequired(TypedDict):
    #: Who did it.
    actor: ImportCompletedEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: ImportCompletedEventData
    type: Literal['import.completed']


class ImportCompletedEvent(_ImportCompletedEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


class _ImportCompletionRequired(TypedDict):
    #: The import's id, made by the importer: the same as in the Import-Id header of its calls.
    import_id: str


class ImportCompletion(_ImportCompletionRequired, total=False):
    #: Records that were created. Left out: 0.
    created: int
    #: Name of the file that was imported.
    file_name: str | None
    #: Records that were refused. Left out: 0.
    rejected: int
    #: Records that were there and stayed as they were. Left out: 0.
    unchanged: int
    #: Records that were there and were updated. Left out: 0.
    updated: int


class InfrastructureDeficiencyCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class InfrastructureDeficiencySegment(TypedDict):
    """With expand=segment."""

    id: str
    name: str


class InfrastructureDeficiencyUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _InfrastructureDeficiencyRequired(TypedDict):
    #: The year in which it should be corrected. Until then it is no deferred maintenance; null: at once.
    action_year: int | None
    #: What correcting it cost. Of corrected ones; the way back clears it.
    actual_cost: float | None
    #: What kind of need it is. The first four count as deferred maintenance; accessibility and functional are improvements, and a
    #: renewal counts by planned_renewal_year already.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal']
    #: Day on which it was corrected, not in the future and not before found_on. The move to corrected stamps it with today unless
    #: it is given, and the way back clears it; one that is entered as corrected needs it.
    corrected_on: str | None
    #: How sure the estimate is, from A (from tenders or working drawings) to D (a first guess).
    cost_class: Literal['A', 'B', 'C', 'D'] | None
    #: The year of whose prices estimated_cost is. Left out, the year of found_on; where the cost changes, the year of the change.
    cost_year: int | None
    #: Whether it is live and of a category that counts as deferred maintenance. Its cost counts from action_year on.
    counts_as_deferred: bool
    created_at: str
    created_by: InfrastructureDeficiencyCreatedBy
    #: Currency of every amount of money in the record.
    currency: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: What correcting it is estimated to cost, in prices of cost_year.
    estimated_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day on which it was found, not in the future; today when left out.
    found_on: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: Its number; given when left out.
    number: str | None
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: The project that it is planned or done with.
    project_id: str | None
    #: How much of it, in unit.
    quantity: float | None
    #: The segment that it was found on.
    segment_id: str
    #: Where it comes from.
    source: Literal['assessment', 'inspection', 'form', 'request', 'work_order', 'import', 'manual']
    #: The record that it comes from.
    source_id: str | None
    #: open → planned, in_work, corrected, waived, void; planned → open, in_work, corrected, waived, void; in_work → open,
    #: planned, corrected; corrected, waived → open; void is final. The first three are live.
    status: Literal['open', 'planned', 'in_work', 'corrected', 'waived', 'void']
    #: Labels of your own.
    tags: list[str]
    #: What is wrong, in a few words.
    title: str
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    #: What quantity counts.
    unit: str | None
    updated_at: str
    updated_by: InfrastructureDeficiencyUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int
    #: Why nothing will be done about it. Required when it is waived; the way back clears it.
    waive_reason: str | None
    #: The work order that it is planned or done with.
    work_order_id: str | None


class InfrastructureDeficiency(_InfrastructureDeficiencyRequired, total=False):
    #: With expand=segment.
    segment: InfrastructureDeficiencySegment | None


class InfrastructureDeficiencyBulkCreate(TypedDict):
    data: list[InfrastructureDeficiencyBulkCreateRow]


class _InfrastructureDeficiencyBulkCreateRowRequired(TypedDict):
    #: What is wrong, in a few words.
    title: str


class InfrastructureDeficiencyBulkCreateRow(_InfrastructureDeficiencyBulkCreateRowRequired, total=False):
    #: The year in which it should be corrected. Until then it is no deferred maintenance; null: at once.
    action_year: int | None
    #: What correcting it cost. Of corrected ones; the way back clears it.
    actual_cost: float | None
    #: What kind of need it is. The first four count as deferred maintenance; accessibility and functional are improvements, and a
    #: renewal counts by planned_renewal_year already.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal'] | None
    #: Day on which it was corrected, not in the future and not before found_on. The move to corrected stamps it with today unless
    #: it is given, and the way back clears it; one that is entered as corrected needs it.
    corrected_on: str | None
    #: How sure the estimate is, from A (from tenders or working drawings) to D (a first guess).
    cost_class: Literal['A', 'B', 'C', 'D'] | None
    #: The year of whose prices estimated_cost is. Left out, the year of found_on; where the cost changes, the year of the change.
    cost_year: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What correcting it is estimated to cost, in prices of cost_year.
    estimated_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day on which it was found, not in the future; today when left out.
    found_on: str | None
    #: Its number; given when left out.
    number: str | None
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: How much of it, in unit.
    quantity: float | None
    #: The segment that it was found on.
    segment_id: str
    #: Where it comes from.
    source: Literal['assessment', 'inspection', 'form', 'request', 'work_order', 'import', 'manual'] | None
    #: The record that it comes from.
    source_id: str | None
    #: open → planned, in_work, corrected, waived, void; planned → open, in_work, corrected, waived, void; in_work → open,
    #: planned, corrected; corrected, waived → open; void is final. The first three are live.
    status: Literal['open', 'planned', 'in_work', 'corrected', 'waived', 'void'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    #: What quantity counts.
    unit: str | None
    #: Why nothing will be done about it. Required when it is waived; the way back clears it.
    waive_reason: str | None
    #: In place of segment_id: the external_id of that record, which may be of an earlier row.
    segment_external_id: str | None


class InfrastructureDeficiencyBulkDelete(TypedDict):
    data: list[InfrastructureDeficiencyBulkDeleteRow]


class InfrastructureDeficiencyBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: Its number; given when left out.
    number: str | None


class InfrastructureDeficiencyBulkPatch(TypedDict):
    data: list[InfrastructureDeficiencyBulkPatchRow]


class InfrastructureDeficiencyBulkPatchRow(TypedDict, total=False):
    #: The year in which it should be corrected. Until then it is no deferred maintenance; null: at once.
    action_year: int | None
    #: What correcting it cost. Of corrected ones; the way back clears it.
    actual_cost: float | None
    #: What kind of need it is. The first four count as deferred maintenance; accessibility and functional are improvements, and a
    #: renewal counts by planned_renewal_year already.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal'] | None
    #: Day on which it was corrected, not in the future and not before found_on. The move to corrected stamps it with today unless
    #: it is given, and the way back clears it; one that is entered as corrected needs it.
    corrected_on: str | None
    #: How sure the estimate is, from A (from tenders or working drawings) to D (a first guess).
    cost_class: Literal['A', 'B', 'C', 'D'] | None
    #: The year of whose prices estimated_cost is. Left out, the year of found_on; where the cost changes, the year of the change.
    cost_year: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What correcting it is estimated to cost, in prices of cost_year.
    estimated_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day on which it was found, not in the future; today when left out.
    found_on: str | None
    #: Its number; given when left out.
    number: str | None
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: How much of it, in unit.
    quantity: float | None
    #: The segment that it was found on.
    segment_id: str
    #: Where it comes from.
    source: Literal['assessment', 'inspection', 'form', 'request', 'work_order', 'import', 'manual'] | None
    #: The record that it comes from.
    source_id: str | None
    #: open → planned, in_work, corrected, waived, void; planned → open, in_work, corrected, waived, void; in_work → open,
    #: planned, corrected; corrected, waived → open; void is final. The first three are live.
    status: Literal['open', 'planned', 'in_work', 'corrected', 'waived', 'void'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: What is wrong, in a few words.
    title: str
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    #: What quantity counts.
    unit: str | None
    #: Why nothing will be done about it. Required when it is waived; the way back clears it.
    waive_reason: str | None
    #: Of the record. Left out: external_id, else number, names it.
    id: str
    #: In place of segment_id: the external_id of that record, which may be of an earlier row.
    segment_external_id: str | None


class InfrastructureDeficiencyBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[InfrastructureDeficiency]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _InfrastructureDeficiencyEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class InfrastructureDeficiencyEventActor(_InfrastructureDeficiencyEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class InfrastructureDeficiencyEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: InfrastructureDeficiency


class _InfrastructureDeficiencyEventRequired(TypedDict):
    #: Who did it.
    actor: InfrastructureDeficiencyEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: InfrastructureDeficiencyEventData
    type: Literal['infrastructure_deficiency.created', 'infrastructure_deficiency.updated', 'infrastructure_deficiency.deleted', 'infrastructure_deficiency.corrected']


class InfrastructureDeficiencyEvent(_InfrastructureDeficiencyEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


InfrastructureDeficiencyExpansion: TypeAlias = "Literal['segment']"


InfrastructureDeficiencyField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'segment_id', 'title', 'number', 'status', 'uniformat_code', 'category', 'priority', 'quantity', 'unit', 'estimated_cost', 'cost_class', 'cost_year', 'action_year', 'source', 'source_id', 'found_on', 'corrected_on', 'actual_cost', 'waive_reason', 'work_order_id', 'project_id', 'counts_as_deferred', 'currency']"


class _InfrastructureDeficiencyListRequired(TypedDict):
    data: list[InfrastructureDeficiency]
    pagination: Pagination


class InfrastructureDeficiencyList(_InfrastructureDeficiencyListRequired, total=False):
    search: SearchCorrections


class InfrastructureDeficiencyPatch(TypedDict, total=False):
    #: The year in which it should be corrected. Until then it is no deferred maintenance; null: at once.
    action_year: int | None
    #: What correcting it cost. Of corrected ones; the way back clears it.
    actual_cost: float | None
    #: What kind of need it is. The first four count as deferred maintenance; accessibility and functional are improvements, and a
    #: renewal counts by planned_renewal_year already.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal'] | None
    #: Day on which it was corrected, not in the future and not before found_on. The move to corrected stamps it with today unless
    #: it is given, and the way back clears it; one that is entered as corrected needs it.
    corrected_on: str | None
    #: How sure the estimate is, from A (from tenders or working drawings) to D (a first guess).
    cost_class: Literal['A', 'B', 'C', 'D'] | None
    #: The year of whose prices estimated_cost is. Left out, the year of found_on; where the cost changes, the year of the change.
    cost_year: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What correcting it is estimated to cost, in prices of cost_year.
    estimated_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day on which it was found, not in the future; today when left out.
    found_on: str | None
    #: Its number; given when left out.
    number: str | None
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: How much of it, in unit.
    quantity: float | None
    #: The segment that it was found on.
    segment_id: str
    #: Where it comes from.
    source: Literal['assessment', 'inspection', 'form', 'request', 'work_order', 'import', 'manual'] | None
    #: The record that it comes from.
    source_id: str | None
    #: open → planned, in_work, corrected, waived, void; planned → open, in_work, corrected, waived, void; in_work → open,
    #: planned, corrected; corrected, waived → open; void is final. The first three are live.
    status: Literal['open', 'planned', 'in_work', 'corrected', 'waived', 'void'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: What is wrong, in a few words.
    title: str
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    #: What quantity counts.
    unit: str | None
    #: Why nothing will be done about it. Required when it is waived; the way back clears it.
    waive_reason: str | None


InfrastructureDeficiencySort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'title', '-title', 'number', '-number', 'status', '-status', 'uniformat_code', '-uniformat_code', 'category', '-category', 'priority', '-priority', 'estimated_cost', '-estimated_cost', 'cost_class', '-cost_class', 'action_year', '-action_year', 'source', '-source', 'found_on', '-found_on', 'corrected_on', '-corrected_on', 'actual_cost', '-actual_cost', 'relevance']"


class _InfrastructureDeficiencyTransitionRequired(TypedDict):
    #: The state to move to.
    to: Literal['open', 'planned', 'in_work', 'corrected', 'waived', 'void']


class InfrastructureDeficiencyTransition(_InfrastructureDeficiencyTransitionRequired, total=False):
    #: What correcting it cost. Of corrected ones; the way back clears it.
    actual_cost: float | None
    #: Day on which it was corrected, not in the future and not before found_on. The move to corrected stamps it with today unless
    #: it is given, and the way back clears it; one that is entered as corrected needs it.
    corrected_on: str | None
    #: Why nothing will be done about it. Required when it is waived; the way back clears it.
    waive_reason: str | None


class _InfrastructureDeficiencyWriteRequired(TypedDict):
    #: The segment that it was found on.
    segment_id: str
    #: What is wrong, in a few words.
    title: str


class InfrastructureDeficiencyWrite(_InfrastructureDeficiencyWriteRequired, total=False):
    #: The year in which it should be corrected. Until then it is no deferred maintenance; null: at once.
    action_year: int | None
    #: What correcting it cost. Of corrected ones; the way back clears it.
    actual_cost: float | None
    #: What kind of need it is. The first four count as deferred maintenance; accessibility and functional are improvements, and a
    #: renewal counts by planned_renewal_year already. Left out: "deferred_maintenance".
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal'] | None
    #: Day on which it was corrected, not in the future and not before found_on. The move to corrected stamps it with today unless
    #: it is given, and the way back clears it; one that is entered as corrected needs it.
    corrected_on: str | None
    #: How sure the estimate is, from A (from tenders or working drawings) to D (a first guess).
    cost_class: Literal['A', 'B', 'C', 'D'] | None
    #: The year of whose prices estimated_cost is. Left out, the year of found_on; where the cost changes, the year of the change.
    cost_year: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What correcting it is estimated to cost, in prices of cost_year.
    estimated_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day on which it was found, not in the future; today when left out.
    found_on: str | None
    #: Its number; given when left out.
    number: str | None
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: How much of it, in unit.
    quantity: float | None
    #: Where it comes from. Left out: "manual".
    source: Literal['assessment', 'inspection', 'form', 'request', 'work_order', 'import', 'manual'] | None
    #: The record that it comes from.
    source_id: str | None
    #: open → planned, in_work, corrected, waived, void; planned → open, in_work, corrected, waived, void; in_work → open,
    #: planned, corrected; corrected, waived → open; void is final. The first three are live. Left out: "open".
    status: Literal['open', 'planned', 'in_work', 'corrected', 'waived', 'void'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    #: What quantity counts.
    unit: str | None
    #: Why nothing will be done about it. Required when it is waived; the way back clears it.
    waive_reason: str | None


class InspectionCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class InspectionSegment(TypedDict):
    """With expand=segment."""

    id: str
    name: str


class InspectionUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _InspectionRequired(TypedDict):
    #: Condition from 1 (very good) to 5 (very poor). Left out, it follows from the index; without either the inspection says
    #: nothing of the segment's condition.
    condition_rating: int | None
    created_at: str
    created_by: InspectionCreatedBy
    #: Currency of every amount of money in the record.
    currency: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: What was found wrong.
    defects: list[str]
    #: What that would cost.
    estimated_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: Condition index that was measured: pci, bci and other_100 from 0 to 100 (best), pacp_5 and iimm_5 from 1 (best) to 5, iri
    #: in m/km, which implies no rating.
    index_type: Literal['pci', 'bci', 'pacp_5', 'iimm_5', 'iri', 'other_100'] | None
    #: Value of the index; 85, 70, 55 and 40 of 100 are the lower ends of ratings 1 to 4, of a bci 85, 70, 60 and 40.
    index_value: float | None
    #: Day of the inspection, not in the future.
    inspected_on: str
    #: How it was inspected.
    method: Literal['visual', 'cctv', 'pavement_survey', 'osim', 'acoustic', 'lidar', 'desktop', 'other'] | None
    #: Day by which it should be inspected again; not before inspected_on.
    next_due_on: str | None
    #: Remarks for colleagues.
    notes: str | None
    #: What should be done.
    recommended_action: Literal['none', 'monitor', 'maintain', 'rehabilitate', 'replace'] | None
    #: The segment that was inspected.
    segment_id: str
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: InspectionUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int


class Inspection(_InspectionRequired, total=False):
    #: With expand=segment.
    segment: InspectionSegment | None


class InspectionBulkCreate(TypedDict):
    data: list[InspectionBulkCreateRow]


class _InspectionBulkCreateRowDeficienciesItemRequired(TypedDict):
    #: What is wrong, in a few words.
    title: str


class InspectionBulkCreateRowDeficienciesItem(_InspectionBulkCreateRowDeficienciesItemRequired, total=False):
    #: The year in which it should be corrected.
    action_year: int
    #: What kind of need it is; deferred_maintenance when left out.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal']
    #: How sure the estimate is, from A to D.
    cost_class: Literal['A', 'B', 'C', 'D']
    #: The year of whose prices estimated_cost is.
    cost_year: int
    #: What correcting it is estimated to cost, at most 2 decimals.
    estimated_cost: float
    #: Its id in the system it came from; unique in the organization.
    external_id: str
    #: Its number; given when left out.
    number: str
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: How much of it, in unit.
    quantity: float
    #: Place in the UNIFORMAT II classification (ASTM E1557).
    uniformat_code: str
    #: What quantity counts.
    unit: str


class _InspectionBulkCreateRowRequired(TypedDict):
    #: Day of the inspection, not in the future.
    inspected_on: str


class InspectionBulkCreateRow(_InspectionBulkCreateRowRequired, total=False):
    #: Condition from 1 (very good) to 5 (very poor). Left out, it follows from the index; without either the inspection says
    #: nothing of the segment's condition.
    condition_rating: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What was found wrong.
    defects: list[str] | None
    #: What was found deficient: made with the inspection, at /v1/infrastructure/deficiencies, as found on its day. Only when it
    #: is made.
    deficiencies: list[InspectionBulkCreateRowDeficienciesItem] | None
    #: What that would cost.
    estimated_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Condition index that was measured: pci, bci and other_100 from 0 to 100 (best), pacp_5 and iimm_5 from 1 (best) to 5, iri
    #: in m/km, which implies no rating.
    index_type: Literal['pci', 'bci', 'pacp_5', 'iimm_5', 'iri', 'other_100'] | None
    #: Value of the index; 85, 70, 55 and 40 of 100 are the lower ends of ratings 1 to 4, of a bci 85, 70, 60 and 40.
    index_value: float | None
    #: How it was inspected.
    method: Literal['visual', 'cctv', 'pavement_survey', 'osim', 'acoustic', 'lidar', 'desktop', 'other'] | None
    #: Day by which it should be inspected again; not before inspected_on.
    next_due_on: str | None
    #: Remarks for colleagues.
    notes: str | None
    #: What should be done.
    recommended_action: Literal['none', 'monitor', 'maintain', 'rehabilitate', 'replace'] | None
    #: The segment that was inspected.
    segment_id: str
    #: Labels of your own.
    tags: list[str] | None
    #: In place of segment_id: the external_id of that record, which may be of an earlier row.
    segment_external_id: str | None


class InspectionBulkDelete(TypedDict):
    data: list[RecordKey]


class InspectionBulkPatch(TypedDict):
    data: list[InspectionBulkPatchRow]


class _InspectionBulkPatchRowDeficienciesItemRequired(TypedDict):
    #: What is wrong, in a few words.
    title: str


class InspectionBulkPatchRowDeficienciesItem(_InspectionBulkPatchRowDeficienciesItemRequired, total=False):
    #: The year in which it should be corrected.
    action_year: int
    #: What kind of need it is; deferred_maintenance when left out.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal']
    #: How sure the estimate is, from A to D.
    cost_class: Literal['A', 'B', 'C', 'D']
    #: The year of whose prices estimated_cost is.
    cost_year: int
    #: What correcting it is estimated to cost, at most 2 decimals.
    estimated_cost: float
    #: Its id in the system it came from; unique in the organization.
    external_id: str
    #: Its number; given when left out.
    number: str
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: How much of it, in unit.
    quantity: float
    #: Place in the UNIFORMAT II classification (ASTM E1557).
    uniformat_code: str
    #: What quantity counts.
    unit: str


class InspectionBulkPatchRow(TypedDict, total=False):
    #: Condition from 1 (very good) to 5 (very poor). Left out, it follows from the index; without either the inspection says
    #: nothing of the segment's condition.
    condition_rating: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What was found wrong.
    defects: list[str] | None
    #: What was found deficient: made with the inspection, at /v1/infrastructure/deficiencies, as found on its day. Only when it
    #: is made.
    deficiencies: list[InspectionBulkPatchRowDeficienciesItem] | None
    #: What that would cost.
    estimated_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Condition index that was measured: pci, bci and other_100 from 0 to 100 (best), pacp_5 and iimm_5 from 1 (best) to 5, iri
    #: in m/km, which implies no rating.
    index_type: Literal['pci', 'bci', 'pacp_5', 'iimm_5', 'iri', 'other_100'] | None
    #: Value of the index; 85, 70, 55 and 40 of 100 are the lower ends of ratings 1 to 4, of a bci 85, 70, 60 and 40.
    index_value: float | None
    #: Day of the inspection, not in the future.
    inspected_on: str
    #: How it was inspected.
    method: Literal['visual', 'cctv', 'pavement_survey', 'osim', 'acoustic', 'lidar', 'desktop', 'other'] | None
    #: Day by which it should be inspected again; not before inspected_on.
    next_due_on: str | None
    #: Remarks for colleagues.
    notes: str | None
    #: What should be done.
    recommended_action: Literal['none', 'monitor', 'maintain', 'rehabilitate', 'replace'] | None
    #: The segment that was inspected.
    segment_id: str
    #: Labels of your own.
    tags: list[str] | None
    #: Of the record. Left out: external_id names it.
    id: str
    #: In place of segment_id: the external_id of that record, which may be of an earlier row.
    segment_external_id: str | None


class InspectionBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Inspection]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _InspectionEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class InspectionEventActor(_InspectionEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class InspectionEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Inspection


class _InspectionEventRequired(TypedDict):
    #: Who did it.
    actor: InspectionEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: InspectionEventData
    type: Literal['inspection.created', 'inspection.updated', 'inspection.deleted']


class InspectionEvent(_InspectionEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


InspectionExpansion: TypeAlias = "Literal['segment']"


InspectionField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'segment_id', 'inspected_on', 'method', 'index_type', 'index_value', 'condition_rating', 'defects', 'recommended_action', 'estimated_cost', 'next_due_on', 'notes', 'currency']"


class InspectionList(TypedDict):
    data: list[Inspection]
    pagination: Pagination


class _InspectionPatchDeficienciesItemRequired(TypedDict):
    #: What is wrong, in a few words.
    title: str


class InspectionPatchDeficienciesItem(_InspectionPatchDeficienciesItemRequired, total=False):
    #: The year in which it should be corrected.
    action_year: int
    #: What kind of need it is; deferred_maintenance when left out.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal']
    #: How sure the estimate is, from A to D.
    cost_class: Literal['A', 'B', 'C', 'D']
    #: The year of whose prices estimated_cost is.
    cost_year: int
    #: What correcting it is estimated to cost, at most 2 decimals.
    estimated_cost: float
    #: Its id in the system it came from; unique in the organization.
    external_id: str
    #: Its number; given when left out.
    number: str
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: How much of it, in unit.
    quantity: float
    #: Place in the UNIFORMAT II classification (ASTM E1557).
    uniformat_code: str
    #: What quantity counts.
    unit: str


class InspectionPatch(TypedDict, total=False):
    #: Condition from 1 (very good) to 5 (very poor). Left out, it follows from the index; without either the inspection says
    #: nothing of the segment's condition.
    condition_rating: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What was found wrong.
    defects: list[str] | None
    #: What was found deficient: made with the inspection, at /v1/infrastructure/deficiencies, as found on its day. Only when it
    #: is made.
    deficiencies: list[InspectionPatchDeficienciesItem] | None
    #: What that would cost.
    estimated_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Condition index that was measured: pci, bci and other_100 from 0 to 100 (best), pacp_5 and iimm_5 from 1 (best) to 5, iri
    #: in m/km, which implies no rating.
    index_type: Literal['pci', 'bci', 'pacp_5', 'iimm_5', 'iri', 'other_100'] | None
    #: Value of the index; 85, 70, 55 and 40 of 100 are the lower ends of ratings 1 to 4, of a bci 85, 70, 60 and 40.
    index_value: float | None
    #: Day of the inspection, not in the future.
    inspected_on: str
    #: How it was inspected.
    method: Literal['visual', 'cctv', 'pavement_survey', 'osim', 'acoustic', 'lidar', 'desktop', 'other'] | None
    #: Day by which it should be inspected again; not before inspected_on.
    next_due_on: str | None
    #: Remarks for colleagues.
    notes: str | None
    #: What should be done.
    recommended_action: Literal['none', 'monitor', 'maintain', 'rehabilitate', 'replace'] | None
    #: The segment that was inspected.
    segment_id: str
    #: Labels of your own.
    tags: list[str] | None


InspectionSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'inspected_on', '-inspected_on', 'method', '-method', 'index_value', '-index_value', 'condition_rating', '-condition_rating', 'recommended_action', '-recommended_action', 'estimated_cost', '-estimated_cost', 'next_due_on', '-next_due_on']"


class _InspectionWriteDeficienciesItemRequired(TypedDict):
    #: What is wrong, in a few words.
    title: str


class InspectionWriteDeficienciesItem(_InspectionWriteDeficienciesItemRequired, total=False):
    #: The year in which it should be corrected.
    action_year: int
    #: What kind of need it is; deferred_maintenance when left out.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal']
    #: How sure the estimate is, from A to D.
    cost_class: Literal['A', 'B', 'C', 'D']
    #: The year of whose prices estimated_cost is.
    cost_year: int
    #: What correcting it is estimated to cost, at most 2 decimals.
    estimated_cost: float
    #: Its id in the system it came from; unique in the organization.
    external_id: str
    #: Its number; given when left out.
    number: str
    #: How pressing it is.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: How much of it, in unit.
    quantity: float
    #: Place in the UNIFORMAT II classification (ASTM E1557).
    uniformat_code: str
    #: What quantity counts.
    unit: str


class _InspectionWriteRequired(TypedDict):
    #: Day of the inspection, not in the future.
    inspected_on: str
    #: The segment that was inspected.
    segment_id: str


class InspectionWrite(_InspectionWriteRequired, total=False):
    #: Condition from 1 (very good) to 5 (very poor). Left out, it follows from the index; without either the inspection says
    #: nothing of the segment's condition.
    condition_rating: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What was found wrong.
    defects: list[str] | None
    #: What was found deficient: made with the inspection, at /v1/infrastructure/deficiencies, as found on its day. Only when it
    #: is made.
    deficiencies: list[InspectionWriteDeficienciesItem] | None
    #: What that would cost.
    estimated_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Condition index that was measured: pci, bci and other_100 from 0 to 100 (best), pacp_5 and iimm_5 from 1 (best) to 5, iri
    #: in m/km, which implies no rating.
    index_type: Literal['pci', 'bci', 'pacp_5', 'iimm_5', 'iri', 'other_100'] | None
    #: Value of the index; 85, 70, 55 and 40 of 100 are the lower ends of ratings 1 to 4, of a bci 85, 70, 60 and 40.
    index_value: float | None
    #: How it was inspected.
    method: Literal['visual', 'cctv', 'pavement_survey', 'osim', 'acoustic', 'lidar', 'desktop', 'other'] | None
    #: Day by which it should be inspected again; not before inspected_on.
    next_due_on: str | None
    #: Remarks for colleagues.
    notes: str | None
    #: What should be done.
    recommended_action: Literal['none', 'monitor', 'maintain', 'rehabilitate', 'replace'] | None
    #: Labels of your own.
    tags: list[str] | None


class JobPlanCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class JobPlanFormTemplate(TypedDict):
    """With expand=form_template."""

    id: str
    name: str


class _JobPlanMaterialsItemRequired(TypedDict):
    #: What it is.
    description: str
    #: How many or how much.
    quantity: float


class JobPlanMaterialsItem(_JobPlanMaterialsItemRequired, total=False):
    #: Its number at the vendor's or in stock.
    part_number: str
    #: Price of one.
    unit_cost: float
    #: Who sells it.
    vendor: str


class _JobPlanTasksItemRequired(TypedDict):
    #: What is to be done.
    title: str


class JobPlanTasksItem(_JobPlanTasksItemRequired, total=False):
    #: The work order cannot be completed without it.
    required: bool


class JobPlanUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _JobPlanRequired(TypedDict):
    #: Short code; unique in the organization.
    code: str | None
    created_at: str
    created_by: JobPlanCreatedBy
    #: Currency of every amount of money in the record.
    currency: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: Cost expected of one work order. Left out, the forecast takes the sum of the materials.
    estimated_cost: float | None
    #: Hours of work expected of one work order.
    estimated_hours: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The form that is filled in with it.
    form_template_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: What is needed for it.
    materials: list[JobPlanMaterialsItem]
    #: What people call the work. It becomes the title of work orders.
    name: str
    #: The priority of its work orders.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: What whoever does it must know before beginning.
    safety: str | None
    #: Labels of your own.
    tags: list[str]
    #: The steps, in their order; tasks of its work orders.
    tasks: list[JobPlanTasksItem]
    #: Who can do it.
    trade: str | None
    #: The type of its work orders.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other']
    updated_at: str
    updated_by: JobPlanUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int


class JobPlan(_JobPlanRequired, total=False):
    #: With expand=form_template.
    form_template: JobPlanFormTemplate | None


class JobPlanBulkCreate(TypedDict):
    data: list[JobPlanBulkCreateRow]


class _JobPlanBulkCreateRowMaterialsItemRequired(TypedDict):
    #: What it is.
    description: str
    #: How many or how much.
    quantity: float


class JobPlanBulkCreateRowMaterialsItem(_JobPlanBulkCreateRowMaterialsItemRequired, total=False):
    #: Its number at the vendor's or in stock.
    part_number: str
    #: Price of one.
    unit_cost: float
    #: Who sells it.
    vendor: str


class _JobPlanBulkCreateRowTasksItemRequired(TypedDict):
    #: What is to be done.
    title: str


class JobPlanBulkCreateRowTasksItem(_JobPlanBulkCreateRowTasksItemRequired, total=False):
    #: The work order cannot be completed without it.
    required: bool


class _JobPlanBulkCreateRowRequired(TypedDict):
    #: What people call the work. It becomes the title of work orders.
    name: str


class JobPlanBulkCreateRow(_JobPlanBulkCreateRowRequired, total=False):
    #: Short code; unique in the organization.
    code: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Cost expected of one work order. Left out, the forecast takes the sum of the materials.
    estimated_cost: float | None
    #: Hours of work expected of one work order.
    estimated_hours: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The form that is filled in with it.
    form_template_id: str | None
    #: What is needed for it.
    materials: list[JobPlanBulkCreateRowMaterialsItem] | None
    #: The priority of its work orders.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: What whoever does it must know before beginning.
    safety: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: The steps, in their order; tasks of its work orders.
    tasks: list[JobPlanBulkCreateRowTasksItem] | None
    #: Who can do it.
    trade: str | None
    #: The type of its work orders.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | None
    #: In place of form_template_id: the external_id of that record, which may be of an earlier row.
    form_template_external_id: str | None


class JobPlanBulkDelete(TypedDict):
    data: list[JobPlanBulkDeleteRow]


class JobPlanBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: Short code; unique in the organization.
    code: str | None


class JobPlanBulkPatch(TypedDict):
    data: list[JobPlanBulkPatchRow]


class _JobPlanBulkPatchRowMaterialsItemRequired(TypedDict):
    #: What it is.
    description: str
    #: How many or how much.
    quantity: float


class JobPlanBulkPatchRowMaterialsItem(_JobPlanBulkPatchRowMaterialsItemRequired, total=False):
    #: Its number at the vendor's or in stock.
    part_number: str
    #: Price of one.
    unit_cost: float
    #: Who sells it.
    vendor: str


class _JobPlanBulkPatchRowTasksItemRequired(TypedDict):
    #: What is to be done.
    title: str


class JobPlanBulkPatchRowTasksItem(_JobPlanBulkPatchRowTasksItemRequired, total=False):
    #: The work order cannot be completed without it.
    required: bool


class JobPlanBulkPatchRow(TypedDict, total=False):
    #: Short code; unique in the organization.
    code: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Cost expected of one work order. Left out, the forecast takes the sum of the materials.
    estimated_cost: float | None
    #: Hours of work expected of one work order.
    estimated_hours: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The form that is filled in with it.
    form_template_id: str | None
    #: What is needed for it.
    materials: list[JobPlanBulkPatchRowMaterialsItem] | None
    #: What people call the work. It becomes the title of work orders.
    name: str
    #: The priority of its work orders.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: What whoever does it must know before beginning.
    safety: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: The steps, in their order; tasks of its work orders.
    tasks: list[JobPlanBulkPatchRowTasksItem] | None
    #: Who can do it.
    trade: str | None
    #: The type of its work orders.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | None
    #: In place of form_template_id: the external_id of that record, which may be of an earlier row.
    form_template_external_id: str | None
    #: Of the record. Left out: external_id, else code, names it.
    id: str


class JobPlanBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[JobPlan]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _JobPlanEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class JobPlanEventActor(_JobPlanEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class JobPlanEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: JobPlan


class _JobPlanEventRequired(TypedDict):
    #: Who did it.
    actor: JobPlanEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: JobPlanEventData
    type: Literal['job_plan.created', 'job_plan.updated', 'job_plan.deleted']


class JobPlanEvent(_JobPlanEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


JobPlanExpansion: TypeAlias = "Literal['form_template']"


JobPlanField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'name', 'code', 'type', 'priority', 'estimated_hours', 'estimated_cost', 'trade', 'safety', 'tasks', 'materials', 'form_template_id', 'currency']"


class _JobPlanListRequired(TypedDict):
    data: list[JobPlan]
    pagination: Pagination


class JobPlanList(_JobPlanListRequired, total=False):
    search: SearchCorrections


class _JobPlanPatchMaterialsItemRequired(TypedDict):
    #: What it is.
    description: str
    #: How many or how much.
    quantity: float


class JobPlanPatchMaterialsItem(_JobPlanPatchMaterialsItemRequired, total=False):
    #: Its number at the vendor's or in stock.
    part_number: str
    #: Price of one.
    unit_cost: float
    #: Who sells it.
    vendor: str


class _JobPlanPatchTasksItemRequired(TypedDict):
    #: What is to be done.
    title: str


class JobPlanPatchTasksItem(_JobPlanPatchTasksItemRequired, total=False):
    #: The work order cannot be completed without it.
    required: bool


class JobPlanPatch(TypedDict, total=False):
    #: Short code; unique in the organization.
    code: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Cost expected of one work order. Left out, the forecast takes the sum of the materials.
    estimated_cost: float | None
    #: Hours of work expected of one work order.
    estimated_hours: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The form that is filled in with it.
    form_template_id: str | None
    #: What is needed for it.
    materials: list[JobPlanPatchMaterialsItem] | None
    #: What people call the work. It becomes the title of work orders.
    name: str
    #: The priority of its work orders.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: What whoever does it must know before beginning.
    safety: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: The steps, in their order; tasks of its work orders.
    tasks: list[JobPlanPatchTasksItem] | None
    #: Who can do it.
    trade: str | None
    #: The type of its work orders.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | None


JobPlanSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'code', '-code', 'type', '-type', 'priority', '-priority', 'estimated_hours', '-estimated_hours', 'estimated_cost', '-estimated_cost', 'trade', '-trade', 'relevance']"


class _JobPlanWriteMaterialsItemRequired(TypedDict):
    #: What it is.
    description: str
    #: How many or how much.
    quantity: float


class JobPlanWriteMaterialsItem(_JobPlanWriteMaterialsItemRequired, total=False):
    #: Its number at the vendor's or in stock.
    part_number: str
    #: Price of one.
    unit_cost: float
    #: Who sells it.
    vendor: str


class _JobPlanWriteTasksItemRequired(TypedDict):
    #: What is to be done.
    title: str


class JobPlanWriteTasksItem(_JobPlanWriteTasksItemRequired, total=False):
    #: The work order cannot be completed without it.
    required: bool


class _JobPlanWriteRequired(TypedDict):
    #: What people call the work. It becomes the title of work orders.
    name: str


class JobPlanWrite(_JobPlanWriteRequired, total=False):
    #: Short code; unique in the organization.
    code: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Cost expected of one work order. Left out, the forecast takes the sum of the materials.
    estimated_cost: float | None
    #: Hours of work expected of one work order.
    estimated_hours: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The form that is filled in with it.
    form_template_id: str | None
    #: What is needed for it.
    materials: list[JobPlanWriteMaterialsItem] | None
    #: The priority of its work orders. Left out: "medium".
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: What whoever does it must know before beginning.
    safety: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: The steps, in their order; tasks of its work orders.
    tasks: list[JobPlanWriteTasksItem] | None
    #: Who can do it.
    trade: str | None
    #: The type of its work orders. Left out: "preventive".
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | None


class _LosMeasureEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class LosMeasureEventActor(_LosMeasureEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class LosMeasureEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Measure


class _LosMeasureEventRequired(TypedDict):
    #: Who did it.
    actor: LosMeasureEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: LosMeasureEventData
    type: Literal['los_measure.created', 'los_measure.updated', 'los_measure.deleted']


class LosMeasureEvent(_LosMeasureEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


class _LosMeasurementEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class LosMeasurementEventActor(_LosMeasurementEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class LosMeasurementEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Measurement


class _LosMeasurementEventRequired(TypedDict):
    #: Who did it.
    actor: LosMeasurementEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: LosMeasurementEventData
    type: Literal['los_measurement.created', 'los_measurement.updated', 'los_measurement.deleted', 'los.target_missed']


class LosMeasurementEvent(_LosMeasurementEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


class _LosServiceAreaEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class LosServiceAreaEventActor(_LosServiceAreaEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class LosServiceAreaEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: ServiceArea


class _LosServiceAreaEventRequired(TypedDict):
    #: Who did it.
    actor: LosServiceAreaEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: LosServiceAreaEventData
    type: Literal['los_service_area.created', 'los_service_area.updated', 'los_service_area.deleted']


class LosServiceAreaEvent(_LosServiceAreaEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


class _LosTargetEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class LosTargetEventActor(_LosTargetEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class LosTargetEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Target


class _LosTargetEventRequired(TypedDict):
    #: Who did it.
    actor: LosTargetEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: LosTargetEventData
    type: Literal['los_target.created', 'los_target.updated', 'los_target.deleted']


class LosTargetEvent(_LosTargetEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


class LosTemplateMeasuresItem(TypedDict):
    attribute: Literal['scope', 'quality', 'reliability']
    computed_metric: str | None
    description: str
    description_fr: str
    direction: Literal['higher_is_better', 'lower_is_better']
    measure_type: Literal['community', 'technical']
    name: str
    name_fr: str
    #: Where in the regulation it stands; a measure with this reference is the template's.
    regulation_ref: str
    unit: str | None
    unit_fr: str | None
    value_kind: Literal['percentage', 'ratio', 'number', 'rating', 'narrative']


class LosTemplate(TypedDict):
    measures: list[LosTemplateMeasuresItem] | None
    name: str
    name_fr: str
    #: The table of the regulation.
    regulation_ref: str
    #: The service area's category that the template is for.
    template: Literal['water', 'wastewater', 'stormwater', 'roads', 'bridges_culverts']


class LosTemplateApplication(TypedDict, total=False):
    #: Language of the measures' names, descriptions and units. Left out: "en".
    language: Literal['en', 'fr']
    #: The template; the one for the area's category when left out.
    template: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater'] | None


class LosTemplateList(TypedDict):
    data: list[LosTemplate]
    pagination: PageNumbers


class MaintenanceForecastTotal(TypedDict):
    #: Their estimated cost; of job plans without an estimate, the materials.
    cost: float
    #: Their estimated hours; those of job plans without an estimate are missing.
    hours: float
    #: How many work orders.
    work_orders: int


MaintenanceForecast = TypedDict('MaintenanceForecast', {
    'currency': 'str',
    'data': 'list[MaintenanceForecastGroup]',
    'from': 'str',
    'group_by': 'str',
    'to': 'str',
    'total': 'MaintenanceForecastTotal',
}, total=True)


class MaintenanceForecastGroup(TypedDict):
    #: Their estimated cost; of job plans without an estimate, the materials.
    cost: float
    #: Their estimated hours; those of job plans without an estimate are missing.
    hours: float
    #: YYYY-MM, or the id of the plan, site or team; null where there is none, and for the sites of plans with a filter.
    key: str | None
    #: The plan's name; null of other groups.
    name: str | None
    #: How many work orders.
    work_orders: int


class MaintenancePresetPlansItem(TypedDict):
    basis: str
    #: The rule, or the interval in days.
    due: str
    name: str


class MaintenancePreset(TypedDict):
    #: Day on which the preset was last compared with what could be read of the instrument.
    checked_on: str
    code: str
    #: What it is usually applied to.
    collection: str
    #: The form that comes with it; empty for none.
    form: str
    #: The law or standard.
    instrument: str
    name: str
    name_fr: str
    notice: str
    #: The plans that it makes, smaller ones first.
    plans: list[MaintenancePresetPlansItem] | None
    #: Where the wording was read; of a preset that is not verified, who says so. Empty where nothing was found.
    read_in: str
    #: The part of it.
    section: str
    #: Whether the wording of the section was read for it; else it goes by what is generally said of it.
    verified: bool


class MaintenancePresetApplicationTargetFilter(TypedDict):
    """What it is done on, looked up each time that work is made."""

    #: Where they are.
    collection: Literal['assets', 'systems', 'buildings', 'sites', 'segments']
    #: As in the query of the collection's list, without paging and sorting.
    query: str


class MaintenancePresetApplicationTargetsItem(TypedDict):
    #: The record.
    target_id: str
    #: What target_id is of. A segment needs the feature Infrastructure.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment']


class _MaintenancePresetApplicationRequired(TypedDict):
    #: First day of the plans.
    starts_on: str


class MaintenancePresetApplication(_MaintenancePresetApplicationRequired, total=False):
    #: What it is done on, looked up each time that work is made.
    target_filter: MaintenancePresetApplicationTargetFilter | None
    #: What it is done on. Either these or target_filter.
    targets: list[MaintenancePresetApplicationTargetsItem]


class MaintenancePresetList(TypedDict):
    data: list[MaintenancePreset]
    pagination: PageNumbers


class MeKey(TypedDict):
    #: CIDR; empty: from anywhere.
    allowed_networks: list[str]
    expires_at: str
    id: str
    name: str
    #: Requests per minute.
    rate_limit: int
    #: Requests in progress at the same time.
    requests_at_once: int
    scopes: list[str]


class MeLimits(TypedDict):
    """What the organization may do at most, over all its keys."""

    #: API keys that are active.
    active_keys: int
    #: Of those: requests that wait for the next event.
    long_polls: int
    #: Requests in progress at the same time.
    requests_in_flight: int
    #: Requests per minute.
    requests_per_minute: int
    #: Of those: whole collections being read as CSV, NDJSON or GeoJSON.
    streams: int


class MeOrganization(TypedDict):
    #: ISO 4217
    currency: str
    #: The fiscal year of today: the calendar year in which it begins.
    fiscal_year: int
    #: The fiscal year ends on the last day of this month.
    fiscal_year_end_month: int
    id: str
    #: Land area in square kilometres; null: not known.
    land_area_km2: float | None
    name: str
    #: IANA name. Every day that the API shows or stamps is a day there; times are UTC.
    time_zone: str
    #: The day that it is in time_zone.
    today: str


class MePlan(TypedDict):
    code: str
    #: The same, in words.
    feature_names: list[str]
    #: Of the plan and of the add-ons.
    features: list[str]


class Me(TypedDict):
    """The caller's key, organization and region."""

    #: The organization's, ISO 4217.
    currency: str
    key: MeKey
    #: What the organization may do at most, over all its keys.
    limits: MeLimits
    #: live: the organization's own records. test: those of its sandbox, which is an organization of its own with the same plan
    #: and settings.
    mode: Literal['live', 'test']
    organization: MeOrganization
    plan: MePlan
    #: The region that answered.
    region: str
    #: What x-region may name.
    regions: list[str]


class MeasureCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class MeasureLatest(TypedDict):
    """The measurement whose period ended last."""

    id: str
    period_end: str
    period_start: str
    value: float | None
    value_text: str | None


class MeasureServiceArea(TypedDict):
    """With expand=service_area."""

    id: str
    name: str


class MeasureUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _MeasureRequired(TypedDict):
    #: Of the latest measurement: against the current target of its year, else of the latest year before. Texts are for people to
    #: judge: no_target. no_data: nothing was measured yet.
    attainment: Literal['met', 'near', 'missed', 'no_target', 'no_data']
    #: The side of the service that it tells about.
    attribute: Literal['scope', 'quality', 'reliability', 'safety', 'responsiveness', 'capacity', 'accessibility', 'affordability', 'sustainability'] | None
    #: Short code of your own; unique in the organization.
    code: str | None
    #: The figure that it is computed from; required when data_source is computed.
    computed_metric: Literal['avg_condition_rating', 'pct_good_or_better', 'pct_past_useful_life', 'fci_pct', 'avg_pci', 'avg_unpaved_condition', 'avg_bci', 'avg_bci_bridges', 'avg_bci_culverts', 'pct_bridges_restricted', 'wo_completed_on_time_pct', 'wo_median_response_hours', 'wo_sla_met_pct', 'pm_compliance_pct', 'breaks_per_100km', 'connection_days_breaks', 'connection_days_backups', 'lane_km', 'lane_km_arterial_per_km2', 'lane_km_collector_per_km2', 'lane_km_local_per_km2'] | None
    created_at: str
    created_by: MeasureCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: manual: people record its values. computed: POST …/compute makes one from the figures of other services. Follows
    #: computed_metric when left out.
    data_source: Literal['manual', 'computed']
    #: How it is measured.
    description: str | None
    #: Which values are better.
    direction: Literal['higher_is_better', 'lower_is_better', 'target_is_best']
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: How often it is measured.
    frequency: Literal['monthly', 'quarterly', 'semi_annual', 'annual']
    #: Made by the service (UUID version 7).
    id: str
    #: Whether the latest measurement's period ended more than two years ago; null where nothing was measured.
    is_stale: bool | None
    #: The measurement whose period ended last.
    latest: MeasureLatest | None
    #: community: as people experience the service. technical: as the organization measures it.
    measure_type: Literal['community', 'technical']
    #: What is measured; unique in its service area.
    name: str
    #: The rule that asks for it. As a filter: everything that begins with it.
    regulation_ref: str | None
    #: The service area.
    service_area_id: str
    #: Labels of your own.
    tags: list[str]
    #: How far from the target, in percent of it, a value is still near (or met, where the target is best).
    tolerance_pct: float
    #: From the last two numbers; within 1 % is stable. null with fewer than two.
    trend: Literal['improving', 'stable', 'declining'] | None
    #: Unit of its values.
    unit: str | None
    updated_at: str
    updated_by: MeasureUpdatedBy
    #: What its values are. narrative: a text. rating: a number, or a word such as good. All others: a number. Fixed once there
    #: are targets or measurements.
    value_kind: Literal['number', 'percentage', 'ratio', 'count', 'money', 'hours', 'rating', 'narrative']
    #: Grows by one with every change; the ETag.
    version: int
    #: What it weighs in the scorecard's attainment_pct; 0 leaves it out of that.
    weight: float


class Measure(_MeasureRequired, total=False):
    #: With expand=service_area.
    service_area: MeasureServiceArea | None


class MeasureBulkCreate(TypedDict):
    data: list[MeasureBulkCreateRow]


class _MeasureBulkCreateRowRequired(TypedDict):
    #: community: as people experience the service. technical: as the organization measures it.
    measure_type: Literal['community', 'technical']
    #: What is measured; unique in its service area.
    name: str


class MeasureBulkCreateRow(_MeasureBulkCreateRowRequired, total=False):
    #: The side of the service that it tells about.
    attribute: Literal['scope', 'quality', 'reliability', 'safety', 'responsiveness', 'capacity', 'accessibility', 'affordability', 'sustainability'] | None
    #: Short code of your own; unique in the organization.
    code: str | None
    #: The figure that it is computed from; required when data_source is computed.
    computed_metric: Literal['avg_condition_rating', 'pct_good_or_better', 'pct_past_useful_life', 'fci_pct', 'avg_pci', 'avg_unpaved_condition', 'avg_bci', 'avg_bci_bridges', 'avg_bci_culverts', 'pct_bridges_restricted', 'wo_completed_on_time_pct', 'wo_median_response_hours', 'wo_sla_met_pct', 'pm_compliance_pct', 'breaks_per_100km', 'connection_days_breaks', 'connection_days_backups', 'lane_km', 'lane_km_arterial_per_km2', 'lane_km_collector_per_km2', 'lane_km_local_per_km2'] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: manual: people record its values. computed: POST …/compute makes one from the figures of other services. Follows
    #: computed_metric when left out.
    data_source: Literal['manual', 'computed'] | None
    #: How it is measured.
    description: str | None
    #: Which values are better.
    direction: Literal['higher_is_better', 'lower_is_better', 'target_is_best'] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: How often it is measured.
    frequency: Literal['monthly', 'quarterly', 'semi_annual', 'annual'] | None
    #: The rule that asks for it. As a filter: everything that begins with it.
    regulation_ref: str | None
    #: The service area.
    service_area_id: str
    #: Labels of your own.
    tags: list[str] | None
    #: How far from the target, in percent of it, a value is still near (or met, where the target is best).
    tolerance_pct: float | None
    #: Unit of its values.
    unit: str | None
    #: What its values are. narrative: a text. rating: a number, or a word such as good. All others: a number. Fixed once there
    #: are targets or measurements.
    value_kind: Literal['number', 'percentage', 'ratio', 'count', 'money', 'hours', 'rating', 'narrative'] | None
    #: What it weighs in the scorecard's attainment_pct; 0 leaves it out of that.
    weight: float | None
    #: In place of service_area_id: the external_id of that record, which may be of an earlier row.
    service_area_external_id: str | None


class MeasureBulkDelete(TypedDict):
    data: list[MeasureBulkDeleteRow]


class MeasureBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: Short code of your own; unique in the organization.
    code: str | None


class MeasureBulkPatch(TypedDict):
    data: list[MeasureBulkPatchRow]


class MeasureBulkPatchRow(TypedDict, total=False):
    #: The side of the service that it tells about.
    attribute: Literal['scope', 'quality', 'reliability', 'safety', 'responsiveness', 'capacity', 'accessibility', 'affordability', 'sustainability'] | None
    #: Short code of your own; unique in the organization.
    code: str | None
    #: The figure that it is computed from; required when data_source is computed.
    computed_metric: Literal['avg_condition_rating', 'pct_good_or_better', 'pct_past_useful_life', 'fci_pct', 'avg_pci', 'avg_unpaved_condition', 'avg_bci', 'avg_bci_bridges', 'avg_bci_culverts', 'pct_bridges_restricted', 'wo_completed_on_time_pct', 'wo_median_response_hours', 'wo_sla_met_pct', 'pm_compliance_pct', 'breaks_per_100km', 'connection_days_breaks', 'connection_days_backups', 'lane_km', 'lane_km_arterial_per_km2', 'lane_km_collector_per_km2', 'lane_km_local_per_km2'] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: manual: people record its values. computed: POST …/compute makes one from the figures of other services. Follows
    #: computed_metric when left out.
    data_source: Literal['manual', 'computed'] | None
    #: How it is measured.
    description: str | None
    #: Which values are better.
    direction: Literal['higher_is_better', 'lower_is_better', 'target_is_best'] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: How often it is measured.
    frequency: Literal['monthly', 'quarterly', 'semi_annual', 'annual'] | None
    #: community: as people experience the service. technical: as the organization measures it.
    measure_type: Literal['community', 'technical']
    #: What is measured; unique in its service area.
    name: str
    #: The rule that asks for it. As a filter: everything that begins with it.
    regulation_ref: str | None
    #: The service area.
    service_area_id: str
    #: Labels of your own.
    tags: list[str] | None
    #: How far from the target, in percent of it, a value is still near (or met, where the target is best).
    tolerance_pct: float | None
    #: Unit of its values.
    unit: str | None
    #: What its values are. narrative: a text. rating: a number, or a word such as good. All others: a number. Fixed once there
    #: are targets or measurements.
    value_kind: Literal['number', 'percentage', 'ratio', 'count', 'money', 'hours', 'rating', 'narrative'] | None
    #: What it weighs in the scorecard's attainment_pct; 0 leaves it out of that.
    weight: float | None
    #: Of the record. Left out: external_id, else code, names it.
    id: str
    #: In place of service_area_id: the external_id of that record, which may be of an earlier row.
    service_area_external_id: str | None


class MeasureBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Measure]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class MeasureComputation(TypedDict, total=False):
    #: Day of figures that depend on one, such as past useful lives; not in the future. Left out: period_end, else today.
    as_of: str | None
    #: Last day of the period, not in the future. Left out: as_of, else today.
    period_end: str | None
    #: First day of the period. Left out: the first day of the month, quarter, half-year or year (the measure's frequency) in
    #: which the period ends.
    period_start: str | None


MeasureExpansion: TypeAlias = "Literal['service_area']"


MeasureField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'service_area_id', 'name', 'code', 'description', 'measure_type', 'attribute', 'value_kind', 'unit', 'direction', 'frequency', 'data_source', 'computed_metric', 'regulation_ref', 'tolerance_pct', 'weight', 'latest', 'attainment', 'trend', 'is_stale']"


class _MeasureListRequired(TypedDict):
    data: list[Measure]
    pagination: Pagination


class MeasureList(_MeasureListRequired, total=False):
    search: SearchCorrections


class MeasurePatch(TypedDict, total=False):
    #: The side of the service that it tells about.
    attribute: Literal['scope', 'quality', 'reliability', 'safety', 'responsiveness', 'capacity', 'accessibility', 'affordability', 'sustainability'] | None
    #: Short code of your own; unique in the organization.
    code: str | None
    #: The figure that it is computed from; required when data_source is computed.
    computed_metric: Literal['avg_condition_rating', 'pct_good_or_better', 'pct_past_useful_life', 'fci_pct', 'avg_pci', 'avg_unpaved_condition', 'avg_bci', 'avg_bci_bridges', 'avg_bci_culverts', 'pct_bridges_restricted', 'wo_completed_on_time_pct', 'wo_median_response_hours', 'wo_sla_met_pct', 'pm_compliance_pct', 'breaks_per_100km', 'connection_days_breaks', 'connection_days_backups', 'lane_km', 'lane_km_arterial_per_km2', 'lane_km_collector_per_km2', 'lane_km_local_per_km2'] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: manual: people record its values. computed: POST …/compute makes one from the figures of other services. Follows
    #: computed_metric when left out.
    data_source: Literal['manual', 'computed'] | None
    #: How it is measured.
    description: str | None
    #: Which values are better.
    direction: Literal['higher_is_better', 'lower_is_better', 'target_is_best'] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: How often it is measured.
    frequency: Literal['monthly', 'quarterly', 'semi_annual', 'annual'] | None
    #: community: as people experience the service. technical: as the organization measures it.
    measure_type: Literal['community', 'technical']
    #: What is measured; unique in its service area.
    name: str
    #: The rule that asks for it. As a filter: everything that begins with it.
    regulation_ref: str | None
    #: The service area.
    service_area_id: str
    #: Labels of your own.
    tags: list[str] | None
    #: How far from the target, in percent of it, a value is still near (or met, where the target is best).
    tolerance_pct: float | None
    #: Unit of its values.
    unit: str | None
    #: What its values are. narrative: a text. rating: a number, or a word such as good. All others: a number. Fixed once there
    #: are targets or measurements.
    value_kind: Literal['number', 'percentage', 'ratio', 'count', 'money', 'hours', 'rating', 'narrative'] | None
    #: What it weighs in the scorecard's attainment_pct; 0 leaves it out of that.
    weight: float | None


MeasureSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'code', '-code', 'measure_type', '-measure_type', 'attribute', '-attribute', 'value_kind', '-value_kind', 'frequency', '-frequency', 'regulation_ref', '-regulation_ref', 'relevance']"


class _MeasureWriteRequired(TypedDict):
    #: community: as people experience the service. technical: as the organization measures it.
    measure_type: Literal['community', 'technical']
    #: What is measured; unique in its service area.
    name: str
    #: The service area.
    service_area_id: str


class MeasureWrite(_MeasureWriteRequired, total=False):
    #: The side of the service that it tells about.
    attribute: Literal['scope', 'quality', 'reliability', 'safety', 'responsiveness', 'capacity', 'accessibility', 'affordability', 'sustainability'] | None
    #: Short code of your own; unique in the organization.
    code: str | None
    #: The figure that it is computed from; required when data_source is computed.
    computed_metric: Literal['avg_condition_rating', 'pct_good_or_better', 'pct_past_useful_life', 'fci_pct', 'avg_pci', 'avg_unpaved_condition', 'avg_bci', 'avg_bci_bridges', 'avg_bci_culverts', 'pct_bridges_restricted', 'wo_completed_on_time_pct', 'wo_median_response_hours', 'wo_sla_met_pct', 'pm_compliance_pct', 'breaks_per_100km', 'connection_days_breaks', 'connection_days_backups', 'lane_km', 'lane_km_arterial_per_km2', 'lane_km_collector_per_km2', 'lane_km_local_per_km2'] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: manual: people record its values. computed: POST …/compute makes one from the figures of other services. Follows
    #: computed_metric when left out. Left out: "manual".
    data_source: Literal['manual', 'computed'] | None
    #: How it is measured.
    description: str | None
    #: Which values are better. Left out: "higher_is_better".
    direction: Literal['higher_is_better', 'lower_is_better', 'target_is_best'] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: How often it is measured. Left out: "annual".
    frequency: Literal['monthly', 'quarterly', 'semi_annual', 'annual'] | None
    #: The rule that asks for it. As a filter: everything that begins with it.
    regulation_ref: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: How far from the target, in percent of it, a value is still near (or met, where the target is best). Left out: 5.
    tolerance_pct: float | None
    #: Unit of its values.
    unit: str | None
    #: What its values are. narrative: a text. rating: a number, or a word such as good. All others: a number. Fixed once there
    #: are targets or measurements. Left out: "number".
    value_kind: Literal['number', 'percentage', 'ratio', 'count', 'money', 'hours', 'rating', 'narrative'] | None
    #: What it weighs in the scorecard's attainment_pct; 0 leaves it out of that. Left out: 1.
    weight: float | None


class MeasurementCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class MeasurementMeasure(TypedDict):
    """With expand=measure."""

    id: str
    name: str


class MeasurementUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _MeasurementRequired(TypedDict):
    #: Against the current target of the year in which the period ends, else of the latest year before. Texts are for people to
    #: judge: no_target.
    attainment: Literal['met', 'near', 'missed', 'no_target']
    created_at: str
    created_by: MeasurementCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: Where the report, the map or the survey can be seen.
    evidence_url: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: The measure.
    measure_id: str
    #: Remarks for colleagues.
    note: str | None
    #: Last day of the period, period_start or later.
    period_end: str
    #: First day of the period. A measure has at most one measurement of a period.
    period_start: str
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: MeasurementUpdatedBy
    #: The number; required where the measure's values are numbers.
    value: float | None
    #: The level in words; for measures whose value_kind is narrative or rating.
    value_text: str | None
    #: Value less target: negative below it, whichever direction is better.
    variance: float | None
    #: Grows by one with every change; the ETag.
    version: int


class Measurement(_MeasurementRequired, total=False):
    #: With expand=measure.
    measure: MeasurementMeasure | None


class MeasurementBulkCreate(TypedDict):
    data: list[MeasurementBulkCreateRow]


class _MeasurementBulkCreateRowRequired(TypedDict):
    #: Last day of the period, period_start or later.
    period_end: str
    #: First day of the period. A measure has at most one measurement of a period.
    period_start: str


class MeasurementBulkCreateRow(_MeasurementBulkCreateRowRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Where the report, the map or the survey can be seen.
    evidence_url: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The measure.
    measure_id: str
    #: Remarks for colleagues.
    note: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: The number; required where the measure's values are numbers.
    value: float | None
    #: The level in words; for measures whose value_kind is narrative or rating.
    value_text: str | None
    #: In place of measure_id: the external_id of that record, which may be of an earlier row.
    measure_external_id: str | None


class MeasurementBulkDelete(TypedDict):
    data: list[RecordKey]


class MeasurementBulkPatch(TypedDict):
    data: list[MeasurementBulkPatchRow]


class MeasurementBulkPatchRow(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Where the report, the map or the survey can be seen.
    evidence_url: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The measure.
    measure_id: str
    #: Remarks for colleagues.
    note: str | None
    #: Last day of the period, period_start or later.
    period_end: str
    #: First day of the period. A measure has at most one measurement of a period.
    period_start: str
    #: Labels of your own.
    tags: list[str] | None
    #: The number; required where the measure's values are numbers.
    value: float | None
    #: The level in words; for measures whose value_kind is narrative or rating.
    value_text: str | None
    #: Of the record. Left out: external_id names it.
    id: str
    #: In place of measure_id: the external_id of that record, which may be of an earlier row.
    measure_external_id: str | None


class MeasurementBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Measurement]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


MeasurementExpansion: TypeAlias = "Literal['measure']"


MeasurementField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'measure_id', 'period_start', 'period_end', 'value', 'value_text', 'note', 'evidence_url', 'attainment', 'variance']"


class MeasurementList(TypedDict):
    data: list[Measurement]
    pagination: Pagination


class MeasurementPatch(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Where the report, the map or the survey can be seen.
    evidence_url: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The measure.
    measure_id: str
    #: Remarks for colleagues.
    note: str | None
    #: Last day of the period, period_start or later.
    period_end: str
    #: First day of the period. A measure has at most one measurement of a period.
    period_start: str
    #: Labels of your own.
    tags: list[str] | None
    #: The number; required where the measure's values are numbers.
    value: float | None
    #: The level in words; for measures whose value_kind is narrative or rating.
    value_text: str | None


MeasurementSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'period_start', '-period_start', 'period_end', '-period_end', 'value', '-value']"


class _MeasurementWriteRequired(TypedDict):
    #: The measure.
    measure_id: str
    #: Last day of the period, period_start or later.
    period_end: str
    #: First day of the period. A measure has at most one measurement of a period.
    period_start: str


class MeasurementWrite(_MeasurementWriteRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Where the report, the map or the survey can be seen.
    evidence_url: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Remarks for colleagues.
    note: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: The number; required where the measure's values are numbers.
    value: float | None
    #: The level in words; for measures whose value_kind is narrative or rating.
    value_text: str | None


class MeterAsset(TypedDict):
    """With expand=asset."""

    id: str
    name: str


class MeterBuilding(TypedDict):
    """With expand=building."""

    id: str
    name: str


class MeterCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class MeterLatest(TypedDict):
    """The reading with the latest read_at; null while there is none."""

    #: The value is below minimum or above maximum.
    flagged: bool
    #: When it was read.
    read_at: str
    #: In the meter's unit.
    value: float


class MeterSegment(TypedDict):
    """With expand=segment."""

    id: str
    name: str


class MeterSite(TypedDict):
    """With expand=site."""

    id: str
    name: str


class MeterSystem(TypedDict):
    """With expand=system."""

    id: str
    name: str


class MeterUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _MeterRequired(TypedDict):
    #: The asset that it is of.
    asset_id: str | None
    #: The building that it is of.
    building_id: str | None
    created_at: str
    created_by: MeterCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: Of a counter: what it has run in the last 90 days, today included, divided by 90. What was run between two readings counts
    #: on the day of the later one. Null for a gauge.
    daily_usage_90: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: counter: only rises, and what it has run is summed up. gauge: shows what is now, such as a pressure. Fixed from the first
    #: reading on.
    kind: Literal['counter', 'gauge']
    #: The reading with the latest read_at; null while there is none.
    latest: MeterLatest | None
    #: Readings above it are flagged.
    maximum: float | None
    #: Readings below it are flagged.
    minimum: float | None
    #: What it measures. Unique on its record: plans find a meter by record and name.
    name: str
    #: Of a counter: where it begins again at 0, such as 100000 with five digits. A reading that is lower than the one before is a
    #: rollover when less than half of this was run; else it is refused.
    rollover_at: float | None
    #: The segment that it is of.
    segment_id: str | None
    #: The site that it is of. Exactly one of site_id, building_id, system_id, asset_id and segment_id is required.
    site_id: str | None
    #: The system that it is of.
    system_id: str | None
    #: Labels of your own.
    tags: list[str]
    #: Of a counter: what it has run since its first reading, over rollovers and resets. Null for a gauge.
    total_usage: float | None
    #: Of its readings. Fixed from the first reading on.
    unit: Literal['h', 'min', 'km', 'mi', 'cycles', 'm3', 'L', 'kWh', 'GJ', 'kPa', 'degC', 'mm', '%']
    updated_at: str
    updated_by: MeterUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int


class Meter(_MeterRequired, total=False):
    #: With expand=asset.
    asset: MeterAsset | None
    #: With expand=building.
    building: MeterBuilding | None
    #: With expand=segment.
    segment: MeterSegment | None
    #: With expand=site.
    site: MeterSite | None
    #: With expand=system.
    system: MeterSystem | None


class MeterBulkCreate(TypedDict):
    data: list[MeterBulkCreateRow]


class _MeterBulkCreateRowRequired(TypedDict):
    #: counter: only rises, and what it has run is summed up. gauge: shows what is now, such as a pressure. Fixed from the first
    #: reading on.
    kind: Literal['counter', 'gauge']
    #: What it measures. Unique on its record: plans find a meter by record and name.
    name: str
    #: Of its readings. Fixed from the first reading on.
    unit: Literal['h', 'min', 'km', 'mi', 'cycles', 'm3', 'L', 'kWh', 'GJ', 'kPa', 'degC', 'mm', '%']


class MeterBulkCreateRow(_MeterBulkCreateRowRequired, total=False):
    #: The asset that it is of.
    asset_id: str | None
    #: The building that it is of.
    building_id: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Readings above it are flagged.
    maximum: float | None
    #: Readings below it are flagged.
    minimum: float | None
    #: Of a counter: where it begins again at 0, such as 100000 with five digits. A reading that is lower than the one before is a
    #: rollover when less than half of this was run; else it is refused.
    rollover_at: float | None
    #: The segment that it is of.
    segment_id: str | None
    #: The site that it is of. Exactly one of site_id, building_id, system_id, asset_id and segment_id is required.
    site_id: str | None
    #: The system that it is of.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: In place of asset_id: the external_id of that record, which may be of an earlier row.
    asset_external_id: str | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: In place of segment_id: the external_id of that record, which may be of an earlier row.
    segment_external_id: str | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None
    #: In place of system_id: the external_id of that record, which may be of an earlier row.
    system_external_id: str | None


class MeterBulkDelete(TypedDict):
    data: list[RecordKey]


class MeterBulkPatch(TypedDict):
    data: list[MeterBulkPatchRow]


class MeterBulkPatchRow(TypedDict, total=False):
    #: The asset that it is of.
    asset_id: str | None
    #: The building that it is of.
    building_id: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: counter: only rises, and what it has run is summed up. gauge: shows what is now, such as a pressure. Fixed from the first
    #: reading on.
    kind: Literal['counter', 'gauge']
    #: Readings above it are flagged.
    maximum: float | None
    #: Readings below it are flagged.
    minimum: float | None
    #: What it measures. Unique on its record: plans find a meter by record and name.
    name: str
    #: Of a counter: where it begins again at 0, such as 100000 with five digits. A reading that is lower than the one before is a
    #: rollover when less than half of this was run; else it is refused.
    rollover_at: float | None
    #: The segment that it is of.
    segment_id: str | None
    #: The site that it is of. Exactly one of site_id, building_id, system_id, asset_id and segment_id is required.
    site_id: str | None
    #: The system that it is of.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: Of its readings. Fixed from the first reading on.
    unit: Literal['h', 'min', 'km', 'mi', 'cycles', 'm3', 'L', 'kWh', 'GJ', 'kPa', 'degC', 'mm', '%']
    #: In place of asset_id: the external_id of that record, which may be of an earlier row.
    asset_external_id: str | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: Of the record. Left out: external_id names it.
    id: str
    #: In place of segment_id: the external_id of that record, which may be of an earlier row.
    segment_external_id: str | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None
    #: In place of system_id: the external_id of that record, which may be of an earlier row.
    system_external_id: str | None


class MeterBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Meter]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _MeterEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class MeterEventActor(_MeterEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class MeterEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Meter


class _MeterEventRequired(TypedDict):
    #: Who did it.
    actor: MeterEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: MeterEventData
    type: Literal['meter.created', 'meter.updated', 'meter.deleted', 'meter.reading_recorded']


class MeterEvent(_MeterEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


MeterExpansion: TypeAlias = "Literal['site', 'building', 'system', 'asset', 'segment']"


MeterField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'name', 'site_id', 'building_id', 'system_id', 'asset_id', 'segment_id', 'kind', 'unit', 'rollover_at', 'minimum', 'maximum', 'latest', 'total_usage', 'daily_usage_90']"


class _MeterListRequired(TypedDict):
    data: list[Meter]
    pagination: Pagination


class MeterList(_MeterListRequired, total=False):
    search: SearchCorrections


class MeterPatch(TypedDict, total=False):
    #: The asset that it is of.
    asset_id: str | None
    #: The building that it is of.
    building_id: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: counter: only rises, and what it has run is summed up. gauge: shows what is now, such as a pressure. Fixed from the first
    #: reading on.
    kind: Literal['counter', 'gauge']
    #: Readings above it are flagged.
    maximum: float | None
    #: Readings below it are flagged.
    minimum: float | None
    #: What it measures. Unique on its record: plans find a meter by record and name.
    name: str
    #: Of a counter: where it begins again at 0, such as 100000 with five digits. A reading that is lower than the one before is a
    #: rollover when less than half of this was run; else it is refused.
    rollover_at: float | None
    #: The segment that it is of.
    segment_id: str | None
    #: The site that it is of. Exactly one of site_id, building_id, system_id, asset_id and segment_id is required.
    site_id: str | None
    #: The system that it is of.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: Of its readings. Fixed from the first reading on.
    unit: Literal['h', 'min', 'km', 'mi', 'cycles', 'm3', 'L', 'kWh', 'GJ', 'kPa', 'degC', 'mm', '%']


class MeterReadingRecordedBy(TypedDict):
    id: str
    name: str
    type: str


class MeterReading(TypedDict):
    #: The value is below the meter's minimum or above its maximum, as they were when it was recorded.
    flagged: bool
    #: Of the reading.
    id: str
    #: reset: the meter was set to this value, or replaced; nothing was run since the reading before.
    kind: Literal['reading', 'reset']
    #: The meter.
    meter_id: str
    #: When it was read. A meter has one reading of a time.
    read_at: str
    #: When it was sent, or corrected.
    recorded_at: str
    recorded_by: MeterReadingRecordedBy
    #: The meter's unit, whatever unit it was sent in.
    unit: str
    #: Of a counter: what it ran since the reading before. Null of a gauge.
    usage: float | None
    #: In the meter's unit, with at most 6 decimals.
    value: float


class MeterReadingBulkCreate(TypedDict):
    data: list[MeterReadingBulkCreateRow]


class MeterReadingBulkCreateOfMeter(TypedDict):
    data: list[MeterReadingWrite]


class _MeterReadingBulkCreateRowRequired(TypedDict):
    #: When it was read; at most 5 minutes from now.
    read_at: str
    #: What the meter showed, less than 10^12; rounded to 6 decimals.
    value: float


class MeterReadingBulkCreateRow(_MeterReadingBulkCreateRowRequired, total=False):
    #: reset: the counter was set to this value, or another meter stands in its place. What it runs is counted from here. Left
    #: out: "reading".
    kind: Literal['reading', 'reset']
    #: In place of meter_id: the meter's external_id.
    meter_external_id: str | None
    #: The meter; this or meter_external_id is required.
    meter_id: str | None
    #: The unit of value, where it is not the meter's: mi becomes km (1 mi = 1.609344 km), GJ becomes kWh (1 GJ = 1000/3.6 kWh),
    #: and the other way round. No other unit is converted.
    unit: Literal['h', 'min', 'km', 'mi', 'cycles', 'm3', 'L', 'kWh', 'GJ', 'kPa', 'degC', 'mm', '%'] | None


class MeterReadingBulkResult(TypedDict):
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class MeterReadingList(TypedDict):
    data: list[MeterReading]
    pagination: PageNumbers


class _MeterReadingWriteRequired(TypedDict):
    #: When it was read; at most 5 minutes from now.
    read_at: str
    #: What the meter showed, less than 10^12; rounded to 6 decimals.
    value: float


class MeterReadingWrite(_MeterReadingWriteRequired, total=False):
    #: reset: the counter was set to this value, or another meter stands in its place. What it runs is counted from here. Left
    #: out: "reading".
    kind: Literal['reading', 'reset']
    #: The unit of value, where it is not the meter's: mi becomes km (1 mi = 1.609344 km), GJ becomes kWh (1 GJ = 1000/3.6 kWh),
    #: and the other way round. No other unit is converted.
    unit: Literal['h', 'min', 'km', 'mi', 'cycles', 'm3', 'L', 'kWh', 'GJ', 'kPa', 'degC', 'mm', '%'] | None


MeterSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'kind', '-kind', 'relevance']"


class _MeterWriteRequired(TypedDict):
    #: counter: only rises, and what it has run is summed up. gauge: shows what is now, such as a pressure. Fixed from the first
    #: reading on.
    kind: Literal['counter', 'gauge']
    #: What it measures. Unique on its record: plans find a meter by record and name.
    name: str
    #: Of its readings. Fixed from the first reading on.
    unit: Literal['h', 'min', 'km', 'mi', 'cycles', 'm3', 'L', 'kWh', 'GJ', 'kPa', 'degC', 'mm', '%']


class MeterWrite(_MeterWriteRequired, total=False):
    #: The asset that it is of.
    asset_id: str | None
    #: The building that it is of.
    building_id: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Readings above it are flagged.
    maximum: float | None
    #: Readings below it are flagged.
    minimum: float | None
    #: Of a counter: where it begins again at 0, such as 100000 with five digits. A reading that is lower than the one before is a
    #: rollover when less than half of this was run; else it is refused.
    rollover_at: float | None
    #: The segment that it is of.
    segment_id: str | None
    #: The site that it is of. Exactly one of site_id, building_id, system_id, asset_id and segment_id is required.
    site_id: str | None
    #: The system that it is of.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None


class NetworkCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class NetworkUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class Network(TypedDict):
    #: What the segments are. Fixed once there are segments.
    asset_class: Literal['road', 'sidewalk', 'trail', 'bridge', 'culvert', 'water_main', 'sanitary_sewer', 'storm_sewer', 'combined_sewer', 'force_main', 'drainage_channel', 'gas_main', 'electrical', 'telecom', 'streetlight', 'other']
    #: Short name; numbered when left out.
    code: str | None
    created_at: str
    created_by: NetworkCreatedBy
    #: How much depends on it.
    criticality: Literal['low', 'medium', 'high', 'critical'] | None
    #: Currency of every amount of money in the record.
    currency: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: Replacement cost per metre of new segments for which no cost is given.
    default_unit_cost_per_m: float | None
    #: Expected useful life of new segments for which none is given.
    default_useful_life_years: int | None
    #: What belongs to the network.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: Length times lanes of the segments whose lanes are known; null where none are.
    lane_km: float | None
    #: Length of the segments.
    length_km: float
    #: What people call the network.
    name: str
    #: What replacing the segments would cost.
    replacement_cost: float
    #: Segments that count: neither planned nor abandoned nor removed. The figures below are theirs.
    segment_count: int
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: NetworkUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int


class NetworkBulkCreate(TypedDict):
    data: list[NetworkBulkCreateRow]


class _NetworkBulkCreateRowRequired(TypedDict):
    #: What the segments are. Fixed once there are segments.
    asset_class: Literal['road', 'sidewalk', 'trail', 'bridge', 'culvert', 'water_main', 'sanitary_sewer', 'storm_sewer', 'combined_sewer', 'force_main', 'drainage_channel', 'gas_main', 'electrical', 'telecom', 'streetlight', 'other']
    #: What people call the network.
    name: str


class NetworkBulkCreateRow(_NetworkBulkCreateRowRequired, total=False):
    #: Short name; numbered when left out.
    code: str | None
    #: How much depends on it.
    criticality: Literal['low', 'medium', 'high', 'critical'] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Replacement cost per metre of new segments for which no cost is given.
    default_unit_cost_per_m: float | None
    #: Expected useful life of new segments for which none is given.
    default_useful_life_years: int | None
    #: What belongs to the network.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: Labels of your own.
    tags: list[str] | None


class NetworkBulkDelete(TypedDict):
    data: list[NetworkBulkDeleteRow]


class NetworkBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: Short name; numbered when left out.
    code: str | None


class NetworkBulkPatch(TypedDict):
    data: list[NetworkBulkPatchRow]


class NetworkBulkPatchRow(TypedDict, total=False):
    #: What the segments are. Fixed once there are segments.
    asset_class: Literal['road', 'sidewalk', 'trail', 'bridge', 'culvert', 'water_main', 'sanitary_sewer', 'storm_sewer', 'combined_sewer', 'force_main', 'drainage_channel', 'gas_main', 'electrical', 'telecom', 'streetlight', 'other']
    #: Short name; numbered when left out.
    code: str | None
    #: How much depends on it.
    criticality: Literal['low', 'medium', 'high', 'critical'] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Replacement cost per metre of new segments for which no cost is given.
    default_unit_cost_per_m: float | None
    #: Expected useful life of new segments for which none is given.
    default_useful_life_years: int | None
    #: What belongs to the network.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What people call the network.
    name: str
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Of the record. Left out: external_id, else code, names it.
    id: str


class NetworkBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Network]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _NetworkEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class NetworkEventActor(_NetworkEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class NetworkEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Network


class _NetworkEventRequired(TypedDict):
    #: Who did it.
    actor: NetworkEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: NetworkEventData
    type: Literal['network.created', 'network.updated', 'network.deleted']


class NetworkEvent(_NetworkEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


NetworkField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'name', 'code', 'asset_class', 'description', 'default_useful_life_years', 'default_unit_cost_per_m', 'criticality', 'service_category', 'segment_count', 'length_km', 'lane_km', 'replacement_cost', 'currency']"


class _NetworkListRequired(TypedDict):
    data: list[Network]
    pagination: Pagination


class NetworkList(_NetworkListRequired, total=False):
    search: SearchCorrections


class NetworkPatch(TypedDict, total=False):
    #: What the segments are. Fixed once there are segments.
    asset_class: Literal['road', 'sidewalk', 'trail', 'bridge', 'culvert', 'water_main', 'sanitary_sewer', 'storm_sewer', 'combined_sewer', 'force_main', 'drainage_channel', 'gas_main', 'electrical', 'telecom', 'streetlight', 'other']
    #: Short name; numbered when left out.
    code: str | None
    #: How much depends on it.
    criticality: Literal['low', 'medium', 'high', 'critical'] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Replacement cost per metre of new segments for which no cost is given.
    default_unit_cost_per_m: float | None
    #: Expected useful life of new segments for which none is given.
    default_useful_life_years: int | None
    #: What belongs to the network.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What people call the network.
    name: str
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: Labels of your own.
    tags: list[str] | None


NetworkSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'code', '-code', 'asset_class', '-asset_class', 'criticality', '-criticality', 'service_category', '-service_category', 'relevance']"


class NetworkSummaryAsRecorded(TypedDict):
    """What of replacement_cost stays in prices as recorded: no price index applies, or the year of its prices is not known or before the index."""

    #: Their replacement cost.
    cost: float
    #: Segments.
    count: int


class NetworkSummaryBasis(TypedDict):
    """How much of the figures of a day that is over is hindsight; null of today and days to come."""

    #: Others that were changed since; they are as they were on the day.
    changed_since: int
    #: Segments that were entered after the day; they are as they were first entered.
    entered_later: int


class NetworkSummaryConditionDistributionValue(TypedDict):
    length_km: float
    replacement_cost: float
    segments: int


class NetworkSummaryCounts(TypedDict):
    """How many there are."""

    segments: int
    #: Segments that are planned, abandoned or removed, or were not there on the day; in no other figure.
    segments_left_out: int


class NetworkSummaryDataQuality(TypedDict):
    """Segments that lack what the figures are made from."""

    #: Segments that are abandoned or removed, nobody knows since when: they count on no day.
    gone_without_date: int
    without_condition_rating: int
    without_expected_useful_life: int
    without_geometry: int
    #: Neither install_date nor install_year.
    without_installation: int
    without_length: int
    without_planned_renewal_year: int
    without_replacement_cost: int


class NetworkSummaryPastUsefulLife(TypedDict):
    """Segments whose expected useful life, and a liner's, is over."""

    length_km: float
    replacement_cost: float
    segments: int


class NetworkSummaryReplacementCostBasis(TypedDict):
    """Where replacement_cost comes from; the two add up to it."""

    #: From segments whose replacement cost was given.
    given: float
    #: From segments whose cost is length times cost per metre.
    unit_costs: float


class NetworkSummary(TypedDict):
    as_of: str
    #: What of replacement_cost stays in prices as recorded: no price index applies, or the year of its prices is not known or
    #: before the index.
    as_recorded: NetworkSummaryAsRecorded
    asset_class: str
    #: Mean age of the segments whose construction is known.
    average_age_years: float | None
    #: Mean condition rating of the rated segments, 1 (very good) to 5 (very poor).
    average_condition_rating: float | None
    #: How much of the figures of a day that is over is hindsight; null of today and days to come.
    basis: NetworkSummaryBasis | None
    #: Segments by condition grade: very_good, good, fair, poor, very_poor, unknown.
    condition_distribution: dict[str, NetworkSummaryConditionDistributionValue]
    #: How many there are.
    counts: NetworkSummaryCounts
    #: Currency of every amount of money.
    currency: str
    #: Segments that lack what the figures are made from.
    data_quality: NetworkSummaryDataQuality
    #: Maintenance that is due and was put off: what deficiencies come to that count in the year, and what was typed on segments
    #: without any.
    deferred_maintenance_cost: float
    #: Deficiencies that count in the year and whose cost is not known: deferred_maintenance_cost lacks them.
    deficiencies_without_cost: int
    #: good to 5 %, fair to 10 %, poor to 30 %, critical above.
    fci_grade: Literal['good', 'fair', 'poor', 'critical'] | None
    #: Facility Condition Index: need less need_without_value, over replacement cost. May exceed 100; null where nothing has a
    #: cost.
    fci_pct: float | None
    horizon_years: int
    id: str
    #: The last year of which every price index in use has a value; afterwards that value counts. Null without an index.
    indexed_through: int | None
    #: Length times lanes; null where no lanes are known.
    lane_km: float | None
    #: Length of the segments.
    length_km: float
    name: str
    #: Renewals due within the horizon (the greater of replacement and deferred maintenance), and the deferred maintenance of
    #: everything else, with the deficiencies whose action_year is within the horizon.
    need: float
    #: The part of need of segments without a replacement cost. It is left out of the FCI.
    need_without_value: float
    #: Work orders on its segments that are open, in progress or on hold; null while work orders cannot be asked.
    open_work_orders: int | None
    #: Those of them that are past their due date.
    overdue_work_orders: int | None
    #: Segments whose expected useful life, and a liner's, is over.
    past_useful_life: NetworkSummaryPastUsefulLife
    #: The year whose prices amounts are in, as far as price indexes reach; as_recorded says what they do not reach.
    prices_of: int
    #: What replacing everything would cost, in prices of prices_of.
    replacement_cost: float
    #: Where replacement_cost comes from; the two add up to it.
    replacement_cost_basis: NetworkSummaryReplacementCostBasis
    #: Their mean age by length.
    weighted_age_years: float | None
    #: Their mean condition rating by length.
    weighted_condition_rating: float | None


class _NetworkWriteRequired(TypedDict):
    #: What the segments are. Fixed once there are segments.
    asset_class: Literal['road', 'sidewalk', 'trail', 'bridge', 'culvert', 'water_main', 'sanitary_sewer', 'storm_sewer', 'combined_sewer', 'force_main', 'drainage_channel', 'gas_main', 'electrical', 'telecom', 'streetlight', 'other']
    #: What people call the network.
    name: str


class NetworkWrite(_NetworkWriteRequired, total=False):
    #: Short name; numbered when left out.
    code: str | None
    #: How much depends on it.
    criticality: Literal['low', 'medium', 'high', 'critical'] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Replacement cost per metre of new segments for which no cost is given.
    default_unit_cost_per_m: float | None
    #: Expected useful life of new segments for which none is given.
    default_useful_life_years: int | None
    #: What belongs to the network.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: Labels of your own.
    tags: list[str] | None


PMCompliance = TypedDict('PMCompliance', {
    'due': 'int',
    'from': 'str',
    'in_time': 'int',
    'interval_variance_pct': 'float | None',
    'intervals': 'int',
    'intervals_within_10_pct': 'int',
    'late': 'int',
    'missed': 'int',
    'open': 'int',
    'out_of_service': 'int',
    'pm_compliance_pct': 'float | None',
    'rule': 'str',
    'skipped': 'int',
    'suppressed': 'int',
    'to': 'str',
}, total=True)


class PMOccurrence(TypedDict):
    #: Local day of completion; of a suppressed one, of the larger work.
    done_on: str | None
    #: Last day on which it is in time.
    due_on: str
    id: str
    #: Names it for good: the rule's own date, f<n> for the n-th cycle of a floating plan, m<k> for a step of a meter, c<n> for a
    #: limit that was passed.
    occurrence: str
    #: Day on which its work order is made.
    opens_on: str
    pm_plan_id: str
    #: Why it was skipped, missed or suppressed.
    reason: str | None
    #: generated: its work order is to be done. suppressed: a larger plan includes it.
    state: Literal['generated', 'done', 'missed', 'skipped', 'suppressed']
    target_id: str
    #: plan where one work order is for all targets.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment', 'plan']
    #: The work order that serves it.
    work_order_id: str | None


class _PMOccurrenceGenerationRequired(TypedDict):
    #: The rule's own date, or the next cycle of a floating plan (f3).
    occurrence: str
    #: Why.
    reason: str


class PMOccurrenceGeneration(_PMOccurrenceGenerationRequired, total=False):
    #: On this target only; on all when left out.
    target_id: str | None


class PMOccurrenceList(TypedDict):
    data: list[PMOccurrence]
    pagination: PageNumbers


class PMOccurrenceReschedule(TypedDict):
    #: The day on which it is due instead.
    due_on: str
    #: The rule's own date, or the next cycle of a floating plan (f3).
    occurrence: str
    #: Why.
    reason: str


class _PMOccurrenceSkipRequired(TypedDict):
    #: The rule's own date, or the next cycle of a floating plan (f3).
    occurrence: str
    #: Why.
    reason: str


class PMOccurrenceSkip(_PMOccurrenceSkipRequired, total=False):
    #: On this target only; on all when left out.
    target_id: str | None


class PMOccurrencesGenerated(TypedDict):
    #: On how many targets something was changed: none where all was so already.
    changed: int
    #: The occurrence.
    occurrence: str


class PMOccurrencesRescheduled(TypedDict):
    #: On how many targets something was changed: none where all was so already.
    changed: int
    #: The occurrence.
    occurrence: str


class PMOccurrencesSkipped(TypedDict):
    #: On how many targets something was changed: none where all was so already.
    changed: int
    #: The occurrence.
    occurrence: str


class PMPlanCalendar(TypedDict):
    """With expand=calendar."""

    id: str
    name: str


class PMPlanCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class PMPlanJobPlan(TypedDict):
    """With expand=job_plan."""

    id: str
    name: str


PMPlanSeasonsItem = TypedDict('PMPlanSeasonsItem', {
    'from': 'str',
    'to': 'str',
}, total=True)


class PMPlanTargetFilter(TypedDict):
    """What it is done on, looked up each time that work is made. A plan whose filter finds more than 10,000 records is paused."""

    #: Where they are.
    collection: Literal['assets', 'systems', 'buildings', 'sites', 'segments']
    #: As in the query of the collection's list, without paging and sorting.
    query: str


class PMPlanTargetsItem(TypedDict):
    #: The record.
    target_id: str
    #: What target_id is of. A segment needs the feature Infrastructure.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment']


class PMPlanTeam(TypedDict):
    """With expand=team."""

    id: str
    name: str


class PMPlanTriggerCondition(TypedDict):
    #: Due when the condition is this rating or worse (5 is very poor).
    rating_at_least: int


class _PMPlanTriggerGaugeRequired(TypedDict):
    #: The name of the meter that each target has.
    name: str
    #: gt: due above value. lt: due below it.
    op: Literal['gt', 'lt']
    #: The limit.
    value: float


class PMPlanTriggerGauge(_PMPlanTriggerGaugeRequired, total=False):
    #: Where it must be again before it can be due once more; value when left out.
    clear_value: float


class PMPlanTriggerInterval(TypedDict):
    #: How many.
    n: int
    #: Of what.
    unit: Literal['day', 'week', 'month', 'year']


class PMPlanTriggerMeter(TypedDict):
    #: How much use. Of a fixed plan at every multiple of it, of a floating one so much after the use when it was last done.
    every: float
    #: The name of the meter that each target has.
    name: str


class PMPlanTrigger(TypedDict, total=False):
    """What makes the work due: rrule for a fixed plan, interval for a floating one; meter, gauge or condition for either. A floating plan may have several: whichever comes first, and completing resets all."""

    condition: PMPlanTriggerCondition | None
    gauge: PMPlanTriggerGauge | None
    interval: PMPlanTriggerInterval | None
    meter: PMPlanTriggerMeter | None
    #: Dates that repeat, as the RRULE of iCalendar (RFC 5545): FREQ DAILY to YEARLY, INTERVAL, BYMONTH, BYMONTHDAY, BYDAY,
    #: BYSETPOS, WKST, and COUNT or UNTIL (a date).
    rrule: str


class PMPlanUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class PMPlanWindow(TypedDict, total=False):
    """When work counts as in time by the rule window of pm-compliance: days about the due day, or the calendar period of the rule's own date."""

    #: The week from Monday, month or year of the rule's own date.
    calendar: Literal['week', 'month', 'year']
    #: With days_before.
    days_after: int
    #: With days_after.
    days_before: int


class _PMPlanRequired(TypedDict):
    #: fixed: due on the rule's dates, whenever it was done. floating: due some time after it was last done.
    basis: Literal['fixed', 'floating']
    #: The calendar whose days with hours, less its holidays, are working days; Monday to Friday when left out.
    calendar_id: str | None
    #: What is made when several occurrences opened while nobody looked: the last, all, or none; the others are missed.
    catch_up: Literal['latest', 'all', 'none']
    #: Short code; numbered when left out.
    code: str | None
    created_at: str
    created_by: PMPlanCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: Last day on which anything is due.
    ends_on: str | None
    #: Dates of the rule on which nothing is due.
    exception_dates: list[str]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Days on which it is due besides.
    extra_dates: list[str]
    #: Made by the service (UUID version 7).
    id: str
    #: What is done.
    job_plan_id: str
    #: When it was last done before the plan began.
    last_done_on: str | None
    #: How many days before it is due the work order is made; fewer than the interval.
    lead_days: int
    #: Due no later than so many months after it was last done, whatever the rule says.
    max_gap_months: int | None
    #: What people call the plan.
    name: str
    #: What becomes of a due day on which nobody works: it stays, or is the working day before or after it, where there is one
    #: within 31 days.
    non_working_day: Literal['keep', 'previous', 'next']
    #: The law, standard or contract that asks for it.
    obligation: str | None
    #: Why the planner paused it; null where somebody did.
    paused_because: str | None
    #: Parts of the year in which it is done; all year when left out. Dates of a rule out of season fall away, a floating due day
    #: moves to the next season's first day.
    seasons: list[PMPlanSeasonsItem]
    #: true: every occurrence has a work order of its own. false: when the next one opens while work is open, the earlier is
    #: missed and its work order serves the later.
    stack: bool
    #: First day, 1990-01-01 or later. Rules count from it; it is a date of the rule only where it matches. A floating plan that
    #: was never done is due on it.
    starts_on: str
    #: draft → active, ended; active → paused, ended; paused → active, ended; ended is final. Only active plans make work, from
    #: the day on which they become active; changes make nothing of the past.
    status: Literal['draft', 'active', 'paused', 'ended']
    #: Smaller plans that this one includes: their occurrences on the same target within suppress_days are suppressed.
    supersedes: list[str]
    #: How many days apart two due days may be for this plan's to include the other's.
    suppress_days: int
    #: Labels of your own.
    tags: list[str]
    #: What it is done on, looked up each time that work is made. A plan whose filter finds more than 10,000 records is paused.
    target_filter: PMPlanTargetFilter | None
    #: What it is done on. Either these or target_filter.
    targets: list[PMPlanTargetsItem]
    #: The team that its work orders are given to.
    team_id: str | None
    #: IANA time zone in which its days begin and end; the organization's when left out.
    time_zone: str | None
    #: What makes the work due: rrule for a fixed plan, interval for a floating one; meter, gauge or condition for either. A
    #: floating plan may have several: whichever comes first, and completing resets all.
    trigger: PMPlanTrigger
    updated_at: str
    updated_by: PMPlanUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int
    #: What becomes of an occurrence whose target is out of service.
    when_out_of_service: Literal['skip', 'generate']
    #: When work counts as in time by the rule window of pm-compliance: days about the due day, or the calendar period of the
    #: rule's own date.
    window: PMPlanWindow | None
    #: target: a work order for each target. plan: one for all of them.
    work_order_per: Literal['target', 'plan']


class PMPlan(_PMPlanRequired, total=False):
    #: With expand=calendar.
    calendar: PMPlanCalendar | None
    #: With expand=job_plan.
    job_plan: PMPlanJobPlan | None
    #: With expand=team.
    team: PMPlanTeam | None


class PMPlanBulkCreate(TypedDict):
    data: list[PMPlanBulkCreateRow]


PMPlanBulkCreateRowSeasonsItem = TypedDict('PMPlanBulkCreateRowSeasonsItem', {
    'from': 'str',
    'to': 'str',
}, total=True)


class PMPlanBulkCreateRowTargetFilter(TypedDict, total=False):
    """What it is done on, looked up each time that work is made. A plan whose filter finds more than 10,000 records is paused."""

    #: Where they are.
    collection: Literal['assets', 'systems', 'buildings', 'sites', 'segments']
    #: As in the query of the collection's list, without paging and sorting.
    query: str


class PMPlanBulkCreateRowTargetsItem(TypedDict):
    #: The record.
    target_id: str
    #: What target_id is of. A segment needs the feature Infrastructure.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment']


class PMPlanBulkCreateRowTriggerCondition(TypedDict):
    #: Due when the condition is this rating or worse (5 is very poor).
    rating_at_least: int


class _PMPlanBulkCreateRowTriggerGaugeRequired(TypedDict):
    #: The name of the meter that each target has.
    name: str
    #: gt: due above value. lt: due below it.
    op: Literal['gt', 'lt']
    #: The limit.
    value: float


class PMPlanBulkCreateRowTriggerGauge(_PMPlanBulkCreateRowTriggerGaugeRequired, total=False):
    #: Where it must be again before it can be due once more; value when left out.
    clear_value: float


class PMPlanBulkCreateRowTriggerInterval(TypedDict):
    #: How many.
    n: int
    #: Of what.
    unit: Literal['day', 'week', 'month', 'year']


class PMPlanBulkCreateRowTriggerMeter(TypedDict):
    #: How much use. Of a fixed plan at every multiple of it, of a floating one so much after the use when it was last done.
    every: float
    #: The name of the meter that each target has.
    name: str


class PMPlanBulkCreateRowTrigger(TypedDict, total=False):
    """What makes the work due: rrule for a fixed plan, interval for a floating one; meter, gauge or condition for either. A floating plan may have several: whichever comes first, and completing resets all."""

    condition: PMPlanBulkCreateRowTriggerCondition | None
    gauge: PMPlanBulkCreateRowTriggerGauge | None
    interval: PMPlanBulkCreateRowTriggerInterval | None
    meter: PMPlanBulkCreateRowTriggerMeter | None
    #: Dates that repeat, as the RRULE of iCalendar (RFC 5545): FREQ DAILY to YEARLY, INTERVAL, BYMONTH, BYMONTHDAY, BYDAY,
    #: BYSETPOS, WKST, and COUNT or UNTIL (a date).
    rrule: str


class PMPlanBulkCreateRowWindow(TypedDict, total=False):
    """When work counts as in time by the rule window of pm-compliance: days about the due day, or the calendar period of the rule's own date."""

    #: The week from Monday, month or year of the rule's own date.
    calendar: Literal['week', 'month', 'year']
    #: With days_before.
    days_after: int
    #: With days_after.
    days_before: int


class _PMPlanBulkCreateRowRequired(TypedDict):
    #: fixed: due on the rule's dates, whenever it was done. floating: due some time after it was last done.
    basis: Literal['fixed', 'floating']
    #: What people call the plan.
    name: str
    #: First day, 1990-01-01 or later. Rules count from it; it is a date of the rule only where it matches. A floating plan that
    #: was never done is due on it.
    starts_on: str
    #: What makes the work due: rrule for a fixed plan, interval for a floating one; meter, gauge or condition for either. A
    #: floating plan may have several: whichever comes first, and completing resets all.
    trigger: PMPlanBulkCreateRowTrigger


class PMPlanBulkCreateRow(_PMPlanBulkCreateRowRequired, total=False):
    #: The calendar whose days with hours, less its holidays, are working days; Monday to Friday when left out.
    calendar_id: str | None
    #: What is made when several occurrences opened while nobody looked: the last, all, or none; the others are missed.
    catch_up: Literal['latest', 'all', 'none'] | None
    #: Short code; numbered when left out.
    code: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Last day on which anything is due.
    ends_on: str | None
    #: Dates of the rule on which nothing is due.
    exception_dates: list[str] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Days on which it is due besides.
    extra_dates: list[str] | None
    #: What is done.
    job_plan_id: str
    #: When it was last done before the plan began.
    last_done_on: str | None
    #: How many days before it is due the work order is made; fewer than the interval.
    lead_days: int | None
    #: Due no later than so many months after it was last done, whatever the rule says.
    max_gap_months: int | None
    #: What becomes of a due day on which nobody works: it stays, or is the working day before or after it, where there is one
    #: within 31 days.
    non_working_day: Literal['keep', 'previous', 'next'] | None
    #: The law, standard or contract that asks for it.
    obligation: str | None
    #: Parts of the year in which it is done; all year when left out. Dates of a rule out of season fall away, a floating due day
    #: moves to the next season's first day.
    seasons: list[PMPlanBulkCreateRowSeasonsItem] | None
    #: true: every occurrence has a work order of its own. false: when the next one opens while work is open, the earlier is
    #: missed and its work order serves the later.
    stack: bool | None
    #: draft → active, ended; active → paused, ended; paused → active, ended; ended is final. Only active plans make work, from
    #: the day on which they become active; changes make nothing of the past.
    status: Literal['draft', 'active', 'paused', 'ended'] | None
    #: Smaller plans that this one includes: their occurrences on the same target within suppress_days are suppressed.
    supersedes: list[str] | None
    #: How many days apart two due days may be for this plan's to include the other's.
    suppress_days: int | None
    #: Labels of your own.
    tags: list[str] | None
    #: What it is done on, looked up each time that work is made. A plan whose filter finds more than 10,000 records is paused.
    target_filter: PMPlanBulkCreateRowTargetFilter | None
    #: What it is done on. Either these or target_filter.
    targets: list[PMPlanBulkCreateRowTargetsItem] | None
    #: The team that its work orders are given to.
    team_id: str | None
    #: IANA time zone in which its days begin and end; the organization's when left out.
    time_zone: str | None
    #: What becomes of an occurrence whose target is out of service.
    when_out_of_service: Literal['skip', 'generate'] | None
    #: When work counts as in time by the rule window of pm-compliance: days about the due day, or the calendar period of the
    #: rule's own date.
    window: PMPlanBulkCreateRowWindow | None
    #: target: a work order for each target. plan: one for all of them.
    work_order_per: Literal['target', 'plan'] | None
    #: In place of calendar_id: the external_id of that record, which may be of an earlier row.
    calendar_external_id: str | None
    #: In place of job_plan_id: the external_id of that record, which may be of an earlier row.
    job_plan_external_id: str | None
    #: In place of team_id: the external_id of that record, which may be of an earlier row.
    team_external_id: str | None


class PMPlanBulkDelete(TypedDict):
    data: list[PMPlanBulkDeleteRow]


class PMPlanBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: Short code; numbered when left out.
    code: str | None


class PMPlanBulkPatch(TypedDict):
    data: list[PMPlanBulkPatchRow]


PMPlanBulkPatchRowSeasonsItem = TypedDict('PMPlanBulkPatchRowSeasonsItem', {
    'from': 'str',
    'to': 'str',
}, total=True)


class PMPlanBulkPatchRowTargetFilter(TypedDict, total=False):
    """What it is done on, looked up each time that work is made. A plan whose filter finds more than 10,000 records is paused."""

    #: Where they are.
    collection: Literal['assets', 'systems', 'buildings', 'sites', 'segments']
    #: As in the query of the collection's list, without paging and sorting.
    query: str


class PMPlanBulkPatchRowTargetsItem(TypedDict):
    #: The record.
    target_id: str
    #: What target_id is of. A segment needs the feature Infrastructure.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment']


class PMPlanBulkPatchRowTriggerCondition(TypedDict):
    #: Due when the condition is this rating or worse (5 is very poor).
    rating_at_least: int


class _PMPlanBulkPatchRowTriggerGaugeRequired(TypedDict):
    #: The name of the meter that each target has.
    name: str
    #: gt: due above value. lt: due below it.
    op: Literal['gt', 'lt']
    #: The limit.
    value: float


class PMPlanBulkPatchRowTriggerGauge(_PMPlanBulkPatchRowTriggerGaugeRequired, total=False):
    #: Where it must be again before it can be due once more; value when left out.
    clear_value: float


class PMPlanBulkPatchRowTriggerInterval(TypedDict):
    #: How many.
    n: int
    #: Of what.
    unit: Literal['day', 'week', 'month', 'year']


class PMPlanBulkPatchRowTriggerMeter(TypedDict):
    #: How much use. Of a fixed plan at every multiple of it, of a floating one so much after the use when it was last done.
    every: float
    #: The name of the meter that each target has.
    name: str


class PMPlanBulkPatchRowTrigger(TypedDict, total=False):
    """What makes the work due: rrule for a fixed plan, interval for a floating one; meter, gauge or condition for either. A floating plan may have several: whichever comes first, and completing resets all."""

    condition: PMPlanBulkPatchRowTriggerCondition | None
    gauge: PMPlanBulkPatchRowTriggerGauge | None
    interval: PMPlanBulkPatchRowTriggerInterval | None
    meter: PMPlanBulkPatchRowTriggerMeter | None
    #: Dates that repeat, as the RRULE of iCalendar (RFC 5545): FREQ DAILY to YEARLY, INTERVAL, BYMONTH, BYMONTHDAY, BYDAY,
    #: BYSETPOS, WKST, and COUNT or UNTIL (a date).
    rrule: str


class PMPlanBulkPatchRowWindow(TypedDict, total=False):
    """When work counts as in time by the rule window of pm-compliance: days about the due day, or the calendar period of the rule's own date."""

    #: The week from Monday, month or year of the rule's own date.
    calendar: Literal['week', 'month', 'year']
    #: With days_before.
    days_after: int
    #: With days_after.
    days_before: int


class PMPlanBulkPatchRow(TypedDict, total=False):
    #: fixed: due on the rule's dates, whenever it was done. floating: due some time after it was last done.
    basis: Literal['fixed', 'floating']
    #: The calendar whose days with hours, less its holidays, are working days; Monday to Friday when left out.
    calendar_id: str | None
    #: What is made when several occurrences opened while nobody looked: the last, all, or none; the others are missed.
    catch_up: Literal['latest', 'all', 'none'] | None
    #: Short code; numbered when left out.
    code: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Last day on which anything is due.
    ends_on: str | None
    #: Dates of the rule on which nothing is due.
    exception_dates: list[str] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Days on which it is due besides.
    extra_dates: list[str] | None
    #: What is done.
    job_plan_id: str
    #: When it was last done before the plan began.
    last_done_on: str | None
    #: How many days before it is due the work order is made; fewer than the interval.
    lead_days: int | None
    #: Due no later than so many months after it was last done, whatever the rule says.
    max_gap_months: int | None
    #: What people call the plan.
    name: str
    #: What becomes of a due day on which nobody works: it stays, or is the working day before or after it, where there is one
    #: within 31 days.
    non_working_day: Literal['keep', 'previous', 'next'] | None
    #: The law, standard or contract that asks for it.
    obligation: str | None
    #: Parts of the year in which it is done; all year when left out. Dates of a rule out of season fall away, a floating due day
    #: moves to the next season's first day.
    seasons: list[PMPlanBulkPatchRowSeasonsItem] | None
    #: true: every occurrence has a work order of its own. false: when the next one opens while work is open, the earlier is
    #: missed and its work order serves the later.
    stack: bool | None
    #: First day, 1990-01-01 or later. Rules count from it; it is a date of the rule only where it matches. A floating plan that
    #: was never done is due on it.
    starts_on: str
    #: draft → active, ended; active → paused, ended; paused → active, ended; ended is final. Only active plans make work, from
    #: the day on which they become active; changes make nothing of the past.
    status: Literal['draft', 'active', 'paused', 'ended'] | None
    #: Smaller plans that this one includes: their occurrences on the same target within suppress_days are suppressed.
    supersedes: list[str] | None
    #: How many days apart two due days may be for this plan's to include the other's.
    suppress_days: int | None
    #: Labels of your own.
    tags: list[str] | None
    #: What it is done on, looked up each time that work is made. A plan whose filter finds more than 10,000 records is paused.
    target_filter: PMPlanBulkPatchRowTargetFilter | None
    #: What it is done on. Either these or target_filter.
    targets: list[PMPlanBulkPatchRowTargetsItem] | None
    #: The team that its work orders are given to.
    team_id: str | None
    #: IANA time zone in which its days begin and end; the organization's when left out.
    time_zone: str | None
    #: What makes the work due: rrule for a fixed plan, interval for a floating one; meter, gauge or condition for either. A
    #: floating plan may have several: whichever comes first, and completing resets all.
    trigger: PMPlanBulkPatchRowTrigger | None
    #: What becomes of an occurrence whose target is out of service.
    when_out_of_service: Literal['skip', 'generate'] | None
    #: When work counts as in time by the rule window of pm-compliance: days about the due day, or the calendar period of the
    #: rule's own date.
    window: PMPlanBulkPatchRowWindow | None
    #: target: a work order for each target. plan: one for all of them.
    work_order_per: Literal['target', 'plan'] | None
    #: In place of calendar_id: the external_id of that record, which may be of an earlier row.
    calendar_external_id: str | None
    #: Of the record. Left out: external_id, else code, names it.
    id: str
    #: In place of job_plan_id: the external_id of that record, which may be of an earlier row.
    job_plan_external_id: str | None
    #: In place of team_id: the external_id of that record, which may be of an earlier row.
    team_external_id: str | None


class PMPlanBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[PMPlan]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


PMPlanExpansion: TypeAlias = "Literal['job_plan', 'calendar', 'team']"


PMPlanField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'name', 'code', 'status', 'job_plan_id', 'targets', 'target_filter', 'work_order_per', 'basis', 'time_zone', 'starts_on', 'ends_on', 'trigger', 'lead_days', 'window', 'max_gap_months', 'seasons', 'exception_dates', 'extra_dates', 'calendar_id', 'non_working_day', 'supersedes', 'suppress_days', 'stack', 'catch_up', 'when_out_of_service', 'obligation', 'team_id', 'last_done_on', 'paused_because']"


class _PMPlanListRequired(TypedDict):
    data: list[PMPlan]
    pagination: Pagination


class PMPlanList(_PMPlanListRequired, total=False):
    search: SearchCorrections


PMPlanPatchSeasonsItem = TypedDict('PMPlanPatchSeasonsItem', {
    'from': 'str',
    'to': 'str',
}, total=True)


class PMPlanPatchTargetFilter(TypedDict, total=False):
    """What it is done on, looked up each time that work is made. A plan whose filter finds more than 10,000 records is paused."""

    #: Where they are.
    collection: Literal['assets', 'systems', 'buildings', 'sites', 'segments']
    #: As in the query of the collection's list, without paging and sorting.
    query: str


class PMPlanPatchTargetsItem(TypedDict):
    #: The record.
    target_id: str
    #: What target_id is of. A segment needs the feature Infrastructure.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment']


class PMPlanPatchTriggerCondition(TypedDict):
    #: Due when the condition is this rating or worse (5 is very poor).
    rating_at_least: int


class _PMPlanPatchTriggerGaugeRequired(TypedDict):
    #: The name of the meter that each target has.
    name: str
    #: gt: due above value. lt: due below it.
    op: Literal['gt', 'lt']
    #: The limit.
    value: float


class PMPlanPatchTriggerGauge(_PMPlanPatchTriggerGaugeRequired, total=False):
    #: Where it must be again before it can be due once more; value when left out.
    clear_value: float


class PMPlanPatchTriggerInterval(TypedDict):
    #: How many.
    n: int
    #: Of what.
    unit: Literal['day', 'week', 'month', 'year']


class PMPlanPatchTriggerMeter(TypedDict):
    #: How much use. Of a fixed plan at every multiple of it, of a floating one so much after the use when it was last done.
    every: float
    #: The name of the meter that each target has.
    name: str


class PMPlanPatchTrigger(TypedDict, total=False):
    """What makes the work due: rrule for a fixed plan, interval for a floating one; meter, gauge or condition for either. A floating plan may have several: whichever comes first, and completing resets all."""

    condition: PMPlanPatchTriggerCondition | None
    gauge: PMPlanPatchTriggerGauge | None
    interval: PMPlanPatchTriggerInterval | None
    meter: PMPlanPatchTriggerMeter | None
    #: Dates that repeat, as the RRULE of iCalendar (RFC 5545): FREQ DAILY to YEARLY, INTERVAL, BYMONTH, BYMONTHDAY, BYDAY,
    #: BYSETPOS, WKST, and COUNT or UNTIL (a date).
    rrule: str


class PMPlanPatchWindow(TypedDict, total=False):
    """When work counts as in time by the rule window of pm-compliance: days about the due day, or the calendar period of the rule's own date."""

    #: The week from Monday, month or year of the rule's own date.
    calendar: Literal['week', 'month', 'year']
    #: With days_before.
    days_after: int
    #: With days_after.
    days_before: int


class PMPlanPatch(TypedDict, total=False):
    #: fixed: due on the rule's dates, whenever it was done. floating: due some time after it was last done.
    basis: Literal['fixed', 'floating']
    #: The calendar whose days with hours, less its holidays, are working days; Monday to Friday when left out.
    calendar_id: str | None
    #: What is made when several occurrences opened while nobody looked: the last, all, or none; the others are missed.
    catch_up: Literal['latest', 'all', 'none'] | None
    #: Short code; numbered when left out.
    code: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Last day on which anything is due.
    ends_on: str | None
    #: Dates of the rule on which nothing is due.
    exception_dates: list[str] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Days on which it is due besides.
    extra_dates: list[str] | None
    #: What is done.
    job_plan_id: str
    #: When it was last done before the plan began.
    last_done_on: str | None
    #: How many days before it is due the work order is made; fewer than the interval.
    lead_days: int | None
    #: Due no later than so many months after it was last done, whatever the rule says.
    max_gap_months: int | None
    #: What people call the plan.
    name: str
    #: What becomes of a due day on which nobody works: it stays, or is the working day before or after it, where there is one
    #: within 31 days.
    non_working_day: Literal['keep', 'previous', 'next'] | None
    #: The law, standard or contract that asks for it.
    obligation: str | None
    #: Parts of the year in which it is done; all year when left out. Dates of a rule out of season fall away, a floating due day
    #: moves to the next season's first day.
    seasons: list[PMPlanPatchSeasonsItem] | None
    #: true: every occurrence has a work order of its own. false: when the next one opens while work is open, the earlier is
    #: missed and its work order serves the later.
    stack: bool | None
    #: First day, 1990-01-01 or later. Rules count from it; it is a date of the rule only where it matches. A floating plan that
    #: was never done is due on it.
    starts_on: str
    #: draft → active, ended; active → paused, ended; paused → active, ended; ended is final. Only active plans make work, from
    #: the day on which they become active; changes make nothing of the past.
    status: Literal['draft', 'active', 'paused', 'ended'] | None
    #: Smaller plans that this one includes: their occurrences on the same target within suppress_days are suppressed.
    supersedes: list[str] | None
    #: How many days apart two due days may be for this plan's to include the other's.
    suppress_days: int | None
    #: Labels of your own.
    tags: list[str] | None
    #: What it is done on, looked up each time that work is made. A plan whose filter finds more than 10,000 records is paused.
    target_filter: PMPlanPatchTargetFilter | None
    #: What it is done on. Either these or target_filter.
    targets: list[PMPlanPatchTargetsItem] | None
    #: The team that its work orders are given to.
    team_id: str | None
    #: IANA time zone in which its days begin and end; the organization's when left out.
    time_zone: str | None
    #: What makes the work due: rrule for a fixed plan, interval for a floating one; meter, gauge or condition for either. A
    #: floating plan may have several: whichever comes first, and completing resets all.
    trigger: PMPlanPatchTrigger | None
    #: What becomes of an occurrence whose target is out of service.
    when_out_of_service: Literal['skip', 'generate'] | None
    #: When work counts as in time by the rule window of pm-compliance: days about the due day, or the calendar period of the
    #: rule's own date.
    window: PMPlanPatchWindow | None
    #: target: a work order for each target. plan: one for all of them.
    work_order_per: Literal['target', 'plan'] | None


PMPlanSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'code', '-code', 'status', '-status', 'basis', '-basis', 'starts_on', '-starts_on', 'ends_on', '-ends_on', 'last_done_on', '-last_done_on', 'relevance']"


PMPlanWriteSeasonsItem = TypedDict('PMPlanWriteSeasonsItem', {
    'from': 'str',
    'to': 'str',
}, total=True)


class PMPlanWriteTargetFilter(TypedDict):
    """What it is done on, looked up each time that work is made. A plan whose filter finds more than 10,000 records is paused."""

    #: Where they are.
    collection: Literal['assets', 'systems', 'buildings', 'sites', 'segments']
    #: As in the query of the collection's list, without paging and sorting.
    query: str


class PMPlanWriteTargetsItem(TypedDict):
    #: The record.
    target_id: str
    #: What target_id is of. A segment needs the feature Infrastructure.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment']


class PMPlanWriteTriggerCondition(TypedDict):
    #: Due when the condition is this rating or worse (5 is very poor).
    rating_at_least: int


class _PMPlanWriteTriggerGaugeRequired(TypedDict):
    #: The name of the meter that each target has.
    name: str
    #: gt: due above value. lt: due below it.
    op: Literal['gt', 'lt']
    #: The limit.
    value: float


class PMPlanWriteTriggerGauge(_PMPlanWriteTriggerGaugeRequired, total=False):
    #: Where it must be again before it can be due once more; value when left out.
    clear_value: float


class PMPlanWriteTriggerInterval(TypedDict):
    #: How many.
    n: int
    #: Of what.
    unit: Literal['day', 'week', 'month', 'year']


class PMPlanWriteTriggerMeter(TypedDict):
    #: How much use. Of a fixed plan at every multiple of it, of a floating one so much after the use when it was last done.
    every: float
    #: The name of the meter that each target has.
    name: str


class PMPlanWriteTrigger(TypedDict, total=False):
    """What makes the work due: rrule for a fixed plan, interval for a floating one; meter, gauge or condition for either. A floating plan may have several: whichever comes first, and completing resets all."""

    condition: PMPlanWriteTriggerCondition | None
    gauge: PMPlanWriteTriggerGauge | None
    interval: PMPlanWriteTriggerInterval | None
    meter: PMPlanWriteTriggerMeter | None
    #: Dates that repeat, as the RRULE of iCalendar (RFC 5545): FREQ DAILY to YEARLY, INTERVAL, BYMONTH, BYMONTHDAY, BYDAY,
    #: BYSETPOS, WKST, and COUNT or UNTIL (a date).
    rrule: str


class PMPlanWriteWindow(TypedDict, total=False):
    """When work counts as in time by the rule window of pm-compliance: days about the due day, or the calendar period of the rule's own date."""

    #: The week from Monday, month or year of the rule's own date.
    calendar: Literal['week', 'month', 'year']
    #: With days_before.
    days_after: int
    #: With days_after.
    days_before: int


class _PMPlanWriteRequired(TypedDict):
    #: fixed: due on the rule's dates, whenever it was done. floating: due some time after it was last done.
    basis: Literal['fixed', 'floating']
    #: What is done.
    job_plan_id: str
    #: What people call the plan.
    name: str
    #: First day, 1990-01-01 or later. Rules count from it; it is a date of the rule only where it matches. A floating plan that
    #: was never done is due on it.
    starts_on: str
    #: What makes the work due: rrule for a fixed plan, interval for a floating one; meter, gauge or condition for either. A
    #: floating plan may have several: whichever comes first, and completing resets all.
    trigger: PMPlanWriteTrigger | None


class PMPlanWrite(_PMPlanWriteRequired, total=False):
    #: The calendar whose days with hours, less its holidays, are working days; Monday to Friday when left out.
    calendar_id: str | None
    #: What is made when several occurrences opened while nobody looked: the last, all, or none; the others are missed. Left out:
    #: "latest".
    catch_up: Literal['latest', 'all', 'none'] | None
    #: Short code; numbered when left out.
    code: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Last day on which anything is due.
    ends_on: str | None
    #: Dates of the rule on which nothing is due.
    exception_dates: list[str] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Days on which it is due besides.
    extra_dates: list[str] | None
    #: When it was last done before the plan began.
    last_done_on: str | None
    #: How many days before it is due the work order is made; fewer than the interval. Left out: 0.
    lead_days: int | None
    #: Due no later than so many months after it was last done, whatever the rule says.
    max_gap_months: int | None
    #: What becomes of a due day on which nobody works: it stays, or is the working day before or after it, where there is one
    #: within 31 days. Left out: "keep".
    non_working_day: Literal['keep', 'previous', 'next'] | None
    #: The law, standard or contract that asks for it.
    obligation: str | None
    #: Parts of the year in which it is done; all year when left out. Dates of a rule out of season fall away, a floating due day
    #: moves to the next season's first day.
    seasons: list[PMPlanWriteSeasonsItem] | None
    #: true: every occurrence has a work order of its own. false: when the next one opens while work is open, the earlier is
    #: missed and its work order serves the later. Left out: false.
    stack: bool | None
    #: draft → active, ended; active → paused, ended; paused → active, ended; ended is final. Only active plans make work, from
    #: the day on which they become active; changes make nothing of the past. Left out: "draft".
    status: Literal['draft', 'active', 'paused', 'ended'] | None
    #: Smaller plans that this one includes: their occurrences on the same target within suppress_days are suppressed.
    supersedes: list[str] | None
    #: How many days apart two due days may be for this plan's to include the other's. Left out: 7.
    suppress_days: int | None
    #: Labels of your own.
    tags: list[str] | None
    #: What it is done on, looked up each time that work is made. A plan whose filter finds more than 10,000 records is paused.
    target_filter: PMPlanWriteTargetFilter | None
    #: What it is done on. Either these or target_filter.
    targets: list[PMPlanWriteTargetsItem] | None
    #: The team that its work orders are given to.
    team_id: str | None
    #: IANA time zone in which its days begin and end; the organization's when left out.
    time_zone: str | None
    #: What becomes of an occurrence whose target is out of service. Left out: "skip".
    when_out_of_service: Literal['skip', 'generate'] | None
    #: When work counts as in time by the rule window of pm-compliance: days about the due day, or the calendar period of the
    #: rule's own date.
    window: PMPlanWriteWindow | None
    #: target: a work order for each target. plan: one for all of them. Left out: "target".
    work_order_per: Literal['target', 'plan'] | None


class PageNumbers(TypedDict):
    """Where a page is in a list that has pages by number only."""

    #: From 1.
    page: int
    per_page: int
    #: Of all pages, exactly.
    total: int
    #: 1 at least.
    total_pages: int


class Pagination(TypedDict):
    #: For the parameter cursor of the next page; null on the last.
    next_cursor: str | None
    #: From 1; null on a page that was asked for by cursor.
    page: int | None
    per_page: int
    #: Of all pages, exactly.
    total: int
    #: 1 at least.
    total_pages: int


class PlaceSummaryAsRecorded(TypedDict):
    """What of replacement_cost stays in prices as recorded: no price index applies, or the year of its prices is not known or before the index."""

    #: Their replacement cost.
    cost: float
    #: Assets, systems and appraised buildings.
    count: int


class PlaceSummaryBasis(TypedDict):
    """How much of the figures of a day that is over is hindsight; null of today and days to come."""

    #: Others that were changed since; what has no day of its own is as it was on the day.
    changed_since: int
    #: Assets that were entered after the day; what has no day of its own is as it was first entered.
    entered_later: int


class PlaceSummaryConditionDistributionValue(TypedDict):
    assets: int
    replacement_cost: float


class PlaceSummaryCounts(TypedDict):
    """How many there are."""

    assets: int
    #: Assets that are planned, decommissioned or disposed, or inside of something that is; in no other figure.
    assets_left_out: int
    buildings: int
    sites: int
    systems: int


class PlaceSummaryDataQuality(TypedDict):
    """Assets that lack what the figures are made from."""

    #: Live deficiencies that count as deferred maintenance in the year of as_of, and of which nobody knows the cost.
    deficiencies_without_cost: int
    #: Assets that are decommissioned or disposed of, nobody knows since when: they count on no day.
    gone_without_date: int
    #: Systems and buildings whose own replacement cost is less than the renewals that are due inside.
    value_below_need: int
    without_condition_rating: int
    without_expected_useful_life: int
    #: Neither install_date nor install_year.
    without_installation: int
    without_planned_renewal_year: int
    without_replacement_cost: int
    without_site: int


class PlaceSummaryDeferredMaintenanceBasis(TypedDict):
    """Where deferred_maintenance_cost comes from; the two add up to it."""

    #: What the live deficiencies that count cost, those with an action_year after the year of as_of left out.
    deficiencies: float
    #: Typed on systems and assets, or said by assessments.
    typed: float


class PlaceSummaryPastUsefulLife(TypedDict):
    """Assets whose expected useful life is over."""

    assets: int
    replacement_cost: float


class PlaceSummaryReplacementCostBasis(TypedDict):
    """Where replacement_cost comes from; the three add up to it."""

    #: From assets.
    assets: float
    #: From appraisals of whole buildings.
    buildings: float
    #: From systems that have a cost of their own.
    systems: float


class PlaceSummary(TypedDict):
    as_of: str
    #: What of replacement_cost stays in prices as recorded: no price index applies, or the year of its prices is not known or
    #: before the index.
    as_recorded: PlaceSummaryAsRecorded
    #: Mean age of the assets whose installation is known.
    average_age_years: float | None
    #: Mean condition rating of the rated assets, 1 (very good) to 5 (very poor).
    average_condition_rating: float | None
    #: How much of the figures of a day that is over is hindsight; null of today and days to come.
    basis: PlaceSummaryBasis | None
    #: Assets by condition grade: very_good, good, fair, poor, very_poor, unknown.
    condition_distribution: dict[str, PlaceSummaryConditionDistributionValue]
    #: How many there are.
    counts: PlaceSummaryCounts
    #: Currency of every amount of money.
    currency: str
    #: Assets that lack what the figures are made from.
    data_quality: PlaceSummaryDataQuality
    #: Where deferred_maintenance_cost comes from; the two add up to it.
    deferred_maintenance_basis: PlaceSummaryDeferredMaintenanceBasis
    #: Maintenance that is due in the year of as_of and was put off.
    deferred_maintenance_cost: float
    #: good to 5 %, fair to 10 %, poor to 30 %, critical above.
    fci_grade: Literal['good', 'fair', 'poor', 'critical'] | None
    #: Facility Condition Index: need less need_without_value, over replacement cost. May exceed 100; null where nothing has a
    #: cost.
    fci_pct: float | None
    horizon_years: int
    id: str
    #: The last year of which every price index in use has a value; afterwards that value counts. Null without an index.
    indexed_through: int | None
    name: str
    #: Renewals due within the horizon (the greater of replacement and deferred maintenance), and the deferred maintenance of
    #: everything else.
    need: float
    #: The part of need that no replacement cost stands against: neither of the asset, nor of its system, nor an appraisal of its
    #: building. It is left out of the FCI.
    need_without_value: float
    #: Work orders there that are open, in progress or on hold; null while that cannot be found out.
    open_work_orders: int | None
    #: Those of them whose due date is over; null while that cannot be found out.
    overdue_work_orders: int | None
    #: Assets whose expected useful life is over.
    past_useful_life: PlaceSummaryPastUsefulLife
    #: The year whose prices amounts are in, as far as price indexes reach; as_recorded says what they do not reach.
    prices_of: int
    #: What replacing everything would cost, in prices of prices_of.
    replacement_cost: float
    #: Where replacement_cost comes from; the three add up to it.
    replacement_cost_basis: PlaceSummaryReplacementCostBasis
    #: Their mean age by replacement cost.
    weighted_age_years: float | None
    #: Their mean condition rating by replacement cost.
    weighted_condition_rating: float | None


class _PmPlanEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class PmPlanEventActor(_PmPlanEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class PmPlanEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: PMPlan


class _PmPlanEventRequired(TypedDict):
    #: Who did it.
    actor: PmPlanEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: PmPlanEventData
    type: Literal['pm_plan.created', 'pm_plan.updated', 'pm_plan.deleted', 'pm_occurrence.generated', 'pm_occurrence.missed', 'pm_occurrence.skipped']


class PmPlanEvent(_PmPlanEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


class PriceIndexCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class PriceIndexUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class PriceIndex(TypedDict):
    #: Short code; numbered when left out.
    code: str | None
    created_at: str
    created_by: PriceIndexCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: Whether it counts for every service category that no index names. One index only (409).
    is_default: bool
    #: What people call the index.
    name: str
    #: The service categories whose costs it brings to the prices of another year, each in one index only (409).
    service_categories: list[Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other']]
    #: Where the values come from.
    source: str | None
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: PriceIndexUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int


class PriceIndexBulkCreate(TypedDict):
    data: list[PriceIndexBulkCreateRow]


class _PriceIndexBulkCreateRowRequired(TypedDict):
    #: What people call the index.
    name: str


class PriceIndexBulkCreateRow(_PriceIndexBulkCreateRowRequired, total=False):
    #: Short code; numbered when left out.
    code: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Whether it counts for every service category that no index names. One index only (409).
    is_default: bool | None
    #: The service categories whose costs it brings to the prices of another year, each in one index only (409).
    service_categories: list[Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other']] | None
    #: Where the values come from.
    source: str | None
    #: Labels of your own.
    tags: list[str] | None


class PriceIndexBulkDelete(TypedDict):
    data: list[PriceIndexBulkDeleteRow]


class PriceIndexBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: Short code; numbered when left out.
    code: str | None


class PriceIndexBulkPatch(TypedDict):
    data: list[PriceIndexBulkPatchRow]


class PriceIndexBulkPatchRow(TypedDict, total=False):
    #: Short code; numbered when left out.
    code: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Whether it counts for every service category that no index names. One index only (409).
    is_default: bool | None
    #: What people call the index.
    name: str
    #: The service categories whose costs it brings to the prices of another year, each in one index only (409).
    service_categories: list[Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other']] | None
    #: Where the values come from.
    source: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: Of the record. Left out: external_id, else code, names it.
    id: str


class PriceIndexBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[PriceIndex]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _PriceIndexEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class PriceIndexEventActor(_PriceIndexEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class PriceIndexEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: PriceIndex


class _PriceIndexEventRequired(TypedDict):
    #: Who did it.
    actor: PriceIndexEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: PriceIndexEventData
    type: Literal['price_index.created', 'price_index.updated', 'price_index.deleted']


class PriceIndexEvent(_PriceIndexEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


PriceIndexField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'name', 'code', 'source', 'service_categories', 'is_default']"


class _PriceIndexListRequired(TypedDict):
    data: list[PriceIndex]
    pagination: Pagination


class PriceIndexList(_PriceIndexListRequired, total=False):
    search: SearchCorrections


class PriceIndexPatch(TypedDict, total=False):
    #: Short code; numbered when left out.
    code: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Whether it counts for every service category that no index names. One index only (409).
    is_default: bool | None
    #: What people call the index.
    name: str
    #: The service categories whose costs it brings to the prices of another year, each in one index only (409).
    service_categories: list[Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other']] | None
    #: Where the values come from.
    source: str | None
    #: Labels of your own.
    tags: list[str] | None


PriceIndexSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'code', '-code', 'is_default', '-is_default', 'relevance']"


class PriceIndexValueCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class PriceIndexValuePriceIndex(TypedDict):
    """With expand=price_index."""

    id: str
    name: str


class PriceIndexValueUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _PriceIndexValueRequired(TypedDict):
    created_at: str
    created_by: PriceIndexValueCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: The index.
    price_index_id: str
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: PriceIndexValueUpdatedBy
    #: The index in that year, above 0, with at most 4 decimals.
    value: float
    #: Grows by one with every change; the ETag.
    version: int
    #: The year; once in an index. Where a year has no value, that of the year before it counts; after the last value the last.
    year: int


class PriceIndexValue(_PriceIndexValueRequired, total=False):
    #: With expand=price_index.
    price_index: PriceIndexValuePriceIndex | None


class PriceIndexValueBulkCreate(TypedDict):
    data: list[PriceIndexValueBulkCreateRow]


class _PriceIndexValueBulkCreateRowRequired(TypedDict):
    #: The index in that year, above 0, with at most 4 decimals.
    value: float
    #: The year; once in an index. Where a year has no value, that of the year before it counts; after the last value the last.
    year: int


class PriceIndexValueBulkCreateRow(_PriceIndexValueBulkCreateRowRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Labels of your own.
    tags: list[str] | None


class PriceIndexValueBulkDelete(TypedDict):
    data: list[RecordKey]


class PriceIndexValueBulkPatch(TypedDict):
    data: list[PriceIndexValueBulkPatchRow]


class PriceIndexValueBulkPatchRow(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: The index in that year, above 0, with at most 4 decimals.
    value: float
    #: The year; once in an index. Where a year has no value, that of the year before it counts; after the last value the last.
    year: int
    #: Of the record. Left out: external_id names it.
    id: str


class PriceIndexValueBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[PriceIndexValue]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _PriceIndexValueEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class PriceIndexValueEventActor(_PriceIndexValueEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class PriceIndexValueEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: PriceIndexValue


class _PriceIndexValueEventRequired(TypedDict):
    #: Who did it.
    actor: PriceIndexValueEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: PriceIndexValueEventData
    type: Literal['price_index_value.created', 'price_index_value.updated', 'price_index_value.deleted']


class PriceIndexValueEvent(_PriceIndexValueEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


PriceIndexValueExpansion: TypeAlias = "Literal['price_index']"


PriceIndexValueField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'price_index_id', 'year', 'value']"


class PriceIndexValueList(TypedDict):
    data: list[PriceIndexValue]
    pagination: Pagination


class PriceIndexValuePatch(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: The index in that year, above 0, with at most 4 decimals.
    value: float
    #: The year; once in an index. Where a year has no value, that of the year before it counts; after the last value the last.
    year: int


PriceIndexValueSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'year', '-year', 'value', '-value']"


class _PriceIndexValueWriteRequired(TypedDict):
    #: The index in that year, above 0, with at most 4 decimals.
    value: float
    #: The year; once in an index. Where a year has no value, that of the year before it counts; after the last value the last.
    year: int


class PriceIndexValueWrite(_PriceIndexValueWriteRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Labels of your own.
    tags: list[str] | None


class _PriceIndexWriteRequired(TypedDict):
    #: What people call the index.
    name: str


class PriceIndexWrite(_PriceIndexWriteRequired, total=False):
    #: Short code; numbered when left out.
    code: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Whether it counts for every service category that no index names. One index only (409). Left out: false.
    is_default: bool | None
    #: The service categories whose costs it brings to the prices of another year, each in one index only (409).
    service_categories: list[Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other']] | None
    #: Where the values come from.
    source: str | None
    #: Labels of your own.
    tags: list[str] | None


class ProjectBuilding(TypedDict):
    """With expand=building."""

    id: str
    name: str


class ProjectCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class ProjectManagerUser(TypedDict):
    """With expand=manager_user."""

    id: str
    name: str


class ProjectNetwork(TypedDict):
    """With expand=network."""

    id: str
    name: str


class ProjectPriorityCriteria(TypedDict, total=False):
    """How strongly each criterion speaks for the project, from 0 (not at all) to 5 (most). What a change leaves out stays."""

    #: 0 (not at all) to 5 (most): what it does against climate change, or against what it brings.
    climate: int | None
    #: 0 (not at all) to 5 (most): what it saves later.
    cost_avoidance: int | None
    #: 0 (not at all) to 5 (most): what it does for health and safety.
    health_safety: int | None
    #: 0 (not at all) to 5 (most): whether a law or regulation demands it.
    legislated: int | None
    #: 0 (not at all) to 5 (most): what it does for the level of service.
    los_impact: int | None
    #: 0 (not at all) to 5 (most): risk of failure that it takes away.
    risk: int | None


class ProjectSite(TypedDict):
    """With expand=site."""

    id: str
    name: str


class ProjectUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _ProjectRequired(TypedDict):
    #: What was spent. Once the project has budget lines it is their sum and read-only.
    actual_amount: float | None
    #: Day it was finished; not before actual_start_date.
    actual_end_date: str | None
    #: Day it began.
    actual_start_date: str | None
    #: What may be spent. Once the project has budget lines it is their sum and read-only: what is sent is ignored.
    budget_amount: float | None
    #: The building.
    building_id: str | None
    #: Short code; numbered when left out.
    code: str | None
    #: Contracts and purchase orders given out and not yet paid; no part of actual_amount. Once the project has budget lines it is
    #: their sum and read-only.
    committed_amount: float | None
    #: Contingency that the estimate includes.
    contingency_pct: float | None
    created_at: str
    created_by: ProjectCreatedBy
    #: Currency of every amount of money in the record.
    currency: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The department that carries it.
    department: str | None
    #: What is to be done.
    description: str | None
    #: What it was estimated to cost, contingency included.
    estimate_amount: float | None
    #: How exact the estimate is, after Public Services and Procurement Canada: A at tender (±5–10 %) to D indicative (±20–30 %).
    estimate_class: Literal['A', 'B', 'C', 'D'] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Fiscal year of the project, by the calendar year it begins in. A project without budget lines costs its money in this year
    #: of the plan.
    fiscal_year: int | None
    #: What it is expected to cost in the end. Once the project has budget lines it is their sum and read-only.
    forecast_amount: float | None
    #: Sum of the funding sources that are confirmed or received.
    funding_confirmed: float
    #: How much of the cost funding_confirmed does not cover; 0 where it covers it. The cost is budget_amount, else
    #: estimate_amount; of a completed project actual_amount and committed_amount, of a closed one actual_amount, where those are
    #: not 0.
    funding_gap: float | None
    #: How much more funding_confirmed is than that cost; 0 where it is not.
    funding_surplus: float | None
    #: How it goes, in the manager's judgment.
    health: Literal['on_track', 'at_risk', 'off_track'] | None
    #: Made by the service (UUID version 7).
    id: str
    #: Why it is to be done.
    justification: str | None
    #: Which lifecycle activity of the asset management plan (O. Reg. 588/17) it belongs to.
    lifecycle_activity: Literal['maintenance', 'renewal', 'growth', 'service_improvement', 'disposal', 'non_infrastructure'] | None
    #: The user who manages the project.
    manager_user_id: str | None
    #: What people call the project.
    name: str
    #: The network of linear assets.
    network_id: str | None
    #: How much of the work is done.
    percent_complete: float | None
    #: Day it is to be finished; not before planned_start_date.
    planned_end_date: str | None
    #: Day it is to begin.
    planned_start_date: str | None
    #: How strongly each criterion speaks for the project, from 0 (not at all) to 5 (most). What a change leaves out stays.
    priority_criteria: ProjectPriorityCriteria | None
    #: From 0 to 100: the priority criteria weighted risk 30, legislated 20, health_safety 20, los_impact 15, cost_avoidance 10,
    #: climate 5. A criterion left out counts 0; null where none is given. {4, 5, 3, 2, 1, 0} is 64.0.
    priority_score: float | None
    #: What is done.
    project_type: Literal['renewal', 'replacement', 'rehabilitation', 'expansion', 'new_construction', 'upgrade', 'demolition', 'study', 'other'] | None
    #: budget_amount less committed_amount and actual_amount: what is still free to be spent.
    remaining: float | None
    #: The site. Follows from building_id.
    site_id: str | None
    #: proposed → approved, deferred, cancelled; deferred → proposed, cancelled; approved → in_progress, on_hold, deferred,
    #: cancelled; in_progress → on_hold, completed, cancelled; on_hold → in_progress, cancelled; completed → closed, in_progress;
    #: cancelled → proposed; closed is final. Approving needs a budget_amount above 0, closing that every phase is completed or
    #: cancelled.
    status: Literal['proposed', 'deferred', 'approved', 'in_progress', 'on_hold', 'completed', 'closed', 'cancelled']
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: ProjectUpdatedBy
    #: budget_amount less forecast_amount. Negative where it is expected to cost more than budgeted.
    variance: float | None
    #: Grows by one with every change; the ETag.
    version: int


class Project(_ProjectRequired, total=False):
    #: With expand=building.
    building: ProjectBuilding | None
    #: With expand=manager_user.
    manager_user: ProjectManagerUser | None
    #: With expand=network.
    network: ProjectNetwork | None
    #: With expand=site.
    site: ProjectSite | None


class _ProjectBudgetLineEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class ProjectBudgetLineEventActor(_ProjectBudgetLineEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class ProjectBudgetLineEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: BudgetLine


class _ProjectBudgetLineEventRequired(TypedDict):
    #: Who did it.
    actor: ProjectBudgetLineEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: ProjectBudgetLineEventData
    type: Literal['project_budget_line.created', 'project_budget_line.updated', 'project_budget_line.deleted']


class ProjectBudgetLineEvent(_ProjectBudgetLineEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


class ProjectBulkCreate(TypedDict):
    data: list[ProjectBulkCreateRow]


class ProjectBulkCreateRowEffectsItem(TypedDict):
    #: What happens to the other record.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: What is changed, and how.
    payload: dict[str, Any]


class ProjectBulkCreateRowPriorityCriteria(TypedDict, total=False):
    """How strongly each criterion speaks for the project, from 0 (not at all) to 5 (most). What a change leaves out stays."""

    #: 0 (not at all) to 5 (most): what it does against climate change, or against what it brings.
    climate: int | None
    #: 0 (not at all) to 5 (most): what it saves later.
    cost_avoidance: int | None
    #: 0 (not at all) to 5 (most): what it does for health and safety.
    health_safety: int | None
    #: 0 (not at all) to 5 (most): whether a law or regulation demands it.
    legislated: int | None
    #: 0 (not at all) to 5 (most): what it does for the level of service.
    los_impact: int | None
    #: 0 (not at all) to 5 (most): risk of failure that it takes away.
    risk: int | None


class _ProjectBulkCreateRowRequired(TypedDict):
    #: What people call the project.
    name: str


class ProjectBulkCreateRow(_ProjectBulkCreateRowRequired, total=False):
    #: What was spent. Once the project has budget lines it is their sum and read-only.
    actual_amount: float | None
    #: Day it was finished; not before actual_start_date.
    actual_end_date: str | None
    #: Day it began.
    actual_start_date: str | None
    #: What may be spent. Once the project has budget lines it is their sum and read-only: what is sent is ignored.
    budget_amount: float | None
    #: The building.
    building_id: str | None
    #: Short code; numbered when left out.
    code: str | None
    #: Contracts and purchase orders given out and not yet paid; no part of actual_amount. Once the project has budget lines it is
    #: their sum and read-only.
    committed_amount: float | None
    #: Contingency that the estimate includes.
    contingency_pct: float | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The department that carries it.
    department: str | None
    #: What is to be done.
    description: str | None
    #: What its completion does to other records, declared with it; further ones at …/effects, where they are listed.
    effects: list[ProjectBulkCreateRowEffectsItem] | None
    #: What it was estimated to cost, contingency included.
    estimate_amount: float | None
    #: How exact the estimate is, after Public Services and Procurement Canada: A at tender (±5–10 %) to D indicative (±20–30 %).
    estimate_class: Literal['A', 'B', 'C', 'D'] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Fiscal year of the project, by the calendar year it begins in. A project without budget lines costs its money in this year
    #: of the plan.
    fiscal_year: int | None
    #: What it is expected to cost in the end. Once the project has budget lines it is their sum and read-only.
    forecast_amount: float | None
    #: How it goes, in the manager's judgment.
    health: Literal['on_track', 'at_risk', 'off_track'] | None
    #: Why it is to be done.
    justification: str | None
    #: Which lifecycle activity of the asset management plan (O. Reg. 588/17) it belongs to.
    lifecycle_activity: Literal['maintenance', 'renewal', 'growth', 'service_improvement', 'disposal', 'non_infrastructure'] | None
    #: The user who manages the project.
    manager_user_id: str | None
    #: The network of linear assets.
    network_id: str | None
    #: How much of the work is done.
    percent_complete: float | None
    #: Day it is to be finished; not before planned_start_date.
    planned_end_date: str | None
    #: Day it is to begin.
    planned_start_date: str | None
    #: How strongly each criterion speaks for the project, from 0 (not at all) to 5 (most). What a change leaves out stays.
    priority_criteria: ProjectBulkCreateRowPriorityCriteria | None
    #: What is done.
    project_type: Literal['renewal', 'replacement', 'rehabilitation', 'expansion', 'new_construction', 'upgrade', 'demolition', 'study', 'other'] | None
    #: The site. Follows from building_id.
    site_id: str | None
    #: proposed → approved, deferred, cancelled; deferred → proposed, cancelled; approved → in_progress, on_hold, deferred,
    #: cancelled; in_progress → on_hold, completed, cancelled; on_hold → in_progress, cancelled; completed → closed, in_progress;
    #: cancelled → proposed; closed is final. Approving needs a budget_amount above 0, closing that every phase is completed or
    #: cancelled.
    status: Literal['proposed', 'deferred', 'approved', 'in_progress', 'on_hold', 'completed', 'closed', 'cancelled'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: In place of manager_user_id: the external_id of that record, which may be of an earlier row.
    manager_user_external_id: str | None
    #: In place of network_id: the external_id of that record, which may be of an earlier row.
    network_external_id: str | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None


class ProjectBulkDelete(TypedDict):
    data: list[ProjectBulkDeleteRow]


class ProjectBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: Short code; numbered when left out.
    code: str | None


class ProjectBulkPatch(TypedDict):
    data: list[ProjectBulkPatchRow]


class ProjectBulkPatchRowEffectsItem(TypedDict):
    #: What happens to the other record.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: What is changed, and how.
    payload: dict[str, Any]


class ProjectBulkPatchRowPriorityCriteria(TypedDict, total=False):
    """How strongly each criterion speaks for the project, from 0 (not at all) to 5 (most). What a change leaves out stays."""

    #: 0 (not at all) to 5 (most): what it does against climate change, or against what it brings.
    climate: int | None
    #: 0 (not at all) to 5 (most): what it saves later.
    cost_avoidance: int | None
    #: 0 (not at all) to 5 (most): what it does for health and safety.
    health_safety: int | None
    #: 0 (not at all) to 5 (most): whether a law or regulation demands it.
    legislated: int | None
    #: 0 (not at all) to 5 (most): what it does for the level of service.
    los_impact: int | None
    #: 0 (not at all) to 5 (most): risk of failure that it takes away.
    risk: int | None


class ProjectBulkPatchRow(TypedDict, total=False):
    #: What was spent. Once the project has budget lines it is their sum and read-only.
    actual_amount: float | None
    #: Day it was finished; not before actual_start_date.
    actual_end_date: str | None
    #: Day it began.
    actual_start_date: str | None
    #: What may be spent. Once the project has budget lines it is their sum and read-only: what is sent is ignored.
    budget_amount: float | None
    #: The building.
    building_id: str | None
    #: Short code; numbered when left out.
    code: str | None
    #: Contracts and purchase orders given out and not yet paid; no part of actual_amount. Once the project has budget lines it is
    #: their sum and read-only.
    committed_amount: float | None
    #: Contingency that the estimate includes.
    contingency_pct: float | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The department that carries it.
    department: str | None
    #: What is to be done.
    description: str | None
    #: What its completion does to other records, declared with it; further ones at …/effects, where they are listed.
    effects: list[ProjectBulkPatchRowEffectsItem] | None
    #: What it was estimated to cost, contingency included.
    estimate_amount: float | None
    #: How exact the estimate is, after Public Services and Procurement Canada: A at tender (±5–10 %) to D indicative (±20–30 %).
    estimate_class: Literal['A', 'B', 'C', 'D'] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Fiscal year of the project, by the calendar year it begins in. A project without budget lines costs its money in this year
    #: of the plan.
    fiscal_year: int | None
    #: What it is expected to cost in the end. Once the project has budget lines it is their sum and read-only.
    forecast_amount: float | None
    #: How it goes, in the manager's judgment.
    health: Literal['on_track', 'at_risk', 'off_track'] | None
    #: Why it is to be done.
    justification: str | None
    #: Which lifecycle activity of the asset management plan (O. Reg. 588/17) it belongs to.
    lifecycle_activity: Literal['maintenance', 'renewal', 'growth', 'service_improvement', 'disposal', 'non_infrastructure'] | None
    #: The user who manages the project.
    manager_user_id: str | None
    #: What people call the project.
    name: str
    #: The network of linear assets.
    network_id: str | None
    #: How much of the work is done.
    percent_complete: float | None
    #: Day it is to be finished; not before planned_start_date.
    planned_end_date: str | None
    #: Day it is to begin.
    planned_start_date: str | None
    #: How strongly each criterion speaks for the project, from 0 (not at all) to 5 (most). What a change leaves out stays.
    priority_criteria: ProjectBulkPatchRowPriorityCriteria | None
    #: What is done.
    project_type: Literal['renewal', 'replacement', 'rehabilitation', 'expansion', 'new_construction', 'upgrade', 'demolition', 'study', 'other'] | None
    #: The site. Follows from building_id.
    site_id: str | None
    #: proposed → approved, deferred, cancelled; deferred → proposed, cancelled; approved → in_progress, on_hold, deferred,
    #: cancelled; in_progress → on_hold, completed, cancelled; on_hold → in_progress, cancelled; completed → closed, in_progress;
    #: cancelled → proposed; closed is final. Approving needs a budget_amount above 0, closing that every phase is completed or
    #: cancelled.
    status: Literal['proposed', 'deferred', 'approved', 'in_progress', 'on_hold', 'completed', 'closed', 'cancelled'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: Of the record. Left out: external_id, else code, names it.
    id: str
    #: In place of manager_user_id: the external_id of that record, which may be of an earlier row.
    manager_user_external_id: str | None
    #: In place of network_id: the external_id of that record, which may be of an earlier row.
    network_external_id: str | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None


class ProjectBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Project]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class ProjectEffectCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class ProjectEffectProject(TypedDict):
    """With expand=project."""

    id: str
    name: str


class ProjectEffectUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _ProjectEffectRequired(TypedDict):
    created_at: str
    created_by: ProjectEffectCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: What happens to the other record when the work is completed. close_deficiency {deficiency_id or
    #: infrastructure_deficiency_id}: it is planned, in work, and corrected with the work. rate {one of segment_id, asset_id,
    #: system_id, building_id, site_id; condition_rating, method}: its condition is assessed. read_meter {meter_id, value, unit,
    #: kind}: a reading is recorded. create_deficiency {deficiency}, create_work_order {work_order}: the record is made.
    #: close_request {request_id}. replace {asset_id, successor, retire_as}: the successor takes its place. Needs the write scope
    #: of what changes.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: Why it was refused.
    message: str | None
    #: What is changed, and how; its members depend on the kind. Those left out of a change stay, null takes one away.
    payload: dict[str, Any]
    #: The project whose completion it follows from.
    project_id: str
    #: The record that was made or changed.
    result_id: str | None
    #: planned until the work is completed, pending until the owner of the other record has answered, then applied or refused.
    #: withdrawn: taken back, by hand or because the work was reopened. What was applied stays and never happens again.
    state: Literal['planned', 'pending', 'applied', 'refused', 'withdrawn']
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: ProjectEffectUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int


class ProjectEffect(_ProjectEffectRequired, total=False):
    #: With expand=project.
    project: ProjectEffectProject | None


class ProjectEffectBulkCreate(TypedDict):
    data: list[ProjectEffectBulkCreateRow]


class _ProjectEffectBulkCreateRowRequired(TypedDict):
    #: What happens to the other record when the work is completed. close_deficiency {deficiency_id or
    #: infrastructure_deficiency_id}: it is planned, in work, and corrected with the work. rate {one of segment_id, asset_id,
    #: system_id, building_id, site_id; condition_rating, method}: its condition is assessed. read_meter {meter_id, value, unit,
    #: kind}: a reading is recorded. create_deficiency {deficiency}, create_work_order {work_order}: the record is made.
    #: close_request {request_id}. replace {asset_id, successor, retire_as}: the successor takes its place. Needs the write scope
    #: of what changes.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: What is changed, and how; its members depend on the kind. Those left out of a change stay, null takes one away.
    payload: dict[str, Any]


class ProjectEffectBulkCreateRow(_ProjectEffectBulkCreateRowRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Labels of your own.
    tags: list[str] | None


class ProjectEffectBulkDelete(TypedDict):
    data: list[RecordKey]


class ProjectEffectBulkPatch(TypedDict):
    data: list[ProjectEffectBulkPatchRow]


class ProjectEffectBulkPatchRow(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What happens to the other record when the work is completed. close_deficiency {deficiency_id or
    #: infrastructure_deficiency_id}: it is planned, in work, and corrected with the work. rate {one of segment_id, asset_id,
    #: system_id, building_id, site_id; condition_rating, method}: its condition is assessed. read_meter {meter_id, value, unit,
    #: kind}: a reading is recorded. create_deficiency {deficiency}, create_work_order {work_order}: the record is made.
    #: close_request {request_id}. replace {asset_id, successor, retire_as}: the successor takes its place. Needs the write scope
    #: of what changes.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: What is changed, and how; its members depend on the kind. Those left out of a change stay, null takes one away.
    payload: dict[str, Any] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Of the record. Left out: external_id names it.
    id: str


class ProjectEffectBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[ProjectEffect]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _ProjectEffectEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class ProjectEffectEventActor(_ProjectEffectEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class ProjectEffectEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: ProjectEffect


class _ProjectEffectEventRequired(TypedDict):
    #: Who did it.
    actor: ProjectEffectEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: ProjectEffectEventData
    type: Literal['project_effect.created', 'project_effect.updated', 'project_effect.deleted', 'project.effect_refused']


class ProjectEffectEvent(_ProjectEffectEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


ProjectEffectExpansion: TypeAlias = "Literal['project']"


ProjectEffectField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'project_id', 'kind', 'payload', 'state', 'result_id', 'message']"


class ProjectEffectList(TypedDict):
    data: list[ProjectEffect]
    pagination: Pagination


class ProjectEffectPatch(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What happens to the other record when the work is completed. close_deficiency {deficiency_id or
    #: infrastructure_deficiency_id}: it is planned, in work, and corrected with the work. rate {one of segment_id, asset_id,
    #: system_id, building_id, site_id; condition_rating, method}: its condition is assessed. read_meter {meter_id, value, unit,
    #: kind}: a reading is recorded. create_deficiency {deficiency}, create_work_order {work_order}: the record is made.
    #: close_request {request_id}. replace {asset_id, successor, retire_as}: the successor takes its place. Needs the write scope
    #: of what changes.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: What is changed, and how; its members depend on the kind. Those left out of a change stay, null takes one away.
    payload: dict[str, Any] | None
    #: Labels of your own.
    tags: list[str] | None


ProjectEffectSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'kind', '-kind', 'state', '-state']"


class _ProjectEffectWriteRequired(TypedDict):
    #: What happens to the other record when the work is completed. close_deficiency {deficiency_id or
    #: infrastructure_deficiency_id}: it is planned, in work, and corrected with the work. rate {one of segment_id, asset_id,
    #: system_id, building_id, site_id; condition_rating, method}: its condition is assessed. read_meter {meter_id, value, unit,
    #: kind}: a reading is recorded. create_deficiency {deficiency}, create_work_order {work_order}: the record is made.
    #: close_request {request_id}. replace {asset_id, successor, retire_as}: the successor takes its place. Needs the write scope
    #: of what changes.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: What is changed, and how; its members depend on the kind. Those left out of a change stay, null takes one away.
    payload: dict[str, Any] | None


class ProjectEffectWrite(_ProjectEffectWriteRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Labels of your own.
    tags: list[str] | None


class _ProjectEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class ProjectEventActor(_ProjectEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class ProjectEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Project


class _ProjectEventRequired(TypedDict):
    #: Who did it.
    actor: ProjectEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: ProjectEventData
    type: Literal['project.created', 'project.updated', 'project.deleted', 'project.status_changed']


class ProjectEvent(_ProjectEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


ProjectExpansion: TypeAlias = "Literal['site', 'building', 'network', 'manager_user']"


ProjectField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'name', 'code', 'project_type', 'lifecycle_activity', 'status', 'health', 'description', 'justification', 'site_id', 'building_id', 'network_id', 'manager_user_id', 'department', 'fiscal_year', 'planned_start_date', 'planned_end_date', 'actual_start_date', 'actual_end_date', 'estimate_amount', 'estimate_class', 'contingency_pct', 'budget_amount', 'forecast_amount', 'committed_amount', 'actual_amount', 'percent_complete', 'priority_criteria', 'priority_score', 'funding_confirmed', 'funding_gap', 'funding_surplus', 'variance', 'remaining', 'currency']"


class _ProjectFundingSourceEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class ProjectFundingSourceEventActor(_ProjectFundingSourceEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class ProjectFundingSourceEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: FundingSource


class _ProjectFundingSourceEventRequired(TypedDict):
    #: Who did it.
    actor: ProjectFundingSourceEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: ProjectFundingSourceEventData
    type: Literal['project_funding_source.created', 'project_funding_source.updated', 'project_funding_source.deleted']


class ProjectFundingSourceEvent(_ProjectFundingSourceEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


class ProjectLinkCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class ProjectLinkProject(TypedDict):
    """With expand=project."""

    id: str
    name: str


class ProjectLinkUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _ProjectLinkRequired(TypedDict):
    created_at: str
    created_by: ProjectLinkCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: What the project has to do with it.
    note: str | None
    #: The project.
    project_id: str
    #: Labels of your own.
    tags: list[str]
    #: The record; a project has one link to it. It cannot be deleted while the link is there.
    target_id: str
    #: What kind of record target_id is of.
    target_type: Literal['asset', 'segment', 'building', 'system', 'site', 'work_order']
    updated_at: str
    updated_by: ProjectLinkUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int


class ProjectLink(_ProjectLinkRequired, total=False):
    #: With expand=project.
    project: ProjectLinkProject | None


class ProjectLinkBulkCreate(TypedDict):
    data: list[ProjectLinkBulkCreateRow]


class _ProjectLinkBulkCreateRowRequired(TypedDict):
    #: The record; a project has one link to it. It cannot be deleted while the link is there.
    target_id: str
    #: What kind of record target_id is of.
    target_type: Literal['asset', 'segment', 'building', 'system', 'site', 'work_order']


class ProjectLinkBulkCreateRow(_ProjectLinkBulkCreateRowRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What the project has to do with it.
    note: str | None
    #: Labels of your own.
    tags: list[str] | None


class ProjectLinkBulkDelete(TypedDict):
    data: list[RecordKey]


class ProjectLinkBulkPatch(TypedDict):
    data: list[ProjectLinkBulkPatchRow]


class ProjectLinkBulkPatchRow(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What the project has to do with it.
    note: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: The record; a project has one link to it. It cannot be deleted while the link is there.
    target_id: str
    #: What kind of record target_id is of.
    target_type: Literal['asset', 'segment', 'building', 'system', 'site', 'work_order']
    #: Of the record. Left out: external_id names it.
    id: str


class ProjectLinkBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[ProjectLink]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _ProjectLinkEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class ProjectLinkEventActor(_ProjectLinkEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class ProjectLinkEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: ProjectLink


class _ProjectLinkEventRequired(TypedDict):
    #: Who did it.
    actor: ProjectLinkEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: ProjectLinkEventData
    type: Literal['project_link.created', 'project_link.updated', 'project_link.deleted']


class ProjectLinkEvent(_ProjectLinkEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


ProjectLinkExpansion: TypeAlias = "Literal['project']"


ProjectLinkField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'project_id', 'target_type', 'target_id', 'note']"


class _ProjectLinkListRequired(TypedDict):
    data: list[ProjectLink]
    pagination: Pagination


class ProjectLinkList(_ProjectLinkListRequired, total=False):
    search: SearchCorrections


class ProjectLinkPatch(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What the project has to do with it.
    note: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: The record; a project has one link to it. It cannot be deleted while the link is there.
    target_id: str
    #: What kind of record target_id is of.
    target_type: Literal['asset', 'segment', 'building', 'system', 'site', 'work_order']


ProjectLinkSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'target_type', '-target_type', 'relevance']"


class _ProjectLinkWriteRequired(TypedDict):
    #: The record; a project has one link to it. It cannot be deleted while the link is there.
    target_id: str
    #: What kind of record target_id is of.
    target_type: Literal['asset', 'segment', 'building', 'system', 'site', 'work_order']


class ProjectLinkWrite(_ProjectLinkWriteRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What the project has to do with it.
    note: str | None
    #: Labels of your own.
    tags: list[str] | None


class _ProjectListRequired(TypedDict):
    data: list[Project]
    pagination: Pagination


class ProjectList(_ProjectListRequired, total=False):
    search: SearchCorrections


class ProjectPatchEffectsItem(TypedDict):
    #: What happens to the other record.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: What is changed, and how.
    payload: dict[str, Any]


class ProjectPatchPriorityCriteria(TypedDict, total=False):
    """How strongly each criterion speaks for the project, from 0 (not at all) to 5 (most). What a change leaves out stays."""

    #: 0 (not at all) to 5 (most): what it does against climate change, or against what it brings.
    climate: int | None
    #: 0 (not at all) to 5 (most): what it saves later.
    cost_avoidance: int | None
    #: 0 (not at all) to 5 (most): what it does for health and safety.
    health_safety: int | None
    #: 0 (not at all) to 5 (most): whether a law or regulation demands it.
    legislated: int | None
    #: 0 (not at all) to 5 (most): what it does for the level of service.
    los_impact: int | None
    #: 0 (not at all) to 5 (most): risk of failure that it takes away.
    risk: int | None


class ProjectPatch(TypedDict, total=False):
    #: What was spent. Once the project has budget lines it is their sum and read-only.
    actual_amount: float | None
    #: Day it was finished; not before actual_start_date.
    actual_end_date: str | None
    #: Day it began.
    actual_start_date: str | None
    #: What may be spent. Once the project has budget lines it is their sum and read-only: what is sent is ignored.
    budget_amount: float | None
    #: The building.
    building_id: str | None
    #: Short code; numbered when left out.
    code: str | None
    #: Contracts and purchase orders given out and not yet paid; no part of actual_amount. Once the project has budget lines it is
    #: their sum and read-only.
    committed_amount: float | None
    #: Contingency that the estimate includes.
    contingency_pct: float | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The department that carries it.
    department: str | None
    #: What is to be done.
    description: str | None
    #: What its completion does to other records, declared with it; further ones at …/effects, where they are listed.
    effects: list[ProjectPatchEffectsItem] | None
    #: What it was estimated to cost, contingency included.
    estimate_amount: float | None
    #: How exact the estimate is, after Public Services and Procurement Canada: A at tender (±5–10 %) to D indicative (±20–30 %).
    estimate_class: Literal['A', 'B', 'C', 'D'] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Fiscal year of the project, by the calendar year it begins in. A project without budget lines costs its money in this year
    #: of the plan.
    fiscal_year: int | None
    #: What it is expected to cost in the end. Once the project has budget lines it is their sum and read-only.
    forecast_amount: float | None
    #: How it goes, in the manager's judgment.
    health: Literal['on_track', 'at_risk', 'off_track'] | None
    #: Why it is to be done.
    justification: str | None
    #: Which lifecycle activity of the asset management plan (O. Reg. 588/17) it belongs to.
    lifecycle_activity: Literal['maintenance', 'renewal', 'growth', 'service_improvement', 'disposal', 'non_infrastructure'] | None
    #: The user who manages the project.
    manager_user_id: str | None
    #: What people call the project.
    name: str
    #: The network of linear assets.
    network_id: str | None
    #: How much of the work is done.
    percent_complete: float | None
    #: Day it is to be finished; not before planned_start_date.
    planned_end_date: str | None
    #: Day it is to begin.
    planned_start_date: str | None
    #: How strongly each criterion speaks for the project, from 0 (not at all) to 5 (most). What a change leaves out stays.
    priority_criteria: ProjectPatchPriorityCriteria | None
    #: What is done.
    project_type: Literal['renewal', 'replacement', 'rehabilitation', 'expansion', 'new_construction', 'upgrade', 'demolition', 'study', 'other'] | None
    #: The site. Follows from building_id.
    site_id: str | None
    #: proposed → approved, deferred, cancelled; deferred → proposed, cancelled; approved → in_progress, on_hold, deferred,
    #: cancelled; in_progress → on_hold, completed, cancelled; on_hold → in_progress, cancelled; completed → closed, in_progress;
    #: cancelled → proposed; closed is final. Approving needs a budget_amount above 0, closing that every phase is completed or
    #: cancelled.
    status: Literal['proposed', 'deferred', 'approved', 'in_progress', 'on_hold', 'completed', 'closed', 'cancelled'] | None
    #: Labels of your own.
    tags: list[str] | None


class ProjectPhaseCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class ProjectPhaseProject(TypedDict):
    """With expand=project."""

    id: str
    name: str


class ProjectPhaseUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _ProjectPhaseRequired(TypedDict):
    #: Day it was finished; not before actual_start_date.
    actual_end_date: str | None
    #: Day it began.
    actual_start_date: str | None
    #: What may be spent in it. For orientation: the project's budget is that of its budget lines.
    budget_amount: float | None
    created_at: str
    created_by: ProjectPhaseCreatedBy
    #: Currency of every amount of money in the record.
    currency: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: What is done in it.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: What people call the phase.
    name: str
    #: Remarks for colleagues.
    notes: str | None
    #: How much of its work is done.
    percent_complete: float | None
    #: Day it is to be finished; not before planned_start_date.
    planned_end_date: str | None
    #: Day it is to begin.
    planned_start_date: str | None
    #: The project.
    project_id: str
    #: Its place among the project's phases, from 1. Two that run side by side may have the same.
    sequence: int | None
    #: Where it stands. A project is closed only when all its phases are completed or cancelled, and a closed project gets no
    #: other ones.
    status: Literal['planned', 'in_progress', 'completed', 'cancelled']
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: ProjectPhaseUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int


class ProjectPhase(_ProjectPhaseRequired, total=False):
    #: With expand=project.
    project: ProjectPhaseProject | None


class ProjectPhaseBulkCreate(TypedDict):
    data: list[ProjectPhaseBulkCreateRow]


class _ProjectPhaseBulkCreateRowRequired(TypedDict):
    #: What people call the phase.
    name: str


class ProjectPhaseBulkCreateRow(_ProjectPhaseBulkCreateRowRequired, total=False):
    #: Day it was finished; not before actual_start_date.
    actual_end_date: str | None
    #: Day it began.
    actual_start_date: str | None
    #: What may be spent in it. For orientation: the project's budget is that of its budget lines.
    budget_amount: float | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What is done in it.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Remarks for colleagues.
    notes: str | None
    #: How much of its work is done.
    percent_complete: float | None
    #: Day it is to be finished; not before planned_start_date.
    planned_end_date: str | None
    #: Day it is to begin.
    planned_start_date: str | None
    #: Its place among the project's phases, from 1. Two that run side by side may have the same.
    sequence: int | None
    #: Where it stands. A project is closed only when all its phases are completed or cancelled, and a closed project gets no
    #: other ones.
    status: Literal['planned', 'in_progress', 'completed', 'cancelled'] | None
    #: Labels of your own.
    tags: list[str] | None


class ProjectPhaseBulkDelete(TypedDict):
    data: list[RecordKey]


class ProjectPhaseBulkPatch(TypedDict):
    data: list[ProjectPhaseBulkPatchRow]


class ProjectPhaseBulkPatchRow(TypedDict, total=False):
    #: Day it was finished; not before actual_start_date.
    actual_end_date: str | None
    #: Day it began.
    actual_start_date: str | None
    #: What may be spent in it. For orientation: the project's budget is that of its budget lines.
    budget_amount: float | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What is done in it.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What people call the phase.
    name: str
    #: Remarks for colleagues.
    notes: str | None
    #: How much of its work is done.
    percent_complete: float | None
    #: Day it is to be finished; not before planned_start_date.
    planned_end_date: str | None
    #: Day it is to begin.
    planned_start_date: str | None
    #: Its place among the project's phases, from 1. Two that run side by side may have the same.
    sequence: int | None
    #: Where it stands. A project is closed only when all its phases are completed or cancelled, and a closed project gets no
    #: other ones.
    status: Literal['planned', 'in_progress', 'completed', 'cancelled'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Of the record. Left out: external_id names it.
    id: str


class ProjectPhaseBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[ProjectPhase]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _ProjectPhaseEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class ProjectPhaseEventActor(_ProjectPhaseEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class ProjectPhaseEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: ProjectPhase


class _ProjectPhaseEventRequired(TypedDict):
    #: Who did it.
    actor: ProjectPhaseEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: ProjectPhaseEventData
    type: Literal['project_phase.created', 'project_phase.updated', 'project_phase.deleted']


class ProjectPhaseEvent(_ProjectPhaseEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


ProjectPhaseExpansion: TypeAlias = "Literal['project']"


ProjectPhaseField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'project_id', 'name', 'sequence', 'status', 'description', 'planned_start_date', 'planned_end_date', 'actual_start_date', 'actual_end_date', 'budget_amount', 'percent_complete', 'notes', 'currency']"


class _ProjectPhaseListRequired(TypedDict):
    data: list[ProjectPhase]
    pagination: Pagination


class ProjectPhaseList(_ProjectPhaseListRequired, total=False):
    search: SearchCorrections


class ProjectPhasePatch(TypedDict, total=False):
    #: Day it was finished; not before actual_start_date.
    actual_end_date: str | None
    #: Day it began.
    actual_start_date: str | None
    #: What may be spent in it. For orientation: the project's budget is that of its budget lines.
    budget_amount: float | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What is done in it.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What people call the phase.
    name: str
    #: Remarks for colleagues.
    notes: str | None
    #: How much of its work is done.
    percent_complete: float | None
    #: Day it is to be finished; not before planned_start_date.
    planned_end_date: str | None
    #: Day it is to begin.
    planned_start_date: str | None
    #: Its place among the project's phases, from 1. Two that run side by side may have the same.
    sequence: int | None
    #: Where it stands. A project is closed only when all its phases are completed or cancelled, and a closed project gets no
    #: other ones.
    status: Literal['planned', 'in_progress', 'completed', 'cancelled'] | None
    #: Labels of your own.
    tags: list[str] | None


ProjectPhaseSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'sequence', '-sequence', 'status', '-status', 'planned_start_date', '-planned_start_date', 'planned_end_date', '-planned_end_date', 'actual_start_date', '-actual_start_date', 'actual_end_date', '-actual_end_date', 'budget_amount', '-budget_amount', 'percent_complete', '-percent_complete', 'relevance']"


class _ProjectPhaseWriteRequired(TypedDict):
    #: What people call the phase.
    name: str


class ProjectPhaseWrite(_ProjectPhaseWriteRequired, total=False):
    #: Day it was finished; not before actual_start_date.
    actual_end_date: str | None
    #: Day it began.
    actual_start_date: str | None
    #: What may be spent in it. For orientation: the project's budget is that of its budget lines.
    budget_amount: float | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What is done in it.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Remarks for colleagues.
    notes: str | None
    #: How much of its work is done.
    percent_complete: float | None
    #: Day it is to be finished; not before planned_start_date.
    planned_end_date: str | None
    #: Day it is to begin.
    planned_start_date: str | None
    #: Its place among the project's phases, from 1. Two that run side by side may have the same.
    sequence: int | None
    #: Where it stands. A project is closed only when all its phases are completed or cancelled, and a closed project gets no
    #: other ones. Left out: "planned".
    status: Literal['planned', 'in_progress', 'completed', 'cancelled'] | None
    #: Labels of your own.
    tags: list[str] | None


class ProjectPlanTotalUnscheduled(TypedDict):
    #: What the projects are to cost, or did cost.
    cost: float
    #: Sources that are confirmed or received.
    funding_confirmed: float
    #: Added up over the projects: how much of the cost of each is not confirmed. The money that one project has over does not
    #: close the gap of another.
    funding_gap: float
    #: Sources that are requested only; they do not close the gap.
    funding_requested: float
    #: Added up over the projects: how much more is confirmed than each costs. cost less funding_confirmed is funding_gap less
    #: funding_surplus.
    funding_surplus: float
    #: How many projects have costs or funding in it.
    projects: int
    #: How many of them are completed or closed and cost their budget here, because no amounts spent are recorded.
    without_actuals: int


class ProjectPlanTotalYearsItem(TypedDict):
    #: What the projects are to cost, or did cost.
    cost: float
    #: What people call it: 2026-27, or 2026 where it is the calendar year.
    fiscal_year_label: str
    #: Sources that are confirmed or received.
    funding_confirmed: float
    #: Added up over the projects: how much of the cost of each is not confirmed. The money that one project has over does not
    #: close the gap of another.
    funding_gap: float
    #: Sources that are requested only; they do not close the gap.
    funding_requested: float
    #: Added up over the projects: how much more is confirmed than each costs. cost less funding_confirmed is funding_gap less
    #: funding_surplus.
    funding_surplus: float
    #: Its last day.
    period_end: str
    #: Its first day.
    period_start: str
    #: How many projects have costs or funding in it.
    projects: int
    #: How many of them are completed or closed and cost their budget here, because no amounts spent are recorded.
    without_actuals: int
    #: The calendar year in which it begins.
    year: int


class ProjectPlanTotal(TypedDict):
    """The whole organization."""

    #: What the projects are to cost, or did cost.
    cost: float
    #: Sources that are confirmed or received.
    funding_confirmed: float
    #: Added up over the projects: how much of the cost of each is not confirmed. The money that one project has over does not
    #: close the gap of another.
    funding_gap: float
    #: Sources that are requested only; they do not close the gap.
    funding_requested: float
    #: Added up over the projects: how much more is confirmed than each costs. cost less funding_confirmed is funding_gap less
    #: funding_surplus.
    funding_surplus: float
    #: How many projects have costs or funding in it.
    projects: int
    unscheduled: ProjectPlanTotalUnscheduled
    #: How many of them are completed or closed and cost their budget here, because no amounts spent are recorded.
    without_actuals: int
    #: Every year of the plan, also those without costs.
    years: list[ProjectPlanTotalYearsItem] | None


class ProjectPlan(TypedDict):
    #: Currency of every amount of money.
    currency: str
    #: The groups, the one with the highest cost first; what belongs to none comes last.
    data: list[ProjectPlanGroup]
    from_year: int
    group_by: str
    pagination: PageNumbers
    to_year: int
    #: The whole organization.
    total: ProjectPlanTotal


class ProjectPlanGroupUnscheduled(TypedDict):
    #: What the projects are to cost, or did cost.
    cost: float
    #: Sources that are confirmed or received.
    funding_confirmed: float
    #: Added up over the projects: how much of the cost of each is not confirmed. The money that one project has over does not
    #: close the gap of another.
    funding_gap: float
    #: Sources that are requested only; they do not close the gap.
    funding_requested: float
    #: Added up over the projects: how much more is confirmed than each costs. cost less funding_confirmed is funding_gap less
    #: funding_surplus.
    funding_surplus: float
    #: How many projects have costs or funding in it.
    projects: int
    #: How many of them are completed or closed and cost their budget here, because no amounts spent are recorded.
    without_actuals: int


class ProjectPlanGroupYearsItem(TypedDict):
    #: What the projects are to cost, or did cost.
    cost: float
    #: What people call it: 2026-27, or 2026 where it is the calendar year.
    fiscal_year_label: str
    #: Sources that are confirmed or received.
    funding_confirmed: float
    #: Added up over the projects: how much of the cost of each is not confirmed. The money that one project has over does not
    #: close the gap of another.
    funding_gap: float
    #: Sources that are requested only; they do not close the gap.
    funding_requested: float
    #: Added up over the projects: how much more is confirmed than each costs. cost less funding_confirmed is funding_gap less
    #: funding_surplus.
    funding_surplus: float
    #: Its last day.
    period_end: str
    #: Its first day.
    period_start: str
    #: How many projects have costs or funding in it.
    projects: int
    #: How many of them are completed or closed and cost their budget here, because no amounts spent are recorded.
    without_actuals: int
    #: The calendar year in which it begins.
    year: int


class ProjectPlanGroup(TypedDict):
    #: What the projects are to cost, or did cost.
    cost: float
    #: Sources that are confirmed or received.
    funding_confirmed: float
    #: Added up over the projects: how much of the cost of each is not confirmed. The money that one project has over does not
    #: close the gap of another.
    funding_gap: float
    #: Sources that are requested only; they do not close the gap.
    funding_requested: float
    #: Added up over the projects: how much more is confirmed than each costs. cost less funding_confirmed is funding_gap less
    #: funding_surplus.
    funding_surplus: float
    #: The site, where the groups are sites.
    id: str | None
    #: The lifecycle activity, source type or status. Null for the projects that have none, and of source types for the cost that
    #: no confirmed source pays.
    key: str | None
    #: Name of the site; null for a key that may not read sites.
    name: str | None
    #: How many projects have costs or funding in it.
    projects: int
    unscheduled: ProjectPlanGroupUnscheduled
    #: How many of them are completed or closed and cost their budget here, because no amounts spent are recorded.
    without_actuals: int
    #: Every year of the plan, also those without costs.
    years: list[ProjectPlanGroupYearsItem] | None


ProjectSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'code', '-code', 'project_type', '-project_type', 'lifecycle_activity', '-lifecycle_activity', 'status', '-status', 'health', '-health', 'department', '-department', 'fiscal_year', '-fiscal_year', 'planned_start_date', '-planned_start_date', 'planned_end_date', '-planned_end_date', 'actual_start_date', '-actual_start_date', 'actual_end_date', '-actual_end_date', 'estimate_amount', '-estimate_amount', 'estimate_class', '-estimate_class', 'budget_amount', '-budget_amount', 'forecast_amount', '-forecast_amount', 'committed_amount', '-committed_amount', 'actual_amount', '-actual_amount', 'percent_complete', '-percent_complete', 'priority_score', '-priority_score', 'funding_confirmed', '-funding_confirmed', 'funding_gap', '-funding_gap', 'funding_surplus', '-funding_surplus', 'variance', '-variance', 'remaining', '-remaining', 'relevance']"


class ProjectWriteEffectsItem(TypedDict):
    #: What happens to the other record.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: What is changed, and how.
    payload: dict[str, Any]


class ProjectWritePriorityCriteria(TypedDict, total=False):
    """How strongly each criterion speaks for the project, from 0 (not at all) to 5 (most). What a change leaves out stays."""

    #: 0 (not at all) to 5 (most): what it does against climate change, or against what it brings.
    climate: int | None
    #: 0 (not at all) to 5 (most): what it saves later.
    cost_avoidance: int | None
    #: 0 (not at all) to 5 (most): what it does for health and safety.
    health_safety: int | None
    #: 0 (not at all) to 5 (most): whether a law or regulation demands it.
    legislated: int | None
    #: 0 (not at all) to 5 (most): what it does for the level of service.
    los_impact: int | None
    #: 0 (not at all) to 5 (most): risk of failure that it takes away.
    risk: int | None


class _ProjectWriteRequired(TypedDict):
    #: What people call the project.
    name: str


class ProjectWrite(_ProjectWriteRequired, total=False):
    #: What was spent. Once the project has budget lines it is their sum and read-only.
    actual_amount: float | None
    #: Day it was finished; not before actual_start_date.
    actual_end_date: str | None
    #: Day it began.
    actual_start_date: str | None
    #: What may be spent. Once the project has budget lines it is their sum and read-only: what is sent is ignored.
    budget_amount: float | None
    #: The building.
    building_id: str | None
    #: Short code; numbered when left out.
    code: str | None
    #: Contracts and purchase orders given out and not yet paid; no part of actual_amount. Once the project has budget lines it is
    #: their sum and read-only.
    committed_amount: float | None
    #: Contingency that the estimate includes.
    contingency_pct: float | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The department that carries it.
    department: str | None
    #: What is to be done.
    description: str | None
    #: What its completion does to other records, declared with it; further ones at …/effects, where they are listed.
    effects: list[ProjectWriteEffectsItem] | None
    #: What it was estimated to cost, contingency included.
    estimate_amount: float | None
    #: How exact the estimate is, after Public Services and Procurement Canada: A at tender (±5–10 %) to D indicative (±20–30 %).
    estimate_class: Literal['A', 'B', 'C', 'D'] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Fiscal year of the project, by the calendar year it begins in. A project without budget lines costs its money in this year
    #: of the plan.
    fiscal_year: int | None
    #: What it is expected to cost in the end. Once the project has budget lines it is their sum and read-only.
    forecast_amount: float | None
    #: How it goes, in the manager's judgment.
    health: Literal['on_track', 'at_risk', 'off_track'] | None
    #: Why it is to be done.
    justification: str | None
    #: Which lifecycle activity of the asset management plan (O. Reg. 588/17) it belongs to.
    lifecycle_activity: Literal['maintenance', 'renewal', 'growth', 'service_improvement', 'disposal', 'non_infrastructure'] | None
    #: The user who manages the project.
    manager_user_id: str | None
    #: The network of linear assets.
    network_id: str | None
    #: How much of the work is done.
    percent_complete: float | None
    #: Day it is to be finished; not before planned_start_date.
    planned_end_date: str | None
    #: Day it is to begin.
    planned_start_date: str | None
    #: How strongly each criterion speaks for the project, from 0 (not at all) to 5 (most). What a change leaves out stays.
    priority_criteria: ProjectWritePriorityCriteria | None
    #: What is done.
    project_type: Literal['renewal', 'replacement', 'rehabilitation', 'expansion', 'new_construction', 'upgrade', 'demolition', 'study', 'other'] | None
    #: The site. Follows from building_id.
    site_id: str | None
    #: proposed → approved, deferred, cancelled; deferred → proposed, cancelled; approved → in_progress, on_hold, deferred,
    #: cancelled; in_progress → on_hold, completed, cancelled; on_hold → in_progress, cancelled; completed → closed, in_progress;
    #: cancelled → proposed; closed is final. Approving needs a budget_amount above 0, closing that every phase is completed or
    #: cancelled. Left out: "proposed".
    status: Literal['proposed', 'deferred', 'approved', 'in_progress', 'on_hold', 'completed', 'closed', 'cancelled'] | None
    #: Labels of your own.
    tags: list[str] | None


class RecordKey(TypedDict, total=False):
    """Which record a row is about, by one of its keys."""

    #: The record's id in the system it came from.
    external_id: str
    id: str


class RequestAsset(TypedDict):
    """With expand=asset."""

    id: str
    name: str


class RequestBuilding(TypedDict):
    """With expand=building."""

    id: str
    name: str


class RequestCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class RequestDeficiency(TypedDict):
    """With expand=deficiency."""

    id: str
    name: str


class RequestDuplicateOf(TypedDict):
    """With expand=duplicate_of."""

    id: str
    name: str


class RequestInfrastructureDeficiency(TypedDict):
    """With expand=infrastructure_deficiency."""

    id: str
    name: str


class RequestSegment(TypedDict):
    """With expand=segment."""

    id: str
    name: str


class RequestSite(TypedDict):
    """With expand=site."""

    id: str
    name: str


class RequestUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class RequestWorkOrder(TypedDict):
    """With expand=work_order."""

    id: str
    name: str


class _RequestRequired(TypedDict):
    #: Where it is, in words.
    address_text: str | None
    #: The states that it can move to from here.
    allowed_transitions: list[str]
    #: The asset.
    asset_id: str | None
    #: Answers to the questions of the service, by their codes: texts, numbers, true, false. Several answers to one question are
    #: one text with commas.
    attributes: dict[str, Any]
    #: The building. Follows from asset_id.
    building_id: str | None
    created_at: str
    created_by: RequestCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The deficiency that was recorded for it. Set by POST …/accept.
    deficiency_id: str | None
    #: What is asked for, at length. Text of strangers: show it as text.
    description: str | None
    #: The request that asks for the same; required of a duplicate, whose end is that request's.
    duplicate_of_id: str | None
    #: When it was closed, rejected or withdrawn; of a duplicate, when the other request was. Contact data is kept for
    #: contact_retention_days from then.
    ended_at: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: The deficiency of a segment that was recorded for it. Needs the feature Infrastructure.
    infrastructure_deficiency_id: str | None
    #: Where it is, in WGS 84. With longitude.
    latitude: float | None
    #: The link that it came by.
    link_id: str | None
    #: Where it is, in WGS 84. With latitude.
    longitude: float | None
    #: A picture that was sent along. The address is kept, and never fetched.
    media_url: str | None
    #: Number of the request; the next one when left out.
    number: str | None
    #: How soon it is needed. Of a new request that says nothing, its service's.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: What who asked is told, where the receipt is shown.
    public_note: str | None
    #: Whether Open311 shows it to the public, where its service is public. Contact data is never shown.
    published: bool
    #: Why it was rejected; required then, cleared when it is opened again.
    reason: str | None
    #: How to reach who asks.
    requester_email: str | None
    #: Who asks. Contact data is in no event, and is erased some time after the end (contact_retention_days).
    requester_name: str | None
    #: How to reach who asks.
    requester_phone: str | None
    #: The network segment. Needs the feature Infrastructure.
    segment_id: str | None
    #: The service that is asked for, by the code of a request service.
    service_code: str | None
    #: The site. Follows from building_id, asset_id and segment_id.
    site_id: str | None
    #: How it came in. link and open311 are set by the public door alone.
    source: Literal['staff', 'link', 'open311', 'import']
    #: submitted → accepted, rejected, duplicate, withdrawn; accepted → closed; rejected, duplicate → submitted; closed →
    #: accepted. A work order for it is made by POST …/accept.
    status: Literal['submitted', 'accepted', 'rejected', 'duplicate', 'withdrawn', 'closed']
    #: Labels of your own.
    tags: list[str]
    #: What is asked for, in a few words.
    title: str
    updated_at: str
    updated_by: RequestUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int
    #: The work order by which it is done. Set by POST …/accept.
    work_order_id: str | None
    #: Why what was asked for could not be made.
    work_order_message: str | None
    #: none; pending: it was accepted, and what was asked for is being made; linked: it is there; refused: it could not be made,
    #: and work_order_message says why.
    work_order_state: Literal['none', 'pending', 'linked', 'refused']


class Request(_RequestRequired, total=False):
    #: With expand=asset.
    asset: RequestAsset | None
    #: With expand=building.
    building: RequestBuilding | None
    #: With expand=deficiency.
    deficiency: RequestDeficiency | None
    #: With expand=duplicate_of.
    duplicate_of: RequestDuplicateOf | None
    #: With expand=infrastructure_deficiency.
    infrastructure_deficiency: RequestInfrastructureDeficiency | None
    #: With expand=segment.
    segment: RequestSegment | None
    #: With expand=site.
    site: RequestSite | None
    #: With expand=work_order.
    work_order: RequestWorkOrder | None


class RequestAcceptance(TypedDict, total=False):
    #: Fields of a deficiency that is recorded in place of a work order, for work that is planned later. What is left out follows
    #: from the request.
    deficiency: dict[str, Any]
    #: Fields of the work order that is made. What is left out follows from the request and its service: title, description,
    #: priority, place, type and team.
    work_order: dict[str, Any]
    #: A work order that is there already; its completion closes the request as well.
    work_order_id: str


class RequestBulkCreate(TypedDict):
    data: list[RequestBulkCreateRow]


class _RequestBulkCreateRowRequired(TypedDict):
    #: What is asked for, in a few words.
    title: str


class RequestBulkCreateRow(_RequestBulkCreateRowRequired, total=False):
    #: Where it is, in words.
    address_text: str | None
    #: The asset.
    asset_id: str | None
    #: Answers to the questions of the service, by their codes: texts, numbers, true, false. Several answers to one question are
    #: one text with commas.
    attributes: dict[str, Any] | None
    #: The building. Follows from asset_id.
    building_id: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The deficiency that was recorded for it. Set by POST …/accept.
    deficiency_id: str | None
    #: What is asked for, at length. Text of strangers: show it as text.
    description: str | None
    #: The request that asks for the same; required of a duplicate, whose end is that request's.
    duplicate_of_id: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The deficiency of a segment that was recorded for it. Needs the feature Infrastructure.
    infrastructure_deficiency_id: str | None
    #: Where it is, in WGS 84. With longitude.
    latitude: float | None
    #: Where it is, in WGS 84. With latitude.
    longitude: float | None
    #: A picture that was sent along. The address is kept, and never fetched.
    media_url: str | None
    #: Number of the request; the next one when left out.
    number: str | None
    #: How soon it is needed. Of a new request that says nothing, its service's.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: What who asked is told, where the receipt is shown.
    public_note: str | None
    #: Whether Open311 shows it to the public, where its service is public. Contact data is never shown.
    published: bool | None
    #: Why it was rejected; required then, cleared when it is opened again.
    reason: str | None
    #: How to reach who asks.
    requester_email: str | None
    #: Who asks. Contact data is in no event, and is erased some time after the end (contact_retention_days).
    requester_name: str | None
    #: How to reach who asks.
    requester_phone: str | None
    #: The network segment. Needs the feature Infrastructure.
    segment_id: str | None
    #: The service that is asked for, by the code of a request service.
    service_code: str | None
    #: The site. Follows from building_id, asset_id and segment_id.
    site_id: str | None
    #: How it came in. link and open311 are set by the public door alone.
    source: Literal['staff', 'link', 'open311', 'import'] | None
    #: submitted → accepted, rejected, duplicate, withdrawn; accepted → closed; rejected, duplicate → submitted; closed →
    #: accepted. A work order for it is made by POST …/accept.
    status: Literal['submitted', 'accepted', 'rejected', 'duplicate', 'withdrawn', 'closed'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: The work order by which it is done. Set by POST …/accept.
    work_order_id: str | None
    #: In place of asset_id: the external_id of that record, which may be of an earlier row.
    asset_external_id: str | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: In place of deficiency_id: the external_id of that record, which may be of an earlier row.
    deficiency_external_id: str | None
    #: In place of duplicate_of_id: the external_id of that record, which may be of an earlier row.
    duplicate_of_external_id: str | None
    #: In place of infrastructure_deficiency_id: the external_id of that record, which may be of an earlier row.
    infrastructure_deficiency_external_id: str | None
    #: In place of segment_id: the external_id of that record, which may be of an earlier row.
    segment_external_id: str | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None
    #: In place of work_order_id: the external_id of that record, which may be of an earlier row.
    work_order_external_id: str | None


class RequestBulkDelete(TypedDict):
    data: list[RequestBulkDeleteRow]


class RequestBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: Number of the request; the next one when left out.
    number: str | None


class RequestBulkPatch(TypedDict):
    data: list[RequestBulkPatchRow]


class RequestBulkPatchRow(TypedDict, total=False):
    #: Where it is, in words.
    address_text: str | None
    #: The asset.
    asset_id: str | None
    #: Answers to the questions of the service, by their codes: texts, numbers, true, false. Several answers to one question are
    #: one text with commas.
    attributes: dict[str, Any] | None
    #: The building. Follows from asset_id.
    building_id: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The deficiency that was recorded for it. Set by POST …/accept.
    deficiency_id: str | None
    #: What is asked for, at length. Text of strangers: show it as text.
    description: str | None
    #: The request that asks for the same; required of a duplicate, whose end is that request's.
    duplicate_of_id: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The deficiency of a segment that was recorded for it. Needs the feature Infrastructure.
    infrastructure_deficiency_id: str | None
    #: Where it is, in WGS 84. With longitude.
    latitude: float | None
    #: Where it is, in WGS 84. With latitude.
    longitude: float | None
    #: A picture that was sent along. The address is kept, and never fetched.
    media_url: str | None
    #: Number of the request; the next one when left out.
    number: str | None
    #: How soon it is needed. Of a new request that says nothing, its service's.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: What who asked is told, where the receipt is shown.
    public_note: str | None
    #: Whether Open311 shows it to the public, where its service is public. Contact data is never shown.
    published: bool | None
    #: Why it was rejected; required then, cleared when it is opened again.
    reason: str | None
    #: How to reach who asks.
    requester_email: str | None
    #: Who asks. Contact data is in no event, and is erased some time after the end (contact_retention_days).
    requester_name: str | None
    #: How to reach who asks.
    requester_phone: str | None
    #: The network segment. Needs the feature Infrastructure.
    segment_id: str | None
    #: The service that is asked for, by the code of a request service.
    service_code: str | None
    #: The site. Follows from building_id, asset_id and segment_id.
    site_id: str | None
    #: How it came in. link and open311 are set by the public door alone.
    source: Literal['staff', 'link', 'open311', 'import'] | None
    #: submitted → accepted, rejected, duplicate, withdrawn; accepted → closed; rejected, duplicate → submitted; closed →
    #: accepted. A work order for it is made by POST …/accept.
    status: Literal['submitted', 'accepted', 'rejected', 'duplicate', 'withdrawn', 'closed'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: What is asked for, in a few words.
    title: str
    #: The work order by which it is done. Set by POST …/accept.
    work_order_id: str | None
    #: In place of asset_id: the external_id of that record, which may be of an earlier row.
    asset_external_id: str | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: In place of deficiency_id: the external_id of that record, which may be of an earlier row.
    deficiency_external_id: str | None
    #: In place of duplicate_of_id: the external_id of that record, which may be of an earlier row.
    duplicate_of_external_id: str | None
    #: Of the record. Left out: external_id, else number, names it.
    id: str
    #: In place of infrastructure_deficiency_id: the external_id of that record, which may be of an earlier row.
    infrastructure_deficiency_external_id: str | None
    #: In place of segment_id: the external_id of that record, which may be of an earlier row.
    segment_external_id: str | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None
    #: In place of work_order_id: the external_id of that record, which may be of an earlier row.
    work_order_external_id: str | None


class RequestBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Request]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class RequestDuplicate(TypedDict):
    #: The request that asks for the same.
    of: str


class _RequestEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class RequestEventActor(_RequestEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class RequestEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Request


class _RequestEventRequired(TypedDict):
    #: Who did it.
    actor: RequestEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: RequestEventData
    type: Literal['request.created', 'request.updated', 'request.deleted', 'request.accepted', 'request.rejected', 'request.closed', 'request.effect_refused']


class RequestEvent(_RequestEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


RequestExpansion: TypeAlias = "Literal['site', 'building', 'asset', 'segment', 'duplicate_of', 'work_order', 'deficiency', 'infrastructure_deficiency']"


RequestField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'title', 'number', 'description', 'status', 'priority', 'source', 'service_code', 'attributes', 'site_id', 'building_id', 'asset_id', 'segment_id', 'address_text', 'latitude', 'longitude', 'media_url', 'requester_name', 'requester_email', 'requester_phone', 'published', 'public_note', 'reason', 'duplicate_of_id', 'work_order_id', 'deficiency_id', 'infrastructure_deficiency_id', 'work_order_state', 'work_order_message', 'link_id', 'ended_at', 'allowed_transitions']"


class RequestLinkAsset(TypedDict):
    """With expand=asset."""

    id: str
    name: str


class RequestLinkBuilding(TypedDict):
    """With expand=building."""

    id: str
    name: str


class RequestLinkCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class RequestLinkSite(TypedDict):
    """With expand=site."""

    id: str
    name: str


class RequestLinkUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _RequestLinkRequired(TypedDict):
    #: The asset that requests are about.
    asset_id: str | None
    #: The building that requests are about.
    building_id: str | None
    #: Whether name, e-mail address and telephone number are asked for: not at all, if people like, or at least one way to reach
    #: them.
    contact: Literal['no', 'optional', 'required']
    created_at: str
    created_by: RequestLinkCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: Last day on which it works, in the organization's time zone.
    expires_on: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: What the page says it is about, in English.
    name: str
    #: What the page says it is about, in French; name where it is left out.
    name_fr: str | None
    #: The notice of collection in English: the legal authority, the purpose, and the title, business address and telephone number
    #: of who answers questions (MFIPPA s. 29 (2)).
    notice: str
    #: The same in French.
    notice_fr: str
    #: When the token was last replaced; null while it is the first.
    rotated_at: str | None
    #: The services that can be asked for there. Empty: none is asked.
    service_codes: list[str]
    #: The site that requests are about. One of site_id, building_id and asset_id.
    site_id: str | None
    #: Labels of your own.
    tags: list[str]
    #: 128 random bits, not secret: whoever has it can send requests about this place, and read nothing.
    token: str
    updated_at: str
    updated_by: RequestLinkUpdatedBy
    #: The page, which the QR code leads to.
    url: str
    #: Grows by one with every change; the ETag.
    version: int


class RequestLink(_RequestLinkRequired, total=False):
    #: With expand=asset.
    asset: RequestLinkAsset | None
    #: With expand=building.
    building: RequestLinkBuilding | None
    #: With expand=site.
    site: RequestLinkSite | None


class RequestLinkBulkCreate(TypedDict):
    data: list[RequestLinkBulkCreateRow]


class _RequestLinkBulkCreateRowRequired(TypedDict):
    #: What the page says it is about, in English.
    name: str
    #: The notice of collection in English: the legal authority, the purpose, and the title, business address and telephone number
    #: of who answers questions (MFIPPA s. 29 (2)).
    notice: str
    #: The same in French.
    notice_fr: str


class RequestLinkBulkCreateRow(_RequestLinkBulkCreateRowRequired, total=False):
    #: The asset that requests are about.
    asset_id: str | None
    #: The building that requests are about.
    building_id: str | None
    #: Whether name, e-mail address and telephone number are asked for: not at all, if people like, or at least one way to reach
    #: them.
    contact: Literal['no', 'optional', 'required'] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Last day on which it works, in the organization's time zone.
    expires_on: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What the page says it is about, in French; name where it is left out.
    name_fr: str | None
    #: The services that can be asked for there. Empty: none is asked.
    service_codes: list[str] | None
    #: The site that requests are about. One of site_id, building_id and asset_id.
    site_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: In place of asset_id: the external_id of that record, which may be of an earlier row.
    asset_external_id: str | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None


class RequestLinkBulkDelete(TypedDict):
    data: list[RecordKey]


class RequestLinkBulkPatch(TypedDict):
    data: list[RequestLinkBulkPatchRow]


class RequestLinkBulkPatchRow(TypedDict, total=False):
    #: The asset that requests are about.
    asset_id: str | None
    #: The building that requests are about.
    building_id: str | None
    #: Whether name, e-mail address and telephone number are asked for: not at all, if people like, or at least one way to reach
    #: them.
    contact: Literal['no', 'optional', 'required'] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Last day on which it works, in the organization's time zone.
    expires_on: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What the page says it is about, in English.
    name: str
    #: What the page says it is about, in French; name where it is left out.
    name_fr: str | None
    #: The notice of collection in English: the legal authority, the purpose, and the title, business address and telephone number
    #: of who answers questions (MFIPPA s. 29 (2)).
    notice: str
    #: The same in French.
    notice_fr: str
    #: The services that can be asked for there. Empty: none is asked.
    service_codes: list[str] | None
    #: The site that requests are about. One of site_id, building_id and asset_id.
    site_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: In place of asset_id: the external_id of that record, which may be of an earlier row.
    asset_external_id: str | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: Of the record. Left out: external_id names it.
    id: str
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None


class RequestLinkBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[RequestLink]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _RequestLinkEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class RequestLinkEventActor(_RequestLinkEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class RequestLinkEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: RequestLink


class _RequestLinkEventRequired(TypedDict):
    #: Who did it.
    actor: RequestLinkEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: RequestLinkEventData
    type: Literal['request_link.created', 'request_link.updated', 'request_link.deleted']


class RequestLinkEvent(_RequestLinkEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


RequestLinkExpansion: TypeAlias = "Literal['site', 'building', 'asset']"


RequestLinkField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'name', 'name_fr', 'site_id', 'building_id', 'asset_id', 'service_codes', 'notice', 'notice_fr', 'contact', 'expires_on', 'token', 'url', 'rotated_at']"


class _RequestLinkListRequired(TypedDict):
    data: list[RequestLink]
    pagination: Pagination


class RequestLinkList(_RequestLinkListRequired, total=False):
    search: SearchCorrections


class RequestLinkPatch(TypedDict, total=False):
    #: The asset that requests are about.
    asset_id: str | None
    #: The building that requests are about.
    building_id: str | None
    #: Whether name, e-mail address and telephone number are asked for: not at all, if people like, or at least one way to reach
    #: them.
    contact: Literal['no', 'optional', 'required'] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Last day on which it works, in the organization's time zone.
    expires_on: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What the page says it is about, in English.
    name: str
    #: What the page says it is about, in French; name where it is left out.
    name_fr: str | None
    #: The notice of collection in English: the legal authority, the purpose, and the title, business address and telephone number
    #: of who answers questions (MFIPPA s. 29 (2)).
    notice: str
    #: The same in French.
    notice_fr: str
    #: The services that can be asked for there. Empty: none is asked.
    service_codes: list[str] | None
    #: The site that requests are about. One of site_id, building_id and asset_id.
    site_id: str | None
    #: Labels of your own.
    tags: list[str] | None


RequestLinkSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'expires_on', '-expires_on', 'relevance']"


class _RequestLinkWriteRequired(TypedDict):
    #: What the page says it is about, in English.
    name: str
    #: The notice of collection in English: the legal authority, the purpose, and the title, business address and telephone number
    #: of who answers questions (MFIPPA s. 29 (2)).
    notice: str
    #: The same in French.
    notice_fr: str


class RequestLinkWrite(_RequestLinkWriteRequired, total=False):
    #: The asset that requests are about.
    asset_id: str | None
    #: The building that requests are about.
    building_id: str | None
    #: Whether name, e-mail address and telephone number are asked for: not at all, if people like, or at least one way to reach
    #: them. Left out: "optional".
    contact: Literal['no', 'optional', 'required'] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Last day on which it works, in the organization's time zone.
    expires_on: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What the page says it is about, in French; name where it is left out.
    name_fr: str | None
    #: The services that can be asked for there. Empty: none is asked.
    service_codes: list[str] | None
    #: The site that requests are about. One of site_id, building_id and asset_id.
    site_id: str | None
    #: Labels of your own.
    tags: list[str] | None


class _RequestListRequired(TypedDict):
    data: list[Request]
    pagination: Pagination


class RequestList(_RequestListRequired, total=False):
    search: SearchCorrections


class RequestPatch(TypedDict, total=False):
    #: Where it is, in words.
    address_text: str | None
    #: The asset.
    asset_id: str | None
    #: Answers to the questions of the service, by their codes: texts, numbers, true, false. Several answers to one question are
    #: one text with commas.
    attributes: dict[str, Any] | None
    #: The building. Follows from asset_id.
    building_id: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The deficiency that was recorded for it. Set by POST …/accept.
    deficiency_id: str | None
    #: What is asked for, at length. Text of strangers: show it as text.
    description: str | None
    #: The request that asks for the same; required of a duplicate, whose end is that request's.
    duplicate_of_id: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The deficiency of a segment that was recorded for it. Needs the feature Infrastructure.
    infrastructure_deficiency_id: str | None
    #: Where it is, in WGS 84. With longitude.
    latitude: float | None
    #: Where it is, in WGS 84. With latitude.
    longitude: float | None
    #: A picture that was sent along. The address is kept, and never fetched.
    media_url: str | None
    #: Number of the request; the next one when left out.
    number: str | None
    #: How soon it is needed. Of a new request that says nothing, its service's.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: What who asked is told, where the receipt is shown.
    public_note: str | None
    #: Whether Open311 shows it to the public, where its service is public. Contact data is never shown.
    published: bool | None
    #: Why it was rejected; required then, cleared when it is opened again.
    reason: str | None
    #: How to reach who asks.
    requester_email: str | None
    #: Who asks. Contact data is in no event, and is erased some time after the end (contact_retention_days).
    requester_name: str | None
    #: How to reach who asks.
    requester_phone: str | None
    #: The network segment. Needs the feature Infrastructure.
    segment_id: str | None
    #: The service that is asked for, by the code of a request service.
    service_code: str | None
    #: The site. Follows from building_id, asset_id and segment_id.
    site_id: str | None
    #: How it came in. link and open311 are set by the public door alone.
    source: Literal['staff', 'link', 'open311', 'import'] | None
    #: submitted → accepted, rejected, duplicate, withdrawn; accepted → closed; rejected, duplicate → submitted; closed →
    #: accepted. A work order for it is made by POST …/accept.
    status: Literal['submitted', 'accepted', 'rejected', 'duplicate', 'withdrawn', 'closed'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: What is asked for, in a few words.
    title: str
    #: The work order by which it is done. Set by POST …/accept.
    work_order_id: str | None


class _RequestRejectionRequired(TypedDict):
    #: Why it is rejected.
    reason: str


class RequestRejection(_RequestRejectionRequired, total=False):
    #: What the requester is told; what is there stays where it is left out.
    public_note: str | None


class _RequestServiceAttributesItemValuesItemRequired(TypedDict):
    #: What is kept.
    key: str
    #: What people read, in English.
    name: str


class RequestServiceAttributesItemValuesItem(_RequestServiceAttributesItemValuesItemRequired, total=False):
    #: What people read, in French.
    name_fr: str | None


class _RequestServiceAttributesItemRequired(TypedDict):
    #: Its code; unique in the service.
    code: str
    #: The question, in English. Of a text that asks nothing (variable false): the text.
    question: str


class RequestServiceAttributesItem(_RequestServiceAttributesItemRequired, total=False):
    #: What the answer is: a line, a number, a time, several lines, one or several of values. A line where it is left out.
    datatype: Literal['string', 'number', 'datetime', 'text', 'singlevaluelist', 'multivaluelist']
    #: What the answer looks like; datatype_description in Open311.
    hint: str | None
    #: The question, in French.
    question_fr: str | None
    #: Whether it must be answered.
    required: bool
    #: What can be chosen, for the two kinds of list.
    values: list[RequestServiceAttributesItemValuesItem] | None
    #: false: a text that is shown and asks nothing.
    variable: bool | None


class RequestServiceCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class RequestServiceTeam(TypedDict):
    """With expand=team."""

    id: str
    name: str


class RequestServiceUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _RequestServiceRequired(TypedDict):
    #: Questions that are asked with it, in their order.
    attributes: list[RequestServiceAttributesItem]
    created_at: str
    created_by: RequestServiceCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: A sentence about it, in English.
    description: str | None
    #: A sentence about it, in French.
    description_fr: str | None
    #: Within how many days it is commonly done; Open311 shows the day.
    expected_days: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What it is listed under.
    group: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: Other words by which it is found in Open311 apps.
    keywords: list[str]
    #: What people read, in English.
    name: str
    #: What people read, in French.
    name_fr: str | None
    #: Of requests that say nothing else, and of their work orders.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: Whether Open311 lists it, and shows its published requests.
    public: bool
    #: Its code, which Open311 shows.
    service_code: str
    #: Labels of your own.
    tags: list[str]
    #: The team that gets the work orders.
    team_id: str | None
    #: The type of work orders that are made for it.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other']
    updated_at: str
    updated_by: RequestServiceUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int


class RequestService(_RequestServiceRequired, total=False):
    #: With expand=team.
    team: RequestServiceTeam | None


class RequestServiceBulkCreate(TypedDict):
    data: list[RequestServiceBulkCreateRow]


class _RequestServiceBulkCreateRowAttributesItemValuesItemRequired(TypedDict):
    #: What is kept.
    key: str
    #: What people read, in English.
    name: str


class RequestServiceBulkCreateRowAttributesItemValuesItem(_RequestServiceBulkCreateRowAttributesItemValuesItemRequired, total=False):
    #: What people read, in French.
    name_fr: str | None


class _RequestServiceBulkCreateRowAttributesItemRequired(TypedDict):
    #: Its code; unique in the service.
    code: str
    #: The question, in English. Of a text that asks nothing (variable false): the text.
    question: str


class RequestServiceBulkCreateRowAttributesItem(_RequestServiceBulkCreateRowAttributesItemRequired, total=False):
    #: What the answer is: a line, a number, a time, several lines, one or several of values. A line where it is left out.
    datatype: Literal['string', 'number', 'datetime', 'text', 'singlevaluelist', 'multivaluelist']
    #: What the answer looks like; datatype_description in Open311.
    hint: str | None
    #: The question, in French.
    question_fr: str | None
    #: Whether it must be answered.
    required: bool
    #: What can be chosen, for the two kinds of list.
    values: list[RequestServiceBulkCreateRowAttributesItemValuesItem] | None
    #: false: a text that is shown and asks nothing.
    variable: bool | None


class _RequestServiceBulkCreateRowRequired(TypedDict):
    #: What people read, in English.
    name: str
    #: Its code, which Open311 shows.
    service_code: str


class RequestServiceBulkCreateRow(_RequestServiceBulkCreateRowRequired, total=False):
    #: Questions that are asked with it, in their order.
    attributes: list[RequestServiceBulkCreateRowAttributesItem] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: A sentence about it, in English.
    description: str | None
    #: A sentence about it, in French.
    description_fr: str | None
    #: Within how many days it is commonly done; Open311 shows the day.
    expected_days: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What it is listed under.
    group: str | None
    #: Other words by which it is found in Open311 apps.
    keywords: list[str] | None
    #: What people read, in French.
    name_fr: str | None
    #: Of requests that say nothing else, and of their work orders.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: Whether Open311 lists it, and shows its published requests.
    public: bool | None
    #: Labels of your own.
    tags: list[str] | None
    #: The team that gets the work orders.
    team_id: str | None
    #: The type of work orders that are made for it.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | None
    #: In place of team_id: the external_id of that record, which may be of an earlier row.
    team_external_id: str | None


class RequestServiceBulkDelete(TypedDict):
    data: list[RequestServiceBulkDeleteRow]


class RequestServiceBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: Its code, which Open311 shows.
    service_code: str


class RequestServiceBulkPatch(TypedDict):
    data: list[RequestServiceBulkPatchRow]


class _RequestServiceBulkPatchRowAttributesItemValuesItemRequired(TypedDict):
    #: What is kept.
    key: str
    #: What people read, in English.
    name: str


class RequestServiceBulkPatchRowAttributesItemValuesItem(_RequestServiceBulkPatchRowAttributesItemValuesItemRequired, total=False):
    #: What people read, in French.
    name_fr: str | None


class _RequestServiceBulkPatchRowAttributesItemRequired(TypedDict):
    #: Its code; unique in the service.
    code: str
    #: The question, in English. Of a text that asks nothing (variable false): the text.
    question: str


class RequestServiceBulkPatchRowAttributesItem(_RequestServiceBulkPatchRowAttributesItemRequired, total=False):
    #: What the answer is: a line, a number, a time, several lines, one or several of values. A line where it is left out.
    datatype: Literal['string', 'number', 'datetime', 'text', 'singlevaluelist', 'multivaluelist']
    #: What the answer looks like; datatype_description in Open311.
    hint: str | None
    #: The question, in French.
    question_fr: str | None
    #: Whether it must be answered.
    required: bool
    #: What can be chosen, for the two kinds of list.
    values: list[RequestServiceBulkPatchRowAttributesItemValuesItem] | None
    #: false: a text that is shown and asks nothing.
    variable: bool | None


class RequestServiceBulkPatchRow(TypedDict, total=False):
    #: Questions that are asked with it, in their order.
    attributes: list[RequestServiceBulkPatchRowAttributesItem] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: A sentence about it, in English.
    description: str | None
    #: A sentence about it, in French.
    description_fr: str | None
    #: Within how many days it is commonly done; Open311 shows the day.
    expected_days: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What it is listed under.
    group: str | None
    #: Other words by which it is found in Open311 apps.
    keywords: list[str] | None
    #: What people read, in English.
    name: str
    #: What people read, in French.
    name_fr: str | None
    #: Of requests that say nothing else, and of their work orders.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: Whether Open311 lists it, and shows its published requests.
    public: bool | None
    #: Its code, which Open311 shows.
    service_code: str
    #: Labels of your own.
    tags: list[str] | None
    #: The team that gets the work orders.
    team_id: str | None
    #: The type of work orders that are made for it.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | None
    #: Of the record. Left out: external_id, else service_code, names it.
    id: str
    #: In place of team_id: the external_id of that record, which may be of an earlier row.
    team_external_id: str | None


class RequestServiceBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[RequestService]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _RequestServiceEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class RequestServiceEventActor(_RequestServiceEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class RequestServiceEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: RequestService


class _RequestServiceEventRequired(TypedDict):
    #: Who did it.
    actor: RequestServiceEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: RequestServiceEventData
    type: Literal['request_service.created', 'request_service.updated', 'request_service.deleted']


class RequestServiceEvent(_RequestServiceEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


RequestServiceExpansion: TypeAlias = "Literal['team']"


RequestServiceField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'service_code', 'name', 'name_fr', 'description', 'description_fr', 'group', 'keywords', 'priority', 'type', 'team_id', 'expected_days', 'public', 'attributes']"


class _RequestServiceListRequired(TypedDict):
    data: list[RequestService]
    pagination: Pagination


class RequestServiceList(_RequestServiceListRequired, total=False):
    search: SearchCorrections


class _RequestServicePatchAttributesItemValuesItemRequired(TypedDict):
    #: What is kept.
    key: str
    #: What people read, in English.
    name: str


class RequestServicePatchAttributesItemValuesItem(_RequestServicePatchAttributesItemValuesItemRequired, total=False):
    #: What people read, in French.
    name_fr: str | None


class _RequestServicePatchAttributesItemRequired(TypedDict):
    #: Its code; unique in the service.
    code: str
    #: The question, in English. Of a text that asks nothing (variable false): the text.
    question: str


class RequestServicePatchAttributesItem(_RequestServicePatchAttributesItemRequired, total=False):
    #: What the answer is: a line, a number, a time, several lines, one or several of values. A line where it is left out.
    datatype: Literal['string', 'number', 'datetime', 'text', 'singlevaluelist', 'multivaluelist']
    #: What the answer looks like; datatype_description in Open311.
    hint: str | None
    #: The question, in French.
    question_fr: str | None
    #: Whether it must be answered.
    required: bool
    #: What can be chosen, for the two kinds of list.
    values: list[RequestServicePatchAttributesItemValuesItem] | None
    #: false: a text that is shown and asks nothing.
    variable: bool | None


class RequestServicePatch(TypedDict, total=False):
    #: Questions that are asked with it, in their order.
    attributes: list[RequestServicePatchAttributesItem] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: A sentence about it, in English.
    description: str | None
    #: A sentence about it, in French.
    description_fr: str | None
    #: Within how many days it is commonly done; Open311 shows the day.
    expected_days: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What it is listed under.
    group: str | None
    #: Other words by which it is found in Open311 apps.
    keywords: list[str] | None
    #: What people read, in English.
    name: str
    #: What people read, in French.
    name_fr: str | None
    #: Of requests that say nothing else, and of their work orders.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: Whether Open311 lists it, and shows its published requests.
    public: bool | None
    #: Its code, which Open311 shows.
    service_code: str
    #: Labels of your own.
    tags: list[str] | None
    #: The team that gets the work orders.
    team_id: str | None
    #: The type of work orders that are made for it.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | None


RequestServiceSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'service_code', '-service_code', 'name', '-name', 'group', '-group', 'priority', '-priority', 'type', '-type', 'expected_days', '-expected_days', 'relevance']"


class _RequestServiceWriteAttributesItemValuesItemRequired(TypedDict):
    #: What is kept.
    key: str
    #: What people read, in English.
    name: str


class RequestServiceWriteAttributesItemValuesItem(_RequestServiceWriteAttributesItemValuesItemRequired, total=False):
    #: What people read, in French.
    name_fr: str | None


class _RequestServiceWriteAttributesItemRequired(TypedDict):
    #: Its code; unique in the service.
    code: str
    #: The question, in English. Of a text that asks nothing (variable false): the text.
    question: str


class RequestServiceWriteAttributesItem(_RequestServiceWriteAttributesItemRequired, total=False):
    #: What the answer is: a line, a number, a time, several lines, one or several of values. A line where it is left out.
    datatype: Literal['string', 'number', 'datetime', 'text', 'singlevaluelist', 'multivaluelist']
    #: What the answer looks like; datatype_description in Open311.
    hint: str | None
    #: The question, in French.
    question_fr: str | None
    #: Whether it must be answered.
    required: bool
    #: What can be chosen, for the two kinds of list.
    values: list[RequestServiceWriteAttributesItemValuesItem] | None
    #: false: a text that is shown and asks nothing.
    variable: bool | None


class _RequestServiceWriteRequired(TypedDict):
    #: What people read, in English.
    name: str
    #: Its code, which Open311 shows.
    service_code: str


class RequestServiceWrite(_RequestServiceWriteRequired, total=False):
    #: Questions that are asked with it, in their order.
    attributes: list[RequestServiceWriteAttributesItem] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: A sentence about it, in English.
    description: str | None
    #: A sentence about it, in French.
    description_fr: str | None
    #: Within how many days it is commonly done; Open311 shows the day.
    expected_days: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What it is listed under.
    group: str | None
    #: Other words by which it is found in Open311 apps.
    keywords: list[str] | None
    #: What people read, in French.
    name_fr: str | None
    #: Of requests that say nothing else, and of their work orders. Left out: "medium".
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: Whether Open311 lists it, and shows its published requests. Left out: false.
    public: bool | None
    #: Labels of your own.
    tags: list[str] | None
    #: The team that gets the work orders.
    team_id: str | None
    #: The type of work orders that are made for it. Left out: "corrective".
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | None


RequestSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'title', '-title', 'number', '-number', 'status', '-status', 'priority', '-priority', 'source', '-source', 'service_code', '-service_code', 'ended_at', '-ended_at', 'relevance']"


class _RequestTransitionRequired(TypedDict):
    #: The state to move to.
    to: Literal['submitted', 'accepted', 'rejected', 'duplicate', 'withdrawn', 'closed']


class RequestTransition(_RequestTransitionRequired, total=False):
    #: The deficiency that was recorded for it. Set by POST …/accept.
    deficiency_id: str | None
    #: The request that asks for the same; required of a duplicate, whose end is that request's.
    duplicate_of_id: str | None
    #: The deficiency of a segment that was recorded for it. Needs the feature Infrastructure.
    infrastructure_deficiency_id: str | None
    #: What who asked is told, where the receipt is shown.
    public_note: str | None
    #: Why it was rejected; required then, cleared when it is opened again.
    reason: str | None
    #: The work order by which it is done. Set by POST …/accept.
    work_order_id: str | None


class _RequestWriteRequired(TypedDict):
    #: What is asked for, in a few words.
    title: str


class RequestWrite(_RequestWriteRequired, total=False):
    #: Where it is, in words.
    address_text: str | None
    #: The asset.
    asset_id: str | None
    #: Answers to the questions of the service, by their codes: texts, numbers, true, false. Several answers to one question are
    #: one text with commas.
    attributes: dict[str, Any] | None
    #: The building. Follows from asset_id.
    building_id: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The deficiency that was recorded for it. Set by POST …/accept.
    deficiency_id: str | None
    #: What is asked for, at length. Text of strangers: show it as text.
    description: str | None
    #: The request that asks for the same; required of a duplicate, whose end is that request's.
    duplicate_of_id: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The deficiency of a segment that was recorded for it. Needs the feature Infrastructure.
    infrastructure_deficiency_id: str | None
    #: Where it is, in WGS 84. With longitude.
    latitude: float | None
    #: Where it is, in WGS 84. With latitude.
    longitude: float | None
    #: A picture that was sent along. The address is kept, and never fetched.
    media_url: str | None
    #: Number of the request; the next one when left out.
    number: str | None
    #: How soon it is needed. Of a new request that says nothing, its service's. Left out: "medium".
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: What who asked is told, where the receipt is shown.
    public_note: str | None
    #: Whether Open311 shows it to the public, where its service is public. Contact data is never shown. Left out: false.
    published: bool | None
    #: Why it was rejected; required then, cleared when it is opened again.
    reason: str | None
    #: How to reach who asks.
    requester_email: str | None
    #: Who asks. Contact data is in no event, and is erased some time after the end (contact_retention_days).
    requester_name: str | None
    #: How to reach who asks.
    requester_phone: str | None
    #: The network segment. Needs the feature Infrastructure.
    segment_id: str | None
    #: The service that is asked for, by the code of a request service.
    service_code: str | None
    #: The site. Follows from building_id, asset_id and segment_id.
    site_id: str | None
    #: How it came in. link and open311 are set by the public door alone. Left out: "staff".
    source: Literal['staff', 'link', 'open311', 'import'] | None
    #: submitted → accepted, rejected, duplicate, withdrawn; accepted → closed; rejected, duplicate → submitted; closed →
    #: accepted. A work order for it is made by POST …/accept. Left out: "submitted".
    status: Literal['submitted', 'accepted', 'rejected', 'duplicate', 'withdrawn', 'closed'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: The work order by which it is done. Set by POST …/accept.
    work_order_id: str | None


class RotatedSecret(TypedDict):
    #: Of the secret.
    id: str
    #: Until then the former secret signs as well.
    previous_expires_at: str
    #: What calls are signed with from now on; shown in this answer only.
    secret: str | None


class SLAPolicyCalendar(TypedDict):
    """With expand=calendar."""

    id: str
    name: str


class SLAPolicyCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class SLAPolicyUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _SLAPolicyRequired(TypedDict):
    #: The working hours by which its minutes are counted; null counts round the clock.
    calendar_id: str | None
    #: Within how many minutes it is done.
    complete_minutes: int | None
    created_at: str
    created_by: SLAPolicyCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: Whether time stands still while the work order is on hold.
    pause_on_hold: bool
    #: Of which work orders; there is one policy for a priority and type.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: Within how many minutes work begins. Needed, or complete_minutes.
    respond_minutes: int | None
    #: Labels of your own.
    tags: list[str]
    #: Of which type; null for all types that have no policy of their own.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | None
    updated_at: str
    updated_by: SLAPolicyUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int


class SLAPolicy(_SLAPolicyRequired, total=False):
    #: With expand=calendar.
    calendar: SLAPolicyCalendar | None


class SLAPolicyBulkCreate(TypedDict):
    data: list[SLAPolicyBulkCreateRow]


class _SLAPolicyBulkCreateRowRequired(TypedDict):
    #: Of which work orders; there is one policy for a priority and type.
    priority: Literal['low', 'medium', 'high', 'urgent']


class SLAPolicyBulkCreateRow(_SLAPolicyBulkCreateRowRequired, total=False):
    #: The working hours by which its minutes are counted; null counts round the clock.
    calendar_id: str | None
    #: Within how many minutes it is done.
    complete_minutes: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Whether time stands still while the work order is on hold.
    pause_on_hold: bool | None
    #: Within how many minutes work begins. Needed, or complete_minutes.
    respond_minutes: int | None
    #: Labels of your own.
    tags: list[str] | None
    #: Of which type; null for all types that have no policy of their own.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | None
    #: In place of calendar_id: the external_id of that record, which may be of an earlier row.
    calendar_external_id: str | None


class SLAPolicyBulkDelete(TypedDict):
    data: list[RecordKey]


class SLAPolicyBulkPatch(TypedDict):
    data: list[SLAPolicyBulkPatchRow]


class SLAPolicyBulkPatchRow(TypedDict, total=False):
    #: The working hours by which its minutes are counted; null counts round the clock.
    calendar_id: str | None
    #: Within how many minutes it is done.
    complete_minutes: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Whether time stands still while the work order is on hold.
    pause_on_hold: bool | None
    #: Of which work orders; there is one policy for a priority and type.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: Within how many minutes work begins. Needed, or complete_minutes.
    respond_minutes: int | None
    #: Labels of your own.
    tags: list[str] | None
    #: Of which type; null for all types that have no policy of their own.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | None
    #: In place of calendar_id: the external_id of that record, which may be of an earlier row.
    calendar_external_id: str | None
    #: Of the record. Left out: external_id names it.
    id: str


class SLAPolicyBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[SLAPolicy]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


SLAPolicyExpansion: TypeAlias = "Literal['calendar']"


SLAPolicyField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'priority', 'type', 'calendar_id', 'respond_minutes', 'complete_minutes', 'pause_on_hold']"


class SLAPolicyList(TypedDict):
    data: list[SLAPolicy]
    pagination: Pagination


class SLAPolicyPatch(TypedDict, total=False):
    #: The working hours by which its minutes are counted; null counts round the clock.
    calendar_id: str | None
    #: Within how many minutes it is done.
    complete_minutes: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Whether time stands still while the work order is on hold.
    pause_on_hold: bool | None
    #: Of which work orders; there is one policy for a priority and type.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: Within how many minutes work begins. Needed, or complete_minutes.
    respond_minutes: int | None
    #: Labels of your own.
    tags: list[str] | None
    #: Of which type; null for all types that have no policy of their own.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | None


SLAPolicySort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'priority', '-priority', 'type', '-type', 'respond_minutes', '-respond_minutes', 'complete_minutes', '-complete_minutes']"


class _SLAPolicyWriteRequired(TypedDict):
    #: Of which work orders; there is one policy for a priority and type.
    priority: Literal['low', 'medium', 'high', 'urgent']


class SLAPolicyWrite(_SLAPolicyWriteRequired, total=False):
    #: The working hours by which its minutes are counted; null counts round the clock.
    calendar_id: str | None
    #: Within how many minutes it is done.
    complete_minutes: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Whether time stands still while the work order is on hold. Left out: true.
    pause_on_hold: bool | None
    #: Within how many minutes work begins. Needed, or complete_minutes.
    respond_minutes: int | None
    #: Labels of your own.
    tags: list[str] | None
    #: Of which type; null for all types that have no policy of their own.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | None


class ScorecardMeasuresItemLatest(TypedDict):
    id: str
    period_end: str
    period_start: str
    value: float | None
    value_text: str | None


class ScorecardMeasuresItem(TypedDict):
    attainment: Literal['met', 'near', 'missed', 'no_target', 'no_data']
    attribute: str | None
    code: str | None
    direction: Literal['higher_is_better', 'lower_is_better', 'target_is_best']
    id: str
    #: Whether the period ended more than two years before as_of.
    is_stale: bool | None
    latest: ScorecardMeasuresItemLatest | None
    measure_type: Literal['community', 'technical']
    name: str
    target_text: str | None
    target_value: float | None
    #: Year of the target that it is held against.
    target_year: int | None
    trend: Literal['improving', 'stable', 'declining'] | None
    unit: str | None
    value_kind: str
    #: Value less target.
    variance: float | None
    weight: float


class Scorecard(TypedDict):
    #: Day of the figures; today in the organization's time zone when it was left out.
    as_of: str
    #: 100 × the weight of the measures that are met ÷ the weight of those that are met, near or missed, 2 decimals. Near does not
    #: count as met. null where nothing can be compared.
    attainment_pct: float | None
    category: str | None
    id: str
    #: Every measure of the area, in the order in which they were made.
    measures: list[ScorecardMeasuresItem]
    #: Measures whose latest measurement meets its target.
    met: int
    #: Measures whose latest measurement is farther from its target than that.
    missed: int
    name: str
    #: Measures whose latest measurement is within tolerance_pct of its target.
    near: int
    #: Measures that nothing was recorded for.
    no_data: int
    #: Measures whose latest measurement has no number to be compared with; texts are among them.
    no_target: int


class SearchCorrections(TypedDict):
    #: By each word of q that no record has, the words that were found in its place.
    corrected: dict[str, list[str]]


class SearchResultTotalsValue(TypedDict):
    count: int
    #: If not, there are so many or more.
    exact: bool


class SearchResult(TypedDict):
    #: What was looked for in place of a word, in collections where nothing has it.
    corrected: dict[str, list[str] | None]
    #: The best records, the best first.
    data: list[FoundRecord]
    #: Kinds that were not searched, because the key may not read them or the plan does not include them.
    hidden: list[str]
    #: Of each kind of which not all are shown: the list that has them all.
    more: dict[str, str]
    #: How many records of each kind fit.
    totals: dict[str, SearchResultTotalsValue]
    #: Kinds that were not searched, because their service did not answer in time.
    unavailable: list[str]


class SecretRotation(TypedDict, total=False):
    #: How long the former secret signs as well, 0 to 168. Left out: 24.
    overlap_hours: int


class SegmentCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class SegmentGeometry(TypedDict):
    """GeoJSON geometry, WGS 84, longitude before latitude."""

    #: Positions [longitude, latitude] in degrees, or [longitude, latitude, altitude in metres], nested as the type asks: one for
    #: a Point, a list for a LineString, a list of lists for a MultiLineString or a Polygon, whose rings are closed. At most
    #: 10,000 positions.
    coordinates: Any
    #: Kind of geometry.
    type: Literal['Point', 'LineString', 'MultiLineString', 'Polygon']


class SegmentNetwork(TypedDict):
    """With expand=network."""

    id: str
    name: str


class SegmentSite(TypedDict):
    """With expand=site."""

    id: str
    name: str


class SegmentUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _SegmentRequired(TypedDict):
    #: Annual average daily traffic, vehicles.
    aadt: int | None
    #: Age today, to one decimal. A year alone counts from 1 July.
    age_years: float | None
    #: Up to 50 technical facts of your own: texts, numbers, true, false.
    attributes: dict[str, Any]
    #: Bounding box of the geometry: least longitude and latitude, greatest longitude and latitude.
    bbox: list[float] | None
    #: Height limit of vehicles below or on a structure.
    clearance_limit_m: float | None
    #: Day that condition_rating is of. Set with a rating, it dates it; left out while the rating changes, today. Not in the
    #: future.
    condition_assessed_on: str | None
    #: The word for condition_rating.
    condition_grade: Literal['very_good', 'good', 'fair', 'poor', 'very_poor'] | None
    #: How condition_rating was found out. Set with a rating; reported when left out.
    condition_method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported', 'cctv', 'pavement_survey', 'osim', 'acoustic', 'lidar', 'other'] | None
    #: Condition from 1 (very good) to 5 (very poor). The inspections set it, and what is set here: the latest inspection drives
    #: it, unless it is more than five years older than a later rating that was only reported.
    condition_rating: int | None
    #: When that was set.
    condition_reported_at: str | None
    #: The inspection that condition_rating comes from; null where it was set on the segment itself.
    condition_source_id: str | None
    #: From 1 (negligible) to 5 (catastrophic).
    consequence_of_failure: int | None
    created_at: str
    created_by: SegmentCreatedBy
    #: Currency of every amount of money in the record.
    currency: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: Day on which deferred_maintenance_cost was said. Left out on create, 1 January of replacement_cost_year, else not known;
    #: left out where the cost changes, today.
    deferred_maintenance_as_of: str | None
    #: Whether deferred_maintenance_cost was typed or follows from deficiencies; null where there is none.
    deferred_maintenance_basis: Literal['typed', 'deficiencies'] | None
    #: Maintenance that is due and was put off. Of a segment with deficiencies it is what those come to that count this year, and
    #: typing another is a 409; without any, or with void ones alone, it is what was typed.
    deferred_maintenance_cost: float | None
    #: Live deficiencies that count by this year, and of which nobody knows the cost: deferred_maintenance_cost lacks them. 0
    #: where there is none.
    deficiencies_without_cost: int
    #: Depth below ground.
    depth_m: float | None
    #: Inside diameter.
    diameter_mm: float | None
    #: Elevation of the invert at the downstream end.
    downstream_invert_m: float | None
    #: What it is exposed to.
    environment: str | None
    #: How long it is expected to last from construction. New segments take the network's when left out.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Where it begins.
    from_description: str | None
    #: What a road is for.
    functional_class: Literal['arterial', 'collector', 'local', 'laneway', 'trail'] | None
    #: GeoJSON geometry, WGS 84, longitude before latitude.
    geometry: SegmentGeometry | None
    #: Made by the service (UUID version 7).
    id: str
    #: Day of construction.
    install_date: str | None
    #: Year of construction, for where the day is not known. Follows install_date.
    install_year: int | None
    #: Length times lanes, three decimals.
    lane_km: float | None
    #: Lanes of a road.
    lanes: int | None
    #: Whether length_m follows the geometry.
    length_computed: bool
    #: Length. Left out or null, it is that of the geometry's lines (along the WGS 84 ellipsoid, to the centimetre), and follows
    #: the geometry; points and areas have none of their own.
    length_m: float | None
    #: Load limit of a bridge or road.
    load_limit_t: float | None
    #: What it is made of.
    material: str | None
    #: The length that was measured along the geometry on the WGS 84 ellipsoid; null where length_m was given, and as long as one
    #: that was measured on a sphere has not been measured anew.
    measured_length_m: float | None
    #: What people call the segment.
    name: str
    #: The network it is a part of.
    network_id: str
    #: Remarks for colleagues.
    notes: str | None
    #: First day on which it no longer stood. The move to abandoned or removed stamps it with today unless it is given; the way
    #: back clears it. Neither in the future nor before installation.
    out_of_use_on: str | None
    #: Whether the expected useful life, and a liner's, is over; null where age or expected life is not known.
    past_useful_life: bool | None
    #: Whether the surface is paved. Left out or null, it follows surface_type: true for asphalt, concrete, surface_treated, paver
    #: and brick, false for gravel, earth, dirt and granular, null for any other word.
    paved: bool | None
    #: Whether paved follows surface_type.
    paved_computed: bool
    #: The year in which its renewal is planned.
    planned_renewal_year: int | None
    #: From 1 (rare) to 5 (almost certain). Empty: the condition rating is taken.
    probability_of_failure: int | None
    #: How long the liner is expected to last from 1 July of relined_year, which it needs. The longer of pipe and liner counts for
    #: remaining life.
    relined_useful_life_years: int | None
    #: Year in which a pipe was relined; not before install_year. Age still counts from construction.
    relined_year: int | None
    #: Expected useful life less age, or what is left of a liner's, whichever is longer; negative once both are over.
    remaining_life_years: float | None
    #: What replacing it like for like costs today. Left out or null, it is length_m times replacement_unit_cost_per_m, and
    #: follows them.
    replacement_cost: float | None
    #: Day on which that cost was said. Left out on create, 1 January of replacement_cost_year, else not known; left out where the
    #: cost changes, today.
    replacement_cost_as_of: str | None
    #: Whether replacement_cost follows length and unit cost.
    replacement_cost_computed: bool
    #: The year of whose prices the cost is: of replacement_cost where it was given, else of replacement_unit_cost_per_m.
    replacement_cost_year: int | None
    #: Replacement cost per metre. New segments without any cost take the network's.
    replacement_unit_cost_per_m: float | None
    #: The latest rating that was only reported or follows from the age, also where it does not drive condition_rating.
    reported_condition_rating: int | None
    #: 1–4 very_low, 5–7 low, 8–9 moderate, 10–14 high, 15–25 very_high.
    risk_level: Literal['very_low', 'low', 'moderate', 'high', 'very_high'] | None
    #: Probability times consequence of failure, 1 to 25.
    risk_score: int | None
    #: Class 1 to 6 of Ontario's minimum maintenance standards (O. Reg. 239/02).
    road_class: int | None
    #: Its code; numbered when left out.
    segment_code: str | None
    #: The site it lies on.
    site_id: str | None
    #: Fall from upstream to downstream over the length, three decimals.
    slope_pct: float | None
    #: Span of a bridge or culvert.
    span_m: float | None
    #: Speed limit.
    speed_limit_kmh: int | None
    #: planned → in_service, removed; in_service → out_of_service, abandoned; out_of_service → in_service, abandoned; abandoned →
    #: removed, in_service; removed is final. 409 on abandoning or removing one with open work orders.
    status: Literal['planned', 'in_service', 'out_of_service', 'abandoned', 'removed']
    #: Surface of a road, sidewalk or trail.
    surface_type: str | None
    #: Labels of your own.
    tags: list[str]
    #: Where it ends.
    to_description: str | None
    updated_at: str
    updated_by: SegmentUpdatedBy
    #: Elevation of the invert at the upstream end.
    upstream_invert_m: float | None
    #: Grows by one with every change; the ETag.
    version: int
    #: Width limit of vehicles on a structure.
    width_limit_m: float | None
    #: Width.
    width_m: float | None


class Segment(_SegmentRequired, total=False):
    #: With expand=network.
    network: SegmentNetwork | None
    #: With expand=site.
    site: SegmentSite | None


class SegmentBulkCreate(TypedDict):
    data: list[SegmentBulkCreateRow]


class SegmentBulkCreateRowGeometry(TypedDict, total=False):
    """GeoJSON geometry, WGS 84, longitude before latitude."""

    #: Positions [longitude, latitude] in degrees, or [longitude, latitude, altitude in metres], nested as the type asks: one for
    #: a Point, a list for a LineString, a list of lists for a MultiLineString or a Polygon, whose rings are closed. At most
    #: 10,000 positions.
    coordinates: Any
    #: Kind of geometry.
    type: Literal['Point', 'LineString', 'MultiLineString', 'Polygon']


class _SegmentBulkCreateRowRequired(TypedDict):
    #: What people call the segment.
    name: str


class SegmentBulkCreateRow(_SegmentBulkCreateRowRequired, total=False):
    #: Annual average daily traffic, vehicles.
    aadt: int | None
    #: Up to 50 technical facts of your own: texts, numbers, true, false.
    attributes: dict[str, Any] | None
    #: Height limit of vehicles below or on a structure.
    clearance_limit_m: float | None
    #: Day that condition_rating is of. Set with a rating, it dates it; left out while the rating changes, today. Not in the
    #: future.
    condition_assessed_on: str | None
    #: How condition_rating was found out. Set with a rating; reported when left out.
    condition_method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported', 'cctv', 'pavement_survey', 'osim', 'acoustic', 'lidar', 'other'] | None
    #: Condition from 1 (very good) to 5 (very poor). The inspections set it, and what is set here: the latest inspection drives
    #: it, unless it is more than five years older than a later rating that was only reported.
    condition_rating: int | None
    #: From 1 (negligible) to 5 (catastrophic).
    consequence_of_failure: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Day on which deferred_maintenance_cost was said. Left out on create, 1 January of replacement_cost_year, else not known;
    #: left out where the cost changes, today.
    deferred_maintenance_as_of: str | None
    #: Maintenance that is due and was put off. Of a segment with deficiencies it is what those come to that count this year, and
    #: typing another is a 409; without any, or with void ones alone, it is what was typed.
    deferred_maintenance_cost: float | None
    #: Depth below ground.
    depth_m: float | None
    #: Inside diameter.
    diameter_mm: float | None
    #: Elevation of the invert at the downstream end.
    downstream_invert_m: float | None
    #: What it is exposed to.
    environment: str | None
    #: How long it is expected to last from construction. New segments take the network's when left out.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Where it begins.
    from_description: str | None
    #: What a road is for.
    functional_class: Literal['arterial', 'collector', 'local', 'laneway', 'trail'] | None
    #: GeoJSON geometry, WGS 84, longitude before latitude.
    geometry: SegmentBulkCreateRowGeometry | None
    #: Day of construction.
    install_date: str | None
    #: Year of construction, for where the day is not known. Follows install_date.
    install_year: int | None
    #: Lanes of a road.
    lanes: int | None
    #: Length. Left out or null, it is that of the geometry's lines (along the WGS 84 ellipsoid, to the centimetre), and follows
    #: the geometry; points and areas have none of their own.
    length_m: float | None
    #: Load limit of a bridge or road.
    load_limit_t: float | None
    #: What it is made of.
    material: str | None
    #: The network it is a part of.
    network_id: str
    #: Remarks for colleagues.
    notes: str | None
    #: First day on which it no longer stood. The move to abandoned or removed stamps it with today unless it is given; the way
    #: back clears it. Neither in the future nor before installation.
    out_of_use_on: str | None
    #: Whether the surface is paved. Left out or null, it follows surface_type: true for asphalt, concrete, surface_treated, paver
    #: and brick, false for gravel, earth, dirt and granular, null for any other word.
    paved: bool | None
    #: The year in which its renewal is planned.
    planned_renewal_year: int | None
    #: From 1 (rare) to 5 (almost certain). Empty: the condition rating is taken.
    probability_of_failure: int | None
    #: How long the liner is expected to last from 1 July of relined_year, which it needs. The longer of pipe and liner counts for
    #: remaining life.
    relined_useful_life_years: int | None
    #: Year in which a pipe was relined; not before install_year. Age still counts from construction.
    relined_year: int | None
    #: What replacing it like for like costs today. Left out or null, it is length_m times replacement_unit_cost_per_m, and
    #: follows them.
    replacement_cost: float | None
    #: Day on which that cost was said. Left out on create, 1 January of replacement_cost_year, else not known; left out where the
    #: cost changes, today.
    replacement_cost_as_of: str | None
    #: The year of whose prices the cost is: of replacement_cost where it was given, else of replacement_unit_cost_per_m.
    replacement_cost_year: int | None
    #: Replacement cost per metre. New segments without any cost take the network's.
    replacement_unit_cost_per_m: float | None
    #: Class 1 to 6 of Ontario's minimum maintenance standards (O. Reg. 239/02).
    road_class: int | None
    #: Its code; numbered when left out.
    segment_code: str | None
    #: The site it lies on.
    site_id: str | None
    #: Span of a bridge or culvert.
    span_m: float | None
    #: Speed limit.
    speed_limit_kmh: int | None
    #: planned → in_service, removed; in_service → out_of_service, abandoned; out_of_service → in_service, abandoned; abandoned →
    #: removed, in_service; removed is final. 409 on abandoning or removing one with open work orders.
    status: Literal['planned', 'in_service', 'out_of_service', 'abandoned', 'removed'] | None
    #: Surface of a road, sidewalk or trail.
    surface_type: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: Where it ends.
    to_description: str | None
    #: Elevation of the invert at the upstream end.
    upstream_invert_m: float | None
    #: Width limit of vehicles on a structure.
    width_limit_m: float | None
    #: Width.
    width_m: float | None
    #: In place of network_id: the external_id of that record, which may be of an earlier row.
    network_external_id: str | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None


class SegmentBulkDelete(TypedDict):
    data: list[SegmentBulkDeleteRow]


class SegmentBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: Its code; numbered when left out.
    segment_code: str | None


class SegmentBulkPatch(TypedDict):
    data: list[SegmentBulkPatchRow]


class SegmentBulkPatchRowGeometry(TypedDict, total=False):
    """GeoJSON geometry, WGS 84, longitude before latitude."""

    #: Positions [longitude, latitude] in degrees, or [longitude, latitude, altitude in metres], nested as the type asks: one for
    #: a Point, a list for a LineString, a list of lists for a MultiLineString or a Polygon, whose rings are closed. At most
    #: 10,000 positions.
    coordinates: Any
    #: Kind of geometry.
    type: Literal['Point', 'LineString', 'MultiLineString', 'Polygon']


class SegmentBulkPatchRow(TypedDict, total=False):
    #: Annual average daily traffic, vehicles.
    aadt: int | None
    #: Up to 50 technical facts of your own: texts, numbers, true, false.
    attributes: dict[str, Any] | None
    #: Height limit of vehicles below or on a structure.
    clearance_limit_m: float | None
    #: Day that condition_rating is of. Set with a rating, it dates it; left out while the rating changes, today. Not in the
    #: future.
    condition_assessed_on: str | None
    #: How condition_rating was found out. Set with a rating; reported when left out.
    condition_method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported', 'cctv', 'pavement_survey', 'osim', 'acoustic', 'lidar', 'other'] | None
    #: Condition from 1 (very good) to 5 (very poor). The inspections set it, and what is set here: the latest inspection drives
    #: it, unless it is more than five years older than a later rating that was only reported.
    condition_rating: int | None
    #: From 1 (negligible) to 5 (catastrophic).
    consequence_of_failure: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Day on which deferred_maintenance_cost was said. Left out on create, 1 January of replacement_cost_year, else not known;
    #: left out where the cost changes, today.
    deferred_maintenance_as_of: str | None
    #: Maintenance that is due and was put off. Of a segment with deficiencies it is what those come to that count this year, and
    #: typing another is a 409; without any, or with void ones alone, it is what was typed.
    deferred_maintenance_cost: float | None
    #: Depth below ground.
    depth_m: float | None
    #: Inside diameter.
    diameter_mm: float | None
    #: Elevation of the invert at the downstream end.
    downstream_invert_m: float | None
    #: What it is exposed to.
    environment: str | None
    #: How long it is expected to last from construction. New segments take the network's when left out.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Where it begins.
    from_description: str | None
    #: What a road is for.
    functional_class: Literal['arterial', 'collector', 'local', 'laneway', 'trail'] | None
    #: GeoJSON geometry, WGS 84, longitude before latitude.
    geometry: SegmentBulkPatchRowGeometry | None
    #: Day of construction.
    install_date: str | None
    #: Year of construction, for where the day is not known. Follows install_date.
    install_year: int | None
    #: Lanes of a road.
    lanes: int | None
    #: Length. Left out or null, it is that of the geometry's lines (along the WGS 84 ellipsoid, to the centimetre), and follows
    #: the geometry; points and areas have none of their own.
    length_m: float | None
    #: Load limit of a bridge or road.
    load_limit_t: float | None
    #: What it is made of.
    material: str | None
    #: What people call the segment.
    name: str
    #: The network it is a part of.
    network_id: str
    #: Remarks for colleagues.
    notes: str | None
    #: First day on which it no longer stood. The move to abandoned or removed stamps it with today unless it is given; the way
    #: back clears it. Neither in the future nor before installation.
    out_of_use_on: str | None
    #: Whether the surface is paved. Left out or null, it follows surface_type: true for asphalt, concrete, surface_treated, paver
    #: and brick, false for gravel, earth, dirt and granular, null for any other word.
    paved: bool | None
    #: The year in which its renewal is planned.
    planned_renewal_year: int | None
    #: From 1 (rare) to 5 (almost certain). Empty: the condition rating is taken.
    probability_of_failure: int | None
    #: How long the liner is expected to last from 1 July of relined_year, which it needs. The longer of pipe and liner counts for
    #: remaining life.
    relined_useful_life_years: int | None
    #: Year in which a pipe was relined; not before install_year. Age still counts from construction.
    relined_year: int | None
    #: What replacing it like for like costs today. Left out or null, it is length_m times replacement_unit_cost_per_m, and
    #: follows them.
    replacement_cost: float | None
    #: Day on which that cost was said. Left out on create, 1 January of replacement_cost_year, else not known; left out where the
    #: cost changes, today.
    replacement_cost_as_of: str | None
    #: The year of whose prices the cost is: of replacement_cost where it was given, else of replacement_unit_cost_per_m.
    replacement_cost_year: int | None
    #: Replacement cost per metre. New segments without any cost take the network's.
    replacement_unit_cost_per_m: float | None
    #: Class 1 to 6 of Ontario's minimum maintenance standards (O. Reg. 239/02).
    road_class: int | None
    #: Its code; numbered when left out.
    segment_code: str | None
    #: The site it lies on.
    site_id: str | None
    #: Span of a bridge or culvert.
    span_m: float | None
    #: Speed limit.
    speed_limit_kmh: int | None
    #: planned → in_service, removed; in_service → out_of_service, abandoned; out_of_service → in_service, abandoned; abandoned →
    #: removed, in_service; removed is final. 409 on abandoning or removing one with open work orders.
    status: Literal['planned', 'in_service', 'out_of_service', 'abandoned', 'removed'] | None
    #: Surface of a road, sidewalk or trail.
    surface_type: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: Where it ends.
    to_description: str | None
    #: Elevation of the invert at the upstream end.
    upstream_invert_m: float | None
    #: Width limit of vehicles on a structure.
    width_limit_m: float | None
    #: Width.
    width_m: float | None
    #: Of the record. Left out: external_id, else segment_code, names it.
    id: str
    #: In place of network_id: the external_id of that record, which may be of an earlier row.
    network_external_id: str | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None


class SegmentBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Segment]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _SegmentEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class SegmentEventActor(_SegmentEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class SegmentEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Segment


class _SegmentEventRequired(TypedDict):
    #: Who did it.
    actor: SegmentEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: SegmentEventData
    type: Literal['segment.created', 'segment.updated', 'segment.deleted']


class SegmentEvent(_SegmentEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


SegmentExpansion: TypeAlias = "Literal['network', 'site']"


SegmentField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'network_id', 'name', 'segment_code', 'status', 'from_description', 'to_description', 'site_id', 'out_of_use_on', 'notes', 'geometry', 'bbox', 'length_m', 'length_computed', 'measured_length_m', 'material', 'diameter_mm', 'depth_m', 'width_m', 'span_m', 'lanes', 'surface_type', 'paved', 'paved_computed', 'functional_class', 'road_class', 'environment', 'aadt', 'speed_limit_kmh', 'load_limit_t', 'clearance_limit_m', 'width_limit_m', 'upstream_invert_m', 'downstream_invert_m', 'slope_pct', 'lane_km', 'install_date', 'install_year', 'relined_year', 'relined_useful_life_years', 'expected_useful_life_years', 'replacement_cost', 'replacement_cost_computed', 'replacement_cost_year', 'replacement_cost_as_of', 'replacement_unit_cost_per_m', 'deferred_maintenance_cost', 'deferred_maintenance_as_of', 'deferred_maintenance_basis', 'deficiencies_without_cost', 'planned_renewal_year', 'condition_rating', 'condition_assessed_on', 'condition_method', 'condition_source_id', 'reported_condition_rating', 'condition_reported_at', 'probability_of_failure', 'consequence_of_failure', 'condition_grade', 'risk_score', 'risk_level', 'age_years', 'remaining_life_years', 'past_useful_life', 'currency', 'attributes']"


class _SegmentListRequired(TypedDict):
    data: list[Segment]
    pagination: Pagination


class SegmentList(_SegmentListRequired, total=False):
    search: SearchCorrections


class SegmentPatchGeometry(TypedDict, total=False):
    """GeoJSON geometry, WGS 84, longitude before latitude."""

    #: Positions [longitude, latitude] in degrees, or [longitude, latitude, altitude in metres], nested as the type asks: one for
    #: a Point, a list for a LineString, a list of lists for a MultiLineString or a Polygon, whose rings are closed. At most
    #: 10,000 positions.
    coordinates: Any
    #: Kind of geometry.
    type: Literal['Point', 'LineString', 'MultiLineString', 'Polygon']


class SegmentPatch(TypedDict, total=False):
    #: Annual average daily traffic, vehicles.
    aadt: int | None
    #: Up to 50 technical facts of your own: texts, numbers, true, false.
    attributes: dict[str, Any] | None
    #: Height limit of vehicles below or on a structure.
    clearance_limit_m: float | None
    #: Day that condition_rating is of. Set with a rating, it dates it; left out while the rating changes, today. Not in the
    #: future.
    condition_assessed_on: str | None
    #: How condition_rating was found out. Set with a rating; reported when left out.
    condition_method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported', 'cctv', 'pavement_survey', 'osim', 'acoustic', 'lidar', 'other'] | None
    #: Condition from 1 (very good) to 5 (very poor). The inspections set it, and what is set here: the latest inspection drives
    #: it, unless it is more than five years older than a later rating that was only reported.
    condition_rating: int | None
    #: From 1 (negligible) to 5 (catastrophic).
    consequence_of_failure: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Day on which deferred_maintenance_cost was said. Left out on create, 1 January of replacement_cost_year, else not known;
    #: left out where the cost changes, today.
    deferred_maintenance_as_of: str | None
    #: Maintenance that is due and was put off. Of a segment with deficiencies it is what those come to that count this year, and
    #: typing another is a 409; without any, or with void ones alone, it is what was typed.
    deferred_maintenance_cost: float | None
    #: Depth below ground.
    depth_m: float | None
    #: Inside diameter.
    diameter_mm: float | None
    #: Elevation of the invert at the downstream end.
    downstream_invert_m: float | None
    #: What it is exposed to.
    environment: str | None
    #: How long it is expected to last from construction. New segments take the network's when left out.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Where it begins.
    from_description: str | None
    #: What a road is for.
    functional_class: Literal['arterial', 'collector', 'local', 'laneway', 'trail'] | None
    #: GeoJSON geometry, WGS 84, longitude before latitude.
    geometry: SegmentPatchGeometry | None
    #: Day of construction.
    install_date: str | None
    #: Year of construction, for where the day is not known. Follows install_date.
    install_year: int | None
    #: Lanes of a road.
    lanes: int | None
    #: Length. Left out or null, it is that of the geometry's lines (along the WGS 84 ellipsoid, to the centimetre), and follows
    #: the geometry; points and areas have none of their own.
    length_m: float | None
    #: Load limit of a bridge or road.
    load_limit_t: float | None
    #: What it is made of.
    material: str | None
    #: What people call the segment.
    name: str
    #: The network it is a part of.
    network_id: str
    #: Remarks for colleagues.
    notes: str | None
    #: First day on which it no longer stood. The move to abandoned or removed stamps it with today unless it is given; the way
    #: back clears it. Neither in the future nor before installation.
    out_of_use_on: str | None
    #: Whether the surface is paved. Left out or null, it follows surface_type: true for asphalt, concrete, surface_treated, paver
    #: and brick, false for gravel, earth, dirt and granular, null for any other word.
    paved: bool | None
    #: The year in which its renewal is planned.
    planned_renewal_year: int | None
    #: From 1 (rare) to 5 (almost certain). Empty: the condition rating is taken.
    probability_of_failure: int | None
    #: How long the liner is expected to last from 1 July of relined_year, which it needs. The longer of pipe and liner counts for
    #: remaining life.
    relined_useful_life_years: int | None
    #: Year in which a pipe was relined; not before install_year. Age still counts from construction.
    relined_year: int | None
    #: What replacing it like for like costs today. Left out or null, it is length_m times replacement_unit_cost_per_m, and
    #: follows them.
    replacement_cost: float | None
    #: Day on which that cost was said. Left out on create, 1 January of replacement_cost_year, else not known; left out where the
    #: cost changes, today.
    replacement_cost_as_of: str | None
    #: The year of whose prices the cost is: of replacement_cost where it was given, else of replacement_unit_cost_per_m.
    replacement_cost_year: int | None
    #: Replacement cost per metre. New segments without any cost take the network's.
    replacement_unit_cost_per_m: float | None
    #: Class 1 to 6 of Ontario's minimum maintenance standards (O. Reg. 239/02).
    road_class: int | None
    #: Its code; numbered when left out.
    segment_code: str | None
    #: The site it lies on.
    site_id: str | None
    #: Span of a bridge or culvert.
    span_m: float | None
    #: Speed limit.
    speed_limit_kmh: int | None
    #: planned → in_service, removed; in_service → out_of_service, abandoned; out_of_service → in_service, abandoned; abandoned →
    #: removed, in_service; removed is final. 409 on abandoning or removing one with open work orders.
    status: Literal['planned', 'in_service', 'out_of_service', 'abandoned', 'removed'] | None
    #: Surface of a road, sidewalk or trail.
    surface_type: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: Where it ends.
    to_description: str | None
    #: Elevation of the invert at the upstream end.
    upstream_invert_m: float | None
    #: Width limit of vehicles on a structure.
    width_limit_m: float | None
    #: Width.
    width_m: float | None


SegmentSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'segment_code', '-segment_code', 'status', '-status', 'from_description', '-from_description', 'to_description', '-to_description', 'out_of_use_on', '-out_of_use_on', 'length_m', '-length_m', 'material', '-material', 'diameter_mm', '-diameter_mm', 'surface_type', '-surface_type', 'functional_class', '-functional_class', 'road_class', '-road_class', 'environment', '-environment', 'aadt', '-aadt', 'install_date', '-install_date', 'install_year', '-install_year', 'relined_year', '-relined_year', 'replacement_cost', '-replacement_cost', 'replacement_cost_year', '-replacement_cost_year', 'deferred_maintenance_cost', '-deferred_maintenance_cost', 'planned_renewal_year', '-planned_renewal_year', 'condition_rating', '-condition_rating', 'condition_assessed_on', '-condition_assessed_on', 'risk_score', '-risk_score', 'age_years', '-age_years', 'remaining_life_years', '-remaining_life_years', 'relevance']"


class SegmentWriteGeometry(TypedDict):
    """GeoJSON geometry, WGS 84, longitude before latitude."""

    #: Positions [longitude, latitude] in degrees, or [longitude, latitude, altitude in metres], nested as the type asks: one for
    #: a Point, a list for a LineString, a list of lists for a MultiLineString or a Polygon, whose rings are closed. At most
    #: 10,000 positions.
    coordinates: Any
    #: Kind of geometry.
    type: Literal['Point', 'LineString', 'MultiLineString', 'Polygon']


class _SegmentWriteRequired(TypedDict):
    #: What people call the segment.
    name: str
    #: The network it is a part of.
    network_id: str


class SegmentWrite(_SegmentWriteRequired, total=False):
    #: Annual average daily traffic, vehicles.
    aadt: int | None
    #: Up to 50 technical facts of your own: texts, numbers, true, false.
    attributes: dict[str, Any] | None
    #: Height limit of vehicles below or on a structure.
    clearance_limit_m: float | None
    #: Day that condition_rating is of. Set with a rating, it dates it; left out while the rating changes, today. Not in the
    #: future.
    condition_assessed_on: str | None
    #: How condition_rating was found out. Set with a rating; reported when left out.
    condition_method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported', 'cctv', 'pavement_survey', 'osim', 'acoustic', 'lidar', 'other'] | None
    #: Condition from 1 (very good) to 5 (very poor). The inspections set it, and what is set here: the latest inspection drives
    #: it, unless it is more than five years older than a later rating that was only reported.
    condition_rating: int | None
    #: From 1 (negligible) to 5 (catastrophic).
    consequence_of_failure: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Day on which deferred_maintenance_cost was said. Left out on create, 1 January of replacement_cost_year, else not known;
    #: left out where the cost changes, today.
    deferred_maintenance_as_of: str | None
    #: Maintenance that is due and was put off. Of a segment with deficiencies it is what those come to that count this year, and
    #: typing another is a 409; without any, or with void ones alone, it is what was typed.
    deferred_maintenance_cost: float | None
    #: Depth below ground.
    depth_m: float | None
    #: Inside diameter.
    diameter_mm: float | None
    #: Elevation of the invert at the downstream end.
    downstream_invert_m: float | None
    #: What it is exposed to.
    environment: str | None
    #: How long it is expected to last from construction. New segments take the network's when left out.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Where it begins.
    from_description: str | None
    #: What a road is for.
    functional_class: Literal['arterial', 'collector', 'local', 'laneway', 'trail'] | None
    #: GeoJSON geometry, WGS 84, longitude before latitude.
    geometry: SegmentWriteGeometry | None
    #: Day of construction.
    install_date: str | None
    #: Year of construction, for where the day is not known. Follows install_date.
    install_year: int | None
    #: Lanes of a road.
    lanes: int | None
    #: Length. Left out or null, it is that of the geometry's lines (along the WGS 84 ellipsoid, to the centimetre), and follows
    #: the geometry; points and areas have none of their own.
    length_m: float | None
    #: Load limit of a bridge or road.
    load_limit_t: float | None
    #: What it is made of.
    material: str | None
    #: Remarks for colleagues.
    notes: str | None
    #: First day on which it no longer stood. The move to abandoned or removed stamps it with today unless it is given; the way
    #: back clears it. Neither in the future nor before installation.
    out_of_use_on: str | None
    #: Whether the surface is paved. Left out or null, it follows surface_type: true for asphalt, concrete, surface_treated, paver
    #: and brick, false for gravel, earth, dirt and granular, null for any other word.
    paved: bool | None
    #: The year in which its renewal is planned.
    planned_renewal_year: int | None
    #: From 1 (rare) to 5 (almost certain). Empty: the condition rating is taken.
    probability_of_failure: int | None
    #: How long the liner is expected to last from 1 July of relined_year, which it needs. The longer of pipe and liner counts for
    #: remaining life.
    relined_useful_life_years: int | None
    #: Year in which a pipe was relined; not before install_year. Age still counts from construction.
    relined_year: int | None
    #: What replacing it like for like costs today. Left out or null, it is length_m times replacement_unit_cost_per_m, and
    #: follows them.
    replacement_cost: float | None
    #: Day on which that cost was said. Left out on create, 1 January of replacement_cost_year, else not known; left out where the
    #: cost changes, today.
    replacement_cost_as_of: str | None
    #: The year of whose prices the cost is: of replacement_cost where it was given, else of replacement_unit_cost_per_m.
    replacement_cost_year: int | None
    #: Replacement cost per metre. New segments without any cost take the network's.
    replacement_unit_cost_per_m: float | None
    #: Class 1 to 6 of Ontario's minimum maintenance standards (O. Reg. 239/02).
    road_class: int | None
    #: Its code; numbered when left out.
    segment_code: str | None
    #: The site it lies on.
    site_id: str | None
    #: Span of a bridge or culvert.
    span_m: float | None
    #: Speed limit.
    speed_limit_kmh: int | None
    #: planned → in_service, removed; in_service → out_of_service, abandoned; out_of_service → in_service, abandoned; abandoned →
    #: removed, in_service; removed is final. 409 on abandoning or removing one with open work orders. Left out: "in_service".
    status: Literal['planned', 'in_service', 'out_of_service', 'abandoned', 'removed'] | None
    #: Surface of a road, sidewalk or trail.
    surface_type: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: Where it ends.
    to_description: str | None
    #: Elevation of the invert at the upstream end.
    upstream_invert_m: float | None
    #: Width limit of vehicles on a structure.
    width_limit_m: float | None
    #: Width.
    width_m: float | None


class ServiceAreaCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class ServiceAreaOwnerUser(TypedDict):
    """With expand=owner_user."""

    id: str
    name: str


class ServiceAreaUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _ServiceAreaRequired(TypedDict):
    #: Buildings that provide the service, beside those on its sites.
    building_ids: list[str]
    #: Kind of service. The first five are the core infrastructure of O. Reg. 588/17.
    category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: Short code of your own.
    code: str | None
    #: How the condition of the area's assets is assessed, in English, for the asset management plan (O. Reg. 588/17, section 5
    #: (2) 3 v).
    condition_approach: str | None
    #: The same in French.
    condition_approach_fr: str | None
    created_at: str
    created_by: ServiceAreaCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: Whether the category is core municipal infrastructure after O. Reg. 588/17, section 1: roads, bridges and culverts, water,
    #: wastewater, stormwater.
    is_core: bool
    #: What people call the service.
    name: str
    #: Networks that provide the service.
    network_ids: list[str]
    #: The user who answers for the service.
    owner_user_id: str | None
    #: How many properties are connected to the municipal system. Connection-days of breaks and backups are divided by it.
    properties_connected: int | None
    #: What people can expect, in English.
    service_statement: str | None
    #: What people can expect, in French.
    service_statement_fr: str | None
    #: Sites that provide the service. Computed measures are made from them; with no sites, buildings and networks at all, from
    #: the whole organization.
    site_ids: list[str]
    #: active ↔ archived.
    status: Literal['active', 'archived']
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: ServiceAreaUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int


class ServiceArea(_ServiceAreaRequired, total=False):
    #: With expand=owner_user.
    owner_user: ServiceAreaOwnerUser | None


class ServiceAreaBulkCreate(TypedDict):
    data: list[ServiceAreaBulkCreateRow]


class _ServiceAreaBulkCreateRowRequired(TypedDict):
    #: What people call the service.
    name: str


class ServiceAreaBulkCreateRow(_ServiceAreaBulkCreateRowRequired, total=False):
    #: Buildings that provide the service, beside those on its sites.
    building_ids: list[str] | None
    #: Kind of service. The first five are the core infrastructure of O. Reg. 588/17.
    category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: Short code of your own.
    code: str | None
    #: How the condition of the area's assets is assessed, in English, for the asset management plan (O. Reg. 588/17, section 5
    #: (2) 3 v).
    condition_approach: str | None
    #: The same in French.
    condition_approach_fr: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Networks that provide the service.
    network_ids: list[str] | None
    #: The user who answers for the service.
    owner_user_id: str | None
    #: How many properties are connected to the municipal system. Connection-days of breaks and backups are divided by it.
    properties_connected: int | None
    #: What people can expect, in English.
    service_statement: str | None
    #: What people can expect, in French.
    service_statement_fr: str | None
    #: Sites that provide the service. Computed measures are made from them; with no sites, buildings and networks at all, from
    #: the whole organization.
    site_ids: list[str] | None
    #: active ↔ archived.
    status: Literal['active', 'archived'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: In place of owner_user_id: the external_id of that record, which may be of an earlier row.
    owner_user_external_id: str | None


class ServiceAreaBulkDelete(TypedDict):
    data: list[ServiceAreaBulkDeleteRow]


class ServiceAreaBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: What people call the service.
    name: str


class ServiceAreaBulkPatch(TypedDict):
    data: list[ServiceAreaBulkPatchRow]


class ServiceAreaBulkPatchRow(TypedDict, total=False):
    #: Buildings that provide the service, beside those on its sites.
    building_ids: list[str] | None
    #: Kind of service. The first five are the core infrastructure of O. Reg. 588/17.
    category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: Short code of your own.
    code: str | None
    #: How the condition of the area's assets is assessed, in English, for the asset management plan (O. Reg. 588/17, section 5
    #: (2) 3 v).
    condition_approach: str | None
    #: The same in French.
    condition_approach_fr: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What people call the service.
    name: str
    #: Networks that provide the service.
    network_ids: list[str] | None
    #: The user who answers for the service.
    owner_user_id: str | None
    #: How many properties are connected to the municipal system. Connection-days of breaks and backups are divided by it.
    properties_connected: int | None
    #: What people can expect, in English.
    service_statement: str | None
    #: What people can expect, in French.
    service_statement_fr: str | None
    #: Sites that provide the service. Computed measures are made from them; with no sites, buildings and networks at all, from
    #: the whole organization.
    site_ids: list[str] | None
    #: active ↔ archived.
    status: Literal['active', 'archived'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Of the record. Left out: external_id, else name, names it.
    id: str
    #: In place of owner_user_id: the external_id of that record, which may be of an earlier row.
    owner_user_external_id: str | None


class ServiceAreaBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[ServiceArea]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


ServiceAreaExpansion: TypeAlias = "Literal['owner_user']"


ServiceAreaField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'name', 'code', 'category', 'is_core', 'service_statement', 'service_statement_fr', 'condition_approach', 'condition_approach_fr', 'properties_connected', 'owner_user_id', 'site_ids', 'building_ids', 'network_ids', 'status']"


class _ServiceAreaListRequired(TypedDict):
    data: list[ServiceArea]
    pagination: Pagination


class ServiceAreaList(_ServiceAreaListRequired, total=False):
    search: SearchCorrections


class ServiceAreaPatch(TypedDict, total=False):
    #: Buildings that provide the service, beside those on its sites.
    building_ids: list[str] | None
    #: Kind of service. The first five are the core infrastructure of O. Reg. 588/17.
    category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: Short code of your own.
    code: str | None
    #: How the condition of the area's assets is assessed, in English, for the asset management plan (O. Reg. 588/17, section 5
    #: (2) 3 v).
    condition_approach: str | None
    #: The same in French.
    condition_approach_fr: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What people call the service.
    name: str
    #: Networks that provide the service.
    network_ids: list[str] | None
    #: The user who answers for the service.
    owner_user_id: str | None
    #: How many properties are connected to the municipal system. Connection-days of breaks and backups are divided by it.
    properties_connected: int | None
    #: What people can expect, in English.
    service_statement: str | None
    #: What people can expect, in French.
    service_statement_fr: str | None
    #: Sites that provide the service. Computed measures are made from them; with no sites, buildings and networks at all, from
    #: the whole organization.
    site_ids: list[str] | None
    #: active ↔ archived.
    status: Literal['active', 'archived'] | None
    #: Labels of your own.
    tags: list[str] | None


ServiceAreaSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'code', '-code', 'category', '-category', 'properties_connected', '-properties_connected', 'status', '-status', 'relevance']"


class _ServiceAreaWriteRequired(TypedDict):
    #: What people call the service.
    name: str


class ServiceAreaWrite(_ServiceAreaWriteRequired, total=False):
    #: Buildings that provide the service, beside those on its sites.
    building_ids: list[str] | None
    #: Kind of service. The first five are the core infrastructure of O. Reg. 588/17.
    category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: Short code of your own.
    code: str | None
    #: How the condition of the area's assets is assessed, in English, for the asset management plan (O. Reg. 588/17, section 5
    #: (2) 3 v).
    condition_approach: str | None
    #: The same in French.
    condition_approach_fr: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Networks that provide the service.
    network_ids: list[str] | None
    #: The user who answers for the service.
    owner_user_id: str | None
    #: How many properties are connected to the municipal system. Connection-days of breaks and backups are divided by it.
    properties_connected: int | None
    #: What people can expect, in English.
    service_statement: str | None
    #: What people can expect, in French.
    service_statement_fr: str | None
    #: Sites that provide the service. Computed measures are made from them; with no sites, buildings and networks at all, from
    #: the whole organization.
    site_ids: list[str] | None
    #: active ↔ archived. Left out: "active".
    status: Literal['active', 'archived'] | None
    #: Labels of your own.
    tags: list[str] | None


class ServiceStateAsRecorded(TypedDict):
    #: Their replacement cost.
    cost: float
    #: Assets, systems and appraised buildings.
    count: int


class ServiceStateConditionDistributionValue(TypedDict):
    count: int
    replacement_cost: float


class ServiceStateConfidence(TypedDict):
    #: Replacement cost by how the condition was found out; unknown is what was never rated, or nobody said how.
    methods: dict[str, float]
    #: Replacement cost of what was assessed or inspected within the five years before as_of, of the replacement cost of all
    #: assets and segments.
    pct: float | None
    #: That replacement cost.
    replacement_cost: float


class ServiceStateCounts(TypedDict):
    assets: int
    buildings: int
    #: Assets and segments that are planned or out of use, inside of something that is, or were not there on the day; in no other
    #: figure.
    left_out: int
    #: Networks with segments that count.
    networks: int
    segments: int
    sites: int
    systems: int


class ServiceStateDataGaps(TypedDict):
    #: Live deficiencies that count as deferred maintenance, and of which nobody knows the cost.
    deficiencies_without_cost: int
    without_condition_rating: int
    without_expected_useful_life: int
    without_installation: int
    without_replacement_cost: int


class ServiceStatePastUsefulLife(TypedDict):
    count: int
    #: Of the assets and segments whose installation and expected life are known.
    pct: float | None
    replacement_cost: float


class ServiceStateRiskDistributionValue(TypedDict):
    count: int
    replacement_cost: float


class ServiceState(TypedDict):
    as_recorded: ServiceStateAsRecorded
    #: Mean age of the assets and segments whose installation is known.
    average_age_years: float | None
    #: Mean condition rating of what is rated, 1 (very good) to 5 (very poor).
    average_condition_rating: float | None
    #: How the condition is assessed (O. Reg. 588/17, section 5 (2) 3 v), from the level-of-service areas of the category; null
    #: where nobody has said it, and of groups that are no categories.
    condition_approach: str | None
    #: Assets and segments by condition grade: very_good, good, fair, poor, very_poor, unknown.
    condition_distribution: dict[str, ServiceStateConditionDistributionValue]
    confidence: ServiceStateConfidence
    counts: ServiceStateCounts
    data_gaps: ServiceStateDataGaps
    #: Maintenance that is due and was put off.
    deferred_maintenance_cost: float
    fci_grade: Literal['good', 'fair', 'poor', 'critical'] | None
    #: Facility Condition Index: need less need_without_value, over replacement cost.
    fci_pct: float | None
    #: The network, where the groups are networks.
    id: str | None
    #: The service category or building type, or network or assets; null for what has none.
    key: str | None
    #: Length of the segments.
    length_km: float
    #: Name of the group.
    name: str
    #: Renewals due within the horizon, and the deferred maintenance of everything else.
    need: float
    #: The part of need that no replacement cost stands against. It is left out of the FCI.
    need_without_value: float
    past_useful_life: ServiceStatePastUsefulLife
    #: What replacing everything would cost, in prices of prices_of. A building with an appraisal is worth that, in its own
    #: category.
    replacement_cost: float
    #: Assets and segments by risk level: very_low, low, moderate, high, very_high, unknown.
    risk_distribution: dict[str, ServiceStateRiskDistributionValue]
    #: Their mean age by replacement cost.
    weighted_age_years: float | None
    #: Their mean rating by replacement cost.
    weighted_condition_rating: float | None


class SimilarRequestsDataItem(TypedDict):
    created_at: str
    #: How far apart they are, to the metre, where both have coordinates.
    distance_m: float | None
    id: str
    number: str | None
    #: Whether both are about the same asset, building, site or segment: the most exact of them that this request names.
    same_place: bool
    status: str
    title: str


class SimilarRequests(TypedDict):
    #: At most 50.
    data: list[SimilarRequestsDataItem]


class SiteCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class SiteManagerUser(TypedDict):
    """With expand=manager_user."""

    id: str
    name: str


class SiteUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _SiteRequired(TypedDict):
    #: Street address.
    address_line1: str | None
    #: Second line of the address.
    address_line2: str | None
    #: City, town or township.
    city: str | None
    #: Short code; numbered when left out.
    code: str | None
    #: Country, ISO 3166-1 alpha-2.
    country: str
    created_at: str
    created_by: SiteCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: What the site is.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: Area of the land.
    land_area_m2: float | None
    #: Latitude in WGS 84, with longitude or not at all.
    latitude: float | None
    #: Longitude in WGS 84, with latitude or not at all.
    longitude: float | None
    #: The user who manages the site.
    manager_user_id: str | None
    #: What people call the site.
    name: str
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: How the organization holds it.
    ownership: Literal['owned', 'leased', 'licensed', 'joint_use', 'managed'] | None
    #: Postal code. In Canada it must be one, and is kept as A1A 1A1.
    postal_code: str | None
    #: Province or territory.
    province: Literal['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT'] | None
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: What the site is used for.
    site_type: Literal['school', 'campus', 'park', 'recreation', 'works_yard', 'treatment_plant', 'landfill', 'office', 'housing', 'right_of_way', 'other'] | None
    #: planned → active, disposed; active ↔ inactive; active, inactive → disposed; disposed → active.
    status: Literal['planned', 'active', 'inactive', 'disposed']
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: SiteUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int
    #: Electoral or administrative ward.
    ward: str | None


class Site(_SiteRequired, total=False):
    #: With expand=manager_user.
    manager_user: SiteManagerUser | None


class SiteBulkCreate(TypedDict):
    data: list[SiteBulkCreateRow]


class _SiteBulkCreateRowRequired(TypedDict):
    #: What people call the site.
    name: str


class SiteBulkCreateRow(_SiteBulkCreateRowRequired, total=False):
    #: Street address.
    address_line1: str | None
    #: Second line of the address.
    address_line2: str | None
    #: City, town or township.
    city: str | None
    #: Short code; numbered when left out.
    code: str | None
    #: Country, ISO 3166-1 alpha-2.
    country: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What the site is.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Area of the land.
    land_area_m2: float | None
    #: Latitude in WGS 84, with longitude or not at all.
    latitude: float | None
    #: Longitude in WGS 84, with latitude or not at all.
    longitude: float | None
    #: The user who manages the site.
    manager_user_id: str | None
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: How the organization holds it.
    ownership: Literal['owned', 'leased', 'licensed', 'joint_use', 'managed'] | None
    #: Postal code. In Canada it must be one, and is kept as A1A 1A1.
    postal_code: str | None
    #: Province or territory.
    province: Literal['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT'] | None
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: What the site is used for.
    site_type: Literal['school', 'campus', 'park', 'recreation', 'works_yard', 'treatment_plant', 'landfill', 'office', 'housing', 'right_of_way', 'other'] | None
    #: planned → active, disposed; active ↔ inactive; active, inactive → disposed; disposed → active.
    status: Literal['planned', 'active', 'inactive', 'disposed'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Electoral or administrative ward.
    ward: str | None
    #: In place of manager_user_id: the external_id of that record, which may be of an earlier row.
    manager_user_external_id: str | None


class SiteBulkDelete(TypedDict):
    data: list[SiteBulkDeleteRow]


class SiteBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: Short code; numbered when left out.
    code: str | None


class SiteBulkPatch(TypedDict):
    data: list[SiteBulkPatchRow]


class SiteBulkPatchRow(TypedDict, total=False):
    #: Street address.
    address_line1: str | None
    #: Second line of the address.
    address_line2: str | None
    #: City, town or township.
    city: str | None
    #: Short code; numbered when left out.
    code: str | None
    #: Country, ISO 3166-1 alpha-2.
    country: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What the site is.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Area of the land.
    land_area_m2: float | None
    #: Latitude in WGS 84, with longitude or not at all.
    latitude: float | None
    #: Longitude in WGS 84, with latitude or not at all.
    longitude: float | None
    #: The user who manages the site.
    manager_user_id: str | None
    #: What people call the site.
    name: str
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: How the organization holds it.
    ownership: Literal['owned', 'leased', 'licensed', 'joint_use', 'managed'] | None
    #: Postal code. In Canada it must be one, and is kept as A1A 1A1.
    postal_code: str | None
    #: Province or territory.
    province: Literal['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT'] | None
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: What the site is used for.
    site_type: Literal['school', 'campus', 'park', 'recreation', 'works_yard', 'treatment_plant', 'landfill', 'office', 'housing', 'right_of_way', 'other'] | None
    #: planned → active, disposed; active ↔ inactive; active, inactive → disposed; disposed → active.
    status: Literal['planned', 'active', 'inactive', 'disposed'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Electoral or administrative ward.
    ward: str | None
    #: Of the record. Left out: external_id, else code, names it.
    id: str
    #: In place of manager_user_id: the external_id of that record, which may be of an earlier row.
    manager_user_external_id: str | None


class SiteBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Site]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _SiteEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class SiteEventActor(_SiteEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class SiteEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Site


class _SiteEventRequired(TypedDict):
    #: Who did it.
    actor: SiteEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: SiteEventData
    type: Literal['site.created', 'site.updated', 'site.deleted']


class SiteEvent(_SiteEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


SiteExpansion: TypeAlias = "Literal['manager_user']"


SiteField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'name', 'code', 'site_type', 'status', 'description', 'notes', 'address_line1', 'address_line2', 'city', 'province', 'postal_code', 'latitude', 'longitude', 'ownership', 'country', 'land_area_m2', 'ward', 'manager_user_id', 'out_of_use_on', 'service_category']"


class _SiteListRequired(TypedDict):
    data: list[Site]
    pagination: Pagination


class SiteList(_SiteListRequired, total=False):
    search: SearchCorrections


class SitePatch(TypedDict, total=False):
    #: Street address.
    address_line1: str | None
    #: Second line of the address.
    address_line2: str | None
    #: City, town or township.
    city: str | None
    #: Short code; numbered when left out.
    code: str | None
    #: Country, ISO 3166-1 alpha-2.
    country: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What the site is.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Area of the land.
    land_area_m2: float | None
    #: Latitude in WGS 84, with longitude or not at all.
    latitude: float | None
    #: Longitude in WGS 84, with latitude or not at all.
    longitude: float | None
    #: The user who manages the site.
    manager_user_id: str | None
    #: What people call the site.
    name: str
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: How the organization holds it.
    ownership: Literal['owned', 'leased', 'licensed', 'joint_use', 'managed'] | None
    #: Postal code. In Canada it must be one, and is kept as A1A 1A1.
    postal_code: str | None
    #: Province or territory.
    province: Literal['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT'] | None
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: What the site is used for.
    site_type: Literal['school', 'campus', 'park', 'recreation', 'works_yard', 'treatment_plant', 'landfill', 'office', 'housing', 'right_of_way', 'other'] | None
    #: planned → active, disposed; active ↔ inactive; active, inactive → disposed; disposed → active.
    status: Literal['planned', 'active', 'inactive', 'disposed'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Electoral or administrative ward.
    ward: str | None


SiteSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'code', '-code', 'site_type', '-site_type', 'status', '-status', 'city', '-city', 'province', '-province', 'ownership', '-ownership', 'land_area_m2', '-land_area_m2', 'ward', '-ward', 'out_of_use_on', '-out_of_use_on', 'service_category', '-service_category', 'relevance']"


class _SiteWriteRequired(TypedDict):
    #: What people call the site.
    name: str


class SiteWrite(_SiteWriteRequired, total=False):
    #: Street address.
    address_line1: str | None
    #: Second line of the address.
    address_line2: str | None
    #: City, town or township.
    city: str | None
    #: Short code; numbered when left out.
    code: str | None
    #: Country, ISO 3166-1 alpha-2. Left out: "CA".
    country: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What the site is.
    description: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Area of the land.
    land_area_m2: float | None
    #: Latitude in WGS 84, with longitude or not at all.
    latitude: float | None
    #: Longitude in WGS 84, with latitude or not at all.
    longitude: float | None
    #: The user who manages the site.
    manager_user_id: str | None
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: How the organization holds it.
    ownership: Literal['owned', 'leased', 'licensed', 'joint_use', 'managed'] | None
    #: Postal code. In Canada it must be one, and is kept as A1A 1A1.
    postal_code: str | None
    #: Province or territory.
    province: Literal['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT'] | None
    #: The service that it helps to provide, in the words of level-of-service areas. Left out, it follows from what it is and
    #: where.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | None
    #: What the site is used for.
    site_type: Literal['school', 'campus', 'park', 'recreation', 'works_yard', 'treatment_plant', 'landfill', 'office', 'housing', 'right_of_way', 'other'] | None
    #: planned → active, disposed; active ↔ inactive; active, inactive → disposed; disposed → active. Left out: "active".
    status: Literal['planned', 'active', 'inactive', 'disposed'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Electoral or administrative ward.
    ward: str | None


class _SlaPolicyEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class SlaPolicyEventActor(_SlaPolicyEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class SlaPolicyEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: SLAPolicy


class _SlaPolicyEventRequired(TypedDict):
    #: Who did it.
    actor: SlaPolicyEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: SlaPolicyEventData
    type: Literal['sla_policy.created', 'sla_policy.updated', 'sla_policy.deleted']


class SlaPolicyEvent(_SlaPolicyEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


class StateOfAssetsBasis(TypedDict):
    """How much of the figures of a day that is over is hindsight; null of today and days to come."""

    #: Others that were changed since; what has no day of its own is as it was on the day.
    changed_since: int
    #: Assets that were entered after the day; what has no day of its own is as it was first entered.
    entered_later: int


class StateOfAssetsTotalAsRecorded(TypedDict):
    #: Their replacement cost.
    cost: float
    #: Assets, systems and appraised buildings.
    count: int


class StateOfAssetsTotalConditionDistributionValue(TypedDict):
    assets: int
    replacement_cost: float


class StateOfAssetsTotalCounts(TypedDict):
    assets: int
    #: Assets that are planned, decommissioned or disposed, or inside of something that is; in no other figure.
    assets_left_out: int
    buildings: int
    sites: int
    systems: int


class StateOfAssetsTotalDataQuality(TypedDict):
    #: Live deficiencies that count as deferred maintenance in the year of as_of, and of which nobody knows the cost.
    deficiencies_without_cost: int
    #: Assets that are decommissioned or disposed of, nobody knows since when: they count on no day.
    gone_without_date: int
    #: Systems and buildings whose own replacement cost is less than the renewals that are due inside.
    value_below_need: int
    without_condition_rating: int
    without_expected_useful_life: int
    #: Neither install_date nor install_year.
    without_installation: int
    without_planned_renewal_year: int
    without_replacement_cost: int
    without_site: int


class StateOfAssetsTotalDeferredMaintenanceBasis(TypedDict):
    #: What the live deficiencies that count cost, those with an action_year after the year of as_of left out.
    deficiencies: float
    #: Typed on systems and assets, or said by assessments.
    typed: float


class StateOfAssetsTotalPastUsefulLife(TypedDict):
    assets: int
    replacement_cost: float


class StateOfAssetsTotalReplacementCostBasis(TypedDict):
    #: From assets.
    assets: float
    #: From appraisals of whole buildings.
    buildings: float
    #: From systems that have a cost of their own.
    systems: float


class StateOfAssetsTotal(TypedDict):
    """The whole organization, buildings by their appraisals."""

    as_recorded: StateOfAssetsTotalAsRecorded
    #: Mean age of the assets whose installation is known.
    average_age_years: float | None
    #: Mean condition rating of the rated assets, 1 (very good) to 5 (very poor).
    average_condition_rating: float | None
    #: Assets by condition grade: very_good, good, fair, poor, very_poor, unknown.
    condition_distribution: dict[str, StateOfAssetsTotalConditionDistributionValue]
    counts: StateOfAssetsTotalCounts
    #: Currency of every amount of money.
    currency: str
    data_quality: StateOfAssetsTotalDataQuality
    deferred_maintenance_basis: StateOfAssetsTotalDeferredMaintenanceBasis
    #: Maintenance that is due in the year of as_of and was put off.
    deferred_maintenance_cost: float
    #: good to 5 %, fair to 10 %, poor to 30 %, critical above.
    fci_grade: Literal['good', 'fair', 'poor', 'critical'] | None
    #: Facility Condition Index: need less need_without_value, over replacement cost. May exceed 100; null where nothing has a
    #: cost.
    fci_pct: float | None
    #: Renewals due within the horizon (the greater of replacement and deferred maintenance), and the deferred maintenance of
    #: everything else.
    need: float
    #: The part of need that no replacement cost stands against: neither of the asset, nor of its system, nor an appraisal of its
    #: building. It is left out of the FCI.
    need_without_value: float
    past_useful_life: StateOfAssetsTotalPastUsefulLife
    #: What replacing everything would cost, in prices of prices_of.
    replacement_cost: float
    replacement_cost_basis: StateOfAssetsTotalReplacementCostBasis
    #: Their mean age by replacement cost.
    weighted_age_years: float | None
    #: Their mean condition rating by replacement cost.
    weighted_condition_rating: float | None


class StateOfAssets(TypedDict):
    as_of: str
    #: How much of the figures of a day that is over is hindsight; null of today and days to come.
    basis: StateOfAssetsBasis | None
    #: The groups, by name or key; what has none comes last.
    data: list[StateOfAssetsGroup]
    group_by: str
    horizon_years: int
    #: The last year of which every price index in use has a value; afterwards that value counts. Null without an index.
    indexed_through: int | None
    pagination: PageNumbers
    #: The year whose prices amounts are in, as far as price indexes reach; as_recorded says what they do not reach.
    prices_of: int
    #: The whole organization, buildings by their appraisals.
    total: StateOfAssetsTotal


class StateOfAssetsGroupAsRecorded(TypedDict):
    #: Their replacement cost.
    cost: float
    #: Assets, systems and appraised buildings.
    count: int


class StateOfAssetsGroupConditionDistributionValue(TypedDict):
    assets: int
    replacement_cost: float


class StateOfAssetsGroupCounts(TypedDict):
    assets: int
    #: Assets that are planned, decommissioned or disposed, or inside of something that is; in no other figure.
    assets_left_out: int
    buildings: int
    sites: int
    systems: int


class StateOfAssetsGroupDataQuality(TypedDict):
    #: Live deficiencies that count as deferred maintenance in the year of as_of, and of which nobody knows the cost.
    deficiencies_without_cost: int
    #: Assets that are decommissioned or disposed of, nobody knows since when: they count on no day.
    gone_without_date: int
    #: Systems and buildings whose own replacement cost is less than the renewals that are due inside.
    value_below_need: int
    without_condition_rating: int
    without_expected_useful_life: int
    #: Neither install_date nor install_year.
    without_installation: int
    without_planned_renewal_year: int
    without_replacement_cost: int
    without_site: int


class StateOfAssetsGroupDeferredMaintenanceBasis(TypedDict):
    #: What the live deficiencies that count cost, those with an action_year after the year of as_of left out.
    deficiencies: float
    #: Typed on systems and assets, or said by assessments.
    typed: float


class StateOfAssetsGroupPastUsefulLife(TypedDict):
    assets: int
    replacement_cost: float


class StateOfAssetsGroupReplacementCostBasis(TypedDict):
    #: From assets.
    assets: float
    #: From appraisals of whole buildings.
    buildings: float
    #: From systems that have a cost of their own.
    systems: float


class StateOfAssetsGroup(TypedDict):
    as_recorded: StateOfAssetsGroupAsRecorded
    #: Mean age of the assets whose installation is known.
    average_age_years: float | None
    #: Mean condition rating of the rated assets, 1 (very good) to 5 (very poor).
    average_condition_rating: float | None
    #: Assets by condition grade: very_good, good, fair, poor, very_poor, unknown.
    condition_distribution: dict[str, StateOfAssetsGroupConditionDistributionValue]
    counts: StateOfAssetsGroupCounts
    #: Currency of every amount of money.
    currency: str
    data_quality: StateOfAssetsGroupDataQuality
    deferred_maintenance_basis: StateOfAssetsGroupDeferredMaintenanceBasis
    #: Maintenance that is due in the year of as_of and was put off.
    deferred_maintenance_cost: float
    #: good to 5 %, fair to 10 %, poor to 30 %, critical above.
    fci_grade: Literal['good', 'fair', 'poor', 'critical'] | None
    #: Facility Condition Index: need less need_without_value, over replacement cost. May exceed 100; null where nothing has a
    #: cost.
    fci_pct: float | None
    #: The site or building, where the groups are such.
    id: str | None
    #: What the group has in common, where it is no record; null for what has none.
    key: str | None
    #: Name of the site or building.
    name: str | None
    #: Renewals due within the horizon (the greater of replacement and deferred maintenance), and the deferred maintenance of
    #: everything else.
    need: float
    #: The part of need that no replacement cost stands against: neither of the asset, nor of its system, nor an appraisal of its
    #: building. It is left out of the FCI.
    need_without_value: float
    past_useful_life: StateOfAssetsGroupPastUsefulLife
    #: What replacing everything would cost, in prices of prices_of.
    replacement_cost: float
    replacement_cost_basis: StateOfAssetsGroupReplacementCostBasis
    #: Their mean age by replacement cost.
    weighted_age_years: float | None
    #: Their mean condition rating by replacement cost.
    weighted_condition_rating: float | None


class StateOfInfrastructureBasis(TypedDict):
    """How much of the figures of a day that is over is hindsight; null of today and days to come."""

    #: Others that were changed since; what has no day of its own is as it was on the day.
    changed_since: int
    #: Assets that were entered after the day; what has no day of its own is as it was first entered.
    entered_later: int


class StateOfInfrastructureToBeCategorizedItem(TypedDict):
    building_type: str
    buildings: int
    #: Their appraisals, as recorded.
    replacement_cost: float


class StateOfInfrastructureTotalAsRecorded(TypedDict):
    #: Their replacement cost.
    cost: float
    #: Assets, systems and appraised buildings.
    count: int


class StateOfInfrastructureTotalConditionDistributionValue(TypedDict):
    count: int
    replacement_cost: float


class StateOfInfrastructureTotalConfidence(TypedDict):
    #: Replacement cost by how the condition was found out; unknown is what was never rated, or nobody said how.
    methods: dict[str, float]
    #: Replacement cost of what was assessed or inspected within the five years before as_of, of the replacement cost of all
    #: assets and segments.
    pct: float | None
    #: That replacement cost.
    replacement_cost: float


class StateOfInfrastructureTotalCounts(TypedDict):
    assets: int
    buildings: int
    #: Assets and segments that are planned or out of use, inside of something that is, or were not there on the day; in no other
    #: figure.
    left_out: int
    #: Networks with segments that count.
    networks: int
    segments: int
    sites: int
    systems: int


class StateOfInfrastructureTotalDataGaps(TypedDict):
    #: Live deficiencies that count as deferred maintenance, and of which nobody knows the cost.
    deficiencies_without_cost: int
    without_condition_rating: int
    without_expected_useful_life: int
    without_installation: int
    without_replacement_cost: int


class StateOfInfrastructureTotalPastUsefulLife(TypedDict):
    count: int
    #: Of the assets and segments whose installation and expected life are known.
    pct: float | None
    replacement_cost: float


class StateOfInfrastructureTotalRiskDistributionValue(TypedDict):
    count: int
    replacement_cost: float


class StateOfInfrastructureTotal(TypedDict):
    """Everything: the state of assets and the networks' summaries together."""

    as_recorded: StateOfInfrastructureTotalAsRecorded
    #: Mean age of the assets and segments whose installation is known.
    average_age_years: float | None
    #: Mean condition rating of what is rated, 1 (very good) to 5 (very poor).
    average_condition_rating: float | None
    #: How the condition is assessed (O. Reg. 588/17, section 5 (2) 3 v), from the level-of-service areas of the category; null
    #: where nobody has said it, and of groups that are no categories.
    condition_approach: str | None
    #: Assets and segments by condition grade: very_good, good, fair, poor, very_poor, unknown.
    condition_distribution: dict[str, StateOfInfrastructureTotalConditionDistributionValue]
    confidence: StateOfInfrastructureTotalConfidence
    counts: StateOfInfrastructureTotalCounts
    data_gaps: StateOfInfrastructureTotalDataGaps
    #: Maintenance that is due and was put off.
    deferred_maintenance_cost: float
    fci_grade: Literal['good', 'fair', 'poor', 'critical'] | None
    #: Facility Condition Index: need less need_without_value, over replacement cost.
    fci_pct: float | None
    #: The network, where the groups are networks.
    id: str | None
    #: The service category or building type, or network or assets; null for what has none.
    key: str | None
    #: Length of the segments.
    length_km: float
    #: Name of the group.
    name: str
    #: Renewals due within the horizon, and the deferred maintenance of everything else.
    need: float
    #: The part of need that no replacement cost stands against. It is left out of the FCI.
    need_without_value: float
    past_useful_life: StateOfInfrastructureTotalPastUsefulLife
    #: What replacing everything would cost, in prices of prices_of. A building with an appraisal is worth that, in its own
    #: category.
    replacement_cost: float
    #: Assets and segments by risk level: very_low, low, moderate, high, very_high, unknown.
    risk_distribution: dict[str, StateOfInfrastructureTotalRiskDistributionValue]
    #: Their mean age by replacement cost.
    weighted_age_years: float | None
    #: Their mean rating by replacement cost.
    weighted_condition_rating: float | None


class StateOfInfrastructure(TypedDict):
    #: Whether condition_approach could not be asked for at this moment.
    approach_unknown: bool
    as_of: str
    #: How much of the figures of a day that is over is hindsight; null of today and days to come.
    basis: StateOfInfrastructureBasis | None
    #: Currency of every amount of money.
    currency: str
    #: The groups, which add up to the total.
    data: list[ServiceState]
    group_by: str
    horizon_years: int
    #: The last year of which every price index in use has a value; afterwards that value counts. Null without an index.
    indexed_through: int | None
    #: What the key may not read and the report is therefore without: networks.
    left_out: list[str]
    #: The year whose prices amounts are in, as far as price indexes reach; as_recorded says what they do not reach.
    prices_of: int
    #: Buildings that count as other until their service_category is set: pumping stations and treatment plants, which may be of
    #: water or of wastewater.
    to_be_categorized: list[StateOfInfrastructureToBeCategorizedItem]
    #: Everything: the state of assets and the networks' summaries together.
    total: StateOfInfrastructureTotal


class SystemBuilding(TypedDict):
    """With expand=building."""

    id: str
    name: str


class SystemCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class SystemSite(TypedDict):
    """With expand=site."""

    id: str
    name: str


class SystemUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _SystemRequired(TypedDict):
    #: Age today, to one decimal. A year alone counts from 1 July.
    age_years: float | None
    #: The building it serves; its site follows. Moving a system moves its assets.
    building_id: str | None
    #: Kind of system. Left out on create, it follows from uniformat_code.
    category: Literal['substructure', 'shell', 'interiors', 'plumbing', 'hvac', 'fire_protection', 'electrical', 'conveying', 'controls', 'equipment_furnishings', 'special_construction', 'sitework', 'other'] | None
    #: Short code; numbered when left out.
    code: str | None
    #: The word for condition_rating.
    condition_grade: Literal['very_good', 'good', 'fair', 'poor', 'very_poor'] | None
    #: Condition from 1 (very good) to 5 (very poor).
    condition_rating: int | None
    created_at: str
    created_by: SystemCreatedBy
    #: Currency of every amount of money in the record.
    currency: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: What deferred_maintenance_cost comes from: typed on the record or said by an assessment, or its deficiencies; null where it
    #: is not known.
    deferred_maintenance_basis: Literal['typed', 'deficiencies'] | None
    #: Maintenance that is due and was put off. Once the record has a deficiency that is not void, it is what its live
    #: deficiencies that count cost by this year, and cannot be typed.
    deferred_maintenance_cost: float | None
    #: Live deficiencies of the record that count by this year, and of which nobody knows the cost.
    deficiencies_without_cost: int
    #: What the system is.
    description: str | None
    #: How long it is expected to last from installation.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: Day of installation.
    install_date: str | None
    #: Year of installation, for where the day is not known. Follows install_date.
    install_year: int | None
    #: What people call the system; unique in its building, else on its site, else in the organization.
    name: str
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: Whether the expected useful life is over; null where age or expected life is not known.
    past_useful_life: bool | None
    #: The year in which its renewal is planned.
    planned_renewal_year: int | None
    #: Expected useful life less age; negative once it is over.
    remaining_life_years: float | None
    #: What replacing it like for like costs today.
    replacement_cost: float | None
    #: The year whose prices replacement_cost is in.
    replacement_cost_year: int | None
    #: The site it is on. Follows from building_id. As a filter: with everything in the site's buildings.
    site_id: str | None
    #: planned → in_service, decommissioned; in_service ↔ out_of_service; in_service, out_of_service → decommissioned;
    #: decommissioned → in_service.
    status: Literal['planned', 'in_service', 'out_of_service', 'decommissioned']
    #: Labels of your own.
    tags: list[str]
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    updated_at: str
    updated_by: SystemUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int


class System(_SystemRequired, total=False):
    #: With expand=building.
    building: SystemBuilding | None
    #: With expand=site.
    site: SystemSite | None


class SystemBulkCreate(TypedDict):
    data: list[SystemBulkCreateRow]


class _SystemBulkCreateRowRequired(TypedDict):
    #: What people call the system; unique in its building, else on its site, else in the organization.
    name: str


class SystemBulkCreateRow(_SystemBulkCreateRowRequired, total=False):
    #: The building it serves; its site follows. Moving a system moves its assets.
    building_id: str | None
    #: Kind of system. Left out on create, it follows from uniformat_code.
    category: Literal['substructure', 'shell', 'interiors', 'plumbing', 'hvac', 'fire_protection', 'electrical', 'conveying', 'controls', 'equipment_furnishings', 'special_construction', 'sitework', 'other'] | None
    #: Short code; numbered when left out.
    code: str | None
    #: Condition from 1 (very good) to 5 (very poor).
    condition_rating: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Maintenance that is due and was put off. Once the record has a deficiency that is not void, it is what its live
    #: deficiencies that count cost by this year, and cannot be typed.
    deferred_maintenance_cost: float | None
    #: What the system is.
    description: str | None
    #: How long it is expected to last from installation.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day of installation.
    install_date: str | None
    #: Year of installation, for where the day is not known. Follows install_date.
    install_year: int | None
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: The year in which its renewal is planned.
    planned_renewal_year: int | None
    #: What replacing it like for like costs today.
    replacement_cost: float | None
    #: The year whose prices replacement_cost is in.
    replacement_cost_year: int | None
    #: The site it is on. Follows from building_id. As a filter: with everything in the site's buildings.
    site_id: str | None
    #: planned → in_service, decommissioned; in_service ↔ out_of_service; in_service, out_of_service → decommissioned;
    #: decommissioned → in_service.
    status: Literal['planned', 'in_service', 'out_of_service', 'decommissioned'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None


class SystemBulkDelete(TypedDict):
    data: list[SystemBulkDeleteRow]


class SystemBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: Short code; numbered when left out.
    code: str | None


class SystemBulkPatch(TypedDict):
    data: list[SystemBulkPatchRow]


class SystemBulkPatchRow(TypedDict, total=False):
    #: The building it serves; its site follows. Moving a system moves its assets.
    building_id: str | None
    #: Kind of system. Left out on create, it follows from uniformat_code.
    category: Literal['substructure', 'shell', 'interiors', 'plumbing', 'hvac', 'fire_protection', 'electrical', 'conveying', 'controls', 'equipment_furnishings', 'special_construction', 'sitework', 'other'] | None
    #: Short code; numbered when left out.
    code: str | None
    #: Condition from 1 (very good) to 5 (very poor).
    condition_rating: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Maintenance that is due and was put off. Once the record has a deficiency that is not void, it is what its live
    #: deficiencies that count cost by this year, and cannot be typed.
    deferred_maintenance_cost: float | None
    #: What the system is.
    description: str | None
    #: How long it is expected to last from installation.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day of installation.
    install_date: str | None
    #: Year of installation, for where the day is not known. Follows install_date.
    install_year: int | None
    #: What people call the system; unique in its building, else on its site, else in the organization.
    name: str
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: The year in which its renewal is planned.
    planned_renewal_year: int | None
    #: What replacing it like for like costs today.
    replacement_cost: float | None
    #: The year whose prices replacement_cost is in.
    replacement_cost_year: int | None
    #: The site it is on. Follows from building_id. As a filter: with everything in the site's buildings.
    site_id: str | None
    #: planned → in_service, decommissioned; in_service ↔ out_of_service; in_service, out_of_service → decommissioned;
    #: decommissioned → in_service.
    status: Literal['planned', 'in_service', 'out_of_service', 'decommissioned'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: Of the record. Left out: external_id, else code, names it.
    id: str
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None


class SystemBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[System]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _SystemEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class SystemEventActor(_SystemEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class SystemEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: System


class _SystemEventRequired(TypedDict):
    #: Who did it.
    actor: SystemEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: SystemEventData
    type: Literal['system.created', 'system.updated', 'system.deleted']


class SystemEvent(_SystemEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


SystemExpansion: TypeAlias = "Literal['building', 'site']"


SystemField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'name', 'building_id', 'site_id', 'code', 'uniformat_code', 'category', 'status', 'description', 'notes', 'install_date', 'install_year', 'expected_useful_life_years', 'replacement_cost', 'replacement_cost_year', 'deferred_maintenance_cost', 'planned_renewal_year', 'condition_rating', 'deferred_maintenance_basis', 'deficiencies_without_cost', 'condition_grade', 'age_years', 'remaining_life_years', 'past_useful_life', 'currency', 'out_of_use_on']"


class _SystemListRequired(TypedDict):
    data: list[System]
    pagination: Pagination


class SystemList(_SystemListRequired, total=False):
    search: SearchCorrections


class SystemPatch(TypedDict, total=False):
    #: The building it serves; its site follows. Moving a system moves its assets.
    building_id: str | None
    #: Kind of system. Left out on create, it follows from uniformat_code.
    category: Literal['substructure', 'shell', 'interiors', 'plumbing', 'hvac', 'fire_protection', 'electrical', 'conveying', 'controls', 'equipment_furnishings', 'special_construction', 'sitework', 'other'] | None
    #: Short code; numbered when left out.
    code: str | None
    #: Condition from 1 (very good) to 5 (very poor).
    condition_rating: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Maintenance that is due and was put off. Once the record has a deficiency that is not void, it is what its live
    #: deficiencies that count cost by this year, and cannot be typed.
    deferred_maintenance_cost: float | None
    #: What the system is.
    description: str | None
    #: How long it is expected to last from installation.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day of installation.
    install_date: str | None
    #: Year of installation, for where the day is not known. Follows install_date.
    install_year: int | None
    #: What people call the system; unique in its building, else on its site, else in the organization.
    name: str
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: The year in which its renewal is planned.
    planned_renewal_year: int | None
    #: What replacing it like for like costs today.
    replacement_cost: float | None
    #: The year whose prices replacement_cost is in.
    replacement_cost_year: int | None
    #: The site it is on. Follows from building_id. As a filter: with everything in the site's buildings.
    site_id: str | None
    #: planned → in_service, decommissioned; in_service ↔ out_of_service; in_service, out_of_service → decommissioned;
    #: decommissioned → in_service.
    status: Literal['planned', 'in_service', 'out_of_service', 'decommissioned'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None


SystemSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'code', '-code', 'uniformat_code', '-uniformat_code', 'category', '-category', 'status', '-status', 'install_date', '-install_date', 'install_year', '-install_year', 'replacement_cost', '-replacement_cost', 'deferred_maintenance_cost', '-deferred_maintenance_cost', 'planned_renewal_year', '-planned_renewal_year', 'condition_rating', '-condition_rating', 'age_years', '-age_years', 'remaining_life_years', '-remaining_life_years', 'out_of_use_on', '-out_of_use_on', 'relevance']"


class _SystemWriteRequired(TypedDict):
    #: What people call the system; unique in its building, else on its site, else in the organization.
    name: str


class SystemWrite(_SystemWriteRequired, total=False):
    #: The building it serves; its site follows. Moving a system moves its assets.
    building_id: str | None
    #: Kind of system. Left out on create, it follows from uniformat_code.
    category: Literal['substructure', 'shell', 'interiors', 'plumbing', 'hvac', 'fire_protection', 'electrical', 'conveying', 'controls', 'equipment_furnishings', 'special_construction', 'sitework', 'other'] | None
    #: Short code; numbered when left out.
    code: str | None
    #: Condition from 1 (very good) to 5 (very poor).
    condition_rating: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Maintenance that is due and was put off. Once the record has a deficiency that is not void, it is what its live
    #: deficiencies that count cost by this year, and cannot be typed.
    deferred_maintenance_cost: float | None
    #: What the system is.
    description: str | None
    #: How long it is expected to last from installation.
    expected_useful_life_years: int | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Day of installation.
    install_date: str | None
    #: Year of installation, for where the day is not known. Follows install_date.
    install_year: int | None
    #: Remarks for colleagues.
    notes: str | None
    #: The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its
    #: status says that it is gone for good, unless it is given; cleared on the way back.
    out_of_use_on: str | None
    #: The year in which its renewal is planned.
    planned_renewal_year: int | None
    #: What replacing it like for like costs today.
    replacement_cost: float | None
    #: The year whose prices replacement_cost is in.
    replacement_cost_year: int | None
    #: The site it is on. Follows from building_id. As a filter: with everything in the site's buildings.
    site_id: str | None
    #: planned → in_service, decommissioned; in_service ↔ out_of_service; in_service, out_of_service → decommissioned;
    #: decommissioned → in_service. Left out: "in_service".
    status: Literal['planned', 'in_service', 'out_of_service', 'decommissioned'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code.
    uniformat_code: str | None


class TargetCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class TargetMeasure(TypedDict):
    """With expand=measure."""

    id: str
    name: str


class TargetUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _TargetRequired(TypedDict):
    created_at: str
    created_by: TargetCreatedBy
    #: Currency of every amount of money in the record.
    currency: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: What reaching and keeping it is expected to cost in a year.
    expected_annual_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: current: measurements are held against it. proposed: under discussion, never counts.
    kind: Literal['current', 'proposed']
    #: The measure.
    measure_id: str
    #: The least that is acceptable. For information.
    minimum_value: float | None
    #: Why this target.
    rationale: str | None
    #: What would be excellent. For information.
    stretch_value: float | None
    #: Labels of your own.
    tags: list[str]
    #: The level to reach in words; for measures whose value_kind is narrative or rating.
    target_text: str | None
    #: The number to reach; required where the measure's values are numbers.
    target_value: float | None
    updated_at: str
    updated_by: TargetUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int
    #: The year in which the target is to be reached. A measure has at most one target of each kind in a year. A current target
    #: also counts in later years, until one of a later year takes over.
    year: int


class Target(_TargetRequired, total=False):
    #: With expand=measure.
    measure: TargetMeasure | None


class TargetBulkCreate(TypedDict):
    data: list[TargetBulkCreateRow]


class _TargetBulkCreateRowRequired(TypedDict):
    #: The year in which the target is to be reached. A measure has at most one target of each kind in a year. A current target
    #: also counts in later years, until one of a later year takes over.
    year: int


class TargetBulkCreateRow(_TargetBulkCreateRowRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What reaching and keeping it is expected to cost in a year.
    expected_annual_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: current: measurements are held against it. proposed: under discussion, never counts.
    kind: Literal['current', 'proposed'] | None
    #: The measure.
    measure_id: str
    #: The least that is acceptable. For information.
    minimum_value: float | None
    #: Why this target.
    rationale: str | None
    #: What would be excellent. For information.
    stretch_value: float | None
    #: Labels of your own.
    tags: list[str] | None
    #: The level to reach in words; for measures whose value_kind is narrative or rating.
    target_text: str | None
    #: The number to reach; required where the measure's values are numbers.
    target_value: float | None
    #: In place of measure_id: the external_id of that record, which may be of an earlier row.
    measure_external_id: str | None


class TargetBulkDelete(TypedDict):
    data: list[RecordKey]


class TargetBulkPatch(TypedDict):
    data: list[TargetBulkPatchRow]


class TargetBulkPatchRow(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What reaching and keeping it is expected to cost in a year.
    expected_annual_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: current: measurements are held against it. proposed: under discussion, never counts.
    kind: Literal['current', 'proposed'] | None
    #: The measure.
    measure_id: str
    #: The least that is acceptable. For information.
    minimum_value: float | None
    #: Why this target.
    rationale: str | None
    #: What would be excellent. For information.
    stretch_value: float | None
    #: Labels of your own.
    tags: list[str] | None
    #: The level to reach in words; for measures whose value_kind is narrative or rating.
    target_text: str | None
    #: The number to reach; required where the measure's values are numbers.
    target_value: float | None
    #: The year in which the target is to be reached. A measure has at most one target of each kind in a year. A current target
    #: also counts in later years, until one of a later year takes over.
    year: int
    #: Of the record. Left out: external_id names it.
    id: str
    #: In place of measure_id: the external_id of that record, which may be of an earlier row.
    measure_external_id: str | None


class TargetBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Target]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


TargetExpansion: TypeAlias = "Literal['measure']"


TargetField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'measure_id', 'year', 'kind', 'target_value', 'target_text', 'minimum_value', 'stretch_value', 'rationale', 'expected_annual_cost', 'currency']"


class TargetList(TypedDict):
    data: list[Target]
    pagination: Pagination


class TargetPatch(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What reaching and keeping it is expected to cost in a year.
    expected_annual_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: current: measurements are held against it. proposed: under discussion, never counts.
    kind: Literal['current', 'proposed'] | None
    #: The measure.
    measure_id: str
    #: The least that is acceptable. For information.
    minimum_value: float | None
    #: Why this target.
    rationale: str | None
    #: What would be excellent. For information.
    stretch_value: float | None
    #: Labels of your own.
    tags: list[str] | None
    #: The level to reach in words; for measures whose value_kind is narrative or rating.
    target_text: str | None
    #: The number to reach; required where the measure's values are numbers.
    target_value: float | None
    #: The year in which the target is to be reached. A measure has at most one target of each kind in a year. A current target
    #: also counts in later years, until one of a later year takes over.
    year: int


TargetSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'year', '-year', 'kind', '-kind', 'target_value', '-target_value', 'expected_annual_cost', '-expected_annual_cost']"


class _TargetWriteRequired(TypedDict):
    #: The measure.
    measure_id: str
    #: The year in which the target is to be reached. A measure has at most one target of each kind in a year. A current target
    #: also counts in later years, until one of a later year takes over.
    year: int


class TargetWrite(_TargetWriteRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What reaching and keeping it is expected to cost in a year.
    expected_annual_cost: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: current: measurements are held against it. proposed: under discussion, never counts. Left out: "current".
    kind: Literal['current', 'proposed'] | None
    #: The least that is acceptable. For information.
    minimum_value: float | None
    #: Why this target.
    rationale: str | None
    #: What would be excellent. For information.
    stretch_value: float | None
    #: Labels of your own.
    tags: list[str] | None
    #: The level to reach in words; for measures whose value_kind is narrative or rating.
    target_text: str | None
    #: The number to reach; required where the measure's values are numbers.
    target_value: float | None


class TaskCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class TaskUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class TaskWorkOrder(TypedDict):
    """With expand=work_order."""

    id: str
    name: str


class _TaskRequired(TypedDict):
    created_at: str
    created_by: TaskCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Of a task that failed: what becomes of it, such as the number of another work order.
    follow_up: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: What was found.
    note: str | None
    #: Place among the tasks of the work order, from 1; behind the last when left out. sort=position lists them in this order.
    position: int | None
    #: Whether it must have a result before the work order is completed.
    required: bool
    #: How it went; na where it does not apply, null until it is done.
    result: Literal['pass', 'fail', 'na'] | None
    #: Labels of your own.
    tags: list[str]
    #: What is to be done.
    title: str
    updated_at: str
    updated_by: TaskUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int
    #: The work order that it is a step of.
    work_order_id: str


class Task(_TaskRequired, total=False):
    #: With expand=work_order.
    work_order: TaskWorkOrder | None


class TaskBulkCreate(TypedDict):
    data: list[TaskBulkCreateRow]


class _TaskBulkCreateRowRequired(TypedDict):
    #: What is to be done.
    title: str


class TaskBulkCreateRow(_TaskBulkCreateRowRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Of a task that failed: what becomes of it, such as the number of another work order.
    follow_up: str | None
    #: What was found.
    note: str | None
    #: Place among the tasks of the work order, from 1; behind the last when left out. sort=position lists them in this order.
    position: int | None
    #: Whether it must have a result before the work order is completed.
    required: bool | None
    #: How it went; na where it does not apply, null until it is done.
    result: Literal['pass', 'fail', 'na'] | None
    #: Labels of your own.
    tags: list[str] | None


class TaskBulkDelete(TypedDict):
    data: list[RecordKey]


class TaskBulkPatch(TypedDict):
    data: list[TaskBulkPatchRow]


class TaskBulkPatchRow(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Of a task that failed: what becomes of it, such as the number of another work order.
    follow_up: str | None
    #: What was found.
    note: str | None
    #: Place among the tasks of the work order, from 1; behind the last when left out. sort=position lists them in this order.
    position: int | None
    #: Whether it must have a result before the work order is completed.
    required: bool | None
    #: How it went; na where it does not apply, null until it is done.
    result: Literal['pass', 'fail', 'na'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: What is to be done.
    title: str
    #: Of the record. Left out: external_id names it.
    id: str


class TaskBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Task]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


TaskExpansion: TypeAlias = "Literal['work_order']"


TaskField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'work_order_id', 'title', 'position', 'required', 'result', 'note', 'follow_up']"


class _TaskListRequired(TypedDict):
    data: list[Task]
    pagination: Pagination


class TaskList(_TaskListRequired, total=False):
    search: SearchCorrections


class TaskPatch(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Of a task that failed: what becomes of it, such as the number of another work order.
    follow_up: str | None
    #: What was found.
    note: str | None
    #: Place among the tasks of the work order, from 1; behind the last when left out. sort=position lists them in this order.
    position: int | None
    #: Whether it must have a result before the work order is completed.
    required: bool | None
    #: How it went; na where it does not apply, null until it is done.
    result: Literal['pass', 'fail', 'na'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: What is to be done.
    title: str


TaskSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'title', '-title', 'position', '-position', 'result', '-result', 'relevance']"


class _TaskWriteRequired(TypedDict):
    #: What is to be done.
    title: str


class TaskWrite(_TaskWriteRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Of a task that failed: what becomes of it, such as the number of another work order.
    follow_up: str | None
    #: What was found.
    note: str | None
    #: Place among the tasks of the work order, from 1; behind the last when left out. sort=position lists them in this order.
    position: int | None
    #: Whether it must have a result before the work order is completed. Left out: false.
    required: bool | None
    #: How it went; na where it does not apply, null until it is done.
    result: Literal['pass', 'fail', 'na'] | None
    #: Labels of your own.
    tags: list[str] | None


class TeamCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class TeamLeadUser(TypedDict):
    """With expand=lead_user."""

    id: str
    name: str


class TeamUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class _TeamRequired(TypedDict):
    #: Its number elsewhere; unique in the organization.
    code: str | None
    created_at: str
    created_by: TeamCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: Who leads it; an active user at the time, who need not be a member.
    lead_user_id: str | None
    #: What the team is called; unique in the organization.
    name: str
    #: active ↔ inactive. Nothing new is given to an inactive team.
    status: Literal['active', 'inactive']
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: TeamUpdatedBy
    #: Its members; active users at the time when they join.
    user_ids: list[str]
    #: Grows by one with every change; the ETag.
    version: int


class Team(_TeamRequired, total=False):
    #: With expand=lead_user.
    lead_user: TeamLeadUser | None


class TeamBulkCreate(TypedDict):
    data: list[TeamBulkCreateRow]


class _TeamBulkCreateRowRequired(TypedDict):
    #: What the team is called; unique in the organization.
    name: str


class TeamBulkCreateRow(_TeamBulkCreateRowRequired, total=False):
    #: Its number elsewhere; unique in the organization.
    code: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Who leads it; an active user at the time, who need not be a member.
    lead_user_id: str | None
    #: active ↔ inactive. Nothing new is given to an inactive team.
    status: Literal['active', 'inactive'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Its members; active users at the time when they join.
    user_ids: list[str] | None
    #: In place of lead_user_id: the external_id of that record, which may be of an earlier row.
    lead_user_external_id: str | None


class TeamBulkDelete(TypedDict):
    data: list[TeamBulkDeleteRow]


class TeamBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: Its number elsewhere; unique in the organization.
    code: str | None


class TeamBulkPatch(TypedDict):
    data: list[TeamBulkPatchRow]


class TeamBulkPatchRow(TypedDict, total=False):
    #: Its number elsewhere; unique in the organization.
    code: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Who leads it; an active user at the time, who need not be a member.
    lead_user_id: str | None
    #: What the team is called; unique in the organization.
    name: str
    #: active ↔ inactive. Nothing new is given to an inactive team.
    status: Literal['active', 'inactive'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Its members; active users at the time when they join.
    user_ids: list[str] | None
    #: Of the record. Left out: external_id, else code, names it.
    id: str
    #: In place of lead_user_id: the external_id of that record, which may be of an earlier row.
    lead_user_external_id: str | None


class TeamBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Team]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _TeamEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class TeamEventActor(_TeamEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class TeamEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Team


class _TeamEventRequired(TypedDict):
    #: Who did it.
    actor: TeamEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: TeamEventData
    type: Literal['team.created', 'team.updated', 'team.deleted']


class TeamEvent(_TeamEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


TeamExpansion: TypeAlias = "Literal['lead_user']"


TeamField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'name', 'code', 'user_ids', 'lead_user_id', 'status']"


class _TeamListRequired(TypedDict):
    data: list[Team]
    pagination: Pagination


class TeamList(_TeamListRequired, total=False):
    search: SearchCorrections


class TeamPatch(TypedDict, total=False):
    #: Its number elsewhere; unique in the organization.
    code: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Who leads it; an active user at the time, who need not be a member.
    lead_user_id: str | None
    #: What the team is called; unique in the organization.
    name: str
    #: active ↔ inactive. Nothing new is given to an inactive team.
    status: Literal['active', 'inactive'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Its members; active users at the time when they join.
    user_ids: list[str] | None


TeamSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'code', '-code', 'status', '-status', 'relevance']"


class _TeamWriteRequired(TypedDict):
    #: What the team is called; unique in the organization.
    name: str


class TeamWrite(_TeamWriteRequired, total=False):
    #: Its number elsewhere; unique in the organization.
    code: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Who leads it; an active user at the time, who need not be a member.
    lead_user_id: str | None
    #: active ↔ inactive. Nothing new is given to an inactive team. Left out: "active".
    status: Literal['active', 'inactive'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Its members; active users at the time when they join.
    user_ids: list[str] | None


class Trend(TypedDict):
    #: Currency of figures that are amounts of money.
    currency: str
    #: The months, oldest first. A month is there from six days after its end.
    data: list[TrendPoint]
    horizon_years: int
    #: The site, building, network or category; null of the organization.
    id: str | None
    metric: str
    subject: str


class TrendPoint(TypedDict):
    #: Whether it was kept when the month was over. False of the months before the first one that was: they were derived later,
    #: from what was known then.
    frozen: bool
    #: Last day of the month.
    month_end: str
    #: Null where there was nothing to compute it from.
    value: float | None


class UserCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class UserUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class User(TypedDict):
    created_at: str
    created_by: UserCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: Where in the organization the user works.
    department: str | None
    #: What the user signs in with; kept in lower case.
    email: str
    #: The number in the payroll; unique in the organization.
    employee_number: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: The user's position.
    job_title: str | None
    #: The language the user reads.
    locale: Literal['en-CA', 'fr-CA']
    #: The user's full name.
    name: str
    #: Telephone number, as people write it.
    phone: str | None
    #: What the user may do. An API key can never create or make an administrator.
    role: Literal['administrator', 'manager', 'technician', 'viewer', 'requester']
    #: invited → active, removed; active ↔ suspended; active, suspended → removed; removed → invited, active. DELETE makes it
    #: removed; only active users can sign in. Suspending or removing a user turns the API keys they created inactive.
    status: Literal['invited', 'active', 'suspended', 'removed']
    #: Labels of your own.
    tags: list[str]
    #: IANA name of the time zone the user works in.
    time_zone: str
    updated_at: str
    updated_by: UserUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int


class UserBulkCreate(TypedDict):
    data: list[UserBulkCreateRow]


class _UserBulkCreateRowRequired(TypedDict):
    #: What the user signs in with; kept in lower case.
    email: str
    #: The user's full name.
    name: str


class UserBulkCreateRow(_UserBulkCreateRowRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Where in the organization the user works.
    department: str | None
    #: The number in the payroll; unique in the organization.
    employee_number: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The user's position.
    job_title: str | None
    #: The language the user reads.
    locale: Literal['en-CA', 'fr-CA'] | None
    #: Telephone number, as people write it.
    phone: str | None
    #: What the user may do. An API key can never create or make an administrator.
    role: Literal['administrator', 'manager', 'technician', 'viewer', 'requester'] | None
    #: invited → active, removed; active ↔ suspended; active, suspended → removed; removed → invited, active. DELETE makes it
    #: removed; only active users can sign in. Suspending or removing a user turns the API keys they created inactive.
    status: Literal['invited', 'active', 'suspended', 'removed'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: IANA name of the time zone the user works in.
    time_zone: str | None


class UserBulkDelete(TypedDict):
    data: list[UserBulkDeleteRow]


class UserBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: What the user signs in with; kept in lower case.
    email: str


class UserBulkPatch(TypedDict):
    data: list[UserBulkPatchRow]


class UserBulkPatchRow(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Where in the organization the user works.
    department: str | None
    #: What the user signs in with; kept in lower case.
    email: str
    #: The number in the payroll; unique in the organization.
    employee_number: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The user's position.
    job_title: str | None
    #: The language the user reads.
    locale: Literal['en-CA', 'fr-CA'] | None
    #: The user's full name.
    name: str
    #: Telephone number, as people write it.
    phone: str | None
    #: What the user may do. An API key can never create or make an administrator.
    role: Literal['administrator', 'manager', 'technician', 'viewer', 'requester'] | None
    #: invited → active, removed; active ↔ suspended; active, suspended → removed; removed → invited, active. DELETE makes it
    #: removed; only active users can sign in. Suspending or removing a user turns the API keys they created inactive.
    status: Literal['invited', 'active', 'suspended', 'removed'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: IANA name of the time zone the user works in.
    time_zone: str | None
    #: Of the record. Left out: external_id, else email, names it.
    id: str


class UserBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[User]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _UserEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class UserEventActor(_UserEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class UserEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: User


class _UserEventRequired(TypedDict):
    #: Who did it.
    actor: UserEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: UserEventData
    type: Literal['user.created', 'user.updated', 'user.deleted']


class UserEvent(_UserEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


UserField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'email', 'name', 'role', 'status', 'job_title', 'department', 'phone', 'employee_number', 'locale', 'time_zone']"


class _UserListRequired(TypedDict):
    data: list[User]
    pagination: Pagination


class UserList(_UserListRequired, total=False):
    search: SearchCorrections


class UserPatch(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Where in the organization the user works.
    department: str | None
    #: What the user signs in with; kept in lower case.
    email: str
    #: The number in the payroll; unique in the organization.
    employee_number: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The user's position.
    job_title: str | None
    #: The language the user reads.
    locale: Literal['en-CA', 'fr-CA'] | None
    #: The user's full name.
    name: str
    #: Telephone number, as people write it.
    phone: str | None
    #: What the user may do. An API key can never create or make an administrator.
    role: Literal['administrator', 'manager', 'technician', 'viewer', 'requester'] | None
    #: invited → active, removed; active ↔ suspended; active, suspended → removed; removed → invited, active. DELETE makes it
    #: removed; only active users can sign in. Suspending or removing a user turns the API keys they created inactive.
    status: Literal['invited', 'active', 'suspended', 'removed'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: IANA name of the time zone the user works in.
    time_zone: str | None


UserSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'email', '-email', 'name', '-name', 'role', '-role', 'status', '-status', 'job_title', '-job_title', 'department', '-department', 'employee_number', '-employee_number', 'relevance']"


class _UserWriteRequired(TypedDict):
    #: What the user signs in with; kept in lower case.
    email: str
    #: The user's full name.
    name: str


class UserWrite(_UserWriteRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: Where in the organization the user works.
    department: str | None
    #: The number in the payroll; unique in the organization.
    employee_number: str | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The user's position.
    job_title: str | None
    #: The language the user reads. Left out: "en-CA".
    locale: Literal['en-CA', 'fr-CA'] | None
    #: Telephone number, as people write it.
    phone: str | None
    #: What the user may do. An API key can never create or make an administrator. Left out: "viewer".
    role: Literal['administrator', 'manager', 'technician', 'viewer', 'requester'] | None
    #: invited → active, removed; active ↔ suspended; active, suspended → removed; removed → invited, active. DELETE makes it
    #: removed; only active users can sign in. Suspending or removing a user turns the API keys they created inactive. Left out:
    #: "invited".
    status: Literal['invited', 'active', 'suspended', 'removed'] | None
    #: Labels of your own.
    tags: list[str] | None
    #: IANA name of the time zone the user works in. Left out: "America/Toronto".
    time_zone: str | None


class VendorCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class VendorUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class Vendor(TypedDict):
    #: Its number in the finance system; unique in the organization.
    code: str | None
    #: Whom to reach, and how.
    contact: str | None
    created_at: str
    created_by: VendorCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: Last day on which its liability insurance is known to be valid.
    insurance_expires_on: str | None
    #: What the company is called; unique in the organization.
    name: str
    #: Labels of your own.
    tags: list[str]
    #: What it does.
    trades: list[str]
    updated_at: str
    updated_by: VendorUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int


class VendorBulkCreate(TypedDict):
    data: list[VendorBulkCreateRow]


class _VendorBulkCreateRowRequired(TypedDict):
    #: What the company is called; unique in the organization.
    name: str


class VendorBulkCreateRow(_VendorBulkCreateRowRequired, total=False):
    #: Its number in the finance system; unique in the organization.
    code: str | None
    #: Whom to reach, and how.
    contact: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Last day on which its liability insurance is known to be valid.
    insurance_expires_on: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: What it does.
    trades: list[str] | None


class VendorBulkDelete(TypedDict):
    data: list[VendorBulkDeleteRow]


class VendorBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: Its number in the finance system; unique in the organization.
    code: str | None


class VendorBulkPatch(TypedDict):
    data: list[VendorBulkPatchRow]


class VendorBulkPatchRow(TypedDict, total=False):
    #: Its number in the finance system; unique in the organization.
    code: str | None
    #: Whom to reach, and how.
    contact: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Last day on which its liability insurance is known to be valid.
    insurance_expires_on: str | None
    #: What the company is called; unique in the organization.
    name: str
    #: Labels of your own.
    tags: list[str] | None
    #: What it does.
    trades: list[str] | None
    #: Of the record. Left out: external_id, else code, names it.
    id: str


class VendorBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[Vendor]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _VendorEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class VendorEventActor(_VendorEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class VendorEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Vendor


class _VendorEventRequired(TypedDict):
    #: Who did it.
    actor: VendorEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: VendorEventData
    type: Literal['vendor.created', 'vendor.updated', 'vendor.deleted']


class VendorEvent(_VendorEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


VendorField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'name', 'code', 'contact', 'trades', 'insurance_expires_on']"


class _VendorListRequired(TypedDict):
    data: list[Vendor]
    pagination: Pagination


class VendorList(_VendorListRequired, total=False):
    search: SearchCorrections


class VendorPatch(TypedDict, total=False):
    #: Its number in the finance system; unique in the organization.
    code: str | None
    #: Whom to reach, and how.
    contact: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Last day on which its liability insurance is known to be valid.
    insurance_expires_on: str | None
    #: What the company is called; unique in the organization.
    name: str
    #: Labels of your own.
    tags: list[str] | None
    #: What it does.
    trades: list[str] | None


VendorSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name', 'code', '-code', 'insurance_expires_on', '-insurance_expires_on', 'relevance']"


class _VendorWriteRequired(TypedDict):
    #: What the company is called; unique in the organization.
    name: str


class VendorWrite(_VendorWriteRequired, total=False):
    #: Its number in the finance system; unique in the organization.
    code: str | None
    #: Whom to reach, and how.
    contact: str | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Last day on which its liability insurance is known to be valid.
    insurance_expires_on: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: What it does.
    trades: list[str] | None


class WebhookDelivery(TypedDict):
    #: How often it was tried.
    attempt_count: int
    #: Why it is made.
    cause: Literal['event', 'replay', 'redelivery', 'test']
    created_at: str
    endpoint_id: str
    #: Of the event; the header webhook-id.
    event_id: str
    event_type: str
    finished_at: str | None
    #: Of the delivery; the header webhook-delivery-id.
    id: str
    #: What went wrong at the last attempt, in a sentence.
    last_error: str | None
    #: The status of the receiver's last answer; null while there is none.
    last_status: int | None
    #: When it is tried next, or was due; null when it is finished.
    next_attempt_at: str | None
    #: Of the record that the event is about.
    record_id: str
    #: The event's number; null of a test.
    sequence: int | None
    #: pending: waits, or is tried again. failed: was tried eleven times in about three days.
    state: Literal['pending', 'delivered', 'failed']


class WebhookDeliveryDetailAttemptsItemRequest(TypedDict):
    #: What was sent, made again from the event. null when the key may not read events of this type, or when the event is no
    #: longer kept.
    body: str | None
    #: As they were sent; the values of the endpoint's own are not shown.
    headers: dict[str, str]


class WebhookDeliveryDetailAttemptsItemResponse(TypedDict):
    #: Its first 16 KiB.
    body: str
    headers: dict[str, str]
    status: int


class WebhookDeliveryDetailAttemptsItem(TypedDict):
    at: str
    duration_ms: int
    #: What went wrong, in a sentence; null of a success.
    error: str | None
    number: int
    request: WebhookDeliveryDetailAttemptsItemRequest
    response: WebhookDeliveryDetailAttemptsItemResponse | None


class WebhookDeliveryDetail(TypedDict):
    #: How often it was tried.
    attempt_count: int
    #: Every attempt, in order.
    attempts: list[WebhookDeliveryDetailAttemptsItem]
    #: Why it is made.
    cause: Literal['event', 'replay', 'redelivery', 'test']
    created_at: str
    endpoint_id: str
    #: Of the event; the header webhook-id.
    event_id: str
    event_type: str
    finished_at: str | None
    #: Of the delivery; the header webhook-delivery-id.
    id: str
    #: What went wrong at the last attempt, in a sentence.
    last_error: str | None
    #: The status of the receiver's last answer; null while there is none.
    last_status: int | None
    #: When it is tried next, or was due; null when it is finished.
    next_attempt_at: str | None
    #: Of the record that the event is about.
    record_id: str
    #: The event's number; null of a test.
    sequence: int | None
    #: pending: waits, or is tried again. failed: was tried eleven times in about three days.
    state: Literal['pending', 'delivered', 'failed']


class WebhookDeliveryList(TypedDict):
    data: list[WebhookDelivery]
    pagination: PageNumbers


class WebhookEndpointCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class WebhookEndpointUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class WebhookEndpoint(TypedDict):
    #: Of updates, only those that changed one of these fields. Empty: all.
    changed_any: list[str]
    #: Failed attempts since the last success.
    consecutive_failures: int
    created_at: str
    created_by: WebhookEndpointCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: What the endpoint is for.
    description: str | None
    #: When it was disabled.
    disabled_at: str | None
    #: Why it was disabled, in a sentence.
    disabled_reason: str | None
    #: What to send: names as GET /v1/event-types lists them, patterns such as work_order.*, or * for all. The key needs the read
    #: scopes of all of them.
    event_types: list[str]
    #: No events of changes that came this way: so that a mirror which writes back does not hear its own echo.
    exclude_origins: list[Literal['api', 'import', 'console']]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Since when deliveries have been failing; null while they succeed.
    failing_since: str | None
    #: Headers of every call, up to 10: an Authorization for instance. Values are kept sealed and shown as ••••; sent back like
    #: that they stay. null takes one away.
    headers: dict[str, str]
    #: Made by the service (UUID version 7).
    id: str
    #: When a delivery was last tried.
    last_attempt_at: str | None
    #: When a delivery last succeeded.
    last_success_at: str | None
    #: full: the record with what changed. thin: ids only, for receivers that read the record themselves.
    payload: Literal['full', 'thin']
    #: Calls per second at most. null: as fast as answers come.
    rate_limit: int | None
    #: What the calls are signed with: whsec_ and 32 bytes in base64. Shown in the answer to the create, and never again:
    #: everywhere else it is null.
    secret: str | None
    #: When the secret was last replaced; null while it is the first.
    secret_rotated_at: str | None
    #: Only events about these sites and what is on them. Empty: all.
    site_ids: list[str]
    #: paused by POST …/pause, disabled after five days without success or an answer 410; active again by POST …/resume. What
    #: happens meanwhile waits, and is delivered then.
    status: Literal['active', 'paused', 'disabled']
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: WebhookEndpointUpdatedBy
    #: Where to send events: https, on port 443, 8443 or from 1024 on, at an address of the public internet. No user name or
    #: password in it: use headers.
    url: str
    #: Grows by one with every change; the ETag.
    version: int


class WebhookEndpointBulkCreate(TypedDict):
    data: list[WebhookEndpointBulkCreateRow]


class _WebhookEndpointBulkCreateRowRequired(TypedDict):
    #: What to send: names as GET /v1/event-types lists them, patterns such as work_order.*, or * for all. The key needs the read
    #: scopes of all of them.
    event_types: list[str]
    #: Where to send events: https, on port 443, 8443 or from 1024 on, at an address of the public internet. No user name or
    #: password in it: use headers.
    url: str


class WebhookEndpointBulkCreateRow(_WebhookEndpointBulkCreateRowRequired, total=False):
    #: Of updates, only those that changed one of these fields. Empty: all.
    changed_any: list[str] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What the endpoint is for.
    description: str | None
    #: No events of changes that came this way: so that a mirror which writes back does not hear its own echo.
    exclude_origins: list[Literal['api', 'import', 'console']] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Headers of every call, up to 10: an Authorization for instance. Values are kept sealed and shown as ••••; sent back like
    #: that they stay. null takes one away.
    headers: dict[str, str] | None
    #: full: the record with what changed. thin: ids only, for receivers that read the record themselves.
    payload: Literal['full', 'thin'] | None
    #: Calls per second at most. null: as fast as answers come.
    rate_limit: int | None
    #: Only events about these sites and what is on them. Empty: all.
    site_ids: list[str] | None
    #: Labels of your own.
    tags: list[str] | None


class WebhookEndpointBulkDelete(TypedDict):
    data: list[RecordKey]


class WebhookEndpointBulkPatch(TypedDict):
    data: list[WebhookEndpointBulkPatchRow]


class WebhookEndpointBulkPatchRow(TypedDict, total=False):
    #: Of updates, only those that changed one of these fields. Empty: all.
    changed_any: list[str] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What the endpoint is for.
    description: str | None
    #: What to send: names as GET /v1/event-types lists them, patterns such as work_order.*, or * for all. The key needs the read
    #: scopes of all of them.
    event_types: list[str] | None
    #: No events of changes that came this way: so that a mirror which writes back does not hear its own echo.
    exclude_origins: list[Literal['api', 'import', 'console']] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Headers of every call, up to 10: an Authorization for instance. Values are kept sealed and shown as ••••; sent back like
    #: that they stay. null takes one away.
    headers: dict[str, str] | None
    #: full: the record with what changed. thin: ids only, for receivers that read the record themselves.
    payload: Literal['full', 'thin'] | None
    #: Calls per second at most. null: as fast as answers come.
    rate_limit: int | None
    #: Only events about these sites and what is on them. Empty: all.
    site_ids: list[str] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Where to send events: https, on port 443, 8443 or from 1024 on, at an address of the public internet. No user name or
    #: password in it: use headers.
    url: str
    #: Of the record. Left out: external_id names it.
    id: str


class WebhookEndpointBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[WebhookEndpoint]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _WebhookEndpointEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class WebhookEndpointEventActor(_WebhookEndpointEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class WebhookEndpointEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: WebhookEndpoint


class _WebhookEndpointEventRequired(TypedDict):
    #: Who did it.
    actor: WebhookEndpointEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: WebhookEndpointEventData
    type: Literal['webhook_endpoint.created', 'webhook_endpoint.updated', 'webhook_endpoint.deleted', 'webhook_endpoint.failing', 'webhook_endpoint.disabled', 'webhook_endpoint.recovered']


class WebhookEndpointEvent(_WebhookEndpointEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


WebhookEndpointField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'url', 'event_types', 'description', 'status', 'site_ids', 'changed_any', 'exclude_origins', 'payload', 'headers', 'rate_limit', 'failing_since', 'disabled_at', 'disabled_reason', 'secret_rotated_at', 'consecutive_failures', 'last_success_at', 'last_attempt_at', 'secret']"


class _WebhookEndpointListRequired(TypedDict):
    data: list[WebhookEndpoint]
    pagination: Pagination


class WebhookEndpointList(_WebhookEndpointListRequired, total=False):
    search: SearchCorrections


class WebhookEndpointPatch(TypedDict, total=False):
    #: Of updates, only those that changed one of these fields. Empty: all.
    changed_any: list[str] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What the endpoint is for.
    description: str | None
    #: What to send: names as GET /v1/event-types lists them, patterns such as work_order.*, or * for all. The key needs the read
    #: scopes of all of them.
    event_types: list[str] | None
    #: No events of changes that came this way: so that a mirror which writes back does not hear its own echo.
    exclude_origins: list[Literal['api', 'import', 'console']] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Headers of every call, up to 10: an Authorization for instance. Values are kept sealed and shown as ••••; sent back like
    #: that they stay. null takes one away.
    headers: dict[str, str] | None
    #: full: the record with what changed. thin: ids only, for receivers that read the record themselves.
    payload: Literal['full', 'thin'] | None
    #: Calls per second at most. null: as fast as answers come.
    rate_limit: int | None
    #: Only events about these sites and what is on them. Empty: all.
    site_ids: list[str] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Where to send events: https, on port 443, 8443 or from 1024 on, at an address of the public internet. No user name or
    #: password in it: use headers.
    url: str


WebhookEndpointSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'url', '-url', 'status', '-status', 'relevance']"


class _WebhookEndpointWriteRequired(TypedDict):
    #: What to send: names as GET /v1/event-types lists them, patterns such as work_order.*, or * for all. The key needs the read
    #: scopes of all of them.
    event_types: list[str] | None
    #: Where to send events: https, on port 443, 8443 or from 1024 on, at an address of the public internet. No user name or
    #: password in it: use headers.
    url: str


class WebhookEndpointWrite(_WebhookEndpointWriteRequired, total=False):
    #: Of updates, only those that changed one of these fields. Empty: all.
    changed_any: list[str] | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What the endpoint is for.
    description: str | None
    #: No events of changes that came this way: so that a mirror which writes back does not hear its own echo.
    exclude_origins: list[Literal['api', 'import', 'console']] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Headers of every call, up to 10: an Authorization for instance. Values are kept sealed and shown as ••••; sent back like
    #: that they stay. null takes one away.
    headers: dict[str, str] | None
    #: full: the record with what changed. thin: ids only, for receivers that read the record themselves. Left out: "full".
    payload: Literal['full', 'thin'] | None
    #: Calls per second at most. null: as fast as answers come.
    rate_limit: int | None
    #: Only events about these sites and what is on them. Empty: all.
    site_ids: list[str] | None
    #: Labels of your own.
    tags: list[str] | None


class WebhookReplayCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class WebhookReplay(TypedDict):
    created_at: str
    created_by: WebhookReplayCreatedBy
    endpoint_id: str
    #: Only these; empty for all that the endpoint takes.
    event_types: list[str]
    finished_at: str | None
    #: Of the replay.
    id: str
    #: Deliveries that it has made so far.
    queued: int
    #: Events of this time and later.
    since: str
    #: done: every delivery was made, and is on its way or has been received.
    state: Literal['pending', 'running', 'done']


class WebhookReplayList(TypedDict):
    data: list[WebhookReplay]
    pagination: PageNumbers


class _WebhookReplayRequestRequired(TypedDict):
    #: Events of this time and later; at most 30 days ago.
    since: str


class WebhookReplayRequest(_WebhookReplayRequestRequired, total=False):
    #: Only these types or patterns. Without it: all that the endpoint takes.
    event_types: list[str]


class _WebhookTestEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class WebhookTestEventActor(_WebhookTestEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class WebhookTestEventDataObject(TypedDict, total=False):
    """The record as GET shows it; of a deleted one, as it was last. Not in thin and in truncated bodies."""

    #: Of the endpoint.
    id: str
    message: str


class WebhookTestEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    #: The record as GET shows it; of a deleted one, as it was last. Not in thin and in truncated bodies.
    object: WebhookTestEventDataObject


class _WebhookTestEventRequired(TypedDict):
    #: Who did it.
    actor: WebhookTestEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: WebhookTestEventData
    type: Literal['webhook.test']


class WebhookTestEvent(_WebhookTestEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


class WorkOrderAsset(TypedDict):
    """With expand=asset."""

    id: str
    name: str


class WorkOrderAssignee(TypedDict):
    """With expand=assignee."""

    id: str
    name: str


class WorkOrderBuilding(TypedDict):
    """With expand=building."""

    id: str
    name: str


class WorkOrderCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class WorkOrderFormTemplate(TypedDict):
    """With expand=form_template."""

    id: str
    name: str


class WorkOrderJobPlan(TypedDict):
    """With expand=job_plan."""

    id: str
    name: str


class _WorkOrderMaterialsItemRequired(TypedDict):
    #: What it is.
    description: str
    #: How many or how much.
    quantity: float


class WorkOrderMaterialsItem(_WorkOrderMaterialsItemRequired, total=False):
    #: Its number at the vendor's or in stock.
    part_number: str
    #: Price of one.
    unit_cost: float
    #: Who sells it.
    vendor: str


class WorkOrderPmPlan(TypedDict):
    """With expand=pm_plan."""

    id: str
    name: str


class WorkOrderProject(TypedDict):
    """With expand=project."""

    id: str
    name: str


class WorkOrderSegment(TypedDict):
    """With expand=segment."""

    id: str
    name: str


class WorkOrderSite(TypedDict):
    """With expand=site."""

    id: str
    name: str


class WorkOrderSystem(TypedDict):
    """With expand=system."""

    id: str
    name: str


class WorkOrderTeam(TypedDict):
    """With expand=team."""

    id: str
    name: str


class WorkOrderUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class WorkOrderVendor(TypedDict):
    """With expand=vendor."""

    id: str
    name: str


class _WorkOrderRequired(TypedDict):
    #: Sum of all its costs.
    actual_cost: float
    #: Hours of its labour costs, less those of credits.
    actual_hours: float
    #: The states that it can move to from here.
    allowed_transitions: list[str]
    #: The asset that is worked on. Where it was at the time stays in site_id, building_id and system_id when it moves.
    asset_id: str | None
    #: The user who does it; an active one at the time of assignment.
    assignee_id: str | None
    #: The building. Follows from system_id and asset_id.
    building_id: str | None
    #: Why it was cancelled; required while cancelled, cleared when it is opened again.
    cancel_reason: str | None
    #: Why it was wrong, in the organization's codes.
    cause_code: str | None
    #: When it was closed: stamped by the move to closed. May be given on create, or with that move.
    closed_at: str | None
    #: When it must be done, likewise.
    complete_by: str | None
    #: When it was done: stamped by the move to completed, cleared by the move back to in_progress. May be given on create, or
    #: with the move to completed.
    completed_at: str | None
    #: What was done and found. Needed with the move to completed while a task without follow_up has failed.
    completion_notes: str | None
    #: How many connections (properties) were without service meanwhile. With downtime_minutes it makes the connection-days of
    #: breaks and backups.
    connections_affected: int | None
    created_at: str
    created_by: WorkOrderCreatedBy
    #: Currency of every amount of money in the record.
    currency: str
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: What is to be done, at length.
    description: str | None
    #: How long the asset was out of service.
    downtime_minutes: int | None
    #: Last day on which it is in time, in the organization's time zone.
    due_date: str | None
    #: Cost expected.
    estimated_cost: float | None
    #: Hours of work expected.
    estimated_hours: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: The form that is filled in with it; of the job plan.
    form_template_id: str | None
    #: Why it waits; required while on hold, cleared afterwards (the history keeps it).
    hold_reason: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: Whether it is still open, in progress or on hold after its due_date, by today in the organization's time zone.
    is_overdue: bool
    #: The job plan: what the work order has of it is a copy, made when it is named. Needs the feature Maintenance.
    job_plan_id: str | None
    #: The version of the job plan that was copied.
    job_plan_version: int | None
    #: Sum of its labour costs, less credits.
    labour_cost: float
    #: How many costs were added after it was closed.
    late_costs: int
    #: Sum of its material costs.
    material_cost: float
    #: What is needed for it; of the job plan.
    materials: list[WorkOrderMaterialsItem]
    #: Number of the work order; the next one when left out.
    number: str | None
    #: The plan's occurrence that it serves.
    occurrence: str | None
    #: Sum of its contractor and other costs.
    other_cost: float
    #: Why it was completed with required tasks open or with tasks that failed. May be given with the move to completed; cleared
    #: when it is taken up again (the history keeps it).
    override_reason: str | None
    #: The preventive maintenance plan that it was made by.
    pm_plan_id: str | None
    #: How soon it is needed.
    priority: Literal['low', 'medium', 'high', 'urgent']
    #: What was wrong, in the organization's codes. break on a segment counts as a break of it; break and backup count for
    #: connection-days.
    problem_code: str | None
    #: The project that the work is part of. Needs the feature Projects.
    project_id: str | None
    #: What helped, in the organization's codes.
    remedy_code: str | None
    #: How to reach who asked for it.
    requester_email: str | None
    #: Who asked for it.
    requester_name: str | None
    #: From creation to completion, to two decimals. Null before, and for work that was done before its work order was created
    #: here.
    resolution_hours: float | None
    #: When work must have begun: respond_minutes of the service level for its priority and type, from created_at on. Stamped anew
    #: when priority or type change, and later by the time on hold; not when the service level changes.
    respond_by: str | None
    #: From creation to the first beginning of work (to completion, where no beginning is known), to two decimals. Null before,
    #: and for work that began before its work order was created here.
    response_hours: float | None
    #: What whoever does it must know before beginning; of the job plan.
    safety: str | None
    #: When it is planned to end, not before scheduled_start.
    scheduled_end: str | None
    #: When it is planned to begin.
    scheduled_start: str | None
    #: The network segment that is worked on. Needs the feature Infrastructure.
    segment_id: str | None
    #: The site. Follows from building_id, system_id, asset_id and segment_id. As a filter: with everything in the site's
    #: buildings.
    site_id: str | None
    #: The calendar by whose hours its time is counted; null: round the clock.
    sla_calendar_id: str | None
    #: Whether its time stands still on hold, as the service level said when it was stamped.
    sla_pause_on_hold: bool
    #: Since when its time stands still; null while it runs.
    sla_paused_at: str | None
    #: How much working time it was on hold, before sla_paused_at.
    sla_paused_seconds: int
    #: none where no service level is for it, and while it is cancelled. running and paused until it is done; met when it was
    #: begun and done in time. missed as soon as one of the two times has passed, and from then on.
    sla_state: Literal['none', 'running', 'paused', 'met', 'missed']
    #: When work began for the first time: stamped by the move to in_progress. May be given on create, or with that move or the
    #: one to completed.
    started_at: str | None
    #: open → in_progress, on_hold, completed, cancelled; in_progress → on_hold, completed, cancelled; on_hold → in_progress,
    #: cancelled; completed → closed, in_progress; cancelled → open; closed is final, and nothing of a closed work order changes
    #: any more.
    status: Literal['open', 'in_progress', 'on_hold', 'completed', 'closed', 'cancelled']
    #: The system. Follows from asset_id.
    system_id: str | None
    #: Labels of your own.
    tags: list[str]
    #: The team that does it; an active one at the time of assignment.
    team_id: str | None
    #: What is to be done, in a few words.
    title: str
    #: Why the work is done.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other']
    updated_at: str
    updated_by: WorkOrderUpdatedBy
    #: The vendor who does it.
    vendor_id: str | None
    #: Grows by one with every change; the ETag.
    version: int


class WorkOrder(_WorkOrderRequired, total=False):
    #: With expand=asset.
    asset: WorkOrderAsset | None
    #: With expand=assignee.
    assignee: WorkOrderAssignee | None
    #: With expand=building.
    building: WorkOrderBuilding | None
    #: With expand=form_template.
    form_template: WorkOrderFormTemplate | None
    #: With expand=job_plan.
    job_plan: WorkOrderJobPlan | None
    #: With expand=pm_plan.
    pm_plan: WorkOrderPmPlan | None
    #: With expand=project.
    project: WorkOrderProject | None
    #: With expand=segment.
    segment: WorkOrderSegment | None
    #: With expand=site.
    site: WorkOrderSite | None
    #: With expand=system.
    system: WorkOrderSystem | None
    #: With expand=team.
    team: WorkOrderTeam | None
    #: With expand=vendor.
    vendor: WorkOrderVendor | None


class WorkOrderBulkCreate(TypedDict):
    data: list[WorkOrderBulkCreateRow]


class WorkOrderBulkCreateRowEffectsItem(TypedDict):
    #: What happens to the other record.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: What is changed, and how.
    payload: dict[str, Any]


class _WorkOrderBulkCreateRowTargetsItemRequired(TypedDict):
    #: What is worked on.
    target_id: str
    #: What target_id is of.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment']


class WorkOrderBulkCreateRowTargetsItem(_WorkOrderBulkCreateRowTargetsItemRequired, total=False):
    #: What was found here.
    note: str | None
    #: Place among the targets; the one in this list when left out.
    position: int | None
    #: Whether it was done here.
    result: Literal['done', 'not_done', 'na'] | None
    #: Its part of the cost; 1 when left out.
    share: float | None


class _WorkOrderBulkCreateRowRequired(TypedDict):
    #: What is to be done, in a few words.
    title: str


class WorkOrderBulkCreateRow(_WorkOrderBulkCreateRowRequired, total=False):
    #: The asset that is worked on. Where it was at the time stays in site_id, building_id and system_id when it moves.
    asset_id: str | None
    #: The user who does it; an active one at the time of assignment.
    assignee_id: str | None
    #: The building. Follows from system_id and asset_id.
    building_id: str | None
    #: Why it was cancelled; required while cancelled, cleared when it is opened again.
    cancel_reason: str | None
    #: Why it was wrong, in the organization's codes.
    cause_code: str | None
    #: When it was closed: stamped by the move to closed. May be given on create, or with that move.
    closed_at: str | None
    #: When it was done: stamped by the move to completed, cleared by the move back to in_progress. May be given on create, or
    #: with the move to completed.
    completed_at: str | None
    #: What was done and found. Needed with the move to completed while a task without follow_up has failed.
    completion_notes: str | None
    #: How many connections (properties) were without service meanwhile. With downtime_minutes it makes the connection-days of
    #: breaks and backups.
    connections_affected: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What is to be done, at length.
    description: str | None
    #: How long the asset was out of service.
    downtime_minutes: int | None
    #: Last day on which it is in time, in the organization's time zone.
    due_date: str | None
    #: What its completion does to other records, declared with it; further ones at …/effects, where they are listed.
    effects: list[WorkOrderBulkCreateRowEffectsItem] | None
    #: Cost expected.
    estimated_cost: float | None
    #: Hours of work expected.
    estimated_hours: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Why it waits; required while on hold, cleared afterwards (the history keeps it).
    hold_reason: str | None
    #: The job plan: what the work order has of it is a copy, made when it is named. Needs the feature Maintenance.
    job_plan_id: str | None
    #: Number of the work order; the next one when left out.
    number: str | None
    #: Why it was completed with required tasks open or with tasks that failed. May be given with the move to completed; cleared
    #: when it is taken up again (the history keeps it).
    override_reason: str | None
    #: How soon it is needed.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: What was wrong, in the organization's codes. break on a segment counts as a break of it; break and backup count for
    #: connection-days.
    problem_code: str | None
    #: The project that the work is part of. Needs the feature Projects.
    project_id: str | None
    #: What helped, in the organization's codes.
    remedy_code: str | None
    #: How to reach who asked for it.
    requester_email: str | None
    #: Who asked for it.
    requester_name: str | None
    #: When it is planned to end, not before scheduled_start.
    scheduled_end: str | None
    #: When it is planned to begin.
    scheduled_start: str | None
    #: The network segment that is worked on. Needs the feature Infrastructure.
    segment_id: str | None
    #: The site. Follows from building_id, system_id, asset_id and segment_id. As a filter: with everything in the site's
    #: buildings.
    site_id: str | None
    #: When work began for the first time: stamped by the move to in_progress. May be given on create, or with that move or the
    #: one to completed.
    started_at: str | None
    #: open → in_progress, on_hold, completed, cancelled; in_progress → on_hold, completed, cancelled; on_hold → in_progress,
    #: cancelled; completed → closed, in_progress; cancelled → open; closed is final, and nothing of a closed work order changes
    #: any more.
    status: Literal['open', 'in_progress', 'on_hold', 'completed', 'closed', 'cancelled'] | None
    #: The system. Follows from asset_id.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: With a new work order: what it is for, where that is several things. site_id, building_id, system_id, asset_id and
    #: segment_id follow: each is filled where all targets agree. Afterwards they are at /v1/work-orders/{id}/targets.
    targets: list[WorkOrderBulkCreateRowTargetsItem] | None
    #: The team that does it; an active one at the time of assignment.
    team_id: str | None
    #: Why the work is done.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | None
    #: The vendor who does it.
    vendor_id: str | None
    #: In place of asset_id: the external_id of that record, which may be of an earlier row.
    asset_external_id: str | None
    #: In place of assignee_id: the external_id of that record, which may be of an earlier row.
    assignee_external_id: str | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: In place of job_plan_id: the external_id of that record, which may be of an earlier row.
    job_plan_external_id: str | None
    #: In place of project_id: the external_id of that record, which may be of an earlier row.
    project_external_id: str | None
    #: In place of segment_id: the external_id of that record, which may be of an earlier row.
    segment_external_id: str | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None
    #: In place of system_id: the external_id of that record, which may be of an earlier row.
    system_external_id: str | None
    #: In place of team_id: the external_id of that record, which may be of an earlier row.
    team_external_id: str | None
    #: In place of vendor_id: the external_id of that record, which may be of an earlier row.
    vendor_external_id: str | None


class WorkOrderBulkDelete(TypedDict):
    data: list[WorkOrderBulkDeleteRow]


class WorkOrderBulkDeleteRow(TypedDict, total=False):
    #: The record's id in the system it came from.
    external_id: str
    id: str
    #: Number of the work order; the next one when left out.
    number: str | None


class WorkOrderBulkPatch(TypedDict):
    data: list[WorkOrderBulkPatchRow]


class WorkOrderBulkPatchRowEffectsItem(TypedDict):
    #: What happens to the other record.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: What is changed, and how.
    payload: dict[str, Any]


class _WorkOrderBulkPatchRowTargetsItemRequired(TypedDict):
    #: What is worked on.
    target_id: str
    #: What target_id is of.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment']


class WorkOrderBulkPatchRowTargetsItem(_WorkOrderBulkPatchRowTargetsItemRequired, total=False):
    #: What was found here.
    note: str | None
    #: Place among the targets; the one in this list when left out.
    position: int | None
    #: Whether it was done here.
    result: Literal['done', 'not_done', 'na'] | None
    #: Its part of the cost; 1 when left out.
    share: float | None


class WorkOrderBulkPatchRow(TypedDict, total=False):
    #: The asset that is worked on. Where it was at the time stays in site_id, building_id and system_id when it moves.
    asset_id: str | None
    #: The user who does it; an active one at the time of assignment.
    assignee_id: str | None
    #: The building. Follows from system_id and asset_id.
    building_id: str | None
    #: Why it was cancelled; required while cancelled, cleared when it is opened again.
    cancel_reason: str | None
    #: Why it was wrong, in the organization's codes.
    cause_code: str | None
    #: When it was closed: stamped by the move to closed. May be given on create, or with that move.
    closed_at: str | None
    #: When it was done: stamped by the move to completed, cleared by the move back to in_progress. May be given on create, or
    #: with the move to completed.
    completed_at: str | None
    #: What was done and found. Needed with the move to completed while a task without follow_up has failed.
    completion_notes: str | None
    #: How many connections (properties) were without service meanwhile. With downtime_minutes it makes the connection-days of
    #: breaks and backups.
    connections_affected: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What is to be done, at length.
    description: str | None
    #: How long the asset was out of service.
    downtime_minutes: int | None
    #: Last day on which it is in time, in the organization's time zone.
    due_date: str | None
    #: What its completion does to other records, declared with it; further ones at …/effects, where they are listed.
    effects: list[WorkOrderBulkPatchRowEffectsItem] | None
    #: Cost expected.
    estimated_cost: float | None
    #: Hours of work expected.
    estimated_hours: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Why it waits; required while on hold, cleared afterwards (the history keeps it).
    hold_reason: str | None
    #: The job plan: what the work order has of it is a copy, made when it is named. Needs the feature Maintenance.
    job_plan_id: str | None
    #: Number of the work order; the next one when left out.
    number: str | None
    #: Why it was completed with required tasks open or with tasks that failed. May be given with the move to completed; cleared
    #: when it is taken up again (the history keeps it).
    override_reason: str | None
    #: How soon it is needed.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: What was wrong, in the organization's codes. break on a segment counts as a break of it; break and backup count for
    #: connection-days.
    problem_code: str | None
    #: The project that the work is part of. Needs the feature Projects.
    project_id: str | None
    #: What helped, in the organization's codes.
    remedy_code: str | None
    #: How to reach who asked for it.
    requester_email: str | None
    #: Who asked for it.
    requester_name: str | None
    #: When it is planned to end, not before scheduled_start.
    scheduled_end: str | None
    #: When it is planned to begin.
    scheduled_start: str | None
    #: The network segment that is worked on. Needs the feature Infrastructure.
    segment_id: str | None
    #: The site. Follows from building_id, system_id, asset_id and segment_id. As a filter: with everything in the site's
    #: buildings.
    site_id: str | None
    #: When work began for the first time: stamped by the move to in_progress. May be given on create, or with that move or the
    #: one to completed.
    started_at: str | None
    #: open → in_progress, on_hold, completed, cancelled; in_progress → on_hold, completed, cancelled; on_hold → in_progress,
    #: cancelled; completed → closed, in_progress; cancelled → open; closed is final, and nothing of a closed work order changes
    #: any more.
    status: Literal['open', 'in_progress', 'on_hold', 'completed', 'closed', 'cancelled'] | None
    #: The system. Follows from asset_id.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: With a new work order: what it is for, where that is several things. site_id, building_id, system_id, asset_id and
    #: segment_id follow: each is filled where all targets agree. Afterwards they are at /v1/work-orders/{id}/targets.
    targets: list[WorkOrderBulkPatchRowTargetsItem] | None
    #: The team that does it; an active one at the time of assignment.
    team_id: str | None
    #: What is to be done, in a few words.
    title: str
    #: Why the work is done.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | None
    #: The vendor who does it.
    vendor_id: str | None
    #: In place of asset_id: the external_id of that record, which may be of an earlier row.
    asset_external_id: str | None
    #: In place of assignee_id: the external_id of that record, which may be of an earlier row.
    assignee_external_id: str | None
    #: In place of building_id: the external_id of that record, which may be of an earlier row.
    building_external_id: str | None
    #: Of the record. Left out: external_id, else number, names it.
    id: str
    #: In place of job_plan_id: the external_id of that record, which may be of an earlier row.
    job_plan_external_id: str | None
    #: In place of project_id: the external_id of that record, which may be of an earlier row.
    project_external_id: str | None
    #: In place of segment_id: the external_id of that record, which may be of an earlier row.
    segment_external_id: str | None
    #: In place of site_id: the external_id of that record, which may be of an earlier row.
    site_external_id: str | None
    #: In place of system_id: the external_id of that record, which may be of an earlier row.
    system_external_id: str | None
    #: In place of team_id: the external_id of that record, which may be of an earlier row.
    team_external_id: str | None
    #: In place of vendor_id: the external_id of that record, which may be of an earlier row.
    vendor_external_id: str | None


class WorkOrderBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[WorkOrder]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _WorkOrderCommentEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class WorkOrderCommentEventActor(_WorkOrderCommentEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class WorkOrderCommentEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Comment


class _WorkOrderCommentEventRequired(TypedDict):
    #: Who did it.
    actor: WorkOrderCommentEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: WorkOrderCommentEventData
    type: Literal['work_order_comment.created', 'work_order_comment.updated', 'work_order_comment.deleted']


class WorkOrderCommentEvent(_WorkOrderCommentEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


class _WorkOrderCostEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class WorkOrderCostEventActor(_WorkOrderCostEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class WorkOrderCostEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Cost


class _WorkOrderCostEventRequired(TypedDict):
    #: Who did it.
    actor: WorkOrderCostEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: WorkOrderCostEventData
    type: Literal['work_order_cost.created', 'work_order_cost.updated', 'work_order_cost.deleted']


class WorkOrderCostEvent(_WorkOrderCostEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


class WorkOrderEffectCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class WorkOrderEffectUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class WorkOrderEffectWorkOrder(TypedDict):
    """With expand=work_order."""

    id: str
    name: str


class _WorkOrderEffectRequired(TypedDict):
    created_at: str
    created_by: WorkOrderEffectCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: What happens to the other record when the work is completed. close_deficiency {deficiency_id or
    #: infrastructure_deficiency_id}: it is planned, in work, and corrected with the work. rate {one of segment_id, asset_id,
    #: system_id, building_id, site_id; condition_rating, method}: its condition is assessed. read_meter {meter_id, value, unit,
    #: kind}: a reading is recorded. create_deficiency {deficiency}, create_work_order {work_order}: the record is made.
    #: close_request {request_id}. replace {asset_id, successor, retire_as}: the successor takes its place. Needs the write scope
    #: of what changes.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: Why it was refused.
    message: str | None
    #: What is changed, and how; its members depend on the kind. Those left out of a change stay, null takes one away.
    payload: dict[str, Any]
    #: The record that was made or changed.
    result_id: str | None
    #: planned until the work is completed, pending until the owner of the other record has answered, then applied or refused.
    #: withdrawn: taken back, by hand or because the work was reopened. What was applied stays and never happens again.
    state: Literal['planned', 'pending', 'applied', 'refused', 'withdrawn']
    #: Labels of your own.
    tags: list[str]
    updated_at: str
    updated_by: WorkOrderEffectUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int
    #: The work order whose completion it follows from.
    work_order_id: str


class WorkOrderEffect(_WorkOrderEffectRequired, total=False):
    #: With expand=work_order.
    work_order: WorkOrderEffectWorkOrder | None


class WorkOrderEffectBulkCreate(TypedDict):
    data: list[WorkOrderEffectBulkCreateRow]


class _WorkOrderEffectBulkCreateRowRequired(TypedDict):
    #: What happens to the other record when the work is completed. close_deficiency {deficiency_id or
    #: infrastructure_deficiency_id}: it is planned, in work, and corrected with the work. rate {one of segment_id, asset_id,
    #: system_id, building_id, site_id; condition_rating, method}: its condition is assessed. read_meter {meter_id, value, unit,
    #: kind}: a reading is recorded. create_deficiency {deficiency}, create_work_order {work_order}: the record is made.
    #: close_request {request_id}. replace {asset_id, successor, retire_as}: the successor takes its place. Needs the write scope
    #: of what changes.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: What is changed, and how; its members depend on the kind. Those left out of a change stay, null takes one away.
    payload: dict[str, Any]


class WorkOrderEffectBulkCreateRow(_WorkOrderEffectBulkCreateRowRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Labels of your own.
    tags: list[str] | None


class WorkOrderEffectBulkDelete(TypedDict):
    data: list[RecordKey]


class WorkOrderEffectBulkPatch(TypedDict):
    data: list[WorkOrderEffectBulkPatchRow]


class WorkOrderEffectBulkPatchRow(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What happens to the other record when the work is completed. close_deficiency {deficiency_id or
    #: infrastructure_deficiency_id}: it is planned, in work, and corrected with the work. rate {one of segment_id, asset_id,
    #: system_id, building_id, site_id; condition_rating, method}: its condition is assessed. read_meter {meter_id, value, unit,
    #: kind}: a reading is recorded. create_deficiency {deficiency}, create_work_order {work_order}: the record is made.
    #: close_request {request_id}. replace {asset_id, successor, retire_as}: the successor takes its place. Needs the write scope
    #: of what changes.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: What is changed, and how; its members depend on the kind. Those left out of a change stay, null takes one away.
    payload: dict[str, Any] | None
    #: Labels of your own.
    tags: list[str] | None
    #: Of the record. Left out: external_id names it.
    id: str


class WorkOrderEffectBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[WorkOrderEffect]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _WorkOrderEffectEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class WorkOrderEffectEventActor(_WorkOrderEffectEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class WorkOrderEffectEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: WorkOrderEffect


class _WorkOrderEffectEventRequired(TypedDict):
    #: Who did it.
    actor: WorkOrderEffectEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: WorkOrderEffectEventData
    type: Literal['work_order_effect.created', 'work_order_effect.updated', 'work_order_effect.deleted', 'work_order.effect_refused']


class WorkOrderEffectEvent(_WorkOrderEffectEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


WorkOrderEffectExpansion: TypeAlias = "Literal['work_order']"


WorkOrderEffectField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'work_order_id', 'kind', 'payload', 'state', 'result_id', 'message']"


class WorkOrderEffectList(TypedDict):
    data: list[WorkOrderEffect]
    pagination: Pagination


class WorkOrderEffectPatch(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What happens to the other record when the work is completed. close_deficiency {deficiency_id or
    #: infrastructure_deficiency_id}: it is planned, in work, and corrected with the work. rate {one of segment_id, asset_id,
    #: system_id, building_id, site_id; condition_rating, method}: its condition is assessed. read_meter {meter_id, value, unit,
    #: kind}: a reading is recorded. create_deficiency {deficiency}, create_work_order {work_order}: the record is made.
    #: close_request {request_id}. replace {asset_id, successor, retire_as}: the successor takes its place. Needs the write scope
    #: of what changes.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: What is changed, and how; its members depend on the kind. Those left out of a change stay, null takes one away.
    payload: dict[str, Any] | None
    #: Labels of your own.
    tags: list[str] | None


WorkOrderEffectSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'kind', '-kind', 'state', '-state']"


class _WorkOrderEffectWriteRequired(TypedDict):
    #: What happens to the other record when the work is completed. close_deficiency {deficiency_id or
    #: infrastructure_deficiency_id}: it is planned, in work, and corrected with the work. rate {one of segment_id, asset_id,
    #: system_id, building_id, site_id; condition_rating, method}: its condition is assessed. read_meter {meter_id, value, unit,
    #: kind}: a reading is recorded. create_deficiency {deficiency}, create_work_order {work_order}: the record is made.
    #: close_request {request_id}. replace {asset_id, successor, retire_as}: the successor takes its place. Needs the write scope
    #: of what changes.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: What is changed, and how; its members depend on the kind. Those left out of a change stay, null takes one away.
    payload: dict[str, Any] | None


class WorkOrderEffectWrite(_WorkOrderEffectWriteRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Labels of your own.
    tags: list[str] | None


class _WorkOrderEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class WorkOrderEventActor(_WorkOrderEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class WorkOrderEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: WorkOrder


class _WorkOrderEventRequired(TypedDict):
    #: Who did it.
    actor: WorkOrderEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: WorkOrderEventData
    type: Literal['work_order.created', 'work_order.updated', 'work_order.deleted', 'work_order.assigned', 'work_order.completed', 'work_order.sla_missed', 'work_order.cost_after_close']


class WorkOrderEvent(_WorkOrderEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


WorkOrderExpansion: TypeAlias = "Literal['site', 'building', 'system', 'asset', 'segment', 'project', 'assignee', 'team', 'vendor', 'job_plan', 'form_template', 'pm_plan']"


WorkOrderField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'title', 'number', 'description', 'type', 'priority', 'status', 'site_id', 'building_id', 'system_id', 'asset_id', 'segment_id', 'project_id', 'assignee_id', 'team_id', 'vendor_id', 'requester_name', 'requester_email', 'due_date', 'scheduled_start', 'scheduled_end', 'started_at', 'completed_at', 'closed_at', 'hold_reason', 'cancel_reason', 'estimated_hours', 'estimated_cost', 'problem_code', 'cause_code', 'remedy_code', 'override_reason', 'completion_notes', 'downtime_minutes', 'connections_affected', 'job_plan_id', 'job_plan_version', 'safety', 'materials', 'form_template_id', 'pm_plan_id', 'occurrence', 'respond_by', 'complete_by', 'sla_state', 'sla_calendar_id', 'sla_pause_on_hold', 'sla_paused_at', 'sla_paused_seconds', 'is_overdue', 'actual_hours', 'labour_cost', 'material_cost', 'other_cost', 'actual_cost', 'late_costs', 'response_hours', 'resolution_hours', 'allowed_transitions', 'currency']"


class _WorkOrderListRequired(TypedDict):
    data: list[WorkOrder]
    pagination: Pagination


class WorkOrderList(_WorkOrderListRequired, total=False):
    search: SearchCorrections


class WorkOrderPatchEffectsItem(TypedDict):
    #: What happens to the other record.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: What is changed, and how.
    payload: dict[str, Any]


class _WorkOrderPatchTargetsItemRequired(TypedDict):
    #: What is worked on.
    target_id: str
    #: What target_id is of.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment']


class WorkOrderPatchTargetsItem(_WorkOrderPatchTargetsItemRequired, total=False):
    #: What was found here.
    note: str | None
    #: Place among the targets; the one in this list when left out.
    position: int | None
    #: Whether it was done here.
    result: Literal['done', 'not_done', 'na'] | None
    #: Its part of the cost; 1 when left out.
    share: float | None


class WorkOrderPatch(TypedDict, total=False):
    #: The asset that is worked on. Where it was at the time stays in site_id, building_id and system_id when it moves.
    asset_id: str | None
    #: The user who does it; an active one at the time of assignment.
    assignee_id: str | None
    #: The building. Follows from system_id and asset_id.
    building_id: str | None
    #: Why it was cancelled; required while cancelled, cleared when it is opened again.
    cancel_reason: str | None
    #: Why it was wrong, in the organization's codes.
    cause_code: str | None
    #: When it was closed: stamped by the move to closed. May be given on create, or with that move.
    closed_at: str | None
    #: When it was done: stamped by the move to completed, cleared by the move back to in_progress. May be given on create, or
    #: with the move to completed.
    completed_at: str | None
    #: What was done and found. Needed with the move to completed while a task without follow_up has failed.
    completion_notes: str | None
    #: How many connections (properties) were without service meanwhile. With downtime_minutes it makes the connection-days of
    #: breaks and backups.
    connections_affected: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What is to be done, at length.
    description: str | None
    #: How long the asset was out of service.
    downtime_minutes: int | None
    #: Last day on which it is in time, in the organization's time zone.
    due_date: str | None
    #: What its completion does to other records, declared with it; further ones at …/effects, where they are listed.
    effects: list[WorkOrderPatchEffectsItem] | None
    #: Cost expected.
    estimated_cost: float | None
    #: Hours of work expected.
    estimated_hours: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Why it waits; required while on hold, cleared afterwards (the history keeps it).
    hold_reason: str | None
    #: The job plan: what the work order has of it is a copy, made when it is named. Needs the feature Maintenance.
    job_plan_id: str | None
    #: Number of the work order; the next one when left out.
    number: str | None
    #: Why it was completed with required tasks open or with tasks that failed. May be given with the move to completed; cleared
    #: when it is taken up again (the history keeps it).
    override_reason: str | None
    #: How soon it is needed.
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: What was wrong, in the organization's codes. break on a segment counts as a break of it; break and backup count for
    #: connection-days.
    problem_code: str | None
    #: The project that the work is part of. Needs the feature Projects.
    project_id: str | None
    #: What helped, in the organization's codes.
    remedy_code: str | None
    #: How to reach who asked for it.
    requester_email: str | None
    #: Who asked for it.
    requester_name: str | None
    #: When it is planned to end, not before scheduled_start.
    scheduled_end: str | None
    #: When it is planned to begin.
    scheduled_start: str | None
    #: The network segment that is worked on. Needs the feature Infrastructure.
    segment_id: str | None
    #: The site. Follows from building_id, system_id, asset_id and segment_id. As a filter: with everything in the site's
    #: buildings.
    site_id: str | None
    #: When work began for the first time: stamped by the move to in_progress. May be given on create, or with that move or the
    #: one to completed.
    started_at: str | None
    #: open → in_progress, on_hold, completed, cancelled; in_progress → on_hold, completed, cancelled; on_hold → in_progress,
    #: cancelled; completed → closed, in_progress; cancelled → open; closed is final, and nothing of a closed work order changes
    #: any more.
    status: Literal['open', 'in_progress', 'on_hold', 'completed', 'closed', 'cancelled'] | None
    #: The system. Follows from asset_id.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: With a new work order: what it is for, where that is several things. site_id, building_id, system_id, asset_id and
    #: segment_id follow: each is filled where all targets agree. Afterwards they are at /v1/work-orders/{id}/targets.
    targets: list[WorkOrderPatchTargetsItem] | None
    #: The team that does it; an active one at the time of assignment.
    team_id: str | None
    #: What is to be done, in a few words.
    title: str
    #: Why the work is done.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | None
    #: The vendor who does it.
    vendor_id: str | None


WorkOrderSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'title', '-title', 'number', '-number', 'type', '-type', 'priority', '-priority', 'status', '-status', 'requester_name', '-requester_name', 'due_date', '-due_date', 'scheduled_start', '-scheduled_start', 'scheduled_end', '-scheduled_end', 'started_at', '-started_at', 'completed_at', '-completed_at', 'closed_at', '-closed_at', 'estimated_hours', '-estimated_hours', 'estimated_cost', '-estimated_cost', 'problem_code', '-problem_code', 'cause_code', '-cause_code', 'remedy_code', '-remedy_code', 'downtime_minutes', '-downtime_minutes', 'connections_affected', '-connections_affected', 'occurrence', '-occurrence', 'respond_by', '-respond_by', 'complete_by', '-complete_by', 'sla_state', '-sla_state', 'actual_hours', '-actual_hours', 'labour_cost', '-labour_cost', 'material_cost', '-material_cost', 'other_cost', '-other_cost', 'actual_cost', '-actual_cost', 'late_costs', '-late_costs', 'response_hours', '-response_hours', 'resolution_hours', '-resolution_hours', 'relevance']"


class WorkOrderTargetAsset(TypedDict):
    """With expand=asset."""

    id: str
    name: str


class WorkOrderTargetBuilding(TypedDict):
    """With expand=building."""

    id: str
    name: str


class WorkOrderTargetCreatedBy(TypedDict):
    id: str
    name: str
    type: str


class WorkOrderTargetSegment(TypedDict):
    """With expand=segment."""

    id: str
    name: str


class WorkOrderTargetSite(TypedDict):
    """With expand=site."""

    id: str
    name: str


class WorkOrderTargetSystem(TypedDict):
    """With expand=system."""

    id: str
    name: str


class WorkOrderTargetUpdatedBy(TypedDict):
    id: str
    name: str
    type: str


class WorkOrderTargetWorkOrder(TypedDict):
    """With expand=work_order."""

    id: str
    name: str


class _WorkOrderTargetRequired(TypedDict):
    #: The asset that it is.
    asset_id: str | None
    #: The building that it is, or was in.
    building_id: str | None
    created_at: str
    created_by: WorkOrderTargetCreatedBy
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any]
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Made by the service (UUID version 7).
    id: str
    #: What was found here.
    note: str | None
    #: Place among the targets of the work order, from 1; behind the last when left out. sort=position lists them in this order.
    position: int | None
    #: Whether it was done here; na where it does not apply, null until somebody says.
    result: Literal['done', 'not_done', 'na'] | None
    #: The segment that it is.
    segment_id: str | None
    #: Its part of the work order's cost, beside the shares of the others: a length, an area, a number of things.
    share: float
    #: The site that it is, or was on when it was named.
    site_id: str | None
    #: The system that it is, or was part of.
    system_id: str | None
    #: Labels of your own.
    tags: list[str]
    #: What is worked on; a work order has it once.
    target_id: str
    #: What target_id is of. A segment needs the feature Infrastructure.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment']
    updated_at: str
    updated_by: WorkOrderTargetUpdatedBy
    #: Grows by one with every change; the ETag.
    version: int
    #: The work order.
    work_order_id: str


class WorkOrderTarget(_WorkOrderTargetRequired, total=False):
    #: With expand=asset.
    asset: WorkOrderTargetAsset | None
    #: With expand=building.
    building: WorkOrderTargetBuilding | None
    #: With expand=segment.
    segment: WorkOrderTargetSegment | None
    #: With expand=site.
    site: WorkOrderTargetSite | None
    #: With expand=system.
    system: WorkOrderTargetSystem | None
    #: With expand=work_order.
    work_order: WorkOrderTargetWorkOrder | None


class WorkOrderTargetBulkCreate(TypedDict):
    data: list[WorkOrderTargetBulkCreateRow]


class _WorkOrderTargetBulkCreateRowRequired(TypedDict):
    #: What is worked on; a work order has it once.
    target_id: str
    #: What target_id is of. A segment needs the feature Infrastructure.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment']


class WorkOrderTargetBulkCreateRow(_WorkOrderTargetBulkCreateRowRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What was found here.
    note: str | None
    #: Place among the targets of the work order, from 1; behind the last when left out. sort=position lists them in this order.
    position: int | None
    #: Whether it was done here; na where it does not apply, null until somebody says.
    result: Literal['done', 'not_done', 'na'] | None
    #: Its part of the work order's cost, beside the shares of the others: a length, an area, a number of things.
    share: float | None
    #: Labels of your own.
    tags: list[str] | None


class WorkOrderTargetBulkDelete(TypedDict):
    data: list[RecordKey]


class WorkOrderTargetBulkPatch(TypedDict):
    data: list[WorkOrderTargetBulkPatchRow]


class WorkOrderTargetBulkPatchRow(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What was found here.
    note: str | None
    #: Place among the targets of the work order, from 1; behind the last when left out. sort=position lists them in this order.
    position: int | None
    #: Whether it was done here; na where it does not apply, null until somebody says.
    result: Literal['done', 'not_done', 'na'] | None
    #: Its part of the work order's cost, beside the shares of the others: a length, an area, a number of things.
    share: float | None
    #: Labels of your own.
    tags: list[str] | None
    #: What is worked on; a work order has it once.
    target_id: str
    #: What target_id is of. A segment needs the feature Infrastructure.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment']
    #: Of the record. Left out: external_id names it.
    id: str


class WorkOrderTargetBulkResult(TypedDict):
    #: The records that were written or skipped, each once.
    data: list[WorkOrderTarget]
    #: Of every row, in its order.
    results: list[BulkRowResult]
    summary: BulkSummary


class _WorkOrderTargetEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class WorkOrderTargetEventActor(_WorkOrderTargetEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class WorkOrderTargetEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: WorkOrderTarget


class _WorkOrderTargetEventRequired(TypedDict):
    #: Who did it.
    actor: WorkOrderTargetEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: WorkOrderTargetEventData
    type: Literal['work_order_target.created', 'work_order_target.updated', 'work_order_target.deleted']


class WorkOrderTargetEvent(_WorkOrderTargetEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


WorkOrderTargetExpansion: TypeAlias = "Literal['work_order', 'site', 'building', 'system', 'asset', 'segment']"


WorkOrderTargetField: TypeAlias = "Literal['id', 'external_id', 'custom_fields', 'tags', 'version', 'created_at', 'updated_at', 'created_by', 'updated_by', 'work_order_id', 'target_type', 'target_id', 'position', 'result', 'note', 'share', 'site_id', 'building_id', 'system_id', 'asset_id', 'segment_id']"


class WorkOrderTargetList(TypedDict):
    data: list[WorkOrderTarget]
    pagination: Pagination


class WorkOrderTargetPatch(TypedDict, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What was found here.
    note: str | None
    #: Place among the targets of the work order, from 1; behind the last when left out. sort=position lists them in this order.
    position: int | None
    #: Whether it was done here; na where it does not apply, null until somebody says.
    result: Literal['done', 'not_done', 'na'] | None
    #: Its part of the work order's cost, beside the shares of the others: a length, an area, a number of things.
    share: float | None
    #: Labels of your own.
    tags: list[str] | None
    #: What is worked on; a work order has it once.
    target_id: str
    #: What target_id is of. A segment needs the feature Infrastructure.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment']


WorkOrderTargetSort: TypeAlias = "Literal['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at', 'target_type', '-target_type', 'position', '-position', 'result', '-result', 'share', '-share']"


class _WorkOrderTargetWriteRequired(TypedDict):
    #: What is worked on; a work order has it once.
    target_id: str
    #: What target_id is of. A segment needs the feature Infrastructure.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment']


class WorkOrderTargetWrite(_WorkOrderTargetWriteRequired, total=False):
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: What was found here.
    note: str | None
    #: Place among the targets of the work order, from 1; behind the last when left out. sort=position lists them in this order.
    position: int | None
    #: Whether it was done here; na where it does not apply, null until somebody says.
    result: Literal['done', 'not_done', 'na'] | None
    #: Its part of the work order's cost, beside the shares of the others: a length, an area, a number of things. Left out: 1.
    share: float | None
    #: Labels of your own.
    tags: list[str] | None


class _WorkOrderTaskEventActorRequired(TypedDict):
    #: Of the key, person or service.
    id: str
    #: api_key, user or service.
    type: str


class WorkOrderTaskEventActor(_WorkOrderTaskEventActorRequired, total=False):
    """Who did it."""

    #: What it is called. Not in thin bodies.
    name: str


class WorkOrderTaskEventData(TypedDict, total=False):
    #: The names of the fields that changed.
    changed: list[str]
    #: Of the record, for example assets; in thin and truncated bodies.
    collection: str
    #: Of the record; in thin and truncated bodies, where there is no object.
    id: str
    #: The former values of these fields.
    previous: dict[str, Any]
    #: Of the record; in thin and truncated bodies.
    version: int
    object: Task


class _WorkOrderTaskEventRequired(TypedDict):
    #: Who did it.
    actor: WorkOrderTaskEventActor
    #: The same of all events of one bulk call.
    bulk_id: str | None
    #: Of the event; the same wherever and however often it is received.
    id: str
    #: Whose record it is.
    organization_id: str
    #: Which way the change came: api, import or console.
    origin: str | None
    #: The X-Request-Id of the request that made the change.
    request_id: str | None
    #: The event's number in the organization: 1, 2, 3 … without a gap. null of a test.
    sequence: int | None
    #: When the change was made.
    timestamp: str
    data: WorkOrderTaskEventData
    type: Literal['work_order_task.created', 'work_order_task.updated', 'work_order_task.deleted']


class WorkOrderTaskEvent(_WorkOrderTaskEventRequired, total=False):
    #: true where the body would be longer than 256 KiB, and therefore comes without the object: fetch it.
    truncated: bool


class WorkOrderTransitionEffectsItem(TypedDict):
    #: What happens to the other record.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: What is changed, and how.
    payload: dict[str, Any]


class _WorkOrderTransitionRequired(TypedDict):
    #: The state to move to.
    to: Literal['open', 'in_progress', 'on_hold', 'completed', 'closed', 'cancelled']


class WorkOrderTransition(_WorkOrderTransitionRequired, total=False):
    #: Why it was cancelled; required while cancelled, cleared when it is opened again.
    cancel_reason: str | None
    #: Why it was wrong, in the organization's codes.
    cause_code: str | None
    #: When it was closed: stamped by the move to closed. May be given on create, or with that move.
    closed_at: str | None
    #: When it was done: stamped by the move to completed, cleared by the move back to in_progress. May be given on create, or
    #: with the move to completed.
    completed_at: str | None
    #: What was done and found. Needed with the move to completed while a task without follow_up has failed.
    completion_notes: str | None
    #: How many connections (properties) were without service meanwhile. With downtime_minutes it makes the connection-days of
    #: breaks and backups.
    connections_affected: int | None
    #: How long the asset was out of service.
    downtime_minutes: int | None
    #: What its completion does to other records, declared with it; further ones at …/effects, where they are listed.
    effects: list[WorkOrderTransitionEffectsItem] | None
    #: Why it waits; required while on hold, cleared afterwards (the history keeps it).
    hold_reason: str | None
    #: Why it was completed with required tasks open or with tasks that failed. May be given with the move to completed; cleared
    #: when it is taken up again (the history keeps it).
    override_reason: str | None
    #: What was wrong, in the organization's codes. break on a segment counts as a break of it; break and backup count for
    #: connection-days.
    problem_code: str | None
    #: What helped, in the organization's codes.
    remedy_code: str | None
    #: When work began for the first time: stamped by the move to in_progress. May be given on create, or with that move or the
    #: one to completed.
    started_at: str | None


class WorkOrderWriteEffectsItem(TypedDict):
    #: What happens to the other record.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']
    #: What is changed, and how.
    payload: dict[str, Any]


class _WorkOrderWriteTargetsItemRequired(TypedDict):
    #: What is worked on.
    target_id: str
    #: What target_id is of.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment']


class WorkOrderWriteTargetsItem(_WorkOrderWriteTargetsItemRequired, total=False):
    #: What was found here.
    note: str | None
    #: Place among the targets; the one in this list when left out.
    position: int | None
    #: Whether it was done here.
    result: Literal['done', 'not_done', 'na'] | None
    #: Its part of the cost; 1 when left out.
    share: float | None


class _WorkOrderWriteRequired(TypedDict):
    #: What is to be done, in a few words.
    title: str


class WorkOrderWrite(_WorkOrderWriteRequired, total=False):
    #: The asset that is worked on. Where it was at the time stays in site_id, building_id and system_id when it moves.
    asset_id: str | None
    #: The user who does it; an active one at the time of assignment.
    assignee_id: str | None
    #: The building. Follows from system_id and asset_id.
    building_id: str | None
    #: Why it was cancelled; required while cancelled, cleared when it is opened again.
    cancel_reason: str | None
    #: Why it was wrong, in the organization's codes.
    cause_code: str | None
    #: When it was closed: stamped by the move to closed. May be given on create, or with that move.
    closed_at: str | None
    #: When it was done: stamped by the move to completed, cleared by the move back to in_progress. May be given on create, or
    #: with the move to completed.
    completed_at: str | None
    #: What was done and found. Needed with the move to completed while a task without follow_up has failed.
    completion_notes: str | None
    #: How many connections (properties) were without service meanwhile. With downtime_minutes it makes the connection-days of
    #: breaks and backups.
    connections_affected: int | None
    #: Up to 50 fields of your own: texts, numbers, true, false. Those whose type is declared can be filtered and sorted by.
    custom_fields: dict[str, Any] | None
    #: What is to be done, at length.
    description: str | None
    #: How long the asset was out of service.
    downtime_minutes: int | None
    #: Last day on which it is in time, in the organization's time zone.
    due_date: str | None
    #: What its completion does to other records, declared with it; further ones at …/effects, where they are listed.
    effects: list[WorkOrderWriteEffectsItem] | None
    #: Cost expected.
    estimated_cost: float | None
    #: Hours of work expected.
    estimated_hours: float | None
    #: The record's id in the system it came from; unique in the organization. The key for migrations.
    external_id: str | None
    #: Why it waits; required while on hold, cleared afterwards (the history keeps it).
    hold_reason: str | None
    #: The job plan: what the work order has of it is a copy, made when it is named. Needs the feature Maintenance.
    job_plan_id: str | None
    #: Number of the work order; the next one when left out.
    number: str | None
    #: Why it was completed with required tasks open or with tasks that failed. May be given with the move to completed; cleared
    #: when it is taken up again (the history keeps it).
    override_reason: str | None
    #: How soon it is needed. Left out: "medium".
    priority: Literal['low', 'medium', 'high', 'urgent'] | None
    #: What was wrong, in the organization's codes. break on a segment counts as a break of it; break and backup count for
    #: connection-days.
    problem_code: str | None
    #: The project that the work is part of. Needs the feature Projects.
    project_id: str | None
    #: What helped, in the organization's codes.
    remedy_code: str | None
    #: How to reach who asked for it.
    requester_email: str | None
    #: Who asked for it.
    requester_name: str | None
    #: When it is planned to end, not before scheduled_start.
    scheduled_end: str | None
    #: When it is planned to begin.
    scheduled_start: str | None
    #: The network segment that is worked on. Needs the feature Infrastructure.
    segment_id: str | None
    #: The site. Follows from building_id, system_id, asset_id and segment_id. As a filter: with everything in the site's
    #: buildings.
    site_id: str | None
    #: When work began for the first time: stamped by the move to in_progress. May be given on create, or with that move or the
    #: one to completed.
    started_at: str | None
    #: open → in_progress, on_hold, completed, cancelled; in_progress → on_hold, completed, cancelled; on_hold → in_progress,
    #: cancelled; completed → closed, in_progress; cancelled → open; closed is final, and nothing of a closed work order changes
    #: any more. Left out: "open".
    status: Literal['open', 'in_progress', 'on_hold', 'completed', 'closed', 'cancelled'] | None
    #: The system. Follows from asset_id.
    system_id: str | None
    #: Labels of your own.
    tags: list[str] | None
    #: With a new work order: what it is for, where that is several things. site_id, building_id, system_id, asset_id and
    #: segment_id follow: each is filled where all targets agree. Afterwards they are at /v1/work-orders/{id}/targets.
    targets: list[WorkOrderWriteTargetsItem] | None
    #: The team that does it; an active one at the time of assignment.
    team_id: str | None
    #: Why the work is done. Left out: "corrective".
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | None
    #: The vendor who does it.
    vendor_id: str | None


class AssetFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: AssetSort | list[AssetSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: AssetField | list[AssetField] | None
    #: Show {id, name} of these beside their ids.
    expand: AssetExpansion | list[AssetExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    acquisition_cost: str | float | list[str | float] | None
    #: At most.
    acquisition_cost_max: float
    #: At least.
    acquisition_cost_min: float
    #: One of these, of up to 100. null for none.
    acquisition_date: str | float | list[str | float] | None
    #: On or after.
    acquisition_date_from: str
    #: On or before.
    acquisition_date_to: str
    #: One of these, of up to 100.
    amortization_method: Literal['straight_line', 'none'] | list[Literal['straight_line', 'none']] | None
    #: One of these, of up to 100. null for none.
    asset_tag: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    barcode: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    building_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    category: Literal['substructure', 'shell', 'interiors', 'plumbing', 'hvac', 'fire_protection', 'electrical', 'conveying', 'controls', 'equipment_furnishings', 'special_construction', 'sitework', 'other', 'null'] | list[Literal['substructure', 'shell', 'interiors', 'plumbing', 'hvac', 'fire_protection', 'electrical', 'conveying', 'controls', 'equipment_furnishings', 'special_construction', 'sitework', 'other', 'null']] | None
    #: One of these, of up to 100. null for none.
    condition_assessed_on: str | float | list[str | float] | None
    #: On or after.
    condition_assessed_on_from: str
    #: On or before.
    condition_assessed_on_to: str
    #: One of these, of up to 100. null for none.
    condition_method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported', 'null'] | list[Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported', 'null']] | None
    #: One of these, of up to 100. null for none.
    condition_rating: str | float | list[str | float] | None
    #: At most.
    condition_rating_max: int
    #: At least.
    condition_rating_min: int
    #: One of these, of up to 100. null for none.
    consequence_of_failure: str | float | list[str | float] | None
    #: At most.
    consequence_of_failure_max: int
    #: At least.
    consequence_of_failure_min: int
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    deferred_maintenance_as_of: str | float | list[str | float] | None
    #: On or after.
    deferred_maintenance_as_of_from: str
    #: On or before.
    deferred_maintenance_as_of_to: str
    #: One of these, of up to 100. null for none.
    deferred_maintenance_basis: Literal['typed', 'deficiencies', 'null'] | list[Literal['typed', 'deficiencies', 'null']] | None
    #: One of these, of up to 100. null for none.
    deferred_maintenance_cost: str | float | list[str | float] | None
    #: At most.
    deferred_maintenance_cost_max: float
    #: At least.
    deferred_maintenance_cost_min: float
    #: One of these, of up to 100.
    deficiencies_without_cost: int | list[int] | None
    #: At most.
    deficiencies_without_cost_max: int
    #: At least.
    deficiencies_without_cost_min: int
    #: One of these, of up to 100. null for none.
    disposed_on: str | float | list[str | float] | None
    #: On or after.
    disposed_on_from: str
    #: On or before.
    disposed_on_to: str
    #: One of these, of up to 100. null for none.
    expected_useful_life_years: str | float | list[str | float] | None
    #: At most.
    expected_useful_life_years_max: int
    #: At least.
    expected_useful_life_years_min: int
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    install_date: str | float | list[str | float] | None
    #: On or after.
    install_date_from: str
    #: On or before.
    install_date_to: str
    #: One of these, of up to 100. null for none.
    install_year: str | float | list[str | float] | None
    #: At most.
    install_year_max: int
    #: At least.
    install_year_min: int
    #: One of these, of up to 100. null for none.
    location: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    manufacturer: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    meter_reading: str | float | list[str | float] | None
    #: At most.
    meter_reading_max: float
    #: At least.
    meter_reading_min: float
    #: One of these, of up to 100. null for none.
    model: str | float | list[str | float] | None
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    out_of_use_on: str | float | list[str | float] | None
    #: On or after.
    out_of_use_on_from: str
    #: On or before.
    out_of_use_on_to: str
    #: One of these, of up to 100. null for none.
    parent_asset_id: str | float | list[str | float] | None
    #: Only those whose expected useful life is over (true) or is not over (false).
    past_useful_life: bool
    #: One of these, of up to 100. null for none.
    planned_renewal_year: str | float | list[str | float] | None
    #: At most.
    planned_renewal_year_max: int
    #: At least.
    planned_renewal_year_min: int
    #: One of these, of up to 100. null for none.
    probability_of_failure: str | float | list[str | float] | None
    #: At most.
    probability_of_failure_max: int
    #: At least.
    probability_of_failure_min: int
    #: Up to 8 words, all of which are in external_id, name, asset_tag, barcode, serial_number, category, location, manufacturer,
    #: model together, without regard to accents and case; the last one may be the beginning of a word. A code is found by the
    #: whole, its beginning, its parts and its number. A word of 4 letters or more that no record has is taken for those that
    #: differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100. null for none.
    quantity: str | float | list[str | float] | None
    #: At most.
    quantity_max: float
    #: At least.
    quantity_min: float
    #: One of these, of up to 100. null for none.
    replacement_cost: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    replacement_cost_as_of: str | float | list[str | float] | None
    #: On or after.
    replacement_cost_as_of_from: str
    #: On or before.
    replacement_cost_as_of_to: str
    #: At most.
    replacement_cost_max: float
    #: At least.
    replacement_cost_min: float
    #: One of these, of up to 100. null for none.
    reported_condition_rating: str | float | list[str | float] | None
    #: At most.
    reported_condition_rating_max: int
    #: At least.
    reported_condition_rating_min: int
    #: One of these, of up to 100. null for none.
    responsible_user_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    risk_score: str | float | list[str | float] | None
    #: At most.
    risk_score_max: int
    #: At least.
    risk_score_min: int
    #: One of these, of up to 100. null for none.
    serial_number: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other', 'null'] | list[Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other', 'null']] | None
    #: One of these, of up to 100. null for none.
    site_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    status: Literal['planned', 'in_service', 'out_of_service', 'decommissioned', 'disposed'] | list[Literal['planned', 'in_service', 'out_of_service', 'decommissioned', 'disposed']] | None
    #: One of these, of up to 100. null for none.
    system_id: str | float | list[str | float] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: Begins with.
    uniformat_code: str
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100. null for none.
    warranty_expires_on: str | float | list[str | float] | None
    #: On or after.
    warranty_expires_on_from: str
    #: On or before.
    warranty_expires_on_to: str


class ConditionAssessmentFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id.
    sort: ConditionAssessmentSort | list[ConditionAssessmentSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: ConditionAssessmentField | list[ConditionAssessmentField] | None
    #: Show {id, name} of these beside their ids.
    expand: ConditionAssessmentExpansion | list[ConditionAssessmentExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    assessed_on: str | float | list[str | float] | None
    #: On or after.
    assessed_on_from: str
    #: On or before.
    assessed_on_to: str
    #: One of these, of up to 100. null for none.
    assessor: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    condition_rating: str | float | list[str | float] | None
    #: At most.
    condition_rating_max: int
    #: At least.
    condition_rating_min: int
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    index_type: Literal['pci', 'bci', 'pacp_5', 'iimm_5', 'iri', 'other_100', 'null'] | list[Literal['pci', 'bci', 'pacp_5', 'iimm_5', 'iri', 'other_100', 'null']] | None
    #: One of these, of up to 100. null for none.
    index_value: str | float | list[str | float] | None
    #: At most.
    index_value_max: float
    #: At least.
    index_value_min: float
    #: One of these, of up to 100. null for none.
    method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported', 'null'] | list[Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported', 'null']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class BuildingFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: BuildingSort | list[BuildingSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: BuildingField | list[BuildingField] | None
    #: Show {id, name} of these beside their ids.
    expand: BuildingExpansion | list[BuildingExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    accessible: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    building_type: Literal['school', 'administration', 'arena', 'pool', 'library', 'community_centre', 'fire_hall', 'police', 'ambulance', 'works_garage', 'pump_station', 'treatment', 'housing', 'warehouse', 'parking', 'child_care', 'other', 'null'] | list[Literal['school', 'administration', 'arena', 'pool', 'library', 'community_centre', 'fire_hall', 'police', 'ambulance', 'works_garage', 'pump_station', 'treatment', 'housing', 'warehouse', 'parking', 'child_care', 'other', 'null']] | None
    #: One of these, of up to 100. null for none.
    capacity: str | float | list[str | float] | None
    #: At most.
    capacity_max: int
    #: At least.
    capacity_min: int
    #: One of these, of up to 100. null for none.
    city: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    code: str | float | list[str | float] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    criticality: Literal['low', 'medium', 'high', 'critical', 'null'] | list[Literal['low', 'medium', 'high', 'critical', 'null']] | None
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    floors_above_grade: str | float | list[str | float] | None
    #: At most.
    floors_above_grade_max: int
    #: At least.
    floors_above_grade_min: int
    #: One of these, of up to 100. null for none.
    gross_floor_area_m2: str | float | list[str | float] | None
    #: At most.
    gross_floor_area_m2_max: float
    #: At least.
    gross_floor_area_m2_min: float
    #: One of these, of up to 100.
    heritage_designated: bool | list[bool] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    out_of_use_on: str | float | list[str | float] | None
    #: On or after.
    out_of_use_on_from: str
    #: On or before.
    out_of_use_on_to: str
    #: One of these, of up to 100. null for none.
    ownership: Literal['owned', 'leased', 'licensed', 'joint_use', 'managed', 'null'] | list[Literal['owned', 'leased', 'licensed', 'joint_use', 'managed', 'null']] | None
    #: One of these, of up to 100. null for none.
    province: Literal['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT', 'null'] | list[Literal['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT', 'null']] | None
    #: Up to 8 words, all of which are in external_id, name, code, address_line1, city together, without regard to accents and
    #: case; the last one may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A
    #: word of 4 letters or more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100. null for none.
    replacement_cost: str | float | list[str | float] | None
    #: At most.
    replacement_cost_max: float
    #: At least.
    replacement_cost_min: float
    #: One of these, of up to 100. null for none.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other', 'null'] | list[Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other', 'null']] | None
    #: One of these, of up to 100.
    site_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    status: Literal['planned', 'active', 'vacant', 'closed', 'demolished'] | list[Literal['planned', 'active', 'vacant', 'closed', 'demolished']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100. null for none.
    year_built: str | float | list[str | float] | None
    #: At most.
    year_built_max: int
    #: At least.
    year_built_min: int
    #: One of these, of up to 100. null for none.
    year_renovated: str | float | list[str | float] | None
    #: At most.
    year_renovated_max: int
    #: At least.
    year_renovated_min: int


class DeficiencyFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: DeficiencySort | list[DeficiencySort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: DeficiencyField | list[DeficiencyField] | None
    #: Show {id, name} of these beside their ids.
    expand: DeficiencyExpansion | list[DeficiencyExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    action_year: str | float | list[str | float] | None
    #: At most.
    action_year_max: int
    #: At least.
    action_year_min: int
    #: One of these, of up to 100. null for none.
    actual_cost: str | float | list[str | float] | None
    #: At most.
    actual_cost_max: float
    #: At least.
    actual_cost_min: float
    #: One of these, of up to 100. null for none.
    asset_id: str | float | list[str | float] | None
    #: The building, with everything in it. Several ids with commas between them.
    building_id: str
    #: One of these, of up to 100.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal'] | list[Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal']] | None
    #: One of these, of up to 100. null for none.
    corrected_on: str | float | list[str | float] | None
    #: On or after.
    corrected_on_from: str
    #: On or before.
    corrected_on_to: str
    #: One of these, of up to 100. null for none.
    cost_class: Literal['A', 'B', 'C', 'D', 'null'] | list[Literal['A', 'B', 'C', 'D', 'null']] | None
    #: One of these, of up to 100. null for none.
    cost_year: str | float | list[str | float] | None
    #: At most.
    cost_year_max: int
    #: At least.
    cost_year_min: int
    #: One of these, of up to 100.
    counts_as_deferred: bool | list[bool] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    estimated_cost: str | float | list[str | float] | None
    #: At most.
    estimated_cost_max: float
    #: At least.
    estimated_cost_min: float
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    found_on: str | float | list[str | float] | None
    #: On or after.
    found_on_from: str
    #: On or before.
    found_on_to: str
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    number: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    priority: Literal['low', 'medium', 'high', 'urgent', 'null'] | list[Literal['low', 'medium', 'high', 'urgent', 'null']] | None
    #: One of these, of up to 100. null for none.
    project_id: str | float | list[str | float] | None
    #: Up to 8 words, all of which are in external_id, title, number together, without regard to accents and case; the last one
    #: may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters
    #: or more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100. null for none.
    quantity: str | float | list[str | float] | None
    #: At most.
    quantity_max: float
    #: At least.
    quantity_min: float
    #: The site, with everything on it. Several ids with commas between them.
    site_id: str
    #: One of these, of up to 100.
    source: Literal['assessment', 'inspection', 'form', 'request', 'work_order', 'import', 'manual'] | list[Literal['assessment', 'inspection', 'form', 'request', 'work_order', 'import', 'manual']] | None
    #: One of these, of up to 100. null for none.
    source_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    status: Literal['open', 'planned', 'in_work', 'corrected', 'waived', 'void'] | list[Literal['open', 'planned', 'in_work', 'corrected', 'waived', 'void']] | None
    #: The system, with its assets. Several ids with commas between them.
    system_id: str
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    title: str | float | list[str | float] | None
    #: Begins with.
    uniformat_code: str
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100. null for none.
    work_order_id: str | float | list[str | float] | None


class FormResponseFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: FormResponseSort | list[FormResponseSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: FormResponseField | list[FormResponseField] | None
    #: Show {id, name} of these beside their ids.
    expand: FormResponseExpansion | list[FormResponseExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    amends_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    asset_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    building_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Has one of these, of up to 50.
    failed_items: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: Up to 8 words, all of which are in external_id, name together, without regard to accents and case; the last one may be the
    #: beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters or more
    #: that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100. null for none.
    score: str | float | list[str | float] | None
    #: At most.
    score_max: float
    #: At least.
    score_min: float
    #: One of these, of up to 100. null for none.
    segment_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    site_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    status: Literal['in_progress', 'submitted'] | list[Literal['in_progress', 'submitted']] | None
    #: One of these, of up to 100. null for none.
    submitted_at: str | float | list[str | float] | None
    #: On or after.
    submitted_at_from: str
    #: On or before.
    submitted_at_to: str
    #: One of these, of up to 100. null for none.
    system_id: str | float | list[str | float] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    template_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100. null for none.
    work_order_id: str | float | list[str | float] | None


class FormTemplateFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: FormTemplateSort | list[FormTemplateSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: FormTemplateField | list[FormTemplateField] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: Begins with.
    name: str
    #: One of these, of up to 100. null for none.
    published_at: str | float | list[str | float] | None
    #: On or after.
    published_at_from: str
    #: On or before.
    published_at_to: str
    #: Up to 8 words, all of which are in external_id, name, description together, without regard to accents and case; the last
    #: one may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4
    #: letters or more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100.
    revision: int | list[int] | None
    #: At most.
    revision_max: int
    #: At least.
    revision_min: int
    #: One of these, of up to 100.
    status: Literal['draft', 'published', 'archived'] | list[Literal['draft', 'published', 'archived']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class InfrastructureDeficiencyFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: InfrastructureDeficiencySort | list[InfrastructureDeficiencySort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: InfrastructureDeficiencyField | list[InfrastructureDeficiencyField] | None
    #: Show {id, name} of these beside their ids.
    expand: InfrastructureDeficiencyExpansion | list[InfrastructureDeficiencyExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    action_year: str | float | list[str | float] | None
    #: At most.
    action_year_max: int
    #: At least.
    action_year_min: int
    #: One of these, of up to 100. null for none.
    actual_cost: str | float | list[str | float] | None
    #: At most.
    actual_cost_max: float
    #: At least.
    actual_cost_min: float
    #: One of these, of up to 100.
    category: Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal'] | list[Literal['deferred_maintenance', 'life_safety', 'code', 'environmental', 'accessibility', 'functional', 'renewal']] | None
    #: One of these, of up to 100. null for none.
    corrected_on: str | float | list[str | float] | None
    #: On or after.
    corrected_on_from: str
    #: On or before.
    corrected_on_to: str
    #: One of these, of up to 100. null for none.
    cost_class: Literal['A', 'B', 'C', 'D', 'null'] | list[Literal['A', 'B', 'C', 'D', 'null']] | None
    #: One of these, of up to 100. null for none.
    cost_year: str | float | list[str | float] | None
    #: At most.
    cost_year_max: int
    #: At least.
    cost_year_min: int
    #: One of these, of up to 100.
    counts_as_deferred: bool | list[bool] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    estimated_cost: str | float | list[str | float] | None
    #: At most.
    estimated_cost_max: float
    #: At least.
    estimated_cost_min: float
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    found_on: str | float | list[str | float] | None
    #: On or after.
    found_on_from: str
    #: On or before.
    found_on_to: str
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: Only deficiencies of segments of this network.
    network_id: str
    #: One of these, of up to 100. null for none.
    number: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    priority: Literal['low', 'medium', 'high', 'urgent', 'null'] | list[Literal['low', 'medium', 'high', 'urgent', 'null']] | None
    #: One of these, of up to 100. null for none.
    project_id: str | float | list[str | float] | None
    #: Up to 8 words, all of which are in external_id, title, number together, without regard to accents and case; the last one
    #: may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters
    #: or more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100. null for none.
    quantity: str | float | list[str | float] | None
    #: At most.
    quantity_max: float
    #: At least.
    quantity_min: float
    #: One of these, of up to 100.
    segment_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    source: Literal['assessment', 'inspection', 'form', 'request', 'work_order', 'import', 'manual'] | list[Literal['assessment', 'inspection', 'form', 'request', 'work_order', 'import', 'manual']] | None
    #: One of these, of up to 100. null for none.
    source_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    status: Literal['open', 'planned', 'in_work', 'corrected', 'waived', 'void'] | list[Literal['open', 'planned', 'in_work', 'corrected', 'waived', 'void']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    title: str | float | list[str | float] | None
    #: Begins with.
    uniformat_code: str
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100. null for none.
    work_order_id: str | float | list[str | float] | None


class InspectionFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id.
    sort: InspectionSort | list[InspectionSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: InspectionField | list[InspectionField] | None
    #: Show {id, name} of these beside their ids.
    expand: InspectionExpansion | list[InspectionExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    condition_rating: str | float | list[str | float] | None
    #: At most.
    condition_rating_max: int
    #: At least.
    condition_rating_min: int
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    estimated_cost: str | float | list[str | float] | None
    #: At most.
    estimated_cost_max: float
    #: At least.
    estimated_cost_min: float
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    index_type: Literal['pci', 'bci', 'pacp_5', 'iimm_5', 'iri', 'other_100', 'null'] | list[Literal['pci', 'bci', 'pacp_5', 'iimm_5', 'iri', 'other_100', 'null']] | None
    #: One of these, of up to 100. null for none.
    index_value: str | float | list[str | float] | None
    #: At most.
    index_value_max: float
    #: At least.
    index_value_min: float
    #: One of these, of up to 100.
    inspected_on: str | float | list[str | float] | None
    #: On or after.
    inspected_on_from: str
    #: On or before.
    inspected_on_to: str
    #: One of these, of up to 100. null for none.
    method: Literal['visual', 'cctv', 'pavement_survey', 'osim', 'acoustic', 'lidar', 'desktop', 'other', 'null'] | list[Literal['visual', 'cctv', 'pavement_survey', 'osim', 'acoustic', 'lidar', 'desktop', 'other', 'null']] | None
    #: Only inspections of segments of this network.
    network_id: str
    #: One of these, of up to 100. null for none.
    next_due_on: str | float | list[str | float] | None
    #: On or after.
    next_due_on_from: str
    #: On or before.
    next_due_on_to: str
    #: One of these, of up to 100. null for none.
    recommended_action: Literal['none', 'monitor', 'maintain', 'rehabilitate', 'replace', 'null'] | list[Literal['none', 'monitor', 'maintain', 'rehabilitate', 'replace', 'null']] | None
    #: One of these, of up to 100.
    segment_id: str | float | list[str | float] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class NetworkFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: NetworkSort | list[NetworkSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: NetworkField | list[NetworkField] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    asset_class: Literal['road', 'sidewalk', 'trail', 'bridge', 'culvert', 'water_main', 'sanitary_sewer', 'storm_sewer', 'combined_sewer', 'force_main', 'drainage_channel', 'gas_main', 'electrical', 'telecom', 'streetlight', 'other'] | list[Literal['road', 'sidewalk', 'trail', 'bridge', 'culvert', 'water_main', 'sanitary_sewer', 'storm_sewer', 'combined_sewer', 'force_main', 'drainage_channel', 'gas_main', 'electrical', 'telecom', 'streetlight', 'other']] | None
    #: One of these, of up to 100. null for none.
    code: str | float | list[str | float] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    criticality: Literal['low', 'medium', 'high', 'critical', 'null'] | list[Literal['low', 'medium', 'high', 'critical', 'null']] | None
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: Up to 8 words, all of which are in external_id, name, code together, without regard to accents and case; the last one may
    #: be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters or
    #: more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100. null for none.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other', 'null'] | list[Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other', 'null']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class SegmentFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: SegmentSort | list[SegmentSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: SegmentField | list[SegmentField] | None
    #: Show {id, name} of these beside their ids.
    expand: SegmentExpansion | list[SegmentExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    aadt: str | float | list[str | float] | None
    #: At most.
    aadt_max: int
    #: At least.
    aadt_min: int
    #: Only segments of networks of this class.
    asset_class: Literal['road', 'sidewalk', 'trail', 'bridge', 'culvert', 'water_main', 'sanitary_sewer', 'storm_sewer', 'combined_sewer', 'force_main', 'drainage_channel', 'gas_main', 'electrical', 'telecom', 'streetlight', 'other']
    #: minLon,minLat,maxLon,maxLat: only segments whose bounding box touches this one. Degrees, WGS 84; it cannot cross the 180th
    #: meridian.
    bbox: str
    #: One of these, of up to 100. null for none.
    clearance_limit_m: str | float | list[str | float] | None
    #: At most.
    clearance_limit_m_max: float
    #: At least.
    clearance_limit_m_min: float
    #: One of these, of up to 100. null for none.
    condition_assessed_on: str | float | list[str | float] | None
    #: On or after.
    condition_assessed_on_from: str
    #: On or before.
    condition_assessed_on_to: str
    #: One of these, of up to 100. null for none.
    condition_method: Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported', 'cctv', 'pavement_survey', 'osim', 'acoustic', 'lidar', 'other', 'null'] | list[Literal['visual', 'detailed', 'instrument', 'desktop', 'age_based', 'reported', 'cctv', 'pavement_survey', 'osim', 'acoustic', 'lidar', 'other', 'null']] | None
    #: One of these, of up to 100. null for none.
    condition_rating: str | float | list[str | float] | None
    #: At most.
    condition_rating_max: int
    #: At least.
    condition_rating_min: int
    #: One of these, of up to 100. null for none.
    consequence_of_failure: str | float | list[str | float] | None
    #: At most.
    consequence_of_failure_max: int
    #: At least.
    consequence_of_failure_min: int
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    deferred_maintenance_as_of: str | float | list[str | float] | None
    #: On or after.
    deferred_maintenance_as_of_from: str
    #: On or before.
    deferred_maintenance_as_of_to: str
    #: One of these, of up to 100. null for none.
    deferred_maintenance_cost: str | float | list[str | float] | None
    #: At most.
    deferred_maintenance_cost_max: float
    #: At least.
    deferred_maintenance_cost_min: float
    #: One of these, of up to 100.
    deficiencies_without_cost: int | list[int] | None
    #: At most.
    deficiencies_without_cost_max: int
    #: At least.
    deficiencies_without_cost_min: int
    #: One of these, of up to 100. null for none.
    diameter_mm: str | float | list[str | float] | None
    #: At most.
    diameter_mm_max: float
    #: At least.
    diameter_mm_min: float
    #: One of these, of up to 100. null for none.
    environment: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    expected_useful_life_years: str | float | list[str | float] | None
    #: At most.
    expected_useful_life_years_max: int
    #: At least.
    expected_useful_life_years_min: int
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    functional_class: Literal['arterial', 'collector', 'local', 'laneway', 'trail', 'null'] | list[Literal['arterial', 'collector', 'local', 'laneway', 'trail', 'null']] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    install_date: str | float | list[str | float] | None
    #: On or after.
    install_date_from: str
    #: On or before.
    install_date_to: str
    #: One of these, of up to 100. null for none.
    install_year: str | float | list[str | float] | None
    #: At most.
    install_year_max: int
    #: At least.
    install_year_min: int
    #: One of these, of up to 100. null for none.
    lanes: str | float | list[str | float] | None
    #: At most.
    lanes_max: int
    #: At least.
    lanes_min: int
    #: One of these, of up to 100. null for none.
    length_m: str | float | list[str | float] | None
    #: At most.
    length_m_max: float
    #: At least.
    length_m_min: float
    #: One of these, of up to 100. null for none.
    load_limit_t: str | float | list[str | float] | None
    #: At most.
    load_limit_t_max: float
    #: At least.
    load_limit_t_min: float
    #: One of these, of up to 100. null for none.
    material: str | float | list[str | float] | None
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: One of these, of up to 100.
    network_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    out_of_use_on: str | float | list[str | float] | None
    #: On or after.
    out_of_use_on_from: str
    #: On or before.
    out_of_use_on_to: str
    #: Only those whose expected useful life is over (true) or is not over (false).
    past_useful_life: bool
    #: One of these, of up to 100. null for none.
    paved: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    planned_renewal_year: str | float | list[str | float] | None
    #: At most.
    planned_renewal_year_max: int
    #: At least.
    planned_renewal_year_min: int
    #: One of these, of up to 100. null for none.
    probability_of_failure: str | float | list[str | float] | None
    #: At most.
    probability_of_failure_max: int
    #: At least.
    probability_of_failure_min: int
    #: Up to 8 words, all of which are in external_id, name, segment_code, from_description, to_description together, without
    #: regard to accents and case; the last one may be the beginning of a word. A code is found by the whole, its beginning, its
    #: parts and its number. A word of 4 letters or more that no record has is taken for those that differ by one letter;
    #: search.corrected says so.
    q: str
    #: One of these, of up to 100. null for none.
    relined_year: str | float | list[str | float] | None
    #: At most.
    relined_year_max: int
    #: At least.
    relined_year_min: int
    #: One of these, of up to 100. null for none.
    replacement_cost: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    replacement_cost_as_of: str | float | list[str | float] | None
    #: On or after.
    replacement_cost_as_of_from: str
    #: On or before.
    replacement_cost_as_of_to: str
    #: At most.
    replacement_cost_max: float
    #: At least.
    replacement_cost_min: float
    #: One of these, of up to 100. null for none.
    replacement_cost_year: str | float | list[str | float] | None
    #: At most.
    replacement_cost_year_max: int
    #: At least.
    replacement_cost_year_min: int
    #: One of these, of up to 100. null for none.
    risk_score: str | float | list[str | float] | None
    #: At most.
    risk_score_max: int
    #: At least.
    risk_score_min: int
    #: One of these, of up to 100. null for none.
    road_class: str | float | list[str | float] | None
    #: At most.
    road_class_max: int
    #: At least.
    road_class_min: int
    #: One of these, of up to 100. null for none.
    segment_code: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    site_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    span_m: str | float | list[str | float] | None
    #: At most.
    span_m_max: float
    #: At least.
    span_m_min: float
    #: One of these, of up to 100. null for none.
    speed_limit_kmh: str | float | list[str | float] | None
    #: At most.
    speed_limit_kmh_max: int
    #: At least.
    speed_limit_kmh_min: int
    #: One of these, of up to 100.
    status: Literal['planned', 'in_service', 'out_of_service', 'abandoned', 'removed'] | list[Literal['planned', 'in_service', 'out_of_service', 'abandoned', 'removed']] | None
    #: One of these, of up to 100. null for none.
    surface_type: str | float | list[str | float] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100. null for none.
    width_limit_m: str | float | list[str | float] | None
    #: At most.
    width_limit_m_max: float
    #: At least.
    width_limit_m_min: float


class MeasurementFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id.
    sort: MeasurementSort | list[MeasurementSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: MeasurementField | list[MeasurementField] | None
    #: Show {id, name} of these beside their ids.
    expand: MeasurementExpansion | list[MeasurementExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    attainment: Literal['met', 'near', 'missed', 'no_target'] | list[Literal['met', 'near', 'missed', 'no_target']] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    measure_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    period_end: str | float | list[str | float] | None
    #: On or after.
    period_end_from: str
    #: On or before.
    period_end_to: str
    #: One of these, of up to 100.
    period_start: str | float | list[str | float] | None
    #: On or after.
    period_start_from: str
    #: On or before.
    period_start_to: str
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100. null for none.
    value: str | float | list[str | float] | None
    #: At most.
    value_max: float
    #: At least.
    value_min: float


class MeasureFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: MeasureSort | list[MeasureSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: MeasureField | list[MeasureField] | None
    #: Show {id, name} of these beside their ids.
    expand: MeasureExpansion | list[MeasureExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    attainment: Literal['met', 'near', 'missed', 'no_target', 'no_data'] | list[Literal['met', 'near', 'missed', 'no_target', 'no_data']] | None
    #: One of these, of up to 100. null for none.
    attribute: Literal['scope', 'quality', 'reliability', 'safety', 'responsiveness', 'capacity', 'accessibility', 'affordability', 'sustainability', 'null'] | list[Literal['scope', 'quality', 'reliability', 'safety', 'responsiveness', 'capacity', 'accessibility', 'affordability', 'sustainability', 'null']] | None
    #: One of these, of up to 100. null for none.
    code: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    computed_metric: Literal['avg_condition_rating', 'pct_good_or_better', 'pct_past_useful_life', 'fci_pct', 'avg_pci', 'avg_unpaved_condition', 'avg_bci', 'avg_bci_bridges', 'avg_bci_culverts', 'pct_bridges_restricted', 'wo_completed_on_time_pct', 'wo_median_response_hours', 'wo_sla_met_pct', 'pm_compliance_pct', 'breaks_per_100km', 'connection_days_breaks', 'connection_days_backups', 'lane_km', 'lane_km_arterial_per_km2', 'lane_km_collector_per_km2', 'lane_km_local_per_km2', 'null'] | list[Literal['avg_condition_rating', 'pct_good_or_better', 'pct_past_useful_life', 'fci_pct', 'avg_pci', 'avg_unpaved_condition', 'avg_bci', 'avg_bci_bridges', 'avg_bci_culverts', 'pct_bridges_restricted', 'wo_completed_on_time_pct', 'wo_median_response_hours', 'wo_sla_met_pct', 'pm_compliance_pct', 'breaks_per_100km', 'connection_days_breaks', 'connection_days_backups', 'lane_km', 'lane_km_arterial_per_km2', 'lane_km_collector_per_km2', 'lane_km_local_per_km2', 'null']] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100.
    data_source: Literal['manual', 'computed'] | list[Literal['manual', 'computed']] | None
    #: One of these, of up to 100.
    direction: Literal['higher_is_better', 'lower_is_better', 'target_is_best'] | list[Literal['higher_is_better', 'lower_is_better', 'target_is_best']] | None
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    frequency: Literal['monthly', 'quarterly', 'semi_annual', 'annual'] | list[Literal['monthly', 'quarterly', 'semi_annual', 'annual']] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    is_stale: str | float | list[str | float] | None
    #: One of these, of up to 100.
    measure_type: Literal['community', 'technical'] | list[Literal['community', 'technical']] | None
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: Up to 8 words, all of which are in external_id, name, code together, without regard to accents and case; the last one may
    #: be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters or
    #: more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: Begins with.
    regulation_ref: str
    #: One of these, of up to 100.
    service_area_id: str | float | list[str | float] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    trend: Literal['improving', 'stable', 'declining', 'null'] | list[Literal['improving', 'stable', 'declining', 'null']] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100.
    value_kind: Literal['number', 'percentage', 'ratio', 'count', 'money', 'hours', 'rating', 'narrative'] | list[Literal['number', 'percentage', 'ratio', 'count', 'money', 'hours', 'rating', 'narrative']] | None


class ServiceAreaFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: ServiceAreaSort | list[ServiceAreaSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: ServiceAreaField | list[ServiceAreaField] | None
    #: Show {id, name} of these beside their ids.
    expand: ServiceAreaExpansion | list[ServiceAreaExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: Has one of these, of up to 50.
    building_ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other', 'null'] | list[Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other', 'null']] | None
    #: One of these, of up to 100. null for none.
    code: str | float | list[str | float] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    is_core: bool | list[bool] | None
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: Has one of these, of up to 50.
    network_ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    owner_user_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    properties_connected: str | float | list[str | float] | None
    #: At most.
    properties_connected_max: int
    #: At least.
    properties_connected_min: int
    #: Up to 8 words, all of which are in external_id, name, code together, without regard to accents and case; the last one may
    #: be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters or
    #: more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: Has one of these, of up to 50.
    site_ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    status: Literal['active', 'archived'] | list[Literal['active', 'archived']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class TargetFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id.
    sort: TargetSort | list[TargetSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: TargetField | list[TargetField] | None
    #: Show {id, name} of these beside their ids.
    expand: TargetExpansion | list[TargetExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    expected_annual_cost: str | float | list[str | float] | None
    #: At most.
    expected_annual_cost_max: float
    #: At least.
    expected_annual_cost_min: float
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    kind: Literal['current', 'proposed'] | list[Literal['current', 'proposed']] | None
    #: One of these, of up to 100.
    measure_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    minimum_value: str | float | list[str | float] | None
    #: At most.
    minimum_value_max: float
    #: At least.
    minimum_value_min: float
    #: One of these, of up to 100. null for none.
    stretch_value: str | float | list[str | float] | None
    #: At most.
    stretch_value_max: float
    #: At least.
    stretch_value_min: float
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    target_value: str | float | list[str | float] | None
    #: At most.
    target_value_max: float
    #: At least.
    target_value_min: float
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100.
    year: int | list[int] | None
    #: At most.
    year_max: int
    #: At least.
    year_min: int


class CalendarFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: CalendarSort | list[CalendarSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: CalendarField | list[CalendarField] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: Up to 8 words, all of which are in external_id, name together, without regard to accents and case; the last one may be the
    #: beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters or more
    #: that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    time_zone: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class JobPlanFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: JobPlanSort | list[JobPlanSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: JobPlanField | list[JobPlanField] | None
    #: Show {id, name} of these beside their ids.
    expand: JobPlanExpansion | list[JobPlanExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    code: str | float | list[str | float] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    estimated_cost: str | float | list[str | float] | None
    #: At most.
    estimated_cost_max: float
    #: At least.
    estimated_cost_min: float
    #: One of these, of up to 100. null for none.
    estimated_hours: str | float | list[str | float] | None
    #: At most.
    estimated_hours_max: float
    #: At least.
    estimated_hours_min: float
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    form_template_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: One of these, of up to 100.
    priority: Literal['low', 'medium', 'high', 'urgent'] | list[Literal['low', 'medium', 'high', 'urgent']] | None
    #: Up to 8 words, all of which are in external_id, name, code together, without regard to accents and case; the last one may
    #: be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters or
    #: more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    trade: str | float | list[str | float] | None
    #: One of these, of up to 100.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | list[Literal['corrective', 'preventive', 'inspection', 'emergency', 'other']] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class PMPlanFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: PMPlanSort | list[PMPlanSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: PMPlanField | list[PMPlanField] | None
    #: Show {id, name} of these beside their ids.
    expand: PMPlanExpansion | list[PMPlanExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    basis: Literal['fixed', 'floating'] | list[Literal['fixed', 'floating']] | None
    #: One of these, of up to 100. null for none.
    calendar_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    code: str | float | list[str | float] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    ends_on: str | float | list[str | float] | None
    #: On or after.
    ends_on_from: str
    #: On or before.
    ends_on_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    job_plan_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    last_done_on: str | float | list[str | float] | None
    #: On or after.
    last_done_on_from: str
    #: On or before.
    last_done_on_to: str
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    obligation: str | float | list[str | float] | None
    #: Up to 8 words, all of which are in external_id, name, code, obligation together, without regard to accents and case; the
    #: last one may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4
    #: letters or more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100.
    starts_on: str | float | list[str | float] | None
    #: On or after.
    starts_on_from: str
    #: On or before.
    starts_on_to: str
    #: One of these, of up to 100.
    status: Literal['draft', 'active', 'paused', 'ended'] | list[Literal['draft', 'active', 'paused', 'ended']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    team_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100.
    work_order_per: Literal['target', 'plan'] | list[Literal['target', 'plan']] | None


class SLAPolicyFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id.
    sort: SLAPolicySort | list[SLAPolicySort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: SLAPolicyField | list[SLAPolicyField] | None
    #: Show {id, name} of these beside their ids.
    expand: SLAPolicyExpansion | list[SLAPolicyExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    calendar_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    complete_minutes: str | float | list[str | float] | None
    #: At most.
    complete_minutes_max: int
    #: At least.
    complete_minutes_min: int
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    pause_on_hold: bool | list[bool] | None
    #: One of these, of up to 100.
    priority: Literal['low', 'medium', 'high', 'urgent'] | list[Literal['low', 'medium', 'high', 'urgent']] | None
    #: One of these, of up to 100. null for none.
    respond_minutes: str | float | list[str | float] | None
    #: At most.
    respond_minutes_max: int
    #: At least.
    respond_minutes_min: int
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other', 'null'] | list[Literal['corrective', 'preventive', 'inspection', 'emergency', 'other', 'null']] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class MeterFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: MeterSort | list[MeterSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: MeterField | list[MeterField] | None
    #: Show {id, name} of these beside their ids.
    expand: MeterExpansion | list[MeterExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    asset_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    building_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    kind: Literal['counter', 'gauge'] | list[Literal['counter', 'gauge']] | None
    #: Begins with.
    name: str
    #: Up to 8 words, all of which are in external_id, name together, without regard to accents and case; the last one may be the
    #: beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters or more
    #: that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100. null for none.
    segment_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    site_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    system_id: str | float | list[str | float] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    unit: Literal['h', 'min', 'km', 'mi', 'cycles', 'm3', 'L', 'kWh', 'GJ', 'kPa', 'degC', 'mm', '%'] | list[Literal['h', 'min', 'km', 'mi', 'cycles', 'm3', 'L', 'kWh', 'GJ', 'kPa', 'degC', 'mm', '%']] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class PriceIndexFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: PriceIndexSort | list[PriceIndexSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: PriceIndexField | list[PriceIndexField] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    code: str | float | list[str | float] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    is_default: bool | list[bool] | None
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: Up to 8 words, all of which are in external_id, name, code, source together, without regard to accents and case; the last
    #: one may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4
    #: letters or more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: Has one of these, of up to 50.
    service_categories: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other'] | list[Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class PriceIndexValueFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id.
    sort: PriceIndexValueSort | list[PriceIndexValueSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: PriceIndexValueField | list[PriceIndexValueField] | None
    #: Show {id, name} of these beside their ids.
    expand: PriceIndexValueExpansion | list[PriceIndexValueExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100.
    value: float | list[float] | None
    #: At most.
    value_max: float
    #: At least.
    value_min: float
    #: One of these, of up to 100.
    year: int | list[int] | None
    #: At most.
    year_max: int
    #: At least.
    year_min: int


class ProjectFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: ProjectSort | list[ProjectSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: ProjectField | list[ProjectField] | None
    #: Show {id, name} of these beside their ids.
    expand: ProjectExpansion | list[ProjectExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    actual_amount: str | float | list[str | float] | None
    #: At most.
    actual_amount_max: float
    #: At least.
    actual_amount_min: float
    #: One of these, of up to 100. null for none.
    actual_end_date: str | float | list[str | float] | None
    #: On or after.
    actual_end_date_from: str
    #: On or before.
    actual_end_date_to: str
    #: One of these, of up to 100. null for none.
    actual_start_date: str | float | list[str | float] | None
    #: On or after.
    actual_start_date_from: str
    #: On or before.
    actual_start_date_to: str
    #: One of these, of up to 100. null for none.
    budget_amount: str | float | list[str | float] | None
    #: At most.
    budget_amount_max: float
    #: At least.
    budget_amount_min: float
    #: One of these, of up to 100. null for none.
    building_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    code: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    committed_amount: str | float | list[str | float] | None
    #: At most.
    committed_amount_max: float
    #: At least.
    committed_amount_min: float
    #: One of these, of up to 100. null for none.
    contingency_pct: str | float | list[str | float] | None
    #: At most.
    contingency_pct_max: float
    #: At least.
    contingency_pct_min: float
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    department: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    estimate_amount: str | float | list[str | float] | None
    #: At most.
    estimate_amount_max: float
    #: At least.
    estimate_amount_min: float
    #: One of these, of up to 100. null for none.
    estimate_class: Literal['A', 'B', 'C', 'D', 'null'] | list[Literal['A', 'B', 'C', 'D', 'null']] | None
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    fiscal_year: str | float | list[str | float] | None
    #: At most.
    fiscal_year_max: int
    #: At least.
    fiscal_year_min: int
    #: One of these, of up to 100. null for none.
    forecast_amount: str | float | list[str | float] | None
    #: At most.
    forecast_amount_max: float
    #: At least.
    forecast_amount_min: float
    #: One of these, of up to 100.
    funding_confirmed: float | list[float] | None
    #: At most.
    funding_confirmed_max: float
    #: At least.
    funding_confirmed_min: float
    #: One of these, of up to 100. null for none.
    funding_gap: str | float | list[str | float] | None
    #: At most.
    funding_gap_max: float
    #: At least.
    funding_gap_min: float
    #: One of these, of up to 100. null for none.
    funding_surplus: str | float | list[str | float] | None
    #: At most.
    funding_surplus_max: float
    #: At least.
    funding_surplus_min: float
    #: One of these, of up to 100. null for none.
    health: Literal['on_track', 'at_risk', 'off_track', 'null'] | list[Literal['on_track', 'at_risk', 'off_track', 'null']] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    lifecycle_activity: Literal['maintenance', 'renewal', 'growth', 'service_improvement', 'disposal', 'non_infrastructure', 'null'] | list[Literal['maintenance', 'renewal', 'growth', 'service_improvement', 'disposal', 'non_infrastructure', 'null']] | None
    #: Projects with a link to this record: an asset, a segment, a building, a system, a site or a work order.
    linked_to: str
    #: One of these, of up to 100. null for none.
    manager_user_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    network_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    percent_complete: str | float | list[str | float] | None
    #: At most.
    percent_complete_max: float
    #: At least.
    percent_complete_min: float
    #: One of these, of up to 100. null for none.
    planned_end_date: str | float | list[str | float] | None
    #: On or after.
    planned_end_date_from: str
    #: On or before.
    planned_end_date_to: str
    #: One of these, of up to 100. null for none.
    planned_start_date: str | float | list[str | float] | None
    #: On or after.
    planned_start_date_from: str
    #: On or before.
    planned_start_date_to: str
    #: One of these, of up to 100. null for none.
    priority_score: str | float | list[str | float] | None
    #: At most.
    priority_score_max: float
    #: At least.
    priority_score_min: float
    #: One of these, of up to 100. null for none.
    project_type: Literal['renewal', 'replacement', 'rehabilitation', 'expansion', 'new_construction', 'upgrade', 'demolition', 'study', 'other', 'null'] | list[Literal['renewal', 'replacement', 'rehabilitation', 'expansion', 'new_construction', 'upgrade', 'demolition', 'study', 'other', 'null']] | None
    #: Up to 8 words, all of which are in external_id, name, code, department together, without regard to accents and case; the
    #: last one may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4
    #: letters or more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100. null for none.
    remaining: str | float | list[str | float] | None
    #: At most.
    remaining_max: float
    #: At least.
    remaining_min: float
    #: One of these, of up to 100. null for none.
    site_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    status: Literal['proposed', 'deferred', 'approved', 'in_progress', 'on_hold', 'completed', 'closed', 'cancelled'] | list[Literal['proposed', 'deferred', 'approved', 'in_progress', 'on_hold', 'completed', 'closed', 'cancelled']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100. null for none.
    variance: str | float | list[str | float] | None
    #: At most.
    variance_max: float
    #: At least.
    variance_min: float


class BudgetLineFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: BudgetLineSort | list[BudgetLineSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: BudgetLineField | list[BudgetLineField] | None
    #: Show {id, name} of these beside their ids.
    expand: BudgetLineExpansion | list[BudgetLineExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    account_code: str | float | list[str | float] | None
    #: One of these, of up to 100.
    actual_amount: float | list[float] | None
    #: At most.
    actual_amount_max: float
    #: At least.
    actual_amount_min: float
    #: One of these, of up to 100.
    budget_amount: float | list[float] | None
    #: At most.
    budget_amount_max: float
    #: At least.
    budget_amount_min: float
    #: One of these, of up to 100.
    category: Literal['planning', 'design', 'land', 'construction', 'equipment', 'contract_admin', 'contingency', 'other'] | list[Literal['planning', 'design', 'land', 'construction', 'equipment', 'contract_admin', 'contingency', 'other']] | None
    #: One of these, of up to 100.
    committed_amount: float | list[float] | None
    #: At most.
    committed_amount_max: float
    #: At least.
    committed_amount_min: float
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    fiscal_year: int | list[int] | None
    #: At most.
    fiscal_year_max: int
    #: At least.
    fiscal_year_min: int
    #: One of these, of up to 100. null for none.
    forecast_amount: str | float | list[str | float] | None
    #: At most.
    forecast_amount_max: float
    #: At least.
    forecast_amount_min: float
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: Up to 8 words, all of which are in external_id, account_code together, without regard to accents and case; the last one may
    #: be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters or
    #: more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100.
    remaining: float | list[float] | None
    #: At most.
    remaining_max: float
    #: At least.
    remaining_min: float
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100. null for none.
    variance: str | float | list[str | float] | None
    #: At most.
    variance_max: float
    #: At least.
    variance_min: float


class ProjectEffectFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id.
    sort: ProjectEffectSort | list[ProjectEffectSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: ProjectEffectField | list[ProjectEffectField] | None
    #: Show {id, name} of these beside their ids.
    expand: ProjectEffectExpansion | list[ProjectEffectExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace'] | list[Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']] | None
    #: One of these, of up to 100. null for none.
    result_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    state: Literal['planned', 'pending', 'applied', 'refused', 'withdrawn'] | list[Literal['planned', 'pending', 'applied', 'refused', 'withdrawn']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class FundingSourceFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: FundingSourceSort | list[FundingSourceSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: FundingSourceField | list[FundingSourceField] | None
    #: Show {id, name} of these beside their ids.
    expand: FundingSourceExpansion | list[FundingSourceExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    agreement_number: str | float | list[str | float] | None
    #: One of these, of up to 100.
    amount: float | list[float] | None
    #: At most.
    amount_max: float
    #: At least.
    amount_min: float
    #: One of these, of up to 100. null for none.
    confirmed_on: str | float | list[str | float] | None
    #: On or after.
    confirmed_on_from: str
    #: On or before.
    confirmed_on_to: str
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    expires_on: str | float | list[str | float] | None
    #: On or after.
    expires_on_from: str
    #: On or before.
    expires_on_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    fiscal_year: str | float | list[str | float] | None
    #: At most.
    fiscal_year_max: int
    #: At least.
    fiscal_year_min: int
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    name: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    program: str | float | list[str | float] | None
    #: Up to 8 words, all of which are in external_id, name, program, agreement_number together, without regard to accents and
    #: case; the last one may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A
    #: word of 4 letters or more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100. null for none.
    received_on: str | float | list[str | float] | None
    #: On or after.
    received_on_from: str
    #: On or before.
    received_on_to: str
    #: One of these, of up to 100. null for none.
    requested_on: str | float | list[str | float] | None
    #: On or after.
    requested_on_from: str
    #: On or before.
    requested_on_to: str
    #: One of these, of up to 100.
    source_type: Literal['levy', 'reserve', 'debt', 'development_charges', 'user_rates', 'ccbf', 'ocif', 'provincial_grant', 'federal_grant', 'donation', 'other'] | list[Literal['levy', 'reserve', 'debt', 'development_charges', 'user_rates', 'ccbf', 'ocif', 'provincial_grant', 'federal_grant', 'donation', 'other']] | None
    #: One of these, of up to 100.
    status: Literal['requested', 'confirmed', 'received', 'declined'] | list[Literal['requested', 'confirmed', 'received', 'declined']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class ProjectLinkFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: ProjectLinkSort | list[ProjectLinkSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: ProjectLinkField | list[ProjectLinkField] | None
    #: Show {id, name} of these beside their ids.
    expand: ProjectLinkExpansion | list[ProjectLinkExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: Up to 8 words, all of which are in external_id, note together, without regard to accents and case; the last one may be the
    #: beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters or more
    #: that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    target_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    target_type: Literal['asset', 'segment', 'building', 'system', 'site', 'work_order'] | list[Literal['asset', 'segment', 'building', 'system', 'site', 'work_order']] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class ProjectPhaseFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: ProjectPhaseSort | list[ProjectPhaseSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: ProjectPhaseField | list[ProjectPhaseField] | None
    #: Show {id, name} of these beside their ids.
    expand: ProjectPhaseExpansion | list[ProjectPhaseExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    actual_end_date: str | float | list[str | float] | None
    #: On or after.
    actual_end_date_from: str
    #: On or before.
    actual_end_date_to: str
    #: One of these, of up to 100. null for none.
    actual_start_date: str | float | list[str | float] | None
    #: On or after.
    actual_start_date_from: str
    #: On or before.
    actual_start_date_to: str
    #: One of these, of up to 100. null for none.
    budget_amount: str | float | list[str | float] | None
    #: At most.
    budget_amount_max: float
    #: At least.
    budget_amount_min: float
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    percent_complete: str | float | list[str | float] | None
    #: At most.
    percent_complete_max: float
    #: At least.
    percent_complete_min: float
    #: One of these, of up to 100. null for none.
    planned_end_date: str | float | list[str | float] | None
    #: On or after.
    planned_end_date_from: str
    #: On or before.
    planned_end_date_to: str
    #: One of these, of up to 100. null for none.
    planned_start_date: str | float | list[str | float] | None
    #: On or after.
    planned_start_date_from: str
    #: On or before.
    planned_start_date_to: str
    #: Up to 8 words, all of which are in external_id, name together, without regard to accents and case; the last one may be the
    #: beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters or more
    #: that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100. null for none.
    sequence: str | float | list[str | float] | None
    #: At most.
    sequence_max: int
    #: At least.
    sequence_min: int
    #: One of these, of up to 100.
    status: Literal['planned', 'in_progress', 'completed', 'cancelled'] | list[Literal['planned', 'in_progress', 'completed', 'cancelled']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class RequestLinkFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: RequestLinkSort | list[RequestLinkSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: RequestLinkField | list[RequestLinkField] | None
    #: Show {id, name} of these beside their ids.
    expand: RequestLinkExpansion | list[RequestLinkExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    asset_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    building_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    contact: Literal['no', 'optional', 'required'] | list[Literal['no', 'optional', 'required']] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    expires_on: str | float | list[str | float] | None
    #: On or after.
    expires_on_from: str
    #: On or before.
    expires_on_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: Up to 8 words, all of which are in external_id, name, name_fr together, without regard to accents and case; the last one
    #: may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters
    #: or more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: Has one of these, of up to 50.
    service_codes: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    site_id: str | float | list[str | float] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class RequestServiceFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: RequestServiceSort | list[RequestServiceSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: RequestServiceField | list[RequestServiceField] | None
    #: Show {id, name} of these beside their ids.
    expand: RequestServiceExpansion | list[RequestServiceExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    expected_days: str | float | list[str | float] | None
    #: At most.
    expected_days_max: int
    #: At least.
    expected_days_min: int
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    group: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: One of these, of up to 100.
    priority: Literal['low', 'medium', 'high', 'urgent'] | list[Literal['low', 'medium', 'high', 'urgent']] | None
    #: One of these, of up to 100.
    public: bool | list[bool] | None
    #: Up to 8 words, all of which are in external_id, service_code, name, name_fr together, without regard to accents and case;
    #: the last one may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word
    #: of 4 letters or more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100.
    service_code: str | float | list[str | float] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    team_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | list[Literal['corrective', 'preventive', 'inspection', 'emergency', 'other']] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class RequestFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: RequestSort | list[RequestSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: RequestField | list[RequestField] | None
    #: Show {id, name} of these beside their ids.
    expand: RequestExpansion | list[RequestExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    asset_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    building_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    deficiency_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    duplicate_of_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    ended_at: str | float | list[str | float] | None
    #: On or after.
    ended_at_from: str
    #: On or before.
    ended_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    infrastructure_deficiency_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    latitude: str | float | list[str | float] | None
    #: At most.
    latitude_max: float
    #: At least.
    latitude_min: float
    #: One of these, of up to 100. null for none.
    link_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    longitude: str | float | list[str | float] | None
    #: At most.
    longitude_max: float
    #: At least.
    longitude_min: float
    #: One of these, of up to 100. null for none.
    number: str | float | list[str | float] | None
    #: One of these, of up to 100.
    priority: Literal['low', 'medium', 'high', 'urgent'] | list[Literal['low', 'medium', 'high', 'urgent']] | None
    #: One of these, of up to 100.
    published: bool | list[bool] | None
    #: Up to 8 words, all of which are in external_id, title, number, description together, without regard to accents and case;
    #: the last one may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word
    #: of 4 letters or more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100. null for none.
    requester_email: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    segment_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    service_code: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    site_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    source: Literal['staff', 'link', 'open311', 'import'] | list[Literal['staff', 'link', 'open311', 'import']] | None
    #: One of these, of up to 100.
    status: Literal['submitted', 'accepted', 'rejected', 'duplicate', 'withdrawn', 'closed'] | list[Literal['submitted', 'accepted', 'rejected', 'duplicate', 'withdrawn', 'closed']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    title: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100. null for none.
    work_order_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    work_order_state: Literal['none', 'pending', 'linked', 'refused'] | list[Literal['none', 'pending', 'linked', 'refused']] | None


class SiteFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: SiteSort | list[SiteSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: SiteField | list[SiteField] | None
    #: Show {id, name} of these beside their ids.
    expand: SiteExpansion | list[SiteExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    city: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    code: str | float | list[str | float] | None
    #: One of these, of up to 100.
    country: str | float | list[str | float] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    land_area_m2: str | float | list[str | float] | None
    #: At most.
    land_area_m2_max: float
    #: At least.
    land_area_m2_min: float
    #: One of these, of up to 100. null for none.
    manager_user_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    out_of_use_on: str | float | list[str | float] | None
    #: On or after.
    out_of_use_on_from: str
    #: On or before.
    out_of_use_on_to: str
    #: One of these, of up to 100. null for none.
    ownership: Literal['owned', 'leased', 'licensed', 'joint_use', 'managed', 'null'] | list[Literal['owned', 'leased', 'licensed', 'joint_use', 'managed', 'null']] | None
    #: One of these, of up to 100. null for none.
    province: Literal['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT', 'null'] | list[Literal['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT', 'null']] | None
    #: Up to 8 words, all of which are in external_id, name, code, address_line1, city together, without regard to accents and
    #: case; the last one may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A
    #: word of 4 letters or more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100. null for none.
    service_category: Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other', 'null'] | list[Literal['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet', 'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other', 'null']] | None
    #: One of these, of up to 100. null for none.
    site_type: Literal['school', 'campus', 'park', 'recreation', 'works_yard', 'treatment_plant', 'landfill', 'office', 'housing', 'right_of_way', 'other', 'null'] | list[Literal['school', 'campus', 'park', 'recreation', 'works_yard', 'treatment_plant', 'landfill', 'office', 'housing', 'right_of_way', 'other', 'null']] | None
    #: One of these, of up to 100.
    status: Literal['planned', 'active', 'inactive', 'disposed'] | list[Literal['planned', 'active', 'inactive', 'disposed']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100. null for none.
    ward: str | float | list[str | float] | None


class SystemFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: SystemSort | list[SystemSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: SystemField | list[SystemField] | None
    #: Show {id, name} of these beside their ids.
    expand: SystemExpansion | list[SystemExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    building_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    category: Literal['substructure', 'shell', 'interiors', 'plumbing', 'hvac', 'fire_protection', 'electrical', 'conveying', 'controls', 'equipment_furnishings', 'special_construction', 'sitework', 'other', 'null'] | list[Literal['substructure', 'shell', 'interiors', 'plumbing', 'hvac', 'fire_protection', 'electrical', 'conveying', 'controls', 'equipment_furnishings', 'special_construction', 'sitework', 'other', 'null']] | None
    #: One of these, of up to 100. null for none.
    code: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    condition_rating: str | float | list[str | float] | None
    #: At most.
    condition_rating_max: int
    #: At least.
    condition_rating_min: int
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    deferred_maintenance_basis: Literal['typed', 'deficiencies', 'null'] | list[Literal['typed', 'deficiencies', 'null']] | None
    #: One of these, of up to 100. null for none.
    deferred_maintenance_cost: str | float | list[str | float] | None
    #: At most.
    deferred_maintenance_cost_max: float
    #: At least.
    deferred_maintenance_cost_min: float
    #: One of these, of up to 100.
    deficiencies_without_cost: int | list[int] | None
    #: At most.
    deficiencies_without_cost_max: int
    #: At least.
    deficiencies_without_cost_min: int
    #: One of these, of up to 100. null for none.
    expected_useful_life_years: str | float | list[str | float] | None
    #: At most.
    expected_useful_life_years_max: int
    #: At least.
    expected_useful_life_years_min: int
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    install_date: str | float | list[str | float] | None
    #: On or after.
    install_date_from: str
    #: On or before.
    install_date_to: str
    #: One of these, of up to 100. null for none.
    install_year: str | float | list[str | float] | None
    #: At most.
    install_year_max: int
    #: At least.
    install_year_min: int
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    out_of_use_on: str | float | list[str | float] | None
    #: On or after.
    out_of_use_on_from: str
    #: On or before.
    out_of_use_on_to: str
    #: Only those whose expected useful life is over (true) or is not over (false).
    past_useful_life: bool
    #: One of these, of up to 100. null for none.
    planned_renewal_year: str | float | list[str | float] | None
    #: At most.
    planned_renewal_year_max: int
    #: At least.
    planned_renewal_year_min: int
    #: Up to 8 words, all of which are in external_id, name, code, category together, without regard to accents and case; the last
    #: one may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4
    #: letters or more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100. null for none.
    replacement_cost: str | float | list[str | float] | None
    #: At most.
    replacement_cost_max: float
    #: At least.
    replacement_cost_min: float
    #: One of these, of up to 100. null for none.
    site_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    status: Literal['planned', 'in_service', 'out_of_service', 'decommissioned'] | list[Literal['planned', 'in_service', 'out_of_service', 'decommissioned']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: Begins with.
    uniformat_code: str
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class TeamFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: TeamSort | list[TeamSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: TeamField | list[TeamField] | None
    #: Show {id, name} of these beside their ids.
    expand: TeamExpansion | list[TeamExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    code: str | float | list[str | float] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    lead_user_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: Up to 8 words, all of which are in external_id, name, code together, without regard to accents and case; the last one may
    #: be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters or
    #: more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100.
    status: Literal['active', 'inactive'] | list[Literal['active', 'inactive']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: Has one of these, of up to 50.
    user_ids: str | float | list[str | float] | None


class UserFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: UserSort | list[UserSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: UserField | list[UserField] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    department: str | float | list[str | float] | None
    #: One of these, of up to 100.
    email: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    employee_number: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    job_title: str | float | list[str | float] | None
    #: One of these, of up to 100.
    locale: Literal['en-CA', 'fr-CA'] | list[Literal['en-CA', 'fr-CA']] | None
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: Up to 8 words, all of which are in external_id, email, name, employee_number together, without regard to accents and case;
    #: the last one may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word
    #: of 4 letters or more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100.
    role: Literal['administrator', 'manager', 'technician', 'viewer', 'requester'] | list[Literal['administrator', 'manager', 'technician', 'viewer', 'requester']] | None
    #: One of these, of up to 100.
    status: Literal['invited', 'active', 'suspended', 'removed'] | list[Literal['invited', 'active', 'suspended', 'removed']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    time_zone: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class VendorFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: VendorSort | list[VendorSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: VendorField | list[VendorField] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    code: str | float | list[str | float] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    insurance_expires_on: str | float | list[str | float] | None
    #: On or after.
    insurance_expires_on_from: str
    #: On or before.
    insurance_expires_on_to: str
    #: One of these, of up to 100.
    name: str | float | list[str | float] | None
    #: Up to 8 words, all of which are in external_id, name, code together, without regard to accents and case; the last one may
    #: be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters or
    #: more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: Has one of these, of up to 50.
    trades: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class WebhookEndpointFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: WebhookEndpointSort | list[WebhookEndpointSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: WebhookEndpointField | list[WebhookEndpointField] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: Has one of these, of up to 50.
    event_types: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    payload: Literal['full', 'thin'] | list[Literal['full', 'thin']] | None
    #: Up to 8 words, all of which are in external_id, url, description together, without regard to accents and case; the last one
    #: may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters
    #: or more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100.
    status: Literal['active', 'paused', 'disabled'] | list[Literal['active', 'paused', 'disabled']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100.
    url: str | float | list[str | float] | None


class WorkOrderFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: WorkOrderSort | list[WorkOrderSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: WorkOrderField | list[WorkOrderField] | None
    #: Show {id, name} of these beside their ids.
    expand: WorkOrderExpansion | list[WorkOrderExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    actual_cost: float | list[float] | None
    #: At most.
    actual_cost_max: float
    #: At least.
    actual_cost_min: float
    #: One of these, of up to 100.
    actual_hours: float | list[float] | None
    #: At most.
    actual_hours_max: float
    #: At least.
    actual_hours_min: float
    #: One of these, of up to 100. null for none.
    asset_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    assignee_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    building_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    cause_code: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    closed_at: str | float | list[str | float] | None
    #: On or after.
    closed_at_from: str
    #: On or before.
    closed_at_to: str
    #: One of these, of up to 100. null for none.
    complete_by: str | float | list[str | float] | None
    #: On or after.
    complete_by_from: str
    #: On or before.
    complete_by_to: str
    #: One of these, of up to 100. null for none.
    completed_at: str | float | list[str | float] | None
    #: On or after.
    completed_at_from: str
    #: On or before.
    completed_at_to: str
    #: One of these, of up to 100. null for none.
    connections_affected: str | float | list[str | float] | None
    #: At most.
    connections_affected_max: int
    #: At least.
    connections_affected_min: int
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    downtime_minutes: str | float | list[str | float] | None
    #: At most.
    downtime_minutes_max: int
    #: At least.
    downtime_minutes_min: int
    #: One of these, of up to 100. null for none.
    due_date: str | float | list[str | float] | None
    #: On or after.
    due_date_from: str
    #: On or before.
    due_date_to: str
    #: One of these, of up to 100. null for none.
    estimated_cost: str | float | list[str | float] | None
    #: At most.
    estimated_cost_max: float
    #: At least.
    estimated_cost_min: float
    #: One of these, of up to 100. null for none.
    estimated_hours: str | float | list[str | float] | None
    #: At most.
    estimated_hours_max: float
    #: At least.
    estimated_hours_min: float
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    form_template_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    job_plan_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    labour_cost: float | list[float] | None
    #: At most.
    labour_cost_max: float
    #: At least.
    labour_cost_min: float
    #: One of these, of up to 100.
    late_costs: int | list[int] | None
    #: At most.
    late_costs_max: int
    #: At least.
    late_costs_min: int
    #: One of these, of up to 100.
    material_cost: float | list[float] | None
    #: At most.
    material_cost_max: float
    #: At least.
    material_cost_min: float
    #: One of these, of up to 100. null for none.
    number: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    occurrence: str | float | list[str | float] | None
    #: One of these, of up to 100.
    other_cost: float | list[float] | None
    #: At most.
    other_cost_max: float
    #: At least.
    other_cost_min: float
    #: Only those that are open, in progress or on hold after their due_date (true), or only the others (false).
    overdue: bool
    #: One of these, of up to 100. null for none.
    pm_plan_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    priority: Literal['low', 'medium', 'high', 'urgent'] | list[Literal['low', 'medium', 'high', 'urgent']] | None
    #: One of these, of up to 100. null for none.
    problem_code: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    project_id: str | float | list[str | float] | None
    #: Up to 8 words, all of which are in external_id, title, number together, without regard to accents and case; the last one
    #: may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters
    #: or more that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100. null for none.
    remedy_code: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    requester_email: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    requester_name: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    resolution_hours: str | float | list[str | float] | None
    #: At most.
    resolution_hours_max: float
    #: At least.
    resolution_hours_min: float
    #: One of these, of up to 100. null for none.
    respond_by: str | float | list[str | float] | None
    #: On or after.
    respond_by_from: str
    #: On or before.
    respond_by_to: str
    #: One of these, of up to 100. null for none.
    response_hours: str | float | list[str | float] | None
    #: At most.
    response_hours_max: float
    #: At least.
    response_hours_min: float
    #: One of these, of up to 100. null for none.
    scheduled_end: str | float | list[str | float] | None
    #: On or after.
    scheduled_end_from: str
    #: On or before.
    scheduled_end_to: str
    #: One of these, of up to 100. null for none.
    scheduled_start: str | float | list[str | float] | None
    #: On or after.
    scheduled_start_from: str
    #: On or before.
    scheduled_start_to: str
    #: One of these, of up to 100. null for none.
    segment_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    site_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    sla_state: Literal['none', 'running', 'paused', 'met', 'missed'] | list[Literal['none', 'running', 'paused', 'met', 'missed']] | None
    #: One of these, of up to 100. null for none.
    started_at: str | float | list[str | float] | None
    #: On or after.
    started_at_from: str
    #: On or before.
    started_at_to: str
    #: One of these, of up to 100.
    status: Literal['open', 'in_progress', 'on_hold', 'completed', 'closed', 'cancelled'] | list[Literal['open', 'in_progress', 'on_hold', 'completed', 'closed', 'cancelled']] | None
    #: One of these, of up to 100. null for none.
    system_id: str | float | list[str | float] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    team_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    title: str | float | list[str | float] | None
    #: One of these, of up to 100.
    type: Literal['corrective', 'preventive', 'inspection', 'emergency', 'other'] | list[Literal['corrective', 'preventive', 'inspection', 'emergency', 'other']] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100. null for none.
    vendor_id: str | float | list[str | float] | None


class CommentFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: CommentSort | list[CommentSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: CommentField | list[CommentField] | None
    #: Show {id, name} of these beside their ids.
    expand: CommentExpansion | list[CommentExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: Up to 8 words, all of which are in external_id, body together, without regard to accents and case; the last one may be the
    #: beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters or more
    #: that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class CostFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id.
    sort: CostSort | list[CostSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: CostField | list[CostField] | None
    #: Show {id, name} of these beside their ids.
    expand: CostExpansion | list[CostExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    amount: str | float | list[str | float] | None
    #: At most.
    amount_max: float
    #: At least.
    amount_min: float
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    hours: str | float | list[str | float] | None
    #: At most.
    hours_max: float
    #: At least.
    hours_min: float
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    incurred_on: str | float | list[str | float] | None
    #: On or after.
    incurred_on_from: str
    #: On or before.
    incurred_on_to: str
    #: One of these, of up to 100. null for none.
    invoice_number: str | float | list[str | float] | None
    #: One of these, of up to 100.
    is_credit: bool | list[bool] | None
    #: One of these, of up to 100.
    kind: Literal['labour', 'material', 'contractor', 'other'] | list[Literal['labour', 'material', 'contractor', 'other']] | None
    #: One of these, of up to 100.
    late: bool | list[bool] | None
    #: One of these, of up to 100. null for none.
    part_number: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    quantity: str | float | list[str | float] | None
    #: At most.
    quantity_max: float
    #: At least.
    quantity_min: float
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    unit_cost: str | float | list[str | float] | None
    #: At most.
    unit_cost_max: float
    #: At least.
    unit_cost_min: float
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str
    #: One of these, of up to 100. null for none.
    user_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    vendor_id: str | float | list[str | float] | None


class WorkOrderEffectFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id.
    sort: WorkOrderEffectSort | list[WorkOrderEffectSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: WorkOrderEffectField | list[WorkOrderEffectField] | None
    #: Show {id, name} of these beside their ids.
    expand: WorkOrderEffectExpansion | list[WorkOrderEffectExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100.
    kind: Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace'] | list[Literal['close_deficiency', 'rate', 'read_meter', 'create_deficiency', 'create_work_order', 'close_request', 'replace']] | None
    #: One of these, of up to 100. null for none.
    result_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    state: Literal['planned', 'pending', 'applied', 'refused', 'withdrawn'] | list[Literal['planned', 'pending', 'applied', 'refused', 'withdrawn']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class WorkOrderTargetFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id.
    sort: WorkOrderTargetSort | list[WorkOrderTargetSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: WorkOrderTargetField | list[WorkOrderTargetField] | None
    #: Show {id, name} of these beside their ids.
    expand: WorkOrderTargetExpansion | list[WorkOrderTargetExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100. null for none.
    asset_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    building_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    position: str | float | list[str | float] | None
    #: At most.
    position_max: int
    #: At least.
    position_min: int
    #: One of these, of up to 100. null for none.
    result: Literal['done', 'not_done', 'na', 'null'] | list[Literal['done', 'not_done', 'na', 'null']] | None
    #: One of these, of up to 100. null for none.
    segment_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    share: float | list[float] | None
    #: At most.
    share_max: float
    #: At least.
    share_min: float
    #: One of these, of up to 100. null for none.
    site_id: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    system_id: str | float | list[str | float] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    target_id: str | float | list[str | float] | None
    #: One of these, of up to 100.
    target_type: Literal['asset', 'system', 'building', 'site', 'segment'] | list[Literal['asset', 'system', 'building', 'site', 'segment']] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class TaskFilters(TypedDict, total=False):
    #: From 1.
    page: int
    #: Records per page.
    per_page: int
    #: The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that
    #: stays as it is. Good for 24 hours, with the same filters and sort.
    cursor: str
    #: - before a key is for descending. Default: created_at, id. With q, relevance alone: the 200 best, whole codes first, then
    #: names, then what was found elsewhere.
    sort: TaskSort | list[TaskSort] | None
    #: Show these fields only. Records have no others then, although the schema of the response requires them.
    fields: TaskField | list[TaskField] | None
    #: Show {id, name} of these beside their ids.
    expand: TaskExpansion | list[TaskExpansion] | None
    #: With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, an apostrophe before texts that would be formulas;
    #: with Accept-Language: fr, semicolons and decimal commas.
    csv: Literal['excel']
    #: One of these, of up to 100.
    created_at: str | float | list[str | float] | None
    #: On or after.
    created_at_from: str
    #: On or before.
    created_at_to: str
    #: One of these, of up to 100. null for none.
    external_id: str | float | list[str | float] | None
    #: Up to 1000 ids.
    ids: str | float | list[str | float] | None
    #: One of these, of up to 100. null for none.
    position: str | float | list[str | float] | None
    #: At most.
    position_max: int
    #: At least.
    position_min: int
    #: Up to 8 words, all of which are in external_id, title together, without regard to accents and case; the last one may be the
    #: beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters or more
    #: that no record has is taken for those that differ by one letter; search.corrected says so.
    q: str
    #: One of these, of up to 100.
    required: bool | list[bool] | None
    #: One of these, of up to 100. null for none.
    result: Literal['pass', 'fail', 'na', 'null'] | list[Literal['pass', 'fail', 'na', 'null']] | None
    #: Has one of these, of up to 50.
    tags: str | float | list[str | float] | None
    #: One of these, of up to 100.
    title: str | float | list[str | float] | None
    #: One of these, of up to 100.
    updated_at: str | float | list[str | float] | None
    #: On or after.
    updated_at_from: str
    #: On or before.
    updated_at_to: str
    #: Records that changed at this time or later; a day is from its beginning.
    updated_since: str


class SearchFilters(TypedDict, total=False):
    #: Only these kinds of records; comma between several. Without it: all.
    kinds: Literal['site', 'building', 'system', 'project', 'network', 'los_service_area', 'asset', 'segment', 'deficiency', 'infrastructure_deficiency', 'work_order', 'request', 'pm_plan', 'meter', 'los_measure', 'vendor', 'team', 'user'] | list[Literal['site', 'building', 'system', 'project', 'network', 'los_service_area', 'asset', 'segment', 'deficiency', 'infrastructure_deficiency', 'work_order', 'request', 'pm_plan', 'meter', 'los_measure', 'vendor', 'team', 'user']] | None
    #: Records at most.
    limit: int
    #: Only records that are at this site. Kinds that are at no site are left out.
    site_id: str


EventsResult: TypeAlias = 'EventList'


class EventsFilters(TypedDict, total=False):
    #: Events at most.
    limit: int
    #: Types or patterns such as work_order.*; comma between several. Without it: all.
    types: str | float | list[str | float] | None
    #: Seconds to wait for an event where there is none yet.
    wait: int
