-- Events about records that are on others, as documents are: who receives them must be allowed to read the others as well.

-- +goose Up

-- The collections that must be readable besides the event's own.
ALTER TABLE event ADD COLUMN seen_with text[] COLLATE "C" NOT NULL DEFAULT '{}';

-- What the key could do that last chose url and event_types. NULL for endpoints of former releases, whose key could read all that they
-- subscribe to.
ALTER TABLE webhook_endpoint ADD COLUMN maker_scopes text[] COLLATE "C";
