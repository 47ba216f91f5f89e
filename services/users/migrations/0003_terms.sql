-- Records are found by their words and codes.

-- +goose Up
SELECT keep_terms('user_account', 'users');
