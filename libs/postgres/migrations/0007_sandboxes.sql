-- Sandboxes: organizations whose records may be deleted all at once.

-- +goose Up

-- An organization is a sandbox when its id is a UUID of version 8; all others have version 7. principal.IsSandbox says the same.
CREATE FUNCTION is_sandbox(organization uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN substr(organization::text, 15, 1) = '8';

-- empty_sandbox deletes rows of the transaction's organization, which must be a sandbox, from all tables of the schema that keep
-- organizations apart, but for those in kept: about most of them, and what goes with them by cascade. It answers how many it deleted
-- itself; 0 says that none is left. It goes from tables that refer to those that are referred to, and inside a table that refers to itself
-- from the leaves up, so that no foreign key is in its way. What triggers write meanwhile is deleted by the next call. It runs as the owner
-- because the service itself may not delete history.
-- +goose StatementBegin
CREATE FUNCTION empty_sandbox(most integer, kept text[]) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    organization uuid := current_organization();
    total        bigint := 0;
    gone         bigint;
    each         record;
BEGIN
    IF organization IS NULL OR NOT is_sandbox(organization) THEN
        RAISE 'empty_sandbox: % is no sandbox', coalesce(organization::text, 'nothing');
    END IF;
    FOR each IN
        WITH RECURSIVE isolated AS (
            SELECT c.oid FROM pg_class c
            WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relrowsecurity AND c.relkind IN ('r', 'p')
              AND NOT c.relispartition AND c.relname <> ALL (kept)
        ), deep AS (
            SELECT oid, 0 AS depth FROM isolated
            UNION
            SELECT i.oid, d.depth + 1 FROM deep d
            JOIN pg_constraint k ON k.contype = 'f' AND k.confrelid = d.oid AND k.conrelid <> k.confrelid
            JOIN isolated i ON i.oid = k.conrelid
            WHERE d.depth < 20
        )
        SELECT d.oid::regclass AS name,
            (SELECT string_agg(format(' AND NOT EXISTS (SELECT FROM %s c WHERE c.ctid <> b.ctid AND %s)', d.oid::regclass, (
                    SELECT string_agg(format('c.%I = b.%I', r.attname, a.attname), ' AND ')
                    FROM unnest(k.conkey, k.confkey) AS key (referring, referred)
                    JOIN pg_attribute r ON r.attrelid = k.conrelid AND r.attnum = key.referring
                    JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = key.referred)), '')
                FROM pg_constraint k WHERE k.contype = 'f' AND k.conrelid = d.oid AND k.confrelid = d.oid AND k.conparentid = 0) AS leaf
        FROM deep d GROUP BY d.oid ORDER BY max(d.depth) DESC, d.oid::regclass::text COLLATE "C"
    LOOP
        LOOP
            EXECUTE format('DELETE FROM %1$s t WHERE t.organization_id = $1 AND t.ctid = ANY(ARRAY('
                'SELECT b.ctid FROM %1$s b WHERE b.organization_id = $1%2$s LIMIT $2))', each.name, coalesce(each.leaf, ''))
                USING organization, most - total;
            GET DIAGNOSTICS gone = ROW_COUNT;
            total := total + gone;
            EXIT WHEN gone = 0 OR total >= most;
        END LOOP;
        EXIT WHEN total >= most;
    END LOOP;
    RETURN total;
END $$;
-- +goose StatementEnd

-- For the services that own records. What the gateway, the console and the mcp service keep of a sandbox stays.
-- +goose StatementBegin
DO $$ BEGIN
    REVOKE ALL ON FUNCTION empty_sandbox(integer, text[]) FROM PUBLIC;
    IF current_schema() NOT IN ('gateway', 'console', 'mcp') THEN
        EXECUTE format('GRANT EXECUTE ON FUNCTION empty_sandbox(integer, text[]) TO %I', 'ams_' || current_schema());
    END IF;
END $$;
-- +goose StatementEnd
