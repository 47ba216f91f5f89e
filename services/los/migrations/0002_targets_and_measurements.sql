-- What a measure should come to, and what it came to. Values are numeric: bands of tenths end where people think they do.

-- +goose Up

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
CREATE INDEX target_updated_at ON target (organization_id, updated_at);

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
CREATE INDEX measurement_updated_at ON measurement (organization_id, updated_at);
