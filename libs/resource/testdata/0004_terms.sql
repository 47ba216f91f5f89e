-- +goose Up
SELECT keep_terms('book', 'books');
SELECT keep_terms('shelf', 'shelves');
