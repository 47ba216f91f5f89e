-- Sites and the buildings on them.
--
-- <field>_key columns hold what a unique value is compared by. They are columns, not index expressions, because under
-- row-level security only leakproof operators may use an index, and the functions inside unique_key are not leakproof.

-- +goose Up

CREATE TABLE site (
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

    name                 text        COLLATE "und-x-icu" NOT NULL,
    code                 text        COLLATE "C",
    site_type            text        COLLATE "C",
    status               text        COLLATE "C" NOT NULL,
    description          text,
    notes                text,
    address_line1        text,
    address_line2        text,
    city                 text        COLLATE "und-x-icu",
    province             text        COLLATE "C",
    postal_code          text        COLLATE "C",
    country              text        COLLATE "C" NOT NULL,
    latitude             double precision,
    longitude            double precision,
    land_area_m2         double precision,
    ownership            text        COLLATE "C",
    ward                 text        COLLATE "C",
    manager_user_id      uuid,
    -- What drives the condition and the costs of an asset, since when things no longer stand, and which service they help to provide.
    out_of_use_on        date,
    service_category     text        COLLATE "C",
    -- deficiency_years are 0 and the action years of the record's live deficiencies that count, in their order; NULL where the record has no
    -- deficiency that is not void. deficiency_costs are what those cost whose action year is none or at most that of the same place,
    -- deficiency_unpriced how many of them nobody knows the cost of, NULL where there is none. deficiency_cost_year is the year of whose prices all of these costs are,
    -- 0 where they are of several; NULL without a cost. What these columns mean in SQL is written in package deficiencies.
    deficiency_years     integer[],
    deficiency_costs     numeric[],
    deficiency_unpriced  integer[],
    deficiency_cost_year integer,

    external_id_key text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key        text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT site_longitude_check CHECK ((latitude IS NULL) = (longitude IS NULL))
);
SELECT isolate('site');
CREATE UNIQUE INDEX site_position ON site (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX site_external_id_key ON site (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- Partial, though no name is NULL: columns of a full unique index count as a key, and a change of a key locks out every
-- row that is just being put onto the site.
CREATE UNIQUE INDEX site_name_key ON site (organization_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX site_code_key ON site (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX site_by_name ON site (organization_id, name COLLATE "natural", id);
CREATE INDEX site_by_updated_at ON site (organization_id, updated_at, id);
SELECT keep_terms('site', 'sites');
SELECT keep_custom_fields('site', 'sites');

CREATE TABLE building (
    organization_id            uuid        NOT NULL,
    id                         uuid        NOT NULL,
    position                   bigint      NOT NULL,
    external_id                text        COLLATE "C",
    custom_fields              jsonb       NOT NULL DEFAULT '{}',
    tags                       jsonb       NOT NULL DEFAULT '[]',
    version                    integer     NOT NULL DEFAULT 1,
    created_at                 timestamptz NOT NULL,
    updated_at                 timestamptz NOT NULL,
    created_by                 jsonb       NOT NULL,
    updated_by                 jsonb       NOT NULL,

    site_id                    uuid        NOT NULL,
    name                       text        COLLATE "und-x-icu" NOT NULL,
    code                       text        COLLATE "C",
    building_type              text        COLLATE "C",
    status                     text        COLLATE "C" NOT NULL,
    description                text,
    notes                      text,
    year_built                 integer,
    year_renovated             integer,
    gross_floor_area_m2        double precision,
    floors_above_grade         integer,
    floors_below_grade         integer,
    capacity                   integer,
    address_line1              text,
    address_line2              text,
    city                       text        COLLATE "und-x-icu",
    province                   text        COLLATE "C",
    postal_code                text        COLLATE "C",
    country                    text        COLLATE "C",
    latitude                   double precision,
    longitude                  double precision,
    heritage_designated        boolean     NOT NULL,
    accessible                 boolean,
    ownership                  text        COLLATE "C",
    replacement_cost           numeric(15,2),
    replacement_cost_year      integer,
    expected_useful_life_years integer,
    criticality                text        COLLATE "C",
    out_of_use_on              date,
    service_category           text        COLLATE "C",
    deficiency_years           integer[],
    deficiency_costs           numeric[],
    deficiency_unpriced        integer[],
    deficiency_cost_year       integer,

    external_id_key            text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key                   text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key                   text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT building_site_id_fkey FOREIGN KEY (organization_id, site_id) REFERENCES site (organization_id, id),
    CONSTRAINT building_year_renovated_check CHECK (year_renovated >= year_built),
    CONSTRAINT building_longitude_check CHECK ((latitude IS NULL) = (longitude IS NULL))
);
SELECT isolate('building');
CREATE UNIQUE INDEX building_position ON building (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX building_external_id_key ON building (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- Partial for the same reason: a building must be able to move while assets are put into it.
CREATE UNIQUE INDEX building_name_key ON building (organization_id, site_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX building_code_key ON building (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX building_by_name ON building (organization_id, name COLLATE "natural", id);
CREATE INDEX building_by_updated_at ON building (organization_id, updated_at, id);
SELECT keep_terms('building', 'buildings');
SELECT keep_custom_fields('building', 'buildings');

-- A building's or a site's systems: its roof, its heating, its plumbing.
CREATE TABLE system (
    organization_id            uuid        NOT NULL,
    id                         uuid        NOT NULL,
    position                   bigint      NOT NULL,
    external_id                text        COLLATE "C",
    custom_fields              jsonb       NOT NULL DEFAULT '{}',
    tags                       jsonb       NOT NULL DEFAULT '[]',
    version                    integer     NOT NULL DEFAULT 1,
    created_at                 timestamptz NOT NULL,
    updated_at                 timestamptz NOT NULL,
    created_by                 jsonb       NOT NULL,
    updated_by                 jsonb       NOT NULL,

    name                            text        COLLATE "und-x-icu" NOT NULL,
    building_id                     uuid,
    site_id                         uuid,
    code                            text        COLLATE "C",
    uniformat_code                  text        COLLATE "C",
    category                        text        COLLATE "C",
    status                          text        COLLATE "C" NOT NULL,
    description                     text,
    notes                           text,
    install_date                    date,
    install_year                    integer,
    expected_useful_life_years      integer,
    replacement_cost                numeric(15,2),
    replacement_cost_year           integer,
    deferred_maintenance_cost       numeric(15,2),
    planned_renewal_year            integer,
    condition_rating                integer,
    out_of_use_on                   date,
    deficiency_years                integer[],
    deficiency_costs                numeric[],
    deficiency_unpriced             integer[],
    deficiency_cost_year            integer,
    -- What was typed, while deferred_maintenance_cost follows from deficiencies. An asset's follows from its statements.
    typed_deferred_maintenance_cost numeric(15,2),

    external_id_key            text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key                   text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key                   text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT system_site_id_fkey FOREIGN KEY (organization_id, site_id) REFERENCES site (organization_id, id),
    CONSTRAINT system_building_id_fkey FOREIGN KEY (organization_id, building_id) REFERENCES building (organization_id, id),
    CONSTRAINT system_site_id_check CHECK (building_id IS NULL OR site_id IS NOT NULL)
);
SELECT isolate('system');
CREATE UNIQUE INDEX system_position ON system (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX system_external_id_key ON system (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- Unique within the building, else within the site, else within the organization.
CREATE UNIQUE INDEX system_name_key ON system (organization_id, coalesce(building_id, site_id, organization_id), name_key);
CREATE UNIQUE INDEX system_code_key ON system (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX system_site ON system (organization_id, site_id) WHERE site_id IS NOT NULL;
CREATE INDEX system_building ON system (organization_id, building_id) WHERE building_id IS NOT NULL;
CREATE INDEX system_by_name ON system (organization_id, name COLLATE "natural", id);
CREATE INDEX system_by_updated_at ON system (organization_id, updated_at, id);
SELECT keep_terms('system', 'systems');
SELECT keep_custom_fields('system', 'systems');

-- Assets and the assessments of their condition.
CREATE TABLE asset (
    organization_id            uuid        NOT NULL,
    id                         uuid        NOT NULL,
    position                   bigint      NOT NULL,
    external_id                text        COLLATE "C",
    custom_fields              jsonb       NOT NULL DEFAULT '{}',
    tags                       jsonb       NOT NULL DEFAULT '[]',
    version                    integer     NOT NULL DEFAULT 1,
    created_at                 timestamptz NOT NULL,
    updated_at                 timestamptz NOT NULL,
    created_by                 jsonb       NOT NULL,
    updated_by                 jsonb       NOT NULL,

    name                           text        COLLATE "und-x-icu" NOT NULL,
    asset_tag                      text        COLLATE "C",
    barcode                        text        COLLATE "C",
    serial_number                  text        COLLATE "C",
    description                    text,
    notes                          text,
    category                       text        COLLATE "C",
    uniformat_code                 text        COLLATE "C",
    site_id                        uuid,
    building_id                    uuid,
    system_id                      uuid,
    parent_asset_id                uuid,
    location                       text,
    status                         text        COLLATE "C" NOT NULL,
    manufacturer                   text        COLLATE "und-x-icu",
    model                          text        COLLATE "und-x-icu",
    quantity                       double precision,
    unit                           text,
    install_date                   date,
    install_year                   integer,
    expected_useful_life_years     integer,
    warranty_expires_on            date,
    replacement_cost               numeric(15,2),
    replacement_cost_year          integer,
    deferred_maintenance_cost      numeric(15,2),
    planned_renewal_year           integer,
    acquisition_cost               numeric(15,2),
    acquisition_date               date,
    residual_value                 numeric(15,2),
    amortization_method            text        COLLATE "C" NOT NULL,
    disposed_on                    date,
    disposal_proceeds              numeric(15,2),
    condition_rating               integer,
    condition_assessed_on          date,
    probability_of_failure         integer,
    consequence_of_failure         integer,
    responsible_user_id            uuid,
    meter_reading                  double precision,
    meter_unit                     text,
    out_of_use_on                  date,
    service_category               text        COLLATE "C",
    condition_method               text        COLLATE "C",
    condition_source_id            uuid, -- the assessment that drives condition_rating; what is reported on the asset is one as well
    reported_condition_rating      integer,
    replacement_cost_as_of         date, -- of the statement that drives replacement_cost
    deferred_maintenance_as_of     date, -- of the statement that drives deferred_maintenance_cost
    -- What was last said of costs on the asset itself, which assessments may outweigh. Null with a day: not known since.
    own_replacement_cost           numeric(15,2),
    own_replacement_cost_year      integer,
    own_replacement_cost_as_of     date,
    own_deferred_maintenance_cost  numeric(15,2),
    own_deferred_maintenance_as_of date,
    deficiency_years               integer[],
    deficiency_costs               numeric[],
    deficiency_unpriced            integer[],
    deficiency_cost_year           integer,

    -- Stored, so that the riskiest are found by an index. The rule is figures.RiskScore; a test holds the two together.
    risk_score                 integer     GENERATED ALWAYS AS (coalesce(probability_of_failure, condition_rating) * consequence_of_failure) STORED,
    external_id_key            text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    asset_tag_key              text        COLLATE "C" GENERATED ALWAYS AS (unique_key(asset_tag)) STORED,
    barcode_key                text        COLLATE "C" GENERATED ALWAYS AS (unique_key(barcode)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT asset_site_id_fkey FOREIGN KEY (organization_id, site_id) REFERENCES site (organization_id, id),
    CONSTRAINT asset_building_id_fkey FOREIGN KEY (organization_id, building_id) REFERENCES building (organization_id, id),
    CONSTRAINT asset_system_id_fkey FOREIGN KEY (organization_id, system_id) REFERENCES system (organization_id, id),
    CONSTRAINT asset_parent_asset_id_fkey FOREIGN KEY (organization_id, parent_asset_id) REFERENCES asset (organization_id, id),
    CONSTRAINT asset_parent_asset_id_check CHECK (parent_asset_id <> id),
    CONSTRAINT asset_site_id_check CHECK (building_id IS NULL OR site_id IS NOT NULL),
    CONSTRAINT asset_disposed_on_check CHECK (status <> 'disposed' OR disposed_on IS NOT NULL)
-- Every page has room for the new rows of some updates, so that these stay beside what they replace. A fiftieth of the table, not a fifth, may be
-- dead: of a hundred million rows a fifth takes a VACUUM of hours.
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02);
SELECT isolate('asset');
-- Each index is paid for by every insert, so: what is often empty is left out where it is empty, lists filtered by one
-- value come in the list's own order, and what only leakproof operators could not use (money, text search) has none.
CREATE UNIQUE INDEX asset_position ON asset (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX asset_external_id_key ON asset (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX asset_asset_tag_key ON asset (organization_id, asset_tag_key) WHERE asset_tag_key IS NOT NULL;
CREATE UNIQUE INDEX asset_barcode_key ON asset (organization_id, barcode_key) WHERE barcode_key IS NOT NULL;
CREATE INDEX asset_serial_number ON asset (organization_id, serial_number) WHERE serial_number IS NOT NULL;
CREATE INDEX asset_site ON asset (organization_id, site_id, position) WHERE site_id IS NOT NULL;
CREATE INDEX asset_building ON asset (organization_id, building_id, position) WHERE building_id IS NOT NULL;
CREATE INDEX asset_system ON asset (organization_id, system_id, position) WHERE system_id IS NOT NULL;
CREATE INDEX asset_parent ON asset (organization_id, parent_asset_id) WHERE parent_asset_id IS NOT NULL;
CREATE INDEX asset_uniformat_code ON asset (organization_id, uniformat_code) WHERE uniformat_code IS NOT NULL;
CREATE INDEX asset_warranty_expires_on ON asset (organization_id, warranty_expires_on) WHERE warranty_expires_on IS NOT NULL;
CREATE INDEX asset_responsible_user ON asset (organization_id, responsible_user_id) WHERE responsible_user_id IS NOT NULL;
CREATE INDEX asset_by_name ON asset (organization_id, name COLLATE "natural", id);
CREATE INDEX asset_by_updated_at ON asset (organization_id, updated_at, id);
-- Summaries look years up in every row: without a short header they are read where they stand.
ALTER TABLE asset ALTER COLUMN deficiency_years SET STORAGE PLAIN;
CREATE INDEX asset_cost_years ON asset (organization_id) WHERE deficiency_cost_year = 0;
-- Lists have the years as facets; who looks for what is due reads one of them.
CREATE INDEX asset_renewal ON asset (organization_id, planned_renewal_year) WHERE planned_renewal_year IS NOT NULL;
SELECT keep_terms('asset', 'assets');
SELECT keep_custom_fields('asset', 'assets');

CREATE TABLE condition_assessment (
    organization_id           uuid        NOT NULL,
    id                        uuid        NOT NULL,
    position                  bigint      NOT NULL,
    external_id               text        COLLATE "C",
    custom_fields             jsonb       NOT NULL DEFAULT '{}',
    tags                      jsonb       NOT NULL DEFAULT '[]',
    version                   integer     NOT NULL DEFAULT 1,
    created_at                timestamptz NOT NULL,
    updated_at                timestamptz NOT NULL,
    created_by                jsonb       NOT NULL,
    updated_by                jsonb       NOT NULL,

    asset_id                  uuid        NOT NULL,
    assessed_on               date        NOT NULL,
    condition_rating          integer,
    index_type                text        COLLATE "C",
    index_value               double precision,
    method                    text        COLLATE "C",
    assessor                  text        COLLATE "und-x-icu",
    replacement_cost          numeric(15,2),
    deferred_maintenance_cost numeric(15,2),
    defects                   jsonb       NOT NULL DEFAULT '[]',
    notes                     text,

    external_id_key           text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    -- An asset's assessments are part of it and go with it.
    CONSTRAINT condition_assessment_asset_id_fkey FOREIGN KEY (organization_id, asset_id) REFERENCES asset (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('condition_assessment');
CREATE UNIQUE INDEX condition_assessment_position ON condition_assessment (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX condition_assessment_external_id_key ON condition_assessment (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- The latest of an asset is one step into this index.
CREATE INDEX condition_assessment_latest ON condition_assessment (organization_id, asset_id, assessed_on DESC, position DESC);

-- The costs of a new asset were said on the asset itself.
-- +goose StatementBegin
CREATE FUNCTION keep_own_costs() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    NEW.own_replacement_cost := NEW.replacement_cost;
    NEW.own_replacement_cost_year := NEW.replacement_cost_year;
    NEW.own_replacement_cost_as_of := NEW.replacement_cost_as_of;
    NEW.own_deferred_maintenance_cost := NEW.deferred_maintenance_cost;
    NEW.own_deferred_maintenance_as_of := NEW.deferred_maintenance_as_of;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER own_costs_of_inserted BEFORE INSERT ON asset FOR EACH ROW EXECUTE FUNCTION keep_own_costs();

-- Price indexes, by which costs of different years are brought to the prices of one year.
CREATE TABLE price_index (
    organization_id    uuid        NOT NULL,
    id                 uuid        NOT NULL,
    position           bigint      NOT NULL,
    external_id        text        COLLATE "C",
    custom_fields      jsonb       NOT NULL DEFAULT '{}',
    tags               jsonb       NOT NULL DEFAULT '[]',
    version            integer     NOT NULL DEFAULT 1,
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL,
    created_by         jsonb       NOT NULL,
    updated_by         jsonb       NOT NULL,

    name               text        COLLATE "und-x-icu" NOT NULL,
    code               text        COLLATE "C",
    source             text,
    service_categories jsonb       NOT NULL DEFAULT '[]',
    is_default         boolean     NOT NULL DEFAULT false,

    external_id_key    text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key           text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key           text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('price_index');
CREATE UNIQUE INDEX price_index_position ON price_index (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX price_index_external_id_key ON price_index (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- Partial, though no name is NULL: columns of a full unique index count as a key, and a change of a key would wait for every value that is
-- just being put into the index.
CREATE UNIQUE INDEX price_index_name_key ON price_index (organization_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX price_index_code_key ON price_index (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX price_index_by_updated_at ON price_index (organization_id, updated_at, id);
SELECT keep_terms('price_index', 'price_indexes');
SELECT keep_custom_fields('price_index', 'price_indexes');

-- What follows is part of an index and goes with it.
CREATE TABLE price_index_value (
    organization_id uuid          NOT NULL,
    id              uuid          NOT NULL,
    position        bigint        NOT NULL,
    external_id     text          COLLATE "C",
    custom_fields   jsonb         NOT NULL DEFAULT '{}',
    tags            jsonb         NOT NULL DEFAULT '[]',
    version         integer       NOT NULL DEFAULT 1,
    created_at      timestamptz   NOT NULL,
    updated_at      timestamptz   NOT NULL,
    created_by      jsonb         NOT NULL,
    updated_by      jsonb         NOT NULL,

    price_index_id  uuid          NOT NULL,
    year            integer       NOT NULL,
    value           numeric(12,4) NOT NULL,

    external_id_key text          COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    year_key        text          COLLATE "C" GENERATED ALWAYS AS (year::text) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT price_index_value_price_index_id_fkey FOREIGN KEY (organization_id, price_index_id) REFERENCES price_index (organization_id, id) ON DELETE CASCADE,
    CONSTRAINT price_index_value_value_check CHECK (value > 0)
);
SELECT isolate('price_index_value');
CREATE UNIQUE INDEX price_index_value_position ON price_index_value (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX price_index_value_external_id_key ON price_index_value (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX price_index_value_year_key ON price_index_value (organization_id, price_index_id, year_key);

-- Costs that had been set on assets themselves, each with when it was followed by another one. What is shown of an asset, which the history
-- has, may come from an assessment that was found to be wrong; this is what people said of the asset itself. The trigger of the table keeps
-- it, so that no way of writing is forgotten.
CREATE TABLE former_own_cost (
    organization_id                uuid          NOT NULL,
    asset_id                       uuid          NOT NULL,
    id                             bigint        GENERATED ALWAYS AS IDENTITY,
    until                          timestamptz   NOT NULL,
    own_replacement_cost           numeric(15,2),
    own_replacement_cost_year      integer,
    own_replacement_cost_as_of     date,
    own_deferred_maintenance_cost  numeric(15,2),
    own_deferred_maintenance_as_of date,
    PRIMARY KEY (organization_id, asset_id, id),
    CONSTRAINT former_own_cost_asset_id_fkey FOREIGN KEY (organization_id, asset_id) REFERENCES asset (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('former_own_cost');
CREATE INDEX former_own_cost_until ON former_own_cost (organization_id, until);

-- +goose StatementBegin
CREATE FUNCTION keep_own_cost() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO former_own_cost (organization_id, asset_id, until, own_replacement_cost, own_replacement_cost_year, own_replacement_cost_as_of,
        own_deferred_maintenance_cost, own_deferred_maintenance_as_of)
    VALUES (OLD.organization_id, OLD.id, clock_timestamp(), OLD.own_replacement_cost, OLD.own_replacement_cost_year,
        OLD.own_replacement_cost_as_of, OLD.own_deferred_maintenance_cost, OLD.own_deferred_maintenance_as_of);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER asset_own_cost AFTER UPDATE ON asset
    FOR EACH ROW WHEN (
        (OLD.own_replacement_cost, OLD.own_replacement_cost_year, OLD.own_replacement_cost_as_of,
            OLD.own_deferred_maintenance_cost, OLD.own_deferred_maintenance_as_of)
        IS DISTINCT FROM
        (NEW.own_replacement_cost, NEW.own_replacement_cost_year, NEW.own_replacement_cost_as_of,
            NEW.own_deferred_maintenance_cost, NEW.own_deferred_maintenance_as_of)) EXECUTE FUNCTION keep_own_cost();

-- The figures of a month's end as they were reported: written once, never changed, and kept when their subject is gone.
CREATE TABLE figures_month (
    organization_id           uuid    NOT NULL,
    subject                   text    COLLATE "C" NOT NULL, -- organization, site, building, category, service_category
    subject_of                text    COLLATE "C" NOT NULL, -- id or key; empty of the organization and of what has no key
    month_end                 date    NOT NULL,
    frozen                    boolean NOT NULL,
    counts                    bigint[] NOT NULL,  -- sites, buildings, systems, assets, left out
    replacement_cost          numeric NOT NULL,
    deferred_maintenance_cost numeric NOT NULL,
    need                      numeric[] NOT NULL, -- at horizons of 0, 1, 2, 5 and 10 years
    fci_pct                   numeric[] NOT NULL, -- at the same
    average_age_years         numeric,
    weighted_age_years        numeric,
    average_condition_rating  numeric,
    weighted_condition_rating numeric,
    rated                     bigint[] NOT NULL,  -- by rating 1 to 5, and without one
    rated_value               numeric[] NOT NULL, -- their replacement costs
    risk_value                numeric[] NOT NULL, -- replacement costs by risk level, very_low to very_high, and without one
    pct_past_useful_life      numeric,
    pct_high_risk             numeric,
    PRIMARY KEY (organization_id, subject, subject_of, month_end)
);
SELECT isolate('figures_month');
-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE format('REVOKE UPDATE, DELETE ON figures_month FROM %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- Deficiencies: what was found wrong with sites, buildings, systems and assets, what mending it would cost, and what became of it.
CREATE TABLE deficiency (
    organization_id    uuid        NOT NULL,
    id                 uuid        NOT NULL,
    position           bigint      NOT NULL,
    external_id        text        COLLATE "C",
    custom_fields      jsonb       NOT NULL DEFAULT '{}',
    tags               jsonb       NOT NULL DEFAULT '[]',
    version            integer     NOT NULL DEFAULT 1,
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL,
    created_by         jsonb       NOT NULL,
    updated_by         jsonb       NOT NULL,

    site_id            uuid,
    building_id        uuid,
    system_id          uuid,
    asset_id           uuid,
    title              text        COLLATE "und-x-icu" NOT NULL,
    number             text        COLLATE "C",
    status             text        COLLATE "C" NOT NULL,
    uniformat_code     text        COLLATE "C",
    category           text        COLLATE "C" NOT NULL,
    priority           text        COLLATE "C",
    quantity           double precision,
    unit               text,
    estimated_cost     numeric(15,2),
    cost_class         text        COLLATE "C",
    cost_year          integer,
    action_year        integer,
    source             text        COLLATE "C" NOT NULL,
    source_id          uuid,
    found_on           date        NOT NULL,
    corrected_on       date,
    actual_cost        numeric(15,2),
    waive_reason       text,
    work_order_id      uuid,
    project_id         uuid,

    -- The rule is deficiencies.CountsAsDeferred; a test holds the two together.
    counts_as_deferred boolean     NOT NULL GENERATED ALWAYS AS (status IN ('open', 'planned', 'in_work')
        AND category IN ('deferred_maintenance', 'life_safety', 'code', 'environmental')) STORED,
    external_id_key    text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    number_key         text        COLLATE "C" GENERATED ALWAYS AS (unique_key(number)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT deficiency_site_id_fkey FOREIGN KEY (organization_id, site_id) REFERENCES site (organization_id, id),
    CONSTRAINT deficiency_building_id_fkey FOREIGN KEY (organization_id, building_id) REFERENCES building (organization_id, id),
    CONSTRAINT deficiency_system_id_fkey FOREIGN KEY (organization_id, system_id) REFERENCES system (organization_id, id),
    CONSTRAINT deficiency_asset_id_fkey FOREIGN KEY (organization_id, asset_id) REFERENCES asset (organization_id, id),
    CONSTRAINT deficiency_asset_id_check CHECK (num_nonnulls(site_id, building_id, system_id, asset_id) = 1)
);
SELECT isolate('deficiency');
CREATE UNIQUE INDEX deficiency_position ON deficiency (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX deficiency_external_id_key ON deficiency (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX deficiency_number_key ON deficiency (organization_id, number_key) WHERE number_key IS NOT NULL;
CREATE INDEX deficiency_site ON deficiency (organization_id, site_id) WHERE site_id IS NOT NULL;
CREATE INDEX deficiency_building ON deficiency (organization_id, building_id) WHERE building_id IS NOT NULL;
CREATE INDEX deficiency_system ON deficiency (organization_id, system_id) WHERE system_id IS NOT NULL;
CREATE INDEX deficiency_asset ON deficiency (organization_id, asset_id) WHERE asset_id IS NOT NULL;
CREATE INDEX deficiency_work_order ON deficiency (organization_id, work_order_id) WHERE work_order_id IS NOT NULL;
CREATE INDEX deficiency_project ON deficiency (organization_id, project_id) WHERE project_id IS NOT NULL;
CREATE INDEX deficiency_by_updated_at ON deficiency (organization_id, updated_at, id);
SELECT keep_terms('deficiency', 'deficiencies');
SELECT keep_custom_fields('deficiency', 'deficiencies');

-- add_up_deficiencies adds up the deficiencies of records of a kind (site, building, system, asset), and sets what of assets and systems
-- follows from them. Whoever writes other deficiencies of one of these records waits, so that all are added up. The records have no new
-- version for it: a deficiency has its own, and the history of a record says what was typed on it, which the figures of past days read.
-- +goose StatementBegin
CREATE FUNCTION add_up_deficiencies(kind text, organization uuid, records uuid[]) RETURNS void
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    this_year integer := extract(year FROM coalesce(nullif(current_setting('ams.today', true), '')::date, CURRENT_DATE));
    joined    text := '';
    also      text := '';
    shown     text := '';
BEGIN
    IF records IS NULL THEN
        RETURN;
    END IF;
    IF kind = 'system' THEN
        also := $also$,
            typed_deferred_maintenance_cost = CASE WHEN t.deficiency_years IS NULL THEN t.deferred_maintenance_cost
                ELSE t.typed_deferred_maintenance_cost END,
            deferred_maintenance_cost = CASE WHEN n.years IS NOT NULL THEN n.costs[width_bucket($3, n.years)]
                WHEN t.deficiency_years IS NULL THEN t.deferred_maintenance_cost ELSE t.typed_deferred_maintenance_cost END$also$;
    ELSIF kind = 'asset' THEN
        -- Without deficiencies it is again what statements say: the rule is indicators.DrivingCost.
        joined := $joined$
            LEFT JOIN LATERAL (SELECT e.cost, e.stated_on FROM (
                    SELECT c.deferred_maintenance_cost AS cost, c.assessed_on AS stated_on, false AS own, c.position FROM condition_assessment c
                    WHERE c.organization_id = $1 AND c.asset_id = r.id AND c.deferred_maintenance_cost IS NOT NULL
                    UNION ALL
                    SELECT a.own_deferred_maintenance_cost, a.own_deferred_maintenance_as_of, true, NULL FROM asset a
                    WHERE a.organization_id = $1 AND a.id = r.id) e
                ORDER BY e.stated_on DESC NULLS LAST, e.own DESC, e.position DESC NULLS LAST LIMIT 1) stated ON y.record_id IS NULL$joined$;
        also := $also$,
            deferred_maintenance_cost = CASE WHEN n.years IS NOT NULL THEN n.costs[width_bucket($3, n.years)] ELSE n.cost END,
            deferred_maintenance_as_of = CASE WHEN n.years IS NULL THEN n.stated_on END$also$;
        shown := ', stated.cost, stated.stated_on';
    END IF;
    EXECUTE format('SELECT FROM %I WHERE organization_id = $1 AND id = ANY($2) ORDER BY id FOR NO KEY UPDATE', kind)
        USING organization, records;
    EXECUTE format($update$
        UPDATE %1$I t SET deficiency_years = n.years, deficiency_costs = n.costs, deficiency_unpriced = n.unpriced,
            deficiency_cost_year = n.cost_year %4$s
        FROM (SELECT r.id, y.*%5$s FROM unnest($2) AS r (id) LEFT JOIN (
                SELECT s.record_id, 0 || array_agg(s.year ORDER BY s.year) FILTER (WHERE s.year > 0) AS years,
                    coalesce(max(s.cost) FILTER (WHERE s.year = 0), 0) || array_agg(s.cost ORDER BY s.year) FILTER (WHERE s.year > 0) AS costs,
                    CASE WHEN max(s.unpriced) > 0 THEN coalesce(max(s.unpriced) FILTER (WHERE s.year = 0), 0)
                        || array_agg(s.unpriced ORDER BY s.year) FILTER (WHERE s.year > 0) END AS unpriced,
                    CASE WHEN min(s.first) = max(s.last) THEN min(s.first) WHEN min(s.first) IS NOT NULL THEN 0 END AS cost_year
                FROM (
                    SELECT d.%2$I AS record_id, at.year,
                        sum(coalesce(sum(d.estimated_cost) FILTER (WHERE d.counts_as_deferred), 0)) OVER earlier AS cost,
                        (sum(count(*) FILTER (WHERE d.counts_as_deferred AND d.estimated_cost IS NULL)) OVER earlier)::integer AS unpriced,
                        min(priced.year) AS first, max(priced.year) AS last
                    FROM deficiency d
                    CROSS JOIN LATERAL (SELECT CASE WHEN d.counts_as_deferred THEN coalesce(d.action_year, 0) ELSE 0 END AS year) at
                    CROSS JOIN LATERAL (SELECT CASE WHEN d.counts_as_deferred AND d.estimated_cost IS NOT NULL
                        THEN coalesce(d.cost_year, extract(year FROM d.found_on)::integer) END AS year) priced
                    WHERE d.organization_id = $1 AND d.%2$I = ANY($2) AND d.status <> 'void'
                    GROUP BY 1, 2 WINDOW earlier AS (PARTITION BY d.%2$I ORDER BY at.year)) s
                GROUP BY 1) y ON y.record_id = r.id %3$s) n
        WHERE t.organization_id = $1 AND t.id = n.id AND (t.deficiency_years, t.deficiency_costs, t.deficiency_unpriced, t.deficiency_cost_year)
            IS DISTINCT FROM (n.years, n.costs, n.unpriced, n.cost_year)
        $update$, kind, kind || '_id', joined, also, shown)
        USING organization, records, this_year;
END $$;
-- +goose StatementEnd

-- Of all rows that a statement wrote, the records that they are of are added up. A change that no sum depends on costs nothing.
-- +goose StatementBegin
CREATE FUNCTION sum_deficiencies() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    each record;
    sums CONSTANT text := 'SELECT organization_id, array_agg(DISTINCT site_id) FILTER (WHERE site_id IS NOT NULL) AS sites,
        array_agg(DISTINCT building_id) FILTER (WHERE building_id IS NOT NULL) AS buildings,
        array_agg(DISTINCT system_id) FILTER (WHERE system_id IS NOT NULL) AS systems,
        array_agg(DISTINCT asset_id) FILTER (WHERE asset_id IS NOT NULL) AS assets FROM (%s) s GROUP BY 1';
BEGIN
    FOR each IN EXECUTE format(sums, CASE TG_OP WHEN 'INSERT' THEN 'SELECT * FROM added' WHEN 'DELETE' THEN 'SELECT * FROM removed' ELSE
        'SELECT w.* FROM added n JOIN removed g USING (organization_id, id)
            CROSS JOIN LATERAL (SELECT n.organization_id, n.site_id, n.building_id, n.system_id, n.asset_id
                UNION ALL SELECT g.organization_id, g.site_id, g.building_id, g.system_id, g.asset_id) w
        WHERE (n.site_id, n.building_id, n.system_id, n.asset_id, n.status = ''void'', n.counts_as_deferred, n.action_year, n.estimated_cost, n.cost_year, n.found_on)
            IS DISTINCT FROM (g.site_id, g.building_id, g.system_id, g.asset_id, g.status = ''void'', g.counts_as_deferred, g.action_year, g.estimated_cost, g.cost_year, g.found_on)' END)
    LOOP
        PERFORM add_up_deficiencies('site', each.organization_id, each.sites);
        PERFORM add_up_deficiencies('building', each.organization_id, each.buildings);
        PERFORM add_up_deficiencies('system', each.organization_id, each.systems);
        PERFORM add_up_deficiencies('asset', each.organization_id, each.assets);
    END LOOP;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER deficiencies_added AFTER INSERT ON deficiency REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sum_deficiencies();
CREATE TRIGGER deficiencies_changed AFTER UPDATE ON deficiency REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sum_deficiencies();
CREATE TRIGGER deficiencies_removed AFTER DELETE ON deficiency REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION sum_deficiencies();

-- Of which day the event was last sent (package timeevents).
CREATE TABLE time_event (
    organization_id uuid NOT NULL,
    event           text COLLATE "C" NOT NULL,
    record_id       uuid NOT NULL,
    day             date NOT NULL,
    PRIMARY KEY (organization_id, event, record_id),
    FOREIGN KEY (organization_id, record_id) REFERENCES asset (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('time_event');
CREATE INDEX time_event_record ON time_event (organization_id, record_id);
