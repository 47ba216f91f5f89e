-- Organizations with what they have bought and set, their keys, and what was done with these.

-- +goose Up

-- What an organization has bought, as data: a plan grants features, an add-on grants features on any plan.
CREATE TABLE feature (
    code text COLLATE "C" PRIMARY KEY,
    name text NOT NULL
);
INSERT INTO feature VALUES
    ('api_access', 'API access'),
    ('los', 'Level of Service'),
    ('infrastructure', 'Infrastructure'),
    ('projects', 'Projects'),
    ('maintenance', 'Maintenance'), -- plans of recurring work, meters, forms, and what residents ask for
    ('planning', 'Lifecycle Planning'), -- asset classes, deterioration, treatments, scenarios
    ('accounting', 'Accounting'); -- the ledger of tangible capital assets

-- What an organization may do at most over all its keys and all gateways, and how many bytes of documents it may keep: its plan's ceilings,
-- and where the operator has set others for it, its own. 1 GiB = 1,073,741,824 bytes.
CREATE TABLE plan (
    code                text    COLLATE "C" PRIMARY KEY,
    name                text    NOT NULL,
    requests_per_minute integer NOT NULL DEFAULT 2000 CONSTRAINT plan_requests_per_minute_check CHECK (requests_per_minute > 0),
    requests_in_flight  integer NOT NULL DEFAULT 30 CONSTRAINT plan_requests_in_flight_check CHECK (requests_in_flight > 0),
    streams             integer NOT NULL DEFAULT 4 CONSTRAINT plan_streams_check CHECK (streams > 0),
    long_polls          integer NOT NULL DEFAULT 20 CONSTRAINT plan_long_polls_check CHECK (long_polls > 0),
    active_keys         integer NOT NULL DEFAULT 100 CONSTRAINT plan_active_keys_check CHECK (active_keys > 0),
    storage_bytes       bigint  NOT NULL DEFAULT 5368709120 CONSTRAINT plan_storage_bytes_check CHECK (storage_bytes > 0)
);
INSERT INTO plan (code, name, requests_per_minute, requests_in_flight, storage_bytes) VALUES
    ('essentials', 'Essentials', 2000, 30, 5368709120),
    ('professional', 'Professional', 3000, 40, 107374182400),
    ('enterprise', 'Enterprise', 5000, 60, 1099511627776);

CREATE TABLE plan_feature (
    plan    text COLLATE "C" NOT NULL REFERENCES plan,
    feature text COLLATE "C" NOT NULL REFERENCES feature,
    PRIMARY KEY (plan, feature)
);
INSERT INTO plan_feature VALUES
    ('professional', 'projects'),
    ('enterprise', 'api_access'),
    ('enterprise', 'los'),
    ('enterprise', 'infrastructure'),
    ('enterprise', 'projects'),
    ('enterprise', 'maintenance'),
    ('enterprise', 'planning'),
    ('enterprise', 'accounting');

CREATE TABLE add_on (
    code          text   COLLATE "C" PRIMARY KEY,
    name          text   NOT NULL,
    storage_bytes bigint NOT NULL DEFAULT 0 CONSTRAINT add_on_storage_bytes_check CHECK (storage_bytes >= 0) -- beyond the plan's
);
INSERT INTO add_on VALUES
    ('api_keys', 'API keys'),
    ('los', 'Level of Service'),
    ('infrastructure', 'Infrastructure'),
    ('projects', 'Projects'),
    ('maintenance', 'Maintenance'),
    ('planning', 'Lifecycle Planning'),
    ('accounting', 'Accounting');
INSERT INTO add_on VALUES ('storage', 'Storage', 536870912000);

CREATE TABLE add_on_feature (
    add_on  text COLLATE "C" NOT NULL REFERENCES add_on,
    feature text COLLATE "C" NOT NULL REFERENCES feature,
    PRIMARY KEY (add_on, feature)
);
INSERT INTO add_on_feature VALUES
    ('api_keys', 'api_access'),
    ('los', 'los'),
    ('infrastructure', 'infrastructure'),
    ('projects', 'projects'),
    ('maintenance', 'maintenance'),
    ('planning', 'planning'),
    ('accounting', 'accounting');

-- Changed by migrations only, never by the running gateway.
REVOKE INSERT, UPDATE, DELETE ON feature, plan, plan_feature, add_on, add_on_feature FROM ams_gateway;
GRANT SELECT ON feature, plan, plan_feature, add_on, add_on_feature TO ams_gateway;

-- A cell is a PostgreSQL cluster with the schemas of all services that keep what belongs to organizations. The name is what AMS_CELLS of the
-- programs calls it; their addresses are secrets and stand nowhere here. This schema is in the first cell, whatever others there are.
CREATE TABLE cell (
    name       text PRIMARY KEY COLLATE "C" CONSTRAINT cell_name_check CHECK (name ~ '^[a-z][a-z0-9-]{0,30}$'),
    takes_new  boolean NOT NULL DEFAULT true, -- whether new organizations may go to it
    created_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO cell (name) VALUES ('first');

-- sandbox_id is the one id that the sandbox of an organization may have: its own as a UUID of version 8. principal.SandboxOf gives the same.
CREATE FUNCTION sandbox_id(organization uuid) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN overlay(organization::text PLACING '8' FROM 15)::uuid;

-- A sandbox is an organization that belongs to another one, its live one. It has no plan, add-ons, cell and settings of its own: those of the
-- live one hold for it too, and are read there.
CREATE TABLE organization (
    organization_id          uuid        PRIMARY KEY,
    sandbox_of               uuid        CONSTRAINT organization_sandbox_of_fkey REFERENCES organization,
    name                     text        COLLATE "und-x-icu" NOT NULL,
    plan                     text        COLLATE "C" CONSTRAINT organization_plan_fkey REFERENCES plan,
    cell                     text        COLLATE "C" DEFAULT 'first' CONSTRAINT organization_cell_fkey REFERENCES cell,
    currency                 text        COLLATE "C",
    created_at               timestamptz NOT NULL DEFAULT now(),
    updated_at               timestamptz NOT NULL DEFAULT now(),
    suspended_at             timestamptz, -- by the operator; NULL: it works. A sandbox is suspended with its live organization (ADR 101)

    -- The operator's order to delete it (ADR 104): it is suspended, and called off by its resumption until the deletion begins. What is counted
    -- then stays until all is deleted, this row at last.
    delete_after             timestamptz,
    deletion_ordered_at      timestamptz,
    deletion_ordered_by      text        COLLATE "C", -- who of the operator's people
    deletion_began_at        timestamptz,
    deletion_found           jsonb,
    -- While it is held, its deletion is neither ordered nor begun.
    held_at                  timestamptz,
    hold_reason              text        COLLATE "C",

    -- NULL: the plan's, of storage_bytes that of plan and add-ons.
    requests_per_minute      integer     CONSTRAINT organization_requests_per_minute_check CHECK (requests_per_minute > 0),
    requests_in_flight       integer     CONSTRAINT organization_requests_in_flight_check CHECK (requests_in_flight > 0),
    streams                  integer     CONSTRAINT organization_streams_check CHECK (streams > 0),
    long_polls               integer     CONSTRAINT organization_long_polls_check CHECK (long_polls > 0),
    active_keys              integer     CONSTRAINT organization_active_keys_check CHECK (active_keys > 0),
    storage_bytes            bigint      CONSTRAINT organization_storage_bytes_check CHECK (storage_bytes > 0),

    -- Where an organization is and when its fiscal year ends: every day and every fiscal year that it sees follows from them. Its land area
    -- is what figures per square kilometre are divided by.
    time_zone                text        COLLATE "C" DEFAULT 'America/Toronto', -- IANA
    fiscal_year_end_month    integer     DEFAULT 12 -- the year ends on that month's last day
        CONSTRAINT organization_fiscal_year_end_month_check CHECK (fiscal_year_end_month BETWEEN 1 AND 12),
    land_area_km2            numeric(12, 4) CONSTRAINT organization_land_area_km2_check CHECK (land_area_km2 > 0), -- NULL: not known

    -- What holds for people without a key. Apps for Open311 know an organization by its jurisdiction_id, or by its id; an organization's sandbox
    -- has none. Contact data of requests is kept so many days after their end. How much one address may send is a setting of the requests
    -- service: an address is no organization's.
    jurisdiction_id          text        COLLATE "C" CONSTRAINT organization_jurisdiction_id_key UNIQUE, -- as a rule its domain, such as riviere-claire.ca
    contact_retention_days   integer     NOT NULL DEFAULT 365
        CONSTRAINT organization_contact_retention_days_check CHECK (contact_retention_days BETWEEN 1 AND 3650),
    public_requests_per_link integer     NOT NULL DEFAULT 60 -- in an hour
        CONSTRAINT organization_public_requests_per_link_check CHECK (public_requests_per_link BETWEEN 1 AND 10000),
    public_requests_per_day  integer     NOT NULL DEFAULT 1000
        CONSTRAINT organization_public_requests_per_day_check CHECK (public_requests_per_day BETWEEN 1 AND 100000),

    -- What an organization's needs and grades follow from. renewal_basis has two values, so that the days on which it changed say what it was
    -- before.
    renewal_basis            text        COLLATE "C" NOT NULL DEFAULT 'typed_or_life'
        CONSTRAINT organization_renewal_basis_check CHECK (renewal_basis IN ('typed', 'typed_or_life')),
    renewal_basis_changed_on date[]      NOT NULL DEFAULT '{}', -- in the order of time
    fci_bands                numeric(6, 2)[] -- the upper ends of good, fair and poor; NULL: those that are common in the field
        CONSTRAINT organization_fci_bands_check CHECK (cardinality(fci_bands) = 3 AND 0 < fci_bands[1]
            AND fci_bands[1] < fci_bands[2] AND fci_bands[2] < fci_bands[3]),

    CONSTRAINT organization_sandbox_of_check CHECK (CASE WHEN sandbox_of IS NULL
        THEN NOT is_sandbox(organization_id) AND num_nulls(plan, currency, time_zone, fiscal_year_end_month) = 0
        ELSE NOT is_sandbox(sandbox_of) AND organization_id = sandbox_id(sandbox_of)
            AND num_nonnulls(plan, currency, time_zone, fiscal_year_end_month, land_area_km2) = 0
        END),
    CONSTRAINT organization_cell_check CHECK ((cell IS NULL) = (sandbox_of IS NOT NULL)),
    CONSTRAINT organization_deletion_check CHECK (num_nulls(delete_after, deletion_ordered_at, deletion_ordered_by) IN (0, 3)
        AND (delete_after IS NULL OR suspended_at IS NOT NULL) AND (deletion_began_at IS NULL OR delete_after IS NOT NULL)
        AND (deletion_found IS NULL OR deletion_began_at IS NOT NULL)),
    CONSTRAINT organization_hold_check CHECK ((held_at IS NULL) = (hold_reason IS NULL) AND (held_at IS NULL OR deletion_began_at IS NULL))
);
SELECT isolate('organization');
CREATE INDEX organization_by_cell ON organization (cell);

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
    PRIMARY KEY (organization_id, id),
    -- A key is of the mode that its first characters say.
    CONSTRAINT api_key_mode_check
        CHECK (starts_with(display, CASE WHEN is_sandbox(organization_id) THEN 'ams_test_' ELSE 'ams_live_' END))
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
CREATE INDEX key_day_age ON key_day USING brin (day); -- for sweep_key_day

-- The usage report shows 90 days; two gateways whose clocks differ, and a count that is written late, have a day more.
-- +goose StatementBegin
CREATE FUNCTION sweep_key_day(max_rows integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    removed bigint;
BEGIN
    DELETE FROM key_day WHERE ctid = ANY (ARRAY(
        SELECT d.ctid FROM key_day d WHERE d.day < (statement_timestamp() AT TIME ZONE 'UTC')::date - 90 LIMIT max_rows FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION sweep_key_day(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sweep_key_day(integer) TO ams_gateway;

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
    PRIMARY KEY (organization_id, id, at)
) PARTITION BY RANGE (at);
SELECT isolate('audit');
CREATE INDEX audit_at ON audit (organization_id, at, id);
-- The one way in which an entry goes: with its month, when all of that is older than 400 days. Where organizations retain theirs for longer,
-- this is the longest.
SELECT partition_by_time('audit', 'month', 3, '400 days');
REVOKE UPDATE, DELETE ON audit FROM ams_gateway;

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
CREATE FUNCTION list_organizations(skipped bigint, max_rows bigint)
RETURNS TABLE (total bigint, organization_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT (SELECT count(*) FROM organization), page.organization_id
    FROM (VALUES (1)) AS always
    LEFT JOIN (SELECT o.organization_id, o.created_at FROM organization o
        ORDER BY o.created_at, o.organization_id OFFSET skipped LIMIT max_rows) AS page ON true
    ORDER BY page.created_at, page.organization_id
$$;
-- +goose StatementEnd

-- What a sandbox may do at most, where the operator has set nothing else for it; as the plans, changed by migrations only.
CREATE TABLE sandbox_limit (
    single_row          boolean PRIMARY KEY DEFAULT true CONSTRAINT sandbox_limit_single_row_check CHECK (single_row),
    requests_per_minute integer NOT NULL CONSTRAINT sandbox_limit_requests_per_minute_check CHECK (requests_per_minute > 0),
    requests_in_flight  integer NOT NULL CONSTRAINT sandbox_limit_requests_in_flight_check CHECK (requests_in_flight > 0),
    streams             integer NOT NULL CONSTRAINT sandbox_limit_streams_check CHECK (streams > 0),
    long_polls          integer NOT NULL CONSTRAINT sandbox_limit_long_polls_check CHECK (long_polls > 0),
    active_keys         integer NOT NULL CONSTRAINT sandbox_limit_active_keys_check CHECK (active_keys > 0),
    storage_bytes       bigint      NOT NULL DEFAULT 1073741824
        CONSTRAINT sandbox_limit_storage_bytes_check CHECK (storage_bytes > 0)
);
INSERT INTO sandbox_limit VALUES (true, 1000, 20, 2, 5, 20);
REVOKE INSERT, UPDATE, DELETE ON sandbox_limit FROM ams_gateway;
GRANT SELECT ON sandbox_limit TO ams_gateway;

-- The last emptying of an organization's sandbox. The row is the live organization's, as the trail is that says who asked for it.
CREATE TABLE sandbox_emptying (
    organization_id uuid PRIMARY KEY CONSTRAINT sandbox_emptying_organization_id_fkey REFERENCES organization,
    requested_at        timestamptz NOT NULL DEFAULT now(),
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
    INSERT INTO organization (organization_id, sandbox_of, name, plan, currency, time_zone, fiscal_year_end_month, cell)
    SELECT sandbox_id(o.organization_id), o.organization_id, o.name || ' (test)', NULL, NULL, NULL, NULL, NULL
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
    RETURN QUERY SELECT organization_id FROM sandbox_emptying WHERE finished_at IS NULL ORDER BY requested_at;
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

-- added_storage is what an organization's add-ons grant.
-- +goose StatementBegin
CREATE FUNCTION added_storage(organization uuid) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT coalesce(sum(x.storage_bytes), 0) FROM organization_add_on a JOIN add_on x ON x.code = a.add_on
        WHERE a.organization_id = organization);
END $$;
-- +goose StatementEnd

-- list_cells gives the cells with how many organizations each has, sandboxes apart, the oldest first.
-- +goose StatementBegin
CREATE FUNCTION list_cells() RETURNS TABLE (name text, takes_new boolean, organizations bigint, created_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT c.name, c.takes_new, (SELECT count(*) FROM organization o WHERE o.cell = c.name), c.created_at
    FROM cell c ORDER BY c.created_at, c.name
$$;
-- +goose StatementEnd

-- cell_of gives the cell of an organization, or of the organization whose sandbox it is; NULL where there is none.
-- +goose StatementBegin
CREATE FUNCTION cell_of(organization uuid) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT l.cell FROM organization o JOIN organization l ON l.organization_id = coalesce(o.sandbox_of, o.organization_id)
    WHERE o.organization_id = cell_of.organization
$$;
-- +goose StatementEnd

-- own_organization is the transaction's organization with what holds for it: a sandbox has the plan, the add-ons and the settings of its
-- live organization, and limits of its own.
-- +goose StatementBegin
CREATE FUNCTION own_organization()
RETURNS TABLE (organization_id uuid, sandbox_of uuid, name text, plan text, currency text, created_at timestamptz, features text[],
    add_ons text[], requests_per_minute integer, requests_in_flight integer, streams integer, long_polls integer, active_keys integer,
    time_zone text, fiscal_year_end_month integer, land_area_km2 text, own_limits text[],
    jurisdiction_id text, contact_retention_days integer, public_requests_per_link integer, public_requests_per_day integer, storage_bytes bigint,
    cell text, renewal_basis text, renewal_basis_changed_on text[],
    fci_bands double precision[], delete_after timestamptz, deletion_ordered_by text, deletion_began_at timestamptz, held_at timestamptz,
    hold_reason text)
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
        l.renewal_basis, l.renewal_basis_changed_on::text[], l.fci_bands::double precision[],
        l.delete_after, l.deletion_ordered_by, l.deletion_began_at, l.held_at, l.hold_reason
    FROM organization o
    JOIN organization l ON l.organization_id = coalesce(o.sandbox_of, o.organization_id)
    JOIN plan p ON p.code = l.plan
    LEFT JOIN sandbox_limit s ON o.sandbox_of IS NOT NULL
    WHERE o.organization_id = current_organization();
END $$;
-- +goose StatementEnd

-- What the gateway asks for every request: all that is known about the keys with these hashes, as of now, with the limits and settings of
-- their organizations; a sandbox has those of its live organization, and limits of its own. It runs as the owner because nobody knows the
-- organization before the key is found; who does not have a key's hash learns nothing from it. It is planned once per connection, and the
-- features are written out as in organization_features, the storage as in added_storage: that halves what a look-up costs.
-- +goose StatementBegin
CREATE FUNCTION find_keys(hashes bytea[])
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

-- suspended_since says since when an organization, or the one whose sandbox it is, is suspended.
-- +goose StatementBegin
CREATE FUNCTION suspended_since(organization uuid) RETURNS timestamptz
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT l.suspended_at FROM organization o JOIN organization l ON l.organization_id = coalesce(o.sandbox_of, o.organization_id)
    WHERE o.organization_id = suspended_since.organization
$$;
-- +goose StatementEnd
