-- Work orders that become overdue have an event of it.

-- +goose Up

-- Of which due date the event was last sent (package occasions).
CREATE TABLE occasion (
    organization_id uuid NOT NULL,
    event           text COLLATE "C" NOT NULL,
    record_id       uuid NOT NULL,
    day             date NOT NULL,
    PRIMARY KEY (organization_id, event, record_id),
    FOREIGN KEY (organization_id, record_id) REFERENCES work_order (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('occasion');
CREATE INDEX occasion_record ON occasion (organization_id, record_id);

-- What is overdue when this comes is no news. A day is left for organizations where it is still yesterday.
INSERT INTO occasion SELECT organization_id, 'work_order.overdue', id, due_date FROM work_order
WHERE due_date < CURRENT_DATE - 1 AND status IN ('open', 'in_progress', 'on_hold');
