-- Preventive maintenance: job plans say what is done, PM plans when and on what, and each of their occurrences is made once.

-- +goose Up

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
CREATE INDEX job_plan_by_name ON job_plan (organization_id, name, id);
CREATE INDEX job_plan_by_updated_at ON job_plan (organization_id, updated_at, id);
SELECT keep_terms('job_plan', 'job_plans');
SELECT keep_custom_fields('job_plan', 'job_plans');

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
CREATE INDEX pm_plan_by_name ON pm_plan (organization_id, name, id);
CREATE INDEX pm_plan_by_updated_at ON pm_plan (organization_id, updated_at, id);
CREATE INDEX pm_plan_job_plan ON pm_plan (organization_id, job_plan_id);
CREATE INDEX pm_plan_calendar ON pm_plan (organization_id, calendar_id) WHERE calendar_id IS NOT NULL;
CREATE INDEX pm_plan_team ON pm_plan (organization_id, team_id) WHERE team_id IS NOT NULL;
CREATE INDEX pm_plan_supersedes ON pm_plan USING gin (supersedes jsonb_path_ops) WHERE supersedes <> '[]';
-- What is due, of all organizations: the planner looks at nothing else.
CREATE INDEX pm_plan_due ON pm_plan (next_action_at) WHERE next_action_at IS NOT NULL;
SELECT keep_terms('pm_plan', 'pm_plans');
SELECT keep_custom_fields('pm_plan', 'pm_plans');

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

ALTER TABLE work_order ADD COLUMN job_plan_id uuid;
ALTER TABLE work_order ADD COLUMN job_plan_version integer;
ALTER TABLE work_order ADD COLUMN safety text;
ALTER TABLE work_order ADD COLUMN materials jsonb NOT NULL DEFAULT '[]';
ALTER TABLE work_order ADD COLUMN form_template_id uuid;
ALTER TABLE work_order ADD COLUMN pm_plan_id uuid;
ALTER TABLE work_order ADD COLUMN occurrence text COLLATE "C";
ALTER TABLE work_order ADD CONSTRAINT work_order_job_plan_id_fkey FOREIGN KEY (organization_id, job_plan_id) REFERENCES job_plan (organization_id, id);
ALTER TABLE work_order ADD CONSTRAINT work_order_pm_plan_id_fkey FOREIGN KEY (organization_id, pm_plan_id) REFERENCES pm_plan (organization_id, id);
CREATE INDEX work_order_job_plan ON work_order (organization_id, job_plan_id, position) WHERE job_plan_id IS NOT NULL;
CREATE INDEX work_order_pm_plan ON work_order (organization_id, pm_plan_id, position) WHERE pm_plan_id IS NOT NULL;

-- planner_due gives the plans of all organizations that are to be looked at now, those that wait longest first.
CREATE FUNCTION planner_due(most integer) RETURNS TABLE (organization_id uuid, plan_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
    SET enable_seqscan = off SET enable_bitmapscan = off AS $$ -- by the index, also where Postgres thinks that few are due
    SELECT p.organization_id, p.id FROM pm_plan p WHERE p.next_action_at <= statement_timestamp() ORDER BY p.next_action_at LIMIT most
$$;

-- +goose StatementBegin
DO $$
BEGIN
    REVOKE ALL ON FUNCTION planner_due(integer) FROM PUBLIC;
    EXECUTE format('GRANT EXECUTE ON FUNCTION planner_due(integer) TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd
