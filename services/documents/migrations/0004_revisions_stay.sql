-- Revisions are never changed, and go with their document, which goes only out of the trash: the database says so too. The rows of revisions
-- are deleted by their foreign key, as the owner.

-- +goose Up

-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE format('REVOKE UPDATE, DELETE ON document_revision FROM %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION keep_documents() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF current_user = 'ams_' || current_schema() THEN -- the owner moves organizations, and empties sandboxes
        RAISE EXCEPTION 'a document is deleted out of the trash alone' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN OLD;
END $$;
-- +goose StatementEnd
CREATE TRIGGER untrashed_documents BEFORE DELETE ON document FOR EACH ROW WHEN (OLD.trashed_at IS NULL) EXECUTE FUNCTION keep_documents();
