-- +goose Up

-- What an organization's needs and grades follow from. Organizations that exist have figures by the years that were typed, and go on;
-- new ones begin with lives. renewal_basis has two values, so that the days on which it changed say what it was before.
ALTER TABLE organization
    ADD COLUMN renewal_basis text COLLATE "C" NOT NULL DEFAULT 'typed'
        CONSTRAINT organization_renewal_basis_check CHECK (renewal_basis IN ('typed', 'typed_or_life')),
    ADD COLUMN renewal_basis_changed_on date[] NOT NULL DEFAULT '{}', -- in the order of time
    ADD COLUMN fci_bands numeric(6, 2)[] -- the upper ends of good, fair and poor; NULL: those that are common in the field
        CONSTRAINT organization_fci_bands_check CHECK (cardinality(fci_bands) = 3 AND 0 < fci_bands[1]
            AND fci_bands[1] < fci_bands[2] AND fci_bands[2] < fci_bands[3]);
ALTER TABLE organization ALTER COLUMN renewal_basis SET DEFAULT 'typed_or_life';

-- own_organization with it. Programs of the release before name the columns that they read, and go on.
DROP FUNCTION own_organization();
-- +goose StatementBegin
CREATE FUNCTION own_organization()
RETURNS TABLE (organization_id uuid, sandbox_of uuid, name text, plan text, currency text, created_at timestamptz, features text[],
    add_ons text[], requests_per_minute integer, requests_in_flight integer, streams integer, long_polls integer, active_keys integer,
    time_zone text, fiscal_year_end_month integer, land_area_km2 text, own_limits text[],
    jurisdiction_id text, contact_retention_days integer, public_requests_per_link integer, public_requests_per_day integer, storage_bytes bigint,
    cell text, renewal_basis text, renewal_basis_changed_on text[],
    fci_bands double precision[])
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
        coalesce(o.storage_bytes, s.storage_bytes, p.storage_bytes + added_storage(l.organization_id)), l.cell,
        l.renewal_basis, l.renewal_basis_changed_on::text[], l.fci_bands::double precision[]
    FROM organization o
    JOIN organization l ON l.organization_id = coalesce(o.sandbox_of, o.organization_id)
    JOIN plan p ON p.code = l.plan
    LEFT JOIN sandbox_limit s ON o.sandbox_of IS NOT NULL
    WHERE o.organization_id = current_organization();
END $$;
-- +goose StatementEnd

-- find_keys_with_cell with it, which stays for gateways of the release before.
-- +goose StatementBegin
CREATE FUNCTION find_keys_with_indicators(hashes bytea[])
RETURNS TABLE (place bigint, id uuid, organization_id uuid, organization_name text, currency text, plan text, features text[],
    name text, scopes text[], state text, rate_limit integer, allowed_networks text[], expires_at timestamptz,
    requests_per_minute integer, requests_in_flight integer, streams integer, long_polls integer, active_keys integer,
    time_zone text, fiscal_year_end_month integer, land_area_km2 text, emptying boolean, storage_bytes bigint, cell text,
    renewal_basis text, renewal_basis_changed_on text[],
    fci_bands double precision[])
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
            FROM organization_add_on a JOIN add_on x ON x.code = a.add_on WHERE a.organization_id = l.organization_id)), l.cell,
        l.renewal_basis, l.renewal_basis_changed_on::text[], l.fci_bands::double precision[]
    FROM unnest(hashes) WITH ORDINALITY AS h (hash, place)
    JOIN api_key k ON k.hash = h.hash
    JOIN organization o ON o.organization_id = k.organization_id
    JOIN organization l ON l.organization_id = coalesce(o.sandbox_of, o.organization_id)
    JOIN plan p ON p.code = l.plan
    LEFT JOIN sandbox_limit s ON o.sandbox_of IS NOT NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION find_keys_with_indicators, own_organization;
-- +goose StatementBegin
CREATE FUNCTION own_organization()
RETURNS TABLE (organization_id uuid, sandbox_of uuid, name text, plan text, currency text, created_at timestamptz, features text[],
    add_ons text[], requests_per_minute integer, requests_in_flight integer, streams integer, long_polls integer, active_keys integer,
    time_zone text, fiscal_year_end_month integer, land_area_km2 text, own_limits text[],
    jurisdiction_id text, contact_retention_days integer, public_requests_per_link integer, public_requests_per_day integer, storage_bytes bigint,
    cell text)
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
        coalesce(o.storage_bytes, s.storage_bytes, p.storage_bytes + added_storage(l.organization_id)), l.cell
    FROM organization o
    JOIN organization l ON l.organization_id = coalesce(o.sandbox_of, o.organization_id)
    JOIN plan p ON p.code = l.plan
    LEFT JOIN sandbox_limit s ON o.sandbox_of IS NOT NULL
    WHERE o.organization_id = current_organization();
END $$;
-- +goose StatementEnd
ALTER TABLE organization DROP COLUMN renewal_basis, DROP COLUMN renewal_basis_changed_on, DROP COLUMN fci_bands;
