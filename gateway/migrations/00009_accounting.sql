-- +goose Up

-- Accounting: the ledger of tangible capital assets.
INSERT INTO feature VALUES ('accounting', 'Accounting');
INSERT INTO plan_feature VALUES ('enterprise', 'accounting');
INSERT INTO add_on VALUES ('accounting', 'Accounting');
INSERT INTO add_on_feature VALUES ('accounting', 'accounting');

-- +goose Down
DELETE FROM organization_add_on WHERE add_on = 'accounting';
DELETE FROM add_on_feature WHERE add_on = 'accounting';
DELETE FROM add_on WHERE code = 'accounting';
DELETE FROM plan_feature WHERE feature = 'accounting';
DELETE FROM feature WHERE code = 'accounting';
