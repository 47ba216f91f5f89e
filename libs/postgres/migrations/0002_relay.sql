-- What the relay needs to hand events on: the trace that each belongs to, and the three things that it does with the events
-- of all organizations. The service's role itself goes on to see the rows of the transaction's organization only.

-- +goose Up

-- The W3C traceparent of the request that made the change; empty where there was none, or where a former version wrote.
ALTER TABLE outbox ADD COLUMN traceparent text COLLATE "C" NOT NULL DEFAULT '';

-- Rows are deleted as fast as they are written, at the end of the index where the next are taken: what is dead must not pile up
-- there, however much waits behind it.
ALTER TABLE outbox SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- outbox_take gives the first events that wait, by position: at most most_events, and at most most_bytes of payload, but one in
-- any case. They stay until outbox_done.
CREATE FUNCTION outbox_take(most_events integer, most_bytes bigint)
    RETURNS TABLE (id uuid, organization_id uuid, type text, collection text, record_id uuid, version integer, payload text, traceparent text, created_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
    SET enable_seqscan = off SET enable_bitmapscan = off AS $$ -- by the index, also where Postgres still thinks that few wait
    SELECT w.id, w.organization_id, w.type, w.collection, w.record_id, w.version, w.payload, w.traceparent, w.created_at
    FROM (
        SELECT f.*, sum(octet_length(f.payload)) OVER (ORDER BY f.position) AS bytes, row_number() OVER (ORDER BY f.position) AS place
        FROM (
            SELECT o.id, o.organization_id, o.position, o.type, o.collection, o.record_id, o.version, o.payload::text AS payload, o.traceparent, o.created_at
            FROM outbox o ORDER BY o.position LIMIT most_events
        ) f
    ) w
    WHERE w.bytes <= most_bytes OR w.place = 1
    ORDER BY w.position
$$;

-- outbox_done forgets events that the webhooks service keeps by now, and says how many it forgot.
CREATE FUNCTION outbox_done(ids uuid[]) RETURNS bigint
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    WITH gone AS (DELETE FROM outbox o WHERE o.id = ANY (ids) RETURNING 1)
    SELECT count(*) FROM gone
$$;

-- outbox_waiting says how many events wait, and for how many seconds the first of them has. Up to 10 000 are counted; of more it
-- says how far their positions reach, which rollbacks make a little more than there are.
CREATE FUNCTION outbox_waiting(OUT waiting bigint, OUT lag double precision)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
    SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT CASE WHEN counted.few < 10000 THEN counted.few ELSE (SELECT max(o.position) - min(o.position) + 1 FROM outbox o) END,
        coalesce((SELECT extract(epoch FROM clock_timestamp() - o.created_at)::double precision FROM outbox o ORDER BY o.position LIMIT 1), 0)
    FROM (SELECT count(*) AS few FROM (SELECT o.position FROM outbox o ORDER BY o.position LIMIT 10000) f) counted
$$;

-- +goose StatementBegin
DO $$
DECLARE
    relay text;
BEGIN
    FOREACH relay IN ARRAY ARRAY['outbox_take(integer, bigint)', 'outbox_done(uuid[])', 'outbox_waiting()'] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', relay);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', relay, 'ams_' || current_schema());
    END LOOP;
END $$;
-- +goose StatementEnd
