-- Effects: what a record of one service does to a record of another (package effects).

-- +goose Up

-- What this service was instructed to do by others, with what it answered. There is one row for each effect, with its last instruction:
-- instructions that are repeated are answered from it.
CREATE TABLE applied_effect (
    organization_id uuid        NOT NULL,
    effect_id       uuid        NOT NULL,
    sequence        bigint      NOT NULL, -- of the instruction; the sender's later ones have greater numbers
    stage           text        COLLATE "C" NOT NULL,
    answer          jsonb       NOT NULL DEFAULT '{}',
    answered_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, effect_id)
);
SELECT isolate('applied_effect');

-- Instructions that wait for their owners: services that own what is to be changed. A row goes when its answer is recorded.
CREATE TABLE effect_instruction (
    organization_id uuid        NOT NULL,
    effect_id       uuid        NOT NULL,
    sequence        bigint      GENERATED ALWAYS AS IDENTITY,
    owner           text        COLLATE "C" NOT NULL,
    record          text        COLLATE "C" NOT NULL, -- whose instructions are sent one after the other
    kind            text        COLLATE "C" NOT NULL,
    stage           text        COLLATE "C" NOT NULL,
    withdraw        boolean     NOT NULL DEFAULT false,
    payload         jsonb       NOT NULL,
    on_day          date        NOT NULL,
    cause           jsonb       NOT NULL,
    actor           jsonb       NOT NULL,
    caller          jsonb       NOT NULL, -- the organization's settings and features at that time
    request_id      text        COLLATE "C" NOT NULL,
    attempts        integer     NOT NULL DEFAULT 0,
    due_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, effect_id, sequence)
);
SELECT isolate('effect_instruction');
CREATE INDEX effect_instruction_sequence ON effect_instruction (sequence);
CREATE INDEX effect_instruction_due ON effect_instruction (due_at, sequence);
CREATE INDEX effect_instruction_record ON effect_instruction (organization_id, record, sequence);
-- Rows live for a moment only, as those of the outbox do.
ALTER TABLE effect_instruction SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- effects_take gives instructions that are due, of all organizations: of each record the first only, and none of the owners in away.
-- +goose StatementBegin
CREATE FUNCTION effects_take(most integer, away text[])
    RETURNS TABLE (organization_id uuid, effect_id uuid, sequence bigint, owner text, kind text, stage text, withdraw boolean, payload jsonb,
        on_day date, cause jsonb, actor jsonb, caller jsonb, request_id text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT i.organization_id, i.effect_id, i.sequence, i.owner, i.kind, i.stage, i.withdraw, i.payload, i.on_day, i.cause, i.actor, i.caller,
        i.request_id
    FROM effect_instruction i
    WHERE i.due_at <= statement_timestamp() AND i.owner <> ALL (away)
      AND NOT EXISTS (SELECT FROM effect_instruction e WHERE e.organization_id = i.organization_id AND e.record = i.record
          AND e.sequence < i.sequence)
    ORDER BY i.due_at, i.sequence LIMIT most;
END $$;
-- +goose StatementEnd

-- effects_later puts instructions off that their owner could not answer: for a moment that doubles with every attempt, up to 5 seconds.
-- +goose StatementBegin
CREATE FUNCTION effects_later(sequences bigint[]) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off AS $$
BEGIN
    UPDATE effect_instruction i SET attempts = i.attempts + 1,
        due_at = clock_timestamp() + least(interval '100 milliseconds' * 2 ^ least(i.attempts, 10), interval '5 seconds')
    WHERE i.sequence = ANY (sequences);
END $$;
-- +goose StatementEnd

-- effects_waiting says how many instructions wait, and for how many seconds the first of them has. Up to 10 000 are counted.
-- +goose StatementBegin
CREATE FUNCTION effects_waiting(OUT waiting bigint, OUT lag double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    SELECT count(*) INTO waiting FROM (SELECT FROM effect_instruction i ORDER BY i.sequence LIMIT 10000) few;
    SELECT coalesce((SELECT extract(epoch FROM clock_timestamp() - i.created_at)::double precision FROM effect_instruction i
        ORDER BY i.sequence LIMIT 1), 0) INTO lag;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$
DECLARE
    sender text;
BEGIN
    FOREACH sender IN ARRAY ARRAY['effects_take(integer, text[])', 'effects_later(bigint[])', 'effects_waiting()'] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', sender);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', sender, 'ams_' || current_schema());
    END LOOP;
END $$;
-- +goose StatementEnd
