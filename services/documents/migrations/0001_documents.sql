-- Documents with their revisions and links, the bytes that they are made of, what is kept for how long, and how much that is.

-- +goose Up

-- How long documents of a class are kept, and what is done then.
CREATE TABLE retention_class (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    position        bigint      NOT NULL,
    external_id     text        COLLATE "C",
    custom_fields   jsonb       NOT NULL DEFAULT '{}',
    tags            jsonb       NOT NULL DEFAULT '[]',
    version         integer     NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    created_by      jsonb       NOT NULL,
    updated_by      jsonb       NOT NULL,

    code            text        COLLATE "C" NOT NULL,
    name            text        COLLATE "und-x-icu" NOT NULL,
    name_fr         text        COLLATE "und-x-icu",
    description     text,
    trigger         text        COLLATE "C" NOT NULL,
    years           integer,
    permanent       boolean     NOT NULL DEFAULT false,
    action          text        COLLATE "C" NOT NULL,
    active          boolean     NOT NULL DEFAULT true,

    external_id_key      text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    code_key             text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT retention_class_years_check CHECK (permanent = (years IS NULL))
);
SELECT isolate('retention_class');
CREATE UNIQUE INDEX retention_class_position ON retention_class (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX retention_class_external_id_key ON retention_class (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX retention_class_by_updated_at ON retention_class (organization_id, updated_at, id);
CREATE UNIQUE INDEX retention_class_code_key ON retention_class (organization_id, code_key) WHERE code_key IS NOT NULL;
SELECT keep_terms('retention_class', 'retention_classes');
SELECT keep_custom_fields('retention_class', 'retention_classes');

-- record_id has no foreign key: the record is in another service, which asks before it deletes it. What is said of the content is that of the
-- latest revision.
CREATE TABLE document (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    position        bigint      NOT NULL,
    external_id     text        COLLATE "C",
    custom_fields   jsonb       NOT NULL DEFAULT '{}',
    tags            jsonb       NOT NULL DEFAULT '[]',
    version         integer     NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    created_by      jsonb       NOT NULL,
    updated_by      jsonb       NOT NULL,

    collection          text        COLLATE "C" NOT NULL,
    record_id           uuid        NOT NULL,
    kind                text        COLLATE "C",
    title               text        COLLATE "und-x-icu" NOT NULL,
    caption_en          text,
    caption_fr          text,
    language            text        COLLATE "C",
    document_number     text        COLLATE "C",
    issued_on           date,
    expires_on          date,
    sort_order          integer,
    is_primary          boolean     NOT NULL DEFAULT false,
    retention_class_id  uuid,
    retention_base_date date,

    file_name       text        COLLATE "und-x-icu",
    media_type      text        COLLATE "C",
    size_bytes      bigint,
    sha256          text        COLLATE "C",
    revision        integer,
    revised_at      timestamptz, -- when revision was made; NULL of a draft
    width_px        integer,
    height_px       integer,
    taken_at        timestamptz,
    latitude        numeric(9,6),
    longitude       numeric(9,6),
    scan_status     text        COLLATE "C",
    status          text        COLLATE "C" NOT NULL,
    trashed_at      timestamptz,

    external_id_key      text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT document_retention_class_id_fkey FOREIGN KEY (organization_id, retention_class_id)
        REFERENCES retention_class (organization_id, id),
    CONSTRAINT document_content_check CHECK ((revision IS NULL) = (sha256 IS NULL) AND (revision IS NULL) = (size_bytes IS NULL)
        AND (status <> 'draft' OR revision IS NULL) AND (status <> 'active' OR revision IS NOT NULL)),
    CONSTRAINT document_trashed_at_check CHECK ((status = 'trashed') = (trashed_at IS NOT NULL))
);
SELECT isolate('document');
CREATE UNIQUE INDEX document_position ON document (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX document_external_id_key ON document (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX document_by_updated_at ON document (organization_id, updated_at, id);
CREATE INDEX document_record ON document (organization_id, record_id, position);
CREATE UNIQUE INDEX document_primary ON document (organization_id, record_id) WHERE is_primary;
CREATE INDEX document_retention_class ON document (organization_id, retention_class_id, position) WHERE retention_class_id IS NOT NULL;
CREATE INDEX document_trashed ON document (trashed_at) WHERE trashed_at IS NOT NULL; -- across organizations, for the purge
SELECT keep_terms('document', 'documents');
SELECT keep_custom_fields('document', 'documents');

-- The other records that a document is on.
CREATE TABLE document_link (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    position        bigint      NOT NULL,
    external_id     text        COLLATE "C",
    custom_fields   jsonb       NOT NULL DEFAULT '{}',
    tags            jsonb       NOT NULL DEFAULT '[]',
    version         integer     NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    created_by      jsonb       NOT NULL,
    updated_by      jsonb       NOT NULL,

    document_id     uuid        NOT NULL,
    collection      text        COLLATE "C" NOT NULL,
    record_id       uuid        NOT NULL,

    external_id_key      text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    record_id_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(record_id::text)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT document_link_document_id_fkey FOREIGN KEY (organization_id, document_id) REFERENCES document (organization_id, id)
        ON DELETE CASCADE
);
SELECT isolate('document_link');
CREATE UNIQUE INDEX document_link_position ON document_link (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX document_link_external_id_key ON document_link (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX document_link_by_updated_at ON document_link (organization_id, updated_at, id);
CREATE UNIQUE INDEX document_link_record_id_key ON document_link (organization_id, document_id, record_id_key) WHERE record_id_key IS NOT NULL;
CREATE INDEX document_link_document ON document_link (organization_id, document_id, position);
CREATE INDEX document_link_record ON document_link (organization_id, record_id, document_id);

-- Contents: each is one object of the store, "<organization>/<id>", and belongs to the revisions that refer to it.
--   writing  its bytes are on their way, from whom holds the lease; reserved is what they may take of the organization's storage
--   ready    its bytes are there, whole
--   doomed   no revision has it any more, and none will; it goes when delete_after has passed: first the object, then the row
CREATE TABLE blob (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    state           text        COLLATE "C" NOT NULL CHECK (state IN ('writing', 'ready', 'doomed')),
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by      jsonb       NOT NULL,
    size            bigint,
    sha256          bytea,
    media_type      text        COLLATE "C",
    reserved        bigint      NOT NULL DEFAULT 0,
    store_upload    text        COLLATE "C", -- the store's name of an upload in parts that is under way
    lease_until     timestamptz,
    delete_after    timestamptz,
    ready_at        timestamptz,

    scan_status     text        COLLATE "C",
    scan_detail     text,
    scanned_at      timestamptz,
    scan_signatures text        COLLATE "C", -- the version of the scanner's signatures then
    scan_due_at     timestamptz, -- when it is to be scanned next, or again when whoever does so does not finish
    picture_due_at  timestamptz, -- the same of reading what a picture says of itself, and of making its thumbnails
    has_thumbnails  boolean     NOT NULL DEFAULT false,
    decoded         boolean     NOT NULL DEFAULT false, -- a picture that we could read: it may be shown in a page
    width_px        integer,
    height_px       integer,
    taken_at        timestamptz,
    latitude        numeric(9,6),
    longitude       numeric(9,6),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT blob_content_check CHECK (state <> 'ready' OR size IS NOT NULL AND sha256 IS NOT NULL AND media_type IS NOT NULL
        AND scan_status IS NOT NULL AND reserved = 0),
    CONSTRAINT blob_delete_after_check CHECK ((state = 'doomed') = (delete_after IS NOT NULL))
);
SELECT isolate('blob');
CREATE UNIQUE INDEX blob_content ON blob (organization_id, sha256, size) WHERE state = 'ready';
-- Across organizations, for those who look what is to be done.
CREATE INDEX blob_lease ON blob (lease_until) WHERE state = 'writing';
CREATE INDEX blob_delete_after ON blob (delete_after) WHERE state = 'doomed';
CREATE INDEX blob_scan_due ON blob (organization_id, scan_due_at) WHERE scan_due_at IS NOT NULL AND scan_status = 'pending';
CREATE INDEX blob_scan_again_due ON blob (organization_id, scan_due_at) WHERE scan_due_at IS NOT NULL AND scan_status <> 'pending';
CREATE INDEX blob_picture_due ON blob (organization_id, picture_due_at) WHERE picture_due_at < 'infinity';
CREATE INDEX blob_pending ON blob (ready_at) WHERE state = 'ready' AND scan_status = 'pending';
CREATE INDEX blob_ready ON blob (ready_at) WHERE state = 'ready';
CREATE INDEX blob_writing ON blob (organization_id, lease_until) WHERE state = 'writing';
CREATE INDEX blob_doomed ON blob (organization_id, delete_after) WHERE state = 'doomed';

CREATE TABLE document_revision (
    organization_id     uuid        NOT NULL,
    document_id         uuid        NOT NULL,
    number              integer     NOT NULL,
    blob_id             uuid        NOT NULL,
    comment             text,
    file_name           text        NOT NULL,
    declared_media_type text    COLLATE "C",
    created_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by          jsonb       NOT NULL,
    PRIMARY KEY (organization_id, document_id, number),
    CONSTRAINT document_revision_document_id_fkey FOREIGN KEY (organization_id, document_id) REFERENCES document (organization_id, id)
        ON DELETE CASCADE,
    CONSTRAINT document_revision_blob_id_fkey FOREIGN KEY (organization_id, blob_id) REFERENCES blob (organization_id, id)
);
SELECT isolate('document_revision');
CREATE INDEX document_revision_blob ON document_revision (organization_id, blob_id);

-- What an organization keeps: the bytes of its contents that are ready, each once, and those that are reserved for what is on its way.
CREATE TABLE storage (
    organization_id  uuid   NOT NULL PRIMARY KEY,
    used             bigint NOT NULL DEFAULT 0 CHECK (used >= 0),
    reserved         bigint NOT NULL DEFAULT 0 CHECK (reserved >= 0),
    -- When "amsctl documents verify" last compared the organization's contents with the objects of the store, whether it read their bytes, how many
    -- had no object or another one, and how many objects below the organization's name no content had.
    verified_at      timestamptz,
    verified_deep    boolean,
    verified_missing bigint CHECK (verified_missing >= 0),
    verified_unknown bigint CHECK (verified_unknown >= 0)
);
SELECT isolate('storage');

-- Uploads that can be resumed (tus 1.0.0). What is durable is said here: parts of 8 MiB in the store's upload, and a rest in an object of its
-- own, "<organization>/<blob id>.tail<generation of its writer>".
CREATE TABLE upload (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    blob_id         uuid        NOT NULL,
    actor_id        text        COLLATE "C" NOT NULL, -- who began it, and alone goes on with it
    length          bigint      NOT NULL,
    received        bigint      NOT NULL DEFAULT 0,
    metadata        text        COLLATE "C" NOT NULL, -- what is made of it: the header Upload-Metadata as it came
    file_name       text        NOT NULL,
    digest          bytea       NOT NULL, -- the state of SHA-256 over what was received
    tail            bigint, -- whose object has the rest, by generation; NULL where there is none
    tail_size       integer     NOT NULL DEFAULT 0,
    next_number     integer     NOT NULL DEFAULT 1, -- of parts; none is used twice
    generation      bigint      NOT NULL DEFAULT 0, -- grows with each writer
    lease_until     timestamptz, -- of the writer; NULL where the last one has ended well
    document_id     uuid, -- what it became
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at      timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT upload_blob_id_fkey FOREIGN KEY (organization_id, blob_id) REFERENCES blob (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('upload');
CREATE INDEX upload_blob ON upload (organization_id, blob_id);

CREATE TABLE upload_part (
    organization_id uuid    NOT NULL,
    upload_id       uuid    NOT NULL,
    number          integer NOT NULL,
    size            integer NOT NULL,
    tag             text    COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, upload_id, number),
    CONSTRAINT upload_part_upload_id_fkey FOREIGN KEY (organization_id, upload_id) REFERENCES upload (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('upload_part');

-- Documents that must not go while somebody may ask for them in a court: those named, or all on a record, also later ones.
CREATE TABLE legal_hold (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    position        bigint      NOT NULL,
    external_id     text        COLLATE "C",
    custom_fields   jsonb       NOT NULL DEFAULT '{}',
    tags            jsonb       NOT NULL DEFAULT '[]',
    version         integer     NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    created_by      jsonb       NOT NULL,
    updated_by      jsonb       NOT NULL,

    name            text        COLLATE "und-x-icu" NOT NULL,
    reason          text        NOT NULL,
    collection      text        COLLATE "C",
    record_id       uuid,
    status          text        COLLATE "C" NOT NULL,
    released_at     timestamptz,

    external_id_key      text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key             text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT legal_hold_record_check CHECK ((collection IS NULL) = (record_id IS NULL))
);
SELECT isolate('legal_hold');
CREATE UNIQUE INDEX legal_hold_position ON legal_hold (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX legal_hold_external_id_key ON legal_hold (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX legal_hold_by_updated_at ON legal_hold (organization_id, updated_at, id);
CREATE UNIQUE INDEX legal_hold_name_key ON legal_hold (organization_id, name_key) WHERE name_key IS NOT NULL;
CREATE INDEX legal_hold_record ON legal_hold (organization_id, record_id) WHERE record_id IS NOT NULL;
SELECT keep_terms('legal_hold', 'legal_holds');
SELECT keep_custom_fields('legal_hold', 'legal_holds');

CREATE TABLE legal_hold_document (
    organization_id uuid NOT NULL,
    legal_hold_id   uuid NOT NULL,
    document_id     uuid NOT NULL,
    PRIMARY KEY (organization_id, legal_hold_id, document_id),
    CONSTRAINT legal_hold_document_legal_hold_id_fkey FOREIGN KEY (organization_id, legal_hold_id)
        REFERENCES legal_hold (organization_id, id) ON DELETE CASCADE,
    CONSTRAINT legal_hold_document_document_id_fkey FOREIGN KEY (organization_id, document_id)
        REFERENCES document (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('legal_hold_document');
CREATE INDEX legal_hold_document_document ON legal_hold_document (organization_id, document_id);

-- finish_blob makes a content ready whose bytes are there, and gives back what was reserved for it. stored is the id of the content that they
-- are: this one, or the one of the same bytes that the organization has, and then this one goes at once. used_now is what is used with it. Two that arrive at the same time
-- wait for each other, at the row of storage; one that is just being doomed is waited for, and is not taken.
-- +goose StatementBegin
CREATE FUNCTION finish_blob(arrived uuid, bytes bigint, digest bytea, type text, scan text, picture boolean, OUT stored uuid,
    OUT used_now bigint)
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    organization uuid := current_organization();
    freed        bigint;
BEGIN
    PERFORM FROM storage s WHERE s.organization_id = organization FOR UPDATE;
    SELECT b.reserved FROM blob b WHERE b.organization_id = organization AND b.id = arrived AND b.state = 'writing' FOR UPDATE INTO freed;
    IF NOT FOUND THEN
        RAISE 'finish_blob: % is not being written', arrived USING ERRCODE = 'no_data_found';
    END IF;
    SELECT b.id FROM blob b WHERE b.organization_id = organization AND b.sha256 = digest AND b.size = bytes AND b.state = 'ready'
        FOR KEY SHARE INTO stored;
    IF stored IS NULL THEN
        UPDATE blob b SET state = 'ready', ready_at = clock_timestamp(), size = bytes, sha256 = digest, media_type = type, reserved = 0, lease_until = NULL, store_upload = NULL,
                scan_status = scan, scan_due_at = CASE WHEN scan = 'pending' THEN clock_timestamp() END,
                picture_due_at = CASE WHEN picture AND scan <> 'pending' THEN clock_timestamp() WHEN picture THEN 'infinity' END
            WHERE b.organization_id = organization AND b.id = arrived;
        UPDATE storage s SET used = used + bytes, reserved = reserved - freed WHERE s.organization_id = organization RETURNING used INTO used_now;
        stored := arrived;
        RETURN;
    END IF;
    UPDATE blob b SET state = 'doomed', reserved = 0, lease_until = NULL, delete_after = clock_timestamp()
        WHERE b.organization_id = organization AND b.id = arrived;
    UPDATE storage s SET reserved = reserved - freed WHERE s.organization_id = organization RETURNING used INTO used_now;
END $$;
-- +goose StatementEnd

-- doom_blobs dooms those of the contents that no revision has, and gives back what they took. Whoever is just about to use one of them
-- again holds its key, and is waited for; then it is not doomed.
-- +goose StatementBegin
CREATE FUNCTION doom_blobs(candidates uuid[], grace interval) RETURNS integer
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    organization uuid := current_organization();
    unused       uuid[];
    freed        bigint;
BEGIN
    PERFORM FROM storage s WHERE s.organization_id = organization FOR UPDATE;
    PERFORM FROM blob b WHERE b.organization_id = organization AND b.id = ANY(candidates) AND b.state = 'ready' ORDER BY b.id FOR UPDATE;
    SELECT array_agg(b.id), coalesce(sum(b.size), 0) FROM blob b
        WHERE b.organization_id = organization AND b.id = ANY(candidates) AND b.state = 'ready' AND NOT EXISTS (
            SELECT FROM document_revision r WHERE r.organization_id = organization AND r.blob_id = b.id)
        INTO unused, freed;
    IF unused IS NULL THEN
        RETURN 0;
    END IF;
    UPDATE blob b SET state = 'doomed', delete_after = clock_timestamp() + grace, scan_due_at = NULL, picture_due_at = NULL
        WHERE b.organization_id = organization AND b.id = ANY(unused);
    UPDATE storage s SET used = used - freed WHERE s.organization_id = organization;
    RETURN cardinality(unused);
END $$;
-- +goose StatementEnd

-- blobs_due gives contents of all organizations about which something is to be done: sweep (its lease has ended, or it is to be deleted), scan,
-- scan_again (which was scanned before), picture. Of an organization it gives at most each of an action (twice for sweep), what is due
-- longest first, so that one with much to do does not hide the others; and of all those with something due, the first before the second.
-- +goose StatementBegin
CREATE FUNCTION blobs_due(each integer, max_rows integer) RETURNS TABLE (organization_id uuid, id uuid, action text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    WITH RECURSIVE writing AS ( -- the organizations, one look at the index for each
        (SELECT b.organization_id AS o FROM blob b WHERE b.state = 'writing' ORDER BY 1 LIMIT 1)
        UNION ALL
        SELECT (SELECT b.organization_id FROM blob b WHERE b.state = 'writing' AND b.organization_id > s.o ORDER BY 1 LIMIT 1)
            FROM writing s WHERE s.o IS NOT NULL
    ), doomed AS ( -- nearly every organization has some that are not due yet, so first whether any is
        (SELECT b.organization_id AS o FROM blob b WHERE b.state = 'doomed'
            AND EXISTS (SELECT FROM blob d WHERE d.state = 'doomed' AND d.delete_after <= statement_timestamp()) ORDER BY 1 LIMIT 1)
        UNION ALL
        SELECT (SELECT b.organization_id FROM blob b WHERE b.state = 'doomed' AND b.organization_id > s.o ORDER BY 1 LIMIT 1)
            FROM doomed s WHERE s.o IS NOT NULL
    ), scanning AS (
        (SELECT b.organization_id AS o FROM blob b WHERE b.scan_due_at IS NOT NULL AND b.scan_status = 'pending' ORDER BY 1 LIMIT 1)
        UNION ALL
        SELECT (SELECT b.organization_id FROM blob b WHERE b.scan_due_at IS NOT NULL AND b.scan_status = 'pending'
            AND b.organization_id > s.o ORDER BY 1 LIMIT 1) FROM scanning s WHERE s.o IS NOT NULL
    ), scanning_again AS (
        (SELECT b.organization_id AS o FROM blob b WHERE b.scan_due_at IS NOT NULL AND b.scan_status <> 'pending' ORDER BY 1 LIMIT 1)
        UNION ALL
        SELECT (SELECT b.organization_id FROM blob b WHERE b.scan_due_at IS NOT NULL AND b.scan_status <> 'pending'
            AND b.organization_id > s.o ORDER BY 1 LIMIT 1) FROM scanning_again s WHERE s.o IS NOT NULL
    ), picturing AS (
        (SELECT b.organization_id AS o FROM blob b WHERE b.picture_due_at < 'infinity' ORDER BY 1 LIMIT 1)
        UNION ALL
        SELECT (SELECT b.organization_id FROM blob b WHERE b.picture_due_at < 'infinity'
            AND b.organization_id > s.o ORDER BY 1 LIMIT 1) FROM picturing s WHERE s.o IS NOT NULL
    )
    (SELECT s.o, due.id, 'sweep' FROM writing s CROSS JOIN LATERAL (
        SELECT b.id, b.lease_until AS at, row_number() OVER (ORDER BY b.lease_until) AS n FROM blob b
        WHERE b.organization_id = s.o AND b.state = 'writing' AND b.lease_until <= statement_timestamp() ORDER BY b.lease_until LIMIT each) due ORDER BY due.n, due.at LIMIT max_rows)
    UNION ALL
    (SELECT s.o, due.id, 'sweep' FROM doomed s CROSS JOIN LATERAL (
        SELECT b.id, b.delete_after AS at, row_number() OVER (ORDER BY b.delete_after) AS n FROM blob b
        WHERE b.organization_id = s.o AND b.state = 'doomed' AND b.delete_after <= statement_timestamp() ORDER BY b.delete_after LIMIT each) due ORDER BY due.n, due.at LIMIT max_rows)
    UNION ALL
    (SELECT s.o, due.id, 'scan' FROM scanning s CROSS JOIN LATERAL (
        SELECT b.id, b.scan_due_at AS at, row_number() OVER (ORDER BY b.scan_due_at) AS n FROM blob b
        WHERE b.organization_id = s.o AND b.scan_due_at IS NOT NULL AND b.scan_status = 'pending' AND b.scan_due_at <= statement_timestamp() ORDER BY b.scan_due_at LIMIT each) due ORDER BY due.n, due.at LIMIT max_rows)
    UNION ALL
    (SELECT s.o, due.id, 'scan_again' FROM scanning_again s CROSS JOIN LATERAL (
        SELECT b.id, b.scan_due_at AS at, row_number() OVER (ORDER BY b.scan_due_at) AS n FROM blob b
        WHERE b.organization_id = s.o AND b.scan_due_at IS NOT NULL AND b.scan_status <> 'pending' AND b.scan_due_at <= statement_timestamp() ORDER BY b.scan_due_at LIMIT each) due ORDER BY due.n, due.at LIMIT max_rows)
    UNION ALL
    (SELECT s.o, due.id, 'picture' FROM picturing s CROSS JOIN LATERAL (
        SELECT b.id, b.picture_due_at AS at, row_number() OVER (ORDER BY b.picture_due_at) AS n FROM blob b
        WHERE b.organization_id = s.o AND b.picture_due_at < 'infinity' AND b.picture_due_at <= statement_timestamp() ORDER BY b.picture_due_at LIMIT each) due ORDER BY due.n, due.at LIMIT max_rows)
$$;
-- +goose StatementEnd

-- scan_again has contents of all organizations scanned that are not older than a time and were not scanned with these signatures: at most max_rows
-- of them. It answers how many.
-- As PL/pgSQL, as trash_due: Citus can send no statement of a function in SQL that has parameters (ADR 58).
-- +goose StatementBegin
CREATE FUNCTION scan_again(signatures text, age interval, max_rows integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    marked bigint;
BEGIN
    WITH stale AS (
        SELECT b.organization_id, b.id FROM blob b WHERE b.state = 'ready' AND b.ready_at > statement_timestamp() - age AND b.scan_due_at IS NULL
            AND b.scan_signatures IS DISTINCT FROM signatures ORDER BY b.ready_at DESC LIMIT max_rows FOR UPDATE SKIP LOCKED)
    UPDATE blob b SET scan_due_at = statement_timestamp() FROM stale s WHERE b.organization_id = s.organization_id AND b.id = s.id;
    GET DIAGNOSTICS marked = ROW_COUNT;
    RETURN marked;
END $$;
-- +goose StatementEnd

-- blobs_waiting says of all organizations since when the oldest content waits to be scanned, and how many were not written to their end and are
-- not swept yet.
-- +goose StatementBegin
CREATE FUNCTION blobs_waiting(OUT pending_since timestamptz, OUT unfinished bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT (SELECT min(b.ready_at) FROM blob b WHERE b.state = 'ready' AND b.scan_status = 'pending'),
        (SELECT count(*) FROM blob b WHERE b.state = 'writing' AND b.lease_until <= statement_timestamp())
$$;
-- +goose StatementEnd

-- trash_due gives the organizations with documents that were put into the trash at least that long ago.
-- +goose StatementBegin
CREATE FUNCTION trash_due(retention interval) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN QUERY
    SELECT DISTINCT d.organization_id FROM document d WHERE d.trashed_at <= statement_timestamp() - retention;
END $$;
-- +goose StatementEnd

-- retention_due gives the organizations with classes whose documents are put into the trash when their time has come.
-- +goose StatementBegin
CREATE FUNCTION retention_due() RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT DISTINCT c.organization_id FROM retention_class c WHERE c.active AND c.action = 'trash' AND NOT c.permanent
$$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$
BEGIN
    REVOKE ALL ON FUNCTION blobs_due(integer, integer), scan_again(text, interval, integer), blobs_waiting(), trash_due(interval), retention_due()
        FROM PUBLIC;
    EXECUTE format('GRANT EXECUTE ON FUNCTION blobs_due(integer, integer), scan_again(text, interval, integer), blobs_waiting(), trash_due(interval), '
        'retention_due() TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd
-- Revisions are never changed, and go with their document, which goes only out of the trash: the database says so too. The rows of revisions
-- are deleted by their foreign key, as the owner.
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

-- keys_of_uploads gives the keys that have uploads which are not done. Whoever calls it leaves out organizations that live elsewhere.
-- +goose StatementBegin
CREATE FUNCTION keys_of_uploads() RETURNS TABLE (organization_id uuid, key_id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT DISTINCT u.organization_id, u.actor_id FROM upload u JOIN blob b ON b.organization_id = u.organization_id AND b.id = u.blob_id
    WHERE u.document_id IS NULL AND u.expires_at > statement_timestamp() AND b.created_by ->> 'type' = 'api_key'
$$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$ BEGIN
    REVOKE ALL ON FUNCTION keys_of_uploads() FROM PUBLIC;
    EXECUTE format('GRANT EXECUTE ON FUNCTION keys_of_uploads() TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd
