-- +goose Up

-- When the operator has suspended an organization; NULL: it works. A sandbox is suspended with its live organization (ADR 101).
ALTER TABLE organization ADD COLUMN suspended_at timestamptz;

-- suspended_since says since when an organization, or the one whose sandbox it is, is suspended.
-- +goose StatementBegin
CREATE FUNCTION suspended_since(organization uuid) RETURNS timestamptz
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT l.suspended_at FROM organization o JOIN organization l ON l.organization_id = coalesce(o.sandbox_of, o.organization_id)
    WHERE o.organization_id = suspended_since.organization
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION suspended_since;
ALTER TABLE organization DROP COLUMN suspended_at;
