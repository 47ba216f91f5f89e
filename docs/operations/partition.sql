-- Splits tables of a service by organization, as docs/scale.md says when. As the owner of the schemas, with the programs of that
-- service stopped or idle: each table is locked while it is copied.
--
--   psql "$(cat owner_database_url)" -v ON_ERROR_STOP=1 -1 -f docs/operations/partition.sql \
--     -c "SET search_path = assets" -c "SELECT pg_temp.partition_by_organization(t, 32) FROM unnest('{asset,condition_assessment,outbox}'::text[]) t"
--
-- Names stay, so that programs notice nothing: the table's and its indexes' (with _p<number> in the parts), foreign keys from and to it,
-- policies, rights and triggers. Only a unique index that has no organization gains it.

CREATE FUNCTION pg_temp.partition_by_organization(name text, parts integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    whole    regclass := name::regclass;
    old      text     := name || '_whole';
    service  text     := 'ams_' || current_schema();
    settings text     := (SELECT 'WITH (' || array_to_string(reloptions, ', ') || ')' FROM pg_class WHERE oid = whole);
    columns  text;
    indexes  text[]; -- definitions, by name
    names    text[];
    keys     text;   -- the definition of the primary key
    again    text[]; -- what is to be made again on the new table
    one      text;
    part     text;
BEGIN
    IF EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = whole) THEN
        RAISE '% is in partitions already: leave it out of the list', name;
    END IF;
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', name);
    SELECT string_agg(quote_ident(attname), ', ') INTO columns FROM pg_attribute WHERE attrelid = whole AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
    again := ARRAY(SELECT format('CREATE POLICY %I ON %I TO %s USING (%s) WITH CHECK (%s)', policyname, name, array_to_string(roles, ', '), qual, with_check)
        FROM pg_policies WHERE schemaname = current_schema() AND tablename = name);
    again := again || ARRAY(SELECT format('GRANT %s ON %I TO %I', privilege_type, name, service) FROM pg_class, aclexplode(relacl)
        WHERE oid = whole AND grantee = to_regrole(service));
    again := again || ARRAY(SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = whole AND NOT tgisinternal);
    again := again || ARRAY(SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
        FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND (conrelid = whole OR confrelid = whole));
    FOR one IN SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname)
        FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND (conrelid = whole OR confrelid = whole) LOOP
        EXECUTE one;
    END LOOP;
    SELECT array_agg(pg_get_indexdef(indexrelid)), array_agg(relname) INTO indexes, names
        FROM pg_index JOIN pg_class ON oid = indexrelid WHERE indrelid = whole AND NOT indisprimary;
    SELECT pg_get_constraintdef(oid) INTO keys FROM pg_constraint WHERE conrelid = whole AND contype = 'p';

    FOR one IN SELECT relname FROM pg_index JOIN pg_class ON oid = indexrelid WHERE indrelid = whole LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', one, one || '_whole');
    END LOOP;
    EXECUTE format('ALTER TABLE %I RENAME TO %I', name, old);
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL EXCLUDING INDEXES EXCLUDING STATISTICS) PARTITION BY HASH (organization_id)', name, old);
    EXECUTE format('REVOKE ALL ON %I FROM %I', name, service); -- new tables are given to the service; rights come back below
    FOR n IN 0 .. parts - 1 LOOP
        part := format('%s_p%s', name, n);
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s) %s', part, name, parts, n, settings);
        EXECUTE format('REVOKE ALL ON %I FROM %I', part, service); -- a part has no policies: nobody reads it but through the table
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
    END LOOP;
    EXECUTE format('INSERT INTO %I (%s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM %I', name, columns, old);
    FOR one IN SELECT format('ALTER SEQUENCE %s OWNED BY %I.%I', d.objid::regclass, name, attname)
        FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S' JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
        WHERE d.classid = 'pg_class'::regclass AND d.refobjid = whole AND d.deptype = 'a' LOOP
        EXECUTE one;
    END LOOP;
    EXECUTE format('DROP TABLE %I', old);

    IF keys !~ '\morganization_id\M' THEN
        keys := replace(keys, '(', '(organization_id, ');
    END IF;
    FOR n IN -1 .. parts - 1 LOOP -- -1: the table itself
        part := CASE WHEN n < 0 THEN '' ELSE '_p' || n END;
        IF keys IS NOT NULL THEN
            EXECUTE format('ALTER TABLE %s %I ADD CONSTRAINT %I %s', CASE WHEN n < 0 THEN 'ONLY' END, name || part, name || '_pkey' || part, keys);
            IF n >= 0 THEN
                EXECUTE format('ALTER INDEX %I ATTACH PARTITION %I', name || '_pkey', name || '_pkey' || part);
            END IF;
        END IF;
        FOR i IN 1 .. coalesce(array_length(indexes, 1), 0) LOOP
            one := regexp_replace(indexes[i], ' INDEX \S+ ON \S+ ', format(' INDEX %I ON %s %I ', names[i] || part, CASE WHEN n < 0 THEN 'ONLY' ELSE '' END, name || part));
            IF one LIKE 'CREATE UNIQUE%' AND one !~ '\morganization_id\M' THEN
                one := replace(one, 'btree (', 'btree (organization_id, ');
            END IF;
            EXECUTE one;
            IF n >= 0 THEN
                EXECUTE format('ALTER INDEX %I ATTACH PARTITION %I', names[i], names[i] || part);
            END IF;
        END LOOP;
    END LOOP;
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    FOREACH one IN ARRAY again LOOP
        EXECUTE one;
    END LOOP;
    EXECUTE format('ANALYZE %I', name);
END $$;
