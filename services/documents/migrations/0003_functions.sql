-- Functions that take arguments, as PL/pgSQL: Citus can send no statement of a function in SQL that has parameters (ADR 58). What they do, and who
-- may call them, stays.

-- +goose Up

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION scan_again(signatures text, age interval, most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    marked bigint;
BEGIN
    WITH stale AS (
        SELECT b.organization_id, b.id FROM blob b WHERE b.state = 'ready' AND b.ready_at > statement_timestamp() - age AND b.scan_due_at IS NULL
            AND b.scan_signatures IS DISTINCT FROM signatures ORDER BY b.ready_at DESC LIMIT most FOR UPDATE SKIP LOCKED)
    UPDATE blob b SET scan_due_at = statement_timestamp() FROM stale s WHERE b.organization_id = s.organization_id AND b.id = s.id;
    GET DIAGNOSTICS marked = ROW_COUNT;
    RETURN marked;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION trash_due(kept interval) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN QUERY
    SELECT DISTINCT d.organization_id FROM document d WHERE d.trashed_at <= statement_timestamp() - kept;
END $$;
-- +goose StatementEnd
