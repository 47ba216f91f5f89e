-- +goose Up
-- Rooms are below sites, and corners below rooms; notes are on records of any of them, and pages below notes.
-- +goose StatementBegin
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['room', 'corner', 'note', 'page'] LOOP
        EXECUTE format('CREATE TABLE %I (
            organization_id uuid NOT NULL, id uuid NOT NULL, position bigint NOT NULL, external_id text COLLATE "C",
            external_id_key text COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
            custom_fields jsonb NOT NULL, tags jsonb NOT NULL, version int NOT NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL,
            created_by jsonb NOT NULL, updated_by jsonb NOT NULL, name text COLLATE "und-x-icu" NOT NULL, PRIMARY KEY (organization_id, id))', name);
        EXECUTE format('CREATE UNIQUE INDEX %I ON %I (organization_id, position) INCLUDE (id)', name || '_position', name);
        EXECUTE format('CREATE UNIQUE INDEX %I ON %I (organization_id, external_id_key)', name || '_external_id_key', name);
        EXECUTE format('CREATE INDEX %I ON %I (organization_id, updated_at, id)', name || '_by_updated_at', name);
        PERFORM isolate(name);
    END LOOP;
END $$;
-- +goose StatementEnd
ALTER TABLE room ADD COLUMN site_id uuid NOT NULL,
    ADD CONSTRAINT room_site_id_fkey FOREIGN KEY (organization_id, site_id) REFERENCES shelf (organization_id, id) ON DELETE CASCADE;
ALTER TABLE corner ADD COLUMN room_id uuid NOT NULL,
    ADD CONSTRAINT corner_room_id_fkey FOREIGN KEY (organization_id, room_id) REFERENCES room (organization_id, id) ON DELETE CASCADE;
ALTER TABLE note ADD COLUMN collection text NOT NULL, ADD COLUMN record_id uuid NOT NULL, ADD COLUMN state text NOT NULL;
ALTER TABLE page ADD COLUMN note_id uuid NOT NULL, ADD COLUMN copy_of_id uuid,
    ADD CONSTRAINT page_note_id_fkey FOREIGN KEY (organization_id, note_id) REFERENCES note (organization_id, id) ON DELETE CASCADE;
SELECT keep_custom_fields('note', 'notes');
SELECT keep_facets('note', 'notes');
SELECT keep_terms('note', 'notes');
