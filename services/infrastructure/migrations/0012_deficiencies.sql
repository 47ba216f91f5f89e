-- Deficiencies of segments. Deferred maintenance follows from them.

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

    segment_id         uuid        NOT NULL,
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
    CONSTRAINT deficiency_segment_id_fkey FOREIGN KEY (organization_id, segment_id) REFERENCES segment (organization_id, id)
);
SELECT isolate('deficiency');
CREATE UNIQUE INDEX deficiency_position ON deficiency (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX deficiency_external_id_key ON deficiency (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX deficiency_number_key ON deficiency (organization_id, number_key) WHERE number_key IS NOT NULL;
-- Figures are added up from this index alone.
CREATE INDEX deficiency_segment ON deficiency (organization_id, segment_id) INCLUDE (status, category, action_year, cost_year, estimated_cost, position);
CREATE INDEX deficiency_action_year ON deficiency (organization_id, action_year) WHERE action_year IS NOT NULL;
CREATE INDEX deficiency_work_order ON deficiency (organization_id, work_order_id) WHERE work_order_id IS NOT NULL;
CREATE INDEX deficiency_project ON deficiency (organization_id, project_id) WHERE project_id IS NOT NULL;
CREATE INDEX deficiency_by_updated_at ON deficiency (organization_id, updated_at, id);
SELECT keep_custom_fields('deficiency', 'infrastructure_deficiencies');
SELECT keep_facets('deficiency', 'infrastructure_deficiencies');
SELECT keep_terms('deficiency', 'infrastructure_deficiencies');

-- What was typed on the segment is kept while deferred maintenance follows from deficiencies, and comes back when it no longer does. The
-- program of the last release writes none of these columns.
ALTER TABLE segment
    ADD COLUMN typed_deferred_cost  numeric(15,2),
    ADD COLUMN typed_deferred_as_of date;

-- +goose Down
DROP TABLE deficiency;
ALTER TABLE segment DROP COLUMN typed_deferred_cost, DROP COLUMN typed_deferred_as_of;
