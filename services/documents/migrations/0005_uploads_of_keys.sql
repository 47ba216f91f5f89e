-- +goose Up

-- keys_of_uploads gives the keys that have uploads which are not done. Whoever calls it leaves out organizations that live elsewhere.
CREATE FUNCTION keys_of_uploads() RETURNS TABLE (organization_id uuid, key_id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT DISTINCT u.organization_id, u.actor_id FROM upload u JOIN blob b ON b.organization_id = u.organization_id AND b.id = u.blob_id
    WHERE u.document_id IS NULL AND u.expires_at > statement_timestamp() AND b.created_by ->> 'type' = 'api_key'
$$;
-- +goose StatementBegin
DO $$ BEGIN
    REVOKE ALL ON FUNCTION keys_of_uploads() FROM PUBLIC;
    EXECUTE format('GRANT EXECUTE ON FUNCTION keys_of_uploads() TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd
