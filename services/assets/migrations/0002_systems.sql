-- A building's or a site's systems: its roof, its heating, its plumbing.

-- +goose Up

CREATE TABLE system (
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
    building_id                uuid,
    site_id                    uuid,
    code                       text        COLLATE "C",
    uniformat_code             text        COLLATE "C",
    category                   text        COLLATE "C",
    status                     text        COLLATE "C" NOT NULL,
    description                text,
    notes                      text,
    install_date               date,
    install_year               integer,
    expected_useful_life_years integer,
    replacement_cost           numeric(15,2),
    replacement_cost_year      integer,
    deferred_maintenance_cost  numeric(15,2),
    planned_renewal_year       integer,
    condition_rating           integer,

    external_id_key            text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key                   text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key                   text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT system_site_id_fkey FOREIGN KEY (organization_id, site_id) REFERENCES site (organization_id, id),
    CONSTRAINT system_building_id_fkey FOREIGN KEY (organization_id, building_id) REFERENCES building (organization_id, id),
    CONSTRAINT system_site_id_check CHECK (building_id IS NULL OR site_id IS NOT NULL)
);
SELECT isolate('system');
CREATE UNIQUE INDEX system_position ON system (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX system_external_id_key ON system (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- Unique within the building, else within the site, else within the organization.
CREATE UNIQUE INDEX system_name_key ON system (organization_id, coalesce(building_id, site_id, organization_id), name_key);
CREATE UNIQUE INDEX system_code_key ON system (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX system_site ON system (organization_id, site_id) WHERE site_id IS NOT NULL;
CREATE INDEX system_building ON system (organization_id, building_id) WHERE building_id IS NOT NULL;
CREATE INDEX system_updated_at ON system (organization_id, updated_at);
