-- What each process asks many times a second, as PL/pgSQL, which keeps its plans: a function in SQL is parsed and planned anew by each
-- call.

-- +goose Up

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION claim_endpoints(worker integer, at timestamptz, most integer) RETURNS TABLE (organization_id uuid, endpoint_id uuid)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH free AS (
        SELECT d.organization_id, d.endpoint_id FROM dispatch d
        WHERE d.worker IS NULL AND d.wake_at <= claim_endpoints.at
        ORDER BY d.wake_at LIMIT most FOR NO KEY UPDATE SKIP LOCKED
    ), orphaned AS (
        SELECT d.organization_id, d.endpoint_id FROM dispatch d
        WHERE d.worker IS NOT NULL AND d.wake_at <= claim_endpoints.at AND d.worker <> claim_endpoints.worker
          AND d.worker NOT IN (
            SELECT l.objid::bigint::integer FROM pg_locks l
            WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
              AND l.classid::bigint = worker_class()::bigint & 4294967295
              AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
        LIMIT most FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE dispatch d SET worker = claim_endpoints.worker
    FROM (SELECT * FROM free UNION SELECT * FROM orphaned) c
    WHERE d.organization_id = c.organization_id AND d.endpoint_id = c.endpoint_id
    RETURNING d.organization_id, d.endpoint_id;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION owned_endpoints(worker integer) RETURNS TABLE (organization_id uuid, endpoint_id uuid, knock bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT d.organization_id, d.endpoint_id, d.knock FROM dispatch d WHERE d.worker = owned_endpoints.worker;
END $$;
-- +goose StatementEnd
