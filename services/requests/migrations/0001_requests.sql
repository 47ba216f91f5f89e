-- What residents and staff ask for, the services that they can ask for, and the links by which strangers come in.
-- <field>_key columns hold what a unique value is compared by; see the assets service's.

-- +goose Up

CREATE TABLE request_service (
    organization_id  uuid        NOT NULL,
    id               uuid        NOT NULL,
    position         bigint      NOT NULL,
    external_id      text        COLLATE "C",
    custom_fields    jsonb       NOT NULL DEFAULT '{}',
    tags             jsonb       NOT NULL DEFAULT '[]',
    version          integer     NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    created_by       jsonb       NOT NULL,
    updated_by       jsonb       NOT NULL,

    service_code     text        COLLATE "C" NOT NULL,
    name             text        COLLATE "und-x-icu" NOT NULL,
    name_fr          text        COLLATE "und-x-icu",
    description      text,
    description_fr   text,
    service_group    text        COLLATE "und-x-icu",
    keywords         jsonb       NOT NULL DEFAULT '[]',
    priority         text        COLLATE "C" NOT NULL,
    type             text        COLLATE "C" NOT NULL,
    team_id          uuid,
    expected_days    integer,
    public           boolean     NOT NULL,
    attributes       jsonb       NOT NULL DEFAULT '[]',

    external_id_key  text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    service_code_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(service_code)) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('request_service');
CREATE UNIQUE INDEX request_service_position ON request_service (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX request_service_external_id_key ON request_service (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX request_service_service_code_key ON request_service (organization_id, service_code_key);
CREATE INDEX request_service_by_updated_at ON request_service (organization_id, updated_at, id);
CREATE INDEX request_service_team ON request_service (organization_id, team_id) WHERE team_id IS NOT NULL;
SELECT keep_terms('request_service', 'request_services');
SELECT keep_custom_fields('request_service', 'request_services');

CREATE TABLE request_link (
    organization_id  uuid        NOT NULL,
    id               uuid        NOT NULL,
    position         bigint      NOT NULL,
    external_id      text        COLLATE "C",
    custom_fields    jsonb       NOT NULL DEFAULT '{}',
    tags             jsonb       NOT NULL DEFAULT '[]',
    version          integer     NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    created_by       jsonb       NOT NULL,
    updated_by       jsonb       NOT NULL,

    name             text        COLLATE "und-x-icu" NOT NULL,
    name_fr          text        COLLATE "und-x-icu",
    site_id          uuid,
    building_id      uuid,
    asset_id         uuid,
    service_codes    jsonb       NOT NULL DEFAULT '[]',
    notice           text        NOT NULL,
    notice_fr        text        NOT NULL,
    contact          text        COLLATE "C" NOT NULL,
    expires_on       date,
    token            text        COLLATE "C" NOT NULL, -- 128 random bits
    rotated_at       timestamptz,

    external_id_key  text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT request_link_place_check CHECK (num_nonnulls(site_id, building_id, asset_id) = 1)
);
SELECT isolate('request_link');
CREATE UNIQUE INDEX request_link_position ON request_link (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX request_link_external_id_key ON request_link (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX request_link_by_updated_at ON request_link (organization_id, updated_at, id);
CREATE INDEX request_link_token ON request_link (token);
CREATE INDEX request_link_site ON request_link (organization_id, site_id, position) WHERE site_id IS NOT NULL;
CREATE INDEX request_link_building ON request_link (organization_id, building_id, position) WHERE building_id IS NOT NULL;
CREATE INDEX request_link_asset ON request_link (organization_id, asset_id, position) WHERE asset_id IS NOT NULL;
SELECT keep_terms('request_link', 'request_links');
SELECT keep_custom_fields('request_link', 'request_links');

CREATE TABLE request (
    organization_id  uuid        NOT NULL,
    id               uuid        NOT NULL,
    position         bigint      NOT NULL,
    external_id      text        COLLATE "C",
    custom_fields    jsonb       NOT NULL DEFAULT '{}',
    tags             jsonb       NOT NULL DEFAULT '[]',
    version          integer     NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    created_by       jsonb       NOT NULL,
    updated_by       jsonb       NOT NULL,

    title                        text        COLLATE "und-x-icu" NOT NULL,
    number                       text        COLLATE "C",
    description                  text,
    status                       text        COLLATE "C" NOT NULL,
    priority                     text        COLLATE "C" NOT NULL,
    source                       text        COLLATE "C" NOT NULL,
    service_code                 text        COLLATE "C",
    attributes                   jsonb       NOT NULL DEFAULT '{}',
    site_id                      uuid,
    building_id                  uuid,
    asset_id                     uuid,
    segment_id                   uuid,
    address_text                 text,
    latitude                     numeric,
    longitude                    numeric,
    media_url                    text        COLLATE "C",
    requester_name               text        COLLATE "und-x-icu",
    requester_email              text        COLLATE "C",
    requester_phone              text        COLLATE "C",
    published                    boolean     NOT NULL,
    public_note                  text,
    reason                       text,
    duplicate_of_id              uuid,
    work_order_id                uuid,
    work_order_state             text        COLLATE "C" NOT NULL,
    work_order_message           text,
    deficiency_id                uuid,
    infrastructure_deficiency_id uuid,
    link_id                      uuid,
    ended_at                     timestamptz,
    effect_id                    uuid, -- of the last acceptance
    effect_field                 text        COLLATE "C", -- where the id of what it makes goes
    receipt                      bytea, -- SHA-256 of the receipt that a stranger has
    -- A request whose work was cancelled may be rejected or opened again. It knows by which work order, so that it is accepted again when that is
    -- opened again.
    cancelled_work_order_id      uuid,

    external_id_key  text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    number_key       text        COLLATE "C" GENERATED ALWAYS AS (unique_key(number)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT request_duplicate_of_id_fkey FOREIGN KEY (organization_id, duplicate_of_id) REFERENCES request (organization_id, id),
    CONSTRAINT request_reason_check CHECK (status <> 'rejected' OR reason IS NOT NULL),
    CONSTRAINT request_duplicate_check CHECK ((status = 'duplicate') = (duplicate_of_id IS NOT NULL)),
    CONSTRAINT request_longitude_check CHECK ((latitude IS NULL) = (longitude IS NULL))
);
SELECT isolate('request');
CREATE UNIQUE INDEX request_position ON request (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX request_external_id_key ON request (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX request_number_key ON request (organization_id, number_key) WHERE number_key IS NOT NULL;
CREATE INDEX request_by_title ON request (organization_id, title COLLATE "natural", id);
CREATE INDEX request_by_updated_at ON request (organization_id, updated_at, id);
CREATE INDEX request_site ON request (organization_id, site_id, position) WHERE site_id IS NOT NULL;
CREATE INDEX request_building ON request (organization_id, building_id, position) WHERE building_id IS NOT NULL;
CREATE INDEX request_asset ON request (organization_id, asset_id, position) WHERE asset_id IS NOT NULL;
CREATE INDEX request_segment ON request (organization_id, segment_id, position) WHERE segment_id IS NOT NULL;
CREATE INDEX request_work_order ON request (organization_id, work_order_id) WHERE work_order_id IS NOT NULL;
CREATE INDEX request_deficiency ON request (organization_id, deficiency_id) WHERE deficiency_id IS NOT NULL;
CREATE INDEX request_infrastructure_deficiency ON request (organization_id, infrastructure_deficiency_id) WHERE infrastructure_deficiency_id IS NOT NULL;
CREATE INDEX request_duplicate_of ON request (organization_id, duplicate_of_id) WHERE duplicate_of_id IS NOT NULL;
-- Requests for the same are looked for among the newest, and shown to the public by the same order.
CREATE INDEX request_service_code ON request (organization_id, service_code, created_at) WHERE service_code IS NOT NULL;
CREATE INDEX request_effect ON request (organization_id, effect_id) WHERE effect_id IS NOT NULL;
CREATE INDEX request_receipt ON request (receipt) WHERE receipt IS NOT NULL;
-- Contact data that is to be erased, the oldest first.
CREATE INDEX request_contact ON request (organization_id, ended_at)
    WHERE ended_at IS NOT NULL AND num_nonnulls(requester_name, requester_email, requester_phone) > 0;
SELECT keep_terms('request', 'requests');
SELECT keep_custom_fields('request', 'requests');

-- What a stranger shows (a link's token, a receipt) says whose it is; until then the service has no organization, and row-level security
-- shows it nothing. So these run as the owner, and answer ids alone: everything else is read in a transaction of that organization.
-- It is looked for where its organization lives: while it moves to another database, its rows are in both.
-- +goose StatementBegin
CREATE FUNCTION link_of_token(wanted text) RETURNS TABLE (organization_id uuid, id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT l.organization_id, l.id FROM request_link l WHERE l.token = wanted
        AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = l.organization_id AND m.state IN ('reading', 'absent')) LIMIT 1;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION request_of_receipt(wanted bytea) RETURNS TABLE (organization_id uuid, id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT r.organization_id, r.id FROM request r WHERE r.receipt = wanted
        AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = r.organization_id AND m.state IN ('reading', 'absent')) LIMIT 1;
END $$;
-- +goose StatementEnd

-- organizations_with_contacts names the organizations that have contact data of requests that have ended.
-- +goose StatementBegin
CREATE FUNCTION organizations_with_contacts() RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN QUERY SELECT DISTINCT r.organization_id FROM request r
        WHERE r.ended_at IS NOT NULL AND num_nonnulls(r.requester_name, r.requester_email, r.requester_phone) > 0
            AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = r.organization_id AND m.state <> 'moving');
END $$;
-- +goose StatementEnd
-- What a public function may be called by: this service alone.
-- +goose StatementBegin
DO $$ BEGIN
    REVOKE ALL ON FUNCTION link_of_token(text), request_of_receipt(bytea), organizations_with_contacts() FROM PUBLIC;
    EXECUTE format('GRANT EXECUTE ON FUNCTION link_of_token(text), request_of_receipt(bytea), organizations_with_contacts() TO %I',
        'ams_' || current_schema());
END $$;
-- +goose StatementEnd
