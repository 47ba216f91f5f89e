-- A request whose work was cancelled may be rejected or opened again. It knows by which work order, so that it is accepted again when that is
-- opened again.

-- +goose Up

ALTER TABLE request ADD COLUMN cancelled_work_order_id uuid;
