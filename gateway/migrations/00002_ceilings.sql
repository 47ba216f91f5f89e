-- +goose Up

-- What an organization may do at most over all its keys and all gateways: its plan's ceilings, and where it has others, its own.
ALTER TABLE plan
    ADD COLUMN requests_per_minute integer NOT NULL DEFAULT 2000 CONSTRAINT plan_requests_per_minute_check CHECK (requests_per_minute > 0),
    ADD COLUMN requests_in_flight  integer NOT NULL DEFAULT 30 CONSTRAINT plan_requests_in_flight_check CHECK (requests_in_flight > 0),
    ADD COLUMN streams             integer NOT NULL DEFAULT 4 CONSTRAINT plan_streams_check CHECK (streams > 0),
    ADD COLUMN long_polls          integer NOT NULL DEFAULT 20 CONSTRAINT plan_long_polls_check CHECK (long_polls > 0),
    ADD COLUMN active_keys         integer NOT NULL DEFAULT 100 CONSTRAINT plan_active_keys_check CHECK (active_keys > 0);
UPDATE plan SET requests_per_minute = 5000, requests_in_flight = 60 WHERE code = 'enterprise';
UPDATE plan SET requests_per_minute = 3000, requests_in_flight = 40 WHERE code = 'professional';

ALTER TABLE organization -- NULL: the plan's
    ADD COLUMN requests_per_minute integer CONSTRAINT organization_requests_per_minute_check CHECK (requests_per_minute > 0),
    ADD COLUMN requests_in_flight  integer CONSTRAINT organization_requests_in_flight_check CHECK (requests_in_flight > 0),
    ADD COLUMN streams             integer CONSTRAINT organization_streams_check CHECK (streams > 0),
    ADD COLUMN long_polls          integer CONSTRAINT organization_long_polls_check CHECK (long_polls > 0),
    ADD COLUMN active_keys         integer CONSTRAINT organization_active_keys_check CHECK (active_keys > 0);

-- find_keys with the ceilings of the key's organization. Gateways of the release before ask find_keys, which stays as it is.
-- +goose StatementBegin
CREATE FUNCTION find_keys_with_ceilings(hashes bytea[])
RETURNS TABLE (place bigint, id uuid, organization_id uuid, organization_name text, currency text, plan text, features text[],
    name text, scopes text[], state text, rate_limit integer, allowed_networks text[], expires_at timestamptz,
    requests_per_minute integer, requests_in_flight integer, streams integer, long_polls integer, active_keys integer)
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
        coalesce(o.streams, p.streams), coalesce(o.long_polls, p.long_polls), coalesce(o.active_keys, p.active_keys)
    FROM unnest(hashes) WITH ORDINALITY AS h (hash, place)
    JOIN api_key k ON k.hash = h.hash
    JOIN organization o ON o.organization_id = k.organization_id
    JOIN plan p ON p.code = o.plan;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION find_keys_with_ceilings;
ALTER TABLE organization DROP COLUMN requests_per_minute, DROP COLUMN requests_in_flight, DROP COLUMN streams, DROP COLUMN long_polls,
    DROP COLUMN active_keys;
ALTER TABLE plan DROP COLUMN requests_per_minute, DROP COLUMN requests_in_flight, DROP COLUMN streams, DROP COLUMN long_polls,
    DROP COLUMN active_keys;
