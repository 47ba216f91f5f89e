-- +goose Up
CREATE TABLE shelf (
    organization_id uuid NOT NULL, id uuid NOT NULL, position bigint NOT NULL, external_id text COLLATE "C",
    external_id_key text COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    custom_fields jsonb NOT NULL, tags jsonb NOT NULL, version int NOT NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL,
    created_by jsonb NOT NULL, updated_by jsonb NOT NULL,
    name text COLLATE "und-x-icu" NOT NULL, name_key text COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('shelf');
CREATE UNIQUE INDEX shelf_position ON shelf (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX shelf_external_id_key ON shelf (organization_id, external_id_key);
CREATE UNIQUE INDEX shelf_name_key ON shelf (organization_id, name_key);

CREATE TABLE book (
    organization_id uuid NOT NULL, id uuid NOT NULL, position bigint NOT NULL, external_id text COLLATE "C",
    external_id_key text COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    custom_fields jsonb NOT NULL, tags jsonb NOT NULL, version int NOT NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL,
    created_by jsonb NOT NULL, updated_by jsonb NOT NULL,
    title text COLLATE "und-x-icu" NOT NULL, number text COLLATE "C", barcode text COLLATE "C",
    number_key text COLLATE "C" GENERATED ALWAYS AS (unique_key(number)) STORED,
    barcode_key text COLLATE "C" GENERATED ALWAYS AS (unique_key(barcode)) STORED,
    shelf_id uuid, sequel_to_id uuid, state text NOT NULL, genre text, place_on_shelf int, pages int, weight double precision, price numeric(15, 2), published_on date,
    signed boolean NOT NULL, class text COLLATE "C", authors jsonb NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT book_shelf_id_fkey FOREIGN KEY (organization_id, shelf_id) REFERENCES shelf (organization_id, id),
    CONSTRAINT book_sequel_to_id_fkey FOREIGN KEY (organization_id, sequel_to_id) REFERENCES book (organization_id, id)
);
SELECT isolate('book');
CREATE UNIQUE INDEX book_position ON book (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX book_external_id_key ON book (organization_id, external_id_key);
CREATE UNIQUE INDEX book_number_key ON book (organization_id, number_key);
CREATE UNIQUE INDEX book_barcode_key ON book (organization_id, barcode_key);
CREATE INDEX shelf_by_updated_at ON shelf (organization_id, updated_at, id);
CREATE INDEX book_by_title ON book (organization_id, title, id);
CREATE INDEX book_by_place_on_shelf ON book (organization_id, place_on_shelf, id);
CREATE INDEX book_by_pages ON book (organization_id, pages, id);
CREATE INDEX book_by_updated_at ON book (organization_id, updated_at, id);
