-- Assets and the assessments of their condition.

-- +goose Up

CREATE TABLE asset (
    organization_id            uuid        NOT NULL,
    id                         uuid        NOT NULL,
    position                   bigint      NOT NULL,
    external_id                text        COLLATE "C",
    custom_fields              jsonb       NOT NULL DEFAULT '{}',
    tags                       jsonb       NOT NULL DEFAULT '[]',
    version                    integer     NOT NULL DEFAULT 1,
    created_at                 timestamptz NOT NULL,
    updated_at                 timestamptz NOT NULL,
    created_by                 jsonb       NOT NULL,
    updated_by                 jsonb       NOT NULL,

    name                       text        COLLATE "und-x-icu" NOT NULL,
    asset_tag                  text        COLLATE "C",
    barcode                    text        COLLATE "C",
    serial_number              text        COLLATE "C",
    description                text,
    notes                      text,
    category                   text        COLLATE "C",
    uniformat_code             text        COLLATE "C",
    site_id                    uuid,
    building_id                uuid,
    system_id                  uuid,
    parent_asset_id            uuid,
    location                   text,
    status                     text        COLLATE "C" NOT NULL,
    manufacturer               text        COLLATE "und-x-icu",
    model                      text        COLLATE "und-x-icu",
    quantity                   double precision,
    unit                       text,
    install_date               date,
    install_year               integer,
    expected_useful_life_years integer,
    warranty_expires_on        date,
    replacement_cost           numeric(15,2),
    replacement_cost_year      integer,
    deferred_maintenance_cost  numeric(15,2),
    planned_renewal_year       integer,
    acquisition_cost           numeric(15,2),
    acquisition_date           date,
    residual_value             numeric(15,2),
    amortization_method        text        COLLATE "C" NOT NULL,
    disposed_on                date,
    disposal_proceeds          numeric(15,2),
    condition_rating           integer,
    condition_assessed_on      date,
    probability_of_failure     integer,
    consequence_of_failure     integer,
    responsible_user_id        uuid,
    meter_reading              double precision,
    meter_unit                 text,

    -- Stored, so that the riskiest are found by an index. The rule is figures.RiskScore; a test holds the two together.
    risk_score                 integer     GENERATED ALWAYS AS (coalesce(probability_of_failure, condition_rating) * consequence_of_failure) STORED,
    external_id_key            text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    asset_tag_key              text        COLLATE "C" GENERATED ALWAYS AS (unique_key(asset_tag)) STORED,
    barcode_key                text        COLLATE "C" GENERATED ALWAYS AS (unique_key(barcode)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT asset_site_id_fkey FOREIGN KEY (organization_id, site_id) REFERENCES site (organization_id, id),
    CONSTRAINT asset_building_id_fkey FOREIGN KEY (organization_id, building_id) REFERENCES building (organization_id, id),
    CONSTRAINT asset_system_id_fkey FOREIGN KEY (organization_id, system_id) REFERENCES system (organization_id, id),
    CONSTRAINT asset_parent_asset_id_fkey FOREIGN KEY (organization_id, parent_asset_id) REFERENCES asset (organization_id, id),
    CONSTRAINT asset_parent_asset_id_check CHECK (parent_asset_id <> id),
    CONSTRAINT asset_site_id_check CHECK (building_id IS NULL OR site_id IS NOT NULL),
    CONSTRAINT asset_disposed_on_check CHECK (status <> 'disposed' OR disposed_on IS NOT NULL)
);
SELECT isolate('asset');

-- Each index is paid for by every insert, so: what is often empty is left out where it is empty, lists filtered by one
-- value come in the list's own order, and what only leakproof operators could not use (money, text search) has none.
CREATE UNIQUE INDEX asset_position ON asset (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX asset_external_id_key ON asset (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX asset_asset_tag_key ON asset (organization_id, asset_tag_key) WHERE asset_tag_key IS NOT NULL;
CREATE UNIQUE INDEX asset_barcode_key ON asset (organization_id, barcode_key) WHERE barcode_key IS NOT NULL;
CREATE INDEX asset_serial_number ON asset (organization_id, serial_number) WHERE serial_number IS NOT NULL;
CREATE INDEX asset_site ON asset (organization_id, site_id, position) WHERE site_id IS NOT NULL;
CREATE INDEX asset_building ON asset (organization_id, building_id, position) WHERE building_id IS NOT NULL;
CREATE INDEX asset_system ON asset (organization_id, system_id, position) WHERE system_id IS NOT NULL;
CREATE INDEX asset_parent ON asset (organization_id, parent_asset_id) WHERE parent_asset_id IS NOT NULL;
CREATE INDEX asset_status ON asset (organization_id, status, position);
CREATE INDEX asset_category ON asset (organization_id, category, position) WHERE category IS NOT NULL;
CREATE INDEX asset_condition_rating ON asset (organization_id, condition_rating, position) WHERE condition_rating IS NOT NULL;
CREATE INDEX asset_risk_score ON asset (organization_id, risk_score) WHERE risk_score IS NOT NULL;
CREATE INDEX asset_uniformat_code ON asset (organization_id, uniformat_code) WHERE uniformat_code IS NOT NULL;
CREATE INDEX asset_planned_renewal_year ON asset (organization_id, planned_renewal_year) WHERE planned_renewal_year IS NOT NULL;
CREATE INDEX asset_warranty_expires_on ON asset (organization_id, warranty_expires_on) WHERE warranty_expires_on IS NOT NULL;
CREATE INDEX asset_responsible_user ON asset (organization_id, responsible_user_id) WHERE responsible_user_id IS NOT NULL;
CREATE INDEX asset_updated_at ON asset (organization_id, updated_at);

CREATE TABLE condition_assessment (
    organization_id           uuid        NOT NULL,
    id                        uuid        NOT NULL,
    position                  bigint      NOT NULL,
    external_id               text        COLLATE "C",
    custom_fields             jsonb       NOT NULL DEFAULT '{}',
    tags                      jsonb       NOT NULL DEFAULT '[]',
    version                   integer     NOT NULL DEFAULT 1,
    created_at                timestamptz NOT NULL,
    updated_at                timestamptz NOT NULL,
    created_by                jsonb       NOT NULL,
    updated_by                jsonb       NOT NULL,

    asset_id                  uuid        NOT NULL,
    assessed_on               date        NOT NULL,
    condition_rating          integer     NOT NULL,
    index_type                text        COLLATE "C",
    index_value               double precision,
    method                    text        COLLATE "C",
    assessor                  text        COLLATE "und-x-icu",
    replacement_cost          numeric(15,2),
    deferred_maintenance_cost numeric(15,2),
    defects                   jsonb       NOT NULL DEFAULT '[]',
    notes                     text,

    external_id_key           text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    -- An asset's assessments are part of it and go with it.
    CONSTRAINT condition_assessment_asset_id_fkey FOREIGN KEY (organization_id, asset_id) REFERENCES asset (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('condition_assessment');
CREATE UNIQUE INDEX condition_assessment_position ON condition_assessment (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX condition_assessment_external_id_key ON condition_assessment (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- The latest of an asset is one step into this index.
CREATE INDEX condition_assessment_latest ON condition_assessment (organization_id, asset_id, assessed_on DESC, position DESC);
