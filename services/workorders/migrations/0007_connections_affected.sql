-- How many connections were without service, for the connection-days that O. Reg. 588/17 asks for.

-- +goose Up
ALTER TABLE work_order ADD COLUMN connections_affected integer;
