-- Records are found by their words and codes.

-- +goose Up
SELECT keep_terms('webhook_endpoint', 'webhook_endpoints');
