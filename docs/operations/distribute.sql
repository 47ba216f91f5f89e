-- Distributes a service's schema by organization on a Citus cluster, as docs/scale.md says what that costs. As the owner of the schemas, on the
-- coordinator, after the schema was migrated and before it has rows; Citus' extension and its nodes are there, and the roles on every node.
-- No part of it has been run on a cluster by whoever wrote it: "make verify-citus" runs it on yours.
--
--   psql "$(cat owner_database_url)" -v ON_ERROR_STOP=1 -1 -c "SET search_path = assets, pg_temp" -f docs/operations/distribute.sql

SET citus.enable_unsafe_triggers = on;             -- ours write rows of the same organization, so of the same node
SET citus.multi_shard_modify_mode = 'sequential';  -- create_distributed_table in one transaction with what was made before
SET citus.shard_replication_factor = 1;

DO $$
DECLARE
    service   text := 'ams_' || current_schema();
    together  text := NULL; -- the first table, whose shards all others lie beside
    again     text[];
    one       text;
    each      record;
BEGIN
    -- A key that the organization is no part of cannot be unique over shards. What these hold is random, and unique by itself.
    FOR each IN SELECT i.relname, pg_get_indexdef(i.oid) AS definition FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
            JOIN pg_class c ON c.oid = x.indrelid JOIN pg_attribute o ON o.attrelid = c.oid AND o.attname = 'organization_id'
            WHERE c.relnamespace = current_schema()::regnamespace AND x.indisunique AND NOT x.indisprimary AND NOT o.attnum = ANY (x.indkey) LOOP
        EXECUTE format('DROP INDEX %I', each.relname);
        EXECUTE replace(each.definition, 'CREATE UNIQUE INDEX', 'CREATE INDEX');
    END LOOP;

    -- Foreign keys are between distributed tables only: they go, and come back when all are.
    again := ARRAY(SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid))
        FROM pg_constraint k WHERE k.contype = 'f' AND k.conparentid = 0 AND k.connamespace = current_schema()::regnamespace);
    FOR one IN SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname)
            FROM pg_constraint k WHERE k.contype = 'f' AND k.conparentid = 0 AND k.connamespace = current_schema()::regnamespace LOOP
        EXECUTE one;
    END LOOP;
    FOR one IN SELECT c.oid::regclass::text FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
            AND NOT c.relispartition AND c.relrowsecurity ORDER BY 1 LOOP
        IF together IS NULL THEN
            PERFORM create_distributed_table(one::regclass, 'organization_id', colocate_with => 'none');
            together := one;
        ELSE
            PERFORM create_distributed_table(one::regclass, 'organization_id', colocate_with => together);
        END IF;
    END LOOP;
    -- What has no organization and is referred to is on every node; the rest (what was migrated) stays where it is.
    FOR one IN SELECT DISTINCT k[1] FROM unnest(again) a, regexp_match(a, 'REFERENCES ([^(]+)\(') k JOIN pg_class c ON c.oid = k[1]::regclass
            WHERE NOT c.relrowsecurity LOOP
        PERFORM create_reference_table(one::regclass);
    END LOOP;
    FOREACH one IN ARRAY again LOOP
        EXECUTE one;
    END LOOP;

    -- Policies are those of the shards, on the workers, so the transaction's organization must be known there. Citus hands on what SET LOCAL
    -- sets, and not what the function set_config does: this one, which the service finds first, says it with SET LOCAL.
    CREATE FUNCTION set_config(name text, value text, local boolean) RETURNS text LANGUAGE plpgsql AS $body$
    BEGIN
        IF NOT local OR name NOT LIKE 'ams.%' THEN
            RETURN pg_catalog.set_config(name, value, local);
        END IF;
        EXECUTE format('SET LOCAL %s = %L', name, value);
        RETURN value;
    END $body$;
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET search_path = %I, pg_catalog, pg_temp', service, current_database(), current_schema());
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET citus.propagate_set_commands = local', service, current_database());
END $$;
