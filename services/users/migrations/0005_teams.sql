-- Teams, to which work is given.

-- +goose Up

CREATE TABLE team (
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
    user_ids        jsonb       NOT NULL DEFAULT '[]',
    lead_user_id    uuid,
    status          text        COLLATE "C" NOT NULL,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT team_lead_user_id_fkey FOREIGN KEY (organization_id, lead_user_id) REFERENCES user_account (organization_id, id)
);
SELECT isolate('team');
CREATE UNIQUE INDEX team_position ON team (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX team_external_id_key ON team (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX team_name_key ON team (organization_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX team_code_key ON team (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX team_by_name ON team (organization_id, name, id);
CREATE INDEX team_by_updated_at ON team (organization_id, updated_at, id);
SELECT keep_terms('team', 'teams');
SELECT keep_custom_fields('team', 'teams');
