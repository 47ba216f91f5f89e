-- What every write, and the relay four times a second, calls: as PL/pgSQL, which keeps its plans. A function in SQL is parsed and planned
-- anew by each call that cannot put it into the calling statement.

-- +goose Up

-- By the index, also where Postgres still thinks that few wait: a plan is kept while the outbox grows.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION outbox_take(most_events integer, most_bytes bigint)
    RETURNS TABLE (id uuid, organization_id uuid, type text, collection text, record_id uuid, version integer, payload text, traceparent text, created_at timestamptz)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT w.id, w.organization_id, w.type, w.collection, w.record_id, w.version, w.payload, w.traceparent, w.created_at
    FROM (
        SELECT f.*, sum(octet_length(f.payload)) OVER (ORDER BY f.position) AS bytes, row_number() OVER (ORDER BY f.position) AS place
        FROM (
            SELECT o.id, o.organization_id, o.position, o.type, o.collection, o.record_id, o.version, o.payload::text AS payload, o.traceparent, o.created_at
            FROM outbox o ORDER BY o.position LIMIT most_events
        ) f
    ) w
    WHERE w.bytes <= most_bytes OR w.place = 1
    ORDER BY w.position;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION outbox_done(ids uuid[]) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
    gone bigint;
BEGIN
    DELETE FROM outbox o WHERE o.id = ANY (ids);
    GET DIAGNOSTICS gone = ROW_COUNT;
    RETURN gone;
END $$;
-- +goose StatementEnd

-- note_facets names its table with the schema, in place of a search path that each call has to set and reset.
-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE format($function$
CREATE OR REPLACE FUNCTION note_facets() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    INSERT INTO %I.facet_pending (organization_id, collection, positions)
    SELECT organization_id, TG_ARGV[0], array_agg(position) FROM changed GROUP BY organization_id, position / 65536;
    RETURN NULL;
END $body$
$function$, current_schema());
END $$;
-- +goose StatementEnd
