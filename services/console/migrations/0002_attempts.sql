-- Attempts to sign in are counted per account and address together, so that strangers who guess cannot keep the account's owner out.

-- +goose Up

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

-- +goose Down
DROP FUNCTION end_attempt, begin_attempt;
