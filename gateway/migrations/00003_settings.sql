-- +goose Up

-- Where an organization is and when its fiscal year ends: every day and every fiscal year that it sees follows from them. Its land area
-- is what figures per square kilometre are divided by.
ALTER TABLE organization
    ADD COLUMN time_zone             text COLLATE "C" NOT NULL DEFAULT 'America/Toronto', -- IANA
    ADD COLUMN fiscal_year_end_month integer NOT NULL DEFAULT 12 -- the year ends on that month's last day
        CONSTRAINT organization_fiscal_year_end_month_check CHECK (fiscal_year_end_month BETWEEN 1 AND 12),
    ADD COLUMN land_area_km2         numeric(12, 4)              -- NULL: not known
        CONSTRAINT organization_land_area_km2_check CHECK (land_area_km2 > 0);

-- find_keys_with_ceilings with the settings of the key's organization. Gateways of the release before ask that one, which stays as it is.
-- +goose StatementBegin
CREATE FUNCTION find_keys_with_settings(hashes bytea[])
RETURNS TABLE (place bigint, id uuid, organization_id uuid, organization_name text, currency text, plan text, features text[],
    name text, scopes text[], state text, rate_limit integer, allowed_networks text[], expires_at timestamptz,
    requests_per_minute integer, requests_in_flight integer, streams integer, long_polls integer, active_keys integer,
    time_zone text, fiscal_year_end_month integer, land_area_km2 text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan ROWS 10 AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT h.place, k.id, k.organization_id, o.name, o.currency, o.plan,
        ARRAY(SELECT f.feature FROM plan_feature f WHERE f.plan = o.plan
            UNION ALL -- a feature that plan and add-on both grant is there twice
            SELECT f.feature FROM organization_add_on a JOIN add_on_feature f ON f.add_on = a.add_on WHERE a.organization_id = o.organization_id),
        k.name, k.scopes, key_state(k.state, k.retires_at, k.expires_at, statement_timestamp()),
        k.rate_limit, k.allowed_networks, k.expires_at,
        coalesce(o.requests_per_minute, p.requests_per_minute), coalesce(o.requests_in_flight, p.requests_in_flight),
        coalesce(o.streams, p.streams), coalesce(o.long_polls, p.long_polls), coalesce(o.active_keys, p.active_keys),
        o.time_zone, o.fiscal_year_end_month, trim_scale(o.land_area_km2)::text
    FROM unnest(hashes) WITH ORDINALITY AS h (hash, place)
    JOIN api_key k ON k.hash = h.hash
    JOIN organization o ON o.organization_id = k.organization_id
    JOIN plan p ON p.code = o.plan;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION find_keys_with_settings;
ALTER TABLE organization DROP COLUMN time_zone, DROP COLUMN fiscal_year_end_month, DROP COLUMN land_area_km2;
