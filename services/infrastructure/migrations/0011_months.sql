-- The figures of a month's end as they were reported: written once, never changed, and kept when their subject is gone.

-- +goose Up

CREATE TABLE figures_month (
    organization_id           uuid    NOT NULL,
    subject                   text    COLLATE "C" NOT NULL, -- organization, network
    subject_of                text    COLLATE "C" NOT NULL, -- id; empty of the organization
    month_end                 date    NOT NULL,
    frozen                    boolean NOT NULL,
    counts                    bigint[] NOT NULL,  -- segments, left out
    length_km                 numeric NOT NULL,
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
    avg_pci                   numeric,
    avg_bci                   numeric,
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
