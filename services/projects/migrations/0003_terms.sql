-- Records are found by their words and codes.

-- +goose Up
SELECT keep_terms('project', 'projects');
SELECT keep_terms('project_phase', 'project_phases');
SELECT keep_terms('project_funding_source', 'project_funding_sources');
SELECT keep_terms('project_budget_line', 'project_budget_lines');
SELECT keep_terms('project_link', 'project_links');
