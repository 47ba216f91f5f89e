-- Segments of networks, with their geometry.

-- +goose Up

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

    network_id                 uuid        NOT NULL,
    name                       text        COLLATE "und-x-icu" NOT NULL,
    segment_code               text        COLLATE "C",
    status                     text        COLLATE "C" NOT NULL,
    from_description           text        COLLATE "und-x-icu",
    to_description             text        COLLATE "und-x-icu",
    site_id                    uuid,
    notes                      text,
    geometry                   json, -- shown as it was written, never searched; what is searched stands in bbox
    bbox                       jsonb,
    length_m                   double precision,
    length_computed            boolean     NOT NULL DEFAULT false,
    material                   text        COLLATE "und-x-icu",
    diameter_mm                double precision,
    depth_m                    double precision,
    width_m                    double precision,
    span_m                     double precision,
    lanes                      integer,
    surface_type               text        COLLATE "und-x-icu",
    functional_class           text        COLLATE "C",
    road_class                 integer,
    environment                text        COLLATE "und-x-icu",
    aadt                       integer,
    speed_limit_kmh            integer,
    load_limit_t               double precision,
    upstream_invert_m          double precision,
    downstream_invert_m        double precision,
    install_date               date,
    install_year               integer,
    relined_year               integer,
    expected_useful_life_years integer,
    replacement_cost           numeric(15,2),
    replacement_cost_computed  boolean     NOT NULL DEFAULT false,
    replacement_unit_cost_per_m numeric(15,2),
    deferred_maintenance_cost  numeric(15,2),
    planned_renewal_year       integer,
    condition_rating           integer,
    condition_assessed_on      date,
    reported_condition_rating  integer,
    condition_reported_at      timestamptz,
    probability_of_failure     integer,
    consequence_of_failure     integer,
    attributes                 jsonb       NOT NULL DEFAULT '{}',

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
CREATE INDEX segment_status ON segment (organization_id, status, position);
CREATE INDEX segment_condition_rating ON segment (organization_id, condition_rating, position) WHERE condition_rating IS NOT NULL;
CREATE INDEX segment_planned_renewal_year ON segment (organization_id, planned_renewal_year) WHERE planned_renewal_year IS NOT NULL;
CREATE INDEX segment_updated_at ON segment (organization_id, updated_at);
