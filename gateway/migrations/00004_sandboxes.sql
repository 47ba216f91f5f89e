-- +goose Up

-- sandbox_id is the one id that the sandbox of an organization may have: its own as a UUID of version 8. principal.SandboxOf gives the same.
CREATE FUNCTION sandbox_id(organization uuid) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN overlay(organization::text PLACING '8' FROM 15)::uuid;

-- A sandbox is an organization that belongs to another one, its live one. It has no plan, add-ons and settings of its own: those of the live
-- one hold for it too, and are read there.
ALTER TABLE organization
    ADD COLUMN sandbox_of uuid CONSTRAINT organization_sandbox_of_fkey REFERENCES organization,
    ALTER COLUMN plan DROP NOT NULL,
    ALTER COLUMN currency DROP NOT NULL,
    ALTER COLUMN time_zone DROP NOT NULL,
    ALTER COLUMN fiscal_year_end_month DROP NOT NULL,
    ADD CONSTRAINT organization_sandbox_of_check CHECK (CASE WHEN sandbox_of IS NULL
        THEN NOT is_sandbox(organization_id) AND num_nulls(plan, currency, time_zone, fiscal_year_end_month) = 0
        ELSE NOT is_sandbox(sandbox_of) AND organization_id = sandbox_id(sandbox_of)
            AND num_nonnulls(plan, currency, time_zone, fiscal_year_end_month, land_area_km2) = 0
        END);

-- A key is of the mode that its first characters say.
ALTER TABLE api_key ADD CONSTRAINT api_key_mode_check
    CHECK (starts_with(display, CASE WHEN is_sandbox(organization_id) THEN 'ams_test_' ELSE 'ams_live_' END));

-- What a sandbox may do at most, where the operator has set nothing else for it; as the plans, changed by migrations only.
CREATE TABLE sandbox_limit (
    single_row          boolean PRIMARY KEY DEFAULT true CONSTRAINT sandbox_limit_single_row_check CHECK (single_row),
    requests_per_minute integer NOT NULL CONSTRAINT sandbox_limit_requests_per_minute_check CHECK (requests_per_minute > 0),
    requests_in_flight  integer NOT NULL CONSTRAINT sandbox_limit_requests_in_flight_check CHECK (requests_in_flight > 0),
    streams             integer NOT NULL CONSTRAINT sandbox_limit_streams_check CHECK (streams > 0),
    long_polls          integer NOT NULL CONSTRAINT sandbox_limit_long_polls_check CHECK (long_polls > 0),
    active_keys         integer NOT NULL CONSTRAINT sandbox_limit_active_keys_check CHECK (active_keys > 0)
);
INSERT INTO sandbox_limit VALUES (true, 1000, 20, 2, 5, 20);
REVOKE INSERT, UPDATE, DELETE ON sandbox_limit FROM ams_gateway;
GRANT SELECT ON sandbox_limit TO ams_gateway;

-- The last emptying of an organization's sandbox. The row is the live organization's, as the trail is that says who asked for it.
CREATE TABLE sandbox_emptying (
    organization_id uuid PRIMARY KEY CONSTRAINT sandbox_emptying_organization_id_fkey REFERENCES organization,
    asked_at        timestamptz NOT NULL DEFAULT now(),
    deleted         bigint NOT NULL DEFAULT 0, -- rows so far
    finished_at     timestamptz                -- NULL: it goes on, and the keys of the sandbox are refused
);
SELECT isolate('sandbox_emptying');
CREATE INDEX sandbox_emptying_open ON sandbox_emptying (organization_id) WHERE finished_at IS NULL;

-- create_sandbox makes the sandbox of the transaction's organization, and says whether it was not there yet. As the owner, because the
-- sandbox is another organization.
-- +goose StatementBegin
CREATE FUNCTION create_sandbox() RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO organization (organization_id, sandbox_of, name, plan, currency, time_zone, fiscal_year_end_month)
    SELECT sandbox_id(o.organization_id), o.organization_id, o.name || ' (test)', NULL, NULL, NULL, NULL
    FROM organization o WHERE o.organization_id = current_organization() AND o.sandbox_of IS NULL
    ON CONFLICT (organization_id) DO NOTHING;
    RETURN FOUND;
END $$;
-- +goose StatementEnd

-- open_emptyings names the organizations whose sandboxes are being emptied, the one that has waited longest first.
-- +goose StatementBegin
CREATE FUNCTION open_emptyings() RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN QUERY SELECT organization_id FROM sandbox_emptying WHERE finished_at IS NULL ORDER BY asked_at;
END $$;
-- +goose StatementEnd

-- own_organization is the transaction's organization with what holds for it: a sandbox has the plan, the add-ons and the settings of its
-- live organization, and limits of its own.
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

-- find_keys_with_settings for keys of sandboxes as well. Gateways of the release before ask that one, which stays as it is and finds none
-- of them.
-- +goose StatementBegin
CREATE FUNCTION find_keys_of_both_modes(hashes bytea[])
RETURNS TABLE (place bigint, id uuid, organization_id uuid, organization_name text, currency text, plan text, features text[],
    name text, scopes text[], state text, rate_limit integer, allowed_networks text[], expires_at timestamptz,
    requests_per_minute integer, requests_in_flight integer, streams integer, long_polls integer, active_keys integer,
    time_zone text, fiscal_year_end_month integer, land_area_km2 text, emptying boolean)
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
            AND EXISTS (SELECT FROM sandbox_emptying e WHERE e.organization_id = o.sandbox_of AND e.finished_at IS NULL)
    FROM unnest(hashes) WITH ORDINALITY AS h (hash, place)
    JOIN api_key k ON k.hash = h.hash
    JOIN organization o ON o.organization_id = k.organization_id
    JOIN organization l ON l.organization_id = coalesce(o.sandbox_of, o.organization_id)
    JOIN plan p ON p.code = l.plan
    LEFT JOIN sandbox_limit s ON o.sandbox_of IS NOT NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION find_keys_of_both_modes, own_organization, open_emptyings, create_sandbox;
DROP TABLE sandbox_emptying, sandbox_limit;
DELETE FROM key_day WHERE is_sandbox(organization_id);
DELETE FROM key_use WHERE is_sandbox(organization_id);
DELETE FROM api_key WHERE is_sandbox(organization_id);
DELETE FROM organization WHERE sandbox_of IS NOT NULL;
ALTER TABLE api_key DROP CONSTRAINT api_key_mode_check;
ALTER TABLE organization
    DROP CONSTRAINT organization_sandbox_of_check,
    DROP COLUMN sandbox_of,
    ALTER COLUMN plan SET NOT NULL,
    ALTER COLUMN currency SET NOT NULL,
    ALTER COLUMN time_zone SET NOT NULL,
    ALTER COLUMN fiscal_year_end_month SET NOT NULL;
DROP FUNCTION sandbox_id;
