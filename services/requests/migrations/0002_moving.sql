-- What a stranger shows is looked for where its organization lives: while it moves to another database, its rows are in both.

-- +goose Up

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION link_of_token(wanted text) RETURNS TABLE (organization_id uuid, id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT l.organization_id, l.id FROM request_link l WHERE l.token = wanted
        AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = l.organization_id AND m.state IN ('reading', 'absent')) LIMIT 1;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION request_of_receipt(wanted bytea) RETURNS TABLE (organization_id uuid, id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT r.organization_id, r.id FROM request r WHERE r.receipt = wanted
        AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = r.organization_id AND m.state IN ('reading', 'absent')) LIMIT 1;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION organizations_with_contacts() RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN QUERY SELECT DISTINCT r.organization_id FROM request r
        WHERE r.ended_at IS NOT NULL AND num_nonnulls(r.requester_name, r.requester_email, r.requester_phone) > 0
            AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = r.organization_id AND m.state <> 'moving');
END $$;
-- +goose StatementEnd
