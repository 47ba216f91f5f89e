-- The server of an endpoint may be verified by an authority of its own. A program of a former release verifies it by the public ones, so such
-- calls fail there and are made again.

-- +goose Up
ALTER TABLE webhook_endpoint ADD COLUMN ca_certificate text, ADD COLUMN ca_certificate_expires_at timestamptz;
