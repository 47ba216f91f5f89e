-- Networks of linear assets.
--
-- <field>_key columns hold what a unique value is compared by. They are columns, not index expressions, because under
-- row-level security only leakproof operators may use an index, and the functions inside unique_key are not leakproof.

-- +goose Up

CREATE TABLE network (
    organization_id          uuid        NOT NULL,
    id                       uuid        NOT NULL,
    position                 bigint      NOT NULL,
    external_id              text        COLLATE "C",
    custom_fields            jsonb       NOT NULL DEFAULT '{}',
    tags                     jsonb       NOT NULL DEFAULT '[]',
    version                  integer     NOT NULL DEFAULT 1,
    created_at               timestamptz NOT NULL,
    updated_at               timestamptz NOT NULL,
    created_by               jsonb       NOT NULL,
    updated_by               jsonb       NOT NULL,

    name                     text        COLLATE "und-x-icu" NOT NULL,
    code                     text        COLLATE "C",
    asset_class              text        COLLATE "C" NOT NULL,
    description              text,
    default_useful_life_years integer,
    default_unit_cost_per_m  numeric(15,2),
    criticality              text        COLLATE "C",

    external_id_key          text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key                 text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key                 text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('network');
CREATE UNIQUE INDEX network_position ON network (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX network_external_id_key ON network (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- Partial, though no name is NULL: columns of a full unique index count as a key, and a change of a key locks out every
-- segment that is just being put into the network.
CREATE UNIQUE INDEX network_name_key ON network (organization_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX network_code_key ON network (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX network_updated_at ON network (organization_id, updated_at);
