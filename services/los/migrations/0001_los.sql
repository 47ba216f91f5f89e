-- Service areas and what is measured in them.

-- +goose Up

CREATE TABLE service_area (
    organization_id      uuid        NOT NULL,
    id                   uuid        NOT NULL,
    position             bigint      NOT NULL,
    external_id          text        COLLATE "C",
    custom_fields        jsonb       NOT NULL DEFAULT '{}',
    tags                 jsonb       NOT NULL DEFAULT '[]',
    version              integer     NOT NULL DEFAULT 1,
    created_at           timestamptz NOT NULL,
    updated_at           timestamptz NOT NULL,
    created_by           jsonb       NOT NULL,
    updated_by           jsonb       NOT NULL,

    name                  text        COLLATE "und-x-icu" NOT NULL,
    code                  text        COLLATE "C",
    category              text        COLLATE "C",
    service_statement     text,
    service_statement_fr  text,
    owner_user_id         uuid,
    site_ids              jsonb       NOT NULL DEFAULT '[]',
    building_ids          jsonb       NOT NULL DEFAULT '[]',
    network_ids           jsonb       NOT NULL DEFAULT '[]',
    status                text        COLLATE "C" NOT NULL,
    -- What measures of O. Reg. 588/17 are divided by, and how an area's condition is assessed (section 5 (2) 3 v), in English and French.
    properties_connected  integer,
    condition_approach    text,
    condition_approach_fr text,

    external_id_key      text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key             text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key             text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('service_area');
CREATE UNIQUE INDEX service_area_position ON service_area (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX service_area_external_id_key ON service_area (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- Partial, though no name is NULL: columns of a full unique index count as a key, and a change of a key would wait for every
-- measure that is just being put into the area.
CREATE UNIQUE INDEX service_area_name_key ON service_area (organization_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX service_area_code_key ON service_area (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX service_area_by_updated_at ON service_area (organization_id, updated_at, id);
SELECT keep_terms('service_area', 'los_service_areas');
SELECT keep_custom_fields('service_area', 'los_service_areas');

CREATE TABLE measure (
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

    service_area_id uuid        NOT NULL,
    name            text        COLLATE "und-x-icu" NOT NULL,
    code            text        COLLATE "C",
    description     text,
    measure_type    text        COLLATE "C" NOT NULL,
    attribute       text        COLLATE "C",
    value_kind      text        COLLATE "C" NOT NULL,
    unit            text,
    direction       text        COLLATE "C" NOT NULL,
    frequency       text        COLLATE "C" NOT NULL,
    data_source     text        COLLATE "C" NOT NULL,
    computed_metric text        COLLATE "C",
    regulation_ref  text        COLLATE "C",
    tolerance_pct   numeric     NOT NULL,
    weight          numeric     NOT NULL,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT measure_service_area_id_fkey FOREIGN KEY (organization_id, service_area_id) REFERENCES service_area (organization_id, id),
    CONSTRAINT measure_computed_metric_check CHECK ((data_source = 'computed') = (computed_metric IS NOT NULL))
);
SELECT isolate('measure');
CREATE UNIQUE INDEX measure_position ON measure (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX measure_external_id_key ON measure (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- Partial for the same reason: a measure must be able to change while values are recorded for it. It also finds an area's.
CREATE UNIQUE INDEX measure_name_key ON measure (organization_id, service_area_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX measure_code_key ON measure (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX measure_service_area ON measure (organization_id, service_area_id, position);
CREATE INDEX measure_by_updated_at ON measure (organization_id, updated_at, id);
SELECT keep_terms('measure', 'los_measures');
SELECT keep_custom_fields('measure', 'los_measures');

-- What a measure should come to, and what it came to. Values are numeric: bands of tenths end where people think they do.
CREATE TABLE target (
    organization_id      uuid        NOT NULL,
    id                   uuid        NOT NULL,
    position             bigint      NOT NULL,
    external_id          text        COLLATE "C",
    custom_fields        jsonb       NOT NULL DEFAULT '{}',
    tags                 jsonb       NOT NULL DEFAULT '[]',
    version              integer     NOT NULL DEFAULT 1,
    created_at           timestamptz NOT NULL,
    updated_at           timestamptz NOT NULL,
    created_by           jsonb       NOT NULL,
    updated_by           jsonb       NOT NULL,

    measure_id           uuid        NOT NULL,
    year                 integer     NOT NULL,
    kind                 text        COLLATE "C" NOT NULL,
    target_value         numeric,
    target_text          text,
    minimum_value        numeric,
    stretch_value        numeric,
    rationale            text,
    expected_annual_cost numeric(15,2),

    external_id_key      text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    year_key             text        COLLATE "C" GENERATED ALWAYS AS (year::text) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT target_measure_id_fkey FOREIGN KEY (organization_id, measure_id) REFERENCES measure (organization_id, id)
);
SELECT isolate('target');
CREATE UNIQUE INDEX target_position ON target (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX target_external_id_key ON target (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX target_year_key ON target (organization_id, measure_id, kind, year_key);
-- The target that counts is one step into this index.
CREATE INDEX target_latest ON target (organization_id, measure_id, kind, year DESC);
CREATE INDEX target_by_updated_at ON target (organization_id, updated_at, id);
SELECT keep_custom_fields('target', 'los_targets');

-- A date as unique values are compared by; the cast to text is not immutable, because it follows a setting.
CREATE FUNCTION date_key(date) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN lpad(extract(year FROM $1)::integer::text, 4, '0') || '-' || lpad(extract(month FROM $1)::integer::text, 2, '0') || '-' || lpad(extract(day FROM $1)::integer::text, 2, '0');

CREATE TABLE measurement (
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

    measure_id       uuid        NOT NULL,
    period_start     date        NOT NULL,
    period_end       date        NOT NULL,
    value            numeric,
    value_text       text,
    note             text,
    evidence_url     text,

    external_id_key  text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    period_start_key text        COLLATE "C" GENERATED ALWAYS AS (date_key(period_start)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT measurement_measure_id_fkey FOREIGN KEY (organization_id, measure_id) REFERENCES measure (organization_id, id),
    CONSTRAINT measurement_period_end_check CHECK (period_end >= period_start)
);
SELECT isolate('measurement');
CREATE UNIQUE INDEX measurement_position ON measurement (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX measurement_external_id_key ON measurement (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX measurement_period_start_key ON measurement (organization_id, measure_id, period_end, period_start_key);
-- A measure's latest is one step into this index, the one before it two.
CREATE INDEX measurement_latest ON measurement (organization_id, measure_id, period_end DESC, period_start DESC);
CREATE INDEX measurement_by_updated_at ON measurement (organization_id, updated_at, id);
SELECT keep_custom_fields('measurement', 'los_measurements');
