-- Records are found by their words and codes.

-- +goose Up
SELECT keep_terms('service_area', 'los_service_areas');
SELECT keep_terms('measure', 'los_measures');
