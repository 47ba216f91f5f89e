-- Records are found by their words and codes.

-- +goose Up
SELECT keep_terms('network', 'networks');
SELECT keep_terms('segment', 'segments');
