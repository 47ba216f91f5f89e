-- forms: to be written.

-- +goose Up

SELECT 1;
