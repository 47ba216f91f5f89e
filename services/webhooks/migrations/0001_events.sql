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
    SELECT organization_id FROM feed ORDER BY organization_id
$$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$ BEGIN
    REVOKE ALL ON FUNCTION organizations_with_events() FROM PUBLIC;
    EXECUTE format('GRANT EXECUTE ON FUNCTION organizations_with_events() TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd
