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

    name                 text        COLLATE "und-x-icu" NOT NULL,
    code                 text        COLLATE "C",
    category             text        COLLATE "C",
    service_statement    text,
    service_statement_fr text,
    owner_user_id        uuid,
    site_ids             jsonb       NOT NULL DEFAULT '[]',
    building_ids         jsonb       NOT NULL DEFAULT '[]',
    network_ids          jsonb       NOT NULL DEFAULT '[]',
    status               text        COLLATE "C" NOT NULL,

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
CREATE INDEX service_area_updated_at ON service_area (organization_id, updated_at);

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
CREATE INDEX measure_updated_at ON measure (organization_id, updated_at);
