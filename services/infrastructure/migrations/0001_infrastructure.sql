-- Networks of linear assets.
--
-- <field>_key columns hold what a unique value is compared by. They are columns, not index expressions, because under
-- row-level security only leakproof operators may use an index, and the functions inside unique_key are not leakproof.

-- +goose Up

CREATE TABLE network (
    organization_id          uuid        NOT NULL,
    id                       uuid        NOT NULL,
    position                 bigint      NOT NULL,
    external_id              text        COLLATE "C",
    custom_fields            jsonb       NOT NULL DEFAULT '{}',
    tags                     jsonb       NOT NULL DEFAULT '[]',
    version                  integer     NOT NULL DEFAULT 1,
    created_at               timestamptz NOT NULL,
    updated_at               timestamptz NOT NULL,
    created_by               jsonb       NOT NULL,
    updated_by               jsonb       NOT NULL,

    name                      text        COLLATE "und-x-icu" NOT NULL,
    code                      text        COLLATE "C",
    asset_class               text        COLLATE "C" NOT NULL,
    description               text,
    default_useful_life_years integer,
    default_unit_cost_per_m   numeric(15,2),
    criticality               text        COLLATE "C",
    -- What segments and networks say besides: a liner's life, limits of bridges, pavement, the end of use, and since when condition and costs
    -- hold.
    service_category          text        COLLATE "C",

    external_id_key          text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    name_key                 text        COLLATE "C" GENERATED ALWAYS AS (unique_key(name)) STORED,
    code_key                 text        COLLATE "C" GENERATED ALWAYS AS (unique_key(code)) STORED,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('network');
CREATE UNIQUE INDEX network_position ON network (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX network_external_id_key ON network (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- Partial, though no name is NULL: columns of a full unique index count as a key, and a change of a key locks out every
-- segment that is just being put into the network.
CREATE UNIQUE INDEX network_name_key ON network (organization_id, name_key) WHERE name_key IS NOT NULL;
CREATE UNIQUE INDEX network_code_key ON network (organization_id, code_key) WHERE code_key IS NOT NULL;
CREATE INDEX network_by_updated_at ON network (organization_id, updated_at, id);
SELECT keep_terms('network', 'networks');
SELECT keep_custom_fields('network', 'networks');

-- box_cell numbers the cell of the world that a box belongs to, after the XZ-ordering of Böhm, Klump and Kriegel (1999);
-- box.go explains it and asks for these numbers.
-- +goose StatementBegin
CREATE FUNCTION box_cell(min_longitude double precision, min_latitude double precision, max_longitude double precision, max_latitude double precision) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    levels CONSTANT integer := 24;
    x      double precision := (min_longitude + 180) / 360;
    y      double precision := (min_latitude + 90) / 180;
    right_ double precision := (max_longitude + 180) / 360;
    top    double precision := (max_latitude + 90) / 180;
    extent double precision := greatest(right_ - x, top - y);
    size   double precision;
    level  integer := levels;
    cell   bigint := 0;
    inside bigint := ((1::bigint << (2 * (levels + 1))) - 1) / 3; -- cells inside of the present one, with itself
    quarter integer;
BEGIN
    IF extent > 0 THEN
        -- A cell at most as wide as the box, doubled, covers it where the box begins early enough in the cell.
        level := least(levels, floor(-ln(extent) / ln(2))::integer + 1);
        LOOP
            EXIT WHEN level <= 0;
            size := 2.0 ^ -level;
            EXIT WHEN right_ <= (floor(x / size) + 2) * size AND top <= (floor(y / size) + 2) * size;
            level := level - 1;
        END LOOP;
        level := greatest(level, 0);
    END IF;
    size := 1;
    FOR i IN 1..level LOOP
        size := size / 2;
        quarter := 0;
        IF x >= size THEN
            quarter := 1;
            x := x - size;
        END IF;
        IF y >= size THEN
            quarter := quarter + 2;
            y := y - size;
        END IF;
        inside := (inside - 1) / 4;
        cell := cell + 1 + quarter * inside;
    END LOOP;
    RETURN cell;
END $$;
-- +goose StatementEnd

CREATE TABLE segment (
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

    network_id                  uuid        NOT NULL,
    name                        text        COLLATE "und-x-icu" NOT NULL,
    segment_code                text        COLLATE "C",
    status                      text        COLLATE "C" NOT NULL,
    from_description            text        COLLATE "und-x-icu",
    to_description              text        COLLATE "und-x-icu",
    site_id                     uuid,
    notes                       text,
    geometry                    json, -- shown as it was written, never searched; what is searched stands in bbox
    bbox                        jsonb,
    length_m                    double precision,
    length_computed             boolean     NOT NULL DEFAULT false,
    material                    text        COLLATE "und-x-icu",
    diameter_mm                 double precision,
    depth_m                     double precision,
    width_m                     double precision,
    span_m                      double precision,
    lanes                       integer,
    surface_type                text        COLLATE "und-x-icu",
    functional_class            text        COLLATE "C",
    road_class                  integer,
    environment                 text        COLLATE "und-x-icu",
    aadt                        integer,
    speed_limit_kmh             integer,
    load_limit_t                double precision,
    upstream_invert_m           double precision,
    downstream_invert_m         double precision,
    install_date                date,
    install_year                integer,
    relined_year                integer,
    expected_useful_life_years  integer,
    replacement_cost            numeric(15,2),
    replacement_cost_computed   boolean     NOT NULL DEFAULT false,
    replacement_unit_cost_per_m numeric(15,2),
    deferred_maintenance_cost   numeric(15,2),
    planned_renewal_year        integer,
    condition_rating            integer,
    condition_assessed_on       date,
    reported_condition_rating   integer,
    condition_reported_at       timestamptz,
    probability_of_failure      integer,
    consequence_of_failure      integer,
    attributes                  jsonb       NOT NULL DEFAULT '{}',
    measured_length_m           double precision,
    relined_useful_life_years   integer,
    paved                       boolean,
    paved_computed              boolean     NOT NULL DEFAULT false,
    clearance_limit_m           double precision,
    width_limit_m               double precision,
    out_of_use_on               date,
    replacement_cost_year       integer,
    replacement_cost_as_of      date,
    deferred_maintenance_as_of  date,
    condition_method            text        COLLATE "C",
    condition_source_id         uuid,
    -- What was typed on the segment is kept while deferred maintenance follows from deficiencies, and comes back when it no longer does.
    typed_deferred_cost         numeric(15,2),
    typed_deferred_as_of        date,
    -- What these columns mean is written in package deficiencies.
    deficiency_years            integer[],
    deficiency_costs            numeric[],
    deficiency_unpriced         integer[],
    deficiency_cost_year        integer,

    -- Stored, so that the riskiest are found by an index. The rule is figures.RiskScore; a test holds the two together.
    risk_score                 integer     GENERATED ALWAYS AS (coalesce(probability_of_failure, condition_rating) * consequence_of_failure) STORED,
    min_longitude              double precision GENERATED ALWAYS AS ((bbox->>0)::double precision) STORED,
    min_latitude               double precision GENERATED ALWAYS AS ((bbox->>1)::double precision) STORED,
    max_longitude              double precision GENERATED ALWAYS AS ((bbox->>2)::double precision) STORED,
    max_latitude               double precision GENERATED ALWAYS AS ((bbox->>3)::double precision) STORED,
    cell                       bigint      GENERATED ALWAYS AS (box_cell((bbox->>0)::double precision, (bbox->>1)::double precision,
                                               (bbox->>2)::double precision, (bbox->>3)::double precision)) STORED,
    external_id_key            text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    segment_code_key           text        COLLATE "C" GENERATED ALWAYS AS (unique_key(segment_code)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT segment_network_id_fkey FOREIGN KEY (organization_id, network_id) REFERENCES network (organization_id, id),
    CONSTRAINT segment_relined_year_check CHECK (relined_year >= install_year)
);
SELECT isolate('segment');
-- Each index is paid for by every insert, so: what is often empty is left out where it is empty, and lists filtered by
-- one value come in the list's own order.
CREATE UNIQUE INDEX segment_position ON segment (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX segment_external_id_key ON segment (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX segment_segment_code_key ON segment (organization_id, segment_code_key) WHERE segment_code_key IS NOT NULL;
CREATE INDEX segment_network ON segment (organization_id, network_id, position);
CREATE INDEX segment_cell ON segment (organization_id, cell) WHERE cell IS NOT NULL;
CREATE INDEX segment_site ON segment (organization_id, site_id, position) WHERE site_id IS NOT NULL;
CREATE INDEX segment_by_name ON segment (organization_id, name COLLATE "natural", id);
CREATE INDEX segment_by_updated_at ON segment (organization_id, updated_at, id);
-- Computed lengths that are not measured on the ellipsoid: the service measures them anew.
CREATE INDEX segment_to_measure ON segment (organization_id, id) WHERE length_computed AND length_m IS DISTINCT FROM measured_length_m;
SELECT keep_terms('segment', 'segments');
SELECT keep_custom_fields('segment', 'segments');

-- Each statement that changes segments adds a row per network with what it changed; nobody waits for anybody else. The sum
-- of the rows is exact in the reader's snapshot. Of segments that are planned, abandoned or removed nothing is counted,
-- as figures.Counts has it; a test holds the two together.
CREATE TABLE network_total (
    organization_id  uuid    NOT NULL,
    network_id       uuid    NOT NULL,
    id               bigint  GENERATED ALWAYS AS IDENTITY,
    segments         bigint  NOT NULL,
    length_m         numeric NOT NULL,
    lane_m           numeric NOT NULL,
    laned            bigint  NOT NULL, -- segments whose length and lanes are known
    replacement_cost numeric NOT NULL,
    PRIMARY KEY (organization_id, network_id, id),
    CONSTRAINT network_total_network_id_fkey FOREIGN KEY (organization_id, network_id) REFERENCES network (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('network_total');

-- +goose StatementBegin
CREATE FUNCTION count_segments() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    organizations uuid[];
    networks      uuid[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        WITH changed AS (
            INSERT INTO network_total (organization_id, network_id, segments, length_m, lane_m, laned, replacement_cost)
            SELECT s.organization_id, s.network_id, count(*), coalesce(sum(s.length_m::numeric), 0), coalesce(sum(s.length_m::numeric * s.lanes), 0),
                count(s.length_m * s.lanes), coalesce(sum(s.replacement_cost), 0)
            FROM added s WHERE s.status NOT IN ('planned', 'abandoned', 'removed') GROUP BY 1, 2
            RETURNING organization_id, network_id
        ) SELECT array_agg(DISTINCT organization_id), array_agg(network_id) FROM changed INTO organizations, networks;
    ELSIF TG_OP = 'DELETE' THEN
        WITH changed AS (
            INSERT INTO network_total (organization_id, network_id, segments, length_m, lane_m, laned, replacement_cost)
            SELECT s.organization_id, s.network_id, -count(*), -coalesce(sum(s.length_m::numeric), 0), -coalesce(sum(s.length_m::numeric * s.lanes), 0),
                -count(s.length_m * s.lanes), -coalesce(sum(s.replacement_cost), 0)
            FROM removed s WHERE s.status NOT IN ('planned', 'abandoned', 'removed') GROUP BY 1, 2
            RETURNING organization_id, network_id
        ) SELECT array_agg(DISTINCT organization_id), array_agg(network_id) FROM changed INTO organizations, networks;
    ELSE
        WITH changed AS (
            INSERT INTO network_total (organization_id, network_id, segments, length_m, lane_m, laned, replacement_cost)
            SELECT s.organization_id, s.network_id, sum(s.sign), coalesce(sum(s.sign * s.length_m::numeric), 0), coalesce(sum(s.sign * s.length_m::numeric * s.lanes), 0),
                coalesce(sum(s.sign) FILTER (WHERE s.length_m * s.lanes IS NOT NULL), 0), coalesce(sum(s.sign * s.replacement_cost), 0)
            FROM (
                SELECT 1 AS sign, organization_id, network_id, status, length_m, lanes, replacement_cost FROM added
                UNION ALL
                SELECT -1, organization_id, network_id, status, length_m, lanes, replacement_cost FROM removed
            ) s WHERE s.status NOT IN ('planned', 'abandoned', 'removed') GROUP BY 1, 2
            HAVING (sum(s.sign), coalesce(sum(s.sign * s.length_m::numeric), 0), coalesce(sum(s.sign * s.length_m::numeric * s.lanes), 0),
                coalesce(sum(s.sign) FILTER (WHERE s.length_m * s.lanes IS NOT NULL), 0), coalesce(sum(s.sign * s.replacement_cost), 0)) <> (0, 0, 0, 0, 0)
            RETURNING organization_id, network_id
        ) SELECT array_agg(DISTINCT organization_id), array_agg(network_id) FROM changed INTO organizations, networks;
    END IF;
    -- Many rows of a network become one. A row that somebody else is making into one is left to them.
    WITH crowded AS (
        SELECT organization_id, network_id FROM network_total
        WHERE organization_id = ANY(organizations) AND network_id = ANY(networks) GROUP BY 1, 2 HAVING count(*) > 64
    ), free AS (
        SELECT t.organization_id, t.network_id, t.id FROM network_total t JOIN crowded USING (organization_id, network_id) FOR UPDATE OF t SKIP LOCKED
    ), old AS (
        DELETE FROM network_total t USING free f
        WHERE t.organization_id = f.organization_id AND t.network_id = f.network_id AND t.id = f.id RETURNING t.*
    )
    INSERT INTO network_total (organization_id, network_id, segments, length_m, lane_m, laned, replacement_cost)
    SELECT organization_id, network_id, sum(segments), sum(length_m), sum(lane_m), sum(laned), sum(replacement_cost) FROM old GROUP BY 1, 2;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER segment_added AFTER INSERT ON segment REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_segments();
CREATE TRIGGER segment_changed AFTER UPDATE ON segment REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_segments();
CREATE TRIGGER segment_removed AFTER DELETE ON segment REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_segments();

-- Inspections of segments.
CREATE TABLE inspection (
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

    segment_id         uuid        NOT NULL,
    inspected_on       date        NOT NULL,
    method             text        COLLATE "C",
    index_type         text        COLLATE "C",
    index_value        double precision,
    condition_rating   integer,
    defects            jsonb       NOT NULL DEFAULT '[]',
    recommended_action text        COLLATE "C",
    estimated_cost     numeric(15,2),
    next_due_on        date,
    notes              text,

    external_id_key    text        COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT inspection_segment_id_fkey FOREIGN KEY (organization_id, segment_id) REFERENCES segment (organization_id, id)
);
SELECT isolate('inspection');
CREATE UNIQUE INDEX inspection_position ON inspection (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX inspection_external_id_key ON inspection (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
-- The latest of a segment is one step into this index.
CREATE INDEX inspection_latest ON inspection (organization_id, segment_id, inspected_on DESC, position DESC);
CREATE INDEX inspection_next_due_on ON inspection (organization_id, next_due_on) WHERE next_due_on IS NOT NULL;
CREATE INDEX inspection_by_inspected_on ON inspection (organization_id, inspected_on, id);
CREATE INDEX inspection_by_updated_at ON inspection (organization_id, updated_at, id);
SELECT keep_custom_fields('inspection', 'inspections');

-- Ratings that were set on segments themselves; those of inspections stand in inspection.
CREATE TABLE segment_rating (
    organization_id  uuid        NOT NULL,
    segment_id       uuid        NOT NULL,
    position         bigint      GENERATED ALWAYS AS IDENTITY,
    stated_on        date        NOT NULL,
    condition_rating integer     NOT NULL,
    method           text        COLLATE "C" NOT NULL,
    entered_at       timestamptz NOT NULL,
    PRIMARY KEY (organization_id, segment_id, position),
    CONSTRAINT segment_rating_segment_id_fkey FOREIGN KEY (organization_id, segment_id) REFERENCES segment (organization_id, id) ON DELETE CASCADE
);
SELECT isolate('segment_rating');

-- The figures of a month's end as they were reported: written once, never changed, and kept when their subject is gone.
CREATE TABLE figures_month (
    organization_id           uuid    NOT NULL,
    subject                   text    COLLATE "C" NOT NULL, -- organization, network
    subject_of                text    COLLATE "C" NOT NULL, -- id; empty of the organization
    month_end                 date    NOT NULL,
    frozen                    boolean NOT NULL,
    counts                    bigint[] NOT NULL,  -- segments, left out
    length_km                 numeric NOT NULL,
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
    avg_pci                   numeric,
    avg_bci                   numeric,
    PRIMARY KEY (organization_id, subject, subject_of, month_end)
);
SELECT isolate('figures_month');
-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE format('REVOKE UPDATE, DELETE ON figures_month FROM %I', 'ams_' || current_schema());
END $$;
-- +goose StatementEnd

-- Deficiencies of segments. Deferred maintenance follows from them.
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

    segment_id         uuid        NOT NULL,
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
    CONSTRAINT deficiency_segment_id_fkey FOREIGN KEY (organization_id, segment_id) REFERENCES segment (organization_id, id)
);
SELECT isolate('deficiency');
CREATE UNIQUE INDEX deficiency_position ON deficiency (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX deficiency_external_id_key ON deficiency (organization_id, external_id_key) WHERE external_id_key IS NOT NULL;
CREATE UNIQUE INDEX deficiency_number_key ON deficiency (organization_id, number_key) WHERE number_key IS NOT NULL;
-- Figures are added up from this index alone.
CREATE INDEX deficiency_segment ON deficiency (organization_id, segment_id) INCLUDE (status, category, action_year, cost_year, estimated_cost, position);
CREATE INDEX deficiency_action_year ON deficiency (organization_id, action_year) WHERE action_year IS NOT NULL;
CREATE INDEX deficiency_work_order ON deficiency (organization_id, work_order_id) WHERE work_order_id IS NOT NULL;
CREATE INDEX deficiency_project ON deficiency (organization_id, project_id) WHERE project_id IS NOT NULL;
CREATE INDEX deficiency_by_updated_at ON deficiency (organization_id, updated_at, id);
SELECT keep_custom_fields('deficiency', 'infrastructure_deficiencies');
SELECT keep_terms('deficiency', 'infrastructure_deficiencies');
