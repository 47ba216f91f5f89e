-- An organization that moves to another database is worked on where it lives, and its deliveries are made there.

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
          AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = d.organization_id AND m.state <> 'moving')
        ORDER BY d.wake_at LIMIT most FOR NO KEY UPDATE SKIP LOCKED
    ), orphaned AS (
        SELECT d.organization_id, d.endpoint_id FROM dispatch d
        WHERE d.worker IS NOT NULL AND d.wake_at <= claim_endpoints.at AND d.worker <> claim_endpoints.worker
          AND d.worker NOT IN (
            SELECT l.objid::bigint::integer FROM pg_locks l
            WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
              AND l.classid::bigint = worker_class()::bigint & 4294967295
              AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
          AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = d.organization_id AND m.state <> 'moving')
        LIMIT most FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE dispatch d SET worker = claim_endpoints.worker
    FROM (SELECT * FROM free UNION SELECT * FROM orphaned) c
    WHERE d.organization_id = c.organization_id AND d.endpoint_id = c.endpoint_id
    RETURNING d.organization_id, d.endpoint_id;
END $$;
-- +goose StatementEnd

-- A worker whose endpoint has left stops its calls: another worker delivers to it where it arrived, from the same rows.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION owned_endpoints(worker integer) RETURNS TABLE (organization_id uuid, endpoint_id uuid, knock bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT d.organization_id, d.endpoint_id, d.knock FROM dispatch d WHERE d.worker = owned_endpoints.worker
        AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = d.organization_id AND m.state <> 'moving');
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION waiting_deliveries(at timestamptz, most integer) RETURNS TABLE (waiting bigint, oldest timestamptz)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT coalesce(sum(due.waiting), 0)::bigint, min(due.oldest)
    FROM dispatch d CROSS JOIN LATERAL (
        SELECT count(*) AS waiting, min(l.next_at) AS oldest FROM (
            SELECT l.next_at FROM lane l
            WHERE l.organization_id = d.organization_id AND l.endpoint_id = d.endpoint_id AND l.next_at <= waiting_deliveries.at
            ORDER BY l.next_at LIMIT most
        ) l
    ) due
    WHERE d.wake_at IS NOT NULL AND NOT d.held AND NOT d.gone
      AND (d.blocked_until IS NULL OR d.blocked_until <= waiting_deliveries.at)
      AND (d.suspended_until IS NULL OR d.suspended_until <= waiting_deliveries.at)
      AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = d.organization_id AND m.state <> 'moving');
END $$;
-- +goose StatementEnd

CREATE OR REPLACE FUNCTION open_replays() RETURNS TABLE (organization_id uuid, id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT r.organization_id, r.id FROM replay r WHERE r.state <> 'done'
        AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = r.organization_id AND m.state <> 'moving')
    ORDER BY r.created_at
$$;

CREATE OR REPLACE FUNCTION gone_endpoints() RETURNS TABLE (organization_id uuid, endpoint_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT d.organization_id, d.endpoint_id FROM dispatch d WHERE d.gone
        AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = d.organization_id AND m.state <> 'moving')
$$;

CREATE OR REPLACE FUNCTION organizations_with_events() RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT f.organization_id FROM feed f
    WHERE NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = f.organization_id AND m.state <> 'moving')
    ORDER BY f.organization_id
$$;
