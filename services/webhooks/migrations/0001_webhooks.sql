-- What the webhooks service is told: the events of every organization, numbered without a gap.

-- +goose Up

-- Where an organization's numbering stands. Whoever numbers events holds this row until the commit, so that no sequence is
-- missing and the order of the sequences is the order of the commits: who has seen 7 will never find a new 6.
CREATE TABLE feed (
    organization_id uuid   NOT NULL PRIMARY KEY,
    last_sequence   bigint NOT NULL DEFAULT 0,
    purged_sequence bigint NOT NULL DEFAULT 0 -- events up to this one are no longer kept
) WITH (fillfactor = 50);
SELECT isolate('feed');

-- The primary key keeps an event that is sent twice from being taken twice.
CREATE TABLE event (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    sequence        bigint, -- null: a test call, which is not in the feed
    type            text        COLLATE "C" NOT NULL,
    collection      text        COLLATE "C" NOT NULL,
    record_id       uuid        NOT NULL,
    version         integer     NOT NULL,
    site_ids        uuid[]      NOT NULL DEFAULT '{}', -- the sites that it is about, former ones among them
    payload         json        NOT NULL,              -- data, actor, origin, bulk_id, request_id, in this order
    traceparent     text        COLLATE "C" NOT NULL DEFAULT '',
    at              timestamptz NOT NULL, -- of the change
    received_at     timestamptz NOT NULL,
    -- The collections that must be readable besides the event's own.
    seen_with       text[] COLLATE "C" NOT NULL DEFAULT '{}',
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('event');
CREATE UNIQUE INDEX event_sequence ON event (organization_id, sequence);
CREATE INDEX event_at ON event (organization_id, at) INCLUDE (sequence);
CREATE INDEX event_unnumbered ON event (organization_id, received_at) WHERE sequence IS NULL;

-- The organizations that have events, for what is done for all of them in turn: the purge.
-- +goose StatementBegin
CREATE FUNCTION organizations_with_events() RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT f.organization_id FROM feed f
    WHERE NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = f.organization_id AND m.state <> 'moving')
    ORDER BY f.organization_id
$$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$ BEGIN
    REVOKE ALL ON FUNCTION organizations_with_events() FROM PUBLIC;
    EXECUTE format('GRANT EXECUTE ON FUNCTION organizations_with_events() TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- What goes out: a delivery per event and endpoint, in lanes.
--
-- A lane is what must be delivered one after the other: an endpoint's deliveries about one record. Every writer of an
-- endpoint's deliveries and lanes locks its row of dispatch first and computes in a later statement, which sees what it has
-- waited for. Locks are taken in this order: feed, webhook_endpoint, dispatch.
CREATE TABLE delivery (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    endpoint_id     uuid        NOT NULL,
    event_id        uuid        NOT NULL,
    sequence        bigint, -- the event's; null for a test call
    event_type      text        COLLATE "C" NOT NULL,
    record_id       uuid        NOT NULL,
    -- The record's id; the delivery's own where it neither waits for others nor holds them up: a redelivery, a test call,
    -- one that has failed four times.
    lane            uuid        NOT NULL,
    place           bigint      NOT NULL GENERATED ALWAYS AS IDENTITY, -- the order in a lane
    state           text        COLLATE "C" NOT NULL DEFAULT 'pending', -- pending, delivered, failed
    cause           text        COLLATE "C" NOT NULL DEFAULT 'event',   -- event, replay, redelivery, test
    attempts        integer     NOT NULL DEFAULT 0, -- calls that were made
    failures        integer     NOT NULL DEFAULT 0, -- those of them that count: not "come back later"
    next_attempt_at timestamptz, -- null when it is finished
    created_at      timestamptz NOT NULL,
    finished_at     timestamptz,
    last_attempt_at timestamptz,
    last_status     integer, -- of the receiver's last answer; null: none came
    last_error      text,    -- what went wrong at the last attempt, in a sentence
    PRIMARY KEY (organization_id, id)
) WITH (fillfactor = 85);
SELECT isolate('delivery');
-- The head of a lane is its pending delivery with the smallest place.
CREATE INDEX delivery_lane ON delivery (organization_id, endpoint_id, lane, place) WHERE state = 'pending';
-- For the list of an endpoint's deliveries, newest first, and for the purge.
CREATE INDEX delivery_created_at ON delivery (organization_id, endpoint_id, created_at, id);

-- A lane exists while it has a pending delivery.
CREATE TABLE lane (
    organization_id uuid        NOT NULL,
    endpoint_id     uuid        NOT NULL,
    lane            uuid        NOT NULL,
    next_at         timestamptz NOT NULL, -- when its head is due
    PRIMARY KEY (organization_id, endpoint_id, lane)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
SELECT isolate('lane');
CREATE INDEX lane_next_at ON lane (organization_id, endpoint_id, next_at);

-- One row per endpoint: who works on it, and how it has been answering.
CREATE TABLE dispatch (
    organization_id      uuid    NOT NULL,
    endpoint_id          uuid    NOT NULL,
    wake_at              timestamptz, -- when there is something to do; null: nothing is
    worker               integer,     -- the process that works on it: it holds the advisory lock of this number
    knock                bigint  NOT NULL DEFAULT 0,     -- grows with every batch of new deliveries, so that the worker looks
    held                 boolean NOT NULL DEFAULT false, -- paused or disabled: deliveries are kept and wait
    deleted              boolean NOT NULL DEFAULT false, -- the endpoint was deleted: all this is swept
    consecutive_failures integer NOT NULL DEFAULT 0,
    blocked_until        timestamptz, -- the breaker is open until then, and half open from then on
    blocked_step         integer NOT NULL DEFAULT 0, -- how often in a row it has opened
    suspended_until      timestamptz, -- the plan lacks api_access; look again then
    failing_since        timestamptz, -- the first attempt without success after the last success
    last_success_at      timestamptz,
    last_attempt_at      timestamptz,
    refused              boolean NOT NULL DEFAULT false, -- it answered 410: it is to be disabled
    PRIMARY KEY (organization_id, endpoint_id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
SELECT isolate('dispatch');
CREATE INDEX dispatch_wake_at ON dispatch (wake_at) WHERE worker IS NULL AND wake_at IS NOT NULL;
CREATE INDEX dispatch_worker ON dispatch (worker) WHERE worker IS NOT NULL;
CREATE INDEX dispatch_deleted ON dispatch (organization_id) WHERE deleted;

-- One call to a receiver. The body that was sent is made again from the event.
CREATE TABLE attempt (
    organization_id  uuid        NOT NULL,
    delivery_id      uuid        NOT NULL,
    number           integer     NOT NULL,
    at               timestamptz NOT NULL,
    duration_ms      integer     NOT NULL,
    request_headers  json        NOT NULL, -- name → value; the values of the endpoint's own headers are not kept
    response_status  integer,              -- null: no answer came
    response_headers json,
    response_body    text,                 -- its first 16 KiB
    error            text,                 -- in a sentence; null: a success
    -- What an attempt sent does not become something else when its endpoint wants its events otherwise: the attempt keeps where, how, and how much of
    -- them. Null where nothing was sent.
    destination      text        COLLATE "C",
    format           text        COLLATE "C",
    payload          text        COLLATE "C",
    PRIMARY KEY (organization_id, delivery_id, number)
);
SELECT isolate('attempt');

-- An order to deliver past events once more. While one is open, the endpoint's new events go through it too, so that the last
-- that is received about a record is the newest.
CREATE TABLE replay (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    endpoint_id     uuid        NOT NULL,
    since           timestamptz NOT NULL,
    event_types     text[],               -- patterns; null: those of the endpoint
    next_sequence   bigint      NOT NULL, -- everything before it is done
    until_sequence  bigint      NOT NULL, -- the last that was there when it was asked for
    state           text        COLLATE "C" NOT NULL DEFAULT 'pending', -- pending, running, done
    queued          bigint      NOT NULL DEFAULT 0, -- deliveries that it has made
    created_at      timestamptz NOT NULL,
    created_by      jsonb       NOT NULL,
    finished_at     timestamptz,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('replay');
CREATE INDEX replay_endpoint_id ON replay (organization_id, endpoint_id, created_at);
CREATE UNIQUE INDEX replay_open ON replay (organization_id, endpoint_id) WHERE state <> 'done';
CREATE INDEX replay_waiting ON replay (created_at) WHERE state <> 'done';

-- Every process that delivers has a number of its own and holds the advisory lock of that number on a connection of its
-- own. A process that is gone lets go of it at once, and others take over what it worked on.
CREATE SEQUENCE worker_number AS integer CYCLE;

-- worker_class is the first half of those locks' keys.
CREATE FUNCTION worker_class() RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN hashtext(current_schema() || ' worker');

-- What follows looks across organizations, and is as narrow as it can be: ids go out, never a word of anybody's data.

-- claim_endpoints gives a worker endpoints that have something to do and that nobody works on: nobody was, or the one who did is gone.
-- An organization that moves to another database is worked on where it lives, and its deliveries are made there. What each process asks many
-- times a second is PL/pgSQL, which keeps its plans: a function in SQL is parsed and planned anew by each call.
-- +goose StatementBegin
CREATE FUNCTION claim_endpoints(worker integer, at timestamptz, max_rows integer) RETURNS TABLE (organization_id uuid, endpoint_id uuid)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH free AS (
        SELECT d.organization_id, d.endpoint_id FROM dispatch d
        WHERE d.worker IS NULL AND d.wake_at <= claim_endpoints.at
          AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = d.organization_id AND m.state <> 'moving')
        ORDER BY d.wake_at LIMIT max_rows FOR NO KEY UPDATE SKIP LOCKED
    ), orphaned AS (
        SELECT d.organization_id, d.endpoint_id FROM dispatch d
        WHERE d.worker IS NOT NULL AND d.wake_at <= claim_endpoints.at AND d.worker <> claim_endpoints.worker
          AND d.worker NOT IN (
            SELECT l.objid::bigint::integer FROM pg_locks l
            WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
              AND l.classid::bigint = worker_class()::bigint & 4294967295
              AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
          AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = d.organization_id AND m.state <> 'moving')
        LIMIT max_rows FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE dispatch d SET worker = claim_endpoints.worker
    FROM (SELECT * FROM free UNION SELECT * FROM orphaned) c
    WHERE d.organization_id = c.organization_id AND d.endpoint_id = c.endpoint_id
    RETURNING d.organization_id, d.endpoint_id;
END $$;
-- +goose StatementEnd

-- owned_endpoints says what a worker works on, and how often each was knocked at.
-- A worker whose endpoint has left stops its calls: another worker delivers to it where it arrived, from the same rows.
-- +goose StatementBegin
CREATE FUNCTION owned_endpoints(worker integer) RETURNS TABLE (organization_id uuid, endpoint_id uuid, knock bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT d.organization_id, d.endpoint_id, d.knock FROM dispatch d WHERE d.worker = owned_endpoints.worker
        AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = d.organization_id AND m.state <> 'moving');
END $$;
-- +goose StatementEnd

-- blocked_endpoints counts the endpoints whose breaker is open, for the metric.
-- +goose StatementBegin
CREATE FUNCTION blocked_endpoints(at timestamptz) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT count(*) FROM dispatch d WHERE d.worker IS NULL AND d.wake_at IS NOT NULL AND d.blocked_until > blocked_endpoints.at
$$;
-- +goose StatementEnd

-- open_replays names the replays that are not done, oldest first.
-- +goose StatementBegin
CREATE FUNCTION open_replays() RETURNS TABLE (organization_id uuid, id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT r.organization_id, r.id FROM replay r WHERE r.state <> 'done'
        AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = r.organization_id AND m.state <> 'moving')
    ORDER BY r.created_at
$$;
-- +goose StatementEnd

-- deleted_endpoints names the endpoints that were deleted and whose deliveries are still there.
-- +goose StatementBegin
CREATE FUNCTION deleted_endpoints() RETURNS TABLE (organization_id uuid, endpoint_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT d.organization_id, d.endpoint_id FROM dispatch d WHERE d.deleted
        AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = d.organization_id AND m.state <> 'moving')
$$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$
DECLARE
    each text;
BEGIN
    FOREACH each IN ARRAY ARRAY['claim_endpoints(integer, timestamptz, integer)', 'owned_endpoints(integer)', 'blocked_endpoints(timestamptz)', 'open_replays()', 'deleted_endpoints()'] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', each);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', each, 'ams_' || current_schema());
    END LOOP;
    EXECUTE format('GRANT USAGE ON SEQUENCE worker_number TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- The members of a list in one order, so that two lists that say the same compare as the same.
CREATE FUNCTION sorted_members(list jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (SELECT string_agg(m, ' ' ORDER BY m COLLATE "C") FROM jsonb_array_elements_text(list) m);

CREATE TABLE webhook_endpoint (
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

    url               text        COLLATE "C" NOT NULL,
    event_types       jsonb       NOT NULL,
    description       text,
    status            text        COLLATE "C" NOT NULL,
    site_ids          jsonb       NOT NULL DEFAULT '[]',
    changed_any       jsonb       NOT NULL DEFAULT '[]',
    exclude_origins   jsonb       NOT NULL DEFAULT '[]',
    payload           text        COLLATE "C" NOT NULL,
    headers           jsonb       NOT NULL DEFAULT '{}', -- the names; the values are in sealed_headers
    rate_limit        integer,
    failing_since     timestamptz,
    disabled_at       timestamptz,
    disabled_reason   text,
    secret_rotated_at timestamptz,

    -- The values of the headers, sealed: they may be credentials. Not a field of the record.
    sealed_headers            bytea,
    -- What the key could do that last chose url and event_types.
    maker_scopes              text[] COLLATE "C",
    -- Fields, each with the values of which a record must have one.
    filters                   jsonb       NOT NULL DEFAULT '{}',
    -- Endpoints may receive CloudEvents.
    format                    text        COLLATE "C" NOT NULL DEFAULT 'ams',
    -- The server of an endpoint may be verified by an authority of its own.
    ca_certificate            text,
    ca_certificate_expires_at timestamptz,
    -- Events may be sent into a queue of Amazon SQS.
    destination               text        COLLATE "C" NOT NULL DEFAULT 'https',

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    -- What makes two endpoints the same: one address and the same set of event types. A digest, because both may be long.
    url_key         text        COLLATE "C" GENERATED ALWAYS AS (md5(url || ' ' || sorted_members(event_types))) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('webhook_endpoint');
CREATE UNIQUE INDEX webhook_endpoint_position ON webhook_endpoint (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX webhook_endpoint_external_id_key ON webhook_endpoint (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX webhook_endpoint_url_key ON webhook_endpoint (organization_id, url_key) WHERE url_key IS NOT NULL;
SELECT keep_terms('webhook_endpoint', 'webhook_endpoints');
SELECT keep_custom_fields('webhook_endpoint', 'webhook_endpoints');

-- Sealed under a root key that the database does not know. One that was replaced counts until expires_at, so that its
-- receiver has time to take the new one.
CREATE TABLE webhook_endpoint_secret (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL, -- of the first: the endpoint's own
    endpoint_id     uuid        NOT NULL,
    sealed          bytea       NOT NULL,
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz,
    PRIMARY KEY (organization_id, endpoint_id, id),
    CONSTRAINT webhook_endpoint_secret_endpoint_id_fkey FOREIGN KEY (organization_id, endpoint_id)
        REFERENCES webhook_endpoint (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('webhook_endpoint_secret');

-- waiting_deliveries says, for the figures, how many records have a delivery that is due and could be made now, and when the
-- longest due of them became so. An endpoint that is paused, disabled, suspended or blocked is not among them: its deliveries
-- wait for something else. Whatever waits, an endpoint costs one look into an index and most entries of it at the most.
-- +goose StatementBegin
CREATE FUNCTION waiting_deliveries(at timestamptz, max_rows integer) RETURNS TABLE (waiting bigint, oldest timestamptz)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT coalesce(sum(due.waiting), 0)::bigint, min(due.oldest)
    FROM dispatch d CROSS JOIN LATERAL (
        SELECT count(*) AS waiting, min(l.next_at) AS oldest FROM (
            SELECT l.next_at FROM lane l
            WHERE l.organization_id = d.organization_id AND l.endpoint_id = d.endpoint_id AND l.next_at <= waiting_deliveries.at
            ORDER BY l.next_at LIMIT max_rows
        ) l
    ) due
    WHERE d.wake_at IS NOT NULL AND NOT d.held AND NOT d.deleted
      AND (d.blocked_until IS NULL OR d.blocked_until <= waiting_deliveries.at)
      AND (d.suspended_until IS NULL OR d.suspended_until <= waiting_deliveries.at)
      AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = d.organization_id AND m.state <> 'moving');
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$ BEGIN
    REVOKE ALL ON FUNCTION waiting_deliveries(timestamptz, integer) FROM PUBLIC;
    EXECUTE format('GRANT EXECUTE ON FUNCTION waiting_deliveries(timestamptz, integer) TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd
-- Payloads of events are compressed by LZ4 where this PostgreSQL has it, which takes less processor than its own method.
-- +goose StatementBegin
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
        ALTER TABLE event ALTER payload SET COMPRESSION lz4;
    END IF;
END $$;
-- +goose StatementEnd
