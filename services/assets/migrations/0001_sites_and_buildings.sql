-- Sites and the buildings on them.
--
-- <field>_key columns hold what a unique value is compared by. They are columns, not index expressions, because under
-- row-level security only leakproof operators may use an index, and the functions inside unique_key are not leakproof.

-- +goose Up

CREATE TABLE site (
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
    site_type       text        COLLATE "C",
    status          text        COLLATE "C" NOT NULL,
    description     text,
    notes           text,
    address_line1   text,
    address_line2   text,
    city            text        COLLATE "und-x-icu",
    province        text        COLLATE "C",
    postal_code     text        COLLATE "C",
    country         text        COLLATE "C" NOT NULL,
    latitude        double precision,
    longitude       double precision,
    land_area_m2    double precision,
    ownership       text        COLLATE "C",
    ward            text        COLLATE "C",
    manager_user_id uuid,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT site_longitude_check CHECK ((latitude IS NULL) = (longitude IS NULL))
);
SELECT isolate('site');
CREATE UNIQUE INDEX site_position ON site (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX site_external_id_key ON site (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- Partial, though no name is NULL: columns of a full unique index count as a key, and a change of a key locks out every
-- row that is just being put onto the site.
CREATE UNIQUE INDEX site_name_key ON site (organization_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX site_code_key ON site (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX site_updated_at ON site (organization_id, updated_at);

CREATE TABLE building (
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

    site_id                    uuid        NOT NULL,
    name                       text        COLLATE "und-x-icu" NOT NULL,
    code                       text        COLLATE "C",
    building_type              text        COLLATE "C",
    status                     text        COLLATE "C" NOT NULL,
    description                text,
    notes                      text,
    year_built                 integer,
    year_renovated             integer,
    gross_floor_area_m2        double precision,
    floors_above_grade         integer,
    floors_below_grade         integer,
    capacity                   integer,
    address_line1              text,
    address_line2              text,
    city                       text        COLLATE "und-x-icu",
    province                   text        COLLATE "C",
    postal_code                text        COLLATE "C",
    country                    text        COLLATE "C",
    latitude                   double precision,
    longitude                  double precision,
    heritage_designated        boolean     NOT NULL,
    accessible                 boolean,
    ownership                  text        COLLATE "C",
    replacement_cost           numeric(15,2),
    replacement_cost_year      integer,
    expected_useful_life_years integer,
    criticality                text        COLLATE "C",

    external_id_key            text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key                   text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key                   text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT building_site_id_fkey FOREIGN KEY (organization_id, site_id) REFERENCES site (organization_id, id),
    CONSTRAINT building_year_renovated_check CHECK (year_renovated >= year_built),
    CONSTRAINT building_longitude_check CHECK ((latitude IS NULL) = (longitude IS NULL))
);
SELECT isolate('building');
CREATE UNIQUE INDEX building_position ON building (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX building_external_id_key ON building (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- Partial for the same reason: a building must be able to move while assets are put into it.
CREATE UNIQUE INDEX building_name_key ON building (organization_id, site_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX building_code_key ON building (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX building_updated_at ON building (organization_id, updated_at);
