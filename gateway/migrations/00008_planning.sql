-- +goose Up

-- Lifecycle planning: asset classes, deterioration, treatments, scenarios.
INSERT INTO feature VALUES ('planning', 'Lifecycle Planning');
INSERT INTO plan_feature VALUES ('enterprise', 'planning');
INSERT INTO add_on VALUES ('planning', 'Lifecycle Planning');
INSERT INTO add_on_feature VALUES ('planning', 'planning');

-- +goose Down
DELETE FROM organization_add_on WHERE add_on = 'planning';
DELETE FROM add_on_feature WHERE add_on = 'planning';
DELETE FROM add_on WHERE code = 'planning';
DELETE FROM plan_feature WHERE feature = 'planning';
DELETE FROM feature WHERE code = 'planning';
