-- Programs of the last release change costs without naming the columns own_…, which are noted for them (0008). What was said before is kept
-- then too, on the first change of an asset as on any other.

-- +goose Up
DROP TRIGGER asset_own_cost ON asset;
CREATE TRIGGER asset_own_cost AFTER UPDATE ON asset
    FOR EACH ROW WHEN (
        (OLD.own_replacement_cost, OLD.own_replacement_cost_year, OLD.own_replacement_cost_as_of,
            OLD.own_deferred_maintenance_cost, OLD.own_deferred_maintenance_as_of)
        IS DISTINCT FROM
        (NEW.own_replacement_cost, NEW.own_replacement_cost_year, NEW.own_replacement_cost_as_of,
            NEW.own_deferred_maintenance_cost, NEW.own_deferred_maintenance_as_of)) EXECUTE FUNCTION keep_own_cost();

-- +goose Down
DROP TRIGGER asset_own_cost ON asset;
CREATE TRIGGER asset_own_cost AFTER UPDATE OF own_replacement_cost, own_replacement_cost_year, own_replacement_cost_as_of,
    own_deferred_maintenance_cost, own_deferred_maintenance_as_of ON asset
    FOR EACH ROW WHEN (
        (OLD.own_replacement_cost, OLD.own_replacement_cost_year, OLD.own_replacement_cost_as_of,
            OLD.own_deferred_maintenance_cost, OLD.own_deferred_maintenance_as_of)
        IS DISTINCT FROM
        (NEW.own_replacement_cost, NEW.own_replacement_cost_year, NEW.own_replacement_cost_as_of,
            NEW.own_deferred_maintenance_cost, NEW.own_deferred_maintenance_as_of)
        AND OLD.version > 1) EXECUTE FUNCTION keep_own_cost();
