-- Custom fields of a declared type can be filtered and sorted by.

-- +goose Up
SELECT keep_custom_fields('network', 'networks');
SELECT keep_custom_fields('segment', 'segments');
SELECT keep_custom_fields('inspection', 'inspections');
