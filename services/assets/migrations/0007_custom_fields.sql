-- Custom fields of a declared type can be filtered and sorted by.

-- +goose Up
SELECT keep_custom_fields('site', 'sites');
SELECT keep_custom_fields('building', 'buildings');
SELECT keep_custom_fields('system', 'systems');
SELECT keep_custom_fields('asset', 'assets');
