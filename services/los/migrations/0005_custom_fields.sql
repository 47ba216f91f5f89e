-- Custom fields of a declared type can be filtered and sorted by.

-- +goose Up
SELECT keep_custom_fields('service_area', 'los_service_areas');
SELECT keep_custom_fields('measure', 'los_measures');
SELECT keep_custom_fields('target', 'los_targets');
SELECT keep_custom_fields('measurement', 'los_measurements');
