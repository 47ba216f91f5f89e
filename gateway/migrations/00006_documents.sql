-- +goose Up

-- Documents: how many bytes of them an organization may keep. A plan grants some, an add-on more; the operator may set another number for one
-- organization, and a sandbox has its own. 1 GiB = 1,073,741,824 bytes.
ALTER TABLE plan ADD COLUMN storage_bytes bigint NOT NULL DEFAULT 5368709120
    CONSTRAINT plan_storage_bytes_check CHECK (storage_bytes > 0);
UPDATE plan SET storage_bytes = 107374182400 WHERE code = 'professional';
UPDATE plan SET storage_bytes = 1099511627776 WHERE code = 'enterprise';
ALTER TABLE add_on ADD COLUMN storage_bytes bigint NOT NULL DEFAULT 0 -- beyond the plan's
    CONSTRAINT add_on_storage_bytes_check CHECK (storage_bytes >= 0);
INSERT INTO add_on VALUES ('storage', 'Storage', 536870912000);
ALTER TABLE organization ADD COLUMN storage_bytes bigint -- NULL: of plan and add-ons
    CONSTRAINT organization_storage_bytes_check CHECK (storage_bytes > 0);
ALTER TABLE sandbox_limit ADD COLUMN storage_bytes bigint NOT NULL DEFAULT 1073741824
    CONSTRAINT sandbox_limit_storage_bytes_check CHECK (storage_bytes > 0);

-- added_storage is what an organization's add-ons grant.
-- +goose StatementBegin
CREATE FUNCTION added_storage(organization uuid) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT coalesce(sum(x.storage_bytes), 0) FROM organization_add_on a JOIN add_on x ON x.code = a.add_on
        WHERE a.organization_id = organization);
END $$;
-- +goose StatementEnd

-- own_organization with it. Programs of the release before name the columns that they read, and go on.
DROP FUNCTION own_organization();
-- +goose StatementBegin
CREATE FUNCTION own_organization()
RETURNS TABLE (organization_id uuid, sandbox_of uuid, name text, plan text, currency text, created_at timestamptz, features text[],
    add_ons text[], requests_per_minute integer, requests_in_flight integer, streams integer, long_polls integer, active_keys integer,
    time_zone text, fiscal_year_end_month integer, land_area_km2 text, own_limits text[],
    jurisdiction_id text, contact_retention_days integer, public_requests_per_link integer, public_requests_per_day integer, storage_bytes bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT o.organization_id, o.sandbox_of, o.name, l.plan, l.currency, o.created_at, organization_features(l.organization_id, l.plan),
        ARRAY(SELECT a.add_on FROM organization_add_on a WHERE a.organization_id = l.organization_id ORDER BY a.add_on),
        coalesce(o.requests_per_minute, s.requests_per_minute, p.requests_per_minute),
        coalesce(o.requests_in_flight, s.requests_in_flight, p.requests_in_flight), coalesce(o.streams, s.streams, p.streams),
        coalesce(o.long_polls, s.long_polls, p.long_polls), coalesce(o.active_keys, s.active_keys, p.active_keys),
        l.time_zone, l.fiscal_year_end_month, trim_scale(l.land_area_km2)::text,
        array_remove(ARRAY[
            CASE WHEN o.requests_per_minute IS NOT NULL THEN 'requests_per_minute' END,
            CASE WHEN o.requests_in_flight IS NOT NULL THEN 'requests_in_flight' END,
            CASE WHEN o.streams IS NOT NULL THEN 'streams' END,
            CASE WHEN o.long_polls IS NOT NULL THEN 'long_polls' END,
            CASE WHEN o.active_keys IS NOT NULL THEN 'active_keys' END,
            CASE WHEN o.storage_bytes IS NOT NULL THEN 'storage_bytes' END], NULL),
        o.jurisdiction_id, l.contact_retention_days, l.public_requests_per_link, l.public_requests_per_day,
        coalesce(o.storage_bytes, s.storage_bytes, p.storage_bytes + added_storage(l.organization_id))
    FROM organization o
    JOIN organization l ON l.organization_id = coalesce(o.sandbox_of, o.organization_id)
    JOIN plan p ON p.code = l.plan
    LEFT JOIN sandbox_limit s ON o.sandbox_of IS NOT NULL
    WHERE o.organization_id = current_organization();
END $$;
-- +goose StatementEnd

-- find_keys_of_both_modes with it, written out as the features are there. Gateways of the release before ask that one, which stays.
-- +goose StatementBegin
CREATE FUNCTION find_keys_with_storage(hashes bytea[])
RETURNS TABLE (place bigint, id uuid, organization_id uuid, organization_name text, currency text, plan text, features text[],
    name text, scopes text[], state text, rate_limit integer, allowed_networks text[], expires_at timestamptz,
    requests_per_minute integer, requests_in_flight integer, streams integer, long_polls integer, active_keys integer,
    time_zone text, fiscal_year_end_month integer, land_area_km2 text, emptying boolean, storage_bytes bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan ROWS 10 AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT h.place, k.id, k.organization_id, o.name, l.currency, l.plan,
        ARRAY(SELECT f.feature FROM plan_feature f WHERE f.plan = l.plan
            UNION ALL -- a feature that plan and add-on both grant is there twice
            SELECT f.feature FROM organization_add_on a JOIN add_on_feature f ON f.add_on = a.add_on WHERE a.organization_id = l.organization_id),
        k.name, k.scopes, key_state(k.state, k.retires_at, k.expires_at, statement_timestamp()),
        k.rate_limit, k.allowed_networks, k.expires_at,
        coalesce(o.requests_per_minute, s.requests_per_minute, p.requests_per_minute),
        coalesce(o.requests_in_flight, s.requests_in_flight, p.requests_in_flight), coalesce(o.streams, s.streams, p.streams),
        coalesce(o.long_polls, s.long_polls, p.long_polls), coalesce(o.active_keys, s.active_keys, p.active_keys),
        l.time_zone, l.fiscal_year_end_month, trim_scale(l.land_area_km2)::text,
        o.sandbox_of IS NOT NULL
            AND EXISTS (SELECT FROM sandbox_emptying e WHERE e.organization_id = o.sandbox_of AND e.finished_at IS NULL),
        coalesce(o.storage_bytes, s.storage_bytes, p.storage_bytes + (SELECT coalesce(sum(x.storage_bytes), 0)::bigint
            FROM organization_add_on a JOIN add_on x ON x.code = a.add_on WHERE a.organization_id = l.organization_id))
    FROM unnest(hashes) WITH ORDINALITY AS h (hash, place)
    JOIN api_key k ON k.hash = h.hash
    JOIN organization o ON o.organization_id = k.organization_id
    JOIN organization l ON l.organization_id = coalesce(o.sandbox_of, o.organization_id)
    JOIN plan p ON p.code = l.plan
    LEFT JOIN sandbox_limit s ON o.sandbox_of IS NOT NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION find_keys_with_storage, own_organization, added_storage;
ALTER TABLE sandbox_limit DROP COLUMN storage_bytes;
ALTER TABLE organization DROP COLUMN storage_bytes;
DELETE FROM organization_add_on WHERE add_on = 'storage';
DELETE FROM add_on WHERE code = 'storage';
ALTER TABLE add_on DROP COLUMN storage_bytes;
ALTER TABLE plan DROP COLUMN storage_bytes;
-- +goose StatementBegin
CREATE FUNCTION own_organization()
RETURNS TABLE (organization_id uuid, sandbox_of uuid, name text, plan text, currency text, created_at timestamptz, features text[],
    add_ons text[], requests_per_minute integer, requests_in_flight integer, streams integer, long_polls integer, active_keys integer,
    time_zone text, fiscal_year_end_month integer, land_area_km2 text, own_limits text[],
    jurisdiction_id text, contact_retention_days integer, public_requests_per_link integer, public_requests_per_day integer)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT o.organization_id, o.sandbox_of, o.name, l.plan, l.currency, o.created_at, organization_features(l.organization_id, l.plan),
        ARRAY(SELECT a.add_on FROM organization_add_on a WHERE a.organization_id = l.organization_id ORDER BY a.add_on),
        coalesce(o.requests_per_minute, s.requests_per_minute, p.requests_per_minute),
        coalesce(o.requests_in_flight, s.requests_in_flight, p.requests_in_flight), coalesce(o.streams, s.streams, p.streams),
        coalesce(o.long_polls, s.long_polls, p.long_polls), coalesce(o.active_keys, s.active_keys, p.active_keys),
        l.time_zone, l.fiscal_year_end_month, trim_scale(l.land_area_km2)::text,
        array_remove(ARRAY[
            CASE WHEN o.requests_per_minute IS NOT NULL THEN 'requests_per_minute' END,
            CASE WHEN o.requests_in_flight IS NOT NULL THEN 'requests_in_flight' END,
            CASE WHEN o.streams IS NOT NULL THEN 'streams' END,
            CASE WHEN o.long_polls IS NOT NULL THEN 'long_polls' END,
            CASE WHEN o.active_keys IS NOT NULL THEN 'active_keys' END], NULL),
        o.jurisdiction_id, l.contact_retention_days, l.public_requests_per_link, l.public_requests_per_day
    FROM organization o
    JOIN organization l ON l.organization_id = coalesce(o.sandbox_of, o.organization_id)
    JOIN plan p ON p.code = l.plan
    LEFT JOIN sandbox_limit s ON o.sandbox_of IS NOT NULL
    WHERE o.organization_id = current_organization();
END $$;
-- +goose StatementEnd
