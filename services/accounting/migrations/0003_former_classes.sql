-- A class that a capital asset has left is kept: rows of the schedule, entries and the journal name it. Former rows are not looked at (NOT VALID): the
-- former release may have deleted such a class, and writes meanwhile.

-- +goose Up

CREATE INDEX transaction_from_class ON transaction (organization_id, from_class_id) WHERE from_class_id IS NOT NULL;
ALTER TABLE transaction ADD CONSTRAINT transaction_from_class_id_fkey FOREIGN KEY (organization_id, from_class_id) REFERENCES class (organization_id, id) NOT VALID;
