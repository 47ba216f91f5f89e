-- Work orders. <field>_key columns hold what a unique value is compared by; see the assets service's first migration.

-- +goose Up

CREATE TABLE work_order (
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

    title            text        COLLATE "und-x-icu" NOT NULL,
    number           text        COLLATE "C",
    description      text,
    type             text        COLLATE "C" NOT NULL,
    priority         text        COLLATE "C" NOT NULL,
    status           text        COLLATE "C" NOT NULL,
    site_id          uuid,
    building_id      uuid,
    system_id        uuid,
    asset_id         uuid,
    segment_id       uuid,
    project_id       uuid,
    assignee_id      uuid,
    requester_name   text        COLLATE "und-x-icu",
    requester_email  text        COLLATE "C",
    due_date         date,
    scheduled_start  timestamptz,
    scheduled_end    timestamptz,
    started_at       timestamptz,
    completed_at     timestamptz,
    closed_at        timestamptz,
    hold_reason      text,
    cancel_reason    text,
    estimated_hours  numeric,
    estimated_cost   numeric(15,2),
    problem_code     text        COLLATE "C",
    cause_code       text        COLLATE "C",
    remedy_code      text        COLLATE "C",
    completion_notes text,
    downtime_minutes integer,

    -- Kept with every change of the costs (see totalCosts), so that lists sort by them and read them at no further price.
    actual_hours     numeric       NOT NULL DEFAULT 0,
    labour_cost      numeric(20,2) NOT NULL DEFAULT 0,
    material_cost    numeric(20,2) NOT NULL DEFAULT 0,
    other_cost       numeric(20,2) NOT NULL DEFAULT 0,
    actual_cost      numeric(20,2) GENERATED ALWAYS AS (labour_cost + material_cost + other_cost) STORED,

    external_id_key  text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    number_key       text        COLLATE "C" GENERATED ALWAYS AS (unique_key(number)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT work_order_hold_reason_check CHECK (status <> 'on_hold' OR hold_reason IS NOT NULL),
    CONSTRAINT work_order_cancel_reason_check CHECK (status <> 'cancelled' OR cancel_reason IS NOT NULL),
    CONSTRAINT work_order_scheduled_end_check CHECK (scheduled_end >= scheduled_start)
);
SELECT isolate('work_order');
CREATE UNIQUE INDEX work_order_position ON work_order (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX work_order_external_id_key ON work_order (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- Partial: work orders change while comments and costs are being added to them.
CREATE UNIQUE INDEX work_order_number_key ON work_order (organization_id, number_key) WHERE number_key IS NOT NULL;
CREATE INDEX work_order_status ON work_order (organization_id, status, position);
CREATE INDEX work_order_site ON work_order (organization_id, site_id, position) WHERE site_id IS NOT NULL;
CREATE INDEX work_order_building ON work_order (organization_id, building_id, position) WHERE building_id IS NOT NULL;
CREATE INDEX work_order_system ON work_order (organization_id, system_id, position) WHERE system_id IS NOT NULL;
CREATE INDEX work_order_asset ON work_order (organization_id, asset_id, position) WHERE asset_id IS NOT NULL;
CREATE INDEX work_order_segment ON work_order (organization_id, segment_id, position) WHERE segment_id IS NOT NULL;
CREATE INDEX work_order_project ON work_order (organization_id, project_id, position) WHERE project_id IS NOT NULL;
CREATE INDEX work_order_assignee ON work_order (organization_id, assignee_id, position);
CREATE INDEX work_order_started_at ON work_order (organization_id, started_at) WHERE started_at IS NOT NULL;
CREATE INDEX work_order_completed_at ON work_order (organization_id, completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX work_order_created_at ON work_order (organization_id, created_at);
CREATE INDEX work_order_updated_at ON work_order (organization_id, updated_at);
CREATE INDEX work_order_due_date ON work_order (organization_id, due_date) WHERE due_date IS NOT NULL;
-- The open ones are few among all that ever were: whoever counts or chases them looks at nothing else.
CREATE INDEX work_order_open ON work_order (organization_id, due_date) INCLUDE (site_id, building_id, system_id, asset_id, segment_id)
    WHERE status IN ('open', 'in_progress', 'on_hold');
