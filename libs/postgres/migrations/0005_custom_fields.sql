-- Custom fields that lists are filtered and sorted by: the type that an organization has declared for a key, and for each record of the
-- collection the value that it has for it.

-- +goose Up

-- One row for each declared key. Another type is another row: the row of the former type is removed, with its values, by a process of
-- the service (package custom).
CREATE TABLE custom_field (
    organization_id uuid        NOT NULL,
    id              bigint      GENERATED ALWAYS AS IDENTITY,
    collection      text        COLLATE "C" NOT NULL,
    key             text        COLLATE "C" NOT NULL,
    type            text        COLLATE "C" NOT NULL CHECK (type IN ('text', 'number', 'date', 'boolean')),
    state           text        COLLATE "C" NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'ready', 'removed')),
    built           bigint      NOT NULL DEFAULT 0, -- while pending: records up to this position have their values
    declared_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX custom_field_key ON custom_field (organization_id, collection, key) INCLUDE (id, type, state) WHERE state <> 'removed';
SELECT isolate('custom_field');

-- One row for each record and declared key. missing is 0 where the record has a value of the type, 1 where it has none at all, 2 where it has
-- one that cannot be read as the type. Texts are in text, all others in number: dates as days since 1970-01-01, true as 1 and false as 0;
-- comparison of numeric would not be leakproof, so that no index could be used under row-level security. What is not used is 0 or ''.
-- The id is behind the value because lists with equal values go on by id; the position is for filters.
CREATE TABLE custom_value (
    organization_id uuid             NOT NULL,
    field           bigint           NOT NULL,
    missing         smallint         NOT NULL,
    number          double precision NOT NULL,
    text            text             COLLATE "und-x-icu" NOT NULL,
    id              uuid             NOT NULL,
    position        bigint           NOT NULL,
    PRIMARY KEY (organization_id, field, missing, number, text, id) INCLUDE (position)
);
SELECT isolate('custom_value');

-- custom_number is the number that a value is read as, NULL where it cannot be. It takes texts too, because values out of CSV files are
-- texts. Nothing in it may fail: who writes records knows nothing of what others have declared.
-- +goose StatementBegin
CREATE FUNCTION custom_number(value jsonb, type text) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE type
        WHEN 'number' THEN CASE
            WHEN jsonb_typeof(value) = 'number' THEN
                CASE WHEN abs((value #>> '{}')::numeric) < 1e300 AND (value = '0' OR abs((value #>> '{}')::numeric) > 1e-300)
                    THEN (value #>> '{}')::double precision END
            WHEN jsonb_typeof(value) = 'string' AND (value #>> '{}') ~ '^-?[0-9]{1,15}([.][0-9]{1,15})?$' THEN (value #>> '{}')::double precision
        END
        WHEN 'date' THEN CASE
            WHEN jsonb_typeof(value) = 'string' AND (value #>> '{}') ~ '^[1-9][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$' THEN
                CASE WHEN substr(value #>> '{}', 9)::int <= extract(day FROM make_date(substr(value #>> '{}', 1, 4)::int,
                        substr(value #>> '{}', 6, 2)::int, 1) + interval '1 month' - interval '1 day')
                    THEN make_date(substr(value #>> '{}', 1, 4)::int, substr(value #>> '{}', 6, 2)::int, substr(value #>> '{}', 9)::int)
                        - make_date(1970, 1, 1) END
        END
        WHEN 'boolean' THEN CASE value #>> '{}' WHEN 'true' THEN 1 WHEN 'false' THEN 0 END
    END;
-- +goose StatementEnd

-- custom_text is the text that a value is read as: texts as they are, numbers and booleans as JSON writes them. One of more than 500
-- characters is none, because an index could not hold it.
CREATE FUNCTION custom_text(value jsonb, type text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN type = 'text' AND length(value #>> '{}') <= 500 THEN value #>> '{}' END;

-- custom_values gives what custom_value has of a record with these custom fields.
-- +goose StatementBegin
CREATE FUNCTION custom_values(organization uuid, of_collection text, fields jsonb)
    RETURNS TABLE (field bigint, missing smallint, number double precision, text text)
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT f.id, CASE
            WHEN num_nonnulls(v.number, v.text) = 1 THEN 0
            WHEN coalesce(jsonb_typeof(fields -> f.key), 'null') = 'null' THEN 1
            ELSE 2
        END::smallint, coalesce(v.number, 0), coalesce(v.text, '')
    FROM custom_field f
    CROSS JOIN LATERAL (SELECT custom_number(fields -> f.key, f.type) AS number, custom_text(fields -> f.key, f.type) AS text) v
    WHERE f.organization_id = organization AND f.collection = of_collection AND f.state <> 'removed';
END;
-- +goose StatementEnd

-- note_custom_fields keeps custom_value as the records are. Records whose custom fields stay cost a comparison, and organizations that
-- have declared nothing a look into an empty index, once for each statement. Joins by loops: a plan that reads all values once would be
-- right for a moment only, and is kept.
-- +goose StatementBegin
CREATE FUNCTION note_custom_fields() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM custom_field f WHERE f.collection = TG_ARGV[0] AND f.state <> 'removed') THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'INSERT' THEN
        INSERT INTO custom_value (organization_id, field, missing, number, text, id, position)
        SELECT c.organization_id, n.field, n.missing, n.number, n.text, c.id, c.position
        FROM changed c, custom_values(c.organization_id, TG_ARGV[0], c.custom_fields) n;
    ELSIF TG_OP = 'DELETE' THEN
        DELETE FROM custom_value v USING before b, custom_values(b.organization_id, TG_ARGV[0], b.custom_fields) o
        WHERE (v.organization_id, v.field, v.missing, v.number, v.text, v.id) = (b.organization_id, o.field, o.missing, o.number, o.text, b.id);
    ELSE
        DELETE FROM custom_value v
        USING (SELECT organization_id, id, custom_fields FROM before EXCEPT SELECT organization_id, id, custom_fields FROM changed) b,
            custom_values(b.organization_id, TG_ARGV[0], b.custom_fields) o
        WHERE (v.organization_id, v.field, v.missing, v.number, v.text, v.id) = (b.organization_id, o.field, o.missing, o.number, o.text, b.id);
        INSERT INTO custom_value (organization_id, field, missing, number, text, id, position)
        SELECT c.organization_id, n.field, n.missing, n.number, n.text, c.id, c.position
        FROM (SELECT organization_id, id, position, custom_fields FROM changed
                EXCEPT SELECT organization_id, id, position, custom_fields FROM before) c,
            custom_values(c.organization_id, TG_ARGV[0], c.custom_fields) n;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- keep_custom_fields(table, collection) keeps the values of the declared custom fields of a table from now on.
-- +goose StatementBegin
CREATE FUNCTION keep_custom_fields(tbl regclass, collection text) RETURNS void
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER custom_fields_of_inserted AFTER INSERT ON %s REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_custom_fields(%L)', tbl, collection);
    EXECUTE format('CREATE TRIGGER custom_fields_of_updated AFTER UPDATE ON %s REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_custom_fields(%L)', tbl, collection);
    EXECUTE format('CREATE TRIGGER custom_fields_of_deleted AFTER DELETE ON %s REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION note_custom_fields(%L)', tbl, collection);
END $$;
-- +goose StatementEnd
