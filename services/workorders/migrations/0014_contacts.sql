-- Who asked for work is contact data as that of requests is: in no history, and erased some time after the end.

-- +goose Up

-- work_ended_at is when a work order ended: NULL where it has not.
CREATE FUNCTION work_ended_at(status text, closed_at timestamptz, completed_at timestamptz, updated_at timestamptz) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN status IN ('completed', 'closed', 'cancelled') THEN coalesce(closed_at, completed_at, updated_at) END;

CREATE INDEX work_order_contacts ON work_order (organization_id, work_ended_at(status, closed_at, completed_at, updated_at))
    WHERE num_nonnulls(requester_name, requester_email) > 0;

-- organizations_with_contacts names the organizations that have contact data of work orders that have ended.
-- +goose StatementBegin
CREATE FUNCTION organizations_with_contacts() RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN QUERY SELECT DISTINCT r.organization_id FROM work_order r
        WHERE work_ended_at(r.status, r.closed_at, r.completed_at, r.updated_at) IS NOT NULL
            AND num_nonnulls(r.requester_name, r.requester_email) > 0
            AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = r.organization_id AND m.state <> 'moving');
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$ BEGIN
    REVOKE ALL ON FUNCTION organizations_with_contacts() FROM PUBLIC;
    EXECUTE format('GRANT EXECUTE ON FUNCTION organizations_with_contacts() TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- The history had it until now.
UPDATE history h SET changes = (SELECT json_object_agg(c.key, CASE WHEN c.key IN ('requester_name', 'requester_email')
        THEN json_build_object('old', NULL, 'new', NULL) ELSE c.value END) FROM json_each(h.changes) c)
    WHERE h.collection = 'work_orders' AND h.changes::text LIKE '%"requester_%';
