-- Payloads of events are compressed by LZ4 where this PostgreSQL has it, which takes less processor than its own method. Those that are
-- there stay as they are, and are read as before.

-- +goose Up
-- +goose StatementBegin
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
        ALTER TABLE event ALTER payload SET COMPRESSION lz4;
    END IF;
END $$;
-- +goose StatementEnd
