-- Sessions of the settings screens, the forms that were already sent in them, and how often somebody tried to sign in.

-- +goose Up

-- The value of a session is with the browser only: here is its SHA-256. A session that has ended stays for a while, so
-- that whoever still uses it is known for what they are.
CREATE TABLE session (
    organization_id   uuid        NOT NULL,
    id                uuid        NOT NULL,
    hash              bytea       NOT NULL CONSTRAINT session_hash_check CHECK (octet_length(hash) = 32),
    organization_name text      COLLATE "und-x-icu" NOT NULL,
    user_id           uuid        NOT NULL,
    user_name         text        COLLATE "und-x-icu" NOT NULL,
    user_role         text        COLLATE "C" NOT NULL, -- at the sign-in, for when the users service is unavailable
    language          text        COLLATE "C" NOT NULL DEFAULT '', -- chosen in this session; empty: the user's own
    time_zone         text        COLLATE "C" NOT NULL,
    address           text        COLLATE "C" NOT NULL,
    created_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    used_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at          timestamptz,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('session');
CREATE UNIQUE INDEX session_hash_key ON session (hash);
CREATE INDEX session_user_id ON session (organization_id, user_id);
CREATE INDEX session_created_at ON session (created_at); -- for sweep_session

-- A form that makes a key is taken once: sent again, by a reload or a double click, it makes no second key.
CREATE TABLE sent_form (
    organization_id uuid NOT NULL,
    session_id      uuid NOT NULL,
    form            uuid NOT NULL,
    PRIMARY KEY (organization_id, session_id, form),
    CONSTRAINT sent_form_session_id_fkey FOREIGN KEY (organization_id, session_id) REFERENCES session ON DELETE CASCADE
);
SELECT isolate('sent_form');

-- Nobody's organization is known before the sign-in, so this table has none. The service reaches it through the functions
-- below only; subjects are hashes of e-mail addresses and of network addresses.
CREATE TABLE sign_in_attempt (
    subject  bytea       PRIMARY KEY,
    failures integer     NOT NULL,
    last_at  timestamptz NOT NULL
);
REVOKE ALL ON sign_in_attempt FROM ams_console;

-- find_session gives the session with a hash, and marks that it is used. It lives 12 hours, and 1 hour without use.
-- It runs as the owner because nobody knows the organization before the session is found; who does not have the
-- value of a session learns nothing from it.
-- +goose StatementBegin
CREATE FUNCTION find_session(wanted bytea)
RETURNS TABLE (organization_id uuid, organization_name text, id uuid, user_id uuid, user_name text, user_role text, language text, time_zone text,
    created_at timestamptz, alive boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
    instant timestamptz := clock_timestamp();
BEGIN
    UPDATE session s SET used_at = instant
    WHERE s.hash = wanted AND s.ended_at IS NULL AND s.created_at > instant - interval '12 hours'
        AND s.used_at > instant - interval '1 hour' AND s.used_at < instant - interval '30 seconds';
    RETURN QUERY SELECT s.organization_id, s.organization_name, s.id, s.user_id, s.user_name, s.user_role, s.language, s.time_zone, s.created_at,
        s.ended_at IS NULL AND s.created_at > instant - interval '12 hours' AND s.used_at > instant - interval '1 hour'
    FROM session s WHERE s.hash = wanted;
END
$$;
-- +goose StatementEnd

-- Sessions of more than 30 days.
-- +goose StatementBegin
CREATE FUNCTION sweep_session(max_rows integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    removed bigint;
BEGIN
    DELETE FROM session WHERE ctid = ANY (ARRAY(
        SELECT t.ctid FROM session t WHERE t.created_at < clock_timestamp() - interval '30 days' LIMIT max_rows FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$$;
-- +goose StatementEnd

-- Attempts of more than a day.
-- +goose StatementBegin
CREATE FUNCTION sweep_sign_in_attempt(max_rows integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    removed bigint;
BEGIN
    DELETE FROM sign_in_attempt WHERE ctid = ANY (ARRAY(
        SELECT t.ctid FROM sign_in_attempt t WHERE t.last_at < clock_timestamp() - interval '1 day' LIMIT max_rows FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$$;
-- +goose StatementEnd

-- begin_attempt counts an attempt under several subjects before its password is looked at, so that many at once are counted too. It
-- gives 0, or the seconds to wait, and then nothing is counted: of each subject as many attempts are free as free says, then the pause
-- is 15 seconds and doubles to 15 minutes. An hour without an attempt forgets.
-- +goose StatementBegin
CREATE FUNCTION begin_attempt(subjects bytea[], free integer[]) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    instant timestamptz := clock_timestamp();
    until   timestamptz;
BEGIN
    INSERT INTO sign_in_attempt AS a (subject, failures, last_at)
    SELECT given, 0, instant FROM unnest(subjects) AS given ORDER BY given
    ON CONFLICT (subject) DO UPDATE SET failures = CASE WHEN a.last_at < instant - interval '1 hour' THEN 0 ELSE a.failures END;
    SELECT max(a.last_at + least(900, 15 * 2 ^ least(a.failures - given.attempts, 10)) * interval '1 second') INTO until
    FROM sign_in_attempt a JOIN unnest(subjects, free) AS given (subject, attempts) USING (subject)
    WHERE a.failures >= given.attempts;
    IF until > instant THEN
        RETURN ceil(extract(epoch FROM until - instant));
    END IF;
    UPDATE sign_in_attempt SET failures = failures + 1, last_at = instant WHERE subject = ANY (subjects);
    RETURN 0;
END
$$;
-- +goose StatementEnd

-- end_attempt takes back what begin_attempt counted for somebody who knew the password. What is their own is forgotten; what others
-- share keeps the attempts of the others.
-- +goose StatementBegin
CREATE FUNCTION end_attempt(own bytea, shared bytea[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    DELETE FROM sign_in_attempt WHERE subject = own;
    UPDATE sign_in_attempt SET failures = greatest(failures - 1, 0) WHERE subject = ANY (shared);
$$;
-- +goose StatementEnd
