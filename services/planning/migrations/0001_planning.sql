-- Lifecycle planning: how classes of assets deteriorate, what can be done about it, and the scenarios in which that is calculated.

-- +goose Up

CREATE TABLE deterioration_model (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    position        bigint      NOT NULL,
    external_id     text        COLLATE "C",
    custom_fields   jsonb       NOT NULL DEFAULT '{}',
    tags            jsonb       NOT NULL DEFAULT '[]',
    version         integer     NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    created_by      jsonb       NOT NULL,
    updated_by      jsonb       NOT NULL,

    name              text        COLLATE "und-x-icu" NOT NULL,
    code              text        COLLATE "C",
    kind              text        COLLATE "C" NOT NULL,
    end_condition     numeric,
    exponent          numeric,
    points            jsonb       NOT NULL DEFAULT '[]',
    shape             numeric,
    median_life_years numeric,
    matrix            jsonb       NOT NULL DEFAULT '[]',
    mean_years        jsonb       NOT NULL DEFAULT '[]',
    median_years      jsonb       NOT NULL DEFAULT '[]',

    external_id_key   text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key          text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key          text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('deterioration_model');
CREATE UNIQUE INDEX deterioration_model_position ON deterioration_model (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX deterioration_model_external_id_key ON deterioration_model (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX deterioration_model_name_key ON deterioration_model (organization_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX deterioration_model_code_key ON deterioration_model (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX deterioration_model_by_updated_at ON deterioration_model (organization_id, updated_at, id);
SELECT keep_terms('deterioration_model', 'deterioration_models');
SELECT keep_custom_fields('deterioration_model', 'deterioration_models');

CREATE TABLE asset_class (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    position        bigint      NOT NULL,
    external_id     text        COLLATE "C",
    custom_fields   jsonb       NOT NULL DEFAULT '{}',
    tags            jsonb       NOT NULL DEFAULT '[]',
    version         integer     NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    created_by      jsonb       NOT NULL,
    updated_by      jsonb       NOT NULL,

    name                      text        COLLATE "und-x-icu" NOT NULL,
    code                      text        COLLATE "C",
    service_category          text        COLLATE "C" NOT NULL,
    applies_to                text        COLLATE "C" NOT NULL,
    match                     jsonb       NOT NULL DEFAULT '[]',
    priority                  integer     NOT NULL,
    default_useful_life_years integer,
    unit                      text        COLLATE "C",
    unit_cost                 numeric(15,2),
    price_year                integer,
    price_index_id            uuid,
    model_id                  uuid,
    failure_model_id          uuid,
    default_consequence       integer     NOT NULL,
    consequence_cost          numeric(15,2),
    failure_cost_pct          integer     NOT NULL,
    bands                     jsonb       NOT NULL DEFAULT '[]',
    condition_approach        text,
    condition_approach_fr     text,

    external_id_key           text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key                  text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key                  text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT asset_class_model_id_fkey FOREIGN KEY (organization_id, model_id) REFERENCES deterioration_model (organization_id, id),
    CONSTRAINT asset_class_failure_model_id_fkey FOREIGN KEY (organization_id, failure_model_id) REFERENCES deterioration_model (organization_id, id)
);
SELECT isolate('asset_class');
CREATE UNIQUE INDEX asset_class_position ON asset_class (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX asset_class_external_id_key ON asset_class (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX asset_class_name_key ON asset_class (organization_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX asset_class_code_key ON asset_class (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX asset_class_model ON asset_class (organization_id, model_id) WHERE model_id IS NOT NULL;
CREATE INDEX asset_class_failure_model ON asset_class (organization_id, failure_model_id) WHERE failure_model_id IS NOT NULL;
CREATE INDEX asset_class_by_updated_at ON asset_class (organization_id, updated_at, id);
CREATE INDEX asset_class_price_index ON asset_class (organization_id, price_index_id) WHERE price_index_id IS NOT NULL;
SELECT keep_terms('asset_class', 'asset_classes');
SELECT keep_custom_fields('asset_class', 'asset_classes');

CREATE TABLE treatment (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    position        bigint      NOT NULL,
    external_id     text        COLLATE "C",
    custom_fields   jsonb       NOT NULL DEFAULT '{}',
    tags            jsonb       NOT NULL DEFAULT '[]',
    version         integer     NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    created_by      jsonb       NOT NULL,
    updated_by      jsonb       NOT NULL,

    asset_class_id      uuid        NOT NULL,
    name                text        COLLATE "und-x-icu" NOT NULL,
    code                text        COLLATE "C",
    kind                text        COLLATE "C" NOT NULL,
    lifecycle_activity  text        COLLATE "C",
    cost_basis          text        COLLATE "C" NOT NULL,
    cost                numeric     NOT NULL,
    mobilization        numeric(15,2),
    price_year          integer,
    price_index_id      uuid,
    possible_when       jsonb, -- the field trigger
    effect              jsonb,
    clears_deferred_pct integer,

    external_id_key     text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key            text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key            text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT treatment_asset_class_id_fkey FOREIGN KEY (organization_id, asset_class_id) REFERENCES asset_class (organization_id, id)
);
SELECT isolate('treatment');
CREATE UNIQUE INDEX treatment_position ON treatment (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX treatment_external_id_key ON treatment (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX treatment_name_key ON treatment (organization_id, asset_class_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX treatment_code_key ON treatment (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX treatment_asset_class ON treatment (organization_id, asset_class_id);
CREATE INDEX treatment_by_updated_at ON treatment (organization_id, updated_at, id);
CREATE INDEX treatment_price_index ON treatment (organization_id, price_index_id) WHERE price_index_id IS NOT NULL;
SELECT keep_terms('treatment', 'treatments');
SELECT keep_custom_fields('treatment', 'treatments');

CREATE TABLE strategy (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    position        bigint      NOT NULL,
    external_id     text        COLLATE "C",
    custom_fields   jsonb       NOT NULL DEFAULT '{}',
    tags            jsonb       NOT NULL DEFAULT '[]',
    version         integer     NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    created_by      jsonb       NOT NULL,
    updated_by      jsonb       NOT NULL,

    asset_class_id  uuid        NOT NULL,
    name            text        COLLATE "und-x-icu" NOT NULL,
    treatment_ids   jsonb       NOT NULL DEFAULT '[]',
    is_default      boolean     NOT NULL,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT strategy_asset_class_id_fkey FOREIGN KEY (organization_id, asset_class_id) REFERENCES asset_class (organization_id, id)
);
SELECT isolate('strategy');
CREATE UNIQUE INDEX strategy_position ON strategy (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX strategy_external_id_key ON strategy (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX strategy_name_key ON strategy (organization_id, asset_class_id, name_key) WHERE name_key IS NOT NULL;
CREATE INDEX strategy_asset_class ON strategy (organization_id, asset_class_id);
CREATE INDEX strategy_by_updated_at ON strategy (organization_id, updated_at, id);
CREATE UNIQUE INDEX strategy_default ON strategy (organization_id, asset_class_id) WHERE is_default;
CREATE INDEX strategy_treatments ON strategy USING gin (treatment_ids jsonb_path_ops) WHERE treatment_ids <> '[]';
SELECT keep_terms('strategy', 'strategies');
SELECT keep_custom_fields('strategy', 'strategies');

CREATE TABLE scenario (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    position        bigint      NOT NULL,
    external_id     text        COLLATE "C",
    custom_fields   jsonb       NOT NULL DEFAULT '{}',
    tags            jsonb       NOT NULL DEFAULT '[]',
    version         integer     NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    created_by      jsonb       NOT NULL,
    updated_by      jsonb       NOT NULL,

    name                text        COLLATE "und-x-icu" NOT NULL,
    code                text        COLLATE "C",
    kind                text        COLLATE "C" NOT NULL,
    starts_on           date        NOT NULL,
    years               integer     NOT NULL,
    basis               text        COLLATE "C" NOT NULL,
    restricted_to       jsonb, -- the field filter
    strategies          jsonb       NOT NULL DEFAULT '[]',
    objective           text        COLLATE "C" NOT NULL,
    weight              text        COLLATE "C" NOT NULL,
    benefit_years       integer     NOT NULL,
    min_ratio           numeric     NOT NULL,
    inflation_pct       numeric     NOT NULL,
    discount_pct        numeric     NOT NULL,
    deferred_growth_pct numeric     NOT NULL,
    funds               jsonb       NOT NULL DEFAULT '[]',
    caps                jsonb       NOT NULL DEFAULT '[]',
    target              jsonb,
    overrides           jsonb       NOT NULL DEFAULT '[]',
    replications        integer     NOT NULL,
    seed                bigint,

    external_id_key     text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key            text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key            text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('scenario');
CREATE UNIQUE INDEX scenario_position ON scenario (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX scenario_external_id_key ON scenario (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX scenario_name_key ON scenario (organization_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX scenario_code_key ON scenario (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX scenario_by_updated_at ON scenario (organization_id, updated_at, id);
SELECT keep_terms('scenario', 'scenarios');
SELECT keep_custom_fields('scenario', 'scenarios');
