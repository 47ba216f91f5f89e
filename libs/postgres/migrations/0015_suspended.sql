-- Organizations that are suspended (ADR 101).

-- +goose Up

-- One more state of organization_move, in which nothing works here, and nothing is looked for by itself:
--   suspended  here it lives, and neither people nor programs read or write it, until it is resumed
ALTER TABLE organization_move DROP CONSTRAINT organization_move_state_check;
ALTER TABLE organization_move ADD CONSTRAINT organization_move_state_check
    CHECK (state IN ('moving', 'leaving', 'reading', 'absent', 'suspended')) NOT VALID;

-- enter_moving with it, which fails with OM002.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION enter_moving(of_organization uuid, state text, how text) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path FROM CURRENT AS $$
BEGIN
    IF state = 'suspended' THEN
        RAISE 'the organization % is suspended', of_organization USING ERRCODE = 'OM002';
    ELSIF state = 'absent' OR (how = 'write' AND NOT may_write(of_organization)) THEN
        RAISE 'the organization % is being moved', of_organization USING ERRCODE = 'OM001';
    ELSIF how <> 'either' OR may_write(of_organization) THEN
        RETURN false;
    END IF;
    PERFORM set_config('transaction_read_only', 'on', true);
    RETURN true;
END $$;
-- +goose StatementEnd
