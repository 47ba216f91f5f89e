-- Organizations that move to the database of another cell (deploy/move).

-- +goose Up

-- Where a move stands, in each of its two databases; no row is the normal state, in which all others are, and which costs a look into an
-- empty table for each transaction. Its column is not called organization_id, and it is not isolated: it is the operator's, and is looked at
-- before the organization of a transaction is known.
--   moving   here it lives, and its rows are copied: everything works, and what is written is noted
--   leaving  here it lives, and is read only: in a moment it lives elsewhere
--   reading  it lives elsewhere, or here in a moment: whoever comes for it can read, and nobody finds it by himself
--   absent   it does not live here, whatever rows there are
CREATE TABLE organization_move (
    organization uuid        PRIMARY KEY,
    state        text        COLLATE "C" NOT NULL CHECK (state IN ('moving', 'leaving', 'reading', 'absent')),
    changed_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The keys of rows that were written since they were copied.
CREATE TABLE moved_row (
    number       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization uuid   NOT NULL,
    name         text   COLLATE "C" NOT NULL, -- of the table
    key          jsonb  NOT NULL
);
CREATE INDEX moved_row_organization ON moved_row (organization, name);

-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE format('REVOKE ALL ON organization_move, moved_row FROM %I', 'ams_' || current_schema());
    EXECUTE format('GRANT SELECT ON organization_move TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- The lock whose shared form each transaction has that writes rows of an organization on the move, in whichever schema. Whoever moves it
-- takes it alone at the end, and so pauses writes; when he is killed, it is free, and they go on.
CREATE FUNCTION moving_lock(organization uuid) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN hashtextextended('moving ' || organization::text, 0);

-- may_write says whether the transaction may write rows of an organization, and that this stays so until its end. The state is looked at
-- after the lock was given, by a statement of its own and so in a later snapshot: it may have changed while the lock was waited for.
-- +goose StatementBegin
CREATE FUNCTION may_write(of_organization uuid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM FROM organization_move m WHERE m.organization = of_organization;
    IF NOT FOUND THEN
        RETURN true;
    END IF;
    IF NOT pg_try_advisory_xact_lock_shared(moving_lock(of_organization)) THEN
        RETURN false;
    END IF;
    PERFORM FROM organization_move m WHERE m.organization = of_organization AND m.state <> 'moving';
    RETURN NOT FOUND;
END $$;
-- +goose StatementEnd

-- enter_moving is what a transaction of an organization with a row in organization_move begins with. It fails with OM001 where the
-- transaction cannot be. how is what the transaction does: read, write, or either: that one may read whatever comes of it, and true says
-- that its writes will fail.
-- +goose StatementBegin
CREATE FUNCTION enter_moving(of_organization uuid, state text, how text) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path FROM CURRENT AS $$
BEGIN
    IF state = 'absent' OR (how = 'write' AND NOT may_write(of_organization)) THEN
        RAISE 'the organization % is being moved' , of_organization USING ERRCODE = 'OM001';
    ELSIF how <> 'either' OR may_write(of_organization) THEN
        RETURN false;
    END IF;
    PERFORM set_config('transaction_read_only', 'on', true);
    RETURN true;
END $$;
-- +goose StatementEnd

-- note_moved_row notes the key of a written row; the expression for it, of a row $1, is the second argument of the trigger, the table's name
-- the first. Triggers are made for a move, of the rows of its organization alone. It runs as the owner because a service cannot write here.
-- +goose StatementBegin
CREATE FUNCTION note_moved_row() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    key    jsonb;
    former jsonb;
BEGIN
    IF TG_OP <> 'DELETE' THEN
        EXECUTE 'SELECT ' || TG_ARGV[1] INTO key USING NEW;
        INSERT INTO moved_row (organization, name, key) VALUES (NEW.organization_id, TG_ARGV[0], key);
    END IF;
    IF TG_OP <> 'INSERT' THEN
        EXECUTE 'SELECT ' || TG_ARGV[1] INTO former USING OLD;
        IF former IS DISTINCT FROM key THEN
            INSERT INTO moved_row (organization, name, key) VALUES (OLD.organization_id, TG_ARGV[0], former);
        END IF;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Events and instructions are handed on where their organization lives. Those of one that leaves are handed on where it arrives: the
-- receivers know those that were sent twice by their ids and numbers.
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
            FROM outbox o
            WHERE NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = o.organization_id AND m.state <> 'moving')
            ORDER BY o.position LIMIT most_events
        ) f
    ) w
    WHERE w.bytes <= most_bytes OR w.place = 1
    ORDER BY w.position;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION effects_take(most integer, away text[])
    RETURNS TABLE (organization_id uuid, effect_id uuid, sequence bigint, owner text, kind text, stage text, withdraw boolean, payload jsonb,
        on_day date, cause jsonb, actor jsonb, caller jsonb, request_id text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT i.organization_id, i.effect_id, i.sequence, i.owner, i.kind, i.stage, i.withdraw, i.payload, i.on_day, i.cause, i.actor, i.caller,
        i.request_id
    FROM effect_instruction i
    WHERE i.due_at <= statement_timestamp() AND i.owner <> ALL (away)
      AND NOT EXISTS (SELECT FROM effect_instruction e WHERE e.organization_id = i.organization_id AND e.record = i.record
          AND e.sequence < i.sequence)
      AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = i.organization_id AND m.state <> 'moving')
    ORDER BY i.due_at, i.sequence LIMIT most;
END $$;
-- +goose StatementEnd
