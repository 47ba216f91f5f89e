-- Connections of AI assistants, and how often somebody tried to make one.

-- +goose Up

-- A grant is the connection of one assistant with one key. No key, code or token is kept here: they are sealed under the
-- salt, and with the assistant. Without a salt the connection is over, for good.
CREATE TABLE mcp_grant (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    key_id          uuid        NOT NULL,
    key_name        text        COLLATE "und-x-icu" NOT NULL,
    client_id       text        COLLATE "C" NOT NULL,
    client_name     text        COLLATE "und-x-icu" NOT NULL,
    redirect_host   text        COLLATE "C" NOT NULL, -- who received the access
    read_only       boolean     NOT NULL,
    salt            bytea       CONSTRAINT mcp_grant_salt_check CHECK (octet_length(salt) = 32),
    code_hash       bytea       NOT NULL, -- SHA-256 of the code, which is taken once
    generation      integer     NOT NULL DEFAULT 0, -- of the refresh token that is good now
    rotated_at      timestamptz,
    address         text        COLLATE "C" NOT NULL, -- of the browser that it was connected with
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    connected_at    timestamptz, -- when the code was redeemed
    last_used_at    timestamptz,
    good_until      timestamptz NOT NULL, -- of the code, then of the refresh token
    ended_at        timestamptz,
    end_reason      text        COLLATE "C",
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('mcp_grant');
CREATE INDEX mcp_grant_good_until ON mcp_grant (good_until); -- for sweep_mcp_grant

-- Nobody's organization is known before the key is, so this table has none. The service reaches it through the functions
-- below only; subjects are hashes of network addresses.
CREATE TABLE attempt (
    subject  bytea       PRIMARY KEY,
    failures integer     NOT NULL,
    last_at  timestamptz NOT NULL
);
REVOKE ALL ON attempt FROM ams_mcp;

-- begin_attempt counts an attempt before the key is looked at, so that many at once are counted too. It gives 0, or the
-- seconds to wait, and then nothing is counted: 20 attempts are free, then the pause is 15 seconds and doubles to 15
-- minutes. An hour without an attempt forgets.
-- +goose StatementBegin
CREATE FUNCTION begin_attempt(address bytea) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    instant timestamptz := clock_timestamp();
    until   timestamptz;
BEGIN
    INSERT INTO attempt AS a (subject, failures, last_at) VALUES (address, 0, instant)
    ON CONFLICT (subject) DO UPDATE SET failures = CASE WHEN a.last_at < instant - interval '1 hour' THEN 0 ELSE a.failures END
    RETURNING CASE WHEN a.failures >= 20 THEN a.last_at + least(900, 15 * 2 ^ least(a.failures - 20, 10)) * interval '1 second' END INTO until;
    IF until > instant THEN
        RETURN ceil(extract(epoch FROM until - instant));
    END IF;
    UPDATE attempt SET failures = failures + 1, last_at = instant WHERE subject = address;
    RETURN 0;
END
$$;
-- +goose StatementEnd

-- end_attempt takes back what begin_attempt counted for somebody whose key was good.
-- +goose StatementBegin
CREATE FUNCTION end_attempt(address bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    UPDATE attempt SET failures = greatest(failures - 1, 0) WHERE subject = address;
$$;
-- +goose StatementEnd

-- record_use writes when connections were used last, of any organization: once in a while, for all of them together.
-- +goose StatementBegin
CREATE FUNCTION record_use(organizations uuid[], grants uuid[], times timestamptz[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    UPDATE mcp_grant g SET last_used_at = n.at
    FROM unnest(organizations, grants, times) AS n (organization, id, at)
    WHERE g.organization_id = n.organization AND g.id = n.id AND (g.last_used_at IS NULL OR g.last_used_at < n.at);
$$;
-- +goose StatementEnd

-- Connections that nobody can use any more: whose codes were not redeemed in an hour, and that ended or ran out a month ago. What happened to
-- them stays in the history.
-- +goose StatementBegin
CREATE FUNCTION sweep_mcp_grant(max_rows integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    removed bigint;
BEGIN
    DELETE FROM mcp_grant WHERE ctid = ANY (ARRAY(
        SELECT t.ctid FROM mcp_grant t WHERE t.connected_at IS NULL AND t.good_until < clock_timestamp() - interval '1 hour'
            OR t.ended_at < clock_timestamp() - interval '30 days' OR t.good_until < clock_timestamp() - interval '30 days' LIMIT max_rows FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$$;
-- +goose StatementEnd

-- Attempts of more than a day.
-- +goose StatementBegin
CREATE FUNCTION sweep_attempt(max_rows integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    removed bigint;
BEGIN
    DELETE FROM attempt WHERE ctid = ANY (ARRAY(
        SELECT t.ctid FROM attempt t WHERE t.last_at < clock_timestamp() - interval '1 day' LIMIT max_rows FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$$;
-- +goose StatementEnd
