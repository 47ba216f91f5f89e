-- Records are found by their words and codes.

-- +goose Up
SELECT keep_terms('site', 'sites');
SELECT keep_terms('building', 'buildings');
SELECT keep_terms('system', 'systems');
SELECT keep_terms('asset', 'assets');
