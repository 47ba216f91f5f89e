-- +goose Up
CREATE TABLE loan (
    organization_id uuid NOT NULL, id uuid NOT NULL, position bigint NOT NULL, external_id text COLLATE "C",
    external_id_key text COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    custom_fields jsonb NOT NULL, tags jsonb NOT NULL, version int NOT NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL,
    created_by jsonb NOT NULL, updated_by jsonb NOT NULL,
    name text COLLATE "und-x-icu" NOT NULL, state text NOT NULL, site_id uuid, building_id uuid, also_site_ids jsonb NOT NULL,
    target_type text, target_id uuid,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('loan');
CREATE UNIQUE INDEX loan_position ON loan (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX loan_external_id_key ON loan (organization_id, external_id_key);
