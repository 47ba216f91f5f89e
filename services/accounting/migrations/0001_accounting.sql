-- The ledger of tangible capital assets: fiscal years, classes, capital assets with their links, and the transactions that say what they cost.

-- +goose Up

CREATE TABLE fiscal_year (
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

    fiscal_year       integer   NOT NULL,
    fiscal_year_label text      COLLATE "C" NOT NULL,
    period_start      date      NOT NULL,
    period_end        date      NOT NULL,
    state             text      COLLATE "C" NOT NULL,
    notes             text,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    fiscal_year_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(fiscal_year::text)) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('fiscal_year');
CREATE UNIQUE INDEX fiscal_year_position ON fiscal_year (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX fiscal_year_external_id_key ON fiscal_year (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX fiscal_year_fiscal_year_key ON fiscal_year (organization_id, fiscal_year_key) WHERE fiscal_year_key IS NOT NULL;
CREATE INDEX fiscal_year_by_updated_at ON fiscal_year (organization_id, updated_at, id);
SELECT keep_terms('fiscal_year', 'fiscal_years');
SELECT keep_custom_fields('fiscal_year', 'fiscal_years');

CREATE TABLE class (
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

    name                     text          COLLATE "und-x-icu" NOT NULL,
    code                     text          COLLATE "C",
    category                 text          COLLATE "C" NOT NULL,
    method                   text          COLLATE "C" NOT NULL,
    useful_life_years        integer,
    convention               text          COLLATE "C" NOT NULL,
    capitalization_threshold numeric(15,2) NOT NULL,
    pooled                   boolean       NOT NULL,
    remove_when_amortized    boolean       NOT NULL,
    accounts                 jsonb         NOT NULL DEFAULT '{}',
    -- Months of a life beyond whole years.
    useful_life_months       integer     NOT NULL DEFAULT 0,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('class');
CREATE UNIQUE INDEX class_position ON class (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX class_external_id_key ON class (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX class_name_key ON class (organization_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX class_code_key ON class (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX class_by_updated_at ON class (organization_id, updated_at, id);
SELECT keep_terms('class', 'capital_asset_classes');
SELECT keep_custom_fields('class', 'capital_asset_classes');

CREATE TABLE capital_asset (
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

    name               text          COLLATE "und-x-icu" NOT NULL,
    number             text          COLLATE "C",
    class_id           uuid          NOT NULL,
    acquisition        text          COLLATE "C" NOT NULL,
    useful_life_years  integer,
    residual_value     numeric(15,2) NOT NULL,
    quantity           integer,
    service_category   text          COLLATE "C",
    department         text          COLLATE "und-x-icu",
    project_id         uuid,
    notes              text,
    state              text          COLLATE "C" NOT NULL,
    in_service_on      date,
    useful_life_months integer     NOT NULL DEFAULT 0,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    number_key      text        COLLATE "C" GENERATED ALWAYS AS (unique_key(number)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT capital_asset_class_id_fkey FOREIGN KEY (organization_id, class_id) REFERENCES class (organization_id, id)
);
SELECT isolate('capital_asset');
CREATE UNIQUE INDEX capital_asset_position ON capital_asset (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX capital_asset_external_id_key ON capital_asset (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX capital_asset_number_key ON capital_asset (organization_id, number_key) WHERE number_key IS NOT NULL;
CREATE INDEX capital_asset_by_updated_at ON capital_asset (organization_id, updated_at, id);
CREATE INDEX capital_asset_by_name ON capital_asset (organization_id, name COLLATE "natural", id);
CREATE INDEX capital_asset_class ON capital_asset (organization_id, class_id);
CREATE INDEX capital_asset_project ON capital_asset (organization_id, project_id) WHERE project_id IS NOT NULL;
SELECT keep_terms('capital_asset', 'capital_assets');
SELECT keep_custom_fields('capital_asset', 'capital_assets');

CREATE TABLE link (
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

    capital_asset_id uuid       NOT NULL,
    target_type      text       COLLATE "C" NOT NULL,
    target_id        uuid       NOT NULL,
    note             text,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    target_id_key   text        COLLATE "C" GENERATED ALWAYS AS (unique_key(target_id::text)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT link_capital_asset_id_fkey FOREIGN KEY (organization_id, capital_asset_id) REFERENCES capital_asset (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('link');
CREATE UNIQUE INDEX link_position ON link (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX link_external_id_key ON link (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX link_target_id_key ON link (organization_id, capital_asset_id, target_type, target_id_key);
CREATE INDEX link_by_updated_at ON link (organization_id, updated_at, id);
-- What an owner asks before it deletes a record.
CREATE INDEX link_target ON link (organization_id, target_id);
SELECT keep_terms('link', 'capital_asset_links');

CREATE TABLE transaction (
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

    number                   text          COLLATE "C" NOT NULL,
    sequence                 bigint        GENERATED ALWAYS AS (substr(number, 3)::bigint) STORED,
    capital_asset_id         uuid          NOT NULL,
    type                     text          COLLATE "C" NOT NULL,
    effective_on             date          NOT NULL,
    fiscal_year              integer       NOT NULL,
    amount                   numeric(15,2),
    accumulated_amortization numeric(15,2),
    in_service_on            date,
    remaining_units          integer,
    useful_life_years        integer,
    residual_value           numeric(15,2),
    added_life_years         integer,
    proceeds                 numeric(15,2),
    cost_removed             numeric(15,2),
    share_pct                numeric,
    quantity                 integer,
    to_capital_asset_id      uuid,
    to_class_id              uuid,
    from_class_id            uuid,
    below_threshold          boolean       NOT NULL DEFAULT false,
    layer                    integer,
    cost_change              numeric(15,2),
    accumulated_change       numeric(15,2),
    gain_loss                numeric(15,2),
    reverses                 uuid,
    memo                     text,
    close_id                 uuid, -- of the close that has made it
    -- Entries of an obligation: their amounts sum to its liability. Its recognition and revisions say what they follow from.
    obligation_id            uuid,
    estimated_cost           numeric(15,2),
    settlement_on            date,
    discount_rate_pct        numeric(6,4),
    -- Work in progress is written down: what was spent on something that is not built after all is an expense.
    of_work_in_progress      boolean     NOT NULL DEFAULT false,
    -- What corrects a closed year in an open one: a disposal that is taken back, and what was found with its day of service.
    reinstates               uuid, -- the disposal
    useful_life_months       integer,
    added_life_months        integer,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    number_key      text        COLLATE "C" GENERATED ALWAYS AS (unique_key(number)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT transaction_to_class_id_fkey FOREIGN KEY (organization_id, to_class_id) REFERENCES class (organization_id, id),
    CONSTRAINT transaction_reverses_fkey FOREIGN KEY (organization_id, reverses) REFERENCES transaction (organization_id, id),
    CONSTRAINT transaction_from_class_id_fkey FOREIGN KEY (organization_id, from_class_id) REFERENCES class (organization_id, id)
);
SELECT isolate('transaction');
CREATE UNIQUE INDEX transaction_position ON transaction (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX transaction_external_id_key ON transaction (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX transaction_by_updated_at ON transaction (organization_id, updated_at, id);
CREATE UNIQUE INDEX transaction_number_key ON transaction (organization_id, number_key) WHERE number_key IS NOT NULL;
CREATE UNIQUE INDEX transaction_sequence ON transaction (organization_id, sequence) INCLUDE (id);
CREATE UNIQUE INDEX transaction_reverses ON transaction (organization_id, reverses) WHERE reverses IS NOT NULL;
CREATE INDEX transaction_asset ON transaction (organization_id, capital_asset_id, fiscal_year);
CREATE INDEX transaction_to_asset ON transaction (organization_id, to_capital_asset_id, fiscal_year) WHERE to_capital_asset_id IS NOT NULL;
CREATE INDEX transaction_to_class ON transaction (organization_id, to_class_id) WHERE to_class_id IS NOT NULL;
CREATE INDEX transaction_year ON transaction (organization_id, fiscal_year, sequence);
CREATE INDEX transaction_obligation ON transaction (organization_id, obligation_id) WHERE obligation_id IS NOT NULL;
-- A class that a capital asset has left is kept: rows of the schedule, entries and the journal name it.
CREATE INDEX transaction_from_class ON transaction (organization_id, from_class_id) WHERE from_class_id IS NOT NULL;
CREATE INDEX transaction_reinstates ON transaction (organization_id, reinstates) WHERE reinstates IS NOT NULL;
SELECT keep_terms('transaction', 'capital_asset_transactions');
-- +goose StatementBegin
DO $$ BEGIN -- an entry is never altered
    EXECUTE format('REVOKE UPDATE, DELETE ON transaction FROM %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- What an entry changes follows from the entries before it, of which more may come while its year is open. What it was when it was posted, it says
-- itself; what later entries have made of it stands here.
CREATE TABLE transaction_effect (
    organization_id    uuid          NOT NULL,
    transaction_id     uuid          NOT NULL,
    cost_change        numeric(15,2) NOT NULL,
    accumulated_change numeric(15,2) NOT NULL,
    gain_loss          numeric(15,2),
    layer              integer,
    PRIMARY KEY (organization_id, transaction_id),
    FOREIGN KEY (organization_id, transaction_id) REFERENCES transaction (organization_id, id)
);
SELECT isolate('transaction_effect');

-- The rows of the schedule: one for each capital asset and fiscal year, two where it went from one class to another. Of an open year only of
-- capital assets with entries in it, without what the end of the year charges.
CREATE TABLE capital_asset_year (
    organization_id  uuid          NOT NULL,
    fiscal_year      integer       NOT NULL,
    capital_asset_id uuid          NOT NULL,
    part             integer       NOT NULL, -- 1; 2 after it went to another class
    class_id         uuid          NOT NULL,
    service_category text          COLLATE "C",
    department       text          COLLATE "und-x-icu",
    posted           boolean       NOT NULL, -- it has entries in the year

    cost_opening               numeric(15,2) NOT NULL DEFAULT 0,
    cost_additions             numeric(15,2) NOT NULL DEFAULT 0,
    cost_contributed           numeric(15,2) NOT NULL DEFAULT 0,
    cost_betterments           numeric(15,2) NOT NULL DEFAULT 0,
    cost_retirement_costs      numeric(15,2) NOT NULL DEFAULT 0,
    cost_from_work_in_progress numeric(15,2) NOT NULL DEFAULT 0,
    cost_transfers             numeric(15,2) NOT NULL DEFAULT 0,
    cost_write_downs           numeric(15,2) NOT NULL DEFAULT 0,
    cost_disposals             numeric(15,2) NOT NULL DEFAULT 0,
    cost_adjustments           numeric(15,2) NOT NULL DEFAULT 0,
    cost_closing               numeric(15,2) NOT NULL DEFAULT 0,
    work_opening               numeric(15,2) NOT NULL DEFAULT 0,
    work_additions             numeric(15,2) NOT NULL DEFAULT 0,
    work_to_service            numeric(15,2) NOT NULL DEFAULT 0,
    work_closing               numeric(15,2) NOT NULL DEFAULT 0,
    accumulated_opening        numeric(15,2) NOT NULL DEFAULT 0,
    accumulated_amortization   numeric(15,2) NOT NULL DEFAULT 0, -- charged by entries of the year, such as disposals
    accumulated_disposals      numeric(15,2) NOT NULL DEFAULT 0,
    accumulated_transfers      numeric(15,2) NOT NULL DEFAULT 0,
    accumulated_adjustments    numeric(15,2) NOT NULL DEFAULT 0,
    accumulated_closing        numeric(15,2) NOT NULL DEFAULT 0,
    charge                     numeric(15,2) NOT NULL DEFAULT 0, -- of the end of the year
    removed                    numeric(15,2) NOT NULL DEFAULT 0, -- cost of a pool that left at the end of the year
    proceeds                   numeric(15,2) NOT NULL DEFAULT 0,
    gain_loss                  numeric(15,2) NOT NULL DEFAULT 0,

    last                  boolean       NOT NULL, -- of the parts, the one that the next year goes on from
    units_left            integer       NOT NULL DEFAULT 0, -- of the first layer
    open_units_left       integer       NOT NULL DEFAULT 0, -- while the year is open: before what it charges
    open_accumulated      numeric(15,2) NOT NULL DEFAULT 0, -- accumulated_closing while the year is open: before what it charges
    quantity              integer,
    life_years            integer       NOT NULL DEFAULT 0,
    residual_value        numeric(15,2) NOT NULL DEFAULT 0,
    in_service_on         date,
    disposed              boolean       NOT NULL DEFAULT false,
    work_write_downs      numeric(15,2) NOT NULL DEFAULT 0,
    gain_loss_adjustments numeric(15,2) NOT NULL DEFAULT 0,
    life_months           integer     NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, fiscal_year, capital_asset_id, part)
);
SELECT isolate('capital_asset_year');
CREATE INDEX capital_asset_year_asset ON capital_asset_year (organization_id, capital_asset_id, fiscal_year);

-- Costs that are amortized over the units that are left to them, as they are after the entries of the year and before what its end charges.
CREATE TABLE layer (
    organization_id  uuid          NOT NULL,
    fiscal_year      integer       NOT NULL,
    capital_asset_id uuid          NOT NULL,
    number           integer       NOT NULL,
    posted           boolean       NOT NULL, -- its capital asset has entries in the year
    cost             numeric(15,2) NOT NULL,
    accumulated      numeric(15,2) NOT NULL,
    residual         numeric(15,2) NOT NULL,
    units_left       integer       NOT NULL,
    units_due        integer       NOT NULL, -- that fall into the rest of the year
    charged          numeric(15,2) NOT NULL, -- in the year before that
    charge           numeric(15,2) NOT NULL, -- at the end of the year, once it is closed; 0 before
    obligation_id    uuid, -- whose cost it is
    PRIMARY KEY (organization_id, fiscal_year, capital_asset_id, number)
);
SELECT isolate('layer');
CREATE INDEX layer_asset ON layer (organization_id, capital_asset_id, fiscal_year);

-- Closes of fiscal years, as jobs.
CREATE TABLE close (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    fiscal_year     integer     NOT NULL,
    state           text        COLLATE "C" NOT NULL, -- queued, running, done, failed
    capital_assets  integer,
    problems        jsonb       NOT NULL DEFAULT '[]',
    ordered_by      jsonb       NOT NULL,
    ordered_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    finished_at     timestamptz,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('close');
CREATE INDEX close_year ON close (organization_id, fiscal_year, ordered_at);
CREATE INDEX close_due ON close (ordered_at) WHERE state IN ('queued', 'running');

-- closes_due gives what is to be closed, the oldest first.
-- +goose StatementBegin
CREATE FUNCTION closes_due() RETURNS TABLE (organization_id uuid, id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT c.organization_id, c.id FROM close c WHERE c.state IN ('queued', 'running') ORDER BY c.ordered_at LIMIT 100
$$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$ BEGIN
    REVOKE ALL ON FUNCTION closes_due() FROM PUBLIC;
    EXECUTE format('GRANT EXECUTE ON FUNCTION closes_due() TO %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- charge is what u of the n units that are left of a layer take of what is not amortized of it, rounded half away from zero to the cent; the
-- last of them take all of it. The division is one of whole numbers: that of numeric has digits enough for no tie.
-- +goose StatementBegin
CREATE FUNCTION charge(cost numeric, accumulated numeric, residual numeric, units_due integer, units_left integer) RETURNS numeric
    LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN least(units_due, units_left) <= 0 THEN 0::numeric WHEN units_due >= units_left THEN cost - accumulated - residual
        ELSE div(200 * (cost - accumulated - residual) * units_due + units_left, 2 * units_left) * 0.01 END
$$;
-- +goose StatementEnd

-- new_id gives a UUID of version 7, as our programs make them: a version 4 whose first 48 bits are the time, and whose version says so.
-- +goose StatementBegin
CREATE FUNCTION new_id() RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;
-- +goose StatementEnd

-- Obligations to retire capital assets: what will have to be paid one day, discounted, and what that adds to their cost.
CREATE TABLE retirement_obligation (
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

    name              text          COLLATE "und-x-icu" NOT NULL,
    capital_asset_id  uuid          NOT NULL,
    kind              text          COLLATE "C" NOT NULL,
    estimated_cost    numeric(15,2) NOT NULL,
    recognized_on     date          NOT NULL,
    settlement_on     date          NOT NULL,
    discount_rate_pct numeric(6,4)  NOT NULL,
    opening           boolean       NOT NULL,
    notes             text,
    state             text          COLLATE "C" NOT NULL,
    settled_on        date,
    paid              numeric(15,2),
    liability         numeric(15,2) NOT NULL, -- when it was recognized

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT retirement_obligation_capital_asset_id_fkey FOREIGN KEY (organization_id, capital_asset_id) REFERENCES capital_asset (organization_id, id)
);
SELECT isolate('retirement_obligation');
CREATE UNIQUE INDEX retirement_obligation_position ON retirement_obligation (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX retirement_obligation_external_id_key ON retirement_obligation (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE INDEX retirement_obligation_by_updated_at ON retirement_obligation (organization_id, updated_at, id);
CREATE INDEX retirement_obligation_capital_asset ON retirement_obligation (organization_id, capital_asset_id);
SELECT keep_terms('retirement_obligation', 'retirement_obligations');
SELECT keep_custom_fields('retirement_obligation', 'retirement_obligations');

-- months_between counts the whole months from one day to a later one.
-- +goose StatementBegin
CREATE FUNCTION months_between(first date, until date) RETURNS integer
    LANGUAGE sql IMMUTABLE AS $$
    SELECT (12 * (extract(year FROM until) - extract(year FROM first)) + extract(month FROM until) - extract(month FROM first))::integer
        - CASE WHEN extract(day FROM until) < extract(day FROM first) THEN 1 ELSE 0 END
$$;
-- +goose StatementEnd

-- growth is (1 + rate ÷ 100)^(months ÷ 12), with forty decimals: an amount has fifteen digits.
-- +goose StatementBegin
CREATE FUNCTION growth(rate_pct numeric, months integer) RETURNS numeric
    LANGUAGE sql IMMUTABLE AS $$
    SELECT power((1 + rate_pct / 100)::numeric(50,40), months::numeric(50,40) / 12)
$$;
-- +goose StatementEnd

-- present_value is what settles an obligation on a day, discounted to an earlier one, to the cent.
-- +goose StatementBegin
CREATE FUNCTION present_value(estimated_cost numeric, rate_pct numeric, on_day date, settlement_on date) RETURNS numeric
    LANGUAGE sql IMMUTABLE AS $$
    SELECT round(estimated_cost / growth(rate_pct, months_between(on_day, settlement_on)), 2)
$$;
-- +goose StatementEnd

-- accretion is by how much a liability grows from a day to another, by whole months since it was recognized or revised. It has become the
-- estimated cost on the day of the settlement, and grows no more.
-- +goose StatementBegin
CREATE FUNCTION accretion(liability numeric, estimated_cost numeric, rate_pct numeric, since date, settlement_on date, first date, until date) RETURNS numeric
    LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN m.before = m.total THEN 0 WHEN m.after = m.total THEN estimated_cost - liability ELSE round(liability * (growth(rate_pct, m.after - m.before) - 1), 2) END
    FROM (SELECT t.total, least(months_between(since, greatest(since, first)), t.total) AS before, least(months_between(since, until), t.total) AS after
        FROM (SELECT months_between(since, settlement_on) AS total) t) m
$$;
-- +goose StatementEnd

-- A capital asset all of whose entries are reversed is a draft again: it can be deleted, and go to another class. Its entries stay, and the journal names
-- them by what it was when they were posted. The service holds a capital asset that it posts to; foreign keys are not needed for that.
CREATE TABLE former_draft (
    organization_id  uuid    NOT NULL,
    capital_asset_id uuid    NOT NULL,
    sequence         bigint  NOT NULL, -- of the last entry that this counts for
    class_id         uuid    NOT NULL,
    number           text    COLLATE "C",
    name             text    COLLATE "und-x-icu" NOT NULL,
    deleted          boolean NOT NULL,
    PRIMARY KEY (organization_id, capital_asset_id, sequence),
    CONSTRAINT former_draft_class_id_fkey FOREIGN KEY (organization_id, class_id) REFERENCES class (organization_id, id)
);
SELECT isolate('former_draft');
CREATE INDEX former_draft_class ON former_draft (organization_id, class_id);

-- What a reinstatement brings back of each layer, as it would be on the first day of its year.
CREATE TABLE reinstated_layer (
    organization_id uuid          NOT NULL,
    transaction_id  uuid          NOT NULL,
    number          integer       NOT NULL,
    cost            numeric(15,2) NOT NULL,
    accumulated     numeric(15,2) NOT NULL,
    residual        numeric(15,2) NOT NULL,
    units_left      integer       NOT NULL,
    obligation_id   uuid,
    PRIMARY KEY (organization_id, transaction_id, number),
    FOREIGN KEY (organization_id, transaction_id) REFERENCES transaction (organization_id, id)
);
SELECT isolate('reinstated_layer');
-- +goose StatementBegin
DO $$ BEGIN -- it is a part of the entry, which is never altered
    EXECUTE format('REVOKE UPDATE, DELETE ON reinstated_layer FROM %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- fix_years is the trigger of rows that have a fiscal year, or an entry that has one.
-- +goose StatementBegin
CREATE FUNCTION fix_years() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    fixed boolean;
BEGIN
    IF current_user <> 'ams_' || current_schema() THEN
        RETURN NULL; -- the owner moves organizations, and empties sandboxes
    END IF;
    IF TG_TABLE_NAME = 'transaction_effect' THEN
        SELECT EXISTS (SELECT FROM changed c JOIN transaction t ON t.organization_id = c.organization_id AND t.id = c.transaction_id
            JOIN fiscal_year f ON f.organization_id = t.organization_id AND f.fiscal_year = t.fiscal_year
            WHERE f.state = 'closed' AND EXISTS (SELECT FROM fiscal_year l
                WHERE l.organization_id = f.organization_id AND l.state = 'closed' AND l.fiscal_year > f.fiscal_year)) INTO fixed;
    ELSE
        SELECT EXISTS (SELECT FROM changed c JOIN fiscal_year f ON f.organization_id = c.organization_id AND f.fiscal_year = c.fiscal_year
            WHERE f.state = 'closed' AND EXISTS (SELECT FROM fiscal_year l
                WHERE l.organization_id = f.organization_id AND l.state = 'closed' AND l.fiscal_year > f.fiscal_year)) INTO fixed;
    END IF;
    IF fixed THEN
        RAISE EXCEPTION 'the figures of a closed fiscal year are fixed (%)', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$
DECLARE
    tbl text;
BEGIN
    FOREACH tbl IN ARRAY ARRAY['capital_asset_year', 'layer', 'transaction_effect'] LOOP
        EXECUTE format('CREATE TRIGGER years_of_inserted AFTER INSERT ON %I REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION fix_years()', tbl);
        EXECUTE format('CREATE TRIGGER years_of_updated AFTER UPDATE ON %I REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION fix_years()', tbl);
        EXECUTE format('CREATE TRIGGER years_of_deleted AFTER DELETE ON %I REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION fix_years()', tbl);
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION fix_closes() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF current_user = 'ams_' || current_schema() THEN
        RAISE EXCEPTION 'a close that has ended stays as it is' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN coalesce(NEW, OLD);
END $$;
-- +goose StatementEnd
CREATE TRIGGER ended_closes BEFORE UPDATE OR DELETE ON close FOR EACH ROW WHEN (OLD.state IN ('done', 'failed')) EXECUTE FUNCTION fix_closes();
