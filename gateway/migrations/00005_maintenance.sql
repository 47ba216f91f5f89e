-- +goose Up

-- Maintenance: plans of recurring work, meters, forms, and what residents ask for.
INSERT INTO feature VALUES ('maintenance', 'Maintenance');
INSERT INTO plan_feature VALUES ('enterprise', 'maintenance');
INSERT INTO add_on VALUES ('maintenance', 'Maintenance');
INSERT INTO add_on_feature VALUES ('maintenance', 'maintenance');

-- +goose Down
DELETE FROM organization_add_on WHERE add_on = 'maintenance';
DELETE FROM add_on_feature WHERE add_on = 'maintenance';
DELETE FROM add_on WHERE code = 'maintenance';
DELETE FROM plan_feature WHERE feature = 'maintenance';
DELETE FROM feature WHERE code = 'maintenance';
