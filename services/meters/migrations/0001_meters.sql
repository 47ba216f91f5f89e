-- Meters, their readings, and what is kept of them: the total of each meter and its sum of each day.

-- +goose Up

CREATE TABLE meter (
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
    site_id         uuid,
    building_id     uuid,
    system_id       uuid,
    asset_id        uuid,
    segment_id      uuid,
    kind            text        COLLATE "C" NOT NULL,
    unit            text        COLLATE "C" NOT NULL,
    rollover_at     numeric,
    minimum         numeric,
    maximum         numeric,

    record_id       uuid        GENERATED ALWAYS AS (coalesce(site_id, building_id, system_id, asset_id, segment_id)) STORED,
    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT meter_record_check CHECK (num_nonnulls(site_id, building_id, system_id, asset_id, segment_id) = 1)
);
SELECT isolate('meter');
CREATE UNIQUE INDEX meter_position ON meter (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX meter_external_id_key ON meter (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- Plans look meters up by record and name. Partial, though no name is NULL: columns of a full unique index count as a key, and a change
-- of a key would wait for every reading that is just being written.
CREATE UNIQUE INDEX meter_name_key ON meter (organization_id, record_id, name_key) WHERE name_key IS NOT NULL;
CREATE INDEX meter_site ON meter (organization_id, site_id, position) WHERE site_id IS NOT NULL;
CREATE INDEX meter_building ON meter (organization_id, building_id, position) WHERE building_id IS NOT NULL;
CREATE INDEX meter_system ON meter (organization_id, system_id, position) WHERE system_id IS NOT NULL;
CREATE INDEX meter_asset ON meter (organization_id, asset_id, position) WHERE asset_id IS NOT NULL;
CREATE INDEX meter_segment ON meter (organization_id, segment_id, position) WHERE segment_id IS NOT NULL;
CREATE INDEX meter_by_updated_at ON meter (organization_id, updated_at, id);
SELECT keep_terms('meter', 'meters');
SELECT keep_custom_fields('meter', 'meters');

-- Readings, in the meter's unit. usage is what was run since the reading before; day is the local day on which it counts. Readings and days
-- have no foreign key, which would be checked for each of millions: whoever writes them holds the lock of the meter's state, and whoever
-- deletes the meter deletes them behind it.
CREATE TABLE meter_reading (
    organization_id uuid          NOT NULL,
    meter_id        uuid          NOT NULL,
    read_at         timestamptz   NOT NULL,
    id              uuid          NOT NULL,
    value           numeric(18,6) NOT NULL,
    kind            text          COLLATE "C" NOT NULL,
    usage           numeric(18,6) NOT NULL,
    day             date          NOT NULL,
    flagged         boolean       NOT NULL,
    recorded_at     timestamptz   NOT NULL,
    recorded_by     jsonb         NOT NULL,
    PRIMARY KEY (organization_id, meter_id, read_at)
);
SELECT isolate('meter_reading');
CREATE INDEX meter_reading_flagged ON meter_reading (organization_id, meter_id, read_at) WHERE flagged;

-- One row for each meter, beside the meter: readings change it at every call, and make no new version of the meter.
CREATE TABLE meter_state (
    organization_id uuid        NOT NULL,
    meter_id        uuid        NOT NULL,
    readings        bigint      NOT NULL DEFAULT 0,
    total_usage     numeric     NOT NULL DEFAULT 0,
    latest_value    numeric(18,6),
    latest_read_at  timestamptz,
    latest_kind     text        COLLATE "C",
    PRIMARY KEY (organization_id, meter_id),
    CONSTRAINT meter_state_meter_id_fkey FOREIGN KEY (organization_id, meter_id) REFERENCES meter (organization_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);
SELECT isolate('meter_state');

-- What a counter has run on each local day.
CREATE TABLE meter_day (
    organization_id uuid    NOT NULL,
    meter_id        uuid    NOT NULL,
    day             date    NOT NULL,
    usage           numeric NOT NULL,
    PRIMARY KEY (organization_id, meter_id, day)
) WITH (fillfactor = 80);
SELECT isolate('meter_day');
