-- Functions that take arguments, as PL/pgSQL: Citus can send no statement of a function in SQL that has parameters (ADR 58). What they do, and who
-- may call them, stays.

-- +goose Up

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION find_invitation(hash bytea)
    RETURNS TABLE (organization_id uuid, user_id uuid, name text, email text, role text, locale text, expires_at timestamptz)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT u.organization_id, u.id, u.name, u.email, u.role, u.locale, i.expires_at
    FROM invitation i JOIN user_account u ON u.organization_id = i.organization_id AND u.id = i.user_id
    WHERE i.token_hash = hash AND i.expires_at > clock_timestamp() AND u.status IN ('invited', 'active');
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sign_in_candidates(address text, organization uuid)
    RETURNS TABLE (organization_id uuid, user_id uuid, name text, email text, role text, status text, locale text, password_hash text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT u.organization_id, u.id, u.name, u.email, u.role, u.status, u.locale, c.password_hash
    FROM user_account u JOIN credential c ON c.organization_id = u.organization_id AND c.user_id = u.id
    WHERE u.email_key = unique_key(address) AND u.status = 'active' AND (organization IS NULL OR u.organization_id = organization)
    ORDER BY u.created_at LIMIT 20;
END $$;
-- +goose StatementEnd
