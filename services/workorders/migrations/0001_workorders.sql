-- Work orders. <field>_key columns hold what a unique value is compared by; see the assets service's.

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
CREATE INDEX vendor_by_name ON vendor (organization_id, name COLLATE "natural", id);
CREATE INDEX vendor_by_updated_at ON vendor (organization_id, updated_at, id);
SELECT keep_terms('vendor', 'vendors');
SELECT keep_custom_fields('vendor', 'vendors');

-- Preventive maintenance: job plans say what is done, PM plans when and on what, and each of their occurrences is made once.
CREATE TABLE job_plan (
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

    name             text        COLLATE "und-x-icu" NOT NULL,
    code             text        COLLATE "C",
    type             text        COLLATE "C" NOT NULL,
    priority         text        COLLATE "C" NOT NULL,
    estimated_hours  numeric,
    estimated_cost   numeric(15,2),
    trade            text        COLLATE "und-x-icu",
    safety           text,
    tasks            jsonb       NOT NULL DEFAULT '[]',
    materials        jsonb       NOT NULL DEFAULT '[]',
    form_template_id uuid,

    external_id_key  text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    code_key         text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('job_plan');
CREATE UNIQUE INDEX job_plan_position ON job_plan (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX job_plan_external_id_key ON job_plan (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX job_plan_code_key ON job_plan (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX job_plan_by_name ON job_plan (organization_id, name COLLATE "natural", id);
CREATE INDEX job_plan_by_updated_at ON job_plan (organization_id, updated_at, id);
SELECT keep_terms('job_plan', 'job_plans');
SELECT keep_custom_fields('job_plan', 'job_plans');

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
CREATE INDEX calendar_by_name ON calendar (organization_id, name COLLATE "natural", id);
CREATE INDEX calendar_by_updated_at ON calendar (organization_id, updated_at, id);
SELECT keep_terms('calendar', 'calendars');
SELECT keep_custom_fields('calendar', 'calendars');

CREATE TABLE pm_plan (
    organization_id     uuid        NOT NULL,
    id                  uuid        NOT NULL,
    position            bigint      NOT NULL,
    external_id         text        COLLATE "C",
    custom_fields       jsonb       NOT NULL DEFAULT '{}',
    tags                jsonb       NOT NULL DEFAULT '[]',
    version             integer     NOT NULL DEFAULT 1,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL,
    created_by          jsonb       NOT NULL,
    updated_by          jsonb       NOT NULL,

    name                text        COLLATE "und-x-icu" NOT NULL,
    code                text        COLLATE "C",
    status              text        COLLATE "C" NOT NULL,
    job_plan_id         uuid        NOT NULL,
    targets             jsonb       NOT NULL DEFAULT '[]',
    target_filter       jsonb,
    work_order_per      text        COLLATE "C" NOT NULL,
    basis               text        COLLATE "C" NOT NULL,
    time_zone           text        COLLATE "C",
    starts_on           date        NOT NULL,
    ends_on             date,
    due_by              jsonb       NOT NULL, -- the field trigger
    lead_days           integer     NOT NULL,
    in_time             jsonb,                -- the field window
    max_gap_months      integer,
    seasons             jsonb       NOT NULL DEFAULT '[]',
    exception_dates     jsonb       NOT NULL DEFAULT '[]',
    extra_dates         jsonb       NOT NULL DEFAULT '[]',
    calendar_id         uuid,
    non_working_day     text        COLLATE "C" NOT NULL,
    supersedes          jsonb       NOT NULL DEFAULT '[]',
    suppress_days       integer     NOT NULL,
    stack               boolean     NOT NULL,
    catch_up            text        COLLATE "C" NOT NULL,
    when_out_of_service text        COLLATE "C" NOT NULL,
    obligation          text,
    team_id             uuid,
    last_done_on        date,
    paused_because      text,

    -- The planner's own, of which there is no history: when it acts next (null: when something happens), how often it failed since it last
    -- could, from which day on it makes work, what somebody put on another day, and what the plan was for when it was last looked at.
    next_action_at      timestamptz,
    attempts            integer     NOT NULL DEFAULT 0,
    planned_from        date,
    moved               jsonb       NOT NULL DEFAULT '{}',
    target_count        integer     NOT NULL DEFAULT 0,
    target_sites        jsonb       NOT NULL DEFAULT '{}', -- how many targets are on each site
    -- Why occurrences were put on other days, by their names: those that are not made yet are listed with it.
    moved_because       jsonb       NOT NULL DEFAULT '{}',

    external_id_key     text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    code_key            text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT pm_plan_job_plan_id_fkey FOREIGN KEY (organization_id, job_plan_id) REFERENCES job_plan (organization_id, id),
    CONSTRAINT pm_plan_calendar_id_fkey FOREIGN KEY (organization_id, calendar_id) REFERENCES calendar (organization_id, id)
);
SELECT isolate('pm_plan');
CREATE UNIQUE INDEX pm_plan_position ON pm_plan (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX pm_plan_external_id_key ON pm_plan (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX pm_plan_code_key ON pm_plan (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX pm_plan_by_name ON pm_plan (organization_id, name COLLATE "natural", id);
CREATE INDEX pm_plan_by_updated_at ON pm_plan (organization_id, updated_at, id);
CREATE INDEX pm_plan_job_plan ON pm_plan (organization_id, job_plan_id);
CREATE INDEX pm_plan_calendar ON pm_plan (organization_id, calendar_id) WHERE calendar_id IS NOT NULL;
CREATE INDEX pm_plan_team ON pm_plan (organization_id, team_id) WHERE team_id IS NOT NULL;
CREATE INDEX pm_plan_supersedes ON pm_plan USING gin (supersedes jsonb_path_ops) WHERE supersedes <> '[]';
-- What is due, of all organizations: the planner looks at nothing else.
CREATE INDEX pm_plan_due ON pm_plan (next_action_at) WHERE next_action_at IS NOT NULL;
SELECT keep_terms('pm_plan', 'pm_plans');
SELECT keep_custom_fields('pm_plan', 'pm_plans');

-- work_ended_at is when a work order ended: NULL where it has not.
CREATE FUNCTION work_ended_at(status text, closed_at timestamptz, completed_at timestamptz, updated_at timestamptz) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN status IN ('completed', 'closed', 'cancelled') THEN coalesce(closed_at, completed_at, updated_at) END;

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
    actual_hours         numeric       NOT NULL DEFAULT 0,
    labour_cost          numeric(20,2) NOT NULL DEFAULT 0,
    material_cost        numeric(20,2) NOT NULL DEFAULT 0,
    other_cost           numeric(20,2) NOT NULL DEFAULT 0,
    -- How many connections were without service, for the connection-days that O. Reg. 588/17 asks for.
    connections_affected integer,
    team_id              uuid,
    vendor_id            uuid,
    late_costs           integer     NOT NULL DEFAULT 0,
    override_reason      text,
    respond_by           timestamptz,
    complete_by          timestamptz,
    sla_state            text        COLLATE "C" NOT NULL DEFAULT 'none',
    sla_calendar_id      uuid,
    sla_pause_on_hold    boolean     NOT NULL DEFAULT false,
    sla_paused_at        timestamptz,
    sla_paused_seconds   integer     NOT NULL DEFAULT 0,
    job_plan_id          uuid,
    job_plan_version     integer,
    safety               text,
    materials            jsonb       NOT NULL DEFAULT '[]',
    form_template_id     uuid,
    pm_plan_id           uuid,
    occurrence           text        COLLATE "C",
    -- The request that a work order was made for, or that was accepted with it first.
    request_id           uuid,
    -- When work was asked for, of work orders that another system had before.
    requested_at         timestamptz,
    -- When its service level is missed if nothing happens; NULL while its time does not run.
    sla_due_at           timestamptz GENERATED ALWAYS AS (CASE WHEN sla_state = 'running' THEN
        least(CASE WHEN started_at IS NULL AND completed_at IS NULL THEN respond_by END, complete_by) END) STORED,
    actual_cost          numeric(20,2) GENERATED ALWAYS AS (labour_cost + material_cost + other_cost) STORED,

    external_id_key  text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    number_key       text        COLLATE "C" GENERATED ALWAYS AS (unique_key(number)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT work_order_hold_reason_check CHECK (status <> 'on_hold' OR hold_reason IS NOT NULL),
    CONSTRAINT work_order_cancel_reason_check CHECK (status <> 'cancelled' OR cancel_reason IS NOT NULL),
    CONSTRAINT work_order_scheduled_end_check CHECK (scheduled_end >= scheduled_start),
    CONSTRAINT work_order_vendor_id_fkey FOREIGN KEY (organization_id, vendor_id) REFERENCES vendor (organization_id, id),
    CONSTRAINT work_order_job_plan_id_fkey FOREIGN KEY (organization_id, job_plan_id) REFERENCES job_plan (organization_id, id),
    CONSTRAINT work_order_pm_plan_id_fkey FOREIGN KEY (organization_id, pm_plan_id) REFERENCES pm_plan (organization_id, id)
-- Every page has room for the new rows of some updates, so that these stay beside what they replace. A fiftieth of the table, not a fifth, may be
-- dead: of a hundred million rows a fifth takes a VACUUM of hours.
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02);
SELECT isolate('work_order');
CREATE UNIQUE INDEX work_order_position ON work_order (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX work_order_external_id_key ON work_order (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- Partial: work orders change while comments and costs are being added to them.
CREATE UNIQUE INDEX work_order_number_key ON work_order (organization_id, number_key) WHERE number_key IS NOT NULL;
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
-- The open ones are few among all that ever were: whoever counts or chases them looks at nothing else.
CREATE INDEX work_order_open ON work_order (organization_id, due_date) INCLUDE (site_id, building_id, system_id, asset_id, segment_id)
    WHERE status IN ('open', 'in_progress', 'on_hold');
CREATE INDEX work_order_by_title ON work_order (organization_id, title COLLATE "natural", id);
CREATE INDEX work_order_by_due_date ON work_order (organization_id, due_date, id);
CREATE INDEX work_order_by_updated_at ON work_order (organization_id, updated_at, id);
CREATE INDEX work_order_team ON work_order (organization_id, team_id, position) WHERE team_id IS NOT NULL;
CREATE INDEX work_order_vendor ON work_order (organization_id, vendor_id, position) WHERE vendor_id IS NOT NULL;
CREATE INDEX work_order_sla_due ON work_order (sla_due_at) WHERE sla_due_at IS NOT NULL; -- across organizations, for sla_due
CREATE INDEX work_order_sla_calendar ON work_order (organization_id, sla_calendar_id) WHERE sla_state IN ('running', 'paused');
CREATE INDEX work_order_job_plan ON work_order (organization_id, job_plan_id, position) WHERE job_plan_id IS NOT NULL;
CREATE INDEX work_order_pm_plan ON work_order (organization_id, pm_plan_id, position) WHERE pm_plan_id IS NOT NULL;
CREATE INDEX work_order_contacts ON work_order (organization_id, work_ended_at(status, closed_at, completed_at, updated_at))
    WHERE num_nonnulls(requester_name, requester_email) > 0;
CREATE INDEX work_order_request ON work_order (organization_id, request_id, position) WHERE request_id IS NOT NULL;
SELECT keep_terms('work_order', 'work_orders');
SELECT keep_custom_fields('work_order', 'work_orders');

-- What a work order consists of besides its own fields: comments, tasks and costs. They go with it.
CREATE TABLE work_order_comment (
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

    work_order_id   uuid        NOT NULL,
    body            text        NOT NULL,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT work_order_comment_work_order_id_fkey FOREIGN KEY (organization_id, work_order_id) REFERENCES work_order (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('work_order_comment');
CREATE UNIQUE INDEX work_order_comment_position ON work_order_comment (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX work_order_comment_external_id_key ON work_order_comment (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX work_order_comment_work_order ON work_order_comment (organization_id, work_order_id, position);
SELECT keep_terms('work_order_comment', 'work_order_comments');

CREATE TABLE work_order_task (
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

    work_order_id   uuid        NOT NULL,
    title           text        COLLATE "und-x-icu" NOT NULL,
    task_position   integer     NOT NULL, -- where the task stands among those of its work order
    result          text        COLLATE "C",
    note            text,
    -- What must be done before the work order is completed, and why it was completed without.
    required        boolean     NOT NULL DEFAULT false,
    follow_up       text,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT work_order_task_work_order_id_fkey FOREIGN KEY (organization_id, work_order_id) REFERENCES work_order (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('work_order_task');
CREATE UNIQUE INDEX work_order_task_position ON work_order_task (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX work_order_task_external_id_key ON work_order_task (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX work_order_task_work_order ON work_order_task (organization_id, work_order_id, position) INCLUDE (task_position);
SELECT keep_terms('work_order_task', 'work_order_tasks');

CREATE TABLE work_order_cost (
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

    work_order_id   uuid        NOT NULL,
    kind            text        COLLATE "C" NOT NULL,
    quantity        numeric,
    unit_cost       numeric, -- of 4 decimals at most, shown as it was sent
    hours           numeric,
    user_id         uuid,
    incurred_on     date,
    is_credit       boolean     NOT NULL DEFAULT false,
    vendor_id       uuid,
    part_number     text        COLLATE "C",
    invoice_number  text        COLLATE "C",
    late            boolean     NOT NULL DEFAULT false,

    -- Labour is paid by the hour, everything else by the piece; one piece where nothing is said. The rule is Cost.product's.
    amount          numeric(15,2) GENERATED ALWAYS AS (CASE WHEN is_credit THEN -1 ELSE 1 END *
        round(CASE kind WHEN 'labour' THEN hours ELSE coalesce(quantity, 1) END * unit_cost, 2)) STORED,
    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT work_order_cost_hours_check CHECK ((kind = 'labour') = (hours IS NOT NULL)),
    CONSTRAINT work_order_cost_work_order_id_fkey FOREIGN KEY (organization_id, work_order_id) REFERENCES work_order (organization_id, id) ON DELETE CASCADE,
    CONSTRAINT work_order_cost_vendor_id_fkey FOREIGN KEY (organization_id, vendor_id) REFERENCES vendor (organization_id, id)
);
SELECT isolate('work_order_cost');
CREATE UNIQUE INDEX work_order_cost_position ON work_order_cost (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX work_order_cost_external_id_key ON work_order_cost (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX work_order_cost_work_order ON work_order_cost (organization_id, work_order_id, position);
CREATE INDEX work_order_cost_user ON work_order_cost (organization_id, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX work_order_cost_vendor ON work_order_cost (organization_id, vendor_id) WHERE vendor_id IS NOT NULL;

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

-- sla_due gives work orders of all organizations whose time to be begun or done has passed, the longest ago first. An organization that moves
-- to another database is worked on where it lives.
-- +goose StatementBegin
CREATE FUNCTION sla_due(max_rows integer) RETURNS TABLE (organization_id uuid, id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT w.organization_id, w.id FROM work_order w WHERE w.sla_due_at <= statement_timestamp()
        AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = w.organization_id AND m.state <> 'moving')
    ORDER BY w.sla_due_at LIMIT max_rows;
END $$;
-- +goose StatementEnd

-- Effects of work orders: what their completion does to records of other services.
CREATE TABLE work_order_effect (
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

    work_order_id   uuid        NOT NULL,
    kind            text        COLLATE "C" NOT NULL,
    payload         jsonb       NOT NULL,
    state           text        COLLATE "C" NOT NULL CHECK (state IN ('planned', 'pending', 'applied', 'refused', 'withdrawn')),
    result_id       uuid,
    message         text,
    cost            numeric(15,2), -- the part of the cost of its cause that a staged effect was told

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    -- At the end of the transaction: when a work order is deleted, what was planned with its effects is told first.
    CONSTRAINT work_order_effect_work_order_id_fkey FOREIGN KEY (organization_id, work_order_id) REFERENCES work_order (organization_id, id)
        DEFERRABLE INITIALLY DEFERRED
);
SELECT isolate('work_order_effect');
CREATE UNIQUE INDEX work_order_effect_position ON work_order_effect (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX work_order_effect_external_id_key ON work_order_effect (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX work_order_effect_work_order ON work_order_effect (organization_id, work_order_id, position);
CREATE INDEX work_order_effect_request ON work_order_effect (organization_id, lower(payload->>'request_id')) WHERE kind = 'close_request';

CREATE TABLE pm_occurrence (
    organization_id  uuid        NOT NULL,
    plan_id          uuid        NOT NULL,
    target_id        uuid        NOT NULL, -- the plan's own id where a work order is for the whole plan
    occurrence       text        COLLATE "C" NOT NULL,
    id               uuid        NOT NULL,
    target_type      text        COLLATE "C" NOT NULL, -- plan, or what the target is
    sequence         integer     NOT NULL, -- of floating cycles, steps and excursions; else 0
    own_date         date        NOT NULL,
    due_on           date        NOT NULL,
    opens_on         date        NOT NULL,
    window_from      date,
    window_to        date        NOT NULL,
    interval_days    integer     NOT NULL,
    state            text        COLLATE "C" NOT NULL,
    out_of_service   boolean     NOT NULL DEFAULT false, -- skipped because the target was out of service
    ahead            boolean     NOT NULL DEFAULT false, -- skipped or made before its turn
    released         boolean     NOT NULL DEFAULT false, -- suppressed, and to be made now
    suppressed_by    uuid, -- the plan
    suppressed_key   text        COLLATE "C", -- and its occurrence
    work_order_id    uuid, -- no foreign key: what is deleted leaves its occurrence
    done_on          date,
    reason           text,
    site_id          uuid,
    building_id      uuid,
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, plan_id, target_id, occurrence),
    CONSTRAINT pm_occurrence_plan_id_fkey FOREIGN KEY (organization_id, plan_id) REFERENCES pm_plan (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('pm_occurrence');
CREATE UNIQUE INDEX pm_occurrence_id ON pm_occurrence (organization_id, id);
CREATE INDEX pm_occurrence_latest ON pm_occurrence (organization_id, plan_id, target_id, sequence DESC, own_date DESC) WHERE NOT ahead;
CREATE INDEX pm_occurrence_done ON pm_occurrence (organization_id, plan_id, target_id, done_on) WHERE done_on IS NOT NULL;
CREATE INDEX pm_occurrence_ahead ON pm_occurrence (organization_id, plan_id, target_id) WHERE ahead;
CREATE INDEX pm_occurrence_due ON pm_occurrence (organization_id, due_on);
CREATE INDEX pm_occurrence_by_due ON pm_occurrence (organization_id, plan_id, due_on, id);
CREATE INDEX pm_occurrence_work_order ON pm_occurrence (organization_id, work_order_id) WHERE work_order_id IS NOT NULL;
-- What a larger occurrence includes.
CREATE INDEX pm_occurrence_suppressed ON pm_occurrence (organization_id, suppressed_by, suppressed_key) WHERE suppressed_by IS NOT NULL;
CREATE INDEX pm_occurrence_released ON pm_occurrence (organization_id, plan_id) WHERE released;

-- What the planner knew of a target's gauge, condition or counter when it last looked.
CREATE TABLE pm_target (
    organization_id uuid    NOT NULL,
    plan_id         uuid    NOT NULL,
    target_id       uuid    NOT NULL,
    outside         boolean NOT NULL DEFAULT false, -- the limit was passed, and not cleared since
    read_to         timestamptz,
    usage           numeric(18,6), -- the counter's total from which the next step counts
    PRIMARY KEY (organization_id, plan_id, target_id),
    CONSTRAINT pm_target_plan_id_fkey FOREIGN KEY (organization_id, plan_id) REFERENCES pm_plan (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('pm_target');

-- planner_due gives the plans of all organizations that are to be looked at now, those that wait longest first. By the index, also
-- where Postgres thinks that few are due.
-- +goose StatementBegin
CREATE FUNCTION planner_due(max_rows integer) RETURNS TABLE (organization_id uuid, plan_id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT p.organization_id, p.id FROM pm_plan p WHERE p.next_action_at <= statement_timestamp()
        AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = p.organization_id AND m.state <> 'moving')
    ORDER BY p.next_action_at LIMIT max_rows;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$
BEGIN
    REVOKE ALL ON FUNCTION planner_due(integer) FROM PUBLIC;
    EXECUTE format('GRANT EXECUTE ON FUNCTION planner_due(integer) TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- Of which due date the event was last sent (package timeevents).
CREATE TABLE time_event (
    organization_id uuid NOT NULL,
    event           text COLLATE "C" NOT NULL,
    record_id       uuid NOT NULL,
    day             date NOT NULL,
    PRIMARY KEY (organization_id, event, record_id),
    FOREIGN KEY (organization_id, record_id) REFERENCES work_order (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('time_event');
CREATE INDEX time_event_record ON time_event (organization_id, record_id);

-- organizations_with_contacts names the organizations that have contact data of work orders that have ended.
-- +goose StatementBegin
CREATE FUNCTION organizations_with_contacts() RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN QUERY SELECT DISTINCT r.organization_id FROM work_order r
        WHERE work_ended_at(r.status, r.closed_at, r.completed_at, r.updated_at) IS NOT NULL
            AND num_nonnulls(r.requester_name, r.requester_email) > 0
            AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = r.organization_id AND m.state <> 'moving');
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$ BEGIN
    REVOKE ALL ON FUNCTION organizations_with_contacts() FROM PUBLIC;
    EXECUTE format('GRANT EXECUTE ON FUNCTION organizations_with_contacts() TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd
