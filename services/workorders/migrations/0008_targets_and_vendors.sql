-- Vendors, and who else does the work.

-- +goose Up

CREATE TABLE vendor (
    organization_id      uuid        NOT NULL,
    id                   uuid        NOT NULL,
    position             bigint      NOT NULL,
    external_id          text        COLLATE "C",
    custom_fields        jsonb       NOT NULL DEFAULT '{}',
    tags                 jsonb       NOT NULL DEFAULT '[]',
    version              integer     NOT NULL DEFAULT 1,
    created_at           timestamptz NOT NULL,
    updated_at           timestamptz NOT NULL,
    created_by           jsonb       NOT NULL,
    updated_by           jsonb       NOT NULL,

    name                 text        COLLATE "und-x-icu" NOT NULL,
    code                 text        COLLATE "C",
    contact              text,
    trades               jsonb       NOT NULL DEFAULT '[]',
    insurance_expires_on date,

    external_id_key      text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key             text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key             text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('vendor');
CREATE UNIQUE INDEX vendor_position ON vendor (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX vendor_external_id_key ON vendor (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- Partial, though no name is NULL: columns of a full unique index count as a key, and a change of a key would wait for every work order
-- that is just being given to the vendor.
CREATE UNIQUE INDEX vendor_name_key ON vendor (organization_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX vendor_code_key ON vendor (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX vendor_by_name ON vendor (organization_id, name, id);
CREATE INDEX vendor_by_updated_at ON vendor (organization_id, updated_at, id);
SELECT keep_terms('vendor', 'vendors');
SELECT keep_custom_fields('vendor', 'vendors');

ALTER TABLE work_order ADD COLUMN team_id uuid;
ALTER TABLE work_order ADD COLUMN vendor_id uuid;
ALTER TABLE work_order ADD CONSTRAINT work_order_vendor_id_fkey FOREIGN KEY (organization_id, vendor_id) REFERENCES vendor (organization_id, id);
CREATE INDEX work_order_team ON work_order (organization_id, team_id, position) WHERE team_id IS NOT NULL;
CREATE INDEX work_order_vendor ON work_order (organization_id, vendor_id, position) WHERE vendor_id IS NOT NULL;
