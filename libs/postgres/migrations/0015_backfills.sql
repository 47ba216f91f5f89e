-- expand
-- What is filled in after a migration, in batches and beside the work of others, and what the last run of the migrations has left
-- (ADR 98).

-- +goose Up

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
