-- +goose Up

-- waiting_deliveries says, for the figures, how many records have a delivery that is due and could be made now, and when the
-- longest due of them became so. An endpoint that is paused, disabled, suspended or blocked is not among them: its deliveries
-- wait for something else. Whatever waits, an endpoint costs one look into an index and most entries of it at the most.
-- +goose StatementBegin
CREATE FUNCTION waiting_deliveries(at timestamptz, most integer) RETURNS TABLE (waiting bigint, oldest timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT coalesce(sum(due.waiting), 0)::bigint, min(due.oldest)
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
$$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$ BEGIN
    REVOKE ALL ON FUNCTION waiting_deliveries(timestamptz, integer) FROM PUBLIC;
    EXECUTE format('GRANT EXECUTE ON FUNCTION waiting_deliveries(timestamptz, integer) TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd
