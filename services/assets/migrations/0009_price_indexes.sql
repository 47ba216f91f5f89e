-- Price indexes, by which costs of different years are brought to the prices of one year.

-- +goose Up

CREATE TABLE price_index (
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
    source             text,
    service_categories jsonb       NOT NULL DEFAULT '[]',
    is_default         boolean     NOT NULL DEFAULT false,

    external_id_key    text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key           text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key           text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('price_index');
CREATE UNIQUE INDEX price_index_position ON price_index (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX price_index_external_id_key ON price_index (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- Partial, though no name is NULL: columns of a full unique index count as a key, and a change of a key would wait for every value that is
-- just being put into the index.
CREATE UNIQUE INDEX price_index_name_key ON price_index (organization_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX price_index_code_key ON price_index (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX price_index_by_updated_at ON price_index (organization_id, updated_at, id);
SELECT keep_terms('price_index', 'price_indexes');
SELECT keep_custom_fields('price_index', 'price_indexes');

-- What follows is part of an index and goes with it.

CREATE TABLE price_index_value (
    organization_id uuid          NOT NULL,
    id              uuid          NOT NULL,
    position        bigint        NOT NULL,
    external_id     text          COLLATE "C",
    custom_fields   jsonb         NOT NULL DEFAULT '{}',
    tags            jsonb         NOT NULL DEFAULT '[]',
    version         integer       NOT NULL DEFAULT 1,
    created_at      timestamptz   NOT NULL,
    updated_at      timestamptz   NOT NULL,
    created_by      jsonb         NOT NULL,
    updated_by      jsonb         NOT NULL,

    price_index_id  uuid          NOT NULL,
    year            integer       NOT NULL,
    value           numeric(12,4) NOT NULL,

    external_id_key text          COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    year_key        text          COLLATE "C" GENERATED ALWAYS AS (year::text) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT price_index_value_price_index_id_fkey FOREIGN KEY (organization_id, price_index_id) REFERENCES price_index (organization_id, id) ON DELETE CASCADE,
    CONSTRAINT price_index_value_value_check CHECK (value > 0)
);
SELECT isolate('price_index_value');
CREATE UNIQUE INDEX price_index_value_position ON price_index_value (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX price_index_value_external_id_key ON price_index_value (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX price_index_value_year_key ON price_index_value (organization_id, price_index_id, year_key);
