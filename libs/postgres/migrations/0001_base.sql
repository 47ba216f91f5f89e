-- What every service's schema has in common: organizations kept apart, positions, the ledger that counts rows,
-- numbers for codes, history, outbox, and the answers kept for idempotent requests.

-- +goose Up

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
    folded          boolean NOT NULL DEFAULT false
);
CREATE INDEX ledger_block ON ledger (organization_id, collection, block) INCLUDE (live);
CREATE INDEX ledger_fresh ON ledger (organization_id, collection) INCLUDE (live) WHERE NOT folded;
SELECT isolate('ledger');

-- What the folded rows of the ledger add up to, so that a total is this and the rows that no fold has seen.
CREATE TABLE ledger_total (
    organization_id uuid   NOT NULL,
    collection      text   COLLATE "C" NOT NULL,
    live            bigint NOT NULL
);
CREATE INDEX ledger_total_collection ON ledger_total (organization_id, collection) INCLUDE (live);
SELECT isolate('ledger_total');

-- fold_ledger adds up the deltas, per block and in the total. A delta that two folds want is deleted, and so counted, by
-- one of them only; readers see the deltas or the sums. It answers how many deltas it added up.
-- +goose StatementBegin
CREATE FUNCTION fold_ledger(collection text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    folded bigint;
BEGIN
    WITH fresh AS (
        DELETE FROM ledger l
        WHERE l.organization_id = current_organization() AND l.collection = fold_ledger.collection AND NOT l.folded
        RETURNING l.block, l.live
    ), old AS (
        DELETE FROM ledger l USING (SELECT DISTINCT block FROM fresh) touched
        WHERE l.organization_id = current_organization() AND l.collection = fold_ledger.collection
          AND l.block = touched.block AND l.folded
        RETURNING l.block, l.live
    ), kept AS (
        INSERT INTO ledger (organization_id, collection, block, live, folded)
        SELECT current_organization(), fold_ledger.collection, block, sum(live), true
        FROM (SELECT * FROM fresh UNION ALL SELECT * FROM old) b GROUP BY block HAVING sum(live) <> 0
    ), totals AS (
        DELETE FROM ledger_total t
        WHERE t.organization_id = current_organization() AND t.collection = fold_ledger.collection AND EXISTS (SELECT FROM fresh)
        RETURNING t.live
    ), total AS (
        INSERT INTO ledger_total (organization_id, collection, live)
        SELECT current_organization(), fold_ledger.collection, sum(live)
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
    PRIMARY KEY (organization_id, collection, record_id, version, id)
);
-- For the audit trail, which is read newest first: all of it, or what one key or person did.
CREATE INDEX history_at ON history (organization_id, at, id);
CREATE INDEX history_actor_id ON history (organization_id, actor_id, at, id);
SELECT isolate('history');
-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE format('REVOKE UPDATE, DELETE ON history FROM %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- Events, written in the transaction of what they tell about; payload keeps the order of its keys.
CREATE TABLE outbox (
    id              uuid        PRIMARY KEY,
    organization_id uuid        NOT NULL,
    position        bigserial,
    type            text        COLLATE "C" NOT NULL,
    collection      text        COLLATE "C" NOT NULL,
    record_id       uuid        NOT NULL,
    version         integer     NOT NULL,
    payload         json        NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);
-- Rows live for a moment only: compressing each would cost more than all the rest of its insert.
ALTER TABLE outbox SET (toast_tuple_target = 8160);
CREATE INDEX outbox_position ON outbox (position);
SELECT isolate('outbox');
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
);
CREATE INDEX idempotency_created_at ON idempotency (organization_id, created_at);
SELECT isolate('idempotency');
