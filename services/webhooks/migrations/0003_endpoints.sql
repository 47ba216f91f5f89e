-- The addresses that are called, and what calls to them are signed with.

-- +goose Up

-- The members of a list in one order, so that two lists that say the same compare as the same.
CREATE FUNCTION sorted_members(list jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (SELECT string_agg(m, ' ' ORDER BY m COLLATE "C") FROM jsonb_array_elements_text(list) m);

CREATE TABLE webhook_endpoint (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    position        bigint      NOT NULL,
    external_id     text        COLLATE "C",
    custom_fields   jsonb       NOT NULL DEFAULT '{}',
    tags            jsonb       NOT NULL DEFAULT '[]',
    version         integer     NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    created_by      jsonb       NOT NULL,
    updated_by      jsonb       NOT NULL,

    url             text        COLLATE "C" NOT NULL,
    event_types     jsonb       NOT NULL,
    description     text,
    status          text        COLLATE "C" NOT NULL,
    site_ids        jsonb       NOT NULL DEFAULT '[]',
    changed_any     jsonb       NOT NULL DEFAULT '[]',
    exclude_origins jsonb       NOT NULL DEFAULT '[]',
    payload         text        COLLATE "C" NOT NULL,
    headers         jsonb       NOT NULL DEFAULT '{}', -- the names; the values are in sealed_headers
    rate_limit      integer,
    failing_since   timestamptz,
    disabled_at     timestamptz,
    disabled_reason text,
    secret_rotated_at timestamptz,

    -- The values of the headers, sealed: they may be credentials. Not a field of the record.
    sealed_headers  bytea,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    -- What makes two endpoints the same: one address and the same set of event types. A digest, because both may be long.
    url_key         text        COLLATE "C" GENERATED ALWAYS AS (md5(url || ' ' || sorted_members(event_types))) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('webhook_endpoint');
CREATE UNIQUE INDEX webhook_endpoint_position ON webhook_endpoint (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX webhook_endpoint_external_id_key ON webhook_endpoint (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX webhook_endpoint_url_key ON webhook_endpoint (organization_id, url_key) WHERE url_key IS NOT NULL;

-- Sealed under a root key that the database does not know. One that was replaced counts until expires_at, so that its
-- receiver has time to take the new one.
CREATE TABLE webhook_endpoint_secret (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL, -- of the first: the endpoint's own
    endpoint_id     uuid        NOT NULL,
    sealed          bytea       NOT NULL,
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz,
    PRIMARY KEY (organization_id, endpoint_id, id),
    CONSTRAINT webhook_endpoint_secret_endpoint_id_fkey FOREIGN KEY (organization_id, endpoint_id)
        REFERENCES webhook_endpoint (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('webhook_endpoint_secret');
