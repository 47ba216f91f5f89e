-- Deficiencies: what was found wrong with sites, buildings, systems and assets, what mending it would cost, and what became of it.

-- +goose Up

CREATE TABLE deficiency (
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

    site_id            uuid,
    building_id        uuid,
    system_id          uuid,
    asset_id           uuid,
    title              text        COLLATE "und-x-icu" NOT NULL,
    number             text        COLLATE "C",
    status             text        COLLATE "C" NOT NULL,
    uniformat_code     text        COLLATE "C",
    category           text        COLLATE "C" NOT NULL,
    priority           text        COLLATE "C",
    quantity           double precision,
    unit               text,
    estimated_cost     numeric(15,2),
    cost_class         text        COLLATE "C",
    cost_year          integer,
    action_year        integer,
    source             text        COLLATE "C" NOT NULL,
    source_id          uuid,
    found_on           date        NOT NULL,
    corrected_on       date,
    actual_cost        numeric(15,2),
    waive_reason       text,
    work_order_id      uuid,
    project_id         uuid,

    -- The rule is deficiencies.CountsAsDeferred; a test holds the two together.
    counts_as_deferred boolean     NOT NULL GENERATED ALWAYS AS (status IN ('open', 'planned', 'in_work')
        AND category IN ('deferred_maintenance', 'life_safety', 'code', 'environmental')) STORED,
    external_id_key    text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    number_key         text        COLLATE "C" GENERATED ALWAYS AS (unique_key(number)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT deficiency_site_id_fkey FOREIGN KEY (organization_id, site_id) REFERENCES site (organization_id, id),
    CONSTRAINT deficiency_building_id_fkey FOREIGN KEY (organization_id, building_id) REFERENCES building (organization_id, id),
    CONSTRAINT deficiency_system_id_fkey FOREIGN KEY (organization_id, system_id) REFERENCES system (organization_id, id),
    CONSTRAINT deficiency_asset_id_fkey FOREIGN KEY (organization_id, asset_id) REFERENCES asset (organization_id, id),
    CONSTRAINT deficiency_asset_id_check CHECK (num_nonnulls(site_id, building_id, system_id, asset_id) = 1)
);
SELECT isolate('deficiency');
CREATE UNIQUE INDEX deficiency_position ON deficiency (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX deficiency_external_id_key ON deficiency (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX deficiency_number_key ON deficiency (organization_id, number_key) WHERE number_key IS NOT NULL;
CREATE INDEX deficiency_site ON deficiency (organization_id, site_id) WHERE site_id IS NOT NULL;
CREATE INDEX deficiency_building ON deficiency (organization_id, building_id) WHERE building_id IS NOT NULL;
CREATE INDEX deficiency_system ON deficiency (organization_id, system_id) WHERE system_id IS NOT NULL;
CREATE INDEX deficiency_asset ON deficiency (organization_id, asset_id) WHERE asset_id IS NOT NULL;
CREATE INDEX deficiency_work_order ON deficiency (organization_id, work_order_id) WHERE work_order_id IS NOT NULL;
CREATE INDEX deficiency_project ON deficiency (organization_id, project_id) WHERE project_id IS NOT NULL;
CREATE INDEX deficiency_by_updated_at ON deficiency (organization_id, updated_at, id);
SELECT keep_facets('deficiency', 'deficiencies');
SELECT keep_terms('deficiency', 'deficiencies');
SELECT keep_custom_fields('deficiency', 'deficiencies');

-- +goose Down
DROP TABLE deficiency;
