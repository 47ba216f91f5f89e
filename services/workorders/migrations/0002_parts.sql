-- What a work order consists of besides its own fields: comments, tasks and costs. They go with it.

-- +goose Up

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

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT work_order_task_work_order_id_fkey FOREIGN KEY (organization_id, work_order_id) REFERENCES work_order (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('work_order_task');
CREATE UNIQUE INDEX work_order_task_position ON work_order_task (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX work_order_task_external_id_key ON work_order_task (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX work_order_task_work_order ON work_order_task (organization_id, work_order_id, position) INCLUDE (task_position);

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
    unit_cost       numeric(15,2),
    hours           numeric,
    user_id         uuid,
    incurred_on     date,

    -- Labour is paid by the hour, everything else by the piece; one piece where nothing is said. The rule is Cost.check's.
    amount          numeric(15,2) GENERATED ALWAYS AS (round(CASE kind WHEN 'labour' THEN hours ELSE coalesce(quantity, 1) END * unit_cost, 2)) STORED,
    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT work_order_cost_hours_check CHECK ((kind = 'labour') = (hours IS NOT NULL)),
    CONSTRAINT work_order_cost_work_order_id_fkey FOREIGN KEY (organization_id, work_order_id) REFERENCES work_order (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('work_order_cost');
CREATE UNIQUE INDEX work_order_cost_position ON work_order_cost (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX work_order_cost_external_id_key ON work_order_cost (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX work_order_cost_work_order ON work_order_cost (organization_id, work_order_id, position);
CREATE INDEX work_order_cost_user ON work_order_cost (organization_id, user_id) WHERE user_id IS NOT NULL;
