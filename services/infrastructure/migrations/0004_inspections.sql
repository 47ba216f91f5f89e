-- Inspections of segments.

-- +goose Up

CREATE TABLE inspection (
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
    inspected_on       date        NOT NULL,
    method             text        COLLATE "C",
    index_type         text        COLLATE "C",
    index_value        double precision,
    condition_rating   integer,
    defects            jsonb       NOT NULL DEFAULT '[]',
    recommended_action text        COLLATE "C",
    estimated_cost     numeric(15,2),
    next_due_on        date,
    notes              text,

    external_id_key    text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT inspection_segment_id_fkey FOREIGN KEY (organization_id, segment_id) REFERENCES segment (organization_id, id)
);
SELECT isolate('inspection');
CREATE UNIQUE INDEX inspection_position ON inspection (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX inspection_external_id_key ON inspection (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- The latest of a segment is one step into this index.
CREATE INDEX inspection_latest ON inspection (organization_id, segment_id, inspected_on DESC, position DESC);
CREATE INDEX inspection_inspected_on ON inspection (organization_id, inspected_on);
CREATE INDEX inspection_next_due_on ON inspection (organization_id, next_due_on) WHERE next_due_on IS NOT NULL;
CREATE INDEX inspection_updated_at ON inspection (organization_id, updated_at);
