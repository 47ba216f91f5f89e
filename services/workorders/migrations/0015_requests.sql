-- The request that a work order was made for, or that was accepted with it first.

-- +goose Up

ALTER TABLE work_order ADD COLUMN request_id uuid;
UPDATE work_order w SET request_id = e.request_id
    FROM (SELECT DISTINCT ON (organization_id, work_order_id) organization_id, work_order_id, (payload->>'request_id')::uuid AS request_id
        FROM work_order_effect WHERE kind = 'close_request' ORDER BY organization_id, work_order_id, position) e
    WHERE w.organization_id = e.organization_id AND w.id = e.work_order_id;
CREATE INDEX work_order_request ON work_order (organization_id, request_id, position) WHERE request_id IS NOT NULL;
CREATE INDEX work_order_effect_request ON work_order_effect (organization_id, lower(payload->>'request_id')) WHERE kind = 'close_request';
