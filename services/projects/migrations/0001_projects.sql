-- Projects and what belongs to them.
--
-- <field>_key columns hold what a unique value is compared by. They are columns, not index expressions, because under
-- row-level security only leakproof operators may use an index, and the functions inside unique_key are not leakproof.

-- +goose Up

CREATE TABLE project (
    organization_id    uuid        NOT NULL,
    id                 uuid        NOT NULL,
    position           bigint      NOT NULL,
    external_id        text        COLLATE "C",
    custom_fields      jsonb       NOT NULL DEFAULT '{}',
    tags               jsonb       NOT NULL DEFAULT '[]',
    version            integer     NOT NULL DEFAULT 1,
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL,
    created_by         jsonb       NOT NULL,
    updated_by         jsonb       NOT NULL,

    name               text        COLLATE "und-x-icu" NOT NULL,
    code               text        COLLATE "C",
    project_type       text        COLLATE "C",
    lifecycle_activity text        COLLATE "C",
    status             text        COLLATE "C" NOT NULL,
    health             text        COLLATE "C",
    description        text,
    justification      text,
    site_id            uuid,
    building_id        uuid,
    network_id         uuid,
    manager_user_id    uuid,
    department         text        COLLATE "und-x-icu",
    fiscal_year        integer,
    planned_start_date date,
    planned_end_date   date,
    actual_start_date  date,
    actual_end_date    date,
    estimate_amount    numeric(15,2),
    estimate_class     text        COLLATE "C",
    contingency_pct    double precision,
    budget_amount      numeric(15,2),
    forecast_amount    numeric(15,2),
    committed_amount   numeric(15,2),
    actual_amount      numeric(15,2),
    percent_complete   double precision,
    priority_criteria  jsonb,
    -- The sum of the confirmed and received funding sources, kept by the service.
    funding_confirmed  numeric(15,2) NOT NULL DEFAULT 0,

    external_id_key    text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    code_key           text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT project_planned_end_date_check CHECK (planned_end_date >= planned_start_date),
    CONSTRAINT project_actual_end_date_check CHECK (actual_end_date >= actual_start_date)
);
SELECT isolate('project');
CREATE UNIQUE INDEX project_position ON project (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX project_external_id_key ON project (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX project_code_key ON project (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX project_status ON project (organization_id, status, position);
CREATE INDEX project_lifecycle_activity ON project (organization_id, lifecycle_activity, position) WHERE lifecycle_activity IS NOT NULL;
CREATE INDEX project_fiscal_year ON project (organization_id, fiscal_year, position) WHERE fiscal_year IS NOT NULL;
CREATE INDEX project_site ON project (organization_id, site_id, position) WHERE site_id IS NOT NULL;
CREATE INDEX project_building ON project (organization_id, building_id, position) WHERE building_id IS NOT NULL;
CREATE INDEX project_network ON project (organization_id, network_id, position) WHERE network_id IS NOT NULL;
CREATE INDEX project_manager_user ON project (organization_id, manager_user_id) WHERE manager_user_id IS NOT NULL;
CREATE INDEX project_by_name ON project (organization_id, name COLLATE "natural", id);
CREATE INDEX project_by_updated_at ON project (organization_id, updated_at, id);
SELECT keep_terms('project', 'projects');
SELECT keep_custom_fields('project', 'projects');

-- What follows is part of a project and goes with it.
CREATE TABLE project_phase (
    organization_id    uuid        NOT NULL,
    id                 uuid        NOT NULL,
    position           bigint      NOT NULL,
    external_id        text        COLLATE "C",
    custom_fields      jsonb       NOT NULL DEFAULT '{}',
    tags               jsonb       NOT NULL DEFAULT '[]',
    version            integer     NOT NULL DEFAULT 1,
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL,
    created_by         jsonb       NOT NULL,
    updated_by         jsonb       NOT NULL,

    project_id         uuid        NOT NULL,
    name               text        COLLATE "und-x-icu" NOT NULL,
    sequence           integer,
    status             text        COLLATE "C" NOT NULL,
    description        text,
    planned_start_date date,
    planned_end_date   date,
    actual_start_date  date,
    actual_end_date    date,
    budget_amount      numeric(15,2),
    percent_complete   double precision,
    notes              text,

    external_id_key    text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT project_phase_project_id_fkey FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id) ON DELETE CASCADE,
    CONSTRAINT project_phase_planned_end_date_check CHECK (planned_end_date >= planned_start_date),
    CONSTRAINT project_phase_actual_end_date_check CHECK (actual_end_date >= actual_start_date)
);
SELECT isolate('project_phase');
CREATE UNIQUE INDEX project_phase_position ON project_phase (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX project_phase_external_id_key ON project_phase (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX project_phase_project ON project_phase (organization_id, project_id, position);
SELECT keep_terms('project_phase', 'project_phases');

CREATE TABLE project_funding_source (
    organization_id  uuid        NOT NULL,
    id               uuid        NOT NULL,
    position         bigint      NOT NULL,
    external_id      text        COLLATE "C",
    custom_fields    jsonb       NOT NULL DEFAULT '{}',
    tags             jsonb       NOT NULL DEFAULT '[]',
    version          integer     NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    created_by       jsonb       NOT NULL,
    updated_by       jsonb       NOT NULL,

    project_id       uuid        NOT NULL,
    source_type      text        COLLATE "C" NOT NULL,
    name             text        COLLATE "und-x-icu",
    status           text        COLLATE "C" NOT NULL,
    amount           numeric(15,2) NOT NULL,
    fiscal_year      integer,
    program          text        COLLATE "und-x-icu",
    agreement_number text        COLLATE "C",
    requested_on     date,
    confirmed_on     date,
    received_on      date,
    expires_on       date,
    notes            text,

    external_id_key  text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT project_funding_source_project_id_fkey FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('project_funding_source');
CREATE UNIQUE INDEX project_funding_source_position ON project_funding_source (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX project_funding_source_external_id_key ON project_funding_source (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX project_funding_source_project ON project_funding_source (organization_id, project_id, position);
SELECT keep_terms('project_funding_source', 'project_funding_sources');

CREATE TABLE project_budget_line (
    organization_id  uuid        NOT NULL,
    id               uuid        NOT NULL,
    position         bigint      NOT NULL,
    external_id      text        COLLATE "C",
    custom_fields    jsonb       NOT NULL DEFAULT '{}',
    tags             jsonb       NOT NULL DEFAULT '[]',
    version          integer     NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    created_by       jsonb       NOT NULL,
    updated_by       jsonb       NOT NULL,

    project_id       uuid        NOT NULL,
    fiscal_year      integer     NOT NULL,
    category         text        COLLATE "C" NOT NULL,
    budget_amount    numeric(15,2) NOT NULL DEFAULT 0,
    forecast_amount  numeric(15,2),
    committed_amount numeric(15,2) NOT NULL DEFAULT 0,
    actual_amount    numeric(15,2) NOT NULL DEFAULT 0,
    account_code     text        COLLATE "C",
    notes            text,

    external_id_key  text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    fiscal_year_key  text        COLLATE "C" GENERATED ALWAYS AS (unique_key(fiscal_year::text)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT project_budget_line_project_id_fkey FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('project_budget_line');
CREATE UNIQUE INDEX project_budget_line_position ON project_budget_line (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX project_budget_line_external_id_key ON project_budget_line (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX project_budget_line_fiscal_year_key ON project_budget_line (organization_id, project_id, category, fiscal_year_key);
SELECT keep_terms('project_budget_line', 'project_budget_lines');

CREATE TABLE project_link (
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

    project_id      uuid        NOT NULL,
    target_type     text        COLLATE "C" NOT NULL,
    target_id       uuid        NOT NULL,
    note            text,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    target_id_key   text        COLLATE "C" GENERATED ALWAYS AS (unique_key(target_id::text)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT project_link_project_id_fkey FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('project_link');
CREATE UNIQUE INDEX project_link_position ON project_link (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX project_link_external_id_key ON project_link (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX project_link_target_id_key ON project_link (organization_id, project_id, target_type, target_id_key);
-- What an owner asks before it deletes a record.
CREATE INDEX project_link_target ON project_link (organization_id, target_id);
SELECT keep_terms('project_link', 'project_links');

-- Effects of projects: what their completion does to records of other services.
CREATE TABLE project_effect (
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

    project_id      uuid        NOT NULL,
    kind            text        COLLATE "C" NOT NULL,
    payload         jsonb       NOT NULL,
    state           text        COLLATE "C" NOT NULL CHECK (state IN ('planned', 'pending', 'applied', 'refused', 'withdrawn')),
    result_id       uuid,
    message         text,
    cost            numeric(15,2), -- the part of the cost of its cause that a staged effect was told

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    -- At the end of the transaction: when a project is deleted, what was planned with its effects is told first.
    CONSTRAINT project_effect_project_id_fkey FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
        DEFERRABLE INITIALLY DEFERRED
);
SELECT isolate('project_effect');
CREATE UNIQUE INDEX project_effect_position ON project_effect (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX project_effect_external_id_key ON project_effect (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX project_effect_project ON project_effect (organization_id, project_id, position);
