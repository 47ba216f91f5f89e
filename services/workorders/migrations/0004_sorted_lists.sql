-- Indexes in orders that lists are commonly sorted by. Each serves both directions, from the first page to the last; what is empty stands
-- at the end, as in the lists. An index on the field alone is replaced by the one that has the id behind it.

-- +goose Up

DROP INDEX work_order_due_date, work_order_updated_at;
CREATE INDEX work_order_by_title ON work_order (organization_id, title, id);
CREATE INDEX work_order_by_due_date ON work_order (organization_id, due_date, id);
CREATE INDEX work_order_by_updated_at ON work_order (organization_id, updated_at, id);
