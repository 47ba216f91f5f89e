-- Custom fields of a declared type can be filtered and sorted by.

-- +goose Up
SELECT keep_custom_fields('webhook_endpoint', 'webhook_endpoints');
