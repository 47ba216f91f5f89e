-- What corrects a closed year in an open one: a disposal that is taken back, and what was found with its day of service.

-- +goose Up

ALTER TABLE transaction ADD COLUMN reinstates uuid; -- the disposal
CREATE INDEX transaction_reinstates ON transaction (organization_id, reinstates) WHERE reinstates IS NOT NULL;
ALTER TABLE capital_asset_year ADD COLUMN gain_loss_adjustments numeric(15,2) NOT NULL DEFAULT 0;

-- What a reinstatement brings back of each layer, as it would be on the first day of its year.
CREATE TABLE reinstated_layer (
    organization_id uuid          NOT NULL,
    transaction_id  uuid          NOT NULL,
    number          integer       NOT NULL,
    cost            numeric(15,2) NOT NULL,
    accumulated     numeric(15,2) NOT NULL,
    residual        numeric(15,2) NOT NULL,
    units_left      integer       NOT NULL,
    obligation_id   uuid,
    PRIMARY KEY (organization_id, transaction_id, number),
    FOREIGN KEY (organization_id, transaction_id) REFERENCES transaction (organization_id, id)
);
SELECT isolate('reinstated_layer');
-- +goose StatementBegin
DO $$ BEGIN -- it is a part of the entry, which is never altered
    EXECUTE format('REVOKE UPDATE, DELETE ON reinstated_layer FROM %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd
