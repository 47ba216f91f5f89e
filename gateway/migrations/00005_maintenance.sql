-- +goose Up

-- Maintenance: plans of recurring work, meters, forms, and what residents ask for.
INSERT INTO feature VALUES ('maintenance', 'Maintenance');
INSERT INTO plan_feature VALUES ('enterprise', 'maintenance');
INSERT INTO add_on VALUES ('maintenance', 'Maintenance');
INSERT INTO add_on_feature VALUES ('maintenance', 'maintenance');

-- What holds for people without a key. Apps for Open311 know an organization by its jurisdiction_id, or by its id; an organization's sandbox
-- has none. Contact data of requests is kept so many days after their end. How much one address may send is a setting of the requests
-- service: an address is no organization's.
ALTER TABLE organization
    ADD COLUMN jurisdiction_id          text COLLATE "C" -- as a rule its domain, such as riviere-claire.ca
        CONSTRAINT organization_jurisdiction_id_key UNIQUE,
    ADD COLUMN contact_retention_days   integer NOT NULL DEFAULT 365
        CONSTRAINT organization_contact_retention_days_check CHECK (contact_retention_days BETWEEN 1 AND 3650),
    ADD COLUMN public_requests_per_link integer NOT NULL DEFAULT 60 -- in an hour
        CONSTRAINT organization_public_requests_per_link_check CHECK (public_requests_per_link BETWEEN 1 AND 10000),
    ADD COLUMN public_requests_per_day  integer NOT NULL DEFAULT 1000
        CONSTRAINT organization_public_requests_per_day_check CHECK (public_requests_per_day BETWEEN 1 AND 100000);

-- own_organization with them. Programs of the release before name the columns that they read, and go on.
DROP FUNCTION own_organization();
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

-- organization_of_jurisdiction names the organization that Open311 apps know by a name. As the owner: until it is known there is none.
-- +goose StatementBegin
CREATE FUNCTION organization_of_jurisdiction(wanted text) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN QUERY SELECT o.organization_id FROM organization o WHERE o.jurisdiction_id = wanted;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION organization_of_jurisdiction, own_organization;
ALTER TABLE organization DROP COLUMN jurisdiction_id, DROP COLUMN contact_retention_days, DROP COLUMN public_requests_per_link,
    DROP COLUMN public_requests_per_day;
-- +goose StatementBegin
CREATE FUNCTION own_organization()
RETURNS TABLE (organization_id uuid, sandbox_of uuid, name text, plan text, currency text, created_at timestamptz, features text[],
    add_ons text[], requests_per_minute integer, requests_in_flight integer, streams integer, long_polls integer, active_keys integer,
    time_zone text, fiscal_year_end_month integer, land_area_km2 text, own_limits text[])
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
            CASE WHEN o.active_keys IS NOT NULL THEN 'active_keys' END], NULL)
    FROM organization o
    JOIN organization l ON l.organization_id = coalesce(o.sandbox_of, o.organization_id)
    JOIN plan p ON p.code = l.plan
    LEFT JOIN sandbox_limit s ON o.sandbox_of IS NOT NULL
    WHERE o.organization_id = current_organization();
END $$;
-- +goose StatementEnd
DELETE FROM organization_add_on WHERE add_on = 'maintenance';
DELETE FROM add_on_feature WHERE add_on = 'maintenance';
DELETE FROM add_on WHERE code = 'maintenance';
DELETE FROM plan_feature WHERE feature = 'maintenance';
DELETE FROM feature WHERE code = 'maintenance';
