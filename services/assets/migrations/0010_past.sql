-- What figures of a past day, and of past months, are made from.

-- +goose Up

-- Costs that had been set on assets themselves, each with when it was followed by another one. What is shown of an asset, which the history
-- has, may come from an assessment that was found to be wrong; this is what people said of the asset itself. The trigger of the table keeps
-- it, so that no way of writing is forgotten.
CREATE TABLE former_own_cost (
    organization_id                uuid          NOT NULL,
    asset_id                       uuid          NOT NULL,
    id                             bigint        GENERATED ALWAYS AS IDENTITY,
    until                          timestamptz   NOT NULL,
    own_replacement_cost           numeric(15,2),
    own_replacement_cost_year      integer,
    own_replacement_cost_as_of     date,
    own_deferred_maintenance_cost  numeric(15,2),
    own_deferred_maintenance_as_of date,
    PRIMARY KEY (organization_id, asset_id, id),
    CONSTRAINT former_own_cost_asset_id_fkey FOREIGN KEY (organization_id, asset_id) REFERENCES asset (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX former_own_cost_until ON former_own_cost (organization_id, until);
SELECT isolate('former_own_cost');

-- +goose StatementBegin
CREATE FUNCTION keep_own_cost() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO former_own_cost (organization_id, asset_id, until, own_replacement_cost, own_replacement_cost_year, own_replacement_cost_as_of,
        own_deferred_maintenance_cost, own_deferred_maintenance_as_of)
    VALUES (OLD.organization_id, OLD.id, clock_timestamp(), OLD.own_replacement_cost, OLD.own_replacement_cost_year,
        OLD.own_replacement_cost_as_of, OLD.own_deferred_maintenance_cost, OLD.own_deferred_maintenance_as_of);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- A create writes the costs of a new row by an update of its own; nothing was said of it before, and its version is 1.
CREATE TRIGGER asset_own_cost AFTER UPDATE OF own_replacement_cost, own_replacement_cost_year, own_replacement_cost_as_of,
    own_deferred_maintenance_cost, own_deferred_maintenance_as_of ON asset
    FOR EACH ROW WHEN (
        (OLD.own_replacement_cost, OLD.own_replacement_cost_year, OLD.own_replacement_cost_as_of,
            OLD.own_deferred_maintenance_cost, OLD.own_deferred_maintenance_as_of)
        IS DISTINCT FROM
        (NEW.own_replacement_cost, NEW.own_replacement_cost_year, NEW.own_replacement_cost_as_of,
            NEW.own_deferred_maintenance_cost, NEW.own_deferred_maintenance_as_of)
        AND OLD.version > 1) EXECUTE FUNCTION keep_own_cost();

-- The figures of a month's end as they were reported: written once, never changed, and kept when their subject is gone.
CREATE TABLE figures_month (
    organization_id           uuid    NOT NULL,
    subject                   text    COLLATE "C" NOT NULL, -- organization, site, building, category, service_category
    subject_of                text    COLLATE "C" NOT NULL, -- id or key; empty of the organization and of what has no key
    month_end                 date    NOT NULL,
    frozen                    boolean NOT NULL,
    counts                    bigint[] NOT NULL,  -- sites, buildings, systems, assets, left out
    replacement_cost          numeric NOT NULL,
    deferred_maintenance_cost numeric NOT NULL,
    need                      numeric[] NOT NULL, -- at horizons of 0, 1, 2, 5 and 10 years
    fci_pct                   numeric[] NOT NULL, -- at the same
    average_age_years         numeric,
    weighted_age_years        numeric,
    average_condition_rating  numeric,
    weighted_condition_rating numeric,
    rated                     bigint[] NOT NULL,  -- by rating 1 to 5, and without one
    rated_value               numeric[] NOT NULL, -- their replacement costs
    risk_value                numeric[] NOT NULL, -- replacement costs by risk level, very_low to very_high, and without one
    pct_past_useful_life      numeric,
    pct_high_risk             numeric,
    PRIMARY KEY (organization_id, subject, subject_of, month_end)
);
SELECT isolate('figures_month');
-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE format('REVOKE UPDATE, DELETE ON figures_month FROM %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- +goose Down
DROP TABLE figures_month;
DROP TRIGGER asset_own_cost ON asset;
DROP FUNCTION keep_own_cost;
DROP TABLE former_own_cost;
