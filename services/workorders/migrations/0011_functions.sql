-- Functions that take arguments, as PL/pgSQL: Citus can send no statement of a function in SQL that has parameters (ADR 58). What they do, and who
-- may call them, stays.

-- +goose Up

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sla_due(most integer) RETURNS TABLE (organization_id uuid, id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT w.organization_id, w.id FROM work_order w WHERE w.sla_due_at <= statement_timestamp() ORDER BY w.sla_due_at LIMIT most;
END $$;
-- +goose StatementEnd

-- By the index, also where Postgres thinks that few are due.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION planner_due(most integer) RETURNS TABLE (organization_id uuid, plan_id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT p.organization_id, p.id FROM pm_plan p WHERE p.next_action_at <= statement_timestamp() ORDER BY p.next_action_at LIMIT most;
END $$;
-- +goose StatementEnd
