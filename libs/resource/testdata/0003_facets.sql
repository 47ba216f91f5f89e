-- +goose Up
SELECT keep_facets('book', 'books');
