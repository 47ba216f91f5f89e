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

-- Frozen inventories, and the runs of scenarios over them.
CREATE TABLE inventory (
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

    name            text        COLLATE "und-x-icu" NOT NULL,
    code            text        COLLATE "C",
    notes           text,
    state           text        COLLATE "C" NOT NULL,
    as_of           date,
    sources         jsonb       NOT NULL DEFAULT '[]',
    elements        integer     NOT NULL DEFAULT 0,
    left_out        integer     NOT NULL DEFAULT 0,
    counts          jsonb       NOT NULL DEFAULT '[]',
    sha256          text        COLLATE "C",
    problem         jsonb,
    ready_at        timestamptz,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    code_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('inventory');
CREATE UNIQUE INDEX inventory_position ON inventory (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX inventory_external_id_key ON inventory (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX inventory_code_key ON inventory (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX inventory_by_updated_at ON inventory (organization_id, updated_at, id);
SELECT keep_terms('inventory', 'planning_inventories');
SELECT keep_custom_fields('inventory', 'planning_inventories');

-- What was read, 1,000 lines of JSON in a block, gzipped; in the order of their ids. Block 0 has the places and the price indexes.
CREATE TABLE inventory_block (
    organization_id uuid    NOT NULL,
    inventory_id    uuid    NOT NULL,
    number          integer NOT NULL,
    first_id        uuid    NOT NULL,
    lines           bytea   NOT NULL,
    PRIMARY KEY (organization_id, inventory_id, number),
    FOREIGN KEY (organization_id, inventory_id) REFERENCES inventory (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('inventory_block');
ALTER TABLE inventory_block ALTER COLUMN lines SET STORAGE EXTERNAL;

CREATE TABLE run (
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

    name            text        COLLATE "und-x-icu" NOT NULL,
    code            text        COLLATE "C",
    notes           text,
    scenario_ids    jsonb       NOT NULL DEFAULT '[]',
    inventory_id    uuid        NOT NULL,
    state           text        COLLATE "C" NOT NULL,
    engine_version  text        COLLATE "C",
    input_sha256    text        COLLATE "C",
    result_sha256   text        COLLATE "C",
    problem         jsonb,
    started_at      timestamptz,
    finished_at     timestamptz,
    projects        integer     NOT NULL DEFAULT 0,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    code_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT run_inventory_id_fkey FOREIGN KEY (organization_id, inventory_id) REFERENCES inventory (organization_id, id)
);
SELECT isolate('run');
CREATE UNIQUE INDEX run_position ON run (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX run_external_id_key ON run (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX run_code_key ON run (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX run_inventory ON run (organization_id, inventory_id);
CREATE INDEX run_by_updated_at ON run (organization_id, updated_at, id);
CREATE INDEX run_scenarios ON run USING gin (scenario_ids jsonb_path_ops);
SELECT keep_terms('run', 'planning_runs');
SELECT keep_custom_fields('run', 'planning_runs');

-- What a run is calculated with: the catalogue and the scenarios as they were when it was ordered. It never changes.
CREATE TABLE run_definitions (
    organization_id uuid NOT NULL,
    run_id          uuid NOT NULL,
    definitions     json NOT NULL,
    PRIMARY KEY (organization_id, run_id),
    FOREIGN KEY (organization_id, run_id) REFERENCES run (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('run_definitions');

-- The parts of a result that are whole: replication 0 of a scenario is what was decided, with its figures by year; the others are what chance
-- made of that.
CREATE TABLE run_part (
    organization_id uuid    NOT NULL,
    run_id          uuid    NOT NULL,
    scenario        integer NOT NULL, -- its place in scenario_ids, from 0 on
    replication     integer NOT NULL,
    figures         json    NOT NULL,
    sha256          text    COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, run_id, scenario, replication),
    FOREIGN KEY (organization_id, run_id) REFERENCES run (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('run_part');

-- What became of 1,000 elements of a scenario by year (package engine), gzipped.
CREATE TABLE run_block (
    organization_id uuid    NOT NULL,
    run_id          uuid    NOT NULL,
    scenario        integer NOT NULL,
    number          integer NOT NULL,
    first_id        uuid    NOT NULL,
    outcomes        bytea   NOT NULL,
    PRIMARY KEY (organization_id, run_id, scenario, number),
    FOREIGN KEY (organization_id, run_id) REFERENCES run (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('run_block');
ALTER TABLE run_block ALTER COLUMN outcomes SET STORAGE EXTERNAL;

-- Projects that were made of what a run decided. What they are made of is under way when they are approved.
CREATE TABLE promotion (
    organization_id uuid    NOT NULL,
    run_id          uuid    NOT NULL,
    scenario        integer NOT NULL,
    year            integer NOT NULL,
    element_type    text    COLLATE "C" NOT NULL,
    element_id      uuid    NOT NULL,
    treatment_id    uuid, -- NULL: catching up on deferred maintenance
    project_id      uuid    NOT NULL,
    PRIMARY KEY (organization_id, run_id, scenario, year, element_id),
    FOREIGN KEY (organization_id, run_id) REFERENCES run (organization_id, id)
);
SELECT isolate('promotion');
CREATE INDEX promotion_element ON promotion (organization_id, element_id, year);

-- What waits to be done: reading an inventory, calculating a run. An organization's are done one after the other.
CREATE TABLE job (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL, -- of the inventory or the run
    kind            text        COLLATE "C" NOT NULL, -- inventory, run
    number          bigint      GENERATED ALWAYS AS IDENTITY,
    progress_pct    integer     NOT NULL DEFAULT 0,
    begun_at        timestamptz,
    due_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    attempts        integer     NOT NULL DEFAULT 0, -- that failed for no reason that is known
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('job');
CREATE INDEX job_number ON job (organization_id, number);

-- jobs_due gives the first job of each organization, if it is due.
-- +goose StatementBegin
CREATE FUNCTION jobs_due() RETURNS TABLE (organization_id uuid, id uuid, kind text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    WITH RECURSIVE first AS (
        (SELECT j.organization_id AS o FROM job j ORDER BY 1 LIMIT 1)
        UNION ALL
        SELECT (SELECT j.organization_id FROM job j WHERE j.organization_id > f.o ORDER BY 1 LIMIT 1) FROM first f WHERE f.o IS NOT NULL
    )
    SELECT n.organization_id, n.id, n.kind FROM first f
    CROSS JOIN LATERAL (SELECT j.* FROM job j WHERE j.organization_id = f.o ORDER BY j.number LIMIT 1) n
    WHERE n.due_at <= clock_timestamp() ORDER BY n.number
$$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$ BEGIN
    REVOKE ALL ON FUNCTION jobs_due() FROM PUBLIC;
    EXECUTE format('GRANT EXECUTE ON FUNCTION jobs_due() TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd
