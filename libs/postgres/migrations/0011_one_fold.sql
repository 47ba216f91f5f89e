-- One fold of a collection at a time: two of them deleted the same deltas in two orders and waited for each other, and PostgreSQL ended
-- one with its request. Whoever comes second has nothing to do.

-- +goose Up

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION fold_ledger(collection text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    organization uuid := current_organization();
    folded       bigint;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended(current_schema() || '.' || collection || ' fold ' || organization, 0)) THEN
        RETURN 0;
    END IF;
    WITH fresh AS (
        DELETE FROM ledger l
        WHERE l.organization_id = organization AND l.collection = fold_ledger.collection AND NOT l.folded
        RETURNING l.block, l.live
    ), old AS (
        DELETE FROM ledger l USING (SELECT DISTINCT block FROM fresh) touched
        WHERE l.organization_id = organization AND l.collection = fold_ledger.collection
          AND l.block = touched.block AND l.folded
        RETURNING l.block, l.live
    ), kept AS (
        INSERT INTO ledger (organization_id, collection, block, live, folded)
        SELECT organization, fold_ledger.collection, block, sum(live), true
        FROM (SELECT * FROM fresh UNION ALL SELECT * FROM old) b GROUP BY block HAVING sum(live) <> 0
    ), totals AS (
        DELETE FROM ledger_total t
        WHERE t.organization_id = organization AND t.collection = fold_ledger.collection AND EXISTS (SELECT FROM fresh)
        RETURNING t.live
    ), total AS (
        INSERT INTO ledger_total (organization_id, collection, live)
        SELECT organization, fold_ledger.collection, sum(live)
        FROM (SELECT live FROM fresh UNION ALL SELECT live FROM totals) b HAVING count(*) > 0
    )
    SELECT count(*) FROM fresh INTO folded;
    RETURN folded;
END $$;
-- +goose StatementEnd
