-- Templates of forms, forms that were filled in, and what became of failed items.

-- +goose Up

CREATE TABLE form_template (
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
    revision        integer     NOT NULL,
    description     text,
    status          text        COLLATE "C" NOT NULL,
    items           jsonb       NOT NULL DEFAULT '[]',
    effect_scopes   jsonb       NOT NULL DEFAULT '[]', -- of whoever published it
    published_at    timestamptz,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('form_template');
CREATE UNIQUE INDEX form_template_position ON form_template (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX form_template_external_id_key ON form_template (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- Partial, though no name is NULL: columns of a full unique index count as a key, and a change of a key would wait for every response
-- that is just being begun.
CREATE UNIQUE INDEX form_template_name_key ON form_template (organization_id, name_key, revision) WHERE name_key IS NOT NULL;
CREATE INDEX form_template_by_updated_at ON form_template (organization_id, updated_at, id);
SELECT keep_terms('form_template', 'form_templates');
SELECT keep_custom_fields('form_template', 'form_templates');

CREATE TABLE form_response (
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

    template_id     uuid        NOT NULL,
    name            text        COLLATE "und-x-icu" NOT NULL,
    site_id         uuid,
    building_id     uuid,
    system_id       uuid,
    asset_id        uuid,
    segment_id      uuid,
    work_order_id   uuid,
    answers         jsonb       NOT NULL DEFAULT '{}',
    status          text        COLLATE "C" NOT NULL,
    score           numeric(5,2),
    failed_items    jsonb       NOT NULL DEFAULT '[]',
    submitted_at    timestamptz,
    amends_id       uuid,
    amend_reason    text,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT form_response_template_id_fkey FOREIGN KEY (organization_id, template_id) REFERENCES form_template (organization_id, id),
    CONSTRAINT form_response_amends_id_fkey FOREIGN KEY (organization_id, amends_id) REFERENCES form_response (organization_id, id),
    CONSTRAINT form_response_subject_check CHECK (num_nonnulls(site_id, building_id, system_id, asset_id, segment_id) = 1),
    CONSTRAINT form_response_submitted_at_check CHECK ((status = 'submitted') = (submitted_at IS NOT NULL))
);
SELECT isolate('form_response');
CREATE UNIQUE INDEX form_response_position ON form_response (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX form_response_external_id_key ON form_response (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX form_response_amends ON form_response (organization_id, amends_id) WHERE amends_id IS NOT NULL;
CREATE INDEX form_response_template ON form_response (organization_id, template_id, position);
CREATE INDEX form_response_site ON form_response (organization_id, site_id, position) WHERE site_id IS NOT NULL;
CREATE INDEX form_response_building ON form_response (organization_id, building_id, position) WHERE building_id IS NOT NULL;
CREATE INDEX form_response_system ON form_response (organization_id, system_id, position) WHERE system_id IS NOT NULL;
CREATE INDEX form_response_asset ON form_response (organization_id, asset_id, position) WHERE asset_id IS NOT NULL;
CREATE INDEX form_response_segment ON form_response (organization_id, segment_id, position) WHERE segment_id IS NOT NULL;
CREATE INDEX form_response_work_order ON form_response (organization_id, work_order_id, position) WHERE work_order_id IS NOT NULL;
CREATE INDEX form_response_by_updated_at ON form_response (organization_id, updated_at, id);
SELECT keep_terms('form_response', 'form_responses');
SELECT keep_custom_fields('form_response', 'form_responses');

-- What items of submitted forms do to records of other services (package effects).
CREATE TABLE form_effect (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    response_id     uuid        NOT NULL,
    item_key        text        COLLATE "C" NOT NULL,
    kind            text        COLLATE "C" NOT NULL,
    payload         jsonb       NOT NULL,
    state           text        COLLATE "C" NOT NULL,
    result_id       uuid,
    message         text,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    answered_at     timestamptz,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT form_effect_response_id_fkey FOREIGN KEY (organization_id, response_id) REFERENCES form_response (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('form_effect');
CREATE INDEX form_effect_response ON form_effect (organization_id, response_id, id);
