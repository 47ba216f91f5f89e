-- Users and their passwords.
--
-- <field>_key columns hold what a unique value is compared by. They are columns, not index expressions, because under
-- row-level security only leakproof operators may use an index, and the functions inside unique_key are not leakproof.

-- +goose Up

-- "user" is a reserved word of SQL.
CREATE TABLE user_account (
    organization_id     uuid        NOT NULL,
    id                  uuid        NOT NULL,
    position            bigint      NOT NULL,
    external_id         text        COLLATE "C",
    custom_fields       jsonb       NOT NULL DEFAULT '{}',
    tags                jsonb       NOT NULL DEFAULT '[]',
    version             integer     NOT NULL DEFAULT 1,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL,
    created_by          jsonb       NOT NULL,
    updated_by          jsonb       NOT NULL,

    email               text        COLLATE "C" NOT NULL,
    name                text        COLLATE "und-x-icu" NOT NULL,
    role                text        COLLATE "C" NOT NULL,
    status              text        COLLATE "C" NOT NULL,
    job_title           text        COLLATE "und-x-icu",
    department          text        COLLATE "und-x-icu",
    phone               text        COLLATE "C",
    employee_number     text        COLLATE "C",
    locale              text        COLLATE "C" NOT NULL,
    time_zone           text        COLLATE "C" NOT NULL,

    external_id_key     text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    email_key           text        COLLATE "C" GENERATED ALWAYS AS (unique_key(email)) STORED,
    employee_number_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(employee_number)) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('user_account');
CREATE UNIQUE INDEX user_account_position ON user_account (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX user_account_external_id_key ON user_account (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX user_account_email_key ON user_account (organization_id, email_key);
CREATE UNIQUE INDEX user_account_employee_number_key ON user_account (organization_id, employee_number_key) WHERE employee_number_key IS NOT NULL;
CREATE INDEX user_account_administrator ON user_account (organization_id) WHERE role = 'administrator';
CREATE INDEX user_account_sign_in ON user_account (email_key); -- across organizations, for sign_in_candidates
CREATE INDEX user_account_by_name ON user_account (organization_id, name COLLATE "natural", id);
CREATE INDEX user_account_by_updated_at ON user_account (organization_id, updated_at, id);
SELECT keep_terms('user_account', 'users');
SELECT keep_custom_fields('user_account', 'users');

-- Passwords stand apart from users, so that no list, export, history or event can show one.
CREATE TABLE credential (
    organization_id uuid        NOT NULL,
    user_id         uuid        NOT NULL,
    password_hash   text        COLLATE "C" NOT NULL,
    updated_at      timestamptz NOT NULL DEFAULT clock_timestamp(), -- of the password: sessions that began before it are over
    attempts        integer     NOT NULL DEFAULT 0,                   -- to change it without knowing it, since attempts_since
    attempts_since  timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, user_id),
    CONSTRAINT credential_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES user_account (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('credential');

-- The one link by which a user sets the first password. The token is nowhere: only its SHA-256.
CREATE TABLE invitation (
    organization_id uuid        NOT NULL,
    user_id         uuid        NOT NULL,
    token_hash      bytea       NOT NULL CONSTRAINT invitation_token_hash_check CHECK (octet_length(token_hash) = 32),
    expires_at      timestamptz NOT NULL,
    PRIMARY KEY (organization_id, user_id),
    CONSTRAINT invitation_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES user_account (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('invitation');
CREATE UNIQUE INDEX invitation_token_hash ON invitation (token_hash); -- across organizations, for find_invitation

-- find_invitation gives whom a link is for. Whoever comes with it says by nothing else who they are or of which
-- organization; who does not have the token learns nothing from it.
-- It is looked for where the organization lives: while that moves to another database, its rows are in both.
-- +goose StatementBegin
CREATE FUNCTION find_invitation(hash bytea)
    RETURNS TABLE (organization_id uuid, user_id uuid, name text, email text, role text, locale text, expires_at timestamptz)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT u.organization_id, u.id, u.name, u.email, u.role, u.locale, i.expires_at
    FROM invitation i JOIN user_account u ON u.organization_id = i.organization_id AND u.id = i.user_id
    WHERE i.token_hash = hash AND i.expires_at > clock_timestamp() AND u.status IN ('invited', 'active')
        AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = i.organization_id AND m.state IN ('reading', 'absent'));
END $$;
-- +goose StatementEnd

-- sign_in_candidates gives the active users with an e-mail address and a password, of one organization or, where that is
-- null, of all: whoever signs in may not have said which one. Nobody is a user of more than a few.
-- +goose StatementBegin
CREATE FUNCTION sign_in_candidates(address text, organization uuid)
    RETURNS TABLE (organization_id uuid, user_id uuid, name text, email text, role text, status text, locale text, password_hash text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT u.organization_id, u.id, u.name, u.email, u.role, u.status, u.locale, c.password_hash
    FROM user_account u JOIN credential c ON c.organization_id = u.organization_id AND c.user_id = u.id
    WHERE u.email_key = unique_key(address) AND u.status = 'active'
        AND (sign_in_candidates.organization IS NULL OR u.organization_id = sign_in_candidates.organization)
        AND NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = u.organization_id AND m.state IN ('reading', 'absent'))
    ORDER BY u.created_at LIMIT 20;
END $$;
-- +goose StatementEnd

-- erase_user_history erases what history and waiting events say of the record of one user, in the transaction that has erased the record itself,
-- which adds to both. As the owner, because the service cannot change history; it can write nothing but "private", of a removed user alone.
-- +goose StatementBegin
CREATE FUNCTION erase_user_history(person uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    organization uuid := current_organization();
BEGIN
    IF NOT EXISTS (SELECT FROM user_account u WHERE u.organization_id = organization AND u.id = person AND u.status = 'removed') THEN
        RAISE 'erase_user_history: % is no removed user', person;
    END IF;
    UPDATE history h SET changes = without_person(h.changes)
    WHERE h.organization_id = organization AND h.collection = 'users' AND h.record_id = person;
    UPDATE outbox o SET payload = without_person(o.payload)
    WHERE o.organization_id = organization AND o.collection = 'users' AND o.record_id = person;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$ BEGIN
    REVOKE ALL ON FUNCTION erase_user_history(uuid) FROM PUBLIC;
    EXECUTE format('GRANT EXECUTE ON FUNCTION erase_user_history(uuid) TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- Teams, to which work is given.
CREATE TABLE team (
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

    name            text        COLLATE "und-x-icu" NOT NULL,
    code            text        COLLATE "C",
    user_ids        jsonb       NOT NULL DEFAULT '[]',
    lead_user_id    uuid,
    status          text        COLLATE "C" NOT NULL,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT team_lead_user_id_fkey FOREIGN KEY (organization_id, lead_user_id) REFERENCES user_account (organization_id, id)
);
SELECT isolate('team');
CREATE UNIQUE INDEX team_position ON team (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX team_external_id_key ON team (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX team_name_key ON team (organization_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX team_code_key ON team (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX team_by_name ON team (organization_id, name COLLATE "natural", id);
CREATE INDEX team_by_updated_at ON team (organization_id, updated_at, id);
SELECT keep_terms('team', 'teams');
SELECT keep_custom_fields('team', 'teams');
