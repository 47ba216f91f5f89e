-- What every service's schema has in common: organizations apart from each other, positions, the ledger that counts rows, numbers for codes,
-- history, organizations that move, the outbox, answers to idempotent requests, facets, terms, custom fields, sandboxes and effects.
--
-- Keys are led by the organization: tables may be distributed by it (docs/scale.md, ADR 58), and logical replication knows a row by its key.
-- What every write or poll calls is PL/pgSQL, which keeps its plans: a function in SQL is parsed and planned anew by each call that cannot put
-- it into the calling statement.

-- +goose Up

-- Names, codes and numbers in the order in which people read them: Room 1, Room 2, Room 10. In every schema, because a service's role sees
-- its own alone.
CREATE COLLATION "natural" (provider = icu, locale = 'und-u-kn');

-- Unique values compare trimmed, case-insensitively and in one Unicode form.
CREATE FUNCTION unique_key(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN lower(normalize(btrim($1), NFC) COLLATE "und-x-icu");

-- The organization of the transaction; null where none was set, which matches no row.
CREATE FUNCTION current_organization() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(current_setting('ams.organization_id', true), '')::uuid;

-- isolate(table) keeps organizations apart in a table that has organization_id: the service's role sees and writes the rows
-- of the transaction's organization only, whatever the query says. The owner (migrations, functions below) sees all.
-- +goose StatementBegin
CREATE FUNCTION isolate(tbl regclass) RETURNS void
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', tbl);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', tbl);
    EXECUTE format('CREATE POLICY organization_isolation ON %s USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization())', tbl);
    EXECUTE format('CREATE POLICY owner_access ON %s TO %I USING (true) WITH CHECK (true)', tbl, current_user);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %I', tbl, 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- Tables that grow with time are in partitions by their column at: one for each month or day, in UTC, and one for the rest, <table>_rest, so that
-- no write fails because a partition is missing. A row is how one of them is kept (ADR 102). It is the owner's: a service calls keep_partitions only.
CREATE TABLE partitioned_table (
    name     text     COLLATE "C" PRIMARY KEY,
    unit     text     COLLATE "C" NOT NULL CHECK (unit IN ('month', 'day')),
    ahead    integer  NOT NULL, -- how many partitions there are beside the present one, for the time to come
    retained interval -- a partition is dropped when all of it is older; null: never. Where organizations differ: the longest of them
);

-- partition_name names the partition that has a moment: history_2026_11, attempt_2026_11_30. Names are in the order of time.
-- +goose StatementBegin
CREATE FUNCTION partition_name(tbl text, unit text, moment timestamptz) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
    RETURN tbl || to_char(moment AT TIME ZONE 'UTC', CASE unit WHEN 'month' THEN '_YYYY_MM' ELSE '_YYYY_MM_DD' END);
END $$;
-- +goose StatementEnd

-- seal_partition keeps organizations apart in a partition too, and gives nobody a right to it: services reach its rows through the table.
-- +goose StatementBegin
CREATE FUNCTION seal_partition(partition text) RETURNS void
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM isolate(to_regclass(quote_ident(partition)));
    EXECUTE format('REVOKE ALL ON %I FROM %I', partition, 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- make_partition makes the partition that has a moment, or one of those after it, and gives its name; NULL where it is there already. Up to 10 000 rows of its time that
-- lie in the rest are taken over. Of more they stay there, and no partition is made: readers find them there as well, and nobody waits
-- for the move. Neither is one made while the rest is large, because PostgreSQL reads all of it before it attaches a partition.
-- Readers and writers go on meanwhile; the rest alone is locked, for milliseconds, and the lock is waited for no longer than lock_timeout.
-- +goose StatementBegin
CREATE FUNCTION make_partition(tbl text, moment timestamptz, later integer) RETURNS text
    LANGUAGE plpgsql SET search_path FROM CURRENT SET lock_timeout = '100ms' AS $$
DECLARE
    unit      text        := (SELECT p.unit FROM partitioned_table p WHERE p.name = tbl);
    step      interval    := ('1 ' || unit)::interval;
    beginning timestamptz := (date_trunc(unit, moment AT TIME ZONE 'UTC') + later * step) AT TIME ZONE 'UTC';
    ending    timestamptz := (date_trunc(unit, moment AT TIME ZONE 'UTC') + (later + 1) * step) AT TIME ZONE 'UTC';
    made      text        := partition_name(tbl, unit, beginning);
    rest      text        := tbl || '_rest';
    misplaced bigint;
BEGIN
    IF unit IS NULL THEN
        RAISE 'make_partition: % is not kept in partitions', tbl;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended(current_schema() || ' partitions', 0));
    IF to_regclass(quote_ident(made)) IS NOT NULL OR pg_relation_size(to_regclass(quote_ident(rest))) > 64 * 1024 * 1024 THEN
        RETURN NULL;
    END IF;
    EXECUTE format('SELECT count(*) FROM (SELECT FROM %I t WHERE t.at >= $1 AND t.at < $2 LIMIT 10001) few', rest) INTO misplaced
        USING beginning, ending;
    IF misplaced > 10000 THEN
        RETURN NULL;
    END IF;
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING STORAGE INCLUDING COMPRESSION)',
        made, tbl);
    PERFORM seal_partition(made);
    EXECUTE format('LOCK TABLE ONLY %I IN SHARE UPDATE EXCLUSIVE MODE', tbl); -- before the partition's, as everybody locks them
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', rest);
    EXECUTE format('WITH moved AS (DELETE FROM %I t WHERE t.at >= $1 AND t.at < $2 RETURNING *) INSERT INTO %I SELECT * FROM moved', rest, made)
        USING beginning, ending;
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', tbl, made, beginning, ending);
    RETURN made;
END $$;
-- +goose StatementEnd

-- partition_by_time keeps a table, which has to be PARTITION BY RANGE (at), in partitions from now on.
-- +goose StatementBegin
CREATE FUNCTION partition_by_time(tbl text, unit text, ahead integer, retained interval) RETURNS void
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I PARTITION OF %I DEFAULT', tbl || '_rest', tbl);
    PERFORM seal_partition(tbl || '_rest');
    INSERT INTO partitioned_table (name, unit, ahead, retained) VALUES (tbl, unit, ahead, retained);
    FOR n IN 0 .. ahead LOOP
        PERFORM make_partition(tbl, now(), n);
    END LOOP;
END $$;
-- +goose StatementEnd

-- keep_partitions does the next thing that is due to the partitions of the schema, and says what: it has made one, dropped one, or deleted
-- rows of the rest that are too old. NULL says that nothing is due, or that another process is at it. Each call is a transaction of its own.
-- Dropping locks the whole table, for milliseconds: the lock is waited for no longer than lock_timeout, and whoever comes meanwhile waits as
-- long; the file is deleted after the commit. DETACH … CONCURRENTLY locks less, but is not to be had of a table that has a rest.
-- +goose StatementBegin
CREATE FUNCTION keep_partitions(OUT change text, OUT partition text, OUT deleted bigint)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '100ms' AS $$
DECLARE
    each   partitioned_table;
    cutoff timestamptz;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' partitions', 0)) THEN
        RETURN;
    END IF;
    FOR each IN SELECT * FROM partitioned_table p ORDER BY p.name LOOP
        FOR n IN 0 .. each.ahead LOOP
            partition := make_partition(each.name, now(), n);
            IF partition IS NOT NULL THEN
                change := 'made';
                RETURN;
            END IF;
        END LOOP;
        CONTINUE WHEN each.retained IS NULL;
        cutoff := now() - each.retained;
        SELECT c.relname INTO partition FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
        WHERE h.inhparent = to_regclass(quote_ident(each.name)) AND c.relname <> each.name || '_rest'
          AND c.relname < partition_name(each.name, each.unit, cutoff)
        ORDER BY c.relname LIMIT 1;
        IF partition IS NOT NULL THEN
            EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', each.name); -- before the partition's, as everybody locks them
            EXECUTE format('DROP TABLE %I', partition);
            change := 'dropped';
            RETURN;
        END IF;
        EXECUTE format('DELETE FROM %1$I t WHERE t.ctid = ANY(ARRAY(SELECT r.ctid FROM %1$I r WHERE r.at < $1 LIMIT 5000))', each.name || '_rest')
            USING cutoff;
        GET DIAGNOSTICS deleted = ROW_COUNT;
        IF deleted > 0 THEN
            change := 'deleted';
            partition := each.name || '_rest';
            RETURN;
        END IF;
    END LOOP;
    deleted := NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$
DECLARE
    each text;
BEGIN
    EXECUTE format('REVOKE ALL ON partitioned_table FROM %I', 'ams_' || current_schema());
    FOREACH each IN ARRAY ARRAY['make_partition(text, timestamptz, integer)', 'partition_by_time(text, text, integer, interval)', 'seal_partition(text)',
        'keep_partitions()'] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', each);
    END LOOP;
    EXECUTE format('GRANT EXECUTE ON FUNCTION keep_partitions() TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- Every row of a collection gets an ever-growing position. reserve_positions gives count positions in a row and the one time
-- that is their created_at. Both grow together across all writers, because they are taken under a lock that is held for
-- microseconds, not until the commit; they live in sequences, which no rollback turns back.
-- +goose StatementBegin
CREATE FUNCTION reserve_positions(collection text, count integer, OUT first_position bigint, OUT at timestamptz)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    positions regclass := to_regclass(quote_ident('position_of_' || collection));
    times     regclass := to_regclass(quote_ident('time_of_' || collection));
    lock      bigint   := hashtextextended(current_schema() || '.' || collection, 0);
    last_time bigint;
BEGIN
    IF count < 1 THEN
        RAISE 'reserve_positions: count must be 1 or more, not %', count;
    END IF;
    IF positions IS NULL OR times IS NULL THEN
        -- The first row ever of this collection. Others wait here until these sequences are committed.
        PERFORM pg_advisory_xact_lock(hashtextextended(current_schema() || ' sequences', 0));
        EXECUTE format('CREATE SEQUENCE IF NOT EXISTS %I', 'position_of_' || collection);
        EXECUTE format('CREATE SEQUENCE IF NOT EXISTS %I', 'time_of_' || collection);
        positions := to_regclass(quote_ident('position_of_' || collection));
        times := to_regclass(quote_ident('time_of_' || collection));
    END IF;
    BEGIN
        PERFORM pg_advisory_lock(lock);
        first_position := nextval(positions);
        IF count > 1 THEN
            PERFORM setval(positions, first_position + count - 1);
        END IF;
        -- A clock that is set back must not put a later position before an earlier one.
        last_time := coalesce(pg_sequence_last_value(times), 0);
        at := greatest(clock_timestamp(), timestamptz 'epoch' + (last_time + 1) * interval '1 microsecond');
        PERFORM setval(times, (extract(epoch FROM at) * 1000000)::bigint);
        PERFORM pg_advisory_unlock(lock);
    EXCEPTION WHEN OTHERS OR query_canceled THEN
        -- The lock belongs to the session, not to the transaction: nobody else would let go of it.
        IF EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted AND objsubid = 1
                   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                   AND classid::bigint = (lock >> 32) & 4294967295 AND objid::bigint = lock & 4294967295) THEN
            PERFORM pg_advisory_unlock(lock);
        END IF;
        RAISE;
    END;
END $$;
-- +goose StatementEnd

-- The ledger counts live rows per block of 1024 positions, as deltas that nobody queues on, until a fold adds them up. The
-- sum of live is the number of rows, exact in the reader's snapshot.
CREATE TABLE ledger (
    organization_id uuid    NOT NULL,
    collection      text    COLLATE "C" NOT NULL,
    block           bigint  NOT NULL,
    live            bigint  NOT NULL,
    folded          boolean NOT NULL DEFAULT false,
    id              bigint  GENERATED BY DEFAULT AS IDENTITY, -- a block's deltas are many
    PRIMARY KEY (organization_id, collection, block, id) INCLUDE (live)
) WITH (autovacuum_vacuum_scale_factor = 0.02); -- deltas come and go at its edge, whatever rests in it; nothing is updated, so pages are full
SELECT isolate('ledger');
CREATE INDEX ledger_fresh ON ledger (organization_id, collection) INCLUDE (live) WHERE NOT folded;

-- What the folded rows of the ledger add up to, so that a total is this and the rows that no fold has seen.
CREATE TABLE ledger_total (
    organization_id uuid   NOT NULL,
    collection      text   COLLATE "C" NOT NULL,
    live            bigint NOT NULL,
    id              bigint GENERATED BY DEFAULT AS IDENTITY,
    PRIMARY KEY (organization_id, collection, id) INCLUDE (live)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000); -- each fold replaces a row of a few
SELECT isolate('ledger_total');

-- fold_ledger adds up the deltas, per block and in the total. A delta that two folds want is deleted, and so counted, by
-- one of them only; readers see the deltas or the sums. It answers how many deltas it added up.
-- One fold of a collection at a time: two would delete the same deltas in two orders and wait for each other. Whoever comes second has nothing
-- to do. The organization is in a variable, so that the statements have it as a parameter.
-- +goose StatementBegin
CREATE FUNCTION fold_ledger(collection text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    organization uuid := current_organization();
    folded       bigint;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended(current_schema() || '.' || collection || ' fold ' || organization, 0)) THEN
        RETURN 0;
    END IF;
    WITH fresh AS (
        DELETE FROM ledger l
        WHERE l.organization_id = organization AND l.collection = fold_ledger.collection AND NOT l.folded
        RETURNING l.block, l.live
    ), old AS (
        DELETE FROM ledger l USING (SELECT DISTINCT block FROM fresh) touched
        WHERE l.organization_id = organization AND l.collection = fold_ledger.collection
          AND l.block = touched.block AND l.folded
        RETURNING l.block, l.live
    ), sums AS (
        INSERT INTO ledger (organization_id, collection, block, live, folded)
        SELECT organization, fold_ledger.collection, block, sum(live), true
        FROM (SELECT * FROM fresh UNION ALL SELECT * FROM old) b GROUP BY block HAVING sum(live) <> 0
    ), totals AS (
        DELETE FROM ledger_total t
        WHERE t.organization_id = organization AND t.collection = fold_ledger.collection AND EXISTS (SELECT FROM fresh)
        RETURNING t.live
    ), total AS (
        INSERT INTO ledger_total (organization_id, collection, live)
        SELECT organization, fold_ledger.collection, sum(live)
        FROM (SELECT live FROM fresh UNION ALL SELECT live FROM totals) b HAVING count(*) > 0
    )
    SELECT count(*) FROM fresh INTO folded;
    RETURN folded;
END $$;
-- +goose StatementEnd

-- Numbers for codes that are made when left out: SITE-0001, A-000001.
CREATE TABLE counter (
    organization_id uuid   NOT NULL,
    name            text   COLLATE "C" NOT NULL,
    value           bigint NOT NULL,
    PRIMARY KEY (organization_id, name)
);
SELECT isolate('counter');

-- Who changed what, old and new values. The service adds to it and never changes it.
CREATE TABLE history (
    organization_id uuid        NOT NULL,
    collection      text        COLLATE "C" NOT NULL,
    record_id       uuid        NOT NULL,
    version         integer     NOT NULL,
    action          text        COLLATE "C" NOT NULL,
    changes         json        NOT NULL, -- shown as it was written, never searched
    actor           jsonb       NOT NULL,
    actor_id        text        COLLATE "C" NOT NULL, -- the actor's id once more, where an index can find it
    address         text        COLLATE "C" NOT NULL, -- where the request came from; empty for what we did by ourselves
    request_id      text        COLLATE "C",
    at              timestamptz NOT NULL,
    id              uuid        NOT NULL,
    PRIMARY KEY (organization_id, collection, record_id, version, id, at)
) PARTITION BY RANGE (at);
SELECT isolate('history');
-- For the audit trail, which is read newest first: all of it, or what one key or person did.
CREATE INDEX history_at ON history (organization_id, at, id);
CREATE INDEX history_actor_id ON history (organization_id, actor_id, at, id);
SELECT partition_by_time('history', 'month', 3, NULL);
-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE format('REVOKE UPDATE, DELETE ON history FROM %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- Organizations that move to the database of another cell (deploy/move).
--
-- Where a move stands, in each of its two databases; no row is the normal state, in which all others are, and which costs a look into an
-- empty table for each transaction. Its column is not called organization_id, and it is not isolated: it is the operator's, and is looked at
-- before the organization of a transaction is known.
--   moving   here it lives, and its rows are copied: everything works, and what is written is noted
--   leaving  here it lives, and is read only: in a moment it lives elsewhere
--   reading  it lives elsewhere, or here in a moment: whoever comes for it can read, and nobody finds it by himself
--   absent   it does not live here, whatever rows there are
--   suspended here it lives, and neither people nor programs read or write it, until it is resumed (ADR 101)
--   deleting  the same, and its rows are being deleted (ADR 104)
CREATE TABLE organization_move (
    organization uuid        PRIMARY KEY,
    state        text        COLLATE "C" NOT NULL CHECK (state IN ('moving', 'leaving', 'reading', 'absent', 'suspended', 'deleting')),
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
    IF state IN ('suspended', 'deleting') THEN
        RAISE 'the organization % is suspended', of_organization USING ERRCODE = 'OM002';
    ELSIF state = 'absent' OR (how = 'write' AND NOT may_write(of_organization)) THEN
        RAISE 'the organization % is being moved', of_organization USING ERRCODE = 'OM001';
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

-- Events, written in the transaction of what they tell about; payload keeps the order of its keys. Rows live for a moment only:
-- compressing each would cost more than all the rest of its insert. They are deleted as fast as they are written, at the end of the index where
-- the next are taken: what is dead must not pile up there, however much waits behind it.
CREATE TABLE outbox (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    position        bigserial,
    type            text        COLLATE "C" NOT NULL,
    collection      text        COLLATE "C" NOT NULL,
    record_id       uuid        NOT NULL,
    version         integer     NOT NULL,
    payload         json        NOT NULL,
    -- The W3C traceparent of the request that made the change; empty where there was none.
    traceparent     text        COLLATE "C" NOT NULL DEFAULT '',
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, id)
) WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
SELECT isolate('outbox');
CREATE INDEX outbox_position ON outbox (position);
-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE format('GRANT USAGE ON SEQUENCE outbox_position_seq TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- The first answer to each Idempotency-Key.
CREATE TABLE idempotency (
    organization_id uuid        NOT NULL,
    actor_id        text        COLLATE "C" NOT NULL,
    key             text        COLLATE "C" NOT NULL,
    fingerprint     bytea       NOT NULL,
    status          integer,
    headers         jsonb,
    body            bytea,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, actor_id, key)
-- A claim is updated once, with its response: there is room beside it. All rows are replaced within a day.
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05);
SELECT isolate('idempotency');
CREATE INDEX idempotency_created_at ON idempotency (created_at); -- for sweep_idempotency

-- A table whose rows have their time has a function sweep_<table>: it deletes rows of all organizations whose time is over, at most
-- max_rows of them, and returns how many it deleted. Each instance of a service calls it hourly, until it deletes fewer (DB.Sweep of package postgres). Rows that
-- another instance is at are left to that one, and those of an organization that moves or is suspended stay as they are.
-- +goose StatementBegin
CREATE FUNCTION sweep_idempotency(max_rows integer) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    removed bigint;
BEGIN
    DELETE FROM idempotency WHERE ctid = ANY (ARRAY(
        SELECT i.ctid FROM idempotency i
        WHERE i.created_at < statement_timestamp() - interval '24 hours'
          AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = i.organization_id AND m.state <> 'moving')
        ORDER BY i.created_at LIMIT max_rows FOR UPDATE OF i SKIP LOCKED));
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$ BEGIN
    REVOKE ALL ON FUNCTION sweep_idempotency(integer) FROM PUBLIC;
    EXECUTE format('GRANT EXECUTE ON FUNCTION sweep_idempotency(integer) TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- outbox_take gives the first events that wait, by position: at most max_events, and at most max_bytes of payload, but one in
-- any case. They stay until outbox_done.
-- They are handed on where their organization lives, and those of one that leaves where it arrives: the receivers know by their ids those that
-- were sent twice. By the index, also where Postgres still thinks that few wait: a plan is kept while the outbox grows.
-- +goose StatementBegin
CREATE FUNCTION outbox_take(max_events integer, max_bytes bigint)
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
            ORDER BY o.position LIMIT max_events
        ) f
    ) w
    WHERE w.bytes <= max_bytes OR w.place = 1
    ORDER BY w.position;
END $$;
-- +goose StatementEnd

-- outbox_done deletes events that the webhooks service has by now, and returns how many it deleted. Joined by loops, because the plan is kept
-- while the outbox grows.
-- +goose StatementBegin
CREATE FUNCTION outbox_done(organizations uuid[], ids uuid[]) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    deleted bigint;
BEGIN
    DELETE FROM outbox o USING unnest(organizations, ids) d (organization_id, id)
    WHERE o.organization_id = d.organization_id AND o.id = d.id;
    GET DIAGNOSTICS deleted = ROW_COUNT;
    RETURN deleted;
END $$;
-- +goose StatementEnd

-- outbox_waiting says how many events wait, and for how many seconds the first of them has. Up to 10 000 are counted; of more it
-- says how far their positions reach, which rollbacks make a little more than there are.
-- +goose StatementBegin
CREATE FUNCTION outbox_waiting(OUT waiting bigint, OUT lag double precision)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
    SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT CASE WHEN counted.few < 10000 THEN counted.few ELSE (SELECT max(o.position) - min(o.position) + 1 FROM outbox o) END,
        coalesce((SELECT extract(epoch FROM clock_timestamp() - o.created_at)::double precision FROM outbox o ORDER BY o.position LIMIT 1), 0)
    FROM (SELECT count(*) AS few FROM (SELECT o.position FROM outbox o ORDER BY o.position LIMIT 10000) f) counted
$$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$
DECLARE
    relay text;
BEGIN
    FOREACH relay IN ARRAY ARRAY['outbox_take(integer, bigint)', 'outbox_done(uuid[], uuid[])', 'outbox_waiting()'] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', relay);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', relay, 'ams_' || current_schema());
    END LOOP;
END $$;
-- +goose StatementEnd

-- What filters of few values count by: for each value of a status, a category, a rating, which records have it. There is one row for each value
-- and 65,536 positions: bits is a 64-bit Roaring bitmap (https://github.com/RoaringBitmap/RoaringFormatSpec) of
-- the positions of the records that have the value. The value is "=" and the column's text, or nothing for NULL.
CREATE TABLE facet (
    organization_id uuid   NOT NULL,
    collection      text   COLLATE "C" NOT NULL,
    field           text   COLLATE "C" NOT NULL,
    value           text   COLLATE "C" NOT NULL,
    part            bigint NOT NULL, -- position / 65536
    bits            bytea  NOT NULL,
    PRIMARY KEY (organization_id, collection, field, value, part)
-- A fold replaces bits of rows that stay: there is room beside them, and what is dead is large.
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05);
SELECT isolate('facet');
ALTER TABLE facet ALTER bits SET STORAGE EXTERNAL; -- it is compressed as far as it can be

-- The positions of records that were written since their facets were: what facet says of them may be old. Each statement that writes
-- records adds a row, which nobody queues on; a fold of package facet takes rows away. Which ids are there says what was written: they are
-- what lists are versions of (ADR 95).
CREATE TABLE facet_pending (
    organization_id uuid     NOT NULL,
    collection      text     COLLATE "C" NOT NULL,
    positions       bigint[] NOT NULL,
    id              bigint   GENERATED BY DEFAULT AS IDENTITY
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000); -- rows live for a moment only, as those of the outbox do
SELECT isolate('facet_pending');
CREATE INDEX facet_pending_collection ON facet_pending (organization_id, collection);

-- A trigger, not a part of the statements that write: nothing that writes to a table can forget it. It names its table with the schema, in
-- place of a search path that each call has to set and reset.
-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE format($function$
CREATE FUNCTION note_facets() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    INSERT INTO %I.facet_pending (organization_id, collection, positions)
    SELECT organization_id, TG_ARGV[0], array_agg(position) FROM changed GROUP BY organization_id, position / 65536;
    RETURN NULL;
END $body$
$function$, current_schema());
END $$;
-- +goose StatementEnd

-- keep_facets(table, collection) keeps facets of a table from now on. Those of the records that it has are pending.
-- +goose StatementBegin
CREATE FUNCTION keep_facets(tbl regclass, collection text) RETURNS void
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER facets_of_inserted AFTER INSERT ON %s REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_facets(%L)', tbl, collection);
    EXECUTE format('CREATE TRIGGER facets_of_updated AFTER UPDATE ON %s REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_facets(%L)', tbl, collection);
    EXECUTE format('CREATE TRIGGER facets_of_deleted AFTER DELETE ON %s REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_facets(%L)', tbl, collection);
    EXECUTE format('INSERT INTO facet_pending SELECT organization_id, %L, array_agg(position) FROM %s GROUP BY organization_id, position / 65536', collection, tbl);
END $$;
-- +goose StatementEnd

-- What records are found by: for each word and each code, which records have it. A run has all terms of some records, sorted; positions are a 64-bit Roaring bitmap of those for which it is the latest. Runs are
-- written once, and taken together with later ones by the fold (package index).
CREATE TABLE term_run (
    organization_id uuid   NOT NULL,
    collection      text   COLLATE "C" NOT NULL,
    run             bigint NOT NULL, -- a later one has a higher number
    positions       bytea  NOT NULL,
    PRIMARY KEY (organization_id, collection, run)
-- Runs that are taken together are deleted, with bitmaps beside the table; nothing is updated, so pages are full.
) WITH (autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05);
SELECT isolate('term_run');
ALTER TABLE term_run ALTER positions SET STORAGE EXTERNAL; -- it is compressed as far as it can be

-- Some terms of a run that follow each other, from first to last. positions is the bitmap of the records that have any of them; contents
-- says which has which, and is NULL where there is but one term.
CREATE TABLE term_block (
    organization_id uuid   NOT NULL,
    collection      text   COLLATE "C" NOT NULL,
    run             bigint NOT NULL,
    last            text   COLLATE "C" NOT NULL,
    first           text   COLLATE "C" NOT NULL,
    positions       bytea  NOT NULL,
    contents        bytea,
    PRIMARY KEY (organization_id, collection, run, last)
) WITH (autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05); -- as its runs
SELECT isolate('term_block');
ALTER TABLE term_block ALTER positions SET STORAGE EXTERNAL;
ALTER TABLE term_block ALTER contents SET STORAGE EXTERNAL;

-- keep_terms(table, collection) keeps terms, and facets, of a table from now on. Those of the records that it has are pending.
-- +goose StatementBegin
CREATE FUNCTION keep_terms(tbl regclass, collection text) RETURNS void
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = tbl AND tgname = 'facets_of_inserted') THEN
        EXECUTE format('INSERT INTO facet_pending SELECT organization_id, %L, array_agg(position) FROM %s GROUP BY organization_id, position / 65536', collection, tbl);
    ELSE
        PERFORM keep_facets(tbl, collection);
    END IF;
END $$;
-- +goose StatementEnd

-- Custom fields that lists are filtered and sorted by: the type that an organization has declared for a key. Another type is another row: the row of the former type is removed, with its values, by a process of
-- the service (package custom).
CREATE TABLE custom_field (
    organization_id uuid        NOT NULL,
    id              bigint      GENERATED ALWAYS AS IDENTITY,
    collection      text        COLLATE "C" NOT NULL,
    key             text        COLLATE "C" NOT NULL,
    type            text        COLLATE "C" NOT NULL CHECK (type IN ('text', 'number', 'date', 'boolean')),
    state           text        COLLATE "C" NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'ready', 'removed')),
    built           bigint      NOT NULL DEFAULT 0, -- while pending: records up to this position have their values
    -- What is declared beside the type: labels, whether it is required, choices, bounds, a pattern, a category. It is JSON as the API has it, {}
    -- where the type is all. A choice has the type text here, by which it is compared.
    declaration     jsonb       NOT NULL DEFAULT '{}',
    declared_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('custom_field');
CREATE UNIQUE INDEX custom_field_key ON custom_field (organization_id, collection, key) INCLUDE (id, type, state) WHERE state <> 'removed';

-- One row for each record and declared key. missing is 0 where the record has a value of the type, 1 where it has none at all, 2 where it has
-- one that cannot be read as the type. Texts are in text, all others in number: dates as days since 1970-01-01, true as 1 and false as 0;
-- comparison of numeric would not be leakproof, so that no index could be used under row-level security. What is not used is 0 or ''.
-- The id is behind the value because lists with equal values go on by id; the position is for filters.
CREATE TABLE custom_value (
    organization_id uuid             NOT NULL,
    field           bigint           NOT NULL,
    missing         smallint         NOT NULL,
    number          double precision NOT NULL,
    text            text             COLLATE "und-x-icu" NOT NULL,
    id              uuid             NOT NULL,
    position        bigint           NOT NULL,
    PRIMARY KEY (organization_id, field, missing, number, text, id) INCLUDE (position)
-- A row for each record and field: a fifth of it is millions of dead rows, which every walk in its order passes. It is read from the index alone, too,
-- which needs a visibility map that is fresh.
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
SELECT isolate('custom_value');
CREATE INDEX custom_value_natural ON custom_value (organization_id, field, text COLLATE "natural", id) WHERE missing = 0 AND number = 0;

-- custom_number is the number that a value is read as, NULL where it cannot be. It takes texts too, because values out of CSV files are
-- texts. Nothing in it may fail: who writes records knows nothing of what others have declared.
CREATE FUNCTION custom_number(value jsonb, type text) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE type
        WHEN 'number' THEN CASE
            WHEN jsonb_typeof(value) = 'number' THEN
                CASE WHEN abs((value #>> '{}')::numeric) < 1e300 AND (value = '0' OR abs((value #>> '{}')::numeric) > 1e-300)
                    THEN (value #>> '{}')::double precision END
            WHEN jsonb_typeof(value) = 'string' AND (value #>> '{}') ~ '^-?[0-9]{1,15}([.][0-9]{1,15})?$' THEN (value #>> '{}')::double precision
        END
        WHEN 'date' THEN CASE
            WHEN jsonb_typeof(value) = 'string' AND (value #>> '{}') ~ '^[1-9][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$' THEN
                CASE WHEN substr(value #>> '{}', 9)::int <= extract(day FROM make_date(substr(value #>> '{}', 1, 4)::int,
                        substr(value #>> '{}', 6, 2)::int, 1) + interval '1 month' - interval '1 day')
                    THEN make_date(substr(value #>> '{}', 1, 4)::int, substr(value #>> '{}', 6, 2)::int, substr(value #>> '{}', 9)::int)
                        - make_date(1970, 1, 1) END
        END
        WHEN 'boolean' THEN CASE value #>> '{}' WHEN 'true' THEN 1 WHEN 'false' THEN 0 END
    END;

-- custom_text is the text that a value is read as: texts as they are, numbers and booleans as JSON writes them. One of more than 500
-- characters is none, because an index could not hold it.
CREATE FUNCTION custom_text(value jsonb, type text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN type = 'text' AND length(value #>> '{}') <= 500 THEN value #>> '{}' END;

-- custom_values gives what custom_value has of a record with these custom fields.
-- +goose StatementBegin
CREATE FUNCTION custom_values(organization uuid, of_collection text, fields jsonb)
    RETURNS TABLE (field bigint, missing smallint, number double precision, text text)
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT f.id, CASE
            WHEN num_nonnulls(v.number, v.text) = 1 THEN 0
            WHEN coalesce(jsonb_typeof(fields -> f.key), 'null') = 'null' THEN 1
            ELSE 2
        END::smallint, coalesce(v.number, 0), coalesce(v.text, '')
    FROM custom_field f
    CROSS JOIN LATERAL (SELECT custom_number(fields -> f.key, f.type) AS number, custom_text(fields -> f.key, f.type) AS text) v
    WHERE f.organization_id = organization AND f.collection = of_collection AND f.state <> 'removed';
END;
-- +goose StatementEnd

-- note_custom_fields keeps custom_value as the records are. Records whose custom fields stay cost a comparison, and organizations that
-- have declared nothing a look into an empty index, once for each statement. Joins by loops: a plan that reads all values once would be
-- right for a moment only, and is kept.
-- +goose StatementBegin
CREATE FUNCTION note_custom_fields() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM custom_field f WHERE f.collection = TG_ARGV[0] AND f.state <> 'removed') THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'INSERT' THEN
        INSERT INTO custom_value (organization_id, field, missing, number, text, id, position)
        SELECT c.organization_id, n.field, n.missing, n.number, n.text, c.id, c.position
        FROM changed c, custom_values(c.organization_id, TG_ARGV[0], c.custom_fields) n;
    ELSIF TG_OP = 'DELETE' THEN
        DELETE FROM custom_value v USING before b, custom_values(b.organization_id, TG_ARGV[0], b.custom_fields) o
        WHERE (v.organization_id, v.field, v.missing, v.number, v.text, v.id) = (b.organization_id, o.field, o.missing, o.number, o.text, b.id);
    ELSE
        DELETE FROM custom_value v
        USING (SELECT organization_id, id, custom_fields FROM before EXCEPT SELECT organization_id, id, custom_fields FROM changed) b,
            custom_values(b.organization_id, TG_ARGV[0], b.custom_fields) o
        WHERE (v.organization_id, v.field, v.missing, v.number, v.text, v.id) = (b.organization_id, o.field, o.missing, o.number, o.text, b.id);
        INSERT INTO custom_value (organization_id, field, missing, number, text, id, position)
        SELECT c.organization_id, n.field, n.missing, n.number, n.text, c.id, c.position
        FROM (SELECT organization_id, id, position, custom_fields FROM changed
                EXCEPT SELECT organization_id, id, position, custom_fields FROM before) c,
            custom_values(c.organization_id, TG_ARGV[0], c.custom_fields) n;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- keep_custom_fields(table, collection) keeps the values of the declared custom fields of a table from now on.
-- +goose StatementBegin
CREATE FUNCTION keep_custom_fields(tbl regclass, collection text) RETURNS void
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER custom_fields_of_inserted AFTER INSERT ON %s REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_custom_fields(%L)', tbl, collection);
    EXECUTE format('CREATE TRIGGER custom_fields_of_updated AFTER UPDATE ON %s REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_custom_fields(%L)', tbl, collection);
    EXECUTE format('CREATE TRIGGER custom_fields_of_deleted AFTER DELETE ON %s REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION note_custom_fields(%L)', tbl, collection);
END $$;
-- +goose StatementEnd

-- An organization is a sandbox when its id is a UUID of version 8; all others have version 7. principal.IsSandbox says the same.
CREATE FUNCTION is_sandbox(organization uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN substr(organization::text, 15, 1) = '8';

-- empty_sandbox deletes rows of the transaction's organization, which must be a sandbox, from all tables of the schema that keep
-- organizations apart, but for those in excluded: about max_rows of them, and what goes with them by cascade. It returns how many it deleted
-- itself; 0 says that none is left. It goes from tables that refer to those that are referred to, and inside a table that refers to itself
-- from the leaves up, so that no foreign key is in its way. What triggers write meanwhile is deleted by the next call. It runs as the owner
-- because the service itself may not delete history.
-- +goose StatementBegin
CREATE FUNCTION empty_sandbox(max_rows integer, excluded text[]) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    organization uuid := current_organization();
    total        bigint := 0;
    deleted      bigint;
    each         record;
BEGIN
    IF organization IS NULL OR NOT is_sandbox(organization) THEN
        RAISE 'empty_sandbox: % is no sandbox', coalesce(organization::text, 'nothing');
    END IF;
    FOR each IN
        WITH RECURSIVE isolated AS (
            SELECT c.oid FROM pg_class c
            WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relrowsecurity AND c.relkind IN ('r', 'p')
              AND NOT c.relispartition AND c.relname <> ALL (excluded)
        ), deep AS (
            SELECT oid, 0 AS depth FROM isolated
            UNION
            SELECT i.oid, d.depth + 1 FROM deep d
            JOIN pg_constraint k ON k.contype = 'f' AND k.confrelid = d.oid AND k.conrelid <> k.confrelid
            JOIN isolated i ON i.oid = k.conrelid
            WHERE d.depth < 20
        )
        SELECT d.oid::regclass AS name,
            (SELECT string_agg(format(' AND NOT EXISTS (SELECT FROM %s c WHERE c.ctid <> b.ctid AND %s)', d.oid::regclass, (
                    SELECT string_agg(format('c.%I = b.%I', r.attname, a.attname), ' AND ')
                    FROM unnest(k.conkey, k.confkey) AS key (referring, referred)
                    JOIN pg_attribute r ON r.attrelid = k.conrelid AND r.attnum = key.referring
                    JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = key.referred)), '')
                FROM pg_constraint k WHERE k.contype = 'f' AND k.conrelid = d.oid AND k.confrelid = d.oid AND k.conparentid = 0) AS leaf
        FROM deep d GROUP BY d.oid ORDER BY max(d.depth) DESC, d.oid::regclass::text COLLATE "C"
    LOOP
        LOOP
            EXECUTE format('DELETE FROM %1$s t WHERE t.organization_id = $1 AND t.ctid = ANY(ARRAY('
                'SELECT b.ctid FROM %1$s b WHERE b.organization_id = $1%2$s LIMIT $2))', each.name, coalesce(each.leaf, ''))
                USING organization, max_rows - total;
            GET DIAGNOSTICS deleted = ROW_COUNT;
            total := total + deleted;
            EXIT WHEN deleted = 0 OR total >= max_rows;
        END LOOP;
        EXIT WHEN total >= max_rows;
    END LOOP;
    RETURN total;
END $$;
-- +goose StatementEnd
-- For the services that own records. What the gateway, the console and the mcp service keep of a sandbox stays.
-- +goose StatementBegin
DO $$ BEGIN
    REVOKE ALL ON FUNCTION empty_sandbox(integer, text[]) FROM PUBLIC;
    IF current_schema() NOT IN ('gateway', 'console', 'mcp') THEN
        EXECUTE format('GRANT EXECUTE ON FUNCTION empty_sandbox(integer, text[]) TO %I', 'ams_' || current_schema());
    END IF;
END $$;
-- +goose StatementEnd

-- Effects: what a record of one service does to a record of another (package effects).
--
-- What this service was instructed to do by others, with the result. There is one row for each effect, with its last instruction:
-- instructions that are repeated get their result from it. A row is deleted when its sender has said that no instruction of the effect waits.
CREATE TABLE applied_effect (
    organization_id uuid        NOT NULL,
    effect_id       uuid        NOT NULL,
    sender          text        COLLATE "C" NOT NULL, -- the service
    sequence        bigint      NOT NULL, -- of the instruction; the sender's later ones have greater numbers
    stage           text        COLLATE "C" NOT NULL,
    result          jsonb       NOT NULL DEFAULT '{}',
    result_at       timestamptz NOT NULL DEFAULT clock_timestamp(), -- the last time
    PRIMARY KEY (organization_id, effect_id)
);
SELECT isolate('applied_effect');

-- Instructions that wait for their owners: services that own what is to be changed. A row is deleted when its result is recorded.
-- Rows live for a moment only, as those of the outbox do.
CREATE TABLE effect_instruction (
    organization_id uuid        NOT NULL,
    effect_id       uuid        NOT NULL,
    sequence        bigint      GENERATED ALWAYS AS IDENTITY,
    owner           text        COLLATE "C" NOT NULL,
    record          text        COLLATE "C" NOT NULL, -- whose instructions are sent one after the other
    kind            text        COLLATE "C" NOT NULL,
    stage           text        COLLATE "C" NOT NULL,
    withdraw        boolean     NOT NULL DEFAULT false,
    payload         jsonb       NOT NULL,
    on_day          date        NOT NULL,
    cause           jsonb       NOT NULL,
    actor           jsonb       NOT NULL,
    caller          jsonb       NOT NULL, -- the organization's settings and features at that time
    request_id      text        COLLATE "C" NOT NULL,
    attempts        integer     NOT NULL DEFAULT 0,
    due_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, effect_id, sequence)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
SELECT isolate('effect_instruction');
CREATE INDEX effect_instruction_sequence ON effect_instruction (sequence);
CREATE INDEX effect_instruction_due ON effect_instruction (due_at, sequence);
CREATE INDEX effect_instruction_record ON effect_instruction (organization_id, record, sequence);

-- effects_take gives instructions that are due, of all organizations: of each record the first only, and none of the owners that are unavailable.
-- +goose StatementBegin
CREATE FUNCTION effects_take(max_rows integer, unavailable text[])
    RETURNS TABLE (organization_id uuid, effect_id uuid, sequence bigint, owner text, kind text, stage text, withdraw boolean, payload jsonb,
        on_day date, cause jsonb, actor jsonb, caller jsonb, request_id text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT i.organization_id, i.effect_id, i.sequence, i.owner, i.kind, i.stage, i.withdraw, i.payload, i.on_day, i.cause, i.actor, i.caller,
        i.request_id
    FROM effect_instruction i
    WHERE i.due_at <= statement_timestamp() AND i.owner <> ALL (unavailable)
      AND NOT EXISTS (SELECT FROM effect_instruction e WHERE e.organization_id = i.organization_id AND e.record = i.record
          AND e.sequence < i.sequence)
      AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = i.organization_id AND m.state <> 'moving')
    ORDER BY i.due_at, i.sequence LIMIT max_rows;
END $$;
-- +goose StatementEnd

-- effects_later puts instructions off that their owner could not answer: for a moment that doubles with every attempt, up to 5 seconds.
-- +goose StatementBegin
CREATE FUNCTION effects_later(sequences bigint[]) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off AS $$
BEGIN
    UPDATE effect_instruction i SET attempts = i.attempts + 1,
        due_at = clock_timestamp() + least(interval '100 milliseconds' * 2 ^ least(i.attempts, 10), interval '5 seconds')
    WHERE i.sequence = ANY (sequences);
END $$;
-- +goose StatementEnd

-- effects_waiting says how many instructions wait, and for how many seconds the first of them has. Up to 10 000 are counted.
-- +goose StatementBegin
CREATE FUNCTION effects_waiting(OUT waiting bigint, OUT lag double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    SELECT count(*) INTO waiting FROM (SELECT FROM effect_instruction i ORDER BY i.sequence LIMIT 10000) few;
    SELECT coalesce((SELECT extract(epoch FROM clock_timestamp() - i.created_at)::double precision FROM effect_instruction i
        ORDER BY i.sequence LIMIT 1), 0) INTO lag;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$
DECLARE
    sender text;
BEGIN
    FOREACH sender IN ARRAY ARRAY['effects_take(integer, text[])', 'effects_later(bigint[])', 'effects_waiting()'] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', sender);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', sender, 'ams_' || current_schema());
    END LOOP;
END $$;
-- +goose StatementEnd

-- Persons who are forgotten (package persons). What names a person is JSON with the id and, right behind it, the name, {"id": …, "name": …}, as
-- actors are written; or a user_name beside a user_id. The id stays.
--
-- person_columns gives the columns of the schema that may name a person so: a new one is among them by how it is called.
-- +goose StatementBegin
CREATE FUNCTION person_columns(OUT of_table text, OUT of_column text, OUT of_type text) RETURNS SETOF record
    LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT c.relname::text, a.attname::text, a.atttypid::regtype::text
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relrowsecurity AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND (a.atttypid IN ('json'::regtype, 'jsonb'::regtype) AND a.attname ~ '(_by|^actor|^subject|^changes|^payload)$'
            OR a.atttypid = 'text'::regtype AND a.attname = 'user_name')
    ORDER BY 1, 2
$$;
-- +goose StatementEnd

-- without_name is a JSON document with the name of one person replaced, wherever it stands right behind the id. A string cannot contain what is
-- looked for: its quotation marks are escaped. Everything else stays byte for byte.
-- +goose StatementBegin
CREATE FUNCTION without_name(document text, person uuid) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN regexp_replace(document, '("id" ?: ?"' || person::text || '", ?"name" ?: ?)"([^"\\]|\\.)*"', '\1"private"', 'g');
END $$;
-- +goose StatementEnd

-- without_fields is a JSON object with the values of some of its fields replaced; of those that are objects, the values in them: old and new.
-- +goose StatementBegin
CREATE FUNCTION without_fields(document json, fields text[]) RETURNS json
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT coalesce(json_object_agg(f.key, CASE
            WHEN f.key <> ALL (fields) OR json_typeof(f.value) = 'null' THEN f.value
            WHEN json_typeof(f.value) = 'object' THEN (SELECT coalesce(json_object_agg(v.key,
                    CASE json_typeof(v.value) WHEN 'null' THEN v.value ELSE '"private"'::json END), '{}'::json) FROM json_each(f.value) v)
            ELSE '"private"'::json END), '{}'::json)
        FROM json_each(document) f);
END $$;
-- +goose StatementEnd

-- without_person is what history or an event says of the person's own record, which is a user.
-- +goose StatementBegin
CREATE FUNCTION without_person(document json) RETURNS json
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    own CONSTANT text[] := ARRAY['email', 'name', 'phone', 'job_title', 'employee_number', 'external_id', 'custom_fields'];
BEGIN
    IF document -> 'data' -> 'object' IS NULL THEN
        RETURN without_fields(document, own);
    END IF;
    RETURN (SELECT json_object_agg(p.key, CASE WHEN p.key = 'data' THEN
            (SELECT json_object_agg(d.key, CASE WHEN d.key IN ('object', 'previous') THEN without_fields(d.value, own) ELSE d.value END)
                FROM json_each(p.value) d) ELSE p.value END) FROM json_each(document) p);
END $$;
-- +goose StatementEnd

-- erase_person erases the name of one person from the next rows of a table, of the transaction's organization, and says up to which key it read.
-- It is the one way in which history changes, and can write nothing but "private": whoever calls it gives an id, and no value. The person's own
-- history and events lose the other personal fields as well. It runs as the owner because services cannot change history. It gives up a row that
-- others hold before PostgreSQL looks for deadlocks (1 s), so that it is never a request that is refused.
-- +goose StatementBegin
CREATE FUNCTION erase_person(person uuid, in_table text, after text[], size integer, OUT reached text[], OUT rows_read bigint, OUT erased bigint)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
    SET lock_timeout = '500ms'
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$ -- by the keys, whatever statistics say
DECLARE
    organization uuid := current_organization();
    columns      text;
    backwards    text;
    texts        text;
    behind       text;
    joined       text;
    written      text;
    differs      text;
    own          text := 'false';
BEGIN
    IF organization IS NULL OR person IS NULL THEN
        RAISE 'erase_person: it needs an organization and a person';
    END IF;
    IF (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = to_regclass(quote_ident(in_table)) AND a.attname IN ('collection', 'record_id')) = 2 THEN
        own := format('(t.collection = ''users'' AND t.record_id = %L)', person);
    END IF;
    WITH named AS (
        SELECT c.of_column, c.of_type, CASE
            WHEN c.of_type = 'text' THEN format('CASE WHEN t.user_id = %L THEN ''private'' ELSE t.user_name END', person)
            WHEN c.of_type = 'json' AND own <> 'false' THEN
                format('without_name(CASE WHEN %1$s THEN without_person(t.%2$I)::text ELSE t.%2$I::text END, %3$L)::json', own, c.of_column, person)
            ELSE format('without_name(t.%I::text, %L)::%s', c.of_column, person, c.of_type) END AS value
        FROM person_columns() c WHERE c.of_table = in_table)
    SELECT string_agg(format('%I = %s', n.of_column, n.value), ', '),
        string_agg(CASE WHEN n.of_type = 'text' THEN format('t.user_id = %L AND t.user_name <> ''private''', person)
            ELSE format('(strpos(t.%1$I::text, %2$L) > 0 OR %3$s) AND t.%1$I::text <> (%4$s)::text', n.of_column, person, own, n.value) END, ' OR ')
    INTO written, differs FROM named n;
    SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.n), string_agg(quote_ident(a.attname) || ' DESC', ', ' ORDER BY k.n),
        string_agg(quote_ident(a.attname) || '::text', ', ' ORDER BY k.n),
        string_agg(format('($1)[%s]::%s', k.n, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY k.n),
        string_agg(format('t.%1$I = b.%1$I', a.attname), ' AND ' ORDER BY k.n)
    INTO columns, backwards, texts, behind, joined
    FROM pg_index i CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY k(attnum, n)
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
    WHERE i.indrelid = to_regclass(quote_ident(in_table)) AND i.indisprimary;
    IF written IS NULL OR columns IS NULL THEN
        RAISE 'erase_person: % has no column that names a person, or no key', in_table;
    END IF;
    EXECUTE format('WITH batch AS MATERIALIZED (SELECT %1$s FROM %2$I WHERE organization_id = $2 AND %3$s ORDER BY %1$s LIMIT %4$s), '
        'altered AS (UPDATE %2$I t SET %5$s FROM batch b WHERE t.organization_id = $2 AND %6$s AND (%7$s) RETURNING 1) '
        'SELECT (SELECT count(*) FROM batch), (SELECT ARRAY[%8$s] FROM batch ORDER BY %9$s LIMIT 1), (SELECT count(*) FROM altered)',
        columns, in_table, CASE WHEN after IS NULL THEN 'true' ELSE format('(%s) > (%s)', columns, behind) END, size, written, joined, differs,
        texts, backwards)
    INTO rows_read, reached, erased USING after, organization;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE 'REVOKE ALL ON FUNCTION erase_person(uuid, text, text[], integer) FROM PUBLIC';
    EXECUTE format('GRANT EXECUTE ON FUNCTION erase_person(uuid, text, text[], integer) TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- What is filled in after a migration, in batches and beside the work of others, and what the last run of the migrations has left (ADR 98).
-- A row per file backfill_<name>.sql. The owner writes the statement; the service may only have the next batch done.
CREATE TABLE backfill (
    name            text        COLLATE "C" PRIMARY KEY,
    of_table        text        COLLATE "C" NOT NULL,
    statement       text        NOT NULL,
    position        text[]      COLLATE "C", -- the primary key of the last row that this pass has done
    pass            integer     NOT NULL DEFAULT 1,
    rows_done       bigint      NOT NULL DEFAULT 0, -- of this pass
    rows_about      bigint      NOT NULL, -- by the database's own estimate, when it was begun
    changed_in_pass bigint      NOT NULL DEFAULT 0,
    changed         bigint      NOT NULL DEFAULT 0, -- of all passes
    begun_at        timestamptz NOT NULL DEFAULT now(),
    batch_at        timestamptz,
    finished_at     timestamptz
);

-- Files that the last run has not carried out, and why.
CREATE TABLE migration_pending (
    record text        COLLATE "C" NOT NULL, -- migration or migration_base
    file   text        COLLATE "C" NOT NULL,
    kind   text        COLLATE "C" NOT NULL,
    reason text        NOT NULL,
    since  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (record, file)
);

-- backfill_batch does the next rows of a backfill, and moves its position in the same transaction: a kill loses a batch and repeats none.
-- Whoever comes while another process is at it gets the state elsewhere. A pass that has changed something is followed by another, which finds what the
-- release before has written meanwhile. It gives up a row that others hold before PostgreSQL looks for deadlocks (1 s), so that it is
-- never a request that is refused.
-- +goose StatementBegin
CREATE FUNCTION backfill_batch(backfill_name text, size integer, OUT state text, OUT rows_read bigint)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
    SET lock_timeout = '500ms'
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$ -- by the keys, whatever statistics say
DECLARE
    job       backfill;
    columns   text;
    backwards text;
    texts     text;
    after     text;
    reached   text[];
    altered   bigint;
BEGIN
    SELECT * INTO job FROM backfill b WHERE b.name = backfill_name AND b.finished_at IS NULL FOR UPDATE SKIP LOCKED;
    rows_read := 0;
    IF NOT FOUND THEN
        state := 'elsewhere';
        RETURN;
    END IF;
    SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.n), string_agg(quote_ident(a.attname) || ' DESC', ', ' ORDER BY k.n),
        string_agg(quote_ident(a.attname) || '::text', ', ' ORDER BY k.n),
        string_agg(format('($1)[%s]::%s', k.n, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY k.n)
    INTO columns, backwards, texts, after
    FROM pg_index i CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY k(attnum, n)
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
    WHERE i.indrelid = to_regclass(quote_ident(job.of_table)) AND i.indisprimary;
    IF columns IS NULL THEN
        RAISE 'backfill %: there is no table % with a primary key', job.name, job.of_table;
    END IF;
    EXECUTE format('WITH batch AS MATERIALIZED (SELECT %1$s FROM %2$I WHERE %3$s ORDER BY %1$s LIMIT %4$s), altered AS (%5$s RETURNING 1) '
        'SELECT (SELECT count(*) FROM batch), (SELECT ARRAY[%6$s] FROM batch ORDER BY %7$s LIMIT 1), (SELECT count(*) FROM altered)',
        columns, job.of_table, CASE WHEN job.position IS NULL THEN 'true' ELSE format('(%s) > (%s)', columns, after) END,
        size, job.statement, texts, backwards)
    INTO rows_read, reached, altered USING job.position;
    IF rows_read > 0 THEN
        state := 'going on';
        UPDATE backfill b SET position = reached, rows_done = b.rows_done + rows_read, changed = b.changed + altered,
            changed_in_pass = b.changed_in_pass + altered, batch_at = now() WHERE b.name = job.name;
    ELSIF job.changed_in_pass > 0 THEN
        state := 'going on';
        UPDATE backfill b SET position = NULL, pass = b.pass + 1, rows_done = 0, changed_in_pass = 0,
            rows_about = greatest(b.rows_about, b.rows_done), batch_at = now() WHERE b.name = job.name;
    ELSE
        state := 'finished';
        UPDATE backfill b SET finished_at = now(), rows_about = b.rows_done WHERE b.name = job.name;
    END IF;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE format('REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON backfill, migration_pending FROM %I', 'ams_' || current_schema());
    EXECUTE 'REVOKE ALL ON FUNCTION backfill_batch(text, integer) FROM PUBLIC';
    EXECUTE format('GRANT EXECUTE ON FUNCTION backfill_batch(text, integer) TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd
