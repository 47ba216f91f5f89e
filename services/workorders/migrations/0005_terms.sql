-- Records are found by their words and codes.

-- +goose Up
SELECT keep_terms('work_order', 'work_orders');
SELECT keep_terms('work_order_comment', 'work_order_comments');
SELECT keep_terms('work_order_task', 'work_order_tasks');
