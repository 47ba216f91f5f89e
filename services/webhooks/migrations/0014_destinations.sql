-- Events may be sent into a queue of Amazon SQS. A program of a former release calls its URL as that of a receiver, which SQS refuses, so such
-- calls fail there and are made again.

-- +goose Up
ALTER TABLE webhook_endpoint ADD COLUMN destination text COLLATE "C" NOT NULL DEFAULT 'https';
