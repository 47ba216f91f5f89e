-- The product's figures once more, in plain SQL over the lists that the public API gives. It is written from what the product promises
-- (docs/domain.md) and from nothing in its programs, so that a mistake has to be made twice to stay unseen.
--
-- raw has every record of every list as one line of JSON; numeric is exact. asked says of which day, horizon and prices the figures are.
-- A change of raw is followed by CALL lists_loaded(), a change of asked by CALL recount().
CREATE TABLE raw (list text NOT NULL, line jsonb NOT NULL, position bigint GENERATED ALWAYS AS IDENTITY); -- in the order of entry
CREATE TABLE asked (
    day         date    NOT NULL,
    horizon     integer NOT NULL,
    prices      integer NOT NULL, -- the year whose prices costs are shown in
    said_alone  boolean NOT NULL  -- ratings and costs of assets come from their statements; false: as the list shows them
);

-- The lists.
CREATE MATERIALIZED VIEW site AS SELECT r.* FROM raw, jsonb_to_record(line) AS r(
    id text, name text, status text, site_type text, ward text, service_category text, out_of_use_on date) WHERE list = 'sites';
CREATE MATERIALIZED VIEW building AS SELECT r.* FROM raw, jsonb_to_record(line) AS r(
    id text, name text, site_id text, status text, building_type text, service_category text, year_built integer, replacement_cost numeric,
    replacement_cost_year integer, out_of_use_on date) WHERE list = 'buildings';
CREATE MATERIALIZED VIEW system AS SELECT r.* FROM raw, jsonb_to_record(line) AS r(
    id text, name text, site_id text, building_id text, status text, category text, uniformat_code text, install_date date,
    install_year integer, expected_useful_life_years integer, replacement_cost numeric, replacement_cost_year integer,
    deferred_maintenance_cost numeric, deferred_maintenance_basis text, deficiencies_without_cost integer, planned_renewal_year integer, condition_rating integer, out_of_use_on date,
    age_years numeric, remaining_life_years numeric, past_useful_life boolean, condition_grade text) WHERE list = 'systems';
CREATE MATERIALIZED VIEW asset AS SELECT r.* FROM raw, jsonb_to_record(line) AS r(
    id text, name text, site_id text, building_id text, system_id text, status text, category text, uniformat_code text,
    service_category text, install_date date, install_year integer, expected_useful_life_years integer, replacement_cost numeric,
    replacement_cost_year integer, replacement_cost_as_of date, deferred_maintenance_cost numeric, deferred_maintenance_as_of date,
    deferred_maintenance_basis text, deficiencies_without_cost integer,
    planned_renewal_year integer, condition_rating integer, condition_assessed_on date, condition_method text,
    consequence_of_failure integer, probability_of_failure integer, out_of_use_on date, age_years numeric, remaining_life_years numeric,
        past_useful_life boolean,
    condition_grade text, risk_score integer, risk_level text) WHERE list = 'assets';
CREATE MATERIALIZED VIEW assessment AS SELECT r.*, position FROM raw, jsonb_to_record(line) AS r(
    id text, asset_id text, assessed_on date, method text, condition_rating integer, replacement_cost numeric,
    deferred_maintenance_cost numeric) WHERE list = 'assessments';
CREATE MATERIALIZED VIEW own_cost AS SELECT r.*, position FROM raw, jsonb_to_record(line) AS r( -- what a test said on the asset itself
    asset_id text, replacement_cost numeric, replacement_cost_year integer, as_of date, deferred_maintenance_cost numeric,
    deferred_as_of date) WHERE list = 'own_costs';
CREATE MATERIALIZED VIEW deficiency AS SELECT r.* FROM raw, jsonb_to_record(line) AS r(
    id text, site_id text, building_id text, system_id text, asset_id text, segment_id text, status text, category text, estimated_cost numeric,
    cost_year integer, action_year integer, found_on date, corrected_on date) WHERE list IN ('deficiencies', 'infrastructure_deficiencies');
CREATE MATERIALIZED VIEW network AS SELECT r.* FROM raw, jsonb_to_record(line) AS r(
    id text, name text, asset_class text, service_category text) WHERE list = 'networks';
CREATE MATERIALIZED VIEW segment AS SELECT r.* FROM raw, jsonb_to_record(line) AS r(
    id text, name text, network_id text, status text, install_date date, install_year integer, expected_useful_life_years integer,
    relined_year integer, relined_useful_life_years integer, length_m numeric, lanes integer, replacement_cost numeric,
    replacement_cost_computed boolean, replacement_cost_year integer, replacement_cost_as_of date, deferred_maintenance_cost numeric,
    deferred_maintenance_as_of date, deferred_maintenance_basis text, deficiencies_without_cost integer, planned_renewal_year integer,
    condition_rating integer, condition_assessed_on date, condition_method text, reported_condition_rating integer, consequence_of_failure integer, probability_of_failure integer,
        out_of_use_on date, age_years numeric,
    remaining_life_years numeric, past_useful_life boolean, condition_grade text, risk_score integer, risk_level text, geometry jsonb)
    WHERE list = 'segments';
CREATE MATERIALIZED VIEW inspection AS SELECT r.*, position FROM raw, jsonb_to_record(line) AS r(
    id text, segment_id text, inspected_on date, method text, condition_rating integer) WHERE list = 'inspections';
CREATE MATERIALIZED VIEW own_rating AS SELECT r.* FROM raw, jsonb_to_record(line) AS r( -- what a test said on the segment itself
    segment_id text, condition_rating integer, condition_assessed_on date) WHERE list = 'own_ratings';
CREATE MATERIALIZED VIEW price_index AS SELECT r.* FROM raw, jsonb_to_record(line) AS r(
    id text, is_default boolean, service_categories text[]) WHERE list = 'price_indexes';
CREATE MATERIALIZED VIEW price AS SELECT r.* FROM raw, jsonb_to_record(line) AS r(
    price_index_id text, year integer, value numeric) WHERE list = 'prices';

CREATE MATERIALIZED VIEW setting AS SELECT r.* FROM raw, jsonb_to_record(line) AS r(
    renewal_basis text, renewal_basis_changed_on date[], fci_bands numeric[]) WHERE list = 'settings';
-- Whether renewals are due by lives on the day: the setting has two values, and each change after the day turns it.
CREATE VIEW basis AS SELECT coalesce((SELECT (renewal_basis = 'typed_or_life') <> ((SELECT count(*) FROM unnest(renewal_basis_changed_on) c
    WHERE day < c) % 2 = 1) FROM setting), false) AS by_life FROM asked;

-- Formulas.
CREATE FUNCTION installed(on_day date, in_year integer) RETURNS date LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(on_day, make_date(in_year, 7, 1)) $$; -- a year alone counts from 1 July
CREATE FUNCTION age(installed date, day date) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT (day - installed) / 365.25 $$; -- exact; it is rounded where it is shown
CREATE FUNCTION reached(age numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN age >= 0 THEN age END $$; -- what is installed later is in no average of the day
CREATE FUNCTION life_ends(installed date, years integer) RETURNS date LANGUAGE sql IMMUTABLE AS $$
    SELECT (installed + make_interval(years => years))::date $$; -- 29 February becomes the 28th in other years
CREATE FUNCTION grade(rating integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT (ARRAY['very_good', 'good', 'fair', 'poor', 'very_poor'])[rating] $$;
CREATE FUNCTION risk_level(score integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN score <= 4 THEN 'very_low' WHEN score <= 7 THEN 'low' WHEN score <= 9 THEN 'moderate' WHEN score <= 14 THEN 'high'
        WHEN score <= 25 THEN 'very_high' END $$;
CREATE FUNCTION fci_grade(pct numeric, known numeric) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN by_life AND coalesce(known < 50, true) THEN NULL WHEN pct <= b[1] THEN 'good' WHEN pct <= b[2] THEN 'fair'
        WHEN pct <= b[3] THEN 'poor' WHEN pct > b[3] THEN 'critical' END
    FROM basis, (SELECT coalesce((SELECT fci_bands FROM setting), ARRAY[5, 10, 30]) AS b) bands $$;
CREATE FUNCTION end_year(installed date, life integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT extract(year FROM installed)::integer + life $$;
CREATE FUNCTION due(planned integer, ends integer, by_life boolean, until numeric) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(CASE WHEN by_life THEN coalesce(planned, ends) ELSE planned END <= until, false) $$;
CREATE FUNCTION gone(status text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT status IN ('decommissioned', 'disposed', 'abandoned', 'removed', 'demolished') $$;
CREATE FUNCTION stands(status text, installed date, out_of_use_on date, day date) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT status <> 'planned' AND coalesce(installed <= day, true) AND (NOT gone(status) OR coalesce(day < out_of_use_on, false)) $$;
CREATE FUNCTION of_building_type(building_type text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE building_type WHEN 'school' THEN 'education' WHEN 'library' THEN 'library' WHEN 'fire_hall' THEN 'fire'
        WHEN 'arena' THEN 'parks_recreation' WHEN 'pool' THEN 'parks_recreation' WHEN 'community_centre' THEN 'parks_recreation'
        WHEN 'housing' THEN 'housing' WHEN 'pump_station' THEN 'other' WHEN 'treatment' THEN 'other' ELSE 'facilities' END $$;
CREATE FUNCTION of_asset_class(asset_class text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN asset_class IN ('road', 'sidewalk', 'streetlight') THEN 'roads'
        WHEN asset_class IN ('bridge', 'culvert') THEN 'bridges_culverts' WHEN asset_class = 'water_main' THEN 'water'
        WHEN asset_class IN ('sanitary_sewer', 'force_main', 'combined_sewer') THEN 'wastewater'
        WHEN asset_class IN ('storm_sewer', 'drainage_channel') THEN 'stormwater' WHEN asset_class = 'trail' THEN 'parks_recreation'
        ELSE 'other' END $$;

-- What the index of each service says for a year, and for the year whose prices were asked for: the value of the last year that is not
-- after it. There is no row before the first value, nor for a service without an index.
CREATE MATERIALIZED VIEW price_of AS
    SELECT c.category, y.year, at_year.value AS at_year, at_asked.value AS at_asked
    FROM asked, unnest(ARRAY['roads', 'bridges_culverts', 'water', 'wastewater', 'stormwater', 'facilities', 'parks_recreation', 'fleet',
        'solid_waste', 'transit', 'fire', 'library', 'education', 'housing', 'natural_assets', 'other']) c(category)
    CROSS JOIN LATERAL (SELECT i.id FROM price_index i WHERE c.category = ANY(i.service_categories) OR i.is_default
        ORDER BY coalesce(c.category = ANY(i.service_categories), false) DESC LIMIT 1) i
    CROSS JOIN generate_series(1900, 2200) y(year)
    CROSS JOIN LATERAL (SELECT p.value FROM price p WHERE p.price_index_id = i.id AND p.year <= y.year ORDER BY p.year DESC LIMIT 1) at_year
    CROSS JOIN LATERAL (SELECT p.value FROM price p WHERE p.price_index_id = i.id AND p.year <= asked.prices
        ORDER BY p.year DESC LIMIT 1) at_asked;
-- A cost in the prices that were asked for, to the cent; as it is where it cannot be converted.
CREATE FUNCTION in_prices(cost numeric, p price_of) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN p.at_year IS NULL THEN cost ELSE round(cost * p.at_asked / p.at_year, 2) END $$;

-- What is said of a rating by the day: the last strong statement drives while it is not more than five years before the last weak one.
-- Assessments and inspections are statements about their asset or segment, and so is a rating that was set on a segment.
CREATE FUNCTION strong(method text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(method, '') NOT IN ('age_based', 'reported') $$;
CREATE MATERIALIZED VIEW rating_said AS
    WITH statement AS (
        SELECT asset_id AS id, assessed_on, method, condition_rating, position FROM assessment
        UNION ALL SELECT segment_id, inspected_on, method, condition_rating, position FROM inspection
        UNION ALL SELECT segment_id, condition_assessed_on, 'reported', condition_rating, NULL FROM own_rating
    ), last AS (
        SELECT DISTINCT ON (id, strong(method)) id, strong(method) AS strong, assessed_on, method, condition_rating
        FROM statement, asked WHERE assessed_on <= day AND condition_rating IS NOT NULL
        ORDER BY id, strong(method), assessed_on DESC, position DESC
    )
    SELECT DISTINCT ON (id) id, l.condition_rating AS rating, l.assessed_on, l.method
    FROM last l LEFT JOIN (SELECT id, assessed_on FROM last WHERE NOT strong) weak USING (id)
    ORDER BY id, l.strong AND coalesce(l.assessed_on >= weak.assessed_on - interval '5 years', true) DESC, NOT l.strong DESC;

-- What is said of a cost by the day: the latest; on one day the record itself; what has no date last.
CREATE MATERIALIZED VIEW cost_said AS
    SELECT DISTINCT ON (asset_id) asset_id, cost, year FROM (
        SELECT asset_id, replacement_cost AS cost, extract(year FROM assessed_on)::integer AS year, assessed_on AS said_on, false AS own,
            position
        FROM assessment WHERE replacement_cost IS NOT NULL
        UNION ALL SELECT asset_id, replacement_cost, coalesce(replacement_cost_year, extract(year FROM as_of)), as_of, true, position
        FROM own_cost WHERE replacement_cost IS NOT NULL) c, asked
    WHERE coalesce(said_on <= day, true) ORDER BY asset_id, said_on DESC NULLS LAST, own DESC, position DESC;
CREATE MATERIALIZED VIEW deferred_said AS
    SELECT DISTINCT ON (asset_id) asset_id, cost, extract(year FROM said_on)::integer AS year FROM (
        SELECT asset_id, deferred_maintenance_cost AS cost, assessed_on AS said_on, false AS own, position
        FROM assessment WHERE deferred_maintenance_cost IS NOT NULL
        UNION ALL SELECT asset_id, deferred_maintenance_cost, deferred_as_of, true, position
        FROM own_cost WHERE deferred_maintenance_cost IS NOT NULL) c, asked
    WHERE coalesce(said_on <= day, true) ORDER BY asset_id, said_on DESC NULLS LAST, own DESC, position DESC;

-- What had been found by the day at each record, by the year of whose prices the costs are: what it costs at once and by the horizon, and how
-- many of it nobody knows the cost of. What is void was never found; what is corrected or waived is found and costs nothing any more.
CREATE MATERIALIZED VIEW found AS
    SELECT coalesce(asset_id, system_id, building_id, site_id, segment_id) AS record_id, cost_year,
        coalesce(sum(estimated_cost) FILTER (WHERE counts AND at <= extract(year FROM day)), 0) AS cost,
        coalesce(sum(estimated_cost) FILTER (WHERE counts AND at <= extract(year FROM day) + horizon), 0) AS later,
        count(*) FILTER (WHERE counts AND at <= extract(year FROM day) AND estimated_cost IS NULL)::integer AS unpriced
    FROM deficiency d CROSS JOIN asked
    CROSS JOIN LATERAL (SELECT CASE WHEN corrected_on <= day THEN 'corrected' WHEN corrected_on > day AND d.status = 'corrected' THEN 'open'
        ELSE d.status END AS status) s
    CROSS JOIN LATERAL (SELECT coalesce(action_year, 0) AS at, s.status IN ('open', 'planned', 'in_work')
        AND category NOT IN ('accessibility', 'functional', 'renewal') AS counts) c
    WHERE found_on <= day AND s.status <> 'void' GROUP BY 1, 2;
CREATE INDEX ON found (record_id);
-- The same of one record whose costs are of a service: NULL where nothing was found.
CREATE TYPE found_cost AS (cost numeric, later numeric, unpriced integer);
CREATE FUNCTION found_at(record text, service text) RETURNS found_cost LANGUAGE sql STABLE AS $$
    SELECT (sum(in_prices(w.cost, f)), sum(in_prices(w.later, f)), sum(w.unpriced)::integer)::found_cost
    FROM found w LEFT JOIN price_of f ON f.category = service AND f.year = w.cost_year WHERE w.record_id = record $$;

-- What is known of each asset: from its statements, or as its list shows it.
CREATE MATERIALIZED VIEW known AS
    SELECT a.id, CASE WHEN said_alone THEN r.rating ELSE a.condition_rating END AS rating,
        CASE WHEN said_alone THEN r.method ELSE a.condition_method END AS method,
        CASE WHEN said_alone THEN r.assessed_on ELSE a.condition_assessed_on END AS assessed_on,
        CASE WHEN said_alone THEN c.cost ELSE a.replacement_cost END AS cost,
        CASE WHEN said_alone THEN c.year
            ELSE coalesce(a.replacement_cost_year, extract(year FROM a.replacement_cost_as_of)) END::integer AS cost_year,
        CASE WHEN said_alone THEN d.cost ELSE a.deferred_maintenance_cost END AS deferred,
        CASE WHEN said_alone THEN d.year ELSE extract(year FROM a.deferred_maintenance_as_of) END::integer AS deferred_year
    FROM asset a CROSS JOIN asked LEFT JOIN rating_said r USING (id) LEFT JOIN cost_said c ON c.asset_id = a.id
    LEFT JOIN deferred_said d ON d.asset_id = a.id;

-- What stands on the day, from the outside in: what is inside of something that does not stand does not count.
CREATE MATERIALIZED VIEW standing_site AS SELECT p.*, (d.w).cost AS found, (d.w).later AS found_later, (d.w).unpriced AS unpriced
    FROM site p CROSS JOIN asked CROSS JOIN LATERAL (SELECT found_at(p.id, coalesce(p.service_category, 'other')) AS w OFFSET 0) d
    WHERE stands(status, NULL, out_of_use_on, day);
CREATE MATERIALIZED VIEW standing_building AS
    SELECT b.*, c.category, nullif(in_prices(b.replacement_cost, f), 0) AS cost, f.at_year IS NULL AS unconverted,
        (d.w).cost AS found, (d.w).later AS found_later, (d.w).unpriced AS unpriced
    FROM building b CROSS JOIN asked JOIN standing_site p ON p.id = b.site_id
    CROSS JOIN LATERAL (SELECT coalesce(b.service_category, of_building_type(b.building_type)) AS category) c
    CROSS JOIN LATERAL (SELECT found_at(b.id, c.category) AS w OFFSET 0) d
    LEFT JOIN price_of f ON f.category = c.category AND f.year = b.replacement_cost_year
    WHERE stands(b.status, installed(NULL, b.year_built), b.out_of_use_on, day);
CREATE MATERIALIZED VIEW standing_system AS
    SELECT s.*, c.service_category, b.cost AS appraisal, nullif(in_prices(s.replacement_cost, f), 0) AS cost, f.at_year IS NULL AS unconverted, -- 0 is no appraisal
        CASE WHEN (d.w).cost IS NULL THEN s.deferred_maintenance_cost END AS deferred, -- what was typed
        (d.w).cost AS found, (d.w).later AS found_later, (d.w).unpriced AS unpriced, e.ends,
        due(s.planned_renewal_year, e.ends, by_life, extract(year FROM day) + horizon) AS due
    FROM system s CROSS JOIN asked CROSS JOIN basis
    CROSS JOIN LATERAL (SELECT end_year(installed(s.install_date, s.install_year), s.expected_useful_life_years) AS ends) e LEFT JOIN standing_building b ON b.id = s.building_id LEFT JOIN standing_site p ON p.id = s.site_id
    CROSS JOIN LATERAL (SELECT coalesce(b.category, p.service_category, 'other') AS service_category) c
    CROSS JOIN LATERAL (SELECT found_at(s.id, c.service_category) AS w OFFSET 0) d
    LEFT JOIN price_of f ON f.category = c.service_category AND f.year = s.replacement_cost_year
    WHERE stands(s.status, installed(s.install_date, s.install_year), s.out_of_use_on, day)
        AND (s.building_id IS NULL OR b.id IS NOT NULL) AND (s.site_id IS NULL OR p.id IS NOT NULL);
CREATE MATERIALIZED VIEW standing_asset AS
    SELECT a.id, a.site_id, a.building_id, a.system_id, a.category, a.uniformat_code, c.service_category, b.cost AS appraisal,
        s.cost AS system_cost, s.deferred AS system_deferred, k.rating, k.assessed_on, k.method, a.planned_renewal_year,
            a.expected_useful_life_years,
        in_prices(k.cost, f) AS cost, k.cost = 0 AS zero, f.at_year IS NULL AS unconverted,
        coalesce((d.w).later, in_prices(k.deferred, g)) AS deferred, -- at the horizon
        coalesce((d.w).cost, in_prices(k.deferred, g)) AS deferred_now, (d.w).cost AS found, (d.w).unpriced AS unpriced,
        due(a.planned_renewal_year, e.ends, by_life, extract(year FROM day) + horizon) AS due,
        coalesce(a.planned_renewal_year, e.ends) IS NOT NULL AS life_known,
        installed(a.install_date, a.install_year) AS installed,
        day > life_ends(installed(a.install_date, a.install_year), a.expected_useful_life_years) AS past,
        coalesce(a.probability_of_failure, k.rating) * a.consequence_of_failure AS risk
    FROM asset a CROSS JOIN asked CROSS JOIN basis JOIN known k USING (id)
    CROSS JOIN LATERAL (SELECT end_year(installed(a.install_date, a.install_year), a.expected_useful_life_years) AS ends) e
    LEFT JOIN standing_system s ON s.id = a.system_id LEFT JOIN standing_building b ON b.id = a.building_id
    LEFT JOIN standing_site p ON p.id = a.site_id
    CROSS JOIN LATERAL (SELECT coalesce(a.service_category, b.category, p.service_category, 'other') AS service_category) c
    CROSS JOIN LATERAL (SELECT found_at(a.id, c.service_category) AS w OFFSET 0) d
    LEFT JOIN price_of f ON f.category = c.service_category AND f.year = k.cost_year
    LEFT JOIN price_of g ON g.category = c.service_category AND g.year = k.deferred_year
    WHERE stands(a.status, installed(a.install_date, a.install_year), a.out_of_use_on, day)
        AND (a.system_id IS NULL OR s.id IS NOT NULL) AND (a.building_id IS NULL OR b.id IS NOT NULL)
            AND (a.site_id IS NULL OR p.id IS NOT NULL);

-- What each asset needs by itself: in a system on which deferred maintenance was typed, only the renewal. Need is covered where the value that
-- counts for it (the appraisal of its building, else the cost of its system, else its own) is more than 0.
CREATE MATERIALIZED VIEW asset_need AS
    SELECT a.*, coalesce(cost, 0) = 0 AS bare, CASE WHEN due THEN greatest(coalesce(cost, 0), coalesce(deferred, 0))
        WHEN system_deferred IS NULL THEN coalesce(deferred, 0) ELSE 0 END AS need FROM standing_asset a;

-- The need of a system: what is due inside, what its own deferred maintenance says beyond that, and its own renewal. of_all is with all of
-- its assets, of_valued with those alone that have a cost. A system that is due itself, or says its deferred maintenance, speaks for
-- everything inside; else its need is that of its assets. What was typed on it is of the whole system; what was found at it is beside what
-- its assets have.
CREATE FUNCTION need_of_system(s standing_system, value numeric, renewals numeric, due_deferred numeric, other_deferred numeric)
    RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN s.due THEN greatest(coalesce(s.cost, value, 0), coalesce(own, inside), parts) ELSE parts END
    FROM (SELECT coalesce(due_deferred, 0) + coalesce(other_deferred, 0) AS inside) i
    CROSS JOIN LATERAL (SELECT coalesce(s.found_later + inside, s.deferred) AS own) o
    CROSS JOIN LATERAL (SELECT coalesce(renewals, 0) + CASE WHEN own IS NULL THEN coalesce(other_deferred, 0)
        ELSE greatest(0, own - coalesce(due_deferred, 0)) END AS parts) p $$;
CREATE MATERIALIZED VIEW system_need AS
    WITH inside AS (
        SELECT system_id AS id, sum(cost) AS value, sum(need) AS need, sum(need) FILTER (WHERE due) AS renewals,
            sum(need) FILTER (WHERE due AND planned_renewal_year IS NULL) AS by_life, sum(cost) FILTER (WHERE life_known) AS known,
            sum(deferred) FILTER (WHERE due) AS due_deferred, sum(deferred) FILTER (WHERE NOT due) AS other_deferred,
            sum(need) FILTER (WHERE due AND NOT bare) AS valued_renewals, sum(deferred) FILTER (WHERE due
                AND NOT bare) AS valued_due_deferred,
            sum(deferred) FILTER (WHERE NOT due AND NOT bare) AS valued_other_deferred
        FROM asset_need GROUP BY system_id
    )
    SELECT s.*, i.value, i.renewals, coalesce(i.by_life, 0) AS by_life,
        CASE WHEN coalesce(s.planned_renewal_year, s.ends) IS NOT NULL THEN s.cost ELSE round(s.cost * i.known / nullif(i.value, 0), 2) END AS kind_known,
        coalesce(i.need, 0) AS need_inside, s.due OR s.deferred IS NOT NULL OR s.found IS NOT NULL AS speaks,
        need_of_system(s, i.value, i.renewals, i.due_deferred, i.other_deferred) AS of_all,
        CASE WHEN s.cost <> 0 THEN need_of_system(s, i.value, i.renewals, i.due_deferred, i.other_deferred)
            WHEN coalesce(s.cost, i.value, 0) = 0 THEN 0
            ELSE need_of_system(s, i.value, i.valued_renewals, i.valued_due_deferred, i.valued_other_deferred) END AS of_valued
    FROM standing_system s LEFT JOIN inside i USING (id);

-- One row for each thing, with its share of every sum. What a system needs beyond its assets is its own share. In places, the value of an
-- appraised building stands for everything inside (value); among kinds, systems and assets have their own (kind_value).
CREATE MATERIALIZED VIEW share AS
    WITH things AS (
        SELECT 'site' AS kind, id, id AS site_id, NULL AS building_id, NULL AS system_id, NULL AS category, NULL AS uniformat_group,
            NULL::integer AS condition, coalesce(service_category, 'other') AS service_category, NULL::numeric AS value,
            NULL::numeric AS kind_value, false AS unconverted, coalesce(found, 0) AS deferred, coalesce(found_later, 0) AS need,
            0::numeric AS uncovered, coalesce(found_later, 0) AS kind_uncovered, false AS below_need, false AS undated,
            coalesce(found, 0) AS found, coalesce(unpriced, 0) AS unpriced, false AS zero, 0::numeric AS renewed,
            0::numeric AS by_life, NULL::numeric AS kind_known
        FROM standing_site
        UNION ALL
        SELECT 'building', id, site_id, id, NULL, NULL, NULL, NULL, category, cost, NULL, unconverted, coalesce(found, 0), coalesce(found_later, 0), 0,
            coalesce(found_later, 0), coalesce(cost < r.renewals, false), false, coalesce(found, 0), coalesce(unpriced, 0),
            coalesce(replacement_cost = 0, false), 0, 0, NULL
        FROM standing_building b LEFT JOIN (SELECT building_id, sum(renewals) AS renewals FROM (
                SELECT building_id, CASE WHEN due THEN of_all ELSE renewals END AS renewals FROM system_need
                UNION ALL SELECT building_id, need FROM asset_need WHERE due
                    AND system_id IS NULL) inside GROUP BY 1) r ON r.building_id = b.id
        UNION ALL
        SELECT 'system', id, site_id, building_id, id, category, left(uniformat_code, 3), condition_rating, service_category,
            CASE WHEN appraisal IS NULL THEN cost END, cost, unconverted, coalesce(deferred, found, 0), CASE WHEN speaks THEN of_all ELSE 0 END,
            CASE WHEN NOT speaks OR appraisal > 0 THEN 0 WHEN appraisal = 0 THEN of_all ELSE of_all - of_valued END,
            CASE WHEN speaks THEN of_all - of_valued ELSE 0 END, coalesce(cost < renewals, false), false, coalesce(found, 0),
            coalesce(unpriced, 0), coalesce(replacement_cost = 0, false), CASE WHEN NOT speaks THEN 0 WHEN due THEN of_all ELSE coalesce(renewals, 0) END,
            CASE WHEN NOT speaks THEN 0 WHEN NOT due THEN by_life WHEN planned_renewal_year IS NULL THEN of_all ELSE 0 END, kind_known
        FROM system_need
        UNION ALL
        SELECT 'asset', a.id, a.site_id, a.building_id, a.system_id, a.category, left(a.uniformat_code, 3), a.rating, a.service_category,
            CASE WHEN a.appraisal IS NULL AND system_cost IS NULL THEN a.cost END, CASE WHEN system_cost IS NULL THEN a.cost END,
                a.unconverted,
            CASE WHEN system_deferred IS NULL THEN coalesce(a.deferred_now, 0) ELSE 0 END, w.need,
            CASE WHEN coalesce(a.appraisal, system_cost, a.cost, 0) = 0 THEN w.need ELSE 0 END,
            CASE WHEN coalesce(system_cost, a.cost, 0) = 0 THEN w.need ELSE 0 END, false, false,
            CASE WHEN system_deferred IS NULL THEN coalesce(a.found, 0) ELSE 0 END, coalesce(a.unpriced, 0), coalesce(a.zero, false),
            CASE WHEN a.due THEN w.need ELSE 0 END, CASE WHEN a.due AND a.planned_renewal_year IS NULL THEN w.need ELSE 0 END,
            CASE WHEN system_cost IS NULL AND a.life_known THEN a.cost END
        FROM asset_need a LEFT JOIN system_need s ON s.id = a.system_id
        CROSS JOIN LATERAL (SELECT CASE WHEN s.speaks THEN 0 ELSE a.need END AS need) w
        UNION ALL -- what does not count is counted
        SELECT 'left out', a.id, a.site_id, a.building_id, a.system_id, a.category, left(a.uniformat_code, 3), k.rating,
            coalesce(a.service_category, b.service_category, CASE WHEN b.id IS NOT NULL THEN of_building_type(b.building_type) END,
                p.service_category, 'other'), NULL, NULL,
            false, 0, 0, 0, 0, false, gone(a.status) AND a.out_of_use_on IS NULL, 0, 0, false, 0, 0, NULL
        FROM asset a JOIN known k USING (id) LEFT JOIN building b ON b.id = a.building_id LEFT JOIN site p ON p.id = a.site_id
        WHERE a.id NOT IN (SELECT id FROM standing_asset)
    )
    -- What was found at a building or a site itself stands against all that it is worth.
    SELECT t.kind, t.id, t.site_id, t.building_id, t.system_id, t.category, t.uniformat_group, t.condition, t.service_category, t.value,
        t.kind_value, t.unconverted, t.deferred, t.found, t.unpriced, t.need, t.kind_uncovered, t.below_need, t.undated, t.zero, t.renewed, t.by_life,
        t.kind_known, CASE WHEN t.kind = 'building' THEN round(t.value * sum(t.kind_known) OVER (PARTITION BY t.building_id)
                / nullif(sum(t.kind_value) OVER (PARTITION BY t.building_id), 0), 2)
            WHEN t.value IS NOT NULL THEN t.kind_known END AS known,
        CASE t.kind WHEN 'building' THEN CASE WHEN sum(t.value) OVER (PARTITION BY t.building_id) > 0 THEN 0 ELSE t.need END
            WHEN 'site' THEN CASE WHEN sum(t.value) OVER (PARTITION BY t.site_id) > 0 THEN 0 ELSE t.need END ELSE t.uncovered END AS uncovered,
        p.site_type, p.ward, b.building_type, a.rating, a.cost, a.installed, reached(age(a.installed, day)) AS age, a.past, a.risk,
        a.method, a.assessed_on, a.planned_renewal_year, a.expected_useful_life_years
    FROM things t CROSS JOIN asked LEFT JOIN site p ON p.id = t.site_id LEFT JOIN building b ON b.id = t.building_id
    LEFT JOIN standing_asset a ON a.id = t.id AND t.kind = 'asset';

CREATE FUNCTION distribution(grades text[], costs numeric[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_object_agg(g, jsonb_build_object('assets', (SELECT count(*) FROM unnest(grades, costs) x(grade, cost) WHERE x.grade = g),
        'replacement_cost', (SELECT coalesce(sum(cost), 0) FROM unnest(grades, costs) x(grade, cost) WHERE x.grade = g)))
    FROM unnest(ARRAY['very_good', 'good', 'fair', 'poor', 'very_poor', 'unknown']) g $$;

-- The figures of each group. Kinds are made from systems and assets alone; places have the appraisals of their buildings.
CREATE FUNCTION figures(group_by text) RETURNS TABLE (key text, answer jsonb) LANGUAGE sql STABLE AS $$
    WITH grouped AS (
        SELECT CASE group_by WHEN 'site' THEN site_id WHEN 'site_type' THEN site_type WHEN 'ward' THEN ward WHEN 'building' THEN building_id
                WHEN 'building_type' THEN building_type WHEN 'category' THEN category WHEN 'uniformat_group' THEN uniformat_group
                WHEN 'condition_grade' THEN grade(condition) WHEN 'system' THEN system_id END AS key,
            s.kind, s.deferred, s.found, s.unpriced, s.need, s.rating, s.cost, s.age, s.installed, s.past, s.expected_useful_life_years, s.planned_renewal_year,
            s.site_id, s.unconverted, s.below_need, s.undated, s.zero, s.renewed, s.by_life,
            CASE WHEN kinds THEN kind_known ELSE known END AS known,
            CASE WHEN kinds THEN kind_value ELSE value END AS value, CASE WHEN kinds THEN kind_uncovered ELSE uncovered END AS uncovered
        FROM share s, (SELECT group_by IN ('category', 'uniformat_group', 'condition_grade', 'system') AS kinds) k
        WHERE NOT (kinds AND kind IN ('site', 'building') AND found = 0 AND need = 0 AND unpriced = 0) -- which are of no kind
    ), summed AS (
        SELECT key, coalesce(sum(value), 0) AS value, coalesce(sum(value) FILTER (WHERE kind = 'building'), 0) AS of_buildings,
            coalesce(sum(value) FILTER (WHERE kind = 'system'), 0) AS of_systems,
            coalesce(sum(value) FILTER (WHERE kind = 'asset'), 0) AS of_assets,
            count(value) FILTER (WHERE unconverted) AS unconverted, coalesce(sum(value) FILTER (WHERE unconverted), 0) AS unconverted_cost,
            sum(deferred) AS deferred, sum(found) AS found, sum(need) AS need, sum(uncovered) AS uncovered,
            sum(renewed) AS renewed, sum(by_life) AS by_life, coalesce(sum(known), 0) AS known,
            round(avg(age), 1) AS age, round(sum(age * cost) / nullif(sum(cost) FILTER (WHERE age IS NOT NULL), 0), 1) AS weighted_age,
            round(avg(rating), 2) AS rating,
            round(sum(rating * cost) / nullif(sum(cost) FILTER (WHERE rating IS NOT NULL), 0), 2) AS weighted_rating,
            jsonb_build_object('sites', count(*) FILTER (WHERE kind = 'site'), 'buildings', count(*) FILTER (WHERE kind = 'building'),
                'systems', count(*) FILTER (WHERE kind = 'system'), 'assets', count(*) FILTER (WHERE kind = 'asset'),
                'assets_left_out', count(*) FILTER (WHERE kind = 'left out')) AS counts,
            jsonb_build_object('assets', count(*) FILTER (WHERE past),
                'replacement_cost', coalesce(sum(cost) FILTER (WHERE past), 0)) AS past,
            distribution(array_agg(coalesce(grade(rating), 'unknown')) FILTER (WHERE kind = 'asset'),
                array_agg(cost) FILTER (WHERE kind = 'asset')) AS grades,
            jsonb_build_object('without_replacement_cost', count(*) FILTER (WHERE kind = 'asset' AND cost IS NULL),
                'without_installation', count(*) FILTER (WHERE kind = 'asset' AND installed IS NULL),
                'without_expected_useful_life', count(*) FILTER (WHERE kind = 'asset' AND expected_useful_life_years IS NULL),
                'without_condition_rating', count(*) FILTER (WHERE kind = 'asset' AND rating IS NULL),
                'without_planned_renewal_year', count(*) FILTER (WHERE kind = 'asset' AND planned_renewal_year IS NULL),
                'without_site', count(*) FILTER (WHERE kind = 'asset' AND site_id IS NULL),
                'deficiencies_without_cost', sum(unpriced),
                'value_below_need', count(*) FILTER (WHERE below_need), 'zero_replacement_cost', count(*) FILTER (WHERE zero), 'gone_without_date', count(*) FILTER (WHERE undated)) AS quality
        FROM grouped GROUP BY key
    )
    SELECT key, jsonb_build_object('counts', counts, 'replacement_cost', value,
        'replacement_cost_basis', jsonb_build_object('buildings', of_buildings, 'systems', of_systems, 'assets', of_assets),
        'as_recorded', jsonb_build_object('count', unconverted, 'cost', unconverted_cost),
        'deferred_maintenance_cost', deferred,
        'deferred_maintenance_basis', jsonb_build_object('typed', deferred - found, 'deficiencies', found),
        'need', need, 'need_without_value', uncovered, 'need_basis', jsonb_build_object('planned_renewal_years', renewed - by_life, 'useful_lives', by_life,
            'deferred_maintenance', need - renewed), 'life_known_pct', share_known, 
        'fci_pct', fci, 'fci_grade', fci_grade(fci, share_known), 'average_age_years', age, 'weighted_age_years', weighted_age, 'average_condition_rating', rating,
        'weighted_condition_rating', weighted_rating, 'past_useful_life', past, 'condition_distribution', grades, 'data_quality', quality)
    FROM summed, LATERAL (SELECT round(100 * (need - uncovered) / nullif(value, 0), 2) AS fci,
        round(100 * known / nullif(value, 0), 2) AS share_known) f $$;

-- Networks: a segment is a thing of its own, and what was installed later or is gone does not count.
CREATE MATERIALIZED VIEW standing_segment AS
    SELECT s.*, c.category AS service_category, CASE WHEN said_alone THEN r.rating ELSE s.condition_rating END AS rating,
        CASE WHEN said_alone THEN r.assessed_on ELSE s.condition_assessed_on END AS assessed_on,
        CASE WHEN said_alone THEN r.method ELSE s.condition_method END AS method, in_prices(s.replacement_cost, f) AS cost,
            f.at_year IS NULL AS unconverted,
        coalesce((d.w).later, in_prices(s.deferred_maintenance_cost, g)) AS deferred, -- at the horizon
        coalesce((d.w).cost, in_prices(s.deferred_maintenance_cost, g)) AS deferred_now, (d.w).unpriced AS unpriced,
        installed(s.install_date, s.install_year) AS installed, reached(age(installed(s.install_date, s.install_year), day)) AS age,
        day > greatest(life_ends(installed(s.install_date, s.install_year), s.expected_useful_life_years),
            life_ends(make_date(s.relined_year, 7, 1), s.relined_useful_life_years)) AS past,
        due(s.planned_renewal_year, e.ends, by_life, extract(year FROM day) + horizon) AS due,
        coalesce(s.planned_renewal_year, e.ends) IS NOT NULL AS life_known
    FROM segment s CROSS JOIN asked CROSS JOIN basis
    CROSS JOIN LATERAL (SELECT greatest(end_year(installed(s.install_date, s.install_year), s.expected_useful_life_years),
        s.relined_year + s.relined_useful_life_years) AS ends) e JOIN network n ON n.id = s.network_id LEFT JOIN rating_said r ON r.id = s.id
    CROSS JOIN LATERAL (SELECT coalesce(n.service_category, of_asset_class(n.asset_class)) AS category) c
    CROSS JOIN LATERAL (SELECT found_at(s.id, c.category) AS w OFFSET 0) d
    LEFT JOIN price_of f ON f.category = c.category
        AND f.year = coalesce(s.replacement_cost_year, extract(year FROM s.replacement_cost_as_of))
    LEFT JOIN price_of g ON g.category = c.category AND g.year = extract(year FROM s.deferred_maintenance_as_of)
    WHERE stands(s.status, installed(s.install_date, s.install_year), s.out_of_use_on, day);

CREATE FUNCTION network_figures() RETURNS TABLE (key text, answer jsonb) LANGUAGE sql STABLE AS $$
    WITH needed AS (
        SELECT s.*, CASE WHEN due THEN greatest(coalesce(cost, 0), coalesce(deferred, 0)) ELSE coalesce(deferred, 0) END AS need
            FROM standing_segment s
    ), summed AS (
        SELECT n.id, count(s.id) AS segments, coalesce(sum(s.cost), 0) AS value, coalesce(sum(s.deferred_now), 0) AS deferred,
            coalesce(sum(s.unpriced), 0) AS unpriced,
            coalesce(sum(s.need), 0) AS need, coalesce(sum(s.need) FILTER (WHERE s.due), 0) AS renewed,
            coalesce(sum(s.need) FILTER (WHERE s.due AND s.planned_renewal_year IS NULL), 0) AS by_life,
            coalesce(sum(s.cost) FILTER (WHERE s.life_known), 0) AS known,
            coalesce(sum(s.need) FILTER (WHERE coalesce(s.cost, 0) = 0), 0) AS uncovered, coalesce(sum(s.length_m), 0) AS metres,
            sum(s.length_m * s.lanes) AS lane_metres, coalesce(sum(s.cost) FILTER (WHERE s.replacement_cost_computed), 0) AS computed,
            round(avg(s.age), 1) AS age,
            round(sum(s.age * s.length_m) / nullif(sum(s.length_m) FILTER (WHERE s.age IS NOT NULL), 0), 1) AS weighted_age,
            round(avg(s.rating), 2) AS rating,
            round(sum(s.rating * s.length_m)
                / nullif(sum(s.length_m) FILTER (WHERE s.rating IS NOT NULL), 0), 2) AS weighted_rating,
            count(*) FILTER (WHERE s.past) AS past, coalesce(sum(s.cost) FILTER (WHERE s.past), 0) AS past_cost,
            coalesce(sum(s.length_m) FILTER (WHERE s.past), 0) AS past_metres,
            count(s.id) FILTER (WHERE s.cost IS NULL) AS no_cost, count(s.id) FILTER (WHERE s.replacement_cost = 0) AS zeros, count(s.id) FILTER (WHERE s.installed IS NULL) AS no_installation,
            count(s.id) FILTER (WHERE s.expected_useful_life_years IS NULL) AS no_life,
            count(s.id) FILTER (WHERE s.rating IS NULL) AS no_rating,
            count(s.id) FILTER (WHERE s.planned_renewal_year IS NULL) AS no_renewal,
            count(s.id) FILTER (WHERE s.length_m IS NULL) AS no_length
        FROM network n LEFT JOIN needed s ON s.network_id = n.id GROUP BY n.id
    )
    SELECT id, jsonb_build_object(
        'counts', jsonb_build_object('segments', segments,
            'segments_left_out', (SELECT count(*) FROM segment s WHERE s.network_id = m.id) - segments),
        'length_km', round(metres / 1000, 3), 'lane_km', round(lane_metres / 1000, 3),
        'replacement_cost', value, 'replacement_cost_basis', jsonb_build_object('given', value - computed, 'unit_costs', computed),
        'deferred_maintenance_cost', deferred, 'deficiencies_without_cost', unpriced, 'need', need, 'need_without_value', uncovered,
        'need_basis', jsonb_build_object('planned_renewal_years', renewed - by_life, 'useful_lives', by_life,
            'deferred_maintenance', need - renewed), 'life_known_pct', share_known, 
        'fci_pct', round(100 * (need - uncovered) / nullif(value, 0), 2),
        'fci_grade', fci_grade(round(100 * (need - uncovered) / nullif(value, 0), 2), share_known),
        'average_age_years', age, 'weighted_age_years', weighted_age, 'average_condition_rating', rating,
        'weighted_condition_rating', weighted_rating,
        'past_useful_life', jsonb_build_object('segments', past, 'length_km', round(past_metres / 1000, 3), 'replacement_cost', past_cost),
        'condition_distribution', (SELECT jsonb_object_agg(g, (SELECT jsonb_build_object('segments', count(*),
                'length_km', round(coalesce(sum(length_m), 0) / 1000, 3), 'replacement_cost', coalesce(sum(cost), 0))
            FROM standing_segment s WHERE s.network_id = m.id AND coalesce(grade(s.rating), 'unknown') = g))
            FROM unnest(ARRAY['very_good', 'good', 'fair', 'poor', 'very_poor', 'unknown']) g),
        'data_quality', jsonb_build_object('without_replacement_cost', no_cost, 'without_installation', no_installation,
            'without_expected_useful_life', no_life, 'without_condition_rating', no_rating, 'without_planned_renewal_year', no_renewal,
            'without_length', no_length, 'zero_replacement_cost', zeros)) FROM summed m,
        LATERAL (SELECT round(100 * known / nullif(value, 0), 2) AS share_known) f $$;

-- Number and value of things by a word.
CREATE FUNCTION portions(words text[], costs numeric[], every text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_object_agg(w, (SELECT jsonb_build_object('count', count(x.word), 'replacement_cost', coalesce(sum(cost), 0))
        FROM unnest(words, costs) x(word, cost) WHERE x.word = w)) FROM unnest(every) w $$;

-- Everything by service: what is in sites and buildings and the segments of networks, each once. An appraised building's value is whole
-- in its service; what stands inside and serves another has its number, age, condition and need there.
CREATE FUNCTION infrastructure_figures() RETURNS TABLE (key text, answer jsonb) LANGUAGE sql STABLE AS $$
    WITH things AS (
        SELECT service_category, kind, NULL::text AS network_id, value, unconverted, deferred, need, uncovered, age, rating, cost, past,
            risk, method,
            assessed_on, installed, expected_useful_life_years AS years, NULL::numeric AS length_m, unpriced,
            renewed, by_life, known
        FROM share
        UNION ALL
        SELECT service_category, 'segment', network_id, cost, unconverted, coalesce(deferred_now, 0), n.need,
            CASE WHEN coalesce(cost, 0) = 0 THEN n.need ELSE 0 END, age, rating, cost, past,
            coalesce(probability_of_failure, rating) * consequence_of_failure, method, assessed_on, installed,
            expected_useful_life_years, length_m, unpriced, CASE WHEN due THEN n.need ELSE 0 END,
            CASE WHEN due AND planned_renewal_year IS NULL THEN n.need ELSE 0 END, CASE WHEN life_known THEN cost END
        FROM standing_segment CROSS JOIN LATERAL (SELECT CASE WHEN due THEN greatest(coalesce(cost, 0), coalesce(deferred, 0))
            ELSE coalesce(deferred, 0) END AS need) n
        UNION ALL
        SELECT coalesce(n.service_category, of_asset_class(n.asset_class)), 'left out', NULL, NULL, false, 0, 0, 0, NULL, NULL, NULL,
            NULL, NULL, NULL,
            NULL, NULL, NULL, NULL, NULL, 0, 0, NULL
        FROM segment s JOIN network n ON n.id = s.network_id WHERE s.id NOT IN (SELECT id FROM standing_segment)
    ), seen AS ( -- an asset or a segment
        SELECT t.*, kind IN ('asset', 'segment') AS counts, coalesce(grade(rating), 'unknown') AS grade, coalesce(risk_level(risk),
            'unknown') AS level,
            rating IS NOT NULL AND strong(method) AND assessed_on >= day - interval '5 years' AS confident
        FROM things t, asked
    ), summed AS (
        SELECT CASE WHEN grouping(service_category) = 1 THEN 'total' ELSE service_category END AS key, coalesce(sum(value), 0) AS value,
            count(value) FILTER (WHERE unconverted) AS unconverted, coalesce(sum(value) FILTER (WHERE unconverted), 0) AS unconverted_cost,
            sum(deferred) AS deferred, sum(need) AS need, sum(uncovered) AS uncovered, sum(renewed) AS renewed,
            sum(by_life) AS by_life, coalesce(sum(known), 0) AS known, avg(age) AS age,
            sum(age * cost) / nullif(sum(cost) FILTER (WHERE age IS NOT NULL), 0) AS weighted_age, avg(rating) AS rating,
            sum(rating * cost) / nullif(sum(cost) FILTER (WHERE rating IS NOT NULL), 0) AS weighted_rating,
            jsonb_build_object('sites', count(*) FILTER (WHERE kind = 'site'), 'buildings', count(*) FILTER (WHERE kind = 'building'),
                'systems', count(*) FILTER (WHERE kind = 'system'), 'assets', count(*) FILTER (WHERE kind = 'asset'),
                'segments', count(*) FILTER (WHERE kind = 'segment'), 'networks', count(DISTINCT network_id),
                'left_out', count(*) FILTER (WHERE kind = 'left out')) AS counts,
            jsonb_build_object('count', count(*) FILTER (WHERE past), 'replacement_cost', coalesce(sum(cost) FILTER (WHERE past), 0),
                'pct', round(100.0 * count(*) FILTER (WHERE past) / nullif(count(past), 0), 2)) AS past,
            portions(array_agg(grade) FILTER (WHERE counts), array_agg(cost) FILTER (WHERE counts),
                ARRAY['very_good', 'good', 'fair', 'poor', 'very_poor', 'unknown']) AS grades,
            portions(array_agg(level) FILTER (WHERE counts), array_agg(cost) FILTER (WHERE counts),
                ARRAY['very_low', 'low', 'moderate', 'high', 'very_high', 'unknown']) AS levels,
            jsonb_build_object('replacement_cost', coalesce(sum(cost) FILTER (WHERE confident), 0),
                'pct', round(100 * coalesce(sum(cost) FILTER (WHERE confident), 0) / nullif(sum(cost) FILTER (WHERE counts), 0),
                    2)) AS confidence,
            jsonb_build_object('without_replacement_cost', count(*) FILTER (WHERE counts AND cost IS NULL),
                'without_installation', count(*) FILTER (WHERE counts AND installed IS NULL),
                'without_expected_useful_life', count(*) FILTER (WHERE counts AND years IS NULL),
                'without_condition_rating', count(*) FILTER (WHERE counts AND rating IS NULL),
                'deficiencies_without_cost', coalesce(sum(unpriced), 0)) AS gaps,
            round(coalesce(sum(length_m), 0) / 1000, 3) AS length_km
        FROM seen GROUP BY ROLLUP (service_category)
    )
    SELECT key, jsonb_build_object('replacement_cost', value, 'deferred_maintenance_cost', deferred,
        'as_recorded', jsonb_build_object('count', unconverted, 'cost', unconverted_cost),
        'need', need, 'need_without_value', uncovered, 'need_basis', jsonb_build_object('planned_renewal_years', renewed - by_life, 'useful_lives', by_life,
            'deferred_maintenance', need - renewed), 'life_known_pct', share_known, 
        'fci_pct', fci, 'fci_grade', fci_grade(fci, share_known), 'average_age_years', round(age, 1),
        'weighted_age_years', round(weighted_age, 1), 'average_condition_rating', round(rating, 2),
        'weighted_condition_rating', round(weighted_rating, 2), 'length_km', length_km, 'counts', counts, 'past_useful_life', past,
        'condition_distribution', grades, 'risk_distribution', levels, 'confidence', confidence, 'data_gaps', gaps)
    FROM summed, LATERAL (SELECT round(100 * (need - uncovered) / nullif(value, 0), 2) AS fci,
        round(100 * known / nullif(value, 0), 2) AS share_known) f $$;
-- Assets, systems and segments whose deferred maintenance is not that of this year: what was found at them, in the prices in which it was found.
CREATE FUNCTION found_differences() RETURNS TABLE (what text) LANGUAGE sql STABLE AS $$
    SELECT format('%s: deferred %s (%s), %s without cost; want %s, %s', id, coalesce(deferred_maintenance_cost::text, 'null'),
        coalesce(deferred_maintenance_basis, 'null'), deficiencies_without_cost, coalesce(w.cost::text, 'what was typed'), coalesce(w.unpriced, 0))
    FROM (SELECT id, deferred_maintenance_cost, deferred_maintenance_basis, deficiencies_without_cost FROM asset
        UNION ALL SELECT id, deferred_maintenance_cost, deferred_maintenance_basis, deficiencies_without_cost FROM system
        UNION ALL SELECT id, deferred_maintenance_cost, deferred_maintenance_basis, deficiencies_without_cost FROM segment) r
    LEFT JOIN (SELECT record_id, sum(cost) AS cost, sum(unpriced) AS unpriced FROM found GROUP BY 1) w ON w.record_id = r.id
    WHERE CASE WHEN w.cost IS NOT NULL THEN (deferred_maintenance_cost, deferred_maintenance_basis, deficiencies_without_cost)
            IS DISTINCT FROM (w.cost, 'deficiencies', w.unpriced::integer)
        ELSE deferred_maintenance_basis IS DISTINCT FROM CASE WHEN deferred_maintenance_cost IS NOT NULL THEN 'typed' END
            OR deficiencies_without_cost <> 0 END $$;

-- Assets, systems and segments whose own derived fields are not what they should be today.
CREATE FUNCTION row_differences() RETURNS TABLE (what text) LANGUAGE sql STABLE AS $$
    WITH rows AS (
        SELECT 'asset' AS kind, name, id, installed(install_date, install_year) AS installed, expected_useful_life_years AS years,
            NULL::date AS liner_ends, age_years, remaining_life_years, past_useful_life, condition_rating, condition_grade,
            coalesce(probability_of_failure, condition_rating) * consequence_of_failure AS risk, risk_score, risk_level FROM asset
        UNION ALL SELECT 'system', name, id, installed(install_date, install_year), expected_useful_life_years, NULL, age_years,
            remaining_life_years, past_useful_life, condition_rating, condition_grade, NULL, NULL, NULL FROM system
        UNION ALL SELECT 'segment', name, id, installed(install_date, install_year), expected_useful_life_years,
            life_ends(make_date(relined_year, 7, 1), relined_useful_life_years), age_years, remaining_life_years,
            past_useful_life, condition_rating, condition_grade,
            coalesce(probability_of_failure, condition_rating) * consequence_of_failure, risk_score, risk_level FROM segment
    )
    SELECT format('%s %s %s: %s is %s, want %s', kind, name, id, d.field, coalesce(d.shown, 'null'), coalesce(d.want, 'null'))
    FROM rows CROSS JOIN asked CROSS JOIN LATERAL (VALUES
        ('age_years', age_years::text, round(age(installed, day), 1)::text),
        ('past_useful_life', past_useful_life::text, (day > greatest(life_ends(installed, years), liner_ends))::text),
        ('condition_grade', condition_grade, grade(condition_rating)), ('risk_score', risk_score::text, risk::text),
        ('risk_level', risk_level, risk_level(risk))) d(field, shown, want)
    WHERE d.shown IS DISTINCT FROM d.want AND NOT (d.shown ~ '^-?[0-9.]+$' AND d.want ~ '^-?[0-9.]+$'
        AND d.shown::numeric = d.want::numeric) $$;

CREATE PROCEDURE lists_loaded() LANGUAGE plpgsql AS $$
DECLARE
    list text;
BEGIN
    FOREACH list IN ARRAY ARRAY['site', 'building', 'system', 'asset', 'assessment', 'own_cost', 'deficiency', 'network', 'segment', 'inspection',
        'own_rating', 'price_index', 'price', 'setting'] LOOP
        EXECUTE format('REFRESH MATERIALIZED VIEW %I', list);
        EXECUTE format('ANALYZE %I', list);
    END LOOP;
END $$;

CREATE PROCEDURE recount() LANGUAGE plpgsql AS $$
DECLARE
    step text;
BEGIN
    FOREACH step IN ARRAY ARRAY['price_of', 'rating_said', 'cost_said', 'deferred_said', 'found', 'known', 'standing_site', 'standing_building',
        'standing_system', 'standing_asset', 'asset_need', 'system_need', 'share', 'standing_segment'] LOOP
        EXECUTE format('REFRESH MATERIALIZED VIEW %I', step);
        EXECUTE format('ANALYZE %I', step);
    END LOOP;
END $$;

-- Assets and segments whose rating or costs are not what their statements say.
CREATE FUNCTION said_differences() RETURNS TABLE (what text) LANGUAGE sql STABLE AS $$
    WITH shown AS (
        SELECT 'asset' AS kind, id, name, condition_rating, condition_assessed_on, condition_method, replacement_cost::numeric(15, 2),
            deferred_maintenance_cost::numeric(15, 2), deferred_maintenance_basis FROM asset
        UNION ALL SELECT 'segment', id, name, condition_rating, condition_assessed_on, condition_method, NULL, NULL, NULL FROM segment
    )
    SELECT format('%s %s %s: %s is %s, want %s', kind, name, id, f.field, coalesce(f.shown, 'null'), coalesce(f.want, 'null'))
    FROM shown s LEFT JOIN rating_said r USING (id) LEFT JOIN cost_said c ON c.asset_id = s.id
        LEFT JOIN deferred_said d ON d.asset_id = s.id
    CROSS JOIN LATERAL (VALUES ('condition_rating', s.condition_rating::text, r.rating::text),
        ('condition_assessed_on', s.condition_assessed_on::text, r.assessed_on::text),
        ('condition_method', s.condition_method, r.method),
        ('replacement_cost', s.replacement_cost::text, c.cost::numeric(15, 2)::text),
        ('deferred_maintenance_cost', s.deferred_maintenance_cost::text,
            CASE WHEN s.deferred_maintenance_basis = 'deficiencies' THEN s.deferred_maintenance_cost ELSE d.cost END::numeric(15, 2)::text)) f(field, shown, want)
    WHERE f.shown IS DISTINCT FROM f.want $$;
