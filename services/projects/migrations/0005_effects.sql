-- Effects of projects: what their completion does to records of other services.

-- +goose Up

CREATE TABLE project_effect (
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

    project_id      uuid        NOT NULL,
    kind            text        COLLATE "C" NOT NULL,
    payload         jsonb       NOT NULL,
    state           text        COLLATE "C" NOT NULL CHECK (state IN ('planned', 'pending', 'applied', 'refused', 'withdrawn')),
    result_id       uuid,
    message         text,
    cost            numeric(15,2), -- the part of the cost of its cause that a staged effect was told

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    -- At the end of the transaction: when a project is deleted, what was planned with its effects is told first.
    CONSTRAINT project_effect_project_id_fkey FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
        DEFERRABLE INITIALLY DEFERRED
);
SELECT isolate('project_effect');
CREATE UNIQUE INDEX project_effect_position ON project_effect (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX project_effect_external_id_key ON project_effect (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX project_effect_project ON project_effect (organization_id, project_id, position);
