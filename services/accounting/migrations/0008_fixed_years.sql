-- What is closed is fixed by the database too: the service's role cannot change the figures of a closed fiscal year that another closed one follows,
-- nor a close that has ended. The last closed year can be reopened, which changes its figures.

-- +goose Up

-- fix_years is the trigger of rows that have a fiscal year, or an entry that has one.
-- +goose StatementBegin
CREATE FUNCTION fix_years() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    fixed boolean;
BEGIN
    IF current_user <> 'ams_' || current_schema() THEN
        RETURN NULL; -- the owner moves organizations, and empties sandboxes
    END IF;
    IF TG_TABLE_NAME = 'transaction_effect' THEN
        SELECT EXISTS (SELECT FROM changed c JOIN transaction t ON t.organization_id = c.organization_id AND t.id = c.transaction_id
            JOIN fiscal_year f ON f.organization_id = t.organization_id AND f.fiscal_year = t.fiscal_year
            WHERE f.state = 'closed' AND EXISTS (SELECT FROM fiscal_year l
                WHERE l.organization_id = f.organization_id AND l.state = 'closed' AND l.fiscal_year > f.fiscal_year)) INTO fixed;
    ELSE
        SELECT EXISTS (SELECT FROM changed c JOIN fiscal_year f ON f.organization_id = c.organization_id AND f.fiscal_year = c.fiscal_year
            WHERE f.state = 'closed' AND EXISTS (SELECT FROM fiscal_year l
                WHERE l.organization_id = f.organization_id AND l.state = 'closed' AND l.fiscal_year > f.fiscal_year)) INTO fixed;
    END IF;
    IF fixed THEN
        RAISE EXCEPTION 'the figures of a closed fiscal year are fixed (%)', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$
DECLARE
    tbl text;
BEGIN
    FOREACH tbl IN ARRAY ARRAY['capital_asset_year', 'layer', 'transaction_effect'] LOOP
        EXECUTE format('CREATE TRIGGER years_of_inserted AFTER INSERT ON %I REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION fix_years()', tbl);
        EXECUTE format('CREATE TRIGGER years_of_updated AFTER UPDATE ON %I REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION fix_years()', tbl);
        EXECUTE format('CREATE TRIGGER years_of_deleted AFTER DELETE ON %I REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION fix_years()', tbl);
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION fix_closes() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF current_user = 'ams_' || current_schema() THEN
        RAISE EXCEPTION 'a close that has ended stays as it is' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN coalesce(NEW, OLD);
END $$;
-- +goose StatementEnd
CREATE TRIGGER ended_closes BEFORE UPDATE OR DELETE ON close FOR EACH ROW WHEN (OLD.state IN ('done', 'failed')) EXECUTE FUNCTION fix_closes();
