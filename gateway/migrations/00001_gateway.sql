-- +goose Up

-- What an organization has bought, as data: a plan grants features, an add-on grants features on any plan.
CREATE TABLE feature (
    code text COLLATE "C" PRIMARY KEY,
    name text NOT NULL
);
CREATE TABLE plan (
    code text COLLATE "C" PRIMARY KEY,
    name text NOT NULL
);
CREATE TABLE plan_feature (
    plan    text COLLATE "C" NOT NULL REFERENCES plan,
    feature text COLLATE "C" NOT NULL REFERENCES feature,
    PRIMARY KEY (plan, feature)
);
CREATE TABLE add_on (
    code text COLLATE "C" PRIMARY KEY,
    name text NOT NULL
);
CREATE TABLE add_on_feature (
    add_on  text COLLATE "C" NOT NULL REFERENCES add_on,
    feature text COLLATE "C" NOT NULL REFERENCES feature,
    PRIMARY KEY (add_on, feature)
);

INSERT INTO feature VALUES
    ('api_access', 'API access'),
    ('los', 'Level of Service'),
    ('infrastructure', 'Infrastructure'),
    ('projects', 'Projects');
INSERT INTO plan VALUES
    ('essentials', 'Essentials'),
    ('professional', 'Professional'),
    ('enterprise', 'Enterprise');
INSERT INTO plan_feature VALUES
    ('professional', 'projects'),
    ('enterprise', 'api_access'),
    ('enterprise', 'los'),
    ('enterprise', 'infrastructure'),
    ('enterprise', 'projects');
INSERT INTO add_on VALUES
    ('api_keys', 'API keys'),
    ('los', 'Level of Service'),
    ('infrastructure', 'Infrastructure'),
    ('projects', 'Projects');
INSERT INTO add_on_feature VALUES
    ('api_keys', 'api_access'),
    ('los', 'los'),
    ('infrastructure', 'infrastructure'),
    ('projects', 'projects');

-- Changed by migrations only, never by the running gateway.
REVOKE INSERT, UPDATE, DELETE ON feature, plan, plan_feature, add_on, add_on_feature FROM ams_gateway;
GRANT SELECT ON feature, plan, plan_feature, add_on, add_on_feature TO ams_gateway;

CREATE TABLE organization (
    organization_id uuid PRIMARY KEY,
    name            text COLLATE "und-x-icu" NOT NULL,
    plan            text COLLATE "C" NOT NULL CONSTRAINT organization_plan_fkey REFERENCES plan,
    currency        text COLLATE "C" NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now()
);
SELECT isolate('organization');

CREATE TABLE organization_add_on (
    organization_id uuid NOT NULL CONSTRAINT organization_add_on_organization_id_fkey REFERENCES organization,
    add_on          text COLLATE "C" NOT NULL CONSTRAINT organization_add_on_add_on_fkey REFERENCES add_on,
    PRIMARY KEY (organization_id, add_on)
);
SELECT isolate('organization_add_on');

-- The value of a key is nowhere: only its SHA-256, and its first characters for people to tell keys apart.
CREATE TABLE api_key (
    organization_id      uuid NOT NULL CONSTRAINT api_key_organization_id_fkey REFERENCES organization,
    id                   uuid NOT NULL,
    hash                 bytea NOT NULL CONSTRAINT api_key_hash_check CHECK (octet_length(hash) = 32),
    display              text COLLATE "C" NOT NULL,
    name                 text COLLATE "und-x-icu" NOT NULL,
    scopes               text[] NOT NULL CONSTRAINT api_key_scopes_check CHECK (cardinality(scopes) > 0),
    rate_limit           integer NOT NULL CONSTRAINT api_key_rate_limit_check CHECK (rate_limit BETWEEN 1 AND 1000),
    allowed_networks     text[] NOT NULL DEFAULT '{}',
    state                text COLLATE "C" NOT NULL DEFAULT 'active' CONSTRAINT api_key_state_check CHECK (state IN ('active', 'inactive', 'revoked')),
    state_reason         text COLLATE "C",
    expires_at           timestamptz NOT NULL,
    retires_at           timestamptz,          -- a replaced key that was left running is revoked from here on
    replaces             uuid,
    revoked_at           timestamptz,
    created_at           timestamptz NOT NULL DEFAULT now(),
    created_by           jsonb NOT NULL,       -- {type, id, name}
    created_by_user      uuid,
    privacy_confirmed_by jsonb,
    privacy_confirmed_at timestamptz,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('api_key');
CREATE UNIQUE INDEX api_key_hash_key ON api_key (hash);
CREATE INDEX api_key_created_at ON api_key (organization_id, created_at, id);
CREATE INDEX api_key_created_by_user ON api_key (organization_id, created_by_user);

-- Apart from api_key, so that keeping the last use rewrites none of what every request reads.
CREATE TABLE key_use (
    organization_id uuid NOT NULL,
    key_id          uuid NOT NULL,
    last_used_at    timestamptz NOT NULL,
    last_address    text COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, key_id),
    CONSTRAINT key_use_key_id_fkey FOREIGN KEY (organization_id, key_id) REFERENCES api_key
) WITH (fillfactor = 70);
SELECT isolate('key_use');

CREATE TABLE key_day (
    organization_id uuid NOT NULL,
    key_id          uuid NOT NULL,
    day             date NOT NULL,
    requests        bigint NOT NULL,
    errors          bigint NOT NULL,  -- answered 4xx or 5xx, refusals for the limit apart
    limited         bigint NOT NULL,  -- answered 429
    PRIMARY KEY (organization_id, key_id, day),
    CONSTRAINT key_day_key_id_fkey FOREIGN KEY (organization_id, key_id) REFERENCES api_key
) WITH (fillfactor = 70);
SELECT isolate('key_day');

-- Who did what, append-only for the service as well.
CREATE TABLE audit (
    organization_id uuid NOT NULL,
    id              uuid NOT NULL,
    at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor           jsonb NOT NULL,   -- {type, id, name}
    action          text COLLATE "C" NOT NULL,
    subject         jsonb NOT NULL,   -- {type, id, name}
    changes         jsonb NOT NULL DEFAULT '{}',
    address         text COLLATE "C" NOT NULL,
    request_id      text COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('audit');
REVOKE UPDATE, DELETE ON audit FROM ams_gateway;
CREATE INDEX audit_at ON audit (organization_id, at, id);
CREATE INDEX audit_age ON audit USING brin (at); -- for purge_audit

-- The one way in which an entry goes: it is older than 400 days. Some at a time, so that nobody waits for it; the answer is
-- how many went.
-- +goose StatementBegin
CREATE FUNCTION purge_audit() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    gone bigint;
BEGIN
    DELETE FROM audit WHERE ctid = ANY(ARRAY(SELECT ctid FROM audit WHERE at < now() - interval '400 days' LIMIT 5000));
    GET DIAGNOSTICS gone = ROW_COUNT;
    RETURN gone;
END
$$;
-- +goose StatementEnd

-- The state a key is in at an instant; the one place that says which condition outweighs which.
-- +goose StatementBegin
CREATE FUNCTION key_state(state text, retires_at timestamptz, expires_at timestamptz, instant timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN state = 'revoked' OR retires_at <= instant THEN 'revoked'
        WHEN expires_at <= instant THEN 'expired'
        ELSE state
    END
$$;
-- +goose StatementEnd

-- The features of an organization: of its plan and of its add-ons. PL/pgSQL keeps its plans, which a function in
-- SQL with a subquery would not.
-- +goose StatementBegin
CREATE FUNCTION organization_features(organization uuid, plan_code text) RETURNS text[]
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN ARRAY(
        SELECT f.feature FROM plan_feature f WHERE f.plan = plan_code
        UNION
        SELECT f.feature FROM organization_add_on a JOIN add_on_feature f ON f.add_on = a.add_on WHERE a.organization_id = organization
        ORDER BY 1);
END
$$;
-- +goose StatementEnd

-- What the gateway asks for every request: all that is known about the keys with these hashes, as of now.
-- It runs as the owner because nobody knows the organization before the key is found; who does not have
-- a key's hash learns nothing from it. It is planned once per connection, and the features are written out as in
-- organization_features: that halves what a look-up costs.
-- +goose StatementBegin
CREATE FUNCTION find_keys(hashes bytea[])
RETURNS TABLE (place bigint, id uuid, organization_id uuid, organization_name text, currency text, plan text, features text[],
    name text, scopes text[], state text, rate_limit integer, allowed_networks text[], expires_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan ROWS 10 AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT h.place, k.id, k.organization_id, o.name, o.currency, o.plan,
        ARRAY(SELECT f.feature FROM plan_feature f WHERE f.plan = o.plan
            UNION ALL -- a feature that plan and add-on both grant is there twice
            SELECT f.feature FROM organization_add_on a JOIN add_on_feature f ON f.add_on = a.add_on WHERE a.organization_id = o.organization_id),
        k.name, k.scopes, key_state(k.state, k.retires_at, k.expires_at, statement_timestamp()),
        k.rate_limit, k.allowed_networks, k.expires_at
    FROM unnest(hashes) WITH ORDINALITY AS h (hash, place)
    JOIN api_key k ON k.hash = h.hash
    JOIN organization o ON o.organization_id = k.organization_id;
END
$$;
-- +goose StatementEnd

-- What the gateways counted since they last told, of any organization. Rows are taken in one order, so that
-- two gateways cannot wait for each other; a key that is gone is left out.
-- +goose StatementBegin
CREATE FUNCTION record_use(organizations uuid[], keys uuid[], days date[], requests bigint[], errors bigint[], limited bigint[],
    used_at timestamptz[], addresses text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO key_day AS d (organization_id, key_id, day, requests, errors, limited)
    SELECT n.o, n.k, n.d, n.r, n.e, n.l
    FROM unnest(organizations, keys, days, requests, errors, limited) AS n (o, k, d, r, e, l)
    JOIN api_key a ON a.organization_id = n.o AND a.id = n.k
    ORDER BY n.o, n.k, n.d
    ON CONFLICT (organization_id, key_id, day) DO UPDATE
        SET requests = d.requests + excluded.requests, errors = d.errors + excluded.errors, limited = d.limited + excluded.limited;

    INSERT INTO key_use AS u (organization_id, key_id, last_used_at, last_address)
    SELECT DISTINCT ON (n.o, n.k) n.o, n.k, n.t, n.x
    FROM unnest(organizations, keys, used_at, addresses) AS n (o, k, t, x)
    JOIN api_key a ON a.organization_id = n.o AND a.id = n.k
    ORDER BY n.o, n.k, n.t DESC
    ON CONFLICT (organization_id, key_id) DO UPDATE
        SET last_used_at = excluded.last_used_at, last_address = excluded.last_address
        WHERE u.last_used_at < excluded.last_used_at;
END
$$;
-- +goose StatementEnd

-- For the platform's operator, who alone sees more than one organization.
-- +goose StatementBegin
CREATE FUNCTION list_organizations(skipped bigint, most bigint)
RETURNS TABLE (total bigint, organization_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT (SELECT count(*) FROM organization), page.organization_id
    FROM (VALUES (1)) AS always
    LEFT JOIN (SELECT o.organization_id, o.created_at FROM organization o
        ORDER BY o.created_at, o.organization_id OFFSET skipped LIMIT most) AS page ON true
    ORDER BY page.created_at, page.organization_id
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION purge_audit, list_organizations, record_use, find_keys, organization_features, key_state;
DROP TABLE audit, key_day, key_use, api_key, organization_add_on, organization, add_on_feature, add_on, plan_feature, plan, feature;
