-- +goose Up
SELECT keep_custom_fields('shelf', 'shelves');
SELECT keep_custom_fields('book', 'books');
-- safes are a second collection of the table, of one test.
CREATE TRIGGER safes_inserted AFTER INSERT ON shelf REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_custom_fields('safes');
CREATE TRIGGER safes_updated AFTER UPDATE ON shelf REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_custom_fields('safes');
CREATE TRIGGER safes_deleted AFTER DELETE ON shelf REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION note_custom_fields('safes');
