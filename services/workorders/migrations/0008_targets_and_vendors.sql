-- Vendors and teams, several targets of one work order, credits and late costs, required tasks, calendars and service levels.

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

-- What is given back, and what comes when the work order is closed.
ALTER TABLE work_order_cost DROP COLUMN amount;
ALTER TABLE work_order_cost ALTER COLUMN unit_cost TYPE numeric; -- of 4 decimals at most, shown as it was sent
ALTER TABLE work_order_cost ADD COLUMN is_credit boolean NOT NULL DEFAULT false;
ALTER TABLE work_order_cost ADD COLUMN vendor_id uuid;
ALTER TABLE work_order_cost ADD COLUMN part_number text COLLATE "C";
ALTER TABLE work_order_cost ADD COLUMN invoice_number text COLLATE "C";
ALTER TABLE work_order_cost ADD COLUMN late boolean NOT NULL DEFAULT false;
-- Labour is paid by the hour, everything else by the piece; one piece where nothing is said. The rule is Cost.product's.
ALTER TABLE work_order_cost ADD COLUMN amount numeric(15,2) GENERATED ALWAYS AS (CASE WHEN is_credit THEN -1 ELSE 1 END *
    round(CASE kind WHEN 'labour' THEN hours ELSE coalesce(quantity, 1) END * unit_cost, 2)) STORED;
ALTER TABLE work_order_cost ADD CONSTRAINT work_order_cost_vendor_id_fkey FOREIGN KEY (organization_id, vendor_id) REFERENCES vendor (organization_id, id);
CREATE INDEX work_order_cost_vendor ON work_order_cost (organization_id, vendor_id) WHERE vendor_id IS NOT NULL;
ALTER TABLE work_order ADD COLUMN late_costs integer NOT NULL DEFAULT 0;

-- What must be done before the work order is completed, and why it was completed without.
ALTER TABLE work_order_task ADD COLUMN required boolean NOT NULL DEFAULT false;
ALTER TABLE work_order_task ADD COLUMN follow_up text;
ALTER TABLE work_order ADD COLUMN override_reason text;

-- What a work order is for, where that is several things or said one by one. The place columns are where a target was when it was named:
-- they hold their records as those of work orders do, and lists of work orders are filtered by them.
CREATE TABLE work_order_target (
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

    work_order_id   uuid          NOT NULL,
    target_type     text          COLLATE "C" NOT NULL,
    target_id       uuid          NOT NULL,
    target_position integer       NOT NULL,
    result          text          COLLATE "C",
    note            text,
    share           numeric       NOT NULL,
    site_id         uuid,
    building_id     uuid,
    system_id       uuid,
    asset_id        uuid,
    segment_id      uuid,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    target_id_key   text        COLLATE "C" GENERATED ALWAYS AS (target_id::text) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT work_order_target_work_order_id_fkey FOREIGN KEY (organization_id, work_order_id) REFERENCES work_order (organization_id, id) ON DELETE CASCADE,
    CONSTRAINT work_order_target_share_check CHECK (share > 0)
);
SELECT isolate('work_order_target');
CREATE UNIQUE INDEX work_order_target_position ON work_order_target (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX work_order_target_external_id_key ON work_order_target (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX work_order_target_target_id_key ON work_order_target (organization_id, work_order_id, target_id_key);
CREATE INDEX work_order_target_work_order ON work_order_target (organization_id, work_order_id, position) INCLUDE (target_position);
CREATE INDEX work_order_target_target ON work_order_target (organization_id, target_id);
CREATE INDEX work_order_target_site ON work_order_target (organization_id, site_id) INCLUDE (work_order_id) WHERE site_id IS NOT NULL;
CREATE INDEX work_order_target_building ON work_order_target (organization_id, building_id) INCLUDE (work_order_id) WHERE building_id IS NOT NULL;
CREATE INDEX work_order_target_system ON work_order_target (organization_id, system_id) INCLUDE (work_order_id) WHERE system_id IS NOT NULL;
CREATE INDEX work_order_target_asset ON work_order_target (organization_id, asset_id) INCLUDE (work_order_id) WHERE asset_id IS NOT NULL;
CREATE INDEX work_order_target_segment ON work_order_target (organization_id, segment_id) INCLUDE (work_order_id) WHERE segment_id IS NOT NULL;

-- How soon work is to be begun and done, and the hours by which that is counted.
CREATE TABLE calendar (
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
    time_zone       text        COLLATE "C" NOT NULL,
    week            jsonb       NOT NULL DEFAULT '[]',
    holidays        jsonb       NOT NULL DEFAULT '[]',

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('calendar');
CREATE UNIQUE INDEX calendar_position ON calendar (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX calendar_external_id_key ON calendar (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX calendar_name_key ON calendar (organization_id, name_key) WHERE name_key IS NOT NULL;
CREATE INDEX calendar_by_name ON calendar (organization_id, name, id);
CREATE INDEX calendar_by_updated_at ON calendar (organization_id, updated_at, id);
SELECT keep_terms('calendar', 'calendars');
SELECT keep_custom_fields('calendar', 'calendars');

CREATE TABLE sla_policy (
    organization_id  uuid        NOT NULL,
    id               uuid        NOT NULL,
    position         bigint      NOT NULL,
    external_id      text        COLLATE "C",
    custom_fields    jsonb       NOT NULL DEFAULT '{}',
    tags             jsonb       NOT NULL DEFAULT '[]',
    version          integer     NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    created_by       jsonb       NOT NULL,
    updated_by       jsonb       NOT NULL,

    priority         text        COLLATE "C" NOT NULL,
    type             text        COLLATE "C",
    calendar_id      uuid,
    respond_minutes  integer,
    complete_minutes integer,
    pause_on_hold    boolean     NOT NULL,

    external_id_key  text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    priority_key     text        COLLATE "C" GENERATED ALWAYS AS (unique_key(priority)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT sla_policy_calendar_id_fkey FOREIGN KEY (organization_id, calendar_id) REFERENCES calendar (organization_id, id)
);
SELECT isolate('sla_policy');
CREATE UNIQUE INDEX sla_policy_position ON sla_policy (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX sla_policy_external_id_key ON sla_policy (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX sla_policy_priority_key ON sla_policy (organization_id, coalesce(type, ''), priority_key);
CREATE INDEX sla_policy_by_updated_at ON sla_policy (organization_id, updated_at, id);
SELECT keep_custom_fields('sla_policy', 'sla_policies');

ALTER TABLE work_order ADD COLUMN respond_by timestamptz;
ALTER TABLE work_order ADD COLUMN complete_by timestamptz;
ALTER TABLE work_order ADD COLUMN sla_state text COLLATE "C" NOT NULL DEFAULT 'none';
ALTER TABLE work_order ADD COLUMN sla_calendar_id uuid;
ALTER TABLE work_order ADD COLUMN sla_pause_on_hold boolean NOT NULL DEFAULT false;
ALTER TABLE work_order ADD COLUMN sla_paused_at timestamptz;
ALTER TABLE work_order ADD COLUMN sla_paused_seconds integer NOT NULL DEFAULT 0;
-- When its service level is missed if nothing happens; NULL while its time does not run.
ALTER TABLE work_order ADD COLUMN sla_due_at timestamptz GENERATED ALWAYS AS (CASE WHEN sla_state = 'running' THEN
    least(CASE WHEN started_at IS NULL AND completed_at IS NULL THEN respond_by END, complete_by) END) STORED;
CREATE INDEX work_order_sla_due ON work_order (sla_due_at) WHERE sla_due_at IS NOT NULL; -- across organizations, for sla_due
CREATE INDEX work_order_sla_calendar ON work_order (organization_id, sla_calendar_id) WHERE sla_state IN ('running', 'paused');

-- sla_due gives work orders of all organizations whose time to be begun or done has passed, the longest ago first.
CREATE FUNCTION sla_due(most integer) RETURNS TABLE (organization_id uuid, id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT w.organization_id, w.id FROM work_order w WHERE w.sla_due_at <= statement_timestamp() ORDER BY w.sla_due_at LIMIT most
$$;
